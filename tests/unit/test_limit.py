"""FP107: which slices and calls are limited by a number, how it is moved by one, and which lengths tell it."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from typing import Any

import pytest

from fencepost.analyzer.model import Site
from fencepost.analyzer.observers import MOST_MEMOS, build
from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.runtime import Recorder
from fencepost.analyzer.scan import scan_source
from fencepost.rules.boundary.limit import Limit

NAMED = "import itertools\nfrom itertools import islice\nN = 3\nONE = 1\nHALF = 0.5\nYES = True\n"


def sites(code: str) -> tuple[Site, ...]:
    scan = scan_source((NAMED + code).encode(), "a.py", [Limit])
    assert scan.problem is None
    return scan.sites


def replacements(expression: str) -> list[list[str]]:
    return [[mutant.replacement for mutant in site.mutants] for site in sites(f"x = {expression}\n")]


# slices


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("xs[:3]", ["xs[:2]", "xs[:4]"]),
        ("xs[3:]", ["xs[2:]", "xs[4:]"]),
        ("xs[-3:]", ["xs[-4:]", "xs[-2:]"]),
        ("xs[:-3]", ["xs[:-4]", "xs[:-2]"]),
        ("xs[:1]", ["xs[:0]", "xs[:2]"]),
        ("xs[1:]", ["xs[0:]", "xs[2:]"]),
        ("xs[-1:]", ["xs[-2:]", "xs[:0]"]),
        ("xs[:-1]", ["xs[:-2]", "xs[:]"]),
        ("xs[0:3]", ["xs[0:2]", "xs[0:4]"]),
        ("xs[:3:]", ["xs[:2]", "xs[:4]"]),
        ("xs[:0x10]", ["xs[:0xF]", "xs[:0x11]"]),
        ("xs[:2 * 3]", ["xs[:5]", "xs[:7]"]),
        ("xs[:N]", ["xs[:N - 1]", "xs[:N + 1]"]),
        ("xs[-N:]", ["xs[-(N + 1):]", "xs[-(N - 1):]"]),
        ("xs[-ONE:]", ["xs[-(ONE + 1):]", "xs[:0]"]),
        ("xs[:-ONE]", ["xs[:-(ONE + 1)]", "xs[:]"]),
        ("xs[-(N):]", ["xs[-((N) + 1):]", "xs[-((N) - 1):]"]),
        ("xs[i:3]", ["xs[i:2]", "xs[i:4]"]),
        ("xs[3:len(ys)]", ["xs[2:len(ys)]", "xs[4:len(ys)]"]),
        ("xs[-1:end]", ["xs[-2:end]"]),
        ("(a + b)[:3]", ["(a + b)[:2]", "(a + b)[:4]"]),
        ("f(x)[:3].y", ["f(x)[:2]", "f(x)[:4]"]),
    ],
)
def test_a_bound_moves_one_down_and_one_up(expression: str, expected: list[str]) -> None:
    assert replacements(expression) == [expected]


@pytest.mark.parametrize(
    ("expression", "lower", "upper"),
    [
        ("xs[1:-1]", ["xs[0:-1]", "xs[2:-1]"], ["xs[1:-2]", "xs[1:]"]),
        ("xs[1:5]", ["xs[0:5]", "xs[2:5]"], ["xs[1:4]", "xs[1:6]"]),
        ("xs[1:2]", ["xs[0:2]"], ["xs[1:1]", "xs[1:3]"]),
        ("xs[-3:-2]", ["xs[-4:-2]"], ["xs[-3:-3]", "xs[-3:-1]"]),
        ("xs[ONE:N]", ["xs[ONE - 1:N]", "xs[ONE + 1:N]"], ["xs[ONE:N - 1]", "xs[ONE:N + 1]"]),
        ("xs[-N:-1]", ["xs[-(N + 1):-1]", "xs[-(N - 1):-1]"], ["xs[-N:-2]", "xs[-N:]"]),
    ],
)
def test_each_of_two_bounds_moves_on_its_own_and_nothing_is_said_twice(
    expression: str, lower: list[str], upper: list[str]
) -> None:
    assert replacements(expression) == [lower, upper]


@pytest.mark.parametrize(
    "expression",
    [
        "xs[3]", "xs[:]", "xs[0:]", "xs[:0]", "xs[::2]", "xs[:6:2]", "xs[:, 1:]", "xs[i:]", "xs[:-i]",
        "xs[:M]", "xs[:HALF]", "xs[:1.0]", "xs[:True]", "xs[:YES]", "xs[:-len(y)]", "xs[:'a']", "xs[:+N]",
    ],
)  # fmt: skip
def test_a_slice_without_a_number_that_limits_it_is_no_site(expression: str) -> None:
    assert replacements(expression) == []


@pytest.mark.parametrize(
    "statement",
    [
        "xs[:3] = y",
        "a, (b, xs[:3]) = y",
        "[a, *xs[:3]] = y",
        "xs[:3] += y",
        "xs[:3]: int = y",
        "del xs[:3]",
        "del a, (xs[:3])",
        "for xs[:3] in y: pass",
        "for a, xs[:3] in y: pass",
        "x = [1 for xs[:3] in y]",
        "with y as xs[:3]: pass",
        "with y as (a, xs[:3]): pass",
        "x: xs[:3] = y",
    ],
)
def test_a_slice_that_is_assigned_to_is_no_value(statement: str) -> None:
    assert sites(f"{statement}\n") == ()


@pytest.mark.parametrize(
    "statement",
    [
        "xs[:3].a = y",
        "xs[:3][0] = y",
        "del xs[:3][0]",
        "a = xs[:3]",
        "a += xs[:3]",
        "a: int = xs[:3]",
        "for a in xs[:3]: pass",
        "x = [1 for a in xs[:3]]",
        "with xs[:3] as a: pass",
        "a = b, [xs[:3]]",
        "a[xs[:3]] = y",
    ],
)
def test_a_slice_beside_or_inside_a_target_is_a_value(statement: str) -> None:
    assert [mutant.replacement for site in sites(f"{statement}\n") for mutant in site.mutants] == ["xs[:2]", "xs[:4]"]


# calls


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("range(3)", [["range(2)", "range(4)"]]),
        ("range(1)", [["range(0)", "range(2)"]]),
        ("range(N)", [["range(N - 1)", "range(N + 1)"]]),
        ("range(0, 3)", [["range(0, 2)", "range(0, 4)"]]),
        ("range(1, 3)", [["range(0, 3)", "range(2, 3)"], ["range(1, 2)", "range(1, 4)"]]),
        ("range(1, 2)", [["range(0, 2)"], ["range(1, 1)", "range(1, 3)"]]),
        ("range(1, n)", [["range(0, n)", "range(2, n)"]]),
        ("range(n, 3)", [["range(n, 2)", "range(n, 4)"]]),
        ("range(len(xs))", [["range(len(xs) - 1)"]]),
        ("range(1, len(xs))", [["range(0, len(xs))", "range(2, len(xs))"], ["range(1, len(xs) - 1)"]]),
        ("range(len(xs), 3)", [["range(len(xs), 2)", "range(len(xs), 4)"]]),
        ("range(0)", []),
        ("range(-3)", []),
        ("range(n)", []),
        ("range(True)", []),
        ("range(0, 9, 3)", []),
        ("range(*a)", []),
        ("range()", []),
        ("islice(xs, 3)", [["islice(xs, 2)", "islice(xs, 4)"]]),
        ("itertools.islice(xs, 1)", [["itertools.islice(xs, 0)", "itertools.islice(xs, 2)"]]),
        ("islice(xs, 1, None)", [["islice(xs, 0, None)", "islice(xs, 2, None)"]]),
        ("islice(xs, 0, N)", [["islice(xs, 0, N - 1)", "islice(xs, 0, N + 1)"]]),
        ("islice(xs, 1, 2)", [["islice(xs, 0, 2)"], ["islice(xs, 1, 1)", "islice(xs, 1, 3)"]]),
        ("islice(xs, len(ys))", []),
        ("islice(xs, 0, 9, 3)", []),
        ("islice(3)", []),
        ("itertools.batched(xs, 3)", [["itertools.batched(xs, 2)", "itertools.batched(xs, 4)"]]),
        ("itertools.batched(xs, 1)", [["itertools.batched(xs, 2)"]]),
        (
            "itertools.batched(xs, 2, strict=True)",
            [["itertools.batched(xs, 1, strict=True)", "itertools.batched(xs, 3, strict=True)"]],
        ),
        ("itertools.repeat(xs, 3)", []),
        ("other(3)", []),
    ],
)
def test_a_number_in_a_call_moves_one_down_and_one_up(expression: str, expected: list[list[str]]) -> None:
    assert replacements(expression) == expected


# what is asked of a test


@pytest.mark.parametrize(
    ("expression", "asks"),
    [
        ("xs[-3:]", ["use `xs` of length 3, and of length 4, and assert what comes out"]),
        ("xs[1:-N]", ["use `xs` that goes on past both ends of `xs[1:-N]`, and assert both"] * 2),
        ("range(3)", ["assert what the first and the last number of `range(3)` lead to"]),
        ("islice(xs, 3)", ["use `xs` of length 3, and of length 4, and assert what comes out"]),
        ("islice(xs, 3, None)", ["use `xs` of length 3, and of length 4, and assert what comes out"]),
        ("islice(xs, 1, 9)", ["use `xs` that goes on past both ends of `islice(xs, 1, 9)`, and assert both"] * 2),
        ("itertools.batched(xs, N)", ["use `xs` of length 3, and of length 4, and assert what comes out"]),
    ],
)
def test_a_test_is_asked_for_the_lengths_that_show_it(expression: str, asks: list[str]) -> None:
    assert [site.ask for site in sites(f"x = {expression}\n")] == asks


# what is observed


def observer(expression: str) -> tuple[Callable[..., Any], Recorder]:
    plan = make_plan([scan_source(f"{NAMED}x = {expression}\n".encode(), "a.py", [Limit])], "/shop")
    (anchor,) = plan.document["files"]["a.py"]["anchors"]
    recorder = Recorder(plan.document["probes"], "/shop")
    recorder.context = {}
    (probe,) = anchor["probes"]
    return build(probe, recorder), recorder


def infected(expression: str, *operands: Any) -> int:
    look, recorder = observer(expression)
    look(*operands)
    return recorder.context[0].mask


class Text(str):
    """A text of a user, whose slices are code under test."""

    __slots__ = ()


@pytest.mark.parametrize(
    ("expression", "operands", "mask"),
    [
        ("xs[:3]", ("ab",), 0),
        ("xs[:3]", ("abc",), 0b01),
        ("xs[:3]", ("abcd",), 0b11),
        ("xs[:3]", ("aaaa",), 0b11),
        ("xs[:3]", ([object()] * 3,), 0b01),
        ("xs[:3]", ((1,) * 200,), 0b11),
        ("xs[1:]", (b"a",), 0b01),
        ("xs[-1:]", (bytearray(b"a"),), 0b10),
        ("xs[-1:]", (range(2),), 0b11),
        ("xs[:N]", ("abc", 3), 0b01),
        ("xs[-N:]", ("abcd", 3), 0b11),
        ("xs[i:N]", ("abcd", 2, 3), 0b11),
        ("xs[i:N]", ("abcd", None, 9), 0),
        ("xs[i:N]", ("abcd", [], None), None),
        ("xs[:3]", (Text("ab"),), 0b11),
        ("xs[:N]", ("ab", 1.5), None),
        ("range(3)", (range, 3), 0b11),
        ("range(len(xs))", (range, 0), 0),
        ("range(len(xs))", (range, 1), 0b1),
        ("range(3)", (print, 3), 0b11),
        ("islice(xs, 3)", (itertools.islice, "ab", 3), 0),
        ("islice(xs, 3)", (itertools.islice, ["a", "b", object()], 3), 0b01),
        ("islice(xs, 3)", (itertools.islice, iter("ab"), 3), 0b11),
        ("islice(xs, 3)", (itertools.islice, deque("ab"), 3), 0b11),
        ("islice(xs, 3)", (lambda xs, n: xs[:n], "ab", 3), 0b11),
        ("islice(xs, 1, None)", (itertools.islice, "a", 1, None), 0b01),
    ],
)
def test_a_limit_infects_where_the_number_of_items_makes_a_difference(
    expression: str, operands: tuple[Any, ...], mask: int | None
) -> None:
    if mask is None:
        with pytest.raises(TypeError):
            infected(expression, *operands)
    else:
        assert infected(expression, *operands) == mask


def test_an_expression_gives_what_it_gave() -> None:
    look, _ = observer("xs[:3]")
    assert [look("abcd"), look([1]), look("abce")] == ["abc", [1], "abc"]
    look, _ = observer("islice(xs, 3)")
    assert [list(look(itertools.islice, items, 3)) for items in ("abcd", "abce", iter("abcf"))] == [list("abc")] * 3


def test_what_came_is_shown_as_it_was() -> None:
    look, recorder = observer("xs[:3]")
    items = ["a", "b"]
    look(items)
    items.clear()
    assert recorder.context[0].sample == (["a", "b"],)


@pytest.mark.parametrize("items", [[object()], Text("a")])
def test_what_is_not_plain_is_not_kept(items: Any) -> None:
    look, recorder = observer("xs[:3]")
    look(items)
    assert recorder.context[0].sample is None


def test_the_two_neighbours_are_told_apart() -> None:
    look, recorder = observer("xs[:3]")
    look("a")
    assert recorder.classes[0] == (0, 0)
    look("abc")
    assert recorder.classes[0] == (0, 1)


def test_a_remembered_length_counts_in_each_context_and_by_its_bounds() -> None:
    look, recorder = observer("xs[i:N]")
    look("abcd", 0, 3)
    recorder.context = {}
    look("wxyz", 0, 3)
    assert recorder.context[0].mask == 0b11
    recorder.context = {}
    look("wxyz", 0, 9)
    assert recorder.context[0].mask == 0


def test_only_so_many_lengths_are_remembered() -> None:
    look, _ = observer("xs[i:3]")
    for number in range(MOST_MEMOS + 5):
        look("", number)
    (memo,) = (cell.cell_contents for cell in look.__closure__ or () if isinstance(cell.cell_contents, dict))
    assert len(memo) == MOST_MEMOS
