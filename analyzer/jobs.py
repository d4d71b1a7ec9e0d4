"""Jobs for the engine, with the limits of their tests, and what comes back as one type."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fencepost.analyzer.engine import Ended, Engine
from fencepost.analyzer.model import Failure, Outcome
from fencepost.analyzer.observe import job
from fencepost.analyzer.plan import Plan
from fencepost.analyzer.selection import Candidate, Selection

START_SECONDS = 0.5  # the first test of a process may have to load something
SPARE_SECONDS = 10.0
LEAST_SPARE_MEMORY, MOST_SPARE_MEMORY = 1 << 28, 1 << 30


@dataclass(frozen=True, slots=True)
class Limits:
    """When a mutant hangs: its tests take `factor` times what they took unmutated, and at least `seconds`."""

    factor: float
    seconds: float


class Jobs:
    """Makes jobs and runs them.

    Args:
        engine: the running engine.
        plan: which switch each mutant is.
        selection: the tests.
        limits: when a test hangs.
    """

    def __init__(self, engine: Engine, plan: Plan, selection: Selection, limits: Limits) -> None:
        self.engine = engine
        self.plan = plan
        self.selection = selection
        self.limits = limits
        self.guard = "kernel"  # or "audit", or "off": what keeps a mutated run from doing harm
        self.memory = _memory_limit(selection.seen.memory, engine.jobs)
        self.alone_ok: dict[int, bool] = {}  # by test: does it pass alone and unmutated?

    def run(
        self,
        job_id: str,
        mutants: Sequence[Candidate],
        numbers: Sequence[int],
        *,
        stop_at_first: bool,
        cold: bool = False,
    ) -> dict[str, Any]:
        """A job that runs tests, given by number, with these mutants on; loading everything anew where one needs it."""
        files = {self.selection.file_of[number] for number in numbers}
        cold = cold or self.selection.collected.threads or any(one.cold or files & one.cold_files for one in mutants)
        usual = {str(number): self.limits.factor * self.selection.tests[number].seconds for number in numbers}
        slow = {number: seconds for number, seconds in usual.items() if seconds > self.limits.seconds}
        # each test has its own limit; that of the whole job is there for what happens between them
        limit = sum(usual.values()) + self.limits.seconds + SPARE_SECONDS
        load_limit = max(self.limits.seconds, self.limits.factor * self.engine.collect_seconds) + START_SECONDS
        details: dict[str, Any] = {
            "limit": self.limits.seconds, "slow": slow, "start_seconds": START_SECONDS, "load_limit": load_limit,
            "guard": self.guard, "memory": self.memory,
        }  # fmt: skip
        if cold:
            details |= {
                "cold": True,
                "names": [self.selection.tests[number].id for number in numbers],
                "only": sorted(files),
            }
            limit += load_limit
        return job(
            "run", job_id, limit, switches=[self.plan.switches[one.mutant.id] for one in mutants],
            numbers=list(numbers), stop_at_first=stop_at_first, **details,
        )  # fmt: skip

    def alone(self, number: int) -> dict[str, Any]:
        """A job that runs one test alone and unmutated."""
        return self.run(f"alone-{number}", [], [number], stop_at_first=True)

    def outcomes(self, jobs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Outcome]]:
        """Run jobs side by side; yields each with its outcome as it ends."""
        # long jobs first, so that the last ones to end are short
        for ended in self.engine.run(sorted(jobs, key=lambda one: (not one.get("cold"), -len(one["numbers"])))):
            yield ended.job, outcome_of(ended)


def _memory_limit(most: int, processes: int) -> int:
    """How much address space a worker may have, in bytes, where the unmutated one had so much; 0 for no limit."""
    if not most:
        return 0
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return most + max(LEAST_SPARE_MEMORY, min(MOST_SPARE_MEMORY, machine // (2 * processes)))


def outcome_of(ended: Ended) -> Outcome:
    """The facts of one job, as one type."""
    facts = ended.facts
    if facts is None:
        timed_out = ended.over_limit or ended.exit_code == -signal.SIGXCPU  # mutmut's limit of the whole job
        return Outcome(ended.exit_code, timed_out=timed_out, ended_in=ended.running)
    error = facts["load_error"]
    failures = tuple(
        Failure(one["test"], one["exception"], one["message"], one["phase"], one["raised_by"], one["preceded"])
        for one in facts["failures"]
    )
    text = f"{error['where']}: {error['message']}" if error else ""
    return Outcome(ended.exit_code, failures, facts["ran"], facts["seconds"], text)


def noticed(outcome: Outcome) -> bool:
    """Whether something noticed: a test failed, hung, or took the process with it."""
    ended = outcome.exit_code != 0 or outcome.ended_in is not None  # `os._exit(0)` ends it without a complaint
    return bool(outcome.failures) or outcome.timed_out or (ended and not outcome.load_error)


def joined(outcomes: Sequence[Outcome]) -> Outcome:
    """The outcomes of the parts of one run, as one."""
    return Outcome(
        next((one.exit_code for one in outcomes if one.exit_code), 0),
        tuple(failure for one in outcomes for failure in one.failures),
        sum(one.ran for one in outcomes),
        sum(one.seconds for one in outcomes),
        next((one.load_error for one in outcomes if one.load_error), ""),
        any(one.timed_out for one in outcomes),
        next((one.ended_in for one in outcomes if one.ended_in is not None), None),
    )
