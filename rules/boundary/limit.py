"""FP107: as many items as the limit, and one more."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import ClassVar

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, Example, Rule, Source, over_operands
from fencepost.rules.boundary._comparison import SIGNS, is_length, stepped
from fencepost.rules.normalizing._calls import CallShape, call_shape, is_literally, observed, shown

# for each number of arguments, the places of those that limit; a step of its own could hide what is one off
LIMITS: dict[str, dict[int, tuple[int, ...]]] = {
    "range": {1: (0,), 2: (0, 1)},
    "itertools.islice": {2: (1,), 3: (1, 2)},
    "itertools.batched": {2: (1,)},
}


class Limit(Rule):
    """A limit on a number of items, which could be one off and no test would notice.

    ## What it does
    Moves each bound of a slice that is a number (`xs[:10]`, `xs[1:]`, `xs[-LIMIT:]`) one up and one down, and so the
    number in `range(10)`, `itertools.islice(xs, 10)` and `itertools.batched(xs, 10)`. `range(len(xs))` becomes
    `range(len(xs) - 1)`. Slices and ranges with a step of their own are left alone.

    ## Why it matters
    A page, a preview, a batch, a number of tries: tests mostly use few items, and below the limit every limit is the
    same.

    ## What to do
    Use exactly as many items as the limit, and one more, and assert which of them come out.
    """

    code = "FP107"
    name = "limit"
    node_types = (cst.Subscript, cst.Call)

    VALID: ClassVar = [
        Example(
            code="def newest(entries):\n    return entries[:3]\n",
            tests="def test_one_too_many():\n    assert newest('abcd') == 'abc'\n",
        ),
        Example(
            code="TRIES = 3\n\ndef attempts(call):\n    return [call() for _ in range(TRIES)]\n",
            tests="def test_number():\n    assert len(attempts(int)) == 3\n",
        ),
        Example(
            code="from itertools import islice\n\ndef body(rows):\n    return list(islice(rows, 1, None))\n",
            tests="def test_rows():\n    assert body(['head', 'a', 'b']) == ['a', 'b']\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def newest(entries):\n    return entries[:3]\n",
            tests="def test_few():\n    assert newest('abc') == 'abc' and newest('') == ''\n",
            survivors=("entries[:4]",),
        ),
        Example(
            code="KEPT = 2\n\ndef tail(lines):\n    return lines[-KEPT:]\n",
            tests="def test_one():\n    assert tail(['a']) == ['a']\n",
            survivors=("lines[-(KEPT - 1):]", "lines[-(KEPT + 1):]"),
        ),
        Example(
            code="def swap(xs):\n    for i in range(len(xs)):\n        xs[i] = xs[i].strip()\n    return xs\n",
            tests="def test_first():\n    assert swap([' a', 'b']) == ['a', 'b']\n",
            survivors=("range(len(xs) - 1)",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        if isinstance(node, cst.Subscript):
            yield from _slice_drafts(node, source)
        else:
            yield from _call_drafts(cst.ensure_type(node, cst.Call), source)


def _slice_drafts(node: cst.Subscript, source: Source) -> Iterator[Draft]:
    """A draft for each bound of `xs[a:b]` that is a number."""
    bounds = _bounds(node)
    if bounds is None or _is_target(node, source):
        return
    operands = [node.value]
    spelled = [_spelled(bound, operands, source) for bound in bounds]
    for place, bound in enumerate(bounds):
        value = None if bound is None else _constant(bound, source)
        if bound is None or not value:
            continue
        templates = _moved_slices(bounds, spelled, place, source)
        yield Draft(
            node,
            "limit",
            _ask(node, node.value, None if all(bounds) else abs(value), source),
            [over_operands(template, operands, source) for template in templates],
            operands,
            "slice",
            Shape.VALUE,
            _slice(*spelled),
        )


def _bounds(node: cst.Subscript) -> Sequence[cst.BaseExpression | None] | None:
    """The two bounds of the only slice of a subscript; None where there is another one, or a step."""
    only, *others = node.slice
    if others or not isinstance(only.slice, cst.Slice) or only.slice.step is not None:
        return None
    return only.slice.lower, only.slice.upper


def _is_target(node: cst.CSTNode, source: Source) -> bool:
    """Whether the visited node is assigned to or deleted: then it is no expression that has a value."""
    level, child = 1, node
    while isinstance(around := source.parent(level), cst.Tuple | cst.List | cst.BaseElement):
        level, child = level + 1, around
    if isinstance(around, cst.AssignTarget | cst.Del | cst.AsName):
        return True
    return child is getattr(around, "target", None)  # of `for`, of a comprehension, of `+=`


def _spelled(bound: cst.BaseExpression | None, operands: list[cst.BaseExpression], source: Source) -> str:
    """A bound as a template has it: as written where it is a number, else over an operand, which is added."""
    if bound is None:
        return ""
    name = _negated_name(bound)
    if name is None and not isinstance(bound, cst.Name | cst.Attribute) and source.number(bound) is not None:
        return source.text(bound)
    operands.append(name or bound)
    return f"{'-' if name else ''}{{{len(operands) - 1}}}"


def _negated_name(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """The name in `-LIMIT`; None for anything else."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus) and not node.lpar:
        return node.expression if isinstance(node.expression, cst.Name | cst.Attribute) else None
    return None


def _constant(node: cst.BaseExpression, source: Source) -> int | None:
    """The value of a whole number, or of a name or a negated name for one."""
    name = _negated_name(node)
    value = source.number(name or node)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return -value if name else value


def _slice(lower: str, upper: str) -> str:
    return f"{{0:atom}}[{lower}:{upper}]"


def _moved_slices(
    bounds: Sequence[cst.BaseExpression | None], spelled: Sequence[str], place: int, source: Source
) -> Iterator[str]:
    """The templates of a slice with the bound at a place one step down, and one step up."""
    bound = bounds[place]
    assert bound is not None  # noqa: S101 - the caller looks for those that are numbers
    for direction in (-1, 1):
        changed = list(spelled)
        changed[place] = _moved(bound, spelled[place], source, direction)
        if (_constant(bound, source), direction) == (-1, 1):
            # without the last 0 items it is all of them, and the last 0 items are none
            changed[place] = ""
            if place == 0:
                changed[1] = "0"
        if place == 1 or direction == -1 or not _adds_nothing(bounds, source):
            yield _slice(*changed)


def _adds_nothing(bounds: Sequence[cst.BaseExpression | None], source: Source) -> bool:
    """Whether a lower bound one step up says what the upper one says one step down, or begins at the other end."""
    start, end = (None if bound is None else _constant(bound, source) for bound in bounds)
    if bounds[1] is None or start is None:
        return False
    return start == -1 or (end is not None and end - start == 1)


def _moved(node: cst.BaseExpression, spelled: str, source: Source, direction: int) -> str:
    """The template of a number one step up (1) or down (-1)."""
    if _negated_name(node):
        return f"-({spelled[1:]} {SIGNS[-direction]} 1)"
    if isinstance(node, cst.Name | cst.Attribute):
        return f"{spelled} {SIGNS[direction]} 1"
    return stepped(_constant(node, source) or 0, direction, source.text(node))


def _ask(part: cst.BaseExpression, items: cst.BaseExpression, limit: int | None, source: Source) -> str:
    """What to try: the limit and one more, or where two numbers are at work, what shows both of them."""
    if limit is None:
        return f"use `{shown(items, source)}` that goes on past both ends of `{shown(part, source)}`, and assert both"
    return f"use `{shown(items, source)}` of length {limit}, and of length {limit + 1}, and assert what comes out"


def _call_drafts(call: cst.Call, source: Source) -> Iterator[Draft]:
    """A draft for each number that limits `range(a, b)`, `islice(xs, n)` or `batched(xs, n)`."""
    name = source.resolves_to(call.func) or ""
    shape = call_shape(call, method=False) if name in LIMITS else None
    if shape is None:
        return
    for place in LIMITS[name].get(len(shape.positional), ()):
        templates = list(_moved_calls(shape, name, place, source))
        if templates:
            ask = _ask_of_call(shape, name, place, source)
            observer = "pure" if name == "range" else "islice"
            yield observed(shape, source, observer=observer, ask=ask, templates=templates, kind="limit")


def _moved_calls(shape: CallShape, name: str, place: int, source: Source) -> Iterator[str]:
    """The templates of a call with the argument at a place one step down, and one step up."""
    arguments = shape.operands[1:]
    if name == "range" and place == len(arguments) - 1 and is_length(arguments[place], source):
        # one more than there are would only show that indexing raises
        yield _with_argument(shape, place, f"{shape.positional[place]} - 1")
        return
    value = _constant(arguments[place], source)
    if value is None or value < 1:
        return
    begins = place + 1 < len(arguments)
    for direction in (-1, 1):
        says_nothing = direction == 1 and begins and _adds_nothing(arguments[place:], source)
        raises = name == "itertools.batched" and value + direction == 0
        if not says_nothing and not raises:
            yield _with_argument(shape, place, _moved(arguments[place], shape.positional[place], source, direction))


def _with_argument(shape: CallShape, place: int, template: str) -> str:
    changed = (*shape.positional[:place], template, *shape.positional[place + 1 :])
    return dataclasses.replace(shape, positional=changed).template


def _ask_of_call(shape: CallShape, name: str, place: int, source: Source) -> str:
    if name == "range":
        return f"assert what the first and the last number of `{shown(shape.call, source)}` lead to"
    items, *limits = shape.operands[1:]
    only = limits[1:] == [] or is_literally(limits[1], "None")
    return _ask(shape.call, items, _constant(limits[place - 1], source) if only else None, source)
