"""What a test asserts, and the same with `...` for what it expects. Pure.

What a person has to decide stands as `...`, which no result equals and no exception is: a test that has it fails.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from fencepost.analyzer.source_text import NOTHING, Edit, Function, SourceText, called_name, value_of

OPEN = "..."
DECIDE = "  # decide"

RAISING = frozenset({"raises", "warns", "assertRaises", "assertRaisesRegex", "assertWarns", "assertWarnsRegex"})
_OTHER = frozenset({"assertLogs", "assertNoLogs"})  # contexts, that say nothing of a value
_OF_ONE = frozenset({"assertTrue", "assertFalse", "assertIsNone", "assertIsNotNone"})
_LOOSE = (
    ast.Compare, ast.GeneratorExp, ast.IfExp, ast.Lambda, ast.NamedExpr, ast.Tuple, ast.Yield, ast.YieldFrom,
)  # fmt: skip
"""What does not hold together in front of `==` without parentheses."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A result and what it is compared with; nothing where its truth alone is asserted."""

    result: ast.expr
    expected: tuple[ast.expr, ...] = ()
    equal: bool = False


@dataclass(frozen=True, slots=True)
class Assertion:
    """A statement that asserts.

    Attributes:
        comparisons: what it compares; several where `and` or `or` joins them.
        sure: whether it runs whenever the test does.
    """

    statement: ast.stmt
    comparisons: tuple[Comparison, ...]
    sure: bool

    @property
    def expected(self) -> Iterator[ast.expr]:
        """All that its results are compared with."""
        return (one for comparison in self.comparisons for one in comparison.expected)


def assertions(test: Function, subjects: Collection[str]) -> Iterator[Assertion]:
    """The assertions of a test, in their order; `subjects` are the names of what it tests."""
    for statement, sure in _statements(test.body, sure=True):
        comparisons = tuple(_comparisons(statement, subjects))
        if comparisons:
            yield Assertion(statement, comparisons, sure)


def _statements(body: Sequence[ast.stmt], *, sure: bool) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements of a body and of what is in it, each with whether it runs whenever the body does."""
    for statement in body:
        yield statement, sure
        inner = [one for one in ast.walk(statement) if one is not statement and isinstance(one, ast.stmt)]
        direct = [one for one in ast.iter_child_nodes(statement) if isinstance(one, ast.stmt)]
        if isinstance(statement, ast.With | ast.AsyncWith | ast.For | ast.AsyncFor) and not _suppresses(statement):
            yield from _statements(direct, sure=sure)
        else:
            yield from ((one, False) for one in inner)


def _suppresses(statement: ast.With | ast.AsyncWith | ast.For | ast.AsyncFor) -> bool:
    items = statement.items if isinstance(statement, ast.With | ast.AsyncWith) else []
    return any(called_name(item.context_expr) == "suppress" for item in items)


def calls(node: ast.AST, subjects: Collection[str]) -> bool:
    """Whether something so named is called in a node."""
    return any(isinstance(one, ast.Call) and called_name(one) in subjects for one in ast.walk(node))


def _comparisons(statement: ast.stmt, subjects: Collection[str]) -> Iterator[Comparison]:
    match statement:
        case ast.Assert(test=test):
            yield from _compared(test, subjects)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name), args=[first, *more])) if _asserts(name):
            if name in _OF_ONE:
                yield from _compared(first, subjects)
            else:
                yield _sides(first, more[0], subjects, equal=name == "assertEqual") if more else Comparison(first)


def _asserts(name: str) -> bool:
    """Whether a method so named asserts something of the values that it is given: those of `unittest` do."""
    return re.match("assert[A-Z]", name) is not None and name not in RAISING | _OTHER


def _compared(test: ast.expr, subjects: Collection[str]) -> Iterator[Comparison]:
    match test:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _compared(value, subjects)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _compared(operand, subjects)
        case ast.Compare(left=left, comparators=[right], ops=[sign]):
            yield _sides(left, right, subjects, equal=isinstance(sign, ast.Eq))
        case ast.Compare(left=left, comparators=several):
            results = [one for one in (left, *several) if value_of(one) is NOTHING]
            if len(results) == 1:
                yield Comparison(results[0], tuple(one for one in (left, *several) if one is not results[0]))
            else:
                yield Comparison(test)
        case _:
            yield Comparison(test)


def _sides(left: ast.expr, right: ast.expr, subjects: Collection[str], *, equal: bool) -> Comparison:
    """Which side is the result: the one that calls what is tested, else the left one unless it is a literal."""
    swapped = _rank(right, subjects) > _rank(left, subjects)
    result, expected = (right, left) if swapped else (left, right)
    return Comparison(result, (expected,), equal)


def _rank(node: ast.expr, subjects: Collection[str]) -> int:
    if value_of(node) is not NOTHING:
        return 0
    return 2 if calls(node, subjects) else 1


def opened(source: SourceText, statement: ast.stmt, result: ast.expr) -> Iterator[Edit]:
    """A statement as an assertion that a result of it equals `...`, whatever it asserted of it."""
    start, end = source.range(statement)
    first, last = source.range(result)
    before, behind = "assert ", f" == {OPEN}"
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=case, attr=name))) if _asserts(name):
            before, behind = f"{source.segment(case)}.assertEqual(", f", {OPEN})"
    if isinstance(result, _LOOSE) or "\n" in source.text[first:last]:
        before, behind = f"{before}(", f"){behind}"
    yield Edit(start, first, before)
    yield Edit(last, end, behind + decide(source, end))


def decide(source: SourceText, end: int) -> str:
    """The comment for the end of a statement; none where another statement follows on its line."""
    return "" if source.behind(end) else DECIDE


def opened_exceptions(source: SourceText, test: Function) -> Iterator[Edit]:
    """Whether the new input raises too is for a person to say: `...` is no exception."""
    for node in ast.walk(test):
        match node:
            case ast.Call(args=[expected, *_]) if called_name(node) in RAISING:
                yield Edit(*source.range(expected), OPEN)
            case ast.Call(keywords=keywords) if called_name(node) in RAISING:
                named = (one for one in keywords if one.arg in {"expected_exception", "expected_warning"})
                yield from (Edit(*source.range(one.value), OPEN) for one in named)
            case ast.With(items=[*_, item], body=[first, *_]) if called_name(item.context_expr) in RAISING:
                yield from _question(source, item, first)


def _question(source: SourceText, item: ast.withitem, first: ast.stmt) -> Iterator[Edit]:
    colon = source.text.find(":", source.range(item.optional_vars or item.context_expr)[1], source.range(first)[0])
    if colon >= 0 and not source.behind(colon + 1):
        yield Edit(colon + 1, colon + 1, f"{DECIDE}: does it?")


def raises_surely(test: Function) -> bool:
    """Whether a context in which an exception is expected runs whenever the test does."""
    with_items = (one for one, sure in _statements(test.body, sure=True) if sure and isinstance(one, ast.With))
    return any(called_name(item.context_expr) in RAISING for one in with_items for item in one.items)
