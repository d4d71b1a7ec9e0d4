"""The reporters: the file `NAME_report.py` is the format NAME, `_` in it read as `-`. `write` renders a run."""

from __future__ import annotations

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from fencepost.analyzer.errors import UsageProblem, nearest_name_hint
from fencepost.analyzer.model import Run

__all__ = ["Output", "Reporter", "formats", "parse_output", "write"]

Output = tuple[str, str | None]
"""A format and the path it goes to; None is standard output."""

Reporter = Callable[[Run, TextIO, Path, int | None], None]
"""The function `report` of a format: it gets the run, where to write, the root, and how many gaps to show at most."""

SUFFIX = "_report"
SOURCE_SUFFIXES = frozenset({".py", ".pyi", ".toml", ".cfg", ".ini"})


@functools.cache
def formats() -> tuple[str, ...]:
    """The names of the formats, found by looking, a `_` in them as `-`; nothing is imported."""
    names = (info.name for info in pkgutil.iter_modules(__path__))
    return tuple(sorted(name.removesuffix(SUFFIX).replace("_", "-") for name in names if name.endswith(SUFFIX)))


def _reporter(name: str) -> Reporter:
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}{SUFFIX}")
    report: Reporter = module.report
    return report


def parse_output(text: str) -> Output:
    """Read one `FORMAT[:PATH]`, before anything long is begun.

    Raises:
        UsageProblem: the format is unknown, or no file can be put at the path.
    """
    name, _, path = text.partition(":")
    if name not in formats():
        raise UsageProblem(
            f"there is no output format '{name}'", slug="unknown-format", hint=nearest_name_hint(name, formats())
        )
    if path and Path(path).suffix in SOURCE_SUFFIXES:
        raise _cannot_write(path, "a report does not belong into a file of source or settings")
    if path and (Path(path).is_dir() or not Path(path).absolute().parent.is_dir()):
        raise _cannot_write(path, "its folder does not exist" if not Path(path).is_dir() else "it is a folder")
    return name, path or None


def _cannot_write(path: str, why: str) -> UsageProblem:
    return UsageProblem(
        f"the output '{path}' cannot be written: {why}",
        slug="cannot-write",
        hint="name a new file in a folder that exists",
    )


def write(run: Run, outputs: Sequence[Output], root: Path, *, limit: int | None) -> None:
    """Render a run in each of the outputs.

    Raises:
        UsageProblem: a path cannot be written.
    """
    for name, path in outputs:
        report = _reporter(name)
        if path is None:
            report(run, sys.stdout, root, limit)
            continue
        try:
            with Path(path).open("w", encoding="utf-8") as out:
                report(run, out, root, limit)
        except OSError as error:
            raise _cannot_write(path, f"{error.strerror}") from error
