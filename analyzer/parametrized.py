"""The rows of a parametrized test, and the same with one row alone. Pure."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from fencepost.analyzer.assertions import OPEN
from fencepost.analyzer.source_text import Edit, Function, SourceText, called_name, value_of


@dataclass(frozen=True, slots=True)
class Rows:
    """One `parametrize` whose rows stand in the source: its names, the display of its rows, and that of their ids."""

    names: tuple[str, ...]
    display: ast.List | ast.Tuple
    ids: ast.List | ast.Tuple | None

    def values(self, row: ast.expr) -> list[tuple[str, ast.expr]]:
        """What a row gives to each name."""
        match row:
            case ast.Call(args=values) if called_name(row) == "param":
                return list(zip(self.names, values, strict=False))
            case ast.Tuple(elts=values) | ast.List(elts=values) if len(self.names) > 1:
                return list(zip(self.names, values, strict=False))
        return [(self.names[0], row)] if len(self.names) == 1 else []


def rows_of(test: Function) -> Iterator[Rows]:
    """The rows of a test, decorator by decorator."""
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and called_name(decorator) == "parametrize":
            given = dict(zip(("argnames", "argvalues", "indirect", "ids"), decorator.args, strict=False))
            given |= {one.arg: one.value for one in decorator.keywords if one.arg}
            display, ids = given.get("argvalues"), given.get("ids")
            names = _names(given["argnames"]) if "argnames" in given else ()
            if isinstance(display, ast.List | ast.Tuple) and names:
                yield Rows(names, display, ids if isinstance(ids, ast.List | ast.Tuple) else None)


def _names(node: ast.expr) -> tuple[str, ...]:
    """The names of a `parametrize`: one text with commas, or a list of texts."""
    value = value_of(node)
    texts = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    return tuple(str(one).strip() for one in texts)


def only_row(source: SourceText, rows: Rows, literal: ast.expr, expected: Collection[str]) -> Iterator[Edit]:
    """The row with a literal alone, `...` for the values of the names that are expected."""
    places = [place for place, row in enumerate(rows.display.elts) if literal in ast.walk(row)]
    for place in places:
        row = rows.display.elts[place]
        yield from _alone(source, rows.display, place)
        if rows.ids is not None and place < len(rows.ids.elts):
            yield from _alone(source, rows.ids, place)
        if isinstance(row, ast.Call):  # what marks it, and its id, are about the old input
            yield Edit(source.range(row.args[-1])[1], source.range(row)[1] - 1, "")
        for name, value in rows.values(row):
            if name in expected and literal not in ast.walk(value):
                yield Edit(*source.range(value), OPEN)


def _alone(source: SourceText, display: ast.List | ast.Tuple, place: int) -> Iterator[Edit]:
    """One item of a display alone; a tuple of one needs its comma."""
    start, end = source.range(display)
    first, last = source.range(display.elts[place])
    yield Edit(start + 1, first, "")
    yield Edit(last, end - 1, "," if isinstance(display, ast.Tuple) else "")
