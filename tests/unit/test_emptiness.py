"""FP109: which tests for nothing are looked at, how they are spelled as other tests, and which values tell them."""

from __future__ import annotations

import abc
import enum
from collections import deque
from collections.abc import Callable
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from fencepost.analyzer.judge import judge_unrun
from fencepost.analyzer.model import Infection, Sighting, Site, Verdict
from fencepost.analyzer.observers import build
from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.runtime import Recorder
from fencepost.analyzer.scan import scan_source
from fencepost.rules.boundary.emptiness import Emptiness


def sites(code: str) -> tuple[Site, ...]:
    scan = scan_source(code.encode(), "a.py", [Emptiness])
    assert scan.problem is None
    return scan.sites


def changes(code: str) -> list[tuple[str, list[str]]]:
    return [(site.source, [mutant.replacement for mutant in site.mutants]) for site in sites(code)]


# tests for None


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("y = x is None\n", ("x is None", ["x is not None", "not x"])),
        ("y = x is not None\n", ("x is not None", ["x is None", "bool(x)"])),
        ("if x is not None: pass\n", ("x is not None", ["x is None", "x"])),
        ("y = (x.a is not None) == z\n", ("x.a is not None", ["x.a is None", "bool(x.a)"])),
        ("y = x is not None and z\n", ("x is not None", ["x is None", "bool(x)"])),
        ("y = 1 if x is not None and z() else 2\n", ("x is not None", ["x is None", "x"])),
        ("y = f(x) is None\n", ("f(x) is None", ["f(x) is not None", "not f(x)"])),
        ("if (m := f()) is not None: pass\n", ("(m := f()) is not None", ["(m := f()) is None", "(m := f())"])),
        ("while x is not None: pass\n", ("x is not None", ["x is None", "x"])),
        ("y = [z for z in w if z is not None]\n", ("z is not None", ["z is None", "z"])),
        ("assert x is not None\n", ("x is not None", ["x is None", "bool(x)"])),
        ("y = not (x is not None)\n", ("x is not None", ["x is None", "x"])),
        ("def f():\n    return(x)is None\n", ("(x)is None", ["(x) is not None", "(not (x))"])),
        ("y = (await_ + 1) is None\n", ("(await_ + 1) is None", ["(await_ + 1) is not None", "not (await_ + 1)"])),
    ],
)
def test_a_test_for_none_is_negated_and_becomes_one_for_emptiness(code: str, expected: tuple[str, list[str]]) -> None:
    assert changes(code) == [expected]


@pytest.mark.parametrize("test", ["x is None is y", "x == None", "x is True", "None is x", "x in None", "x is y.None_"])
def test_another_comparison_is_no_test_for_none(test: str) -> None:
    assert sites(f"y = {test}\n") == ()


# tests for truth


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if xs: pass\n", ("xs", ["not xs", "xs is not None"])),
        ("if z:=1: pass\nelif xs.a: pass\n", ("xs.a", ["not xs.a", "xs.a is not None"])),
        ("y = 1 if xs[0] else 2\n", ("xs[0]", ["not xs[0]", "xs[0] is not None"])),
        ("y = [1 for _ in w if xs]\n", ("xs", ["not xs", "xs is not None"])),
        ("while xs: pass\n", ("xs", ["not xs"])),
        ("while f() and xs: pass\n", ("xs", ["not xs"])),
        ("while not (xs or f()): pass\n", ("xs", ["not xs"])),
        ("if f() or (xs and g()): pass\n", ("xs", ["not xs", "xs is not None"])),
        ("y = not (xs or f())\n", ("xs", ["not xs", "xs is not None"])),
        ("match z:\n    case 1 if xs: pass\n", ("xs", ["not xs", "xs is not None"])),
        ("if (xs): pass\n", ("xs", ["not (xs)", "(xs) is not None"])),
        ("if(xs): pass\n", ("xs", ["not (xs)", "(xs) is not None"])),
        ("if xs[1:]: pass\n", ("xs[1:]", ["not xs[1:]", "xs[1:] is not None"])),
    ],
)
def test_a_value_of_which_only_the_truth_counts_is_negated_and_tested_for_none(
    code: str, expected: tuple[str, list[str]]
) -> None:
    assert changes(code) == [expected]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if not xs: pass\n", ("not xs", ["xs", "xs is None"])),
        ("y = not xs.a\n", ("not xs.a", ["bool(xs.a)", "xs.a is None"])),
        ("y = f() and not xs[0]\n", ("not xs[0]", ["bool(xs[0])", "xs[0] is None"])),
        ("while not xs: pass\n", ("not xs", ["xs"])),
        ("y = 1 if f() or not xs else 2\n", ("not xs", ["xs", "xs is None"])),
        ("y = not not xs\n", ("not xs", ["xs", "xs is None"])),
        ("y = not(xs)\n", ("not(xs)", ["bool((xs))", "(xs) is None"])),
    ],
)
def test_a_negation_is_taken_away_and_becomes_a_test_for_none(code: str, expected: tuple[str, list[str]]) -> None:
    assert changes(code) == [expected]


@pytest.mark.parametrize(
    "code",
    [
        "if f(): pass\n",
        "if not f(): pass\n",
        "if -x: pass\n",
        "if x + y: pass\n",
        "if x == y: pass\n",
        "if not x == y: pass\n",
        "if not (f() and g()): f(x)\n",
        "if (x := y): pass\n",
        "while True: pass\n",
        "if not True: pass\n",
        "if __debug__: pass\n",
        "if TYPE_CHECKING: pass\n",
        "if typing.TYPE_CHECKING: pass\n",
        "if is_ready: pass\n",
        "if not self.has_more: pass\n",
        "y = x or z\n",
        "y = x and z\n",
        "f(x, y=x)\n",
        "y = x if f() else z\n",
        "if f(x): pass\n",
        "if f().a(): pass\n",
        "for x in xs: pass\n",
        "y = [x for x in xs]\n",
        "y = ~x\n",
        "y = not -x\n",
        "match x:\n    case 1: pass\n",
        "def f(x: bool):\n    if x: pass\n",
        "def f(x=True):\n    return not x\n",
        "def f(a, /, x=False, *, z=1):\n    return 1 if x else 2\n",
        "def f(*, x: bool = g()):\n    def h(y):\n        if x: pass\n",
        "f = lambda x=False: 1 if x else 2\n",
        "def f(x: bool, /):\n    if x: pass\n",
        "@overload\ndef f(x: (not y)): pass\n",
    ],
)
def test_what_is_no_test_for_nothing_is_no_site(code: str) -> None:
    assert sites(code) == ()


@pytest.mark.parametrize(
    "code",
    [
        "def f(x: int):\n    if x: pass\n",
        "def f(x=None):\n    if x: pass\n",
        "def f(y: bool, z=True):\n    if x: pass\n",
        "def f(x: bool):\n    def g(x):\n        if x: pass\n",
    ],
)
def test_a_parameter_that_is_no_flag_is_a_site(code: str) -> None:
    assert changes(code) == [("x", ["not x", "x is not None"])]


def test_a_test_asks_for_the_cases_that_it_tells_apart() -> None:
    assert [site.ask for site in sites("y = a.b is None\nif a[0]: pass\nz = not c\n")] == [
        "use `a.b` as None, and as what is empty or zero, such as '', 0 or []",
        "use `a[0]` empty or zero, and filled; and as None, where it may be missing",
        "use `c` empty or zero, and filled; and as None, where it may be missing",
    ]


# what is observed


def observer(code: str) -> tuple[Callable[..., Any], Recorder]:
    plan = make_plan([scan_source(code.encode(), "a.py", [Emptiness])], "/shop")
    (anchor,) = plan.document["files"]["a.py"]["anchors"]
    recorder = Recorder(plan.document["probes"], "/shop")
    recorder.context = {}
    (probe,) = anchor["probes"]
    return build(probe, recorder), recorder


class Plain:
    """An object that is always true."""


class Abstract(abc.ABC):  # noqa: B024 - its metaclass is what matters
    """The same, of a class of the standard library's own kind."""


class Colour(enum.Enum):
    """The same once more."""

    RED = 0


class Sized(Plain):
    """An object with a length, which is code under test."""

    asked = 0

    def __len__(self) -> int:
        self.asked += 1
        return 0


class Pair(NamedTuple):
    """A tuple that is asked for its length by no code of ours."""

    left: int
    right: int


class Rows(list[int]):
    """The same for a list."""


class Counted(list[int]):
    """A list whose length is told by code under test."""

    def __len__(self) -> int:
        return 3


class Level(enum.IntEnum):
    """A number by another name."""

    NONE = 0
    FULL = 1


class Meta(type):
    """A class of classes, whose lookups are code under test."""


class OfMeta(metaclass=Meta):
    """An object of such a class."""


IS_NONE, IS_NOT, TRUTH, NOT = "y = x is None\n", "y = x is not None\n", "if x: pass\n", "if not x: pass\n"
NEGATED, BOTH = 0b01, 0b11


@pytest.mark.parametrize("code", [IS_NONE, IS_NOT, TRUTH, NOT])
@pytest.mark.parametrize(
    ("value", "mask"),
    [
        (None, NEGATED),
        ("", BOTH),
        (0, BOTH),
        (0.0, BOTH),
        (False, BOTH),
        ([], BOTH),
        ({}, BOTH),
        (b"", BOTH),
        (bytearray(), BOTH),
        (deque(), BOTH),
        ("a", NEGATED),
        ([Sized()], NEGATED),
        (deque([None]), NEGATED),
        (Plain(), NEGATED),
        (Abstract(), NEGATED),
        (Colour.RED, NEGATED),
        (len, NEGATED),
        (Plain, NEGATED),
        (Pair(0, 0), NEGATED),
        (Rows(), BOTH),
        (Rows([0]), NEGATED),
        (Level.NONE, BOTH),
        (Level.FULL, NEGATED),
        (Counted([1]), BOTH),
        (Sized(), BOTH),
        (OfMeta(), BOTH),
        (Colour, BOTH),
        (MappingProxyType({1: 2}), BOTH),
    ],
)
def test_the_negation_always_shows_and_emptiness_only_where_something_is_empty(
    code: str, value: object, mask: int
) -> None:
    look, recorder = observer(code)
    look(value)
    assert recorder.context[0].mask == mask


def test_a_test_gives_what_it_gave() -> None:
    values = [None, "", "a", [1], Plain()]
    assert [observer(IS_NONE)[0](value) for value in values] == [True, False, False, False, False]
    assert [observer(IS_NOT)[0](value) for value in values] == [False, True, True, True, True]
    assert [observer(NOT)[0](value) for value in values] == [True, True, False, False, False]
    assert [observer(TRUTH)[0](value) for value in values] == values


def test_the_truth_of_a_value_of_a_user_is_asked_for_as_often_as_it_was() -> None:
    value = Sized()
    assert observer(NOT)[0](value) is True
    assert value.asked == 1
    assert observer(IS_NONE)[0](value) is False
    assert observer(TRUTH)[0](value) is value
    assert value.asked == 1
    rows = Rows()
    assert observer(NOT)[0](rows) is True
    assert observer(TRUTH)[0](rows) is rows


def test_a_case_counts_again_in_each_context() -> None:
    look, recorder = observer(IS_NONE)
    look([])
    recorder.context = {}
    look([])
    assert recorder.context[0].mask == BOTH


def test_a_value_is_shown_as_it_was_and_only_where_it_is_plain() -> None:
    look, recorder = observer(TRUTH)
    look(Plain())
    assert recorder.context[0].sample is None
    items = [1]
    look(items)
    items.append(2)
    assert recorder.context[0].sample == ([1],)


@pytest.mark.parametrize(
    ("values", "solid", "other"),
    [
        ([None], set(), set()),
        ([None, Plain()], {0}, set()),
        ([""], set(), {0}),
        ([Sized()], set(), {0}),
        ([Pair(1, 2)], set(), {0}),
        ([Plain(), 1], {0}, {0}),
    ],
)
def test_it_is_kept_apart_whether_only_objects_came_that_are_never_empty(
    values: list[object], solid: set[int], other: set[int]
) -> None:
    look, recorder = observer(IS_NONE)
    for value in values:
        look(value)
    assert (recorder.parsed, recorder.numeric) == (solid, other)


def test_what_was_only_ever_given_such_objects_is_no_gap() -> None:
    (site,) = sites(IS_NONE)
    judgement = judge_unrun(site.mutants[1], site, Sighting(2, only_parses=True), Infection(), {})
    assert judgement is not None
    assert (judgement.verdict, judgement.reason) == (
        Verdict.IGNORED,
        "it was only ever given what is never empty: objects without a length or a truth of their own",
    )
