"""One suite at work: collected and run unmutated, then against mutants, while its processes wait for jobs."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost.analyzer import observe
from fencepost.analyzer.budget import ended_at
from fencepost.analyzer.engine import Engine
from fencepost.analyzer.jobs import Limits
from fencepost.analyzer.journal import Journal, state_of
from fencepost.analyzer.judge import doubted, judge_run, judge_unrun
from fencepost.analyzer.model import (
    FileScan,
    Infection,
    Judgement,
    Mutant,
    Observation,
    Run,
    Sighting,
    Site,
    Verdict,
)
from fencepost.analyzer.mutate import MutationRun, Tried
from fencepost.analyzer.plan import Plan
from fencepost.analyzer.progress import Progress
from fencepost.analyzer.scope import imported_by_pytest
from fencepost.analyzer.settings import Settings
from fencepost.analyzer.store import open_store

ENDED = "the run ended before it was tried"
OUT_OF_BUDGET = "the budget of seconds was spent before it was tried"


@dataclass(frozen=True, slots=True)
class Options:
    """How a suite is run.

    Attributes:
        leave_out_failing: go on without the tests that fail unmutated.
        fresh: use nothing that was found out before.
        cache: keep what is found out, and use it again.
        ending: when, by the performance counter, mutants are no longer run; None: when all are.
    """

    leave_out_failing: bool = False
    fresh: bool = False
    cache: bool = True
    ending: float | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What a command asks of a suite: would it notice the mutants of these sites?"""

    command: str
    settings: Settings
    scans: list[FileScan]
    plan: Plan
    options: Options
    progress: Progress

    @property
    def sites(self) -> list[Site]:
        """Every site, in the order of the files and of their source."""
        return [site for one in self.scans for site in one.sites]

    def answer(self, observation: Observation | None, judgements: dict[str, Judgement], **more: Any) -> Run:
        """What was found out, for the reporters and the store."""
        settings = self.settings
        return Run(
            self.command, str(settings.root), (*settings.pytest_args, *settings.tests), tuple(self.scans), observation,
            judgements, findings=tuple(finding for one in self.scans for finding in one.findings), **more,
        )  # fmt: skip


@dataclass(slots=True)
class Watched:
    """One unmutated run under way: what it saw, and the processes that go on waiting for jobs.

    `lazy` says whether the tests loaded code under test while they ran.
    """

    question: Question
    engine: Engine
    store: Path
    collected: observe.Collected
    seen: observe.Seen
    observation: Observation
    lazy: bool


def judged(watched: Watched, only: Collection[str] | None = None) -> Run:
    """Run the mutants that could matter, and say what became of each.

    Args:
        only: ids of mutants; the others are not run, and have no judgement unless none is needed. None: all.
    """
    question = watched.question
    settings, options, progress = question.settings, question.options, question.progress
    observation, seen = watched.observation, watched.seen
    judgements = dict(judge_unrun_of(question.sites, observation))
    wanted = (mutant for mutant in mutants_of(question.sites) if only is None or mutant.id in only)
    to_run = [mutant for mutant in wanted if mutant.id not in judgements]
    leading = {observation.alike.get(mutant.id, mutant.id) for mutant in to_run}
    leaders = [mutant for mutant in mutants_of(question.sites) if mutant.id in leading]
    journal = _journal(watched)
    limits = Limits(settings.timeout_factor, settings.timeout_seconds)
    mutation = MutationRun(
        watched.engine, question.plan, seen, watched.collected, limits=limits, settled=_keeper(journal, progress)
    )
    with ended_at(options.ending):
        complete = _mutate(mutation, leaders, journal, progress)
    why = ENDED if options.ending is None or time.perf_counter() < options.ending else OUT_OF_BUDGET
    judgements.update(_judge_run(to_run, mutation, observation, why))
    unfollowed = [seen.tests[number].id for number in seen.unfollowed]
    judgements = {mutant: doubted(judgement, unfollowed) for mutant, judgement in judgements.items()}
    return question.answer(
        observation, judgements, notes=_notes(watched.collected, mutation, len(journal.known), settings.root),
        left_out=_left_out(seen, mutation), complete=complete,
    )  # fmt: skip


@contextlib.contextmanager
def watching(question: Question) -> Iterator[Watched]:
    """Collect and run the tests unmutated; the processes are ended on the way out."""
    started = time.perf_counter()
    settings, plan = question.settings, question.plan
    store = open_store(settings.root)
    with Engine(
        settings.root, store, plan.document, pytest_args=(*settings.pytest_args, *settings.tests),
        jobs=settings.workers, pytest_in_scope=imported_by_pytest([one.path for one in question.scans]),
    ) as engine:  # fmt: skip
        collected, seen, lazy = _observe(engine, question)
        seconds = time.perf_counter() - started
        observation = observe.summarise(seen, collected, plan, question.sites, seconds)
        yield Watched(question, engine, store, collected, seen, observation, lazy)


def _journal(watched: Watched) -> Journal:
    """What an interrupted run of the same on the same has settled."""
    question = watched.question
    asked = _asked(question.settings, question.plan, watched.seen)
    state = state_of(question.settings.root, watched.collected.trail.files, asked)
    return Journal(watched.store, state, fresh=question.options.fresh)


def _asked(settings: Settings, plan: Plan, seen: observe.Seen) -> list[Any]:
    """What a run was asked for, as plain data: nothing that was settled under another is used again."""
    return [
        settings.pytest_args,
        settings.tests,
        plan.document["token"],
        settings.timeout_factor,
        settings.timeout_seconds,
        settings.normalizers,
        *((test.id, test.passed) for test in seen.tests),
    ]


def _observe(engine: Engine, question: Question) -> tuple[observe.Collected, observe.Seen, bool]:
    """Collect the suite and run it unmutated; the engine then knows what mutated runs need to know.

    The last thing returned is whether the tests load code under test while they run.
    """
    progress, options = question.progress, question.options
    progress.begin("collecting the tests", None)
    collecting = time.perf_counter()
    collected = observe.collect(engine)
    engine.know_tests(collected.tests)
    engine.collect_seconds = time.perf_counter() - collecting
    progress.begin("running the tests unmutated", len(collected.tests))
    loaded = len(collected.loaded)
    by = observe.grouping(collected.tests, len(question.plan.probe_sites)) if options.cache else ""
    seen = observe.watch(engine, collected, progress.reach, leave_out_failing=options.leave_out_failing, by=by)
    engine.allow(collected.trail.told())
    engine.one_at_a_time = bool(collected.trail.shared)
    return collected, seen, len(collected.loaded) > loaded


def _keeper(journal: Journal, progress: Progress) -> Callable[[str, Tried], None]:
    def keep(mutant: str, tried: Tried) -> None:
        journal.add(mutant, tried)
        progress.advance()

    return keep


def _mutate(mutation: MutationRun, mutants: Sequence[Mutant], journal: Journal, progress: Progress) -> bool:
    """Run what the journal does not know yet; whether nothing interrupted it."""
    try:
        progress.begin("running the tests that will judge again, in another order", None)
        mutation.prepare(mutants)
        mutation.results |= journal.known
        progress.begin("running the mutants", len(mutants) - len(journal.known))
        mutation.run()
    except KeyboardInterrupt:
        return False
    journal.remove()
    return True


def _left_out(seen: observe.Seen, mutation: MutationRun) -> tuple[str, ...]:
    failing = (test.id for test in seen.tests if not test.passed)
    unsteady = (f"{seen.tests[number].id}: {why}" for number, why in sorted(mutation.unsteady.left_out.items()))
    return (*failing, *unsteady)


def mutants_of(sites: Iterable[Site]) -> Iterator[Mutant]:
    """The mutants of sites, in order."""
    return (mutant for site in sites for mutant in site.mutants)


def judge_unrun_of(sites: Iterable[Site], observation: Observation) -> Iterator[tuple[str, Judgement]]:
    """The verdicts that no run is needed for, by id of the mutant."""
    for site in sites:
        for mutant in site.mutants:
            sighting, infection = Sighting(), Infection()  # nobody watches a site that is ignored
            if site.ignored is None:
                sighting, infection = observation.sightings[site.id], observation.infections[mutant.id]
            judgement = judge_unrun(mutant, site, sighting, infection, observation.unwoven)
            if judgement is not None:
                yield mutant.id, judgement


def _judge_run(
    mutants: Sequence[Mutant], mutation: MutationRun, observation: Observation, why_untried: str
) -> Iterator[tuple[str, Judgement]]:
    tests = {test.number: test for test in observation.tests}
    for mutant in mutants:
        leader = observation.alike.get(mutant.id, mutant.id)
        tried = mutation.results.get(leader)
        if tried is None:
            reason = mutation.unknown.get(leader, why_untried)
            yield mutant.id, Judgement(mutant.id, Verdict.UNKNOWN, reason)
            continue
        yield (
            mutant.id,
            judge_run(
                mutant,
                tried.outcome,
                observation.infections[mutant.id],
                tests,
                confirmed=tried.confirmed,
                note=tried.note,
            ),
        )


def notes_on_tests(collected: observe.Collected) -> Iterator[str]:
    """What is to be said of how the tests were run."""
    if collected.dropped_options:
        yield f"left out of the run of pytest: {', '.join(collected.dropped_options)}"


def _notes(collected: observe.Collected, mutation: MutationRun, resumed: int, root: Path) -> tuple[str, ...]:
    notes = [*notes_on_tests(collected)]
    if collected.threads:
        notes.append("loading the code starts threads, so each mutant has to load it anew: slower than usual")
    if collected.trail.shared:
        first, *others = (one.removeprefix(f"{root}{os.sep}") for one in collected.trail.shared)
        more = f" and {len(others)} more" if others else ""
        notes.append(f"one mutant at a time, since the tests use what cannot be used twice at a time: {first}{more}")
    if resumed:
        notes.append(f"{resumed} mutants were settled by the interrupted run before this one (--fresh runs them again)")
    if mutation.unsteady.kernel_off is not None:
        test = mutation.selection.tests[mutation.unsteady.kernel_off].id
        notes.append(f"mutants are kept from harm by the audit hook alone: under the kernel's guard {test} cannot run")
    return tuple(notes)
