"""What the rules FP5xx share: the text of a changed expression, and where no expression is changed."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator

import libcst as cst

from fencepost.rules._rule import Draft, MutantDraft, Source
from fencepost.rules.normalizing._calls import shown

REACHED = "reached"
"""The observer of these sites: it notes who comes by, and leaves what other rules watch there to them."""

# what a change around them adds or takes away changes what kind of function, or which scope, they stand in
_OF_THE_SCOPE = (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)
_ATOMS = (ast.Name, ast.Call, ast.Attribute, ast.Constant, ast.Subscript, ast.List, ast.Dict, ast.Set, ast.JoinedStr)
_TYPES = frozenset({
    "typing.TypeVar", "typing.ParamSpec", "typing.TypeVarTuple", "typing.NewType", "typing.TypeAliasType",
})  # fmt: skip
_FOR_TYPES = "arid: only for the type checker"
_SWITCHES = ("sys.version_info", "sys.platform", "sys.implementation", "sys.hexversion", "os.name")


def operator_drafts(node: cst.CSTNode, source: Source, replacements: Iterable[str], what: str) -> Iterator[Draft]:
    """The draft of an expression and its changes; none where it cannot be switched, or nothing is left of them.

    `what` completes the sentence "use an input for which ... makes a difference".
    """
    if not isinstance(node, cst.BaseExpression) or not _can_be_switched(node, source):
        return
    original = source.text(node)
    texts = [_placed(text, node, source) for text in replacements]
    mutants = [MutantDraft(text, None) for text in dict.fromkeys(texts) if _is_a_change(original, text)]
    if mutants:
        ask = f"use an input for which {what} `{shown(node, source)}` makes a difference, and assert the outcome"
        yield Draft(node, "operator", ask, mutants, observer=REACHED, ignored=_why_not(node, source))


def text_of(node: cst.CSTNode) -> str:
    """The text of a node that is in no file."""
    return cst.Module([]).code_for_node(node)


def bare(node: cst.CSTNode) -> cst.CSTNode:
    """The node without its own parentheses, which stay where they are."""
    return node.with_changes(lpar=[], rpar=[]) if getattr(node, "lpar", None) else node


def ancestors(source: Source) -> Iterator[cst.CSTNode]:
    """The nodes around the one being visited, innermost first."""
    level = 1
    while (around := source.parent(level)) is not None:
        yield around
        level += 1


def is_text(node: cst.CSTNode) -> bool:
    """Whether an expression is a text literal."""
    return isinstance(node, cst.SimpleString | cst.FormattedString | cst.ConcatenatedString)


def _can_be_switched(node: cst.BaseExpression, source: Source) -> bool:
    # no expression that is evaluated: patterns are compared by the statement, texts by themselves are docstrings
    if is_text(node) and isinstance(source.parent(), cst.Expr):
        return False
    never = (cst.MatchPattern, cst.TypeAlias, cst.TypeParameters)
    return not any(isinstance(around, never) for around in ancestors(source))


def _why_not(node: cst.BaseExpression, source: Source) -> str | None:
    """Why an expression needs no test, where its own text does not show it."""
    child: cst.CSTNode = node
    for around in ancestors(source):
        if isinstance(around, cst.Comparison) and _is_switch(around):
            return "arid: a switch on the Python version or the platform"
        if isinstance(around, cst.Call):
            name = (source.resolves_to(around.func) or "").replace("typing_extensions.", "typing.")
            if name in _TYPES or (name == "typing.cast" and child is around.args[0]):
                return _FOR_TYPES
        child = around
    if isinstance(node, cst.Call) and (source.resolves_to(node.func) or "").rpartition(".")[2] == "TypeVar":
        return _FOR_TYPES
    return None


def _is_switch(comparison: cst.Comparison) -> bool:
    text = text_of(comparison)
    return any(switch in text for switch in _SWITCHES) or ("__name__" in text and "__main__" in text)


def _placed(text: str, node: cst.BaseExpression, source: Source) -> str:
    """The text, in parentheses where the expression around it would take it apart."""
    if getattr(node, "lpar", None) or not _binds(source.parent(), node):
        return text
    tree = _parsed(text)
    return text if tree is None or isinstance(tree, _ATOMS) else f"({text})"


def _binds(around: cst.CSTNode | None, node: cst.BaseExpression) -> bool:
    """Whether what stands around a node could take hold of a part of it."""
    if isinstance(around, cst.Call):
        return node is around.func
    if isinstance(around, cst.Subscript):
        return node is around.value
    if isinstance(around, cst.Arg):
        return bool(around.star)
    return isinstance(around, cst.BaseExpression | cst.ComparisonTarget | cst.StarredElement)


def _is_a_change(original: str, text: str) -> bool:
    """Whether a text is a valid expression of another meaning, in a function of the same kind with the same names."""
    before, after = _parsed(original), _parsed(text)
    if before is None or after is None or ast.dump(before) == ast.dump(after):
        return False
    return _of_the_scope(before) == _of_the_scope(after)


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(f"({text}\n)", mode="eval").body
    except SyntaxError:
        return None


def _of_the_scope(tree: ast.expr) -> Counter[str]:
    return Counter(ast.dump(node) for node in ast.walk(tree) if isinstance(node, _OF_THE_SCOPE))
