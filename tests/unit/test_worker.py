"""A worker does its job in a fork of its own, under limits, and leaves facts; each here has a small real project."""

from __future__ import annotations

import gc
import json
import os
import pickle
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.scan import scan_source
from fencepost.analyzer.worker import FAULT_OF_A_MUTANT, LOADING, RUNNING, TESTS_A_TICK, Clock, Worker, _most_memory
from fencepost.rules import all_rules

SHOP = "def adult(age):\n    return age >= 18\n\n\nLIMITS = [age for age in (17, 18) if adult(age)]\n"
ADULT, TEEN = [0, 1], [0, 2]  # `age > 18` and `age >= 17`
TESTS = """
import shop

def test_at():
    assert shop.adult(18)

def test_below():
    assert not shop.adult(17)

def test_limits():
    assert shop.LIMITS == [18]
"""
GIGABYTE = 1 << 30
Work = Callable[..., Any]


@pytest.fixture(name="work")
def _work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Work:
    """Does a job on a project of some files in a fork, and gives its facts, or its exit code where it left none."""
    project, spool, temporary = (tmp_path / name for name in ("project", "spool", "temporary"))
    for folder in (project, spool, temporary, temporary / "shared"):
        folder.mkdir()
    monkeypatch.chdir(project)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def work(job: dict[str, Any], tests: str = TESTS, *, before: Callable[[], None] = lambda: None) -> Any:
        for name, text in {"pytest.ini": "[pytest]\n", "shop.py": SHOP, "test_shop.py": tests}.items():
            (project / name).write_text(text, encoding="utf-8")
        plan = make_plan([scan_source(SHOP.encode(), "shop.py", all_rules())], str(project)).document
        (spool / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        (spool / "trail.json").write_text(
            json.dumps({"programs": ["git", "hg"], **job.get("trail", {})}), encoding="utf-8"
        )
        settings = {
            "root": str(project), "plan": str(spool / "plan.json"), "spool": str(spool), "temporary": str(temporary),
            "cache": str(spool / "cache"), "command": os.getpid(), "pytest_args": ["--rootdir", str(project)],
        }  # fmt: skip
        gc.freeze()  # so that the fork need not go through all that this process holds
        child = os.fork()
        if not child:
            try:
                sys.path.insert(0, str(project))
                before()
                worker = Worker(settings)
                if not job.get("cold"):
                    worker.session.collect()
                worker.work(job)
            finally:
                os._exit(3)
        gc.unfreeze()
        _, status = os.waitpid(child, 0)
        facts = spool / f"{job['id']}.pickle"
        told = facts.read_bytes() if facts.exists() else b""
        return pickle.loads(told) if told else os.waitstatus_to_exitcode(status)  # noqa: S301 - our own

    return work


def a_run(*numbers: int, **details: Any) -> dict[str, Any]:
    return {
        "kind": "run", "id": "run-1", "numbers": list(numbers), "switches": [], "stop_at_first": False, "limit": 1.0,
        "slow": {}, "start_seconds": 0.5, "load_limit": 2.0, "guard": "audit", "memory": 0, **details,
    }  # fmt: skip


def a_cold_run(tmp_path: Path, known: list[str], names: list[str], *numbers: int, **details: Any) -> dict[str, Any]:
    """A job that loads everything anew, where the whole suite had some known tests."""
    (tmp_path / "spool" / "tests.json").write_text(json.dumps(known), encoding="utf-8")
    return a_run(*numbers, cold=True, names=names, only=["test_shop.py"], **details)


def failed(facts: Any) -> list[tuple[int, bool]]:
    """The tests that failed, and whether others came before them."""
    return [(one["test"], one["preceded"]) for one in facts["failures"]]


def test_the_unmutated_tests_pass(work: Work) -> None:
    facts = work(a_run(0, 1, 2))
    assert (facts["failures"], facts["ran"], facts["load_error"]) == ([], 3, None)
    assert facts["seconds"] > 0


@pytest.mark.parametrize(
    ("job", "expected", "ran"),
    [
        (a_run(0, 1, switches=[ADULT]), [(0, False)], 2),
        (a_run(1, 0, switches=[ADULT]), [(0, True)], 2),
        (a_run(1, 2, 0, switches=[ADULT]), [(0, True)], 3),
        (a_run(1, 2, switches=[ADULT]), [], 2),
        (a_run(1, 0, switches=[TEEN]), [(1, False)], 2),
        (a_run(0, 1, switches=[ADULT], stop_at_first=True), [(0, False)], 1),
        (a_run(0, 1, 2, canary=0), [(0, False), (1, True)], 3),
    ],
)
def test_a_test_that_fails_is_told_with_whether_others_came_before_it(
    work: Work, job: dict[str, Any], expected: list[tuple[int, bool]], ran: int
) -> None:
    facts = work(job)
    assert (failed(facts), facts["ran"]) == (expected, ran)


def test_a_cold_worker_runs_a_test_that_fails_behind_others_alone_too(work: Work, tmp_path: Path) -> None:
    names = [f"test_shop.py::test_{name}" for name in ("at", "below", "limits")]
    facts = work(a_cold_run(tmp_path, names, names, 0, 1, 2, switches=[TEEN], stop_at_first=True))
    assert (failed(facts), facts["ran"]) == ([(1, False)], 2)


def test_a_cold_worker_runs_a_test_that_fails_first_only_once(work: Work, tmp_path: Path) -> None:
    tests = "def test_a():\n    with open('runs', 'a') as file:\n        file.write('x')\n    assert 0\n"
    names = ["test_shop.py::test_a"]
    facts = work(a_cold_run(tmp_path, names, names, 0, guard="off", stop_at_first=True), tests)
    assert failed(facts) == [(0, False)]
    assert (tmp_path / "project" / "runs").read_text(encoding="utf-8") == "x"


def test_a_test_that_fails_only_behind_others_is_told_so(work: Work, tmp_path: Path) -> None:
    tests = "SEEN = []\ndef test_a():\n    SEEN.append(1)\ndef test_b():\n    assert not SEEN\n"
    names = [f"test_shop.py::test_{name}" for name in "ab"]
    facts = work(a_cold_run(tmp_path, names, names, 0, 1, stop_at_first=True), tests)
    assert failed(facts) == [(1, True)]


@pytest.mark.parametrize(("end", "code"), [("os._exit(7)", 7), ("os.kill(os.getpid(), 9)", -9)])
def test_a_cold_worker_ends_as_the_fork_that_runs_its_tests(work: Work, tmp_path: Path, end: str, code: int) -> None:
    names = ["test_shop.py::test_a"]
    job = a_cold_run(tmp_path, names, names, 0, stop_at_first=True)
    assert work(job, f"import os\ndef test_a():\n    {end}\n") == code


def test_a_cold_job_sees_what_loading_computes_with_the_mutant_on(work: Work, tmp_path: Path) -> None:
    names = [f"test_shop.py::test_{name}" for name in ("at", "below", "limits")]
    facts = work(a_cold_run(tmp_path, names, names, 0, 1, 2, switches=[TEEN]))
    assert failed(facts) == [(1, True), (2, True)]
    process, number, _ = RUNNING.unpack((tmp_path / "spool" / "run-1.running").read_bytes())
    assert process != os.getpid()
    assert number == 2


def test_a_cold_job_runs_its_tests_in_the_order_that_it_gives(work: Work, tmp_path: Path) -> None:
    names = [f"test_shop.py::test_{letter}" for letter in "cab"]
    tests = "".join(f"def test_{letter}():\n    assert 0\n" for letter in "abc")
    facts = work(a_cold_run(tmp_path, sorted(names), names, 2, 0, 1), tests)
    assert failed(facts) == [(2, False), (0, True), (1, True)]
    assert [one["test"] for one in facts["failures"]] == [2, 0, 1]


def test_tests_that_exist_only_with_the_mutant_on_go_with_the_first_of_their_function(
    work: Work, tmp_path: Path
) -> None:
    tests = (
        "import pytest\n@pytest.mark.parametrize('x', [3, 5, 4])\ndef test_x(x):\n    raise ValueError(x)\n"
        "def test_new():\n    assert 0\n"
    )
    known = ["test_shop.py::test_x[3]", "test_shop.py::test_x[4]", "test_shop.py::test_x[1]"]
    facts = work(a_cold_run(tmp_path, known, known[1:], 1, 2), tests)
    # [4] is asked for, [5] is new, [3] is known and not asked for
    assert [(one["test"], one["message"]) for one in facts["failures"]] == [(1, "5"), (1, "4")]


def test_code_that_does_not_load_is_told(work: Work, tmp_path: Path) -> None:
    facts = work(a_cold_run(tmp_path, [], ["test_shop.py::test_a"], 0), "import nothing_of_that_name\n")
    assert (facts["failures"], facts["ran"]) == ([], 0)
    assert "nothing_of_that_name" in facts["load_error"]["message"]


@pytest.mark.parametrize(("switches", "exit_code"), [([], None), ([ADULT], FAULT_OF_A_MUTANT)])
def test_a_fault_of_the_worker_is_told_unless_a_mutant_may_have_made_it(
    work: Work, switches: Any, exit_code: int | None
) -> None:
    told = work(a_run(7, switches=switches))  # there is no test of that number
    assert told == exit_code if switches else "IndexError" in told["fault"]


WRITES = """
import subprocess
from pathlib import Path

def test_by_python():
    Path("new").write_text("")

def test_by_another_program():
    subprocess.run(["sh", "-c", "echo > newer"], check=True)
"""


@pytest.mark.parametrize(
    ("guard", "programs", "blocked"),
    [("off", [], []), ("audit", [], [0, 1]), ("audit", ["echo"], [0]), ("kernel", ["echo"], [0, 1])],
)
def test_a_mutated_run_writes_nowhere_that_the_unmutated_one_did_not(
    work: Work, guard: str, programs: list[str], blocked: list[int]
) -> None:
    facts = work(a_run(0, 1, guard=guard, trail={"programs": programs}), WRITES)
    # where fencepost judges itself, the guard around this one writes its log, which this one does not like
    failures = [one for one in facts["failures"] if "guard-observe" not in one["message"]]
    assert sorted({one["test"] for one in failures}) == blocked
    if blocked:
        assert facts["failures"][0] | {"message": ""} == {
            "exception": "Blocked", "message": "", "phase": "call", "raised_by": "", "test": 0, "preceded": False,
        }  # fmt: skip
        assert facts["failures"][0]["message"] == "it tried to make new"


def test_what_the_unmutated_run_wrote_may_be_written(work: Work, tmp_path: Path) -> None:
    trail = {"grown": [str(tmp_path / "project")]}
    assert work(a_run(0, guard="audit", trail=trail), WRITES)["failures"] == []


LIMITED = "import resource\ndef test_it():\n    raise ValueError(resource.getrlimit(resource.RLIMIT_AS)[0])\n"


@pytest.mark.parametrize(
    ("most", "memory", "expected"),
    [
        (resource.RLIM_INFINITY, 8 * GIGABYTE, 8 * GIGABYTE),
        (16 * GIGABYTE, 8 * GIGABYTE, 8 * GIGABYTE),
        (8 * GIGABYTE, 16 * GIGABYTE, 8 * GIGABYTE),
    ],
)
def test_a_mutated_run_has_no_more_memory_than_it_is_given_and_may_have(
    work: Work, most: int, memory: int, expected: int
) -> None:
    def limit() -> None:
        if most != resource.RLIM_INFINITY:
            resource.setrlimit(resource.RLIMIT_AS, (most, most))

    facts = work(a_run(0, memory=memory), LIMITED, before=limit)
    assert facts["failures"][0]["message"] == str(expected)


@pytest.mark.parametrize("tests", [TESTS_A_TICK - 1, TESTS_A_TICK, TESTS_A_TICK + 1, 2 * TESTS_A_TICK])
def test_an_observing_worker_counts_its_tests_by_the_tick(work: Work, tmp_path: Path, tests: int) -> None:
    text = "".join(f"def test_{number}():\n    pass\n" for number in range(tests))
    facts = work({"kind": "observe", "id": "observe-0", "first": 0, "last": tests, "by": ""}, text)
    (group,) = facts["groups"]
    assert len(group["tests"]) == tests
    assert (tmp_path / "spool" / "observe-0.count").stat().st_size == tests // TESTS_A_TICK * TESTS_A_TICK


def test_an_observing_worker_tells_which_tests_reach_and_infect_what(work: Work) -> None:
    facts = work({"kind": "observe", "id": "observe-0", "first": 0, "last": 3, "by": ""})
    (group,) = facts["groups"]
    assert [list(tests) for tests in group["reached"].values()] == [[0, 1]]
    assert {bit: list(tests) for bit, tests in group["infected"][0].items()} == {0: [0], 1: [1], 2: [0]}
    assert facts["memory"] > 0


def test_a_collecting_worker_tells_what_loading_the_code_evaluates(work: Work) -> None:
    facts = work({"kind": "collect", "id": "collect"})
    assert facts["tests"] == [f"test_shop.py::test_{name}" for name in ("at", "below", "limits")]
    assert (facts["error"], facts["loaded"], facts["at_import"]) == (None, ["shop.py"], {0: 0b111, 1: 1})


def deadline_of(path: Path) -> tuple[int, float]:
    """The number that a clock shows, and the seconds until its limit."""
    _, number, deadline = RUNNING.unpack(path.read_bytes())
    return number, deadline - time.monotonic()


def test_a_clock_gives_slow_tests_their_own_limit_and_the_first_one_more(tmp_path: Path) -> None:
    clock = Clock(str(tmp_path / "clock"), a_run(0, limit=100.0, slow={"2": 300.0}, start_seconds=50.0))
    clock.numbers = {0: 5, 1: 2, 2: 7}
    told = []
    for place in range(3):
        clock.begin(place)
        told.append(deadline_of(tmp_path / "clock"))
    assert [number for number, _ in told] == [5, 2, 7]
    assert [left for _, left in told] == pytest.approx([150.0, 300.0, 100.0], abs=5)


def test_a_clock_times_loading_as_no_test(tmp_path: Path) -> None:
    clock = Clock(str(tmp_path / "clock"), a_run(0, load_limit=70.0))
    clock.begin_loading()
    number, left = deadline_of(tmp_path / "clock")
    assert number == LOADING
    assert left == pytest.approx(70.0, abs=5)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")
def test_the_memory_of_a_process_is_told_in_bytes() -> None:
    assert 10 * (1 << 20) < _most_memory() < 1 << 50
    assert not _most_memory() % 1024
