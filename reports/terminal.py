"""The report for people at a terminal, and the ways to print foreign text that the other terminal pages share."""

from __future__ import annotations

import hashlib
import importlib.util
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segments
from rich.table import Table
from rich.text import Text

from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.model import FileScan, Finding, KillKind, Nearest, Run, Site, Span, TestRecord, Verdict
from fencepost.reports._advice import in_words
from fencepost.reports._gaps import gaps, in_blocks
from fencepost.reports._sentences import percent, plural
from fencepost.reports._sides import Side, sides_of
from fencepost.reports._view import Gap, Tally, View, rule_name

LINES_SHOWN = 8  # of one expression; the middle of a longer one is left out
BEFORE, INSIDE, AFTER = 60, 120, 60  # characters of a source line shown before, inside and after the changed part
REASONS_SHOWN = 5
TABLE_WIDTH = 10_000  # more than any path asks for

VERDICT_STYLES = {
    Verdict.KILLED: "green",
    Verdict.TIMEOUT: "green",
    Verdict.SURVIVED: "bold red",
    Verdict.NOT_INFECTED: "bold yellow",
    Verdict.NOT_REACHED: "bold magenta",
    Verdict.INVALID: "",
    Verdict.IGNORED: "",
    Verdict.UNKNOWN: "",
}

_COLUMNS = (
    Verdict.KILLED,
    Verdict.TIMEOUT,
    Verdict.SURVIVED,
    Verdict.NOT_INFECTED,
    Verdict.NOT_REACHED,
    Verdict.UNKNOWN,
    Verdict.INVALID,
    Verdict.IGNORED,
)
_RARE = {Verdict.TIMEOUT, Verdict.UNKNOWN, Verdict.INVALID}  # columns that are there only where they are needed

# controls would move the cursor, and direction marks would reorder what the reader sees
_UNPRINTABLE = re.compile(
    r"[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)


def report(run: Run, console: Console, *, limit: int | None = 20, root: Path) -> None:
    """Print a run: what to know first, the gaps, the findings, the score by file, one line of summary.

    Args:
        limit: how many gaps to show at most; None shows all.
        root: the folder that the paths of the run are relative to.
    """
    view = View(run)
    print_notes(run, console)
    _print_gaps(view, console, limit, Sources(run.files, root))
    for finding in run.findings:
        print_finding(finding, console)
    if run.observation is not None or run.judgements:
        _print_table(view, console)
    _print_summary(view, console)


class Sources:
    """The lines of the scanned files as they are on disk now, or nothing where they are not what was scanned."""

    def __init__(self, files: Iterable[FileScan], root: Path) -> None:
        self._root = root
        self._digests = {file_scan.path: file_scan.digest for file_scan in files}
        self._texts: dict[str, str | None] = {}

    def text(self, path: str) -> str | None:
        """The text of a file, its line ends as newlines; None where it changed since the scan or cannot be read."""
        if path not in self._texts:
            self._texts[path] = self._read(path)
        return self._texts[path]

    def around(self, site: Site) -> tuple[list[str], Span]:
        """The whole lines that hold a site, and where in the file it is; its bare text where the file changed."""
        text = self.text(site.path)
        lines = (text or "").split("\n")[site.span.start.line - 1 : site.span.end.line]
        if len(lines) == site.span.end.line - site.span.start.line + 1 and text is not None:
            return lines, site.span
        indent = " " * (site.span.start.column - 1)
        return (indent + site.source).split("\n"), site.span

    def _read(self, path: str) -> str | None:
        try:
            data = (self._root / path).read_bytes()
            if hashlib.sha256(data).hexdigest() != self._digests.get(path):
                return None
            return importlib.util.decode_source(data)
        except (OSError, SyntaxError, ValueError):
            return None


def printable(text: str, console: Console) -> str:
    """Foreign text, safe to print: tabs as spaces, controls and what the output cannot encode as escapes."""
    visible = _UNPRINTABLE.sub(lambda match: repr(match[0])[1:-1], text.replace("\t", "    "))
    return visible.encode(console.encoding, "backslashreplace").decode(console.encoding)


def print_line(console: Console, *parts: str | tuple[str, str]) -> None:
    """Print one line that is never wrapped or cut; a part is plain text or text with its style."""
    line = Text()
    for part in parts:
        text, style = (part, "") if isinstance(part, str) else part
        line.append(printable(text, console), style)
    console.print(line, soft_wrap=True, highlight=False)


def print_prose(console: Console, text: str, *, indent: int = 4, style: str = "") -> None:
    """Print a sentence: wrapped for a reader at a terminal, one line for a pipe, so that ids stay whole."""
    if console.is_terminal:
        body = Text(printable(text, console), style)
        console.print(Padding(body, (0, 0, 0, indent)), highlight=False)
    else:
        print_line(console, " " * indent, (text, style))


def print_expression(console: Console, site: Site, sources: Sources) -> None:
    """Print the source lines of a site with the expression itself marked."""
    lines, span = sources.around(site)
    ends = [*map(len, lines[:-1]), span.end.column - 1]
    for index, line in _ends(lines):
        number = span.start.line + index
        if line is None:
            print_line(console, (f"      | ... {plural(len(lines) - LINES_SHOWN, 'more line')}", "dim"))
            continue
        start, end = 0 if index else span.start.column - 1, ends[index]
        before, inside, after = _window(line[:start], line[start:end], line[end:])
        print_line(console, (f"{number:>5} | ", "dim"), before, (inside, "bold"), after)


def _ends(lines: list[str]) -> list[tuple[int, str | None]]:
    """The lines with their index; None once in place of the middle of very many."""
    numbered: list[tuple[int, str | None]] = list(enumerate(lines))
    if len(lines) <= LINES_SHOWN:
        return numbered
    kept = LINES_SHOWN // 2
    return [*numbered[:kept], (kept, None), *numbered[-kept:]]


def _window(before: str, inside: str, after: str) -> tuple[str, str, str]:
    """A line that is not too long to read, cut at fixed places so that the width of the window has no say."""
    if len(before) > BEFORE and before.strip():
        before = f"...{before[-BEFORE:]}"
    return before, _cut(inside), _cut(after, AFTER)


def _cut(text: str, limit: int = INSIDE) -> str:
    return text if len(text) <= limit else f"{text[:limit]}..."


def print_change(console: Console, gap: Gap) -> None:
    """Print the original expression and what each mutant puts in its place."""
    for line in gap.lead.original.split("\n"):
        print_line(console, "        ", (f"- {_cut(line)}", "red"))
    for mutant in gap.mutants:
        *first, last = mutant.replacement.split("\n")
        for line in first:
            print_line(console, "        ", (f"+ {_cut(line)}", "green"))
        tag = f"  [{mutant.id}]" if len(gap.mutants) > 1 else ""
        print_line(console, "        ", (f"+ {_cut(last)}", "green"), (tag, "dim"))


def print_seen(console: Console, site: Site, view: View) -> None:
    """Print what the unmutated run saw at a site: the nearest inputs and their tests, or samples of the values."""
    for label, seen in _seen(site, view):
        print_line(console, (f"    {label:<5} ", "dim"), seen)


def _seen(site: Site, view: View) -> Iterator[tuple[str, str]]:
    sighting = view.sighting(site)
    # values that cannot be put in order, such as versions, are reached without standing on any side
    if site.threshold is not None and any(nearest.tests for _, nearest in sides_of(sighting)):
        for side, nearest in sides_of(sighting):
            test = view.test(nearest.test)
            yield side.value, _nearest(side, nearest, test)
    elif sighting.samples:
        samples = [(shorten(value), view.test(number)) for value, number in sighting.samples[:3]]
        yield "seen", ", ".join(f"{value} ({test.id})" if test else value for value, test in samples)


def _nearest(side: Side, nearest: Nearest, test: TestRecord | None) -> str:
    if not nearest.tests:
        return "no test"
    count = plural(nearest.tests, "test")
    if nearest.value is None or test is None:
        return count
    return f"{count}, {'' if side is Side.AT else 'nearest '}{shorten(nearest.value)} in {test.id}"


def print_notes(run: Run, console: Console) -> None:
    """Print what is to be said of a run as a whole: what was left out, and what could not be watched or read."""
    if not run.complete:
        print_line(console, ("incomplete: the run ended early, what it did not establish is unknown", "bold red"))
    for note in run.notes:
        print_prose(console, f"note: {note}", indent=0)
    for left_out in run.left_out:
        print_prose(console, f"left out: {left_out}", indent=0)
    for path, reason in sorted((run.observation.unwoven if run.observation else {}).items()):
        print_prose(console, f"not watched: {path}: {reason}", indent=0)
    print_problems(run.files, console)


def print_problems(files: Iterable[FileScan], console: Console) -> None:
    """Print the files that could not be read as Python."""
    for file_scan in files:
        if file_scan.problem is not None:
            problem = file_scan.problem
            print_prose(console, f"not read: {problem.path}:{problem.line}: {problem.message}", indent=0, style="red")


def _print_gaps(view: View, console: Console, limit: int | None, sources: Sources) -> None:
    found = in_blocks(gaps(view))
    shown = found if limit is None else found[:limit]
    for block in shown:
        console.print()
        _print_block(block, console, view, sources)
    if len(shown) < len(found):
        console.print()
        print_line(console, f"{plural(len(found) - len(shown), 'more gap')}: fencepost report --all")


def _print_block(block: Sequence[Gap], console: Console, view: View, sources: Sources) -> None:
    """Print the gaps of one threshold: the first as any gap, of the others only what is their own."""
    first, *others = block
    print_gap(first, console, view, sources)
    for gap in others:
        print_line(console, "  and ", *_head(gap))
        print_change(console, gap)
        print_prose(console, in_words(gap, view))


def print_gap(gap: Gap, console: Console, view: View, sources: Sources) -> None:
    """Print one gap: where, what changes, what the tests bring, which test to write."""
    site, start = gap.site, gap.site.span.start
    where = f"{site.path}:{start.line}:{start.column}"
    print_line(console, (where, "bold"), "  ", *_head(gap))
    print_expression(console, site, sources)
    print_change(console, gap)
    print_seen(console, site, view)
    print_prose(console, in_words(gap, view))


def _head(gap: Gap) -> list[str | tuple[str, str]]:
    """The rule of a gap, its verdict, and the mutant that stands for all."""
    rule = f"{gap.site.rule} {rule_name(gap.site.rule)}"
    return [(rule, "cyan"), "  ", (gap.verdict.value, VERDICT_STYLES[gap.verdict]), "  ", (f"[{gap.lead.id}]", "dim")]


def print_finding(finding: Finding, console: Console) -> None:
    """Print what is to be said that is no mutant."""
    where = f"{finding.path}:{finding.span.start.line}:{finding.span.start.column}"
    rule = f"{finding.rule} {rule_name(finding.rule)}"
    console.print()
    print_line(console, (where, "bold"), "  ", (rule, "cyan"), "  ", finding.severity, "  ", (f"[{finding.id}]", "dim"))
    print_prose(console, finding.message)
    if finding.evidence:
        print_prose(console, finding.evidence, style="dim")


def _print_table(view: View, console: Console) -> None:
    tallies = view.by_file()
    if not tallies:
        return
    columns = [verdict for verdict in _COLUMNS if verdict not in _RARE or view.total().verdicts[verdict]]
    table = Table(box=None, pad_edge=False)
    table.add_column("file", no_wrap=True)
    for heading in ("mutants", *(verdict.value.replace("-", " ") for verdict in columns), "score"):
        table.add_column(heading, justify="right", no_wrap=True)
    for tally in tallies:
        counts = [tally.mutants, *(tally.verdicts[verdict] for verdict in columns)]
        cells = [printable(tally.path, console), *map(str, counts), percent(tally.score)]
        table.add_row(*(Text(cell) for cell in cells))
    # as wide as its longest path asks: rich would cut paths to the width of the window
    width = Measurement.get(console, console.options.update(max_width=TABLE_WIDTH), table).maximum
    console.print()
    console.print(Segments(list(console.render(table, console.options.update(width=width)))), soft_wrap=True, end="")


def _print_summary(view: View, console: Console) -> None:
    run, total = view.run, view.total()
    console.print()
    if not total.mutants:
        print_line(console, f"Nothing to change in scope: no mutants, no score; {run.seconds:.1f} s")
        return
    print_reasons(view, console)
    _print_stopped(view, console)
    crashes = total.kills[KillKind.CRASH]
    if crashes:
        killed = total.verdicts[Verdict.KILLED]
        weaker = "weaker evidence than an assertion"
        print_line(console, f"{crashes} of {killed} killed by a crash only, no assertion: {weaker}")
    print_line(console, (_score_line(total), "bold"), f"; {_uncounted(total)}; {run.seconds:.1f} s")
    found = gaps(view)
    if found:
        print_line(console, f"next: fencepost show {found[0].lead.id}")


def print_reasons(view: View, console: Console) -> None:
    """Print why mutants have no verdict that counts."""
    for verdict in (Verdict.UNKNOWN, Verdict.INVALID):
        for reason, (first, *others) in view.reasons(verdict)[:REASONS_SHOWN]:
            more = f" and {len(others)} more" if others else ""
            place = f"{printable(first.path, console)}:{first.span.start.line} [{first.id}]{more}"
            print_line(console, f"{verdict.value}: {place}: {reason}")


def _print_stopped(view: View, console: Console) -> None:
    """Print what the guard stopped, which is more than a test that failed."""
    judged = ((mutant, view.judgement(site, mutant).kill) for site, mutant in view.mutants())
    stopped = [(mutant, kill) for mutant, kill in judged if kill is not None and kill.kind is KillKind.GUARD]
    for mutant, kill in stopped[:REASONS_SHOWN]:
        print_line(console, f"guard: {mutant.path}:{mutant.span.start.line} [{mutant.id}]: {kill.message}")
    if len(stopped) > REASONS_SHOWN:
        print_line(console, f"guard: and {len(stopped) - REASONS_SHOWN} more (fencepost report -o json)")


def _score_line(total: Tally) -> str:
    if total.score is None:
        missed = sum(count for verdict, count in total.verdicts.items() if verdict.missed)
        return f"no score; {plural(missed, 'gap')} in {plural(total.mutants, 'mutant')}"
    return f"score {percent(total.score)}: {total.detected} of {plural(total.counted, 'mutant')} noticed"


def _uncounted(total: Tally) -> str:
    timeouts = total.verdicts[Verdict.TIMEOUT]
    words = [f"{timeouts} by timeout"] if timeouts else []
    outside = (Verdict.UNKNOWN, Verdict.INVALID, Verdict.IGNORED)
    words += [f"{total.verdicts[verdict]} {verdict.value}" for verdict in outside]
    return ", ".join(words)
