"""What `fencepost gate` says at a terminal: does the policy hold, and if not, which tests are missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from pathlib import Path

from rich.console import Console

from fencepost.analyzer.model import Gate, Run, Verdict
from fencepost.reports import _first
from fencepost.reports._diagnostics import LOST
from fencepost.reports._gaps import gaps
from fencepost.reports._sentences import percent, plural
from fencepost.reports._view import Gap, View
from fencepost.reports.terminal import (
    Sources,
    print_finding,
    print_gap,
    print_line,
    print_notes,
    print_prose,
    print_reasons,
)

UNCOUNTED = (Verdict.UNKNOWN, Verdict.INVALID, Verdict.IGNORED)  # told beside the score, or the sum would not be right


def report(run: Run, console: Console, *, limit: int | None, root: Path) -> None:
    """Print what the gate found: notes, new gaps, lost protection, and at the end whether the policy holds.

    Args:
        limit: None shows every gap, else at most so many, and few of one line or file.
        root: the folder that the paths of the run are relative to.
    """
    view = View(run)
    gate = run.gate
    assert gate is not None  # noqa: S101 - only a gate comes here
    print_notes(run, console)
    found = [*_of(view, gate.failing), *_of(view, gate.warned)]
    shown = found if limit is None else first_of(found, gate.per_line, gate.per_file)[:limit]
    sources = Sources(run.files, root)
    for gap in shown:
        console.print()
        print_gap(gap, console, view, sources)
        if gap.lead.id in gate.lost:
            print_prose(console, LOST)
        if gap.lead.id in gate.warned:
            print_prose(console, "A warning: its rule does not fail the gate.")
    if len(shown) < len(found):
        console.print()
        print_line(console, f"{plural(len(found) - len(shown), 'more gap')}: fencepost report --all")
    for finding in run.findings:
        print_finding(finding, console)
    _print_end(view, gate, console)
    if found:
        print_line(console, f"next: fencepost show {found[0].lead.id}")


def _of(view: View, ids: Collection[str]) -> list[Gap]:
    return [gap for gap in gaps(view) if any(mutant.id in ids for mutant in gap.mutants)]


def first_of(found: Iterable[Gap], per_line: int, per_file: int) -> list[Gap]:
    """The gaps to show first: few of one line, and few of one file."""
    return _first.first_of(found, lambda gap: (gap.site.path, gap.site.span.start.line), per_line, per_file)


def _print_end(view: View, gate: Gate, console: Console) -> None:
    console.print()
    if gate.accepted:
        print_line(console, f"{plural(len(gate.accepted), 'gap')} accepted by the baseline")
    if gate.gone:
        print_line(console, f"accepted, and no gap any more; remove from the baseline: {', '.join(gate.gone)}")
    print_reasons(view, console)
    print_line(console, scope_of(view, gate))
    if gate.broken:
        print_line(console, ("gate failed", "bold red"), f": {'; '.join(gate.broken)}")
    elif not view.run.complete:
        print_line(console, ("gate incomplete", "bold yellow"), ": what was not tried is unknown")
    else:
        print_line(console, ("gate passed", "bold green"), f"; {view.run.seconds:.1f} s")


def scope_of(view: View, gate: Gate) -> str:
    """One sentence: what was looked at, since when, and how much of it the tests notice."""
    total = view.total()
    if not total.counted and not total.mutants:
        return f"Nothing to judge since {gate.since}: no threshold and no normalizing call on {_changed(gate)}."
    elsewhere = f" and {gate.protected} that changed tests protected" if gate.protected else ""
    score = "" if total.score is None else f", {total.detected} of {total.counted} noticed ({percent(total.score)})"
    uncounted = [verdict for verdict in UNCOUNTED if total.verdicts[verdict]]
    rest = "".join(f", {total.verdicts[verdict]} {verdict.value}" for verdict in uncounted)
    return f"Since {gate.since}: {plural(total.mutants, 'mutant')} on {_changed(gate)}{elsewhere}{score}{rest}"


def _changed(gate: Gate) -> str:
    lines = sum(len(numbers) for numbers in gate.changed.values() if numbers is not None)
    files = sum(numbers is None for numbers in gate.changed.values())
    words = [plural(lines, "changed line")] if lines else []
    words += [plural(files, "new file")] if files else []
    return " and ".join(words) or "changed lines of the code under test"
