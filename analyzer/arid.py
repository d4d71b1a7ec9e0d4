"""Why a place in the code is not worth a test: logging, version switches, pragmas and the like. Pure."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst

_ALLOW = re.compile(r"#\s*fencepost:\s*allow\[(?P<names>[\w\s,-]+)\]\s*(?P<reason>\S.*)")
_NO_COVER = re.compile(r"#\s*pragma:?\s*no\s*cover", re.IGNORECASE)
_NO_MUTATE = re.compile(r"#\s*pragma:?\s*no\s*mutate", re.IGNORECASE)
_LOG_METHODS = frozenset({"debug", "info", "warning", "warn", "error", "exception", "critical", "log"})
_SWITCHES = re.compile(r"\bsys\s*\.\s*(version_info|platform|implementation|hexversion)\b|\bos\s*\.\s*name\b")


@dataclass(slots=True)
class Comments:
    """The comments of a file by line, and what they allow."""

    no_cover: set[int] = field(default_factory=set)
    no_mutate: set[int] = field(default_factory=set)
    allowed: dict[int, tuple[frozenset[str], str]] = field(default_factory=dict)


def read_comments(text: str) -> Comments:
    """The pragmas and allows of a source text; a text that does not tokenize has none."""
    comments = Comments()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                _read_comment(comments, token.start[0], token.string)
    except (tokenize.TokenError, SyntaxError):
        return comments  # the parser reports the file; here the comments read so far are all there is to know
    return comments


def _read_comment(comments: Comments, line: int, text: str) -> None:
    if _NO_COVER.search(text):
        comments.no_cover.add(line)
    if _NO_MUTATE.search(text):
        comments.no_mutate.add(line)
    allow = _ALLOW.search(text)
    if allow:
        names = frozenset(name.strip() for name in allow["names"].split(","))
        comments.allowed[line] = (names, allow["reason"].strip())


def arid_reason(ancestors: Sequence[cst.CSTNode], text: str) -> str | None:
    """Why an expression inside these ancestors (outermost first) needs no test; None where it does."""
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
