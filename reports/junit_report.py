"""JUnit XML: a suite a file, a case a mutant that is noticed or a gap that is not; for CI that shows test results."""

from __future__ import annotations

import enum
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO
from xml.etree import ElementTree as ET

from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.model import Judgement, Mutant, Run
from fencepost.reports._diagnostics import Diagnostic, Level, diagnostics
from fencepost.reports._view import View, rule_name
from fencepost.reports._visible import cut, visible

WHOLE_RUN = "fencepost"  # the suite of what concerns no file


class Result(enum.StrEnum):
    """What becomes of a case; the values are elements of JUnit, but for that of a case without one."""

    PASSED = "passed"
    FAILURE = "failure"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Case:
    """One test case; all its texts are visible."""

    name: str
    result: Result
    type: str = ""
    message: str = ""
    text: str = ""
    seconds: float = 0.0


def report(run: Run, out: TextIO, root: Path, _limit: int | None) -> None:
    """Write the suites of a run, all of them, in ASCII: whatever the encoding of `out`, nothing is lost."""
    tree = _suites(_cases_by_suite(run, root), run.seconds)
    ET.indent(tree)
    out.write(ET.tostring(tree, encoding="us-ascii", xml_declaration=True).decode("ascii"))
    out.write("\n")


def _suites(cases_by_suite: dict[str, list[Case]], seconds: float) -> ET.Element:
    every = [case for cases in cases_by_suite.values() for case in cases]
    counts = {name: count for name, count in _counts(every).items() if name != "skipped"}  # only a suite has that
    top = ET.Element("testsuites", {"name": "fencepost", **counts, "time": f"{seconds:.3f}"})
    for name, cases in sorted(cases_by_suite.items()):
        time = f"{sum(case.seconds for case in cases):.3f}"
        suite = ET.SubElement(top, "testsuite", {"name": visible(name), **_counts(cases), "time": time})
        for case in cases:
            suite.append(_element(case, name))
    return top


def _counts(cases: list[Case]) -> dict[str, str]:
    found = Counter(case.result for case in cases)
    numbers = {
        "tests": len(cases),
        "failures": found[Result.FAILURE],
        "errors": found[Result.ERROR],
        "skipped": found[Result.SKIPPED],
    }
    return {name: str(number) for name, number in numbers.items()}


def _element(case: Case, suite: str) -> ET.Element:
    group = visible(suite).removesuffix(".py").replace("/", ".")
    element = ET.Element("testcase", {"name": case.name, "classname": group, "time": f"{case.seconds:.3f}"})
    if case.result is not Result.PASSED:
        why = {"type": case.type, "message": case.message}
        ET.SubElement(element, case.result.value, why).text = case.text
    return element


def _cases_by_suite(run: Run, root: Path) -> dict[str, list[Case]]:
    suites: dict[str, list[Case]] = defaultdict(list)
    for path, case in _cases(View(run), root):
        suites[path].append(case)
    return suites


def _cases(view: View, root: Path) -> Iterator[tuple[str, Case]]:
    run = view.run
    if not run.complete:
        text = "the run ended early: what it did not establish is unknown"
        yield WHOLE_RUN, Case("the run gets to its end", Result.ERROR, "incomplete", text)
    for problem in (scan.problem for scan in run.files if scan.problem is not None):
        message = cut(f"line {problem.line}: {problem.message}")
        yield problem.path, Case("the file can be read", Result.ERROR, "not-read", message)
    found = {one.id: one for one in diagnostics(view, root)}
    in_gaps = {mutant_id for one in found.values() for mutant_id in one.mutants}  # whose first stands for all
    for site, mutant in view.mutants():
        if mutant.id in found:
            yield site.path, _gap_case(found[mutant.id], mutant, gated=run.gate is not None)
        elif mutant.id not in in_gaps:
            yield site.path, _case(mutant, view.judgement(site, mutant))
    for one in found.values():
        if not one.mutants:
            yield one.path, _told(one, f"{one.title} [{one.id}]", gated=run.gate is not None)


def _gap_case(one: Diagnostic, mutant: Mutant, *, gated: bool) -> Case:
    return _told(one, _name(mutant), gated=gated)


def _told(one: Diagnostic, name: str, *, gated: bool) -> Case:
    """A failure; under a gate only what breaks it."""
    if gated and one.level is not Level.ERROR:
        return Case(name, Result.SKIPPED, one.level.value, cut(f"does not fail the gate: {one.message}"))
    return Case(name, Result.FAILURE, one.verdict.value if one.verdict else one.rule, one.message, _details(one))


def _case(mutant: Mutant, judgement: Judgement) -> Case:
    name, verdict = _name(mutant), judgement.verdict
    if verdict.detected:
        return Case(name, Result.PASSED, seconds=judgement.seconds)
    why = "accepted by the baseline" if verdict.missed else judgement.reason
    return Case(name, Result.SKIPPED, verdict.value, cut(f"{verdict.value}: {why}"), seconds=judgement.seconds)


def _name(mutant: Mutant) -> str:
    """A name without a line number: CI follows cases from run to run by it."""
    change = " -> ".join(visible(shorten(text)) for text in (mutant.original, mutant.replacement))
    return f"{mutant.rule} {rule_name(mutant.rule)}: {change} [{mutant.id}]"


def _details(one: Diagnostic) -> str:
    start = one.span.start
    lines = [f"{visible(one.path)}:{start.line}:{start.column}  {one.title}"]
    for original, replacement in one.changes:
        lines += [f"- {original}", f"+ {replacement}"]
    lines += [one.message, *([cut(one.question.ask)] if one.question else [])]
    lines += [f"nearest: {cut(test.id)}" for test in one.nearest]
    return "\n".join(lines)
