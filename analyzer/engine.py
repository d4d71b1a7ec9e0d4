"""The one file that starts processes: the command's side of the engine that runs the tests."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fencepost.analyzer.errors import RunnerLost

Facts = dict[str, Any]


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
        self, root: Path, store: Path, plan: Mapping[str, Any], *, pytest_args: Iterable[str], jobs: int, pytest_in_scope: bool
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="session-", dir=store))
        self.jobs = jobs
        self.collect_seconds = 0.0  # what collecting the suite took, once it is known
        settings = {
            "root": str(root),
            "plan": str(self.folder / "plan.json"),
            "spool": str(self.folder),
            "cache": str(self.folder / "pytest-cache"),
            "pytest_args": list(pytest_args),
            "jobs": jobs,
            "pytest_in_scope": pytest_in_scope,
            "argv0": str(Path(sys.executable).with_name("pytest")),
        }
        (self.folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
        (self.folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        self._start(root)

    def _start(self, root: Path) -> None:
        commands, self._commands = os.pipe()
        answers, given = os.pipe()
        arguments = [str(self.folder / "settings.json"), str(commands), str(given)]
        self.log = self.folder / "engine.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "fencepost.analyzer.mutmut_driver", *arguments],
                cwd=root, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(commands, given),
                start_new_session=True,  # Ctrl-C reaches the command alone, which then ends the engine in order
            )  # fmt: skip
        os.close(commands)
        os.close(given)
        self._answers = os.fdopen(answers, encoding="utf-8")

    def run(self, jobs: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], int, Facts | None]]:
        """Run jobs, and yield each with its exit code and facts (None where the worker left none) as it ends.

        Raises:
            RunnerLost: the engine or its fork server ended, more than once, before all jobs were done.
        """
        waiting: dict[str, Mapping[str, Any]] = {}
        for job in jobs:
            waiting[job["id"]] = job
        # one write, after everything is known: the engine reads as it runs
        for job in waiting.values():
            self._send(job)
        while waiting:
            line = self._answers.readline()
            answer = json.loads(line) if line else {"lost": True}
            if answer.get("lost"):
                raise RunnerLost(
                    f"the process that runs the tests ended with {len(waiting)} jobs open{self._last_words()}",
                    slug="runner-lost",
                    hint="run the tests alone with `python -m pytest`; if they pass, please report this with the output above",
                )
            done = waiting.pop(answer["id"])
            yield done, answer["exit_code"], self._facts(answer["id"])

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
        path.unlink()
        return facts

    def _last_words(self) -> str:
        text = self.log.read_text(encoding="utf-8", errors="replace").strip()
        crash = self.folder / ".forkserver-crash.log"
        if crash.exists():
            text = crash.read_text(encoding="utf-8", errors="replace").strip()
        return f": {text[-600:]}" if text else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        os.close(self._commands)
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._answers.close()
        shutil.rmtree(self.folder, ignore_errors=True)
