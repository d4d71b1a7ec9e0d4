"""What takes the place of a literal: another value, length or order, spelled as the test spells it. Pure."""

from __future__ import annotations

import ast
import decimal
import fractions
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from fencepost.analyzer import literals
from fencepost.analyzer.source_text import NOTHING, SourceText, called_name, value_of

LEGIBLE = 8  # characters that a text gets longer by and can still be counted at a glance
WRITTEN_OUT = 60  # items of a list that can still be counted; longer ones are repeated in code
Display: TypeAlias = ast.List | ast.Tuple | ast.Dict


@dataclass(frozen=True, slots=True)
class Move:
    """An input to replace: the name of what takes it, the source text of the old value and of the new one.

    Where `new` is None, the old value is the key of a mapping, and to be left out of it.
    """

    name: str
    old: str
    new: str | None


def in_place_of(source: SourceText, node: ast.expr, move: Move) -> str | None:
    """The new text for a literal that is the old value; None for any other node."""
    old = _known(move.old)
    if old is NOTHING:
        return None
    if move.new is None:
        return _without(source, node, old) if isinstance(node, ast.Dict) else None
    new = _known(move.new)
    if move.name.startswith("len("):
        return _with_length(source, node, old, new)
    if isinstance(node, Display) and (text := _in_new_order(source, node, old, new)) is not None:
        return text
    return _as_written(source, node, move.new, new) if _is_the_same(spelled(node), old) else None


def is_old(node: ast.expr, move: Move) -> bool:
    """Whether a literal is the old value."""
    return _is_the_same(spelled(node), _known(move.old))


def spelled(node: ast.expr) -> Any:
    """The value of a literal, also of `Decimal("0.05")` and its like; NOTHING for any other node."""
    found = value_of(node)
    if found is NOTHING and isinstance(node, ast.Call):
        try:
            return literals.value(node)
        except ValueError:
            return NOTHING
    return found


def quoted(source: SourceText, node: ast.expr, text: str) -> str:
    """A text in double quotes where the node has such, and nothing in it stands against that."""
    plain = text[:1] + text[-1:] == "''" and not {'"', "\\"} & set(text)
    return f'"{text[1:-1]}"' if plain and '"' in source.segment(node) else text


def _known(text: str) -> Any:
    try:
        return literals.value_of(text)
    except ValueError:
        return NOTHING


def _is_the_same(value: Any, old: Any) -> bool:
    """Whether a literal is the old value; a whole number may have become a decimal on its way."""
    exact = isinstance(old, decimal.Decimal | fractions.Fraction) and type(value) is int
    return (type(value) is type(old) or exact) and bool(value == old)


def _as_written(source: SourceText, node: ast.expr, text: str, value: Any) -> str:
    """The new value, made by the call that makes the old one, in the quotes of the old one."""
    if isinstance(node, ast.Call):
        maker = source.segment(node.func)
        if isinstance(value, int | float):
            return f'{maker}("{text}")' if called_name(node) == "Decimal" else f"{maker}({text})"
        new = ast.parse(text, mode="eval").body
        if isinstance(new, ast.Call) and called_name(new) == called_name(node):
            given = ", ".join(quoted(source, node, ast.unparse(one)) for one in (*new.args, *new.keywords))
            return f"{maker}({given})"
    return quoted(source, node, text)


def _with_length(source: SourceText, node: ast.expr, old: Any, new: Any) -> str | None:
    if not isinstance(old, int) or not isinstance(new, int) or new < 0:
        return None
    value = value_of(node)
    if isinstance(value, str | bytes):
        return _resized(source, node, value, new) if len(value) == old else None
    if isinstance(node, ast.List | ast.Tuple) and len(node.elts) == old:
        return _with_items(source, node, new)
    return None


def _resized(source: SourceText, node: ast.expr, value: Any, length: int) -> str:
    """A text with so many characters: cut, or its last one repeated."""
    last = value[-1:] or (b"x" if isinstance(value, bytes) else "x")
    if length - len(value) > LEGIBLE:
        return f"{quoted(source, node, repr(value))}.ljust({length}, {quoted(source, node, repr(last))})"
    return quoted(source, node, repr(value[:length] + last * (length - len(value))))


def _with_items(source: SourceText, node: ast.List | ast.Tuple, length: int) -> str | None:
    """A list or tuple with so many items: cut, or its last one repeated; None where it has none."""
    if not node.elts:
        return None
    texts = _items(source, node)
    missing = length - len(texts)
    if missing > WRITTEN_OUT:
        return f"({_display(node, texts)} + {_display(node, texts[-1:])} * {missing})"
    return _display(node, [*texts[:length], *texts[-1:] * missing])


def _in_new_order(source: SourceText, node: Display, old: Any, new: Any) -> str | None:
    """The items backwards, or the first one once more, where that is what the new value does with the old ones."""
    if not isinstance(old, list | tuple | dict) or not isinstance(new, list | tuple | dict) or len(old) < 2:
        return None
    names = [spelled(one) if one else NOTHING for one in (node.keys if isinstance(node, ast.Dict) else node.elts)]
    rest = iter(names)
    if not all(any(_is_the_same(name, item) for name in rest) for item in old):
        return None  # what comes there is not what the test writes
    texts = _items(source, node)
    if list(new) == list(old)[::-1]:
        return _display(node, texts[::-1])
    if list(new) == [*old, *list(old)[:1]] and not isinstance(node, ast.Dict):
        first = next(number for number, name in enumerate(names) if _is_the_same(name, next(iter(old))))
        return _display(node, [*texts, texts[first]])
    return None


def _without(source: SourceText, node: ast.Dict, key: Any) -> str | None:
    """A mapping without a key; None where it has none."""
    texts = _items(source, node)
    kept = [text for one, text in zip(node.keys, texts, strict=True) if one is None or value_of(one) != key]
    return _display(node, kept) if len(kept) < len(texts) else None


def _items(source: SourceText, node: Display) -> list[str]:
    if not isinstance(node, ast.Dict):
        return [source.segment(one) for one in node.elts]
    pairs = zip(node.keys, node.values, strict=True)
    return [
        f"{source.segment(key)}: {source.segment(one)}" if key else f"**{source.segment(one)}" for key, one in pairs
    ]


def _display(node: Display, texts: Sequence[str]) -> str:
    items = ", ".join(texts)
    if isinstance(node, ast.List):
        return f"[{items}]"
    if isinstance(node, ast.Dict):
        return f"{{{items}}}"
    return f"({items},)" if len(texts) == 1 else f"({items})"
