"""Arithmetic of nothing: what expressions and statements come to once two of their parts are known to be equal."""

from __future__ import annotations

import ast
import copy

CHOOSERS = frozenset({"max", "min"})
PADDERS = frozenset({"center", "ljust", "rjust", "zfill"})


class Folding(ast.NodeTransformer):
    """Puts one of two equal expressions for the other, and works out what follows at once.

    Args:
        left: one of the two.
        right: the other one, which is kept where neither is a number.
        length: a name for `len(xs)`, and that.
    """

    def __init__(self, left: ast.expr, right: ast.expr, length: tuple[ast.expr, ast.expr] | None = None) -> None:
        kept, dropped = (left, right) if isinstance(left, ast.Constant) else (right, left)
        self._known = {ast.dump(dropped): kept}
        if length is not None and ast.dump(length[0]) not in self._known:
            self._known[ast.dump(length[0])] = length[0]
        lengths = [one for one in (left, right) if _is_length(one)]
        self._lengths = {_items(one): ast.dump(kept) for one in lengths}
        if length is not None:
            self._lengths[_items(length[1])] = ast.dump(self._known[ast.dump(length[0])])

    def folded(self, statement: ast.stmt) -> ast.stmt:
        """A statement as it is where the two are equal; what it gives values to keeps its name."""
        folded = self.visit(copy.deepcopy(statement))
        assert isinstance(folded, ast.stmt)  # noqa: S101 - only expressions are put for others
        return folded

    def visit(self, node: ast.AST) -> ast.AST:
        known = self._known.get(ast.dump(node)) if isinstance(node, ast.expr) else None
        if known is not None:
            return copy.deepcopy(known)
        return super().visit(node)  # type: ignore[no-any-return]  # a visitor returns whatever its methods return

    def visit_For(self, node: ast.For) -> ast.For:
        folded = self.visit(node.iter)
        assert isinstance(folded, ast.expr)  # noqa: S101 - it is one before
        node.iter = folded  # its body may change the two before it uses them
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return node.operand if isinstance(node.op, ast.USub | ast.UAdd) and is_zero(node.operand) else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        left, right = node.left, node.right
        match node.op:
            case ast.Sub() if _are_same(left, right):
                return ast.Constant(0)
            case ast.Sub() if is_zero(right):
                return left
            case ast.Add() if is_zero(left) or self._is_empty(left):
                return right
            case ast.Add() if is_zero(right) or self._is_empty(right):
                return left
            case ast.Mult() if is_zero(left) or is_zero(right):
                return _no_times(left if is_zero(right) else right) or node
            case ast.Mult() if _is_one(left) or _is_one(right):
                return left if _is_one(right) else right
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="abs" | "int"), args=[given], keywords=[]) if is_zero(given):
                return given
            case ast.Call(func=ast.Name(id=name), args=[one, other], keywords=[]) if name in CHOOSERS:
                return one if _are_same(one, other) else node
            case ast.Call(func=ast.Attribute(value=text, attr=name), args=[width, *_], keywords=[]) if name in PADDERS:
                return text if self._is_length_of(width, text) else node
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        part = node.slice
        if not isinstance(node.ctx, ast.Load) or not isinstance(part, ast.Slice) or part.step is not None:
            return node
        begins = part.lower is None or is_zero(part.lower)
        ends = part.upper is None or self._is_length_of(part.upper, node.value)
        return node.value if begins and ends else node

    def _is_length_of(self, node: ast.expr, items: ast.expr) -> bool:
        return self._lengths.get(ast.dump(items)) == ast.dump(node)

    def does_nothing(self, statement: ast.stmt) -> bool:
        """Whether a folded statement does nothing: it adds nothing, goes over nothing, deletes nothing."""
        match statement:
            case ast.Pass():
                return True
            case ast.Assign(targets=[ast.Subscript() as target], value=value) if self._is_empty_slice(target):
                return self._is_empty(value)
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                return ast.dump(self.visit(_read(target))) == ast.dump(value)
            case ast.AugAssign(op=ast.Add() | ast.Sub() as op, value=value):
                return is_zero(value) or (isinstance(op, ast.Add) and self._is_empty(value))
            case ast.For(iter=items, orelse=[]):
                return self._is_empty(items)
            case ast.Delete(targets=[target]):
                return self._is_empty_slice(target)
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="extend"), args=[given], keywords=[])):
                return self._is_empty(given)
        return False

    def _is_empty(self, node: ast.expr) -> bool:
        """Whether an expression is a text, a list or a tuple without anything in it, or a range or a slice that is."""
        match node:
            case ast.Constant(value=str() | bytes() as text):
                return not text
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return not items
            case ast.Call(func=ast.Name(id="range"), args=[end], keywords=[]):
                return is_zero(end)
            case ast.Call(func=ast.Name(id="range"), args=[start, end], keywords=[]):
                return _are_same(start, end)
        return self._is_empty_slice(node)

    def _is_empty_slice(self, node: ast.expr) -> bool:
        """`xs[n:n]`, `xs[:0]`, and `xs[n:]` where the length is known to be `n`."""
        match node:
            case ast.Subscript(slice=ast.Slice(lower=ast.expr() as lower, upper=ast.expr() as upper, step=None)):
                return _are_same(lower, upper)
            case ast.Subscript(value=items, slice=ast.Slice(lower=ast.expr() as lower, upper=None, step=None)):
                return self._is_length_of(lower, items)
            case ast.Subscript(slice=ast.Slice(lower=None, upper=ast.expr() as upper, step=None)):
                return is_zero(upper)
        return False


def is_zero(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in {int, float} and node.value == 0


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value == 1


def is_plain(node: ast.expr) -> bool:
    """Whether an expression gives the same each time and does nothing: names, attributes, items, lengths."""
    match node:
        case ast.Name() | ast.Constant():
            return True
        case ast.Attribute(value=inner):
            return is_plain(inner)
        case ast.Call():
            return _is_length(node) and is_plain(node.args[0])
        case ast.Subscript(value=inner, slice=index):
            return is_plain(inner) and is_plain(index)
        case ast.BinOp(left=left, right=right):
            return is_plain(left) and is_plain(right)
    return False


def _are_same(one: ast.expr, other: ast.expr) -> bool:
    return is_plain(one) and ast.dump(one) == ast.dump(other)


def _is_length(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[_], keywords=[]):
            return True
    return False


def _items(length: ast.expr) -> str:
    """What `len(xs)` is the length of, as dumped."""
    assert isinstance(length, ast.Call)  # noqa: S101 - it is a length
    return ast.dump(length.args[0])


def _no_times(node: ast.expr) -> ast.expr | None:
    """Pieces repeated zero times, or a number times zero; None where the node may be anything, or do something."""
    if any(isinstance(one, ast.Call) for one in ast.walk(node)):
        return None
    match node:
        case ast.Constant(value=int() | float() as value):
            return ast.Constant(0 * value)
        case ast.Constant(value=str() | bytes() as text):
            return ast.Constant(text[:0])
        case ast.List() | ast.Tuple():
            return type(node)([], ast.Load())
    return None


def _read(target: ast.expr) -> ast.expr:
    """What is assigned to, as it is where it is read."""
    return ast.parse(ast.unparse(target), mode="eval").body
