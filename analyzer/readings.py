"""What the processes under test read: what is known of them holds only while that is the same. Standard library only.

Paths are noted as they are given, made absolute; what they lead to is asked by whoever keeps them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

OPENED = "open"
HEARD = {OPENED, "os.listdir", "os.scandir", "sqlite3.connect"}
TELLING = "read"  # as the effect in a log of the guard

Told = Callable[[str, tuple[str, str]], None]


class Readings:
    """Hears which files are opened and which folders are listed.

    Attributes:
        paths: what was read so far.
        listening: whether anything is noted.
        told: where a process that ends without telling its paths writes them.
    """

    def __init__(self, told: Told | None = None) -> None:
        self.paths: set[str] = set()
        self.listening = True
        self.told = told

    def install(self) -> None:
        """Hear this process from now on; there is no way back."""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.listening or event not in HEARD or (event == OPENED and _is_for_writing_alone(arguments)):
            return
        path = _source_of(arguments[0])
        if path is None or path in self.paths:
            return
        self.paths.add(path)
        if self.told is not None:
            self.told("trail", (TELLING, path))

    def with_modules(self) -> list[str]:
        """What was read, and the files of what is imported: an extension module is not opened by Python."""
        files = (getattr(module, "__dict__", {}).get("__file__") for module in list(sys.modules.values()))
        return sorted(self.paths | {os.path.abspath(file) for file in files if isinstance(file, str)})


def _is_for_writing_alone(arguments: tuple[Any, ...]) -> bool:
    flags = arguments[2] if len(arguments) > 2 else 0
    return isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR) == os.O_WRONLY


def _source_of(path: Any) -> str | None:
    """The absolute path of a file, of the source where it is the bytecode of one; None for an open file."""
    if isinstance(path, int):
        return None
    try:
        text = os.path.abspath(os.fsdecode(os.curdir if path is None else path))
    except (TypeError, ValueError, OSError):
        return None
    folder, name = os.path.split(text)
    if os.path.basename(folder) == "__pycache__" and ".pyc" in name:
        return os.path.join(os.path.dirname(folder), name.partition(".")[0] + ".py")
    return text
