"""What a test to start from has to bring about, for each gap. Pure."""

from __future__ import annotations

import ast
import dataclasses
import math
import re
from collections.abc import Iterator

from fencepost.analyzer.excerpt import excerpt, shorten
from fencepost.analyzer.inputs import MISSING_KEY, changing_input
from fencepost.analyzer.model import Nearest, TestRecord, Verdict
from fencepost.analyzer.sketch import Wanted
from fencepost.reports._sentences import EMPTINESS, ask_with, compared, missing_sides
from fencepost.reports._sides import Side, known_inputs, sides_of
from fencepost.reports._view import Gap, View, rule_name

_WORDS = {Side.BELOW: "just below", Side.AT: "at", Side.ABOVE: "just above"}
OTHERS = 8  # tests that are looked at beside those that came nearest
NAME_LENGTH = 40  # characters that the name of a test gets longer by


def wanted_for(gap: Gap, view: View) -> Iterator[Wanted]:
    """The inputs that close a gap, each with a test to begin with; the test that comes nearest is first."""
    if gap.verdict is Verdict.SURVIVED:
        yield _stronger(gap)
        return
    sides = missing_sides(gap, view)
    if gap.site.threshold is not None and compared(gap.site) is not None and sides:
        side = Side.AT if Side.AT in sides else sides[0]
        yield from (_on_side(gap, view, side, near) for near in _nearest(gap, view, side))
    else:
        samples = view.sighting(gap.site).samples or (("", None),)
        yield from (_changed(gap, view, text, number) for text, number in samples)


def from_others(wanted: Wanted, gap: Gap) -> Iterator[Wanted]:
    """The same, begun with other tests that get there."""
    others = (test.id for test in gap.reached_by[:OTHERS] if test.id != wanted.based_on)
    yield from (dataclasses.replace(wanted, based_on=one) for one in others)


def _stronger(gap: Gap) -> Wanted:
    """The input is there: the same test, with an assertion of what changes."""
    tests = gap.infected_by or gap.reached_by
    change = f"`{shorten(gap.lead.original)}` becomes `{shorten(gap.lead.replacement)}`"
    wanted = _wanted(
        gap, tests[0] if tests else None, suffix=rule_name(gap.site.rule), reminder=f"assert what changes when {change}"
    )
    return dataclasses.replace(wanted, whole=True)


def _on_side(gap: Gap, view: View, side: Side, near: Nearest) -> Wanted:
    threshold, name = gap.site.threshold, compared(gap.site)
    assert threshold is not None  # noqa: S101 - the caller looked
    old, _, against = (near.value or "").partition(" against ")
    new: str | None = {Side.BELOW: threshold.below, Side.AT: threshold.at, Side.ABOVE: threshold.above}[side]
    if known_inputs(threshold) is None:
        new = against or None
        known = against or threshold.text
    else:
        known = threshold.at
    place = new or f"{_WORDS[side]} {shorten(threshold.text)}"
    now = f" (so far {shorten(old)})" if old else ""
    return _wanted(
        gap, view.test(near.test), old=old or None, new=new, suffix=f"{_WORDS[side]} {known}",
        reminder=f"give it an input with which `{name}` is {place}{now}",
    )  # fmt: skip


def _nearest(gap: Gap, view: View, side: Side) -> list[Nearest]:
    """What came nearest to a side of the threshold: on that side if anything did."""
    seen = dict(sides_of(view.sighting(gap.site)))
    found = [one for one in seen.values() if one.value is not None] or [Nearest()]
    return sorted(found, key=lambda one: (one is not seen[side], math.inf if one.distance is None else one.distance))


def _changed(gap: Gap, view: View, text: str, number: int | None) -> Wanted:
    """Another input for a call: one that it changes."""
    test = view.test(number) or (gap.reached_by[0] if gap.reached_by else None)
    found = changing_input(gap.site, (text,))
    example = found or changing_input(gap.site, [one for one, _ in view.sighting(gap.site).samples])
    key = _missing_key(gap, text)
    if key is not None:
        wanted = _wanted(gap, test, old=key, suffix=f"without {key}", reminder=gap.site.ask)
        return dataclasses.replace(wanted, absent=True)
    of = f" of {excerpt(gap.site, gap.site.probe.operands[0])}" if gap.site.kind == EMPTINESS and gap.site.probe else ""
    return _wanted(
        gap, test, old=_first_literal(text), new=found.literal if found else None,
        suffix=f"{rule_name(gap.site.rule)}{of}",
        reminder=ask_with(gap.site, example.literal if example else None),
    )  # fmt: skip


def _missing_key(gap: Gap, text: str) -> str | None:
    """The key that a mapping has to lack; None where the source does not spell it."""
    probe, keys = gap.site.probe, _literals(text)[-1:]
    if probe is None or probe.kind != MISSING_KEY:
        return None
    spelled = [_literals(excerpt(gap.site, operand)) for operand in probe.operands]
    return keys[0] if keys in spelled else None


def _first_literal(text: str) -> str | None:
    """The first of the values of a sample, which are printed one behind the other; None where they are no Python."""
    return next(iter(_literals(text)), None)


def _literals(text: str) -> list[str]:
    try:
        values = ast.parse(f"({text},)", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    return [ast.unparse(one) for one in values.elts] if isinstance(values, ast.Tuple) else []


def _wanted(
    gap: Gap, test: TestRecord | None, *, suffix: str, reminder: str, old: str | None = None, new: str | None = None
) -> Wanted:
    words = re.sub(r"-(?=[\d.])", "minus ", suffix)
    name = re.sub(r"[^A-Za-z0-9]+", "_", words)[:NAME_LENGTH].strip("_").lower()
    what = compared(gap.site) or gap.site.source
    return Wanted(gap.site.path, gap.site.scope, what, old, new, name, reminder, test.id if test else None)
