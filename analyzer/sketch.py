"""A test to start from: the nearest existing test, its input moved to where it is wanted, its expectation left open.

What a person has to decide stands as `...`, which no result equals: a sketch that nobody filled in fails.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fencepost.analyzer.acts import first_act
from fencepost.analyzer.assertions import (
    DECIDE,
    OPEN,
    RAISING,
    Assertion,
    Comparison,
    assertions,
    calls,
    decide,
    opened,
    opened_exceptions,
    raises_surely,
)
from fencepost.analyzer.moved_input import Moved, given_input, moved_input
from fencepost.analyzer.new_literal import Move
from fencepost.analyzer.parametrized import row_of
from fencepost.analyzer.signature import defaults, parameters, signature_test
from fencepost.analyzer.source_text import (
    Edit,
    Function,
    Place,
    SourceText,
    called_name,
    dedented,
    read_source,
)

UNDECIDED = f"raise NotImplementedError{DECIDE}: assert what it gives"
EXCUSES = frozenset({"xfail", "expectedFailure"})
_HEAD = re.compile(r"^((?:async[\s\\]+)?def[\s\\]+)(\w+)", re.MULTILINE)
ACCESSORS = frozenset({"setter", "deleter"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a sketch is for.

    Attributes:
        path: the file under test, relative to the root.
        scope: dotted name of the function or method that holds the place; empty at module level.
        name: what takes the value, as the code under test spells it.
        old: source text of the value that the nearest test brings there; None where it is not known.
        new: source text of the value that is wanted; None where only words say it.
        suffix: what the name of the new test ends with (`at_18`).
        reminder: what to do, in words, where the new value could not be put in.
        based_on: id of the nearest test; None where no test gets there.
        absent: whether what is wanted is a mapping without the key that is `old`.
        whole: whether the nearest test brings the input already, and all that it asserts may matter.
    """

    path: str
    scope: str
    name: str
    old: str | None
    new: str | None
    suffix: str
    reminder: str
    based_on: str | None
    absent: bool = False
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Sketch:
    """A test to fill in: where it belongs (None: a new file), its source, and whether the new input is in it.

    `owner` is the class that it belongs into, with those around it; empty where it is no method.
    """

    path: str | None
    text: str
    moved: bool
    owner: str = ""

    @property
    def name(self) -> str:
        """The name of the test."""
        found = _HEAD.search(self.text)
        return found[2] if found else ""


class Sketcher:
    """Makes sketches out of the tests of a project; each file is read once.

    Args:
        root: the root of the project.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._read: Callable[[str], SourceText | None] = functools.cache(lambda path: read_source(root / path))

    def sketch(self, wanted: Wanted) -> Sketch | None:
        """A test to start from; None where nothing here says how to get to the place."""
        wanted = replace(wanted, reminder=" ".join(wanted.reminder.split()))
        if wanted.based_on is None:
            return self._from_signature(wanted)
        path, _, names = wanted.based_on.partition("::")
        found = self._found(path, names.partition("[")[0].split("::"))
        if found is None:
            return None
        source, place = found
        under_test = self._found(wanted.path, wanted.scope.split("."))
        takes = [*defaults(under_test[1].function, bound=bool(under_test[1].classes))] if under_test else []
        made = _Copy(source, place.function, wanted, takes).sketch(path)
        return made and replace(made, owner=".".join(one.name for one in place.classes))

    def source(self, path: str) -> SourceText | None:
        """The text of a file of the project; None where it cannot be read."""
        return self._read(path)

    def renamed(self, sketch: Sketch, taken: Collection[str]) -> Sketch:
        """A sketch under a name that neither its file has nor others have; the first of `test_a`, `test_a_2`, ..."""
        owners = sketch.owner.split(".") if sketch.owner else []
        names = itertools.chain([sketch.name], (f"{sketch.name}_{number}" for number in itertools.count(2)))
        free = (one for one in names if one not in taken and not self._defines(sketch.path, [*owners, one]))
        return replace(sketch, text=_HEAD.sub(rf"\g<1>{next(free)}", sketch.text, count=1))

    def _defines(self, path: str | None, names: Sequence[str]) -> bool:
        return path is not None and self._found(path, names) is not None

    def _found(self, path: str, names: Sequence[str]) -> tuple[SourceText, Place] | None:
        """The function with a path of names, behind what it stands in, and the text of its file."""
        source = self._read(path)
        place = source.function(names) if source else None
        return (source, place) if source and place else None

    def _from_signature(self, wanted: Wanted) -> Sketch | None:
        found = self._found(wanted.path, wanted.scope.split("."))
        if found is None:
            return None
        _, place = found
        values = {wanted.name: wanted.new} if wanted.new is not None else {}
        if any(called_name(one) in ACCESSORS for one in place.function.decorator_list):
            return None
        moved = any(name in parameters(place.function, bound=bool(place.classes)) for name in values)
        note = "" if moved else wanted.reminder
        text = signature_test(place, self._module_name(wanted.path), wanted.suffix, note, values)
        return Sketch(None, text, moved)

    def _module_name(self, path: str) -> str:
        """The dotted name that the file is imported by: from its outermost package on."""
        parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
        first = len(parts) - 1
        while first and (self._root.joinpath(*parts[:first]) / "__init__.py").is_file():
            first -= 1
        return ".".join(parts[first:])


class _Copy:
    """A test like another one, as edits of its source."""

    def __init__(
        self, source: SourceText, test: Function, wanted: Wanted, takes: Sequence[tuple[str, int | None, ast.expr]]
    ) -> None:
        self.source, self.test, self.wanted = source, test, wanted
        self.subjects = frozenset(wanted.scope.split("."))
        self.found = list(assertions(test, self.subjects))
        self.moved: Moved | None = None
        if wanted.old is not None and (wanted.new is not None or wanted.absent):
            move = Move(wanted.name, wanted.old, wanted.new)
            self.moved = moved_input(source, test, move, self.subjects, self.found)
            self.moved = self.moved or given_input(source, test, move, wanted.scope.rpartition(".")[2], takes)
        self.act = self._act()

    def sketch(self, path: str) -> Sketch | None:
        kept = self._kept()
        edits = [
            *(self.moved.edits if self.moved else ()),
            *self._first_line(),
            *self._asserted(kept),
            *self._without_excuses(),
            *self._one_row(),
            *opened_exceptions(self.source, self.test),
            self._renamed(),
        ]
        if not any(one.sure for one in kept) and not raises_surely(self.test):
            edits += self._made_to_assert()
        edits = self._without_later_acts(edits)
        first = self.source.range([*self.test.decorator_list, self.test][0])[0]
        start, end = first - len(self.source.before(first)), self.source.range(self.test)[1]
        text = self.source.edited(start, end, edits)
        try:
            text = dedented(text)
            ast.parse(text)
        except (SyntaxError, ValueError):
            return None  # rather none than one that nobody can start from
        return Sketch(path, text.rstrip() + "\n", self.moved is not None)

    def _kept(self) -> list[Assertion]:
        """The assertions to open: where the input stands in one, that one, and those that cannot be left out."""
        touched = [one for one in self.found if one in self.act or self._holds(one.statement)]
        return [one for one in self.found if not touched or one in touched or self._removal(one, touched[0]) is None]

    def _act(self) -> Sequence[Assertion]:
        """The assertions that the sketch is about, where they alone are; what follows them is left out."""
        if self.moved:
            return [one for one in self.found if self._holds(one.statement) and one.statement in self.test.body]
        return () if self.wanted.whole else first_act(self.test, self.found, self.subjects)

    def _without_later_acts(self, edits: list[Edit]) -> list[Edit]:
        """Changes that leave out what follows the act as well: it is about other inputs."""
        end = self.source.range(self.test.body[-1])[1]
        act = self.source.range(self.act[-1].statement)[1] if self.act else end
        if self.source.behind(act):
            return edits
        line = act + len(self.source.text[act : self.source.lines(act, act)[1]].rstrip("\n"))
        return [*(one for one in edits if one.end <= line), Edit(line, end, "")] if line < end else edits

    def _one_row(self) -> Iterator[Edit]:
        """Of a parametrized test whose input was not found only the row that came nearest."""
        if self.moved is None and not self.wanted.whole:
            yield from row_of(self.source, self.test, self.wanted.based_on or "")

    def _removal(self, assertion: Assertion, touched: Assertion) -> Edit | None:
        """The change that leaves out an assertion beside the one that matters; None where it does not stand alone."""
        start, end = self.source.range(assertion.statement)
        if assertion.statement not in self.test.body or self.source.before(start).strip() or self.source.behind(end):
            return None
        return Edit(end, end, "") if self._leads_to(assertion, touched) else Edit(*self.source.lines(start, end), "")

    def _leads_to(self, assertion: Assertion, touched: Assertion) -> bool:
        """Whether an assertion calls an object, or a method of it, that a later one looks at: that may change it."""
        if assertion not in self.found[: self.found.index(touched)]:
            return False
        nodes = [node for statement in self.test.body for node in ast.walk(statement)]
        made = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        used = {node.id for node in ast.walk(touched.statement) if isinstance(node, ast.Name)} & made
        called = (node.func for node in ast.walk(assertion.statement) if isinstance(node, ast.Call))
        return any(isinstance(node, ast.Name) and node.id in used for func in called for node in ast.walk(func))

    def _holds(self, node: ast.AST) -> bool:
        """Whether the input that is moved stands in a node."""
        return self.moved is not None and self.moved.node in ast.walk(node)

    def _asserted(self, kept: Sequence[Assertion]) -> Iterator[Edit]:
        """The assertions with `...` for what they expect, the others left out."""
        for assertion in self.found:
            if assertion in kept:
                yield from self._opened(assertion)
            else:
                removal = self._removal(assertion, next(one for one in kept))
                yield from [removal] if removal else []

    def _opened(self, assertion: Assertion) -> Iterator[Edit]:
        chosen = self._chosen(assertion.comparisons)
        match chosen:
            case Comparison(expected=[ast.Name(id=name)], equal=True) if self.moved and name in self.moved.opened:
                end = self.source.range(assertion.statement)[1]
                yield Edit(end, end, decide(self.source, end))  # the row has the `...`
            case _:
                yield from opened(self.source, assertion.statement, chosen.result)

    def _chosen(self, comparisons: Sequence[Comparison]) -> Comparison:
        """The comparison with the input in it, else the first."""
        holding = (one for one in comparisons if self._holds(one.result))
        return next(holding, comparisons[0])

    def _first_line(self) -> Iterator[Edit]:
        """The docstring tells of the old test: the reminder takes its place, where one is needed."""
        first, reminder = self.test.body[0], self._reminder()
        start, end = self.source.range(first)
        indent = self.source.before(start)
        if indent.strip():
            return
        if self.test.body[1:] and ast.get_docstring(self.test) is not None and not self.source.behind(end):
            yield Edit(*self.source.lines(start, end), f"{indent}{reminder}\n" if reminder else "")
        elif reminder:
            yield Edit(start, start, f"{reminder}\n{indent}")

    def _reminder(self) -> str:
        """What is still to do to the input; nothing where the new one is in its place."""
        if self.moved is None:
            return f"# {self.wanted.reminder}"
        return "" if self.moved.likely else f"# a guess, see whether it does this: {self.wanted.reminder}"

    def _renamed(self) -> Edit:
        start = self.source.range(self.test)[0]
        head = re.compile(r"(async[\s\\]+)?def[\s\\]+").match(self.source.text, start)
        end = head.end() if head else start
        return Edit(end, end + len(self.test.name), f"{self.test.name}_{self.wanted.suffix}")

    def _without_excuses(self) -> Iterator[Edit]:
        """Without the marks that let a test fail."""
        for decorator in self.test.decorator_list:
            if called_name(decorator) in EXCUSES:
                yield Edit(*self.source.lines(*self.source.range(decorator)), "")

    def _made_to_assert(self) -> Iterator[Edit]:
        """An assertion of what the last statement gives; where that is unclear, a line that fails."""
        last = self.test.body[-1]
        start, end = self.source.range(last)
        indent = self.source.before(start)
        separator = "; " if indent.strip() else f"\n{indent}"
        match last:
            case ast.Expr(value=ast.Call() | ast.Await() as given) if self._is_about_it(given):
                yield from opened(self.source, last, given)
            case ast.Assign(targets=[ast.Name(id=name)]):
                yield Edit(end, end, f"{separator}assert {name} == {OPEN}{DECIDE}")
            case ast.Return():
                yield Edit(start, start, f"{UNDECIDED}\n{indent}" if not indent.strip() else "")
            case _:
                yield Edit(end, end, f"{separator}{UNDECIDED}")

    def _is_about_it(self, node: ast.expr) -> bool:
        """Whether a call gives something to assert: it calls what is tested, or takes the input."""
        name = called_name(node.value if isinstance(node, ast.Await) else node)
        if name in RAISING or name.startswith("assert"):
            return False
        return calls(node, self.subjects) or self._holds(node)
