"""Survivors run with the whole suite, all at once; where something fails they are told apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fencepost.analyzer.jobs import Jobs, joined, noticed
from fencepost.analyzer.model import Failure, Outcome, Span
from fencepost.analyzer.selection import Candidate, Selection

MOST_FAILURES_TOLD_APART = 40

Place = tuple[int, str]
"""A piece of the suite, and whether it is run warm or cold."""

Settle = Callable[[Candidate, Outcome, str], None]
"""Takes what is now known of a mutant: its outcome, and a note."""


@dataclass(frozen=True, slots=True)
class _Group:
    """Mutants that are switched on together, the pieces of the suite still to be run (None: all), and what passed."""

    members: Sequence[Candidate]
    places: frozenset[Place] | None = None
    passed: tuple[Outcome, ...] = ()


class Confirmation:
    """Runs the whole suite under survivors.

    A piece of the suite that passes under a group passes under every part of it, and is not run again.

    Args:
        jobs: makes and runs jobs.
        selection: the tests.
        settle: told each mutant that is settled.
    """

    def __init__(self, jobs: Jobs, selection: Selection, settle: Settle) -> None:
        self.jobs = jobs
        self.selection = selection
        self.settle = settle
        self.control_ok: dict[tuple[int, int], bool] = {}  # by piece and its first test: does it pass unmutated?
        self.needs_all: set[Place] = set()
        self.missing: set[Place] = set()  # pieces that are found, in this round, to need all that they left out
        self.count = 0

    def run(self, survivors: Sequence[Candidate]) -> None:
        """Settle all survivors."""
        waiting = [_Group(group) for group in self._groups(survivors)]
        while waiting:
            again: list[_Group] = []
            for group, outcomes in self._whole_suite(waiting):
                again += self._after(group, outcomes)
            self.needs_all |= self.missing  # not before: the other groups of the round left it out too
            waiting = again

    def _after(self, group: _Group, outcomes: Mapping[Place, Outcome]) -> list[_Group]:
        """Settle what the runs of a group settle; return the groups to be run next."""
        failing = {place: outcome for place, outcome in outcomes.items() if noticed(outcome) or outcome.load_error}
        passed = (*group.passed, *(outcome for place, outcome in outcomes.items() if place not in failing))
        if not failing:
            for member in group.members:
                self.settle(member, joined(passed), "")
            return []
        if self._need_more(group, failing):
            return [_Group(group.members, frozenset(failing), passed)]
        return [_Group(part, frozenset(failing), passed) for part in self._divide(group.members, failing)]

    def _groups(self, survivors: Sequence[Candidate]) -> list[list[Candidate]]:
        """Survivors that can be switched on together: no two of one expression or one inside the other.

        Those that need the code to be loaded anew make groups of their own, since that costs more.
        """
        groups: list[list[Candidate]] = []
        for member in survivors:
            span = self._span(member)
            for group in groups:
                alike = group[0].cold == member.cold and bool(group[0].cold_files) == bool(member.cold_files)
                if alike and not any(_overlap(span, self._span(other)) for other in group):
                    group.append(member)
                    break
            else:
                groups.append([member])
        return groups

    def _span(self, member: Candidate) -> tuple[str, Span]:
        return self.jobs.plan.spans[self.jobs.plan.switches[member.mutant.id][0]]

    def _need_more(self, group: _Group, failed: Mapping[Place, Outcome]) -> bool:
        """Whether a piece fails without the mutants too, since what it left out is missing; it stays whole then."""
        parts = self._parts(group)
        wanted = [place for place in failed if place[1] == "warm" and place not in self.needs_all]
        jobs = [
            self.jobs.run(f"control-{piece}-{parts[piece, kind][0]}", [], parts[piece, kind], stop_at_first=True)
            for piece, kind in wanted
            if (piece, parts[piece, kind][0]) not in self.control_ok
        ]
        for done, outcome in self.jobs.outcomes(jobs):
            piece = int(done["id"].split("-")[1])
            self.control_ok[piece, done["numbers"][0]] = not noticed(outcome)
        missing = {(piece, kind) for piece, kind in wanted if not self.control_ok[piece, parts[piece, kind][0]]}
        self.missing |= missing
        return bool(missing)

    def _divide(self, group: Sequence[Candidate], failed: Mapping[Place, Outcome]) -> list[list[Candidate]]:
        """Settle what a failed run of a group settles; return the groups to be run next."""
        outcome = joined([failed[place] for place in sorted(failed)])
        first, *others = group
        if not others:
            self.settle(first, outcome, _why_missed(first, outcome))
            return []
        rest = self._tell_apart(group, outcome.failures)
        if len(rest) < len(group):
            return [rest] if rest else []
        return self._parted(group, outcome.failures)

    def _parted(self, group: Sequence[Candidate], failures: Sequence[Failure]) -> list[list[Candidate]]:
        """Two groups of mutants that fail a test only together: one that infects it, and the others; else halves."""
        for failure in failures:
            together = [member for member in group if failure.test in member.infected]
            if len(together) > 1:
                apart = together[1:]
                return [[member for member in group if member not in apart], apart]
        middle = len(group) // 2
        return [list(group[:middle]), list(group[middle:])]

    def _tell_apart(self, group: Sequence[Candidate], failures: Sequence[Failure]) -> list[Candidate]:
        """Run each failed test alone under each mutant that infects it; return the mutants that none of them kills."""
        jobs = []
        by_id: dict[str, Candidate] = {}
        witnesses = {one.test for one in failures[:MOST_FAILURES_TOLD_APART]}
        for member in group:
            for number in self.selection.within(self.selection.telling_order(witnesses & set(member.infected)), 1):
                job_id = f"apart-{number}-{member.mutant.id}"
                by_id[job_id] = member
                jobs.append(self.jobs.run(job_id, [member], [number], stop_at_first=True))
        found: dict[str, list[tuple[int, Outcome]]] = defaultdict(list)
        for done, outcome in self.jobs.outcomes(jobs):
            if noticed(outcome):
                found[by_id[done["id"]].mutant.id].append((done["numbers"][0], outcome))
        suspects = {number for several in found.values() for number, _ in several} - self.jobs.alone_ok.keys()
        for done, outcome in self.jobs.outcomes([self.jobs.alone(number) for number in suspects]):
            self.jobs.alone_ok[done["numbers"][0]] = not noticed(outcome)
        rest = []
        for member in group:
            kills = [(number, outcome) for number, outcome in found[member.mutant.id] if self.jobs.alone_ok[number]]
            if kills:
                self.settle(member, min(kills, key=lambda one: one[0])[1], "")
            else:
                rest.append(member)
        return rest

    def _whole_suite(self, groups: Sequence[_Group]) -> Iterator[tuple[_Group, dict[Place, Outcome]]]:
        """Run what passes unmutated, in its order, under each group; yields the outcome of each piece of the suite."""
        jobs = []
        by_id: dict[str, tuple[int, Place]] = {}
        for number, group in enumerate(groups):
            for place, part in self._parts(group).items():
                job_id = f"whole-{self.count}"
                self.count += 1
                by_id[job_id] = (number, place)
                jobs.append(self.jobs.run(job_id, group.members, part, stop_at_first=not group.members[1:]))
        outcomes: list[dict[Place, Outcome]] = [{} for _ in groups]
        for done, outcome in self.jobs.outcomes(jobs):
            number, place = by_id[done["id"]]
            outcomes[number][place] = outcome
        yield from zip(groups, outcomes, strict=True)

    def _parts(self, group: _Group) -> dict[Place, list[int]]:
        """The pieces of the suite that a group has to run, each with its tests.

        What runs before the first infected test of a piece is left out: up to there nothing differs from the unmutated
        run.
        """
        everywhere = any(member.cold for member in group.members)
        cold_files = frozenset[str]().union(*(member.cold_files for member in group.members))
        infected = {number for member in group.members for number in member.infected}
        parts: dict[Place, list[int]] = {}
        for piece, (first, last) in enumerate(self.selection.seen.parts):
            numbers = [number for number in range(first, last) if number in self.selection.passing]
            if everywhere:
                parts[piece, "cold"] = numbers
                continue
            warm = [number for number in numbers if self.selection.file_of[number] not in cold_files]
            start = next((place for place, number in enumerate(warm) if number in infected), len(warm))
            if start < len(warm) and (piece, "warm") in self.needs_all:
                start = 0
            parts[piece, "warm"] = warm[start:]
            parts[piece, "cold"] = [number for number in numbers if self.selection.file_of[number] in cold_files]
        wanted = parts if group.places is None else group.places
        return {place: numbers for place, numbers in parts.items() if numbers and place in wanted}


def _why_missed(member: Candidate, outcome: Outcome) -> str:
    """Why only the whole suite notices a mutant; empty where no test failed."""
    if not outcome.failures:
        return ""
    if not member.infected:
        why = "no test evaluates it, only loading the code does"
    elif outcome.failures[0].test in member.infected:
        why = "the test passes without those that run before it"
    else:
        why = "the test does not evaluate it, and uses what another one computed"
    return f"only the whole suite notices: {why}"


def _overlap(one: tuple[str, Any], other: tuple[str, Any]) -> bool:
    return one[0] == other[0] and one[1].start < other[1].end and other[1].start < one[1].end
