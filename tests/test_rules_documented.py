"""Every rule says what it does, why and what to do about it, and shows it."""

from __future__ import annotations

import inspect
import re
from collections import Counter

import pytest

from fencepost.rules import Rule, every_rule

HEADINGS = ["What it does", "Why it matters", "What to do"]
RULES = pytest.mark.parametrize("rule", every_rule(), ids=lambda rule: rule.code)


def page(rule: type[Rule]) -> str:
    return inspect.cleandoc(rule.__dict__["__doc__"])


@pytest.mark.parametrize("attribute", ["code", "name", "__name__"])
def test_no_two_rules_share_a_code_or_a_name(attribute: str) -> None:
    count = Counter(getattr(rule, attribute) for rule in every_rule())
    assert count
    assert set(count.values()) == {1}


@RULES
def test_a_code_and_a_name_can_stand_in_an_allow_comment(rule: type[Rule]) -> None:
    assert re.fullmatch(r"FP\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)


@RULES
def test_a_page_starts_with_a_summary_of_one_line(rule: type[Rule]) -> None:
    summary, blank = page(rule).splitlines()[:2]
    assert summary.endswith(".")
    assert not blank


@RULES
def test_a_page_has_the_three_headings_with_text_below_each(rule: type[Rule]) -> None:
    _, *sections = re.split(r"^## ", page(rule), flags=re.MULTILINE)
    parts = [section.partition("\n") for section in sections]
    assert [heading for heading, _, _ in parts] == HEADINGS
    assert all(text.strip() for _, _, text in parts)


@RULES
def test_a_rule_shows_a_valid_and_an_invalid_example(rule: type[Rule]) -> None:
    assert rule.VALID
    assert rule.INVALID


@RULES
def test_a_rule_file_is_named_after_its_rule(rule: type[Rule]) -> None:
    assert rule.__module__.rpartition(".")[2] == rule.name.replace("-", "_")
