"""FP106: stand beside a threshold that has a name, at the place of its use."""

from __future__ import annotations

import dataclasses
import decimal
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, Example, MutantDraft, Rule, Source, parted
from fencepost.rules.boundary._comparison import RELATIONAL, is_fraction, links, neighbour, stepped
from fencepost.rules.boundary._defaults import tells_apart


class NamedThreshold(Rule):
    """A threshold with a name, or a default for one, that could be one off and no test would notice.

    ## What it does
    Moves a number one step up and one step down (1, or of a fraction such as 0.25 one unit of its last written digit)
    where it gets its name: `MAX_ITEMS = 100` at the level of a module or a class, if the project compares, slices or
    counts with it; and the default of a parameter that the function compares.
    Where each use is moved by FP102, FP103 or FP107 already, the constant is ignored and the uses are named; so is a
    default where the function asks only what both numbers answer alike. Tests that take the constant itself as their
    input (`MAX_ITEMS + 1`) cannot tell.

    ## Why it matters
    A limit with a name is a promise made in one place: 100 items, not 99. A test that computes its input from the name
    follows every change of it.

    ## What to do
    Write the number out in a test: stand on it, and one step beside it, where the constant is used.
    """

    code = "FP106"
    name = "named-threshold"
    node_types = (cst.Assign, cst.AnnAssign, cst.Param)

    VALID: ClassVar = [
        Example(
            code="def crowded(count, limit=3):\n    return count > limit\n",
            tests="def test_both_sides():\n    assert crowded(4) and not crowded(3)\n",
        ),
        Example(
            code=(
                "MAX_ITEMS = 3\n\n"
                "def fits(count):\n    return count <= MAX_ITEMS\n\n"
                "def left(count):\n    return MAX_ITEMS - count\n"
            ),
            tests="def test_all():\n    assert fits(3) and not fits(4) and left(1) == 2\n",
        ),
        Example(
            code="MAX_ITEMS = 3\n\ndef fits(count):\n    return count <= MAX_ITEMS\n",
            tests="def test_fits():\n    assert fits(3) and not fits(4)\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def crowded(count, limit=3):\n    return count > limit\n",
            tests="def test_far():\n    assert crowded(9) and not crowded(3)\n",
            survivors=("4",),
        ),
        Example(
            code=(
                "class Cart:\n"
                "    MAX_ITEMS = 3\n\n"
                "    def fits(self, count):\n        return count <= self.MAX_ITEMS\n\n"
                "    def left(self, count):\n        return self.MAX_ITEMS - count\n"
            ),
            tests=(
                "def test_limit():\n"
                "    assert Cart().fits(Cart.MAX_ITEMS) and not Cart().fits(Cart.MAX_ITEMS + 1)\n"
                "    assert Cart().left(Cart.MAX_ITEMS) == 0\n"
            ),
            survivors=("2", "4"),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        if isinstance(node, cst.Param):
            yield from _default_drafts(node, source)
        elif _is_of_module_or_class(source):
            yield from _constant_drafts(node, source)


def _is_of_module_or_class(source: Source) -> bool:
    """Whether the visited statement stands directly in a module or in the body of a class."""
    block = source.parent(2)
    return isinstance(block, cst.Module) or isinstance(source.parent(3), cst.ClassDef)


def _constant_drafts(statement: cst.CSTNode, source: Source) -> Iterator[Draft]:
    """The draft of a constant that is a threshold somewhere."""
    name, value = _named_value(statement)
    if name is None or value is None or not _is_written_number(value, source):
        return
    uses = source.uses(name)
    thresholds = [use for use in uses if use.is_threshold]
    if not thresholds:
        return
    places = ", ".join(f"{use.path}:{use.line}" for use in thresholds[:3])
    ask = f"stand on `{name.value}` and one step beside it, with the number written out, where it is used: {places}"
    lines = sorted({use.line for use in uses})
    told = f"line{'s' if lines[1:] else ''} {', '.join(map(str, lines))}"
    moves = all(use.moves for use in uses)
    change = "a smaller" if is_fraction(source.number(value) or 0) else "the same"
    reason = f"{change} change is made where it is used: {told}" if moves else None
    yield dataclasses.replace(_draft(value, ask, source), ignored=reason)


def _named_value(statement: cst.CSTNode) -> tuple[cst.Name | None, cst.BaseExpression | None]:
    """The only name that a statement gives a value, and the value."""
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target: cst.BaseExpression = statement.targets[0].target
    elif isinstance(statement, cst.AnnAssign):
        target = statement.target
    else:
        return None, None
    return (target, statement.value) if isinstance(target, cst.Name) else (None, None)


def _is_written_number(node: cst.BaseExpression, source: Source) -> bool:
    return not isinstance(node, cst.Name | cst.Attribute) and source.number(node) is not None


def _default_drafts(param: cst.Param, source: Source) -> Iterator[Draft]:
    """The drafts of a default that the function compares with something."""
    function = source.parent(2)
    if (
        param.default is None
        or not isinstance(function, cst.FunctionDef)
        or not _is_written_number(param.default, source)
    ):
        return
    spy = _ComparedNames()
    function.body.visit(spy)
    if param.name.value not in spy.names:
        return
    name, value = param.name.value, source.text(param.default)
    ask = f"call `{function.name.value}` without `{name}`, on {value} and one step beside it"
    number = source.number(param.default) or 0
    told = [tells_apart(function, name, number, other) for _, other in _neighbours(param.default, source)]
    never = f"equivalent: all that is asked of `{name}` is answered alike for both numbers"
    yield from parted(_draft(param.default, ask, source), [None if tells else never for tells in told])


class _ComparedNames(cst.CSTVisitor):
    """The names that are compared by order."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def visit_Comparison(self, node: cst.Comparison) -> None:  # noqa: N802 - libcst calls it by this name
        for link in links(node):
            if link.operator in RELATIONAL:
                self.names |= {operand.value for operand in link.operands if isinstance(operand, cst.Name)}


def _neighbours(value: cst.BaseExpression, source: Source) -> list[tuple[str, float]]:
    """The numbers one step down and one step up, each with its text."""
    number, text = source.number(value) or 0, source.text(value)
    if isinstance(number, float) and not number.is_integer():
        return [_one_digit_on(number, text, direction) for direction in (-1, 1)]
    return [(stepped(number, direction, text), neighbour(number, direction)) for direction in (-1, 1)]


def _one_digit_on(number: float, text: str, direction: int) -> tuple[str, float]:
    """A fraction with its last written digit one up (1) or down (-1): nobody would write a test for less."""
    try:
        written = decimal.Decimal(text.strip("()"))
    except decimal.InvalidOperation:
        written = decimal.Decimal(repr(number))  # a calculation, such as 0.5 * 0.25
    moved = written + direction * decimal.Decimal(1).scaleb(int(written.as_tuple().exponent))
    if float(moved) == number:  # written with more digits than a float has
        return stepped(number, direction), neighbour(number, direction)
    return str(moved), float(moved)


def _draft(value: cst.BaseExpression, ask: str, source: Source) -> Draft:
    mutants = [MutantDraft(text, text) for text, _ in _neighbours(value, source)]
    return Draft(value, "constant", ask, mutants, (value,), "constant", Shape.VALUE, "{0}")
