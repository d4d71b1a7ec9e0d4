"""What does nothing where a value is empty: going over its items, taking them out, adding them to others."""

from __future__ import annotations

import ast

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._names import bound_by, function_around, parsed
from fencepost.rules.normalizing._calls import is_quiet, method_name

# each goes over its first argument, and over nothing where that is empty
VIEWS = frozenset({"enumerate", "iter", "list", "reversed", "set", "sorted", "tuple"})
CHOOSERS = frozenset({"filter", "map"})  # over the second one
VIEW_METHODS = frozenset({"items", "keys", "values"})
ADDERS = frozenset({"extend", "update"})


def does_nothing(statement: cst.CSTNode, value: cst.BaseExpression, source: Source) -> bool:
    """Whether a statement does nothing where a value is empty: it loops over it, empties it, or adds its items."""
    match statement:
        case cst.For(iter=items, orelse=None, asynchronous=None):
            return goes_over(items, value, source)
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value="clear")), args=[])):
            return receiver.deep_equals(value)
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value=name)), args=[given])):
            plain = given.keyword is None and given.star in {"", "**"}
            return (
                name in ADDERS and plain and _is_collection(receiver, source) and goes_over(given.value, value, source)
            )
        case cst.AugAssign(target=target, operator=cst.AddAssign(), value=items):
            return _is_collection(target, source) and goes_over(items, value, source)
    return False


def _is_collection(node: cst.BaseExpression, source: Source) -> bool:
    """Whether a name of the function is only ever given a new list, dict or set, whose methods are known."""
    function = function_around(source)
    if function is None or not isinstance(node, cst.Name):
        return False
    everything = list(ast.walk(parsed(function)))
    bound = [name for one in everything for name in bound_by(one)]
    bound += [one.arg for one in everything if isinstance(one, ast.arg)]
    made = [one.value for one in everything if isinstance(one, ast.Assign) and _is_name(one.targets[0], node.value)]
    added = [one for one in everything if isinstance(one, ast.AugAssign) and _is_name(one.target, node.value)]
    return bool(made) and all(map(_is_new, made)) and bound.count(node.value) == len(made) + len(added)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_new(node: ast.expr) -> bool:
    """Whether an expression makes a new list, dict or set."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in {"list", "dict", "set"}
    return isinstance(node, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)


def goes_over(items: cst.BaseExpression, value: cst.BaseExpression, source: Source) -> bool:
    """Whether an expression gives the items of a value, and none where it is empty."""
    if items.deep_equals(value):
        return True
    if isinstance(items, cst.GeneratorExp | cst.ListComp):
        return not items.for_in.asynchronous and goes_over(items.for_in.iter, value, source)
    if not isinstance(items, cst.Call):
        return False
    if method_name(items) in VIEW_METHODS and not items.args:
        return cst.ensure_type(items.func, cst.Attribute).value.deep_equals(value)
    name = source.resolves_to(items.func)
    place = 0 if name in VIEWS else 1 if name in CHOOSERS else None
    if place is None or len(items.args) <= place or any(one.star for one in items.args):
        return False
    others = [one.value for number, one in enumerate(items.args) if number != place]
    return all(is_quiet(one, source) for one in others) and goes_over(items.args[place].value, value, source)
