"""One step up or down from a threshold that a call spells out: decimals, dates, times and spans of time.

A step is one unit of the last written digit of a `Decimal`, and of the smallest unit that a date or time names.
"""

from __future__ import annotations

import datetime
import decimal
from dataclasses import dataclass

import libcst as cst

from fencepost.rules._rule import Source

UNITS = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")  # as `timedelta` takes them
SMALLEST_FIRST = ("microseconds", "milliseconds", "seconds", "minutes", "hours", "days", "weeks")
DATE = ("year", "month", "day")
PARTS = ("year", "month", "day", "hour", "minute", "second", "microsecond")  # as `datetime` takes them
STEPS = {"day": "days", "hour": "hours", "minute": "minutes", "second": "seconds", "microsecond": "microseconds"}
RESOLUTION = datetime.timedelta.resolution


@dataclass(frozen=True, slots=True)
class Spelled:
    """A neighbour of a threshold: its source text, and a template that makes it of the threshold's value."""

    text: str
    template: str


def stepped_call(node: cst.CSTNode, operand: int, source: Source, direction: int) -> Spelled | None:
    """The neighbour one step up (1) or down (-1); None where the node is no such call, or not of literals alone.

    Args:
        operand: the number of the threshold among the operands of the template.
    """
    if not isinstance(node, cst.Call) or any(argument.star for argument in node.args):
        return None
    callee = source.text(node.func)
    match source.resolves_to(node.func):
        case "decimal.Decimal":
            return _decimal(node, operand, callee, direction)
        case "datetime.timedelta":
            return _span(node, operand, source, callee, direction)
        case "datetime.date":
            return _moment(node, operand, source, callee, direction, parts=DATE)
        case "datetime.datetime":
            return _moment(node, operand, source, callee, direction, parts=PARTS)
    return None


def _decimal(node: cst.Call, operand: int, callee: str, direction: int) -> Spelled | None:
    given = node.args[0].value if len(node.args) == 1 else None
    if not isinstance(given, cst.SimpleString) or not isinstance(given.evaluated_value, str):
        return None
    try:
        value = decimal.Decimal(given.evaluated_value)
    except decimal.InvalidOperation:
        return None
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        return None  # infinite, or no number
    unit = decimal.Decimal(1).scaleb(exponent)
    with decimal.localcontext(prec=len(value.as_tuple().digits) + 2):
        moved = value + direction * unit
    quote = given.quote
    sign = "+" if direction > 0 else "-"
    return Spelled(f"{callee}({quote}{moved}{quote})", f"{{{operand}}} {sign} type({{{operand}}})('{unit}')")


def _span(node: cst.Call, operand: int, source: Source, callee: str, direction: int) -> Spelled | None:
    named = _numbers(node, UNITS, source)
    if not named:
        return None
    unit = next(one for one in SMALLEST_FIRST if one in named)
    given = ", ".join(f"{name}={number + direction * (name == unit)}" for name, number in named.items())
    return Spelled(f"{callee}({given})", _moved(operand, direction, datetime.timedelta(**{unit: 1}) // RESOLUTION))


def _moment(
    node: cst.Call, operand: int, source: Source, callee: str, direction: int, *, parts: tuple[str, ...]
) -> Spelled | None:
    named = _numbers(node, parts, source)
    if named is None or len(named) < 3 or list(named) != list(parts[: len(named)]):
        return None
    step = datetime.timedelta(**{STEPS[list(named)[-1]]: 1})
    try:
        moved = datetime.datetime(**named) + direction * step  # type: ignore[arg-type]  # noqa: DTZ001 - as the source
    except (ValueError, OverflowError):
        return None
    given = ", ".join(str(getattr(moved, name)) for name in named)
    return Spelled(f"{callee}({given})", _moved(operand, direction, 1 if parts == DATE else step // RESOLUTION))


def _moved(operand: int, direction: int, steps: int) -> str:
    """The template of a date or time so many of its own smallest steps away."""
    times = f" * {steps}" if steps > 1 else ""
    return f"{{{operand}}} {'+' if direction > 0 else '-'} {{{operand}}}.resolution{times}"


def _numbers(node: cst.Call, names: tuple[str, ...], source: Source) -> dict[str, int] | None:
    """The whole numbers given to a call, by the names of its parameters; None where anything else is given."""
    found: dict[str, int] = {}
    for place, argument in enumerate(node.args):
        name = argument.keyword.value if argument.keyword else names[place] if place < len(names) else ""
        number = source.number(argument.value)
        if (
            name not in names
            or not isinstance(number, int)
            or not isinstance(argument.value, cst.Integer | cst.UnaryOperation)
        ):
            return None
        found[name] = number
    return found
