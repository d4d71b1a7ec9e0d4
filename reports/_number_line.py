"""The number line of a threshold: which values tests brought, and which places around it stay empty. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.model import Site, Span, TestRecord
from fencepost.reports._sentences import compared, missing_sides
from fencepost.reports._sides import Side, truth_at
from fencepost.reports._thresholds import Places, Standing, threshold_key, thresholds
from fencepost.reports._view import Gap, View

Key: TypeAlias = tuple[str, Span, int]

LONGEST = 40  # characters of a value on the line


@dataclass(frozen=True, slots=True)
class Post:
    """One place on the line.

    Attributes:
        value: what stands there, as source text.
        tests: how many tests stand there.
        test: the first of them.
        gives: what the comparison gives there, None where its text does not tell.
        near: whether it is just there, and not somewhere further on that side.
        wanted: whether a test there would close a gap.
    """

    side: Side
    value: str
    tests: int
    test: TestRecord | None
    gives: bool | None
    near: bool
    wanted: bool


@dataclass(frozen=True, slots=True)
class NumberLine:
    """The posts of one threshold from the smallest value to the largest, under what is compared with what."""

    name: str
    threshold: str
    posts: tuple[Post, ...]


def number_lines(view: View, found: Iterable[Gap]) -> dict[Key, NumberLine]:
    """The number line of each threshold of a run.

    Args:
        found: the gaps, which tell where a test is wanted.
    """
    wanted: dict[Key, set[Side]] = {}
    for gap in found:
        if gap.site.threshold is not None:
            wanted.setdefault(threshold_key(gap.site), set()).update(missing_sides(gap, view))
    keyed = ((threshold_key(places.site), places) for places in thresholds(view))
    return {key: _number_line(places, wanted.get(key, set())) for key, places in keyed}


def _number_line(places: Places, wanted: set[Side]) -> NumberLine:
    site = places.site
    assert site.threshold is not None  # noqa: S101 - it has places
    posts = [post for one in places.standings for post in _posts(one, site, wanted)]
    return NumberLine(compared(site) or shorten(site.source), shorten(site.threshold.text), tuple(posts))


def _posts(standing: Standing, site: Site, wanted: set[Side]) -> Iterator[Post]:
    """The post of a place, and beyond it the nearest value where no test stands on the place itself."""
    side, gives = standing.side, _gives(site)[standing.side]
    seen = None if standing.nearest is None else shorten(standing.nearest, LONGEST)
    place = shorten(standing.input, LONGEST)
    if standing.tests:
        yield Post(side, seen or place, standing.tests, standing.test, gives, near=True, wanted=False)
        return
    posts = [Post(side, place, 0, None, gives, near=True, wanted=side in wanted)]
    if seen is not None:
        posts.append(Post(side, seen, standing.beyond, standing.test, gives, near=False, wanted=False))
    yield from reversed(posts) if side is Side.BELOW else posts


def _gives(site: Site) -> dict[Side, bool | None]:
    truths = truth_at(site) or (None, None, None)
    return dict(zip(Side, truths, strict=True))
