"""The only place where the stages meet: scan, observe, mutate, judge."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from fencepost.analyzer import observe
from fencepost.analyzer.baseline import read_baseline, vanished
from fencepost.analyzer.budget import ended_at
from fencepost.analyzer.changes import Changes, narrowed
from fencepost.analyzer.engine import Engine
from fencepost.analyzer.errors import UsageProblem
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
from fencepost.analyzer.plan import Plan, make_plan
from fencepost.analyzer.policy import decide
from fencepost.analyzer.protection import Protected, protected_before, run_of_base, stored_before, touches_tests
from fencepost.analyzer.scan import scan_files
from fencepost.analyzer.scope import imported_by_pytest, source_files
from fencepost.analyzer.settings import Settings
from fencepost.analyzer.store import open_store

ENDED = "the run ended before it was tried"
OUT_OF_BUDGET = "the budget of seconds was spent before it was tried"
NO_RUN_OF_BASE = (
    "the work touches tests, and no run of its base is kept: whether they protected other code before is not looked at"
    " (--run-base does, and so does a `fencepost run` on the base)"
)
NOTHING_SEEN = Observation((), {}, {}, {}, {})


class Progress(Protocol):
    """What a run tells while it is under way."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage starts that has so many steps; None: nobody knows yet."""

    def advance(self) -> None:
        """One more step of the stage is done."""

    def reach(self, steps: int) -> None:
        """So many steps of the stage are done in all."""


def scan(settings: Settings, progress: Progress, paths: Sequence[str] | None = None) -> list[FileScan]:
    """The sites of the code under test; nothing is run.

    Args:
        paths: only these of its files; None: all.

    Raises:
        UsageProblem: a path or a rule does not exist.
    """
    if paths is None:
        paths = source_files(settings.root, settings.source, settings.ignore)
    progress.begin("reading the source", len(paths))
    scans = scan_files(
        settings.root, paths, settings.rules.rules(), normalizers=settings.normalizers, jobs=settings.workers,
        finished=lambda _: progress.advance(),
    )  # fmt: skip
    return [_by_its_rules(one, settings) for one in scans] if settings.rules.by_path else scans


def _by_its_rules(scan: FileScan, settings: Settings) -> FileScan:
    codes = {rule.code for rule in settings.rules.rules_for(scan.path)}
    return replace(scan, sites=tuple(site for site in scan.sites if site.rule in codes))


@dataclass(slots=True)
class Watched:
    """One unmutated run under way: what it read, what it saw, and the processes that go on waiting for jobs."""

    engine: Engine
    store: Path
    arguments: tuple[str, ...]
    scans: list[FileScan]
    plan: Plan
    collected: observe.Collected
    seen: observe.Seen
    observation: Observation
    started: float

    @property
    def sites(self) -> list[Site]:
        """Every site, in the order of the files and of their source."""
        return [site for one in self.scans for site in one.sites]

    def told(self, command: str, settings: Settings, judgements: dict[str, Judgement], **more: Any) -> Run:
        """What a command found out, for the reporters and the store."""
        return Run(
            command, str(settings.root), self.arguments, tuple(self.scans), self.observation, judgements,
            findings=tuple(finding for one in self.scans for finding in one.findings),
            seconds=time.perf_counter() - self.started, **more,
        )  # fmt: skip


def gaps(settings: Settings, progress: Progress, *, leave_out_failing: bool = False) -> Run:
    """What one unmutated run alone can say: where tests stand, and what no test could notice. No mutant is run.

    Raises:
        UsageProblem, TestsFail, RunnerLost: as `run`.
    """
    with _watching(settings, progress, leave_out_failing=leave_out_failing) as watched:
        judgements = dict(_judge_unrun(watched.sites, watched.observation))
        for mutant in _mutants(watched.sites):
            judgements.setdefault(mutant.id, Judgement(mutant.id, Verdict.UNKNOWN, "infected, not run"))
        failing = tuple(test.id for test in watched.seen.tests if not test.passed)
        notes = tuple(_notes_on_tests(watched.collected))
        return watched.told("gaps", settings, judgements, notes=notes, left_out=failing)


def gate(
    settings: Settings, progress: Progress, changes: Changes, *, leave_out_failing: bool = False, fresh: bool = False,
    run_base: bool = False,
) -> Run:  # fmt: skip
    """What a piece of work changed, and what it took protection from, judged by the whole suite and by the policy.

    Args:
        changes: the piece of work; its lines are those of the files as they are now.
        run_base: where the work touched tests and no run of its base is stored, run the base too.

    Raises:
        UsageProblem, TestsFail, RunnerLost: as `run`.
    """
    started = time.perf_counter()
    entries = read_baseline(settings.root / settings.gate.baseline)
    sources = source_files(settings.root, settings.source, settings.ignore)
    protected, notes = _protected(settings, changes, sources, run_base=run_base)
    read = scan(settings, progress, [path for path in sources if path in changes.lines or path in protected])
    _check_readable(read)
    scans = _in_scope(read, changes, protected)
    if any(site.mutants and site.ignored is None for one in scans for site in one.sites):
        ending = started + settings.gate.budget if settings.gate.budget else None
        with _watching(settings, progress, scans=scans, leave_out_failing=leave_out_failing) as watched:
            result = _judged("gate", watched, settings, progress, fresh=fresh, ending=ending)
    else:
        findings = tuple(finding for one in scans for finding in one.findings)
        judgements = dict(_judge_unrun([site for one in scans for site in one.sites], NOTHING_SEEN))
        result = Run("gate", str(settings.root), _arguments(settings), tuple(scans), None, judgements, findings)
    decision = decide(
        result, changes, settings.gate, accepted={entry.id for entry in entries},
        before={mutant for ids in protected.values() for mutant in ids},
        vanished=set(vanished(entries, read, settings.root)),
    )  # fmt: skip
    seconds = time.perf_counter() - started
    return replace(result, gate=decision, notes=(*result.notes, *notes), seconds=seconds)


def _protected(
    settings: Settings, changes: Changes, sources: Sequence[str], *, run_base: bool
) -> tuple[Protected, tuple[str, ...]]:
    """What touched tests killed before, and what is to be said of how that is known."""
    if not touches_tests(changes, sources):
        return {}, ()
    before = stored_before(settings.root, changes)
    if before is None and run_base and changes.base is not None:
        before = run_of_base(settings.root, changes)
    if before is None:
        return {}, (NO_RUN_OF_BASE,)
    return protected_before(before, changes, sources), ()


def _check_readable(scans: Iterable[FileScan]) -> None:
    for problem in (one.problem for one in scans if one.problem is not None):
        raise UsageProblem(
            f"{problem.path}:{problem.line}: {problem.message}", slug="does-not-parse", hint="mend the file first"
        )


def _in_scope(scans: Iterable[FileScan], changes: Changes, protected: Protected) -> list[FileScan]:
    """The scans with what stands on changed lines, and the mutants that touched tests killed before."""
    chosen = []
    for one in scans:
        changed = next(narrowed([one], changes.lines), replace(one, sites=(), findings=()))
        on_lines = {site.id for site in changed.sites}
        ids = protected.get(one.path, frozenset())
        elsewhere = (
            replace(site, mutants=tuple(mutant for mutant in site.mutants if mutant.id in ids))
            for site in one.sites
            if site.id not in on_lines
        )
        sites = (*changed.sites, *(site for site in elsewhere if site.mutants))
        chosen.append(replace(changed, sites=tuple(sorted(sites, key=lambda site: site.span.start))))
    return chosen


def run(settings: Settings, progress: Progress, *, leave_out_failing: bool = False, fresh: bool = False) -> Run:
    """Everything: sites, one unmutated run, the mutants that could matter, verdicts.

    An interruption (Ctrl-C) ends the run early; what was settled by then is in the result, which says it is incomplete.

    Raises:
        UsageProblem: a path, a rule or a setting is wrong.
        TestsFail: the unmutated tests fail or are none.
        RunnerLost: the processes that run the tests ended for good.
    """
    with _watching(settings, progress, leave_out_failing=leave_out_failing) as watched:
        return _judged("run", watched, settings, progress, fresh=fresh)


def _judged(
    command: str, watched: Watched, settings: Settings, progress: Progress, *, fresh: bool, ending: float | None = None
) -> Run:
    """Run the mutants that could matter, and say what became of each.

    Args:
        ending: when, by the performance counter, the run has to end; None: when it is done.
    """
    observation, seen = watched.observation, watched.seen
    judgements = dict(_judge_unrun(watched.sites, observation))
    to_run = [mutant for mutant in _mutants(watched.sites) if mutant.id not in judgements]
    leaders = [mutant for mutant in to_run if mutant.id not in observation.alike]
    journal = _journal(watched, settings, fresh=fresh)
    limits = Limits(settings.timeout_factor, settings.timeout_seconds)
    mutation = MutationRun(
        watched.engine, watched.plan, seen, watched.collected, limits=limits, settled=_keeper(journal, progress)
    )
    with ended_at(ending):
        complete = _mutate(mutation, leaders, journal, progress)
    why = ENDED if ending is None or time.perf_counter() < ending else OUT_OF_BUDGET
    judgements.update(_judge_run(to_run, mutation, observation, why))
    unfollowed = [seen.tests[number].id for number in seen.unfollowed]
    judgements = {mutant: doubted(judgement, unfollowed) for mutant, judgement in judgements.items()}
    return watched.told(
        command, settings, judgements, notes=_notes(watched.collected, mutation, len(journal.known), settings.root),
        left_out=_left_out(seen, mutation), complete=complete,
    )  # fmt: skip


@contextlib.contextmanager
def _watching(
    settings: Settings, progress: Progress, *, scans: list[FileScan] | None = None, leave_out_failing: bool
) -> Iterator[Watched]:
    """Scan, unless that is done; collect and run the tests unmutated; the processes are ended on the way out."""
    started = time.perf_counter()
    scans = scan(settings, progress) if scans is None else scans
    plan = make_plan(scans, str(settings.root))
    arguments = _arguments(settings)
    store = open_store(settings.root)
    paths = [one.path for one in scans]
    with Engine(
        settings.root, store, plan.document, pytest_args=arguments, jobs=settings.workers,
        pytest_in_scope=imported_by_pytest(paths),
    ) as engine:  # fmt: skip
        collected, seen = _observe(engine, progress, leave_out_failing=leave_out_failing)
        sites = [site for one in scans for site in one.sites]
        observation = observe.summarise(seen, collected, plan, sites, time.perf_counter() - started)
        yield Watched(engine, store, arguments, scans, plan, collected, seen, observation, started)


def _arguments(settings: Settings) -> tuple[str, ...]:
    return (*settings.pytest_args, *settings.tests)


def _journal(watched: Watched, settings: Settings, *, fresh: bool) -> Journal:
    """What an interrupted run of the same on the same has settled."""
    asked = _asked(settings, watched.plan, watched.seen)
    return Journal(watched.store, state_of(settings.root, watched.collected.trail.files, asked), fresh=fresh)


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


def _observe(engine: Engine, progress: Progress, *, leave_out_failing: bool) -> tuple[observe.Collected, observe.Seen]:
    """Collect the suite and run it unmutated; the engine then knows what mutated runs need to know."""
    progress.begin("collecting the tests", None)
    collecting = time.perf_counter()
    collected = observe.collect(engine)
    engine.know_tests(collected.tests)
    engine.collect_seconds = time.perf_counter() - collecting
    progress.begin("running the tests unmutated", len(collected.tests))
    seen = observe.watch(engine, collected, progress.reach, leave_out_failing=leave_out_failing)
    engine.allow(collected.trail.told())
    engine.one_at_a_time = bool(collected.trail.shared)
    return collected, seen


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


def _mutants(sites: Sequence[Site]) -> Iterator[Mutant]:
    return (mutant for site in sites for mutant in site.mutants)


def _judge_unrun(sites: Sequence[Site], observation: Observation) -> Iterator[tuple[str, Judgement]]:
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


def _notes_on_tests(collected: observe.Collected) -> Iterator[str]:
    """What is to be said of how the tests were run."""
    if collected.dropped_options:
        yield f"left out of the run of pytest: {', '.join(collected.dropped_options)}"


def _notes(collected: observe.Collected, mutation: MutationRun, resumed: int, root: Path) -> tuple[str, ...]:
    notes = [*_notes_on_tests(collected)]
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
