"""Turns source text into code whose sites can be switched and watched, in memory, while the interpreter loads it.

No file is written and none is copied. Each anchor `E` of the plan becomes

    E if not active[n] else (look[p](operands) if active[n] < 0 else R1 if active[n] == 1 else R2 ...)

and each anchor that is a statement `S`

    if active[n] and (active[n] > 0 or look[p]()): R1 ... else: S

so that an inactive site runs the very code that was written, an active one the very text of its mutant, and the
observing run goes through the observers. Lines and columns stay those of the file. Standard library only.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import importlib.machinery
import io
import itertools
import os
import sys
import tokenize
from collections.abc import Iterable, Mapping
from types import CodeType, ModuleType
from typing import Any, TypeVar, cast

from fencepost.analyzer.observers import build, chain_of
from fencepost.analyzer.runtime import OBSERVE, Recorder, Switchboard, raise_canary

Place = tuple[int, int, int, int]
_Node = TypeVar("_Node", ast.expr, ast.stmt)
OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
DEEP = 20_000  # generated code nests deeper than what people write


class Woven:
    """The plan in a process under test: its switches, its record, and which files were woven.

    Attributes:
        loaded: relative paths of woven files, in the order they were loaded.
        unwoven: relative path -> why its sites could not be woven.
        strangers: file name -> path of a loaded file that has the name of a file in scope but other content.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.root: str = os.path.realpath(document["root"])
        self.files: Mapping[str, Any] = document["files"]
        self.switchboard = Switchboard(document["token"], document["anchors"], document["probes"])
        self.recorder = Recorder(document["probes"], self.root)
        self.switchboard.look[-1] = chain_of(self.switchboard.look)
        self.loaded: list[str] = []
        self.unwoven: dict[str, str] = {}
        self.strangers: dict[str, str] = {}
        self.raising: set[int] = set()  # probes at which a canary raises
        self._names: dict[str, list[str]] = {}
        for path in self.files:
            self._names.setdefault(path.rpartition("/")[2], []).append(path)

    def has_namesake(self, filename: str) -> bool:
        """Whether a file in scope has the same last part of its path."""
        return os.path.basename(filename) in self._names

    def path_in_scope(self, filename: str, data: bytes) -> str | None:
        """The relative path of the file in scope that a file to be loaded is, or is an installed copy of; else None."""
        candidates = self._names.get(os.path.basename(filename), ())
        real = os.path.realpath(filename)
        for path in candidates:
            if real == self._real(path):
                return path
        digest = hashlib.sha256(data).hexdigest()
        for path in candidates:
            if (
                data
                and self.files[path]["digest"] == digest
                and os.path.basename(os.path.dirname(real)) in path.split("/")
            ):
                return path
        for path in candidates:
            if path.split("/")[-2:] == real.split(os.sep)[-2:]:
                self.strangers.setdefault(path, real)
        return None

    def install_ear(self) -> None:
        """Hear of code in scope that is executed without having passed the loader."""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "exec" or not self.has_namesake(arguments[0].co_filename):
            return
        code: CodeType = arguments[0]
        real = os.path.realpath(code.co_filename)
        path = next((one for one in self._names[os.path.basename(real)] if real == self._real(one)), None)
        if path is not None and self.files[path]["anchors"] and not _mentions(code, self.switchboard.active_name):
            self.unwoven.setdefault(path, "it is executed in a way that cannot be watched (`exec`, `runpy.run_path`)")

    def note_strangers(self) -> None:
        """Look through the loaded modules for those that stand in for files in scope: compiled, or from an archive."""
        names = {
            "." + path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in self.files
        }
        for module in list(sys.modules.values()):
            loader = getattr(getattr(module, "__spec__", None), "loader", None)
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and not isinstance(loader, importlib.machinery.SourceFileLoader):
                ending = f".{module.__name__}"
                for path in (path for name, path in names.items() if name.endswith(ending)):
                    self.strangers.setdefault(path, file)

    def _real(self, path: str) -> str:
        return os.path.join(self.root, *path.split("/"))

    def raise_at(self, anchor: int) -> None:
        """Have an expression raise instead of being evaluated."""
        self.switchboard.active[anchor] = OBSERVE
        self.switchboard.look[-1] = raise_canary  # only what is observed goes through it
        probes = (
            probe for file in self.files.values() for one in file["anchors"] if one["id"] == anchor
            for probe in one["probes"]
        )  # fmt: skip
        self.raising = {probe["id"] for probe in probes}
        for probe in self.raising:
            self.switchboard.look[probe] = raise_canary

    def compile(self, path: str, data: bytes, filename: str) -> CodeType:
        """The woven code of a file in scope, or its plain code with the reason noted where it cannot be woven."""
        text = decode(data)
        tree = ast.parse(text, filename)
        if self._starts_loading(path, data, filename):
            self.weave_tree(tree, path, text)
        return cast("CodeType", _with_room(compile, tree, filename, "exec", dont_inherit=True))

    def weave_rewritten(self, tree: ast.Module, path: str, data: bytes, filename: str) -> None:
        """Weave the tree of a file in scope that somebody else parsed and will compile."""
        if self._starts_loading(path, data, filename):
            self.weave_tree(tree, path, decode(data))

    def _starts_loading(self, path: str, data: bytes, filename: str) -> bool:
        """Note that a file is loaded; whether it still is what was scanned."""
        self.loaded.append(path)
        self.recorder.woven_files.add(filename)
        unchanged: bool = hashlib.sha256(data).hexdigest() == self.files[path]["digest"]
        if not unchanged:
            self.unwoven[path] = "the file changed after it was scanned"
        return unchanged

    def weave_tree(self, tree: ast.Module, path: str, text: str) -> None:
        """Weave the sites of a file into its syntax tree, in place."""
        plan = self.files[path]
        for anchor in plan["anchors"]:
            for probe in anchor["probes"]:
                raising = probe["id"] in self.raising
                self.switchboard.look[probe["id"]] = raise_canary if raising else build(probe, self.recorder)
        weaver = _Weaver(text, plan, self.switchboard, self.recorder)
        if sys.version_info < (3, 12):
            _with_room(_FStringMender(weaver, plan["fstrings"]).visit, tree)
        _with_room(weaver.visit, tree)
        ast.fix_missing_locations(tree)
        if weaver.waiting:
            lines = sorted(set(weaver.waiting.values()))
            self.unwoven[path] = f"sites on lines {', '.join(map(str, lines))} were not found in the syntax tree"


def decode(data: bytes) -> str:
    """The text of a source file, as `importlib.util.decode_source` gives it, which imports `tokenize` on the way."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return io.IncrementalNewlineDecoder(None, translate=True).decode(data.decode(encoding))


def _mentions(code: CodeType, name: str) -> bool:
    """Whether a code object, or one inside it, uses a name."""
    return name in code.co_names or any(_mentions(one, name) for one in code.co_consts if isinstance(one, CodeType))


def _with_room(function: Any, *args: Any, **keywords: Any) -> Any:
    """Call with a recursion limit that deep expressions do not reach."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, DEEP))
    try:
        return function(*args, **keywords)
    finally:
        sys.setrecursionlimit(limit)


class _Lines:
    """Translates places of the plan (columns from 1, in characters) to those of `ast` (from 0, in UTF-8 bytes)."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.encoded = text.encode()
        self.starts = list(itertools.accumulate((len(line.encode()) + 1 for line in self.lines), initial=0))

    def place(self, numbers: Iterable[int]) -> Place:
        first, start, last, end = numbers
        return (first, self._bytes(first, start), last, self._bytes(last, end))

    def _bytes(self, line: int, column: int) -> int:
        text = self.lines[line - 1]
        return column - 1 if text.isascii() else len(text[: column - 1].encode())

    def text(self, numbers: Iterable[int]) -> str:
        first, start, last, end = numbers
        if first == last:
            return self.lines[first - 1][start - 1 : end - 1]
        return "\n".join(
            [self.lines[first - 1][start - 1 :], *self.lines[first : last - 1], self.lines[last - 1][: end - 1]]
        )

    def between(self, start: tuple[int, int], end: tuple[int, int]) -> bytes:
        """What stands between two places of `ast`; nothing where the second comes first."""
        return self.encoded[self._offset(start) : self._offset(end)]

    def _offset(self, place: tuple[int, int]) -> int:
        line, column = place
        return self.starts[line - 1] + column


def place_of(node: ast.expr | ast.keyword | ast.arg | ast.pattern | ast.stmt) -> Place:
    """Where an expression or a statement stands, as `ast` counts."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)  # type: ignore[return-value] # what was parsed has an end


def parse_expression(text: str, line: int, column: int) -> ast.expr:
    """Parse the text of an expression as if it stood at a line (from 1) and column (from 0, in bytes) of a file."""
    # the parentheses let the text run over lines; they take one column of the first line, the others stay as they are
    node = ast.parse(f"({text}\n)", mode="eval").body
    _move(node, line, column - 1)
    return node


def parse_statement(text: str, line: int, column: int) -> ast.stmt:
    """Parse the text of one statement as if it stood at a line (from 1) and column (from 0, in bytes) of a file."""
    (node,) = ast.parse(text).body
    _move(node, line, column)
    return node


def _move(node: ast.AST, line: int, columns: int) -> None:
    """Move what was parsed by itself to a line of a file, its first line to the right."""
    shift = {1: columns}
    for child in ast.walk(node):
        if isinstance(child, ast.expr | ast.keyword | ast.arg | ast.stmt):
            first, start, last, end = place_of(child)
            child.lineno, child.col_offset = first + line - 1, start + shift.get(first, 0)
            child.end_lineno, child.end_col_offset = last + line - 1, end + shift.get(last, 0)


class _Weaver(ast.NodeTransformer):
    """Replaces each anchor of the plan by its switch."""

    def __init__(self, text: str, plan: Mapping[str, Any], switchboard: Switchboard, recorder: Recorder) -> None:
        self.text_lines = _Lines(text)
        self.switchboard = switchboard
        self.recorder = recorder
        self.waiting: dict[int, int] = {anchor["id"]: anchor["span"][0] for anchor in plan["anchors"]}
        by_shape: dict[str, dict[Place, dict[str, Any]]] = {"case": {}, "statement": {}, "expression": {}}
        for anchor in plan["anchors"]:
            shape = anchor["probes"][0]["shape"]
            by_shape.get(shape, by_shape["expression"])[self.text_lines.place(anchor["span"])] = anchor
        self.cases, self.statements, self.anchors = by_shape.values()

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.JoinedStr):
            return self._joined(node)
        if isinstance(node, ast.pattern):
            return node  # an expression in it is compared by the statement, and may be no other than it is
        if isinstance(node, ast.stmt) and place_of(node) in self.statements:
            return self._statement(node, self.statements[place_of(node)])
        anchor = self._anchor(node)
        if anchor is None:
            visited = self.generic_visit(node)
            return self._with_guard(visited) if isinstance(visited, ast.match_case) else visited
        expression = cast("ast.expr", node)
        self.waiting.pop(anchor["id"], None)
        watched = _Watcher(self).watch(copy.deepcopy(expression), anchor)
        return self._switch(cast("ast.expr", self.generic_visit(expression)), watched, anchor)

    def _anchor(self, node: ast.AST) -> dict[str, Any] | None:
        if not isinstance(node, ast.expr) or isinstance(node, ast.FormattedValue):
            return None
        return self.anchors.get(place_of(node))

    def _with_guard(self, case: ast.match_case) -> ast.match_case:
        """A case without a guard gets one where it is an anchor: true, until a mutant gives it another."""
        found = next((place for place in self.cases if _holds(place, place_of(case.pattern))), None)
        if found is None:
            return case
        anchor = self.cases[found]
        self.waiting.pop(anchor["id"], None)
        matched = ast.copy_location(ast.Constant(value=True), case.pattern)
        guards = [_guard_of(text, case.pattern) for text in anchor["replacements"]]
        case.guard = self._switched(matched, self._look(anchor), guards, anchor)
        return case

    def _statement(self, node: ast.stmt, anchor: Mapping[str, Any]) -> ast.stmt:
        """A statement under its switch; it stays there, so that what it says of names and of the function holds."""
        self.waiting.pop(anchor["id"], None)
        line, column, _, _ = place_of(node)
        branches = [parse_statement(text, line, column) for text in anchor["replacements"]]
        changed = branches[-1]
        for number in range(len(branches) - 1, 0, -1):
            test = ast.Compare(self._state(anchor), [ast.Eq()], [ast.Constant(number)])
            changed = _placed(ast.If(test, [branches[number - 1]], [changed]), node)
        # who looks answers nothing, which is false
        is_changed = ast.Compare(self._state(anchor), [ast.Gt()], [ast.Constant(0)])
        test_all = ast.BoolOp(ast.And(), [self._state(anchor), ast.BoolOp(ast.Or(), [is_changed, self._look(anchor)])])
        return _placed(ast.If(test_all, [changed], [cast("ast.stmt", self.generic_visit(node))]), node)

    def _look(self, anchor: Mapping[str, Any]) -> ast.expr:
        """The call that tells the one probe of an anchor that somebody comes by."""
        (probe,) = anchor["probes"]
        look = ast.Subscript(ast.Name(self.switchboard.look_name, ast.Load()), ast.Constant(probe["id"]), ast.Load())
        return ast.Call(look, [], [])

    def _state(self, anchor: Mapping[str, Any]) -> ast.expr:
        name = ast.Name(self.switchboard.active_name, ast.Load())
        return ast.Subscript(name, ast.Constant(anchor["id"]), ast.Load())

    def _joined(self, node: ast.JoinedStr) -> ast.expr:
        """An f-string; its parts are no expressions that could be switched, only what stands in their braces."""
        anchor = self.anchors.get(place_of(node))
        watched = None
        if anchor is not None:
            self.waiting.pop(anchor["id"], None)
            watched = _Watcher(self).watch(copy.deepcopy(node), anchor)
        self._visit_parts(node)
        return node if anchor is None or watched is None else self._switch(node, watched, anchor)

    def _visit_parts(self, node: ast.JoinedStr) -> None:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = self.visit(part.value)
                if isinstance(part.format_spec, ast.JoinedStr):
                    self._visit_parts(part.format_spec)

    def _switch(self, original: ast.expr, watched: ast.expr, anchor: Mapping[str, Any]) -> ast.expr:
        line, column, _, _ = place_of(original)
        mutants = [parse_expression(text, line, column) for text in anchor["replacements"]]
        return self._switched(original, watched, mutants, anchor)

    def _switched(
        self, original: ast.expr, watched: ast.expr, mutants: list[ast.expr], anchor: Mapping[str, Any]
    ) -> ast.expr:
        state = self._state(anchor)
        branch = mutants[-1]
        for number in range(len(mutants) - 1, 0, -1):
            test = ast.Compare(copy.deepcopy(state), [ast.Eq()], [ast.Constant(number)])
            branch = ast.IfExp(test, mutants[number - 1], branch)
        observing = ast.Compare(copy.deepcopy(state), [ast.Lt()], [ast.Constant(0)])
        switch = ast.IfExp(ast.UnaryOp(ast.Not(), state), original, ast.IfExp(observing, watched, branch))
        return _placed(switch, original)


def _holds(outer: Place, inner: Place) -> bool:
    """Whether one place is inside another: `ast` leaves out the parentheses of a pattern."""
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def _guard_of(text: str, pattern: ast.pattern) -> ast.expr:
    """The guard in the text of a pattern with one, at the place of a pattern."""
    statement = cast("ast.Match", ast.parse(f"match 0:\n case {text}: pass").body[0])
    guard = cast("ast.expr", statement.cases[0].guard)
    for node in ast.walk(guard):
        ast.copy_location(node, pattern)
    return guard


class _Watcher(ast.NodeTransformer):
    """Replaces each anchor inside an expression by what the observing run evaluates, with no switch around it."""

    def __init__(self, weaver: _Weaver) -> None:
        self.weaver = weaver

    def watch(self, node: ast.expr, anchor: Mapping[str, Any]) -> ast.expr:
        """What the observing run evaluates in place of an anchor."""
        found = [(probe, self._operands(node, probe)) for probe in anchor["probes"]]
        probes = [(probe, operands) for probe, operands in found if operands is not None]
        if len(probes) < len(found):
            return self._touched(node, anchor["probes"])
        before = {probe["id"]: probe for probe, _ in probes if probe["kind"] == "reached"}
        before |= self._left_out(node, probes)
        parts = [one for one in probes if one[1] != [node] and one[0]["kind"] != "reached"]
        value = self._watch_parts(node, parts)
        for probe, operands in probes:
            if operands == [node]:
                value = self._look(probe, [value], node)
        looks = [self._look(probe, [], node) for probe in before.values()]
        return _placed(ast.BoolOp(ast.Or(), [*looks, value]), node) if looks else value

    def _left_out(
        self, node: ast.expr, probes: Iterable[tuple[Mapping[str, Any], list[ast.expr]]]
    ) -> dict[int, Mapping[str, Any]]:
        """What would not be asked who comes by, as it stands in no operand of an observer that evaluates a template."""
        spelled = [operands for probe, operands in probes if probe["shape"] == "value" and operands != [node]]
        if not spelled:
            return {}
        asked = {id(child) for operands in spelled for operand in operands for child in ast.walk(operand)}
        inside = (child for child in ast.walk(node) if child is not node and id(child) not in asked)
        anchors = (self.weaver._anchor(child) for child in inside)  # noqa: SLF001 - the two classes are one mechanism
        found = (probe for anchor in anchors if anchor is not None for probe in anchor["probes"])
        return {probe["id"]: probe for probe in found if probe["kind"] == "reached"}

    def _watch_parts(self, node: ast.expr, probes: list[tuple[Mapping[str, Any], list[ast.expr]]]) -> ast.expr:
        """The same for the probes that look at the operands of an anchor, and not at its value."""
        if not probes:
            return self._inside(node)
        probe, operands = probes[0]
        if probe["parts"] > 1:
            return self._chain(cast("ast.Compare", node), probes)
        if probe["shape"] == "value":
            return self._look(probe, [self.visit(operand) for operand in operands], node)
        if probe["shape"] == "left":
            return self._left(cast("ast.BoolOp", node), probe, operands)
        copies = [copy.deepcopy(operand) for operand in operands]
        look = self._look(probe, copies, node)
        return _placed(ast.BoolOp(ast.Or(), [look, self._inside(node)]), node)

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.JoinedStr):
            anchor = self.weaver.anchors.get(place_of(node))
            return self._inside(node) if anchor is None else self.watch(node, anchor)
        anchor = self.weaver._anchor(node)  # noqa: SLF001 - the two classes are one mechanism
        return self.generic_visit(node) if anchor is None else self.watch(cast("ast.expr", node), anchor)

    def _inside(self, node: ast.expr) -> ast.expr:
        """The expression itself, with the anchors inside it watched."""
        if not isinstance(node, ast.JoinedStr):
            return cast("ast.expr", self.generic_visit(node))
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                part.value = self.visit(part.value)
                if isinstance(part.format_spec, ast.JoinedStr):
                    part.format_spec = cast("ast.JoinedStr", self._inside(part.format_spec))
        return node

    def _touched(self, node: ast.expr, probes: Iterable[Mapping[str, Any]]) -> ast.expr:
        """Only note that the expression was reached: its operands were not found where the scan saw them."""
        board = self.weaver.switchboard
        for probe in probes:
            touch = {
                **probe,
                "kind": "touch",
                "template": "",
                "operands": [],
                "mutants": [None] * len(probe["mutants"]),
            }
            board.look[probe["id"]] = build(touch, self.weaver.recorder)
        looks = [self._look(probe, [], node) for probe in probes]
        return _placed(ast.BoolOp(ast.Or(), [*looks, self._inside(node)]), node)

    def _left(self, node: ast.BoolOp, probe: Mapping[str, Any], operands: list[ast.expr]) -> ast.expr:
        """`x or d`: the observer hands `x` on, `d` is evaluated only when it would have been."""
        left, default = node.values  # the rule leaves `a or b or c` alone
        constants = [copy.deepcopy(operand) for operand in operands[1:]]
        look = self._look(probe, [self.visit(left), *constants], node)
        return _placed(ast.BoolOp(ast.Or(), [look, self.visit(default)]), node)

    def _chain(self, node: ast.Compare, probes: list[tuple[Mapping[str, Any], list[ast.expr]]]) -> ast.expr:
        """`a < b < c` as `look(a, b) and look(b, c)` where `b` is a plain name, else as `chain(links, a, b, c)`."""
        by_part = {probe["part"]: probe for probe, _ in probes}
        operands = [node.left, *node.comparators]
        if not all(map(_is_plain_name, operands[1:-1])):
            links = [
                by_part[part]["id"] if part in by_part else OPERATORS[type(op)] for part, op in enumerate(node.ops)
            ]
            together = ast.Tuple([ast.Constant(link) for link in links], ast.Load())
            return self._call(-1, [together, *(self.visit(operand) for operand in operands)], node)
        values: list[ast.expr] = []
        for part, operator in enumerate(node.ops):
            left = self.visit(copy.deepcopy(operands[part]))
            right = self.visit(copy.deepcopy(operands[part + 1]))
            if part in by_part:
                values.append(self._look(by_part[part], [left, right], node))
            else:
                values.append(_placed(ast.Compare(left, [operator], [right]), node))
        return _placed(ast.BoolOp(ast.And(), values), node)

    def _look(self, probe: Mapping[str, Any], operands: list[ast.expr], at: ast.expr) -> ast.expr:
        return self._call(probe["id"], operands, at)

    def _call(self, place: int, operands: list[ast.expr], at: ast.expr) -> ast.expr:
        name = ast.Name(self.weaver.switchboard.look_name, ast.Load())
        observer = ast.Subscript(name, ast.Constant(place), ast.Load())
        return _placed(ast.Call(observer, operands, []), at)

    def _operands(self, node: ast.expr, probe: Mapping[str, Any]) -> list[ast.expr] | None:
        """The operands of a probe inside its anchor, in order; None where one is not found."""
        found = []
        for numbers in probe["operands"]:
            operand = self._find(node, numbers)
            if operand is None:
                return None
            found.append(operand)
        return found

    def _find(self, node: ast.expr, numbers: list[int]) -> ast.expr | None:
        lines = self.weaver.text_lines
        wanted = lines.place(numbers)
        around = None
        for child in ast.walk(node):
            if not isinstance(child, ast.expr) or isinstance(child, ast.FormattedValue):
                continue
            place = place_of(child)
            if place == wanted and child is not node:
                return child
            # `ast` counts the parentheses of tuples and generators, the scan does not
            if isinstance(child, ast.Tuple | ast.GeneratorExp) and _one_parenthesis_around(place, wanted, lines):
                around = child
        # a rule may be about the whole expression: `if xs`
        return around or (node if place_of(node) == wanted else None)


def _is_plain_name(node: ast.expr) -> bool:
    """Whether evaluating an expression twice does what evaluating it once does."""
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name)
    return isinstance(node, ast.Name | ast.Constant)


def _one_parenthesis_around(outer: Place, inner: Place, lines: _Lines) -> bool:
    before = lines.between(outer[:2], inner[:2])
    after = lines.between(inner[2:], outer[2:])
    return (before.strip(), after.strip()) == (b"(", b")")


class _FStringMender(ast.NodeTransformer):
    """Gives the expressions inside f-strings their true places, which Python before 3.12 gets wrong."""

    def __init__(self, weaver: _Weaver, fstrings: list[list[Any]]) -> None:
        self.lines = weaver.text_lines
        self.parts = [(self.lines.place(span), spans) for span, spans in fstrings]  # in the order of the text

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.JoinedStr:
        place = place_of(node)
        inside = [(other, spans) for other, spans in self.parts if place[:2] <= other[:2] and other[2:] <= place[2:]]
        spans: list[list[int]] = []
        end = (0, 0)
        for other, own in inside:
            if other[:2] >= end:  # an f-string nested in an expression of this one is mended when that is visited
                spans += own
                end = other[2:]
        values = list(_formatted(node))
        if len(values) != len(spans):
            return node
        for value, numbers in zip(values, spans, strict=True):
            line, column, _, _ = self.lines.place(numbers)
            value.value = self.visit(parse_expression(self.lines.text(numbers), line, column))
        return node


def _formatted(node: ast.JoinedStr) -> Iterable[ast.FormattedValue]:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            yield part
            if isinstance(part.format_spec, ast.JoinedStr):
                yield from _formatted(part.format_spec)


def _placed(node: _Node, like: _Node) -> _Node:
    """Put new nodes at the place of the expression or statement that they stand for."""
    ast.copy_location(node, like)
    return ast.fix_missing_locations(node)


def install(woven: Woven) -> None:
    """Weave every file in scope that this process loads from now on, whatever the name it is loaded under.

    Hooks the loader and not the names of modules: `get_code` of source loaders is where imports, `runpy` and
    `spec_from_file_location` meet. Bytecode of woven files is neither read nor written.
    """
    woven.switchboard.install()
    source_loader = importlib.machinery.SourceFileLoader.__mro__[2]  # SourceLoader, which has no public name
    plain_get_code = source_loader.get_code  # type: ignore[attr-defined] # typeshed does not know the private base

    def get_code(self: Any, fullname: str) -> CodeType | None:
        filename = self.get_filename(fullname)
        if woven.has_namesake(filename):
            data = self.get_data(filename)
            path = woven.path_in_scope(filename, data)
            if path is not None:
                return woven.compile(path, data, filename)
        return cast("CodeType | None", plain_get_code(self, fullname))

    plain_exec_module = source_loader.exec_module  # type: ignore[attr-defined] # typeshed does not know the private base

    def exec_module(self: Any, module: ModuleType) -> None:
        recorder = woven.recorder
        filename = self.get_filename(module.__name__)
        if not recorder.loading or not woven.has_namesake(filename):
            plain_exec_module(self, module)
            return
        # what the code under test computes while it loads is there for every test, whichever test file came first
        before = recorder.context
        if woven.path_in_scope(filename, self.get_data(filename)) is not None:
            recorder.context = recorder.at_import
        try:
            plain_exec_module(self, module)
        finally:
            recorder.context = before

    source_loader.get_code = get_code  # type: ignore[attr-defined] # typeshed does not know the private base
    source_loader.exec_module = exec_module  # type: ignore[attr-defined] # typeshed does not know the private base
