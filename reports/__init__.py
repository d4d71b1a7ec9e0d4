"""The reporters: one output format a file. `write` renders a run in the formats that were asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TextIO

from rich.console import Console

from fencepost.analyzer.errors import UsageProblem, nearest_name_hint
from fencepost.analyzer.model import Run
from fencepost.reports import comment, gaps_page, gate_page, json_report, terminal

__all__ = ["FORMATS", "Output", "parse_output", "write"]

Output = tuple[str, str | None]
"""A format and the path it goes to; None is standard output."""

PIPED_WIDTH = 100
SOURCE_SUFFIXES = frozenset({".py", ".pyi", ".toml", ".cfg", ".ini"})


PAGES = {"gaps": gaps_page, "gate": gate_page}


def _terminal(run: Run, out: TextIO, root: Path, limit: int | None) -> None:
    console = Console(
        file=out, width=None if out.isatty() else PIPED_WIDTH, highlight=False, soft_wrap=not out.isatty()
    )
    page = PAGES.get(run.command, terminal)
    page.report(run, console, limit=limit, root=root)


def _json(run: Run, out: TextIO, _root: Path, _limit: int | None) -> None:
    json_report.report(run, out)


def _comment(run: Run, out: TextIO, root: Path, _limit: int | None) -> None:
    comment.report(run, out, root)


def _comment_data(run: Run, out: TextIO, root: Path, _limit: int | None) -> None:
    comment.report_data(run, out, root)


FORMATS: dict[str, Callable[[Run, TextIO, Path, int | None], None]] = {
    "terminal": _terminal,
    "json": _json,
    "comment": _comment,
    "comment-data": _comment_data,
}


def parse_output(text: str) -> Output:
    """Read one `FORMAT[:PATH]`, before anything long is begun.

    Raises:
        UsageProblem: the format is unknown, or no file can be put at the path.
    """
    name, _, path = text.partition(":")
    if name not in FORMATS:
        raise UsageProblem(
            f"there is no output format '{name}'", slug="unknown-format", hint=nearest_name_hint(name, FORMATS)
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
        if path is None:
            FORMATS[name](run, sys.stdout, root, limit)
            continue
        try:
            with Path(path).open("w", encoding="utf-8") as out:
                FORMATS[name](run, out, root, limit)
        except OSError as error:
            raise _cannot_write(path, f"{error.strerror}") from error
