"""The kernel's part of the guard: Landlock, which Linux has from 5.13 on (5.19 is needed here). Standard library only.

It holds for this process and all that it starts, whatever language that is written in, and cannot be undone.
Source: https://docs.kernel.org/userspace-api/landlock.html
"""

from __future__ import annotations

import contextlib
import os
import stat
import struct
import sys
from collections.abc import Iterable, Sequence
from typing import Any

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on every architecture
VERSION_FLAG = 1
PATH_BENEATH = 1
NO_NEW_PRIVILEGES = 38

WRITE_FILE = 1 << 1
REMOVE_DIR, REMOVE_FILE = 1 << 4, 1 << 5
MAKE_ANYTHING = 0b1111111 << 6  # char device, folder, file, socket, fifo, block device, link
REFER = 1 << 13  # moving from one folder to another: without it the first version of Landlock denies all of it
TRUNCATE = 1 << 14
CONNECT_TCP = 1 << 1
FILES = (0, 0, WRITE_FILE, WRITE_FILE | TRUNCATE)  # by version of the interface; the first one of use here has `REFER`
NETWORK = (0, 0, 0, 0, CONNECT_TCP)
SIGNAL = 1 << 1
SCOPES = (0, 0, 0, 0, 0, 0, SIGNAL)  # what may go only to what was started from here


def version() -> int:
    """The version of Landlock's interface that this kernel offers; 0 where there is none that is of use here."""
    if sys.platform != "linux":
        return 0
    found: int = _libc().syscall(CREATE_RULESET, None, 0, VERSION_FLAG)
    return found if _known(FILES, max(0, found)) else 0  # an error is negative


def restrict(writable: Iterable[str], *, connecting: bool, signalling: bool) -> bool:
    """Let this process write to these files and folders (and all beneath), and to nothing else, from now on.

    Args:
        writable: paths; those that do not exist are left out.
        connecting: whether TCP connections stay possible.
        signalling: whether signals to processes stay possible that this one has not started from here on.

    Returns:
        Whether the kernel enforces it.
    """
    offered = version()
    if not offered:
        return False
    libc = _libc()
    files = _known(FILES, offered)
    folders = files | REMOVE_DIR | REMOVE_FILE | MAKE_ANYTHING | REFER
    network = 0 if connecting else _known(NETWORK, offered)
    scopes = 0 if signalling else _known(SCOPES, offered)
    attributes = struct.pack("=QQQ", folders, network, scopes)  # a kernel that knows less of it takes zeros at its end
    ruleset = libc.syscall(CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        return False
    try:
        for path in writable:
            _allow(libc, ruleset, path, files, folders)
        libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return not libc.syscall(RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _known(rights: Sequence[int], offered: int) -> int:
    """What a version knows of some rights; a later one knows what the last one listed does."""
    return rights[min(offered, len(rights) - 1)]


def _allow(libc: Any, ruleset: int, path: str, files: int, folders: int) -> None:
    with contextlib.suppress(OSError):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            rights = folders if stat.S_ISDIR(os.fstat(place).st_mode) else files
            libc.syscall(ADD_RULE, ruleset, PATH_BENEATH, struct.pack("=Qi", rights, place), 0)
        finally:
            os.close(place)


def _libc() -> Any:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    return libc
