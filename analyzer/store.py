"""`.fencepost/` at the root of the project: the last run as plain JSON, in a folder that git ignores by itself."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import functools
import json
import os
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.model import Run
from fencepost.analyzer.standing import clear_up, remove_folder

FOLDER = ".fencepost"
KEPT = "runs"  # the folder of runs of whole commits
MOST_KEPT = 10
FORM = 5  # of the stored file; a file of another form is not read


def open_store(root: Path) -> Path:
    """The folder of the store, made where it is missing; what killed runs have left is cleared away."""
    folder = root / FOLDER
    folder.mkdir(exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists() or ignore.read_text(encoding="utf-8") != "*\n":
        ignore.write_text("*\n", encoding="utf-8")
    for leftover in folder.glob("session-*"):
        if not _is_alive(leftover.name.split("-")[1]):
            _clear(leftover)
    return folder


def _is_alive(pid: str) -> bool:
    """Whether the command that made a session folder may still be running."""
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, ValueError):
        return False
    except PermissionError:
        return True
    return True


def _clear(session: Path) -> None:
    clear_up(session)
    with contextlib.suppress(OSError, KeyError, TypeError, ValueError):  # the run may have been killed while it wrote
        settings = json.loads((session / "settings.json").read_text(encoding="utf-8"))
        temporary = Path(settings["temporary"])
        if temporary.name.startswith("fencepost-"):
            remove_folder(Path(temporary))
    remove_folder(session)


def save(run: Run, commit: str | None = None) -> None:
    """Keep a run as the last one of its project, and that of a whole commit beside it.

    Args:
        commit: what the run was of, where the files of the project were exactly those of it.
    """
    folder = open_store(Path(run.root))
    document = json.dumps({"form": FORM, "run": encode(dataclasses.replace(run, root="."))})
    _put(folder / "last-run.json", document)
    if commit is not None:
        kept = folder / KEPT
        kept.mkdir(exist_ok=True)
        _put(kept / f"{commit}.json", document)
        for old in _newest_first(kept)[MOST_KEPT:]:
            old.unlink(missing_ok=True)


def _put(target: Path, text: str) -> None:
    part = target.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(target)  # a reader finds the old run or the new one, never half of one


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime_ns, reverse=True)


def kept_commits(root: Path) -> list[str]:
    """The commits whose runs are kept, the newest run first."""
    return [path.stem for path in _newest_first(root / FOLDER / KEPT)]


def load_kept(root: Path, commit: str) -> Run | None:
    """The run of a commit; None where it cannot be read, or was written by another version."""
    try:
        return _load(root, root / FOLDER / KEPT / f"{commit}.json")
    except UsageProblem:
        return None


def load(root: Path) -> Run:
    """The last run of a project.

    Raises:
        UsageProblem: there is none, or it was written by another version.
    """
    return _load(root, root / FOLDER / "last-run.json")


def _load(root: Path, path: Path) -> Run:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UsageProblem("there is no stored run here", slug="no-run", hint="run `fencepost run` first") from error
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UsageProblem(
            f"{path.name} is damaged: {error}", slug="bad-store", hint="run `fencepost run` again"
        ) from error
    if not isinstance(document, dict) or document.get("form") != FORM:
        raise UsageProblem(
            "the stored run is of another version of fencepost", slug="old-run", hint="run `fencepost run` again"
        )
    try:
        run: Run = decode(document["run"], Run)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UsageProblem(
            f"{path.name} is damaged: {error}", slug="bad-store", hint="run `fencepost run` again"
        ) from error
    return dataclasses.replace(run, root=str(root))


def encode(value: Any) -> Any:
    """Frozen dataclasses as plain JSON values, field by field."""
    if isinstance(value, enum.Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: encode(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {key: encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    return value


def decode(value: Any, kind: Any) -> Any:
    """The value of a type that `encode` was given.

    Raises:
        AttributeError, KeyError, TypeError, ValueError: the value is not of that type.
    """
    origin = typing.get_origin(kind)
    if origin in {types.UnionType, typing.Union}:
        options = [option for option in typing.get_args(kind) if option is not type(None)]
        return None if value is None else decode(value, options[0])
    if origin is tuple:
        return _decode_tuple(value, typing.get_args(kind))
    if origin is dict:
        key, item = typing.get_args(kind)
        return {decode(name, key): decode(one, item) for name, one in value.items()}
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return kind(**{name: decode(value[name], hint) for name, hint in _hints(kind).items()})
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(value)
    return value


@functools.cache
def _hints(kind: type) -> Mapping[str, Any]:
    """The types of the fields of a dataclass; to read them out of its annotations takes longer than to make one."""
    hints = typing.get_type_hints(kind)
    return {one.name: hints[one.name] for one in dataclasses.fields(kind)}


def _decode_tuple(value: Any, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    if kinds[-1] is Ellipsis:
        return tuple(decode(item, kinds[0]) for item in value)
    return tuple(decode(item, kind) for item, kind in zip(value, kinds, strict=True))
