"""What does nothing where a value is empty: going over its items, taking them out, adding them to others."""

from __future__ import annotations

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._idioms import small_statements
from fencepost.rules.boundary._owned import is_collection, is_made_anew
from fencepost.rules.normalizing._calls import is_quiet, method_name

# each goes over its first argument, and over nothing where that is empty
VIEWS = frozenset({"enumerate", "iter", "list", "reversed", "set", "sorted", "tuple"})
CHOOSERS = frozenset({"filter", "map"})  # over the second one
VIEW_METHODS = frozenset({"items", "keys", "values"})
ADDERS = frozenset({"extend", "update"})


def does_nothing(statement: cst.CSTNode, value: cst.BaseExpression, source: Source) -> bool:
    """Whether a statement does nothing where a value is empty: it loops over it, empties it, or adds its items.

    A name is empty as ever behind another one that does nothing.
    """
    match statement:
        case cst.For(iter=items, orelse=None, asynchronous=None):
            return goes_over(items, value, source)
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value="clear")), args=[])):
            return receiver.deep_equals(value)
        case cst.Expr(value=cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value=name)), args=[given])):
            plain = given.keyword is None and given.star in {"", "**"}
            return (
                name in ADDERS and plain and is_collection(receiver, source) and goes_over(given.value, value, source)
            )
        case cst.AugAssign(target=target, operator=cst.AddAssign(), value=items):
            return is_collection(target, source) and goes_over(items, value, source)
        case cst.Assign(targets=[cst.AssignTarget(target=target)], value=new):
            return target.deep_equals(value) and is_made_anew(value, new, source)
        case cst.If(test=test, body=body, orelse=None):
            return is_quiet(test, source) and all(does_nothing(one, value, source) for one in small_statements(body))
    return False


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
