"""Comparisons and normalizing calls, listed by Python's own parser, are all among the sites of a scan.

The list below is made without fencepost and without libcst. What it holds and no rule looks at, even to set it aside
with a reason, is a hole. The code is that of packages that every environment of fencepost has.
"""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fencepost.analyzer.scan import scan_source
from fencepost.rules import all_rules

PACKAGES = (
    "click", "pluggy", *(pytest.param(name, marks=pytest.mark.slow) for name in ("coverage", "jinja2", "rich")),
)  # fmt: skip
ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
EQUALITIES = (ast.Eq, ast.NotEq)
MEMBERSHIPS = (ast.In, ast.NotIn)
IDENTITIES = (ast.Is, ast.IsNot)
WITHOUT_ARGUMENTS = {"lower", "upper", "casefold", "title", "capitalize", "swapcase", "resolve", "expanduser"}
METHODS = {
    "strip", "lstrip", "rstrip", "expandtabs", "removeprefix", "removesuffix", "zfill", "ljust", "rjust", "center",
}  # fmt: skip
WITH_TWO = {"get", "setdefault", "replace"}
FUNCTIONS = {"sorted": 1, "reversed": 1, "round": 1, "getattr": 3, "next": 2}  # and how many arguments they are given

Place = tuple[int, int, int, int]


def place_of(node: ast.AST) -> Place:
    """Where a node stands: lines from 1, columns from 0 in bytes."""
    found: Any = node
    return found.lineno, found.col_offset, found.end_lineno, found.end_col_offset


def listed(tree: ast.Module) -> Iterator[tuple[Place, str]]:
    """The places that ask for a test, and why."""
    modules = {alias.asname or alias.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import)
               for alias in node.names}  # fmt: skip
    for node in without_annotations(tree):
        if isinstance(node, ast.Compare):
            yield from ((place_of(node), why) for why in compared(node))
        elif isinstance(node, ast.Call) and not any(isinstance(one, ast.Starred) for one in node.args):
            why = called(node, modules)
            if why:
                yield place_of(node), why


def without_annotations(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but type annotations, which are no code under test."""
    for name, value in ast.iter_fields(tree):
        if name in {"annotation", "returns"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child
                yield from without_annotations(child)


def compared(node: ast.Compare) -> Iterator[str]:
    """Why a comparison is on the list, once for each of its links."""
    left = node.left
    for operator, right in zip(node.ops, node.comparators, strict=True):
        if isinstance(operator, ORDERINGS):
            yield "ordering"
        elif isinstance(operator, EQUALITIES) and (is_constant(left) or is_constant(right)):
            yield "equality"
        elif isinstance(operator, MEMBERSHIPS) and isinstance(right, ast.Tuple | ast.List | ast.Set):
            if right.elts and all(map(is_constant, right.elts)) and not node.comparators[1:]:
                yield "membership"
        elif isinstance(operator, IDENTITIES) and is_none(right) and is_looked_up(left) and not node.comparators[1:]:
            yield "emptiness"
        left = right


def is_looked_up(node: ast.expr) -> bool:
    """Whether an expression is a name, or a part of what a name means."""
    return isinstance(node, ast.Name | ast.Attribute | ast.Subscript)


def is_none(node: ast.expr) -> bool:
    """Whether an expression is None, as written."""
    return isinstance(node, ast.Constant) and node.value is None


def is_constant(node: ast.expr) -> bool:
    """Whether an expression is a number, a text, or a name written as a constant."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float | complex | str | bytes)
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper()
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
    return False


def called(node: ast.Call, modules: set[str]) -> str:
    """Why a call is on the list; empty where it is not."""
    match node.func:
        case ast.Name(id=name) if len(node.args) == FUNCTIONS.get(name):
            return name
        case ast.Attribute(value=ast.Name(id=receiver)) if receiver in modules:
            return ""
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
            return ""
        case ast.Attribute(attr=name) if not node.keywords:
            count = len(node.args)
            if name in WITH_TWO:  # without the default these give None anyway
                return name if count == 2 and not is_none(node.args[1]) else ""
            if name in METHODS or (name in WITHOUT_ARGUMENTS and not count):
                return name
    return ""


def sites_of(text: str) -> set[Place]:
    """Where the scan has sites, as Python's own parser counts."""
    lines = text.split("\n")
    found = set()
    for site in scan_source(text.encode(), "shop.py", all_rules()).sites:
        start, end = site.span.start, site.span.end
        columns = (len(lines[one.line - 1][: one.column - 1].encode()) for one in (start, end))
        first, last = columns
        found.add((start.line, first, end.line, last))
    return found


def files_of(package: str) -> list[Path]:
    """The source files of an installed package."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return [path for folder in spec.submodule_search_locations for path in sorted(Path(folder).rglob("*.py"))]


@pytest.mark.parametrize("package", PACKAGES)
def test_whatever_the_parser_lists_the_scan_has_too(package: str) -> None:
    missed, count = [], 0
    for path in files_of(package):
        text = path.read_text(encoding="utf-8")
        sites = sites_of(text)
        for place, why in listed(ast.parse(text)):
            count += 1
            if place not in sites:
                missed.append(f"{path.name}:{place[0]}:{place[1]}: {why}")
    assert count > 50
    assert missed == []
