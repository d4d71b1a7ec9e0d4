"""Sites become a plan that the processes under test can weave: numbered anchors, probes and mutants. Pure.

An *anchor* is an expression or a statement that can be switched: all mutants of one span. Its *probes* say how to watch
it. The plan is plain JSON, so that a process under test needs nothing but the standard library to read it.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.analyzer.model import FileScan, Mutant, Probe, Shape, Site, Span

REACHED = "reached"
"""The kind of a probe that stands before whatever else watches an expression."""

ProbeKey = tuple[Shape, str, tuple[Span, ...], str, int]


@dataclass(slots=True)
class Plan:
    """The plan, and the way back from its numbers to sites and mutants.

    `probe_sites` lists the ids of the sites that share a probe. `switches` maps a mutant id to the anchor that carries
    it and its place there, counted from 1. `probe_of` maps a mutant id to its probe and its bit in the probe's mask.
    """

    document: dict[str, Any]
    probe_sites: dict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    switches: dict[str, tuple[int, int]] = field(default_factory=dict)
    probe_of: dict[str, tuple[int, int]] = field(default_factory=dict)
    spans: dict[int, tuple[str, Span]] = field(default_factory=dict)

    @property
    def mutants_by_probe(self) -> dict[int, list[str]]:
        """Mutant ids of each probe, in the order of their bits."""
        by_probe: dict[int, list[str]] = defaultdict(list)
        for mutant_id, (probe, _) in self.probe_of.items():
            by_probe[probe].append(mutant_id)
        return by_probe


def make_plan(scans: Iterable[FileScan], root: str) -> Plan:
    """Number the anchors and probes of all files; sites that are ignored are not woven."""
    plan = Plan({"root": root, "files": {}})
    for scan in scans:
        # a call by itself is an expression and a statement on one span: two anchors, one within the other
        by_span: dict[tuple[Span, bool], list[Site]] = defaultdict(list)
        for site in scan.sites:
            if site.ignored is None and site.mutants:
                by_span[site.span, _is_statement(site)].append(site)
        plan.document["files"][scan.path] = {
            "digest": scan.digest,
            "fstrings": [
                [_numbers(parts.span), [_numbers(span) for span in parts.expressions]] for parts in scan.fstrings
            ],
            "anchors": [_anchor(plan, scan.path, span, sites) for (span, _), sites in sorted(by_span.items())],
        }
    plan.document["anchors"] = len(plan.spans)
    plan.document["probes"] = len(plan.probe_sites)
    token = hashlib.sha256(json.dumps(plan.document).encode()).hexdigest()[:12]
    plan.document["token"] = token
    return plan


def _is_statement(site: Site) -> bool:
    return site.probe is not None and site.probe.shape is Shape.STATEMENT


def _numbers(span: Span) -> list[int]:
    return [span.start.line, span.start.column, span.end.line, span.end.column]


def _anchor(plan: Plan, path: str, span: Span, sites: Sequence[Site]) -> dict[str, Any]:
    number = len(plan.spans)
    plan.spans[number] = (path, span)
    replacements: list[str] = []
    for mutant in (mutant for site in sites for mutant in site.mutants):
        if mutant.replacement not in replacements:
            replacements.append(mutant.replacement)
        plan.switches[mutant.id] = (number, replacements.index(mutant.replacement) + 1)
    return {
        "id": number,
        "span": _numbers(span),
        "replacements": replacements,
        "probes": [_probe(plan, key, group) for key, group in _by_probe(sites).items()],
    }


def _by_probe(sites: Sequence[Site]) -> dict[ProbeKey, list[tuple[Site, list[Mutant]]]]:
    """The sites of one anchor by the probe that watches them.

    The links of a chain have a probe each, and so has what asks for the value of the whole expression, whoever watches
    its parts, and what only asks who comes by: no other probe is sure to be asked wherever the expression is reached.
    Otherwise one probe watches the anchor: the first that can evaluate its mutants; what another probe would have
    evaluated is run wherever it is reached.
    """
    keyed = [(_key(site.probe), site) for site in sites if site.probe is not None]
    whole = {key for key, site in keyed if key[2] == (site.span,) or key[1] == REACHED}
    parts = [(key, site.probe) for key, site in keyed if key not in whole]
    chained = all(probe is not None and probe.parts > 1 for _, probe in parts)
    main = next((key for key, _ in parts if key[1] != "touch"), parts[0][0] if parts else None)
    grouped: dict[ProbeKey, list[tuple[Site, list[Mutant]]]] = defaultdict(list)
    for key, site in keyed:
        mutants = list(site.mutants)
        if main is None or chained or key in whole:
            grouped[key].append((site, mutants))
            continue
        if key != main:
            mutants = [_only_by_running(mutant) for mutant in mutants]
        grouped[main].append((site, mutants))
    return dict(grouped)


def _key(probe: Probe) -> ProbeKey:
    return (probe.shape, probe.kind, probe.operands, probe.template, probe.part)


def _only_by_running(mutant: Mutant) -> Mutant:
    return Mutant(
        mutant.id,
        mutant.site,
        mutant.rule,
        mutant.path,
        mutant.span,
        mutant.original,
        mutant.replacement,
        template=None,
    )


def _probe(plan: Plan, key: ProbeKey, group: list[tuple[Site, list[Mutant]]]) -> dict[str, Any]:
    number = len(plan.probe_sites)
    templates: list[str | None] = []
    for site, mutants in group:
        plan.probe_sites[number].append(site.id)
        for mutant in mutants:
            plan.probe_of[mutant.id] = (number, len(templates))
            templates.append(mutant.template)
    probe = next(site.probe for site, _ in group if site.probe is not None and _key(site.probe) == key)
    thresholds = [site.probe.threshold_operand for site, _ in group if site.probe is not None]
    return {
        "id": number,
        "shape": probe.shape.value,
        "kind": probe.kind,
        "operands": [_numbers(span) for span in probe.operands],
        "template": probe.template,
        "part": probe.part,
        "parts": probe.parts,
        "mutants": templates,
        "known_threshold": any(site.threshold is not None and site.threshold.known for site, _ in group),
        "threshold": next((side for side in thresholds if side is not None), None),
    }
