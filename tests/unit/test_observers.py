"""An observed expression gives what it always gave, and counts the mutants that would have given something else."""

from __future__ import annotations

import datetime
import decimal
import enum
import os
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from fencepost.analyzer.observers import MOST_ITEMS, MOST_MEMOS, build, is_plain, same
from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.runtime import Recorder, Sight
from fencepost.analyzer.scan import scan_source
from fencepost.rules import all_rules


@dataclass
class Watched:
    """One expression under observation."""

    look: Callable[..., Any]
    recorder: Recorder
    replacements: list[str]

    @property
    def sight(self) -> Sight:
        """What was seen in the context of now."""
        return self.recorder.context[0]

    def infected(self, *operands: Any) -> list[str]:
        """The replacements that evaluate differently on these operands alone."""
        self.recorder.context = {}
        self.look(*operands)
        return [text for bit, text in enumerate(self.replacements) if self.sight.mask >> bit & 1]


def watched(expression: str, rule: str = "") -> Watched:
    """The observer of the first site of an expression, as the rules and the plan describe it."""
    rules = [one for one in all_rules() if rule in {"", one.code}]
    assigned = expression if expression.startswith("names.sort(") else f"value = {expression}"
    scan = scan_source(f"import os\n{assigned}\n".encode(), "shop.py", rules)
    plan = make_plan([scan], "/shop")
    anchor = plan.document["files"]["shop.py"]["anchors"][0]
    recorder = Recorder(plan.document["probes"], "/shop")
    recorder.context = {}
    mutants = {mutant.id: mutant.replacement for site in scan.sites for mutant in site.mutants}
    replacements = [mutants[one] for one in plan.mutants_by_probe[0]]
    return Watched(build(anchor["probes"][0], recorder), recorder, replacements)


class Shouting:
    """An object of a user: comparing it runs code under test."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __lt__(self, other: Shouting) -> bool:
        return self.number < other.number


class Colour(enum.IntEnum):
    """A number that is more than one."""

    RED = 1


@pytest.mark.parametrize(
    "value",
    [
        1,
        1.5,
        "a",
        b"a",
        None,
        ...,
        range(3),
        decimal.Decimal(1),
        datetime.date(2024, 1, 1),
        re.compile("a"),
        [1, "a"],
        (1, {2}),
        {"a": [1]},
        frozenset({1}),
    ],
)
def test_values_of_the_standard_library_are_plain(value: object) -> None:
    assert is_plain(value)


@pytest.mark.parametrize(
    "value", [Shouting(1), Colour.RED, [Shouting(1)], {"a": Shouting(1)}, {Shouting(1): 1}, OrderedDict(a=1), iter([])]
)
def test_values_that_may_run_other_code_are_not_plain(value: object) -> None:
    assert not is_plain(value)


def test_a_container_is_plain_up_to_a_number_of_items() -> None:
    assert is_plain([0] * MOST_ITEMS)
    assert not is_plain([0] * (MOST_ITEMS + 1))


def test_a_container_is_plain_three_levels_deep() -> None:
    assert is_plain([[[1]]])
    assert not is_plain([[[[1]]]])
    assert is_plain({1: {2: {3: 4}}})
    assert not is_plain({1: {2: {3: {4: 5}}}})


@pytest.mark.parametrize(
    ("left", "right"),
    [(1, 1.0), (0.0, -0.0), (True, 1), (decimal.Decimal("1.0"), decimal.Decimal("1.00")), ([1, 2], [2, 1]),
     ([1], [1, 2]), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ([1], [1.0]), ("a", "b")],
)  # fmt: skip
def test_what_a_test_could_tell_apart_is_not_the_same(left: object, right: object) -> None:
    assert not same(left, right)
    assert not same(right, left)


@pytest.mark.parametrize("value", [1, float("nan"), "a", [1, [2]], {"a": 1}, {1, 2}, datetime.datetime(2024, 1, 1)])  # noqa: DTZ001 - a time without zone is a value too
def test_a_value_is_the_same_as_itself(value: object) -> None:
    assert same(value, value)


def test_a_comparison_gives_its_value_and_infects_where_a_mutant_gives_another() -> None:
    age = watched("age >= 18")
    assert [age.look(17, 18), age.look(18, 18), age.look(19, 18)] == [False, True, True]
    assert "age > 18" in age.infected(18, 18)
    assert "age > 18" not in age.infected(17, 18)
    assert "age > 18" not in age.infected(19, 18)


def test_a_remembered_comparison_counts_like_the_first_one() -> None:
    age = watched("age >= 18")
    assert age.infected(18, 18) == age.infected(18, 18) != []
    assert age.look(18, 18) is True
    assert age.sight.at == (0.0, 18)


def test_equal_values_of_other_types_are_not_taken_for_remembered_ones() -> None:
    equal = watched("count == 1")
    equal.look(1, 1)
    equal.recorder.context = {}
    equal.look(True, 1)  # noqa: FBT003 - a value like another
    assert equal.sight.at is not None
    assert equal.sight.at[1] is True


def test_values_on_each_side_of_a_threshold_are_noted_with_their_distance() -> None:
    age = watched("age >= 18")
    for value in (10, 17, 18, 21, 19):
        age.look(value, 18)
    assert (age.sight.below, age.sight.at, age.sight.above) == ((1.0, 17), (0.0, 18), (1.0, 19))


def test_the_threshold_may_stand_on_the_left() -> None:
    age = watched("18 <= age")
    age.look(18, 21)
    assert (age.sight.below, age.sight.at, age.sight.above) == (None, None, (3.0, 21))


def test_a_threshold_that_is_no_constant_is_told_beside_the_value() -> None:
    age = watched("age >= limit")
    age.look(5, 7)
    assert age.sight.below is not None
    assert (age.sight.below[0], age.sight.below[1].value, age.sight.below[1].threshold) == (2.0, 5, 7)


def test_dates_have_a_distance_in_seconds_and_text_has_none() -> None:
    due = watched("day < due")
    due.look(datetime.date(2024, 1, 1), datetime.date(2024, 1, 2))
    assert due.sight.below is not None
    assert due.sight.below[0] == 86400.0
    word = watched("word < last")
    word.look("a", "b")
    assert word.sight.below is not None
    assert word.sight.below[0] is None


def test_a_distance_that_no_float_holds_is_left_out() -> None:
    size = watched("size < 10")
    size.look(10**400, 10)
    assert size.sight.above == (None, 10**400)


def test_a_value_that_is_neither_below_nor_above_is_on_no_side() -> None:
    size = watched("size < 10")
    assert size.look(float("nan"), 10) is False
    assert (size.sight.below, size.sight.at, size.sight.above) == (None, None, None)
    sets = watched("some < most")
    assert sets.look({1}, {2}) is False
    assert (sets.sight.below, sets.sight.at, sets.sight.above) == (None, None, None)


def test_values_without_an_order_can_still_be_at_the_threshold() -> None:
    price = watched("price == 0")
    assert price.look(None, None) is True
    assert price.sight.at is not None
    assert price.sight.at[0] == 0.0


def test_a_decimal_that_is_no_number_is_on_no_side() -> None:
    price = watched("price == 0")
    assert price.look(decimal.Decimal("NaN"), 0) is False
    assert (price.sight.below, price.sight.at, price.sight.above) == (None, None, None)


def test_a_comparison_that_raises_does_so_under_observation_as_often_as_it_is_made() -> None:
    size = watched("size < 10")
    for _ in range(2):
        with pytest.raises(TypeError, match="'<' not supported"):
            size.look("a", 10)
    with pytest.raises(TypeError, match="'<' not supported"):
        size.look(["a"], 10)
    assert size.sight.mask == 1  # `size <= 10` raises with another message, the others with the same one


def test_an_object_of_a_user_is_compared_once_and_counts_as_infecting_everything() -> None:
    asked = []

    class Asked:
        def __lt__(self, other: object) -> bool:
            asked.append(other)
            return True

    size = watched("size < 10")
    assert len(size.replacements) == 3
    assert size.infected(Asked(), 10) == size.replacements
    assert asked == [10]
    assert size.recorder.doubted == [0b111]
    assert size.recorder.classes == [(0, 1, 2)]


def test_an_object_of_a_user_tells_nothing_apart_where_there_is_one_mutant() -> None:
    size = watched("size < limit")
    assert size.infected(Shouting(1), Shouting(2)) == ["size <= limit"]
    assert size.recorder.classes == [None]


def test_containers_are_compared_anew_each_time() -> None:
    pair = watched("version < (3, 12)")
    assert pair.look((3, 11), (3, 12)) is True
    assert pair.look((3, 12), (3, 12)) is False
    assert "version <= (3, 12)" in pair.infected((3, 12), (3, 12))
    assert pair.sight.at is not None
    assert pair.sight.at[0] == 0.0


def test_mutants_of_a_probe_are_told_apart_by_their_outcomes() -> None:
    age = watched("age == 18")
    assert len(age.replacements) > 1
    age.look(18, 18)
    first = age.recorder.classes[0]
    age.look(17, 18)
    age.look(19, 18)
    assert first is not None
    assert age.recorder.classes[0] is not None
    assert len(set(age.recorder.classes[0])) == len(age.replacements) > len(set(first))


def test_two_mutants_are_told_apart_too() -> None:
    ordered = watched("sorted(names, key=len)")
    assert ordered.replacements == ["list(names)", "sorted(names)"]
    ordered.look(sorted, ["bb", "a"], len)
    assert ordered.recorder.classes == [(0, 1)]


def test_one_mutant_alone_has_nothing_to_be_told_apart_from() -> None:
    text = watched("word.strip()")
    assert len(text.replacements) == 1
    text.look(" a ")
    assert text.recorder.classes == [None]


def test_only_so_many_comparisons_are_remembered() -> None:
    kept = watched("number < 10")
    kept_memo = memo_of(kept.look)
    for number in range(MOST_MEMOS - 1):
        kept.look(number, 10)
    assert len(kept_memo) == MOST_MEMOS - 1
    kept.look(-1, 10)
    assert len(kept_memo) == MOST_MEMOS
    assert kept.look(-2, 10) is True
    assert len(kept_memo) == MOST_MEMOS


def test_only_so_many_calls_are_remembered() -> None:
    kept = watched("word.strip()")
    kept_memo = memo_of(kept.look)
    for number in range(MOST_MEMOS - 1):
        kept.look(str(number))
    assert len(kept_memo) == MOST_MEMOS - 1
    kept.look("a")
    assert len(kept_memo) == MOST_MEMOS
    assert kept.look(" b ") == "b"
    assert len(kept_memo) == MOST_MEMOS


def memo_of(look: Callable[..., Any]) -> dict[Any, Any]:
    """What an observer remembers; nothing else shows how much memory it takes."""
    cells = dict(zip(look.__code__.co_freevars, look.__closure__ or (), strict=True))
    memo: dict[Any, Any] = cells["memo"].cell_contents
    return memo


def test_a_call_gives_its_value_and_infects_where_dropping_it_would_show() -> None:
    text = watched("word.strip()")
    assert text.look(" a ") == "a"
    assert text.infected(" a ") == ["word"]
    assert text.infected(" a ") == ["word"]  # remembered by now
    assert text.infected("a") == []
    assert text.sight.sample == ("a",)


def test_a_call_of_several_operands_is_not_remembered_by_the_first() -> None:
    half = watched("total // 2")
    assert (half.look(7, 2), half.look(7, 3)) == (3, 2)


def test_a_call_that_raises_raises_and_counts_what_its_mutants_would_have_done() -> None:
    number = watched("round(price, 2)", "FP205")
    with pytest.raises(TypeError):
        number.look(round, "a", 2)
    assert number.sight.mask


def test_an_ordering_infects_only_where_the_order_changes() -> None:
    ordered = watched("sorted(names)")
    assert ordered.look(sorted, ["b", "a"]) == ["a", "b"]
    assert ordered.infected(sorted, ["b", "a"]) == ["list(names)"]
    assert ordered.infected(sorted, ["a", "b"]) == []
    assert ordered.sight.sample == (["a", "b"],)


def test_an_iterator_is_read_once_and_the_call_gets_all_of_it() -> None:
    ordered = watched("sorted(names)")
    assert ordered.look(sorted, iter(["b", "a"])) == ["a", "b"]
    assert ordered.sight.sample == (["b", "a"],)


class Backwards:
    """Can be reversed, and not be iterated forwards."""

    def __init__(self, *items: int) -> None:
        self.items = items

    def __reversed__(self) -> Iterator[int]:
        return iter(self.items[::-1])


class Numbered:
    """Gives its items by number alone, and counts how often it is asked for one."""

    asked = 0

    def __len__(self) -> int:
        return 2

    def __getitem__(self, number: int) -> int:
        self.asked += 1
        return number * 10


def test_what_is_reversed_is_asked_as_python_asks_it_and_not_iterated_first() -> None:
    backwards = watched("reversed(items)")
    assert list(backwards.look(reversed, Backwards(1, 2))) == [2, 1]
    numbered = Numbered()
    assert list(backwards.look(reversed, numbered)) == [10, 0]
    assert numbered.asked == 2
    assert list(backwards.look(reversed, {1: "a", 2: "b"}.items())) == [(2, "b"), (1, "a")]
    assert backwards.infected(reversed, Backwards(1, 1)) == ["iter(items)"]
    with pytest.raises(TypeError, match="not reversible"):
        backwards.look(reversed, iter([1, 2]))


@pytest.mark.parametrize("items", [[1, 2], {1: 1, 2: 2}, range(1, 3)])
def test_reversed_gives_an_unused_iterator_and_infects_what_reads_differently_backwards(items: Any) -> None:
    backwards = watched("reversed(items)")
    assert list(backwards.look(reversed, items)) == [2, 1]
    assert backwards.infected(reversed, items) == ["iter(items)"]


@pytest.mark.parametrize("items", [[1], {1: 1}, range(1, 2), (1,), "a"])
def test_reversed_infects_nothing_that_reads_the_same_backwards(items: Any) -> None:
    assert watched("reversed(items)").infected(reversed, items) == []


def test_an_ordering_that_kept_the_very_elements_in_place_infects_only_what_it_must() -> None:
    ones = [Shouting(1), Shouting(2)]
    ordered = watched("sorted(ones, key=size, reverse=backwards)")
    assert "list(ones)" in ordered.replacements
    assert len(ordered.replacements) > 1

    def size(one: Shouting) -> int:
        return one.number

    kept = ordered.infected(sorted, ones, size, 0)
    assert "list(ones)" not in kept
    assert kept == [text for text in ordered.replacements if text != "list(ones)"]
    assert ordered.infected(sorted, ones[::-1], size, 0) == ordered.replacements
    assert ordered.recorder.classes[0] == tuple(range(len(ordered.replacements)))


def test_two_mutants_of_a_call_that_only_a_run_can_judge_are_told_apart() -> None:
    ordered = watched("sorted(ones, key=size)")
    assert ordered.replacements == ["list(ones)", "sorted(ones)"]
    assert ordered.infected(sorted, [Shouting(1)], lambda one: one.number) == ["sorted(ones)"]
    assert ordered.recorder.classes == [(0, 1)]


def test_a_call_of_something_unknown_is_made_once_and_may_infect_everything() -> None:
    calls = []

    def sorting(items: list[int]) -> list[int]:
        calls.append(items)
        return sorted(items)

    ordered = watched("sorted(names)")
    assert ordered.infected(sorting, [1, 2]) == []
    assert ordered.infected(sorting, [2, 1]) == ["list(names)"]
    assert calls == [[1, 2], [2, 1]]
    assert ordered.recorder.classes == [None]


def test_a_method_of_a_user_is_called_once_even_where_it_raises() -> None:
    class Word:
        def strip(self) -> str:
            message = "not today"
            raise KeyboardInterrupt(message)

    text = watched("word.strip()")
    with pytest.raises(KeyboardInterrupt):
        text.look(Word())
    assert text.sight.mask == 1


def test_a_method_of_a_user_without_arguments_may_infect_everything() -> None:
    class Word:
        def strip(self) -> str:
            return "a"

    text = watched("word.strip()")
    assert text.infected(Word()) == ["word"]
    assert text.recorder.classes == [None]


def test_int_is_noted_as_parsing_or_as_rounding() -> None:
    number = watched("int(text)")
    number.look(int, "12")
    assert (number.recorder.parsed, number.recorder.numeric) == ({0}, set())
    number.look(int, 1.5)
    assert (number.recorder.parsed, number.recorder.numeric) == ({0}, {0})


@pytest.mark.parametrize(
    ("items", "unordered"),
    [
        ({"a", "b"}, True), (frozenset({"a", "b"}), True), ({(1, 2), (3, 4)}, True), ({"a"}, False), (set(), False),
        ({1, 2.5}, False), (["a", "b"], False), ({"a": 1, "b": 2}, False), ("ab", False),
    ],
)  # fmt: skip
def test_sorting_a_set_depends_on_its_order_which_is_chance(
    items: Any,
    unordered: bool,  # noqa: FBT001 - a parameter
) -> None:
    ranked = watched("sorted(items)")
    assert ranked.look(sorted, items) == sorted(items)
    assert ranked.recorder.unordered == ({0} if unordered else set())
    if unordered:
        assert ranked.sight.mask == 1
        assert ranked.recorder.doubted == [1]


def test_dropping_duplicates_infects_where_there_is_one() -> None:
    names = watched("sorted(set(names))", "FP204")
    assert names.look(set, ["a", "b", "a"]) == {"a", "b"}
    assert names.infected(set, ["a", "b"]) == []
    assert names.infected(set, iter(["a", "a"])) == ["list(names)"]
    assert names.sight.sample == (["a", "a"],)


@pytest.mark.parametrize("owner", [dict, OrderedDict])
def test_fromkeys_of_the_standard_mappings_is_known(owner: type[dict[Any, Any]]) -> None:
    names = watched("list(dict.fromkeys(names))", "FP204")
    assert names.infected(owner.fromkeys, ["a", "b"]) == []
    assert names.infected(owner.fromkeys, ["a", "a"]) == ["list(names)"]


def test_another_function_that_drops_duplicates_may_do_anything() -> None:
    class Mine(dict[Any, Any]):
        pass

    def unique(items: list[str]) -> list[str]:
        return list(dict.fromkeys(items))

    names = watched("list(dict.fromkeys(names))", "FP204")
    assert names.infected(Mine.fromkeys, ["a", "b"]) == ["list(names)"]
    assert names.infected({}.get, ["a", "b"][0]) == ["list(names)"]
    assert names.infected([].append, "a") == ["list(names)"]
    assert names.infected(unique, ["a", "b"]) == ["list(names)"]


def test_sorting_in_place_infects_where_an_element_moved() -> None:
    names = watched("names.sort()")
    moved, kept = ["b", "a"], ["a", "b"]
    assert names.look(moved) is None
    assert (moved, names.sight.mask, names.sight.sample) == (["a", "b"], 1, (["b", "a"],))
    assert names.infected(kept) == []


def test_a_missing_key_infects_where_the_default_shows() -> None:
    port = watched("settings.get('port', 80)")
    assert (port.look({}, "port", 80), port.look({"port": 1}, "port", 80)) == (80, 1)
    assert port.infected({}, "port", 80) == ["settings.get('port')"]
    assert port.infected({}, "port", None) == []
    assert port.infected({"port": 1}, "port", 80) == []
    assert port.sight.sample == ("port",)


def test_a_pop_without_default_raises_so_that_even_none_shows() -> None:
    port = watched("settings.pop('port', None)")
    assert port.infected({}, "port", None) == ["settings.pop('port')"]
    assert port.infected({"port": 1}, "port", None) == []


def test_a_missing_attribute_item_or_variable_infects() -> None:
    name = watched("getattr(value, 'name', 'x')")
    assert name.look(getattr, 1, "name", "x") == "x"
    assert name.infected(getattr, 1, "name", "x") == name.replacements
    assert name.infected(getattr, 1, "real", "x") == []
    item = watched("next(items, None)")
    assert item.look(next, iter([5]), None) == 5
    assert item.infected(next, iter([]), None) == item.replacements
    home = watched("os.getenv('NOT_SET_HERE', '1')")
    assert home.infected(os.getenv, "NOT_SET_HERE", "1") == home.replacements
    assert home.infected(os.getenv, "NOT_SET_HERE", None) == []


def test_a_function_of_that_name_by_a_user_is_called_as_written() -> None:
    def mine(*operands: Any) -> tuple[Any, ...]:
        return operands

    name = watched("getattr(value, 'name', 'x')")
    assert name.look(mine, 1, "name", "x") == (1, "name", "x")
    assert name.sight.mask == 1


def test_a_falsy_left_side_infects_unless_it_is_the_default_itself() -> None:
    name = watched("(name or '')")
    assert name.look("", "") == ""
    assert name.infected("", "") == []
    assert name.infected(None, "") == name.replacements
    assert name.infected("Ann", "") == []
    assert name.infected(Shouting(1), "") == name.replacements


def test_none_infects_where_a_default_stands_in_for_it() -> None:
    size = watched("10 if limit is None else limit")
    assert size.infected(None) == ["limit"]
    assert size.infected(0) == []
    assert size.sight.sample == (0,)


def test_what_cannot_be_watched_may_be_infected_wherever_it_is_reached() -> None:
    text = watched("f'{price:.2f}'")
    assert text.infected() == text.replacements
    assert text.recorder.classes == [None]
    both = watched("f'{price:.2f} {weight:.1f}'")
    both.look()
    assert both.recorder.classes == [(0, 1)]


def test_an_observer_writes_to_the_context_of_the_moment() -> None:
    age = watched("age >= 18")
    age.look(18, 18)
    before, age.recorder.context = age.recorder.context, {}
    age.look(17, 18)
    assert (before[0].at, before[0].below) == ((0.0, 18), None)
    assert age.sight.below == (1.0, 17)


def test_a_generator_gives_its_items_once() -> None:
    def items() -> Iterator[int]:
        yield from (2, 1)

    ordered = watched("sorted(items())")
    assert ordered.look(sorted, items()) == [1, 2]


@pytest.mark.parametrize(
    ("keep", "items", "result", "sample"),
    [
        (None, [1, 0, 2], [1, 2], ([1, 0, 2],)),
        (None, (1, 2), [1, 2], ((1, 2),)),
        (None, "ab", ["a", "b"], ("ab",)),
        (str.strip, ["a", " "], ["a"], (["a", " "],)),
        (str.strip, ["a"], ["a"], (["a"],)),
        (len, ["a", ""], ["a"], (["a", ""],)),
    ],
)
def test_a_filter_infects_where_it_leaves_an_item_out(keep: Any, items: Any, result: list[Any], sample: Any) -> None:
    seen = watched("list(filter(keep, items))", "FP213")
    assert seen.infected(filter, keep, items) == (["iter(items)"] if len(result) < len(items) else [])
    assert list(seen.look(filter, keep, items)) == result
    assert seen.sight.sample == sample
    assert seen.recorder.doubted == [0]


@pytest.mark.parametrize(
    ("callee", "keep", "items"),
    [
        (filter, None, iter([1])),
        (filter, None, [Shouting(1)]),
        (filter, lambda item: item, [1]),
        (lambda _keep, items: items, None, [1]),
        (filter, None, [[[[[1]]]]]),
    ],
)
def test_a_filter_that_may_run_other_code_is_left_to_a_run(callee: Any, keep: Any, items: Any) -> None:
    seen = watched("list(filter(keep, items))", "FP213")
    assert seen.infected(callee, keep, items) == ["iter(items)"]
    assert seen.recorder.doubted == [1]
    assert seen.sight.sample is None


def test_a_filter_that_raises_is_left_to_a_run_and_raises_where_it_did() -> None:
    seen = watched("list(filter(keep, items))", "FP213")
    iterator = seen.look(filter, str.strip, [1])
    assert seen.recorder.doubted == [1]
    with pytest.raises(TypeError):
        list(iterator)


@pytest.mark.parametrize("items", [(n for n in (1, 0)), map(int, "10"), zip("ab", "cd", strict=True), enumerate("ab")])
def test_a_filter_of_items_made_one_by_one_reads_them_once(items: Any) -> None:
    seen = watched("list(filter(keep, items))", "FP213")
    result = list(seen.look(filter, None, items))
    assert result == list(filter(None, seen.sight.sample[0]))
    assert bool(seen.sight.mask) == (len(result) < 2)
    assert seen.recorder.doubted == [0]


@pytest.mark.parametrize("keep", [None, lambda item: item])
def test_a_filter_of_another_iterator_or_by_other_code_is_not_read_ahead(keep: Any) -> None:
    seen = watched("list(filter(keep, items))", "FP213")
    items: Any = iter([1, 2]) if keep is None else (n for n in (1, 2))
    iterator = seen.look(filter, keep, items)
    assert next(items) == 1
    assert list(iterator) == [2]


def test_a_condition_is_asked_once_and_infects_where_it_does_not_hold() -> None:
    asked: list[bool] = []

    class Asked:
        def __init__(self, *, truth: bool) -> None:
            self.truth = truth

        def __bool__(self) -> bool:
            asked.append(self.truth)
            return self.truth

    seen = watched("[item for item in items if item.ready]", "FP213")
    assert seen.infected(1) == []
    assert seen.infected(0) == ["True"]
    assert seen.infected("") == ["True"]
    assert seen.sight.sample == ("",)
    assert seen.infected(Asked(truth=True)) == []
    assert seen.infected(Asked(truth=False)) == ["True"]
    assert asked == [True, False]
    assert seen.sight.sample is None
    assert seen.look("a") is True
    assert seen.look("") is False
    assert seen.recorder.doubted == [0]


def test_a_condition_that_compares_infects_where_it_does_not_hold() -> None:
    seen = watched("[item for item in items if item >= 3]", "FP213")
    assert [seen.infected(number, 3) for number in (2, 3, 4)] == [["True"], [], []]


def test_a_substitution_infects_where_it_changes_the_text() -> None:
    seen = watched("pattern.sub('-', text)", "FP212")
    assert seen.infected(re.compile(" "), "-", "a b") == ["text"]
    assert seen.infected(re.compile(" "), "-", "ab") == []
    assert seen.recorder.doubted == [0]
    assert seen.infected(re.compile(" "), lambda _: "-", "ab") == ["text"]
    assert seen.recorder.doubted == [1]


def test_a_mutant_of_another_rule_that_only_a_run_can_tell_counts_wherever_it_is_reached() -> None:
    scan = scan_source(b"x = d.get(k, 1)\n", "shop.py", all_rules(), {".get": ("receiver",)})
    plan = make_plan([scan], "/shop")
    recorder = Recorder(plan.document["probes"], "/shop")
    recorder.context = {}
    (probe,) = plan.document["files"]["shop.py"]["anchors"][0]["probes"]
    look = build(probe, recorder)
    assert (probe["kind"], look({"a": 2}, "a", 1), recorder.context[0].mask) == ("missing-key", 2, 0b10)
    assert (look({}, "a", 1), recorder.context[0].mask) == (1, 0b11)
    assert recorder.doubted == [0b10]
