"""SARIF 2.1.0: for the code scanning of GitHub and for editors. Columns count characters, ids are the fingerprints."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO, TypeAlias

import fencepost
from fencepost.analyzer.model import Run, Span, TestRecord
from fencepost.reports._diagnostics import Diagnostic, Level, diagnostics
from fencepost.reports._places import TestLines, folder_of, uri
from fencepost.reports._view import View
from fencepost.reports._visible import cut
from fencepost.rules import Rule, every_rule

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
BASE = "%SRCROOT%"  # the top of the repository, as code scanning calls it
FINGERPRINT = "fencepostId/v1"

Json: TypeAlias = dict[str, Any]


def report(run: Run, out: TextIO, root: Path, _limit: int | None) -> None:
    """Write the log of a run, all of it, in ASCII: whatever the encoding of `out`, nothing is lost."""
    json.dump(_log(run, root), out, indent=2)
    out.write("\n")


def _log(run: Run, root: Path) -> Json:
    found = diagnostics(View(run), root)
    folder = folder_of(root)
    rules = _rules(found)
    index = {rule["id"]: number for number, rule in enumerate(rules)}
    results = _Results(index, folder, TestLines(root))
    base = {"description": {"text": "The top folder of the repository."}}  # not where it is on this machine
    driver = {"name": "fencepost", "version": fencepost.__version__, "rules": rules}
    content = {
        "tool": {"driver": driver},
        "invocations": [_invocation(run, folder)],
        "originalUriBaseIds": {BASE: base},
        "columnKind": "unicodeCodePoints",
        "results": [results.result(one) for one in found],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [content]}


def _message(text: str) -> Json:
    """Foreign text as a plain message: braces would be placeholders, and brackets before a parenthesis a link."""
    return {"text": _without_placeholders(text.replace("](", "] ("))}


def _without_placeholders(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _rules(found: Sequence[Diagnostic]) -> list[Json]:
    seen = {one.rule for one in found}
    known = {rule.code: _rule(rule) for rule in every_rule() if rule.by_default or rule.code in seen}
    # those of a run that another version kept have no page here
    return [*known.values(), *({"id": code} for code in sorted(seen - known.keys()))]


def _rule(rule: type[Rule]) -> Json:
    text = inspect.getdoc(rule) or ""
    summary, _, page = text.partition("\n\n")
    plain = re.sub(r"^## ", "", page, flags=re.MULTILINE)
    _, _, what = page.partition("\n")
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": _message(summary),
        "fullDescription": _message(" ".join(what.partition("\n\n")[0].split())),
        "help": {**_message(plain), "markdown": _without_placeholders(page)},
        "defaultConfiguration": {"level": Level.WARNING.value},
        "properties": {"tags": ["tests"]},
    }


def _invocation(run: Run, folder: str) -> Json:
    """Whether the run got to its end, and what there is to know about it as a whole."""
    notes = [*run.notes, *(f"left out: {one}" for one in run.left_out)]
    told: list[Json] = [{"level": "note", "message": _message(cut(note))} for note in notes]
    unwoven = run.observation.unwoven if run.observation else {}
    told += [_about_file(path, f"not watched: {why}", "warning", folder) for path, why in sorted(unwoven.items())]
    for problem in (scan.problem for scan in run.files if scan.problem is not None):
        told.append(_about_file(problem.path, f"not read: {problem.message}", "error", folder, problem.line))
    return {"executionSuccessful": run.complete, "toolExecutionNotifications": told}


def _about_file(path: str, text: str, level: str, folder: str, line: int | None = None) -> Json:
    region = None if line is None else {"startLine": max(line, 1)}
    return {"level": level, "message": _message(cut(text)), "locations": [_location(folder + path, region)]}


def _location(path: str, region: Json | None) -> Json:
    place: Json = {"artifactLocation": {"uri": uri(path), "uriBaseId": BASE}}
    return {"physicalLocation": place if region is None else {**place, "region": region}}


def _region(span: Span) -> Json:
    return {
        "startLine": span.start.line,
        "startColumn": span.start.column,
        "endLine": span.end.line,
        "endColumn": span.end.column,
    }


class _Results:
    """Makes results out of diagnostics."""

    def __init__(self, index: dict[str, int], folder: str, lines: TestLines) -> None:
        self._index, self._folder, self._lines = index, folder, lines

    def result(self, one: Diagnostic) -> Json:
        question = f" {cut(one.question.ask)}" if one.question else ""
        return {
            "ruleId": one.rule,
            "ruleIndex": self._index[one.rule],
            "level": one.level.value,
            "message": _message(one.message + question),
            "locations": [_location(self._folder + one.path, _region(one.span))],
            "relatedLocations": [self._related(test) for test in one.nearest],
            "partialFingerprints": {FINGERPRINT: one.id},
            "properties": _properties(one),
        }

    def _related(self, test: TestRecord) -> Json:
        line = self._lines.line(test.id)
        path = test.id.partition("::")[0]
        location = _location(self._folder + path, None if line is None else {"startLine": line})
        return {**location, "message": _message(cut(test.id))}


def _properties(one: Diagnostic) -> Json:
    """What SARIF has no words for."""
    return {
        "verdict": one.verdict.value if one.verdict else None,
        "mutants": list(one.mutants),
        "changes": [{"original": original, "replacement": new} for original, new in one.changes],
    }
