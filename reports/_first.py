"""Which of many things are shown first: few of one line, and few of one file. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

Shown = TypeVar("Shown")


def first_of(
    found: Iterable[Shown], place: Callable[[Shown], tuple[str, int]], per_line: int, per_file: int
) -> list[Shown]:
    """Those to show first, in their order.

    Args:
        place: the file and the line of one.
    """
    lines: Counter[tuple[str, int]] = Counter()
    files: Counter[str] = Counter()
    chosen = []
    for one in found:
        path, line = place(one)
        if lines[path, line] < per_line and files[path] < per_file:
            lines[path, line] += 1
            files[path] += 1
            chosen.append(one)
    return chosen
