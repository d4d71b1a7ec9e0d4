"""FP103: stand just above the threshold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.boundary._comparison import links
from fencepost.rules.boundary._shifted import shifted_draft


class BoundaryAbove(Rule):
    """A comparison whose threshold could be one step up and no test would notice.

    ## What it does
    Moves a threshold one step up where it is a number: 1 for whole numbers and lengths, the next representable value
    for other floats. Left out where it says the same as FP101 does.

    ## Why it matters
    A limit that is off by one is the commonest boundary fault, and the value just above the threshold is the one that
    shows it.

    ## What to do
    Add a test with the value just above the threshold beside one with the threshold itself, and assert what each gives.
    """

    code = "FP103"
    name = "boundary-above"
    node_types = (cst.Comparison,)

    VALID: ClassVar = [
        Example(
            code="def too_many(count):\n    return count > 3\n",
            tests="def test_both_sides():\n    assert too_many(4) and not too_many(3)\n",
        ),
        Example(
            code="def crowded(people):\n    return len(people) > 2\n",
            tests="def test_both_sides():\n    assert crowded('abc') and not crowded('ab')\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def too_many(count):\n    return count > 3\n",
            tests="def test_far_above():\n    assert too_many(9) and not too_many(3)\n",
            survivors=("count > 4",),
        ),
        Example(
            code="def crowded(people):\n    return len(people) > 2\n",
            tests="def test_far_above():\n    assert crowded('abcdef') and not crowded('ab')\n",
            survivors=("len(people) > 3",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        for link in links(cst.ensure_type(node, cst.Comparison)):
            draft = shifted_draft(link, source, direction=1)
            if draft is not None:
                yield draft
