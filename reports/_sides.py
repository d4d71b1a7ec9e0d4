"""The sides of a threshold: what was seen on each, and on which of them a mutant gives another answer. Pure."""

from __future__ import annotations

import ast
import enum
import operator
from collections.abc import Callable, Sequence

from fencepost.analyzer.model import Mutant, Nearest, Sighting, Site, Threshold

_COMPARISONS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
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
            found.append(_truth(template, operands, at))
        except (ValueError, SyntaxError, LookupError, OverflowError, RecursionError):
            return None
    return found[0], found[1], found[2]


def known_inputs(threshold: Threshold) -> tuple[float, float, float] | None:
    """The inputs just below, at and just above as numbers; None where the source does not tell the value."""
    try:
        below, at, above = (ast.literal_eval(text) for text in (threshold.below, threshold.at, threshold.above))
    except (ValueError, SyntaxError, TypeError):
        return None
    numeric = all(isinstance(value, int | float) for value in (below, at, above))
    return (below, at, above) if numeric else None


def _truth(template: str, operands: Sequence[float], at: float) -> bool:
    text = template.replace(":atom}", "}").format(*(f"({value!r})" for value in operands))
    match ast.parse(text, mode="eval").body:
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return _COMPARISONS[type(sign)](_number(left, at), _number(right, at))
    raise ValueError(template)


def _number(node: ast.expr, at: float) -> float:
    """The value of a number, of the threshold's own name, or of either one step away."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name() | ast.Attribute():
            return at
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, at)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _number(left, at) + _number(right, at)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _number(left, at) - _number(right, at)
    raise ValueError(ast.dump(node))
