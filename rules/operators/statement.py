"""FP512: a statement left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

import libcst as cst
import libcst.matchers as m

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._operator import ancestors
from fencepost.rules.operators._statement import anything_follows, statement_drafts


class Statement(Rule):
    """A statement that no test would miss.

    ## What it does
    Puts `pass` in place of a call whose result nobody takes, of an assignment to an attribute or an item, of an
    augmented assignment, of another value for a parameter, of the `del` of an attribute or an item, of a `raise`, and
    of a `return` without a value. What may give a name its only value stays, as without it the code could only break.
    Runs with `--operators all`; mutmut has no such operator.

    ## Why it matters
    What a statement does that gives no value shows somewhere else: in the object, in a file, in the error that a
    caller gets. A test that looks at results alone does not see it.

    ## What to do
    Assert what the statement leaves behind, or with `pytest.raises` that the error comes; where nothing depends on it,
    delete the statement.
    """

    code = "FP512"
    name = "statement"
    by_default = False
    node_types = (cst.Expr, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Del, cst.Raise, cst.Return)

    VALID: ClassVar = [
        Example(
            code="def add(basket, item):\n    basket.append(item)\n    return basket\n",
            tests="def test_add():\n    assert add([], 1) == [1]\n",
        ),
        Example(
            code="def half(n):\n    if n % 2:\n        raise ValueError(n)\n    return n // 2\n",
            tests="import pytest\n\n\ndef test_odd():\n    with pytest.raises(ValueError):\n        half(3)\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def add(basket, item):\n    basket.append(item)\n    basket.sort()\n    return len(basket)\n",
            tests="def test_add():\n    assert add([], 1) == 1\n",
            survivors=("pass",),
        ),
        Example(
            code="def half(n):\n    if n % 2:\n        raise ValueError(n)\n    return n // 2\n",
            tests="def test_even():\n    assert half(4) == 2\n",
            survivors=("pass",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """Nothing in place of the statement, where the code after it can run without."""
        if _can_be_missing(node, source):
            yield from statement_drafts(node, source, ["pass"])


def _can_be_missing(node: cst.CSTNode, source: Source) -> bool:
    match node:
        case cst.Expr(value=cst.Call() | cst.Await()) | cst.Raise():
            return True
        case cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=name))], value=value):
            # without the old value in it, since a deletion within the value says the same
            return name in _parameters(ancestors(source)) and not m.findall(value, m.Name(name))
        case cst.Assign(targets=targets):
            return all(_are_parts(target.target) for target in targets)
        case cst.AnnAssign(target=target, value=value):
            return value is not None and _are_parts(target)
        case cst.Del(target=target):
            return _are_parts(target)
        case cst.AugAssign(target=target):
            return not _moves_a_loop(target, ancestors(source))
        case cst.Return(value=None):
            return anything_follows(node, ancestors(source))
    return False


def _parameters(around: Iterable[cst.CSTNode]) -> set[str]:
    """The names that have a value whatever the statements of the function around say."""
    owner = next((one for one in around if isinstance(one, cst.FunctionDef | cst.ClassDef)), None)
    if not isinstance(owner, cst.FunctionDef):
        return set()
    given = owner.params
    stars = [one for one in (given.star_arg, given.star_kwarg) if isinstance(one, cst.Param)]
    return {one.name.value for one in (*given.posonly_params, *given.params, *given.kwonly_params, *stars)}


def _are_parts(target: cst.BaseExpression) -> bool:
    """Whether what is assigned to or deleted are attributes and items alone, and no names."""
    if isinstance(target, cst.Tuple | cst.List):
        return all(_are_parts(element.value) for element in target.elements)
    return isinstance(target, cst.Attribute | cst.Subscript)


def _moves_a_loop(target: cst.BaseExpression, around: Iterable[cst.CSTNode]) -> bool:
    """Whether a name is counted on that the `while` around it tests, and which without would not end."""
    if not isinstance(target, cst.Name):
        return False
    loops = (one for one in around if isinstance(one, cst.While))
    return any(m.findall(loop.test, m.Name(target.value)) for loop in loops)
