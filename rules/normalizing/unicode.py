"""FP208: deleting what brings text into one Unicode form, or what an encoding does with the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.normalizing._calls import CallShape, argument, call_shape, is_namespace, method_name, shown
from fencepost.rules.normalizing._dropping import dropping_call

# how many arguments a function has at least and at most, and which of them it gives back in another form
FUNCTIONS = {
    "unicodedata.normalize": (2, 2, 2),
    "unidecode.unidecode": (1, 3, 1),
    "unidecode.unidecode_expect_ascii": (1, 3, 1),
    "unidecode.unidecode_expect_nonascii": (1, 3, 1),
    "text_unidecode.unidecode": (1, 1, 1),
    "ftfy.fix_text": (1, 2, 1),
    "ftfy.fix_encoding": (1, 2, 1),
}
INPUTS = {
    "NFC": r"'e\u0301', an e and an accent of its own",
    "NFD": r"'\xe9', an e and its accent in one",
    "NFKC": r"'\ufb01', a ligature",
    "NFKD": r"'\ufb01', a ligature",
}
CODECS = {"encode": "a character that the encoding lacks", "decode": r"bytes that the encoding lacks, such as b'\xff'"}
HANDLERS = frozenset({
    "ignore", "replace", "xmlcharrefreplace", "backslashreplace", "namereplace", "surrogateescape", "surrogatepass",
})  # fmt: skip


class Unicode(Rule):
    """A call that brings text into one Unicode form, which no test would miss.

    ## What it does
    Deletes calls of `unicodedata.normalize`, `unidecode` and `ftfy.fix_text`, and takes `errors=` out of `.encode(...)`
    and `.decode(...)`. Only text in another form, or that the encoding lacks, tells the difference.

    ## Why it matters
    Keyboards, file systems and copied documents write one letter in several ways, and some bytes are no text at all;
    tests are mostly written in ASCII. Two spellings of one name are then two names, or the first accent is a crash.

    ## What to do
    Add a test with such text: a letter and its accent in two characters, a ligature, a byte that the encoding lacks.
    Assert what comes out.
    """

    code = "FP208"
    name = "unicode"
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="import unicodedata\n\ndef key(name):\n    return unicodedata.normalize('NFC', name)\n",
            tests="def test_two_spellings():\n    assert key('e\\u0301') == key('\\xe9')\n",
        ),
        Example(
            code="def plain(text):\n    return text.encode('ascii', errors='ignore')\n",
            tests="def test_accent():\n    assert plain('caf\\xe9') == b'caf'\n",
        ),
        Example(
            code="def raw(text):\n    return text.encode('utf-8', 'strict')\n",
            tests="def test_text():\n    assert raw('a') == b'a'\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="import unicodedata\n\ndef key(name):\n    return unicodedata.normalize('NFC', name)\n",
            tests="def test_ascii():\n    assert key('Ann') == 'Ann'\n",
            survivors=("name",),
        ),
        Example(
            code="def plain(text):\n    return text.encode('ascii', 'ignore').decode()\n",
            tests="def test_ascii():\n    assert plain('cafe') == 'cafe'\n",
            survivors=("text.encode('ascii')",),
        ),
        Example(
            code="def read(data):\n    return data.decode(errors='replace', encoding='utf-8')\n",
            tests="def test_text():\n    assert read(b'a') == 'a'\n",
            survivors=("data.decode(encoding='utf-8')",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        call = cst.ensure_type(node, cst.Call)
        draft = _function_draft(call, source) or _codec_draft(call, source)
        if draft is not None:
            yield draft


def _function_draft(call: cst.Call, source: Source) -> Draft | None:
    name = source.resolves_to(call.func)
    shape = call_shape(call, method=False)
    if name not in FUNCTIONS or shape is None:
        return None
    least, most, text = FUNCTIONS[name]
    if len(shape.positional) < least or len(call.args) > most:
        return None
    form = shape.operands[1]
    literal = form.evaluated_value if isinstance(form, cst.SimpleString) else ""
    such_as = INPUTS.get(str(literal), r"'e\u0301' or '\u201d'")
    ask = f"use text in another form, which `{shown(call, source)}` changes, such as {such_as}"
    return dropping_call(shape, source, ask=ask, mutants=[f"{{{text}:atom}}"])


def _codec_draft(call: cst.Call, source: Source) -> Draft | None:
    """The draft of `.encode(..., errors=...)`: without it the call raises where it made do before."""
    name = method_name(call)
    if name not in CODECS:
        return None
    shape = call_shape(call, method=True)
    if shape is None or is_namespace(shape.operands[0], source):
        return None
    ask = f"use an input for `{shown(call, source)}` with {CODECS[name]}"
    mutant = _without_errors(call, shape)
    return None if mutant is None else dropping_call(shape, source, ask=ask, mutants=[mutant])


def _without_errors(call: cst.Call, shape: CallShape) -> str | None:
    """The template of a call without its handler of errors; None where it has none that changes anything."""
    given = argument(call, "errors")
    if given is not None:
        return None if _literally(given) == "strict" else shape.without("errors")
    # two arguments of a method of this name may be anything, but not with the name of a handler
    if len(shape.positional) != 2 or shape.keywords or not _names_handler(shape.operands[2]):
        return None
    return f"{shape.head}({shape.positional[0]})"


def _literally(node: cst.BaseExpression) -> str | None:
    return str(node.evaluated_value) if isinstance(node, cst.SimpleString) else None


def _names_handler(node: cst.BaseExpression) -> bool:
    last = node.attr if isinstance(node, cst.Attribute) else node
    return _literally(node) in HANDLERS or (isinstance(last, cst.Name) and "errors" in last.value.lower())
