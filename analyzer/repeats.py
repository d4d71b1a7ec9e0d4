"""Drops mutants that make the same file as another one does. Pure."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterable, Iterator

from fencepost.analyzer.model import Mutant, Position, Site
from fencepost.rules import Rule


def without_repeats(sites: Iterable[Site], rules: Iterable[type[Rule]]) -> tuple[Site, ...]:
    """The sites, where rules that do not run by default have only mutants that no other rule has.

    What a rule that runs by default sets aside with a reason is set aside for all.
    """
    asked_for = {rule.code for rule in rules if not rule.by_default}
    listed = list(sites)
    seen = {key for site in listed if site.rule not in asked_for for mutant in site.mutants for key in _keys(mutant)}
    return tuple(_new(listed, asked_for, seen))


def _new(sites: Iterable[Site], asked_for: set[str], seen: set[object]) -> Iterator[Site]:
    for site in sites:
        if site.rule not in asked_for:
            yield site
            continue
        mutants = []
        for mutant in site.mutants:
            keys = set(_keys(mutant))
            if not keys & seen:
                mutants.append(mutant)
            seen |= keys
        if mutants:
            yield dataclasses.replace(site, mutants=tuple(mutants))


def _keys(mutant: Mutant) -> Iterator[object]:
    """What is equal for equal changes: one of a whole expression, and one of a part of it that comes to the same."""
    yield mutant.span, _meaning(mutant.replacement)
    yield _smallest(mutant)


def _meaning(text: str) -> str:
    try:
        return ast.dump(ast.parse(f"({text}\n)", mode="eval"))
    except SyntaxError:
        return text  # a pattern with its guard, or a part of an f-string


def _smallest(mutant: Mutant) -> tuple[Position, str, str]:
    """Where the text begins to differ, what is taken out there, and what is put in."""
    old, new = mutant.original, mutant.replacement
    start = _common(old, new)
    old, new = old[start:], new[start:]
    end = _common(old[::-1], new[::-1])
    before = mutant.original[:start].split("\n")
    first = mutant.span.start
    column = first.column + len(before[0]) if len(before) == 1 else len(before[-1]) + 1
    place = Position(first.line + len(before) - 1, column)
    return place, old[: len(old) - end], new[: len(new) - end]


def _common(left: str, right: str) -> int:
    """How many characters two texts begin with in common."""
    pairs = zip(left, right, strict=False)  # the shorter one ends it
    return next((place for place, (one, other) in enumerate(pairs) if one != other), min(len(left), len(right)))
