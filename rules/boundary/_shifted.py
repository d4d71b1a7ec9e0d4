"""A threshold moved one step up or down: FP102 and FP103."""

from __future__ import annotations

import libcst as cst

from fencepost.rules._rule import Draft, Source
from fencepost.rules.boundary._comparison import (
    RELATIONAL,
    Link,
    constant_by_length,
    ignored_for,
    is_fraction,
    is_length,
    link_draft,
    neighbour,
    step_of,
    threshold_of,
    threshold_side,
)
from fencepost.rules.boundary._facts import settled_before
from fencepost.rules.boundary._steps import Spelled


def whole_steps_only(link: Link, source: Source) -> bool:
    """Whether no value lies between the threshold and one step away: lengths, and floats stepped to their neighbour."""
    side = threshold_side(link, source)
    bound = source.number(link.operands[side])
    finest = bound is not None and is_fraction(bound)
    date = bound is None and _is_date(link.operands[side], source)
    return finest or date or is_length(link.operands[1 - side], source)


def _is_date(node: cst.CSTNode, source: Source) -> bool:
    return isinstance(node, cst.Call) and source.resolves_to(node.func) == "datetime.date"


def shifted_draft(link: Link, source: Source, direction: int) -> Draft | None:
    """The draft that moves the threshold of a link one step up (1) or down (-1).

    None where the threshold is no known number, where the shift says the same as adding or taking away the equality
    (FP101), or where the shifted operand is shared with another link of a chain.
    """
    side = threshold_side(link, source)
    node = link.operands[side]
    moved = step_of(node, side, source, direction)
    last = len(link.comparison.comparisons) - 1
    if link.operator not in RELATIONAL or moved is None or (link.index < last and side) or (link.index and not side):
        return None
    toward_equality = {(">", -1), (">=", 1), ("<", 1), ("<=", -1)}
    seen_from_value = link.operator if side else {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[link.operator]
    if whole_steps_only(link, source) and (seen_from_value, direction) in toward_equality:
        return None
    way = f"{{0}} {link.operator} {{moved}}" if side else f"{{moved}} {link.operator} {{1}}"
    template = Spelled(*(way.replace("{moved}", one) for one in (moved.text, moved.template)))
    threshold = threshold_of(link, source)
    where, value = {-1: ("just below", threshold.below), 1: ("just above", threshold.above)}[direction]
    other = source.text(link.operands[1 - side])
    ask = f"stand {where} the threshold: `{other}` at {value}, beside one at {threshold.at}"
    draft = link_draft(link, source, kind="threshold", ask=ask, templates=[template], threshold=threshold)
    bound = source.number(node)
    if bound is None:
        return draft
    moved_bound = neighbour(bound, direction)
    constant = constant_by_length(link, link.operator, moved_bound, source)
    return ignored_for(
        draft, constant or settled_before(link, (link.operator, bound), (link.operator, moved_bound), source)
    )
