"""FP210: deleting a call that escapes text or takes escapes out."""

from __future__ import annotations

import dataclasses
import html
import re
import shlex
import urllib.parse
from collections.abc import Callable, Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, MutantDraft, Rule, Source
from fencepost.rules.normalizing._calls import call_shape, is_namespace, method_name, shown
from fencepost.rules.normalizing._dropping import dropping_call

FUNCTIONS: dict[str, Callable[[str], str]] = {
    "html.escape": html.escape,
    "html.unescape": html.unescape,
    "urllib.parse.quote": urllib.parse.quote,
    "urllib.parse.quote_plus": urllib.parse.quote_plus,
    "urllib.parse.unquote": urllib.parse.unquote,
    "urllib.parse.unquote_plus": urllib.parse.unquote_plus,
    "shlex.quote": shlex.quote,
    "re.escape": re.escape,
}
INPUTS = {
    "html.escape": "'<b> & co.'",
    "html.unescape": "'&lt;b&gt;'",
    "urllib.parse.quote": "'a b?c'",
    "urllib.parse.quote_plus": "'a b&c'",
    "urllib.parse.unquote": "'a%20b'",
    "urllib.parse.unquote_plus": "'a+b%26c'",
    "shlex.quote": '"it\'s; ls"',
    "re.escape": "'a.b'",
}
TAKE_BYTES = frozenset({"urllib.parse.quote", "urllib.parse.quote_plus"})


class Escaping(Rule):
    """A call that escapes text, which no test would miss.

    ## What it does
    Deletes calls of `html.escape` and `unescape`, of `quote`, `quote_plus`, `unquote` and `unquote_plus` of
    `urllib.parse`, of `shlex.quote` and `re.escape`. Only text with a character that is escaped tells the difference.
    Of `quote(s.encode())` the text `s` is left, and not its bytes.

    ## Why it matters
    Escaping is what stands between a name and an injection, and it is invisible for every input without a special
    character, which is nearly every input of a test.

    ## What to do
    Add a test with a character that matters where the text goes (`<`, `&`, a space, a quote, a dot), and assert the
    escaped result.
    """

    code = "FP210"
    name = "escaping"
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="import html\n\ndef cell(text):\n    return f'<td>{html.escape(text)}</td>'\n",
            tests="def test_markup():\n    assert cell('<b>') == '<td>&lt;b&gt;</td>'\n",
        ),
        Example(
            code="import re\n\ndef count(word, text):\n    return len(re.findall(re.escape(word), text))\n",
            tests="def test_dot():\n    assert count('a.b', 'a.b acb') == 1\n",
        ),
        Example(
            code="import re\n\ndef words(text):\n    return re.split(re.escape('and'), text)\n",
            tests="def test_two():\n    assert words('aandb') == ['a', 'b']\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="import html\n\ndef cell(text):\n    return f'<td>{html.escape(text)}</td>'\n",
            tests="def test_word():\n    assert cell('Ann') == '<td>Ann</td>'\n",
            survivors=("text",),
        ),
        Example(
            code="from urllib.parse import quote\n\ndef link(name):\n    return '/u/' + quote(name.encode('utf-8'))\n",
            tests="def test_word():\n    assert link('ann') == '/u/ann'\n",
            survivors=("name",),
        ),
        Example(
            code="import shlex\n\ndef command(path):\n    return 'ls ' + shlex.quote(path)\n",
            tests="def test_word():\n    assert command('src') == 'ls src'\n",
            survivors=("path",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        call = cst.ensure_type(node, cst.Call)
        name = source.resolves_to(call.func)
        shape = call_shape(call, method=False)
        if name not in FUNCTIONS or shape is None or not shape.positional:
            return
        text = shape.operands[1]
        ask = f"use an input with a character that `{shown(call, source)}` changes, such as {INPUTS[name]}"
        draft = dropping_call(shape, source, ask=ask, mutants=["{1:atom}"])
        encoded = _encoded_text(text, source) if name in TAKE_BYTES else None
        if encoded is not None:
            # bytes where the code wants text would be a crash, which says nothing about escaping
            draft = dataclasses.replace(draft, mutants=[MutantDraft(source.atom(encoded), None)])
        yield dataclasses.replace(draft, ignored=_nothing_to_escape(name, text))


def _encoded_text(node: cst.BaseExpression, source: Source) -> cst.BaseExpression | None:
    """The `s` of `s.encode(...)`; None for anything else."""
    if not isinstance(node, cst.Call) or method_name(node) != "encode":
        return None
    text = cst.ensure_type(node.func, cst.Attribute).value
    return None if is_namespace(text, source) else text


def _nothing_to_escape(name: str, text: cst.BaseExpression) -> str | None:
    """Why no test could tell: the text is written there, and the call leaves it as it is."""
    value = text.evaluated_value if isinstance(text, cst.SimpleString) else None
    if isinstance(value, str) and FUNCTIONS[name](value) == value:
        return f"equivalent: `{name}` changes nothing in this text"
    return None
