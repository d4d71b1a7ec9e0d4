"""What the rules FP5xx about whole statements share: their changes as text, and what runs after them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, MutantDraft, Source
from fencepost.rules.normalizing._calls import shown
from fencepost.rules.operators._operator import REACHED

FUNCTIONS = (cst.FunctionDef, cst.Lambda)
LOOPS = (cst.For, cst.While)

# without them, or with another number of them, it would be another kind of function, or another scope
_OF_THE_SCOPE = (ast.Yield, ast.YieldFrom, ast.NamedExpr)


def statement_drafts(node: cst.CSTNode, source: Source, replacements: Iterable[str]) -> Iterator[Draft]:
    """The draft of a small statement and its changes; none where no change of it is sound."""
    original = source.text(node)
    texts = [text for text in dict.fromkeys(replacements) if _is_a_change(original, text)]
    if texts:
        ask = f"use an input for which `{shown(node, source)}` makes a difference, and assert the outcome"
        mutants = [MutantDraft(text, None) for text in texts]
        yield Draft(node, "statement", ask, mutants, observer=REACHED, shape=Shape.STATEMENT)


def anything_follows(node: cst.CSTNode, around: Iterable[cst.CSTNode]) -> bool:
    """Whether the function does more after a statement than it does when it returns there.

    `around` are the nodes around it, innermost first.
    """
    child = node
    for outer in around:
        if isinstance(outer, cst.FunctionDef):
            return False
        if isinstance(outer, LOOPS) or _goes_on(child, outer):
            return True
        child = outer
    return False


def _goes_on(child: cst.CSTNode, outer: cst.CSTNode) -> bool:
    if isinstance(outer, cst.SimpleStatementLine | cst.BaseSuite):
        return child is not outer.body[-1]
    # a `return` leaves the `else` of a `try` out, and in a `finally` it swallows what was raised
    if isinstance(outer, cst.Try | cst.TryStar):
        return child is outer.finalbody or (child is outer.body and outer.orelse is not None)
    return False


def _is_a_change(original: str, text: str) -> bool:
    """Whether a text is one statement of another meaning, which takes no part of the scope with it."""
    before = _parsed(original)
    try:
        after = _parsed(text)
    except SyntaxError:
        return False  # mutmut makes some that are no Python
    return (
        len(after.body) == 1 and ast.dump(before) != ast.dump(after) and _of_the_scope(before) == _of_the_scope(after)
    )


def _parsed(text: str) -> ast.Module:
    return ast.parse(text)


def _of_the_scope(tree: ast.AST) -> list[str]:
    return sorted(ast.dump(node) for node in ast.walk(tree) if isinstance(node, _OF_THE_SCOPE))
