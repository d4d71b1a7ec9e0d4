"""What a run has to say about places of the source, as tools for machines want it: one list, the gravest first."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.model import Finding, Gate, Span, TestRecord, Verdict
from fencepost.reports._advice import Advisor, in_words
from fencepost.reports._gaps import gap_of, gaps
from fencepost.reports._question import Question
from fencepost.reports._sides import sides_of
from fencepost.reports._view import Gap, View, rule_name
from fencepost.reports._visible import cut, visible
from fencepost.reports._worth import worth

MUTANTS_SHOWN = 8  # of one gap
LOST = "A test killed this before the work changed or removed it."


class Level(enum.StrEnum):
    """How grave something is; the values are those of SARIF, the gravest first."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


_LEVELS = {Verdict.SURVIVED: Level.ERROR, Verdict.NOT_INFECTED: Level.WARNING, Verdict.NOT_REACHED: Level.NOTE}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One thing for a person to look at: a gap, or a finding that is no mutant.

    All texts are visible and cut: nothing of the code under test can hide in them or run on for ever.

    Attributes:
        id: of the mutant that stands for the gap, or of the finding; the same from run to run.
        mutants: ids of all mutants of the gap; none of a finding.
        path: relative to the root, with forward slashes, as it is: it may hold any character.
        rule: the code of the rule.
        verdict: of the mutants; None of a finding.
        level: by what the gate says, else by the verdict.
        title: rule and verdict in a few words.
        message: what is wrong and what to do, in a few sentences, without a line break.
        changes: what stands there and what the first mutants put in its place.
        question: what a person has to decide.
        nearest: tests that come closest, or run the place.
    """

    id: str
    mutants: tuple[str, ...]
    path: str
    span: Span
    rule: str
    verdict: Verdict | None
    level: Level
    title: str
    message: str
    changes: tuple[tuple[str, str], ...] = ()
    question: Question | None = None
    nearest: tuple[TestRecord, ...] = ()


def diagnostics(view: View, root: Path) -> list[Diagnostic]:
    """Everything that a run found, without what a baseline accepts: the gravest first, then what is most worth a test.

    Args:
        root: the folder that the paths of the run are relative to.
    """
    grades = _Grades(view.run.gate)
    ordered = sorted(_gaps(view), key=worth(root))
    advisor = Advisor(view, root)
    of_gaps = [_of_gap(gap, level, view, advisor) for gap in ordered if (level := grades.of_gap(gap))]
    of_findings = [_of_finding(one, level) for one in view.run.findings if (level := grades.of_finding(one))]
    return sorted([*of_gaps, *of_findings], key=lambda one: list(Level).index(one.level))


def _gaps(view: View) -> Iterator[Gap]:
    """The gaps, and the mutants that break a gate by another verdict."""
    yield from gaps(view)
    failing = {*view.run.gate.failing, *view.run.gate.warned} if view.run.gate else set()
    for site, mutant in view.mutants():
        if mutant.id in failing and not view.judgement(site, mutant).verdict.missed:
            yield gap_of(site, [mutant], view)


class _Grades:
    """How grave things are: what a gate says of them, where there is one, else what they are; None for the accepted."""

    def __init__(self, gate: Gate | None) -> None:
        self._gated = gate is not None
        self._failing = frozenset(gate.failing) if gate else frozenset()
        self._warned = frozenset(gate.warned) if gate else frozenset()
        self._accepted = frozenset(gate.accepted) if gate else frozenset()

    def of_gap(self, gap: Gap) -> Level | None:
        usual = Level.NOTE if self._gated else _LEVELS[gap.verdict]
        return self._level({mutant.id for mutant in gap.mutants}, usual)

    def of_finding(self, finding: Finding) -> Level | None:
        return self._level({finding.id}, Level(finding.severity))

    def _level(self, ids: set[str], usual: Level) -> Level | None:
        if ids & self._failing:
            return Level.ERROR
        if ids & self._warned:
            return Level.WARNING
        return None if ids <= self._accepted else usual


def _of_gap(gap: Gap, level: Level, view: View, advisor: Advisor) -> Diagnostic:
    site, lead = gap.site, gap.lead
    lost = LOST if view.run.gate and lead.id in view.run.gate.lost else ""
    return Diagnostic(
        id=lead.id,
        mutants=tuple(mutant.id for mutant in gap.mutants),
        path=site.path,
        span=site.span,
        rule=site.rule,
        verdict=gap.verdict,
        level=level,
        title=f"{site.rule} {rule_name(site.rule)}: {gap.verdict.value}",
        message=cut(" ".join(filter(None, (_headline(gap), lost, in_words(gap, view))))),
        changes=tuple((cut(one.original), cut(one.replacement)) for one in gap.mutants[:MUTANTS_SHOWN]),
        question=advisor.question(gap),
        nearest=_nearest(gap, view),
    )


def _headline(gap: Gap) -> str:
    """What is the matter, in one sentence."""
    original, replacement = (f"`{visible(shorten(text))}`" for text in (gap.lead.original, gap.lead.replacement))
    match gap.verdict:
        case Verdict.SURVIVED:
            return f"No test notices {replacement} in place of {original}."
        case Verdict.NOT_INFECTED:
            return f"No test has an input that tells {original} from {replacement}."
        case Verdict.NOT_REACHED:
            return f"No test gets to {original}."
        case _:
            return f"{replacement} in place of {original}: {gap.verdict.value}."


def _nearest(gap: Gap, view: View) -> tuple[TestRecord, ...]:
    """The tests that stand closest to the threshold, from below to above; else the first that infect or reach it."""
    if gap.verdict is Verdict.SURVIVED and gap.infected_by:
        return gap.infected_by[:3]
    standing = [view.test(nearest.test) for _, nearest in sides_of(view.sighting(gap.site))]
    found = tuple(dict.fromkeys(test for test in standing if test is not None))
    return found or gap.reached_by[:3]


def _of_finding(finding: Finding, level: Level) -> Diagnostic:
    return Diagnostic(
        id=finding.id,
        mutants=(),
        path=finding.path,
        span=finding.span,
        rule=finding.rule,
        verdict=None,
        level=level,
        title=f"{finding.rule} {rule_name(finding.rule)}",
        message=cut(" ".join(filter(None, (finding.message, finding.evidence)))),
    )
