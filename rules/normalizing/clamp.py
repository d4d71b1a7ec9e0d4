"""FP211: deleting one bound of a value."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, MutantDraft, Rule, Source
from fencepost.rules.boundary._comparison import is_constant, is_length
from fencepost.rules.normalizing._calls import CallShape, call_around, call_shape, is_literally, method_name, shown
from fencepost.rules.normalizing._dropping import dropping_call

OPPOSITE = {"min": "max", "max": "min"}
BEYOND = {"min": "above", "max": "below"}
# how surely an operand is the bound, and not the value that is bounded
VALUE, LENGTH, NAMED, CONSTANT = range(4)
BOUND_NAME = re.compile(
    r"(.*_)?(min|max|minimum|maximum|limit|lower|upper|lo|hi|low|high|cap|ceiling|floor|bound|least|most)(_.*)?",
    re.IGNORECASE,
)
PADDING = frozenset({"ljust", "rjust", "center", "zfill"})
CLIP_BOUNDS = (("a_min", "min"), ("a_max", "max"))


class Clamp(Rule):
    """A bound on a value, which no test would miss.

    ## What it does
    Drops each bound on its own from `min` and `max` of a value and a constant, a length or a name that says bound
    (`max_width`, `limit`), and from clamps nested in each other: of `max(0, min(x, 10))` is left `min(x, 10)`, and
    `max(0, x)`. Also from `numpy.clip`; and `abs(x)` becomes `x`. A `min` or `max` over the items of one iterable, or
    of two values of the same kind, is a choice and no clamp.

    ## Why it matters
    A bound is there for the values that should not come, and tests mostly send the ones that should. A negative count
    or a page of a million items is then decided by nobody.

    ## What to do
    Add a test with a value beyond each bound, such as `-1` and `11` for the one above, and assert that it stops there.
    """

    code = "FP211"
    name = "clamp"
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="def volume(level):\n    return max(0, min(level, 10))\n",
            tests="def test_beyond_both_ends():\n    assert (volume(-1), volume(11)) == (0, 10)\n",
        ),
        Example(
            code="def distance(a, b):\n    return abs(a - b)\n",
            tests="def test_backwards():\n    assert distance(1, 3) == 2\n",
        ),
        Example(
            code="def first(items, count):\n    return items[: min(count, len(items))], max(0, len(items))\n",
            tests="def test_too_many():\n    assert first([1, 2], 3) == ([1, 2], 2)\n",
        ),
        Example(
            code="def longest(names, other):\n    return max(max(names, key=len), other, key=len)\n",
            tests="def test_names():\n    assert longest(['a', 'ab'], 'b') == 'ab'\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def volume(level):\n    return max(0, min(level, 10))\n",
            tests="def test_only_too_loud():\n    assert (volume(5), volume(11)) == (5, 10)\n",
            survivors=("min(level, 10)",),
        ),
        Example(
            code="def volume(level, lowest, loudest):\n    return min(max(lowest, level), loudest)\n",
            tests="def test_only_too_low():\n    assert (volume(-1, 0, 10), volume(5, 0, 10)) == (0, 5)\n",
            survivors=("max(lowest, level)",),
        ),
        Example(
            code="def distance(a, b):\n    return abs(a - b)\n",
            tests="def test_forwards():\n    assert distance(3, 1) == 2\n",
            survivors=("(a - b)",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        call = cst.ensure_type(node, cst.Call)
        name = source.resolves_to(call.func)
        shape = call_shape(call, method=False)
        draft = None
        if shape is None:
            return
        if name in OPPOSITE:
            draft = _bounded_draft(shape, name, source)
        elif name == "abs":
            draft = _absolute_draft(shape, source)
        elif name == "numpy.clip":
            draft = _clip_draft(shape, source)
        if draft is not None:
            yield draft


def _bounded_draft(shape: CallShape, name: str, source: Source) -> Draft | None:
    """The draft of a `min` or `max` of a value and its bounds, each of which is dropped on its own."""
    if not _is_of_several(shape.call):
        return None
    bounds = _bounds(shape, name, source)
    if not bounds:
        return None
    mutants = [_without(shape, bound) for bound in bounds]
    told = " and ".join(shown(shape.operands[bound], source) for bound in bounds)
    ask = f"use a value that would be {BEYOND[name]} {told}, so that `{shown(shape.call, source)}` stops it"
    draft = dropping_call(shape, source, ask=ask, mutants=mutants)
    return dataclasses.replace(draft, ignored=_never_beyond(shape, name, bounds, source))


def _is_of_several(call: cst.Call) -> bool:
    """Whether a call has two arguments or more and nothing else: no key, nothing unpacked."""
    return len(call.args) > 1 and not any(given.keyword or given.star for given in call.args)


def _without(shape: CallShape, bound: int) -> str:
    kept = [number for number in range(1, len(shape.operands)) if number != bound]
    if len(kept) == 1:
        return f"{{{kept[0]}:atom}}"
    return f"{shape.head}({', '.join(f'{{{number}}}' for number in kept)})"


def _bounds(shape: CallShape, name: str, source: Source) -> Sequence[int]:
    """The operands that bound the others, by number; none where the call only chooses."""
    numbers = range(1, len(shape.operands))
    sureness = {number: _sureness(shape.operands[number], source) for number in numbers}
    surest = max(sureness.values())
    clamped = [number for number in numbers if _is_clamp(shape.operands[number], OPPOSITE[name], source)]
    if min(sureness.values()) < surest:
        return [number for number in numbers if sureness[number] == surest and number not in clamped]
    if surest == CONSTANT:
        return []
    if len(clamped) == 1:
        return [number for number in numbers if number not in clamped]
    # inside a clamp, where nothing says which of two is the bound, each may be
    return numbers if not clamped and _is_inside_clamp(shape.call, name, source) else []


def _sureness(node: cst.BaseExpression, source: Source) -> int:
    if is_constant(node, source):
        return CONSTANT
    if isinstance(node, cst.BinaryOperation):
        return min(_sureness(node.left, source), _sureness(node.right, source))
    if isinstance(node, cst.UnaryOperation):
        return _sureness(node.expression, source)
    if is_length(node, source):
        return LENGTH
    last = node.attr if isinstance(node, cst.Attribute) else node
    named = isinstance(last, cst.Name) and BOUND_NAME.fullmatch(last.value) is not None
    return NAMED if named and not _is_kept_best(node, source) else VALUE


def _is_kept_best(node: cst.BaseExpression, source: Source) -> bool:
    """Whether the visited call goes back into its own argument: `most = max(most, n)` keeps a best, no bound."""
    around = source.parent()
    targets = [target.target for target in around.targets] if isinstance(around, cst.Assign) else []
    return any(target.deep_equals(node) for target in targets)


def _is_clamp(node: cst.BaseExpression, name: str, source: Source) -> bool:
    return isinstance(node, cst.Call) and source.resolves_to(node.func) == name and _is_of_several(node)


def _is_inside_clamp(call: cst.Call, name: str, source: Source) -> bool:
    """Whether the visited call is the one argument of the opposite kind that another clamp has."""
    around = call_around(source)
    if around is None or not _is_clamp(around, OPPOSITE[name], source):
        return False
    return [given.value for given in around.args if _is_clamp(given.value, name, source)] == [call]


def _never_beyond(shape: CallShape, name: str, bounds: Sequence[int], source: Source) -> str | None:
    """Why no value could be beyond the bounds of a clamp; None where one could."""
    if len(shape.operands) != 3 or len(bounds) != 1:
        return None
    bound, value = shape.operands[bounds[0]], shape.operands[3 - bounds[0]]
    limit = source.number(bound)
    if name == "max" and limit is not None and limit <= 0 and _is_never_negative(value, source):
        return f"equivalent by type: `{shown(value, source)}` is never below 0"
    if name == "max" and limit == 0 and _is_number_of_times(shape.call, source):
        return "equivalent: fewer than 0 times is never, as 0 times is"
    if name == "min" and is_length(bound, source) and _is_slice_end(cst.ensure_type(bound, cst.Call), source):
        return "equivalent: a slice ends where its sequence does"
    return None


def _is_number_of_times(call: cst.Call, source: Source) -> bool:
    """Whether the visited call says how often pieces are repeated, how far a range goes, or how wide a text becomes."""
    around = source.parent()
    if isinstance(around, cst.BinaryOperation) and isinstance(around.operator, cst.Multiply):
        pieces = around.left if around.right is call else around.right
        return isinstance(pieces, cst.SimpleString | cst.FormattedString | cst.List | cst.Tuple)
    user = call_around(source)
    if user is None or user.args[0].value is not call:
        return False
    return method_name(user) in PADDING or (source.resolves_to(user.func) == "range" and len(user.args) == 1)


def _is_never_negative(node: cst.BaseExpression, source: Source) -> bool:
    return is_length(node, source) or (isinstance(node, cst.Call) and source.resolves_to(node.func) == "abs")


def _is_slice_end(length: cst.Call, source: Source) -> bool:
    """Whether the visited call bounds a slice by the length of the very sequence that is sliced."""
    subscript = source.parent(3)
    if not isinstance(source.parent(), cst.Slice) or not isinstance(subscript, cst.Subscript) or not length.args:
        return False
    return subscript.value.deep_equals(length.args[0].value)


def _absolute_draft(shape: CallShape, source: Source) -> Draft | None:
    if len(shape.positional) != 1 or shape.keywords or source.number(shape.operands[1]) is not None:
        return None
    value = shape.operands[1]
    ask = f"use a value for which `{shown(value, source)}` is negative"
    draft = dropping_call(shape, source, ask=ask, mutants=["{1:atom}"])
    never = f"equivalent by type: `{shown(value, source)}` is never below 0"
    return dataclasses.replace(draft, ignored=never if _is_never_negative(value, source) else None)


def _clip_draft(shape: CallShape, source: Source) -> Draft | None:
    """The draft of `numpy.clip(x, lo, hi)`, of which a run alone can tell: arrays compare element by element."""
    replacements = [text for bound in range(2) for text in _unclipped(shape, bound, source)]
    if not replacements:
        return None
    ask = f"use values beyond each bound of `{shown(shape.call, source)}`, and assert where they stop"
    return Draft(shape.call, "call", ask, [MutantDraft(text, None) for text in replacements])


def _unclipped(shape: CallShape, bound: int, source: Source) -> Iterator[str]:
    """The text of a call of `numpy.clip` with None for one bound, where the other is given; else nothing."""
    given = [_clip_bound(shape, number) for number in range(2)]
    mine, other = given[bound], given[1 - bound]
    absent = [one is None or is_literally(one.value, "None") for one in (mine, other)]
    if mine is None or not shape.positional or any(absent):
        return
    parts = []
    for one in shape.call.args:
        text = "None" if one is mine else source.text(one.value)
        parts.append(f"{one.keyword.value}={text}" if one.keyword else text)
    yield f"{source.text(shape.call.func)}({', '.join(parts)})"


def _clip_bound(shape: CallShape, bound: int) -> cst.Arg | None:
    positional = [one for one in shape.call.args if one.keyword is None]
    if len(positional) > bound + 1:
        return positional[bound + 1]
    return next((one for one in shape.call.args if one.keyword and one.keyword.value in CLIP_BOUNDS[bound]), None)
