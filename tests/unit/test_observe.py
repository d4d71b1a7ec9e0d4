"""The unmutated run, told in sites and mutants: parts are brought together, failures are told, nothing is lost."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, cast

import pytest

from fencepost.analyzer.engine import Ended, Engine
from fencepost.analyzer.errors import FencepostError, RunnerLost, TestsFail
from fencepost.analyzer.guard import Trail
from fencepost.analyzer.model import Infection, Nearest, Sighting, Site, TestRecord
from fencepost.analyzer.observe import NAMED_TESTS, Collected, Seen, collect, job, pieces, summarise, watch
from fencepost.analyzer.plan import Plan, make_plan
from fencepost.analyzer.scan import scan_source
from fencepost.rules import all_rules

Facts = dict[str, Any]


class Answers:
    """An engine that answers each job with what it is given, and remembers which jobs those were."""

    def __init__(self, answer: Callable[[Mapping[str, Any]], Facts | None]) -> None:
        self.answer = answer
        self.jobs: list[Mapping[str, Any]] = []

    def submit(self, only: Mapping[str, Any]) -> None:
        """Take a job."""
        self.jobs.append(only)

    def wait(self) -> Ended:
        """Answer the last job."""
        return self._ended(self.jobs[-1])

    def run(self, jobs: Iterable[Mapping[str, Any]], idle: Callable[[], None]) -> Iterator[Ended]:
        """Answer all jobs, the last one first, as a busy machine may."""
        idle()
        jobs = list(jobs)
        self.jobs += jobs
        yield from (self._ended(one) for one in reversed(jobs))

    def passes_in_pytest_alone(self, test: str) -> bool:
        """Whether pytest by itself passes a test: those named `disturbed` it does."""
        return "disturbed" in test

    def last_words(self) -> str:
        """What the processes wrote."""
        return ": Segmentation fault"

    def tests_done(self) -> int:
        """How many tests were run in all jobs so far."""
        return len(self.jobs)

    def _ended(self, one: Mapping[str, Any]) -> Ended:
        facts = self.answer(one)
        return Ended(one, 3 if facts is None else 0, facts, None, over_limit=False)


def an_engine(answer: Callable[[Mapping[str, Any]], Facts | None]) -> tuple[Engine, Answers]:
    answers = Answers(answer)
    return cast("Engine", answers), answers


def collection_facts(**changed: Any) -> Facts:
    return {
        "error": None, "tests": ["test_a", "test_b"], "dropped_options": ["-x"], "at_import": {0: 1}, "startup": {},
        "collecting": {}, "loaded": ["shop.py"], "unwoven": {}, "strangers": {}, "threads": False,
        "trail": {}, "read": [], **changed,
    }  # fmt: skip


def collected(tests: int = 2, **changed: Any) -> Collected:
    """What collecting told, of so many tests."""
    values: dict[str, Any] = {
        "tests": [f"test_{number}" for number in range(tests)], "dropped_options": [], "at_import": {}, "startup": {},
        "collecting": {}, "loaded": [], "unwoven": {}, "strangers": {}, "threads": False,
        "trail": Trail(), **changed,
    }  # fmt: skip
    return Collected(**values)


def a_failure(message: str = "assert 1 == 2") -> Facts:
    return {"exception": "AssertionError", "message": message, "phase": "call", "raised_by": ""}


def part_facts(first: int = 0, last: int = 2, failing: Iterable[int] = (), **changed: Any) -> Facts:
    """What an observing job tells of its tests."""
    failing = set(failing)
    tests = [
        {
            "number": number,
            "seconds": 0.5,
            "failures": [a_failure()] if number in failing else [],
            "skipped": False,
            "unfollowed": False,
        }
        for number in range(first, last)
    ]
    of_tests = {
        "key": "", "tests": tests, "reached": {}, "infected": {}, "nearest": {}, "samples": {}, "parsed": set(),
        "numeric": set(), "unordered": set(), "doubted": {}, "classes": {},
    }  # fmt: skip
    group = {name: changed.pop(name, value) for name, value in of_tests.items()}
    return {
        "groups": [group], "unwoven": {}, "strangers": {}, "loaded": [], "trail": {}, "memory": 0, "read": [],
        "opened": [], "keepers": {}, "left": [], **changed,
    }  # fmt: skip


def watched(*parts: Facts, told: Collected | None = None, leave_out_failing: bool = False) -> Seen:
    """What a suite saw that ran in these parts."""
    tests = 2 if len(parts) == 1 else 200
    remaining = list(reversed(parts))  # the answers come last part first
    engine, _ = an_engine(lambda _: remaining.pop(0))
    return watch(engine, told or collected(tests), lambda _: None, leave_out_failing=leave_out_failing)


def four_parts(*first: Facts) -> list[Facts]:
    """Four parts of a suite, the first of them as given."""
    given = [*first, *[{} for _ in range(4 - len(first))]]
    return [part_facts(50 * number, 50 * number + 50, **one) for number, one in enumerate(given)]


@pytest.mark.parametrize(
    ("tests", "expected"),
    [
        (1, [(0, 1)]),
        (199, [(0, 199)]),
        (200, [(0, 50), (50, 100), (100, 150), (150, 200)]),
        (203, [(0, 50), (50, 101), (101, 152), (152, 203)]),
    ],
)
def test_large_suites_run_in_four_pieces(tests: int, expected: list[tuple[int, int]]) -> None:
    assert pieces(tests) == expected
    assert all(isinstance(edge, int) for piece in pieces(tests) for edge in piece)


def test_a_job_has_twice_its_time_as_a_whole_number_of_cpu_seconds() -> None:
    assert job("run", "run-1", 2.3, numbers=[1]) == {
        "kind": "run", "id": "run-1", "seconds": 2.3, "cpu_seconds": 5, "numbers": [1],
    }  # fmt: skip
    assert isinstance(job("run", "run-1", 2.3)["cpu_seconds"], int)
    assert job("run", "run-1", 0.1)["cpu_seconds"] == 2


def test_collecting_tells_what_there_is() -> None:
    engine, answers = an_engine(lambda _: collection_facts())
    told = collect(engine)
    assert (told.tests, told.dropped_options, told.at_import) == (["test_a", "test_b"], ["-x"], {0: 1})
    assert [one["kind"] for one in answers.jobs] == ["collect"]


def test_a_suite_that_cannot_be_collected_is_told_with_the_last_lines_of_its_error() -> None:
    error = {"where": "test_shop.py", "message": "Traceback\n  one  \n\n   \n  two\n\tImportError: no shop \n"}
    engine, _ = an_engine(lambda _: collection_facts(error=error))
    with pytest.raises(TestsFail) as caught:
        collect(engine)
    assert str(caught.value) == "the tests cannot be collected: test_shop.py: one | two | ImportError: no shop"


def test_a_suite_without_tests_and_a_worker_that_dies_are_errors() -> None:
    engine, _ = an_engine(lambda _: collection_facts(tests=[]))
    with pytest.raises(TestsFail, match="collects no tests"):
        collect(engine)
    engine, _ = an_engine(lambda _: None)
    with pytest.raises(RunnerLost, match="the step 'collect' ended with exit code 3"):
        collect(engine)
    with pytest.raises(RunnerLost, match="the unmutated run of tests 0 to 2 ended with exit code 3"):
        watch(engine, collected(), lambda _: None)


def test_a_small_suite_that_passes_runs_once_and_its_progress_is_told() -> None:
    engine, answers = an_engine(lambda _: part_facts())
    progress: list[int] = []
    seen = watch(engine, collected(threads=True), progress.append)
    assert seen.tests == [TestRecord(0, "test_0", 0.5, passed=True), TestRecord(1, "test_1", 0.5, passed=True)]
    assert [(one["kind"], one["first"], one["last"], one["cold"]) for one in answers.jobs] == [("observe", 0, 2, True)]
    assert progress == [0, 1]


def test_parts_come_together_in_the_order_of_the_suite() -> None:
    seen = watched(*four_parts())
    assert [test.number for test in seen.tests] == list(range(200))
    assert seen.parts == pieces(200)


def test_a_suite_that_fails_in_parts_runs_again_in_one_piece() -> None:
    def answer(one: Mapping[str, Any]) -> Facts:
        whole = one["last"] - one["first"] == 200
        return part_facts(one["first"], one["last"], failing=() if whole else (60,))

    engine, answers = an_engine(answer)
    seen = watch(engine, collected(200), lambda _: None)
    assert all(test.passed for test in seen.tests)
    assert len(seen.tests) == 200
    assert seen.parts == [(0, 200)]
    assert len(answers.jobs) == 5


@pytest.mark.parametrize(
    ("failing", "words"),
    [
        ([1], "the unmutated tests fail: test_1: AssertionError: assert 1 == 2"),
        ([0, 1], "the unmutated tests fail: test_0 (and 1 more): AssertionError: assert 1 == 2"),
        ([0, 1, 2], "the unmutated tests fail: test_0 (and 2 more): AssertionError: assert 1 == 2"),
    ],
)
def test_failing_tests_are_told_and_one_piece_is_not_run_again(failing: list[int], words: str) -> None:
    engine, answers = an_engine(lambda _: part_facts(0, 3, failing))
    with pytest.raises(FencepostError) as caught:
        watch(engine, collected(3), lambda _: None)
    assert str(caught.value) == words
    assert len(answers.jobs) == 1


def test_failing_tests_can_be_left_out() -> None:
    seen = watched(part_facts(failing=[0]), leave_out_failing=True)
    assert [test.passed for test in seen.tests] == [False, True]


def test_tests_of_all_parts_that_reach_and_infect_are_kept_in_order() -> None:
    seen = watched(
        *four_parts(
            {"reached": {0: array("I", [3, 4])}, "infected": {0: {1: array("I", [4])}}},
            {"reached": {0: array("I", [55]), 2: array("I", [56])}, "infected": {0: {0: array("I", [55])}}},
            {"infected": {0: {1: array("I", [100])}}},
        )
    )
    assert seen.reached == {0: array("I", [3, 4, 55]), 2: array("I", [56])}
    assert seen.infected == {0: {0: array("I", [55]), 1: array("I", [4, 100])}}


def test_the_nearest_value_of_all_parts_is_kept_and_of_equals_the_first() -> None:
    seen = watched(
        *four_parts(
            {"nearest": {0: {"below": [2, 3.0, "15", 1, 2], "above": [1, None, None, 1, 1]}}},
            {"nearest": {0: {"below": [1, 1.0, "17", 60, 1], "above": [1, 4.0, "22", 61, 1]}}},
            {"nearest": {0: {"below": [1, 1.0, "17.0", 110, 1], "above": [1, None, None, 111, 1]}}},
            {"nearest": {0: {"at": [1, 0.0, "18", 160, 1]}}},
        )
    )
    assert seen.nearest == {
        0: {
            "below": Nearest(4, "17", 1.0, 60, 2),
            "above": Nearest(3, "22", 4.0, 61, 1),
            "at": Nearest(1, "18", 0.0, 160, 1),
        }
    }


def test_three_different_samples_of_all_parts_are_kept() -> None:
    seen = watched(
        *four_parts(
            {"samples": {0: [("1", 3), ("2", 4)]}},
            {"samples": {0: [("2", 55), ("3", 56), ("4", 57)], 1: [("9", 55)]}},
            {"samples": {0: [("5", 100)]}},
        )
    )
    assert seen.samples == {0: [("1", 3), ("2", 4), ("3", 56)], 1: [("9", 55)]}


def test_doubts_kinds_and_classes_of_all_parts_add_up() -> None:
    seen = watched(
        *four_parts(
            {"doubted": {0: 0b01}, "parsed": {0, 1}, "classes": {0: (0, 0, 1)}},
            {"doubted": {0: 0b10}, "numeric": {1}, "unordered": {1}, "classes": {0: (0, 1, 1), 1: (0, 0)}},
        )
    )
    assert (seen.doubted, seen.parsed, seen.numeric, seen.unordered) == ({0: 0b11}, {0, 1}, {1}, {1})
    assert seen.classes == {0: (0, 1, 2), 1: (0, 0)}


def test_files_that_were_met_while_running_are_told_with_those_of_the_collection() -> None:
    told = collected(loaded=["shop.py"], unwoven={"a.py": "changed"})
    watched(part_facts(loaded=["shop.py", "b.py"], unwoven={"c.py": "script"}, strangers={"d.py": "/d.py"}), told=told)
    assert told.loaded == ["shop.py", "b.py"]
    assert told.unwoven == {"a.py": "changed", "c.py": "script"}
    assert told.strangers == {"d.py": "/d.py"}


def planned(code: str) -> tuple[Plan, tuple[Site, ...]]:
    scan = scan_source(code.encode(), "shop.py", all_rules())
    return make_plan([scan], "/shop"), scan.sites


def test_a_place_that_nobody_saw_is_told_as_such() -> None:
    plan, sites = planned("x = age >= 18\n")
    observation = summarise(Seen([], []), collected(), plan, sites, 1.5)
    assert list(observation.sightings.values()) == [Sighting()] * len(sites)
    assert list(observation.infections.values()) == [Infection()] * 3
    assert (observation.alike, observation.unwoven, observation.seconds) == ({}, {}, 1.5)


def test_a_place_is_told_with_the_first_of_its_tests_and_what_they_gave() -> None:
    plan, sites = planned("x = int(age)\n")
    numbers = array("I", range(NAMED_TESTS + 5))
    seen = Seen(
        [], [], {0: numbers}, {0: {0: numbers}}, {0: {"below": Nearest(1, "17", 1.0, 0), "at": Nearest(2, "18", 0.0, 1),
        "above": Nearest(3, "19", 1.0, 2)}}, {0: [("17", 0)]}, doubted={0: 1}, parsed={0},
    )  # fmt: skip
    observation = summarise(seen, collected(at_import={0: 0}), plan, sites, 0)
    first = tuple(range(NAMED_TESTS))
    (site,) = sites
    assert observation.sightings == {
        site.id: Sighting(
            NAMED_TESTS + 5, first, Nearest(1, "17", 1.0, 0), Nearest(2, "18", 0.0, 1), Nearest(3, "19", 1.0, 2),
            (("17", 0),), at_import=True, only_parses=True,
        )
    }  # fmt: skip
    assert list(observation.infections.values()) == [Infection(NAMED_TESTS + 5, first, certain=False)]


def test_what_was_given_a_number_too_does_not_only_parse() -> None:
    plan, sites = planned("x = int(age)\n")
    observation = summarise(Seen([], [], parsed={0}, numeric={0}), collected(), plan, sites, 0)
    assert not observation.sightings[sites[0].id].only_parses


def test_what_was_given_a_set_is_told_to_depend_on_chance() -> None:
    plan, sites = planned("x = sorted(ages)\ny = sorted(names)\n")
    observation = summarise(Seen([], [], unordered={1}), collected(), plan, sites, 0)
    assert [one.by_chance for one in observation.infections.values()] == [False, True]


@pytest.mark.parametrize("where", ["at_import", "startup", "collecting"])
def test_what_loading_infects_is_told_for_the_mutants_it_infects(where: str) -> None:
    plan, sites = planned("x = age >= 18\ny = age >= 19\n")
    masks: Any = {"test_a.py": {0: 0b010}, "test_b.py": {1: 0b1}} if where == "collecting" else {0: 0b010, 1: 0b1}
    observation = summarise(Seen([], []), collected(**{where: masks}), plan, sites, 0)
    first = [observation.infections[one].at_import for one in plan.mutants_by_probe[0]]
    second = [observation.infections[one].at_import for one in plan.mutants_by_probe[1]]
    assert (first, second) == ([False, True, False], [True, False, False])


def test_a_stranger_counts_only_where_the_file_itself_was_not_loaded() -> None:
    plan, sites = planned("x = age >= 18\n")
    told = collected(loaded=["a.py"], unwoven={"c.py": "changed"}, strangers={"a.py": "/a.py", "b.py": "/b.py"})
    observation = summarise(Seen([], []), told, plan, sites, 0)
    assert observation.unwoven == {"c.py": "changed", "b.py": "the tests run another copy of this file: /b.py"}


def test_mutants_of_one_text_or_of_the_same_outcomes_stand_for_each_other() -> None:
    plan, sites = planned("x = age >= 18\ny = age >= 18\n")
    by_probe = plan.mutants_by_probe
    observation = summarise(Seen([], [], classes={0: (0, 1, 0)}), collected(), plan, sites, 0)
    at, _, above = by_probe[0]
    assert observation.alike == {above: at}


def test_a_mutant_of_the_same_text_stands_behind_whatever_stands_for_that_text() -> None:
    plan, sites = planned("x = age >= 18\n")
    at, below, above = plan.mutants_by_probe[0]
    plan.switches[above] = plan.switches[below]
    seen = Seen([], [], classes={0: (0, 1, 2)})
    assert summarise(seen, collected(), plan, sites, 0).alike == {above: below}
    seen = Seen([], [], classes={0: (0, 0, 2)})
    assert summarise(seen, collected(), plan, sites, 0).alike == {below: at, above: at}


def test_mutants_that_are_not_woven_stand_for_nobody() -> None:
    plan, sites = planned("x = age >= 18\n")
    _, others = planned("z = size < 3\n")
    observation = summarise(Seen([], [], classes={0: (0, 0, 0)}), collected(), plan, [*others, *sites], 0)
    assert set(observation.alike.values()) == {plan.mutants_by_probe[0][0]}
