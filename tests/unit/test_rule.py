"""The contract of a rule: rules are found by looking at the files, and a template is spelled over its operands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from fencepost import rules
from fencepost.analyzer.source import SourceFile
from fencepost.rules._rule import MutantDraft, over_operands

ONE_RULE = "from fencepost.rules import Rule\n\nclass {0}(Rule):\n    code = '{0}'\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose files are taken for rules, beside the real ones."""
    monkeypatch.setattr(rules, "__path__", [str(tmp_path), *rules.__path__])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("fencepost.rules."):
            del sys.modules[name]


def found_now() -> list[str]:
    """The codes of the rules, looked for again."""
    return [rule.code for rule in rules.every_rule.__wrapped__()]


def test_the_rules_are_ordered_by_code_whatever_their_files_are_called() -> None:
    codes = found_now()
    assert codes[:4] == ["FP101", "FP102", "FP103", "FP104"]
    assert codes == sorted(codes)


def test_a_file_with_a_rule_is_all_it_takes(folder: Path) -> None:
    (folder / "added.py").write_text(ONE_RULE.format("FP999"), encoding="utf-8")
    (folder / "_shared.py").write_text("1 / 0\n", encoding="utf-8")
    assert found_now()[-1] == "FP999"


@pytest.mark.parametrize(
    ("name", "code", "count"),
    [("no_rule_at_all", "from fencepost.rules import Rule\n", 0), ("two_at_once", ONE_RULE.format("A"), 2)],
)
def test_a_file_without_exactly_one_rule_is_an_error_that_names_it(
    folder: Path, name: str, code: str, count: int
) -> None:
    more = ONE_RULE.format("B") if count else ""
    (folder / f"{name}.py").write_text(code + more, encoding="utf-8")
    with pytest.raises(TypeError, match=rf"{name}\.py: expected exactly one Rule, found {count}"):
        found_now()


def test_a_template_puts_parentheses_around_an_operand_only_where_it_asks_for_an_atom() -> None:
    wrapper = MetadataWrapper(cst.parse_module("a + b\n"), unsafe_skip_copy=True)
    source = SourceFile("a + b\n", wrapper.module, wrapper.resolve(PositionProvider))
    (statement,) = wrapper.module.body
    sum_of_two = cst.ensure_type(cst.ensure_type(statement, cst.SimpleStatementLine).body[0], cst.Expr).value
    assert over_operands("f({0}).{0:atom}", [sum_of_two], source) == MutantDraft("f(a + b).(a + b)", "f({0}).{0:atom}")
