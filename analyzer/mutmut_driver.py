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
import pickle
import select
import shutil
import signal
import struct
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from queue import Empty
from typing import Any

import mutmut.configuration as mutmut_configuration

TESTS_A_TICK = 20
TESTS_FILE = "tests.json"
LOADING = -1
RUNNING = struct.Struct("=qqd")  # process, number of the test, the monotonic time at which it is over its limit

CONTRACT = (
    "mutmut.configuration.Config", "mutmut.configuration.ProcessIsolation", "mutmut.configuration._config",
    "mutmut.workers.isolation.ForkServerRunner", "mutmut.workers.isolation.ForkServerCrashError",
    "mutmut.runners.harness.TestRunner",
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
            self.worker = _Worker(self.settings)
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


class _Worker:
    """Does one job in a fork, and leaves the facts in the spool."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        from fencepost.analyzer.children import Household, forget_our_imports
        from fencepost.analyzer.session import PytestSession
        from fencepost.analyzer.weave import Woven, install

        with open(settings["plan"], encoding="utf-8") as file:
            document = json.load(file)
        self.woven = Woven(document)
        install(self.woven)
        self.household = Household(settings["spool"], settings["plan"], document)
        self.settings = settings
        self.spool: str = settings["spool"]
        self.session = PytestSession(settings["pytest_args"], settings["cache"], self.woven)
        forget_our_imports()

    def work(self, job: Mapping[str, Any]) -> None:
        """Do a job; what goes wrong in it, other than a test that fails, is told as a fault and never as a result."""
        started = time.perf_counter()
        os.setpgid(0, 0)  # so that it can be ended with all that its tests start
        _usual_signals()
        self.session.own_temporary_folder(os.path.join(self.settings["temporary"], str(os.getpid())))
        try:
            facts = getattr(self, f"_{job['kind']}")(job)
        except Exception:  # noqa: BLE001 - every fault has to be told
            facts = {"fault": traceback.format_exc()}
        facts["seconds"] = time.perf_counter() - started
        target = os.path.join(self.spool, f"{job['id']}.pickle")
        with open(f"{target}.part", "wb") as file:
            pickle.dump(facts, file)
        os.replace(f"{target}.part", target)  # a reader finds the whole of it or nothing

    def _collect(self, _: Mapping[str, Any]) -> dict[str, Any]:
        recorder = self.woven.recorder
        return {
            "tests": [item.nodeid for item in self.session.items],
            "error": self.session.error,
            "threads": self.session.threads,
            "dropped_options": self.session.dropped_options,
            "unwoven": self.woven.unwoven,
            "strangers": self.woven.strangers,
            "loaded": self.woven.loaded,
            "at_import": {probe: sight.mask for probe, sight in recorder.at_import.items()},
            "startup": {probe: sight.mask for probe, sight in recorder.startup.items()},
            "collecting": {
                file: masks
                for file, context in recorder.collecting.items()
                if (masks := {probe: sight.mask for probe, sight in context.items() if sight.mask})
            },
        }

    def _observe(self, job: Mapping[str, Any]) -> dict[str, Any]:
        if job.get("cold"):
            self.session.collect()
        tests = []
        self.household.observe(self.woven.recorder)
        with open(os.path.join(self.spool, f"{job['id']}.count"), "wb", buffering=0) as count:
            for test in self.session.observe(job["first"], job["last"], self.household.told):
                tests.append(test)
                if len(tests) % TESTS_A_TICK == 0:
                    count.write(b"." * TESTS_A_TICK)  # its size is what the command shows as progress
        recorder = self.woven.recorder
        return {
            "tests": tests,
            "reached": {probe: tests for probe, tests in enumerate(recorder.reached) if tests},
            "infected": {probe: by_bit for probe, by_bit in enumerate(recorder.infected) if by_bit},
            "nearest": {probe: sides for probe, sides in enumerate(recorder.nearest) if sides},
            "samples": {probe: samples for probe, samples in enumerate(recorder.samples) if samples},
            "parsed": recorder.parsed,
            "numeric": recorder.numeric,
            "doubted": {probe: mask for probe, mask in enumerate(recorder.doubted) if mask},
            "classes": {probe: classes for probe, classes in enumerate(recorder.classes) if classes is not None},
            "unwoven": {**self.woven.unwoven, **self.household.unwoven()},
            "strangers": self.woven.strangers,
            "loaded": self.woven.loaded,
        }

    def _run(self, job: Mapping[str, Any]) -> dict[str, Any]:
        self.woven.switchboard.activate([tuple(switch) for switch in job["switches"]])
        self.household.run(job["switches"])
        clock = _Clock(os.path.join(self.spool, f"{job['id']}.running"), job)
        if job.get("cold"):
            clock.begin_loading()
            self.session.collect(job["only"])
            if self.session.error is not None:
                return {"failures": [], "ran": 0, "load_error": self.session.error}
        ran = 0
        failures: list[dict[str, Any]] = []
        places = self._places(job)
        clock.numbers = places
        isolated = job.get("isolated", False)
        run = self._isolated if isolated else self.session.run
        for place, failed in run(list(places), clock.begin, stop_at_first=job["stop_at_first"]):
            ran += 1
            preceded = ran > 1 and not isolated
            failures += [{**failure, "test": places[place], "preceded": preceded} for failure in failed]
        return {"failures": failures, "ran": ran, "load_error": None}

    def _isolated(
        self, places: Sequence[int], begin: Callable[[int], None], *, stop_at_first: bool
    ) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """Run items each in a fork of its own, so that none precedes another in the process that loaded the mutant."""
        for place in places:
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                end_with_parent()
                failures = next(iter(self.session.run([place], begin, stop_at_first=True)))[1]
                with os.fdopen(writing, "wb") as out:
                    pickle.dump(failures, out)
                os._exit(0)
            os.close(writing)
            with os.fdopen(reading, "rb") as told:
                data = told.read()
            _, status = os.waitpid(child, 0)
            died = {"exception": "", "phase": "call", "raised_by": ""}
            how = f"the process that ran the test ended with exit code {os.waitstatus_to_exitcode(status)}"
            failures = pickle.loads(data) if data else [{**died, "message": how}]  # noqa: S301 - written by our own fork
            yield place, failures
            if failures and stop_at_first:
                return

    def _places(self, job: Mapping[str, Any]) -> dict[int, int]:
        """Where the tests of a job stand in this session, with their numbers in the whole suite.

        A cold session collected less than the whole suite, and is asked by name. Tests that only exist with the mutant
        on (other parameters) go with their function.
        """
        if not job.get("cold"):
            return {number: number for number in job["numbers"]}
        with open(os.path.join(self.spool, TESTS_FILE), encoding="utf-8") as file:
            known = frozenset(json.load(file))
        numbers = dict(zip(job["names"], job["numbers"], strict=True))
        functions = {name.partition("[")[0]: number for name, number in reversed(numbers.items())}
        places: dict[int, int] = {}
        for place, item in enumerate(self.session.items):
            function = item.nodeid.partition("[")[0]
            if item.nodeid in numbers:
                places[place] = numbers[item.nodeid]
            elif item.nodeid not in known and function in functions:
                places[place] = functions[function]
        order = {number: turn for turn, number in enumerate(job["numbers"])}
        return dict(sorted(places.items(), key=lambda item: (order[item[1]], item[0])))


class _Clock:
    """Tells the command which test is running and when it is over its limit; the command ends it then.

    The command does it and nothing in here: a timer or a thread of ours would be seen by the tests.
    """

    def __init__(self, path: str, job: Mapping[str, Any]) -> None:
        self.descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        self.pid = os.getpid()
        self.limit: float = job["limit"]
        self.slow: Mapping[str, float] = job["slow"]
        self.numbers: Mapping[int, int] = {}
        self.extra: float = job["start_seconds"]
        self.load_limit: float = job["load_limit"]

    def begin_loading(self) -> None:
        """Start the time of loading everything anew."""
        self._write(LOADING, self.load_limit)

    def begin(self, place: int) -> None:
        """Start the time of one test."""
        number = self.numbers[place]
        self._write(number, self.slow.get(str(number), self.limit) + self.extra)
        self.extra = 0.0

    def _write(self, number: int, limit: float) -> None:
        os.pwrite(self.descriptor, RUNNING.pack(self.pid, number, time.monotonic() + limit), 0)


def _usual_signals() -> None:
    """Give the tests the signal handlers of a fresh interpreter; the fork server had its own."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)


def end_with_parent() -> None:
    """Have the kernel end this process when its parent ends (Linux; elsewhere the CPU limit has to)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL


class _Engine:
    """Takes jobs from the command, keeps mutmut's runners busy, and hands back results as they come."""

    def __init__(self, settings: Mapping[str, Any], commands: int, answers: int) -> None:
        from mutmut.workers.isolation import ForkServerCrashError, ForkServerRunner

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
                os.killpg(RUNNING.unpack(file.read())[0], signal.SIGKILL)
        # the command does this too, but it may have been killed
        for folder in (self.settings["temporary"], self.settings["spool"]):
            shutil.rmtree(folder, ignore_errors=True)
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
    settings_path, commands, answers = sys.argv[1:4]
    with open(settings_path, encoding="utf-8") as file:
        settings = json.load(file)
    sys.argv = [settings["argv0"], *settings["pytest_args"]]
    sys.path[0] = settings["root"]
    sys.dont_write_bytecode = True
    if settings["hash_seed_is_ours"]:
        del os.environ["PYTHONHASHSEED"]  # it has done its work on this process; the children of tests get none
    _configure_mutmut(settings["spool"])
    _Engine(settings, int(commands), int(answers)).serve()


if __name__ == "__main__":
    main()
