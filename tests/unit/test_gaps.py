"""What makes one gap: mutants that one test closes, whichever rules made them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from fencepost.analyzer.model import Infection, Nearest, Run, Sighting, Verdict
from fencepost.reports._gaps import gaps, in_blocks
from fencepost.reports._view import View

Told = Callable[..., Run]
AROUND = Sighting(2, (0, 1), Nearest(1, "10", 8.0, 0, 1), Nearest(), Nearest(1, "30", 12.0, 1, 1))
ADULT = "def adult(age):\n    return age >= 18\n"


def found(run: Run) -> list[tuple[str, list[str]]]:
    """The gaps by rule, each with the replacements of its mutants."""
    return [(gap.site.rule, [one.replacement for one in gap.mutants]) for gap in gaps(View(run))]


def test_inputs_that_two_rules_ask_for_in_the_same_words_are_one_gap_of_the_first(told: Told) -> None:
    run = told(ADULT, others=Verdict.NOT_INFECTED, seen={"age >= 18": AROUND})
    assert found(run) == [("FP101", ["age > 18", "age >= 19"]), ("FP102", ["age >= 17"])]


def test_mutants_of_one_expression_that_no_test_reaches_are_one_gap_whatever_they_need(told: Told) -> None:
    assert found(told(ADULT)) == [("FP101", ["age > 18", "age >= 17", "age >= 19"])]


def test_survivors_stay_apart_unless_they_behaved_alike(told: Told) -> None:
    run = told(ADULT, others=Verdict.SURVIVED)
    assert found(run) == [("FP101", ["age > 18"]), ("FP102", ["age >= 17"]), ("FP103", ["age >= 19"])]
    run = told("def f(x):\n    return x == 3\n", others=Verdict.SURVIVED)
    assert run.observation is not None
    first, second, third = (mutant.id for site in run.files[0].sites for mutant in site.mutants)
    alike = dataclasses.replace(run.observation, alike={third: second, second: second, first: first})
    assert found(dataclasses.replace(run, observation=alike)) == [
        ("FP104", ["x != 3"]), ("FP104", ["x >= 3", "x <= 3"]),
    ]  # fmt: skip


def test_mutants_of_one_verdict_do_not_join_those_of_another(told: Told) -> None:
    verdicts = {"age > 18": Verdict.NOT_INFECTED, "age >= 19": Verdict.SURVIVED, "age >= 17": Verdict.KILLED}
    run = told(ADULT, verdicts=verdicts, seen={"age >= 18": AROUND})
    assert found(run) == [("FP103", ["age >= 19"]), ("FP101", ["age > 18"])]


def test_two_places_with_the_same_words_are_two_gaps(told: Told) -> None:
    code = "def f(x):\n    return x.strip()\n\n\ndef g(x):\n    return x.strip()\n"
    both = {"a.py": code, "b.py": code}
    for verdict in (Verdict.NOT_INFECTED, Verdict.NOT_REACHED):
        run = told(both, others=verdict, rules=["FP201"])
        assert [(gap.site.path, gap.site.scope) for gap in gaps(View(run))] == [
            ("a.py", "f"), ("a.py", "g"), ("b.py", "f"), ("b.py", "g"),
        ]  # fmt: skip


def test_a_merged_gap_keeps_the_tests_of_the_first(told: Told) -> None:
    run = told(
        ADULT, others=Verdict.NOT_INFECTED, seen={"age >= 18": AROUND}, infects={"age >= 19": Infection(1, (1,))}
    )
    first, _ = gaps(View(run))
    assert (first.reached, [test.number for test in first.reached_by], first.infected) == (2, [0, 1], 0)
    assert first.lead.replacement == "age > 18"


WEEKEND = "def weekend(day):\n    return day in ('fri', 'sat', 'sun')\n"
WITHOUT = ["day in ('sat', 'sun')", "day in ('fri', 'sun')", "day in ('fri', 'sat')"]


def test_the_members_of_one_collection_are_one_gap_that_asks_for_each(told: Told) -> None:
    for verdict in (Verdict.NOT_INFECTED, Verdict.SURVIVED, Verdict.NOT_REACHED):
        (gap,) = gaps(View(told(WEEKEND, others=verdict)))
        assert [one.replacement for one in gap.mutants] == WITHOUT
        assert gap.site.ask == "use `day` equal to 'fri', then to 'sat', then to 'sun'"


def test_members_of_other_verdicts_and_of_other_collections_are_gaps_of_their_own(told: Told) -> None:
    verdicts = {WITHOUT[0]: Verdict.KILLED, WITHOUT[1]: Verdict.SURVIVED}
    assert found(told(WEEKEND, verdicts=verdicts, others=Verdict.NOT_INFECTED)) == [
        ("FP105", [WITHOUT[1]]), ("FP105", [WITHOUT[2]]),
    ]  # fmt: skip
    code = "def f(a, b):\n    return a in (1, 2) or b in (1, 2)\n"
    assert found(told(code, others=Verdict.NOT_INFECTED)) == [
        ("FP105", ["a in (2,)", "a in (1,)"]), ("FP105", ["b in (2,)", "b in (1,)"]),
    ]  # fmt: skip


def test_the_gaps_of_one_threshold_are_one_block_where_the_first_stands(told: Told) -> None:
    code = "def f(x, y):\n    return x > 3, y.strip(), 1 < y < 5\n"
    together = [
        [gap.site.rule for gap in block] for block in in_blocks(gaps(View(told(code, others=Verdict.SURVIVED))))
    ]
    threshold = ["FP101", "FP102", "FP103"]
    assert together == [threshold, ["FP201"], threshold, threshold]
