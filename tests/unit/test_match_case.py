"""FP108: which cases and guards are looked at, how a case is dropped, and that woven cases match what they matched."""

from __future__ import annotations

import ast
import builtins
from typing import Any

import pytest

from fencepost.analyzer.model import Mutant, Site
from fencepost.analyzer.plan import Plan, make_plan
from fencepost.analyzer.runtime import OBSERVE
from fencepost.analyzer.scan import scan_source
from fencepost.analyzer.weave import Woven
from fencepost.rules import Rule, all_rules
from fencepost.rules.boundary.boundary_at import BoundaryAt
from fencepost.rules.boundary.match_case import MatchCase


def sites(code: str) -> tuple[Site, ...]:
    scan = scan_source(code.encode(), "a.py", [MatchCase])
    assert scan.problem is None
    return scan.sites


def matching(*cases: str, body: str = "f()") -> str:
    return "match x:\n" + "".join(f"    case {case}:\n        {body}\n" for case in cases)


def changes(code: str) -> list[tuple[str, list[str]]]:
    return [(site.source, [mutant.replacement for mutant in site.mutants]) for site in sites(code)]


# which cases, and how they are spelled without them


@pytest.mark.parametrize(
    "pattern",
    [
        "1", "-1", "1 + 2j", "'a'", "'a' 'b'", "b'a'", "None", "True", "m.A", "m.lower.a", "1 | 2", "'a' | m.B | None",
        "1 | 2 as n", "(1)", "( 1 | 2 )", "((1))", "(1 | (2 | 3))", "(1) | (2) as n", "(\n  1\n  | 2 # two\n)",
    ],
)  # fmt: skip
def test_a_case_of_constants_is_dropped_by_a_guard_that_is_never_true(pattern: str) -> None:
    assert changes(matching(pattern)) == [(pattern, [f"{pattern} if False"])]


@pytest.mark.parametrize(
    "pattern", ["n", "[1, 2]", "1, *_", "{'a': 1}", "int()", "int(1)", "A.b(c=1)", "1 | [2]", "int() as n"]
)
def test_a_case_that_takes_things_apart_is_no_site(pattern: str) -> None:
    assert sites(matching(pattern)) == ()


def test_what_takes_anything_is_dropped_where_it_is_not_the_only_case() -> None:
    assert changes(matching("int()", "_")) == [("_", ["_ if False"])]
    assert sites(matching("_")) == ()


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        ("[a, b] if a < b", [("a < b", ["False", "True"])]),
        ("_ if a", [("a", ["False", "True"])]),
        ("1 if(a)", [("a", ["False", "True"])]),
        ("1 if not a", [("not a", ["False", "True"])]),
        ("1 if True", []),
        ("1 if False", []),
    ],
)
def test_a_guard_is_made_never_true_and_always(case: str, expected: list[tuple[str, list[str]]]) -> None:
    assert changes(matching(case)) == expected


def test_a_test_is_asked_for_what_matches() -> None:
    assert [site.ask for site in sites(matching("1 | 2", "int(n) if n > 3", "_"))] == [
        "use a value that matches `1 | 2`, and assert what it leads to",
        "use a value that matches `int(n)` where `n > 3` holds, and one where it does not",
        "use a value that no other case takes, and assert what it leads to",
    ]


NEVER = "arid: for values that never come"
NOTHING = "equivalent: the last case does nothing"


@pytest.mark.parametrize(
    ("last", "body", "reason"),
    [
        ("_", "pass", NOTHING),
        ("2", "pass", NOTHING),
        ("_", "assert_never(x)", NEVER),
        ("_", "return typing.assert_never(x)", NEVER),
        ("_", "raise AssertionError", NEVER),
        ("_", "raise AssertionError(x)", NEVER),
        ("_", "raise NotImplementedError('x')", NEVER),
        ("_", "raise ValueError(x)", None),
        ("_", "raise", None),
        ("_", "return", None),
        ("_", "return x", None),
        ("_", "x = AssertionError(x)", None),
        ("_", "f(x); raise AssertionError", None),
        ("_", "f(x)\n            raise AssertionError", None),
        ("_", "if x: pass", None),
        ("2", "raise AssertionError", None),
    ],
)
def test_a_case_that_no_test_can_miss_or_should_reach_is_set_aside(last: str, body: str, reason: str | None) -> None:
    code = f"def f(x):\n    match x:\n        case 1:\n            pass\n        case {last}:\n            {body}\n"
    assert [site.ignored for site in sites(code)] == [None, reason]


def test_a_body_on_the_line_of_its_case_counts_too() -> None:
    assert [site.ignored for site in sites("match x:\n    case 1: pass\n    case _: pass\n")] == [None, NOTHING]


# the text, and what is woven, are the same change


CODE = """\
def price(kind, limit=3):
    match kind:
        case "child" | "senior":
            return 5
        case (
            "guest"  # nobody knows
            | None
        ):
            return 0
        case ((-1)) | (2) as n:
            return n
        case Kind.VIP:
            return Kind
        case [first, *_] if first >= limit:
            return first
        case int(n) if n < limit: return -n
        case _:
            match kind:
                case "x": return "y"
            return 9
"""
VALUES: list[Any] = ["child", "senior", "guest", None, -1, 2, "vip", [3], [4], [2], [], 3, 1, "x", "z"]


class Kind:
    """Where a named constant stands."""

    VIP = "vip"


def results(price: Any) -> list[Any]:
    return [price(value) for value in VALUES]


class Shop:
    """The code above, woven."""

    def __init__(self, patch: pytest.MonkeyPatch, rules: list[type[Rule]], code: str = CODE) -> None:
        scan = scan_source(code.encode(), "shop.py", rules)
        self.mutants = [mutant for site in scan.sites for mutant in site.mutants]
        self.plan: Plan = make_plan([scan], "/shop")
        self.woven = Woven(self.plan.document)
        self.board = self.woven.switchboard
        for name in (self.board.active_name, self.board.look_name):
            patch.setattr(builtins, name, None, raising=False)  # and so it is taken away again
        self.board.install()
        self.woven.recorder.context = {}
        self.namespace: dict[str, Any] = {"Kind": Kind, "__name__": "shop"}
        self.code = self.woven.compile("shop.py", code.encode(), "/shop/shop.py")
        self.load()

    def load(self) -> None:
        """Run the module, as a process with another mutant does."""
        exec(self.code, self.namespace)  # noqa: S102 - the code above

    def infected(self, value: Any) -> set[str]:
        """The replacements that one call infects."""
        self.woven.recorder.context = {}
        self.namespace["price"](value)
        masks = {probe: sight.mask for probe, sight in self.woven.recorder.context.items()}
        places = {mutant.id: self.plan.probe_of[mutant.id] for mutant in self.mutants}
        return {one.replacement for one in self.mutants if masks.get(places[one.id][0], 0) >> places[one.id][1] & 1}


def by_hand(mutant: Mutant) -> list[Any]:
    """What the code gives with a mutant put into its text."""
    lines = CODE.split("\n")
    start, end = (
        sum(len(line) + 1 for line in lines[: place.line - 1]) + place.column - 1
        for place in (mutant.span.start, mutant.span.end)
    )
    namespace: dict[str, Any] = {"Kind": Kind}
    exec(CODE[:start] + mutant.replacement + CODE[end:], namespace)  # noqa: S102 - the code above
    return results(namespace["price"])


@pytest.mark.parametrize("rules", [[MatchCase], [BoundaryAt, MatchCase], list(all_rules())])
def test_a_woven_case_does_what_was_written_until_a_mutant_is_on(
    monkeypatch: pytest.MonkeyPatch, rules: list[type[Rule]]
) -> None:
    shop = Shop(monkeypatch, rules)
    plain: dict[str, Any] = {"Kind": Kind}
    exec(CODE, plain)  # noqa: S102 - the code above
    assert shop.woven.unwoven == {}
    assert results(shop.namespace["price"]) == results(plain["price"])  # observed
    shop.board.activate([])
    assert results(shop.namespace["price"]) == results(plain["price"])
    assert len(shop.mutants) >= 10
    for mutant in shop.mutants:
        shop.board.activate([shop.plan.switches[mutant.id]])
        shop.load()
        assert results(shop.namespace["price"]) == by_hand(mutant), mutant.replacement


@pytest.mark.parametrize(
    ("value", "replacements"),
    [
        ("senior", {'"child" | "senior" if False'}),
        (2, {"((-1)) | (2) as n if False"}),
        ("vip", {"Kind.VIP if False"}),
        ([3], {"False", "first > limit"}),
        ([4], {"False"}),
        ("x", {"_ if False", '"x" if False'}),
        ("z", {"_ if False"}),
        ([2], {"True", "_ if False"}),
        ([], {"_ if False"}),
    ],
)
def test_a_case_infects_where_its_pattern_matches_and_a_guard_by_its_truth(
    monkeypatch: pytest.MonkeyPatch, value: Any, replacements: set[str]
) -> None:
    shop = Shop(monkeypatch, [BoundaryAt, MatchCase])
    shop.board.set_all(OBSERVE)
    assert shop.infected(value) == replacements
    assert not any(shop.woven.recorder.doubted)


def test_a_woven_guard_stands_where_its_pattern_does(monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(monkeypatch, [MatchCase])
    tree = ast.parse(CODE)
    shop.woven.weave_tree(tree, "shop.py", CODE)
    cases = [node for node in ast.walk(tree) if isinstance(node, ast.match_case) and node.guard is not None]
    assert len(cases) == 8
    for case in cases:
        lines = {node.lineno for node in ast.walk(case.guard or tree) if isinstance(node, ast.expr)}
        assert lines <= {case.pattern.lineno, case.guard and case.guard.lineno}
