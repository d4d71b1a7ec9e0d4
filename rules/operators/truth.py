"""FP505: the other truth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._mutmut import changed
from fencepost.rules.operators._operator import bare, operator_drafts, text_of


class Truth(Rule):
    """A `True` or `False` that no test would miss.

    ## What it does
    Turns `True` into `False` and `False` into `True`, and `copy.deepcopy` into `copy.copy`. Runs with `--operators
    all`.

    ## Why it matters
    Flags and defaults choose a way through the code. A test that gives the same result on both ways does not see
    which one was taken.

    ## What to do
    Use an input that shows which way was taken, and assert what only that way does.
    """

    code = "FP505"
    name = "truth"
    by_default = False
    node_types = (cst.Name, cst.Attribute)

    VALID: ClassVar = [
        Example(
            code="def price(net, taxed=True):\n    return net * 2 if taxed else net\n",
            tests="def test_default():\n    assert price(10) == 20\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def price(net, taxed=True):\n    return net * 2 if taxed else net\n",
            tests="def test_no_price():\n    assert price(0) == 0\n",
            survivors=("False",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """The other truth, or the copy that shares what is inside."""
        if isinstance(node, cst.Name) and node.value in {"True", "False"}:
            texts = [text_of(one) for one in changed("operator_name", bare(node))]
            yield from operator_drafts(node, source, texts, "whether it is")
        elif isinstance(node, cst.Attribute) and source.resolves_to(node) == "copy.deepcopy":
            texts = [
                text_of(node.with_changes(attr=one, lpar=[], rpar=[])) for one in changed("operator_name", node.attr)
            ]
            yield from operator_drafts(node, source, texts, "a copy of what is inside by")
