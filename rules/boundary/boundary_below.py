"""FP102: stand just below the threshold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.boundary._comparison import links
from fencepost.rules.boundary._shifted import shifted_draft


class BoundaryBelow(Rule):
    """A comparison whose threshold could be one step down and no test would notice.

    ## What it does
    Moves a threshold one step down where it is a number: 1 for whole numbers and lengths, the next representable value
    for other floats. Left out where it says the same as FP101 does.

    ## Why it matters
    A limit that is off by one is the commonest boundary fault, and the value just below the threshold is the one that
    shows it.

    ## What to do
    Add a test with the value just below the threshold beside one with the threshold itself, and assert what each gives.
    """

    code = "FP102"
    name = "boundary-below"
    node_types = (cst.Comparison,)

    VALID: ClassVar = [
        Example(
            code="def adult(age):\n    return age >= 18\n",
            tests="def test_both_sides():\n    assert adult(18) and not adult(17)\n",
        ),
        Example(
            code="LIMIT = 5\n\ndef full(count):\n    return count >= LIMIT\n",
            tests="def test_both_sides():\n    assert full(5) and not full(4)\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def adult(age):\n    return age >= 18\n",
            tests="def test_far_below():\n    assert adult(18) and not adult(3)\n",
            survivors=("age >= 17",),
        ),
        Example(
            code="LIMIT = 5\n\ndef full(count):\n    return count >= LIMIT\n",
            tests="def test_far_below():\n    assert full(5) and not full(1)\n",
            survivors=("count >= LIMIT - 1",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        for link in links(cst.ensure_type(node, cst.Comparison)):
            draft = shifted_draft(link, source, direction=-1)
            if draft is not None:
                yield draft
