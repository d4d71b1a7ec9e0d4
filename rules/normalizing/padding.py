"""FP214: deleting what fills a text up to a width."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.normalizing._calls import call_shape, keeping, method_name, only_reached, receiver_of, shown
from fencepost.rules.normalizing._fstrings import texts_with_one_field_changed

# how many positional arguments each method takes at most
METHODS = {"zfill": 1, "ljust": 2, "rjust": 2, "center": 2}
NESTED = "\ue000"  # stands for an expression inside a format, one character as a fill or a width is
WIDTH = re.compile(
    rf"(?P<align>.?[<>=^])?(?P<sign>[-+ ]?z?#?)(?P<zero>0?)(?P<width>[1-9]\d*|{NESTED})"
    rf"(?P<rest>[,_]?(\.(\d+|{NESTED}))?[a-zA-Z%]?)"
)
SAYS_WIDTH = re.compile(r"width|len|size|pad|cols?|column", re.IGNORECASE)
NUMERIC = frozenset("bdeEfFgGnoxX%")


class Padding(Rule):
    """A width that a text is filled up to, which no test would miss.

    ## What it does
    Deletes calls of `zfill`, `ljust`, `rjust` and `center`, and takes the width, with its fill and alignment, out of a
    format in an f-string: `f"{n:03d}"` becomes `f"{n:d}"`. Only a value shorter than the width tells the difference.

    ## Why it matters
    Padded numbers are sorted as text, and padded columns are cut by position. A test with a value that is as long as
    the width sees neither break.

    ## What to do
    Add a test with a value that is shorter than the width, such as `7` for `03d`, and assert the padded text.
    """

    code = "FP214"
    name = "padding"
    node_types = (cst.Call, cst.FormattedString, cst.ConcatenatedString)

    VALID: ClassVar = [
        Example(
            code="def number(text):\n    return text.zfill(3)\n",
            tests="def test_short():\n    assert number('7') == '007'\n",
        ),
        Example(
            code="def clock(hour, minute):\n    return f'{hour:02d}:{minute:02d}'\n",
            tests="def test_early():\n    assert clock(7, 5) == '07:05'\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def number(text):\n    return text.zfill(3)\n",
            tests="def test_long_enough():\n    assert number('123') == '123'\n",
            survivors=("text",),
        ),
        Example(
            code="def clock(hour, minute):\n    return f'{hour:02d}:{minute:02d}'\n",
            tests="def test_noon():\n    assert clock(12, 5) == '12:05'\n",
            survivors=("f'{hour:d}:{minute:02d}'",),
        ),
        Example(
            code="def row(name, price, width):\n    return f'{name!s:<4}{price:>{width}.2f}'\n",
            tests="def test_wide():\n    assert row('apple', 1.5, 4) == 'apple1.50'\n",
            survivors=("f'{name!s}{price:>{width}.2f}'", "f'{name!s:<4}{price:.2f}'"),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        draft = _method_draft(node, source) if isinstance(node, cst.Call) else _format_draft(node, source)
        if draft is not None:
            yield draft


def _method_draft(call: cst.Call, source: Source) -> Draft | None:
    most = METHODS.get(method_name(call) or "")
    shape = call_shape(call, method=True) if most and receiver_of(call, source) else None
    if most is None or shape is None or shape.keywords or not 1 <= len(shape.positional) <= most:
        return None
    # `canvas.center(x, 3)` fills nothing
    if len(shape.positional) == 2 and source.number(shape.operands[2]) is not None:
        return None
    width = shown(shape.operands[1], source)
    ask = f"use a text that is shorter than {width}, so that `{shown(call, source)}` fills it up"
    return keeping(0, shape, source, ask=ask)


def _format_draft(text: cst.CSTNode, source: Source) -> Draft | None:
    unpadded = list(texts_with_one_field_changed(text, _unpadded_field, source))
    ask = f"use a value that is shorter than its width in `{shown(text, source)}`, and assert the padded text"
    return only_reached(text, ask=ask, replacements=unpadded, kind="format") if unpadded else None


def _unpadded_field(part: cst.FormattedStringExpression, source: Source) -> Sequence[str]:
    # `{x=:3}` without its format shows another text than `{x:3}` without it
    if not part.format_spec or part.equal is not None:
        return []
    written = [source.text(one) for one in part.format_spec]
    nested = [text for one, text in zip(part.format_spec, written, strict=True) if not _is_text(one)]
    spec = "".join(text if _is_text(one) else NESTED for one, text in zip(part.format_spec, written, strict=True))
    padded = WIDTH.fullmatch(spec)
    if padded is None or not _fills_up(padded, nested):
        return []
    kept = padded["sign"] + padded["rest"].replace(NESTED, nested[-1] if nested else "")
    before = source.text(part).removesuffix("}").removesuffix("".join(written))
    return [f"{before}{kept}}}" if kept else f"{before.removesuffix(':')}}}"]


def _is_text(part: cst.BaseFormattedStringContent) -> bool:
    return isinstance(part, cst.FormattedStringText)


def _fills_up(padded: re.Match[str], nested: Sequence[str]) -> bool:
    """Whether a format has a width that a value can be shorter than."""
    if padded["width"] == "1":
        return padded["rest"][-1:] not in NUMERIC
    if padded["width"] != NESTED or padded["align"] or padded["zero"]:
        return True
    # `{x:{spec}}` may hold a whole format
    return SAYS_WIDTH.search(nested[0]) is not None
