"""The mutation run: only mutants that could matter, only tests that could notice; then both errors are looked for.

1. Each mutant runs with the tests that it infects, focused ones first, until one fails.
2. A kill is confirmed: the killing test passes alone and unmutated, and fails alone under the mutant.
3. The survivors run with the whole suite (`confirm`).
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from fencepost.analyzer.canary import UNNOTICED, unproven_files
from fencepost.analyzer.confirm import Confirmation
from fencepost.analyzer.engine import Engine
from fencepost.analyzer.jobs import Jobs, Limits, noticed, outcome_of
from fencepost.analyzer.model import Mutant, Outcome
from fencepost.analyzer.observe import Collected, Seen
from fencepost.analyzer.plan import Plan
from fencepost.analyzer.second_run import SecondRun, Unsteady
from fencepost.analyzer.selection import Attempt, Candidate, Selection

MOST_MISTRUSTED = 10  # after that many tests that fail for other reasons, the whole suite decides
UNCONFIRMED = "a test fails; the run ended before that test was tried alone"


@dataclass(frozen=True, slots=True)
class Tried:
    """What running one mutant told, and how sure it is."""

    outcome: Outcome
    confirmed: bool
    note: str = ""


Trial = Generator[dict[str, Any], Outcome, None]
"""Yields jobs and is sent their outcomes."""

Answer = Generator[dict[str, Any], Outcome, bool]
"""The same, with an answer at its end."""


class MutationRun:
    """Runs the mutants of one plan against one collected suite.

    Args:
        engine: the running engine.
        plan: which switch each mutant is.
        seen: what the unmutated run saw.
        collected: what collecting the suite told.
        limits: when a test hangs.
        settled: told each mutant that is settled, by id, and what its run told.
    """

    def __init__(
        self,
        engine: Engine,
        plan: Plan,
        seen: Seen,
        collected: Collected,
        *,
        limits: Limits,
        settled: Callable[[str, Tried], None],
    ) -> None:
        self.engine = engine
        self.selection = Selection(plan, seen, collected)
        self.jobs = Jobs(engine, plan, self.selection, limits)
        self.settled = settled
        self.results: dict[str, Tried] = {}
        self.unknown: dict[str, str] = {}
        self.candidates: list[Candidate] = []
        self.unsteady = Unsteady()

    def prepare(self, mutants: Iterable[Mutant]) -> None:
        """Choose the tests of each mutant, and see whether they can judge: they run a second time."""
        mutants = list(mutants)
        chosen = [self.selection.candidate(mutant) for mutant in mutants]
        first = (number for one in chosen for attempt in list(one.attempts)[:1] for number in attempt.numbers)
        unsteady = self.unsteady = SecondRun(self.jobs, self.selection).run(first)
        self.selection.passing -= unsteady.left_out.keys()
        for mutant, before in zip(mutants, chosen, strict=True):
            one = self.selection.candidate(mutant) if unsteady.left_out else before
            if before.infected and not one.infected and not one.attempts:
                self.unknown[mutant.id] = f"no other test can judge it: {self._why_left_out(before, unsteady)}"
            else:
                self.candidates.append(one)

    def _why_left_out(self, candidate: Candidate, unsteady: Unsteady) -> str:
        number = next(one for one in candidate.infected if one in unsteady.left_out)
        return f"{self.selection.tests[number].id} was left out, {unsteady.left_out[number]}"

    def run(self) -> dict[str, Tried]:
        """Run what was prepared and return what each told. After an interruption `results` has what was settled."""
        self._first_round([one for one in self.candidates if one.mutant.id not in self.results])
        survivors = [one for one in self.candidates if one.mutant.id not in self.results]
        Confirmation(self.jobs, self.selection, self._settle).run(self._proven(survivors))
        return self.results

    def _proven(self, survivors: Sequence[Candidate]) -> list[Candidate]:
        """Those in files whose code the tests are known to depend on."""
        noticed_in = (one for one in self.candidates if one.mutant.id in self.results)
        killed = {one.mutant.path for one in noticed_in if not self.results[one.mutant.id].outcome.load_error}
        doubtful = {one.mutant.path for one in survivors} - killed
        unproven = unproven_files(self.jobs, self.selection, doubtful)
        self.unknown |= {one.mutant.id: UNNOTICED for one in survivors if one.mutant.path in unproven}
        return [one for one in survivors if one.mutant.path not in unproven]

    def _first_round(self, candidates: Sequence[Candidate]) -> None:
        """Steps 1 and 2, for all mutants side by side; what goes on with one comes before what begins with the next."""
        # those that load the code anew take longest, one run after the other: they begin first
        longest_first = sorted(candidates, key=lambda candidate: not (candidate.cold or candidate.cold_files))
        fresh = deque(self._trial(candidate) for candidate in longest_first if candidate.attempts)
        ready: deque[tuple[Trial, dict[str, Any]]] = deque()
        waiting: dict[str, list[Trial]] = {}
        while fresh or ready or waiting:
            at_once = 1 if self.engine.one_at_a_time else 2 * self.engine.jobs + 2
            while (fresh or ready) and len(waiting) < at_once:
                if not ready:
                    trial = fresh.popleft()
                    ready.append((trial, next(trial)))
                trial, one = ready.popleft()
                if one["id"] not in waiting:
                    self.engine.submit(one)
                waiting.setdefault(one["id"], []).append(trial)
            ended = self.engine.wait()
            outcome = outcome_of(ended)
            for trial in waiting.pop(ended.job["id"]):
                with contextlib.suppress(StopIteration):
                    ready.append((trial, trial.send(outcome)))

    def _trial(self, candidate: Candidate) -> Trial:
        """What is done with one mutant: yields jobs, is sent their outcomes, settles it if a test notices."""
        while candidate.attempts:
            attempt = candidate.attempts.popleft()
            outcome = yield self.jobs.run(
                candidate.mutant.id, [candidate], attempt.numbers, stop_at_first=True, cold=attempt.cold
            )
            if outcome.load_error:
                self._settle(candidate, outcome)
                return
            if noticed(outcome) and (yield from self._confirm_kill(candidate, attempt, outcome)):
                return

    def _confirm_kill(self, candidate: Candidate, attempt: Attempt, outcome: Outcome) -> Answer:
        """Settle a kill that holds: the killing test passes alone and unmutated, and fails alone under the mutant.

        A hang or a crash has to happen twice.
        """
        # what an interruption from here on would report
        self.results[candidate.mutant.id] = Tried(outcome, confirmed=False, note=UNCONFIRMED)
        witness = outcome.failures[0] if outcome.failures else None
        number = outcome.ended_in if witness is None else witness.test
        if number is not None and not (yield from self._passes_alone(number)):
            self._mistrust(candidate, number)
            return False
        if witness is None or witness.preceded:
            numbers = attempt.numbers if number is None else [number]
            outcome = yield self.jobs.run(f"again-{candidate.mutant.id}", [candidate], numbers, stop_at_first=True)
            if not noticed(outcome):
                self._mistrust(candidate, number)
                return False
        self._settle(candidate, outcome)
        return True

    def _passes_alone(self, number: int) -> Answer:
        """Whether a test passes alone and unmutated."""
        if number not in self.jobs.alone_ok:
            outcome = yield self.jobs.alone(number)
            self.jobs.alone_ok[number] = not noticed(outcome)
        return self.jobs.alone_ok[number]

    def _mistrust(self, candidate: Candidate, number: int | None) -> None:
        """Take a kill back, and try the mutant without the test that fails for other reasons."""
        del self.results[candidate.mutant.id]
        if number is None:
            return
        candidate.note = f"{self.selection.tests[number].id} fails out of its order even without the mutant"
        candidate.mistrusted.add(number)
        tried = self.selection.reaching_file(candidate.mutant.path) if candidate.cold else candidate.infected
        rest = [one for one in tried if one not in candidate.mistrusted]
        if rest and not candidate.attempts and len(candidate.mistrusted) <= MOST_MISTRUSTED:
            candidate.attempts.append(Attempt(self.selection.first_tests(rest), cold=candidate.cold))

    def _settle(self, candidate: Candidate, outcome: Outcome, note: str = "") -> None:
        tried = self.results[candidate.mutant.id] = Tried(outcome, confirmed=True, note=note or candidate.note)
        self.settled(candidate.mutant.id, tried)
