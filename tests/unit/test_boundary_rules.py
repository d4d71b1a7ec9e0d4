"""What the boundary rules say about a comparison: which links, which neighbours, and what is left out."""

from __future__ import annotations

import pytest

from fencepost.analyzer.model import Site, Threshold
from fencepost.analyzer.scan import scan_source
from fencepost.rules import Rule
from fencepost.rules.boundary._comparison import stepped
from fencepost.rules.boundary.boundary_above import BoundaryAbove
from fencepost.rules.boundary.boundary_at import BoundaryAt
from fencepost.rules.boundary.boundary_below import BoundaryBelow
from fencepost.rules.boundary.equality import Equality


def sites(code: str, rule: type[Rule]) -> tuple[Site, ...]:
    return scan_source(code.encode(), "a.py", [rule]).sites


def replacements(code: str, rule: type[Rule]) -> list[str]:
    return [mutant.replacement for site in sites(code, rule) for mutant in site.mutants]


def threshold(code: str, rule: type[Rule] = BoundaryAt) -> Threshold | None:
    (site,) = sites(code, rule)
    return site.threshold


# the value next to a threshold


@pytest.mark.parametrize(
    ("value", "notation", "below", "above"),
    [
        (18, "18", "17", "19"),
        (2.0, "2.0", "1.0", "3.0"),
        (0.5, "0.5", "0.49999999999999994", "0.5000000000000001"),
        (0x1F, "0x1f", "0x1E", "0x20"),
        (0x1F, "0X1F", "0x1E", "0x20"),
        (0b11, "0b11", "2", "4"),
    ],
)
def test_a_step_leads_to_the_next_value_that_could_matter(value: float, notation: str, below: str, above: str) -> None:
    assert (stepped(value, -1, notation), stepped(value, 1, notation)) == (below, above)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = a < 18\n", Threshold("18", "17", "18", "19")),
        ("x = a < 1_000\n", Threshold("1_000", "999", "1000", "1001")),
        ("x = a < 0xFF\n", Threshold("0xFF", "0xFE", "0xFF", "0x100")),
        ("x = a < 0XFF\n", Threshold("0XFF", "0xFE", "0XFF", "0x100")),
        ("LIMIT = 5\nx = a < LIMIT\n", Threshold("LIMIT (5)", "4", "5", "6")),
        ("x = a < b\n", Threshold("b", "just below b", "b", "just above b", known=False)),
        ("x = 18 < a\n", Threshold("18", "17", "18", "19")),
    ],
)
def test_a_threshold_is_told_with_its_neighbours_in_the_words_of_the_source(code: str, expected: Threshold) -> None:
    assert threshold(code) == expected


# FP101


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = a < b\n", ["a <= b"]),
        ("x = a <= b\n", ["a < b"]),
        ("x = a > b\n", ["a >= b"]),
        ("x = a >= b\n", ["a > b"]),
        ("x = 1 < a <= 5\n", ["1 <= a <= 5", "1 < a < 5"]),
        ("x = a == b\n", []),
        ("x = a in b\n", []),
        ("x = (a + 1) < (b or c) < d\n", ["(a + 1) <= (b or c) < d", "(a + 1) < (b or c) <= d"]),
    ],
)
def test_the_equality_goes_in_or_out_one_link_at_a_time(code: str, expected: list[str]) -> None:
    assert replacements(code, BoundaryAt) == expected


def test_a_chain_is_watched_link_by_link_where_its_middle_can_be_evaluated_twice() -> None:
    assert [site.probe and (site.probe.part, site.probe.parts) for site in sites("x = 1 < a < 5\n", BoundaryAt)] == [
        (0, 2),
        (1, 2),
    ]
    assert all(
        mutant.template is None for site in sites("x = 1 < f() < g() < h()\n", BoundaryAt) for mutant in site.mutants
    )


# lengths


@pytest.mark.parametrize(
    ("code", "constant"),
    [
        ("x = len(a) > 0\n", "len(...) >= 0"),
        ("x = len(a) <= 0\n", "len(...) < 0"),
        ("x = 0 < len(a)\n", "len(...) >= 0"),
        ("x = len(a) > 1\n", None),
        ("x = len(a) >= 0\n", None),
        ("x = len(a) < 0\n", None),
        ("x = len(a) >= -1\n", "len(...) > -1"),
        ("x = len(a) < -1\n", "len(...) <= -1"),
        ("x = size(a) > 0\n", None),
        ("x = a > 0\n", None),
    ],
)
def test_a_mutant_that_no_length_could_tell_is_set_aside(code: str, constant: str | None) -> None:
    (site,) = sites(code, BoundaryAt)
    assert site.ignored == (constant and f"equivalent by type: a length is never below 0, so `{constant}` is constant")


# FP102 and FP103


@pytest.mark.parametrize(
    ("code", "below", "above"),
    [
        ("x = a < 18\n", ["a < 17"], ["a < 19"]),
        ("x = 18 < a\n", ["17 < a"], ["19 < a"]),
        ("x = a > 0x10\n", ["a > 0xF"], ["a > 0x11"]),
        ("x = a > 1.0\n", ["a > 0.0"], ["a > 2.0"]),
        ("LIMIT = 5\nx = a < LIMIT\n", ["a < LIMIT - 1"], ["a < LIMIT + 1"]),
        ("LIMIT = 5\nx = LIMIT < a\n", ["LIMIT - 1 < a"], ["LIMIT + 1 < a"]),
        ("LIMIT = 0.5\nx = a < LIMIT\n", ["a < 0.49999999999999994"], []),
        ("x = a < b\n", [], []),
        ("x = a < True\n", [], []),
        ("x = a == 3\n", [], []),
        ("x = a in 3\n", [], []),
    ],
)
def test_a_threshold_moves_one_step_down_or_up(code: str, below: list[str], above: list[str]) -> None:
    assert (replacements(code, BoundaryBelow), replacements(code, BoundaryAbove)) == (below, above)


@pytest.mark.parametrize(
    ("code", "below", "above"),
    [
        # seen from the value, `>= 4` for `> 3` is what FP101 says of whole numbers
        ("x = len(a) > 3\n", [], ["len(a) > 4"]),
        ("x = len(a) >= 3\n", ["len(a) >= 2"], []),
        ("x = len(a) < 3\n", ["len(a) < 2"], []),
        ("x = len(a) <= 3\n", [], ["len(a) <= 4"]),
        ("x = 3 < len(a)\n", [], ["4 < len(a)"]),
        ("x = 3 >= len(a)\n", [], ["4 >= len(a)"]),
        ("x = a > 0.5\n", [], ["a > 0.5000000000000001"]),
    ],
)
def test_a_step_that_says_the_same_as_the_equality_is_left_out(code: str, below: list[str], above: list[str]) -> None:
    assert (replacements(code, BoundaryBelow), replacements(code, BoundaryAbove)) == (below, above)


def test_an_operand_that_two_links_share_is_not_moved() -> None:
    code = "x = 1 < 2 < a\n"
    assert replacements(code, BoundaryAbove) == []
    assert replacements("x = 1 < a < 5\n", BoundaryAbove) == ["2 < a < 5", "1 < a < 6"]
    assert replacements("x = a < 2 < b\n", BoundaryAbove) == []


def test_a_step_of_a_length_to_where_it_is_constant_is_set_aside() -> None:
    (site,) = sites("x = len(a) >= 1\n", BoundaryBelow)
    assert site.ignored == "equivalent by type: a length is never below 0, so `len(...) >= 0` is constant"


def test_a_step_says_on_which_side_of_the_threshold_to_stand() -> None:
    (below,) = sites("x = a < 18\n", BoundaryBelow)
    (above,) = sites("x = 18 < a\n", BoundaryAbove)
    assert below.ask == "stand just below the threshold: `a` at 17, beside one at 18"
    assert above.ask == "stand just above the threshold: `a` at 19, beside one at 18"


# FP104


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = a == 10\n", ["a != 10", "a >= 10", "a <= 10"]),
        ("x = a != 10\n", ["a == 10", "a < 10", "a > 10"]),
        ("x = 10 == a\n", ["10 != a", "10 >= a", "10 <= a"]),
        ("x = a == 'admin'\n", ["a != 'admin'"]),
        ("x = a == Role.ADMIN\n", ["a != Role.ADMIN"]),
        ("x = a == True\n", ["a != True"]),
        ("x = len(a) == 0\n", ["len(a) != 0"]),
        ("x = len(a) == 1\n", ["len(a) != 1", "len(a) >= 1", "len(a) <= 1"]),
        ("x = len(a) == -1\n", ["len(a) != -1", "len(a) >= -1", "len(a) <= -1"]),
        ("x = a == 0\n", ["a != 0", "a >= 0", "a <= 0"]),
        ("x = a == b\n", []),
        ("x = a < 10\n", []),
        ("x = a is None\n", []),
    ],
)
def test_an_equality_with_a_constant_is_shown_from_all_its_sides(code: str, expected: list[str]) -> None:
    assert replacements(code, Equality) == expected


def test_a_float_that_has_no_whole_neighbours_is_moved_to_the_next_one() -> None:
    found = [
        mutant.replacement
        for rule in (BoundaryBelow, BoundaryAbove)
        for site in scan_source(b"x = a < 1e+18\n", "a.py", [rule]).sites
        for mutant in site.mutants
    ]
    assert found == ["a < 9.999999999999999e+17"]
