"""Which number a name stands for, where that is certain: through scopes, classes and imports inside the project.

A name is certain that is given a number once and nothing else in its scope. At the level of a module or a class it has
to be written as a constant too, since others can write there.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib.util
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fencepost.analyzer.model import Use
from fencepost.analyzer.scope import python_files

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
RELATIONAL = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
LIMITING = frozenset({"range", "islice", "batched"})
MOST_LIMITS = 3  # arguments; another one is a step
HARMLESS_BASES = frozenset({"ABC", "Protocol", "Generic"})
MOST_IMPORTS = 5  # a name that is handed on through more modules is given up
WORD = re.compile(r"[^\W\d]\w*")
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], int | float]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
}


@dataclass(frozen=True, slots=True)
class Constant:
    """A name that is one number: where it is defined, as `LIMIT` or `Settings.LIMIT`, and the number."""

    path: str
    name: str
    value: int | float


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import binds a name to: a module, or a name in it. `level` counts the dots in front."""

    level: int
    module: str
    name: str = ""


@dataclass(slots=True)
class Scope:
    """A module, class or function: how often each name is bound in it, which are numbers, and which imported."""

    node: ast.AST
    parent: Scope | None = None
    bound: Counter[str] = field(default_factory=Counter)
    numbers: dict[str, int | float] = field(default_factory=dict)
    imports: dict[str, Imported] = field(default_factory=dict)

    @property
    def is_class(self) -> bool:
        """Whether it is the body of a class, which functions inside it do not see."""
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_function(self) -> bool:
        """Whether nobody outside can write into it."""
        return isinstance(self.node, FUNCTIONS)


class Project:
    """The other files of a project, read and parsed when something is asked about them, and once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._constants: dict[str, Constants | None] = {}
        self._words: dict[str, frozenset[str]] | None = None

    def constants(self, path: str) -> Constants | None:
        """The constants of a file; None where it cannot be read or parsed."""
        if path not in self._constants:
            self._constants[path] = self._read(path)
        return self._constants[path]

    def _read(self, path: str) -> Constants | None:
        try:
            text = importlib.util.decode_source((self.root / path).read_bytes())
            with warnings.catch_warnings(action="ignore"):  # of escapes in the code under test
                return Constants(ast.parse(text), path, self)
        except (OSError, ValueError, SyntaxError, RecursionError):
            return None

    def module(self, importer: str, level: int, dotted: str) -> str | None:
        """The file that a file means by a module, which has so many dots in front; None where it is no file here."""
        folders = importer.split("/")[:-1]
        if level:
            if level - 1 > len(folders):
                return None
            return self._file(folders[: len(folders) - level + 1], dotted)
        while folders and (self.root.joinpath(*folders) / "__init__.py").is_file():
            folders.pop()  # what is imported by its full name is looked for beside the package, not in it
        return self._file(folders, dotted)

    def _file(self, folders: Sequence[str], dotted: str) -> str | None:
        parts = [*folders, *filter(None, dotted.split("."))]
        for path in ("/".join([*parts, "__init__.py"]), f"{'/'.join(parts)}.py"):  # a package hides a module
            if parts and (self.root / path).is_file():
                return path
        return None

    def mentioning(self, word: str) -> Iterator[str]:
        """The files of the project that have a word in them."""
        if self._words is None:
            found = (path.relative_to(self.root).as_posix() for path in python_files(self.root))
            self._words = {path: frozenset(self._words_of(path)) for path in sorted(found)}
        return (path for path, words in self._words.items() if word in words)

    def _words_of(self, path: str) -> Iterable[str]:
        try:
            return WORD.findall((self.root / path).read_text(encoding="utf-8", errors="replace"))
        except OSError:
            return ()


class Constants:
    """The names of one file that are numbers.

    Args:
        tree: the file, parsed.
        path: where it stands in the project.
        project: the other files; None where nothing is known of them.
    """

    def __init__(self, tree: ast.Module, path: str = "", project: Project | None = None) -> None:
        self.tree = tree
        self.path = path
        self.project = project
        self.module = Scope(tree)
        self.classes: dict[str, Scope] = {}
        self._by_line: dict[int, Scope] = {}
        self._written_attributes: set[str] = set()
        self._class_bindings: Counter[str] = Counter()
        self._open(self.module, tree.body)
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                self._written_attributes.add(node.attr)
            if isinstance(node, ast.Global):
                self.module.bound.update(node.names)

    def _open(self, scope: Scope, body: Sequence[ast.stmt]) -> None:
        """Note what a scope binds, and open the scopes inside it."""
        for line in range(body[0].lineno, (body[-1].end_lineno or 0) + 1) if body else ():
            self._by_line[line] = scope
        own = list(_of_scope(scope.node))
        for node in own:
            _bind(scope, node)
        if scope.is_function:
            scope.bound = Counter(name for node in ast.walk(scope.node) for name in _names(node))
        if scope.is_class:
            self._class_bindings.update(set(scope.bound))
        for node in own:
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)) and node is not scope.node:
                inner = Scope(node, scope)
                if isinstance(node, ast.ClassDef) and scope is self.module:
                    self.classes[node.name] = inner
                self._open(inner, node.body)

    def find(self, parts: Sequence[str], line: int = 0, depth: int = 0) -> Constant | None:
        """The constant that a dotted name means on a line (0: at the end of the module); None where none is certain."""
        head, *rest = parts
        scope = self._binding(head, line)
        if scope is None:
            return None
        if head in {"self", "cls"} and len(rest) == 1 and scope.parent is not None and scope.parent.is_class:
            return self._attribute(scope.parent, rest[0])
        if scope.bound[head] != 1:
            return None
        if not rest and scope.is_class:
            return self._attribute(scope, head)
        if not rest and head in scope.numbers and (scope.is_function or head.isupper()):
            name = f"{getattr(scope.node, 'lineno', 0)}:{head}" if scope.is_function else head
            return Constant(self.path, name, scope.numbers[head])
        if len(rest) == 1 and scope is self.module and head in self.classes:
            return self._attribute(self.classes[head], rest[0])
        return self._imported(scope, parts, depth)

    def _binding(self, name: str, line: int) -> Scope | None:
        """The scope that binds a name used on a line."""
        scope = innermost = self._by_line.get(line, self.module)
        while name not in scope.bound or (scope.is_class and scope is not innermost):
            if scope.parent is None:
                return None
            scope = scope.parent
        return scope

    def _attribute(self, scope: Scope, name: str) -> Constant | None:
        """A number in the body of a class that no subclass here gives another and nobody writes to."""
        written = name in self._written_attributes or self._class_bindings[name] != 1
        if written or scope.bound[name] != 1 or not name.isupper() or not self.is_plain(scope):
            return None
        if name not in scope.numbers or not isinstance(scope.node, ast.ClassDef):
            return None
        return Constant(self.path, f"{scope.node.name}.{name}", scope.numbers[name])

    def is_plain(self, scope: Scope, depth: int = 0) -> bool:
        """Whether a class is no enum or the like: an attribute of it is what its body says."""
        node = scope.node
        if not isinstance(node, ast.ClassDef) or node.keywords or depth > MOST_IMPORTS:
            return False
        return all(self._is_harmless(base, depth) for base in node.bases)

    def uses(self, constant: Constant) -> list[Use]:
        """Where a constant of this file is read, here and in the other files of the project, tests left out."""
        word = constant.name.rpartition(".")[2]
        others = () if self.project is None else self.project.mentioning(word)
        found = list(self.uses_here(constant))
        for path in others:
            other = self.project.constants(path) if self.project is not None and path != self.path else None
            # the other file may not be looked at in this run, so nothing moves there for certain
            found += [] if other is None else [replace(use, moves=False) for use in other.uses_here(constant)]
        return found

    def uses_here(self, constant: Constant) -> Iterator[Use]:
        """Where this file reads a constant of any file."""
        word = constant.name.rpartition(".")[2]
        for node in (node for alias in (word, *self._aliases[word]) for node in self._reads[alias]):
            parts = _dotted(node) or [""]
            meant = self.find(parts, node.lineno) if parts[0] else None
            if meant == constant or (meant is None and parts[-1] == word and parts[1:]):
                yield _use(node, self._parents, self.path, certain=meant is not None)

    @functools.cached_property
    def _parents(self) -> dict[ast.AST, ast.AST]:
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @functools.cached_property
    def _reads(self) -> dict[str, list[ast.Name | ast.Attribute]]:
        """The nodes that read something, by its last word."""
        found: dict[str, list[ast.Name | ast.Attribute]] = defaultdict(list)
        for node in self._parents:
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                found[node.id if isinstance(node, ast.Name) else node.attr].append(node)
        return found

    @functools.cached_property
    def _aliases(self) -> dict[str, list[str]]:
        """The other names under which what has a name elsewhere is imported."""
        found: dict[str, list[str]] = defaultdict(list)
        for node in self._parents:
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    if alias.asname and alias.asname != alias.name:
                        found[alias.name].append(alias.asname)
        return found

    def _is_harmless(self, base: ast.expr, depth: int) -> bool:
        name = base.value if isinstance(base, ast.Subscript) else base
        word = name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""
        if word in self.classes and isinstance(name, ast.Name):
            return self.is_plain(self.classes[word], depth + 1)
        return word in HARMLESS_BASES or isinstance(getattr(builtins, word, None), type)

    def _imported(self, scope: Scope, parts: Sequence[str], depth: int) -> Constant | None:
        """What an imported name means in the file that it comes from."""
        imported = scope.imports.get(parts[0])
        if imported is None or self.project is None or depth == MOST_IMPORTS:
            return None
        for level, module, rest in _readings(imported, parts):
            path = self.project.module(self.path, level, module)
            other = None if path is None or path == self.path else self.project.constants(path)
            if other is not None:
                return other.find(rest, 0, depth + 1)
        return None


def _readings(imported: Imported, parts: Sequence[str]) -> Iterator[tuple[int, str, Sequence[str]]]:
    """The modules that may be meant, each with the name to look for in it, the longest first."""
    rest = parts[1:]
    if imported.name:
        dotted = f"{imported.module}.{imported.name}" if imported.module else imported.name
        if rest:
            yield imported.level, dotted, rest
        yield imported.level, imported.module, [imported.name, *rest]
        return
    full = [imported.module, *rest]
    for length in range(len(full) - 1, 0, -1):
        yield 0, ".".join(full[:length]), full[length:]


def literal_number(node: ast.expr) -> int | float | None:
    """The value of a number as written; arithmetic with numbers is one too."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) in {int, float} else None  # type: ignore[return-value] # just looked
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = literal_number(node.operand)
        return None if value is None else -value
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        left, right = literal_number(node.left), literal_number(node.right)
        return None if left is None or right is None else _ARITHMETIC[type(node.op)](left, right)
    return None


def _of_scope(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, without what stands inside the functions and classes in it."""
    pending: list[ast.AST] = list(getattr(node, "body", ()))
    while pending:
        one = pending.pop()
        yield one
        if not isinstance(one, (*FUNCTIONS, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(one))


def _bind(scope: Scope, node: ast.AST) -> None:
    """Note what a node binds in its scope."""
    if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and not _is_field(scope, node):
        value = literal_number(node.value)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if value is not None and isinstance(target, ast.Name):
                scope.numbers[target.id] = value
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            if not alias.asname and scope.imports.get(top) == Imported(0, top):
                scope.bound[top] -= 1  # a second `import package.…` binds the same
            scope.imports[alias.asname or top] = Imported(0, alias.name if alias.asname else top)
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            scope.imports[alias.asname or alias.name] = Imported(node.level, node.module or "", alias.name)
    scope.bound.update(_names(node))


def _is_field(scope: Scope, node: ast.Assign | ast.AnnAssign) -> bool:
    """Whether a decorator of the class may make the attribute one of its instances, each with a value of its own."""
    decorated = isinstance(scope.node, ast.ClassDef) and scope.node.decorator_list
    return bool(decorated) and isinstance(node, ast.AnnAssign) and "ClassVar" not in ast.dump(node.annotation)


def _dotted(node: ast.AST) -> list[str] | None:
    """The parts of `a.b.c`; an empty one in front where it does not begin with a name; None for anything else."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        return [*(_dotted(node.value) or [""]), node.attr]
    return None


def _use(node: ast.AST, parents: Mapping[ast.AST, ast.AST], path: str, *, certain: bool) -> Use:
    """What the place does with what it reads."""
    operand, around = node, parents[node]
    negated = isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.USub)
    if negated:
        operand, around = around, parents[around]
    is_threshold, moves = False, False
    if isinstance(around, ast.Compare):
        is_threshold, moves = _compared(operand, around)
        moves = moves and not negated
    elif isinstance(around, ast.Slice):
        is_threshold, moves = True, around.step is None and _is_read(parents[around])
    elif isinstance(around, ast.Call) and operand in around.args:
        is_threshold = (_dotted(around.func) or [""])[-1] in LIMITING
        moves = is_threshold and not negated and len(around.args) <= MOST_LIMITS
    return Use(path, getattr(node, "lineno", 0), is_threshold, moves and certain)


def _compared(operand: ast.AST, comparison: ast.Compare) -> tuple[bool, bool]:
    """Whether an operand is compared by order, and whether the rules about comparisons move it."""
    operands = [comparison.left, *comparison.comparators]
    place = next(number for number, one in enumerate(operands) if one is operand)
    before, after = comparison.ops[:place][-1:], comparison.ops[place : place + 1]
    is_threshold = any(isinstance(sign, RELATIONAL) for sign in [*before, *after])
    # in the middle of a chain it is shared by two links; on the left, a constant on the right is the threshold
    at_the_end = not after or (not before and not _looks_constant(operands[1]))
    return is_threshold, is_threshold and at_the_end


def _looks_constant(node: ast.expr) -> bool:
    return literal_number(node) is not None or (_dotted(node) or [""])[-1].isupper()


def _is_read(subscript: ast.AST) -> bool:
    """Whether a slice is the only one of a subscript that has a value."""
    return isinstance(subscript, ast.Subscript) and isinstance(subscript.ctx, ast.Load)


def _names(node: ast.AST) -> Iterator[str]:
    """The names that a node itself binds."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    else:
        name = (
            getattr(node, "name", None) if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) else None
        )
        name = node.rest if isinstance(node, ast.MatchMapping) else name
        if name:
            yield name
