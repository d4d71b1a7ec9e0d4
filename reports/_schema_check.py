"""Checks data against a JSON Schema, as far as our own schemas need it: a fencepost that judges needs no validator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

_TYPES: Mapping[str, type] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "null": type(None),
}
NOT_CHECKED = frozenset({"$schema", "title", "description"})


def first_fault(value: Any, schema: Mapping[str, Any], where: str = "") -> str | None:
    """The first thing in `value` that the schema does not allow, in words; None where all is as it should be.

    A word of a schema that is not known here is an error, never passed over.
    """
    return next(_faults(value, schema, where), None)


def _faults(value: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    for word, wanted in schema.items():
        if word not in NOT_CHECKED and word not in _CHECKS:
            raise ValueError(f"the schema says '{word}', which is not checked here")
        if word in _CHECKS:
            yield from _CHECKS[word](value, wanted, schema, where)


def _type(value: Any, wanted: Any, _schema: Any, where: str) -> Iterator[str]:
    names = [wanted] if isinstance(wanted, str) else wanted
    if isinstance(value, bool) or not isinstance(value, tuple(_TYPES[name] for name in names)):
        yield f"{where or 'it'} is no {' or '.join(names)}"


def _const(value: Any, wanted: Any, _schema: Any, where: str) -> Iterator[str]:
    if type(value) is not type(wanted) or value != wanted:
        yield f"{where or 'it'} is not {wanted!r}"


def _enum(value: Any, wanted: Any, _schema: Any, where: str) -> Iterator[str]:
    if not any(type(value) is type(one) and value == one for one in wanted):
        yield f"{where or 'it'} is none of {', '.join(map(repr, wanted))}"


def _properties(value: Any, wanted: Any, _schema: Any, where: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, schema in wanted.items():
            if name in value:
                yield from _faults(value[name], schema, f"{where}.{name}" if where else name)


def _required(value: Any, wanted: Any, _schema: Any, where: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield from (f"{where or 'it'} has no '{name}'" for name in wanted if name not in value)


def _no_others(value: Any, wanted: Any, schema: Any, where: str) -> Iterator[str]:
    if wanted is not False:
        raise ValueError("additionalProperties is checked where it is false")
    if isinstance(value, dict) and not value.keys() <= schema["properties"].keys():
        yield f"{where or 'it'} has a key that nobody knows"


def _items(value: Any, wanted: Any, _schema: Any, where: str) -> Iterator[str]:
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield from _faults(one, wanted, f"{where}[{number}]")


def _pattern(value: Any, wanted: Any, _schema: Any, where: str) -> Iterator[str]:
    if isinstance(value, str) and not re.fullmatch(wanted, value):
        yield f"{where or 'it'} is not written as it should be"


def _at_most(value: Any, wanted: Any, _schema: Any, where: str) -> Iterator[str]:
    size = value if isinstance(value, int) else len(value) if isinstance(value, str | list) else 0
    if size > wanted:
        yield f"{where or 'it'} is too long or too large"


def _at_least(value: Any, wanted: Any, _schema: Any, where: str) -> Iterator[str]:
    size = value if isinstance(value, int) else len(value) if isinstance(value, list) else wanted
    if size < wanted:
        yield f"{where or 'it'} is too short or too small"


_CHECKS = {
    "type": _type,
    "const": _const,
    "enum": _enum,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _no_others,
    "items": _items,
    "pattern": _pattern,
    "maxLength": _at_most,
    "maxItems": _at_most,
    "maximum": _at_most,
    "minItems": _at_least,
    "minimum": _at_least,
}
