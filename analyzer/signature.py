"""A test of a function that no test calls yet, out of its signature: each parameter that has to be given, by name.

What a person has to fill in is given as a name that nothing defines: were it `...`, it might come back and equal the
`...` that stands for the result.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping

from fencepost.analyzer.assertions import DECIDE, OPEN
from fencepost.analyzer.source_text import Function, Place, called_name

INDENT = "    "
PROPERTIES = frozenset({"property", "cached_property"})
CONSTRUCTORS = frozenset({"__init__", "__new__"})


def parameters(function: Function, *, bound: bool) -> list[str]:
    """The parameters that have to be given: those without a default; not the one that a method is bound to."""
    given = function.args
    required = [*given.posonlyargs, *given.args]
    required = required[: len(required) - len(given.defaults)][bound:]
    required += [one for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default is None]
    return [one.arg for one in required]


def defaults(function: Function, *, bound: bool) -> Iterator[tuple[str, int | None, ast.expr]]:
    """The parameters that need not be given, with their place among those given by place, if any, and their value."""
    given = function.args
    by_place = [*given.posonlyargs, *given.args]
    first = len(by_place) - len(given.defaults)
    for index, (one, value) in enumerate(zip(by_place[first:], given.defaults, strict=True), start=first - bound):
        if one not in given.posonlyargs:
            yield one.arg, index, value
    yield from ((one.arg, None, value) for one, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value)


def signature_test(place: Place, module: str, suffix: str, note: str, values: Mapping[str, str]) -> str:
    """The source of a test.

    Args:
        place: the function, and what it stands in.
        module: the dotted name that its file is imported by.
        suffix: what the name of the test ends with.
        note: a comment on its first line; none where it is empty.
        values: source texts for parameters of the function.
    """
    function, called = place.function, _called(place, values)
    top = (*place.classes, function)[0].name
    open_names = _open_names(called, top)
    is_async = isinstance(function, ast.AsyncFunctionDef)
    lines = [
        *(["import asyncio", ""] if is_async else []),
        f"from {module} import {top}",
        "",
        "",
        f"def test_{function.name.strip('_')}_{suffix}():",
        *([f"{INDENT}# {note}"] if note else []),
        *([f"{INDENT}# to be made: {', '.join(open_names)}"] if open_names else []),
        f"{INDENT}assert {f'asyncio.run({called})' if is_async else called} == {OPEN}{DECIDE}",
    ]
    return "\n".join(lines) + "\n"


def _open_names(called: str, top: str) -> list[str]:
    """The names in a call that nothing defines yet."""
    names = (node.id for node in ast.walk(ast.parse(called, mode="eval")) if isinstance(node, ast.Name))
    return [name for name in dict.fromkeys(names) if name != top and not hasattr(builtins, name)]


def _called(place: Place, values: Mapping[str, str]) -> str:
    """The call of a function, of a method on a new object, or the look at a property of one."""
    classes, function = place.classes, place.function
    marks = {called_name(one) for one in function.decorator_list}
    path = ".".join(one.name for one in classes)
    if not classes:
        return f"{function.name}({_given(function, values, bound=False)})"
    if function.name in CONSTRUCTORS:
        return f"{path}({_given(function, values, bound=True)})"
    if marks & {"staticmethod", "classmethod"}:
        return f"{path}.{function.name}({_given(function, values, bound='classmethod' in marks)})"
    made = f"{path}({_made_of(classes[-1])})"
    return f"{made}.{function.name}" + ("" if marks & PROPERTIES else f"({_given(function, values, bound=True)})")


def _given(function: Function, values: Mapping[str, str], *, bound: bool) -> str:
    by_place = {one.arg for one in function.args.posonlyargs}
    texts = ((name, values.get(name, name)) for name in parameters(function, bound=bound))
    return ", ".join(text if name in by_place else f"{name}={text}" for name, text in texts)


def _made_of(owner: ast.ClassDef) -> str:
    """What a new object is made of: what its `__init__` takes, else the fields that have no default."""
    made_by = next((one for one in owner.body if isinstance(one, Function) and one.name == "__init__"), None)
    return _given(made_by, {}, bound=True) if made_by else ", ".join(f"{name}={name}" for name in _fields(owner))


def _fields(owner: ast.ClassDef) -> Iterator[str]:
    for statement in owner.body:
        match statement:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
                if "ClassVar" not in ast.unparse(annotation):
                    yield name
