"""Facts become words: each outcome gives the verdict that it must give, and nothing unforeseen is good news."""

from __future__ import annotations

import pytest

from fencepost.analyzer.judge import _end, _tests, doubted, judge_run, judge_unrun, kill_kind
from fencepost.analyzer.model import (
    Failure,
    Infection,
    Judgement,
    KillKind,
    Mutant,
    Outcome,
    Position,
    Sighting,
    Site,
    Span,
    TestRecord,
    Verdict,
)
from fencepost.analyzer.worker import UNTOLD

SPAN = Span(Position(1, 1), Position(1, 9))
MUTANT = Mutant("m", "s", "FP101", "shop.py", SPAN, "age >= 18", "age > 18", "{0} > {1}")
TESTS = {7: TestRecord(7, "test_shop.py::test_it", 0.1, passed=True)}


def a_failure(exception: str = "AssertionError", message: str = "assert 1 == 2") -> Failure:
    return Failure(7, exception, message, "call")


def judged(
    outcome: Outcome, *, count: int = 2, certain: bool = True, confirmed: bool = True, note: str = ""
) -> Judgement:
    infection = Infection(count, (7,), at_import=not count, certain=certain)
    return judge_run(MUTANT, outcome, infection, TESTS, confirmed=confirmed, note=note)


def unrun(
    sighting: Sighting, infection: Infection, *, ignored: str | None = None, unwoven: str = ""
) -> Judgement | None:
    site = Site("s", "FP101", "shop.py", SPAN, "", "age >= 18", "threshold", "", mutants=(MUTANT,), ignored=ignored)
    return judge_unrun(MUTANT, site, sighting, infection, {"shop.py": unwoven} if unwoven else {})


def test_a_failed_test_kills_and_is_named_with_the_first_line_of_its_message() -> None:
    judgement = judged(Outcome(0, (a_failure(message="  assert 1 == 2\nmore"),), 1))
    assert judgement.verdict is Verdict.KILLED
    assert judgement.reason == "a test fails"
    assert judgement.kill is not None
    assert judgement.kill.test == "test_shop.py::test_it"
    assert judgement.kill.message == "AssertionError: assert 1 == 2"


def test_a_failure_without_a_message_is_told_by_its_exception_alone() -> None:
    for message in ("", " \n "):
        judgement = judged(Outcome(0, (a_failure("KeyError", message),), 1))
        assert judgement.kill is not None
        assert judgement.kill.message == "KeyError"


def test_a_note_takes_the_place_of_the_reason_of_a_kill() -> None:
    assert judged(Outcome(0, (a_failure(),), 1), note="only behind others").reason == "only behind others"


@pytest.mark.parametrize(
    ("exception", "message", "kind"),
    [
        ("AssertionError", "assert 1 == 2", KillKind.ASSERTION),
        ("Failed", "wrong", KillKind.ASSERTION),
        ("Failed", "DID NOT RAISE <class 'ValueError'>", KillKind.EXPECTATION),
        ("AssertionError", "ValueError not raised", KillKind.EXPECTATION),
        ("", "[XPASS(strict)] known", KillKind.EXPECTATION),
        ("KeyError", "'plan'", KillKind.CRASH),
        ("Blocked", "it tried to remove x", KillKind.GUARD),
        ("PermissionError", "[Errno 13] Permission denied", KillKind.CRASH),
        ("AssertionError", "assert 'Permission denied' == ''", KillKind.ASSERTION),
    ],
)
def test_the_kind_of_a_kill_says_how_strong_it_is(exception: str, message: str, kind: KillKind) -> None:
    assert kill_kind(a_failure(exception, message)) is kind


def test_a_hang_is_a_timeout_and_names_the_test() -> None:
    judgement = judged(Outcome(-9, timed_out=True, ended_in=7))
    assert (judgement.verdict, judgement.reason) == (Verdict.TIMEOUT, "it hung test_shop.py::test_it past its limit")


@pytest.mark.parametrize(("code", "how"), [(-11, "by signal 11"), (-1, "by signal 1"), (3, "with exit code 3")])
def test_a_process_that_dies_in_a_test_is_killed_by_a_crash(code: int, how: str) -> None:
    judgement = judged(Outcome(code, ended_in=7))
    assert judgement.verdict is Verdict.KILLED
    assert judgement.kill is not None
    assert (judgement.kill.kind, judgement.kill.test) == (KillKind.CRASH, "test_shop.py::test_it")
    assert judgement.kill.message.endswith(how)


def test_a_process_that_dies_before_any_test_proves_nothing() -> None:
    assert judged(Outcome(-9)).verdict is Verdict.UNKNOWN
    assert judged(Outcome(-9), count=0).verdict is Verdict.INVALID
    assert judged(Outcome(3), count=0).verdict is Verdict.INVALID


def test_a_process_that_ended_well_did_so_by_no_signal() -> None:
    assert _end(0) == "with exit code 0"


def test_code_that_does_not_load_is_invalid_with_the_last_line_of_the_error() -> None:
    for end in ("\n", "", "\n\n"):
        judgement = judged(Outcome(0, load_error=f"shop.py: Traceback\n  ...\nValueError: too few{end}"))
        assert judgement.verdict is Verdict.INVALID
        assert judgement.reason == "the code does not load with it: ValueError: too few"


@pytest.mark.parametrize(
    ("count", "certain", "reason"),
    [
        (1, True, "1 test evaluates it differently, none notices"),
        (2, True, "2 tests evaluate it differently, none notices"),
        (1, False, "1 test runs it, none notices (whether it gives another value is not known)"),
        (0, True, "it changes what loading the code computes, and no test notices"),
    ],
)
def test_a_survivor_says_what_was_seen(count: int, certain: bool, reason: str) -> None:  # noqa: FBT001 - a parameter
    judgement = judged(Outcome(0, ran=5), count=count, certain=certain)
    assert (judgement.verdict, judgement.reason) == (Verdict.SURVIVED, reason)


def test_without_confirmation_or_without_a_test_nothing_has_survived() -> None:
    assert judged(Outcome(0, ran=5), confirmed=False).verdict is Verdict.UNKNOWN
    assert judged(Outcome(0, ran=0)).verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(
    ("sighting", "verdict", "reason"),
    [
        (Sighting(), Verdict.NOT_REACHED, "no test executes it"),
        (Sighting(1), Verdict.NOT_INFECTED, "1 test reaches it, none with an input that makes a difference"),
        (Sighting(3), Verdict.NOT_INFECTED, "3 tests reach it, none with an input that makes a difference"),
        (
            Sighting(at_import=True),
            Verdict.NOT_INFECTED,
            "it runs while the code is loaded, and makes no difference there",
        ),
        (
            Sighting(2, only_parses=True),
            Verdict.IGNORED,
            "it was only ever given text, which it parses and does not round",
        ),
    ],
)
def test_what_no_test_infects_needs_no_run(sighting: Sighting, verdict: Verdict, reason: str) -> None:
    judgement = unrun(sighting, Infection())
    assert judgement is not None
    assert (judgement.verdict, judgement.reason) == (verdict, reason)


def test_what_a_test_or_the_loading_infects_has_to_run() -> None:
    assert unrun(Sighting(1), Infection(1, (7,))) is None
    assert unrun(Sighting(), Infection(at_import=True)) is None


def test_a_file_that_was_not_woven_is_unknown_and_an_ignored_site_is_ignored_before_that() -> None:
    judgement = unrun(Sighting(1), Infection(1, (7,)), unwoven="the file changed")
    assert judgement is not None
    assert (judgement.verdict, judgement.reason) == (Verdict.UNKNOWN, "the file changed")
    judgement = unrun(Sighting(1), Infection(1, (7,)), ignored="arid", unwoven="the file changed")
    assert judgement is not None
    assert (judgement.verdict, judgement.reason) == (Verdict.IGNORED, "arid")


def test_tests_are_counted_in_words() -> None:
    counted = [_tests(count, "runs", "run") for count in (0, 1, 2)]
    assert counted == ["0 tests run", "1 test runs", "2 tests run"]


@pytest.mark.parametrize("verdict", [Verdict.SURVIVED, Verdict.NOT_INFECTED, Verdict.NOT_REACHED])
@pytest.mark.parametrize(
    ("unfollowed", "who"),
    [(["test_a"], "test_a"), (["test_a", "test_b"], "test_a and 1 more"), (["test_a", "b", "c"], "test_a and 2 more")],
)
def test_a_gap_is_unknown_where_a_process_that_nobody_watched_may_have_seen_it(
    verdict: Verdict, unfollowed: list[str], who: str
) -> None:
    judgement = doubted(Judgement("m", verdict, "none notices", seconds=2.0, confirmed=True), unfollowed)
    how = "with -I, -E or -S, or past `subprocess` in an environment of its own"
    reason = f"none notices; but {who} starts Python {how}, which cannot be followed"
    assert judgement == Judgement("m", Verdict.UNKNOWN, reason, seconds=2.0)


def test_a_verdict_that_rests_on_what_was_seen_is_not_doubted() -> None:
    killed = Judgement("m", Verdict.KILLED, "a test fails")
    assert doubted(killed, ["test_a"]) is killed
    survived = Judgement("m", Verdict.SURVIVED, "none notices")
    assert doubted(survived, []) is survived


def test_a_process_that_ends_quietly_is_no_verdict() -> None:
    judgement = judged(Outcome(0, ended_in=7))
    how = "it ends the process that runs test_shop.py::test_it with exit code 0, which pytest alone "
    how += "would not notice either"
    assert judgement == Judgement("m", Verdict.UNKNOWN, how)


def test_a_process_that_cannot_tell_what_it_saw_is_no_verdict() -> None:
    judgement = judged(Outcome(UNTOLD, ended_in=7))
    assert judgement.verdict is Verdict.UNKNOWN
    assert "could not write down what it saw" in judgement.reason


def test_what_depends_on_the_order_of_a_set_survives_by_chance() -> None:
    infection = Infection(2, (7,), certain=False, by_chance=True)
    judgement = judge_run(MUTANT, Outcome(0, ran=1), infection, TESTS, confirmed=True, note="")
    assert judgement.verdict is Verdict.UNKNOWN
    assert "whose order is another one in each process" in judgement.reason
    killed = judge_run(MUTANT, Outcome(0, (a_failure(),), 1), infection, TESTS, confirmed=True, note="")
    assert killed.verdict is Verdict.KILLED
