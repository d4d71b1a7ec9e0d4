"""The sides of a threshold: what a comparison and its mutants give just below, at and just above it."""

from __future__ import annotations

import pytest

from fencepost.analyzer.model import Nearest, Sighting, Site, Threshold
from fencepost.analyzer.scan import scan_source
from fencepost.reports._sides import Side, known_inputs, sides_of, telling_sides, truth_at
from fencepost.rules import all_rules

BELOW, AT, ABOVE = Side


def sites_of(expression: str) -> list[Site]:
    code = f"LIMIT = 100\nHALF = 2.5\nCAP: int = compute()\ndef f(x, cap, xs):\n    return {expression}\n"
    return [site for site in scan_source(code.encode(), "shop.py", all_rules()).sites if site.scope == "f"]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x < 100", (True, False, False)),
        ("x <= 100", (True, True, False)),
        ("x > 100", (False, False, True)),
        ("x >= 100", (False, True, True)),
        ("x == 100", (False, True, False)),
        ("x != 100", (True, False, True)),
        ("100 < x", (False, False, True)),
        ("100 <= x", (False, True, True)),
        ("100 > x", (True, False, False)),
        ("100 >= x", (True, True, False)),
        ("x <= -1", (True, True, False)),
        ("x < 2.5", (True, False, False)),
        ("x >= 0x10", (False, True, True)),
        ("x >= LIMIT", (False, True, True)),
        ("x >= CAP", (False, True, True)),
        ("cap > x", (False, False, True)),  # of two names the right one is the threshold
        ("x < cap", (True, False, False)),
        ("len(xs) >= 3", (False, True, True)),
        ("x >= 100 ** 200", (False, True, True)),
    ],
)
def test_a_comparison_is_true_on_the_sides_that_its_sign_names(
    expression: str, expected: tuple[bool, bool, bool]
) -> None:
    (site, *_) = sites_of(expression)
    assert truth_at(site) == expected


def test_what_is_no_threshold_has_no_truth_around_it() -> None:
    assert {truth_at(site) for site in sites_of("xs.strip() + ' '.join(xs.split()) + (xs or 'd')")} == {None}
    assert {truth_at(site) for site in sites_of("x == 'a'")} == {None}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x > 100", {"x >= 100": (AT,), "x > 99": (AT,), "x > 101": (ABOVE,)}),
        ("x >= 100", {"x > 100": (AT,), "x >= 99": (BELOW,), "x >= 101": (AT,)}),
        ("100 <= x", {"100 < x": (AT,), "99 <= x": (BELOW,), "101 <= x": (AT,)}),
        ("100 > x", {"100 >= x": (AT,), "99 > x": (BELOW,), "101 > x": (AT,)}),
        ("x == 100", {"x != 100": (BELOW, AT, ABOVE), "x >= 100": (ABOVE,), "x <= 100": (BELOW,)}),
        ("x >= LIMIT", {"x > LIMIT": (AT,), "x >= LIMIT - 1": (BELOW,), "x >= LIMIT + 1": (AT,)}),
        ("x > HALF", {"x >= HALF": (AT,), "x > 2.5000000000000004": (ABOVE,)}),
        ("x > -3", {"x >= -3": (AT,), "x > -4": (AT,), "x > -2": (ABOVE,)}),
        ("x < cap", {"x <= cap": (AT,)}),
        ("x > y() > 3", {"x >= y() > 3": (AT,), "x > y() >= 3": (AT,), "x > y() > 2": (AT,), "x > y() > 4": (ABOVE,)}),
    ],
)
def test_a_mutant_is_told_on_the_sides_where_it_gives_another_answer(
    expression: str, expected: dict[str, tuple[Side, ...]]
) -> None:
    found = {one.replacement: telling_sides(site, one) for site in sites_of(expression) for one in site.mutants}
    assert {replacement: found[replacement] for replacement in expected} == expected


def test_what_was_seen_comes_in_the_order_of_the_sides() -> None:
    seen = Sighting(below=Nearest(1), at=Nearest(2), above=Nearest(3))
    assert sides_of(seen) == ((BELOW, Nearest(1)), (AT, Nearest(2)), (ABOVE, Nearest(3)))
    assert list(Side) == ["below", "at", "above"]


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (("17", "18", "19"), (17, 18, 19)),
        (("-1", "0x0", "1.5"), (-1, 0, 1.5)),
        (("just below cap", "cap", "just above cap"), None),
        (("17", "cap", "19"), None),
        (("'a'", "'b'", "'c'"), None),
        (("1", "2", "None"), None),
        (("1", "2", "f()"), None),
    ],
)
def test_the_inputs_around_a_threshold_are_known_where_they_are_three_numbers(
    texts: tuple[str, str, str], expected: tuple[float, float, float] | None
) -> None:
    assert known_inputs(Threshold("x", *texts)) == expected
