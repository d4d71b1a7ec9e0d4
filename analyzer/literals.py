"""The values of source text that spells them out: literals, and numbers, dates and times of the standard library."""

from __future__ import annotations

import ast
import datetime
import decimal
import fractions
from collections.abc import Callable, Mapping
from typing import Any

MAKERS: Mapping[str, Callable[..., Any]] = {
    "Decimal": decimal.Decimal, "Fraction": fractions.Fraction, "date": datetime.date, "datetime": datetime.datetime,
    "time": datetime.time, "timedelta": datetime.timedelta,
}  # fmt: skip
"""By the last part of the name: what makes values out of literals, and has no effect."""


def value_of(text: str) -> Any:
    """The value of an expression that is a literal, or `Decimal("0.05")`, `date(2025, 3, 1)` and their like.

    Raises:
        ValueError: it is anything else.
    """
    try:
        return value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(text) from error


def value(node: ast.expr) -> Any:
    """The same for an expression that is parsed already.

    Raises:
        ValueError: it is anything else.
    """
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=given, keywords=named) if name in MAKERS:
            try:
                return MAKERS[name](*map(value, given), **{str(one.arg): value(one.value) for one in named})
            except (ArithmeticError, TypeError, OverflowError) as error:
                raise ValueError(ast.dump(node)) from error
    try:
        return ast.literal_eval(node)
    except (TypeError, SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(ast.dump(node)) from error
