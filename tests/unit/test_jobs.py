"""Jobs carry what a worker has to know and nothing else; what comes back is told as facts of one type."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from fencepost.analyzer.engine import Ended
from fencepost.analyzer.jobs import (
    LEAST_SPARE_MEMORY,
    MOST_SPARE_MEMORY,
    SPARE_SECONDS,
    START_SECONDS,
    Jobs,
    Limits,
    _memory_limit,
    joined,
    noticed,
    outcome_of,
)
from fencepost.analyzer.model import Failure, Outcome

Make = Callable[..., Any]
ADULT = "age > 18"
FAILURE = Failure(3, "AssertionError", "assert 1 == 2", "call")


def the_jobs(suite: Any, engine: Any, *, factor: float = 4.0, seconds: float = 1.0) -> Jobs:
    return Jobs(engine, suite.plan, suite.selection, Limits(factor, seconds))


def ended(exit_code: int = 0, facts: Any = None, running: int | None = None, *, over_limit: bool = False) -> Ended:
    return Ended({"id": "run-1"}, exit_code, facts, running, over_limit)


def test_a_test_has_a_limit_of_its_own_where_it_is_slower_than_the_limit_of_all(
    make_suite: Make, make_engine: Make
) -> None:
    suite = make_suite({"test_a": 0.01, "test_b": 0.25, "test_c": 0.5})
    job = the_jobs(suite, make_engine(suite)).run("run-1", [], [2, 1, 0], stop_at_first=True)
    assert (job["limit"], job["slow"]) == (1.0, {"2": 2.0})
    assert job["seconds"] == pytest.approx(0.04 + 1.0 + 2.0 + 1.0 + SPARE_SECONDS)
    assert (job["numbers"], job["switches"], job["stop_at_first"], "cold" in job) == ([2, 1, 0], [], True, False)


@pytest.mark.parametrize(("collecting", "limit"), [(0.1, 1.0), (2.0, 8.0)])
def test_loading_has_the_time_that_collecting_took(
    make_suite: Make, make_engine: Make, collecting: float, limit: float
) -> None:
    suite = make_suite({"test_a": 0.0})
    engine = make_engine(suite)
    engine.collect_seconds = collecting
    warm = the_jobs(suite, engine).run("run-1", [], [0], stop_at_first=True)
    cold = the_jobs(suite, engine).run("run-2", [], [0], stop_at_first=True, cold=True)
    assert warm["load_limit"] == cold["load_limit"] == limit + START_SECONDS
    assert cold["seconds"] == warm["seconds"] + cold["load_limit"]


def test_a_cold_job_names_its_tests_and_their_files_in_the_same_order_always(
    make_suite: Make, make_engine: Make
) -> None:
    files = [f"test_{letter}.py" for letter in "hgfedcba"]
    suite = make_suite([f"{file}::test_it" for file in files])
    job = the_jobs(suite, make_engine(suite)).run("run-1", [], range(8), stop_at_first=False, cold=True)
    assert job["only"] == files[::-1]
    assert job["names"] == [f"{file}::test_it" for file in files]


@pytest.mark.parametrize(
    ("told", "numbers", "cold"),
    [
        ({}, [0, 1], False),
        ({"at_import": [ADULT]}, [0], True),
        ({"collecting": {"test_b.py": [ADULT]}}, [0], False),
        ({"collecting": {"test_b.py": [ADULT]}}, [0, 1], True),
        ({"threads": True}, [0], True),
    ],
)
def test_a_job_loads_anew_where_one_of_its_mutants_needs_it(
    make_suite: Make, make_engine: Make, told: Any, numbers: list[int], *, cold: bool
) -> None:
    suite = make_suite(["test_a.py::test_it", "test_b.py::test_it"], **told)
    mutants = [suite.selection.candidate(suite.mutant(one)) for one in ("total >= 50", ADULT)]
    job = the_jobs(suite, make_engine(suite)).run("run-1", mutants, numbers, stop_at_first=True)
    assert job.get("cold", False) is cold
    assert [suite.name_of(switch) for switch in job["switches"]] == ["total >= 50", ADULT]


def test_cold_and_long_jobs_begin_first(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite([f"test_a.py::test_{number}" for number in range(4)])
    jobs = the_jobs(suite, make_engine(suite))
    given = [
        jobs.run(name, [], numbers, stop_at_first=True, cold=cold)
        for name, numbers, cold in [("b", [0], False), ("d", [0], True), ("a", [0, 1], False), ("c", [0, 1], True)]
    ]
    assert [one["id"] for one, _ in jobs.outcomes(given)] == ["c", "d", "a", "b"]


def test_a_test_alone_runs_without_a_mutant(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(["test_a", "test_b"])
    job = the_jobs(suite, make_engine(suite)).alone(1)
    assert (job["id"], job["switches"], job["numbers"]) == ("alone-1", [], [1])


def test_a_worker_may_have_somewhat_more_memory_than_the_unmutated_one_had() -> None:
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    processes = next(
        one for one in range(1, 1 << 20) if machine % (2 * one) and machine / (2 * one) < MOST_SPARE_MEMORY
    )
    assert _memory_limit(1000, processes) == 1000 + machine // (2 * processes)
    assert isinstance(_memory_limit(1000, processes), int)
    assert _memory_limit(1000, 1 << 30) == 1000 + LEAST_SPARE_MEMORY
    assert _memory_limit(0, 1) == 0


@pytest.mark.parametrize(
    ("one", "expected"),
    [
        (ended(-9, running=4, over_limit=True), Outcome(-9, timed_out=True, ended_in=4)),
        (ended(-signal.SIGXCPU, running=4), Outcome(-signal.SIGXCPU, timed_out=True, ended_in=4)),
        (ended(-11, running=4), Outcome(-11, ended_in=4)),
        (ended(71), Outcome(71)),
        (ended(0, {"load_error": None, "failures": [], "ran": 2, "seconds": 0.5}), Outcome(0, (), 2, 0.5)),
        (
            ended(0, {"load_error": {"where": "a.py", "message": "no"}, "failures": [], "ran": 0, "seconds": 0.5}),
            Outcome(0, (), 0, 0.5, "a.py: no"),
        ),
    ],
)
def test_how_a_job_ended_is_told_as_facts(one: Ended, expected: Outcome) -> None:
    assert outcome_of(one) == expected


def test_each_failure_is_told_as_pytest_told_it() -> None:
    told = {
        "test": 3, "exception": "KeyError", "message": "'x'", "phase": "setup", "raised_by": "shop.py",
        "preceded": True,
    }  # fmt: skip
    outcome = outcome_of(ended(0, {"load_error": None, "failures": [told], "ran": 1, "seconds": 0.5}))
    assert outcome.failures == (Failure(3, "KeyError", "'x'", "setup", "shop.py", preceded=True),)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Outcome(0, ran=3), False),
        (Outcome(0, (FAILURE,)), True),
        (Outcome(0, timed_out=True), True),
        (Outcome(1), True),
        (Outcome(-11), True),
        (Outcome(0, load_error="a.py: no"), False),
        (Outcome(1, load_error="a.py: no"), False),
    ],
)
def test_a_failure_a_hang_and_a_dead_process_are_noticed(outcome: Outcome, *, expected: bool) -> None:
    assert noticed(outcome) is expected


def test_the_parts_of_a_run_are_joined_into_one() -> None:
    parts = [
        Outcome(0, (), 2, 0.5),
        Outcome(-9, (FAILURE,), 1, 0.25, timed_out=True, ended_in=0),
        Outcome(-11, (), 0, 0.25, "a.py: no", ended_in=7),
    ]
    assert joined(parts) == Outcome(-9, (FAILURE,), 3, 1.0, "a.py: no", timed_out=True, ended_in=0)
    assert joined(parts[:1]) == parts[0]
    assert joined([]) == Outcome(0)
