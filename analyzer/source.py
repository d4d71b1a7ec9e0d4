"""One source file as the rules see it: text by node, names after imports, constants. Pure; knows libcst."""

from __future__ import annotations

import ast
import builtins
import functools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

import libcst as cst
from libcst.metadata import CodeRange

from fencepost.analyzer.constants import Constant, Constants
from fencepost.analyzer.model import Position, Span, Use

_ATOMS = (
    cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.BaseNumber, cst.SimpleString, cst.FormattedString,
    cst.List, cst.Set, cst.Dict, cst.ListComp, cst.SetComp, cst.DictComp, cst.Ellipsis,
)  # fmt: skip
NO_NORMALIZERS: Mapping[str, Sequence[str]] = MappingProxyType({})
_ARITHMETIC: dict[type[cst.BaseBinaryOp], Callable[[Any, Any], int | float]] = {
    cst.Add: lambda left, right: left + right,
    cst.Subtract: lambda left, right: left - right,
    cst.Multiply: lambda left, right: left * right,
}


class SourceFile:
    """Answers the questions of `fencepost.rules._rule.Source` about one parsed file.

    `ancestors` is kept by the walker: the nodes around the one being visited, outermost first. `path` is where the file
    stands in the project, with forward slashes; `normalizers` is the user's table.
    """

    def __init__(
        self,
        text: str,
        module: cst.Module,
        ranges: Mapping[cst.CSTNode, CodeRange],
        *,
        path: str = "",
        normalizers: Mapping[str, Sequence[str]] = NO_NORMALIZERS,
        constants: Constants | None = None,
    ) -> None:
        self._constants = constants or Constants(ast.parse(module.code))
        self._lines = text.split("\n")
        self._ranges = ranges
        self._module = module
        self._path = PurePosixPath(path)
        self.ancestors: list[cst.CSTNode] = []
        self.normalizers = normalizers
        imports = _collected_imports(module)
        self._imports = dict(imports.found)
        self._relative = {name: self._from_here(level, rest) for name, level, rest in imports.relative}
        self._bound = _module_names(module)

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands, without its own parentheses; a pattern with them, since no guard fits between."""
        start, end = self._ranges[node].start, self._ranges[node].end
        if isinstance(node, cst.MatchPattern) and _in_parentheses(node):
            start, end = self._ranges[node.lpar[0]].start, self._ranges[node.rpar[-1]].end
        return Span(Position(start.line, start.column + 1), Position(end.line, end.column + 1))

    def anchor(self, node: cst.CSTNode) -> Span:
        """Where Python says that an expression stands: tuples and generators with their innermost parentheses."""
        if isinstance(node, cst.Tuple | cst.GeneratorExp) and node.lpar:
            start, end = self._ranges[node.lpar[-1]].start, self._ranges[node.rpar[0]].end
            return Span(Position(start.line, start.column + 1), Position(end.line, end.column + 1))
        return self.span(node)

    def slice(self, span: Span) -> str:
        """The text of the file between two positions."""
        first, last = span.start.line - 1, span.end.line - 1
        if first == last:
            return self._lines[first][span.start.column - 1 : span.end.column - 1]
        middle = self._lines[first + 1 : last]
        return "\n".join(
            [self._lines[first][span.start.column - 1 :], *middle, self._lines[last][: span.end.column - 1]]
        )

    def fitted(self, replacement: str, span: Span) -> str:
        """A replacement, in parentheses where it would run into its surroundings or end with its first line."""
        before = self._lines[span.start.line - 1][: span.start.column - 1][-1:]
        after = self._lines[span.end.line - 1][span.end.column - 1 :][:1]
        glued = _of_a_word(before, replacement[0]) or _of_a_word(replacement[-1], after)
        if glued or before + replacement[0] == "{{" or ("\n" in replacement and not _stands_alone(replacement)):
            return f"({replacement})"
        return replacement

    def text(self, node: cst.CSTNode) -> str:
        """The source text of a node, with its own parentheses."""
        plain = self.slice(self.span(node))
        return f"({plain})" if _in_parentheses(node) and not isinstance(node, cst.MatchPattern) else plain

    def atom(self, node: cst.CSTNode) -> str:
        """The same, in parentheses where it could not stand as an operand without them."""
        plain = self.text(node)
        return plain if isinstance(node, _ATOMS) or _in_parentheses(node) else f"({plain})"

    def parent(self, level: int = 1) -> cst.CSTNode | None:
        """The node around the one being visited; 2 is the one around that."""
        return self.ancestors[-level] if level <= len(self.ancestors) else None

    def number(self, node: cst.CSTNode) -> int | float | None:
        """The value of a numeric literal or of a name for one."""
        if isinstance(node, cst.Name | cst.Attribute):
            constant = self._constant(node)
            return None if constant is None else constant.value
        return _literal_number(node)

    def uses(self, name: cst.Name) -> list[Use]:
        """Where the project reads the constant that a name at the level of a module or a class is given here."""
        constant = self._constant(name)
        return [] if constant is None else self._constants.uses(constant)

    def _constant(self, node: cst.Name | cst.Attribute) -> Constant | None:
        dotted = cst.helpers.get_full_name_for_node(node)
        if dotted is None or not all(part.isidentifier() for part in dotted.split(".")):
            return None
        return self._constants.find(dotted.split("."), self._ranges[node].start.line)

    def resolves_to(self, node: cst.CSTNode) -> str | None:
        """The dotted name that a name or attribute means after the imports."""
        if isinstance(node, cst.Attribute):
            base = self.resolves_to(node.value)
            return f"{base}.{node.attr.value}" if base else None
        if not isinstance(node, cst.Name):
            return None
        if node.value in self._imports:
            return self._imports[node.value]
        if node.value not in self._bound and hasattr(builtins, node.value):
            return node.value
        return None

    def own_name(self, node: cst.CSTNode) -> str | None:
        """The dotted name from the root of the project of what this file defines or imports relatively."""
        if isinstance(node, cst.Attribute):
            base = self.own_name(node.value)
            return f"{base}.{node.attr.value}" if base else None
        if not isinstance(node, cst.Name):
            return None
        if node.value in self._relative:
            return self._relative[node.value]
        return self._from_here(0, node.value) if node.value in self._bound else None

    def _from_here(self, level: int, rest: str) -> str:
        """The dotted name of what is called `rest` in this module (level 0), in its folder (1) or further up."""
        folders = self._path.parts[:-1]
        module = () if self._path.stem == "__init__" else (self._path.stem,)
        around = (*folders, *module) if not level else folders[: len(folders) + 1 - level]
        return ".".join([*around, rest])

    def made_by(self, node: cst.CSTNode) -> str | None:
        """The function whose result a name or attribute is given wherever this file gives it one."""
        makers = self._makers.get(_last_name(node), set())
        return next(iter(makers)) if len(makers) == 1 else None

    @functools.cached_property
    def _makers(self) -> Mapping[str, set[str | None]]:
        collector = _AssignmentCollector()
        self._module.visit(collector)
        makers = defaultdict(set)
        for name, value in collector.found:
            makers[name].add(self.resolves_to(value.func) if isinstance(value, cst.Call) else None)
        return makers

    def imports(self, *packages: str) -> bool:
        """Whether this file imports something out of one of these packages."""
        return any(meaning.partition(".")[0] in packages for meaning in self._imports.values())


def _in_parentheses(node: cst.CSTNode) -> bool:
    return bool(getattr(node, "lpar", None))  # only expressions have it


def _of_a_word(left: str, right: str) -> bool:
    """Whether two characters side by side would read as one word; none where a line begins or ends."""
    return all(character.isalnum() or character == "_" for character in (left, right))


def _stands_alone(text: str) -> bool:
    try:
        ast.parse(text, mode="eval")
    except SyntaxError:
        return False
    return True


def _literal_number(node: cst.CSTNode) -> int | float | None:
    if isinstance(node, cst.Integer | cst.Float):
        return node.evaluated_value
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        value = _literal_number(node.expression)
        return None if value is None else -value
    if isinstance(node, cst.BinaryOperation) and type(node.operator) in _ARITHMETIC:
        left, right = _literal_number(node.left), _literal_number(node.right)
        return None if left is None or right is None else _ARITHMETIC[type(node.operator)](left, right)
    return None


def _last_name(node: cst.CSTNode) -> str:
    """The name of a variable, the last one of an attribute; nothing for any other node."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else ""


def _collected_imports(module: cst.Module) -> _ImportCollector:
    collector = _ImportCollector()
    module.visit(collector)
    return collector


class _ImportCollector(cst.CSTVisitor):
    """Every import of a file, at whatever depth.

    `found` are local names with their dotted meanings; `relative` are local names with the dots and what follows them.
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.relative: list[tuple[str, int, str]] = []

    def visit_Import(self, node: cst.Import) -> bool:  # noqa: N802 - libcst calls it by this name
        for alias in node.names:
            dotted = alias.evaluated_name
            if alias.evaluated_alias:
                self.found.append((alias.evaluated_alias, dotted))
            else:
                top = dotted.partition(".")[0]
                self.found.append((top, top))
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:  # noqa: N802 - libcst calls it by this name
        if isinstance(node.names, cst.ImportStar):
            return False
        origin = f"{cst.helpers.get_full_name_for_node(node.module)}." if node.module else ""
        for alias in node.names:
            local, dotted = alias.evaluated_alias or alias.evaluated_name, f"{origin}{alias.evaluated_name}"
            if node.relative:
                self.relative.append((local, len(node.relative), dotted))
            else:
                self.found.append((local, dotted))
        return False


class _AssignmentCollector(cst.CSTVisitor):
    """Every name or attribute that is given a value, at whatever depth, by its last name."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, cst.BaseExpression]] = []

    def visit_Assign(self, node: cst.Assign) -> None:  # noqa: N802 - libcst calls it by this name
        self.found += [(_last_name(target.target), node.value) for target in node.targets]

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:  # noqa: N802 - libcst calls it by this name
        if node.value is not None:
            self.found.append((_last_name(node.target), node.value))

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:  # noqa: N802 - libcst calls it by this name
        self.found.append((_last_name(node.target), node.value))


def _statements(module: cst.Module) -> Iterator[cst.BaseSmallStatement | cst.BaseStatement]:
    for statement in module.body:
        if isinstance(statement, cst.SimpleStatementLine):
            yield from statement.body
        else:
            yield statement


def _targets(statement: cst.CSTNode) -> list[str]:
    if isinstance(statement, cst.Assign):
        return [target.target.value for target in statement.targets if isinstance(target.target, cst.Name)]
    if isinstance(statement, cst.AnnAssign) and isinstance(statement.target, cst.Name) and statement.value:
        return [statement.target.value]
    if isinstance(statement, cst.AugAssign) and isinstance(statement.target, cst.Name):
        return [statement.target.value]
    if isinstance(statement, cst.FunctionDef | cst.ClassDef):
        return [statement.name.value]
    return []


def _module_names(module: cst.Module) -> set[str]:
    return {name for statement in _statements(module) for name in _targets(statement)}
