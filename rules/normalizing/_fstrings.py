"""What the rules about f-strings share: the text of a whole string with one of its fields spelled anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from fencepost.rules._rule import Source

Respelled = Callable[[cst.FormattedStringExpression, Source], Sequence[str]]


def texts_with_one_field_changed(text: cst.CSTNode, respelled: Respelled, source: Source) -> Iterator[str]:
    """The text of a string once for each other spelling of each field in it.

    Nothing where the string is a part of another one, joined to it or inside its braces: that one is the expression.
    """
    if isinstance(text, cst.BaseExpression) and not _is_part(source):
        yield from _changed_texts(text, respelled, source)


def _is_part(source: Source) -> bool:
    level = 1
    while (around := source.parent(level)) is not None and not isinstance(around, cst.BaseSmallStatement):
        if isinstance(around, cst.ConcatenatedString | cst.FormattedString):
            return True
        level += 1
    return False


def _changed_texts(text: cst.BaseExpression, respelled: Respelled, source: Source) -> Iterator[str]:
    if isinstance(text, cst.ConcatenatedString):
        whole, left, right = _bare(text, source), source.text(text.left), source.text(text.right)
        yield from (changed + whole[len(left) :] for changed in _changed_texts(text.left, respelled, source))
        before = whole[: len(whole) - len(right)]
        yield from (before + changed for changed in _changed_texts(text.right, respelled, source))
    elif isinstance(text, cst.FormattedString):
        parts = [source.text(part) for part in text.parts]
        for index, part in enumerate(text.parts):
            if isinstance(part, cst.FormattedStringExpression):
                for changed in respelled(part, source):
                    yield "".join([text.start, *parts[:index], changed, *parts[index + 1 :], text.end])


def _bare(text: cst.BaseExpression, source: Source) -> str:
    return source.text(text)[1:-1] if text.lpar else source.text(text)
