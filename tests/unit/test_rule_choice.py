"""Rules are chosen by code, name or the beginning of codes, for a whole project and by path."""

from __future__ import annotations

import pytest

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.rule_choice import RuleChoice, find_rule, find_rules, matches
from fencepost.rules import all_rules, every_rule


def codes(choice: RuleChoice, path: str = "shop.py") -> list[str]:
    """The codes of the rules that look at a file."""
    return [rule.code for rule in choice.rules_for(path)]


@pytest.mark.parametrize("name", ["FP203", "fp203", "order", "Order", "ORDER"])
def test_a_rule_is_found_by_code_and_name_in_any_case(name: str) -> None:
    assert find_rule(name).code == "FP203"
    assert [rule.code for rule in find_rules(name)] == ["FP203"]


@pytest.mark.parametrize("name", ["odrer", "FP", "F", ""])
def test_what_is_no_name_is_told(name: str) -> None:
    with pytest.raises(UsageProblem, match=f"there is no rule '{name}'"):
        find_rules(name)


def test_a_mistyped_rule_is_told_the_nearest_one() -> None:
    with pytest.raises(UsageProblem) as caught:
        find_rule("odrer")
    assert caught.value.hint == "did you mean 'order'?"


def test_the_beginning_of_codes_stands_for_all_that_begin_so() -> None:
    found = [rule.code for rule in find_rules("fp1")]
    assert found == [rule.code for rule in all_rules() if rule.code.startswith("FP1")]
    assert found[0] == "FP101"
    assert len(found) > 3


def test_rules_are_chosen_once_each_and_ordered_by_code() -> None:
    names = ("default-value", "FP206", "rounding", "FP204", "order", "whitespace", "FP104", "FP101", "boundary-below")
    assert codes(RuleChoice(names)) == ["FP101", "FP102", "FP104", "FP201", "FP203", "FP204", "FP205", "FP206"]
    assert RuleChoice().rules() == RuleChoice().rules_for("shop.py") == all_rules()


def test_rules_that_do_not_run_by_default_run_with_all_operators_and_where_they_are_named() -> None:
    assert RuleChoice().rules("all") == RuleChoice().rules_for("shop.py", "all") == every_rule()
    assert set(every_rule()) - set(all_rules()) == {rule for rule in every_rule() if rule.code.startswith("FP5")}
    assert codes(RuleChoice(("FP501", "FP101"))) == ["FP101", "FP501"]
    assert "FP501" not in [rule.code for rule in RuleChoice(ignore=("FP5",)).rules("all")]


def test_what_is_ignored_is_left_out_of_what_is_selected() -> None:
    assert codes(RuleChoice(("FP101", "FP2"), ("FP20", "FP21"))) == ["FP101"]
    assert "FP203" not in codes(RuleChoice(ignore=("order",)))
    assert len(codes(RuleChoice(ignore=("order",)))) == len(all_rules()) - 1


def test_a_choice_by_path_is_among_what_is_chosen_for_the_project() -> None:
    choice = RuleChoice(
        ("FP101", "FP102", "FP203"),
        by_path={"src/old/": RuleChoice(ignore=("FP1",)), "*/b.py": RuleChoice(("FP101", "FP204", "FP203"))},
    )
    assert codes(choice, "src/a.py") == ["FP101", "FP102", "FP203"]
    assert codes(choice, "src/old/a.py") == ["FP203"]
    assert codes(choice, "src/b.py") == ["FP101", "FP203"]
    assert codes(choice, "src/old/b.py") == ["FP203"]
    assert [rule.code for rule in choice.rules()] == ["FP101", "FP102", "FP203"]


@pytest.mark.parametrize(
    "choice",
    [RuleChoice(("x",)), RuleChoice(ignore=("x",)), RuleChoice(by_path={"a.py": RuleChoice(ignore=("x",))})],
)
def test_every_name_is_checked(choice: RuleChoice) -> None:
    with pytest.raises(UsageProblem, match="there is no rule 'x'"):
        choice.check()


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "src", True),
        ("src/a.py", "src/", True),
        ("src/a.py", "sr", False),
        ("src/a.py", "src/*", True),
        ("src/a.py", "*.py", True),
        ("src/a.py", "a.py", False),
        ("src/a.py", "src/?.py", True),
    ],
)
def test_a_pattern_means_a_path_or_a_folder_above_it(path: str, pattern: str, expected: bool) -> None:  # noqa: FBT001
    assert matches(path, pattern) is expected
