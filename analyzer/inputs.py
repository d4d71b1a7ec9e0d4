"""Example inputs: for a normalizing call, a value that it changes, made out of the values that the tests gave it.

Original and mutant are evaluated side by side on candidates, in this process: their templates are spelled by rules over
builtins and the standard library's functions, and the candidates are literals, so nothing of the code under test runs.
"""

from __future__ import annotations

import ast
import copy
import functools
import heapq
import inspect
import json
import math
import textwrap
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from fencepost.analyzer.excerpt import excerpt
from fencepost.analyzer.literals import value
from fencepost.analyzer.model import Probe, Site
from fencepost.analyzer.observers import CONTAINERS, is_plain, same
from fencepost.analyzer.observers import Probe as Compiled

SEEDS: tuple[Any, ...] = ("Ann", ["ann", "bob"], 2, 2.5, {"ann": 1})  # where nothing was seen yet
OF_ITEMS = {"iterable", "duplicates", "inplace"}  # the observers of what goes through several items
OF_CALLS = {"pure", "slice"} | OF_ITEMS  # of what gives a changed value; a comparison changes none
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "sorted": sorted, "reversed": reversed, "set": set, "list": list, "dict": dict, "len": len, "min": min, "max": max,
    "round": round, "int": int, "abs": abs, "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc,
    "dedent": textwrap.dedent, "cleandoc": inspect.cleandoc, "dumps": json.dumps, "nlargest": heapq.nlargest,
    "nsmallest": heapq.nsmallest, "dict.fromkeys": dict.fromkeys, "OrderedDict.fromkeys": OrderedDict.fromkeys,
}  # fmt: skip
"""By the last part of how the source names it: what the first operand of a template may be, but for a value."""
MISSING_KEY = "missing-key"
LACKING = {
    MISSING_KEY: "a mapping without the key {}",
    "missing": "an object without {}",
}  # what makes a default count, by observer
HARMLESS = frozenset({
    "bool", "bytearray", "bytes", "dict", "float", "int", "isinstance", "iter", "len", "list", "set", "sorted", "str",
    "tuple", "type",
})  # fmt: skip
"""The builtins that templates use."""
EMPTY: tuple[Any, ...] = ("", 0, [], {}, None)
FALSE = frozenset({str, bytes, int, float, Decimal, Fraction, timedelta, list, tuple, dict})
"""The kinds that have a value that is false, which they give without being given anything."""


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
    if probe is None or not site.mutants:
        return None
    samples = [sample for text in seen if (sample := _values(text)) is not None]
    if probe.kind == "none":
        return _literal(None)
    if probe.kind in LACKING:
        return Input(LACKING[probe.kind].format(repr(samples[0][-1]))) if samples else None
    if probe.kind == "falsy":
        return _empty(site, probe, samples)
    if probe.kind == "truth":
        return _false(samples)
    return _differing(site, samples) if probe.kind in OF_CALLS else None


def _empty(site: Site, probe: Probe, samples: Sequence[tuple[Any, ...]]) -> Input | None:
    """Something empty of a kind that was seen, or None; not the very value that stands in for it."""
    kinds = {type(sample[0]) for sample in samples}
    default = _values(excerpt(site, probe.operands[-1]))
    found = (empty for empty in EMPTY if type(empty) in kinds or empty is None)
    return next((_literal(empty) for empty in found if not same((empty,), default)), None)


def _false(samples: Sequence[tuple[Any, ...]]) -> Input | None:
    """What is false and yet not None, of a kind that was seen: only there a test for None says something else."""
    kinds = [type(sample[0]) for sample in samples]
    return next((_literal(kind()) for kind in kinds if kind in FALSE), None)


def _literal(value: Any) -> Input:
    return Input(repr(value), repr(value))


def _values(text: str) -> tuple[Any, ...] | None:
    """The values of a sample, which are printed one behind the other; None where they are no literals."""
    try:
        values = ast.parse(f"({text},)", mode="eval").body
        return tuple(map(value, values.elts)) if isinstance(values, ast.Tuple) else None
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _differing(site: Site, samples: Sequence[tuple[Any, ...]]) -> Input | None:
    probe = site.probe
    assert probe is not None  # noqa: S101 - the caller looked
    functions = _functions(site, probe)
    if functions is None:
        return None
    original, mutant, others = functions
    seeds = [(seed, *others) for seed in _seeds(site) if probe.kind not in OF_ITEMS or isinstance(seed, list)]
    for sample in samples or seeds:
        for first in _variations(sample):
            operands = (first, *sample[1:])
            given = _outcome(original, operands)
            if given is not None and not _alike(given, _outcome(mutant, operands)):
                return _literal(first)
    return None


def _seeds(site: Site) -> Iterator[Any]:
    """Usual values, those for a pick from both sides of a separator with the separator in them."""
    probe = site.probe
    assert probe is not None  # noqa: S101 - the caller looked
    separators = [text for operand in probe.operands[1:] if isinstance(text := _only(excerpt(site, operand)), str)]
    if "partition" in probe.template:
        yield from (f"Ann{separator}Bob" for separator in separators)
    yield from SEEDS


def _only(text: str) -> Any:
    values = _values(text)
    return values[0] if values else None


def _alike(one: Any, other: Any) -> bool:
    """Whether two outcomes are the same; of containers of two kinds, whether they hold the same in the same order."""
    if isinstance(one, set):  # its order is another one in the next process
        return other is not None and len(one) == len(other)
    if type(one) is not type(other) and type(one) in CONTAINERS and type(other) in CONTAINERS:
        return same(list(one), list(other))
    return same(one, other)


Functions: TypeAlias = tuple[Callable[..., Any], Callable[..., Any], list[Any]]


def _functions(site: Site, probe: Probe) -> Functions | None:
    """The call and its first mutant as functions of the values they are given; None where they cannot be evaluated.

    Beside them what they are given behind the first value, as far as the source tells it.
    """
    template = site.mutants[0].template
    if not probe.operands or template is None or not all(map(_is_harmless, (probe.template, template))):
        return None
    spec = {
        "id": 0, "kind": probe.kind, "threshold": None, "known_threshold": False, "operands": probe.operands,
        "template": probe.template, "mutants": [template],
    }  # fmt: skip
    compiled = Compiled(spec)
    functions = [function for function in (compiled.original, *compiled.mutants) if function is not None]
    texts = [excerpt(site, operand) for operand in probe.operands]
    called = FUNCTIONS.get(texts[0]) or FUNCTIONS.get(texts[0].rpartition(".")[2])
    if called is not None:
        functions = [functools.partial(function, called) for function in functions]
    original, mutant = functions
    return original, mutant, [values[0] for text in texts[1 + (called is not None) :] if (values := _values(text))]


def _is_harmless(template: str) -> bool:
    """Whether a template does no more than rules spell: it may come from a stored run that somebody else wrote."""
    try:
        tree = ast.parse(template.replace(":atom}", "}").replace("{", "operand_").replace("}", ""), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    parts = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    bound = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    unknown = {name for name in names - bound if name not in HARMLESS and not name.removeprefix("operand_").isdecimal()}
    return bool(template) and not unknown and not any(part.startswith(("_", "format", "mro")) for part in parts)


def _outcome(function: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """What it gives, or makes of the first operand; an iterator as what it holds, and None where it raises."""
    given = copy.deepcopy(operands)
    try:
        result = function(*given)
        if result is None:
            result = given[0]
        return result if is_plain(result) else list(result)
    except Exception:  # noqa: BLE001 - a candidate that does not fit is no candidate
        return None


def _variations(sample: tuple[Any, ...]) -> Iterator[Any]:
    """Values like the first one of a sample, the plainest change first."""
    first, *others = sample
    if isinstance(first, set):
        return  # its order is another one in the next process
    yield first
    match first:
        case str():
            yield from _texts(first, others)
        case list() | tuple():
            kind = type(first)
            yield from (kind(items) for items in (first[::-1], [*first, *first[:1]], [*first, ""]))
        case bool() | None:
            return
        case int() | float():
            yield from (-first, first + 0.5, first + 0.05, first / 3, first * 1000, first + 1, first - 1)
        case Decimal() if first.is_finite():
            yield from (-first, *(first + Decimal(step) for step in ("0.5", "0.05", "0.005", "0.0005")))
        case dict():
            yield dict(reversed(first.items()))
            yield {**first, "": None}


def _texts(text: str, others: Sequence[Any]) -> Iterator[str]:
    yield from (f"{other}{text}" for other in others)
    yield from (f"{text}{other}" for other in others)
    yield from (f" {text} ", text.upper(), text.lower(), f"{text}\u0301", "ß")
    yield from (f"<{text}>", f"{text} & {text}", f"%{text}", f"{text}/../{text}", f"{text}\t{text}")
    yield f"  {text}\n  {text}"
