"""Whatever of a run is killed at whatever moment: the source stays as it was, and the next run is a whole one."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import WHOLE

Command = Callable[..., "subprocess.CompletedProcess[str]"]

RUNS = 50 if WHOLE else 16
KINDS = ("command", "engine", "fork server", "worker")
ENDS_BY_ITSELF = 60.0  # seconds that a command may take when something of it was killed
ERRORS = {"runner-lost", "worker-fault"}
FUNCTIONS = 6
SHOP = "".join(f"def f{n}(age):\n    return age >= {n}\n\n\n" for n in range(FUNCTIONS)) + "LOADED = f1(1)\n"
TESTS = f"""\
import time

import pytest

import shop


@pytest.mark.parametrize("n", range({FUNCTIONS}))
def test_f(n, tmp_path):
    (tmp_path / "file").write_text("x")
    time.sleep(0.01)
    grown = getattr(shop, f"f{{n}}")(n)
    assert grown or n % 3 == 0
"""
SETTINGS = '[tool.fencepost]\nrules = ["FP101"]\njobs = 2\n'


@dataclass(frozen=True)
class Process:
    """A process of a run, by what it does there: one of `KINDS`, or something that one of those started."""

    pid: int
    kind: str


def processes(mark: str) -> list[Process]:
    """All processes that have this mark in their environment, by their place below the command."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            if state != "Z" and mark.encode() in (folder / "environ").read_bytes():
                parents[int(folder.name)] = int(parent)
    return [Process(pid, _kind(pid, parents)) for pid in parents]


def _kind(pid: int, parents: Mapping[int, int]) -> str:
    depth = 0
    while parents.get(pid) in parents:
        pid = parents[pid]
        depth += 1
    return KINDS[depth] if depth < len(KINDS) else "below a worker"


@dataclass
class Victim:
    """A project that is run again and again, and what its files are."""

    root: Path
    temporary: Path
    mark: str
    source: Mapping[str, bytes]

    def start(self) -> subprocess.Popen[str]:
        """Start a run from nothing, whose report goes to its standard output."""
        name, value = self.mark.split("=")
        return subprocess.Popen(
            [sys.executable, "-m", "fencepost", "run", "-o", "json", "--fresh"],
            cwd=self.root, env={**os.environ, name: value, "TMPDIR": str(self.temporary)}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def whole_run(self) -> tuple[dict[str, str], float]:
        """The verdicts of a run that nobody disturbs, by replacement, and its seconds."""
        started = time.monotonic()
        out, errors = self.start().communicate(timeout=ENDS_BY_ITSELF)
        assert out, errors
        document = json.loads(out)
        assert document["complete"]
        return verdicts(document), time.monotonic() - started

    def files(self) -> dict[str, bytes]:
        """All that is in the tree, byte for byte, but the folder of fencepost."""
        paths = (path for path in self.root.rglob("*") if path.is_file() and ".fencepost" not in path.parts)
        return {str(path): path.read_bytes() for path in paths}

    def left_running(self, seconds: float = 10.0) -> list[Process]:
        """What of a run still goes on when it has had time to end."""
        deadline = time.monotonic() + seconds
        while (found := processes(self.mark)) and time.monotonic() < deadline:
            time.sleep(0.02)
        return found


def verdicts(document: Mapping[str, Any]) -> dict[str, str]:
    return {mutant["replacement"]: mutant["verdict"] for mutant in document["mutants"]}


@pytest.fixture
def victim(tmp_path: Path) -> Iterator[Victim]:
    root, temporary = tmp_path / "project", tmp_path / "temporary"
    for folder in (root, temporary):
        folder.mkdir()
    for name, text in {"shop.py": SHOP, "test_shop.py": TESTS, "pyproject.toml": SETTINGS}.items():
        (root / name).write_text(text, encoding="utf-8")
    made = Victim(root, temporary, f"FENCEPOST_MARK={uuid.uuid4()}", {})
    made.source = made.files()
    yield made
    for process in processes(made.mark):
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)


def killed(command: subprocess.Popen[str], kind: str, mark: str, delay: float) -> bool:
    """Kill one process of a kind, at a moment or as soon after it as there is one; whether there was."""
    time.sleep(delay)
    while command.poll() is None:
        found = [process.pid for process in processes(mark) if process.kind == kind]
        if found:
            with suppress(ProcessLookupError):
                os.kill(random.choice(found), signal.SIGKILL)  # noqa: S311 - no secret
                return True
        time.sleep(0.005)
    return False


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="the processes of a run are found in /proc")
def test_a_run_killed_anywhere_leaves_the_source_alone_and_the_next_one_whole(victim: Victim) -> None:
    expected, usual = victim.whole_run()
    assert set(expected.values()) == {"killed", "survived"}
    struck = dict.fromkeys(KINDS, 0)
    chance = random.Random(50)  # noqa: S311 - no secret
    for number in range(RUNS):
        kind = KINDS[number % len(KINDS)]
        command = victim.start()
        hit = killed(command, kind, victim.mark, chance.uniform(0, usual))
        struck[kind] += hit
        out, errors = command.communicate(timeout=ENDS_BY_ITSELF)
        told = f"run {number}, {kind}: ended with {command.returncode}: {errors}"
        assert victim.files() == victim.source, told
        assert not victim.left_running(), told
        if kind == "command" and hit:
            assert command.returncode == -signal.SIGKILL, told
        elif out:
            found = verdicts(json.loads(out))
            wrong = [name for name, verdict in found.items() if verdict not in {"unknown", expected[name]}]
            assert wrong == [], told
            assert command.returncode in {0, 4}, told
        else:
            assert command.returncode == 4, told
            assert any(f"error[{slug}]" in errors for slug in ERRORS), told
            assert "hint:" in errors, told
    assert all(count >= RUNS // len(KINDS) // 2 for count in struck.values()), struck
    again, _ = victim.whole_run()
    assert again == expected
    assert not victim.left_running()
    assert list(victim.temporary.glob("fencepost-*")) == []
    assert list((victim.root / ".fencepost").glob("session-*")) == []
    assert victim.files() == victim.source
