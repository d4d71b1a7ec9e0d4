"""Which gaps a run has: what makes one gap, and which comes first. Pure."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from fencepost.analyzer.model import Mutant, Position, Site, Verdict
from fencepost.reports._sentences import MEMBER, what_to_do
from fencepost.reports._thresholds import threshold_key
from fencepost.reports._view import Gap, View

EQUAL_TO = " equal to "


def gaps(view: View) -> list[Gap]:
    """The gaps of a run, the most useful first.

    Survivors lead, then boundaries that no input stands on, then other inputs that are missing, then code that no
    test runs. Within each, what more tests reach comes first.
    """
    by_need: dict[tuple[str, ...], Gap] = {}
    for gap in (gap for site in view.sites() for gap in _gaps_of(site, view)):
        need = _need(gap, view)
        known = by_need.setdefault(need, gap)
        if known is not gap:
            by_need[need] = _together(known, gap)
    return sorted(by_need.values(), key=_usefulness)


def _together(one: Gap, other: Gap) -> Gap:
    """One gap out of two; it is that of the threshold, if one is of a threshold, since that one says which input."""
    lead, more = (other, one) if one.site.threshold is None and other.site.threshold is not None else (one, other)
    site = _of_both_members(lead.site, more.site) if lead.site.kind == more.site.kind == MEMBER else lead.site
    return dataclasses.replace(lead, site=site, mutants=lead.mutants + more.mutants)


def _of_both_members(site: Site, other: Site) -> Site:
    """The site of some members of a collection, asking for one more."""
    _, _, value = other.ask.partition(EQUAL_TO)
    return dataclasses.replace(site, ask=f"{site.ask}, then to {value}")


def _need(gap: Gap, view: View) -> tuple[str, ...]:
    """What gaps that one test closes, or begins to close, have in common."""
    where = (gap.site.path, str(gap.site.span))
    if gap.site.kind == MEMBER and gap.verdict is not Verdict.NOT_REACHED:
        return (*where, gap.verdict.value, MEMBER)  # which members of a collection matter is one question
    match gap.verdict:
        case Verdict.NOT_INFECTED:
            return (*where, what_to_do(gap, view))
        case Verdict.NOT_REACHED:
            return where  # it has to get there first, whatever it brings
        case _:
            return (gap.lead.id,)


def in_blocks(found: Iterable[Gap]) -> list[list[Gap]]:
    """The gaps of one threshold together, where its first one stands; every other gap alone."""
    by_key: dict[object, list[Gap]] = {}
    for gap in found:
        key = threshold_key(gap.site) if gap.site.threshold is not None else gap.lead.id
        by_key.setdefault(key, []).append(gap)
    return list(by_key.values())


def gap_of(site: Site, mutants: Sequence[Mutant], view: View) -> Gap:
    """One entry for mutants of a site that share a verdict; the first stands for all."""
    infection = view.infection(mutants[0])
    return Gap(
        site,
        tuple(mutants),
        view.judgement(site, mutants[0]),
        view.sighting(site).reached,
        view.reached_by(site),
        infection.count,
        view.infected_by(mutants[0]),
        infection.certain,
    )


def _gaps_of(site: Site, view: View) -> Iterator[Gap]:
    groups: dict[tuple[Verdict, str], list[Mutant]] = defaultdict(list)
    for mutant in site.mutants:
        verdict = view.judgement(site, mutant).verdict
        # a mutant that never evaluated differently behaves like the original, hence like every other such mutant
        like = view.alike.get(mutant.id, mutant.id) if verdict is Verdict.SURVIVED else ""
        if verdict.missed:
            groups[verdict, like].append(mutant)
    for mutants in groups.values():
        yield gap_of(site, mutants, view)


def _usefulness(gap: Gap) -> tuple[int, int, str, Position, str, str]:
    boundary = gap.site.threshold is not None
    rank = {Verdict.SURVIVED: 0, Verdict.NOT_INFECTED: 1 if boundary else 2, Verdict.NOT_REACHED: 3}
    start = gap.site.span.start
    return rank[gap.verdict], -gap.reached, gap.site.path, start, gap.site.rule, gap.lead.id
