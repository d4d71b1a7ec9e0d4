"""Where a test writes an input, and another one in its place. Pure."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.analyzer.assertions import RAISING, Assertion
from fencepost.analyzer.parametrized import Rows, only_row, rows_of
from fencepost.analyzer.source_text import NOTHING, Edit, Function, SourceText, called_name, value_in, value_of

COMMON = 9  # whole numbers up to this one say nothing by themselves
WRITTEN_OUT = 60  # items of a text or list that can still be counted; longer ones are repeated in code
NAMED, GIVEN, PASSED, ELSEWHERE = range(4)
"""What speaks for a literal: it goes by the name of what is compared, to what is tested, to any call, or nothing."""
ABOUT_TESTS = frozenset({"match", "reason", "msg", "rel", "abs"})  # keywords that give no input


@dataclass(frozen=True, slots=True)
class Move:
    """An input to replace: the name of what takes it, the source text of the old value and of the new one."""

    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A test with another input.

    Attributes:
        place: where the input stands.
        edits: the changes.
        likely: whether its name, or what it is given to, says that it is the one.
        opened: what the row with it leaves open, by name.
    """

    place: int
    edits: tuple[Edit, ...]
    likely: bool
    opened: frozenset[str] = field(default_factory=frozenset)


def moved_input(
    source: SourceText, test: Function, move: Move, subjects: Collection[str], found: Sequence[Assertion]
) -> Moved | None:
    """The new value in the likeliest of the places where the test writes the old one; None where it does not.

    Args:
        source: the file of the test.
        test: the test.
        move: what to replace.
        subjects: the names of what is tested.
        found: the assertions of the test; what they expect is no input.
    """
    expected = [one for assertion in found for one in assertion.expected]
    names = {one.id for node in expected for one in ast.walk(node) if isinstance(one, ast.Name)}
    results = {one.statement: [comparison.result for comparison in one.comparisons] for one in found}
    search = _Search(set(re.findall(r"[^\W\d]\w*", move.name)), subjects, results)
    places = [
        (rank, Edit(*source.range(node), new), node, rows)
        for rank, node, rows in _places(test, search, names)
        if (new := _instead(source, node, move)) is not None
    ]
    if not places:
        return None
    rank, edit, node, rows = min(places, key=lambda place: place[0])
    likely = rank in {NAMED, GIVEN}
    if not likely and (len(places) > 1 or not _distinctive(value_of(node))):
        return None
    others = only_row(source, rows, node, names) if rows else ()
    return Moved(edit.start, (edit, *others), likely, frozenset(names.intersection(rows.names if rows else ())))


def _distinctive(value: Any) -> bool:
    """Whether a value is none of those that stand everywhere: small whole numbers, truths and what is empty."""
    if isinstance(value, int | float):
        return abs(value) > COMMON or value != int(value)
    return bool(value)


def _places(test: Function, search: _Search, expected: Collection[str]) -> Iterator[tuple[int, ast.expr, Rows | None]]:
    """The literals that may be the input, with what speaks for each; of a row only what no assertion compares with."""
    for statement in test.body:
        yield from ((rank, node, None) for rank, node in search.literals(statement, ELSEWHERE))
    for rows in rows_of(test):
        for name, value in (pair for row in rows.display.elts for pair in rows.values(row) if pair[0] not in expected):
            rank = NAMED if name in search.names else ELSEWHERE
            yield from ((found, node, rows) for found, node in search.literals(value, rank))


@dataclass(frozen=True, slots=True)
class _Search:
    """Literals that may be inputs: of assertions only those in their results, no parts of an arithmetic or a text."""

    names: Collection[str]
    subjects: Collection[str]
    results: Mapping[ast.stmt, Sequence[ast.expr]]

    def literals(self, node: ast.AST, rank: int) -> Iterator[tuple[int, ast.expr]]:
        """The literals in a node, each with how much speaks for it."""
        if isinstance(node, ast.JoinedStr):
            return
        if isinstance(node, ast.expr) and (value_of(node) is not NOTHING or isinstance(node, ast.List | ast.Tuple)):
            yield rank, node
            if not isinstance(node, ast.List | ast.Tuple | ast.Dict | ast.Set):
                return
        for child, child_rank in self._children(node, rank):
            yield from self.literals(child, child_rank)

    def _children(self, node: ast.AST, rank: int) -> Iterator[tuple[ast.AST, int]]:
        match node:
            case ast.stmt() if node in self.results:
                yield from ((result, rank) for result in self.results[node])
            case ast.Call(func=func, args=args, keywords=keywords):
                passed = min(rank, GIVEN if called_name(node) in self.subjects else PASSED)
                yield func, rank
                yield from ((one, passed) for one in (args[1:] if called_name(node) in RAISING else args))
                given = (one for one in keywords if one.arg not in ABOUT_TESTS)
                yield from ((one.value, NAMED if one.arg in self.names else passed) for one in given)
            case ast.Dict(keys=keys, values=values):
                yield from ((key, rank) for key in keys if key)
                pairs = zip(keys, values, strict=True)
                yield from ((value, NAMED if key and value_of(key) in self.names else rank) for key, value in pairs)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ) if value:
                yield value, NAMED if name in self.names else rank
            case ast.Expr(value=ast.Constant()):
                return
            case ast.BinOp() | ast.UnaryOp() | ast.Subscript() | ast.Slice() | ast.Attribute():
                parts = (one for one in ast.iter_child_nodes(node) if not isinstance(one, ast.expr) or not _bare(one))
                yield from ((one, rank) for one in parts)
            case _:
                yield from ((one, rank) for one in ast.iter_child_nodes(node))


def _bare(node: ast.expr) -> bool:
    """Whether a part of an expression is a literal that is no value of its own there."""
    return value_of(node) is not NOTHING


def _instead(source: SourceText, node: ast.expr, move: Move) -> str | None:
    """The new text for a literal that is the old value; None for any other node."""
    value, old, new = value_of(node), value_in(move.old), value_in(move.new)
    if old is NOTHING:
        return None
    if not move.name.startswith("len("):
        return move.new if value == old and type(value) is type(old) else None
    if not isinstance(old, int) or not isinstance(new, int) or new < 0:
        return None
    if isinstance(value, str | bytes):
        return _resized(value, new) if len(value) == old else None
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == old:
        return _with_items(source, node, new)
    return None


def _resized(value: Any, length: int) -> str:
    """A text with so many characters: cut, or its last one repeated."""
    missing = length - len(value)
    last = value[-1:] or (b"x" if isinstance(value, bytes) else "x")
    if missing > WRITTEN_OUT:
        return f"({value!r} + {last!r} * {missing})"
    return repr(value[:length] + last * missing)


def _with_items(source: SourceText, node: ast.List | ast.Tuple, length: int) -> str | None:
    """A list or tuple with so many items: cut, or its last one repeated; None where it has none."""
    if not node.elts:
        return None
    texts = [source.segment(one) for one in node.elts]
    missing = length - len(texts)
    if missing > WRITTEN_OUT:
        return f"({_display(node, texts)} + {_display(node, texts[-1:])} * {missing})"
    return _display(node, [*texts[:length], *texts[-1:] * missing])


def _display(node: ast.List | ast.Tuple, texts: Sequence[str]) -> str:
    items = ", ".join(texts)
    if isinstance(node, ast.List):
        return f"[{items}]"
    return f"({items},)" if len(texts) == 1 else f"({items})"
