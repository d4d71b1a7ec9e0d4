"""What a comment on a pull request says, as plain data: small, without secrets, safe to hand from one job to another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import fencepost
from fencepost.analyzer.changes import folder_in_repository
from fencepost.analyzer.errors import FencepostError
from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.model import Finding, Gate, Mutant, Run
from fencepost.reports._advice import Advisor
from fencepost.reports._diffs import diff_lines
from fencepost.reports._gaps import gaps
from fencepost.reports._question import Question
from fencepost.reports._sentences import percent, plural
from fencepost.reports._view import Gap, View, rule_name
from fencepost.reports._worth import worth
from fencepost.reports.gate_page import first_of, scope_of
from fencepost.reports.terminal import Sources

SCHEMA = "fencepost-comment/1"
FINDINGS = 7  # in the table
DIFFS = 8  # of one finding
LISTED = 20  # of what is only named
COMPARED = 500  # ids that the next comment is compared with
LONGEST = 1_000  # characters of one sentence


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
    found = list(_found(view, root))
    shown = _first(found, gate)
    make = _Entries(view, gate, root)
    closed = list(_closed(view, gate))
    return CommentData(
        schema=SCHEMA,
        fencepost=fencepost.__version__,
        command=run.command,
        folder=_folder(root),
        outcome=_outcome(run),
        reasons=tuple(map(_cut, _reasons(view, found))),
        scope=_cut(scope_of(view, gate)) if run.gate else "",
        entries=tuple(map(make.entry, shown)),
        more=len(found) - len(shown),
        lost=gate.lost[:LISTED],
        more_lost=len(gate.lost[LISTED:]),
        still_noticed=_still_noticed(view, gate),
        closed=tuple(closed[:LISTED]),
        more_closed=len(closed[LISTED:]),
        accepted=len(gate.accepted),
        open=_open(run, found),
        notes=tuple(_cut(note) for note in (*run.notes, *run.left_out))[:LISTED],
    )


def _found(view: View, root: Path) -> Iterator[Gap | Finding]:
    """Everything to show, the most useful first."""
    run, gate = view.run, view.run.gate
    if gate is not None:
        for ids in (gate.failing, gate.warned):
            yield from (gap for gap in gaps(view) if any(mutant.id in ids for mutant in gap.mutants))
            yield from (finding for finding in run.findings if finding.id in ids)
        return
    yield from sorted(gaps(view), key=worth(root)) if run.command == "gaps" else gaps(view)
    yield from run.findings


def _first(found: list[Gap | Finding], gate: Gate) -> list[Gap | Finding]:
    """What the table shows: few of one line and few of one file."""
    chosen = {id(gap) for gap in first_of((one for one in found if isinstance(one, Gap)), gate.per_line, gate.per_file)}
    return [one for one in found if isinstance(one, Finding) or id(one) in chosen][:FINDINGS]


def _open(run: Run, found: list[Gap | Finding]) -> tuple[str, ...] | None:
    mutants = [[mutant.id for mutant in one.mutants] if isinstance(one, Gap) else [one.id] for one in found]
    ids = tuple(one for several in mutants for one in several)
    return ids if run.complete and len(ids) <= COMPARED else None


def _outcome(run: Run) -> str:
    if run.gate is not None and run.gate.broken:
        return "failed"
    if not run.complete:
        return "incomplete"
    return "told" if run.gate is None else "passed"


def _reasons(view: View, found: list[Gap | Finding]) -> tuple[str, ...]:
    run, total = view.run, view.total()
    if run.gate is not None:
        return run.gate.broken
    count = plural(len(found), "gap")
    if run.command == "gaps":
        return (f"{count} in {plural(total.mutants, 'mutant')}; none was run",)
    if total.score is None:
        return (f"{count}; no score",)
    noticed = f"{total.detected} of {plural(total.counted, 'mutant')} noticed"
    return (f"{count}; score {percent(total.score)}: {noticed}",)


def _still_noticed(view: View, gate: Gate) -> int:
    """How many mutants outside of the changed lines are noticed, although the tests that noticed them changed."""
    return max(0, gate.protected - len(gate.lost)) if gate.protected else 0


def _closed(view: View, gate: Gate) -> Iterator[Closed]:
    """What the baseline accepts and is no gap any more."""
    mutants = {mutant.id: (site, mutant) for site, mutant in view.mutants()}
    for one in gate.gone:
        if one not in mutants:
            yield Closed(one, "", "")
            continue
        site, mutant = mutants[one]
        kill = view.judgement(site, mutant).kill
        yield Closed(one, f"{mutant.path}:{mutant.span.start.line}", _cut(kill.test) if kill else "")


def _folder(root: Path) -> str:
    try:
        return folder_in_repository(root)
    except FencepostError:
        return ""  # no repository, no folder in it


class _Entries:
    """Makes entries out of gaps and findings."""

    def __init__(self, view: View, gate: Gate, root: Path) -> None:
        self._gate = gate
        self._advisor = Advisor(view, root)
        self._sources = Sources(view.run.files, root)

    def entry(self, one: Gap | Finding) -> Entry:
        """What the comment says about it."""
        return self._of_gap(one) if isinstance(one, Gap) else self._of_finding(one)

    def _of_gap(self, gap: Gap) -> Entry:
        site, advice = gap.site, self._advisor.advice(gap)
        return Entry(
            gap.lead.id, site.path, site.span.start.line, site.span.end.line, _rule(site.rule), gap.verdict.value,
            self._note([mutant.id for mutant in gap.mutants]),
            (shorten(gap.lead.original), shorten(gap.lead.replacement)), _cut(advice.do),
            None if advice.input is None else _cut(advice.input), _question(advice.question),
            tuple(self._diff(mutant) for mutant in gap.mutants[:DIFFS]), len(gap.mutants[DIFFS:]),
        )  # fmt: skip

    def _of_finding(self, finding: Finding) -> Entry:
        span = finding.span
        return Entry(
            finding.id, finding.path, span.start.line, span.end.line, _rule(finding.rule), finding.severity,
            self._note([finding.id]), (), _cut(f"{finding.message} {finding.evidence}".strip()),
            None, None, (), 0,
        )  # fmt: skip

    def _note(self, ids: list[str]) -> str:
        if any(one in self._gate.lost for one in ids):
            return "lost"
        return "warning" if any(one in self._gate.warned for one in ids) else ""

    def _diff(self, mutant: Mutant) -> Diff:
        return Diff(mutant.id, tuple(diff_lines(self._sources.text(mutant.path), mutant)))


def _rule(code: str) -> str:
    return f"{code} {rule_name(code)}"


def _question(question: Question | None) -> Question | None:
    if question is None:
        return None
    answers = tuple(replace(one, do=_cut(one.do), text=_cut(one.text)) for one in question.answers)
    return Question(_cut(question.ask), _cut(question.now), answers)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
