"""The code quality report of GitLab: for the widget of a merge request."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TextIO

from fencepost.analyzer.model import Run
from fencepost.reports._diagnostics import Diagnostic, Level, diagnostics
from fencepost.reports._places import folder_of
from fencepost.reports._view import View

SEVERITIES = {Level.ERROR: "major", Level.WARNING: "minor", Level.NOTE: "info"}


def report(run: Run, out: TextIO, root: Path, _limit: int | None) -> None:
    """Write the findings of a run, all of them, in ASCII: whatever the encoding of `out`, nothing is lost."""
    folder = folder_of(root)
    json.dump([_issue(one, folder) for one in diagnostics(View(run), root)], out, indent=2)
    out.write("\n")


def _issue(one: Diagnostic, folder: str) -> dict[str, Any]:
    return {
        "description": f"{one.title}. {one.message}",
        "check_name": one.rule,
        "fingerprint": one.id,
        "severity": SEVERITIES[one.level],
        "location": {
            "path": folder + one.path,
            "lines": {"begin": one.span.start.line, "end": one.span.end.line},
        },
    }
