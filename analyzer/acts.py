"""Which part of a test is about one result, where it looks at several in a row. Pure."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Collection, Sequence

from fencepost.analyzer.assertions import Assertion, calls
from fencepost.analyzer.source_text import NOTHING, Function, value_of


def first_act(test: Function, found: Sequence[Assertion], subjects: Collection[str]) -> Sequence[Assertion]:
    """The first assertion that calls what is tested, else the first, and those that look at the same result.

    None where it stands in a block: who knows what it runs for.

    Args:
        found: the assertions of the test.
        subjects: the names of what is tested.
    """
    calling = (one for one in found if calls(one.statement, subjects))
    first = next(calling, found[0] if found else None)
    if first is None or first.statement not in test.body:
        return ()
    by_statement = {one.statement: one for one in found}
    behind = test.body[test.body.index(first.statement) + 1 :]
    same = itertools.takewhile(lambda one: one in by_statement and not _brings_input(by_statement[one]), behind)
    return [first, *(by_statement[one] for one in same)]


def _brings_input(assertion: Assertion) -> bool:
    """Whether an assertion gives a literal to a call: it has an input of its own."""
    results = (comparison.result for comparison in assertion.comparisons)
    called = (node for result in results for node in ast.walk(result) if isinstance(node, ast.Call))
    given = (one for call in called for one in (*call.args, *(keyword.value for keyword in call.keywords)))
    return any(value_of(one) is not NOTHING for one in given)
