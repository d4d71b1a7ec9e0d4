"""Which tests an edit of a test file changes: single functions, where nothing else of the file differs. Pure."""

from __future__ import annotations

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Mapping
from typing import TypeGuard

from fencepost.analyzer.shared_state import Keeps, kept_by

LOOKING_AROUND = {
    "globals", "currentframe", "_getframe", "f_lineno", "co_firstlineno", "tb_lineno", "getsourcelines", "getbasetemp",
    "testscollected", "testsfailed",
}  # fmt: skip
"""Names by which a test learns which tests there are beside it, or in which line it stands."""

Prints = Mapping[str, str]
"""A digest for each test function or class at the top of a file, by name; under the empty name that of all the rest."""


def prints_of(text: str) -> Prints | None:
    """The prints of a test file; None where they would not tell enough, or it does not parse."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
    named = [node for node in tree.body if _is_test(node)]
    names = Counter(node.name for node in named)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    used |= {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    if any(count > 1 or name in used for name, count in names.items()):
        return None  # a test that another one calls is a helper too, and so is a fixture by the name of a test
    if kept_by(text) >= Keeps.IN_FILE:
        return None
    rest = [ast.dump(node) for node in tree.body if not _is_test(node)]
    return {"": _digest("\0".join(rest)), **{node.name: _digest(ast.dump(node)) for node in named}}


def _is_test(node: ast.stmt) -> TypeGuard[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    if isinstance(node, ast.ClassDef):
        return node.name.startswith("Test")
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def changed_names(before: Prints | None, now: Prints | None) -> frozenset[str] | None:
    """The names of the tests of a file that were added, removed or edited; None: any of them may have changed."""
    if before is None or now is None or before[""] != now[""]:
        return None
    return frozenset(name for name in {*before, *now} if before.get(name) != now.get(name))


def modules_of(text: str) -> frozenset[str]:
    """The last parts of the names of all modules that a file imports, and of what it takes from them."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    return _imported(tree)


def _imported(tree: ast.Module) -> frozenset[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {part for alias in node.names for part in alias.name.split(".")}
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= set(node.module.split("."))
    return frozenset(names)


def names_told(text: str) -> frozenset[str]:
    """The parts of the names of all modules and files that a file may load: it imports them, or a string names them."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    strings = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    words = (re.split(r"\W+", string) for string in strings if re.fullmatch(r"[\w./:-]+", string))
    return _imported(tree).union(*words)


def looks_around(text: str) -> bool:
    """Whether tests of a file may see which others there are, so that an edit of any changes what they do."""
    if not any(name in text for name in (*LOOKING_AROUND, "session")):
        return False
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return True
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    names = {node.attr for node in attributes} | {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    of_request = (node.value for node in attributes if node.attr == "session")
    return bool(names & LOOKING_AROUND) or any(isinstance(one, ast.Name) and one.id == "request" for one in of_request)
