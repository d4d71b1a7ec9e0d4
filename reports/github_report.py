"""Annotations for a workflow of GitHub, and a summary of the step where the environment names a file for it."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from fencepost.analyzer.model import Run
from fencepost.reports import comment_report
from fencepost.reports._diagnostics import Diagnostic, Level, diagnostics
from fencepost.reports._first import first_of
from fencepost.reports._places import folder_of
from fencepost.reports._sentences import plural
from fencepost.reports._view import View
from fencepost.reports._visible import cut, visible

MOST = 10  # annotations of one level that GitHub shows of one step; the rest it drops without a word
SUMMARY = "GITHUB_STEP_SUMMARY"
COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def report(run: Run, out: TextIO, root: Path, limit: int | None) -> None:
    """Write the first annotations of each level and how many more there are, and add to the summary of the step."""
    found = diagnostics(View(run), root)
    folder = folder_of(root)
    shown = _shown(found, run)
    for one in shown:
        _print(_annotation(one, folder), out)
    if len(shown) < len(found):
        more = plural(len(found) - len(shown), "more finding")
        _print(_command("notice", {"title": "fencepost"}, f"{more}: fencepost report --all"), out)
    if not run.complete:
        _print(_command("warning", {"title": "fencepost"}, "The run ended early: what it did not try is unknown."), out)
    if os.environ.get(SUMMARY):
        with Path(os.environ[SUMMARY]).open("a", encoding="utf-8") as summary:
            comment_report.report(run, summary, root, limit)
            summary.write("\n")


def _shown(found: Sequence[Diagnostic], run: Run) -> list[Diagnostic]:
    """The first of each level, the gravest first; in a gate few of one line or file."""
    gate = run.gate
    first = found
    if gate is not None:
        first = first_of(found, lambda one: (one.path, one.span.start.line), gate.per_line, gate.per_file)
    # one notice is kept back for the count of what is not shown, one warning for a run that ended early
    room = {Level.ERROR: MOST, Level.WARNING: MOST - (not run.complete), Level.NOTE: MOST - 1}
    return [one for level in Level for one in itertools.islice(_of_level(first, level), room[level])]


def _of_level(found: Iterable[Diagnostic], level: Level) -> Iterable[Diagnostic]:
    return (one for one in found if one.level is level)


def _annotation(one: Diagnostic, folder: str) -> str:
    start, end = one.span.start, one.span.end
    place = {"file": visible(folder + one.path), "line": str(start.line), "endLine": str(end.line)}
    if start.line == end.line:  # GitHub takes columns of one line alone
        place |= {"col": str(start.column), "endColumn": str(end.column)}
    question = f" {cut(one.question.ask)}" if one.question else ""
    return _command(COMMANDS[one.level], {**place, "title": one.title}, one.message + question)


def _command(name: str, properties: Mapping[str, str], message: str) -> str:
    told = ",".join(f"{key}={_property(text)}" for key, text in properties.items())
    return f"::{name} {told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _print(line: str, out: TextIO) -> None:
    """Print a line, with escapes for what the output cannot encode."""
    encoding = out.encoding or "utf-8"
    out.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
