"""FP105: which collections of constants are looked at, what is dropped, and what the tests were seen to use."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

import pytest

from fencepost.analyzer.model import Site
from fencepost.analyzer.observers import MOST_MEMOS, build
from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.runtime import MOST_SHOWN, Recorder
from fencepost.analyzer.scan import scan_source
from fencepost.rules.boundary.membership import Membership


def sites(code: str) -> tuple[Site, ...]:
    scan = scan_source(code.encode(), "a.py", [Membership])
    assert scan.problem is None
    return scan.sites


def replacements(code: str) -> list[str]:
    return [mutant.replacement for site in sites(code) for mutant in site.mutants]


# which members are dropped, and how what is left is spelled


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("k in ('a', 'b', 'c')", ["k in ('b', 'c')", "k in ('a', 'c')", "k in ('a', 'b')"]),
        ("k not in (A, m.B)", ["k not in (m.B,)", "k not in (A,)"]),
        ("k in [1, -2]", ["k in [-2]", "k in [1]"]),
        ("k in {1, 2}", ["k in {2}", "k in {1}"]),
        ("k in frozenset({1, 2})", ["k in frozenset({2})", "k in frozenset({1})"]),
        ("k in set((1, 2))", ["k in set((2,))", "k in set((1,))"]),
        ("k in ('a',)", ["k in ()"]),
        ("k in ['a']", ["k in []"]),
        ("k in {'a'}", ["k in set()"]),
        ("k in frozenset(['a'])", ["k in frozenset()"]),
        ("k in (None, ..., True)", ["k in (..., True)", "k in (None, True)", "k in (None, ...)"]),
        ("(a, b) in ((1, 2), (3, C))", ["(a, b) in ((3, C),)", "(a, b) in ((1, 2),)"]),
        ("k in ('a' 'b', b'c')", ["k in (b'c',)", "k in ('a' 'b',)"]),
        ("(x or y) in (1, 2)", ["(x or y) in (2,)", "(x or y) in (1,)"]),
        ("k in (1, 2) == b", ["k in (2,) == b", "k in (1,) == b"]),
        ("0 < k in (1, 2)", ["0 < k in (2,)", "0 < k in (1,)"]),
    ],
)
def test_each_member_is_dropped_and_the_collection_stays_what_it_is(expression: str, expected: list[str]) -> None:
    assert replacements(f"x = {expression}\n") == expected


@pytest.mark.parametrize(
    "expression",
    [
        "k in 'abc'",
        "k in ()",
        "k in frozenset()",
        "k in (a, 'b')",
        "k in (*A, 'b')",
        "k in [*A]",
        "k in {'a': 1}",
        "k in VALUES",
        "k == (1, 2)",
        "k in frozenset({1}, {2})",
        "k in frozenset(*{1})",
        "k in frozenset(frozenset({1}))",
        "k in frozenset(items={1})",
        "k in sorted({1, 2})",
        "k in f((1, 2))",
        "k in ('a' f'{b}',)",
        "k in (f'{b}',)",
        "k in ((1, b), 2)",
        "k in ((1, *B), 2)",
    ],
)
def test_what_is_no_collection_of_constants_is_no_site(expression: str) -> None:
    assert sites(f"x = {expression}\n") == ()


def test_a_set_of_a_name_that_the_file_gives_to_something_else_is_no_set() -> None:
    assert sites("def frozenset(x): ...\nx = k in frozenset({1})\n") == ()


def test_of_members_that_are_the_same_value_none_is_missed() -> None:
    assert replacements("x = k in (0, False, 1, 'a', 'a', A, A, B)\n") == [
        "k in (0, False, 'a', 'a', A, A, B)",
        "k in (0, False, 1, 'a', 'a', A, A)",
    ]


def test_a_site_asks_for_its_own_member() -> None:
    assert [site.ask for site in sites("x = k.kind not in ('a', m.B)\n")] == [
        "use `k.kind` equal to 'a'",
        "use `k.kind` equal to m.B",
    ]


def test_the_platform_is_no_value_that_a_test_can_choose() -> None:
    (site,) = sites("import sys\nx = sys.platform in ('win32',)\n")
    assert site.ignored == "arid: a switch on the Python version or the platform"


# what is observed


def test_a_chain_is_only_seen_to_be_reached() -> None:
    assert {mutant.template for site in sites("x = k in (1, 2) == b\n") for mutant in site.mutants} == {None}


@pytest.mark.parametrize(
    ("expression", "template", "mutants"),
    [
        ("k in ('a', 'b')", "{0} in ('a', 'b')", ["{0} in ('b',)", "{0} in ('a',)"]),
        ("k in (A, 'b', m.C)", "{0} in ({1}, 'b', {2})", None),
        ("k in {'{', A}", "{0} in {{'{{', {1}}}", ["{0} in {{{1}}}", "{0} in {{'{{'}}"]),
        ("k in {1}", "{0} in {{1}}", ["{0} in set()"]),
        ("k in frozenset({(1, 2)})", "{0} in frozenset({{(1, 2)}})", ["{0} in frozenset()"]),
        ("k in ((1, A), None)", "{0} in ({1}, None)", ["{0} in (None,)", "{0} in ({1},)"]),
    ],
)
def test_members_that_have_names_are_operands_and_the_others_are_not(
    expression: str, template: str, mutants: list[str] | None
) -> None:
    found = sites(f"x = {expression}\n")
    assert {site.probe and site.probe.template for site in found} == {template}
    if mutants is not None:
        assert [mutant.template for site in found for mutant in site.mutants] == mutants


def observer(expression: str) -> tuple[Callable[..., Any], Recorder]:
    plan = make_plan([scan_source(f"x = {expression}\n".encode(), "a.py", [Membership])], "/shop")
    (anchor,) = plan.document["files"]["a.py"]["anchors"]
    recorder = Recorder(plan.document["probes"], "/shop")
    recorder.context = {}
    (probe,) = anchor["probes"]
    return build(probe, recorder), recorder


def infected(expression: str, *operands: Any) -> int:
    look, recorder = observer(expression)
    look(*operands)
    return recorder.context[0].mask


class Colour(enum.Enum):
    """A value that compares by being the same object."""

    RED = 1
    BLUE = 2


class Grade(str, enum.Enum):  # noqa: UP042 - as people write it
    """A text that has a name."""

    GOOD = "good"


class Yielding:
    """A value of a user, whose comparison is code under test."""

    def __init__(self) -> None:
        self.compared = 0

    def __eq__(self, other: object) -> bool:
        self.compared += 1
        return True

    __hash__ = object.__hash__


class Meta(type):
    """A class of classes, whose lookups are code under test."""


class OfMeta(metaclass=Meta):
    """A value of such a class."""


@pytest.mark.parametrize(
    ("expression", "operands", "mask"),
    [
        ("k in ('a', 'b')", ("a",), 0b01),
        ("k in ('a', 'b')", ("b",), 0b10),
        ("k not in ('a', 'b')", ("b",), 0b10),
        ("k in ('a', 'b')", ("c",), 0),
        ("k in (1, 'b')", (1.0,), 0b01),
        ("k in {1, 'b'}", (True,), 0b01),
        ("k in {(1, 2), 'b'}", ((1, 2),), 0b01),
        ("k in (A, B)", (Colour.BLUE, Colour.RED, Colour.BLUE), 0b10),
        ("k in {A, B}", (Colour.BLUE, Colour.RED, Colour.BLUE), 0b10),
        ("k in {A, 'c'}", ("good", Grade.GOOD), 0b01),
        ("k in (A, B)", (Yielding(), 1, 2), 0b11),
        ("k in (A, B)", (1, 1, Yielding()), 0b11),
        ("k in (A, B)", (OfMeta(), 1, 2), 0b11),
    ],
)
def test_dropping_a_member_infects_where_it_is_met_or_where_nobody_knows(
    expression: str, operands: tuple[Any, ...], mask: int
) -> None:
    assert infected(expression, *operands) == mask


def test_an_expression_gives_what_it_gave() -> None:
    look, _ = observer("k not in {'a', 'b'}")
    assert [look("a"), look("c"), look("a"), look(b"a")] == [False, True, False, True]


def test_the_comparison_of_a_user_runs_once_under_observation() -> None:
    look, recorder = observer("k in (A, B)")
    value = Yielding()
    assert look(value, 1, 2) is True
    assert value.compared == 1
    assert recorder.doubted[0] == 0b11


def test_a_value_that_cannot_be_looked_for_raises_as_before_and_infects_nothing() -> None:
    look, recorder = observer("k in {'a', 'b'}")
    with pytest.raises(TypeError, match="unhashable"):
        look([])
    assert recorder.context[0].mask == 0


def test_a_remembered_value_counts_in_each_context() -> None:
    look, recorder = observer("k in ('a', 'b')")
    look("a")
    recorder.context = {}
    look("a")
    assert (recorder.context[0].mask, recorder.context[0].sample) == (0b01, ("a",))


def test_values_of_other_types_are_not_taken_for_remembered_ones() -> None:
    look, recorder = observer("k in (1, 'b')")
    assert [look("1"), look(1), look("b")] == [False, True, True]
    assert recorder.context[0].sample == (1, "b")


def test_named_members_are_compared_anew_each_time() -> None:
    look, _ = observer("k in (A, B)")
    assert [look(1, 1, 2), look(1, 3, 4)] == [True, False]


def test_the_members_that_were_met_are_shown_once_and_strangers_not() -> None:
    look, recorder = observer("k in ('a', 'b', 'c')")
    for value in ("x", "b", "a", "b"):
        look(value)
    assert recorder.context[0].sample == ("b", "a")


def test_only_so_many_members_are_shown() -> None:
    look, recorder = observer(f"k in {tuple(range(20))}")
    for value in range(20):
        look(value)
    assert recorder.context[0].sample == tuple(range(MOST_SHOWN))


def test_where_only_strangers_came_none_is_shown() -> None:
    look, recorder = observer("k in ('a', 'b')")
    look("x")
    assert recorder.context[0].sample is None


def test_only_so_many_values_are_remembered() -> None:
    look, _ = observer("k in (1, 2)")
    for value in range(MOST_MEMOS + 5):
        look(value)
    (memo,) = (cell.cell_contents for cell in look.__closure__ or () if isinstance(cell.cell_contents, dict))
    assert len(memo) == MOST_MEMOS
