"""FP213: keeping the items that a filter leaves out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, Example, MutantDraft, Rule, Source
from fencepost.rules.boundary._comparison import EQUALITY, RELATIONAL, Link, is_constant, link_draft, links
from fencepost.rules.normalizing._calls import (
    CallShape,
    call_around,
    call_shape,
    is_literally,
    is_quiet,
    method_name,
    observed,
    only_reached,
    shown,
    unobserved,
)

# each of these reads an iterator to its end before anything else happens; `dict` may stop at a pair that is none
READ_AT_ONCE = frozenset({"list", "tuple", "set", "frozenset", "sorted", "sum", "max", "min", "collections.Counter"})


class Filtering(Rule):
    """A condition that leaves items out, which no test would miss.

    ## What it does
    Takes the condition out of a comprehension or generator expression, one `if` at a time: it becomes `True`.
    `filter(f, xs)` and `itertools.filterfalse(f, xs)` become `iter(xs)`. Only an input with an item that is left out
    tells the difference.

    ## Why it matters
    What is left out is what nobody thinks of when writing a test: the empty line, the comment, the deleted user. A list
    in a test holds the items that the author wants to see come back.

    ## What to do
    Add an item to the input that has to be left out, and assert the whole result and not only that the others are in.
    """

    code = "FP213"
    name = "filtering"
    node_types = (cst.Call, cst.CompIf)

    VALID: ClassVar = [
        Example(
            code="def words(line):\n    return [word for word in line.split(' ') if word]\n",
            tests="def test_two_blanks():\n    assert words('a  b') == ['a', 'b']\n",
        ),
        Example(
            code="def given(*values):\n    return list(filter(None, values))\n",
            tests="def test_one_is_missing():\n    assert given(1, None, 2) == [1, 2]\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def words(line):\n    return [word for word in line.split(' ') if word]\n",
            tests="def test_one_blank():\n    assert words('a b') == ['a', 'b']\n",
            survivors=("True",),
        ),
        Example(
            code="def adults(ages):\n    return [age for age in ages if age >= 18 if age != 99]\n",
            tests="def test_one_is_too_young():\n    assert adults([17, 18, 30]) == [18, 30]\n",
            survivors=("True",),
        ),
        Example(
            code="def given(*values):\n    return list(filter(None, values))\n",
            tests="def test_all_are_there():\n    assert given(1, 2) == [1, 2]\n",
            survivors=("iter(values)",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        draft = _condition_draft(node.test, source) if isinstance(node, cst.CompIf) else _call_draft(node, source)
        if draft is not None:
            yield draft


def _call_draft(node: cst.CSTNode, source: Source) -> Draft | None:
    call = cst.ensure_type(node, cst.Call)
    name = source.resolves_to(call.func)
    shape = call_shape(call, method=False)
    if name not in {"filter", "itertools.filterfalse"} or shape is None or len(shape.positional) != 2 or shape.keywords:
        return None
    keep = shape.operands[1]
    kind = "holds for" if name == "itertools.filterfalse" else "is false for"
    which = "is empty, None or zero" if is_literally(keep, "None") else f"{shown(keep, source)} {kind}"
    ask = f"use an input with an item that {which}, and assert that `{shown(call, source)}` leaves it out"
    if name == "filter" and _is_read_at_once(source) and is_quiet(keep, source):
        return _without_effect(shape, source, ask)
    # an iterator that is read later may see other items by then
    return unobserved(shape, source, ask=ask, templates=["iter({2})"])


def _is_read_at_once(source: Source) -> bool:
    call = call_around(source)
    return call is not None and (source.resolves_to(call.func) in READ_AT_ONCE or method_name(call) == "join")


def _without_effect(shape: CallShape, source: Source, ask: str) -> Draft:
    return observed(shape, source, observer="filtered", ask=ask, templates=["iter({2})"])


def _condition_draft(condition: cst.BaseExpression, source: Source) -> Draft | None:
    if source.number(condition) is not None or is_literally(condition, "True", "False", "None"):
        return None
    spy = _Spy()
    condition.visit(spy)
    if spy.awaits and _is_lazy(source):
        # without its `await` the generator would be one of another kind
        return None
    ask = f"use an item for which `{shown(condition, source)}` does not hold, and assert that it is left out"
    if spy.binds:
        # what follows uses the name that the condition gives
        return only_reached(condition, ask=ask, replacements=[f"{source.atom(condition)} or True"], kind="condition")
    template = "True" if is_quiet(condition, source) and not spy.awaits else None
    mutant = MutantDraft("True", template)
    link = _first_compared(condition, source)
    if link is None:
        return _by_its_truth(condition, ask, mutant)
    # the boundary rules watch this comparison: one look serves all
    draft = link_draft(link, source, kind="condition", ask=ask, templates=[], threshold=None)
    watched_whole = draft.operands and draft.parts == 1
    return dataclasses.replace(draft, mutants=[mutant if watched_whole else MutantDraft("True", None)])


def _by_its_truth(condition: cst.BaseExpression, ask: str, mutant: MutantDraft) -> Draft:
    if mutant.template is None:
        return only_reached(condition, ask=ask, replacements=[mutant.replacement], kind="condition")
    return Draft(condition, "condition", ask, [mutant], (condition,), "condition", Shape.VALUE)


def _first_compared(condition: cst.BaseExpression, source: Source) -> Link | None:
    """The first link of a comparison that another rule watches by its operands; None for any other condition."""
    if not isinstance(condition, cst.Comparison):
        return None
    first, *more = links(condition)
    watched = first.operator in RELATIONAL or (
        first.operator in EQUALITY and any(is_constant(operand, source) for operand in first.operands)
    )
    return first if watched or more else None


def _is_lazy(source: Source) -> bool:
    """Whether the condition being visited belongs to a generator expression."""
    level = 1
    while isinstance(source.parent(level), cst.CompFor):
        level += 1
    return isinstance(source.parent(level), cst.GeneratorExp)


class _Spy(cst.CSTVisitor):
    """Whether an expression binds a name, and whether it awaits."""

    def __init__(self) -> None:
        super().__init__()
        self.binds = False
        self.awaits = False

    def visit_NamedExpr(self, _node: cst.NamedExpr) -> None:  # noqa: N802 - libcst calls it by this name
        self.binds = True

    def visit_Await(self, _node: cst.Await) -> None:  # noqa: N802 - libcst calls it by this name
        self.awaits = True
