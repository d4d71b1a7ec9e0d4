"""The report of mutation-testing-elements, schema version 2: for the viewer and the dashboard of Stryker."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO, TypeAlias

import fencepost
from fencepost.analyzer.model import FileScan, Judgement, Mutant, Position, Run, Site, TestRecord, Verdict
from fencepost.reports._places import TestLines
from fencepost.reports._view import View, rule_name
from fencepost.reports._visible import cut
from fencepost.reports.terminal import Sources

THRESHOLDS = {"high": 80, "low": 60}  # those of the viewer; where it turns to another colour

# nobody has tried what is unknown, and nothing of it is an error: pending counts for no score, as unknown here
STATUSES = {
    Verdict.KILLED: "Killed",
    Verdict.TIMEOUT: "Timeout",
    Verdict.SURVIVED: "Survived",
    Verdict.NOT_INFECTED: "Survived",  # tests do cover it
    Verdict.NOT_REACHED: "NoCoverage",
    Verdict.INVALID: "CompileError",
    Verdict.IGNORED: "Ignored",
    Verdict.UNKNOWN: "Pending",
}

Json: TypeAlias = dict[str, Any]


def report(run: Run, out: TextIO, root: Path, _limit: int | None) -> None:
    """Write the report of a run, all of it, in ASCII: whatever the encoding of `out`, nothing is lost."""
    view = View(run)
    files = _Files(view, Sources(run.files, root))
    document = {
        "schemaVersion": "2",
        "thresholds": THRESHOLDS,
        "framework": {"name": "fencepost", "version": fencepost.__version__},
        "files": {scan.path: files.file(scan) for scan in run.files if any(site.mutants for site in scan.sites)},
        "testFiles": _test_files(view.tests, TestLines(root)),
    }
    json.dump(document, out, indent=2)
    out.write("\n")


class _Files:
    """Tells the files and their mutants."""

    def __init__(self, view: View, sources: Sources) -> None:
        self._view, self._sources = view, sources
        self._tests = frozenset(test.id for test in view.tests)

    def file(self, scan: FileScan) -> Json:
        text = self._sources.text(scan.path)
        if text is None:
            text = _known_parts(scan.sites)
        lines = text.split("\n")
        mutants = [self._mutant(site, mutant, lines) for site in scan.sites for mutant in site.mutants]
        return {"language": "python", "source": text, "mutants": mutants}

    def _mutant(self, site: Site, mutant: Mutant, lines: Sequence[str]) -> Json:
        judgement = self._view.judgement(site, mutant)
        return {
            "id": mutant.id,
            "mutatorName": f"{mutant.rule} {rule_name(mutant.rule)}",
            "description": cut(site.ask),
            "replacement": mutant.replacement,
            "location": {"start": _place(mutant.span.start, lines), "end": _place(mutant.span.end, lines)},
            "status": STATUSES[judgement.verdict],
            "statusReason": _reason(judgement),
            "static": self._view.sighting(site).at_import,
            "coveredBy": [test.id for test in self._view.reached_by(site)],
            "killedBy": self._killers(judgement),
            "duration": round(judgement.seconds * 1000),
        }

    def _killers(self, judgement: Judgement) -> list[str]:
        kill = judgement.kill
        return [kill.test] if kill and judgement.verdict is Verdict.KILLED and kill.test in self._tests else []


def _known_parts(sites: Iterable[Site]) -> str:
    """Of a file that changed since the run: what the run knows of it, each part at its place, and else nothing."""
    lines: dict[int, str] = {}
    for start, text in (part for site in sites for part in _parts(site)):
        for number, line in enumerate(text.split("\n"), start=start.line):
            indent = start.column - 1 if number == start.line else 0
            before = lines.get(number, "")
            lines[number] = before[:indent].ljust(indent) + line + before[indent + len(line) :]
    return "\n".join(lines.get(number, "") for number in range(1, max(lines) + 1))


def _parts(site: Site) -> Iterator[tuple[Position, str]]:
    yield site.span.start, site.source
    for mutant in site.mutants:
        yield mutant.span.start, mutant.original


def _reason(judgement: Judgement) -> str:
    kill = judgement.kill
    parts = [judgement.reason, f"{kill.kind.value}: {kill.message}" if kill else ""]
    return cut(f"{judgement.verdict.value}: {'; '.join(filter(None, parts))}".removesuffix(": "))


def _place(position: Position, lines: Sequence[str]) -> Json:
    """A place as the viewer counts it, in units of UTF-16: it is a program in JavaScript."""
    before = lines[position.line - 1][: position.column - 1]
    return {"line": position.line, "column": len(before.encode("utf-16-le")) // 2 + 1}


def _test_files(tests: Iterable[TestRecord], lines: TestLines) -> Json:
    files: dict[str, list[Json]] = defaultdict(list)
    for test in tests:
        path, _, name = test.id.partition("::")
        line = lines.line(test.id)
        place = {} if line is None else {"location": {"start": {"line": line, "column": 1}}}
        files[path].append({"id": test.id, "name": cut(name or path), **place})
    return {path: {"tests": found} for path, found in files.items()}
