"""The one file that starts processes: the command's side of the engine that runs the tests."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fencepost.analyzer import leftovers
from fencepost.analyzer.errors import RunnerLost
from fencepost.analyzer.guard import TRAIL_FILE, Log
from fencepost.analyzer.standing import BESIDE, STANDING, clear_up, keep, put_back, remove_folder
from fencepost.analyzer.worker import RUNNING, TESTS_FILE

Facts = dict[str, Any]
IDLE_SECONDS = 0.2
PLAIN_RUN_SECONDS = 120.0


def _is_there(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@dataclass(frozen=True, slots=True)
class Ended:
    """A job that has ended: its exit code, its facts (None where the worker left none), and how it came to its end.

    `running` is the number of the test it was at, `over_limit` says that it was ended because of that test.
    """

    job: Mapping[str, Any]
    exit_code: int
    facts: Facts | None
    running: int | None
    over_limit: bool


class Engine:
    """A running engine; a context manager that leaves no process and no file behind.

    Args:
        root: the project's root, where the tests are run.
        store: the folder `.fencepost`, in which temporary files go.
        plan: the document of `plan.make_plan`.
        pytest_args: what pytest is called with.
        jobs: workers at once.
        pytest_in_scope: whether the code under test is something that pytest itself imports.
    """

    def __init__(
        self,
        root: Path,
        store: Path,
        plan: Mapping[str, Any],
        *,
        pytest_args: Iterable[str],
        jobs: int,
        pytest_in_scope: bool,
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"session-{os.getpid()}-", dir=store))
        # outside the project: tests look for a project above their temporary folders
        self.temporary = Path(tempfile.mkdtemp(prefix="fencepost-"))
        self.jobs = jobs
        self.root = root
        self.one_at_a_time = False  # whether jobs would be in each other's way
        self.collect_seconds = 0.0  # what collecting the suite took, once it is known
        settings = {
            "root": str(root),
            "plan": str(self.folder / "plan.json"),
            "spool": str(self.folder),
            "temporary": str(self.temporary),
            "cache": str(self.folder / "pytest-cache"),
            "pytest_args": list(pytest_args),
            "jobs": jobs,
            "command": os.getpid(),
            "pytest_in_scope": pytest_in_scope,
            "hash_seed_is_ours": "PYTHONHASHSEED" not in os.environ,
            "argv0": str(Path(sys.executable).with_name("pytest")),
        }
        (self.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        (self.folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        try:
            self._start(root)
        except OSError:  # no more processes or files are to be had
            self._remove_folders()
            raise

    def _start(self, root: Path) -> None:
        # a program that calls us as functions may have children of its own, and keeps its ways
        self._adopting = leftovers.is_adopting()
        self._children_before = leftovers.children()
        commands, self._commands = os.pipe()
        answers, given = os.pipe()
        arguments = [str(self.folder / "settings.json"), str(commands), str(given)]
        self.standing = self.folder / STANDING
        self.beside = self.folder / BESIDE
        self.log = self.folder / "engine.log"
        shared = self.temporary / "shared"
        shared.mkdir()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(  # noqa: S603 - this interpreter, with arguments of our own
                [sys.executable, "-m", "fencepost.analyzer.mutmut_driver", *arguments],
                cwd=root, env={"PYTHONHASHSEED": "0", **os.environ, "TMPDIR": str(shared)},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                pass_fds=(commands, given),
                start_new_session=True,  # Ctrl-C reaches the command alone, which then ends the engine in order
            )  # fmt: skip
        os.close(commands)
        os.close(given)
        self._answers = answers
        self._look_again = 0.0
        self._open: dict[str, Mapping[str, Any]] = {}
        self._over_limit: set[str] = set()
        self._once_more: set[str] = set()  # jobs that are done a second time
        self._heard = b""

    def submit(self, job: Mapping[str, Any]) -> None:
        """Hand over a job; its id must be of no other job under way."""
        self._open[job["id"]] = job
        self._send(job)

    def wait(self, idle: Callable[[], None] = lambda: None) -> Ended:
        """Wait for one of the jobs under way to end.

        A job whose worker was killed, and not by us, is done once more: that may have come from outside, as it does
        where memory runs out, and has to happen twice.

        Args:
            idle: called several times a second while nothing ends, for a progress bar.

        Raises:
            RunnerLost: the engine or its fork server ended, more than once, before all jobs were done.
        """
        while True:
            ended = self._ended(idle)
            job_id = ended.job["id"]
            killed = ended.facts is None and ended.exit_code == -signal.SIGKILL and not ended.over_limit
            if not killed or job_id in self._once_more:
                self._once_more.discard(job_id)
                return ended
            self._once_more.add(job_id)
            self.submit(ended.job)

    def _ended(self, idle: Callable[[], None]) -> Ended:
        answer = self._answer(idle)
        if answer.get("lost"):
            raise RunnerLost(
                f"the process that runs the tests ended with {len(self._open)} jobs open{self._how_it_ended()}",
                slug="runner-lost",
                hint="run the tests alone with `python -m pytest`; if they pass, please report this and the output",
            )
        job = self._open.pop(answer["id"])
        running = self.folder / f"{answer['id']}.running"
        at = self._running(running)
        running.unlink(missing_ok=True)
        over_limit = answer["id"] in self._over_limit
        self._over_limit.discard(answer["id"])
        if at is not None and _is_there(at[0]):
            leftovers.end_group(at[0])  # what its tests have started and left behind
        Log(str(self.folder / f"guard-{answer['id']}.log")).undo()
        facts = self._facts(answer["id"])
        if job["kind"] == "run":
            put_back(self.standing)
            if facts is None:  # the tests could not clear up behind themselves
                put_back(self.beside)
        return Ended(job, answer["exit_code"], facts, None if at is None or at[1] < 0 else at[1], over_limit)

    def run(self, jobs: Iterable[Mapping[str, Any]], idle: Callable[[], None] = lambda: None) -> Iterator[Ended]:
        """Run jobs while no other is under way, and yield each as it ends."""
        count = 0
        for job in jobs:
            self.submit(job)
            count += 1
            if self.one_at_a_time:
                yield self.wait(idle)
        for _ in range(0 if self.one_at_a_time else count):
            yield self.wait(idle)

    def _answer(self, idle: Callable[[], None]) -> dict[str, Any]:
        """The next line that the engine says; when it says nothing more, that it is lost."""
        while b"\n" not in self._heard:
            self._end_hanging()
            ready, _, _ = select.select([self._answers], [], [], IDLE_SECONDS)
            if not ready:
                if self.process.poll() is not None:
                    return {"lost": True}  # its workers, which go on for a while, hold the pipe open
                idle()
                continue
            data = os.read(self._answers, 1 << 16)
            if not data:
                return {"lost": True}
            self._heard += data
        line, _, self._heard = self._heard.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _running(self, path: Path) -> tuple[int, int, float] | None:
        try:
            process, test, deadline = RUNNING.unpack(path.read_bytes())
        except (OSError, struct.error):
            return None  # not yet written, or the job is done
        return process, test, deadline

    def _end_hanging(self) -> None:
        """End workers whose test is over its limit."""
        now = time.monotonic()
        if now < self._look_again:
            return
        self._look_again = now + IDLE_SECONDS
        for path in self.folder.glob("*.running"):
            running = self._running(path)
            if running is not None and now > running[2]:
                self._over_limit.add(path.stem)
                leftovers.end_group(running[0])  # by a signal that nobody can ignore; what its tests started goes along

    def passes_in_pytest_alone(self, test: str) -> bool:
        """Whether a plain run of pytest, without anything of ours, passes a test, given by id."""
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", test]
        with contextlib.suppress(subprocess.TimeoutExpired):
            plain = subprocess.run(  # noqa: S603 - this interpreter, with arguments of our own
                command, cwd=self.root, stdin=subprocess.DEVNULL, capture_output=True, timeout=PLAIN_RUN_SECONDS,
                check=False,
            )  # fmt: skip
            return plain.returncode == 0
        return False

    def know_tests(self, tests: Sequence[str]) -> None:
        """Leave the ids of all collected tests where cold workers find them."""
        (self.folder / TESTS_FILE).write_text(json.dumps(list(tests)), encoding="utf-8")

    def allow(self, trail: Mapping[str, Sequence[str]]) -> None:
        """Leave where mutated runs may write and connect for the workers, and keep what stands there now."""
        inside = f"{os.path.realpath(self.root)}{os.sep}"
        paths = [path for path in trail["files"] if "__pycache__" not in path]
        keep(self.standing, (path for path in paths if path.startswith(inside)))
        # beside the project nothing is removed for not having been there: it may be somebody else's
        keep(self.beside, (path for path in paths if not path.startswith(inside) and Path(path).is_file()))
        (self.folder / TRAIL_FILE).write_text(json.dumps(trail), encoding="utf-8")

    def tests_done(self) -> int:
        """How many tests the jobs under way that count them have finished."""
        return sum(path.stat().st_size for path in self.folder.glob("*.count"))

    def _send(self, job: Mapping[str, Any]) -> None:
        try:
            data = json.dumps(job).encode() + b"\n"
            while data:
                data = data[os.write(self._commands, data) :]
        except BrokenPipeError:
            return  # the engine is gone; the next read says so

    def _facts(self, job_id: str) -> Facts | None:
        path = self.folder / f"{job_id}.pickle"
        try:
            facts: Facts = pickle.loads(path.read_bytes())  # noqa: S301 - written by our own worker, in our own folder
        except FileNotFoundError:
            return None
        except (EOFError, pickle.UnpicklingError):
            facts = {}  # the worker ended before it had told all of it
        path.unlink()
        if not facts:
            return None
        if "fault" in facts:
            raise RunnerLost(
                f"a worker failed at its own work: {facts['fault'].strip()}",
                slug="worker-fault",
                hint="this is a fault in fencepost; please report it with the lines above",
            )
        return facts

    def _how_it_ended(self) -> str:
        """The signal that ended the engine, else its last words: what others print when it is gone explains nothing."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=1)  # its pipes close a moment before it has ended
        code = self.process.poll()
        return self.last_words() if code is None or code >= 0 else f": killed by {signal.Signals(-code).name}"

    def last_words(self) -> str:
        """What the processes of the engine wrote before they ended, as the end of a sentence."""
        text = self.log.read_text(encoding="utf-8", errors="replace").strip()
        crash = self.folder / ".forkserver-crash.log"
        if crash.exists():
            text = crash.read_text(encoding="utf-8", errors="replace").strip()
        return f": {text[-600:]}" if text else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._commands)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self._adopting:
            leftovers.end_orphans(self._children_before)
        os.close(self._answers)
        clear_up(self.folder)
        self._remove_folders()

    def _remove_folders(self) -> None:
        for folder in (self.temporary, self.folder):
            remove_folder(folder)
