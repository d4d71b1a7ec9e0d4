"""Whether a function can tell one default for a number from another: it cannot where it only asks on which side it is.

With `limit=0`, a function that uses its limit only behind `if limit > 0:` does the same with `limit=-1`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from fencepost.rules.boundary._names import parsed

_HOLDS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
# with one of these a function sees its parameters as they are, and a decorator may see them too
LOOKING = frozenset({"locals", "vars", "eval", "exec", "dir"})
HARMLESS_DECORATORS = frozenset({"staticmethod", "classmethod", "property"})


def tells_apart(function: cst.FunctionDef, name: str, default: float, other: float) -> bool:
    """Whether a function might do something else where one of its parameters is the other number."""
    (tree,) = [one for one in ast.walk(parsed(function)) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)][:1]
    if not all(isinstance(one, ast.Name) and one.id in HARMLESS_DECORATORS for one in tree.decorator_list):
        return True
    return any(_Reader(name, (default, other)).tells(statement) for statement in tree.body)


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads a function as far as it is executed with either number."""

    name: str
    numbers: tuple[float, float]

    def tells(self, node: ast.AST) -> bool:
        """Whether executing a node could tell the two numbers apart."""
        match node:
            case ast.Name():
                return node.id == self.name or node.id in LOOKING
            case ast.If() | ast.IfExp():
                return self.tells(node.test) or any(map(self.tells, self._taken(node)))
            case ast.BoolOp():
                return any(map(self.tells, self._evaluated(node)))
            case ast.Compare() if self.truth(node) is not None:
                return False
        return any(map(self.tells, ast.iter_child_nodes(node)))

    def _taken(self, node: ast.If | ast.IfExp) -> Sequence[ast.AST]:
        """The branches that may be taken."""
        truth = self.truth(node.test)
        taken = [branch for branch, never in ((node.body, False), (node.orelse, True)) if truth is not never]
        return [one for branch in taken for one in (branch if isinstance(branch, list) else [branch])]

    def _evaluated(self, node: ast.BoolOp) -> Sequence[ast.AST]:
        """The operands that may be evaluated: up to the one that decides."""
        deciding = isinstance(node.op, ast.Or)
        truths = [self.truth(value) for value in node.values]
        return node.values[: truths.index(deciding) + 1] if deciding in truths else node.values

    def truth(self, test: ast.AST) -> bool | None:
        """What a test gives with either number; None where that is not known, or differs."""
        match test:
            case ast.UnaryOp(op=ast.Not()):
                truth = self.truth(test.operand)
                return None if truth is None else not truth
            case ast.BoolOp():
                deciding = isinstance(test.op, ast.Or)
                truths = {self.truth(value) for value in test.values}
                return deciding if deciding in truths else None if None in truths else not deciding
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _HOLDS:
                given = [self._worth(left), self._worth(right)]
                truths = {_HOLDS[type(op)](*pair) for pair in zip(*given, strict=True)} if all(given) else {None}
                return truths.pop() if len(truths) == 1 else None
        return None

    def _worth(self, node: ast.expr) -> tuple[float, float] | None:
        """What an expression is worth with each of the numbers; None where that is not known."""
        if isinstance(node, ast.Name) and node.id == self.name:
            return self.numbers
        try:
            value = ast.literal_eval(node)
        except ValueError:
            return None
        return (value, value) if isinstance(value, int | float) else None
