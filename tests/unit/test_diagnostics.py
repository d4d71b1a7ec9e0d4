"""What machines are told: every gap and finding once, how grave it is, and no text that could hide or run on."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from fencepost.analyzer.model import (
    Finding,
    Gate,
    Infection,
    Judgement,
    Nearest,
    Observation,
    Position,
    Run,
    Sighting,
    Span,
    TestRecord,
    Verdict,
)
from fencepost.reports._diagnostics import Diagnostic, Level, diagnostics
from fencepost.reports._view import View
from fencepost.reports._visible import LONGEST, cut, visible
from tests.unit.test_reports import SEEN_AROUND, TEST_A, TEST_B, a_boundary, a_run, a_site

FINDING = Finding("T1-1", "FP301", "tests/test_shop.py", Span(Position(1, 1), Position(1, 2)), "odd", "seen", "warning")
EACH = {"weak0": Verdict.SURVIVED, "edge0": Verdict.NOT_INFECTED, "far0": Verdict.NOT_REACHED, "good0": Verdict.KILLED}


def told(run: Run, root: Path) -> list[Diagnostic]:
    return diagnostics(View(run), root)


def each(gate: Gate | None = None) -> Run:
    """A run with a gap of each kind and a finding."""
    sites = [a_site(name="far"), a_boundary(name="edge"), a_site(name="weak"), a_site(name="good")]
    return a_run(*sites, verdicts=EACH, findings=(FINDING,), gate=gate)


def test_the_gravest_comes_first_and_what_is_noticed_not_at_all(tmp_path: Path) -> None:
    found = [(one.id, one.level, one.verdict) for one in told(each(), tmp_path)]
    assert found == [
        ("weak0", Level.ERROR, Verdict.SURVIVED),
        ("edge0", Level.WARNING, Verdict.NOT_INFECTED),
        ("T1-1", Level.WARNING, None),
        ("far0", Level.NOTE, Verdict.NOT_REACHED),
    ]


def test_a_gate_says_how_grave_a_gap_is_and_accepted_ones_are_left_out(tmp_path: Path) -> None:
    gate = Gate("main", {}, failing=("far0", "T1-1"), warned=("edge0",), accepted=("weak0",))
    levels = {one.id: one.level for one in told(each(gate), tmp_path)}
    assert levels == {"far0": Level.ERROR, "T1-1": Level.ERROR, "edge0": Level.WARNING}
    assert {one.id: one.level for one in told(each(Gate("main", {})), tmp_path)}["weak0"] is Level.NOTE


def test_what_breaks_a_gate_by_another_verdict_is_told_too(tmp_path: Path) -> None:
    unknown = {"s0": Judgement("s0", Verdict.UNKNOWN, "the time was spent")}
    run = a_run(a_site(), judgements=unknown, gate=Gate("main", {}, failing=("s0",)))
    [one] = told(run, tmp_path)
    assert (one.verdict, one.level) == (Verdict.UNKNOWN, Level.ERROR)
    assert one.message == "`total > 100` in place of `total >= 100`: unknown. The time was spent."
    assert told(a_run(a_site(), judgements=unknown), tmp_path) == []


def test_a_message_says_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    run = a_run(a_boundary(), verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": SEEN_AROUND})
    [one] = told(run, tmp_path)
    assert one.title == "FP101 boundary-at: not-infected"
    assert one.message == (
        "No test has an input that tells `total >= 100` from `total > 100`. No test stands on 100: "
        "the nearest were 99 (test_a) and 120 (test_b). Add one with `total` at 100."
    )
    assert one.question is not None
    assert one.question.ask.startswith("In `free_shipping`, should `total` of exactly 100 be ")
    assert [test.id for test in one.nearest] == [TEST_A, TEST_B]
    assert one.changes == (("total >= 100", "total > 100"),)


def test_the_tests_that_see_a_survivor_come_before_those_that_stand_near(tmp_path: Path) -> None:
    infections = {"s0": Infection(1, (1,))}
    run = a_run(a_boundary(), verdicts={"s0": Verdict.SURVIVED}, sightings={"s": SEEN_AROUND}, infections=infections)
    assert [test.id for test in told(run, tmp_path)[0].nearest] == [TEST_B]


def test_a_gap_that_lost_its_test_says_so(tmp_path: Path) -> None:
    run = a_run(a_site(), gate=Gate("main", {}, failing=("s0",), lost=("s0",)))
    assert "A test killed this before the work changed or removed it." in told(run, tmp_path)[0].message


def test_mutants_that_one_test_closes_are_one_diagnostic(tmp_path: Path) -> None:
    site = a_site(replacements=("total > 100", "total == 100"))
    [one] = told(a_run(site), tmp_path)
    assert one.mutants == ("s0", "s1")
    assert len(one.changes) == 2


def test_no_text_hides_anything_or_runs_on_for_ever(tmp_path: Path) -> None:
    hostile = "f('\u202e\x1b[2J\x00')" + "x" * 10_000
    site = dataclasses.replace(a_site(ask=hostile), source=hostile)
    mutant = dataclasses.replace(site.mutants[0], original=hostile, replacement=f"a\n{hostile}")
    [one] = told(a_run(dataclasses.replace(site, mutants=(mutant,))), tmp_path)
    texts = [one.title, one.message, *one.changes[0]]
    assert all(text.isprintable() and len(text) <= LONGEST for text in texts)
    assert r"f('\u202e\x1b[2J\x00')xx" in one.message
    assert one.changes[0][1].startswith(r"a f('\u202e\x1b[2J\x00')xx")


def test_a_text_is_cut_at_its_limit_and_not_before() -> None:
    assert cut("x" * LONGEST) == "x" * LONGEST
    assert cut("x" * (LONGEST + 1)) == "x" * (LONGEST - 3) + "..."
    assert cut("abcdef", 5) == "ab..."


def test_what_cannot_be_seen_is_spelled_out() -> None:
    assert visible("a\tb\r\nc\nd\x00\ud800\u2066\u00e4\U0001f600") == "a    b c d\\x00\\ud800\\u2066\u00e4\U0001f600"


def test_of_one_level_what_is_most_worth_a_test_comes_first(tmp_path: Path) -> None:
    sites = [a_site(name="inner", path="src/_inner.py"), a_site(name="outer", path="src/shop.py")]
    assert [one.id for one in told(a_run(*sites), tmp_path)] == ["outer0", "inner0"]


def test_an_accepted_finding_is_left_out(tmp_path: Path) -> None:
    run = a_run(findings=(FINDING,), gate=Gate("main", {}, accepted=("T1-1",)))
    assert told(run, tmp_path) == []


def test_a_finding_tells_its_message_and_its_evidence_where_it_has_any(tmp_path: Path) -> None:
    without = dataclasses.replace(FINDING, evidence="")
    messages = [one.message for one in told(a_run(findings=(FINDING, without)), tmp_path)]
    assert messages == ["odd seen", "odd"]


@pytest.mark.parametrize(
    ("verdict", "headline"),
    [
        (Verdict.SURVIVED, "No test notices `total > 100` in place of `total >= 100`."),
        (Verdict.NOT_INFECTED, "No test has an input that tells `total >= 100` from `total > 100`."),
        (Verdict.NOT_REACHED, "No test gets to `total >= 100`."),
    ],
)
def test_the_first_sentence_sums_up(verdict: Verdict, headline: str, tmp_path: Path) -> None:
    [one] = told(a_run(a_site(), verdicts={"s0": verdict}), tmp_path)
    assert one.message.startswith(f"{headline} ")


def test_few_of_many_mutants_and_tests_are_named(tmp_path: Path) -> None:
    site = a_site(replacements=[f"total > {number}" for number in range(9)], templates=[None] * 9)
    tests = tuple(TestRecord(number, f"test_it.py::test_{number}", 0.1, passed=True) for number in range(4))
    for verdict in (Verdict.SURVIVED, Verdict.NOT_INFECTED):
        observation = Observation(
            tests,
            {"s": Sighting(4, (0, 1, 2, 3))},
            {mutant.id: Infection(4, (3, 2, 1, 0)) for mutant in site.mutants},
            {mutant.id: "s0" for mutant in site.mutants},
            {},
        )
        run = a_run(site, verdicts={mutant.id: verdict for mutant in site.mutants})
        one = told(dataclasses.replace(run, observation=observation), tmp_path)[0]
        assert [test.id[-1] for test in one.nearest] == ["0", "1", "2"]
    run = a_run(site)  # nobody gets there: one gap
    [one] = told(run, tmp_path)
    assert (len(one.mutants), len(one.changes)) == (9, 8)


def test_a_test_that_stands_nearest_on_two_sides_is_named_once(tmp_path: Path) -> None:
    seen = Sighting(1, (0,), Nearest(1, "99", 1.0, 0), Nearest(), Nearest(1, "120", 20.0, 0))
    run = a_run(a_boundary(), verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": seen})
    assert [test.id for test in told(run, tmp_path)[0].nearest] == [TEST_A]
