"""FP510: None in place of what a function returns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._operator import operator_drafts


class ReturnedValue(Rule):
    """A returned value, which no test would miss.

    ## What it does
    Lets a `return` return None. Runs with `--operators all`; mutmut has no such operator.

    ## Why it matters
    A test that calls a function and does not look at what it returns shows that it does not raise, and no more.

    ## What to do
    Assert the result.
    """

    code = "FP510"
    name = "returned-value"
    by_default = False
    node_types = (cst.Return,)

    VALID: ClassVar = [
        Example(
            code="def half(number):\n    return number / 2\n",
            tests="def test_half():\n    assert half(4) == 2\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def save(items, item):\n    items.append(item)\n    return len(items)\n",
            tests="def test_save():\n    items = []\n    save(items, 1)\n    assert items == [1]\n",
            survivors=("None",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """None in place of the value."""
        value = cst.ensure_type(node, cst.Return).value
        if value is not None:
            yield from operator_drafts(value, source, ["None"], "the returned value")
