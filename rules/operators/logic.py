"""FP502: another operator of logic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._mutmut import changed
from fencepost.rules.operators._operator import bare, operator_drafts, text_of


class Logic(Rule):
    """A condition turned around, which no test would miss.

    ## What it does
    Swaps `and` and `or`, each comparison with its neighbour or opposite (`<` and `<=`, `==` and `!=`, `is` and `is
    not`, `in` and `not in`), and takes `not` and `~` away. Runs with `--operators all`; what a rule that runs by
    default changes in the same way is left to it.

    ## Why it matters
    Where both parts of a condition are true in every test, or both false, `and` does what `or` does.

    ## What to do
    Use an input for which exactly one part holds, and assert what follows from it.
    """

    code = "FP502"
    name = "logic"
    by_default = False
    node_types = (cst.BooleanOperation, cst.Comparison, cst.UnaryOperation)

    VALID: ClassVar = [
        Example(
            code="def may_enter(member, sober):\n    return member and sober\n",
            tests="def test_a_drunken_member():\n    assert not may_enter(True, False)\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def may_enter(member, sober):\n    return member and sober\n",
            tests="def test_a_member():\n    assert may_enter(True, True)\n",
            survivors=("member or sober",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """The condition with one of its operators changed."""
        yield from operator_drafts(node, source, map(text_of, _changes(node, source)), "the operator of")


def _changes(node: cst.CSTNode, source: Source) -> Iterator[cst.CSTNode]:
    plain = bare(node)
    if isinstance(plain, cst.UnaryOperation):
        yield from changed("operator_remove_unary_ops", plain)
    elif isinstance(plain, cst.Comparison):
        yield from _comparisons(plain)
    elif isinstance(plain, cst.BooleanOperation) and not _is_inner(node, source):
        yield from _operations(plain)


def _comparisons(node: cst.Comparison) -> Iterator[cst.CSTNode]:
    for number, target in enumerate(node.comparisons):
        swapped = [*changed("operator_swap_op", target)]
        swapped += [target.with_changes(operator=one) for one in changed("operator_keywords", target.operator)]
        for one in swapped:
            yield node.with_changes(comparisons=[*node.comparisons[:number], one, *node.comparisons[number + 1 :]])


def _operations(node: cst.BooleanOperation) -> Iterator[cst.CSTNode]:
    """The changes of `a or b or c`, which Python takes for one expression of three parts."""
    yield from changed("operator_swap_op", node)
    if isinstance(node.left, cst.BooleanOperation) and _are_one(node, node.left):
        for left in _operations(node.left):
            yield node.with_changes(left=left)


def _is_inner(node: cst.CSTNode, source: Source) -> bool:
    around = source.parent()
    return isinstance(around, cst.BooleanOperation) and node is around.left and _are_one(around, node)


def _are_one(outer: cst.BooleanOperation, inner: cst.CSTNode) -> bool:
    left = cst.ensure_type(inner, cst.BooleanOperation) if isinstance(inner, cst.BooleanOperation) else None
    return left is not None and not left.lpar and type(left.operator) is type(outer.operator)
