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


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("src/shop/cart.py", "from .text import clean\nclean\n", "src.shop.text.clean"),
        ("src/shop/cart.py", "from .text import clean as c\nc.d\n", "src.shop.text.clean.d"),
        ("src/shop/cart.py", "from . import text\ntext.clean\n", "src.shop.text.clean"),
        ("src/shop/cart.py", "from ..text import clean\nclean\n", "src.text.clean"),
        ("src/shop/__init__.py", "from .text import clean\nclean\n", "src.shop.text.clean"),
        ("shop/text.py", "def clean(): pass\nclean\n", "shop.text.clean"),
        ("shop/__init__.py", "def clean(): pass\nclean\n", "shop.clean"),
        ("shop/text.py", "class A: pass\nA.clean\n", "shop.text.A.clean"),
        ("text.py", "def clean(): pass\nclean\n", "text.clean"),
        ("shop/text.py", "from shop.text import clean\nclean\n", None),
        ("shop/text.py", "from .text import *\nclean\n", None),
        ("shop/text.py", "clean\n", None),
        ("shop/text.py", "f().clean\n", None),
    ],
)
def test_what_the_project_defines_has_a_name_from_its_root(path: str, line: str, name: str | None) -> None:
    wrapper = MetadataWrapper(cst.parse_module(line), unsafe_skip_copy=True)
    source = SourceFile(line, wrapper.module, wrapper.resolve(PositionProvider), path=path)
    assert source.own_name(last_value(wrapper.module)) == name


def test_what_is_imported_relatively_means_nothing_outside_the_project() -> None:
    assert of_last("from .math import floor\nfloor\n", SourceFile.resolves_to) is None
    assert of_last("from math import floor\nfloor\n", SourceFile.resolves_to) == "math.floor"


@pytest.mark.parametrize(
    ("code", "maker"),
    [
        ("import re\na = re.compile('b')\na\n", "re.compile"),
        ("from re import compile as c\ndef f():\n    a: int = c('b')\na\n", "re.compile"),
        ("import re\nclass A:\n    def f(self):\n        self.a = re.compile('b')\nA.a\n", "re.compile"),
        ("import re\nf(a := re.compile('b'))\na\n", "re.compile"),
        ("import re\na = b = re.compile('b')\nb\n", "re.compile"),
        ("import re\na = re.compile('b')\na = re.compile('c')\na\n", "re.compile"),
        ("import re\na = re.compile('b')\na = 3\na\n", None),
        ("import re\na = re.compile('b')\na = re.escape('c')\na\n", None),
        ("a: int\na\n", None),
        ("a = f()\na\n", None),
        ("a\n", None),
        ("a[0] = f()\na[0]\n", None),
    ],
)
def test_a_name_is_made_by_a_function_where_it_is_given_nothing_but_its_results(code: str, maker: str | None) -> None:
    assert of_last(code, SourceFile.made_by) == maker


@pytest.mark.parametrize(
    ("line", "imported"),
    [
        ("import pandas\n", True),
        ("import pandas.testing as t\n", True),
        ("def f():\n    from pandas import NA\n", True),
        ("from .pandas import NA\n", False),
        ("import pandastic\n", False),
        ("pandas = 1\n", False),
    ],
)
def test_a_file_imports_a_package_at_whatever_depth(line: str, *, imported: bool) -> None:
    _, source = parsed(line)
    assert source.imports("pandas") is imported
    assert source.imports("other", "pandas") is imported
    assert source.imports("other") is False
