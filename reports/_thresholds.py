"""The thresholds of a run, each with its three places: how many tests stand on it, and what came nearest. Pure."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator
from dataclasses import dataclass

from fencepost.analyzer.model import Nearest, Sighting, Site, Span, TestRecord, Threshold
from fencepost.reports._sentences import compared
from fencepost.reports._sides import Side, known_inputs, sides_of
from fencepost.reports._view import View

_DAY, _SECOND = 86_400.0, 1.0
_STEPS = {"datetime.date(": _DAY, "datetime.datetime(": _SECOND, "datetime.timedelta(": _SECOND}
_WHOLE = re.compile(r"-?\d+( against -?\d+)?")


@dataclass(frozen=True, slots=True)
class Standing:
    """One place of a threshold.

    Attributes:
        input: the value that stands there, as source text; words where the source does not tell it.
        known: whether it is a value, and not words.
        tests: how many tests stand there.
        beyond: how many tests are on this side at all.
        nearest: the nearest value on this side, and the test that brought it; None where there is none.
    """

    side: Side
    input: str
    known: bool
    tests: int
    beyond: int
    nearest: str | None
    test: TestRecord | None


@dataclass(frozen=True, slots=True)
class Places:
    """A threshold of a comparison and its places: just below, exactly at, just above; none below a length of 0."""

    site: Site
    standings: tuple[Standing, ...]


def threshold_key(site: Site) -> tuple[str, Span, int]:
    """What the sites of one threshold have in common: the link of the comparison."""
    return site.path, site.span, site.probe.part if site.probe else 0


def thresholds(view: View) -> Iterator[Places]:
    """Each threshold once, whatever the number of rules that look at it, in the order of the source."""
    known: set[tuple[str, Span, int]] = set()
    for site in view.sites():
        if site.threshold is not None and site.ignored is None and threshold_key(site) not in known:
            known.add(threshold_key(site))
            yield places_of(site, view)


def places_of(site: Site, view: View) -> Places:
    """The three places of a site with a threshold."""
    threshold, sighting = site.threshold, view.sighting(site)
    assert threshold is not None  # noqa: S101 - the caller looked
    step = _step(threshold, sighting)
    inputs = (threshold.below, threshold.at, threshold.above)
    length = (compared(site) or "").startswith("len(")
    return Places(
        site,
        tuple(
            Standing(side, text, threshold.known, _on(side, seen, step), seen.tests, seen.value, view.test(seen.test))
            for (side, seen), text in zip(sides_of(sighting), inputs, strict=True)
            if not (length and text.startswith("-"))
        ),
    )


def _on(side: Side, seen: Nearest, step: float | None) -> int:
    """How many tests stand just there, and not only somewhere on that side."""
    if side is Side.AT or step is None or seen.distance is None:
        return seen.tests  # where there is no distance, the side is all that can be said
    return seen.closest if seen.distance <= step else 0


def _step(threshold: Threshold, sighting: Sighting) -> float | None:
    """The distance of the neighbours of a threshold, in numbers or seconds; None where it is not known."""
    known = known_inputs(threshold)
    if known is not None:
        step = known[2] - known[1]
        return step.total_seconds() if isinstance(step, datetime.timedelta) else float(step)
    values = [seen.value for _, seen in sides_of(sighting) if seen.value]
    if values and all(_WHOLE.fullmatch(value) for value in values):
        return 1.0
    return next((step for start, step in _STEPS.items() if values and values[0].startswith(start)), None)
