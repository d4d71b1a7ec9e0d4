"""The mutation run: only mutants that could matter, only tests that could notice; then both errors are looked for.

1. Each mutant runs with the tests that it infects, focused ones first, until one fails.
2. A kill is confirmed: the killing test passes alone and unmutated, and fails alone under the mutant.
3. The survivors run with the whole suite, all at once; where something fails they are told apart.
"""

from __future__ import annotations

import contextlib
import signal
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.analyzer.engine import Ended, Engine
from fencepost.analyzer.model import Failure, Mutant, Outcome, Span, TestRecord
from fencepost.analyzer.observe import Collected, Seen, job
from fencepost.analyzer.plan import Plan

FIRST_TESTS = 100  # tests tried for a mutant before the whole suite is; slow ones count more
MORE_TESTS = 1000  # and those after them: fast ones by the hundred, slow ones by the ten
COLD_TESTS = 10  # each in a fork of its own
LARGE_FILE = 1000
COLD_FILES = 3  # test files that are loaded anew for a mutant before the whole suite is
MOST_MISTRUSTED = 10  # after that many tests that fail for other reasons, the whole suite decides
START_SECONDS = 0.5  # the first test of a process may have to load something
SPARE_SECONDS = 10.0
UNCONFIRMED = "a test fails; the run ended before that test was tried alone"
MOST_FAILURES_TOLD_APART = 40


@dataclass(frozen=True, slots=True)
class Limits:
    """When a mutant hangs: its tests take `factor` times what they took unmutated, and at least `seconds`."""

    factor: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Tried:
    """What running one mutant told, and how sure it is."""

    outcome: Outcome
    confirmed: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """Tests to run in one process; a cold one loads the code with the mutant on."""

    numbers: list[int]
    cold: bool
    isolated: bool = False


@dataclass(slots=True)
class _State:
    """One mutant on its way through the run.

    `cold` says that loading the code under test evaluates it differently, `cold_files` are the test files whose own
    loading does: what it does to those can only be seen by a process that loads them with the mutant on. `startup` says
    that pytest, for itself, evaluates it differently. `attempts` are the lists of tests still to be tried, the most
    telling first.
    """

    mutant: Mutant
    infected: Sequence[int]
    cold: bool
    cold_files: frozenset[str]
    startup: bool
    attempts: deque[_Attempt] = field(default_factory=deque)
    mistrusted: set[int] = field(default_factory=set)
    note: str = ""


Trial = Generator[dict[str, Any], Outcome, None]
"""Yields jobs and is sent their outcomes."""

Confirmation = Generator[dict[str, Any], Outcome, bool]
"""The same, with an answer at its end."""

Place = tuple[int, str]
"""A piece of the suite, and whether it is run warm or cold."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Mutants that are switched on together, and the pieces of the suite still to be run (None: all)."""

    states: Sequence[_State]
    places: frozenset[Place] | None = None


class MutationRun:
    """Runs the mutants of one plan against one collected suite.

    Args:
        engine: the running engine.
        plan: which switch each mutant is.
        seen: what the unmutated run saw.
        collected: what collecting the suite told.
        tick: called once for each mutant that is settled, for a progress bar.
    """

    def __init__(
        self, engine: Engine, plan: Plan, seen: Seen, collected: Collected, *, limits: Limits, tick: Callable[[], None]
    ) -> None:
        self.limits = limits
        self.engine = engine
        self.plan = plan
        self.seen = seen
        self.collected = collected
        self.tick = tick
        self.tests: Sequence[TestRecord] = seen.tests
        self.file_of = [test.id.partition("::")[0] for test in seen.tests]
        self.file_sizes = Counter(self.file_of)
        self.cheapest_test = min(
            seen.tests, key=lambda test: (self.file_sizes[self.file_of[test.number]], test.number)
        ).number
        self.passing = {test.number for test in seen.tests if test.passed}
        self.focus = self._focus()
        self.alone_ok: dict[int, bool] = {}
        self.control_ok: dict[tuple[int, int], bool] = {}  # by piece and its first test: does it pass unmutated?
        self.needs_all: set[Place] = set()
        self.jobs_run = 0
        self.results: dict[str, Tried] = {}

    def run(self, mutants: Iterable[Mutant]) -> dict[str, Tried]:
        """Run mutants and return what each told, by id. After an interruption `results` has what was settled."""
        states = [self._state(mutant) for mutant in mutants]
        self._first_round(states)
        survivors = [state for state in states if state.mutant.id not in self.results]
        self._confirm_survivors([_Group(group) for group in self._groups(survivors)])
        return self.results

    def _state(self, mutant: Mutant) -> _State:
        probe, bit = self.plan.probe_of[mutant.id]
        infected = [number for number in self.seen.infected.get(probe, {}).get(bit, ()) if number in self.passing]
        files = (file for file, masks in self.collected.collecting.items() if masks.get(probe, 0) >> bit & 1)
        cold = bool(self.collected.at_import.get(probe, 0) >> bit & 1)
        startup = bool(self.collected.startup.get(probe, 0) >> bit & 1)
        state = _State(mutant, infected, cold, frozenset(files), startup)
        state.attempts.extend(attempt for attempt in self._attempts(state) if attempt.numbers)
        return state

    def _attempts(self, state: _State) -> Iterator[_Attempt]:
        """The tests to try, in order: in this process where that is the same, then where the code is loaded anew."""
        if state.cold:
            reaching = self._reaching_file(state.mutant.path) | set(state.infected)
            by_file: dict[str, list[int]] = defaultdict(list)
            for number in reaching:
                by_file[self.file_of[number]].append(number)
            cheapest = sorted(by_file, key=lambda file: (self.file_sizes[file], file))
            for file in cheapest[:COLD_FILES]:
                yield from self._cold_attempts(by_file[file])
            return
        if state.startup:
            yield _Attempt([self.cheapest_test], cold=True)  # does pytest itself still start?
        warm = self._telling_order(number for number in state.infected if self.file_of[number] not in state.cold_files)
        first = self._within(warm, FIRST_TESTS)
        yield _Attempt(first, cold=False)
        # what is left over goes to the whole suite, which many mutants that are no survivors would make hard to read
        yield _Attempt(self._within(warm[len(first) :], MORE_TESTS), cold=False)
        for file in sorted(state.cold_files):
            mine = [number for number in self.passing if self.file_of[number] == file]
            infected = set(state.infected)
            yield from self._cold_attempts([one for one in mine if one in infected] or mine)

    def _cold_attempts(self, numbers: Iterable[int]) -> Iterator[_Attempt]:
        """A few tests of a file, each in a fork of its own, which spares a second loading to confirm; then many more.

        A file of very many tests takes so long to load that it is loaded once for both.
        """
        told = self._telling_order(numbers)
        few = COLD_TESTS if told and self.file_sizes[self.file_of[told[0]]] <= LARGE_FILE else 0
        yield _Attempt(told[:few], cold=True, isolated=True)
        yield _Attempt(self._within(told[few:], MORE_TESTS), cold=True)

    def _reaching_file(self, path: str) -> set[int]:
        """The tests that run code at any site of a file: those that could see what loading it computes."""
        found: set[int] = set()
        for mutant_id, (probe, _) in self.plan.probe_of.items():
            if self.plan.spans[self.plan.switches[mutant_id][0]][0] == path:
                found.update(self.seen.reached.get(probe, ()))
        return found & self.passing

    def _focus(self) -> dict[int, int]:
        """How many probes each test reaches: a test that reaches few is about what it reaches."""
        count: dict[int, int] = defaultdict(int)
        for tests in self.seen.reached.values():
            for number in tests:
                count[number] += 1
        return count

    def _weight(self, number: int) -> int:
        seconds = self.tests[number].seconds
        return 1 if seconds < 0.1 else 10 if seconds < 1 else 100

    def _first_tests(self, numbers: Iterable[int]) -> list[int]:
        return self._within(self._telling_order(numbers), FIRST_TESTS)

    def _telling_order(self, numbers: Iterable[int]) -> list[int]:
        """Fast tests first, by the power of ten of their time; then focused ones; one of each function before the next.

        The measured time alone would change the order from run to run, and with it the test that is named as killer.
        """
        by_function: dict[str, list[int]] = defaultdict(list)
        for number in sorted(numbers, key=lambda one: (self._weight(one), self.focus.get(one, 0), one)):
            by_function[self.tests[number].id.partition("[")[0]].append(number)
        groups = enumerate(by_function.values())
        turns = [(turn, place, number) for place, group in groups for turn, number in enumerate(group)]
        return [number for *_, number in sorted(turns, key=lambda one: (self._weight(one[2]), one[0], one[1]))]

    def _within(self, numbers: Sequence[int], budget: int) -> list[int]:
        """The first of some tests whose weights stay within a budget; never less than three."""
        chosen: list[int] = []
        for number in numbers:
            budget -= self._weight(number)
            if budget < 0 and len(chosen) >= 3:
                break
            chosen.append(number)
        return chosen

    def _first_round(self, states: Sequence[_State]) -> None:
        """Steps 1 and 2, for all mutants side by side; what goes on with one comes before what begins with the next."""
        # those that load the code anew take longest, one run after the other: they begin first
        longest_first = sorted(states, key=lambda state: not (state.cold or state.cold_files))
        fresh = deque(self._trial(state) for state in longest_first if state.attempts)
        ready: deque[tuple[Trial, dict[str, Any]]] = deque()
        waiting: dict[str, list[Trial]] = {}
        while fresh or ready or waiting:
            while (fresh or ready) and len(waiting) < 2 * self.engine.jobs + 2:
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

    def _trial(self, state: _State) -> Trial:
        """What is done with one mutant: yields jobs, is sent their outcomes, settles it if a test notices."""
        while state.attempts:
            attempt = state.attempts.popleft()
            one = self._run_job(state.mutant.id, [state], attempt.numbers, stop_at_first=True, cold=attempt.cold)
            # in a fork of its own, no test precedes another; but threads that loading started are not there
            outcome = yield {**one, "isolated": attempt.isolated and not self.collected.threads}
            if outcome.load_error:
                self._settle(state, outcome, confirmed=True)
                return
            if _failed(outcome) and (yield from self._confirm_kill(state, attempt, outcome)):
                return

    def _confirm_kill(self, state: _State, attempt: _Attempt, outcome: Outcome) -> Confirmation:
        """Settle a kill that holds: the killing test passes alone and unmutated, and fails alone under the mutant.

        A hang or a crash has to happen twice.
        """
        # what an interruption from here on would report
        self.results[state.mutant.id] = Tried(outcome, confirmed=False, note=UNCONFIRMED)
        witness = outcome.failures[0] if outcome.failures else None
        alone = [witness.test] if witness is not None else attempt.numbers
        if witness is None and outcome.ended_in is not None:
            alone = [outcome.ended_in]
        if len(alone) == 1 and not (yield from self._passes_alone(alone[0])):
            self._mistrust(state, alone[0])
            return False
        if witness is None or witness.preceded:
            outcome = yield self._run_job(f"again-{state.mutant.id}", [state], alone, stop_at_first=True)
            if not _failed(outcome):
                self._mistrust(state, alone[0] if len(alone) == 1 else None)
                return False
        self._settle(state, outcome, confirmed=True)
        return True

    def _passes_alone(self, number: int) -> Confirmation:
        """Whether a test passes alone and unmutated."""
        if number not in self.alone_ok:
            outcome = yield self._alone_job(number)
            self.alone_ok[number] = not _failed(outcome)
        return self.alone_ok[number]

    def _alone_job(self, number: int) -> dict[str, Any]:
        return self._run_job(f"alone-{number}", [], [number], stop_at_first=True)

    def _mistrust(self, state: _State, number: int | None) -> None:
        """Take a kill back, and try the mutant without the test that fails for other reasons."""
        del self.results[state.mutant.id]
        if number is None:
            return
        state.note = f"{self.tests[number].id} fails out of its order even without the mutant"
        state.mistrusted.add(number)
        tried = sorted(self._reaching_file(state.mutant.path)) if state.cold else state.infected
        rest = [one for one in tried if one not in state.mistrusted]
        if rest and not state.attempts and len(state.mistrusted) <= MOST_MISTRUSTED:
            state.attempts.append(_Attempt(self._first_tests(rest), cold=state.cold))

    def _settle(self, state: _State, outcome: Outcome, *, confirmed: bool, note: str = "") -> None:
        self.results[state.mutant.id] = Tried(outcome, confirmed, note or state.note)
        self.tick()

    def _groups(self, survivors: Sequence[_State]) -> list[list[_State]]:
        """Survivors that can be switched on together: no two of one expression or one inside the other.

        Those that need the code to be loaded anew make groups of their own, since that costs more.
        """
        groups: list[list[_State]] = []
        for state in survivors:
            span = self._span(state)
            for group in groups:
                alike = group[0].cold == state.cold and bool(group[0].cold_files) == bool(state.cold_files)
                if alike and not any(_overlap(span, self._span(other)) for other in group):
                    group.append(state)
                    break
            else:
                groups.append([state])
        return groups

    def _span(self, state: _State) -> tuple[str, Span]:
        return self.plan.spans[self.plan.switches[state.mutant.id][0]]

    def _confirm_survivors(self, groups: Sequence[_Group]) -> None:
        """Step 3: run the whole suite under each group, and tell apart the mutants of a group under which it fails.

        A piece of the suite that passes under a group passes under every part of it, and is not run again.
        """
        waiting = list(groups)
        while waiting:
            again: list[_Group] = []
            for group, outcomes in self._whole_suite(waiting):
                failed = {
                    place: outcome for place, outcome in outcomes.items() if _failed(outcome) or outcome.load_error
                }
                if not failed:
                    outcome = _joined([outcomes[place] for place in sorted(outcomes)])
                    for state in group.states:
                        self._settle(state, outcome, confirmed=True)
                elif self._need_more(group, failed):
                    again.append(_Group(group.states, frozenset(failed)))
                else:
                    again += self._divide(group, failed)
            waiting = again

    def _need_more(self, group: _Group, failed: Mapping[Place, Outcome]) -> bool:
        """Whether a piece fails without the mutants too, since what it left out is missing; it stays whole then."""
        parts = self._parts(group)
        wanted = [place for place in failed if place[1] == "warm" and place not in self.needs_all]
        jobs = [
            self._run_job(f"control-{piece}-{parts[piece, kind][0]}", [], parts[piece, kind], stop_at_first=True)
            for piece, kind in wanted
            if (piece, parts[piece, kind][0]) not in self.control_ok
        ]
        for done, outcome in self._jobs(jobs):
            piece = int(done["id"].split("-")[1])
            self.control_ok[piece, done["numbers"][0]] = not _failed(outcome)
        missing = {(piece, kind) for piece, kind in wanted if not self.control_ok[piece, parts[piece, kind][0]]}
        self.needs_all |= missing
        return bool(missing)

    def _divide(self, group: _Group, failed: Mapping[Place, Outcome]) -> list[_Group]:
        """Settle what a failed run of a group settles; return the groups to be run next."""
        outcome = _joined([failed[place] for place in sorted(failed)])
        if len(group.states) == 1:
            note = "only the whole suite notices: the tests that it infects pass without those that run before them"
            self._settle(group.states[0], outcome, confirmed=True, note=note if outcome.failures else "")
            return []
        rest = self._tell_apart(group.states, outcome.failures)
        if len(rest) < len(group.states):
            return [_Group(rest, frozenset(failed))] if rest else []
        return [_Group(part, frozenset(failed)) for part in self._parted(group.states, outcome.failures)]

    def _parted(self, group: Sequence[_State], failures: Sequence[Failure]) -> list[list[_State]]:
        """Two groups of mutants that fail a test only together: one that infects it, and the others; else halves."""
        for failure in failures:
            together = [state for state in group if failure.test in state.infected]
            if len(together) > 1:
                apart = together[1:]
                return [[state for state in group if state not in apart], apart]
        middle = len(group) // 2
        return [list(group[:middle]), list(group[middle:])]

    def _tell_apart(self, group: Sequence[_State], failures: Sequence[Failure]) -> list[_State]:
        """Run each failed test alone under each mutant that infects it; return the mutants that none of them kills."""
        jobs = []
        by_id: dict[str, _State] = {}
        failed = {one.test for one in failures[:MOST_FAILURES_TOLD_APART]}
        for state in group:
            for number in self._within(self._telling_order(failed & set(state.infected)), 1):
                job_id = f"apart-{number}-{state.mutant.id}"
                by_id[job_id] = state
                jobs.append(self._run_job(job_id, [state], [number], stop_at_first=True))
        found: dict[str, list[tuple[int, Outcome]]] = defaultdict(list)
        for done, outcome in self._jobs(jobs):
            if _failed(outcome):
                found[by_id[done["id"]].mutant.id].append((done["numbers"][0], outcome))
        suspects = sorted({number for several in found.values() for number, _ in several} - self.alone_ok.keys())
        for done, outcome in self._jobs([self._alone_job(number) for number in suspects]):
            self.alone_ok[done["numbers"][0]] = not _failed(outcome)
        rest = []
        for state in group:
            witnesses = [(number, outcome) for number, outcome in found[state.mutant.id] if self.alone_ok[number]]
            if witnesses:
                self._settle(state, min(witnesses, key=lambda one: one[0])[1], confirmed=True)
            else:
                rest.append(state)
        return rest

    def _whole_suite(self, groups: Sequence[_Group]) -> Iterator[tuple[_Group, dict[Place, Outcome]]]:
        """Run what passes unmutated, in its order, under each group; yields the outcome of each piece of the suite."""
        jobs = []
        by_id: dict[str, tuple[int, Place]] = {}
        for number, group in enumerate(groups):
            for place, part in self._parts(group).items():
                job_id = f"whole-{self.jobs_run}"
                by_id[job_id] = (number, place)
                jobs.append(self._run_job(job_id, group.states, part, stop_at_first=len(group.states) == 1))
        outcomes: list[dict[Place, Outcome]] = [{} for _ in groups]
        for done, outcome in self._jobs(jobs):
            number, place = by_id[done["id"]]
            outcomes[number][place] = outcome
        yield from zip(groups, outcomes, strict=True)

    def _parts(self, group: _Group) -> dict[Place, list[int]]:
        """The pieces of the suite that a group has to run, each with its tests.

        What runs before the first infected test of a piece is left out: up to there nothing differs from the unmutated
        run.
        """
        everywhere = any(state.cold for state in group.states)
        cold_files = frozenset[str]().union(*(state.cold_files for state in group.states))
        infected = {number for state in group.states for number in state.infected}
        parts: dict[Place, list[int]] = {}
        for piece, (first, last) in enumerate(self.seen.parts):
            numbers = [number for number in range(first, last) if number in self.passing]
            if everywhere:
                parts[piece, "cold"] = numbers
                continue
            warm = [number for number in numbers if self.file_of[number] not in cold_files]
            start = next((place for place, number in enumerate(warm) if number in infected), len(warm))
            if start < len(warm) and (piece, "warm") in self.needs_all:
                start = 0
            parts[piece, "warm"] = warm[start:]
            parts[piece, "cold"] = [number for number in numbers if self.file_of[number] in cold_files]
        wanted = parts if group.places is None else group.places
        return {place: numbers for place, numbers in parts.items() if numbers and place in wanted}

    def _run_job(
        self, job_id: str, states: Sequence[_State], numbers: Sequence[int], *, stop_at_first: bool, cold: bool = False
    ) -> dict[str, Any]:
        self.jobs_run += 1
        files = {self.file_of[number] for number in numbers}
        cold = cold or self.collected.threads or any(state.cold or files & state.cold_files for state in states)
        usual = {str(number): self.limits.factor * self.tests[number].seconds for number in numbers}
        slow = {number: seconds for number, seconds in usual.items() if seconds > self.limits.seconds}
        # each test has its own limit; that of the whole job is there for what happens between them
        limit = sum(usual.values()) + self.limits.seconds + SPARE_SECONDS
        load_limit = max(self.limits.seconds, self.limits.factor * self.engine.collect_seconds) + START_SECONDS
        details: dict[str, Any] = {
            "limit": self.limits.seconds, "slow": slow, "start_seconds": START_SECONDS, "load_limit": load_limit,
        }  # fmt: skip
        if cold:
            details |= {"cold": True, "names": [self.tests[number].id for number in numbers], "only": sorted(files)}
            limit += load_limit
        return job(
            "run", job_id, limit, switches=[self.plan.switches[state.mutant.id] for state in states],
            numbers=list(numbers), stop_at_first=stop_at_first, **details,
        )  # fmt: skip

    def _jobs(self, jobs: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], Outcome]]:
        # long jobs first, so that the last ones to end are short
        for ended in self.engine.run(sorted(jobs, key=lambda one: (not one.get("cold"), -len(one["numbers"])))):
            yield ended.job, outcome_of(ended)


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


def _failed(outcome: Outcome) -> bool:
    return bool(outcome.failures) or outcome.timed_out or (outcome.exit_code != 0 and not outcome.load_error)


def _joined(outcomes: Sequence[Outcome]) -> Outcome:
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


def _overlap(one: tuple[str, Any], other: tuple[str, Any]) -> bool:
    return one[0] == other[0] and one[1].start < other[1].end and other[1].start < one[1].end
