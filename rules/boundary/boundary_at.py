"""FP101: stand exactly on the threshold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.boundary._comparison import (
    RELATIONAL,
    WITH_OR_WITHOUT_EQUALITY,
    constant_by_length,
    ignored_for,
    link_draft,
    links,
    threshold_of,
    threshold_side,
)
from fencepost.rules.boundary._facts import settled_before
from fencepost.rules.boundary._idioms import same_on_threshold


class BoundaryAt(Rule):
    """A comparison whose threshold no test stands on.

    ## What it does
    Takes the equality out of each `<=` and `>=`, and puts it into each `<` and `>`, one link of a chain at a time. Only
    an input exactly on the threshold tells the two apart. Where the comparison only spells out a minimum, a maximum or
    an absolute value (`if n > 10: n = 10`), both ways come to the same on the threshold (`if len(xs) > n: del xs[n:]`),
    or an earlier test has dealt with all values that could tell, no input does, and the change is set aside.

    ## Why it matters
    Off-by-one errors live on the threshold. A test far from it passes for both operators, so a refactoring that moves
    the threshold by one goes unnoticed.

    ## What to do
    Add a test whose input makes both sides of the comparison equal, and assert which side the threshold belongs to.
    """

    code = "FP101"
    name = "boundary-at"
    node_types = (cst.Comparison,)

    VALID: ClassVar = [
        Example(
            code="def adult(age):\n    return age >= 18\n",
            tests="def test_edge():\n    assert adult(18) and not adult(17)\n",
        ),
        Example(
            code="def grade(score):\n    return 'pass' if 50 <= score < 100 else 'other'\n",
            tests=(
                "def test_edges():\n"
                "    assert [grade(n) for n in (49, 50, 99, 100)] == ['other', 'pass', 'pass', 'other']\n"
            ),
        ),
        Example(
            code="def any_left(items):\n    return len(items) > 0\n",
            tests="def test_far():\n    assert any_left([1, 2, 3])\n",
        ),
        Example(
            code="def at_most_ten(n):\n    if n > 10:\n        n = 10\n    return n\n",
            tests="def test_far():\n    assert at_most_ten(30) == 10\n",
        ),
        Example(
            code="def cut(rows, size):\n    if len(rows) > size:\n        del rows[size:]\n    return rows\n",
            tests="def test_far():\n    assert cut([1, 2, 3], 1) == [1] and cut([], 1) == []\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def adult(age):\n    return age >= 18\n",
            tests="def test_far():\n    assert adult(40) and not adult(3)\n",
            survivors=("age > 18",),
        ),
        Example(
            code="def grade(score):\n    return 'pass' if 50 <= score < 100 else 'other'\n",
            tests=(
                "def test_upper_edge():\n"
                "    assert [grade(n) for n in (49, 60, 99, 100)] == ['other', 'pass', 'pass', 'other']\n"
            ),
            survivors=("50 < score < 100",),
        ),
        Example(
            code="def cut(rows, size):\n    if len(rows) > size:\n        del rows[size - 1:]\n    return rows\n",
            tests="def test_far():\n    assert cut([1, 2, 3], 2) == [1] and cut([], 1) == []\n",
            survivors=("len(rows) >= size",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        for link in links(cst.ensure_type(node, cst.Comparison)):
            if link.operator not in RELATIONAL:
                continue
            threshold = threshold_of(link, source)
            side = threshold_side(link, source)
            value, at = (source.text(link.operands[one]) for one in (1 - side, side))
            swapped = WITH_OR_WITHOUT_EQUALITY[link.operator]
            draft = link_draft(
                link,
                source,
                kind="threshold",
                ask=f"stand exactly on the threshold: make `{value}` equal to `{at}`",
                templates=[f"{{0}} {swapped} {{1}}"],
                threshold=threshold,
            )
            bound = source.number(link.operands[side])
            constant = constant_by_length(link, swapped, bound, source)
            same = constant or same_on_threshold(link, source)
            if same is None and bound is not None:
                same = settled_before(link, (link.operator, bound), (swapped, bound), source)
            yield ignored_for(draft, same)
