"""The sides of a threshold: what was seen on each, and on which of them a mutant gives another answer. Pure."""

from __future__ import annotations

import ast
import datetime
import decimal
import enum
import operator
from collections.abc import Callable, Sequence
from typing import Any

from fencepost.analyzer.literals import value_of
from fencepost.analyzer.model import Mutant, Nearest, Sighting, Site, Threshold

ORDERED = (int, float, decimal.Decimal, datetime.date, datetime.timedelta)
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}

_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


class Side(enum.StrEnum):
    """Where an input stands, seen from the threshold."""

    BELOW = "below"
    AT = "at"
    ABOVE = "above"


def sides_of(sighting: Sighting) -> tuple[tuple[Side, Nearest], ...]:
    """What was seen below, at and above a threshold, in this order."""
    return (Side.BELOW, sighting.below), (Side.AT, sighting.at), (Side.ABOVE, sighting.above)


def telling_sides(site: Site, mutant: Mutant) -> tuple[Side, ...]:
    """The sides of the threshold on which a mutant of a comparison gives another answer than the original.

    Of the three inputs of the threshold, those are named that would show it; none where the templates do not say.
    """
    if site.probe is None or mutant.template is None:
        return ()
    original, changed = _truths(site, site.probe.template), _truths(site, mutant.template)
    if original is None or changed is None:
        return ()
    return tuple(side for side, one, other in zip(Side, original, changed, strict=True) if one != other)


def truth_at(site: Site) -> tuple[bool, bool, bool] | None:
    """What a comparison gives just below, at and just above its threshold; None where its template does not say."""
    return None if site.probe is None else _truths(site, site.probe.template)


def _truths(site: Site, template: str) -> tuple[bool, bool, bool] | None:
    if site.threshold is None or site.probe is None or site.probe.threshold_operand is None:
        return None
    # where the value is not known the templates only compare the two operands: any three numbers in order will do
    below, at, above = known_inputs(site.threshold) or (-1, 0, 1)
    found = []
    for value in (below, at, above):
        operands = [value, value]
        operands[site.probe.threshold_operand] = at
        try:
            found.append(_truth(template, operands))
        except (ValueError, TypeError, AttributeError, SyntaxError, LookupError, ArithmeticError, RecursionError):
            return None
    return found[0], found[1], found[2]


def known_inputs(threshold: Threshold) -> tuple[Any, Any, Any] | None:
    """The inputs just below, at and just above: numbers, dates or times; None where the source does not tell them."""
    try:
        below, at, above = (value_of(text) for text in (threshold.below, threshold.at, threshold.above))
    except ValueError:
        return None
    return (below, at, above) if all(isinstance(one, ORDERED) for one in (below, at, above)) else None


def _truth(template: str, operands: Sequence[Any]) -> bool:
    text = template.replace(":atom}", "}").format(*(f"operand_{number}" for number in range(len(operands))))
    match ast.parse(text, mode="eval").body:
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return bool(_COMPARISONS[type(sign)](_value(left, operands), _value(right, operands)))
    raise ValueError(template)


def _value(node: ast.expr, operands: Sequence[Any]) -> Any:
    """The value of an operand, or of one a step away; nothing else, since templates are read from a file."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name) if name.startswith("operand_"):
            return operands[int(name.removeprefix("operand_"))]
        case ast.Attribute(value=operand, attr="resolution"):
            return _value(operand, operands).resolution
        case ast.Call(
            func=ast.Call(func=ast.Name(id="type"), args=[operand]), args=[ast.Constant(value=str() as text)]
        ):
            return type(_value(operand, operands))(text)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, operands)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() as sign, right=right):
            return _ARITHMETIC[type(sign)](_value(left, operands), _value(right, operands))
    raise ValueError(ast.dump(node))
