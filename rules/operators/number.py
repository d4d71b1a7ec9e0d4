"""FP503: another number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._mutmut import changed
from fencepost.rules.operators._operator import bare, operator_drafts, text_of


class Number(Rule):
    """A number that no test would miss.

    ## What it does
    Adds one to a number that is written out. Runs with `--operators all`.

    ## Why it matters
    A number in the code is a decision. Where a test computes with the same name or checks only that something is
    there, nobody checks the decision.

    ## What to do
    Assert the value that the number leads to, written out.
    """

    code = "FP503"
    name = "number"
    by_default = False
    node_types = (cst.Integer, cst.Float, cst.Imaginary)

    VALID: ClassVar = [
        Example(
            code="def minutes(hours):\n    return hours * 60\n",
            tests="def test_two_hours():\n    assert minutes(2) == 120\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def minutes(hours):\n    return hours * 60\n",
            tests="def test_no_hours():\n    assert minutes(0) == 0\n",
            survivors=("61",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """The literal with another value."""
        texts = [text_of(one) for one in changed("operator_number", bare(node))]
        yield from operator_drafts(node, source, texts, "the number")
