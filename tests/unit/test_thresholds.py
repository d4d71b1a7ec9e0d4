"""The thresholds of a run with their three places: how many tests stand on each, and what came nearest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fencepost.analyzer.model import Nearest, Run, Sighting
from fencepost.reports._sides import Side
from fencepost.reports._thresholds import Standing, thresholds
from fencepost.reports._view import View

Told = Callable[..., Run]
NOBODY = Sighting()


def standings(told: Told, expression: str, sighting: Sighting = NOBODY) -> list[Standing]:
    """The places of the only threshold of an expression."""
    run = told(f"HALF = 2.5\ndef f(x, cap, xs):\n    return {expression}\n", seen={expression: sighting})
    ((places),) = thresholds(View(run))
    return list(places.standings)


def counts(told: Told, expression: str, sighting: Sighting) -> list[tuple[int, int]]:
    """How many tests stand on each place, and how many are on its side at all."""
    return [(one.tests, one.beyond) for one in standings(told, expression, sighting)]


def test_each_threshold_is_told_once_whatever_the_number_of_rules_in_the_order_of_the_source(told: Told) -> None:
    code = "def f(x, y):\n    return y > 5 and 1 <= x < 9\n\n\ndef g(x):\n    return x == 3 or x.strip()\n"
    found = [places.site.threshold for places in thresholds(View(told({"b.py": code, "a.py": "y = z > 1\n"})))]
    assert [one.text for one in found if one] == ["5", "1", "9", "3", "1"]


def test_an_ignored_site_has_no_places(told: Told) -> None:
    run = told("def f(x):\n    return x > 5  # pragma: no mutate\n\n\ndef g(x):\n    return x > 6\n")
    assert [places.site.source for places in thresholds(View(run))] == ["x > 6"]


def test_a_place_tells_its_input_who_stands_there_and_what_came_nearest(told: Told) -> None:
    seen = Sighting(
        4, below=Nearest(3, "17", 1.0, 1, 2), at=Nearest(1, "18", 0.0, 0, 1), above=Nearest(2, "40", 22.0, 7, 1)
    )
    below, at, above = standings(told, "x >= 18", seen)
    assert (below.side, below.input, below.known, below.tests, below.beyond, below.nearest) == (
        Side.BELOW, "17", True, 2, 3, "17",
    )  # fmt: skip
    assert below.test is not None
    assert below.test.id == "test_shop.py::test_b"
    assert (at.side, at.input, at.tests, at.beyond, at.nearest) == (Side.AT, "18", 1, 1, "18")
    assert (above.side, above.input, above.tests, above.beyond, above.nearest) == (Side.ABOVE, "19", 0, 2, "40")
    assert above.test is None


def test_nobody_stands_where_nothing_was_seen(told: Told) -> None:
    for standing, text in zip(standings(told, "x >= 18"), ("17", "18", "19"), strict=True):
        assert (standing.input, standing.tests, standing.beyond, standing.nearest, standing.test) == (
            text, 0, 0, None, None,
        )  # fmt: skip


def test_no_length_is_below_zero(told: Told) -> None:
    assert [one.input for one in standings(told, "len(xs) > 0")] == ["0", "1"]
    assert [one.input for one in standings(told, "len(xs) > 1")] == ["0", "1", "2"]
    assert [one.input for one in standings(told, "x > 0")] == ["-1", "0", "1"]


def test_a_threshold_of_a_chain_that_cannot_be_watched_has_its_places_too(told: Told) -> None:
    run = told("def f(x):\n    return 0 < x() < cap() < 100\n")
    inputs = [[one.input for one in places.standings] for places in thresholds(View(run))]
    assert inputs[0] == ["-1", "0", "1"]


def test_words_stand_for_what_the_source_does_not_tell(told: Told) -> None:
    found = [(one.input, one.known) for one in standings(told, "x > cap")]
    assert found == [("just below cap", False), ("cap", False), ("just above cap", False)]


def near(value: str, distance: float | None) -> Sighting:
    """Four tests below a threshold and five above, two and three of them nearest, at a distance."""
    return Sighting(9, below=Nearest(4, value, distance, 0, 2), above=Nearest(5, value, distance, 0, 3))


@pytest.mark.parametrize(
    ("expression", "value", "distance", "stands"),
    [
        ("x > 18", "17", 1.0, True),
        ("x > 18", "16", 2.0, False),
        ("x > 18", "17.5", 0.5, True),
        ("x > 18", "16.9", 1.1, False),
        ("x > HALF", "2.4999999999999996", 4.440892098500626e-16, True),
        ("x > HALF", "2.4", 0.1, False),
        ("x > cap", "7 against 8", 1.0, True),
        ("x > cap", "-7 against -6", 1.0, True),
        ("x > cap", "6 against 8", 2.0, False),
        ("x > cap", "datetime.date(2025, 1, 1) against datetime.date(2025, 1, 2)", 86400.0, True),
        ("x > cap", "datetime.date(2025, 1, 1) against datetime.date(2025, 1, 3)", 172800.0, False),
        ("x > cap", "datetime.datetime(2025, 1, 1, 0, 0) against x", 1.0, True),
        ("x > cap", "datetime.datetime(2025, 1, 1, 0, 0) against x", 2.0, False),
        ("x > cap", "datetime.timedelta(seconds=1) against x", 1.0, True),
        ("x > cap", "datetime.timedelta(seconds=1) against x", 1.5, False),
    ],
)
def test_a_test_stands_on_a_place_that_is_one_step_away_at_most(
    told: Told, expression: str, value: str, distance: float, *, stands: bool
) -> None:
    expected = [(2, 4), (0, 0), (3, 5)] if stands else [(0, 4), (0, 0), (0, 5)]
    assert counts(told, expression, near(value, distance)) == expected


@pytest.mark.parametrize(
    ("expression", "value", "distance"),
    [("x > cap", "'ann' against 'bob'", None), ("x > cap", "7.5 against 8", 0.5), ("x > 18", "<object>", None)],
)
def test_where_a_step_is_not_known_the_side_is_all_that_counts(
    told: Told, expression: str, value: str, distance: float | None
) -> None:
    assert counts(told, expression, near(value, distance)) == [(4, 4), (0, 0), (5, 5)]


def test_a_value_that_is_no_whole_number_on_one_side_hides_the_step_of_both(told: Told) -> None:
    seen = Sighting(3, below=Nearest(2, "7 against 8", 1.0, 0, 1), above=Nearest(2, "8.5 against 8", 0.5, 0, 1))
    assert counts(told, "x > cap", seen) == [(2, 2), (0, 0), (2, 2)]
    seen = Sighting(3, at=Nearest(2, "8 against 8", 0.0, 0, 2), above=Nearest(2, "10 against 8", 2.0, 0, 1))
    assert counts(told, "x > cap", seen) == [(0, 0), (2, 2), (0, 2)]
