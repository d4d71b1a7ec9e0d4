"""What rules share that drop an operand: whether it would be missed, and whether a subscript is read at all."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, MutantDraft, Source, over_operands
from fencepost.rules.normalizing._calls import CallShape, is_quiet

PLACES = (cst.Element, cst.StarredElement, cst.Tuple, cst.List)
WRITERS = (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.Del, cst.For, cst.CompFor, cst.AsName)


def drops_quietly(template: str, operands: Sequence[cst.CSTNode], source: Source) -> bool:
    """Whether the operands that a template leaves out are quiet; the callee, operand 0, is what the mutant deletes."""
    left_out = [
        node
        for number, node in enumerate(operands)
        if number and f"{{{number}}}" not in template and f"{{{number}:" not in template
    ]
    return all(is_quiet(node, source) for node in left_out)


def dropping(
    node: cst.BaseExpression,
    operands: Sequence[cst.BaseExpression],
    template: str,
    source: Source,
    *,
    ask: str,
    mutants: Sequence[str],
    kind: str = "call",
) -> Draft:
    """The draft of an expression spelled over its operands, whose mutants the observing run may evaluate.

    One that leaves out an operand with an effect is left to a run: equal values do not say that nobody notices.
    """
    drafts = [over_operands(mutant, operands, source) for mutant in mutants]
    safe = [
        draft if drops_quietly(mutant, operands, source) else MutantDraft(draft.replacement, None)
        for mutant, draft in zip(mutants, drafts, strict=True)
    ]
    return Draft(node, kind, ask, safe, operands, "pure", Shape.VALUE, template)


def dropping_call(shape: CallShape, source: Source, *, ask: str, mutants: Sequence[str]) -> Draft:
    """The same for a call."""
    return dropping(shape.call, shape.operands, shape.template, source, ask=ask, mutants=mutants)


def is_written(node: cst.CSTNode, source: Source) -> bool:
    """Whether the visited node is the target of an assignment, a loop, a `with` or a `del`, alone or in a tuple."""
    level, child = 1, node
    while isinstance(around := source.parent(level), PLACES):
        level, child = level + 1, around
    if not isinstance(around, WRITERS):
        return False
    return child is (around.name if isinstance(around, cst.AsName) else around.target)
