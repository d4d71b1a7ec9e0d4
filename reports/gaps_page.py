"""The boundary-test gap report: where tests stand around each threshold, and what no test could notice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.model import Run
from fencepost.reports._advice import Advice, Advisor
from fencepost.reports._gaps import gaps, in_blocks
from fencepost.reports._question import Question
from fencepost.reports._sentences import compared, input_to_add, link, plural, says, short_name
from fencepost.reports._sides import Side
from fencepost.reports._thresholds import Places, Standing, places_of, threshold_key, thresholds
from fencepost.reports._view import Gap, View, rule_name
from fencepost.reports._worth import worth
from fencepost.reports.terminal import (
    Sources,
    print_expression,
    print_line,
    print_notes,
    print_prose,
)

NORMALIZING = "FP2"
_RELATIONS = {Side.BELOW: "<", Side.AT: "=", Side.ABOVE: ">"}
_LABELS = {Side.BELOW: "just below", Side.AT: "exactly", Side.ABOVE: "just above"}


def report(run: Run, console: Console, *, limit: int | None = 20, root: Path) -> None:
    """Print the thresholds, then the gaps with what helps to close them, what is most worth a test first.

    Args:
        limit: how many gaps and how many thresholds to show at most; None shows all.
        root: the folder that the paths of the run are relative to.
    """
    view = View(run)
    print_notes(run, console)
    found = sorted(gaps(view), key=worth(root))
    _print_thresholds(view, console, limit)
    advisor, sources = Advisor(view, root), Sources(run.files, root)
    blocks = in_blocks(found)
    if blocks[:limit]:
        console.print()
        print_line(console, ("gaps, most worth a test first: public, changed lately, reached by many tests", "bold"))
    for block in blocks[:limit]:
        console.print()
        _print_block(block, [advisor.advice(gap) for gap in block], view, console, sources)
    _print_summary(view, blocks, console, limit)


def _print_thresholds(view: View, console: Console, limit: int | None) -> None:
    found = list(thresholds(view))
    shown = found[:limit]
    if shown:
        print_line(console, ("thresholds, and how many tests stand just below, exactly at and just above each", "bold"))
    for places in shown:
        start = places.site.span.start
        where = f"  {places.site.path}:{start.line}:{start.column}  "
        print_line(console, where, (link(places.site), "bold"), f"  {_cells(places, view)}")
    if len(found) > len(shown):
        print_line(console, f"  {plural(len(found) - len(shown), 'more threshold')}: --all")


def _cells(places: Places, view: View) -> str:
    sighting = view.sighting(places.site)
    if not sighting.reached:
        return "when the code is loaded, by no test" if sighting.at_import else "no test runs it"
    if not any(one.beyond for one in places.standings):
        return f"{plural(sighting.reached, 'test')}, with values that could not be placed"
    return " | ".join(map(_cell, places.standings))


def _cell(standing: Standing) -> str:
    place = f"{standing.side.value} {standing.input}" if standing.known else standing.side.value
    if standing.tests:
        return f"{place}: {standing.tests}"
    return f"{place}: none" + (f", nearest {shorten(standing.nearest, 20)}" if standing.nearest else "")


def _print_block(
    block: Sequence[Gap], advice: Sequence[Advice], view: View, console: Console, sources: Sources
) -> None:
    site, start = block[0].site, block[0].site.span.start
    where = f"{site.path}:{start.line}:{start.column}"
    rule = f"{site.rule} {rule_name(site.rule)}"
    ids = " ".join(gap.lead.id for gap in block)
    print_line(console, (where, "bold"), "  ", (rule, "cyan"), "  ", (f"[{ids}]", "dim"))
    print_expression(console, site, sources)
    if site.threshold is not None and compared(site) is not None and view.sighting(site).reached:
        _print_places(places_of(site, view), console)
    for gap, one in zip(block, advice, strict=True):
        print_prose(console, input_to_add(gap, view, one.example))
        print_help(one, console)


def _print_places(places: Places, console: Console) -> None:
    name, threshold = compared(places.site), places.site.threshold
    assert threshold is not None  # noqa: S101 - it has places
    for one in places.standings:
        told = plural(one.tests, "test") if one.tests else "no test"
        if one.nearest is not None and not (one.side is Side.AT and one.known):
            told += f", nearest {shorten(one.nearest)}"
        by = f" in {short_name(one.test.id)}" if one.test is not None else ""
        place = f"{name} = {one.input}" if one.known else f"{name} {_RELATIONS[one.side]} {threshold.text}"
        print_line(console, (f"    {_LABELS[one.side]:<10}  ", "dim"), f"{shorten(place)}: {told}{by}")


def print_help(advice: Advice, console: Console) -> None:
    """Print what there is of an input that is not named yet, the question and its answers, a test to start from."""
    if advice.example is not None and not says(advice.do, advice.example):
        print_prose(console, f"an input that shows it: {advice.example}")
    if advice.question is not None:
        _print_question(advice.question, console)
    if advice.sketch is not None:
        owner = f", class {advice.sketch.owner}" if advice.sketch.owner else ""
        place = f"for {advice.sketch.path}{owner}" if advice.sketch.path else "for a new test file"
        print_line(console, (f"    a test to start from ({place}; not run):", "dim"))
        for line in advice.sketch.text.splitlines():
            print_line(console, f"      {line}".rstrip())


def _print_question(question: Question, console: Console) -> None:
    print_prose(console, f"question: {question.ask} {question.now}")
    for letter, answer in zip("abc", question.answers, strict=True):
        print_prose(console, f"{letter}) {answer.do}{': ' if answer.text else ''}{shorten(answer.text)}", indent=6)


def _print_summary(view: View, blocks: Sequence[Sequence[Gap]], console: Console, limit: int | None) -> None:
    console.print()
    if limit is not None and len(blocks) > limit:
        print_line(console, f"{plural(len(blocks) - limit, 'more gap')}: fencepost report --all")
    open_ones = {threshold_key(gap.site) for block in blocks for gap in block}
    found = [threshold_key(places.site) for places in thresholds(view)]
    pinned = sum(key not in open_ones for key in found)
    calls = _calls(view)
    print_line(
        console,
        (f"{pinned} of {plural(len(found), 'threshold')} with a test in each place that matters", "bold"),
        f"; {sum(calls.values())} of {plural(len(calls), 'normalizing call')} with an input that shows it; ",
        f"{plural(len(blocks), 'gap')}; {view.run.seconds:.1f} s",
    )
    print_line(console, "no code was changed: `fencepost run` tells whether the tests would notice a change")
    if blocks:
        print_line(console, f"what a rule asks for, and why: fencepost explain {blocks[0][0].site.rule}")


def _calls(view: View) -> Mapping[str, bool]:
    """The normalizing calls, each with whether some test has an input that makes a difference there."""
    sites = [site for site in view.sites() if site.rule.startswith(NORMALIZING) and site.ignored is None]
    return {
        site.id: any(view.infection(one).count or view.infection(one).at_import for one in site.mutants)
        for site in sites
        if site.mutants
    }
