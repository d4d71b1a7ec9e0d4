"""The record of a process under test: sights add up by test, the nearest values are kept, and values print short."""

from __future__ import annotations

import builtins
import datetime
import decimal
import os
import types
from array import array
from pathlib import Path
from typing import Any

import pytest

from fencepost.analyzer.runtime import (
    OBSERVE,
    ORIGINAL,
    UNSEEN,
    Against,
    Context,
    Recorder,
    Sight,
    Switchboard,
    shown,
)


def a_recorder(probes: int = 1, root: str = "/work/shop") -> Recorder:
    return Recorder(probes, root)


def a_sight(
    mask: int = 0,
    sample: tuple[Any, ...] | None = None,
    **sides: tuple[float | None, Any],
) -> Sight:
    sight = Sight()
    sight.mask, sight.sample = mask, sample
    for side, (distance, value) in sides.items():
        sight.meet(side, distance, value)
    return sight


def test_the_nearest_value_on_a_side_is_kept_and_of_equals_the_first() -> None:
    sight = Sight()
    for distance, value in ((3.0, "far"), (1.0, "near"), (2.0, "middle"), (1.0, "as near")):
        sight.meet("below", distance, value)
    assert sight.below == (1.0, "near")
    assert (sight.at, sight.above) == (None, None)


def test_a_value_with_a_distance_is_nearer_than_one_without() -> None:
    sight = Sight()
    nearest = []
    for distance, value in ((None, "first"), (None, "second"), (9.0, "third"), (None, "fourth")):
        sight.meet("above", distance, value)
        nearest.append(sight.above)
    assert nearest == [(None, "first"), (None, "first"), (9.0, "third"), (9.0, "third")]


def test_absorbing_a_sight_adds_what_it_saw() -> None:
    sight = a_sight(0b01, below=(2.0, 16), above=(1.0, 19))
    sight.absorb(a_sight(0b10, sample=(5,), below=(1.0, 17), at=(0.0, 18), above=(3.0, 21)))
    sight.absorb(a_sight(sample=(6,)))
    assert (sight.mask, sight.sample) == (0b11, (5,))
    assert (sight.below, sight.at, sight.above) == ((1.0, 17), (0.0, 18), (1.0, 19))


def test_a_sight_is_made_once_for_each_probe_and_context() -> None:
    recorder = a_recorder(2)
    first: Context = {}
    recorder.context = first
    sight = recorder.sight(0)
    assert recorder.sight(0) is sight is first[0]
    assert recorder.sight(1) is not sight
    recorder.context = {}
    assert recorder.sight(0) is not sight


def evaluated_in(recorder: Recorder, filename: str) -> None:
    """Evaluate probe 0 in code that stands in a file, by way of an observer."""
    namespace: dict[str, Any] = {"recorder": recorder}
    exec(compile("def observer():\n    return recorder.context.get(0)\n", "/lib/observers.py", "exec"), namespace)  # noqa: S102 - the code here
    exec(compile("sight = observer()\nagain = observer()\n", filename, "exec"), namespace)  # noqa: S102 - the code here
    assert isinstance(namespace["sight"], Sight)
    assert namespace["sight"] is namespace["again"]


@pytest.mark.parametrize(
    ("filename", "at_import", "startup"),
    [
        ("/work/shop/conftest.py", {0}, set()),
        ("/work/shopping/conftest.py", set(), {0}),
        ("/work/shop/.venv/lib/site-packages/plugin.py", set(), {0}),
        ("/work/shop/woven.py", set(), {0}),
        ("/usr/lib/plugin.py", set(), {0}),
    ],
)
def test_before_the_first_test_file_it_counts_who_caused_an_evaluation(
    filename: str, at_import: set[int], startup: set[int]
) -> None:
    recorder = a_recorder()
    recorder.woven_files.add("/work/shop/woven.py")
    evaluated_in(recorder, filename)
    assert (set(recorder.at_import), set(recorder.startup)) == (at_import, startup)


def test_an_evaluation_deeper_down_is_caused_by_the_project_too(tmp_path: Path) -> None:
    recorder = a_recorder(root=str(tmp_path))
    namespace: dict[str, Any] = {"evaluate": lambda: evaluated_in(recorder, "/usr/lib/plugin.py")}
    exec(compile("evaluate()\n", f"{tmp_path}{os.sep}conftest.py", "exec"), namespace)  # noqa: S102 - the code here
    assert (set(recorder.at_import), set(recorder.startup)) == ({0}, set())


def test_what_a_test_saw_is_counted_under_its_number() -> None:
    recorder = a_recorder(2)
    recorder.finish_plain_test(4, {0: a_sight(0b101, (5,), at=(0.0, 18))})
    recorder.finish_plain_test(7, {0: a_sight(0b100), 1: a_sight()})
    assert recorder.reached == [array("I", [4, 7]), array("I", [7])]
    assert recorder.infected == [{0: array("I", [4]), 2: array("I", [4, 7])}, {}]
    assert recorder.nearest == [{"at": [1, 0.0, "18", 4, 1]}, {}]
    assert recorder.samples == [[("5", 4)], []]


def test_contexts_of_one_test_are_counted_once_together() -> None:
    recorder = a_recorder(2)
    contexts: list[Context] = [{0: a_sight(0b01, (5,))}, {0: a_sight(0b10, (6,)), 1: a_sight(0b1)}]
    recorder.finish_test(3, contexts)
    assert recorder.reached == [array("I", [3]), array("I", [3])]
    assert recorder.infected == [{0: array("I", [3]), 1: array("I", [3])}, {0: array("I", [3])}]
    assert recorder.samples == [[("5", 3)], []]
    assert contexts[0][0].mask == 0b01  # a fixture's own context serves more tests than this one


def test_the_nearest_of_all_tests_is_kept_with_its_test_and_of_equals_the_first() -> None:
    recorder = a_recorder()
    for test, (distance, value) in enumerate(((3.0, 15), (1.0, 17), (2.0, 16), (1.0, 17.0))):
        recorder.finish_plain_test(test, {0: a_sight(below=(distance, value), above=(distance, -value))})
    assert recorder.nearest == [{"below": [4, 1.0, "17", 1, 2], "above": [4, 1.0, "-17", 1, 2]}]


def test_a_value_that_was_seen_here_takes_the_place_of_one_that_only_a_child_saw() -> None:
    recorder = a_recorder()
    recorder.finish_plain_test(0, {0: a_sight(below=(None, UNSEEN))})
    assert recorder.nearest == [{"below": [1, None, None, 0, 1]}]
    recorder.finish_plain_test(1, {0: a_sight(below=(None, "a"))})
    recorder.finish_plain_test(2, {0: a_sight(below=(None, "b"))})
    assert recorder.nearest == [{"below": [3, None, "'a'", 1, 3]}]
    recorder.finish_plain_test(3, {0: a_sight(below=(5.0, "c"))})
    assert recorder.nearest == [{"below": [4, 5.0, "'c'", 3, 1]}]
    recorder.finish_plain_test(4, {0: a_sight(below=(None, UNSEEN))})
    recorder.finish_plain_test(5, {0: a_sight(below=(5.0, "d"))})
    recorder.finish_plain_test(6, {0: a_sight(below=(7.0, "e"))})
    assert recorder.nearest == [{"below": [7, 5.0, "'c'", 3, 2]}]


def test_three_different_samples_are_kept() -> None:
    recorder = a_recorder()
    for test, value in enumerate((1, 1, 2, 3, 4)):
        recorder.finish_plain_test(test, {0: a_sight(sample=(value,))})
    assert recorder.samples == [[("1", 0), ("2", 2), ("3", 3)]]


def test_mutants_are_alike_while_every_evaluation_gave_them_the_same_outcome() -> None:
    recorder = a_recorder(2)
    recorder.refine(0, [0, 0, 1])
    assert recorder.classes == [(0, 0, 1), None]
    recorder.refine(0, [0, 0, 0])
    assert recorder.classes == [(0, 0, 1), None]
    recorder.refine(0, [5, 4, 4])
    assert recorder.classes == [(0, 1, 2), None]


class Price(int):
    """A number whose `repr` is code under test."""

    def __repr__(self) -> str:
        message = "nobody may ask"
        raise AssertionError(message)

    def __str__(self) -> str:
        return "a price"  # pytest names parameters after them


class Nameless:
    """Something to call that has no name."""

    def __call__(self, _: object) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (18, "18"),
        ("Ann", "'Ann'"),
        (decimal.Decimal("1.50"), "Decimal('1.50')"),
        (datetime.date(2024, 1, 2), "datetime.date(2024, 1, 2)"),
        (Price(3), "<Price>"),
        (Nameless(), "<Nameless>"),
        (len, "<len>"),
        (dict.fromkeys, "<fromkeys>"),
        (int, "<int>"),
        (types.MethodType(Nameless(), 1), "<function>"),
        ([Nameless(), len], "<list of 2>"),
        ({"a": [decimal.Decimal(1)]}, "{'a': [Decimal('1')]}"),
        ([1, 2], "[1, 2]"),
        ([Price(3), 1], "<list of 2>"),
        ({"a": Price(3)}, "<dict of 1>"),
        ({Price(3): "a"}, "<dict of 1>"),
        ([[Price(3)]], "<list of 1>"),
        ({1: Price(3)}.values(), "<dict_values>"),
        (ValueError(Price(3)), "<ValueError>"),
        (Against(17, 18), "17 against 18"),
        (Against(Price(3), "b"), "<Price> against 'b'"),
    ],
)
def test_values_are_shown_short_and_those_of_users_by_their_type(value: object, text: str) -> None:
    assert shown((value,)) == text


def test_operands_are_shown_in_a_row() -> None:
    assert shown((1, "a", None)) == "1, 'a', None"
    assert shown(()) == ""


def test_a_container_is_shown_up_to_six_items() -> None:
    assert shown(([1, 2, 3, 4, 5, 6],)) == "[1, 2, 3, 4, 5, 6]"
    assert shown(([1, 2, 3, 4, 5, 6, 7],)) == "<list of 7>"
    assert shown((dict.fromkeys(range(6)),)) == "{0: None, 1: None, 2: None, 3: None, 4: None, 5: None}"


def test_a_container_is_shown_three_levels_deep() -> None:
    assert shown(([[[1]]],)) == "[[[1]]]"
    assert shown(([[[[1]]]],)) == "<list of 1>"


def test_a_long_text_is_cut_at_sixty_characters() -> None:
    assert shown(("a" * 58,)) == f"'{'a' * 58}'"
    assert shown(("a" * 59,)) == f"'{'a' * 56}..."


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Zoë", "'Zoë'"),
        ("Zoë Ö", "'Zoë Ö'"),
        ("日本", "'日本'"),
        ("Zoe\u0308", "'Zoe\\u0308'"),
        ("a\u00a0b", "'a\\xa0b'"),
        ("a\u200bb", "'a\\u200bb'"),
    ],
)
def test_text_that_would_be_seen_as_nothing_is_shown_by_its_codes(value: str, text: str) -> None:
    assert shown((value,)) == text


def test_switches_start_under_observation_and_are_set_one_by_one() -> None:
    board = Switchboard("token", anchors=3, probes=2)
    active = board.active
    assert board.active == [OBSERVE] * 3
    board.activate([(1, 2)])
    assert board.active == [ORIGINAL, 2, ORIGINAL]
    board.set_all(OBSERVE)
    assert board.active == [OBSERVE] * 3
    assert board.active is active  # woven code holds on to the table
    assert len(board.look) == 3


def test_woven_code_finds_the_tables_of_its_plan_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    board, other = Switchboard("one", anchors=1, probes=1), Switchboard("two", anchors=1, probes=1)
    for name in (board.active_name, board.look_name, other.active_name, other.look_name):
        monkeypatch.setattr(builtins, name, None, raising=False)
    board.install()
    other.install()
    assert eval(board.active_name) is board.active  # noqa: S307 - a name of ours
    assert eval(board.look_name) is board.look  # noqa: S307 - a name of ours
    assert eval(other.active_name) is other.active  # noqa: S307 - a name of ours
