"""What tests start and leave behind is ended, in whatever session it lives, and whichever process of ours is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from fencepost.analyzer import leftovers
from tests.conftest import Command

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")

SHOP = "def adult(age):\n    return age >= 18\n"
TESTS = """\
import os
import subprocess
import sys
import time

from shop import adult


def test_adult():
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    {more}
    assert adult(18)
"""
DAEMON = """\
if not os.fork():
        os.setsid()
        if not os.fork():
            time.sleep(600)
        os._exit(0)
"""


def marked(mark: str) -> list[int]:
    """The processes that were started with a mark in their environment, or come from one that was."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if (
                mark.encode() in (folder / "environ").read_bytes()
                and "Z" not in (folder / "stat").read_text().split()[2]
            ):
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def gone(mark: str, seconds: float = 10) -> bool:
    """Whether all such processes end by themselves, soon."""
    deadline = time.monotonic() + seconds
    while marked(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not marked(mark)


@pytest.fixture(name="mark")
def _mark(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    monkeypatch.setenv("FENCEPOST_MARK", tmp_path.name)
    mark = f"FENCEPOST_MARK={tmp_path.name}"
    yield mark
    for process in marked(mark):
        os.kill(process, signal.SIGKILL)


def a_project(folder: Path, more: str) -> Path:
    (folder / "shop.py").write_text(SHOP)
    (folder / "test_shop.py").write_text(TESTS.format(more=more))
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\npythonpath = ['.']\n")
    return folder


@pytest.mark.parametrize("more", ["pass", DAEMON], ids=["a child in a session of its own", "a daemon"])
def test_nothing_that_tests_start_outlives_a_run(tmp_path: Path, fencepost: Command, mark: str, more: str) -> None:
    done = fencepost("run", "--rules", "FP101", cwd=a_project(tmp_path, more))
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 of 1 mutant noticed" in done.stdout
    assert gone(mark)


@pytest.mark.parametrize("struck", ["command", "engine"])
def test_nothing_outlives_a_run_of_which_a_process_is_killed(tmp_path: Path, mark: str, struck: str) -> None:
    project = a_project(tmp_path, "time.sleep(600)")
    command = subprocess.Popen(
        [sys.executable, "-m", "fencepost", "run"], cwd=project, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not _sleepers(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert _sleepers(mark)
    os.kill(command.pid if struck == "command" else _engine(mark), signal.SIGKILL)
    command.wait(timeout=60)
    assert gone(mark)
    assert not list((tmp_path / ".fencepost").glob("session-*")) or struck == "command"


def _words(process: int) -> list[str]:
    try:
        return Path(f"/proc/{process}/cmdline").read_text().split("\0")
    except OSError:
        return []


def _sleepers(mark: str) -> list[int]:
    return [one for one in marked(mark) if "import time; time.sleep(600)" in _words(one)]


def _engine(mark: str) -> int:
    """The engine: of the processes with its command line, the one that was there first."""
    return min(one for one in marked(mark) if "fencepost.analyzer.mutmut_driver" in _words(one))


SHARES = """\
import sys, time
from multiprocessing import get_context, shared_memory

memory = shared_memory.SharedMemory(create=True, size=1)
lock = get_context("spawn").Lock()  # which is a file of shared memory too
print(memory.name, lock._semlock.name, flush=True)
time.sleep(600)
"""


SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - nothing is made there by us


@pytest.mark.skipif(not SHARED_MEMORY.is_dir(), reason="shared memory is found there")
def test_shared_memory_goes_with_the_group_that_made_it() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SHARES],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as maker:
        assert maker.stdout is not None
        name, semaphore = maker.stdout.readline().split()
        memory, lock = SHARED_MEMORY / name, SHARED_MEMORY / f"sem.{semaphore.strip('/')}"
        assert memory.exists()
        assert lock.exists()
        leftovers.end_group(maker.pid)
        assert maker.wait() == -signal.SIGKILL
    assert not memory.exists()
    assert not lock.exists()
