"""FP513: another way out of a loop."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._mutmut import changed
from fencepost.rules.operators._operator import ancestors, text_of
from fencepost.rules.operators._statement import LOOPS, anything_follows, statement_drafts


class LoopExit(Rule):
    """A `break` or `continue` of which no test sees where it leads.

    ## What it does
    Turns `continue` into `break`; the `break` of a `for` into `continue`; and the `break` of a loop after which the
    function does more into `return`. Runs with `--operators all`; the second is not in mutmut.

    ## Why it matters
    With one item, or with the match in the last place, a loop that ends and one that goes on do the same.

    ## What to do
    Use an input with several items, of which those after the decisive one would change the result.
    """

    code = "FP513"
    name = "loop-exit"
    by_default = False
    node_types = (cst.Break, cst.Continue)

    VALID: ClassVar = [
        Example(
            code="def odd(ns):\n    s = 0\n    for n in ns:\n        if n % 2 == 0:\n            continue\n"
            "        s = s + n\n    return s\n",
            tests="def test_odd():\n    assert odd([1, 2, 3]) == 4\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def first(ns):\n    found = None\n    for n in ns:\n        if n > 9:\n            found = n\n"
            "            break\n    return found\n",
            tests="def test_first():\n    assert first([1, 10]) == 10\n",
            survivors=("continue",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """The other ways out of the loop."""
        around = [*ancestors(source)]
        texts = [text_of(one).strip() for one in changed("operator_keywords", node)]
        if isinstance(node, cst.Break):
            place = next(number for number, outer in enumerate(around) if isinstance(outer, LOOPS))
            loop, outside = around[place], around[place + 1 :]
            texts = texts if anything_follows(loop, outside) and _can_return(around) else []
            if isinstance(loop, cst.For):
                texts.append("continue")
        yield from statement_drafts(node, source, texts)


def _can_return(around: list[cst.CSTNode]) -> bool:
    """Whether a `return` may stand here: not outside of a function, in `except*`, nor well in a `finally`."""
    for outer in around:
        if isinstance(outer, cst.FunctionDef):
            return True
        if isinstance(outer, cst.ClassDef | cst.ExceptStarHandler | cst.Finally):
            return False
    return False
