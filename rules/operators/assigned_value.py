"""FP509: None in place of a value that is given to a name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._mutmut import changed
from fencepost.rules.operators._operator import operator_drafts, text_of

STATEMENTS = (cst.Assign, cst.AnnAssign)


class AssignedValue(Rule):
    """A value given to a name, which no test would miss.

    ## What it does
    Assigns None in place of the value, and an empty text in place of None. What is taken apart while it is assigned
    (`a, b = c`) is left alone, since None cannot be. Runs with `--operators all`.

    ## Why it matters
    A value that can be missing without anybody noticing is computed for nothing, or checked by nothing.

    ## What to do
    Assert what depends on the value; where nothing does, delete the assignment.
    """

    code = "FP509"
    name = "assigned-value"
    by_default = False
    node_types = STATEMENTS

    VALID: ClassVar = [
        Example(
            code="def twice(text):\n    both = text + text\n    return both\n",
            tests="def test_twice():\n    assert twice('a') == 'aa'\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="class Basket:\n    def __init__(self):\n        self.owner = 'nobody'\n        self.items = []\n",
            tests="def test_new():\n    assert Basket().items == []\n",
            survivors=("None",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """Another value in place of the assigned one."""
        if not isinstance(node, STATEMENTS) or node.value is None or not all(map(_is_one, _targets(node))):
            return
        changes = (one for one in changed("operator_assignment", node) if isinstance(one, STATEMENTS))
        texts = [text_of(one.value) for one in changes if one.value is not None]
        yield from operator_drafts(node.value, source, texts, "the value")


def _targets(statement: cst.Assign | cst.AnnAssign) -> list[cst.BaseExpression]:
    if isinstance(statement, cst.AnnAssign):
        return [statement.target]
    return [target.target for target in statement.targets]


def _is_one(target: cst.BaseExpression) -> bool:
    """Whether a target takes any value, and somebody may look at it afterwards."""
    is_thrown_away = isinstance(target, cst.Name) and target.value == "_"
    return not isinstance(target, cst.Tuple | cst.List) and not is_thrown_away
