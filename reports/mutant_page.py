"""The page of one mutant, for `fencepost show ID`: its diff, its verdict, and what the tests did with it."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from rich.console import Console

from fencepost.analyzer.errors import UsageProblem, nearest_name_hint
from fencepost.analyzer.model import Mutant, Run, Site, TestRecord, Verdict
from fencepost.reports._advice import Advisor
from fencepost.reports._gaps import gap_of
from fencepost.reports._sentences import plural
from fencepost.reports._view import Gap, View, mutated, rule_name
from fencepost.reports.gaps_page import print_help
from fencepost.reports.terminal import VERDICT_STYLES, Sources, print_change, print_line, print_prose, print_seen

TESTS_SHOWN = 10
NAMES_IN_HINT = 20

_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan", " ": ""}


def report(run: Run, mutant_id: str, console: Console, root: Path) -> None:
    """Print the page of one mutant.

    Args:
        mutant_id: its id, or the beginning of it where no other id begins so.

    Raises:
        UsageProblem: no mutant of the run has that id, or several begin so.
    """
    view = View(run)
    site, mutant = find_mutant(view, mutant_id)
    gap = gap_of(site, [mutant], view)
    start = mutant.span.start
    print_line(
        console, (mutant.id, "bold"), "  ", (f"{site.rule} {rule_name(site.rule)}", "cyan"),
        f"  {mutant.path}:{start.line}:{start.column}", f"  in {site.scope}" if site.scope else "",
    )  # fmt: skip
    _print_verdict(gap, console)
    console.print()
    _print_diff(gap, console, Sources(run.files, root))
    _print_evidence(gap, view, console, root)


def find_mutant(view: View, mutant_id: str) -> tuple[Site, Mutant]:
    """The mutant with an id, or with the only id that begins so, and its site.

    Raises:
        UsageProblem: there is none, or more than one.
    """
    by_id = {mutant.id: (site, mutant) for site, mutant in view.mutants()}
    if mutant_id in by_id:
        return by_id[mutant_id]
    matches = [known for known in by_id if mutant_id and known.startswith(mutant_id)]
    if len(matches) == 1:
        return by_id[matches[0]]
    if matches:
        message = f"mutant id '{mutant_id}' is ambiguous: {len(matches)} mutants of the last run begin so"
        raise UsageProblem(message, slug="ambiguous-mutant", hint=_hint(mutant_id, matches))
    message = f"the last run has no mutant '{mutant_id}'"
    raise UsageProblem(message, slug="unknown-mutant", hint=_hint(mutant_id, by_id))


def _hint(wrong: str, known: Collection[str]) -> str:
    """The nearest id; where none is near, all of them if they can be read at a glance."""
    if not known:
        return "run `fencepost run` first: the last run made no mutants"
    hint = nearest_name_hint(wrong, known)
    glance = len(known) <= NAMES_IN_HINT or hint.startswith("did you mean")
    return hint if glance else "the ids stand in brackets in the output of `fencepost report`"


def _print_verdict(gap: Gap, console: Console) -> None:
    judgement = gap.judgement
    confirmed = ", confirmed" if judgement.confirmed else ""
    reason = f": {judgement.reason}" if judgement.reason else ""
    print_line(console, (gap.verdict.value, VERDICT_STYLES[gap.verdict]), f"{confirmed}{reason}")
    if judgement.kill is not None:
        kill = judgement.kill
        weak = " (weaker evidence than an assertion)" if kill.kind.value == "crash" else ""
        print_line(console, f"killed by {kill.test or 'no single test'}, {kill.kind.value}{weak}")
        for line in kill.message.split("\n"):
            print_prose(console, line)


def _print_diff(gap: Gap, console: Console, sources: Sources) -> None:
    text = sources.text(gap.site.path)
    if text is None:
        print_line(console, f"{gap.site.path} is not as it was when the run looked at it; only the change itself:")
        print_change(console, gap)
        return
    for line in unified_diff(text, gap.lead):
        style = "bold" if line.startswith(("--- ", "+++ ")) else _DIFF_STYLES[line[0]]
        print_line(console, (line, style))


def unified_diff(text: str, mutant: Mutant) -> Iterator[str]:
    """The lines of the diff that applies a mutant to the text of its file."""
    before, after = _lines(text), _lines(mutated(text, mutant))
    names = f"a/{mutant.path}", f"b/{mutant.path}"
    return difflib.unified_diff(before, after, *names, lineterm="")


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _print_evidence(gap: Gap, view: View, console: Console, root: Path) -> None:
    if gap.site.ignored is not None:
        return  # nobody watched it
    console.print()
    _print_tests("reached by", gap.reached, gap.reached_by, console)
    if gap.reached:
        _print_tests("makes a difference in", gap.infected, gap.infected_by, console)
        print_line(console, "what the unmutated run saw:")
        print_seen(console, gap.site, view)
    same = view.alike.get(gap.lead.id)
    if same is not None:
        print_line(console, f"behaves like {same} in every evaluation")
    if gap.verdict.missed:
        advice = Advisor(view, root).advice(gap)
        console.print()
        print_prose(console, advice.do, indent=0)
        print_help(advice, console)
    elif gap.verdict is Verdict.UNKNOWN:
        print_line(console, f"a test for it would: {gap.site.ask}")


def _print_tests(label: str, count: int, tests: Sequence[TestRecord], console: Console) -> None:
    print_line(console, f"{label} {plural(count, 'test')}{':' if tests else ''}")
    for test in tests[:TESTS_SHOWN]:
        print_line(console, f"    {test.id}")
    more = count - len(tests[:TESTS_SHOWN])
    if more > 0:
        print_line(console, f"    and {more} more")
