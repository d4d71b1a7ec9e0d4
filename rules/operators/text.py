"""FP504: another text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._mutmut import changed
from fencepost.rules.operators._operator import bare, operator_drafts, text_of

_CODEC = re.compile(r"(?i)(utf|latin|iso|ascii|us-ascii|cp\d)[\w-]*$")  # not every codec is a text that only means one


class Text(Rule):
    """A text that no test would miss.

    ## What it does
    Puts `XX` around a text that is written out, and writes it in small and in capital letters. Texts in three
    quotes, documentation and annotations are left alone. Runs with `--operators all`.

    ## Why it matters
    Keys, separators and names of formats are read by others; a test that only counts the parts does not see them.

    ## What to do
    Assert the text that comes out, or use an input for which the text decides.
    """

    code = "FP504"
    name = "text"
    by_default = False
    node_types = (cst.SimpleString, cst.ConcatenatedString)

    VALID: ClassVar = [
        Example(
            code="def greet(name):\n    return 'Hi ' + name\n",
            tests="def test_greet():\n    assert greet('Ann') == 'Hi Ann'\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def greet(name):\n    return 'Hi ' + name\n",
            tests="def test_greet():\n    assert greet('Ann').endswith('Ann')\n",
            survivors=("'XXHi XX'", "'hi '", "'HI '"),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """The text with another value; several in a row are one text for Python, and are changed as one."""
        if isinstance(source.parent(), cst.ConcatenatedString):
            return
        yield from operator_drafts(node, source, map(text_of, _changes(bare(node))), "the text")


def _changes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if isinstance(node, cst.SimpleString):
        yield from (one for one in changed("operator_string", node) if not _is_same_codec(node, one))
    elif isinstance(node, cst.ConcatenatedString):
        yield from (node.with_changes(left=one) for one in _changes(node.left))
        yield from (node.with_changes(right=one) for one in _changes(node.right))


def _is_same_codec(before: cst.SimpleString, after: cst.CSTNode) -> bool:
    """Whether both are names of one codec, which has no letter case."""
    names = before.evaluated_value, cst.ensure_type(after, cst.SimpleString).evaluated_value
    if not all(isinstance(name, str) and _CODEC.match(name) for name in names):
        return False
    try:
        return codecs.lookup(str(names[0])) == codecs.lookup(str(names[1]))
    except (LookupError, ValueError):
        return False
