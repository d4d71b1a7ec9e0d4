"""The least that an expression can be, where its form tells: a length, a count, a remainder, what is made of them."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._given import all_given
from fencepost.rules.boundary._names import function_around, parsed

# what functions and methods give at least
FUNCTIONS = {"len": 0, "abs": 0, "ord": 0}
METHODS = {"count": 0, "find": -1, "rfind": -1}
# what is taken to be the function that Python calls so
SPELLED = ("abs", "enumerate", "int", "len", "max", "min", "ord", "range", "round")
ROUND = frozenset({"int", "round", "floor", "ceil", "trunc"})
MOST_STEPS = 20  # from name to name


def least(node: cst.BaseExpression, source: Source) -> float | None:
    """The least value of an expression that is a number at all; None where it may be anything."""
    if any(source.resolves_to(cst.Name(name)) != name for name in SPELLED):
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
    """Reads expressions of a function; a name is what it is given, wherever that happens."""

    def __init__(self, function: cst.FunctionDef | None) -> None:
        self._given = {} if function is None else all_given(parsed(function))
        self._steps = 0
        self._read: list[str] = []
        self._supposed: set[str] = set()

    def least(self, node: ast.expr) -> float | None:
        match node:
            case ast.Constant(value=int() | float() as value):
                return None if math.isnan(value) else value
            case ast.Name(id=name):
                return self._of_name(name)
            case ast.Call():
                return self._of_call(node)
            case ast.BinOp():
                return self._of_operation(node)
            case ast.Starred(value=ast.Call(args=given)):
                return self._of_range(given)
        return None

    def _of_name(self, name: str) -> float | None:
        """The least of all that a name is given; what it is given out of itself is supposed not to be negative."""
        self._steps += 1
        if self._steps > MOST_STEPS or not self._given.get(name):
            return None
        if name in self._read:
            self._supposed.add(name)
            return 0
        self._read.append(name)
        known = [self.least(one) for one in self._given[name]]
        self._read.remove(name)
        lowest = min((one for one in known if one is not None), default=None)
        if None in known or lowest is None:
            return None
        if name in self._supposed or self._supposed.intersection(self._read):
            return 0 if lowest >= 0 else None
        return lowest

    def _of_operation(self, node: ast.BinOp) -> float | None:
        left, right = node.left, node.right
        match node.op:
            case ast.Mod() if not isinstance(left, ast.Constant | ast.JoinedStr):
                return 0 if self._is_positive(right) else None
            case ast.Div() | ast.FloorDiv():
                return 0 if self._is_positive(right) and self._is_never_negative(left) else None
            case ast.Mult():
                return 0 if self._is_never_negative(left) and self._is_never_negative(right) else None
            case ast.Add():
                known = [self.least(left), self.least(right)]
                return None if None in known else sum(one for one in known if one is not None)
        return None

    def _of_call(self, call: ast.Call) -> float | None:
        if call.keywords or any(isinstance(one, ast.Starred) for one in call.args):
            return None
        match call.func:
            case ast.Name(id="max" | "min" as name) if len(call.args) > 1:
                return self._of_several(name, call.args)
            case ast.Name(id=name) | ast.Attribute(value=ast.Name(id="math"), attr=name) if name in ROUND:
                return 0 if len(call.args) == 1 and self._is_never_negative(call.args[0]) else None
            case ast.Name(id=name):
                return FUNCTIONS.get(name) if call.args else None
            case ast.Attribute(attr=name):
                return METHODS.get(name) if call.args else None
        return None

    def _of_several(self, name: str, given: Sequence[ast.expr]) -> float | None:
        known = [self.least(one) for one in given]
        if name == "min":
            return None if None in known else min(one for one in known if one is not None)
        return max((one for one in known if one is not None), default=None)

    def _of_range(self, given: Sequence[ast.expr]) -> float | None:
        """The least number that a range gives, which is its first one where it counts up."""
        if len(given) < 2:
            return 0
        return self.least(given[0]) if len(given) == 2 or self._is_positive(given[2]) else None

    def _is_never_negative(self, node: ast.expr) -> bool:
        known = self.least(node)
        return known is not None and known >= 0

    @staticmethod
    def _is_positive(node: ast.expr) -> bool:
        """Whether a divisor is written as a number above 0."""
        value = node.value if isinstance(node, ast.Constant) else None
        return isinstance(value, int | float) and value > 0
