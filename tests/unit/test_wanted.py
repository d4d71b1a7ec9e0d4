"""What a test to start from has to bring about: the input that closes a gap, and the tests that come nearest to it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fencepost.analyzer.model import Infection, Nearest, Run, Sighting, Verdict
from fencepost.analyzer.sketch import Wanted
from fencepost.reports._gaps import gaps
from fencepost.reports._view import View
from fencepost.reports._wanted import wanted_for

Told = Callable[..., Run]
A, B = "test_shop.py::test_a", "test_shop.py::test_b"


def wanted(told: Told, expression: str, replacement: str, sighting: Sighting, **more: object) -> list[Wanted]:
    """What the gap of a mutant of an expression asks for; it is infected by no test."""
    code = f"LIMIT = 18\n\n\ndef f(x, cap, xs):\n    return {expression}\n"
    run = told(code, seen={expression: sighting}, **{"others": Verdict.NOT_INFECTED, **more})
    view = View(run)
    found = (gap for gap in gaps(view) if replacement in {mutant.replacement for mutant in gap.mutants})
    return list(wanted_for(next(found), view))


AROUND = Sighting(2, (0, 1), Nearest(1, "10", 8.0, 0, 1), Nearest(), Nearest(1, "20", 2.0, 1, 1))


def test_a_gap_on_the_threshold_wants_the_threshold_itself_from_the_test_that_comes_nearest(told: Told) -> None:
    assert wanted(told, "x >= 18", "x > 18", AROUND) == [
        Wanted("shop.py", "f", "x", "20", "18", "at_18", "give it an input with which `x` is 18 (so far 20)", B),
        Wanted("shop.py", "f", "x", "10", "18", "at_18", "give it an input with which `x` is 18 (so far 10)", A),
    ]


def test_a_gap_beside_the_threshold_wants_the_input_there_from_a_test_on_that_side(told: Told) -> None:
    below, other = wanted(told, "x >= 18", "x >= 17", AROUND)
    assert (below.old, below.new, below.suffix, below.based_on) == ("10", "17", "just_below_18", A)
    assert (other.old, other.new, other.based_on) == ("20", "17", B)
    above, _ = wanted(told, "x > 18", "x > 19", AROUND)
    assert (above.old, above.new, above.suffix, above.based_on) == ("20", "19", "just_above_18", B)


def test_behind_a_test_on_the_side_itself_the_nearest_comes_first(told: Told) -> None:
    seen = Sighting(3, (0, 1), Nearest(), Nearest(1, "18", 0.0, 0, 1), Nearest(1, "40", 22.0, 1, 1))
    assert [one.old for one in wanted(told, "x >= 18", "x >= 17", seen)] == ["18", "40"]


def test_a_test_that_stands_there_at_no_known_distance_comes_last(told: Told) -> None:
    seen = Sighting(3, (0, 1), Nearest(1, "'a'", None, 0, 1), Nearest(), Nearest(1, "20", 2.0, 1, 1))
    assert [one.old for one in wanted(told, "x >= 18", "x > 18", seen)] == ["20", "'a'"]


def test_where_no_value_was_seen_there_is_no_test_to_start_from(told: Told) -> None:
    (found,) = wanted(told, "x >= 18", "x > 18", Sighting(1, (0,)))
    assert (found.old, found.new, found.based_on) == (None, "18", None)
    assert found.reminder == "give it an input with which `x` is 18"


def test_a_named_threshold_is_written_by_its_value(told: Told) -> None:
    found, _ = wanted(told, "x >= LIMIT", "x > LIMIT", AROUND)
    assert (found.new, found.suffix) == ("18", "at_18")


def test_a_negative_threshold_is_spelled_in_the_name(told: Told) -> None:
    seen = Sighting(1, (0,), below=Nearest(1, "-9", 6.0, 0, 1))
    assert wanted(told, "x >= -3", "x > -3", seen)[0].suffix == "at_minus_3"
    assert wanted(told, "x >= -2.5", "x > -2.5", seen)[0].suffix == "at_minus_2_5"


@pytest.mark.parametrize(
    ("value", "replacement", "new", "suffix"),
    [
        ("15 against 30", "x > cap", "30", "at_30"),
        ("-15 against -30", "x > cap", "-30", "at_minus_30"),
        ("2.5 against 3.5", "x > cap", "3.5", "at_3_5"),
        ("'a' against 'm²'", "x > cap", "'m²'", "at_m"),
        ("<a> against <b>", "x > cap", "<b>", "at_b"),
        ("15", "x > cap", None, "at_cap"),
    ],
)
def test_a_threshold_of_unknown_value_is_the_one_that_was_seen(
    told: Told, value: str, replacement: str, new: str | None, suffix: str
) -> None:
    (found,) = wanted(told, "x >= cap", replacement, Sighting(1, (0,), below=Nearest(1, value, 1.0, 0, 1)))
    assert (found.old, found.new, found.suffix) == (value.partition(" against ")[0], new, suffix)


def test_the_reminder_names_what_is_compared_and_words_for_what_is_not_known(told: Told) -> None:
    (found,) = wanted(told, "x >= cap", "x > cap", Sighting(1, (0,), below=Nearest(1, "15", 1.0, 0, 1)))
    assert found.reminder == "give it an input with which `x` is at cap (so far 15)"
    assert found.name == "x"
    long = "'" + "a" * 80 + "'"
    (found,) = wanted(told, "x >= cap", "x > cap", Sighting(1, (0,), below=Nearest(1, f"{long} against 'b'", 1.0, 0)))
    assert found.reminder == f"give it an input with which `x` is 'b' (so far {long[:57]}...)"
    assert found.old == long


def test_a_name_is_ascii_and_short_whatever_the_threshold_is(told: Told) -> None:
    threshold = "'ümlaute ' + " + " + ".join(["cap"] * 30)
    (found,) = wanted(told, f"x >= {threshold}", f"x > {threshold}", Sighting(1, (0,)))
    assert found.suffix == "at_mlaute_cap_cap_cap_cap_cap_cap_cap_ca"
    assert len(found.suffix) == 40


def test_a_name_is_in_lower_case(told: Told) -> None:
    (found,) = wanted(told, "x >= CAP", "x > CAP", Sighting(1, (0,)))
    assert found.suffix == "at_cap"


def test_a_call_wants_an_input_that_it_changes_beginning_with_each_that_was_seen(told: Told) -> None:
    seen = Sighting(2, (0, 1), samples=(("'ann'", 0), ("'bob'", 1)))
    ask = "use an input with whitespace that `x.strip()` changes, such as {}"
    assert wanted(told, "x.strip()", "x", seen) == [
        Wanted("shop.py", "f", "x.strip()", "'ann'", "' ann '", "whitespace", ask.format("' ann '"), A),
        Wanted("shop.py", "f", "x.strip()", "'bob'", "' bob '", "whitespace", ask.format("' bob '"), B),
    ]


def test_a_call_of_which_no_sample_is_known_begins_with_a_test_that_reaches_it(told: Told) -> None:
    (found,) = wanted(told, "x.strip()", "x", Sighting(1, (1,)))
    assert (found.old, found.new, found.based_on) == (None, "' Ann '", B)
    (found,) = wanted(told, "x.strip()", "x", Sighting(), others=Verdict.NOT_REACHED)
    assert (found.old, found.based_on) == (None, None)


@pytest.mark.parametrize(
    ("sample", "first"),
    [
        ("'a, b', 2", "'a, b'"),
        ('"it\'s, so", 2', '"it\'s, so"'),
        (r"'\', ', 2", '"\', "'),
        (r"'\\', 2", r"'\\'"),
        ("<object>, 3", None),
        ("'a', <object>", None),
        ("\0", None),
        ("[1, 2], 3", "[1, 2]"),
        ("{'a': (1, 2)}, 3", "{'a': (1, 2)}"),
        ("datetime.date(2025, 1, 2), 3", "datetime.date(2025, 1, 2)"),
        ("')', 3", "')'"),
        ("5", "5"),
    ],
)
def test_the_old_input_is_the_first_of_the_values_that_were_seen(told: Told, sample: str, first: str | None) -> None:
    (found,) = wanted(told, "x.strip()", "x", Sighting(1, (0,), samples=((sample, 0),)))
    assert found.old == first


def test_a_survivor_wants_the_same_test_with_an_assertion_of_what_changes(told: Told) -> None:
    more = {"others": Verdict.SURVIVED, "infects": {"x > 18": Infection(1, (1,))}}
    assert wanted(told, "x >= 18", "x > 18", AROUND, **more) == [
        Wanted(
            "shop.py",
            "f",
            "x",
            None,
            None,
            "boundary_at",
            "assert what changes when `x >= 18` becomes `x > 18`",
            B,
            whole=True,
        )
    ]
    assert wanted(told, "x >= 18", "x > 18", AROUND, others=Verdict.SURVIVED)[0].based_on == A
    assert wanted(told, "x >= 18", "x > 18", Sighting(), others=Verdict.SURVIVED)[0].based_on is None


def test_code_that_no_test_reaches_wants_the_threshold(told: Told) -> None:
    (found,) = wanted(told, "x >= 18", "x > 18", Sighting(), others=Verdict.NOT_REACHED)
    assert (found.old, found.new, found.suffix, found.based_on) == (None, "18", "at_18", None)


def test_a_threshold_that_no_side_explains_is_asked_for_like_a_call(told: Told) -> None:
    seen = Sighting(2, (0, 1), Nearest(1, "10", 8.0, 0, 1), Nearest(1, "18", 0.0, 0, 1), Nearest(1, "20", 2.0, 1, 1))
    found = wanted(told, "x >= 18", "x > 18", seen)
    assert [(one.old, one.new, one.suffix, one.based_on) for one in found] == [(None, None, "boundary_at", A)]


def test_a_key_has_to_be_missing_only_where_the_source_spells_it(told: Told) -> None:
    seen = Sighting(1, (0,), samples=(("'k'", 0),))
    (found,) = wanted(told, "x.get('k', 3)", "x.get('k')", seen)
    assert (found.old, found.new, found.absent, found.suffix) == ("'k'", None, True, "without_k")
    (found,) = wanted(told, "x.get(cap, 3)", "x.get(cap)", seen)
    assert (found.absent, found.suffix) == (False, "default_value")
