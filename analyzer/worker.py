"""Does one job in a fork of a collected (or of an empty) session, and leaves the facts in the spool.

Runs inside the processes under test: standard library and our own parts alone. Tells facts and judges nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import resource
import signal
import struct
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from fencepost.analyzer.guard import BLOCKED, TRAIL_FILE, Effect, Guard, Log, Trail
from fencepost.analyzer.readings import TELLING, Readings
from fencepost.analyzer.remembered_calls import RememberedCalls

TESTS_A_TICK = 20
FAULT_OF_A_MUTANT = 71
UNTOLD = 119  # a worker could not write down what it saw: no room on the disk, or a mutant has shut it in
TESTS_FILE = "tests.json"
LOADING = -1
RUNNING = struct.Struct("=qqd")  # process, number of the test, the monotonic time at which it is over its limit


class Worker:
    """Does one job in a fork, and leaves the facts in the spool."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        from fencepost.analyzer.children import Household, forget_our_imports
        from fencepost.analyzer.session import PytestSession
        from fencepost.analyzer.weave import Woven, install

        self.readings = Readings()
        self.readings.install()
        with open(settings["plan"], encoding="utf-8") as file:
            document = json.load(file)
        self.woven = Woven(document)
        install(self.woven)
        self.woven.install_ear()
        self.settings = settings
        self.spool = os.path.realpath(settings["spool"])
        self.shared = os.path.join(settings["temporary"], "shared")
        self.household = Household(self.spool, settings["plan"], document)
        self.guard = Guard([self.spool, self.shared])
        self.guard.install()
        self.log: Log
        self.above = [os.getpid(), os.getppid(), settings["command"]]  # the fork server, the engine, the command
        self.session = PytestSession(settings["pytest_args"], settings["cache"], self.woven)
        forget_our_imports()

    def work(self, job: Mapping[str, Any]) -> None:
        """Do a job; what goes wrong in it, other than a test that fails, is told as a fault and never as a result."""
        started = time.perf_counter()
        os.setpgid(0, 0)  # so that it can be ended with all that its tests start
        _usual_signals()
        self._own_folder()
        target = os.path.join(self.spool, f"{job['id']}.pickle")
        self.log = Log(os.path.join(self.spool, f"guard-{job['id']}.log"))
        self.guard.kept = [self.log.path, self.log.made, target]
        self.guard.protected = {"-1", *map(str, self.above)} - {str(os.getpid())}
        self.guard.family = [os.getpid(), self.above[1]]
        try:
            facts = getattr(self, f"_{job['kind']}")(job)
        except Exception:  # noqa: BLE001 - every fault has to be told
            if job.get("switches"):
                os._exit(FAULT_OF_A_MUTANT)  # it broke pytest itself: that is noticed as a crash is
            facts = {"fault": traceback.format_exc()}
        facts["seconds"] = time.perf_counter() - started
        try:
            with open(target, "wb") as file:  # and no other name first: a mutated run may rename nothing here
                pickle.dump(facts, file)
        except OSError:
            os._exit(UNTOLD)

    def _own_folder(self) -> None:
        """Have temporary files of this fork go where no other fork can lose them."""
        folder = os.path.join(self.settings["temporary"], str(os.getpid()))
        self.guard.own += [folder, os.path.join(folder, "t")]
        os.mkdir(folder, 0o700)
        os.environ["TMPDIR"] = folder
        if "tempfile" in sys.modules:
            vars(sys.modules["tempfile"])["tempdir"] = None  # what it found for the process that this one is a fork of
        self.session.own_temporary_folder(os.path.join(folder, "t"))

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
            "trail": self.guard.trail.told(),
            "read": self.readings.with_modules(),
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
        groups: list[dict[str, Any]] = []
        begins = True
        self.household.observe(self.woven.recorder, self.guard, self.log, self.readings)
        self.readings.paths = set()  # what was read before the first test is told by `_collect`
        calls = RememberedCalls(self.settings["root"])
        with open(os.path.join(self.spool, f"{job['id']}.count"), "wb", buffering=0) as count:
            for done, test in enumerate(self._observed(job), start=1):
                key, *following = self._keys(test["number"], job)
                if begins:
                    groups.append({"key": key, "tests": []})
                groups[-1]["tests"].append(test)
                calls.note()
                begins = following != [key]
                if begins:  # before the next test runs, whose counts would be among these
                    groups[-1].update(self.woven.recorder.take(), remembers=calls.taken())
                if not done % TESTS_A_TICK:
                    count.write(b"." * TESTS_A_TICK)  # its size is what the command shows as progress
        self.woven.note_strangers()
        trail = self.guard.trail
        for effect in self.log.take("trail"):
            if effect[0] == TELLING:
                self.readings.paths.add(effect[1])
            else:
                trail.note(effect)
        return {
            "groups": groups,
            "trail": trail.told(),
            "read": self.readings.with_modules(),
            "opened": sorted(self.readings.paths),
            "keepers": calls.names(),
            "left": sorted(calls.left),
            "memory": _most_memory(),
            "unwoven": {**self.woven.unwoven, **self.household.unwoven()},
            "strangers": self.woven.strangers,
            "loaded": self.woven.loaded,
        }

    def _observed(self, job: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        household = self.household
        return self.session.observe(job["first"], job["last"], household.told, household.took_no_notice)

    def _keys(self, number: int, job: Mapping[str, Any]) -> list[str]:
        """The groups of a test and, if there is one, of the next."""
        items = self.session.items[number : min(number + 2, job["last"])]
        return [group_of(item.nodeid, job["by"]) for item in items]

    def _run(self, job: Mapping[str, Any]) -> dict[str, Any]:
        end_with_parent()  # where the fork server is killed, another worker is given the same job
        self.readings.listening = False
        self.woven.switchboard.activate([tuple(switch) for switch in job["switches"]])
        if "canary" in job:
            self.woven.raise_at(job["canary"])
        clock = Clock(os.path.join(self.spool, f"{job['id']}.running"), job)
        self._restrict(job)
        self.household.run(job, self.guard, self.log)
        if job.get("cold"):
            clock.begin_loading()
            self.session.collect(job["only"])
            if self.session.error is not None:
                return {"failures": [], "ran": 0, "load_error": self.session.error}
        places = self._places(job)
        clock.numbers = places
        # threads that loading started are in no fork
        sheltered = bool(job.get("cold")) and job["stop_at_first"] and not self.session.threads
        run = self._sheltered if sheltered else self.session.run
        ran = 0
        failures: list[dict[str, Any]] = []
        for place, failed in run(list(places), clock.begin, self._blocked, stop_at_first=job["stop_at_first"]):
            ran += 1
            alone: list[dict[str, Any]] = []
            if failed and ran > 1 and sheltered:
                ((_, alone),) = self._sheltered([place], clock.begin, self._blocked, stop_at_first=True)
            preceded = ran > 1 and not alone
            failures += [{**failure, "test": places[place], "preceded": preceded} for failure in alone or failed]
        return {"failures": failures, "ran": ran, "load_error": None}

    def _restrict(self, job: Mapping[str, Any]) -> None:
        """From here on this process may do no harm: neither to files and networks, nor to the machine's memory."""
        if job["guard"] == "off":
            return
        with open(os.path.join(self.spool, TRAIL_FILE), encoding="utf-8") as file:
            trail = Trail(json.load(file))
        if job["memory"]:
            _, most = resource.getrlimit(resource.RLIMIT_AS)
            limit = job["memory"] if most == resource.RLIM_INFINITY else min(job["memory"], most)
            resource.setrlimit(resource.RLIMIT_AS, (limit, most))
        os.makedirs(self.settings["cache"], exist_ok=True)
        for path in self.guard.kept:
            open(path, "ab").close()  # the kernel allows only what is there
        # what else is in the folder of the run belongs to all its workers
        self.guard.own = [self.settings["cache"], *(folder for folder in self.guard.own if folder != self.spool)]
        self.guard.told = self.log.write
        self.guard.enforce(trail, kernel=job["guard"] == "kernel")

    def _blocked(self) -> list[dict[str, Any]]:
        """What was blocked since the last time, as failures of the test that ran."""
        return [
            {"exception": BLOCKED, "message": f"it tried to {what}", "phase": "call", "raised_by": ""}
            for what in dict.fromkeys(self._named(effect) for effect in self.log.take("blocked"))
        ]

    def _named(self, effect: Effect) -> str:
        """What was tried, in words that are the same in every run."""
        action, target = effect
        if target.startswith(self.settings["temporary"]):
            return f"{action} the folder of all temporary files"
        if action == "signal":
            whose = "of fencepost" if target.lstrip("-") in self.guard.protected else "that is not of its own"
            return f"{action} a process {whose}"
        if action == "call":
            return f"{action} {target} of the C library, which no unmutated test does"
        if action == "start":
            return f"{action} {target}, which no unmutated test does"
        if target.startswith(self.spool):
            return f"{action} the folder of this run"
        inside = target.startswith(self.settings["root"] + os.sep)
        return f"{action} {os.path.relpath(target, self.settings['root']) if inside else target}"

    def _sheltered(
        self,
        places: Sequence[int],
        begin: Callable[[int], None],
        blocked: Callable[[], list[dict[str, Any]]],
        *,
        stop_at_first: bool,
    ) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """As `PytestSession.run`, in a fork: this process stays as loading left it, and can run a test alone after.

        Where the fork dies, this process ends in the same way.
        """
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            end_with_parent()
            # whatever happens in here, this process goes no further
            with contextlib.suppress(Exception), os.fdopen(writing, "wb") as out:
                for told in self.session.run(places, begin, blocked, stop_at_first=stop_at_first):
                    pickle.dump(told, out)
                    out.flush()
                out.close()
                os._exit(0)
            os._exit(FAULT_OF_A_MUTANT)
        os.close(writing)
        with os.fdopen(reading, "rb") as answers, contextlib.suppress(EOFError, pickle.UnpicklingError):
            while True:
                yield pickle.load(answers)  # noqa: S301 - written by our own fork
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            os.kill(os.getpid(), os.WTERMSIG(status))
        elif status:
            os._exit(os.WEXITSTATUS(status))

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


class Clock:
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


def _most_memory() -> int:
    """The most address space that this process ever had, in bytes; 0 where the system does not tell."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            (line,) = (line for line in status if line.startswith("VmPeak:"))
    except OSError:
        return 0
    return int(line.split()[1], 10) * 1024


def group_of(test: str, by: str) -> str:
    """What is counted together: the function of a test, its file, or everything; `by` says which."""
    if not by:
        return ""
    file, colons, rest = test.partition("::")
    return file if by == "file" else f"{file}{colons}{rest.partition('[')[0]}"


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
