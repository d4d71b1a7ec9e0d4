"""The one file that knows mutmut: its fork server runs our jobs over a session that pytest collected once.

This module is the main program of the *engine*, a process that the command starts and talks to over two pipes, a JSON
object a line. It imports nothing but the standard library, mutmut's runner (which brings nothing else along) and the
parts of fencepost that live in the processes under test: whatever it held would be there for the tests to see.

    engine ── forks ──> fork server (collects once) ── forks ──> one worker a job

`warm` jobs run in forks of the collected session. `cold` jobs run in forks of a server that has loaded nothing of the
project: for mutants that change what loading the code computes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import glob
import json
import os
import select
import struct
import sys
from collections import deque
from collections.abc import Iterable, Mapping
from pathlib import Path
from queue import Empty
from typing import Any

import mutmut.configuration as mutmut_configuration

from fencepost.analyzer import leftovers
from fencepost.analyzer.standing import clear_up, remove_folder
from fencepost.analyzer.worker import RUNNING, Worker

CONTRACT = (
    "mutmut.configuration.Config", "mutmut.configuration.ProcessIsolation", "mutmut.configuration._config",
    "mutmut.workers.isolation.ForkServerRunner", "mutmut.workers.isolation.ForkServerCrashError",
    "mutmut.workers.isolation.resource", "mutmut.runners.harness.TestRunner",
)  # fmt: skip
"""Every name of mutmut that this file uses; a test looks each of them up."""


def _configure_mutmut(folder: str) -> None:
    """Give mutmut the configuration it would otherwise read from the project (and fail without one)."""
    fields: dict[str, Any] = {field.name: None for field in dataclasses.fields(mutmut_configuration.Config)}
    fields.update(
        debug=False, log_to_file=False, log_file_path=os.path.join(folder, "mutmut.log"),
        process_isolation=mutmut_configuration.ProcessIsolation.FORKSERVER,
        timeout_constant=1.0, timeout_multiplier=5.0, max_forkserver_restarts=1, use_setproctitle=False,
    )  # fmt: skip
    mutmut_configuration._config = mutmut_configuration.Config(**fields)  # noqa: SLF001 - there is no public way in


def _suite_runner() -> type[Any]:
    """Our `TestRunner`, made once mutmut is configured: its modules read the configuration when they are imported."""
    from mutmut.runners.harness import TestRunner

    class SuiteRunner(TestRunner):
        """Runs jobs for mutmut's fork server: `tests` carries one job as JSON, the facts go to a file in the spool."""

        def __init__(self, settings: Mapping[str, Any], *, cold: bool) -> None:
            self.settings = settings
            self.cold = cold
            self.held: list[Any] = []

        def _hold_output(self) -> None:
            # mutmut points sys.stdout at a /dev/null that nothing else keeps; pytest's capture replaces it, and the
            # dropped file is a ResourceWarning, which fails a test where filterwarnings = error
            self.held += [sys.stdout, sys.stderr]

        def warm_up(self) -> None:
            self._hold_output()
            self.worker = Worker(self.settings)
            if not self.cold:
                self.worker.session.collect()
            elif not self.settings["pytest_in_scope"]:
                import pytest  # noqa: F401 - a cold worker then starts with it in memory

        def run_tests(self, *, mutant_name: str | None, tests: Iterable[str]) -> int:  # noqa: ARG002 - as in the base
            self._hold_output()
            os.environ.pop("MUTANT_UNDER_TEST", None)  # mutmut's own switch; the tests must not see it
            (job,) = tests
            self.worker.work(json.loads(job))
            return 0

    return SuiteRunner


def _patient_runner(runner_type: type[Any]) -> type[Any]:
    """The runner of mutmut without its busy loop.

    Its fork server is woken by a pipe that it does not empty unless all workers are busy: from the first finished
    worker on it spins, and takes a core from the tests.
    """

    class PatientRunner(runner_type):  # type: ignore[misc] # mutmut is imported late, see above
        def _reap_children(  # noqa: PLR0917 - as in the base
            self,
            running: Any,
            result_fd: int,
            log: Any,
            woken: int,
            block: bool,  # noqa: FBT001 - as in the base
            timeout: float | None = None,
        ) -> None:
            if not block:
                with contextlib.suppress(BlockingIOError):
                    while os.read(woken, 1024):
                        pass
            super()._reap_children(running, result_fd, log, woken, block, timeout)

    return PatientRunner


class _NoCpuLimit:
    """Stands in for the module `resource` of mutmut's runner, which would limit the CPU time of each worker.

    Our own clock ends what hangs. A limit would be there for the tests to see, and in the way of those that set one, as
    a run of fencepost over itself does.
    """

    RLIMIT_CPU = None

    @staticmethod
    def setrlimit(_what: Any, _limits: Any) -> None:
        """Limit nothing."""


class _Engine:
    """Takes jobs from the command, keeps mutmut's runners busy, and hands back results as they come."""

    def __init__(self, settings: Mapping[str, Any], commands: int, answers: int) -> None:
        from mutmut.workers import isolation
        from mutmut.workers.isolation import ForkServerCrashError, ForkServerRunner

        isolation.resource = _NoCpuLimit  # type: ignore[assignment,attr-defined] # a module, and not ours
        self.settings = settings
        self.commands = commands
        self.answers = os.fdopen(answers, "w", encoding="utf-8")
        self.buffer = b""
        self.waiting: deque[dict[str, Any]] = deque()
        self.runners: dict[bool, Any] = {}
        self.runner_type = _patient_runner(ForkServerRunner)
        self.suite_runner = _suite_runner()
        self.lost = ForkServerCrashError

    def serve(self) -> None:
        """Work until the command closes its pipe."""
        while True:
            self._submit()
            busy = [runner for runner in self.runners.values() if runner.pending_count()]
            sources = [*(runner.result_pipe_read for runner in busy), self.commands]
            ready, _, _ = select.select(sources, [], [], 1.0)
            for runner in busy:
                # an idle second is used to look whether the fork server is still alive
                if not ready or runner.result_pipe_read in ready:
                    self._forward(runner)
            if self.commands in ready:
                self._read()

    def _submit(self) -> None:
        while self.waiting:
            job = self.waiting[0]
            runner = self._runner(cold=bool(job.get("cold")))
            # two more than can run wait in the server's pipe, so that it need not wait for us
            if runner.pending_count() >= self.settings["jobs"] + 2:
                return
            self.waiting.popleft()
            runner.submit(job["id"], [json.dumps(job)], job["cpu_seconds"], job["seconds"])

    def _runner(self, *, cold: bool) -> Any:
        if cold not in self.runners:
            runner = self.runner_type(
                max_workers=self.settings["jobs"],
                test_runner_class=self.suite_runner,
                test_runner_args={"settings": self.settings, "cold": cold},
                max_restarts=1,
            )
            runner.startup()
            self.runners[cold] = runner
        return self.runners[cold]

    def _forward(self, runner: Any) -> None:
        try:
            result = runner.wait_for_result(timeout=0.001)
        except Empty:
            return
        except self.lost:
            self._answer({"lost": True})
            os._exit(1)
        servers = {one.forkserver_pid for one in self.runners.values()}
        leftovers.end(leftovers.left_by_ended_workers(servers, self.settings["temporary"]))
        self._answer({"id": result.mutant_name, "exit_code": result.exit_code})

    def _answer(self, answer: Mapping[str, Any]) -> None:
        with contextlib.suppress(BrokenPipeError):
            self.answers.write(json.dumps(answer) + "\n")
            self.answers.flush()

    def _stop(self) -> None:
        """The command has gone or wants no more: end everything, and leave only when it has ended."""
        for runner in self.runners.values():
            runner.stop_all_workers()
            with contextlib.suppress(ChildProcessError):
                os.waitpid(runner.forkserver_pid, 0)
        for path in glob.glob(os.path.join(self.settings["spool"], "*.running")):
            with contextlib.suppress(OSError, struct.error), open(path, "rb") as file:
                leftovers.end_group(RUNNING.unpack(file.read())[0])
        leftovers.end_orphans()
        # the command does this too, but it may have been killed
        clear_up(Path(self.settings["spool"]))
        for folder in (self.settings["temporary"], self.settings["spool"]):
            remove_folder(Path(folder))
        os._exit(0)

    def _read(self) -> None:
        data = os.read(self.commands, 1 << 20)
        if not data:
            self._stop()
        self.buffer += data
        *lines, self.buffer = self.buffer.split(b"\n")
        for line in lines:
            self.waiting.append(json.loads(line))


def main() -> None:
    """Run the engine: arguments are a settings file and the numbers of the two pipes."""
    commands, answers = int(sys.argv[2]), int(sys.argv[3])
    with open(sys.argv[1], encoding="utf-8") as file:
        settings = json.load(file)
    sys.argv = [settings["argv0"], *settings["pytest_args"]]
    sys.path[0] = settings["root"]
    sys.dont_write_bytecode = True
    if settings["hash_seed_is_ours"]:
        del os.environ["PYTHONHASHSEED"]  # it has done its work on this process; the children of tests get none
    leftovers.adopt_orphans()
    _configure_mutmut(settings["spool"])
    _Engine(settings, commands, answers).serve()


if __name__ == "__main__":
    main()
