"""The mutation run: every way that a mutant can go, from its first test to what is told about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from fencepost.analyzer.canary import UNNOTICED
from fencepost.analyzer.jobs import Limits
from fencepost.analyzer.mutate import MOST_MISTRUSTED, UNCONFIRMED, MutationRun, Tried

Make = Callable[..., Any]
ADULT, TEEN, FREE, TIDY = "age > 18", "age >= 17", "total >= 50", "name.strip()"
OUT_OF_ORDER = "test_shop.py::test_{} fails out of its order even without the mutant"


def names(count: int) -> list[str]:
    return [f"test_shop.py::test_{number}" for number in range(count)]


def a_run(suite: Any, engine: Any, settled: Callable[[str, Tried], None] = lambda _id, _tried: None) -> MutationRun:
    limits = Limits(5.0, 1.0)
    return MutationRun(engine, suite.plan, suite.seen, suite.collected, limits=limits, settled=settled)


def finished(suite: Any, engine: Any, *replacements: str) -> MutationRun:
    """A run of mutants that came to its end."""
    mutation = a_run(suite, engine)
    mutation.prepare([suite.mutant(one) for one in replacements])
    mutation.run()
    return mutation


def in_words(tried: Tried) -> str:
    outcome = tried.outcome
    if outcome.load_error:
        return "does not load"
    if outcome.failures:
        return f"killed by {outcome.failures[0].test}"
    if outcome.exit_code:
        return f"{'hung' if outcome.timed_out else 'died'} in {outcome.ended_in}"
    return "survived"


def what_became_of(suite: Any, mutation: MutationRun, replacement: str) -> str:
    mutant = suite.mutant(replacement)
    tried = mutation.results.get(mutant.id)
    return mutation.unknown[mutant.id] if tried is None else in_words(tried)


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ({}, "survived"),
        ({"under": {ADULT: {0: "fails"}}}, "killed by 0"),
        ({"under": {ADULT: {1: "fails"}}}, "killed by 1"),
        ({"under": {ADULT: {1: "hangs"}}}, "hung in 1"),
        ({"under": {ADULT: {1: "dies"}}}, "died in 1"),
        ({"under": {TEEN: {1: "fails"}}}, "survived"),
        ({"once": {ADULT: {1: "hangs"}}}, "survived"),  # a hang has to happen twice
        ({"once": {ADULT: {1: "dies"}}}, "survived"),
        ({"once": {ADULT: {1: "fails"}}}, "survived"),  # it was preceded, and does not fail alone
        ({"once": {ADULT: {0: "fails"}}}, "killed by 0"),  # it was alone
        ({"under": {ADULT: {2: "fails"}}}, "killed by 2"),  # only the whole suite runs that test
        ({"only_behind": {ADULT: {1: "fails"}}}, "killed by 1"),  # only behind others, in the whole suite
        ({"deaf": ["shop.py"]}, UNNOTICED),
        ({"deaf": ["post.py"]}, "survived"),
        (
            {"by_chance": [0, 1]},
            f"no other test can judge it: {names(1)[0]} was left out, it passes or fails by chance",
        ),
    ],
)
def test_each_mutant_comes_to_its_end(make_suite: Make, make_engine: Make, script: Any, expected: str) -> None:
    suite = make_suite(names(3), infects={ADULT: [0, 1]})
    mutation = finished(suite, make_engine(suite, **script), ADULT)
    assert what_became_of(suite, mutation, ADULT) == expected
    assert all(tried.confirmed for tried in mutation.results.values())


@pytest.mark.parametrize(
    ("script", "expected", "again"),
    [
        ({"loading": {ADULT: "error"}}, "does not load", []),
        ({"loading": {ADULT: "dies"}}, "died in None", [[0, 1]]),
        ({"loading": {ADULT: "dies once"}}, "survived", [[0, 1]]),
        # what ends the loading is no test's fault, whether or not the first test can stand alone
        ({"loading": {ADULT: "dies"}, "needs_another": [0]}, "died in None", [[0, 1]]),
        ({"under": {ADULT: {1: "fails"}}}, "killed by 1", []),
        ({"under": {ADULT: {1: "dies"}}}, "died in 1", [[1]]),
    ],
)
def test_a_mutant_that_loading_evaluates_comes_to_its_end(
    make_suite: Make, make_engine: Make, script: Any, expected: str, again: list[list[int]]
) -> None:
    suite = make_suite(names(3), at_import=[ADULT], reaches={FREE: [0, 1]})
    engine = make_engine(suite, **script)
    mutation = finished(suite, engine, ADULT)
    assert what_became_of(suite, mutation, ADULT) == expected
    assert [numbers for _, numbers in engine.told("again")] == again
    assert mutation.results[suite.mutant(ADULT).id].note == ""


def test_a_test_that_fails_without_the_mutant_too_leaves_the_judging_to_the_others(
    make_suite: Make, make_engine: Make
) -> None:
    suite = make_suite(names(3), infects={ADULT: [1, 2]}, reaches={FREE: [2]})
    engine = make_engine(suite, needs_another=[1], under={ADULT: {2: "fails"}})
    mutation = finished(suite, engine, ADULT)
    assert what_became_of(suite, mutation, ADULT) == "killed by 2"
    assert mutation.results[suite.mutant(ADULT).id].note == OUT_OF_ORDER.format(1)


def test_a_cold_mutant_is_tried_on_with_the_tests_that_reach_its_file(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(3), at_import=[ADULT], reaches={FREE: [0, 1, 2]})
    engine = make_engine(suite, needs_another=[0], under={ADULT: {2: "fails"}})
    mutation = finished(suite, engine, ADULT)
    assert what_became_of(suite, mutation, ADULT) == "killed by 2"
    jobs = [one for one in engine.seen if one["id"] == suite.mutant(ADULT).id]
    assert [(one["numbers"], one.get("cold")) for one in jobs] == [([0, 1, 2], True), ([1, 2], True)]


def test_after_ten_tests_that_fail_for_other_reasons_the_whole_suite_decides(
    make_suite: Make, make_engine: Make
) -> None:
    infected = list(range(1, MOST_MISTRUSTED + 5))
    suite = make_suite(names(MOST_MISTRUSTED + 5), infects={ADULT: infected})
    engine = make_engine(suite, needs_another=infected)
    mutation = finished(suite, engine, ADULT)
    tried = [one for one in engine.seen if one["id"] == suite.mutant(ADULT).id]
    assert len(tried) == 1 + MOST_MISTRUSTED
    assert what_became_of(suite, mutation, ADULT) == "survived"


def test_what_has_to_load_the_code_anew_begins_first(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(
        names(2), at_import=[FREE], collecting={"test_shop.py": [TIDY]}, infects={ADULT: [0], TEEN: [1], FREE: [0]}
    )
    engine = make_engine(suite)
    finished(suite, engine, ADULT, TEEN, TIDY, FREE)
    assert [on for on, _ in engine.told("FP")] == [[TIDY], [FREE], [ADULT], [TEEN]]


@pytest.mark.parametrize("jobs", [1, 2])
def test_two_jobs_more_than_twice_the_workers_are_under_way_at_most(
    make_suite: Make, make_engine: Make, jobs: int
) -> None:
    mutants = list(make_suite(names(1)).mutants)[:9]
    suite = make_suite(names(1), infects={one: [0] for one in mutants})
    engine = make_engine(suite, jobs=jobs)
    finished(suite, engine, *mutants)
    assert engine.most_open == 2 * jobs + 2


def test_mutants_that_would_be_in_each_others_way_run_one_at_a_time(make_suite: Make, make_engine: Make) -> None:
    mutants = list(make_suite(names(1)).mutants)[:9]
    suite = make_suite(names(1), infects={one: [0] for one in mutants})
    engine = make_engine(suite, jobs=2, under={one: {0: "fails"} for one in mutants})
    engine.one_at_a_time = True
    finished(suite, engine, *mutants)
    assert engine.most_open == 1


def test_a_test_that_kills_several_mutants_is_run_alone_once(make_suite: Make, make_engine: Make) -> None:
    killed = [ADULT, TEEN, FREE]
    suite = make_suite(names(1), infects={one: [0] for one in killed})
    engine = make_engine(suite, under={one: {0: "fails"} for one in killed})
    mutation = finished(suite, engine, *killed)
    assert [what_became_of(suite, mutation, one) for one in killed] == ["killed by 0"] * 3
    assert engine.told("alone") == [([], [0])]


def test_each_mutant_is_told_of_once_it_is_settled(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(2), infects={ADULT: [0], TEEN: [1]})
    told: list[tuple[str, Tried]] = []
    mutation = a_run(
        suite, make_engine(suite, under={TEEN: {1: "fails"}}), lambda mutant, tried: told.append((mutant, tried))
    )
    mutation.prepare([suite.mutant(ADULT), suite.mutant(TEEN)])
    assert mutation.run() == dict(told)
    assert [in_words(tried) for _, tried in told] == ["killed by 1", "survived"]


def test_what_is_known_already_is_not_run(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(2), infects={ADULT: [0], TEEN: [1]})
    engine = make_engine(suite, under={ADULT: {0: "fails"}, TEEN: {1: "fails"}})
    known = finished(suite, engine, ADULT).results
    engine.seen.clear()
    mutation = a_run(suite, engine)
    mutation.prepare([suite.mutant(ADULT), suite.mutant(TEEN)])
    mutation.results |= known
    mutation.run()
    assert [what_became_of(suite, mutation, one) for one in (ADULT, TEEN)] == ["killed by 0", "killed by 1"]
    assert [on for on, _ in engine.told("FP")] == [[TEEN]]


def test_a_kill_that_an_interruption_left_unconfirmed_says_so(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(names(2), infects={ADULT: [0]})
    engine = make_engine(suite, under={ADULT: {0: "fails"}})
    mutation = a_run(suite, engine)
    mutation.prepare([suite.mutant(ADULT)])
    engine.interrupt_after = len(engine.seen) + 1  # the first run of the mutant, and nothing to confirm it
    with pytest.raises(KeyboardInterrupt):
        mutation.run()
    (tried,) = mutation.results.values()
    assert (in_words(tried), tried.confirmed, tried.note) == ("killed by 0", False, UNCONFIRMED)
