"""What people read about a gap, in words: which test to write, and counts, scores and names. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from fencepost.analyzer.excerpt import excerpt, shorten
from fencepost.analyzer.model import Infection, Site, TestRecord, Threshold, Verdict
from fencepost.reports._sides import Side, known_inputs, sides_of, telling_sides
from fencepost.reports._view import Gap, View

MEMBER = "member"  # the kind of a site that is about one member of a collection
EMPTINESS = "emptiness"  # the kind of a site that asks whether there is something
_USUAL = re.compile(r", such as .+?(?=, and |$)")  # the example at the end of what a rule asks for
_PLAIN = re.compile(r"\{0\} \S+ \{1\}")  # the template of a comparison of the operands as they are
_WHERE = {Side.BELOW: "just below", Side.AT: "on", Side.ABOVE: "just above"}


def what_to_do(gap: Gap, view: View, example: str | None = None) -> str:
    """The one sentence or two that say which test to write.

    Args:
        example: source text of an input that closes the gap, where one is known.
    """
    match gap.verdict:
        case Verdict.SURVIVED:
            return _survived(gap, view.infection(gap.lead))
        case Verdict.NOT_INFECTED:
            return _boundary_missing(gap, view) or _input_missing(gap, view, example)
        case Verdict.NOT_REACHED:
            return _not_reached(gap.site, example)
        case _:
            return _sentence(gap.judgement.reason)


def input_to_add(gap: Gap, view: View, example: str | None = None) -> str:
    """The same where the page tells beside it how the tests stand around the threshold: only which input is missing."""
    threshold, name, missing = gap.site.threshold, compared(gap.site), missing_sides(gap, view)
    if gap.verdict is not Verdict.NOT_INFECTED or threshold is None or name is None or not missing:
        return what_to_do(gap, view, example)
    return _inputs_to_add(name, threshold, missing, "a test")


def _boundary_missing(gap: Gap, view: View) -> str | None:
    """Which side of the threshold lacks a test; None without a threshold, or where no side explains the gap."""
    threshold, name, sighting = gap.site.threshold, compared(gap.site), view.sighting(gap.site)
    missing = missing_sides(gap, view)
    if threshold is None or name is None or not missing:
        return None
    where = " or ".join(_WHERE[side] for side in missing)
    near = [_named_value(seen.value, seen.test, view) for _, seen in sides_of(sighting) if seen.value is not None]
    seen = f": the nearest {'were' if len(near) > 1 else 'was'} {_and(near)}" if near else ""
    return f"No test stands {where} {shorten(threshold.text)}{seen}. {_inputs_to_add(name, threshold, missing)}"


def missing_sides(gap: Gap, view: View) -> list[Side]:
    """The sides of the threshold on which a test would tell the mutants of a gap; none where no side explains it."""
    told = [telling_sides(gap.site, mutant) for mutant in gap.mutants if mutant.site == gap.site.id]
    # what differs on every side is no question of where the threshold lies
    sides = [side for sides in told if len(sides) < len(Side) for side in sides]
    stood_on = view.sighting(gap.site).at.tests
    return [side for side in Side if side in sides and not (side is Side.AT and stood_on)]


def _named_value(value: str, number: int | None, view: View) -> str:
    test = view.test(number)
    return shorten(value) + (f" ({short_name(test.id)})" if test else "")


def _inputs_to_add(name: str, threshold: Threshold, missing: Sequence[Side], one: str = "one") -> str:
    inputs = {Side.BELOW: threshold.below, Side.AT: threshold.at, Side.ABOVE: threshold.above}
    if known_inputs(threshold) is None:
        text = shorten(threshold.text)
        relations = {Side.BELOW: "is just below", Side.AT: "equals", Side.ABOVE: "is just above"}
        return " ".join(f"Add {one} where `{name}` {relations[side]} `{text}`." for side in missing)
    return f"Add {one} with `{name}` at {' and one at '.join(inputs[side] for side in missing)}."


def compared(site: Site) -> str | None:
    """The source text of what is compared with the threshold, short; None where the probe does not name it."""
    probe = site.probe
    if probe is None or probe.threshold_operand is None:
        return None
    return shorten(excerpt(site, probe.operands[1 - probe.threshold_operand]))


def ask_with(site: Site, example: str | None) -> str:
    """What a site asks for, with an input out of this project, as source text, in the place of the usual one."""
    if example is None:
        return site.ask
    if site.kind == EMPTINESS and site.probe is not None:
        return f"use `{shorten(excerpt(site, site.probe.operands[0]))}` as {example}, which is false but not None"
    if f", such as {example}" in site.ask:
        return site.ask
    return _USUAL.sub(lambda _: f", such as {example}", site.ask, count=1)


def says(sentence: str, example: str) -> bool:
    """Whether a sentence names an example already; not where it is part of a name or of another value."""
    return re.search(rf"(?<![\w.\-\[(`'\"]){re.escape(example)}(?!\.?[\w`])", sentence) is not None


def link(site: Site) -> str:
    """The one comparison of a chain that a site with a threshold is about; the whole of any other expression."""
    probe = site.probe
    if site.threshold is None or probe is None or not _PLAIN.fullmatch(probe.template):
        return shorten(site.source)
    return shorten(probe.template.format(*(excerpt(site, operand) for operand in probe.operands)))


def _input_missing(gap: Gap, view: View, example: str | None) -> str:
    seen = ", ".join(shorten(value) for value, _ in view.sighting(gap.site).samples[:3])
    shown = f" (seen: {seen})" if seen else ""
    if gap.site.kind == MEMBER:
        told = f"Not every member of `{shorten(gap.site.source)}` is used by a test{shown}"
    else:
        written_out = gap.lead.replacement.startswith("(lambda")
        change = "without it" if written_out else f"with `{shorten(gap.lead.replacement)}` in its place"
        told = f"No input shows `{shorten(gap.lead.original)}`: {change} every result is the same{shown}"
    return f"{told}. {_sentence(ask_with(gap.site, example))}"


def _survived(gap: Gap, infection: Infection) -> str:
    if gap.infected_by and gap.certain:
        tests, several = _named(gap.infected_by, gap.infected), gap.infected > 1
        reach, prove, an = ("reach", "assert", "an") if several else ("reaches", "asserts", "its")
        difference = f"{tests} {reach} it with a value that makes a difference"
        advice = f"strengthen {an} assertion, or use an input whose outcome differs"
        return f"{difference}, but {prove} nothing that changes: {advice}."
    if infection.at_import:
        return (
            f"It counts when the file is loaded, and no test fails with the change in place. {_sentence(gap.site.ask)}"
        )
    if gap.reached_by:
        tests, several = _named(gap.reached_by, gap.reached), gap.reached > 1
        run, succeed = ("run", "pass") if several else ("runs", "passes")
        prove = f"{tests} {run} it and {succeed} with the change in place: assert what it gives."
        return f"{prove} {_sentence(gap.site.ask)}"
    return f"No test fails with the change in place. {_sentence(gap.site.ask)}"


def _named(tests: Sequence[TestRecord], count: int) -> str:
    """The first test, and how many others there are."""
    others = count - 1
    return tests[0].id + (f" and {plural(others, 'other test')}" if others > 0 else "")


def _not_reached(site: Site, example: str | None) -> str:
    goal = f"write one that gets into `{site.scope}`" if site.scope else "write one that gets here"
    return f"No test runs this line: {goal}, then {ask_with(site, example)}."


def plural(count: int, noun: str) -> str:
    """A count with its noun: `1 test`, `2 tests`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def percent(score: float | None) -> str:
    """A score for people; rounded down, so that only a perfect one reads 100 %."""
    return "-" if score is None else f"{math.floor(score * 1000) / 10:.1f} %"


def short_name(test_id: str) -> str:
    """The name of a test without its file and class, with its parameters."""
    plain, bracket, parameters = test_id.partition("[")
    return shorten(plain.rpartition("::")[2] + bracket + parameters)


def _and(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
