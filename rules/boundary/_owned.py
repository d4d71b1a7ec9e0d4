"""Lists, dicts and sets that a function makes for itself, so that all of their methods are known."""

from __future__ import annotations

import ast

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._names import bound_by, function_around, parsed

KINDS: dict[type[ast.expr], str] = {
    ast.List: "list", ast.ListComp: "list", ast.Dict: "dict", ast.DictComp: "dict", ast.Set: "set", ast.SetComp: "set",
}  # fmt: skip
# none of these lets the collection itself live on under another name
COPYING_METHODS = frozenset({
    "add", "append", "clear", "copy", "count", "discard", "extend", "get", "index", "insert", "pop", "popleft",
    "remove", "reverse", "setdefault", "sort", "update",
})  # fmt: skip
COPYING_FUNCTIONS = frozenset(
    {"all", "any", "bool", "len", "list", "max", "min", "set", "sorted", "str", "sum", "tuple"}
)
COPYING_RECEIVERS = frozenset({"extend", "join", "update"})


def is_collection(node: cst.BaseExpression, source: Source) -> bool:
    """Whether a name of the function is only ever given a new list, dict or set."""
    return bool(_kinds(node, source))


def is_made_anew(node: cst.BaseExpression, new: cst.BaseExpression, source: Source) -> bool:
    """Whether nobody could tell a collection that is empty from a new empty one in its place."""
    text = source.text(new)
    if text not in {"[]", "{}", "list()", "dict()", "set()"} or _kinds(node, source) != {_kind(_parsed(text))}:
        return False
    function = function_around(source)
    assert function is not None  # noqa: S101 - the name has been looked up in it
    return _is_never_kept(cst.ensure_type(node, cst.Name).value, parsed(function))


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _kinds(node: cst.BaseExpression, source: Source) -> set[str | None]:
    """The kinds of collection that a name of the function is given; nothing where it may be anything else too."""
    function = function_around(source)
    if function is None or not isinstance(node, cst.Name):
        return set()
    everything = list(ast.walk(parsed(function)))
    bound = [name for one in everything for name in bound_by(one)]
    bound += [one.arg for one in everything if isinstance(one, ast.arg)]
    made = [_given(one, node.value) for one in everything if isinstance(one, ast.Assign | ast.AnnAssign)]
    kinds = [_kind(one) for one in made if one is not None]
    added = [one for one in everything if isinstance(one, ast.AugAssign) and _is_name(one.target, node.value)]
    complete = None not in kinds and bound.count(node.value) == len(kinds) + len(added)
    return {*kinds} if complete else set()


def _given(statement: ast.Assign | ast.AnnAssign, name: str) -> ast.expr | None:
    """What an assignment gives a name, by itself or as one of several side by side."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    match targets[0], statement.value:
        case ast.Name(id=found), value if found == name:
            return value
        case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
            return next((value for one, value in zip(names, values, strict=True) if _is_name(one, name)), None)
    return None


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _kind(node: ast.expr) -> str | None:
    """The kind of collection that an expression makes; None where it makes none."""
    match node:
        case ast.Call(func=ast.Name(id="list" | "dict" | "set" as kind)):
            return kind
    return KINDS.get(type(node))


def _is_never_kept(name: str, tree: ast.AST) -> bool:
    """Whether a collection is only changed, looked at and copied wherever a function uses it."""
    around = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    uses = [one for one in around if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)]
    return all(_is_let_go(one, around) for one in uses)


def _is_let_go(use: ast.expr, around: dict[ast.AST, ast.AST]) -> bool:
    user = around[use]
    match user:
        case ast.Attribute(attr=name):
            call = around[user]
            return name in COPYING_METHODS and isinstance(call, ast.Call) and call.func is user
        case ast.Call(func=ast.Name(id=name)):
            return name in COPYING_FUNCTIONS
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in COPYING_RECEIVERS
        case ast.Subscript(value=value):
            return value is use
        case ast.For(iter=items) | ast.AugAssign(value=items):
            return items is use
        case ast.comprehension():
            return not isinstance(around[user], ast.GeneratorExp)
    return _is_only_tested(use, around)


def _is_only_tested(node: ast.AST, around: dict[ast.AST, ast.AST]) -> bool:
    """Whether only the truth of an expression is asked for."""
    match around[node]:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            return test is node
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.BoolOp() as several:
            return _is_only_tested(several, around)
    return False
