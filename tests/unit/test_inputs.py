"""Example inputs: a value that a call changes, made out of what the tests gave it; never one that it leaves alone."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fencepost.analyzer.inputs import Input, _is_harmless, changing_input
from fencepost.analyzer.model import Site
from fencepost.analyzer.scan import scan_source
from fencepost.rules import all_rules


def site_of(expression: str, rule: str = "") -> Site:
    """The site of an expression over `x` and `y`, of a rule or of the only one that looks at it."""
    used = f"len({expression})" if expression.startswith(("set(", "dict.fromkeys(")) else expression
    code = f"import heapq, inspect, json, math, textwrap\ndef f(x, y):\n    use({used})\n"
    if expression.endswith((".sort()", ".reverse()")):
        code = f"def f(x, y):\n    {expression}\n    return x\n"
    sites = scan_source(code.encode(), "shop.py", all_rules()).sites
    return next(site for site in sites if site.source == expression and site.rule.startswith(rule))


def literal(expression: str, *seen: str) -> str | None:
    found = changing_input(site_of(expression), seen)
    assert found is None or found.words == found.literal
    return found.literal if found else None


@pytest.mark.parametrize(
    ("expression", "seen", "expected"),
    [
        ("x.strip()", "'ann'", "' ann '"),
        ("x.strip()", "' ann'", "' ann'"),
        ("x.strip()", "''", "'  '"),
        ("x.rstrip('/')", "'/search', '/'", "'/search/'"),
        ("x.lstrip('/')", "'search', '/'", "'/search'"),
        ("x.expandtabs()", "'a'", "'a\\ta'"),
        ("textwrap.dedent(x)", "'a'", "' a '"),
        ("inspect.cleandoc(x)", "'a'", "' a '"),
        ("x.lower()", "'ann'", "'ANN'"),
        ("x.upper()", "'ANN'", "'ann'"),
        ("x.title()", "'ann'", "'ann'"),
        ("x.title()", "'Ann'", "'ANN'"),
        ("x.casefold()", "'1'", "'ß'"),
        ("sorted(x)", "[1, 2]", "[2, 1]"),
        ("sorted(x)", "(1, 2)", "(2, 1)"),
        ("sorted(x)", "{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"),
        ("sorted(x, reverse=True)", "[2, 1], True", "[1, 2]"),
        ("reversed(x)", "[1, 1, 2]", "[1, 1, 2]"),
        ("heapq.nsmallest(y, x)", "2, [1, 2]", None),
        ("json.dumps(x, sort_keys=True)", "{'a': 1, 'b': 2}, True", "{'b': 2, 'a': 1}"),
        ("json.dumps(x, sort_keys=True)", "{'a': 1}, True", "{'a': 1, '': None}"),
        ("json.dumps(x, sort_keys=True)", "{1: 1}, True", None),
        ("dict.fromkeys(x)", "['a', 'b']", "['a', 'b', 'a']"),
        ("round(x)", "2", "2.5"),
        ("round(x, 1)", "2.0, 1", "2.05"),
        ("int(x)", "3", "3.5"),
        ("math.floor(x)", "3", "3.5"),
        ("x // 3", "9, 3", "9.5"),
        ("round(x)", "True", None),
        ("round(x, 1)", "Decimal('2.0'), 1", "Decimal('2.05')"),
        ("int(x)", "Decimal('3')", "Decimal('3.5')"),
        ("int(x)", "Decimal('NaN')", None),
        ("x.lower()", "None", None),
        ("x.lower()", "b'ann'", None),
    ],
)  # fmt: skip
def test_an_input_is_the_plainest_change_of_what_was_seen_that_makes_a_difference(
    expression: str, seen: str, expected: str | None
) -> None:
    assert literal(expression, seen) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("x.strip()", "' Ann '"),
        ("x.lstrip('-/')", "'-/Ann'"),
        ("x.lower()", "'Ann'"),
        ("x.title()", "'ANN'"),
        ("x.partition('@')[2]", "'Ann@Bob'"),
        ("sorted(x)", "['bob', 'ann']"),
        ("sorted(x, reverse=True)", "['ann', 'bob']"),
        ("set(x)", "['ann', 'bob', 'ann']"),
        ("int(x)", "2.5"),
        ("round(x, 2)", "0.6666666666666666"),
        ("x // 3", "2"),
        ("json.dumps(x, sort_keys=True)", "{'ann': 1, '': None}"),
        ("sorted(x, key=len)", None),
        ("' '.join(x.split())", None),
    ],
)
def test_where_nothing_was_seen_usual_values_are_tried_with_what_the_source_tells(
    expression: str, expected: str | None
) -> None:
    assert literal(expression) == expected


def test_a_list_that_is_sorted_in_place_is_judged_by_what_becomes_of_it() -> None:
    assert literal("x.sort()", "[1, 2]") == "[2, 1]"
    assert literal("x.reverse()", "[1, 2]") == "[1, 2]"
    assert literal("x.sort()") == "['bob', 'ann']"


def test_a_set_is_told_by_its_size_and_not_by_the_order_that_it_has_by_chance() -> None:
    assert literal("set(x)", "['b', 'a', 'c', 'd']") == "['b', 'a', 'c', 'd', 'b']"
    assert literal("sorted(x)", "{'b', 'a', 'c'}") is None


def test_the_example_is_the_same_in_each_process() -> None:
    code = (
        "from fencepost.analyzer.scan import scan_source\nfrom fencepost.analyzer.inputs import changing_input\n"
        "from fencepost.rules import all_rules\n"
        "sites = scan_source(b'def f(x): return len(set(x)), sorted(set(x))', 'a.py', all_rules()).sites\n"
        "print([changing_input(site, seen) for site in sites for seen in ((), (\"['a', 'b', 'c']\",))])\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": str(seed)}, capture_output=True, text=True, check=True
        ).stdout
        for seed in (1, 2)
    ]
    assert outputs[0] == outputs[1]
    assert "['a', 'b', 'c', 'a']" in outputs[0]


# the first sample that shows a difference, and samples that say nothing


def test_samples_are_tried_in_their_order() -> None:
    assert literal("round(x)", "None", "3", "2.25") == "3.5"


def test_a_sample_that_is_no_literal_says_nothing() -> None:
    assert literal("x.strip()", "<object at 0x7f>", "('a" + "(" * 9, "'b'") == "' b '"
    assert literal("x.strip()", "<object at 0x7f>") == "' Ann '"


def test_a_sample_with_commas_inside_is_one_value() -> None:
    assert literal("x.strip()", "'a, b'") == "' a, b '"


# defaults


@pytest.mark.parametrize(
    ("expression", "seen", "words"),
    [
        ('x.get("k", 3)', "'k'", "a mapping without the key 'k'"),
        ('x.pop("k", 3)', "'k'", "a mapping without the key 'k'"),
        ('getattr(x, "name", 3)', "'name'", "an object without 'name'"),
    ],
)
def test_a_default_for_what_is_missing_is_told_in_words(expression: str, seen: str, words: str) -> None:
    assert changing_input(site_of(expression), [seen]) == Input(words)
    assert changing_input(site_of(expression), ()) is None


def test_a_default_for_none_takes_none_whatever_was_seen() -> None:
    assert literal("3 if x is None else x") == "None"
    assert literal("3 if x is None else x", "4") == "None"


@pytest.mark.parametrize(
    ("expression", "seen", "expected"),
    [
        ('x or "d"', "'a'", "''"),
        ("x or 5", "3", "0"),
        ("x or y", "[1]", "[]"),
        ("x or y", "{'a': 1}", "{}"),
        ("x or y", "None", "None"),
        ("x or y", "(1, 2)", "None"),
        ('x or ""', "'a'", "None"),
        ("x or 0", "3", "None"),
        ("x or {}", "{'a': 1}", "None"),
        ("x or 0", "'a'", "''"),
        ("x or 0.0", "3", "0"),
        ("x or None", "'a'", "''"),
        ("x or None", "2.5", None),
    ],
)
def test_an_empty_value_is_of_the_kind_that_was_seen_and_not_the_default_itself(
    expression: str, seen: str, expected: str | None
) -> None:
    assert literal(expression, seen) == expected


@pytest.mark.parametrize("expression", ["not x", "x is None"])
@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (["'ann'"], "''"), (["None", "3"], "0"), (["Decimal('0.45')"], "Decimal('0')"), (["[1]"], "[]"),
        (["None"], None), (["date(2025, 3, 1)"], None), (["True"], None), ([], None),
    ],
)  # fmt: skip
def test_none_and_what_is_false_are_told_apart_by_what_is_false_of_a_kind_that_was_seen(
    expression: str, seen: list[str], expected: str | None
) -> None:
    (site,) = scan_source(f"def f(x):\n    return 1 if {expression} else 2\n".encode(), "shop.py", all_rules()).sites
    assert changing_input(site, seen) == (Input(expected, expected) if expected else None)


# no example


def test_what_is_cut_short_has_no_example_before_its_kind_was_seen() -> None:
    assert literal("x[1:]") is None
    assert literal("x[1:]", "['a', 'b']") == "['a', 'b']"


def test_a_threshold_has_no_example_here() -> None:
    assert changing_input(site_of("x >= 18", "FP101"), ["17"]) is None


@pytest.mark.parametrize("expression", ["x == 'a'", "x in ('a', 'b')"])
def test_what_only_asks_about_a_value_changes_none(expression: str) -> None:
    sites = scan_source(f"def f(x):\n    return 1 if {expression} else 2\n".encode(), "shop.py", all_rules()).sites
    assert sites
    assert {changing_input(site, seen) for site in sites for seen in ([], ["'b'"])} == {None}


def test_what_cannot_be_evaluated_here_has_no_example() -> None:
    assert literal("' '.join(x.split())", "'a'") is None
    assert literal("unknown(x).strip()", "'a'") == "' a '"


@pytest.mark.parametrize(
    "template",
    [
        "__import__('os')", "{0}.__class__", "{0:atom}.format({1})", "exec({0})", "open({0})", "", "type({0}).mro()",
        "[x for x in {0}]",
    ],
)  # fmt: skip
def test_a_template_that_no_rule_spells_is_not_evaluated(template: str) -> None:
    assert not _is_harmless(template)


@pytest.mark.parametrize(
    "template", ["{0:atom}.strip()", "list({1})", "{0:atom}({1}, key={2})", "(lambda n: n + 1)({0})"]
)
def test_a_template_that_rules_spell_is_evaluated(template: str) -> None:
    assert _is_harmless(template)
