"""FP201: deleting a call that trims or folds whitespace."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.normalizing._calls import (
    call_shape,
    dropping_method,
    method_name,
    observed,
    only_reached,
    strips_separators,
)

METHODS = frozenset({"strip", "lstrip", "rstrip", "expandtabs"})
TRIMMERS = frozenset({"strip", "lstrip", "rstrip"})
FUNCTIONS = frozenset({"textwrap.dedent", "inspect.cleandoc"})


class Whitespace(Rule):
    """A call that trims or folds whitespace, which no test would miss.

    ## What it does
    Deletes calls of `strip`, `lstrip`, `rstrip`, `expandtabs`, `textwrap.dedent` and `inspect.cleandoc`, and the idiom
    `" ".join(s.split())`. Only an input with whitespace to trim tells the difference.

    ## Why it matters
    Input from people, files and forms carries stray whitespace; tests written by hand rarely do. The call looks tested
    because it runs.

    ## What to do
    Add a test whose input carries whitespace that the call removes, such as `" Ann "`, and assert the trimmed result.
    """

    code = "FP201"
    name = "whitespace"
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="def tidy(name):\n    return name.strip()\n",
            tests="def test_spaces():\n    assert tidy(' Ann ') == 'Ann'\n",
        ),
        Example(
            code="def fold(text):\n    return ' '.join(text.split())\n",
            tests="def test_runs():\n    assert fold('a  b') == 'a b'\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def tidy(name):\n    return name.strip()\n",
            tests="def test_clean_input():\n    assert tidy('Ann') == 'Ann'\n",
            survivors=("name",),
        ),
        Example(
            code="import textwrap\n\ndef page(text):\n    return textwrap.dedent(text)\n",
            tests="def test_flat():\n    assert page('a\\nb') == 'a\\nb'\n",
            survivors=("text",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        call = cst.ensure_type(node, cst.Call)
        if strips_separators(call, source):
            return  # a path, which FP209 looks at
        draft = dropping_method(call, source, METHODS.__contains__, _ask(source.text(call)))
        if draft is not None:
            yield dataclasses.replace(draft, ignored=_trimmed_again(call, source))
            return
        if source.resolves_to(call.func) in FUNCTIONS and len(call.args) == 1:
            shape = call_shape(call, method=False)
            if shape is not None:
                yield observed(shape, source, observer="pure", ask=_ask(source.text(call)), templates=["{1:atom}"])
            return
        folded = _folded_text(call)
        if folded is not None:
            yield only_reached(call, ask=_ask(source.text(call)), replacements=[source.atom(folded)])


def _trimmed_again(call: cst.Call, source: Source) -> str | None:
    """Why whitespace that is left at an end makes no difference: what comes next takes it off in any case."""
    following = source.parent(2)
    if not isinstance(source.parent(), cst.Attribute) or not isinstance(following, cst.Call) or following.args:
        return None
    mine, then = method_name(call), method_name(following)
    if mine not in TRIMMERS or then not in {"split", "strip", mine} or not _takes_whitespace(call):
        return None
    return f"equivalent: `{then}()` takes off whatever `{mine}` would"


def _takes_whitespace(call: cst.Call) -> bool:
    """Whether a call trims whitespace and nothing else: without an argument, or with characters that are."""
    if not call.args:
        return True
    characters = call.args[0].value
    value = characters.evaluated_value if isinstance(characters, cst.SimpleString) else None
    return isinstance(value, str) and value.isspace()


def _ask(text: str) -> str:
    return f"use an input with whitespace that `{text}` changes, such as ' Ann '"


def _folded_text(call: cst.Call) -> cst.BaseExpression | None:
    """The `s` of `" ".join(s.split())`; None for every other call."""
    if method_name(call) != "join" or len(call.args) != 1:
        return None
    if not isinstance(cst.ensure_type(call.func, cst.Attribute).value, cst.SimpleString):
        return None
    split = call.args[0].value
    if isinstance(split, cst.Call) and method_name(split) == "split" and not split.args:
        return cst.ensure_type(split.func, cst.Attribute).value
    return None
