"""Work that comes to nothing on a threshold.

`if len(s) < n: s += " " * (n - len(s))` adds nothing where the two are equal, so `<=` says the same.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._comparison import Link
from fencepost.rules.boundary._names import function_around, parsed

PIECES = cst.SimpleString | cst.Tuple | cst.List


class Nothing:
    """What is zero or empty where the operands of a link are equal, while the statements behind it are read."""

    def __init__(self, link: Link, source: Source) -> None:
        self.source = source
        left, right = (source.atom(operand) for operand in link.operands)
        self.zero = {f"{left} - {right}", f"{right} - {left}"}
        for bound, value in ((link.left, link.right), (link.right, link.left)):
            if source.number(bound) == 0 and not isinstance(bound, cst.Name | cst.Attribute):
                self.zero.add(source.text(value))
        self.empty: set[str] = set()
        self.named: list[str] = []

    def comes_of(self, body: Sequence[cst.CSTNode]) -> bool:
        """Whether nothing comes of the statements, and none of the names that they give is used elsewhere."""
        return all(self._is_idle(statement) for statement in body) and self._keeps_its_names(body)

    def _is_idle(self, statement: cst.CSTNode) -> bool:
        match statement:
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
                return self._adds_nothing(target, value) or self._notes(target, value)
            case cst.AugAssign(operator=cst.AddAssign(), value=value):
                return self._is_empty(value)
            case cst.For(iter=cst.Call() as call, orelse=None, asynchronous=None):
                return self._counts_to_nothing(call)
            case cst.Expr(value=cst.Call(func=cst.Attribute(attr=cst.Name(value="extend")), args=[given])):
                return not given.star and self._is_empty(given.value, of_anything=True)
        return False

    def _notes(self, target: cst.BaseExpression, value: cst.BaseExpression) -> bool:
        """Whether a plain name is given what is zero or empty."""
        if not isinstance(target, cst.Name):
            return False
        known = self.zero if self._is_zero(value) else self.empty if self._is_empty(value) else None
        if known is not None:
            known.add(target.value)
            self.named.append(target.value)
        return known is not None

    def _adds_nothing(self, target: cst.BaseExpression, value: cst.BaseExpression) -> bool:
        """`s = s + " " * 0`, or the other way round."""
        if not isinstance(value, cst.BinaryOperation) or not isinstance(value.operator, cst.Add):
            return False
        sides = ((value.left, value.right), (value.right, value.left))
        return any(kept.deep_equals(target) and self._is_empty(added) for kept, added in sides)

    def _counts_to_nothing(self, call: cst.Call) -> bool:
        """`range(zero)`, or from a number that is not below it."""
        if self.source.resolves_to(call.func) != "range" or not 1 <= len(call.args) <= 2:
            return False
        start = self.source.number(call.args[0].value) if len(call.args) == 2 else 0
        return start is not None and start >= 0 and self._is_zero(call.args[-1].value)

    def _is_zero(self, node: cst.BaseExpression) -> bool:
        return _bare(node, self.source) in self.zero

    def _is_empty(self, node: cst.BaseExpression, *, of_anything: bool = False) -> bool:
        """Whether a node is some pieces zero times; of a name it is only known that they are some where it says so."""
        if isinstance(node, cst.Name):
            return node.value in self.empty
        if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Multiply):
            return False
        sides = ((node.left, node.right), (node.right, node.left))
        pieces = PIECES | cst.Name if of_anything else PIECES
        return any(isinstance(one, pieces) and self._is_zero(times) for one, times in sides)

    def _keeps_its_names(self, body: Sequence[cst.CSTNode]) -> bool:
        function = function_around(self.source)
        if not self.named:
            return True
        if function is None:
            return False
        everywhere, here = _names(parsed(function)), [name for one in body for name in _names(parsed(one))]
        return all(everywhere.count(name) == here.count(name) for name in self.named)


def _bare(node: cst.BaseExpression, source: Source) -> str:
    """The text of a node without the parentheses around it."""
    text = source.text(node)
    return text[1:-1] if node.lpar else text


def _names(tree: ast.AST) -> list[str]:
    return [one.id for one in ast.walk(tree) if isinstance(one, ast.Name)]
