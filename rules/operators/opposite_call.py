"""FP507: the opposite of a call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._mutmut import changed
from fencepost.rules.operators._operator import bare, operator_drafts, text_of

OPPOSITES = {"any": "all", "all": "any"}
ENDS = {"startswith": "endswith", "endswith": "startswith"}


class OppositeCall(Rule):
    """A call of which the opposite would do as well, as far as any test knows.

    ## What it does
    Swaps `any` and `all`, `startswith` and `endswith`, and the pairs that mutmut knows: `lower` and `upper`, `lstrip`
    and `rstrip`, `find` and `rfind`, `ljust` and `rjust`, `index` and `rindex`, `removeprefix` and `removesuffix`,
    `partition` and `rpartition`, and `split` and `rsplit` where they end early. Runs with `--operators all`. What a
    filter leaves out is the business of FP213.

    ## Why it matters
    With one item `any` is `all`; with one separator `partition` is `rpartition`; and a text of one letter ends as it
    begins.

    ## What to do
    Use an input for which the two differ: items of both kinds, the separator twice, text on one side only.
    """

    code = "FP507"
    name = "opposite-call"
    by_default = False
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="def has_even(numbers):\n    return any(number % 2 == 0 for number in numbers)\n",
            tests="def test_one_of_two():\n    assert has_even([1, 2])\n",
        ),
        Example(
            code="def is_private(name):\n    return name.startswith('_')\n",
            tests="def test_private():\n    assert is_private('_x')\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def has_even(numbers):\n    return any(number % 2 == 0 for number in numbers)\n",
            tests="def test_one():\n    assert has_even([2])\n    assert not has_even([1])\n",
            survivors=("all(number % 2 == 0 for number in numbers)",),
        ),
        Example(
            code="def is_private(name):\n    return name.startswith('_')\n",
            tests="def test_private():\n    assert is_private('__x__')\n",
            survivors=("name.endswith('_')",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """The call of the opposite."""
        call = cst.ensure_type(node, cst.Call)
        texts = [text_of(one) for one in _changes(cst.ensure_type(bare(call), cst.Call), source)]
        yield from operator_drafts(call, source, texts, "the opposite of")


def _changes(call: cst.Call, source: Source) -> Iterator[cst.CSTNode]:
    function = call.func
    if isinstance(function, cst.Name) and source.resolves_to(function) in OPPOSITES:
        yield call.with_changes(func=function.with_changes(value=OPPOSITES[function.value]))
    elif isinstance(function, cst.Attribute) and function.attr.value in ENDS:
        opposite = function.attr.with_changes(value=ENDS[function.attr.value])
        yield call.with_changes(func=function.with_changes(attr=opposite))
    elif isinstance(function, cst.Attribute):
        yield from changed("operator_symmetric_string_methods_swap", call)
        yield from changed("operator_unsymmetrical_string_methods_swap", call)
