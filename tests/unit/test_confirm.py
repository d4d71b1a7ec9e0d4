"""Survivors under the whole suite: who made a test fail is told apart, and nobody pays for what another one did."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fencepost.analyzer.confirm import Confirmation, _overlap
from fencepost.analyzer.jobs import Jobs, Limits
from fencepost.analyzer.model import Outcome, Position, Span
from fencepost.analyzer.selection import Candidate

Make = Callable[..., Any]
Told = dict[str, tuple[Outcome, str]]
ADULT, TEEN, FREE, STRIP, LOWER, SORTED = "age > 18", "age >= 17", "total >= 50", "name", "name.strip()", "list(word)"
WHOLE_SUITE = "only the whole suite notices: "
IN_ITS_PLACE = "the test passes without those that run before it"


def names(count: int, file: str = "test_shop.py") -> list[str]:
    return [f"{file}::test_{number}" for number in range(count)]


def confirmed(suite: Any, engine: Any, *replacements: str) -> Told:
    """What the whole suite told of some survivors: outcome and note of each."""
    told: Told = {}

    def settle(candidate: Candidate, outcome: Outcome, note: str) -> None:
        assert candidate.mutant.replacement not in told, "a mutant is settled once"
        told[candidate.mutant.replacement] = (outcome, note)

    jobs = Jobs(engine, suite.plan, suite.selection, Limits(5.0, 1.0))
    survivors = [suite.selection.candidate(suite.mutant(one)) for one in replacements]
    Confirmation(jobs, suite.selection, settle).run(survivors)
    return told


def killers(told: Told) -> dict[str, int | None]:
    """The first test that failed under each mutant; None where none did."""
    return {
        replacement: outcome.failures[0].test if outcome.failures else None
        for replacement, (outcome, _) in told.items()
    }


def whole_runs(engine: Any) -> list[tuple[list[str], list[int]]]:
    told: list[tuple[list[str], list[int]]] = engine.told("whole")
    return told


def test_survivors_run_together_from_the_first_test_that_they_infect(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(5), infects={ADULT: [3], FREE: [1], SORTED: [2]}, failing=[4])
    engine = make_engine(suite)
    told = confirmed(suite, engine, ADULT, FREE, SORTED)
    assert engine.told() == [([ADULT, SORTED, FREE], [1, 2, 3])]
    assert told == dict.fromkeys([ADULT, FREE, SORTED], (Outcome(0, ran=3, seconds=0.75), ""))


def test_mutants_of_one_expression_and_of_one_inside_the_other_run_apart(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(1), infects={one: [0] for one in (ADULT, TEEN, STRIP, LOWER)})
    engine = make_engine(suite)
    confirmed(suite, engine, ADULT, TEEN, STRIP, LOWER)
    assert [on for on, _ in engine.told()] == [[ADULT, STRIP], [TEEN, LOWER] if TEEN < LOWER else [LOWER, TEEN]]


def test_a_kill_in_a_group_is_told_apart_and_the_others_run_again(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(3), infects={ADULT: [0], FREE: [1, 2], SORTED: [0, 1]})
    engine = make_engine(suite, under={FREE: {2: "fails", 1: "fails"}})
    told = confirmed(suite, engine, ADULT, FREE, SORTED)
    assert killers(told) == {ADULT: None, FREE: 1, SORTED: None}
    assert told[FREE][1] == ""
    assert whole_runs(engine) == [([ADULT, SORTED, FREE], [0, 1, 2]), ([ADULT, SORTED], [0, 1, 2])]


def test_a_group_whose_mutants_are_all_killed_is_done(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(3), infects={ADULT: [0, 2], FREE: [1]})
    engine = make_engine(suite, under={ADULT: {2: "fails"}, FREE: {1: "fails"}})
    assert killers(confirmed(suite, engine, ADULT, FREE)) == {ADULT: 2, FREE: 1}
    assert len(whole_runs(engine)) == 1
    assert sorted(engine.told("alone")) == [([], [1]), ([], [2])]


def test_a_group_runs_to_its_end_and_a_single_mutant_to_its_first_failure(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(2), infects={ADULT: [0], FREE: [0], TEEN: [0]})
    engine = make_engine(suite)
    confirmed(suite, engine, ADULT, FREE, TEEN)
    assert [(len(one["switches"]), one["stop_at_first"]) for one in engine.seen] == [(2, False), (1, True)]


def test_the_failure_that_counts_is_the_first_one_of_the_suite(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(4), infects={ADULT: [0, 1]}, parts=[(0, 1), (1, 4)])
    engine = make_engine(suite, under={ADULT: {0: "fails", 3: "fails"}})
    told = confirmed(suite, engine, ADULT)
    assert whole_runs(engine) == [([ADULT], [1, 2, 3]), ([ADULT], [0])]  # the longer piece is told of first
    assert [failure.test for failure in told[ADULT][0].failures] == [0, 3]
    assert told[ADULT][1] == WHOLE_SUITE + IN_ITS_PLACE


@pytest.mark.parametrize("how", ["hangs", "dies"])
def test_what_ends_the_process_is_no_failed_test(make_suite: Make, make_engine: Make, how: str) -> None:
    suite = make_suite(names(2), infects={ADULT: [0], FREE: [0]})
    engine = make_engine(suite, under={FREE: {1: how}})
    told = confirmed(suite, engine, ADULT, FREE)
    outcome, note = told[FREE]
    assert (outcome.timed_out, outcome.ended_in, outcome.exit_code < 0, note) == (how == "hangs", 1, True, "")
    assert told[ADULT] == (Outcome(0, ran=2, seconds=0.5), "")


def test_mutants_that_fail_a_test_only_together_are_put_apart(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(3), infects={ADULT: [2], SORTED: [0], FREE: [2]})
    engine = make_engine(suite, together={frozenset({ADULT, FREE}): {2: "fails"}})
    told = confirmed(suite, engine, ADULT, SORTED, FREE)
    assert killers(told) == {ADULT: None, SORTED: None, FREE: None}
    assert sorted(on for on, _ in whole_runs(engine)) == [[ADULT, SORTED], [ADULT, SORTED, FREE], [FREE]]


@pytest.mark.parametrize("infected", [[], [2]])
def test_mutants_that_cannot_be_told_apart_are_halved(make_suite: Make, make_engine: Make, infected: list[int]) -> None:
    suite = make_suite(names(3), infects={ADULT: [1, *infected], SORTED: [1], FREE: [1]})
    engine = make_engine(suite, together={frozenset({ADULT, FREE}): {2: "fails"}})
    told = confirmed(suite, engine, ADULT, SORTED, FREE)
    assert killers(told) == {ADULT: None, SORTED: None, FREE: None}
    assert sorted(on for on, _ in whole_runs(engine)) == [[ADULT], [ADULT, SORTED, FREE], [SORTED, FREE]]


def test_a_test_that_fails_alone_without_a_mutant_kills_none(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(3), infects={ADULT: [0, 2], FREE: [0]})
    engine = make_engine(suite, needs_another=[2], only_behind={ADULT: {2: "fails"}})
    told = confirmed(suite, engine, ADULT, FREE)
    assert killers(told) == {ADULT: 2, FREE: None}
    assert told[ADULT][1] == WHOLE_SUITE + IN_ITS_PLACE


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"infects": {ADULT: [0, 1]}}, IN_ITS_PLACE),
        ({"infects": {ADULT: [0]}}, "the test does not evaluate it, and uses what another one computed"),
        ({"at_import": [ADULT]}, "no test evaluates it, only loading the code does"),
    ],
)
def test_it_is_told_why_only_the_whole_suite_notices(make_suite: Make, make_engine: Make, told: Any, why: str) -> None:
    suite = make_suite(names(2), **told)
    settled = confirmed(suite, make_engine(suite, under={ADULT: {1: "fails"}}), ADULT)
    assert settled[ADULT][1] == WHOLE_SUITE + why


def test_a_piece_that_fails_for_want_of_what_it_left_out_runs_as_a_whole(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(4), infects={ADULT: [1], TEEN: [1]}, parts=[(0, 2), (2, 4)])
    engine = make_engine(suite, needs_another=[1])
    told = confirmed(suite, engine, ADULT, TEEN)
    assert killers(told) == {ADULT: None, TEEN: None}
    assert engine.told("control") == [([], [1])]
    assert whole_runs(engine) == [([ADULT], [1]), ([TEEN], [1]), ([ADULT], [0, 1]), ([TEEN], [0, 1])]


def test_a_piece_that_passes_is_not_run_again(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(6), infects={ADULT: [0, 4], FREE: [2, 5]}, parts=[(0, 2), (2, 4), (4, 6)])
    engine = make_engine(suite, under={ADULT: {4: "fails"}})
    told = confirmed(suite, engine, ADULT, FREE)
    assert killers(told) == {ADULT: 4, FREE: None}
    assert sorted(whole_runs(engine)) == [
        ([ADULT, FREE], [0, 1]), ([ADULT, FREE], [2, 3]), ([ADULT, FREE], [4, 5]), ([FREE], [5]),
    ]  # fmt: skip
    assert told[FREE][0].ran == 5


def test_what_passed_in_a_group_counts_for_a_mutant_that_has_nothing_more_to_run(
    make_suite: Make, make_engine: Make
) -> None:
    suite = make_suite(names(4), infects={ADULT: [0], FREE: [2]}, parts=[(0, 2), (2, 4)])
    engine = make_engine(suite, under={ADULT: {0: "fails"}})
    told = confirmed(suite, engine, ADULT, FREE)
    assert killers(told) == {ADULT: 0, FREE: None}
    assert told[FREE][0].ran == 2


def test_a_piece_that_must_run_as_a_whole_is_left_out_where_nothing_in_it_is_infected(
    make_suite: Make, make_engine: Make
) -> None:
    suite = make_suite(names(4), infects={ADULT: [1], FREE: [3]}, parts=[(0, 2), (2, 4)])
    engine = make_engine(suite, needs_another=[1], under={ADULT: {1: "fails"}})
    told = confirmed(suite, engine, ADULT, FREE)
    assert killers(told) == {ADULT: 1, FREE: None}
    assert [numbers for on, numbers in whole_runs(engine) if on == [FREE]] == []


def test_a_mutant_that_loading_evaluates_runs_every_piece_cold_and_apart_from_the_warm_ones(
    make_suite: Make, make_engine: Make
) -> None:
    suite = make_suite(names(4), at_import=[ADULT, SORTED], infects={FREE: [3]}, parts=[(0, 2), (2, 4)])
    engine = make_engine(suite)
    confirmed(suite, engine, ADULT, FREE, SORTED)
    runs = [(*told, one.get("cold", False)) for told, one in zip(engine.told(), engine.seen, strict=True)]
    assert runs == [([ADULT, SORTED], [0, 1], True), ([ADULT, SORTED], [2, 3], True), ([FREE], [3], False)]


def test_only_the_test_files_that_loading_changes_run_cold(make_suite: Make, make_engine: Make) -> None:
    tests = [*names(2, "test_a.py"), *names(2, "test_b.py")]
    suite = make_suite(tests, collecting={"test_b.py": [ADULT]}, infects={ADULT: [0, 3]})
    engine = make_engine(suite, under={ADULT: {3: "fails"}})
    told = confirmed(suite, engine, ADULT)
    assert [(one["numbers"], one.get("cold", False)) for one in engine.seen] == [([2, 3], True), ([0, 1], False)]
    assert killers(told) == {ADULT: 3}


def test_a_mutant_with_which_the_code_does_not_load_is_found_in_its_group(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(2), at_import=[ADULT, FREE, SORTED])
    told = confirmed(suite, make_engine(suite, loading={FREE: "error"}), ADULT, FREE, SORTED)
    assert {one: bool(outcome.load_error) for one, (outcome, _) in told.items()} == {
        ADULT: False, FREE: True, SORTED: False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [((1, 5), (5, 9), False), ((5, 9), (1, 5), False), ((1, 6), (5, 9), True), ((1, 9), (5, 6), True)],
)
def test_expressions_that_only_touch_do_not_overlap(one: Any, other: Any, *, expected: bool) -> None:
    spans = [Span(*(Position(1, column) for column in columns)) for columns in (one, other)]
    assert _overlap(("shop.py", spans[0]), ("shop.py", spans[1])) is expected
    assert not _overlap(("shop.py", spans[0]), ("post.py", spans[1]))
