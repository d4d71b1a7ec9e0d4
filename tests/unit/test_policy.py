"""When a gate holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from fencepost.analyzer.changes import Changes
from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.model import Finding, Position, Run, Span, Verdict
from fencepost.analyzer.policy import Policy, decide

Told = Callable[..., Run]
CODE = "def adult(age):\n    return age >= 18\n"
AT, BELOW, ABOVE = "age > 18", "age >= 17", "age >= 19"


def ids_of(run: Run) -> dict[str, str]:
    """The ids of the mutants of a run, by replacement."""
    return {one.replacement: one.id for scan in run.files for site in scan.sites for one in site.mutants}


@pytest.fixture(name="run")
def _run(told: Told) -> Run:
    return told(CODE, others=Verdict.KILLED, verdicts={AT: Verdict.SURVIVED, BELOW: Verdict.UNKNOWN})


def with_verdicts(run: Run, verdicts: Mapping[str, Verdict]) -> Run:
    ids = ids_of(run)
    changed = {ids[text]: replace(run.judgements[ids[text]], verdict=verdict) for text, verdict in verdicts.items()}
    return replace(run, judgements={**run.judgements, **changed})


MISSED = "1 mutant on changed lines that no test notices"
UNKNOWN = "1 mutant on changed lines with the verdict unknown"


def decided(run: Run, **policy: Any) -> tuple[list[str], tuple[str, ...]]:
    """The replacements that fail, and why the policy is broken."""
    gate = decide(run, Changes("main", {"shop.py": [2]}), Policy(**policy), accepted=(), before=())
    texts = {mutant: text for text, mutant in ids_of(run).items()}
    return [texts.get(one, one) for one in gate.failing], gate.broken


def test_what_the_tests_miss_breaks_the_policy_and_what_is_unknown_only_where_it_is_asked_to(run: Run) -> None:
    assert decided(run) == ([AT], (MISSED,))
    assert decided(run, fail_on=("unknown",)) == ([BELOW], (UNKNOWN,))
    assert decided(run, fail_on=("survived", "unknown")) == ([AT, BELOW], (MISSED, UNKNOWN))
    assert decided(with_verdicts(run, {AT: Verdict.KILLED})) == ([], ())


@pytest.mark.parametrize(
    ("verdict", "fails"),
    [
        (Verdict.SURVIVED, True),
        (Verdict.NOT_INFECTED, True),
        (Verdict.NOT_REACHED, True),
        (Verdict.TIMEOUT, False),
        (Verdict.INVALID, False),
        (Verdict.IGNORED, False),
    ],
)
def test_by_default_gaps_fail_and_nothing_else(run: Run, verdict: Verdict, *, fails: bool) -> None:
    failing, _ = decided(with_verdicts(run, {AT: verdict}))
    assert failing == ([AT] if fails else [])


@pytest.mark.parametrize(
    ("least", "broken"), [(0, ()), (50, ()), (50.1, ("a score of 50.0 %, where 50.1 % is the least",))]
)
def test_a_score_on_the_least_one_is_enough(run: Run, least: float, broken: tuple[str, ...]) -> None:
    assert decided(run, fail_on=("invalid",), min_score=least) == ([], broken)


def test_the_longest_name_of_a_rule_says_its_severity(run: Run) -> None:
    assert decided(run, severity={"FP1": "note"}) == ([], ())
    assert decided(run, severity={"FP1": "note", "FP101": "error"}) == ([AT], (MISSED,))
    gate = decide(run, Changes("main", {}), Policy(severity={"boundary-at": "warning"}), accepted=(), before=())
    assert (gate.failing, gate.warned, gate.broken) == ((), (ids_of(run)[AT],), ())


def test_what_is_accepted_does_not_fail_and_what_is_noticed_now_is_gone(run: Run) -> None:
    ids = ids_of(run)
    gate = decide(
        run, Changes("main", {}), Policy(), accepted=set(ids.values()), before=(), vanished={"FP101-0000000000"}
    )
    assert (gate.failing, gate.accepted, gate.broken) == ((), (ids[AT],), ())
    assert gate.gone == tuple(sorted([ids[ABOVE], "FP101-0000000000"]))


def test_what_lost_its_protection_is_counted_apart(run: Run) -> None:
    before = {ids_of(run)[AT], ids_of(run)[ABOVE]}
    gate = decide(run, Changes("main", {}), Policy(), accepted=(), before=before)
    assert gate.lost == (ids_of(run)[AT],)
    assert gate.protected == 2
    assert gate.broken == ("1 mutant elsewhere that tests killed before, and no longer do",)


@pytest.mark.parametrize(("severity", "fails"), [("error", True), ("warning", True), ("note", False)])
def test_findings_fail_where_they_are_asked_to_unless_they_are_notes(run: Run, severity: str, *, fails: bool) -> None:
    place = Span(Position(1, 1), Position(1, 2))
    finding = Finding("FP201-aaaaaaaaaa", "FP201", "shop.py", place, "nobody uses it", "", severity)
    run = replace(run, findings=(finding,))
    assert decided(run, fail_on=("findings",))[0] == ([finding.id] if fails else [])
    assert decided(run)[0] == [AT]


def test_the_changed_lines_of_the_files_in_scope_are_told(run: Run) -> None:
    changes = Changes("main", {"shop.py": None, "other.py": [3]})
    assert decide(run, changes, Policy(), accepted=(), before=()).changed == {"shop.py": None}


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        ({"fail_on": ("surivved",)}, "'surivved' in fail-on is no verdict"),
        ({"severity": {"FP1": "eror"}}, "'eror' of FP1 is no severity"),
        ({"severity": {"FP999": "error"}}, "there is no rule 'FP999'"),
        ({"min_score": 100.1}, "min-score is 100.1"),
        ({"min_score": -1}, "min-score is -1"),
        ({"budget": -1}, "budget is below 0"),
        ({"shown_per_line": 0}, "below 1"),
        ({"shown_per_file": 0}, "below 1"),
    ],
)
def test_a_policy_that_means_nothing_is_refused(policy: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageProblem, match=told):
        Policy(**policy).check()
    Policy(min_score=100, budget=0, shown_per_line=1, shown_per_file=1).check()
