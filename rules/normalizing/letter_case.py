"""FP202: deleting a call that changes the case of letters."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.normalizing._calls import dropping_method, method_name, shown

# what each method changes, as an input that shows it
INPUTS = {
    "lower": "'Ann'",
    "upper": "'ann'",
    "casefold": "'ANN' or 'Straße'",
    "title": "'ann lee'",
    "capitalize": "'ann LEE'",
    "swapcase": "'Ann'",
}

DIGITS, HEX_METHODS = frozenset({"hex", "oct", "bin"}), frozenset({"hex", "hexdigest"})


class LetterCase(Rule):
    """A call that changes the case of letters, which no test would miss.

    ## What it does
    Deletes calls of `lower`, `upper`, `casefold`, `title`, `capitalize` and `swapcase` that take no arguments. Only
    an input in another case than the result tells the difference.

    ## Why it matters
    People write names, codes and addresses in any case; the inputs of tests are mostly written in the case that the
    code wants. Two spellings of one key then become two keys, and no test knows.

    ## What to do
    Add a test whose input is in the other case, such as `"ANN"`, and assert the result or that both spellings match.
    """

    code = "FP202"
    name = "letter-case"
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="def key(name):\n    return name.lower()\n",
            tests="def test_capitals():\n    assert key('Ann') == 'ann'\n",
        ),
        Example(
            code="def same(left, right):\n    return left.casefold() == right.casefold()\n",
            tests="def test_both_ways():\n    assert same('ANN', 'ann') and same('ann', 'ANN')\n",
        ),
        Example(
            code="import string\n\ndef words(text):\n    return string.capwords(text)\n",
            tests="def test_words():\n    assert words('ann lee') == 'Ann Lee'\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def key(name):\n    return name.lower()\n",
            tests="def test_lower_case_already():\n    assert key('ann') == 'ann'\n",
            survivors=("name",),
        ),
        Example(
            code="def same(left, right):\n    return left.casefold() == right.casefold()\n",
            tests="def test_one_way():\n    assert same('ANN', 'ann')\n",
            survivors=("right",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        call = cst.ensure_type(node, cst.Call)
        name = method_name(call)
        if name in INPUTS and not call.args:
            ask = f"use an input in another case, which `{shown(call, source)}` changes, such as {INPUTS[name]}"
            draft = dropping_method(call, source, INPUTS.__contains__, ask)
            if draft is not None:
                yield dataclasses.replace(draft, ignored=_lower_already(name, call, source))


def _lower_already(name: str, call: cst.Call, source: Source) -> str | None:
    """Why a text, or a part of one, is in lower case already; None where it may not be."""
    text = cst.ensure_type(call.func, cst.Attribute).value
    while isinstance(text, cst.Subscript):
        text = text.value
    if name not in {"lower", "casefold"} or not isinstance(text, cst.Call):
        return None
    if source.resolves_to(text.func) in DIGITS or method_name(text) in HEX_METHODS:
        return f"equivalent: `{shown(text, source)}` gives lower case"
    return None
