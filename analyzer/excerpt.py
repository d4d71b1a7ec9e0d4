"""Parts of a source text, for people and by place. Pure."""

from __future__ import annotations

from fencepost.analyzer.model import Position, Site, Span

SHORT = 60  # characters of a value or an expression in a sentence


def offset(text: str, position: Position) -> int:
    """Where a position is, counted from 0; only newlines end a line here, as for Python's own tokenizer."""
    before = 0
    for _ in range(position.line - 1):
        before = text.index("\n", before) + 1
    return before + position.column - 1


def excerpt(site: Site, span: Span) -> str:
    """The source text of a span that lies inside a site."""
    start, end = (offset(site.source, _inside(site.span.start, place)) for place in (span.start, span.end))
    return site.source[start:end]


def _inside(origin: Position, place: Position) -> Position:
    """A place of the file, as a place of the text that begins at `origin`."""
    if place.line == origin.line:
        return Position(1, place.column - origin.column + 1)
    return Position(place.line - origin.line + 1, place.column)


def shorten(text: str, limit: int = SHORT) -> str:
    """One line of at most `limit` characters."""
    flat = " ".join(text.split()) if "\n" in text else text
    return flat if len(flat) <= limit else f"{flat[: limit - 3]}..."
