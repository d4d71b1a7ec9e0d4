"""Facts become words: the one place where outcomes are verdicts. Pure.

Unknown is never good news: what no line here foresees is `unknown`, and leaves the score.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from fencepost.analyzer.guard import BLOCKED
from fencepost.analyzer.model import (
    Failure,
    Infection,
    Judgement,
    Kill,
    KillKind,
    Mutant,
    Outcome,
    Sighting,
    Site,
    TestRecord,
    Verdict,
)
from fencepost.analyzer.worker import UNTOLD

_EXPECTED_TO_RAISE = re.compile(
    r"DID NOT (RAISE|WARN)|Regex pattern did not match|not raised( by)?|not triggered|XPASS\(strict\)|"
    r"Raised exception .* did not match|is not an instance of|Unexpected success",
)
_ASSERTIONS = frozenset({"AssertionError", "Failed", "FailureException", "DocTestFailure", "MultipleDoctestFailures"})
_MISSES = frozenset({
    "CannotOverwriteExistingCassetteException", "CannotOverwriteExistingRequestException", "UnhandledHTTPRequestError",
    "BetamaxError",
})  # fmt: skip
"""What recording libraries raise where no recording matches."""


def judge_unrun(
    mutant: Mutant, site: Site, sighting: Sighting, infection: Infection, unwoven: Mapping[str, str]
) -> Judgement | None:
    """The verdict on a mutant that no run is needed for; None where one is."""
    if site.ignored is not None:
        return Judgement(mutant.id, Verdict.IGNORED, site.ignored)
    if mutant.path in unwoven:
        return Judgement(mutant.id, Verdict.UNKNOWN, unwoven[mutant.path])
    if infection.count or infection.at_import:
        return None
    if sighting.only_parses:
        how = "text, which it parses and does not round"
        if site.kind == "emptiness":
            how = "what is never empty: objects without a length or a truth of their own"
        return Judgement(mutant.id, Verdict.IGNORED, f"it was only ever given {how}")
    if sighting.reached:
        reason = f"{_tests(sighting.reached, 'reaches', 'reach')} it, none with an input that makes a difference"
        return Judgement(mutant.id, Verdict.NOT_INFECTED, reason, confirmed=True)
    if sighting.at_import:
        reason = "it runs while the code is loaded, and makes no difference there"
        return Judgement(mutant.id, Verdict.NOT_INFECTED, reason, confirmed=True)
    return Judgement(mutant.id, Verdict.NOT_REACHED, "no test executes it", confirmed=True)


def judge_run(
    mutant: Mutant,
    outcome: Outcome,
    infection: Infection,
    tests: Mapping[int, TestRecord],
    *,
    confirmed: bool,
    note: str,
) -> Judgement:
    """The verdict on a mutant that was run."""
    seconds = outcome.seconds
    if outcome.load_error:
        reason = f"the code does not load with it: {outcome.load_error.strip().splitlines()[-1][:300]}"
        return Judgement(mutant.id, Verdict.INVALID, reason, seconds=seconds, confirmed=confirmed)
    if outcome.failures:
        failure = outcome.failures[0]
        kill = Kill(kill_kind(failure), tests[failure.test].id, _first_line(failure))
        return Judgement(mutant.id, Verdict.KILLED, note or "a test fails", kill, seconds, confirmed)
    if outcome.timed_out:
        hung = tests[outcome.ended_in].id if outcome.ended_in is not None else "loading the code"
        return Judgement(mutant.id, Verdict.TIMEOUT, f"it hung {hung} past its limit", None, seconds, confirmed)
    if outcome.exit_code != 0 or outcome.ended_in is not None:
        return _died(mutant, outcome, infection, tests, confirmed=confirmed)
    if outcome.ran and infection.by_chance:
        how = "it was given sets, whose order is another one in each process: it is chance whether a test notices"
        return Judgement(mutant.id, Verdict.UNKNOWN, how, seconds=seconds)
    if outcome.ran and confirmed:
        if infection.count and infection.certain:
            reason = f"{_tests(infection.count, 'evaluates', 'evaluate')} it differently, none notices"
        elif infection.count:
            run_it = _tests(infection.count, "runs", "run")
            reason = f"{run_it} it, none notices (whether it gives another value is not known)"
        else:
            reason = "it changes what loading the code computes, and no test notices"
        return Judgement(mutant.id, Verdict.SURVIVED, reason, seconds=seconds, confirmed=True)
    return Judgement(mutant.id, Verdict.UNKNOWN, "its run told nothing that a verdict could rest on")


def _died(
    mutant: Mutant, outcome: Outcome, infection: Infection, tests: Mapping[int, TestRecord], *, confirmed: bool
) -> Judgement:
    """The verdict on a mutant with which a process ended that was to run tests."""
    seconds = outcome.seconds
    if outcome.ended_in is None:
        how = "the process that was to run the tests ended before it came to one"
        verdict = Verdict.INVALID if infection.at_import else Verdict.UNKNOWN
        return Judgement(mutant.id, verdict, how, seconds=seconds)
    test = tests[outcome.ended_in].id
    if outcome.exit_code == UNTOLD:
        how = "the process that ran the tests could not write down what it saw: is there room on the disk?"
        return Judgement(mutant.id, Verdict.UNKNOWN, how, seconds=seconds)
    if not outcome.exit_code:
        how = f"it ends the process that runs {test} with exit code 0, which pytest alone would not notice either"
        return Judgement(mutant.id, Verdict.UNKNOWN, how, seconds=seconds)
    kill = Kill(KillKind.CRASH, test, f"the process that ran the tests ended {_end(outcome.exit_code)}")
    return Judgement(mutant.id, Verdict.KILLED, "the interpreter died", kill, seconds, confirmed)


def doubted(judgement: Judgement, unfollowed: Sequence[str]) -> Judgement:
    """The same verdict, or `unknown` where a process that nobody could watch may have seen what no test did.

    Args:
        judgement: what was found without that process.
        unfollowed: ids of the tests that start such processes.
    """
    if not unfollowed or judgement.verdict not in {Verdict.SURVIVED, Verdict.NOT_INFECTED, Verdict.NOT_REACHED}:
        return judgement
    others = f" and {len(unfollowed) - 1} more" if len(unfollowed) > 1 else ""
    how = "with -I, -E or -S, or past `subprocess` in an environment of its own"
    reason = f"{judgement.reason}; but {unfollowed[0]}{others} starts Python {how}, which cannot be followed"
    return Judgement(judgement.mutant, Verdict.UNKNOWN, reason, seconds=judgement.seconds)


def kill_kind(failure: Failure) -> KillKind:
    """How a failure noticed: by an assertion, an expected exception that did not come, the guard, or a crash.

    The guard is what stopped it only where the guard says so: code may raise a PermissionError of its own.
    """
    if failure.exception == BLOCKED:
        return KillKind.GUARD
    if _EXPECTED_TO_RAISE.search(failure.message):
        return KillKind.EXPECTATION
    if failure.exception in _MISSES:
        return KillKind.REPLAY
    if failure.exception in _ASSERTIONS:
        return KillKind.ASSERTION
    return KillKind.CRASH


def _end(exit_code: int) -> str:
    return f"by signal {-exit_code}" if exit_code < 0 else f"with exit code {exit_code}"


def _first_line(failure: Failure) -> str:
    first = failure.message.strip().splitlines()[:1]
    return ": ".join(part for part in [failure.exception, *first] if part)[:300]


def _tests(count: int, one: str, many: str) -> str:
    return f"1 test {one}" if count == 1 else f"{count} tests {many}"
