"""FP212: deleting a call that replaces a part of a text by another."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.normalizing._calls import (
    call_shape,
    is_literally,
    keeping,
    method_name,
    place_of,
    receiver_of,
    shown,
)

ENGINES = ("re", "regex", "re2")
SUBS = frozenset(f"{engine}.sub" for engine in ENGINES)
COMPILERS = frozenset(f"{engine}.compile" for engine in ENGINES)
# `sub` is also what tensors and dates call subtraction: the name has to say that it is a pattern
PATTERN_NAME = re.compile(
    r"(.*_)?(re|rx|regexp?|regexes|pat|patt|patterns?)\d*(_.*)?|.*(Pattern|Regexp?)", re.IGNORECASE
)
TRANSLATORS = re.compile(r"transl|i18n|gettext|locale|catalog|lang", re.IGNORECASE)


class Substitution(Rule):
    """A call that replaces a part of a text by another, which no test would miss.

    ## What it does
    Deletes calls of `s.replace(a, b)`, `s.translate(table)`, `re.sub(p, r, s)` and `pattern.sub(r, s)`, so that the
    text stays as it is. `.sub` counts where the receiver is made by `re.compile` in the same file or is called a
    pattern. Only a text with something to replace tells the difference.

    ## Why it matters
    A replacement is there for input that somebody met once: a dash of another kind, a Windows line end, two blanks.
    The texts in tests are clean, so the call runs in every test and does nothing in any.

    ## What to do
    Add a test whose input holds what is replaced, more than once where all of it goes, and assert the whole result.
    """

    code = "FP212"
    name = "substitution"
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="def unix(text):\n    return text.replace('\\r\\n', '\\n')\n",
            tests="def test_windows():\n    assert unix('a\\r\\nb\\r\\n') == 'a\\nb\\n'\n",
        ),
        Example(
            code="import re\n\nBLANKS = re.compile(r'\\s+')\n\ndef fold(text):\n    return BLANKS.sub(' ', text)\n",
            tests="def test_runs():\n    assert fold('a  b') == 'a b'\n",
        ),
        Example(
            code="import dataclasses\n\ndef moved(place):\n    return dataclasses.replace(place, x=1)\n",
            tests=(
                "import dataclasses\n\n@dataclasses.dataclass\nclass Place:\n    x: int\n\n"
                "def test_it_is_no_text():\n    assert moved(Place(0)) == Place(1)\n"
            ),
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def unix(text):\n    return text.replace('\\r\\n', '\\n')\n",
            tests="def test_clean():\n    assert unix('a\\nb') == 'a\\nb'\n",
            survivors=("text",),
        ),
        Example(
            code=(
                "import re\n\nPLAIN = str.maketrans('ä', 'a')\n\n"
                "def slug(text):\n    return re.sub(r'\\W+', '-', text).translate(PLAIN)\n"
            ),
            tests="def test_words():\n    assert slug('a b') == 'a-b'\n",
            survivors=("re.sub(r'\\W+', '-', text)",),
        ),
        Example(
            code="import re\n\nBLANKS = re.compile(r'\\s+')\n\ndef fold(text):\n    return BLANKS.sub(' ', text)\n",
            tests="def test_folded():\n    assert fold('a b') == 'a b'\n",
            survivors=("text",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        call = cst.ensure_type(node, cst.Call)
        draft = _replace_draft(call, source) or _translate_draft(call, source) or _sub_draft(call, source)
        if draft is not None:
            yield draft


def _replace_draft(call: cst.Call, source: Source) -> Draft | None:
    shape = call_shape(call, method=True) if method_name(call) == "replace" and receiver_of(call, source) else None
    if shape is None or not {*shape.keywords} <= {"count"}:
        return None
    # `path.replace(target)` has one argument, `date.replace(2024, 5)` has numbers
    if not 2 <= len(shape.positional) <= 3 or source.number(shape.operands[1]) is not None:
        return None
    old, new = shape.operands[1:3]
    ask = f"use an input in which {shown(old, source)} occurs, so that `{shown(call, source)}` changes it"
    draft = keeping(0, shape, source, ask=ask)
    if source.text(old) == source.text(new):
        return dataclasses.replace(draft, ignored=f"equivalent: {shown(old, source)} is replaced by itself")
    return draft


def _translate_draft(call: cst.Call, source: Source) -> Draft | None:
    receiver = receiver_of(call, source) if method_name(call) == "translate" else None
    shape = None if receiver is None else call_shape(call, method=True)
    if receiver is None or shape is None or not {*shape.keywords} <= {"delete"}:
        return None
    if not _is_translated_by_table(receiver, shape.operands[1:], source):
        return None
    ask = f"use an input with a character that `{shown(call, source)}` changes or takes out"
    return keeping(0, shape, source, ask=ask)


def _is_translated_by_table(
    receiver: cst.BaseExpression, arguments: tuple[cst.BaseExpression, ...], source: Source
) -> bool:
    """Whether `.translate` maps characters: translators of messages have a method of the same name."""
    if not arguments or isinstance(arguments[0], cst.BaseString) or TRANSLATORS.search(source.text(receiver)):
        return False
    return len(arguments) == 1 or is_literally(arguments[0], "None")


def _sub_draft(call: cst.Call, source: Source) -> Draft | None:
    """The draft of `re.sub(p, r, s)` or of `pattern.sub(r, s)`."""
    is_function = source.resolves_to(call.func) in SUBS
    if not is_function and not (method_name(call) == "sub" and _is_pattern(call, source)):
        return None
    shape = call_shape(call, method=not is_function)
    text = place_of(call, 2 if is_function else 1, "string")
    if shape is None or text is None or len(call.args) < (3 if is_function else 2):
        return None
    pattern = shape.operands[place_of(call, 0, "pattern") or 0] if is_function else shape.operands[0]
    ask = f"use an input that {shown(pattern, source)} matches, so that `{shown(call, source)}` changes it"
    return keeping(text, shape, source, ask=ask)


def _is_pattern(call: cst.Call, source: Source) -> bool:
    """Whether the receiver of a method is a compiled pattern: made by `re.compile`, or called one."""
    receiver = receiver_of(call, source)
    if isinstance(receiver, cst.Call):
        return source.resolves_to(receiver.func) in COMPILERS
    if isinstance(receiver, cst.Subscript):
        receiver = receiver.value
    if not isinstance(receiver, cst.Name | cst.Attribute):
        return False
    name = receiver.value if isinstance(receiver, cst.Name) else receiver.attr.value
    return source.made_by(receiver) in COMPILERS or PATTERN_NAME.fullmatch(name) is not None
