"""The command's side of the engine: jobs go out, answers and facts come in, what hangs is ended, nothing is left."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fencepost.analyzer import engine as engine_module
from fencepost.analyzer.engine import Ended, Engine
from fencepost.analyzer.errors import RunnerLost
from fencepost.analyzer.guard import Log
from fencepost.analyzer.worker import LOADING, RUNNING

PYTHON = sys.executable
PROGRAM = """#!{python} -I
# stands in for the program of the engine: a job says what is answered to it
import json, sys, time
commands, answers = (int(number) for number in sys.argv[4:6])
with open(commands) as jobs, open(answers, "w") as out:
    times = {{}}
    for line in jobs:
        job = json.loads(line)
        turn = times[job["id"]] = times.get(job["id"], 0) + 1
        time.sleep(job.get("after", 0))
        if "last_words" in job:
            print(job["last_words"], end="", file=sys.stderr, flush=True)
            sys.exit(1)
        codes = job.get("exit_codes", [job.get("exit_code", 0)])
        print(json.dumps({{"id": job["id"], "exit_code": codes[(turn - 1) % len(codes)]}}), file=out, flush=True)
"""
Start = Callable[[], Engine]
NOBODY = (1 << 22) - 1  # a process that is not there


@pytest.fixture(name="engine")
def _engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """An engine with a program that answers at once."""
    program = tmp_path / "program"
    program.write_text(PROGRAM.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    store = tmp_path / ".fencepost"
    store.mkdir()
    with Engine(tmp_path, store, {"files": {}}, pytest_args=["-x"], jobs=2, pytest_in_scope=False) as engine:
        yield engine


def a_job(job_id: str = "run-1", **details: Any) -> dict[str, Any]:
    return {"id": job_id, "kind": "run", **details}


def ended(engine: Engine, job: dict[str, Any]) -> Ended:
    engine.submit(job)
    return engine.wait()


def leave_facts(engine: Engine, facts: Any) -> Path:
    path = engine.folder / "run-1.pickle"
    path.write_bytes(pickle.dumps(facts))
    return path


def leave_running(engine: Engine, number: int, *, process: int = NOBODY, deadline: float = 1e12) -> Path:
    path = engine.folder / "run-1.running"
    path.write_bytes(RUNNING.pack(process, number, deadline))
    return path


def test_the_facts_of_a_job_come_with_its_end_and_are_taken_away(engine: Engine) -> None:
    path = leave_facts(engine, {"ran": 3})
    job = a_job()
    assert ended(engine, job) == Ended(job, 0, {"ran": 3}, None, over_limit=False)
    assert not path.exists()


def test_a_worker_that_left_no_facts_has_none(engine: Engine) -> None:
    job = a_job(exit_code=-11)
    assert ended(engine, job) == Ended(job, -11, None, None, over_limit=False)


@pytest.mark.parametrize(("number", "expected"), [(0, 0), (1, 1), (7, 7), (LOADING, None)])
def test_the_test_that_a_worker_was_at_is_told_unless_it_was_loading(
    engine: Engine, number: int, expected: int | None
) -> None:
    path = leave_running(engine, number)
    assert ended(engine, a_job()).running == expected
    assert not path.exists()


def test_a_worker_that_had_not_begun_was_at_no_test(engine: Engine) -> None:
    (engine.folder / "run-1.running").write_bytes(b"")
    assert ended(engine, a_job()).running is None


def test_jobs_are_told_of_as_they_end(engine: Engine) -> None:
    jobs = [a_job(f"run-{number}", exit_code=number) for number in range(3)]
    assert [(one.job["id"], one.exit_code) for one in engine.run(jobs)] == [("run-0", 0), ("run-1", 1), ("run-2", 2)]


def test_somebody_is_told_while_nothing_ends(engine: Engine) -> None:
    told: list[str] = []
    engine.submit(a_job(after=0.5))
    engine.wait(lambda: told.append("idle"))
    assert told


@pytest.fixture(name="hanging")
def _hanging() -> Iterator[subprocess.Popen[bytes]]:
    """A process that would run for a minute, with a group of its own as a worker has."""
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as process:
        yield process
        process.kill()


@pytest.mark.parametrize(("deadline", "over"), [(99.5, True), (100.0, False), (100.5, False)])
def test_a_worker_is_ended_once_its_test_is_over_its_limit(
    engine: Engine, hanging: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, deadline: float, *, over: bool
) -> None:
    monkeypatch.setattr(engine_module, "time", types.SimpleNamespace(monotonic=lambda: 100.0))
    leave_running(engine, 4, process=hanging.pid, deadline=deadline)
    one = ended(engine, a_job(exit_code=-9 if over else -15))
    assert (one.over_limit, one.running) == (over, 4)
    assert hanging.wait() == -9  # at the latest with the job: a worker leaves nothing running


def test_a_worker_that_has_gone_already_is_over_its_limit_all_the_same(engine: Engine) -> None:
    process = subprocess.Popen(["true"], start_new_session=True)
    process.wait()
    leave_running(engine, 4, process=process.pid, deadline=0.0)
    assert ended(engine, a_job()).over_limit
    assert not ended(engine, a_job()).over_limit, "the next job of that id starts anew"


@pytest.mark.parametrize(("later", "looks"), [(0.1, False), (0.25, True), (0.3, True)])
def test_limits_are_looked_at_now_and_then(
    engine: Engine, hanging: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, later: float, *, looks: bool
) -> None:
    now = 100.0
    monkeypatch.setattr(engine_module, "time", types.SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(engine_module, "IDLE_SECONDS", 0.25)
    ended(engine, a_job())  # looks, and will not look again for a quarter of a second
    now += later
    leave_running(engine, 4, process=hanging.pid, deadline=0.0)
    assert ended(engine, a_job()).over_limit is looks


def test_a_fault_of_a_worker_is_none_of_the_project(engine: Engine) -> None:
    leave_facts(engine, {"fault": "\nTraceback\nValueError: no\n"})
    engine.submit(a_job())
    with pytest.raises(RunnerLost) as caught:
        engine.wait()
    assert str(caught.value) == "a worker failed at its own work: Traceback\nValueError: no"
    assert caught.value.slug == "worker-fault"


@pytest.mark.parametrize(
    ("words", "crash", "expected"),
    [
        ("", None, "1 jobs open"),
        ("  out of memory \n", None, "1 jobs open: out of memory"),
        ("a warning", " \nthe server crashed\n", "1 jobs open: the server crashed"),
        ("x" * 1000, None, f"1 jobs open: {'x' * 600}"),
    ],
)
def test_an_engine_that_ends_is_told_with_its_last_words(
    engine: Engine, words: str, crash: str | None, expected: str
) -> None:
    if crash is not None:
        (engine.folder / ".forkserver-crash.log").write_text(crash, encoding="utf-8")
    engine.submit(a_job(last_words=words))
    with pytest.raises(RunnerLost) as caught:
        engine.wait()
    assert str(caught.value) == f"the process that runs the tests ended with {expected}"
    assert caught.value.slug == "runner-lost"
    engine.submit(a_job("run-2"))  # nobody is there to take it, and that is no error of its own


def test_of_an_engine_that_is_killed_the_signal_is_told(engine: Engine) -> None:
    (engine.folder / ".forkserver-crash.log").write_text("BrokenPipeError", encoding="utf-8")
    engine.process.kill()
    engine.submit(a_job())
    with pytest.raises(RunnerLost, match="ended with 1 jobs open: killed by SIGKILL"):
        engine.wait()


def test_the_engine_is_started_with_what_it_needs_to_know(engine: Engine) -> None:
    settings = json.loads((engine.folder / "settings.json").read_text(encoding="utf-8"))
    assert (settings["pytest_args"], settings["jobs"], settings["pytest_in_scope"]) == (["-x"], 2, False)
    assert json.loads(Path(settings["plan"]).read_text(encoding="utf-8")) == {"files": {}}
    assert settings["spool"] == str(engine.folder)
    assert Path(settings["temporary"], "shared").is_dir()


def test_workers_find_what_all_of_them_need_to_know(engine: Engine) -> None:
    engine.know_tests(("test_a", "test_b"))
    engine.allow({"files": ["/tmp/x"]})  # noqa: S108 - a name and no file
    assert json.loads((engine.folder / "tests.json").read_text(encoding="utf-8")) == ["test_a", "test_b"]
    assert json.loads((engine.folder / "trail.json").read_text(encoding="utf-8")) == {"files": ["/tmp/x"]}  # noqa: S108


def test_the_tests_that_are_done_are_counted_over_all_jobs(engine: Engine) -> None:
    assert engine.tests_done() == 0
    for name, count in (("a", 20), ("b", 40)):
        (engine.folder / f"{name}.count").write_bytes(b"." * count)
    assert engine.tests_done() == 60


ALONE = """
import os

def test_passes():
    pass

def test_fails():
    assert 0

def test_dies():
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(("name", "passes"), [("passes", True), ("fails", False), ("dies", False)])
def test_a_plain_run_of_pytest_tells_whether_a_test_passes(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, name: str, *, passes: bool
) -> None:
    monkeypatch.setattr(sys, "executable", PYTHON)
    (engine.root / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (engine.root / "test_alone.py").write_text(ALONE, encoding="utf-8")
    assert engine.passes_in_pytest_alone(f"test_alone.py::test_{name}") is passes


def test_a_plain_run_of_pytest_that_takes_too_long_passes_nothing(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", PYTHON)
    monkeypatch.setattr(engine_module, "PLAIN_RUN_SECONDS", 0.0)
    assert not engine.passes_in_pytest_alone("test_alone.py")


@pytest.mark.parametrize(
    ("exit_codes", "told"), [([-9, 0], [0, 0]), ([-9, -9, -9, 0], [-9, 0]), ([-15, 0], [-15, 0]), ([1, -9, 2], [1, 2])]
)
def test_a_job_whose_worker_somebody_kills_is_done_once_more(
    engine: Engine, exit_codes: list[int], told: list[int]
) -> None:
    job = a_job(exit_codes=exit_codes)
    assert [ended(engine, job).exit_code for _ in told] == told


def test_facts_that_were_not_told_to_the_end_are_none(engine: Engine) -> None:
    path = leave_facts(engine, {"ran": 1})
    for length in range(len(path.read_bytes())):
        leave_facts(engine, {"ran": 1})
        path.write_bytes(path.read_bytes()[:length])
        assert ended(engine, a_job()).facts is None
        assert not path.exists()


def test_an_engine_that_is_left_leaves_nothing_behind(tmp_path: Path, engine: Engine) -> None:
    assert list((tmp_path / ".fencepost").iterdir()) == [engine.folder]
    with engine:
        pass
    assert (engine.process.returncode, list((tmp_path / ".fencepost").iterdir())) == (0, [])
    assert not engine.temporary.exists()
    engine._commands, engine._answers = os.pipe()  # what the fixture leaves once more


@pytest.mark.parametrize(
    ("kind", "facts", "found"),
    [
        ("run", {"ran": 1}, ("as it was", "changed")),  # others may write beside the project too
        ("run", None, ("as it was", "as it was")),
        ("observe", None, ("changed", "changed")),
    ],
)
def test_what_stood_in_the_project_is_put_back_after_a_mutated_run(
    engine: Engine, tmp_path: Path, kind: str, facts: Any, found: tuple[str, str]
) -> None:
    if facts is not None:
        leave_facts(engine, facts)
    inside, outside = tmp_path / "file", tmp_path.parent / f"{tmp_path.name}-file"
    for path in (inside, outside):
        path.write_text("as it was", encoding="utf-8")
    engine.allow({"files": [str(inside), str(outside), str(tmp_path / "__pycache__" / "new")]})
    (tmp_path / "__pycache__").mkdir()
    for path in (inside, outside, tmp_path / "__pycache__" / "new"):
        path.write_text("changed", encoding="utf-8")
    ended(engine, a_job(kind=kind))
    assert (inside.read_text(encoding="utf-8"), outside.read_text(encoding="utf-8")) == found
    assert (tmp_path / "__pycache__" / "new").exists()


def test_what_a_run_left_undone_is_undone_when_the_engine_stops(engine: Engine, tmp_path: Path) -> None:
    store = engine.folder.parent
    (tmp_path / "made").touch()
    with Engine(tmp_path, store, {"files": {}}, pytest_args=[], jobs=1, pytest_in_scope=False) as other:
        Log(str(other.folder / "guard-run-9.log")).write("made", ("make", str(tmp_path / "made")))
        assert (tmp_path / "made").exists()
    assert not (tmp_path / "made").exists()
