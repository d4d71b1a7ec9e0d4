"""The rows of a parametrized test, and the same with one row alone. Pure."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from fencepost.analyzer.assertions import OPEN
from fencepost.analyzer.source_text import Edit, Function, SourceText, called_name, value_of

PARAM = "param"  # `pytest.param`: a row with marks and an id


@dataclass(frozen=True, slots=True)
class Rows:
    """One `parametrize` whose rows stand in the source: its names, the display of its rows, and that of their ids."""

    names: tuple[str, ...]
    display: ast.List | ast.Tuple
    ids: ast.List | ast.Tuple | None

    def values(self, row: ast.expr) -> list[tuple[str, ast.expr]]:
        """What a row gives to each name."""
        values = [row]
        match row:
            case ast.Call(args=given) if called_name(row) == PARAM:
                values = given
            case ast.Tuple(elts=given) | ast.List(elts=given) if self.names[1:]:
                values = given
        return list(zip(self.names, values, strict=False))


def rows_of(test: Function) -> Iterator[Rows]:
    """The rows of a test, decorator by decorator."""
    for decorator in test.decorator_list:
        if isinstance(decorator, ast.Call) and called_name(decorator) == "parametrize":
            given = dict(zip(("argnames", "argvalues", "indirect", "ids"), decorator.args, strict=False))
            given |= {str(one.arg): one.value for one in decorator.keywords}
            display, ids = given.get("argvalues"), given.get("ids")
            names = _names(given["argnames"]) if "argnames" in given else ()
            if isinstance(display, ast.List | ast.Tuple):
                yield Rows(names, display, ids if isinstance(ids, ast.List | ast.Tuple) else None)


def _names(node: ast.expr) -> tuple[str, ...]:
    """The names of a `parametrize`: one text with commas, or a list of texts."""
    value = value_of(node)
    texts = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else ()
    return tuple(str(one).strip() for one in texts)


def only_row(source: SourceText, rows: Rows, literal: ast.expr, expected: Collection[str]) -> Iterator[Edit]:
    """The row with a literal alone, `...` for the values of the names that are expected."""
    ids = rows.ids.elts if rows.ids else []
    for row, its_id in itertools.zip_longest(rows.display.elts, ids):
        if row is None or literal not in ast.walk(row):
            continue
        yield from _alone(source, rows.display, row)
        if rows.ids is not None and its_id is not None:
            yield from _alone(source, rows.ids, its_id)
        if (
            isinstance(row, ast.Call) and called_name(row) == PARAM
        ):  # what marks it, and its id, are about the old input
            yield Edit(source.range(row.args[-1])[1], source.range(row)[1] - 1, "")
        for name, value in rows.values(row):
            if name in expected and literal not in ast.walk(value):
                yield Edit(*source.range(value), OPEN)


def row_of(source: SourceText, test: Function, test_id: str) -> Iterator[Edit]:
    """The row alone that pytest names so in an id; nothing where the rows do not tell, or several decorators do."""
    several = [*rows_of(test)]
    wanted = test_id.partition("[")[2].removesuffix("]")
    if len(several) != 1 or not wanted:
        return
    (rows,) = several
    ids = [value_of(one) for one in rows.ids.elts] if rows.ids else []
    for number, row in enumerate(rows.display.elts):
        its_id = ids[number] if number < len(ids) else _id_of(rows, row, number)
        if its_id == wanted and len(rows.display.elts) > 1:
            yield from _alone(source, rows.display, row)
            yield from _alone(source, rows.ids, rows.ids.elts[number]) if rows.ids and number < len(ids) else ()
            return


def _id_of(rows: Rows, row: ast.expr, number: int) -> str:
    """How pytest names a row: its plain values, and of others the name and the number of the row."""
    if isinstance(row, ast.Call) and called_name(row) == PARAM:
        named = next((value_of(one.value) for one in row.keywords if one.arg == "id"), None)
        if isinstance(named, str):
            return named
    values = ((name, value_of(value)) for name, value in rows.values(row))
    plain = str | int | float | bool | None
    texts = (str(value) if isinstance(value, plain) else f"{name}{number}" for name, value in values)
    return "-".join(texts).encode("unicode_escape").decode()


def _alone(source: SourceText, display: ast.List | ast.Tuple, item: ast.expr) -> Iterator[Edit]:
    """One item of a display alone; a tuple of one needs its comma."""
    start, end = source.range(display)
    first, last = source.range(item)
    yield Edit(start + 1, first, "")
    yield Edit(last, end - 1, "," if isinstance(display, ast.Tuple) else "")
