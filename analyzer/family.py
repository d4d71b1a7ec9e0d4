"""Which processes a mutated run may send signals to: those that it or its tests have started, and no others (Linux).

A number that a mutant has changed by one is that of a process of somebody else. Standard library only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

EVERYBODY = -1  # as `kill` understands it, and -1 is the group 1 to `killpg`, which comes to the same


def strangers(target: int, family: Sequence[int]) -> bool:
    """Whether a signal would go to a process outside of a run.

    Args:
        target: as `os.kill` takes it: a process, 0 for the own group, or a group as a negative number.
        family: the worker, and the engine, which takes in the worker's orphans; where there is none nobody is outside.

    Returns:
        False also where the system does not tell, or nobody is there.
    """
    if not target or not family or sys.platform != "linux":
        return False
    if target == EVERYBODY:
        return True
    return any(not _belongs(process, family) for process in ([target] if target > 0 else group(-target)))


def _belongs(process: int, family: Sequence[int]) -> bool:
    worker, engine = family
    parent = process
    while parent not in {worker, 0}:
        found = _parent_and_group(parent)
        if found is None:
            return True  # it has ended, and the signal reaches nobody
        parent, group = found
        if parent == engine:  # an orphan has come to it; what else it has for a child is the server that forks
            return group != engine and process not in {worker, engine}
    return parent == worker


def _parent_and_group(process: int) -> tuple[int, int] | None:
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            _state, parent, group = file.read().rpartition(b")")[2].split()[:3]
    except OSError:
        return None
    return int(parent), int(group)


def group(number: int) -> Iterator[int]:
    """The processes of a group; nothing where the system does not tell."""
    if sys.platform != "linux":
        return
    for name in os.listdir("/proc"):
        found = _parent_and_group(int(name)) if name.isdecimal() else None
        if found is not None and found[1] == number:
            yield int(name)
