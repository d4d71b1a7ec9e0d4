"""What earlier tests have settled by the time a comparison is made: some of its mutants differ only for the rest.

`if n < 1: return` leaves no value below 1 for an `if n == 1` behind it, so `n <= 1` says the same there.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._comparison import RELATIONAL, Link, is_length, links, threshold_side
from fencepost.rules.boundary._least import least
from fencepost.rules.boundary._names import gives_value, is_own
from fencepost.rules.normalizing._calls import is_quiet, shown

HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
LEAVING = cst.Return | cst.Raise | cst.Continue | cst.Break
REPEATING = cst.For | cst.While | cst.Try | cst.TryStar | cst.With | cst.Match
OTHER_TIMES = cst.FunctionDef | cst.Lambda | cst.ClassDef | cst.CompFor | cst.BaseComp
BLOCKS = cst.IndentedBlock | cst.Module | cst.SimpleStatementLine | cst.SimpleStatementSuite
# where nothing is evaluated between a test and the comparison but what `_made_in` tells
IN_PLACE = (
    cst.BooleanOperation | cst.UnaryOperation | cst.If | cst.IfExp | cst.Else | cst.While | cst.Assert | cst.Return
    | cst.Expr | BLOCKS
)  # fmt: skip
MOST_LENGTHS = 100
LARGEST = 1e15  # from here on there may be no number between two neighbours


@dataclass(frozen=True, slots=True)
class Compared:
    """A value beside a number, as `value operator number`."""

    operator: str
    number: float

    def holds(self, value: float | Fraction) -> bool:
        return HOLDS[self.operator](value, self.number)


@dataclass(frozen=True, slots=True)
class Fact:
    """A test that was made on the way to a comparison, link by link, and whether all of it held."""

    links: tuple[Compared, ...]
    truth: bool
    text: str

    def allows(self, value: float | Fraction) -> bool:
        return all(one.holds(value) for one in self.links) is self.truth


def _seen_from_value(side: int, operator: str, number: float) -> Compared:
    """How the value is compared where the number is the operand on this side: 0 is the left one, 1 the right one."""
    return Compared(operator if side else MIRRORED[operator], number)


def settled_before(link: Link, original: tuple[str, float], mutated: tuple[str, float], source: Source) -> str | None:
    """Why a mutant of the visited comparison differs for no value that can still come; None where it may.

    Args:
        original: the operator and the number that is the threshold.
        mutated: the same, changed.
    """
    side = threshold_side(link, source)
    subject = _subject(link.operands[1 - side], source)
    told = [_seen_from_value(side, *one) for one in (original, mutated)]
    if subject is None or max(abs(one.number) for one in told) > LARGEST:
        return None
    facts = [*_beside(link, subject, source), *_facts(link.comparison, subject, source)]
    facts = [fact for fact in facts if all(abs(one.number) <= LARGEST for one in fact.links)]
    operators = {original[0], *(one.operator for fact in facts for one in fact.links)}
    if not subject.is_length and RELATIONAL.isdisjoint(operators):
        return None  # two values that are only equal or not may have no order
    for chosen in [*([fact] for fact in facts), facts]:
        if chosen and _is_same(told, chosen, whole=subject.is_length):
            names = " and ".join(dict.fromkeys(f"`{fact.text}`" for fact in chosen))
            return f"equivalent: it differs only for values that never come here, because of {names}"
    return None


def _is_same(told: Sequence[Compared], facts: Sequence[Fact], *, whole: bool) -> bool:
    """Whether comparisons say the same of all values that the facts allow."""
    examples = _examples([*told, *(one for fact in facts for one in fact.links)], whole=whole)
    left = [value for value in examples if all(fact.allows(value) for fact in facts)]
    return all(len({one.holds(value) for one in told}) == 1 for value in left)


def _beside(link: Link, subject: _Subject, source: Source) -> Iterator[Fact]:
    """The other links of the chain: where one does not hold, the chain does not, whatever the rest says."""
    for other in links(link.comparison):
        compared = None if other.index == link.index else _compared(other, subject, source)
        if compared is not None:
            yield Fact((compared,), truth=True, text=_shown(other, source))


def _shown(link: Link, source: Source) -> str:
    return f"{source.text(link.left)} {link.operator} {source.text(link.right)}"


def settled_by_kind(link: Link, original: tuple[str, float], mutated: tuple[str, float], source: Source) -> str | None:
    """Why a mutant of a comparison differs for no value of its kind, such as a remainder; None where it may."""
    side = threshold_side(link, source)
    value = link.operands[1 - side]
    kind = _kind(value, source)
    told = [_seen_from_value(side, *one) for one in (original, mutated)]
    if kind is None or not _is_same(told, kind, whole=False):
        return None
    bounds = " and ".join(f"{fact.links[0].operator} {fact.links[0].number}" for fact in kind)
    return f"equivalent by type: `{shown(value, source)}` is always {bounds}"


def _kind(value: cst.BaseExpression, source: Source) -> list[Fact] | None:
    """The bounds of all values that an expression can have; None where it has none."""
    lowest = least(value, source)
    if lowest is None or isinstance(value, cst.BaseNumber):
        return None
    divisor = source.number(value.right) if isinstance(value, cst.BinaryOperation) else None
    is_remainder = isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Modulo)
    return [_bound(">=", lowest), *([_bound("<", divisor)] if is_remainder and divisor is not None else [])]


def _bound(operator: str, number: float) -> Fact:
    return Fact((Compared(operator, number),), truth=True, text="")


@dataclass(frozen=True, slots=True)
class _Subject:
    """The value that is compared: a name, an attribute, or the length of one.

    `is_kept` says that it stays the same whatever is called: a name of the function's own, for a number.
    """

    text: str
    name: str
    is_length: bool
    is_kept: bool


def _subject(node: cst.BaseExpression, source: Source) -> _Subject | None:
    if isinstance(node, cst.Name):
        own = is_own(node.value, source)
        return _Subject(node.value, node.value, is_length=False, is_kept=True) if own else None
    inner = node.args[0].value if isinstance(node, cst.Call) and is_length(node, source) and node.args else node
    dotted = cst.helpers.get_full_name_for_node(inner) if isinstance(inner, cst.Name | cst.Attribute) else None
    if dotted is None or source.text(inner) != dotted:
        return None
    return _Subject(source.text(node), dotted, is_length=inner is not node, is_kept=False)


def _examples(compared: Sequence[Compared], *, whole: bool) -> Iterator[float | Fraction]:
    """A value out of each region that the numbers cut out, each number too, and the one that is no number."""
    numbers = sorted({Fraction(one.number) for one in compared})
    if whole and numbers[-1] < MOST_LENGTHS:
        yield from map(Fraction, range(max(0, math.floor(numbers[-1])) + 2))
        return
    yield numbers[0] - 1
    for number, following in itertools.pairwise([*numbers, numbers[-1] + 2]):
        yield number
        yield (number + following) / 2
    yield math.nan


def _facts(comparison: cst.Comparison, subject: _Subject, source: Source) -> Iterator[Fact]:
    """The tests that have been made, the nearest first, as far back as the subject is certainly the same."""
    level = 1
    child: cst.CSTNode = comparison
    while (around := source.parent(level)) is not None:
        if isinstance(around, OTHER_TIMES) or not (subject.is_kept or isinstance(around, IN_PLACE)):
            return
        for made, truth in _made_in(around, child):
            if _may_change(made, subject, source, is_test=truth is not None):
                return
            if truth is not None:
                yield from _said(made, subject, source, truth=truth)
        if isinstance(around, REPEATING) and (not subject.is_kept or gives_value(around, subject.name)):
            return
        level, child = level + 1, around


def _made_in(around: cst.CSTNode, child: cst.CSTNode) -> Sequence[tuple[cst.CSTNode, bool | None]]:
    """What was evaluated in a node before one of its children, the last first; tests with how they ended."""
    if isinstance(around, cst.BooleanOperation):
        return [(around.left, isinstance(around.operator, cst.And))] if child is around.right else []
    if isinstance(around, cst.If | cst.IfExp | cst.While):
        return [] if child is around.test else [(around.test, child is around.body)]
    if isinstance(around, BLOCKS):
        place = next(number for number, one in enumerate(around.body) if one is child)
        return [_passed(one) for one in reversed(around.body[:place])]
    return []


def _passed(statement: cst.CSTNode) -> tuple[cst.CSTNode, bool | None]:
    """A statement that something follows: `if n < 1: return` is a test that did not hold."""
    if isinstance(statement, cst.If) and statement.orelse is None and _leaves(statement.body):
        return statement.test, False
    return statement, None


def _leaves(body: cst.BaseSuite) -> bool:
    last = body.body[-1]
    return isinstance(last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last, LEAVING)


def _may_change(node: cst.CSTNode, subject: _Subject, source: Source, *, is_test: bool) -> bool:
    if subject.is_kept:
        return gives_value(node, subject.name)
    return not (is_quiet(node, source) if is_test else _only_names(node, subject, source))


def _only_names(statement: cst.CSTNode, subject: _Subject, source: Source) -> bool:
    """Whether all that a line does is to give other names of the function values, quietly."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    for one in statement.body:
        match one:
            case cst.Pass() | cst.Expr(value=cst.BaseString()):
                continue
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
                if name == subject.name.partition(".")[0] or not is_own(name, source) or not is_quiet(value, source):
                    return False
            case _:
                return False
    return True


def _said(test: cst.CSTNode, subject: _Subject, source: Source, *, truth: bool) -> Iterator[Fact]:
    """What is known of the subject where a test has held, or has not."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        yield from _said(test.expression, subject, source, truth=not truth)
    elif isinstance(test, cst.BooleanOperation):
        if isinstance(test.operator, cst.And) is truth:
            yield from _said(test.left, subject, source, truth=truth)
            yield from _said(test.right, subject, source, truth=truth)
    elif isinstance(test, cst.Comparison):
        told = [_compared(link, subject, source) for link in links(test)]
        known = tuple(one for one in told if one is not None)
        if known and (truth or len(known) == len(told)):
            yield Fact(known, truth, shown(test, source))
    elif source.text(test) == subject.name:
        yield Fact((Compared("!=", 0),), truth, shown(test, source))


def _compared(link: Link, subject: _Subject, source: Source) -> Compared | None:
    """The subject beside a number, where a link compares the two."""
    for side, operand in enumerate(link.operands):
        number = source.number(operand)
        if number is not None and link.operator in HOLDS and source.text(link.operands[1 - side]) == subject.text:
            return _seen_from_value(side, link.operator, number)
    return None
