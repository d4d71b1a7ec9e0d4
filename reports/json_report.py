"""The JSON report: everything a run found out, for scripts, bots and agents; `schema/` holds its JSON Schema."""

from __future__ import annotations

import dataclasses
import importlib.resources
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO, TypeAlias

import fencepost
from fencepost.analyzer.model import (
    Finding,
    Gate,
    Kill,
    KillKind,
    Mutant,
    Nearest,
    Run,
    ScanProblem,
    Site,
    Span,
    TestRecord,
    Threshold,
    Verdict,
)
from fencepost.reports._advice import Advice, Advisor
from fencepost.reports._gaps import gaps
from fencepost.reports._sides import sides_of
from fencepost.reports._view import Gap, Tally, View, rule_name

SCHEMA = "fencepost/1"
TESTS_LISTED = 20  # by mutant; the count beside the list is of all of them

Json: TypeAlias = dict[str, Any]


def report(run: Run, out: TextIO, _root: Path, _limit: int | None) -> None:
    """Write the document of a run, all of it, in ASCII: whatever the encoding of `out`, nothing is lost."""
    json.dump(document(run), out, indent=2)
    out.write("\n")


def schema() -> Json:
    """The JSON Schema that every document meets."""
    text = importlib.resources.files("fencepost.reports.schema").joinpath("fencepost-1.schema.json").read_text("utf-8")
    loaded: Json = json.loads(text)
    return loaded


def document(run: Run) -> Json:
    """The run as plain data.

    Only what is named `seconds` depends on time; everything else is the same for the same code, tests and options.
    """
    view = View(run)
    return {
        "schema": SCHEMA,
        "fencepost": fencepost.__version__,
        "root": ".",
        "command": run.command,
        "suite": {"name": "default", "tests": len(view.tests), "pytest_args": list(run.pytest_args)},
        "pytest_args": list(run.pytest_args),
        "complete": run.complete,
        "notes": list(run.notes),
        "left_out": list(run.left_out),
        "problems": [_problem(scan.problem) for scan in run.files if scan.problem is not None],
        "unwatched": _unwatched(run),
        "gate": None if run.gate is None else _gate(run.gate),
        "summary": _summary(view),
        "tests": [{"id": test.id, "seconds": _seconds(test.seconds), "passed": test.passed} for test in view.tests],
        "sites": [_site(site, view) for site in view.sites()],
        "mutants": [_mutant(site, mutant, view) for site, mutant in view.mutants()],
        "gaps": _gaps(view),
        "findings": [_finding(finding) for finding in run.findings],
    }


def _gaps(view: View) -> list[Json]:
    advisor = Advisor(view, Path(view.run.root))
    return [_gap(gap, advisor.advice(gap)) for gap in gaps(view)]


def _gap(gap: Gap, advice: Advice) -> Json:
    return {
        "site": gap.site.id,
        "mutants": [mutant.id for mutant in gap.mutants],
        "verdict": gap.verdict.value,
        "do": advice.do,
        "input": advice.input,
        "question": None if advice.question is None else dataclasses.asdict(advice.question),
        "sketch": None if advice.sketch is None else {**dataclasses.asdict(advice.sketch), "run": False},
    }


def _gate(gate: Gate) -> Json:
    return {
        "since": gate.since,
        "passed": not gate.broken,
        "broken": list(gate.broken),
        "changed": [{"path": path, "lines": lines} for path, lines in sorted(gate.changed.items())],
        "failing": list(gate.failing),
        "warned": list(gate.warned),
        "lost": list(gate.lost),
        "protected": gate.protected,
        "accepted": list(gate.accepted),
        "gone": list(gate.gone),
    }


def _problem(problem: ScanProblem) -> Json:
    return {"path": problem.path, "line": problem.line, "message": problem.message}


def _unwatched(run: Run) -> list[Json]:
    unwoven = run.observation.unwoven if run.observation else {}
    return [{"path": path, "reason": reason} for path, reason in sorted(unwoven.items())]


def _summary(view: View) -> Json:
    return {
        **_tally(view.total()),
        "sites": sum(1 for _ in view.sites()),
        "tests": len(view.tests),
        "findings": len(view.run.findings),
        "seconds": _seconds(view.run.seconds),
        "files": [{"path": tally.path, **_tally(tally)} for tally in view.by_file()],
    }


def _tally(tally: Tally) -> Json:
    return {
        "score": _rounded(tally.score),
        "oracle_gap": _rounded(tally.oracle_gap),
        "mutants": tally.mutants,
        "verdicts": {verdict.value: tally.verdicts[verdict] for verdict in Verdict},
        "kills": {kind.value: tally.kills[kind] for kind in KillKind},
    }


def _rounded(part: float | None) -> float | None:
    return None if part is None else round(part, 4)


def _site(site: Site, view: View) -> Json:
    return {
        "id": site.id,
        "rule": site.rule,
        "name": rule_name(site.rule),
        "path": site.path,
        **_span(site.span),
        "scope": site.scope,
        "source": site.source,
        "kind": site.kind,
        "threshold": None if site.threshold is None else _threshold(site.threshold),
        "ask": site.ask,
        "ignored": site.ignored,
        "observed": None if view.run.observation is None else _observed(site, view),
    }


def _threshold(threshold: Threshold) -> Json:
    return {"text": threshold.text, "below": threshold.below, "at": threshold.at, "above": threshold.above}


def _observed(site: Site, view: View) -> Json:
    sighting = view.sighting(site)
    samples = [{"value": value, "test": _test_id(number, view)} for value, number in sighting.samples]
    sides = {side.value: _nearest(nearest, view) for side, nearest in sides_of(sighting)}
    return {"reached": sighting.reached, **sides, "samples": samples}


def _nearest(nearest: Nearest, view: View) -> Json:
    return {
        "tests": nearest.tests,
        "nearest": nearest.value,
        "nearest_tests": nearest.closest,
        "nearest_test": _test_id(nearest.test, view),
    }


def _mutant(site: Site, mutant: Mutant, view: View) -> Json:
    judgement = view.judgement(site, mutant)
    return {
        "id": mutant.id,
        "site": mutant.site,
        "rule": mutant.rule,
        "path": mutant.path,
        **_span(mutant.span),
        "original": mutant.original,
        "replacement": mutant.replacement,
        "verdict": judgement.verdict.value,
        "reason": judgement.reason,
        "kill": None if judgement.kill is None else _kill(judgement.kill),
        "reached_by": _test_ids(view.reached_by(site)),
        "reached_by_count": view.sighting(site).reached,
        "infected_by": _test_ids(view.infected_by(mutant)),
        "infected_by_count": view.infection(mutant).count,
        "alike": view.alike.get(mutant.id),
        "seconds": _seconds(judgement.seconds),
        "confirmed": judgement.confirmed,
    }


def _kill(kill: Kill) -> Json:
    return {"kind": kill.kind.value, "test": kill.test, "message": kill.message}


def _finding(finding: Finding) -> Json:
    return {
        "id": finding.id,
        "rule": finding.rule,
        "path": finding.path,
        **_span(finding.span),
        "message": finding.message,
        "evidence": finding.evidence,
        "severity": finding.severity,
    }


def _span(span: Span) -> Json:
    return {
        "start": {"line": span.start.line, "column": span.start.column},
        "end": {"line": span.end.line, "column": span.end.column},
    }


def _test_id(number: int | None, view: View) -> str | None:
    test = view.test(number)
    return test.id if test else None


def _test_ids(tests: Sequence[TestRecord]) -> list[str]:
    return [test.id for test in tests[:TESTS_LISTED]]


def _seconds(seconds: float) -> float:
    return round(seconds, 4)
