"""The format `html`: one page that needs nothing else, for people who want to look around in a run."""

from __future__ import annotations

import base64
import hashlib
import importlib.resources
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import jinja2
from markupsafe import Markup

import fencepost
from fencepost.analyzer.model import Run, Verdict
from fencepost.reports._page_data import page_data
from fencepost.reports._sentences import percent, plural
from fencepost.reports._view import Tally, View
from fencepost.reports._visible import visible
from fencepost.reports.gate_page import scope_of

SCRIPTS = ("elements", "data", "filters", "cards", "lists", "source")  # what the script of the page is put together of

VERDICTS = {
    Verdict.SURVIVED: ("\N{MULTIPLICATION SIGN}", "a test brings a telling input, and asserts nothing that changes"),
    Verdict.NOT_INFECTED: ("\N{CIRCLE WITH LEFT HALF BLACK}", "tests run it, none with an input that tells"),
    Verdict.NOT_REACHED: ("\N{WHITE CIRCLE}", "no test runs it"),
    Verdict.UNKNOWN: ("?", "could not be established; never counted as good"),
    Verdict.INVALID: ("!", "could not be loaded"),
    Verdict.KILLED: ("\N{CHECK MARK}", "a test fails because of it"),
    Verdict.TIMEOUT: ("\N{IDENTICAL TO}", "it hangs a test"),
    Verdict.IGNORED: ("\N{EN DASH}", "left out, with a reason"),
}
"""Of each verdict, the gravest first, a sign, so that color is never all that tells, and what it means."""


def report(run: Run, out: TextIO, root: Path, _limit: int | None) -> None:
    """Write the page of a run."""
    view = View(run)
    style, script = _asset("report.css"), _script()
    text = _template().render(
        project=root.resolve().name,
        version=fencepost.__version__,
        run=run,
        scope=scope_of(view, run.gate) if run.gate else "",
        notes=list(_notes(run)),
        total=view.total(),
        tallies=view.by_file(),
        file_numbers={scan.path: number for number, scan in enumerate(one for one in run.files if one.sites)},
        verdicts=_verdicts(view.total()),
        style=style,
        script=script,
        policy=_policy(style, script),
        data={"signs": {verdict.value: sign for verdict, (sign, _) in VERDICTS.items()}, **page_data(view, root)},
    )
    # style, script and data are ASCII; elsewhere a reference stands for what an output in ASCII could not hold
    out.write(text.encode("ascii", "xmlcharrefreplace").decode())


def _asset(name: str) -> Markup:
    """The text of a file of ours, which is no foreign text and goes into the page as it is."""
    text = importlib.resources.files("fencepost.reports.templates").joinpath(name).read_text("utf-8")
    return Markup(text)  # noqa: S704 - ours


def _script() -> Markup:
    parts = [*(_asset(f"report_{name}.js") for name in SCRIPTS), _asset("report.js")]
    return Markup("\n").join([Markup('"use strict";'), *parts])


def _policy(style: str, script: str) -> str:
    """What the browser lets the page do: our own style and script, and nothing from anywhere."""
    return (
        f"default-src 'none'; script-src {_digest(script)}; style-src {_digest(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _notes(run: Run) -> Iterator[str]:
    if not run.complete:
        yield "The run ended early; what it did not establish is unknown."
    yield from run.notes
    yield from (f"left out: {one}" for one in run.left_out)
    unwoven = run.observation.unwoven if run.observation else {}
    yield from (f"not watched: {path}: {reason}" for path, reason in sorted(unwoven.items()))
    problems = [scan.problem for scan in run.files if scan.problem is not None]
    yield from (f"not read: {one.path}:{one.line}: {one.message}" for one in problems)


def _verdicts(total: Tally) -> list[dict[str, Any]]:
    """Each verdict that some mutant has, with its sign, meaning, count, and where its part of the bar begins."""
    found, start = [], 0.0
    for verdict, (sign, meaning) in VERDICTS.items():
        count = total.verdicts[verdict]
        width = 100 * count / total.mutants if total.mutants else 0.0
        told = {"name": verdict.value, "words": verdict.value.replace("-", " "), "sign": sign, "meaning": meaning}
        found.append({**told, "verdict": verdict, "count": count, "start": round(start, 3), "width": round(width, 3)})
        start += width
    return [one for one in found if one["count"]]


def _template() -> jinja2.Template:
    """The template; all that is not ours is escaped, and what would hide in a text is shown."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("fencepost.reports"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(visible=visible, percent=percent, plural=plural)
    environment.policies["json.dumps_function"] = _dumps
    return environment.get_template("report.html.j2")


def _dumps(value: Any, **_options: Any) -> str:
    """JSON in ASCII, so that no text is lost, in the order in which it was made."""
    return json.dumps(value, separators=(",", ":"))
