"""Example inputs: for a normalizing call, a value that it changes, made out of the values that the tests gave it.

Original and mutant are evaluated side by side on candidates, in this process: their templates are spelled by rules over
builtins and the standard library's functions, and the candidates are literals, so nothing of the code under test runs.
"""

from __future__ import annotations

import ast
import functools
import heapq
import inspect
import json
import math
import textwrap
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fencepost.analyzer.excerpt import excerpt
from fencepost.analyzer.model import Site
from fencepost.analyzer.observers import CONTAINERS, Probe, is_plain, same

SEEDS: tuple[Any, ...] = ("Ann", ["ann", "bob"], 2, 2.5, {"ann": 1})  # where nothing was seen yet
OF_ITEMS = {"iterable", "duplicates", "inplace"}  # the observers of what goes through several items
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sorted": sorted, "reversed": reversed, "set": set, "list": list, "dict": dict, "len": len, "min": min, "max": max,
    "round": round, "int": int, "abs": abs, "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc,
    "dedent": textwrap.dedent, "cleandoc": inspect.cleandoc, "dumps": json.dumps, "nlargest": heapq.nlargest,
    "nsmallest": heapq.nsmallest, "dict.fromkeys": dict.fromkeys, "OrderedDict.fromkeys": OrderedDict.fromkeys,
}  # fmt: skip
"""By the last part of how the source names it: what the first operand of a template may be, but for a value."""
LACKING = {
    "missing-key": "a mapping without the key {}",
    "missing": "an object without {}",
    "none": "None",
}  # what makes a default count, by observer
EMPTY: tuple[Any, ...] = ("", 0, [], {}, None)


@dataclass(frozen=True, slots=True)
class Input:
    """An input at which a call makes a difference: in words, and as a literal where there is one."""

    words: str
    literal: str | None = None


def changing_input(site: Site, seen: Sequence[str]) -> Input | None:
    """An input at which the first mutant of a site gives another result.

    Args:
        site: a normalizing call; None is the answer for anything else, and where no candidate shows a difference.
        seen: samples of what the unmutated run saw there; candidates are variations of them, else of usual values.
    """
    probe = site.probe
    if probe is None or site.threshold is not None or not site.mutants:
        return None
    samples = [sample for text in seen if (sample := _values(text)) is not None]
    if probe.kind in LACKING:
        return Input(LACKING[probe.kind].format(repr(samples[0][-1]))) if samples else None
    if probe.kind == "falsy":
        kinds = {type(sample[0]) for sample in samples}
        return _literal(next((empty for empty in EMPTY if type(empty) in kinds), None))
    seeds = [(seed,) for seed in SEEDS if probe.kind not in OF_ITEMS or isinstance(seed, list)]
    return _differing(site, samples or seeds)


def _literal(value: Any) -> Input:
    return Input(repr(value), repr(value))


def _values(text: str) -> tuple[Any, ...] | None:
    """The values of a sample, which are printed one behind the other; None where they are no literals."""
    try:
        values = ast.literal_eval(f"({text},)")
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return values if isinstance(values, tuple) else None


def _differing(site: Site, samples: Sequence[tuple[Any, ...]]) -> Input | None:
    original, mutants = _functions(site)
    if original is None or not mutants:
        return None
    for sample in samples:
        for first in _variations(sample):
            operands = (first, *sample[1:])
            given = _outcome(original, operands)
            if given is not None and not _alike(given, _outcome(mutants[0], operands)):
                return _literal(first)
    return None


def _alike(one: Any, other: Any) -> bool:
    """Whether two outcomes are the same; of containers of two kinds, whether they hold the same in the same order."""
    if type(one) is not type(other) and {type(one), type(other)} <= CONTAINERS:
        return same(list(one), list(other))
    return same(one, other)


def _functions(site: Site) -> tuple[Callable[..., Any] | None, list[Callable[..., Any]]]:
    """The call and its mutants as functions of the values they are given; none where they cannot be evaluated here."""
    probe = site.probe
    assert probe is not None  # noqa: S101 - the caller looked
    spec = {
        "id": 0, "kind": probe.kind, "threshold": None, "known_threshold": False, "operands": probe.operands,
        "template": probe.template, "mutants": [mutant.template for mutant in site.mutants],
    }  # fmt: skip
    compiled = Probe(spec)
    mutants = [mutant for mutant in compiled.mutants if mutant is not None]
    if compiled.original is None or not probe.operands:
        return None, []
    name = excerpt(site, probe.operands[0])
    called = FUNCTIONS.get(name) or FUNCTIONS.get(name.rpartition(".")[2])
    if called is None:
        return compiled.original, mutants
    return functools.partial(compiled.original, called), [functools.partial(one, called) for one in mutants]


def _outcome(function: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """What it gives, an iterator and a set as what they hold in their order; None where it raises."""
    try:
        result = function(*operands)
        plain = result if is_plain(result) and not isinstance(result, set | frozenset) else list(result)
    except Exception:  # noqa: BLE001 - a candidate that does not fit is no candidate
        return None
    return plain


def _variations(sample: tuple[Any, ...]) -> Iterator[Any]:
    """Values like the first one of a sample, the plainest change first."""
    value, *others = sample
    yield value
    match value:
        case str():
            texts = [one for one in others if isinstance(one, str) and one]
            yield from (f"{text}{value}" for text in texts)
            yield from (f"{value}{text}" for text in texts)
            yield from (f" {value} ", value.upper(), value.lower(), value.title(), f"{value}\u0301", "ß")
            yield from (f"<{value}>", f"{value} & {value}", f"%{value}", f"{value}/../{value}", f"{value}\t{value}")
            yield f"  {value}\n  {value}"
        case list() | tuple():
            kind = type(value)
            yield from (kind(items) for items in (value[::-1], [*value, *value[:1]], [*value, *EMPTY[:2]]))
        case bool() | None:
            return
        case int() | float():
            yield from (-value, value + 0.5, value + 0.05, value / 3, value * 1000, value + 1, value - 1)
        case dict():
            yield dict(reversed(value.items()))
            yield {str(key).upper(): item for key, item in reversed(value.items())}
