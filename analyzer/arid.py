"""Why a place in the code is not worth a test: logging, version switches and the like. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

_LOG_METHODS = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "log"})
_SWITCHES = re.compile(r"\bsys\s*\.\s*(version_info|platform|implementation|hexversion)\b|\bos\s*\.\s*name\b")


def arid_reason(ancestors: Sequence[cst.CSTNode], text: str) -> str | None:
    """Why an expression or a statement inside these ancestors (outermost first) needs no test; None where it does."""
    if _SWITCHES.search(text):
        return "arid: a switch on the Python version or the platform"
    if "__name__" in text and "__main__" in text:
        return "arid: the test for running as a script"
    for child, parent in zip([*ancestors[1:], None], ancestors, strict=True):
        reason = _reason_of(parent, child, ancestors)
        if reason:
            return f"arid: {reason}"
    return None


def _reason_of(node: cst.CSTNode, child: cst.CSTNode | None, ancestors: Sequence[cst.CSTNode]) -> str | None:
    if isinstance(node, cst.Expr):
        node = node.value.expression if isinstance(node.value, cst.Await) else node.value
    if isinstance(node, cst.Call):
        return _call_reason(node)
    if isinstance(node, cst.FormattedStringExpression) and node.equal is not None:
        return "a self-documenting f-string, made for debugging: its text changes with its source"
    if isinstance(node, cst.If) and child is node.body and "TYPE_CHECKING" in _dotted(node.test):
        return "only for the type checker"
    if isinstance(node, cst.Raise) and node.exc is not None and "NotImplementedError" in _dotted(_callee(node.exc)):
        return "raises NotImplementedError"
    if isinstance(node, cst.Assert) and child is not None and child is node.msg:
        return "the message of an assert"
    is_text = isinstance(node, cst.FunctionDef) and node.name.value in {"__repr__", "__str__"}
    return "the text of an exception" if is_text and _in_exception(node, ancestors) else None


def _call_reason(call: cst.Call) -> str | None:
    name = _dotted(call.func)
    receiver, _, method = name.rpartition(".")
    if name in {"warnings.warn", "warn"}:
        return "the argument of a warning"
    if method in _LOG_METHODS and "log" in receiver.lower():
        return "a logging call"
    return None


def _in_exception(function: cst.CSTNode, ancestors: Sequence[cst.CSTNode]) -> bool:
    enclosing = None
    for node in ancestors:
        if node is function:
            break
        if isinstance(node, cst.ClassDef):
            enclosing = node
    if enclosing is None:
        return False
    names = [enclosing.name.value, *(_dotted(base.value) for base in enclosing.bases)]
    return any(name.endswith(("Error", "Exception", "Warning")) for name in names)


def _callee(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.func if isinstance(node, cst.Call) else node


def _dotted(node: cst.CSTNode) -> str:
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return ""
