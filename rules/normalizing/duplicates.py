"""FP204: deleting a call that takes out duplicates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.normalizing._calls import call_around, call_shape, method_name, observed, shown, unobserved

ANY_ORDER = frozenset({"sorted", "len", "sum"})
IN_ORDER = frozenset({"list", "tuple"})
FROMKEYS = frozenset({"dict.fromkeys", "collections.OrderedDict.fromkeys"})
LAZY = frozenset({"more_itertools.unique_everseen", "more_itertools.recipes.unique_everseen"})


class Duplicates(Rule):
    """A call that takes out duplicates, which no test would miss.

    ## What it does
    Replaces `set(xs)` inside `sorted`, `list`, `tuple`, `len` and `sum`, and `dict.fromkeys(xs)` inside those and
    inside `join`, by `list(xs)`; `more_itertools.unique_everseen(xs)` becomes `iter(xs)`. Only an input with a
    duplicate tells the difference.

    ## Why it matters
    Duplicates come from joins, retries and people; the lists in tests are short and every item is named once. Without
    the call things are counted, sent or paid for twice.

    ## What to do
    Add a test whose input holds one item twice, such as `["a", "b", "a"]`, and assert that it comes out once.
    """

    code = "FP204"
    name = "duplicates"
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="def tags(words):\n    return sorted(set(words))\n",
            tests="def test_twice():\n    assert tags(['b', 'a', 'b']) == ['a', 'b']\n",
        ),
        Example(
            code="def route(stops):\n    return ' > '.join(dict.fromkeys(stops))\n",
            tests="def test_back_again():\n    assert route(['a', 'b', 'a']) == 'a > b'\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def tags(words):\n    return sorted(set(words))\n",
            tests="def test_once_each():\n    assert tags(['b', 'a']) == ['a', 'b']\n",
            survivors=("list(words)",),
        ),
        Example(
            code="def visitors(names):\n    return len(set(name.lower() for name in names))\n",
            tests="def test_different_people():\n    assert visitors(['Ann', 'Bob']) == 2\n",
            survivors=("list(name.lower() for name in names)",),
        ),
        Example(
            code="def unique(items):\n    return list(dict.fromkeys(items))\n",
            tests="def test_order_is_kept():\n    assert unique([3, 1]) == [3, 1]\n",
            survivors=("list(items)",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        call = cst.ensure_type(node, cst.Call)
        shape = call_shape(call, method=False)
        if shape is None or len(shape.positional) != 1:
            return
        ask = f"use an input that holds the same item twice, so that `{shown(call, source)}` takes one out"
        meaning = source.resolves_to(call.func)
        if meaning in LAZY:
            # looking ahead would read an endless input to its end
            yield unobserved(shape, source, ask=ask, templates=["iter({1})"])
        elif not shape.keywords and (meaning in FROMKEYS or meaning == "set"):
            user = _user(source, joined=meaning in FROMKEYS)
            if user in IN_ORDER and meaning == "set":
                # a set has its own order, so the two differ without a duplicate too: only a run can tell
                yield unobserved(shape, source, ask=ask, templates=["list({1})"])
            elif user is not None:
                yield observed(shape, source, observer="duplicates", ask=ask, templates=["list({1})"])


def _user(source: Source, *, joined: bool) -> str | None:
    """The function that takes the visited node and would show a duplicate; None where it is another."""
    call = call_around(source)
    if call is None:
        return None
    if joined and method_name(call) == "join":
        return "join"
    name = source.resolves_to(call.func)
    return name if name in ANY_ORDER | IN_ORDER else None
