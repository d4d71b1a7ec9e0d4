"""What the code does next where a comparison is true or false, as far as the source tells it at a glance. Pure."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Mapping

from fencepost.analyzer.excerpt import offset, shorten
from fencepost.analyzer.model import Site
from fencepost.analyzer.source_text import SourceText

PLAIN = (
    ast.Return, ast.Raise, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Continue, ast.Break, ast.Delete,
)  # fmt: skip
"""Statements that a reader takes in as one thing."""

FILES = 32  # looked over at a time: reports go from file to file


def outcome(source: SourceText, site: Site, *, truth: bool) -> str | None:
    """The statement or value that follows where the comparison of a site, or the one link of its chain, is so.

    None where that hangs on more than this expression, or is no plain statement.

    Args:
        source: the file of the site, as it was when the site was found.
    """
    place = offset(source.text, site.span.start), offset(source.text, site.span.end)
    if source.text[slice(*place)] != site.source:
        return None
    for node, test, (start, end) in _tests(source):
        if start <= place[0] and place[1] <= end:
            taken = _truth_of(source, test, place, truth=truth)
            if taken is not None:
                return _text(source, _next(source, node, taken=taken))
    return None


@functools.lru_cache(maxsize=FILES)
def _tests(source: SourceText) -> list[tuple[ast.AST, ast.expr, tuple[int, int]]]:
    """What branches in a file, each with its test and the place of that."""
    tests = (
        (node, getattr(node, "guard" if isinstance(node, ast.match_case) else "test", None))
        for node in ast.walk(source.module)
    )
    return [(node, test, source.range(test)) for node, test in tests if isinstance(test, ast.expr)]


def _truth_of(source: SourceText, test: ast.expr, place: tuple[int, int], *, truth: bool) -> bool | None:
    """The truth of a test in which the expression stands; None where it does not stand there, or does not settle it."""
    if source.range(test) == place:
        chain = isinstance(test, ast.Compare) and len(test.ops) > 1
        return None if chain and truth else truth  # the other links have a say too
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inside = _truth_of(source, operand, place, truth=truth)
            return None if inside is None else not inside
        case ast.BoolOp(op=joint, values=values):
            settling = isinstance(joint, ast.Or)
            found = (_truth_of(source, value, place, truth=truth) for value in values)
            return next((one for one in found if one is settling), None)
    return None


def _next(source: SourceText, node: ast.AST, *, taken: bool) -> ast.AST | None:
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            return body if taken else orelse
        case ast.If(body=[first, *_]) | ast.match_case(body=[first, *_]) if taken:
            return first
        case ast.If(orelse=[first, *_]):
            return first
        case ast.If():
            return _neighbours(source).get(node)
    return None


@functools.lru_cache(maxsize=FILES)
def _neighbours(source: SourceText) -> Mapping[ast.AST, ast.stmt]:
    """The statement behind each that is not the last of its block."""
    blocks = (getattr(node, name, None) for node in ast.walk(source.module) for name in ("body", "orelse", "finalbody"))
    return dict(itertools.chain.from_iterable(itertools.pairwise(block) for block in blocks if isinstance(block, list)))


def _text(source: SourceText, node: ast.AST | None) -> str | None:
    return shorten(source.segment(node)) if isinstance(node, (*PLAIN, ast.expr)) else None
