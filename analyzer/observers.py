"""How each kind of expression is watched: the original is evaluated once, its mutants on the same operand values.

Weak mutation (Howden 1982; the infection of the RIPR model, Ammann & Offutt): a test can only kill a mutant that it
makes evaluate differently. Mutants are evaluated only on plain immutable values of the standard library, where doing it
has no effect; on anything else they count as infected, so that a run decides. Standard library only.
"""

from __future__ import annotations

import abc
import builtins
import collections
import datetime
import decimal
import enum
import fractions
import heapq
import inspect
import itertools
import json
import math
import operator
import os
import re
import textwrap
import types
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fencepost.analyzer import array_values
from fencepost.analyzer.runtime import MOST_SHOWN, Against, Recorder, Sight

Observer = Callable[..., Any]

SCALARS = frozenset({
    int, float, str, bytes, bool, type(None), complex, type(...), range, decimal.Decimal, fractions.Fraction,
    datetime.date, datetime.datetime, datetime.time, datetime.timedelta, datetime.timezone,
    re.Pattern,
})  # fmt: skip
CONTAINERS = frozenset({tuple, list, set, frozenset, dict})
MAPPINGS = frozenset({
    dict, collections.OrderedDict, collections.defaultdict, collections.Counter, types.MappingProxyType,
    type(os.environ),
})  # fmt: skip
PURE_FUNCTIONS = frozenset({
    sorted, round, int, set, list, dict, reversed, len, min, max, abs, math.floor, math.ceil, math.trunc,
    textwrap.dedent, inspect.cleandoc, collections.OrderedDict, json.dumps, heapq.nlargest, heapq.nsmallest,
    re.sub,
    unicodedata.normalize, re.escape, os.path.normpath, os.path.abspath, os.path.realpath, os.path.expanduser,
    os.path.expandvars,
    range, itertools.islice, *filter(None, [getattr(itertools, "batched", None)]),  # which Python 3.11 has not
})  # fmt: skip
_LIBRARY = os.path.dirname(inspect.__file__)
# the same of modules that are not loaded for this alone: the file that a function was written in, and its name
PURE_BY_PLACE = frozenset(
    (os.path.join(_LIBRARY, *file.split("/")), name)
    for file, names in {
        "html/__init__.py": ("escape", "unescape"),
        "shlex.py": ("quote",),
        "urllib/parse.py": ("quote", "quote_plus", "unquote", "unquote_plus"),
    }.items()
    for name in names
)
REPLAYABLE = frozenset(
    {str, bytes, int, bool, type(None)}
)  # equal values of these types are the same value to every call
ONE_BY_ONE = frozenset({types.GeneratorType, map, filter, zip, enumerate})
COUNT_DOUBTS = frozenset({"compare", "pure", "iterable", "inplace", "touch", "reached"})  # kinds that do so themselves
TEXTS = frozenset({str, bytes, bytearray})
EMPTIABLE = SCALARS | CONTAINERS | TEXTS | {
    collections.OrderedDict, collections.defaultdict, collections.Counter, collections.deque,
}  # fmt: skip
SEQUENCES = frozenset({str, bytes, bytearray, tuple, list, range})
PLAIN_EQUALITIES = (object.__eq__, int.__eq__, str.__eq__)
PLAIN_HASHES = (object.__hash__, int.__hash__, str.__hash__, enum.Enum.__hash__)
MOST_ITEMS = 64  # larger containers are not searched for impure values
MOST_MEMOS = 4096
NUMBERS = frozenset({int, float, decimal.Decimal, fractions.Fraction})
_OPERATORS: dict[str, Observer] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "in": lambda item, items: item in items, "not in": lambda item, items: item not in items,
    "is": operator.is_, "is not": operator.is_not,
}  # fmt: skip
_ASKS_FOR_LESS = {"{0} < {1}": True, "{0} <= {1}": True, "{0} > {1}": False, "{0} >= {1}": False}
_ORDER = ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__")
_MISSING = object()
_SOLID = object()
_EMPTY: tuple[Any, ...] = ([], (), "", b"", {}, set(), range(0))
_ITERATORS = frozenset(type(iter(empty)) for empty in _EMPTY) | {
    reversed, type(reversed([1, 2])), type(reversed({1: 1, 2: 2})),  # a range has one kind for both directions
    itertools.islice, *filter(None, [getattr(itertools, "batched", None)]),
}  # fmt: skip


class Blank:
    """An operand of a template, spelled as the name of a parameter."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __format__(self, spec: str) -> str:
        return f"operand_{self.number}"


class Probe:
    """A probe as the process under test needs it: the original and its mutants as functions of the operands."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self.id: int = spec["id"]
        self.kind: str = spec["kind"]
        self.threshold: int | None = spec["threshold"]
        self.known_threshold: bool = spec["known_threshold"]
        self.operands: int = len(spec["operands"])
        self.one_operand = not spec["operands"][1:]
        self.templates: list[str | None] = spec["mutants"]
        self.original = self._function(spec["template"]) if spec["template"] else None
        self.mutants = [None if template is None else self._function(template) for template in self.templates]
        self.order = _ASKS_FOR_LESS.get(spec["template"])
        self.every = (1 << len(self.mutants)) - 1
        self.unsure = sum(1 << bit for bit, mutant in enumerate(self.mutants) if mutant is None)

    def _function(self, template: str) -> Observer:
        blanks = [Blank(number) for number in range(self.operands)]
        parameters = ", ".join(f"{blank}" for blank in blanks)
        # the namespace holds builtins alone: templates are spelled over operands and builtins
        function: Observer = eval(f"lambda {parameters}: {template.format(*blanks)}", {"__builtins__": builtins})  # noqa: S307 - the text comes from our own rules
        return function


def is_plain(value: object, depth: int = 3) -> bool:
    """Whether comparing, hashing and printing a value runs no code but the standard library's."""
    kind = type(value)
    if kind in SCALARS:
        return True
    if kind not in CONTAINERS or not depth or len(value) > MOST_ITEMS:  # type: ignore[arg-type] # a container has a length
        return False
    if kind is dict:
        return all(is_plain(key, depth - 1) and is_plain(item, depth - 1) for key, item in value.items())  # type: ignore[attr-defined] # a dict has items
    return all(is_plain(item, depth - 1) for item in value)  # type: ignore[attr-defined] # a container iterates


def same(left: object, right: object) -> bool:
    """Whether two plain values are the same to every test: type, order, sign of zero and trailing digits included."""
    if type(left) is not type(right):
        return False
    if isinstance(left, float | decimal.Decimal | datetime.datetime | datetime.time | complex):
        return repr(left) == repr(right)
    if isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))  # type: ignore[arg-type,call-overload] # of one type
    if isinstance(left, dict):
        return same(list(left.items()), list(right.items()))  # type: ignore[attr-defined] # of one type
    return left == right


def build(spec: Mapping[str, Any], recorder: Recorder) -> Observer:
    """The observer of one probe of the plan."""
    probe = Probe(spec)
    look = _BUILDERS[probe.kind](probe, recorder)
    return _doubting(look, probe, recorder) if probe.unsure and probe.kind not in COUNT_DOUBTS else look


def _doubting(look: Observer, probe: Probe, recorder: Recorder) -> Observer:
    """The same observer where another rule has mutants of the expression too that only a run can tell."""

    def both(*operands: Any) -> Any:
        _may_infect(probe, recorder, recorder.sight(probe.id), probe.unsure)
        return look(*operands)

    return both


def chain_of(look: Sequence[Observer | None]) -> Observer:
    """What goes through a chained comparison whose operands are all known: link by link, ending where one is false."""

    def chain(links: tuple[int | str, ...], *operands: Any) -> Any:
        result: Any = True
        for place, link in enumerate(links):
            compare = _OPERATORS[link] if isinstance(link, str) else look[link]
            result = compare(operands[place], operands[place + 1])  # type: ignore[misc] # a woven probe has its observer
            if not result:
                return result
        return result

    return chain


def _evaluate(probe: Probe, recorder: Recorder, operands: tuple[Any, ...], result: object) -> int:
    """The mask of the mutants that evaluate differently from the original on these plain operands."""
    mask = probe.unsure
    recorder.doubted[probe.id] |= mask
    values: list[Any] = [result]
    outcomes: list[int] = []
    for bit, mutant in enumerate(probe.mutants):
        if mutant is None:
            outcomes.append(-1 - bit)
            continue
        try:
            value = _frozen(mutant(*operands))
        except Exception as error:  # noqa: BLE001 - whatever a mutant raises is its outcome
            value = _raised(error)
        place = next((number for number, known in enumerate(values) if same(known, value)), None)
        if place is None:
            values.append(value)
            place = len(values) - 1
        outcomes.append(place)
        if place:
            mask |= 1 << bit
    if len(outcomes) > 1:
        recorder.refine(probe.id, outcomes)
    return mask


def _raised(error: Exception) -> tuple[str, str, str]:
    """What raising an exception is as an outcome."""
    return ("raised", type(error).__name__, str(error))


def _may_infect(probe: Probe, recorder: Recorder, sight: Sight, mask: int) -> None:
    """Count mutants as infected that nobody evaluated."""
    sight.mask |= mask
    recorder.doubted[probe.id] |= mask


def _unsure(probe: Probe, recorder: Recorder, sight: Sight) -> None:
    """Every mutant may be infected: only a run can tell."""
    _may_infect(probe, recorder, sight, probe.every)
    if len(probe.mutants) > 1:
        recorder.refine(probe.id, list(range(len(probe.mutants))))


def _compare(probe: Probe, recorder: Recorder) -> Observer:
    original = probe.original
    assert original is not None  # noqa: S101 - a rule that names this kind gives a template
    memo: dict[Any, Any] = recorder.memo()
    number = probe.id

    def look(left: Any, right: Any) -> Any:
        sight = recorder.context.get(number) or recorder.sight(number)
        kind_left, kind_right = type(left), type(right)
        if kind_left in SCALARS and kind_right in SCALARS:
            key = (kind_left, left, kind_right, right)
            entry = memo.get(key)
            if entry is None:
                entry = _comparison(probe, recorder, left, right)
                if len(memo) < MOST_MEMOS:
                    memo[key] = entry
            result, mask, side, distance, value = entry
            if result is _MISSING:
                sight.mask |= mask
                return original(left, right)  # raises, as it did before
            sight.mask |= mask
            if side is not None:
                sight.meet(side, distance, value)
            return result
        if is_plain(left) and is_plain(right):
            result, mask, side, distance, value = _comparison(probe, recorder, left, right)
            sight.mask |= mask
            if side is not None:
                sight.meet(side, distance, value)
            return original(left, right) if result is _MISSING else result
        return _compare_others(probe, recorder, sight, left, right)

    return look


def _compare_others(probe: Probe, recorder: Recorder, sight: Sight, left: Any, right: Any) -> Any:
    """The same for values that are not plain."""
    if array_values.are_comparable(left, right):
        return _compare_arrays(probe, recorder, sight, left, right)
    if type(type(left)) is enum.EnumMeta or type(type(right)) is enum.EnumMeta:
        return _compare_members(probe, recorder, sight, left, right)
    _unsure(probe, recorder, sight)
    assert probe.original is not None  # noqa: S101 - the observer looked
    return probe.original(left, right)


def _compare_arrays(probe: Probe, recorder: Recorder, sight: Sight, left: Any, right: Any) -> Any:
    """The same for values of numpy and pandas, whose elements may stand on several sides."""
    assert probe.original is not None  # noqa: S101 - the observer looked
    try:
        result = probe.original(left, right)
    except Exception as error:
        sight.mask |= _evaluate(probe, recorder, (left, right), _raised(error))
        raise
    with array_values.quietly():
        sight.mask |= _evaluate(probe, recorder, (left, right), array_values.frozen(result))
    threshold, value = (right, left) if probe.threshold else (left, right)
    for side, distance, element, met in array_values.sides(value, threshold):
        sight.meet(side, distance, element if probe.known_threshold else Against(element, met))
    return result


def _compare_members(probe: Probe, recorder: Recorder, sight: Sight, left: Any, right: Any) -> Any:
    """The same for members of enumerations: plain numbers and texts, or in an order of their own."""
    assert probe.original is not None  # noqa: S101 - the observer looked
    plain_left, plain_right = _plain_member(left), _plain_member(right)
    if plain_left is not _MISSING and plain_right is not _MISSING:
        _, mask, side, distance, value = _comparison(probe, recorder, plain_left, plain_right)
        sight.mask |= mask
        if side is not None:
            sight.meet(side, distance, value)
        return probe.original(left, right)
    _unsure(probe, recorder, sight)
    result = probe.original(left, right)
    if type(left) is type(right) and probe.order is not None and type(result) is bool:
        threshold, value = (right, left) if probe.threshold else (left, right)
        is_less = (probe.order == result) == (value is left)  # what was asked told the order already
        side = "at" if value is threshold else "below" if is_less else "above"
        sight.meet(side, None, value if probe.known_threshold else Against(value, threshold))
    return result


def _plain_member(value: Any) -> Any:
    """A plain value, also of a member that compares as the number or text that it is; `_MISSING` for any other."""
    kind = type(value)
    if kind in SCALARS:
        return value
    for base, plain in ((int, int.__index__), (str, str.__str__), (float, float.__float__)):
        if issubclass(kind, base) and all(getattr(kind, name) is getattr(base, name) for name in _ORDER):
            return plain(value)
    return _MISSING


def _comparison(
    probe: Probe, recorder: Recorder, left: Any, right: Any
) -> tuple[Any, int, str | None, float | None, Any]:
    """Result, mask, side of the threshold, distance to it and the value that was compared with it."""
    try:
        result = probe.original(left, right)  # type: ignore[misc] # checked by the builder
    except Exception as error:  # noqa: BLE001 - the caller raises it again, in its place
        return _MISSING, _evaluate(probe, recorder, (left, right), _raised(error)), None, None, None
    mask = _evaluate(probe, recorder, (left, right), result)
    threshold, value = (right, left) if probe.threshold else (left, right)
    seen = value if probe.known_threshold else Against(value, threshold)
    return (result, mask, *_side(value, threshold), seen)


def _side(value: Any, threshold: Any) -> tuple[str | None, float | None]:
    """On which side of the threshold a value stands, and how far from it (None where distance has no meaning)."""
    try:
        side = "below" if value < threshold else "above" if value > threshold else None
    except (TypeError, ArithmeticError):  # no order between them; a decimal that is no number has none with any
        side = None
    if side is None:
        return ("at", 0.0) if value == threshold else (None, None)
    if type(value) in NUMBERS and type(threshold) in NUMBERS:
        try:
            return side, abs(float(value) - float(threshold))
        except (OverflowError, ValueError):
            return side, None
    if isinstance(value, datetime.date | datetime.timedelta):
        gap = value - threshold  # they compare, so they subtract
        return side, abs(gap.total_seconds())
    return side, None


def _pure(probe: Probe, recorder: Recorder) -> Observer:
    """A call whose operands are all plain values; operand 0 may be the function that is called."""
    return _calling(probe, recorder, prepare=tuple)


def _iterable(probe: Probe, recorder: Recorder) -> Observer:
    """The same for a function that goes through operand 1 once: an iterator is read into a list first.

    `reversed` goes another way: it asks an object for `__reversed__` or its items by number, and takes no iterator.
    """

    def prepare(operands: tuple[Any, ...]) -> tuple[Any, ...]:
        callee, items, *rest = operands
        if _has_no_order(items):
            recorder.unordered.add(probe.id)
            _may_infect(probe, recorder, recorder.sight(probe.id), probe.every)
        if callee is reversed or type(items) in CONTAINERS or type(items) in SCALARS:
            return operands
        return (callee, list(items), *rest)

    return _calling(probe, recorder, prepare=prepare)


STEADY_HASHES = {int, float, bool, complex}


def _has_no_order(items: object) -> bool:
    """Whether the order of some items is another one in the next process: texts and most objects hash by chance."""
    if not isinstance(items, set | frozenset) or len(items) < 2:
        return False
    return not all(type(one) in STEADY_HASHES for one in items)


def _calling(probe: Probe, recorder: Recorder, prepare: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Observer:
    original = probe.original
    assert original is not None  # noqa: S101 - a rule that names this kind gives a template
    memo: dict[Any, tuple[Any, int]] = recorder.memo()
    number = probe.id
    one_operand = probe.one_operand

    def look(*operands: Any) -> Any:
        sight = recorder.context.get(number) or recorder.sight(number)
        if one_operand and type(operands[0]) in REPLAYABLE:
            entry = memo.get((type(operands[0]), operands[0]))
            if entry is not None:
                sight.mask |= entry[1]
                return entry[0]
        by_function = _is_known(operands[0])
        if by_function:
            operands = prepare(operands)
        given = operands[1:] if by_function else operands
        if operands[0] is int:
            (recorder.parsed if type(given[0]) in TEXTS else recorder.numeric).add(number)
        if sight.sample is None:
            sight.sample = given
        if not all(is_plain(value) or (by_function and _is_known(value)) for value in given):
            return _impure_call(probe, recorder, sight, operands)
        try:
            result = original(*operands)
        except Exception as error:
            sight.mask |= _evaluate(probe, recorder, operands, _raised(error))
            raise
        comparable = _frozen(original(*operands)) if type(result) in _ITERATORS else _frozen(result)
        mask = _evaluate(probe, recorder, operands, comparable)
        sight.mask |= mask
        if one_operand and type(operands[0]) in REPLAYABLE and type(result) in SCALARS and len(memo) < MOST_MEMOS:
            memo[type(operands[0]), operands[0]] = (result, mask)
        return result

    return look


def _is_known(value: object) -> bool:
    """Whether calling a value runs no code but the standard library's: `sorted`, `math.floor`, `str.lower`."""
    kind = type(value)
    if kind is types.MethodDescriptorType:
        return value.__objclass__ in SCALARS  # type: ignore[attr-defined] # a descriptor has its class
    if kind is types.BuiltinMethodType and value.__name__ == "fromkeys":  # type: ignore[attr-defined] # a builtin has its name
        return value.__self__ in {dict, collections.OrderedDict}  # type: ignore[attr-defined] # and what it belongs to
    if kind is types.FunctionType and (value.__code__.co_filename, value.__code__.co_qualname) in PURE_BY_PLACE:  # type: ignore[attr-defined] # a function has its code
        return True
    # these kinds hash by identity, so looking them up runs nothing of theirs
    return kind in {types.BuiltinFunctionType, types.FunctionType, type} and value in PURE_FUNCTIONS


def _frozen(value: object) -> object:
    """A value that can be compared: what an iterator would give, what a set or dict holds in its order."""
    if type(value) in _ITERATORS or type(value) in {set, frozenset}:
        return list(value)  # type: ignore[call-overload] # it iterates
    return array_values.frozen(value) if type(value) not in SCALARS else value


def _impure_call(probe: Probe, recorder: Recorder, sight: Sight, operands: tuple[Any, ...]) -> Any:
    """Call the original; where it gave the very elements it got, in their order, dropping it makes no difference."""
    mask = probe.every
    try:
        result = probe.original(*operands)  # type: ignore[misc] # checked by the builder
    except BaseException:
        _may_infect(probe, recorder, sight, mask)
        raise
    items: Any = operands[1] if len(operands) > 1 else None
    if type(items) in {list, tuple} and type(result) in {list, set, dict} and len(result) == len(items):
        kept = all(one is other for one, other in zip(result, items, strict=True))
        for bit, template in enumerate(probe.templates):
            if kept and template == "list({1})":
                mask &= ~(1 << bit)
    _may_infect(probe, recorder, sight, mask)
    if len(probe.mutants) > 1:
        recorder.refine(probe.id, list(range(len(probe.mutants))))
    return result


def _duplicates(probe: Probe, recorder: Recorder) -> Observer:
    """`set(xs)` whose order nobody sees: infected where something was dropped."""
    number = probe.id
    original = probe.original

    def look(callee: Any, items: Any) -> Any:
        sight = recorder.sight(number)
        if not _is_known(callee):
            _may_infect(probe, recorder, sight, probe.every)
            return original(callee, items)  # type: ignore[misc] # a rule that names this kind gives a template
        if type(items) not in CONTAINERS:
            items = list(items)
        result = original(callee, items)  # type: ignore[misc] # a rule that names this kind gives a template
        if sight.sample is None:
            sight.sample = (items,)
        if len(result) != len(items):
            sight.mask |= probe.every
        return result

    return look


def _inplace(probe: Probe, recorder: Recorder) -> Observer:
    """`xs.sort()` and `xs.reverse()`: infected where the list is not as it was."""
    number = probe.id
    original = probe.original

    def look(*operands: Any) -> Any:
        sight = recorder.sight(number)
        receiver = operands[0]
        before = list(receiver) if type(receiver) is list else None
        result = original(*operands)  # type: ignore[misc] # a rule that names this kind gives a template
        if sight.sample is None and before is not None and is_plain(before):
            sight.sample = (before,)
        moved = before is None or any(one is not other for one, other in zip(before, receiver, strict=False))
        _may_infect(probe, recorder, sight, probe.every if before is None else probe.unsure)
        sight.mask |= probe.every if moved else 0
        return result

    return look


def _missing_key(probe: Probe, recorder: Recorder) -> Observer:
    """`.get(k, d)`, `.pop(k, d)`, `.setdefault(k, d)`: infected where the key is missing and the default not None."""
    number = probe.id
    original = probe.original
    raises_without = any(template is not None and ".pop(" in template for template in probe.templates)

    def look(receiver: Any, key: Any, default: Any) -> Any:
        sight = recorder.sight(number)
        if type(receiver) in MAPPINGS and is_plain(key):
            try:
                if key not in receiver and (raises_without or default is not None):
                    sight.mask |= probe.every
            except TypeError:
                sight.mask |= probe.every  # the call itself raises it in a moment
            if sight.sample is None:
                sight.sample = (key,)
        else:
            _may_infect(probe, recorder, sight, probe.every)
        return original(receiver, key, default)  # type: ignore[misc] # a rule that names this kind gives a template

    return look


def _missing(probe: Probe, recorder: Recorder) -> Observer:
    """`getattr(o, n, d)`, `next(it, d)`: called with a mark of ours, which tells whether the default was used."""
    number = probe.id
    original = probe.original

    def look(*operands: Any) -> Any:
        sight = recorder.sight(number)
        callee = operands[0]
        if not any(callee is known for known in (getattr, next, os.getenv)):
            _may_infect(probe, recorder, sight, probe.every)
            return original(*operands)  # type: ignore[misc] # a rule that names this kind gives a template
        *given, default = operands
        result = original(*given, _MISSING)  # type: ignore[misc] # a rule that names this kind gives a template
        if sight.sample is None:
            sight.sample = tuple(given[1:])
        if result is not _MISSING:
            return result
        if callee is not os.getenv or default is not None:
            sight.mask |= probe.every
        return default

    return look


def _falsy(probe: Probe, recorder: Recorder) -> Observer:
    """The left side of `x or d`: infected where it is falsy and not the default itself."""
    number = probe.id

    def look(left: Any, *default: Any) -> Any:
        sight = recorder.sight(number)
        if is_plain(left):
            if not left and not (default and same(left, default[0])):
                sight.mask |= probe.every
            if sight.sample is None:
                sight.sample = (left,)
        else:
            _may_infect(probe, recorder, sight, probe.every)
        return left

    return look


def _none(probe: Probe, recorder: Recorder) -> Observer:
    """`d if x is None else x`: infected where x is None."""
    number = probe.id

    def look(value: Any) -> None:
        sight = recorder.sight(number)
        if value is None:
            sight.mask |= probe.every
        if sight.sample is None and is_plain(value):
            sight.sample = (value,)

    return look


def _filtered(probe: Probe, recorder: Recorder) -> Observer:
    """`filter(f, xs)` that is read at once: infected where an item is left out."""
    number = probe.id
    original = probe.original

    def look(callee: Any, keep: Any, items: Any) -> Any:
        sight = recorder.sight(number)
        asks_nobody = keep is None or _is_known(keep)
        if asks_nobody and callee is filter and type(items) in ONE_BY_ONE:
            items = list(items)  # the rule sees to it that all are read before anything else happens
        drops = _drops(keep, items) if asks_nobody and callee is filter else None
        if drops is None:
            _may_infect(probe, recorder, sight, probe.every)
        else:
            sight.mask |= probe.every if drops else 0
            sight.sample = sight.sample or (items,)
        return original(callee, keep, items)  # type: ignore[misc] # a rule that names this kind gives a template

    return look


def _member(probe: Probe, recorder: Recorder) -> Observer:
    """`x in (A, B)`: of the values, the members are kept to be shown; dropping a member infects where it is met."""
    original = probe.original
    assert original is not None  # noqa: S101 - a rule that names this kind gives a template
    memo: dict[Any, tuple[Any, int]] = recorder.memo()
    number = probe.id

    def look(*operands: Any) -> Any:
        sight = recorder.context.get(number) or recorder.sight(number)
        value = operands[0]
        replayable = probe.one_operand and type(value) in REPLAYABLE
        entry = memo.get((type(value), value)) if replayable else None
        if entry is None:
            if not all(map(_compares_plainly, operands)):
                _unsure(probe, recorder, sight)
                return original(*operands)
            try:
                result = original(*operands)
            except Exception as error:
                sight.mask |= _evaluate(probe, recorder, operands, _raised(error))
                raise
            entry = (result, _evaluate(probe, recorder, operands, result))
            if replayable and len(memo) < MOST_MEMOS:
                memo[type(value), value] = entry
        result, mask = entry
        sight.mask |= mask
        if mask:
            _keep_member(sight, value)
        return result

    return look


def _drops(keep: Any, items: Any) -> bool | None:
    """Whether a known function is false for one of the items; None where asking could run code under test or raises."""
    if not is_plain(items) or type(items) not in CONTAINERS | {str, bytes}:
        return None
    try:
        return not all(items if keep is None else map(keep, items))
    except Exception:  # noqa: BLE001 - the call itself raises it in a moment
        return None


def _condition(probe: Probe, recorder: Recorder) -> Observer:
    """A condition of which only the truth is used: infected where it is false and a mutant says it holds."""
    number = probe.id

    def look(value: Any) -> bool:
        sight = recorder.sight(number)
        holds = bool(value)  # once, as the condition would
        if not holds:
            sight.mask |= probe.every
        if sight.sample is None and is_plain(value):
            sight.sample = (value,)
        return holds

    return look


def _truth(probe: Probe, recorder: Recorder) -> Observer:
    """`x is None`, `not x`, `if x`: all that matters is whether a value is None, empty, or anything else.

    What the expression gives is the value itself or a truth; the truth of an example of the same kind is handed on.
    """
    original = probe.original
    assert original is not None  # noqa: S101 - a rule that names this kind gives a template
    number = probe.id
    known: dict[int, tuple[int, Any, bool]] = recorder.memo()

    def learn(case: int) -> tuple[int, Any, bool]:
        example = (None, "", "full")[case]
        result = original(example)
        if case:
            recorder.numeric.add(number)
        return _evaluate(probe, recorder, (example,), bool(result)), result, result is example

    def look(value: Any) -> Any:
        sight = recorder.context.get(number) or recorder.sight(number)
        kind = type(value)
        if value is None:
            case = 0
        elif kind in EMPTIABLE:
            case = 2 if value else 1
        else:
            return _truth_of_object(probe, recorder, sight, value)
        entry = known.get(case)
        if entry is None:
            entry = known[case] = learn(case)
        sight.mask |= entry[0]
        if sight.sample is None and (kind in SCALARS or is_plain(value)):
            sight.sample = (list(value) if kind is list else value,)  # the list may change
        return value if entry[2] else entry[1]

    return look


def _truth_of_object(probe: Probe, recorder: Recorder, sight: Sight, value: Any) -> Any:
    """The same for a value of any other kind: an object is true where nothing of its class says otherwise."""
    original = probe.original
    assert original is not None  # noqa: S101 - the observer looked
    askers = _askers(type(value))
    (recorder.numeric if askers else recorder.parsed).add(probe.id)
    if not askers <= EMPTIABLE:
        _unsure(probe, recorder, sight)
        return original(value)
    result = original(value)
    like = _SOLID if not askers or value else ""
    sight.mask |= _evaluate(probe, recorder, (like,), bool(result))
    return result


def _askers(kind: type) -> set[type]:
    """The classes that say whether an object is true or how long it is: none where it is always true.

    Where all of them are Python's own, as for a named tuple, asking runs no code of somebody.
    """
    if type(kind) not in {type, abc.ABCMeta, enum.EnumMeta}:
        return {type(kind)}  # looking up an attribute may run the code of somebody's metaclass
    return {one for one in kind.__mro__ if "__bool__" in vars(one) or "__len__" in vars(one)}


def _slice(probe: Probe, recorder: Recorder) -> Observer:
    """`xs[a:b]`: operand 0 has the items."""
    return _limited(probe, recorder, 0)


def _islice(probe: Probe, recorder: Recorder) -> Observer:
    """`islice(xs, n)` and `batched(xs, n)`: operand 0 is the function, operand 1 has the items."""
    return _limited(probe, recorder, 1)


def _limited(probe: Probe, recorder: Recorder, place: int) -> Observer:
    """Part of a sequence: which part depends on its length alone, so the mutants get as many numbers in its place."""
    original = probe.original
    assert original is not None  # noqa: S101 - a rule that names this kind gives a template
    memo: dict[Any, int] = recorder.memo()
    number = probe.id

    def look(*operands: Any) -> Any:
        sight = recorder.context.get(number) or recorder.sight(number)
        items = operands[place]
        others = (*operands[:place], *operands[place + 1 :])
        result = original(*operands)
        if type(items) not in SEQUENCES or not all(type(one) in REPLAYABLE or _is_known(one) for one in others):
            _unsure(probe, recorder, sight)
            return result
        if sight.sample is None and is_plain(items):
            sight.sample = (list(items) if type(items) is list else items,)  # the list may change
        key = (len(items), *others)
        mask = memo.get(key)
        if mask is None:
            numbers = (*operands[:place], range(len(items)), *operands[place + 1 :])
            mask = _evaluate(probe, recorder, numbers, _frozen(original(*numbers)))
            if len(memo) < MOST_MEMOS:
                memo[key] = mask
        sight.mask |= mask
        return result

    return look


def _compares_plainly(value: object) -> bool:
    """Whether looking for a value, or for what equals it, runs no code but the standard library's: so do enums."""
    if is_plain(value):
        return True
    kind = type(value)
    if type(kind) is not type and type(kind) is not enum.EnumMeta:
        return False  # looking up an attribute may run the code of somebody's metaclass
    return any(kind.__eq__ is one for one in PLAIN_EQUALITIES) and any(kind.__hash__ is one for one in PLAIN_HASHES)


def _keep_member(sight: Sight, value: object) -> None:
    known = sight.sample or ()
    if len(known) < MOST_SHOWN and not any(same(value, one) for one in known):
        sight.sample = (*known, value)


def _constant(probe: Probe, recorder: Recorder) -> Observer:
    """A number that is what it is: any other infects wherever it is evaluated."""
    number = probe.id

    def look(value: Any) -> Any:
        recorder.sight(number).mask |= probe.every
        return value

    return look


def _matched(probe: Probe, recorder: Recorder) -> Observer:
    """A case without a guard: infected wherever its pattern matches."""
    number = probe.id

    def look() -> bool:
        recorder.sight(number).mask |= probe.every
        return True

    return look


def _touch(probe: Probe, recorder: Recorder) -> Observer:
    number = probe.id

    def look() -> None:
        _unsure(probe, recorder, recorder.sight(number))

    return look


_BUILDERS: dict[str, Callable[[Probe, Recorder], Observer]] = {
    "compare": _compare,
    "pure": _pure,
    "iterable": _iterable,
    "duplicates": _duplicates,
    "inplace": _inplace,
    "missing-key": _missing_key,
    "missing": _missing,
    "falsy": _falsy,
    "none": _none,
    "filtered": _filtered,
    "condition": _condition,
    "member": _member,
    "truth": _truth,
    "slice": _slice,
    "islice": _islice,
    "constant": _constant,
    "matched": _matched,
    "touch": _touch,
    "reached": _touch,
}
