"""FP508: always the same branch of an expression."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._mutmut import changed
from fencepost.rules.operators._operator import bare, operator_drafts, text_of


class Choice(Rule):
    """A choice within an expression, which no test would miss.

    ## What it does
    Lets `a if condition else b` always take one of its sides, and lets a `lambda` give None (or 0, where it gives
    None). Runs with `--operators all`.

    ## Why it matters
    Coverage counts the line and not the side: a side that no test takes looks as tested as the other.

    ## What to do
    Use an input for each side, and assert what comes out.
    """

    code = "FP508"
    name = "choice"
    by_default = False
    node_types = (cst.IfExp, cst.Lambda)

    VALID: ClassVar = [
        Example(
            code="def label(done):\n    return 'yes' if done else 'no'\n",
            tests="def test_both():\n    assert (label(True), label(False)) == ('yes', 'no')\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def label(done):\n    return 'yes' if done else 'no'\n",
            tests="def test_done():\n    assert label(True) == 'yes'\n",
            survivors=("'yes' if (done) or True else 'no'",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """The expression with its choice made."""
        operator = "operator_if_exp" if isinstance(node, cst.IfExp) else "operator_lambda"
        texts = [text_of(one) for one in changed(operator, bare(node))]
        yield from operator_drafts(node, source, texts, "what is chosen by")
