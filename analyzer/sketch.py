"""A test to start from: the nearest existing test, its input moved to where it is wanted, its expectation left open.

What a person has to decide stands as `...`, which no result equals: a sketch that nobody filled in fails.
"""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

OPEN = "..."
DECIDE = "  # decide"
INDENT = "    "

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a sketch is for.

    Attributes:
        path: the file under test, relative to the root.
        scope: dotted name of the function or method that holds the place; empty at module level.
        name: what takes the value, as the code under test spells it.
        old: source text of the value that the nearest test brings there; None where it is not known.
        new: source text of the value that is wanted; None where only words say it.
        suffix: what the name of the new test ends with (`at_18`).
        reminder: what to do, in words, where the new value could not be put in.
        based_on: id of the nearest test; None where no test gets there.
    """

    path: str
    scope: str
    name: str
    old: str | None
    new: str | None
    suffix: str
    reminder: str
    based_on: str | None


@dataclass(frozen=True, slots=True)
class Sketch:
    """A test to fill in: where it belongs (None: a new file), its source, and whether the new input is in it."""

    path: str | None
    text: str
    moved: bool


@dataclass(frozen=True, slots=True)
class _Edit:
    """New text for a range of the source, in characters counted from 0."""

    start: int
    end: int
    text: str


class Sketcher:
    """Makes sketches out of the tests of a project; each file is read once.

    Args:
        root: the root of the project.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: Callable[[str], _Source | None] = functools.cache(self._parse)

    def sketch(self, wanted: Wanted) -> Sketch | None:
        """A test to start from; None where nothing here says how to get to the place."""
        if wanted.based_on is None:
            return self._from_signature(wanted)
        path, _, names = wanted.based_on.partition("::")
        source = self._read(path)
        test = source.function(names.partition("[")[0].split("::")) if source else None
        if source is None or test is None:
            return None
        return _Copy(source, test, wanted).sketch(path)

    def _parse(self, path: str) -> _Source | None:
        try:
            return _Source((self._root / path).read_text(encoding="utf-8"))
        except (OSError, SyntaxError, ValueError):
            return None

    def _from_signature(self, wanted: Wanted) -> Sketch | None:
        source, parts = self._read(wanted.path), wanted.scope.split(".")
        function = source.function(parts) if source else None
        if function is None:
            return None
        taken = _parameters(function, method=len(parts) > 1)
        given = [f"{one}={wanted.new if one == wanted.name and wanted.new else OPEN}" for one in taken]
        called = f"{parts[0]}({OPEN}).{parts[-1]}" if len(parts) > 1 else parts[0]
        moved = wanted.new is not None and wanted.name in taken
        lines = [
            f"from {self._module_name(wanted.path)} import {parts[0]}", "", "",
            f"def test_{parts[-1].strip('_')}_{wanted.suffix}():", *([] if moved else [f"{INDENT}# {wanted.reminder}"]),
            f"{INDENT}assert {called}({', '.join(given)}) == {OPEN}{DECIDE}", "",
        ]  # fmt: skip
        return Sketch(None, "\n".join(lines), moved)

    def _module_name(self, path: str) -> str:
        """The dotted name that the file is imported by: from its outermost package on."""
        parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
        first = len(parts) - 1
        while first and (self._root.joinpath(*parts[:first]) / "__init__.py").is_file():
            first -= 1
        return ".".join(parts[first:])


class _Source:
    """The text of a file, with its functions and the places of its nodes."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.module = ast.parse(text)
        self.lines = text.splitlines(keepends=True)

    def function(self, names: Sequence[str]) -> Function | None:
        """The function with a path of names, through classes; None where there is none of that name."""
        body: Sequence[ast.stmt] = self.module.body
        for name in names[:-1]:
            inner = next((one for one in body if isinstance(one, ast.ClassDef) and one.name == name), None)
            if inner is None:
                return None
            body = inner.body
        functions = (one for one in body if isinstance(one, Function))
        return next((one for one in functions if one.name == names[-1]), None)

    def range(self, node: ast.AST) -> tuple[int, int]:
        """Where a node begins and ends, counted from 0 in characters."""
        place: Any = node
        return self.at(place.lineno, place.col_offset), self.at(place.end_lineno, place.end_col_offset)

    def at(self, line: int, column: int) -> int:
        """A place that `ast` gives, whose columns count bytes."""
        before = sum(map(len, self.lines[: line - 1]))
        return before + len(self.lines[line - 1].encode()[:column].decode(errors="ignore"))

    def whole_lines(self, node: ast.stmt) -> tuple[int, int]:
        """The lines of a statement, with what stands behind it on the last."""
        return self.at(node.lineno, 0), self.at(node.end_lineno or node.lineno, 0) + len(
            self.lines[(node.end_lineno or node.lineno) - 1]
        )


class _Copy:
    """A test like another one, as edits of its source."""

    def __init__(self, source: _Source, test: Function, wanted: Wanted) -> None:
        self.source, self.test, self.wanted = source, test, wanted
        self.asserts = [(one, opened) for one in test.body if (opened := _expectation(one)) is not None]

    def sketch(self, path: str) -> Sketch:
        moved = self._move_input()
        edits = [
            *moved,
            *self._open_asserts(moved),
            *self._first_line(moved),
            self._renamed(),
            *self._expected_to_raise(),
        ]
        first = min([self.test.lineno, *(one.lineno for one in self.test.decorator_list)])
        start, end = self.source.at(first, 0), self.source.range(self.test)[1]
        text = self.source.text[start:end]
        for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
            text = text[: edit.start - start] + edit.text + text[edit.end - start :]
        return Sketch(path, textwrap.dedent(text).rstrip() + "\n", bool(moved))

    def _renamed(self) -> _Edit:
        start = self.source.text.index(self.test.name, self.source.range(self.test)[0])
        return _Edit(start, start + len(self.test.name), f"{self.test.name}_{self.wanted.suffix}")

    def _first_line(self, moved: Sequence[_Edit]) -> Iterator[_Edit]:
        """The docstring tells of the old test: the reminder takes its place, where one is needed."""
        first = self.test.body[0]
        reminder = "" if moved else f"{' ' * first.col_offset}# {self.wanted.reminder}\n"
        if ast.get_docstring(self.test) is not None and self.test.body[1:]:
            yield _Edit(*self.source.whole_lines(first), reminder)
        elif first.lineno > self.test.lineno:
            start = self.source.at(first.lineno, 0)
            yield _Edit(start, start, reminder)

    def _move_input(self) -> list[_Edit]:
        """The new value in the first place where the test writes the old one as an input; nothing where it does not."""
        expected = [node for opened in self._compared() for node in ast.walk(opened)]
        for node in self._literals():
            new = _instead(node, self.wanted)
            if new is not None and node not in expected:
                return [_Edit(*self.source.range(node), new), *self._only_row(node)]
        return []

    def _compared(self) -> Iterator[ast.expr]:
        """What the results are compared with; an assertion of bare truth compares with nothing."""
        return (opened for one, opened in self.asserts if not (isinstance(one, ast.Assert) and opened is one.test))

    def _literals(self) -> Iterator[ast.expr]:
        """What may be the input: what is given to calls in the body first, then what parametrizes the test."""
        calls = [node for one in self.test.body for node in ast.walk(one) if isinstance(node, ast.Call)]
        given = [value for call in calls for value in (*call.args, *(one.value for one in call.keywords))]
        other = [node for one in (*self.test.body, *self.test.decorator_list) for node in ast.walk(one)]
        yield from given
        yield from (node for node in other if isinstance(node, ast.expr) and node not in given)

    def _only_row(self, literal: ast.expr) -> Iterator[_Edit]:
        """Where the input stands in a row of `parametrize`: that row alone, its expectation open."""
        for decorator in self.test.decorator_list:
            match decorator:
                case ast.Call(args=[names, ast.List(elts=rows) | ast.Tuple(elts=rows), *_]):
                    row = next((one for one in rows if literal in ast.walk(one)), None)
                    if row is not None:
                        yield from (_Edit(*self._with_comma(one, rows), "") for one in rows if one is not row)
                        yield from self._open_row(row, _names(names))

    def _with_comma(self, row: ast.expr, rows: Sequence[ast.expr]) -> tuple[int, int]:
        """The range of a row and of what divides it from its neighbour."""
        place = rows.index(row)
        start, end = self.source.range(row)
        if place + 1 < len(rows):
            return start, self.source.range(rows[place + 1])[0]
        return self.source.range(rows[place - 1])[1], end

    def _open_row(self, row: ast.expr, names: Sequence[str]) -> Iterator[_Edit]:
        expected = {one.id for opened in self._compared() for one in ast.walk(opened) if isinstance(one, ast.Name)}
        values = row.elts if isinstance(row, ast.Tuple) else row.args if isinstance(row, ast.Call) else []
        for name, value in zip(names, values, strict=False):
            if name in expected and _instead(value, self.wanted) is None:
                yield _Edit(*self.source.range(value), OPEN)

    def _open_asserts(self, moved: Sequence[_Edit]) -> Iterator[_Edit]:
        """The assertions with `...` for what they expect; where the input stands in one, that one alone."""
        touched = [one for one in self.asserts if self._holds(one[0], moved)]
        for statement, opened in self.asserts:
            if touched and (statement, opened) not in touched:
                yield _Edit(*self.source.whole_lines(statement), "")
            else:
                yield from self._opened(statement, opened)

    def _holds(self, statement: ast.stmt, edits: Sequence[_Edit]) -> bool:
        start, end = self.source.range(statement)
        return any(start <= edit.start < end for edit in edits)

    def _opened(self, statement: ast.stmt, opened: ast.expr) -> Iterator[_Edit]:
        """A comparison becomes one for equality, whatever it was: nothing is equal to `...`."""
        end = self.source.range(statement)[1]
        match statement:
            case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
                told = right if opened is left else left
                yield _Edit(self.source.range(left)[0], self.source.range(told)[0], "")
                yield _Edit(self.source.range(told)[1], end, f" == {OPEN}{DECIDE}")
            case ast.Assert(test=ast.UnaryOp(op=ast.Not(), operand=told) as test):
                yield _Edit(self.source.range(test)[0], self.source.range(told)[0], "")
                yield _Edit(self.source.range(told)[1], end, f" == {OPEN}{DECIDE}")
            case ast.Assert(test=told):
                yield _Edit(self.source.range(told)[1], end, f" == {OPEN}{DECIDE}")
            case _:
                yield _Edit(*self.source.range(opened), OPEN)
                yield _Edit(end, end, DECIDE)

    def _expected_to_raise(self) -> Iterator[_Edit]:
        """Whether the new input raises too is for a person to say."""
        for node in ast.walk(self.test):
            match node:
                case ast.With(items=[*_, ast.withitem(context_expr=ast.Call(func=ast.Attribute(attr=name)) as call)]):
                    if name in {"raises", "assertRaises", "warns", "assertWarns"}:
                        colon = self.source.text.index(":", self.source.range(call)[1]) + 1
                        yield _Edit(colon, colon, f"{DECIDE}: does it?")


def _expectation(statement: ast.stmt) -> ast.expr | None:
    """What a statement compares with, or all that it asserts; None where it asserts nothing plain."""
    match statement:
        case ast.Assert(test=ast.Compare(left=left, comparators=[right])):
            return left if _value(left) is not _NOTHING else right
        case ast.Assert(test=test):
            return test
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name), args=[first, second, *_])) if name == "assertEqual":
            return first if _value(first) is not _NOTHING else second
    return None


def _instead(node: ast.expr, wanted: Wanted) -> str | None:
    """The new text for a literal that is the old value; None for any other node."""
    if wanted.old is None or wanted.new is None:
        return None
    value, old, new = _value(node), _value_of(wanted.old), _value_of(wanted.new)
    if old is not _NOTHING and value == old and type(value) is type(old):
        return wanted.new
    if wanted.name.startswith("len(") and isinstance(value, str | bytes | list | tuple) and len(value) == old:
        return repr(_resized(value, new)) if isinstance(new, int) and value else None
    return None


def _resized(value: Any, length: int) -> Any:
    """The same with so many items: cut, or its last one repeated."""
    return value[:length] + value[-1:] * (length - len(value))


_NOTHING = object()


def _value(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return _NOTHING


def _value_of(text: str) -> Any:
    try:
        return _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError):
        return _NOTHING


def _names(node: ast.expr) -> list[str]:
    """The names of a `parametrize`: one text with commas, or a list of texts."""
    value = _value(node)
    texts = value.split(",") if isinstance(value, str) else value if isinstance(value, list | tuple) else []
    return [str(one).strip() for one in texts]


def _parameters(function: Function, *, method: bool) -> list[str]:
    """The parameters that have to be given: those without a default, and not `self`."""
    given = function.args
    required = [*given.posonlyargs, *given.args]
    required = required[: len(required) - len(given.defaults)][method:]
    required += [one for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None]
    return [one.arg for one in required]
