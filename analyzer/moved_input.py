"""Where a test writes an input, and another one in its place. Pure."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from fencepost.analyzer.assertions import RAISING, Assertion
from fencepost.analyzer.new_literal import Display, Move, in_place_of, is_old, quoted, spelled
from fencepost.analyzer.parametrized import Rows, only_row, rows_of
from fencepost.analyzer.source_text import NOTHING, Edit, Function, SourceText, called_name, value_of

COMMON = 9  # whole numbers up to this one say nothing by themselves
NAMED, GIVEN, WITHIN, PASSED, ELSEWHERE = range(5)
"""What speaks for a literal: it goes by the name of what is compared, to what is tested, to what is made for that, to
any call, or nothing."""
ABOUT_TESTS = frozenset({"match", "reason", "msg", "rel", "abs"})  # keywords that give no input


@dataclass(frozen=True, slots=True)
class Moved:
    """A test with another input.

    Attributes:
        node: the old input.
        edits: the changes.
        likely: whether its name, or what it is given to, says that it is the one.
        opened: what the row with it leaves open, by name.
    """

    node: ast.expr
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
        if (new := in_place_of(source, node, move)) is not None
    ]
    if not places:
        return None
    rank, edit, node, rows = min(places, key=lambda place: place[0])
    distinctive = _distinctive(spelled(node))
    likely = rank in {NAMED, GIVEN} or (rank == WITHIN and distinctive)
    if not likely and (len(places) > 1 or not distinctive):
        return None
    others = only_row(source, rows, node, names) if rows else ()
    return Moved(node, (edit, *others), likely, frozenset(names.intersection(rows.names if rows else ())))


def given_input(
    source: SourceText, test: Function, move: Move, called: str, takes: Sequence[tuple[str, int | None, ast.expr]]
) -> Moved | None:
    """The new value as an argument of the call of what is tested, where so far the default came; None where none did.

    Args:
        called: the name of what is tested.
        takes: its parameters that have a default: name, place, default.
    """
    names = set(re.findall(r"[^\W\d]\w*", move.name))
    fitting = [one for one in takes if one[0] in names and is_old(one[2], move)]
    calls = [node for node in ast.walk(test) if isinstance(node, ast.Call) and called_name(node) == called]
    if len(fitting) != 1 or not calls or move.new is None:
        return None
    (name, place, _), call = fitting[0], calls[0]
    starred = any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg is None for one in call.keywords)
    taken = isinstance(place, int) and place < len(call.args)
    if starred or taken or any(one.arg == name for one in call.keywords):
        return None
    end = source.range(call)[1] - 1
    before = source.text[source.range(call.func)[1] + 1 : end].rstrip()
    comma = "" if not before else " " if before.endswith(",") else ", "
    new = quoted(source, call, move.new)
    return Moved(call, (Edit(end, end, f"{comma}{name}={new}"),), likely=True)


def _distinctive(value: Any) -> bool:
    """Whether a value is none of those that stand everywhere: small whole numbers, truths and what is empty."""
    if isinstance(value, int | float | Decimal):
        return not math.isfinite(value) or abs(float(value)) > COMMON or value % 1 != 0
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
        if isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "ctx", None), ast.Store):
            return
        if isinstance(node, ast.expr) and (spelled(node) is not NOTHING or isinstance(node, Display)):
            yield rank, node
            if not isinstance(node, Display | ast.Set):
                return
        for child, child_rank in self._children(node, rank):
            yield from self.literals(child, child_rank)

    def _passed(self, call: ast.Call, rank: int) -> int:
        """What speaks for the arguments of a call, with what speaks for the call."""
        if called_name(call) in self.subjects:
            return min(rank, GIVEN)
        return WITHIN if rank == GIVEN else min(rank, PASSED)

    def _children(self, node: ast.AST, rank: int) -> Iterator[tuple[ast.AST, int]]:
        match node:
            case ast.stmt() if node in self.results:
                yield from ((result, rank) for result in self.results[node])
            case ast.Call(func=func, args=args, keywords=keywords):
                passed = self._passed(node, rank)
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
