"""What the names of a function are given, everywhere: by assignments, by adding to them, by counting."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from fencepost.rules.boundary._names import bound_by

SCOPES = (
    ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef | ast.ListComp | ast.SetComp | ast.DictComp
    | ast.GeneratorExp
)  # fmt: skip


def all_given(tree: ast.AST) -> Mapping[str, Sequence[ast.expr]]:
    """For each name all the expressions whose value it is given; names that may be anything else too are left out.

    What is counted stands there as `*range(n)`.
    """
    everything = list(ast.walk(tree))
    bound = [name for one in everything for name in bound_by(one)]
    bound += [one.arg for one in everything if isinstance(one, ast.arg)]
    given: dict[str, list[ast.expr]] = defaultdict(list)
    for one in _in_its_scope(tree):
        for name, value in _gives(one):
            given[name].append(value)
    return {name: values for name, values in given.items() if bound.count(name) == len(values)}


def _in_its_scope(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function, without those of functions, classes and comprehensions in it: their names are others."""
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    ahead: list[ast.AST] = [*functions[0].body] if functions else []
    while ahead:
        node = ahead.pop()
        yield node
        if not isinstance(node, SCOPES):
            ahead += ast.iter_child_nodes(node)


def _gives(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            yield name, value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            yield from ((one.id, value) for one, value in zip(names, values, strict=True) if isinstance(one, ast.Name))
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            yield name, value
        case ast.AugAssign(target=ast.Name(id=name), op=operator, value=value):
            yield name, ast.BinOp(ast.Name(name, ast.Load()), operator, value)
        case ast.For(target=target, iter=items):
            yield from _counted(target, items)


def _counted(target: ast.expr, items: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The number that is counted in `for i in range(n)` and in `for i, x in enumerate(xs, 1)`."""
    match target, items:
        case ast.Name(id=name), ast.Call(func=ast.Name(id="range"), keywords=[]):
            yield name, ast.Starred(items, ast.Load())
        case ast.Tuple(elts=[ast.Name(id=name), _]), ast.Call(func=ast.Name(id="enumerate"), args=[_], keywords=[]):
            yield name, ast.Constant(0)
        case ast.Tuple(elts=[ast.Name(id=name), _]), ast.Call(
            func=ast.Name(id="enumerate"), args=[_, start], keywords=[]
        ):
            yield name, start
        case (
            ast.Tuple(elts=[ast.Name(id=name), _]),
            ast.Call(func=ast.Name(id="enumerate"), args=[_], keywords=[ast.keyword(arg="start", value=start)]),
        ):
            yield name, start
