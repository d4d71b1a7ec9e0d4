"""What the normalizing rules ask about the parts of a call."""

from __future__ import annotations

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from fencepost.analyzer.source import SourceFile
from fencepost.rules.normalizing._calls import is_accessor, is_quiet, place_of, receiver_of


def parsed(expression: str, before: str = "") -> tuple[cst.BaseExpression, SourceFile]:
    code = f"{before}{expression}\n"
    wrapper = MetadataWrapper(cst.parse_module(code), unsafe_skip_copy=True)
    line = cst.ensure_type(wrapper.module.body[-1], cst.SimpleStatementLine)
    source = SourceFile(code, wrapper.module, wrapper.resolve(PositionProvider))
    return cst.ensure_type(line.body[0], cst.Expr).value, source


def call(expression: str) -> cst.Call:
    node, _ = parsed(expression)
    return cst.ensure_type(node, cst.Call)


@pytest.mark.parametrize(
    ("expression", "quiet"),
    [
        ("a", True),
        ("1", True),
        ("'a' 'b'", True),
        ("...", True),
        ("a.b.c", True),
        ("-a", True),
        ("not a", True),
        ("a + b", True),
        ("a % 2", True),
        ("a // 2.5", True),
        ("a and (b or c)", True),
        ("a < b in c", True),
        ("(a, [b], {c})", True),
        ("lambda: f()", True),
        ("f'{a}b'", True),
        ("len(a)", True),
        ("isinstance(a, (b, c))", True),
        ("a.b.startswith('c', d)", True),
        ("a.strip().lower()", True),
        ("str.maketrans('a', 'b')", True),
        ("f()", False),
        ("f().a", False),
        ("a[0]", False),
        ("-f()", False),
        ("a + f()", False),
        ("f() + a", False),
        ("a % b", False),
        ("a / 0", False),
        ("f() % 2", False),
        ("a and f()", False),
        ("f() and a", False),
        ("a < f()", False),
        ("f() < a", False),
        ("a < b < f()", False),
        ("(a, f())", False),
        ("f'{f()}'", False),
        ("f'{a:{b}}'", False),
        ("len(f())", False),
        ("f().strip()", False),
        ("a.pop()", False),
        ("(a := b)", False),
        ("[a for a in b]", False),
        ("a if b else c", False),
    ],
)
def test_an_expression_is_quiet_where_nobody_would_miss_its_evaluation(expression: str, *, quiet: bool) -> None:
    assert is_quiet(*parsed(expression)) is quiet


def test_a_function_of_the_project_with_a_known_name_is_not_quiet() -> None:
    assert not is_quiet(*parsed("len(a)", "def len(a): pass\n"))


@pytest.mark.parametrize(
    ("expression", "accessor"),
    [
        ("a.str", True),
        ("a['b'].dt", True),
        ("f().str", True),
        ("self.a.str", True),
        ("self.str", False),
        ("cls.dt", False),
        ("str", False),
        ("a.list", False),
    ],
)
def test_an_accessor_is_the_str_or_dt_of_a_column(expression: str, *, accessor: bool) -> None:
    assert is_accessor(parsed(expression)[0]) is accessor


@pytest.mark.parametrize(
    ("expression", "stands"),
    [
        ("a.f()", True),
        ("LIMIT.f()", True),
        ("made.LIMIT.f()", True),
        ("unknown.f()", True),
        ("Model.f()", False),
        ("made.Model.f()", False),
        ("made.f()", False),
        ("super().f()", False),
        ("a.str.f()", False),
        ("f()", False),
    ],
)
def test_a_receiver_stands_for_a_value_where_it_is_no_module_and_no_class(expression: str, *, stands: bool) -> None:
    node, source = parsed(expression, "import made\nfrom made import LIMIT, Model\n")
    assert (receiver_of(cst.ensure_type(node, cst.Call), source) is not None) is stands


@pytest.mark.parametrize(
    ("expression", "place"),
    [("f(a, b)", 2), ("f(b=1)", 1), ("f(a, c=1, b=2)", 3), ("f(a)", None), ("f(a, c=1)", None), ("f()", None)],
)
def test_an_argument_is_found_by_its_position_or_by_its_keyword(expression: str, place: int | None) -> None:
    assert place_of(call(expression), 1, "b") == place
