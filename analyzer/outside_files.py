"""What tests read outside of the project, as digests: what is known holds only while that is the same."""

from __future__ import annotations

import hashlib
import os
import sysconfig
import tempfile
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from fencepost.analyzer.project_state import digest_of

DEVICES = ("/dev", "/proc", "/sys")
TEMPORARY = "fencepost-"  # how the folders of temporary files begin that a run has for itself
OF_TOOLS = {"__pycache__", ".fencepost", ".pytest_cache", ".hypothesis"}  # what a run leaves there, the next may find
PACKAGES = {"site-packages", "dist-packages"}
LARGE = 100_000_000  # bytes; to read such a file takes longer than to run most suites


def outside_digests(root: Path, read: Iterable[str], known: Collection[str]) -> dict[str, str]:
    """The digests of what was read and is no file of the project, by absolute path.

    Args:
        root: the project.
        read: absolute paths of files and of folders that were listed.
        known: the files whose digests are kept anyway, relative to the root.
    """
    own = os.path.realpath(root)
    return {path: told for path in read if _counts(path, own, known) and (told := digest_through(path)) is not None}


def _counts(path: str, own: str, known: Collection[str]) -> bool:
    real = os.path.realpath(path)
    if OF_TOOLS.intersection(Path(real).parts) or _is_below(real, DEVICES) or _is_of_python(real):
        return False
    temporary = os.path.realpath(tempfile.gettempdir())
    if real == temporary or real.startswith(f"{temporary}{os.sep}{TEMPORARY}"):
        return False
    if Path(real).name in PACKAGES:
        return False  # what lies there is told by the surroundings
    if _is_below(real, [own]):
        is_there = Path(real).is_file()  # a file or folder that comes or goes changes the files of the project
        return is_there and os.path.relpath(real, own).replace(os.sep, "/") not in known
    return True


def _is_of_python(real: str) -> bool:
    """Whether a path is of the standard library, which changes with the version of Python."""
    folders = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    return _is_below(real, folders) and not PACKAGES.intersection(Path(real).parts)


def _is_below(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}{os.sep}") for folder in folders)


def digest_through(path: str) -> str | None:
    """A digest of what a path leads to; None for a temporary file that is gone."""
    real = Path(os.path.realpath(path))
    try:
        if real.is_dir():
            names = "\0".join(sorted(one.name for one in real.iterdir() if one.name != "__pycache__"))
            return hashlib.sha256(names.encode(errors="surrogateescape")).hexdigest()
        if not real.exists():
            return None if _is_below(str(real), [os.path.realpath(tempfile.gettempdir())]) else "no file"
        told = real.stat()
    except OSError:
        return "unreadable"
    return f"{told.st_size} {told.st_mtime_ns}" if told.st_size > LARGE else digest_of(str(real))


def holds(digests: Mapping[str, str]) -> bool:
    """Whether all that was read outside is still the same."""
    return all(digest_through(path) == told for path, told in digests.items())


def changed_after(paths: Iterable[str], moment: float) -> bool:
    """Whether a file was written since a moment, in seconds since the epoch."""
    files = (path for path in map(Path, paths) if path.is_file())
    return any(path.stat().st_mtime >= moment for path in files)
