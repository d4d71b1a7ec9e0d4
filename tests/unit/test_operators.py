"""The rules of `--operators all`: what they change, what they leave alone, and what they leave to other rules."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

import pytest

from fencepost.analyzer.model import Site
from fencepost.analyzer.plan import Plan, make_plan
from fencepost.analyzer.runtime import OBSERVE
from fencepost.analyzer.scan import scan_source
from fencepost.analyzer.weave import Woven
from fencepost.rules import all_rules, every_rule


def sites_of(code: str) -> Sequence[Site]:
    scan = scan_source(code.encode(), "shop.py", every_rule())
    assert scan.problem is None
    return scan.sites


def changes(code: str, *, ignored: bool = False) -> list[tuple[str, str, str]]:
    """Rule, original and replacement of what the operators change in expressions, in the order of the text."""
    return [
        (site.rule, site.source, mutant.replacement)
        for site in sites_of(code)
        if site.rule.startswith("FP5") and site.kind == "operator" and (site.ignored is not None) == ignored
        for mutant in site.mutants
    ]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("f(a ** b)[-c]", [("FP506", "f(a ** b)", "f(None)"), ("FP501", "a ** b", "a * b"), ("FP501", "-c", "+c")]),
        ("-a ** b", [("FP501", "-a ** b", "+a ** b"), ("FP501", "a ** b", "(a * b)")]),
        ("a or b or c", [("FP502", "a or b or c", "a or b and c"), ("FP502", "a or b or c", "a and b or c")]),
        ("(a and b) or c", [("FP502", "(a and b) or c", "(a and b) and c"), ("FP502", "a and b", "a or b")]),
        ("a and b or c", [("FP502", "a and b or c", "a and b and c"), ("FP502", "a and b", "(a or b)")]),
        ("not (a or b)", [("FP502", "not (a or b)", "(a or b)"), ("FP502", "a or b", "a and b")]),
        ("a is b in c", [("FP502", "a is b in c", "a is not b in c"), ("FP502", "a is b in c", "a is b not in c")]),
        ("all(a)", [("FP506", "all(a)", "all(None)"), ("FP507", "all(a)", "any(a)")]),
        ("copy.deepcopy", []),
    ],
)
def test_an_expression_is_changed_operator_by_operator(code: str, expected: list[tuple[str, str, str]]) -> None:
    found = [one for one in changes(code) if one[2] != "False"]
    assert sorted(found) == sorted(expected)


def test_deepcopy_becomes_copy_where_it_is_the_one_of_the_library() -> None:
    assert changes("import copy\nx(copy.deepcopy)") == [
        ("FP506", "x(copy.deepcopy)", "x(None)"), ("FP505", "copy.deepcopy", "copy.copy"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "code",
    [
        '"""a"""',
        "'a' 'b'",
        "x: 'a' and 1",
        "def f(x: 1 + 1) -> 'a': pass",
        "match a:\n    case 1 | 'b' | True | -2: pass",
        "a, b = c",
        "[a] = c",
        "_ = a",
        "f'{a}' + b",
        "a % f'{b}'",
        "x((yield))",
        "x = yield",
        "x(y := z)",
        "lambda: (yield)",
        "return_: int",
    ],
)
def test_what_is_no_expression_or_could_only_break_is_left_alone(code: str) -> None:
    assert changes(f"def g():\n    {code}\n" if "yield" in code else code) == []


def test_a_none_that_get_gives_anyway_is_not_taken_away() -> None:
    assert "d.get(a, )" not in [replacement for _, _, replacement in changes("d.get(a, None)")]
    assert "d.fetch(a, )" in [replacement for _, _, replacement in changes("d.fetch(a, None)")]


def test_letter_case_of_a_codec_is_no_change() -> None:
    assert [one[2] for one in changes("s = b.decode('utf-8')") if one[0] == "FP504"] == ["'XXutf-8XX'"]


@pytest.mark.parametrize(
    "code",
    [
        "import sys\nx = sys.version_info >= (3, 12)",
        "import typing\nx: int = typing.cast('a', b)",
        "from typing import TypeVar\nT = TypeVar('T', bound='a')",
        "x = __name__ == '__main__'",
        "logger.info('a', 1 + 1)",
    ],
)
def test_code_that_needs_no_test_is_listed_with_its_reason(code: str) -> None:
    reasons = [str(site.ignored) for site in sites_of(code) if site.rule.startswith("FP5") and site.ignored]
    assert reasons
    assert all(reason.startswith("arid: ") for reason in reasons)
    texts = [one[1] for one in changes(code)]
    assert not [text for text in texts if text in {"'a'", "'T'", "3", "12", "'__main__'", "1", "1 + 1"}]


def test_a_change_that_a_rule_by_default_makes_is_left_to_it() -> None:
    code = "def f(age):\n    return age >= 18\n"
    found = [(site.rule, mutant.replacement) for site in sites_of(code) for mutant in site.mutants]
    assert ("FP101", "age > 18") in found
    assert ("FP103", "age >= 19") in found
    assert [one for one in found if one[0] in {"FP502", "FP503"}] == []


def test_the_ids_of_other_rules_are_the_same_with_all_operators() -> None:
    code = b"def f(age):\n    return age >= 18 and age.strip() != 'a'\n"
    alone = {site.id: site.mutants for site in scan_source(code, "shop.py", all_rules()).sites}
    beside = {site.id: site.mutants for site in scan_source(code, "shop.py", every_rule()).sites}
    assert beside.items() > alone.items()


@pytest.mark.parametrize(
    "code",
    [
        "def f(a, b):\n    return (a, b)\n",
        "def f(a, b):\n    return(a for b in a)\n",
        "x = ((1, 2))\n",
        "x = (  # one\n    1,\n)\n",
        "x = a or b or c\n",
        "x = f'{a + 1:{b * 2}}'\n",
    ],
)
def test_every_site_is_found_again_in_the_syntax_tree(code: str) -> None:
    scan = scan_source(code.encode(), "shop.py", every_rule())
    woven = Woven(make_plan([scan], "/work").document)
    woven.compile("shop.py", code.encode(), "shop.py")
    assert scan.sites
    assert woven.unwoven == {}


def test_a_site_of_an_operator_leaves_the_probes_of_other_rules_as_they_are() -> None:
    code = b"def f(a, b, c):\n    return a < b < c\n"
    probes = {}
    for rules in (all_rules(), every_rule()):
        plan = make_plan([scan_source(code, "shop.py", rules)], "/work")
        probes[rules] = [
            (probe["kind"], probe["part"], probe["mutants"])
            for anchor in plan.document["files"]["shop.py"]["anchors"]
            for probe in anchor["probes"]
            if probe["kind"] != "reached"
        ]
    assert probes[all_rules()] == probes[every_rule()] != []


@pytest.mark.parametrize(
    ("expression", "untaken"),
    [
        ("a % 100 in (11, 12, 13)", set()),
        ("a in ('x' + 'y', [1 + 1])", set()),
        ("{1: 'b'}.get(a + 1, 'c')", set()),
        ("sorted([a, 1 + 2], key=lambda x: -x, reverse=True)", set()),
        ("a + 1 < a + 2 < a + 3", set()),
        ("round(a / 3, 2 + 1)", set()),
        ("max(0, min(a - 1, 100))", set()),
        ("str(a + 1).strip('x').replace('a', 'b' + 'c')", set()),
        ("[x + 1 for x in [a] if x > 0 - 1]", set()),
        ("(a or 1 + 1) and f'{a + 1:.2f}{a:{3 + 1}d}'", {"1", "1 + 1"}),
        ("[a, 1, 2][0 + 1 : 2]", set()),
        ("a + 1 if a - 1 == 0 + 3 else a + 2", {"2", "a + 2"}),
        ("str(a).ljust(5 + 1, '0')", set()),
        ("dict(x=1 + a)", set()),
    ],
)
def test_whoever_evaluates_an_expression_is_seen_at_all_that_is_changed_in_it(
    expression: str, untaken: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = make_plan([scan_source(f"x = {expression}\n".encode(), "shop.py", every_rule())], "/work")
    woven = Woven(plan.document)
    for name in (woven.switchboard.active_name, woven.switchboard.look_name):
        monkeypatch.setattr(builtins, name, None, raising=False)  # and so it is taken away again
    woven.switchboard.install()
    code = woven.compile("shop.py", f"x = {expression}\n".encode(), "/work/shop.py")
    woven.switchboard.set_all(OBSERVE)
    woven.recorder.context = {}
    namespace = {"a": 4}
    exec(code, namespace)  # noqa: S102 - the code above
    assert namespace["x"] == eval(expression, {"a": 4})  # noqa: S307 - the same
    seen = {number for number, sight in woven.recorder.context.items() if sight}
    reached = {
        probe["id"]
        for anchor in plan.document["files"]["shop.py"]["anchors"]
        for probe in anchor["probes"]
        if probe["kind"] == "reached"
    }
    assert {text_at(plan, number, expression) for number in reached - seen} == untaken


def text_at(plan: Plan, number: int, expression: str) -> str:
    """The text that a probe looks at."""
    (numbers,) = (
        anchor["span"]
        for anchor in plan.document["files"]["shop.py"]["anchors"]
        if number in {probe["id"] for probe in anchor["probes"]}
    )
    return f"x = {expression}"[numbers[1] - 1 : numbers[3] - 1]
