"""FP104: show equal and different."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source, parted
from fencepost.rules.boundary._comparison import (
    EQUALITY,
    Link,
    is_constant,
    is_length,
    link_draft,
    links,
    threshold_of,
    threshold_side,
)
from fencepost.rules.boundary._facts import settled_before, settled_by_kind


class Equality(Rule):
    """An equality with a constant that no test shows from all its sides.

    ## What it does
    Negates each `==` and `!=` against a constant: a literal, an UPPER name, an enum member, an attribute written as a
    constant. Against a number it also turns `==` into `>=` and `<=`, and `!=` into `<` and `>`.

    ## Why it matters
    A special case is a boundary of width one. A test that only ever meets the special value, or only ever meets values
    on one side of it, cannot tell `== 10` from `>= 10`.

    ## What to do
    Use the constant itself, a value that differs from it, and for numbers one on each side.
    """

    code = "FP104"
    name = "equality"
    node_types = (cst.Comparison,)

    VALID: ClassVar = [
        Example(
            code="def is_last(page):\n    return page == 10\n",
            tests="def test_all_sides():\n    assert [is_last(n) for n in (9, 10, 11)] == [False, True, False]\n",
        ),
        Example(
            code="def is_admin(role):\n    return role == 'admin'\n",
            tests="def test_both():\n    assert is_admin('admin') and not is_admin('guest')\n",
        ),
        Example(
            code="def is_empty(items):\n    return len(items) == 0\n",
            tests="def test_both():\n    assert is_empty([]) and not is_empty([1])\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def is_last(page):\n    return page == 10\n",
            tests="def test_one_side():\n    assert is_last(10) and not is_last(9)\n",
            survivors=("page >= 10",),
        ),
        Example(
            code="def fare(kind):\n    return 1 if kind != 'child' else 0\n",
            tests="def test_it_runs():\n    fare('child')\n",
            survivors=("kind == 'child'",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        for link in links(cst.ensure_type(node, cst.Comparison)):
            if link.operator not in EQUALITY or not any(is_constant(operand, source) for operand in link.operands):
                continue
            constant = link.operands[threshold_side(link, source)]
            value = source.text(link.operands[1 - threshold_side(link, source)])
            numeric = source.number(constant) is not None
            sides = ", and one on each side of it" if numeric else ", and one that differs"
            operators = _replacements(link, source)
            draft = link_draft(
                link,
                source,
                kind="equality",
                ask=f"use `{value}` equal to {source.text(constant)}{sides}",
                templates=[f"{{0}} {operator} {{1}}" for operator in operators],
                threshold=threshold_of(link, source) if numeric else None,
            )
            yield from parted(draft, [_settled(link, operator, source) for operator in operators])


def _settled(link: Link, operator: str, source: Source) -> str | None:
    """Why an equality turned into another operator differs for no value that can still come; None where it may."""
    number = source.number(link.operands[threshold_side(link, source)])
    if number is None or operator in EQUALITY:
        return None
    told = (link.operator, number), (operator, number)
    return settled_by_kind(link, *told, source) or settled_before(link, *told, source)


def _replacements(link: Link, source: Source) -> list[str]:
    negated, on_one_side = ("!=", [">=", "<="]) if link.operator == "==" else ("==", ["<", ">"])
    side = threshold_side(link, source)
    bound = source.number(link.operands[side])
    if bound is None:
        return [negated]
    if bound == 0 and is_length(link.operands[1 - side], source):
        # no length is below 0: one side says the same as the original, the other is constant
        return [negated]
    return [negated, *on_one_side]
