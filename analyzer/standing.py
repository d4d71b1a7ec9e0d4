"""What stood where mutated runs may write: kept before the first of them, put back after each.

A test that changes a file of the project and puts it back at its end does not come to its end when a mutant makes it
fail. What lies beside the project is put back where the process of a run was ended, by a mutant or by somebody. Where
the command is killed in between, the engine puts back what is kept; where that is killed too, the next run does.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import stat
from collections.abc import Iterable
from pathlib import Path

from fencepost.analyzer.guard import Log

STANDING = "standing"  # the folder, in that of a run
BESIDE = "beside"  # the same for files that do not lie in the project: others may write there too
MANIFEST = "manifest.json"

Stamp = list[int] | None
"""Size, time of the last change, mode, inode and number of names of a file; None where there is none."""


def keep(folder: Path, paths: Iterable[str]) -> None:
    """Copy the files that stand at some absolute paths into a new folder, and note where nothing stands.

    What is neither a file nor nothing (a folder, a link, a socket) is left out.
    """
    folder.mkdir()
    manifest: dict[str, Stamp] = {}
    for path in paths:
        stamp = _stamp(path)
        if stamp is not None:
            shutil.copy2(path, folder / str(len(manifest)))
        if stamp is not None or not os.path.lexists(path):
            manifest[path] = stamp
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


def put_back(folder: Path) -> None:
    """Make the paths that a folder keeps what they were; nothing where the folder keeps none, or only half."""
    try:
        manifest: dict[str, Stamp] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    for number, (path, stamp) in enumerate(manifest.items()):
        # one that cannot be put back must not keep the others from it
        with contextlib.suppress(OSError):
            if _stamp(path) != stamp:
                _restore(path, stamp, folder / str(number))


def _restore(path: str, stamp: Stamp, copy: Path) -> None:
    now = _stamp(path)
    if now is not None and stamp is not None and now[-2:] == stamp[-2:]:
        Path(path).chmod(0o600)  # the same file, which keeps its owner and its other names
    else:
        Path(path).unlink(missing_ok=True)  # which leaves a folder alone: somebody's things may be in it
    if stamp is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(copy, path)


def clear_up(session: Path) -> None:
    """Undo what the mutated runs of a session left behind that had no time to end, and put back what it keeps."""
    for made in session.glob("guard-*.log.made"):
        Log(str(made.with_suffix(""))).undo()
    put_back(session / STANDING)
    if any(session.glob("*.running")):
        put_back(session / BESIDE)


def remove_folder(folder: Path) -> None:
    """Remove a folder and all that is in it, also what tests have made so that nobody may write or look there."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.is_dir():
        return
    with contextlib.suppress(OSError):
        folder.chmod(stat.S_IRWXU)
        for above, names, _ in os.walk(folder):
            for inner in (Path(above, name) for name in names):
                if not inner.is_symlink():
                    inner.chmod(stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)


def _stamp(path: str) -> Stamp:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return [status.st_size, status.st_mtime_ns, status.st_mode, status.st_ino, status.st_nlink]
