"""What a comment on a pull request says, as plain data: small, without secrets, fit to be handed to another job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import fencepost
from fencepost.analyzer.changes import narrowed
from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.model import Gate, Mutant, Run
from fencepost.reports._advice import Advice, Advisor
from fencepost.reports._diagnostics import Diagnostic, Level, diagnostics
from fencepost.reports._diffs import WIDTH, diff_lines
from fencepost.reports._gaps import gap_of
from fencepost.reports._places import folder_of
from fencepost.reports._question import Question
from fencepost.reports._sentences import percent, plural
from fencepost.reports._view import View, rule_name
from fencepost.reports._visible import cut
from fencepost.reports.gate_page import scope_of
from fencepost.reports.terminal import Sources

SCHEMA = "fencepost-comment/1"
FINDINGS = 7  # in the table
DIFFS = 8  # of one finding
SKETCH = 40  # lines of a test to start from
LISTED = 20  # of what is only named
COMPARED = 500  # ids that the next comment is compared with


@dataclass(frozen=True, slots=True)
class Diff:
    """What one mutant changes, as the lines of a unified diff without its heading."""

    mutant: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One finding of the comment.

    Attributes:
        id: of its first mutant, or of the finding.
        path: relative to the root of the project.
        line: its first line, counted from 1.
        last_line: its last.
        rule: its code and name.
        verdict: of the mutants, or the severity of the finding.
        note: `lost` where a test killed it before; `warning` where it does not fail the gate; else empty.
        change: the expression and what stands in its place, or the message of the finding.
        do: which test to write.
        input: an input that the call changes.
        question: what a person has to decide.
        sketch: the lines of a test to start from, which was not run.
        sketch_in: the test file that it belongs into; empty: a new one.
        diffs: of its first mutants.
        more_diffs: how many more mutants it has.
    """

    id: str
    path: str
    line: int
    last_line: int
    rule: str
    verdict: str
    note: str
    change: tuple[str, ...]
    do: str
    input: str | None
    question: Question | None
    sketch: tuple[str, ...]
    sketch_in: str
    diffs: tuple[Diff, ...]
    more_diffs: int


@dataclass(frozen=True, slots=True)
class Closed:
    """A gap that the baseline accepts and that is none any more; `test` kills it, or nothing of it is left."""

    id: str
    place: str
    test: str


@dataclass(frozen=True, slots=True)
class CommentData:
    """A comment before it is written.

    Attributes:
        schema: the version of this form.
        fencepost: the version that wrote it.
        command: whose result it is.
        folder: of the project inside its repository; empty, or ending with a slash.
        outcome: `failed`, `passed`, `incomplete`, or `told` where no policy is asked.
        reasons: why the policy is broken, or what there is to tell.
        scope: what was looked at.
        entries: the first findings.
        more: how many more there are.
        lost: ids of mutants that tests killed before, and now do not.
        more_lost: how many more there are.
        still_noticed: how many others, that changed tests protected, are noticed as before.
        closed: gaps that were accepted and are closed.
        more_closed: how many more there are.
        accepted: how many gaps the baseline accepts.
        open: ids of all that is in `entries` and `more`, to compare with; None where the run or the list is not whole.
        notes: what to know about the run.
    """

    schema: str
    fencepost: str
    command: str
    folder: str
    outcome: str
    reasons: tuple[str, ...]
    scope: str
    entries: tuple[Entry, ...]
    more: int
    lost: tuple[str, ...]
    more_lost: int
    still_noticed: int
    closed: tuple[Closed, ...]
    more_closed: int
    accepted: int
    open: tuple[str, ...] | None
    notes: tuple[str, ...]


def comment_data(run: Run, root: Path) -> CommentData:
    """What a comment says about a run.

    Args:
        root: the folder that the paths of the run are relative to; its files are read, nothing is run.
    """
    view, gate = View(run), run.gate or Gate("", {})
    found = _found(view, root)
    shown = _first(found, gate)
    make = _Entries(view, gate, root)
    closed = list(_closed(view, gate))
    return CommentData(
        schema=SCHEMA,
        fencepost=fencepost.__version__,
        command=run.command,
        folder=folder_of(root),
        outcome=_outcome(run),
        reasons=tuple(map(cut, _reasons(view, found))),
        scope=cut(scope_of(view, gate)) if run.gate else "",
        entries=tuple(map(make.entry, shown)),
        more=len(found) - len(shown),
        lost=gate.lost[:LISTED],
        more_lost=len(gate.lost[LISTED:]),
        still_noticed=_still_noticed(view, gate),
        closed=tuple(closed[:LISTED]),
        more_closed=len(closed[LISTED:]),
        accepted=len(gate.accepted),
        open=_open(run, found),
        notes=tuple(map(cut, _notes(run)))[:LISTED],
    )


def _found(view: View, root: Path) -> list[Diagnostic]:
    """Everything to show, the gravest first; of a gate only what breaks it, or would with a graver rule."""
    found = diagnostics(view, root)
    return found if view.run.gate is None else [one for one in found if one.level is not Level.NOTE]


def _first(found: list[Diagnostic], gate: Gate) -> list[Diagnostic]:
    """What the table shows: few of one line and few of one file first, then as many of the others as have room."""
    lines: Counter[tuple[str, int]] = Counter()
    files: Counter[str] = Counter()
    first, others = [], []
    for one in found:
        line = (one.path, one.span.start.line)
        if lines[line] < gate.per_line and files[one.path] < gate.per_file:
            lines[line] += 1
            files[one.path] += 1
            first.append(one)
        else:
            others.append(one)
    return [*first, *others][:FINDINGS]


def _open(run: Run, found: list[Diagnostic]) -> tuple[str, ...] | None:
    ids = tuple(id_ for one in found for id_ in (one.mutants or (one.id,)))
    return ids if run.complete and len(ids) <= COMPARED else None


def _outcome(run: Run) -> str:
    if run.gate is not None and run.gate.broken:
        return "failed"
    if not run.complete:
        return "incomplete"
    return "told" if run.gate is None else "passed"


def _reasons(view: View, found: list[Diagnostic]) -> tuple[str, ...]:
    run, total = view.run, view.total()
    if run.gate is not None:
        return run.gate.broken
    gaps = plural(sum(bool(one.mutants) for one in found), "gap")
    others = sum(not one.mutants for one in found)
    count = f"{gaps}, {plural(others, 'finding')}" if others else gaps
    if run.command == "gaps":
        return (f"{count} in {plural(total.mutants, 'mutant')}; none was run",)
    if total.score is None:
        return (f"{count}; no score",)
    return (f"{count}; score {percent(total.score)}: {total.detected} of {plural(total.counted, 'mutant')} noticed",)


def _still_noticed(view: View, gate: Gate) -> int:
    """How many mutants outside of the changed lines are noticed, although tests that noticed them changed."""
    on_changed = {site.id for scan in narrowed(view.run.files, gate.changed) for site in scan.sites}
    elsewhere = [one for one in view.mutants() if one[0].id not in on_changed] if gate.protected else []
    return sum(view.judgement(site, mutant).verdict.detected for site, mutant in elsewhere)


def _notes(run: Run) -> Iterator[str]:
    """What to know before anything is believed."""
    if not run.complete:
        yield "the run ended early: what it did not establish is unknown"
    yield from run.notes
    yield from run.left_out
    for path, reason in sorted((run.observation.unwoven if run.observation else {}).items()):
        yield f"not watched: {path}: {reason}"
    problems = (scan.problem for scan in run.files if scan.problem is not None)
    yield from (f"not read: {one.path}:{one.line}: {one.message}" for one in problems)


def _closed(view: View, gate: Gate) -> Iterator[Closed]:
    """What the baseline accepts and is no gap any more."""
    mutants = {mutant.id: (site, mutant) for site, mutant in view.mutants()}
    for one in gate.gone:
        if one not in mutants:
            yield Closed(one, "", "")
            continue
        site, mutant = mutants[one]
        kill = view.judgement(site, mutant).kill
        yield Closed(one, f"{mutant.path}:{mutant.span.start.line}", cut(kill.test) if kill else "")


class _Entries:
    """Makes entries out of what was found."""

    def __init__(self, view: View, gate: Gate, root: Path) -> None:
        self._view, self._gate = view, gate
        self._mutants = {mutant.id: (site, mutant) for site, mutant in view.mutants()}
        self._advisor = Advisor(view, root)
        self._sources = Sources(view.run.files, root)

    def entry(self, one: Diagnostic) -> Entry:
        """What the comment says about it."""
        mutants = [self._mutants[id_][1] for id_ in one.mutants]
        advice = self._advice(one, mutants)
        sketch = advice.sketch if advice else None
        return Entry(
            id=one.id,
            path=one.path,
            line=one.span.start.line,
            last_line=one.span.end.line,
            rule=f"{one.rule} {rule_name(one.rule)}",
            verdict=one.verdict.value if one.verdict else one.level.value,
            note=self._note(one),
            change=tuple(shorten(text) for text in (mutants[0].original, mutants[0].replacement)) if mutants else (),
            do=cut(advice.do if advice else one.message),
            input=cut(advice.input) if advice and advice.input else None,
            question=_question(one.question),
            sketch=tuple(cut(line, WIDTH) for line in sketch.text.splitlines())[:SKETCH] if sketch else (),
            sketch_in=cut(sketch.path) if sketch and sketch.path else "",
            diffs=tuple(self._diff(mutant) for mutant in mutants[:DIFFS]),
            more_diffs=len(mutants[DIFFS:]),
        )

    def _advice(self, one: Diagnostic, mutants: list[Mutant]) -> Advice | None:
        if not mutants:
            return None
        return self._advisor.advice(gap_of(self._mutants[one.id][0], mutants, self._view))

    def _note(self, one: Diagnostic) -> str:
        if one.id in self._gate.lost:
            return "lost"
        return "warning" if one.id in self._gate.warned else ""

    def _diff(self, mutant: Mutant) -> Diff:
        return Diff(mutant.id, tuple(diff_lines(self._sources.text(mutant.path), mutant)))


def _question(question: Question | None) -> Question | None:
    if question is None:
        return None
    answers = tuple(replace(one, do=cut(one.do), text=cut(one.text)) for one in question.answers)
    return Question(cut(question.ask), cut(question.now), answers)
