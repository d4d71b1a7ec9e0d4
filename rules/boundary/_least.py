"""The least that an expression can be, where its form tells: a length, a count, a remainder, what is made of them."""

from __future__ import annotations

import ast
import math

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._names import bound_by, function_around, parsed

# what functions and methods give at least
FUNCTIONS = {"len": 0, "abs": 0}
METHODS = {"count": 0, "find": -1, "rfind": -1}
ROUND = frozenset({"int", "round", "floor", "ceil", "trunc"})
MOST_STEPS = 20  # from name to name


def least(node: cst.BaseExpression, source: Source) -> float | None:
    """The least value of an expression that is a number at all; None where it may be anything."""
    if any(source.resolves_to(cst.Name(name)) != name for name in ("len", "abs", "int", "round", "max")):
        return None
    if source.imports("decimal"):
        return None  # a `Decimal` below 0 has a remainder below 0
    return _Reader(function_around(source)).least(parsed_expression(node))


def parsed_expression(node: cst.BaseExpression) -> ast.expr:
    """An expression as the syntax tree of the standard library."""
    tree = parsed(node)
    assert isinstance(tree, ast.Module)  # noqa: S101 - it parses as a file
    statement = tree.body[0]
    assert isinstance(statement, ast.Expr)  # noqa: S101 - it is in parentheses
    return statement.value


class _Reader:
    """Reads expressions of a function; a name is what it is given, where that happens once."""

    def __init__(self, function: cst.FunctionDef | None) -> None:
        self._given = {} if function is None else _given_once(parsed(function))
        self._steps = 0

    def least(self, node: ast.expr) -> float | None:
        match node:
            case ast.Constant(value=int() | float() as value):
                return None if math.isnan(value) else value
            case ast.Name(id=name):
                return self._of_name(name)
            case ast.Call():
                return self._of_call(node)
            case ast.BinOp(left=left, op=ast.Mod()) if not isinstance(left, ast.Constant | ast.JoinedStr):
                return 0 if self._is_positive(node.right) else None
            case ast.BinOp(left=left, op=ast.Div() | ast.FloorDiv(), right=right):
                return 0 if self._is_positive(right) and self._is_never_negative(left) else None
            case ast.BinOp(left=left, op=ast.Add() | ast.Mult(), right=right):
                return 0 if self._is_never_negative(left) and self._is_never_negative(right) else None
        return None

    def _of_name(self, name: str) -> float | None:
        self._steps += 1
        given = self._given.get(name)
        return None if given is None or self._steps > MOST_STEPS else self.least(given)

    def _of_call(self, call: ast.Call) -> float | None:
        if call.keywords or not call.args or any(isinstance(one, ast.Starred) for one in call.args):
            return None
        match call.func:
            case ast.Name(id="max") if len(call.args) > 1:
                known = [one for one in map(self.least, call.args) if one is not None]
                return max(known, default=None)
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="math"), attr=name) if name in ROUND:
                return 0 if len(call.args) == 1 and self._is_never_negative(call.args[0]) else None
            case ast.Name(id=name):
                return FUNCTIONS.get(name)
            case ast.Attribute(attr=name):
                return METHODS.get(name)
        return None

    def _is_never_negative(self, node: ast.expr) -> bool:
        known = self.least(node)
        return known is not None and known >= 0

    @staticmethod
    def _is_positive(node: ast.expr) -> bool:
        """Whether a divisor is written as a number above 0."""
        value = node.value if isinstance(node, ast.Constant) else None
        return isinstance(value, int | float) and value > 0


def _given_once(tree: ast.AST) -> dict[str, ast.expr]:
    """The names of a function that are given a value in one place, by a plain assignment of one name."""
    bound = [name for one in ast.walk(tree) for name in bound_by(one)]
    bound += [one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)]
    plain = [one for one in ast.walk(tree) if isinstance(one, ast.Assign) and len(one.targets) == 1]
    return {
        one.targets[0].id: one.value
        for one in plain
        if isinstance(one.targets[0], ast.Name) and bound.count(one.targets[0].id) == 1
    }
