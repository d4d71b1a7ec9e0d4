"""Minimum, maximum and absolute value spelled out: on their threshold both ways give the same, so no test can tell."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._alike import alike_where_equal
from fencepost.rules.boundary._comparison import OPERATORS, Link, is_length
from fencepost.rules.boundary._nothing import Nothing

_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip
Body = Sequence[cst.BaseStatement | cst.BaseSmallStatement]


def same_on_threshold(link: Link, source: Source) -> str | None:
    """Why the visited comparison decides nothing where its operands are equal; None where it may.

    The idioms are `a if a < b else b`, `if n > 10: n = 10`, `if n >= 10: return 10` before `return n`, the same with
    `-n` around zero, and with `xs[:n]` around a length: `if len(xs) > n: xs = xs[:n]`.
    """
    if not all(_is_steady(operand, source) for operand in link.operands):
        return None
    equal = "where `{}` equals `{}`".format(*map(source.text, link.operands))
    alone = len(link.comparison.comparisons) == 1
    if alone and (_chooses(link, source) or _bounds(link, source)):
        return f"equivalent: a minimum or maximum spelled out, the same either way {equal}"
    if alone and _comes_to_nothing(link, source):
        return f"equivalent: nothing is left to do {equal}"
    if alike_where_equal(link, source):
        return f"equivalent: both ways come to the same {equal}"
    return None


def _comes_to_nothing(link: Link, source: Source) -> bool:
    """Whether the comparison is the test of an `if` whose body does nothing where its operands are equal."""
    level, child = _up_from_conjunctions(link, source)
    branch = source.parent(level)
    if not isinstance(branch, cst.If) or branch.test is not child or branch.orelse is not None:
        return False
    return Nothing(link, source).comes_of(small_statements(branch.body))


def _is_steady(node: cst.BaseExpression, source: Source) -> bool:
    """Whether a node gives the same value each time it is evaluated: it calls nothing but `len`."""
    if isinstance(node, cst.Call):
        return is_length(node, source) and all(_is_steady(given.value, source) for given in node.args)
    if isinstance(node, cst.Attribute):
        return _is_steady(node.value, source)
    if isinstance(node, cst.Subscript):
        indices = [element.slice for element in node.slice]
        plain = [index.value for index in indices if isinstance(index, cst.Index) and index.star is None]
        return len(plain) == len(indices) and all(_is_steady(one, source) for one in [node.value, *plain])
    if isinstance(node, cst.UnaryOperation):
        return not isinstance(node.operator, cst.Not) and _is_steady(node.expression, source)
    return isinstance(node, cst.Name | cst.BaseNumber | cst.SimpleString)


def _chooses(link: Link, source: Source) -> bool:
    """Whether the comparison is the test of a conditional expression that gives one operand or the other."""
    around = source.parent()
    if not isinstance(around, cst.IfExp) or around.test is not link.comparison:
        return False
    return _stand_for_operands(link, around.body, around.orelse, source)


def _stand_for_operands(
    link: Link, one: cst.BaseExpression | None, other: cst.BaseExpression | None, source: Source
) -> bool:
    """Whether two expressions are worth the same where the operands of a link are equal, without being the same."""
    if one is None or other is None or one.deep_equals(other):
        return False
    if _is_beginning(link, one, other, source) or _is_beginning(link, other, one, source):
        return True
    return _is_operand(link, one, source) and _is_operand(link, other, source)


def _is_beginning(link: Link, node: cst.BaseExpression, whole: cst.BaseExpression, source: Source) -> bool:
    """Whether a node is `xs[:n]` and the other one `xs`, in a comparison of `len(xs)` with `n`."""
    if not isinstance(node, cst.Subscript) or len(node.slice) > 1 or not node.value.deep_equals(whole):
        return False
    part = node.slice[0].slice
    if not isinstance(part, cst.Slice) or part.lower is not None or part.step is not None or part.upper is None:
        return False
    return any(
        limit.deep_equals(part.upper) and _is_length_of(length, whole, source)
        for length, limit in (link.operands, reversed(link.operands))
    )


def _is_length_of(node: cst.BaseExpression, items: cst.BaseExpression, source: Source) -> bool:
    return (
        isinstance(node, cst.Call)
        and is_length(node, source)
        and bool(node.args)
        and node.args[0].value.deep_equals(items)
    )


def _is_operand(link: Link, node: cst.BaseExpression, source: Source) -> bool:
    """Whether an expression is an operand of a link, or around zero an operand with its sign turned."""
    turned = node.expression if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus) else node
    zero = any(source.number(operand) == 0 for operand in link.operands)
    return any(node.deep_equals(operand) or (zero and turned.deep_equals(operand)) for operand in link.operands)


def _bounds(link: Link, source: Source) -> bool:
    """Whether the comparison is the test of an `if` that gives one operand in place of the other."""
    level, child = _up_from_conjunctions(link, source)
    branch = source.parent(level)
    if not isinstance(branch, cst.If) or branch.test is not child:
        return False
    return _sets_same(link, branch, source) or _leaves_same(link, branch, source, level + 1)


def _up_from_conjunctions(link: Link, source: Source) -> tuple[int, cst.CSTNode]:
    """The outermost `and` or `or` whose last operand the comparison is, so that nothing is evaluated after it."""
    level = 1
    child: cst.BaseExpression = link.comparison
    while isinstance(around := source.parent(level), cst.BooleanOperation) and around.right is child:
        level, child = level + 1, around
    return level, child


def _sets_same(link: Link, branch: cst.If, source: Source) -> bool:
    """`if n > 10: n = 10`, also with the other way in its `else`, or an `elif` that does not hold on the threshold."""
    target, value = _assigned(branch.body)
    if target is None or value is None:
        return False
    if branch.orelse is None:
        return _stand_for_operands(link, target, value, source)
    if isinstance(branch.orelse, cst.Else):
        other, instead = _assigned(branch.orelse.body)
        return other is not None and other.deep_equals(target) and _stand_for_operands(link, value, instead, source)
    return _stand_for_operands(link, target, value, source) and _none_holds(link, branch.orelse, source)


def _assigned(body: cst.BaseSuite) -> tuple[cst.BaseExpression | None, cst.BaseExpression | None]:
    """The target and the value of a body that is one plain assignment."""
    only = _only_statement(body)
    if isinstance(only, cst.Assign) and len(only.targets) == 1:
        return only.targets[0].target, only.value
    return None, None


def _only_statement(body: cst.BaseSuite) -> cst.BaseSmallStatement | None:
    statements = [*small_statements(body)]
    only = statements[0] if len(statements) == 1 else None
    return only if isinstance(only, cst.BaseSmallStatement) else None


def small_statements(body: cst.BaseSuite) -> Body:
    """The statements of a body, those on one line apart."""
    if isinstance(body, cst.SimpleStatementSuite):
        return body.body
    return apart(cst.ensure_type(body, cst.IndentedBlock).body)


def apart(statements: Sequence[cst.BaseStatement]) -> Body:
    apart: list[cst.BaseStatement | cst.BaseSmallStatement] = []
    for statement in statements:
        apart += statement.body if isinstance(statement, cst.SimpleStatementLine) else [statement]
    return apart


def _none_holds(link: Link, branch: cst.If, source: Source) -> bool:
    """Whether no test of an `elif` chain without `else` holds on the threshold, as far as numbers say."""
    if _holds(link, branch.test, source) is not False:
        return False
    following = branch.orelse
    return following is None or (isinstance(following, cst.If) and _none_holds(link, following, source))


def _holds(link: Link, test: cst.BaseExpression, source: Source) -> bool | None:
    """Whether another comparison of the same value with a number holds on the threshold; None where it is unknown."""
    numbers = [source.number(operand) for operand in link.operands]
    threshold = numbers[1] if numbers[0] is None else numbers[0]
    if threshold is None or None not in numbers or not isinstance(test, cst.Comparison) or len(test.comparisons) > 1:
        return None
    value = link.operands[numbers.index(None)]
    sides = [test.left, test.comparisons[0].comparator]
    known = [threshold if side.deep_equals(value) else source.number(side) for side in sides]
    holds = _HOLDS.get(OPERATORS[type(test.comparisons[0].operator)])
    return None if None in known or holds is None else holds(*known)


def _leaves_same(link: Link, branch: cst.If, source: Source, level: int) -> bool:
    """`if n >= 10: return 10` where `return n` is what follows, at once or behind tests that do not hold then."""
    here = _returned(_only_statement(branch.body))
    if isinstance(branch.orelse, cst.Else):
        return _stand_for_operands(link, here, _returned(_only_statement(branch.orelse.body)), source)
    if branch.orelse is not None:
        return False
    around = source.parent(level)
    siblings = around.body if isinstance(around, cst.IndentedBlock | cst.Module) else ()
    place = next((number for number, one in enumerate(siblings) if one is branch), None)
    if place is None:
        return False
    return _stand_for_operands(link, here, _returned_by(link, apart(siblings[place + 1 :]), source), source)


def _returned(statement: cst.CSTNode | None) -> cst.BaseExpression | None:
    return statement.value if isinstance(statement, cst.Return) else None


def _returned_by(link: Link, following: Body, source: Source) -> cst.BaseExpression | None:
    """What the next statements return on the threshold; None where they may do anything else."""
    for statement in following:
        if not isinstance(statement, cst.If):
            return _returned(statement)
        if statement.orelse is not None or _holds(link, statement.test, source) is not False:
            return None
    return None
