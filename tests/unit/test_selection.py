"""Which tests are tried for a mutant: those it infects, the most telling first, and no more than pays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from fencepost.analyzer.selection import (
    COLD_FILES,
    FIRST_TESTS,
    MORE_TESTS,
    Attempt,
    Candidate,
    Selection,
)

MakeSuite = Callable[..., Any]
ADULT = "age > 18"


def names(count: int, file: str = "test_shop.py") -> list[str]:
    return [f"{file}::test_{number}" for number in range(count)]


def candidate_of(suite: Any, replacement: str = ADULT) -> Candidate:
    selection: Selection = suite.selection
    return selection.candidate(suite.mutant(replacement))


def attempts_of(suite: Any, replacement: str = ADULT) -> list[Attempt]:
    return list(candidate_of(suite, replacement).attempts)


def test_a_mutant_is_tried_with_the_passing_tests_that_it_infects(make_suite: MakeSuite) -> None:
    suite = make_suite(names(4), infects={ADULT: [1, 2, 3]}, failing=[2])
    one = candidate_of(suite)
    assert (one.infected, one.cold, one.cold_files, one.startup) == ([1, 3], False, frozenset(), False)
    assert list(one.attempts) == [Attempt([1, 3], cold=False)]


@pytest.mark.parametrize("replacement", ["age >= 17", "total >= 50"])
def test_a_mutant_that_infects_no_test_has_nothing_to_be_tried_with(make_suite: MakeSuite, replacement: str) -> None:
    suite = make_suite(names(2), infects={ADULT: [1]})
    one = candidate_of(suite, replacement)
    assert (one.infected, list(one.attempts)) == ([], [])


def test_each_mutant_of_a_probe_has_its_own_bit(make_suite: MakeSuite) -> None:
    suite = make_suite(
        names(2), at_import=["age >= 17"], startup=["age >= 19"], collecting={"test_shop.py": [ADULT], "test_b.py": []}
    )
    told = {replacement: candidate_of(suite, replacement) for replacement in (ADULT, "age >= 17", "age >= 19")}
    assert [one.cold for one in told.values()] == [False, True, False]
    assert [one.startup for one in told.values()] == [False, False, True]
    assert [one.cold_files for one in told.values()] == [{"test_shop.py"}, frozenset(), frozenset()]


def test_what_pytest_itself_evaluates_is_first_tried_with_the_cheapest_test(make_suite: MakeSuite) -> None:
    suite = make_suite([*names(2, "test_a.py"), *names(1, "test_b.py")], startup=[ADULT], infects={ADULT: [0]})
    assert attempts_of(suite) == [Attempt([2], cold=True), Attempt([0], cold=False)]


def test_of_two_files_of_one_size_the_first_has_the_cheapest_test(make_suite: MakeSuite) -> None:
    suite = make_suite([*names(1, "test_b.py"), *names(1, "test_a.py")])
    assert suite.selection.cheapest_test == 0


def test_tests_beyond_the_first_ones_are_tried_after_them(make_suite: MakeSuite) -> None:
    everything = list(range(FIRST_TESTS + MORE_TESTS + 5))
    suite = make_suite(names(len(everything)), infects={ADULT: everything})
    assert attempts_of(suite) == [
        Attempt(everything[:FIRST_TESTS], cold=False),
        Attempt(everything[FIRST_TESTS : FIRST_TESTS + MORE_TESTS], cold=False),
    ]


def test_what_loading_the_code_computes_is_tried_where_few_files_that_reach_it_are_loaded_anew(
    make_suite: MakeSuite,
) -> None:
    sizes = {"test_d.py": 3, "test_c.py": 1, "test_b.py": 2, "test_a.py": 2, "test_e.py": 1}
    tests = [name for file, size in sizes.items() for name in names(size, file)]
    reaching = [number for number, name in enumerate(tests) if not name.startswith("test_e")]
    suite = make_suite(tests, at_import=[ADULT], reaches={"total >= 50": reaching})
    attempts = attempts_of(suite)
    assert len(attempts) == COLD_FILES
    assert attempts == [Attempt(numbers, cold=True) for numbers in ([3], [6, 7], [4, 5])]


def test_a_test_that_a_cold_mutant_infects_is_tried_too(make_suite: MakeSuite) -> None:
    suite = make_suite(names(3), at_import=[ADULT], infects={ADULT: [2]}, reaches={"grams > 1001": [0]})
    assert attempts_of(suite) == [Attempt([2], cold=True)]


def test_tests_whose_file_is_loaded_differently_are_tried_cold_and_the_others_warm(make_suite: MakeSuite) -> None:
    tests = [*names(2, "test_c.py"), *names(3, "test_a.py"), *names(2, "test_b.py")]
    suite = make_suite(
        tests, collecting={"test_b.py": [ADULT], "test_a.py": [ADULT]}, infects={ADULT: [0, 4]}, failing=[6]
    )
    assert attempts_of(suite) == [
        Attempt([0], cold=False),
        Attempt([4], cold=True),  # of test_a.py the test that it infects
        Attempt([5], cold=True),  # of test_b.py, where it infects none, all that pass
    ]


def test_cold_files_come_in_the_order_of_their_names(make_suite: MakeSuite) -> None:
    files = [f"test_{letter}.py" for letter in "hgfedcba"]
    suite = make_suite([f"{file}::test_it" for file in files], collecting={file: [ADULT] for file in files})
    assert [attempt.numbers for attempt in attempts_of(suite)] == [[number] for number in reversed(range(8))]


def test_the_tests_that_reach_a_file_are_those_that_reach_any_of_its_sites(make_suite: MakeSuite) -> None:
    suite = make_suite(
        names(6), infects={ADULT: [3], "grams >= 1000": [0]}, reaches={"total >= 50": [1, 4]}, failing=[4]
    )
    assert suite.selection.reaching_file("shop.py") == {1, 3}
    assert suite.selection.reaching_file("post.py") == {0}
    assert suite.selection.reaching_file("other.py") == set()


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ([0.1, math.nextafter(0.1, 0)], [1, 0]),  # a tenth of a second is slow
        ([0.09, 0.01], [0, 1]),  # below it the time does not count
        ([1.0, math.nextafter(1, 0)], [1, 0]),  # a second is very slow
        ([0.99, 0.1], [0, 1]),
        ([2.0, 1.0], [0, 1]),
        ([1.5, 0.5, 0.05], [2, 1, 0]),
    ],
)
def test_fast_tests_come_first_by_the_power_of_ten_of_their_time(
    make_suite: MakeSuite, seconds: list[float], expected: list[int]
) -> None:
    suite = make_suite(dict(zip(names(len(seconds)), seconds, strict=True)))
    assert suite.selection.telling_order(range(len(seconds))) == expected


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
def test_focused_tests_come_first_in_whatever_order_they_are_given(make_suite: MakeSuite, order: list[int]) -> None:
    suite = make_suite(names(4), reaches={ADULT: [0, 1, 3], "total >= 50": [0, 1], "list(word)": [0]})
    assert suite.selection.telling_order(order) == [2, 3, 1, 0]


def test_of_each_function_one_test_is_tried_before_the_next_one(make_suite: MakeSuite) -> None:
    tests = ["test_a.py::test_x[1]", "test_a.py::test_x[2]", "test_a.py::test_y[1]", "test_a.py::test_y[2]"]
    suite = make_suite(tests)
    assert suite.selection.telling_order([3, 2, 1, 0]) == [0, 2, 1, 3]


def test_a_fast_test_of_a_function_comes_before_the_slow_first_of_another(make_suite: MakeSuite) -> None:
    tests = {"test_a.py::test_x": 0.5, "test_a.py::test_y[1]": 0.01, "test_a.py::test_y[2]": 0.01}
    assert make_suite(tests).selection.telling_order(range(3)) == [1, 2, 0]


def chosen(suite: Any, budget: int, numbers: Iterable[int] | None = None) -> int:
    selection: Selection = suite.selection
    return len(selection.within(list(range(20) if numbers is None else numbers), budget))


@pytest.mark.parametrize(
    ("seconds", "budget", "expected"),
    [(0.01, 4, 4), (0.01, 5, 5), (0.1, 49, 4), (0.1, 50, 5), (0.1, 51, 5), (0.99, 50, 5), (1.0, 399, 3), (1.0, 400, 4)],
)
def test_tests_are_chosen_up_to_their_budget(make_suite: MakeSuite, seconds: float, budget: int, expected: int) -> None:
    assert chosen(make_suite(dict.fromkeys(names(20), seconds)), budget) == expected


def test_never_fewer_than_three_tests_are_chosen(make_suite: MakeSuite) -> None:
    suite = make_suite(dict.fromkeys(names(20), 5.0))
    assert chosen(suite, 1) == 3
    assert chosen(suite, 1, [0, 1]) == 2


def test_the_first_tests_are_the_most_telling_ones(make_suite: MakeSuite) -> None:
    suite = make_suite({**dict.fromkeys(names(20, "test_slow.py"), 0.5), **dict.fromkeys(names(3), 0.01)})
    assert suite.selection.first_tests(range(23)) == [20, 21, 22, *range(9)]
