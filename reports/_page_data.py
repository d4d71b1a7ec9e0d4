"""What the HTML page shows of a run, as plain data without repetition: 5,000 mutants have to load at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from fencepost.analyzer.model import Finding, Gate, Mutant, Position, Site, Span, TestRecord
from fencepost.reports._advice import Advisor
from fencepost.reports._gaps import gaps
from fencepost.reports._number_line import number_lines
from fencepost.reports._thresholds import threshold_key
from fencepost.reports._view import Gap, View, rule_name
from fencepost.reports._worth import worth
from fencepost.reports.terminal import Sources

TESTS_LISTED = 20  # by mutant; the count beside the list is of all of them
SAMPLES_SHOWN = 8

Json: TypeAlias = dict[str, Any]


def page_data(view: View, root: Path) -> Json:
    """The run as the script of the page reads it.

    Tests, places and mutants go by their number in their list. Lines and columns count from 1, columns in characters.

    Args:
        root: the folder that the paths of the run are relative to.
    """
    return _PageData(view, root).document()


class _PageData:
    """Numbers the parts of a run, each where it is first named."""

    def __init__(self, view: View, root: Path) -> None:
        self._view, self._root = view, root
        self._gaps = sorted(gaps(view), key=worth(root))
        self._lines = number_lines(view, self._gaps)
        self._tests: dict[str, int] = {}
        self._places: dict[tuple[str, Span], list[Site]] = {}
        for site in view.sites():
            self._places.setdefault((site.path, site.span), []).append(site)
        self._place_numbers = {key: number for number, key in enumerate(self._places)}
        self._mutant_numbers = {mutant.id: number for number, (_, mutant) in enumerate(view.mutants())}

    def document(self) -> Json:
        run = self._view.run
        rules = {site.rule for site in self._view.sites()} | {finding.rule for finding in run.findings}
        parts = {
            "rules": {code: rule_name(code) for code in sorted(rules)},
            "files": self._files(),
            "places": [self._place(sites) for sites in self._places.values()],
            "mutants": [self._mutant(site, mutant) for site, mutant in self._view.mutants()],
            "gaps": self._told_gaps(),
            "findings": [_finding(finding) for finding in run.findings],
            "changesKnown": run.gate is not None,
        }
        return {**parts, "tests": list(self._tests)}

    def _files(self) -> list[Json]:
        sources = Sources(self._view.run.files, self._root)
        return [self._file(scan.path, scan.sites, sources) for scan in self._view.run.files if scan.sites]

    def _file(self, path: str, sites: Sequence[Site], sources: Sources) -> Json:
        text = sources.text(path)
        lines = dict(enumerate(text.split("\n"), 1)) if text is not None else _bare_lines(sites, sources)
        if text is not None and text.endswith("\n"):
            lines.popitem()  # what follows the last line end is no line
        places = dict.fromkeys(self._place_numbers[path, site.span] for site in sites)
        return {
            "path": path,
            "whole": text is not None,
            "lines": list(lines.items()) if text is None else list(lines.values()),
            "places": list(places),
        }

    def _place(self, sites: Sequence[Site]) -> Json:
        first = sites[0]
        keys = dict.fromkeys(threshold_key(site) for site in sites)
        seen = dict.fromkeys(sample for site in sites for sample in self._view.sighting(site).samples)
        return {
            "path": first.path,
            "span": _span(first.span),
            "scope": first.scope,
            "source": first.source,
            "ignored": next((site.ignored for site in sites if site.ignored is not None), None),
            "lines": [self._line(key) for key in keys if key in self._lines],
            "seen": [[value, self._test(self._view.test(test))] for value, test in list(seen)[:SAMPLES_SHOWN]],
        }

    def _line(self, key: tuple[str, Span, int]) -> Json:
        line = self._lines[key]
        posts = [
            {**dataclasses.asdict(post), "side": post.side.value, "test": self._test(post.test)} for post in line.posts
        ]
        return {"name": line.name, "threshold": line.threshold, "posts": posts}

    def _mutant(self, site: Site, mutant: Mutant) -> Json:
        judgement, infection = self._view.judgement(site, mutant), self._view.infection(mutant)
        kill, alike = judgement.kill, self._view.alike.get(mutant.id)
        return {
            "id": mutant.id,
            "rule": mutant.rule,
            "place": self._place_numbers[site.path, site.span],
            "span": _span(mutant.span),
            "original": mutant.original,
            "replacement": mutant.replacement,
            "verdict": judgement.verdict.value,
            "reason": judgement.reason,
            "confirmed": judgement.confirmed,
            "kill": None if kill is None else {"kind": kill.kind.value, "test": kill.test, "message": kill.message},
            "reached": self._view.sighting(site).reached,
            "reachedBy": self._first(self._view.reached_by(site)),
            "infected": infection.count,
            "infectedBy": self._first(self._view.infected_by(mutant)),
            "alike": self._mutant_numbers.get(alike) if alike else None,
            "remarks": _remarks(mutant.id, self._view.run.gate),
            "changed": _is_changed(mutant, self._view.run.gate),
        }

    def _told_gaps(self) -> list[Json]:
        advisor = Advisor(self._view, self._root)
        return [self._gap(gap, advisor) for gap in self._gaps]

    def _gap(self, gap: Gap, advisor: Advisor) -> Json:
        advice = advisor.advice(gap)
        return {
            "mutants": [self._mutant_numbers[mutant.id] for mutant in gap.mutants],
            "do": advice.do,
            "input": advice.input,
            "question": None if advice.question is None else dataclasses.asdict(advice.question),
            "sketch": None if advice.sketch is None else dataclasses.asdict(advice.sketch),
        }

    def _first(self, tests: Iterable[TestRecord]) -> list[int | None]:
        return [self._test(test) for test in tuple(tests)[:TESTS_LISTED]]

    def _test(self, test: TestRecord | None) -> int | None:
        return None if test is None else self._tests.setdefault(test.id, len(self._tests))


def _bare_lines(sites: Iterable[Site], sources: Sources) -> dict[int, str]:
    """The lines of the sites alone, for a file that is not as it was when the run looked at it."""
    found: dict[int, str] = {}
    for site in sites:
        lines, _ = sources.around(site)
        for number, line in enumerate(lines, site.span.start.line):
            known = found.get(number, "")
            found[number] = _laid_over(known, line)
    return dict(sorted(found.items()))


def _laid_over(one: str, other: str) -> str:
    """Two parts of one line, each with spaces where it does not know the text."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    pairs = zip(longer, shorter.ljust(len(longer)), strict=True)
    return "".join(second if first == " " else first for first, second in pairs)


def _remarks(mutant_id: str, gate: Gate | None) -> list[str]:
    """What the gate says of a mutant."""
    if gate is None:
        return []
    told = {
        "fails the gate": gate.failing,
        "a warning": gate.warned,
        "protection lost": gate.lost,
        "accepted by the baseline": gate.accepted,
    }
    return [remark for remark, ids in told.items() if mutant_id in ids]


def _is_changed(mutant: Mutant, gate: Gate | None) -> bool:
    if gate is None or mutant.path not in gate.changed:
        return False
    lines = gate.changed[mutant.path]
    touched = range(mutant.span.start.line, mutant.span.end.line + 1)
    return lines is None or not set(touched).isdisjoint(lines)


def _finding(finding: Finding) -> Json:
    return {**dataclasses.asdict(finding), "span": _span(finding.span)}


def _span(span: Span) -> list[int]:
    start: Position = span.start
    return [start.line, start.column, span.end.line, span.end.column]
