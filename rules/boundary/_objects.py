"""Values that are None or an object that is never empty: a test for None says the same of them as one for emptiness."""

from __future__ import annotations

import ast

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._names import bound_by, function_around, gives_value, parsed

MAKERS = frozenset({"re.compile", "re.match", "re.search", "re.fullmatch"})
EXITS = frozenset({"__exit__", "__aexit__"})
# what annotations call objects without a length, whose truth is always true
TYPES = frozenset({
    "argparse.ArgumentParser", "argparse.Namespace", "collections.abc.Callable", "datetime.date", "datetime.datetime",
    "datetime.time", "datetime.timezone", "datetime.tzinfo", "logging.Logger", "pathlib.Path", "pathlib.PurePath",
    "random.Random", "re.Match", "re.Pattern", "threading.Event", "threading.Lock", "type", "types.ModuleType",
    "types.TracebackType", "typing.Callable", "typing.Match", "typing.Pattern", "typing.Type", "uuid.UUID",
    "zoneinfo.ZoneInfo",
})  # fmt: skip


def is_object(value: cst.BaseExpression, source: Source) -> bool:
    """Whether a value is None or an object that is never empty, as its origin or its annotation says."""
    if isinstance(value, cst.Attribute):
        return value.attr.value == "tzinfo" and source.imports("datetime")
    function = function_around(source)
    if function is None or not isinstance(value, cst.Name):
        return False
    param = _param(function, value.value)
    if param is None:
        return source.made_by(value) in MAKERS or _is_module(value, source)
    if gives_value(function.body, value.value):
        return False
    return _is_of_an_exception(function, param) or _is_annotated(param, source)


def _param(function: cst.FunctionDef, name: str) -> cst.Param | None:
    params = function.params
    every = (*params.posonly_params, *params.params, *params.kwonly_params)
    return next((param for param in every if param.name.value == name), None)


def _is_of_an_exception(function: cst.FunctionDef, param: cst.Param) -> bool:
    """Whether a parameter is the class or the traceback of an exception on the way out."""
    return function.name.value in EXITS and param in {*function.params.params[1:2], *function.params.params[3:4]}


def _is_annotated(param: cst.Param, source: Source) -> bool:
    """`at: datetime | None`, `at: Optional[datetime]`."""
    if param.annotation is None:
        return False
    parts = [*_alternatives(param.annotation.annotation, source)]
    return bool(parts) and all(source.resolves_to(one) in TYPES for one in parts)


def _alternatives(node: cst.BaseExpression, source: Source) -> list[cst.BaseExpression]:
    """The types that an annotation names beside None, without what stands in their brackets."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
        return [*_alternatives(node.left, source), *_alternatives(node.right, source)]
    if isinstance(node, cst.Subscript):
        if source.resolves_to(node.value) not in {"typing.Optional", "typing.Union"}:
            return [node.value]
        inner = [one.slice.value for one in node.slice if isinstance(one.slice, cst.Index)]
        return [part for one in inner for part in _alternatives(one, source)]
    return [] if isinstance(node, cst.Name) and node.value == "None" else [node]


def _is_module(name: cst.Name, source: Source) -> bool:
    """Whether a name is a module, or None where that could not be imported."""
    if "." in (source.resolves_to(name) or "."):
        return False
    everything = list(ast.walk(parsed(_file(source))))
    bound = [one for node in everything for one in bound_by(node)]
    bound += [one.arg for one in everything if isinstance(one, ast.arg)]
    imported = [one for node in everything if isinstance(node, ast.Import) for one in node.names]
    modules = [one for one in imported if (one.asname or one.name) == name.value]
    missing = [one for one in everything if isinstance(one, ast.Assign) and _gives_none(one, name.value)]
    return bool(modules) and bound.count(name.value) == len(modules) + len(missing)


def _file(source: Source) -> cst.CSTNode:
    level = 1
    while source.parent(level + 1) is not None:
        level += 1
    whole = source.parent(level)
    assert whole is not None  # noqa: S101 - a name stands in a file
    return whole


def _gives_none(statement: ast.Assign, name: str) -> bool:
    match statement:
        case ast.Assign(targets=[ast.Name(id=found)], value=ast.Constant(value=None)):
            return found == name
    return False
