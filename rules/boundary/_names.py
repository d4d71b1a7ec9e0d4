"""Which names a piece of code gives values, and which of them are a function's own."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import libcst as cst

from fencepost.rules._rule import Source


def parsed(node: cst.CSTNode) -> ast.AST:
    """A whole statement, the body of one, or an expression, as the syntax tree that tells the use of names."""
    if isinstance(node, cst.Expr):
        node = node.value  # in parentheses it may go over several lines
    text = cst.Module([]).code_for_node(node)
    if isinstance(node, cst.BaseSuite):
        text = f"if _:{text}"
    return ast.parse(f"({text})" if isinstance(node, cst.BaseExpression) else text)


def gives_value(node: cst.CSTNode, name: str) -> bool:
    """Whether a piece of code (as `parsed` takes it) gives a name a value or takes it away, at whatever depth."""
    return name in cst.Module([]).code_for_node(node) and _binds(parsed(node), name)


def _binds(tree: ast.AST, name: str) -> bool:
    return any(name in bound_by(one) for one in ast.walk(tree))


def bound_by(node: ast.AST) -> Iterator[str | None]:
    """The names that a node of the syntax tree binds itself."""
    if isinstance(node, ast.Name):
        yield None if isinstance(node.ctx, ast.Load) else node.id
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.MatchMapping):
        yield node.rest
    else:
        yield getattr(node, "name", None)  # of a function, a class, an exception, a pattern


def is_own(name: str, source: Source) -> bool:
    """Whether a name belongs to the function around the visited node, so that no call can change it."""
    function = function_around(source)
    if function is None:
        return False
    (tree,) = [one for one in ast.walk(parsed(function)) if isinstance(one, ast.stmt)][:1]
    shared = {each for one in ast.walk(tree) if isinstance(one, ast.Global | ast.Nonlocal) for each in one.names}
    params = {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
    return name not in shared and (name in params or any(_binds(one, name) for one in ast.iter_child_nodes(tree)))


def function_around(source: Source) -> cst.FunctionDef | None:
    """The innermost function around the visited node; None outside of any, and in a lambda or a class."""
    level = 1
    while (around := source.parent(level)) is not None:
        if isinstance(around, cst.Lambda | cst.ClassDef):
            return None
        if isinstance(around, cst.FunctionDef):
            return around
        level += 1
    return None
