"""FP511: another operator in an augmented assignment, or none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._mutmut import changed
from fencepost.rules.operators._operator import is_text, text_of
from fencepost.rules.operators._statement import statement_drafts


class AugmentedAssignment(Rule):
    """An augmented assignment of which no test sees what was there before.

    ## What it does
    Turns `x += y` into `x = y` and into `x -= y`, and the other operators likewise. Runs with `--operators all`.

    ## Why it matters
    From nothing, once, all of them come to the same: `0 + y` is `y`. Only the second round shows that something is
    added up.

    ## What to do
    Use an input that comes by twice, or begins with more than nothing, and assert the result.
    """

    code = "FP511"
    name = "augmented-assignment"
    by_default = False
    node_types = (cst.AugAssign,)

    VALID: ClassVar = [
        Example(
            code="def total(ns):\n    s = 0\n    for n in ns:\n        s += n\n    return s\n",
            tests="def test_total():\n    assert total([1, 2]) == 3\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def total(ns):\n    s = 0\n    for n in ns:\n        s += n\n    return s\n",
            tests="def test_total():\n    assert total([3]) == 3\n",
            survivors=("s = n",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """The assignment without its operator, and with another one where the value has more than one."""
        assignment = cst.ensure_type(node, cst.AugAssign).with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
        changes = [*changed("operator_augmented_assignment", assignment)]
        if not _has_one_operator(assignment.value):
            changes += changed("operator_swap_op", assignment)
        yield from statement_drafts(node, source, map(text_of, changes))


def _has_one_operator(value: cst.BaseExpression) -> bool:
    """Whether a text or a list is added, which cannot be subtracted."""
    return is_text(value) or isinstance(value, cst.List | cst.Tuple | cst.ListComp)
