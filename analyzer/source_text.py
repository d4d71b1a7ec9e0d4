"""The text of a Python file with the places of its nodes, and changes of it."""

from __future__ import annotations

import ast
import itertools
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
Defined: TypeAlias = Function | ast.ClassDef

NOTHING = object()
"""What a node that is no literal is worth; None is a value."""


@dataclass(frozen=True, slots=True)
class Edit:
    """New text for a range of the source, in characters counted from 0."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """A function, and the classes that it stands in, the outermost first."""

    classes: tuple[ast.ClassDef, ...]
    function: Function


class SourceText:
    """The text of a file, its lines divided by newlines alone, as `ast` counts them.

    Raises:
        SyntaxError, ValueError, RecursionError: the text is no Python.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.module = ast.parse(text)
        self._lines = text.split("\n")
        self._starts = list(itertools.accumulate((len(line) + 1 for line in self._lines), initial=0))

    def function(self, names: Sequence[str]) -> Place | None:
        """The function with a path of names, through classes; None where there is none of that name."""
        body: Sequence[ast.stmt] = self.module.body
        classes: list[ast.ClassDef] = []
        *owners, last = names
        for name in owners:
            owner = _last(body, name)
            if not isinstance(owner, ast.ClassDef):
                return None
            classes.append(owner)
            body = owner.body
        function = _last(body, last)
        return Place(tuple(classes), function) if isinstance(function, Function) else None

    def range(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends, counted from 0 in characters."""
        place: Any = node
        return self._at(place.lineno, place.col_offset), self._at(place.end_lineno, place.end_col_offset)

    def segment(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.range(node)
        return self.text[start:end]

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """The whole lines of a range."""
        rest, newline, _ = self.text[end:].partition("\n")
        return self.text.rfind("\n", 0, start) + 1, end + len(rest) + len(newline)

    def before(self, place: int) -> str:
        """What stands before a place on its line."""
        return self.text[self.lines(place, place)[0] : place]

    def behind(self, place: int) -> str:
        """What stands behind a place on its line, but for a comment."""
        text = self.text[place : self.lines(place, place)[1]].strip()
        return "" if text.startswith("#") else text

    def edited(self, start: int, end: int, edits: Iterable[Edit]) -> str:
        """A range of the text with changes; of those that begin at one place insertions come first, in their order.

        A change inside of what another one takes out is gone with it.
        """
        parts: list[str] = []
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            if start <= edit.start:
                parts += [self.text[start : edit.start], edit.text]
                start = edit.end
        return "".join([*parts, self.text[start:end]])

    def _at(self, line: int, column: int) -> int:
        """A place that `ast` gives, whose columns count bytes."""
        return self._starts[line - 1] + len(self._lines[line - 1].encode()[:column].decode())


def _last(body: Sequence[ast.stmt], name: str) -> Defined | None:
    """The definition of a name that holds in the end."""
    return next((one for one in reversed([*_defined(body)]) if one.name == name), None)


def _defined(body: Iterable[ast.AST]) -> Iterator[Defined]:
    """The functions and classes of a body, those under an `if` or in a `try` too, in their order."""
    for node in body:
        if isinstance(node, Defined):
            yield node
        else:
            yield from _defined(ast.iter_child_nodes(node))


def value_of(node: ast.expr) -> Any:
    """The value of a literal; NOTHING for any other node."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return NOTHING


def called_name(node: ast.expr) -> str:
    """The last name of what is called or used as a decorator, called or not; empty where there is none."""
    match node:
        case ast.Call(func=func):
            return called_name(func)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def dedented(text: str) -> str:
    """A definition with its first line at the margin; what stands inside of texts stays as it is."""
    margin = text[: len(text) - len(text.lstrip())]
    if not margin:
        return text
    block = f"if 1:\n{text}"
    source = SourceText(block)
    inside = {line for node in ast.walk(source.module) for line in _lines_inside(source, node)}
    lines = enumerate(block.split("\n"), 1)
    return "\n".join(line if number in inside else line.removeprefix(margin) for number, line in lines if number > 1)


def _lines_inside(source: SourceText, node: ast.AST) -> Iterable[int]:
    """The lines that begin inside of a text; several texts in a row are none, unless one of them has lines."""
    if not isinstance(node, ast.Constant | ast.JoinedStr):
        return ()
    segment = source.segment(node)
    has_lines = any(mark in segment for mark in ('"""', "'''", "\\\n"))
    return range(node.lineno + 1, node.lineno + 1 + segment.count("\n")) if has_lines else ()


def read_source(path: Path) -> SourceText | None:
    """The source in a file; None where it cannot be read, or is no Python."""
    try:
        with tokenize.open(path) as file:  # it knows what the file says of its encoding
            return SourceText(file.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
