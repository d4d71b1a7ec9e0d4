"""Processes that tests start and leave behind, also in sessions of their own: found again and ended (Linux).

A process whose parent ends goes to the nearest ancestor that asked for such (PR_SET_CHILD_SUBREAPER). The engine asks,
and the command above it, so that whichever of them is killed, the other finds what was left. Elsewhere, and for what
was started within a process that is still alive, nothing is done here: process groups have to do.

Standard library only: the engine loads it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Collection, Iterable

from fencepost.analyzer import family

PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER = 36, 37
TRACKER = b"multiprocessing.resource_tracker"
TRACKER_SECONDS = 1.0  # for what it has to do it needs milliseconds
ROUNDS = 20  # what is ended leaves children of its own, which come here in the next round


def adopt_orphans() -> None:
    """Have what loses its parent below this process come to it."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def is_adopting() -> bool:
    """Whether this process asked for orphans."""
    if sys.platform != "linux":
        return False
    import ctypes

    answer = ctypes.c_int()
    ctypes.CDLL(None).prctl(PR_GET_CHILD_SUBREAPER, ctypes.byref(answer), 0, 0, 0)
    return bool(answer.value)


def children() -> set[int]:
    """The processes whose parent this one is; nothing where the system does not tell."""
    process = os.getpid()
    try:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            return set(map(int, file.read().split()))
    except (OSError, ValueError):
        return set()


def left_by_ended_workers(kept: Collection[int], temporary: str) -> list[int]:
    """Of the adopted processes, those whose worker has ended.

    Args:
        kept: children that are no orphans.
        temporary: the folder in which each worker has one of its own, named after its process.
    """
    owned = ((process, _worker_of(process, temporary)) for process in children() - set(kept))
    return [process for process, worker in owned if worker is not None and not os.path.exists(f"/proc/{worker}")]


def _worker_of(process: int, temporary: str) -> int | None:
    """The worker whose folder for temporary files a process was started with."""
    beginning = os.fsencode(f"TMPDIR={temporary}{os.sep}")
    for variable in _told(process, "environ").split(b"\0"):
        name = variable.removeprefix(beginning).partition(b"/")[0]
        if variable.startswith(beginning) and name.isdigit():
            return int(name)
    return None


def started_with(text: str) -> list[int]:
    """The adopted processes that were started with a text somewhere in their environment."""
    return [process for process in children() if os.fsencode(text) in _told(process, "environ")]


def _told(process: int, what: str) -> bytes:
    try:
        with open(f"/proc/{process}/{what}", "rb") as file:
            return file.read()
    except OSError:
        return b""


def end(processes: Iterable[int]) -> None:
    """End processes, and take note of their ends."""
    others, trackers = _apart(processes)
    _kill(others)
    _await_end_of(trackers)
    _kill(trackers)
    for process in [*others, *trackers]:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process, 0)


def end_group(number: int) -> None:
    """End the processes of a group.

    The tracker that `multiprocessing` starts in each takes shared memory and semaphores away that others leave behind,
    when these have ended; it is ended last.
    """
    others, trackers = _apart(family.group(number))
    if trackers:
        _kill(others)
        _await_end_of(trackers)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(number, signal.SIGKILL)


def _apart(processes: Iterable[int]) -> tuple[list[int], list[int]]:
    """Processes that may end at once, and trackers that do their work first."""
    others: list[int] = []
    trackers: list[int] = []
    for process in processes:
        (trackers if TRACKER in _told(process, "cmdline") else others).append(process)
    return others, trackers


def _kill(processes: Iterable[int]) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)


def _await_end_of(trackers: Iterable[int]) -> None:
    latest = time.monotonic() + TRACKER_SECONDS
    while time.monotonic() < latest and any(
        _told(tracker, "cmdline") for tracker in trackers
    ):  # which an ended one lacks
        time.sleep(0.005)


def end_orphans(kept: Collection[int] = ()) -> None:
    """End everything that came to this process, and what comes when that has ended.

    Args:
        kept: children that are no orphans.
    """
    for _ in range(ROUNDS):
        orphans = children() - set(kept)
        if not orphans:
            return
        end(orphans)
