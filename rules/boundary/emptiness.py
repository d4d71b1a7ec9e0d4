"""FP109: show the empty, the zero and the missing case."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, Example, MutantDraft, Rule, Source, over_operands, parted
from fencepost.rules.boundary._guards import same_when_empty
from fencepost.rules.normalizing._calls import is_literally, shown
from fencepost.rules.normalizing.default_value import TRUTHS

ATOMS = (cst.Name, cst.Attribute, cst.Subscript)
TESTS = (cst.If, cst.While, cst.IfExp, cst.CompIf)
FIXED = frozenset({"True", "False", "None", "TYPE_CHECKING", "__debug__"})
# what an observer evaluates must give a truth, also where the source needs no more than a value
TRUTH = "bool({0})"


class Emptiness(Rule):
    """A test for nothing (empty, zero, None), which no test of yours shows from both sides.

    ## What it does
    Negates `x is None`, `x is not None`, `if xs`, `if not xs`, `while xs`, also inside `and`, `or` and conditional
    expressions; and puts the test for None in place of the test for emptiness, and the other way round: `x is None`
    becomes `not x`, `if xs` becomes `if xs is not None` (but not `while xs`). Only names, attributes and subscripts are
    looked at, and none whose name says that they are true or false. Where only objects came that are never empty, the
    test for emptiness says the same, and is left out; so it is where a test only spares the work that an empty value
    would not make (`if xs:` around a loop over `xs`).

    ## Why it matters
    None, zero and empty are three answers, and `if not x` takes them for one. A limit of 0, an empty name, an empty
    list given on purpose fall through such tests unseen.

    ## What to do
    Use the value once as None where it may be missing, once as empty or zero, and once as anything else.
    """

    code = "FP109"
    name = "emptiness"
    node_types = (cst.Comparison, cst.UnaryOperation, cst.Name, cst.Attribute, cst.Subscript)

    VALID: ClassVar = [
        Example(
            code="def page(limit=None):\n    if limit is None:\n        limit = 10\n    return limit\n",
            tests="def test_limits():\n    assert [page(), page(0), page(5)] == [10, 0, 5]\n",
        ),
        Example(
            code="def first(items):\n    return items[0] if items else 'none'\n",
            tests="def test_items():\n    assert first('') == 'none' and first('a') == 'a'\n",
        ),
        Example(
            code=(
                "def joined(parts):\n    out, kept = [], []\n    for part in parts:\n        kept.append(part)\n"
                "        if part == '.' and kept:\n            out.extend(kept)\n            kept = []\n"
                "    return out\n"
            ),
            tests="def test_parts():\n    assert joined('ab.c') == ['a', 'b', '.']\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def page(limit=None):\n    if limit is None:\n        limit = 10\n    return limit\n",
            tests="def test_limits():\n    assert page() == 10 and page(5) == 5\n",
            survivors=("not limit",),
        ),
        Example(
            code="def label(name):\n    if not name:\n        return 'nobody'\n    return name\n",
            tests="def test_names():\n    assert label('Ann') == 'Ann' and label(None) == 'nobody'\n",
            survivors=("name is None",),
        ),
        Example(
            code="def total(prices):\n    return sum(prices) if prices else None\n",
            tests="def test_prices():\n    assert total([1, 2]) == 3\n",
            survivors=("prices is not None",),
        ),
        Example(
            code=(
                "def groups(parts):\n    out, kept = [], []\n    for part in parts:\n        if part == '.' and kept:\n"
                "            out.append(kept)\n            kept = []\n        kept.append(part)\n    return out\n"
            ),
            tests="def test_parts():\n    assert groups('ab.c') == [['a', 'b']]\n",
            survivors=("kept is not None",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        if isinstance(node, cst.Comparison):
            yield from _none_drafts(node, source)
        elif isinstance(node, cst.UnaryOperation):
            yield from _not_drafts(node, source)
        else:
            yield from _truth_drafts(node, source)


def _none_drafts(test: cst.Comparison, source: Source) -> Iterator[Draft]:
    """`x is None` and `x is not None`: negated, and as a test for emptiness."""
    only, *others = test.comparisons
    if others or not is_literally(only.comparator, "None") or not isinstance(only.operator, cst.Is | cst.IsNot):
        return
    missing = isinstance(only.operator, cst.Is)
    negated, falsy = ("{0} is not None", "not {0}") if missing else ("{0} is None", TRUTH)
    original = "{0} is None" if missing else "{0} is not None"
    ask = f"use `{shown(test.left, source)}` as None, and as what is empty or zero, such as '', 0 or []"
    same = same_when_empty(test.left, test, source, holds=not missing)
    yield from _drafts(test, test.left, [original, negated, falsy], ask, source, same=same)


def _not_drafts(test: cst.UnaryOperation, source: Source) -> Iterator[Draft]:
    """`not x`: negated, and as a test for None."""
    value = test.expression
    if isinstance(test.operator, cst.Not) and _may_be_empty(value, source):
        against = _against_none("{0} is None", test, source)
        same = same_when_empty(value, test, source, holds=False)
        yield from _drafts(test, value, ["not {0}", TRUTH, *against], _ask(value, source), source, same=same)


def _truth_drafts(value: cst.CSTNode, source: Source) -> Iterator[Draft]:
    """`x` where only its truth is asked for: negated, and as a test for None."""
    if not isinstance(value, cst.BaseExpression) or not _may_be_empty(value, source):
        return
    if isinstance(source.parent(), cst.UnaryOperation) or _asker(value, source) is None:
        return
    against = _against_none("{0} is not None", value, source)
    same = same_when_empty(value, value, source, holds=True)
    yield from _drafts(value, value, ["{0}", "not {0}", *against], _ask(value, source), source, same=same)


def _against_none(template: str, test: cst.BaseExpression, source: Source) -> list[str]:
    """The test for None that stands in; none in the head of a loop, which could only show that the loop goes on."""
    return [] if isinstance(_asker(test, source), cst.While) else [template]


def _drafts(
    test: cst.BaseExpression,
    value: cst.BaseExpression,
    templates: list[str],
    ask: str,
    source: Source,
    *,
    same: str | None,
) -> Iterator[Draft]:
    """The drafts of a test for a value; the first template spells the original, the next one its negation."""
    original, *changed = templates
    mutants = [over_operands(template, [value], source) for template in changed]
    if _asker(test, source) is not None:
        as_written = MutantDraft(source.text(value), TRUTH)  # where only the truth is asked for, the value will do
        mutants = [as_written if mutant.template == TRUTH else mutant for mutant in mutants]
    if same is not None:
        ask = f"use `{shown(value, source)}` empty or None, and filled"
    draft = Draft(test, "emptiness", ask, mutants, (value,), "truth", Shape.VALUE, original)
    yield from parted(draft, [None, *[same] * len(mutants[1:])])


def _may_be_empty(node: cst.BaseExpression, source: Source) -> bool:
    """Whether a node is a name, an attribute or a subscript that is not plainly true or false."""
    if isinstance(node, cst.Subscript):
        return True
    word = node.attr.value if isinstance(node, cst.Attribute) else node.value if isinstance(node, cst.Name) else None
    if word is None or word in FIXED or TRUTHS.fullmatch(word):
        return False
    return not (isinstance(node, cst.Name) and _is_flag(word, source))


def _is_flag(name: str, source: Source) -> bool:
    """Whether a name is a parameter of a function around it that is typed `bool` or has True or False as default."""
    level = 1
    while (around := source.parent(level)) is not None:
        if isinstance(around, cst.FunctionDef | cst.Lambda):
            params = around.params
            every = (*params.posonly_params, *params.params, *params.kwonly_params)
            found = next((param for param in every if param.name.value == name), None)
            if found is not None:
                typed = found.annotation is not None and is_literally(found.annotation.annotation, "bool")
                return typed or is_literally(found.default, "True", "False")
        level += 1
    return False


def _asker(node: cst.CSTNode, source: Source) -> cst.CSTNode | None:
    """What asks for the truth of the visited node and for nothing else, also through `and`, `or` and `not`."""
    level, child, negation = 1, node, None
    while (around := source.parent(level)) is not None:
        if isinstance(around, TESTS):
            return around if child is around.test else negation
        if isinstance(around, cst.MatchCase):
            return around if child is around.guard else negation
        if isinstance(around, cst.UnaryOperation) and isinstance(around.operator, cst.Not):
            negation = around
        elif not isinstance(around, cst.BooleanOperation):
            break
        level, child = level + 1, around
    return negation


def _ask(value: cst.CSTNode, source: Source) -> str:
    return f"use `{shown(value, source)}` empty or zero, and filled; and as None, where it may be missing"
