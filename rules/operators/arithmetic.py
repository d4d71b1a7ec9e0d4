"""FP501: another operator between two numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._mutmut import changed
from fencepost.rules.operators._operator import bare, is_text, operator_drafts, text_of


class Arithmetic(Rule):
    """An operator of arithmetic or bits, which no test would miss.

    ## What it does
    Swaps an operator: `+` and `-`, `*` and `/`, `//` and `%` become `/`, `**` becomes `*`, `<<` and `>>`, `&` and
    `|`, `^` becomes `&`; a sign changes. Runs with `--operators all`.

    ## Why it matters
    Inputs such as 0 and 1 make many operators give the same: `2 * 2` is `2 ** 2`, and `n + 0` is `n - 0`.

    ## What to do
    Use numbers for which the two operators differ, and assert the result itself.
    """

    code = "FP501"
    name = "arithmetic"
    by_default = False
    node_types = (cst.BinaryOperation, cst.UnaryOperation)

    VALID: ClassVar = [
        Example(
            code="def total(price, fee):\n    return price + fee\n",
            tests="def test_total():\n    assert total(10, 3) == 13\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def total(price, fee):\n    return price + fee\n",
            tests="def test_total():\n    assert total(10, 0) == 10\n",
            survivors=("price - fee",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """The operation with another operator; between texts nothing but `+` and `%` has a meaning."""
        if isinstance(node, cst.BinaryOperation) and (is_text(node.left) or is_text(node.right)):
            return
        texts = [text_of(one) for one in changed("operator_swap_op", bare(node))]
        yield from operator_drafts(node, source, texts, "the operator of")
