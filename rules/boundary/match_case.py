"""FP108: reach each case of a `match`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, Example, MutantDraft, Rule, Source
from fencepost.rules.normalizing._calls import is_literally, shown


class MatchCase(Rule):
    """A case of a `match` that could be missing, or a guard that could always hold, and no test would notice.

    ## What it does
    Drops each case whose pattern is a literal, a named constant or a choice of those, and a final `case _`, by giving
    it a guard that is never true. A guard that is there becomes `False`, which drops its case, and `True`.

    ## Why it matters
    A `match` is a table of special cases. A case that no test reaches can be mistyped, or stand behind another one that
    takes its values away, and a guard that always holds in the tests is none as far as they can tell.

    ## What to do
    Use a value for each case, one that no case names, and for each guard a value that matches and does not pass it.
    """

    code = "FP108"
    name = "match-case"
    node_types = (cst.MatchCase,)

    VALID: ClassVar = [
        Example(
            code=(
                "def price(kind):\n"
                "    match kind:\n"
                "        case 'child' | 'senior':\n"
                "            return 5\n"
                "        case _:\n"
                "            return 9\n"
            ),
            tests="def test_prices():\n    assert [price(kind) for kind in ('child', 'adult')] == [5, 9]\n",
        ),
        Example(
            code=(
                "def sign(number):\n"
                "    match number:\n"
                "        case int(n) if n < 0:\n"
                "            return '-'\n"
                "    return '+'\n"
            ),
            tests="def test_signs():\n    assert [sign(-1), sign(0)] == ['-', '+']\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code=(
                "def price(kind):\n"
                "    match kind:\n"
                "        case 'child' | 'senior':\n"
                "            return 5\n"
                "        case 'guest':\n"
                "            return 0\n"
                "        case _:\n"
                "            return 9\n"
            ),
            tests="def test_prices():\n    assert [price(kind) for kind in ('child', 'adult')] == [5, 9]\n",
            survivors=("'guest' if False",),
        ),
        Example(
            code=(
                "def sign(number):\n"
                "    match number:\n"
                "        case int(n) if n < 0:\n"
                "            return '-'\n"
                "    return '+'\n"
            ),
            tests="def test_below():\n    assert sign(-1) == '-'\n",
            survivors=("True",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        case = cst.ensure_type(node, cst.MatchCase)
        statement = cst.ensure_type(source.parent(), cst.Match)
        draft = _pattern_draft(case, statement, source) if case.guard is None else _guard_draft(case, source)
        if draft is not None:
            yield draft


def _pattern_draft(case: cst.MatchCase, statement: cst.Match, source: Source) -> Draft | None:
    """The draft that drops a case without a guard."""
    anything = _is_wildcard(case.pattern)
    if not (anything and len(statement.cases) > 1) and not _is_constant(case.pattern):
        return None
    ask = f"use a value that matches `{shown(case.pattern, source)}`, and assert what it leads to"
    if anything:
        ask = "use a value that no other case takes, and assert what it leads to"
    dropped = MutantDraft(f"{source.text(case.pattern)} if False", "False")
    ignored = _says_why(case, statement, source)
    return Draft(case.pattern, "case", ask, [dropped], (), "matched", Shape.CASE, "True", ignored=ignored)


def _guard_draft(case: cst.MatchCase, source: Source) -> Draft | None:
    """The draft of a guard: never true, which drops its case, and always."""
    guard = case.guard
    if guard is None or is_literally(guard, "True", "False"):
        return None
    ask = (
        f"use a value that matches `{shown(case.pattern, source)}` where `{shown(guard, source)}` holds, "
        "and one where it does not"
    )
    mutants = [MutantDraft("False", "False"), MutantDraft("True", "True")]
    return Draft(guard, "guard", ask, mutants, (guard,), "truth", Shape.VALUE, "{0}")


def _is_wildcard(pattern: cst.MatchPattern) -> bool:
    return isinstance(pattern, cst.MatchAs) and pattern.pattern is None and pattern.name is None


def _is_constant(pattern: cst.MatchPattern | None) -> bool:
    """Whether a pattern is a literal, a named constant or a choice of those, whether or not it names what it finds."""
    if isinstance(pattern, cst.MatchAs):
        return _is_constant(pattern.pattern)
    if isinstance(pattern, cst.MatchOr):
        return all(_is_constant(element.pattern) for element in pattern.patterns)
    return isinstance(pattern, cst.MatchValue | cst.MatchSingleton)


def _says_why(case: cst.MatchCase, statement: cst.Match, source: Source) -> str | None:
    """Why no test can miss a case, or none should reach it; None for any other case."""
    only = _only_statement(case.body)
    if isinstance(only, cst.Pass) and case is statement.cases[-1]:
        return "equivalent: the last case does nothing"
    if not _is_wildcard(case.pattern):
        return None
    call = only.exc if isinstance(only, cst.Raise) else only.value if isinstance(only, cst.Expr | cst.Return) else None
    name = call.func if isinstance(call, cst.Call) else call
    word = (source.resolves_to(name) or source.text(name)).rpartition(".")[2] if name is not None else ""
    if word in {"assert_never", "AssertionError", "NotImplementedError"}:
        return "arid: for values that never come"
    return None


def _only_statement(body: cst.BaseSuite) -> cst.BaseSmallStatement | None:
    """The statement of a suite that has no other and is no block; None for any other suite."""
    lines = body.body if isinstance(body, cst.IndentedBlock) else [body]
    if len(lines) != 1 or not isinstance(lines[0], cst.SimpleStatementLine | cst.SimpleStatementSuite):
        return None
    return lines[0].body[0] if len(lines[0].body) == 1 else None
