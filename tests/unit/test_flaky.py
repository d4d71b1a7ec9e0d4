"""The suite, again and again and in many orders: what is counted, and what it is called."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from fencepost.analyzer.flaky import Wavering, find_wavering, orders
from fencepost.analyzer.settings import Settings

TESTS = ["a.py::test_1", "a.py::test_2", "a.py::test_3", "b.py::test_1", "b.py::test_2", "c.py::test_1"]
# each fails in some of six runs: 1 and 3 and 5 are in order, 2 and 4 and 6 shuffled
BY_RUN = """
from pathlib import Path

RAN = Path(__file__).parent

def run(name):
    with (RAN / name).open("a+") as file:
        file.write(".")
        file.seek(0)
        return len(file.read())

def test_z():
    assert run("z") not in (2, 6), "shuffled twice"

def test_sound():
    assert run("sound")

def test_a():
    number = run("a")
    assert number != 3, f"run {number}"
    assert number != 4, f"run {number}"

def test_never():
    assert 0
"""


class Steps:
    """Hears of the progress."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int | None]] = []
        self.steps = 0

    def begin(self, stage: str, total: int | None) -> None:
        """A stage."""
        self.stages.append((stage, total))

    def advance(self) -> None:
        """A step."""
        self.steps += 1

    def reach(self, steps: int) -> None:
        """So many steps."""
        self.steps = steps


def test_every_second_run_is_in_another_order_that_is_the_same_every_time() -> None:
    given = list(orders(TESTS, 6))
    assert given == list(orders(TESTS, 6))
    in_order = list(range(6))
    assert [numbers == in_order for numbers in given] == [True, False, True, False, True, False]
    assert given[1] != given[3]
    assert all(sorted(numbers) == in_order for numbers in given)


def test_tests_of_one_file_stay_together() -> None:
    for numbers in orders(TESTS, 20):
        files = [TESTS[number][0] for number in numbers]
        changes = sum(one != other for one, other in itertools.pairwise(files))
        assert changes == 2


@pytest.mark.parametrize(
    ("counts", "by_chance", "always"),
    [
        ((1, 2, 0, 2), True, False),
        ((1, 2, 2, 2), True, False),
        ((0, 2, 1, 2), False, False),
        ((2, 2, 1, 2), False, False),
        ((2, 2, 2, 2), False, True),
    ],
)
def test_a_test_passes_by_chance_where_the_same_order_gives_different_results(
    counts: tuple[int, int, int, int], *, by_chance: bool, always: bool
) -> None:
    one = Wavering("test_a", *counts, "assert 0")
    assert (one.by_chance, one.always) == (by_chance, always)


def test_tests_that_fail_in_some_run_are_told_in_the_order_of_the_suite(tmp_path: Path) -> None:
    (tmp_path / "test_shop.py").write_text(BY_RUN, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    steps = Steps()
    found = find_wavering(Settings(root=tmp_path, jobs=1), 6, steps)
    assert found == [
        Wavering("test_shop.py::test_z", 0, 3, 2, 3, found[0].message),
        Wavering("test_shop.py::test_a", 1, 3, 1, 3, found[1].message),
        Wavering("test_shop.py::test_never", 3, 3, 3, 3, "AssertionError: assert 0"),
    ]
    assert found[0].message.startswith("AssertionError: shuffled twice")
    assert found[1].message.startswith("AssertionError: run 3")
    assert steps.stages == [("collecting the tests", None), ("running the suite again and again", 6)]
    assert steps.steps == 6


def test_a_test_that_ends_the_process_is_told(tmp_path: Path) -> None:
    tests = "import os\ndef test_a(): pass\ndef test_b(): os._exit(3)\n"
    (tmp_path / "test_shop.py").write_text(tests, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (found,) = find_wavering(Settings(root=tmp_path, jobs=1), 2, Steps())
    assert found == Wavering("test_shop.py::test_b", 1, 1, 1, 1, "the process ended in it")
