"""The number line of a threshold: the places in order, what stands on them, and where a test is wanted."""

from __future__ import annotations

from fencepost.analyzer.model import Nearest, Sighting, Site, Threshold, Verdict
from fencepost.reports._gaps import gaps
from fencepost.reports._number_line import NumberLine, number_lines
from fencepost.reports._sides import Side
from fencepost.reports._view import View
from tests.unit.test_reports import SEEN_AROUND, TEST_A, a_boundary, a_run


def line(site: Site, sighting: Sighting, verdict: Verdict = Verdict.NOT_INFECTED) -> NumberLine:
    """The only number line of a run over one site."""
    view = View(a_run(site, verdicts={"s0": verdict}, sightings={"s": sighting}))
    [found] = number_lines(view, gaps(view)).values()
    return found


def told(found: NumberLine) -> list[tuple[str, bool, int]]:
    return [(post.value, post.near, post.tests) for post in found.posts]


def test_the_posts_stand_from_the_smallest_to_the_largest_with_the_far_ones_outside() -> None:
    far_below = Sighting(2, (0, 1), Nearest(1, "50", 50.0, 0, 1), Nearest(), Nearest(1, "120", 20.0, 1, 1))
    assert told(line(a_boundary(), far_below)) == [
        ("50", False, 1), ("99", True, 0), ("100", True, 0), ("101", True, 0), ("120", False, 1),
    ]  # fmt: skip


def test_a_test_just_below_stands_on_the_post_itself() -> None:
    just_below = Sighting(1, (0,), Nearest(1, "99", 1.0, 0, 1))
    found = line(a_boundary(), just_below)
    assert told(found) == [("99", True, 1), ("100", True, 0), ("101", True, 0)]
    assert found.posts[0].test is not None
    assert found.posts[0].test.id == TEST_A


def test_only_the_empty_place_that_would_close_the_gap_is_wanted() -> None:
    wanted = [post.side for post in line(a_boundary(), SEEN_AROUND).posts if post.wanted]
    assert wanted == [Side.AT]


def test_no_place_is_wanted_where_there_is_no_gap() -> None:
    assert not any(post.wanted for post in line(a_boundary(), SEEN_AROUND, Verdict.KILLED).posts)


def test_each_post_tells_what_the_comparison_gives_there() -> None:
    gives = [post.gives for post in line(a_boundary(), Sighting()).posts]
    assert gives == [False, True, True]


def test_a_threshold_that_the_source_does_not_tell_is_named_in_words() -> None:
    threshold = Threshold("limit", "just below limit", "limit", "just above limit", known=False)
    found = line(a_boundary(right="limit", threshold=threshold), Sighting())
    assert [post.value for post in found.posts] == ["just below limit", "limit", "just above limit"]
    assert found.threshold == "limit"


def test_long_values_are_cut() -> None:
    long = Nearest(1, "9" * 500, 5.0, 0, 1)
    found = line(a_boundary(), Sighting(1, (0,), Nearest(), Nearest(), long))
    assert max(len(post.value) for post in found.posts) == 40
