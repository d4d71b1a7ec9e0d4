"""Which expressions are certainly text: of these `int` parses a number, it does not round one."""

from __future__ import annotations

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._names import function_around, gives_value
from fencepost.rules.normalizing._calls import method_name

FUNCTIONS = frozenset({"input", "str", "chr", "repr", "os.getenv", "os.environ.get"})
METHODS = frozenset({"group", "strip", "lstrip", "rstrip", "removeprefix", "removesuffix", "join", "decode"})
SPLITTERS = frozenset({"split", "rsplit", "splitlines", "partition", "rpartition", "groups"})
ANNOTATIONS = frozenset({"str", "bytes", "str | None", "bytes | None", "str | bytes", "Optional[str]"})


def is_text(node: cst.BaseExpression, source: Source) -> bool:
    """Whether an expression gives text, or nothing, and never a number."""
    if isinstance(node, cst.Call):
        return source.resolves_to(node.func) in FUNCTIONS or method_name(node) in METHODS
    if isinstance(node, cst.Subscript):
        # a slice is a number of no kind: only text has slices that `int` takes
        sliced = any(isinstance(element.slice, cst.Slice) for element in node.slice)
        return sliced or _gives_pieces(node.value) or source.resolves_to(node.value) in {"os.environ", "sys.argv"}
    return isinstance(node, cst.Name) and (_is_piece(node.value, source) or _is_annotated(node.value, source))


def _gives_pieces(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and method_name(node) in SPLITTERS


def _is_piece(name: str, source: Source) -> bool:
    """Whether a name is the one that a loop or a comprehension around gives the pieces of a text."""
    level = 1
    while (around := source.parent(level)) is not None and not isinstance(around, cst.FunctionDef | cst.Lambda):
        loop = around.for_in if isinstance(around, cst.BaseComp) else around
        if isinstance(loop, cst.For | cst.CompFor) and isinstance(loop.target, cst.Name) and loop.target.value == name:
            rebound = isinstance(loop, cst.For) and gives_value(loop.body, name)
            return _gives_pieces(loop.iter) and not rebound
        if isinstance(loop, cst.For | cst.CompFor) and gives_value(loop.iter, name):
            return False
        level += 1
    return False


def _is_annotated(name: str, source: Source) -> bool:
    """Whether a name is a parameter that is annotated as text, and is given nothing else."""
    function = function_around(source)
    if function is None:
        return False
    params = (*function.params.posonly_params, *function.params.params, *function.params.kwonly_params)
    annotation = next((param.annotation for param in params if param.name.value == name), None)
    if annotation is None or gives_value(function.body, name):
        return False
    return source.text(annotation.annotation).strip("\"'") in ANNOTATIONS
