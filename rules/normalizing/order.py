"""FP203: deleting a call that puts items in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, Example, MutantDraft, Rule, Source, over_operands
from fencepost.rules.normalizing._calls import (
    CallShape,
    argument,
    call_shape,
    is_literally,
    is_namespace,
    method_name,
    observed,
    shown,
    unobserved,
)

UNSORTED = "that is not in the order of the result already, such as [2, 1]"
BACKWARDS = "that reads differently backwards, such as [1, 2]"
KEYS_UNSORTED = "whose keys are not in order, such as {'b': 1, 'a': 2}"
SMALL_FIRST = "that begins with a small item, such as [1, 2]"
LARGE_FIRST = "that begins with a large item, such as [2, 1]"


@dataclass(frozen=True, slots=True)
class Ordering:
    """How a function orders: its deletion as a template, the keywords that can be dropped, the input that shows it.

    The deletion is empty where the function does more than put in order.
    """

    positional: int
    deletion: str
    keywords: tuple[str, ...]
    observer: str
    such_as: str


FUNCTIONS = {
    "sorted": Ordering(1, "list({1})", ("key", "reverse"), "iterable", UNSORTED),
    "reversed": Ordering(1, "iter({1})", (), "iterable", BACKWARDS),
    "heapq.nlargest": Ordering(2, "list({2})[:{1:atom}]", ("key",), "pure", SMALL_FIRST),
    "heapq.nsmallest": Ordering(2, "list({2})[:{1:atom}]", ("key",), "pure", LARGE_FIRST),
    "json.dumps": Ordering(1, "", ("sort_keys",), "pure", KEYS_UNSORTED),
    "json.dump": Ordering(2, "", ("sort_keys",), "touch", KEYS_UNSORTED),
}
STATEMENTS = {
    "sort": Ordering(0, "{0:atom}", ("key", "reverse"), "inplace", UNSORTED),
    "reverse": Ordering(0, "{0:atom}", (), "inplace", BACKWARDS),
}


class Order(Rule):
    """A call that puts items in order, which no test would miss.

    ## What it does
    Takes the ordering out of `sorted`, `.sort()`, `reversed`, `.reverse()`, `heapq.nlargest`, `heapq.nsmallest` and
    `json.dumps(sort_keys=True)`; the items stay, so only their order tells the difference. Each `key=` and `reverse=`
    is also dropped on its own.

    ## Why it matters
    Tests tend to write their inputs in the order in which they expect the output. A sort that is lost in a
    refactoring then shows first in production, as a diff that changes from run to run or as the wrong item picked.

    ## What to do
    Add a test whose input is not in order, such as `[2, 1]`, and assert the order of the result; for `key=`, items
    that compare differently without it.
    """

    code = "FP203"
    name = "order"
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="def ranked(scores):\n    return sorted(scores)\n",
            tests="def test_unsorted():\n    assert ranked([2, 1]) == [1, 2]\n",
        ),
        Example(
            code="def tidy(names):\n    names.sort(key=str.lower, reverse=True)\n    return names\n",
            tests="def test_mixed_case():\n    assert tidy(['a', 'B', 'c']) == ['c', 'B', 'a']\n",
        ),
        Example(
            code="import json\n\ndef dump(value):\n    return json.dumps(value, sort_keys=True)\n",
            tests="def test_keys():\n    assert dump({'b': 1, 'a': 2}) == '{\"a\": 2, \"b\": 1}'\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def ranked(scores):\n    return sorted(scores)\n",
            tests="def test_sorted_already():\n    assert ranked([1, 2]) == [1, 2]\n",
            survivors=("list(scores)",),
        ),
        Example(
            code="def tidy(names):\n    names.sort(key=str.lower, reverse=True)\n    return names\n",
            tests="def test_one_case():\n    assert tidy(['a', 'b']) == ['b', 'a']\n",
            survivors=("names.sort(reverse=True)",),
        ),
        Example(
            code="import heapq\n\ndef podium(times):\n    return heapq.nsmallest(3, times)\n",
            tests="def test_in_order_already():\n    assert podium([1, 2, 3, 4]) == [1, 2, 3]\n",
            survivors=("list(times)[:3]",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        call = cst.ensure_type(node, cst.Call)
        draft = _function_draft(call, source) or _statement_draft(call, source)
        if draft is not None:
            yield draft


def _function_draft(call: cst.Call, source: Source) -> Draft | None:
    name = source.resolves_to(call.func)
    shape = call_shape(call, method=False)
    if name not in FUNCTIONS or shape is None or len(shape.positional) != FUNCTIONS[name].positional:
        return None
    ordering = FUNCTIONS[name]
    templates = [ordering.deletion] if ordering.deletion else []
    templates += _without_keywords(shape, ordering)
    if not templates:
        return None
    ask = _ask(call, ordering, source)
    if ordering.observer == "touch":
        return unobserved(shape, source, ask=ask, templates=templates)
    return observed(shape, source, observer=ordering.observer, ask=ask, templates=templates)


def _statement_draft(call: cst.Call, source: Source) -> Draft | None:
    """The draft of `xs.sort()` or `xs.reverse()` as a statement: elsewhere the name means another method."""
    name = method_name(call)
    if name not in STATEMENTS or not isinstance(source.parent(), cst.Expr):
        return None
    ordering = STATEMENTS[name]
    shape = call_shape(call, method=True)
    if shape is None or not {*shape.keywords} <= {*ordering.keywords} or shape.positional:
        return None
    if is_namespace(shape.operands[0], source):
        return None
    kept_calls = [over_operands(template, shape.operands, source) for template in _without_keywords(shape, ordering)]
    mutants = [
        over_operands(ordering.deletion, shape.operands, source),
        # a second sort in the observing run would change the list that the code goes on with
        *(MutantDraft(mutant.replacement, None) for mutant in kept_calls),
    ]
    ask = _ask(call, ordering, source)
    return Draft(call, "call", ask, mutants, shape.operands, ordering.observer, Shape.VALUE, shape.template)


def _without_keywords(shape: CallShape, ordering: Ordering) -> Sequence[str]:
    return [shape.without(keyword) for keyword in _effective(shape.call, ordering)]


def _effective(call: cst.Call, ordering: Ordering) -> Sequence[str]:
    """The keywords that are given and do not plainly say what leaving them out would."""
    given = [(keyword, argument(call, keyword)) for keyword in ordering.keywords]
    return [keyword for keyword, value in given if value is not None and not is_literally(value, "None", "False")]


def _ask(call: cst.Call, ordering: Ordering, source: Source) -> str:
    keywords = [keyword for keyword in _effective(call, ordering) if keyword != "sort_keys"]
    and_keywords = "".join(f", and one that comes out in another order without `{keyword}=`" for keyword in keywords)
    return f"use an input for `{shown(call, source)}` {ordering.such_as}{and_keywords}"
