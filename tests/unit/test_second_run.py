"""Tests that end differently when they run again are looked into: only chance and the guard make them unfit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fencepost.analyzer.jobs import Jobs, Limits
from fencepost.analyzer.model import Failure, Outcome
from fencepost.analyzer.observe import SPLIT_FROM_TESTS
from fencepost.analyzer.second_run import BY_CHANCE, STOPPED, SecondRun, Unsteady, _failing

Make = Callable[..., Any]
NAMES = [f"test_{number}" for number in range(10)]


class Again:
    """A second run of some tests."""

    def __init__(self, suite: Any, engine: Any, *, guard: str = "kernel") -> None:
        self.engine = engine
        self.jobs = Jobs(engine, suite.plan, suite.selection, Limits(4.0, 1.0))
        self.jobs.guard = guard
        self.second = SecondRun(self.jobs, suite.selection)

    def run(self, *numbers: int) -> Unsteady:
        """Run tests again."""
        return self.second.run(numbers)

    @property
    def told(self) -> list[tuple[list[int], str]]:
        """The tests of each job, and the guard that it ran under."""
        assert len({job["id"] for job in self.engine.seen}) == len(self.engine.seen)
        return [(job["numbers"], job["guard"]) for job in self.engine.seen]


@pytest.fixture(name="again")
def _again(make_suite: Make, make_engine: Make) -> Callable[..., Again]:
    def make(guard: str = "kernel", parts: Any = (), failing: Any = (), **script: Any) -> Again:
        suite = make_suite(NAMES, parts=parts, failing=failing)
        return Again(suite, make_engine(suite, **script), guard=guard)

    return make


def test_tests_run_backwards_under_the_guard_and_to_the_end(again: Callable[..., Again]) -> None:
    one = again(failing=[2])
    assert one.run(2, 8, 1, 3, 1) == Unsteady()
    assert one.told == [([8, 3, 1], "kernel")]
    assert [job["stop_at_first"] for job in one.engine.seen] == [False]


def test_nothing_to_run_is_not_run(again: Callable[..., Again]) -> None:
    one = again(failing=[2])
    assert one.run(2) == Unsteady()
    assert one.told == []


def test_many_tests_run_in_pieces(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite([f"test_{number}" for number in range(SPLIT_FROM_TESTS)])
    one = Again(suite, make_engine(suite))
    one.run(*range(SPLIT_FROM_TESTS))
    assert len(one.told) > 1
    assert sorted(number for numbers, _ in one.told for number in numbers) == list(range(SPLIT_FROM_TESTS))
    assert all(numbers == sorted(numbers, reverse=True) for numbers, _ in one.told)


def test_a_test_that_passes_every_other_time_passes_by_chance(again: Callable[..., Again]) -> None:
    assert again(by_chance=[3]).run(2, 3, 4) == Unsteady({3: BY_CHANCE})


def test_a_test_that_passes_alone_and_fails_in_one_order_can_judge(again: Callable[..., Again]) -> None:
    one = again(spoiled={3: [5]})
    assert one.run(3, 4, 5) == Unsteady()
    assert one.told[1:] == [([3], "kernel"), ([3], "kernel"), ([5, 4, 3], "kernel")]


def test_a_test_that_fails_once_and_never_again_passes_by_chance(
    make_suite: Make, make_engine: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = make_suite(NAMES)
    engine = make_engine(suite)
    scripted = engine._what
    monkeypatch.setattr(
        engine, "_what", lambda *about: "fails" if about[1] == 3 and engine._first_time("once") else scripted(*about)
    )
    assert Again(suite, engine).run(3, 4) == Unsteady({3: BY_CHANCE})


def test_a_test_that_needs_others_before_it_can_judge(again: Callable[..., Again]) -> None:
    one = again(needs_another=[6], parts=[(0, 3), (3, 5), (5, 10)], failing=[4])
    assert one.run(6) == Unsteady()
    # alone it fails under whatever guard; behind what came before it where the suite passed, it passes
    assert one.told == [([6], "kernel")] * 3 + [([6], "off"), ([5, 6], "kernel")]


@pytest.mark.parametrize(("number", "order"), [(3, [3]), (4, [3, 4]), (5, [5]), (7, [5, 7])])
def test_a_test_is_put_behind_those_of_its_own_part(again: Callable[..., Again], number: int, order: list[int]) -> None:
    one = again(parts=[(0, 3), (3, 5), (5, 10)], failing=[6])
    assert one.second._in_order(number) == order


def test_a_test_that_fails_wherever_it_stands_passed_by_chance(again: Callable[..., Again]) -> None:
    one = again(stopped={3: ["kernel", "audit", "off"]})
    assert one.run(3, 4) == Unsteady({3: BY_CHANCE})


def test_a_test_that_ends_its_process_is_looked_into() -> None:
    assert _failing(Outcome(-11, ended_in=3)) == [3]
    assert _failing(Outcome(0, ended_in=3)) == [3]  # `os._exit(0)` does it without a complaint
    assert _failing(Outcome(0, ran=1)) == []


def test_the_kernel_is_left_out_for_a_test_that_only_it_stops(again: Callable[..., Again]) -> None:
    one = again(stopped={3: ["kernel"], 4: ["kernel"]})
    assert one.run(3, 4) == Unsteady({}, kernel_off=4)
    assert one.jobs.guard == "audit"
    # it is off by the time the other one is looked into, which fails again as it failed before: not by chance
    assert one.told[1:] == [
        ([4], "kernel"), ([4], "kernel"), ([4], "off"), ([4], "audit"),
        ([3], "audit"), ([3], "audit"), ([4, 3], "kernel"),
    ]  # fmt: skip


@pytest.mark.parametrize("guard", ["kernel", "audit"])
def test_a_test_that_the_guard_stops_cannot_judge(again: Callable[..., Again], guard: str) -> None:
    one = again(guard, stopped={3: ["kernel", "audit"]})
    assert one.run(3, 4) == Unsteady({3: STOPPED})
    assert one.jobs.guard == guard
    assert ("audit" in [under for _, under in one.told]) is True


def test_where_the_kernel_is_left_out_already_it_is_not_left_out_again(again: Callable[..., Again]) -> None:
    one = again("audit", stopped={3: ["audit"]})
    one.run(3)
    assert one.told == [([3], "audit")] * 3 + [([3], "off"), ([3], "audit")]


def test_a_test_that_fails_twice_in_one_run_is_looked_into_once() -> None:
    failures = [Failure(number, "E", "", phase) for number, phase in ((3, "call"), (3, "teardown"), (1, "call"))]
    assert _failing(Outcome(0, tuple(failures))) == [3, 1]
