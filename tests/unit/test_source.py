"""One file as the rules see it: text by node, what stands around it, what names mean, and which are numbers."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from fencepost.analyzer.model import Position, Span
from fencepost.analyzer.source import SourceFile


def parsed(code: str) -> tuple[cst.Module, SourceFile]:
    wrapper = MetadataWrapper(cst.parse_module(code), unsafe_skip_copy=True)
    return wrapper.module, SourceFile(code, wrapper.module, wrapper.resolve(PositionProvider))


def last_value(module: cst.Module) -> cst.BaseExpression:
    """The expression of the last line, which is one."""
    line = cst.ensure_type(module.body[-1], cst.SimpleStatementLine)
    return cst.ensure_type(line.body[0], cst.Expr).value


def of_last(code: str, ask: Callable[[SourceFile, cst.BaseExpression], object]) -> object:
    """What the file answers about its last expression."""
    module, source = parsed(code)
    return ask(source, last_value(module))


@pytest.mark.parametrize(
    ("code", "text", "atom"),
    [
        ("a\n", "a", "a"),
        ("a + b\n", "a + b", "(a + b)"),
        ("(a + b)\n", "(a + b)", "(a + b)"),
        ("( a + b )\n", "(a + b)", "(a + b)"),
        ("f(a)[0].b\n", "f(a)[0].b", "f(a)[0].b"),
        ("[\n  a,\n\n  b]\n", "[\n  a,\n\n  b]", "[\n  a,\n\n  b]"),
    ],
)
def test_an_expression_is_told_with_its_own_parentheses_and_an_atom_has_some_where_it_needs_them(
    code: str, text: str, atom: str
) -> None:
    assert of_last(code, SourceFile.text) == text
    assert of_last(code, SourceFile.atom) == atom


def test_a_node_that_can_have_no_parentheses_has_a_text_too() -> None:
    module, source = parsed("f(key=a, *b)\n")
    call = cst.ensure_type(last_value(module), cst.Call)
    assert [source.text(argument) for argument in call.args] == ["key=a", "*b"]


@pytest.mark.parametrize(
    ("line", "place", "replacement", "fitted"),
    [
        ("x = @if t else u", 1, "s", "(s)"),
        ("x = @_", 1, "s", "(s)"),
        ("return@", 1, "s", "(s)"),
        ("return@", 1, "'s'", "'s'"),
        ("@", 1, "s", "s"),
        ("x = @ if t else u", 1, "s", "s"),
        ("f'{@}'", 1, "{1: 2}[1]", "({1: 2}[1])"),
        ("x = @", 1, "a\n+ b", "(a\n+ b)"),
        ("x = @", 1, "f(\n)", "f(\n)"),
    ],
)
def test_a_replacement_has_parentheses_where_it_would_run_into_something(
    line: str, place: int, replacement: str, fitted: str
) -> None:
    module = cst.parse_module("")
    source = SourceFile(line, module, {})
    column = line.index("@") + 1
    span = Span(Position(place, column), Position(place, column + 1))
    assert source.fitted(replacement, span) == fitted


def test_the_parents_of_a_node_are_counted_from_the_inside() -> None:
    module, source = parsed("a\n")
    source.ancestors = [module, module.body[0]]
    assert source.parent() is module.body[0]
    assert source.parent(2) is module
    assert source.parent(3) is None


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        ("import os\nos.path.join\n", "os.path.join"),
        ("import os.path\nos\n", "os"),
        ("import os.path as p\np.join\n", "os.path.join"),
        ("from math import floor\nfloor\n", "math.floor"),
        ("from math import floor as down\ndown\n", "math.floor"),
        ("from . import floor\nfloor\n", None),
        ("from math import *\nfloor\n", None),
        ("def f():\n    import os\nos\n", "os"),
        ("len\n", "len"),
        ("len = 3\nlen\n", None),
        ("def len(): pass\nlen\n", None),
        ("len: int = 3\nlen\n", None),
        ("mine\n", None),
        ("mine.path\n", None),
        ("f().path\n", None),
    ],
)
def test_a_name_means_what_the_imports_of_the_file_say(code: str, meaning: str | None) -> None:
    assert of_last(code, SourceFile.resolves_to) == meaning


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("7\n", 7),
        ("-2.5\n", -2.5),
        ("60 * 60 - 1 + 2\n", 3601),
        ("60 / 2\n", None),
        ("60 * a\n", None),
        ("-a\n", None),
        ("~1\n", None),
        ("'7'\n", None),
        ("LIMIT\n", None),
        ("LIMIT = 3\nLIMIT\n", 3),
        ("LIMIT: int = 3\nLIMIT\n", 3),
        ("LIMIT: int\nLIMIT\n", None),
        ("A = B = 3\nB\n", 3),
        ("limit = 3\nlimit\n", None),
        ("LIMIT = 3\nLIMIT = 4\nLIMIT\n", None),
        ("LIMIT = 3\nLIMIT = 4\nLIMIT = 5\nLIMIT\n", None),
        ("LIMIT = 3\nLIMIT += 1\nLIMIT\n", None),
        ("LIMIT = f()\nLIMIT\n", None),
        ("OTHER = 3; LIMIT = 2; OTHER = 4\nLIMIT\n", 2),
    ],
)
def test_a_number_is_a_literal_or_a_name_given_one_once(code: str, value: float | None) -> None:
    assert of_last(code, SourceFile.number) == value
