"""The diff of a mutant, short enough for a page: few lines, and of a long line the part around the change. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.analyzer.model import Mutant
from fencepost.reports.mutant_page import unified_diff

LINES = 40  # the middle of a longer diff is left out
WIDTH = 200  # characters of one line
BEFORE_THE_CHANGE = 60  # of those


def diff_lines(text: str | None, mutant: Mutant) -> Iterator[str]:
    """The lines of the diff without the names of the files.

    Args:
        text: of the file of the mutant; None where it is not as it was, which leaves the expression alone.
    """
    if text is None:
        lines = [f"-{line}" for line in mutant.original.split("\n")]
        lines += [f"+{line}" for line in mutant.replacement.split("\n")]
        start = 0
    else:
        lines = list(unified_diff(text, mutant))[2:]
        start = max(0, mutant.span.start.column - 1 - BEFORE_THE_CHANGE)
    return _few(_windows(lines, start))


def _windows(lines: list[str], start: int) -> list[str]:
    return [line if line.startswith("@@") else _window(line, start) for line in lines]


def _window(line: str, start: int) -> str:
    """A line as it is, or where it is too long its part from `start` on."""
    sign, rest = line[:1], line[1:]
    if len(rest) <= WIDTH:
        return line
    begin = min(start, len(rest) - 1)
    end = begin + WIDTH
    return f"{sign}{'...' if begin else ''}{rest[begin:end]}{'...' if len(rest) > end else ''}"


def _few(lines: list[str]) -> Iterator[str]:
    if len(lines) <= LINES:
        yield from lines
        return
    kept = LINES // 2
    yield from lines[:kept]
    yield f"... {len(lines) - 2 * kept} more lines ..."
    yield from lines[-kept:]
