"""The program of the engine: keeps mutmut's runners busy but not more, hands jobs to the worker and answers on."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty
from types import SimpleNamespace
from typing import Any

import mutmut.configuration as mutmut_configuration
import pytest

from fencepost.analyzer.engine import Engine
from fencepost.analyzer.guard import Trail
from fencepost.analyzer.mutmut_driver import _configure_mutmut, _Engine, _patient_runner, _suite_runner

SETTINGS = {"jobs": 2, "spool": "/nowhere", "temporary": "/nowhere"}


class Runner:
    """Takes jobs as mutmut's runner does, and ends none before it is told to."""

    def __init__(self) -> None:
        self.jobs: list[tuple[Any, ...]] = []
        self.results: list[Any] = []

    def pending_count(self) -> int:
        """How many jobs are under way."""
        return len(self.jobs)

    def submit(self, *job: Any) -> None:
        """Take a job."""
        self.jobs.append(job)

    def wait_for_result(self, timeout: float) -> Any:
        """The next result."""
        if not self.results:
            raise Empty(timeout)
        return self.results.pop(0)


@pytest.fixture(name="configured")
def _configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives mutmut our configuration for the time of one test."""
    monkeypatch.setattr(mutmut_configuration, "_config", None)
    _configure_mutmut(str(tmp_path))


@pytest.fixture(name="program")
def _program(configured: None) -> Iterator[tuple[_Engine, int]]:  # noqa: ARG001 - has to be there
    """The engine inside its program, and where its answers can be read."""
    heard, answers = os.pipe()
    engine = _Engine(SETTINGS, -1, answers)
    yield engine, heard
    engine.answers.close()
    os.close(heard)


def a_job(number: int, **details: Any) -> dict[str, Any]:
    return {"id": f"run-{number}", "seconds": 2.5, "cpu_seconds": 5, **details}


@pytest.mark.parametrize(("given", "taken"), [(3, 3), (4, 4), (5, 4), (9, 4)])
def test_two_jobs_more_than_can_run_are_handed_over(program: tuple[_Engine, int], given: int, taken: int) -> None:
    engine, _ = program
    engine.runners[False] = runner = Runner()
    jobs = [a_job(number) for number in range(given)]
    engine.waiting.extend(jobs)
    engine._submit()
    assert runner.jobs == [(one["id"], [json.dumps(one)], 5, 2.5) for one in jobs[:taken]]
    assert list(engine.waiting) == jobs[taken:]


def test_cold_jobs_go_to_a_runner_of_their_own(program: tuple[_Engine, int]) -> None:
    engine, _ = program
    engine.runners = {False: Runner(), True: Runner()}
    engine.waiting.extend([a_job(0), a_job(1, cold=True), a_job(2, cold=False)])
    engine._submit()
    assert [[name for name, *_ in engine.runners[cold].jobs] for cold in (False, True)] == [
        ["run-0", "run-2"],
        ["run-1"],
    ]


def test_a_result_is_answered_as_one_line(program: tuple[_Engine, int]) -> None:
    engine, heard = program
    runner = Runner()
    engine._forward(runner)  # nothing yet
    runner.results.append(SimpleNamespace(mutant_name="run-1", exit_code=-11))
    engine._forward(runner)
    assert os.read(heard, 1000) == b'{"id": "run-1", "exit_code": -11}\n'


@pytest.mark.parametrize("switch_of_mutmut", [None, "shop.x_adult__mutmut_1"])
@pytest.mark.usefixtures("configured")
def test_the_tests_do_not_see_the_switch_of_mutmut(
    monkeypatch: pytest.MonkeyPatch, switch_of_mutmut: str | None
) -> None:
    if switch_of_mutmut is None:
        monkeypatch.delenv("MUTANT_UNDER_TEST", raising=False)
    else:
        monkeypatch.setenv("MUTANT_UNDER_TEST", switch_of_mutmut)
    runner = _suite_runner()({}, cold=False)
    told: list[tuple[Any, bool]] = []
    runner.worker = SimpleNamespace(work=lambda job: told.append((job, "MUTANT_UNDER_TEST" in os.environ)))
    assert runner.run_tests(mutant_name="run-1", tests=['{"id": "run-1"}']) == 0
    assert told == [({"id": "run-1"}, False)]


@pytest.mark.parametrize(("block", "left"), [(False, b""), (True, b"..")])
def test_the_fork_server_empties_the_pipe_that_wakes_it(*, block: bool, left: bytes) -> None:
    reaped: list[tuple[Any, ...]] = []

    class Server:
        def _reap_children(self, *arguments: Any) -> None:
            reaped.append(arguments)

    woken, waking = os.pipe()
    os.set_blocking(woken, False)
    os.write(waking, b"..")
    _patient_runner(Server)()._reap_children({}, 7, None, woken, block)
    os.close(waking)
    assert reaped == [({}, 7, None, woken, block, None)]
    assert os.read(woken, 10) == left
    os.close(woken)


@pytest.fixture(name="start")
def _start(tmp_path: Path) -> Callable[[], Engine]:
    """Starts the real program on a small project."""

    def start() -> Engine:
        (tmp_path / ".fencepost").mkdir()
        (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
        text = "import os\ndef test_a():\n    pass\ndef test_b():\n    os._exit(7)\n"
        (tmp_path / "test_it.py").write_text(text, encoding="utf-8")
        plan = {"root": str(tmp_path), "files": {}, "anchors": 0, "probes": 0, "token": "abc"}
        return Engine(tmp_path, tmp_path / ".fencepost", plan, pytest_args=[], jobs=1, pytest_in_scope=False)

    return start


def test_the_program_collects_and_runs_until_the_command_goes(start: Callable[[], Engine], tmp_path: Path) -> None:
    with start() as engine:
        engine.submit(a_job(0, kind="collect", seconds=60.0, cpu_seconds=60))
        collected = engine.wait()
        assert collected.facts is not None
        assert collected.facts["tests"] == ["test_it.py::test_a", "test_it.py::test_b"]
        engine.allow(Trail({"files": [str(tmp_path / "pytest.ini")]}).told())
        run = a_job(
            1, kind="run", seconds=60.0, cpu_seconds=60, numbers=[0, 1], switches=[], stop_at_first=True, limit=30.0,
            slow={}, start_seconds=0.5, load_limit=30.0, guard="audit", memory=0,
        )  # fmt: skip
        engine.submit(run)
        died = engine.wait()
        assert (died.exit_code, died.facts, died.running) == (7, None, 1)
        (tmp_path / "pytest.ini").write_text("changed", encoding="utf-8")
        os.close(engine._commands)  # as where the command is killed
        engine.process.wait(timeout=30)
        assert (tmp_path / "pytest.ini").read_text(encoding="utf-8") == "[pytest]\n"
        engine._commands = os.open(os.devnull, os.O_RDONLY)
    assert engine.process.returncode == 0
    assert list((tmp_path / ".fencepost").iterdir()) == []
    assert not engine.temporary.exists()
