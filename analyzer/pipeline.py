"""The only place where the stages meet: scan, observe, mutate, judge, decide."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from fencepost.analyzer.baseline import read_baseline, vanished
from fencepost.analyzer.changes import Changes, narrowed
from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.model import FileScan, Judgement, Observation, Run, Verdict
from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.policy import decide
from fencepost.analyzer.progress import Progress
from fencepost.analyzer.protection import (
    Protected,
    changes_settings_of_tests,
    protected_before,
    run_of_base,
    stored_before,
    touches_tests,
    under_new_names,
)
from fencepost.analyzer.remembered import judged_suite
from fencepost.analyzer.scan import scan_files, scan_source
from fencepost.analyzer.scope import source_files
from fencepost.analyzer.settings import Settings
from fencepost.analyzer.suite_run import Options, Question, judge_unrun_of, mutants_of, notes_on_tests, watching

NO_RUN_OF_BASE = (
    "the work touches tests, and no run of its base is kept: whether they protected other code before is not looked at"
    " (--run-base does, and so does a `fencepost run` on the base)"
)
OLDER_RUN = (
    "the work touches tests, and the run that is kept is older than its base: what tests protected since then is not"
    " looked at (--run-base does, and so does a `fencepost run` on the base)"
)
NO_BASE = (
    "the diff touches tests, and does not say what it began at: whether they protected other code before is not looked"
    " at (--base does)"
)
NOTHING_SEEN = Observation((), {}, {}, {}, {})


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
        settings.root, paths, settings.rules.rules(settings.operators), normalizers=settings.normalizers,
        jobs=settings.workers, finished=lambda _: progress.advance(),
    )  # fmt: skip
    return [_by_its_rules(one, settings) for one in scans] if settings.rules.by_path else scans


def _by_its_rules(scan: FileScan, settings: Settings) -> FileScan:
    codes = {rule.code for rule in settings.rules.rules_for(scan.path, settings.operators)}
    return replace(scan, sites=tuple(site for site in scan.sites if site.rule in codes))


def gaps(settings: Settings, progress: Progress, options: Options) -> Run:
    """What one unmutated run alone can say: where tests stand, and what no test could notice. No mutant is run.

    Raises:
        UsageProblem, TestsFail, RunnerLost: as `run`.
    """
    started = time.perf_counter()
    question = _question("gaps", settings, progress, scan(settings, progress), replace(options, cache=False))
    with watching(question) as watched:
        judgements = dict(judge_unrun_of(question.sites, watched.observation))
        for mutant in mutants_of(question.sites):
            judgements.setdefault(mutant.id, Judgement(mutant.id, Verdict.UNKNOWN, "infected, not run"))
        failing = tuple(test.id for test in watched.seen.tests if not test.passed)
        notes = tuple(notes_on_tests(watched.collected))
        told = question.answer(watched.observation, judgements, notes=notes, left_out=failing)
    return replace(told, seconds=time.perf_counter() - started)


def _question(
    command: str, settings: Settings, progress: Progress, scans: list[FileScan], options: Options
) -> Question:
    return Question(command, settings, scans, make_plan(scans, str(settings.root)), options, progress)


def gate(settings: Settings, progress: Progress, changes: Changes, options: Options, *, run_base: bool = False) -> Run:
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
    ending = started + settings.gate.budget if settings.gate.budget else None
    question = _question("gate", settings, progress, scans, replace(options, ending=ending))
    if any(site.mutants and site.ignored is None for site in question.sites):
        result = judged_suite(question)
    else:
        result = question.answer(None, dict(judge_unrun_of(question.sites, NOTHING_SEEN)))
    decision = decide(
        result, changes, settings.gate, accepted={entry.id for entry in entries},
        before={mutant for ids in protected.values() for mutant in ids},
        vanished=set(vanished(entries, read, settings.root)),
    )  # fmt: skip
    seconds = time.perf_counter() - started
    notes = (*notes, *_beside(changes))
    return replace(result, gate=decision, notes=(*result.notes, *notes), seconds=seconds)


def _beside(changes: Changes) -> Iterator[str]:
    if changes.beside:
        named, rest = changes.beside[:3], len(changes.beside) - 3
        more = f" and {rest} more" if rest > 0 else ""
        yield f"judged with what is not staged: {', '.join(named)}{more} (`git stash -u --keep-index` puts it aside)"


def _protected(
    settings: Settings, changes: Changes, sources: Sequence[str], *, run_base: bool
) -> tuple[Protected, tuple[str, ...]]:
    """What touched tests killed before, and what is to be said of how that is known."""
    with contextlib.suppress(UsageProblem):  # PATHS narrow what is judged, and what is left out are no tests
        sources = [*sources, *source_files(settings.root, (), settings.ignore)]
    by_any = changes_settings_of_tests(settings.root, changes)
    if not by_any and not touches_tests(changes, sources):
        return {}, ()
    if changes.base is None:
        return {}, (NO_BASE,)
    before, is_exact = stored_before(settings.root, changes)
    if run_base and not is_exact:
        before, is_exact = run_of_base(settings.root, changes), True
    if before is None:
        return {}, (NO_RUN_OF_BASE,)
    protected = protected_before(before, changes, sources, by_any=by_any)

    def read(data: bytes, path: str) -> FileScan:
        return scan_source(data, path, settings.rules.rules(), settings.normalizers)

    return under_new_names(settings.root, protected, changes, read), () if is_exact else (OLDER_RUN,)


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


def run(settings: Settings, progress: Progress, options: Options) -> Run:
    """Everything: sites, one unmutated run, the mutants that could matter, verdicts.

    An interruption (Ctrl-C) ends the run early; what was settled by then is in the result, which says it is incomplete.

    Raises:
        UsageProblem: a path, a rule or a setting is wrong.
        TestsFail: the unmutated tests fail or are none.
        RunnerLost: the processes that run the tests ended for good.
    """
    started = time.perf_counter()
    told = judged_suite(_question("run", settings, progress, scan(settings, progress), options))
    return replace(told, seconds=time.perf_counter() - started)
