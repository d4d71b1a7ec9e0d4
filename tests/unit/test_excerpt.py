"""Places of a file as places of its text."""

from __future__ import annotations

import pytest

from fencepost.analyzer.excerpt import excerpt, offset
from fencepost.analyzer.model import Position, Site, Span


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [(1, 1, 0), (1, 3, 2), (2, 1, 4), (2, 3, 6), (3, 1, 8), (4, 2, 10)],
)
def test_a_place_is_counted_in_characters_from_the_start_of_the_text(line: int, column: int, expected: int) -> None:
    assert offset("aß\U0001f600\nb\x0c\u2028\n\nxy", Position(line, column)) == expected


def test_a_line_that_the_text_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="substring not found"):
        offset("one line", Position(2, 1))


def a_site(source: str, line: int, column: int) -> Site:
    start = Position(line, column)
    return Site("s", "FP101", "shop.py", Span(start, start), "", source, "threshold", "")


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ((7, 9), (7, 12), "sum"),
        ((7, 9), (8, 3), "sum(\n  "),
        ((8, 3), (8, 8), "items"),
        ((8, 3), (9, 2), "items\n)"),
    ],
)
def test_a_span_of_the_file_is_found_in_the_text_of_its_site(
    start: tuple[int, int], end: tuple[int, int], expected: str
) -> None:
    site = a_site("sum(\n  items\n) >= 3", 7, 9)
    assert excerpt(site, Span(Position(*start), Position(*end))) == expected
