"""What an interrupted run had settled, so that the next one goes on where it stopped.

The journal belongs to one state of everything that verdicts depend on. Where anything differs, it is not read.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import fencepost
from fencepost.analyzer.mutate import Tried
from fencepost.analyzer.store import decode, encode

NOT_OF_THE_PROJECT = {"__pycache__", "node_modules"}
OF_THE_MOMENT = {
    "PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "TERM", "NO_COLOR", "FORCE_COLOR", "TMPDIR",
    "PYTEST_CURRENT_TEST", "PYTEST_VERSION",
}  # fmt: skip


class Journal:
    """A file of settled mutants, one a line, under the state that they were settled in.

    Args:
        folder: the store of the project.
        state: what `state_of` gives.
        fresh: forget what is there.
    """

    def __init__(self, folder: Path, state: str, *, fresh: bool) -> None:
        self.path = folder / "unfinished.jsonl"
        self.state = state
        self.known = {} if fresh else dict(self._read())
        if not self.known:
            self.path.write_text(json.dumps({"state": state}) + "\n", encoding="utf-8")

    def _read(self) -> Iterator[tuple[str, Tried]]:
        try:
            first, *lines = self.path.read_text(encoding="utf-8").splitlines()
            if json.loads(first)["state"] != self.state:
                return
        except (OSError, ValueError, KeyError, TypeError):
            return
        for line in lines:
            # the last line may be half of one
            with contextlib.suppress(ValueError, KeyError, TypeError):
                entry = json.loads(line)
                yield entry["mutant"], decode(entry["tried"], Tried)

    def add(self, mutant: str, tried: Tried) -> None:
        """Keep what was settled."""
        line = json.dumps({"mutant": mutant, "tried": encode(tried)})
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    def remove(self) -> None:
        """The run is complete: nothing is left to go on with."""
        self.path.unlink(missing_ok=True)


def state_of(root: Path, written: Iterable[str], asked: Sequence[Any]) -> str:
    """A digest of all that verdicts depend on: the project's files, Python, what is installed, the environment.

    Args:
        root: the project.
        written: real paths of files and folders that the tests themselves write; those may differ.
        asked: what the run was asked for, as plain data.
    """
    digest = hashlib.sha256()
    for part in (
        fencepost.__version__,
        sys.version,
        platform.platform(),
        json.dumps(asked, sort_keys=True),
        *_environment(),
        *_installed(root),
        *_files(root, frozenset(written)),
    ):
        digest.update(part.encode(errors="surrogateescape") + b"\0")
    return digest.hexdigest()


def _environment() -> list[str]:
    return sorted(f"{name}={value}" for name, value in os.environ.items() if name not in OF_THE_MOMENT)


def _installed(root: Path) -> Iterator[str]:
    """What stands directly in the folders that modules are imported from, with times: installing changes it."""
    for folder in (one for one in sys.path if root not in (Path(one).resolve(), *Path(one).resolve().parents)):
        with contextlib.suppress(OSError):
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            yield from (_stamp(entry) for entry in entries if not entry.name.startswith("__"))


def _files(root: Path, written: frozenset[str]) -> Iterator[str]:
    pending = [str(root)]
    while pending:
        folder = pending.pop()
        with contextlib.suppress(OSError):
            for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
                if entry.path in written or entry.name in NOT_OF_THE_PROJECT:
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    yield f"{entry.path} {_stamp(entry)}"
                elif not entry.name.startswith(".") and not Path(entry.path, "pyvenv.cfg").exists():
                    pending.append(entry.path)


def _stamp(entry: os.DirEntry[str]) -> str:
    status = entry.stat(follow_symlinks=False)
    return f"{entry.name} {status.st_size} {status.st_mtime_ns}"
