"""Comparisons of what numpy and pandas hold: evaluated for all elements at once, with the side of the nearest ones.

Loaded into processes under test: numpy and pandas are looked up where the project has loaded them, and never imported.
Only their own classes with plain elements are looked at; subclasses, objects as elements, masks and records are not.
"""

from __future__ import annotations

import datetime
import sys
from collections.abc import Iterator
from typing import Any

MOST_ELEMENTS = 100_000  # evaluating the mutants of more would take longer than the tests may mind
PLAIN_GROUPS = {
    bool: "number", int: "number", float: "number", str: "text", datetime.datetime: "moment", datetime.date: "moment",
    datetime.timedelta: "span",
}  # fmt: skip
GROUPS = {"b": "number", "i": "number", "u": "number", "f": "number", "U": "text", "M": "moment", "m": "span"}
"""What the elements of an array are, by the kind of its type; what has no group here is not looked at."""

Seen = tuple[str, float | None, Any, Any]
"""A side of the threshold, the distance to it, the value and the threshold that it met."""


def are_comparable(left: object, right: object) -> bool:
    """Whether comparing two values runs no code but that of numpy and pandas, and warns of nothing.

    At least one of them is theirs; the other may be a number, text, date or span of the standard library.
    """
    groups = (_group(left), _group(right))
    return None not in groups and groups[0] == groups[1] and (_is_foreign(left) or _is_foreign(right))


def _group(value: object) -> str | None:
    """What a value or its elements are; None for what is not looked at."""
    kind = type(value)
    if kind in PLAIN_GROUPS:
        return PLAIN_GROUPS[kind]
    if not _is_foreign(value):
        return None
    if _is_stamp(value):
        return "span" if isinstance(value, datetime.timedelta) else "moment"
    dtype = getattr(value, "dtype", None)
    if getattr(value, "size", MOST_ELEMENTS + 1) > MOST_ELEMENTS:
        return None
    return GROUPS.get(getattr(dtype, "kind", ""))


def _is_foreign(value: object) -> bool:
    """Whether a value is of numpy's or pandas's own classes that hold plain elements."""
    kind = type(value)
    numpy, pandas = sys.modules.get("numpy"), sys.modules.get("pandas")
    if numpy is not None and (
        kind is numpy.ndarray or (kind.__module__ == "numpy" and issubclass(kind, numpy.generic))
    ):
        return True
    if pandas is None or kind.__module__.partition(".")[0] != "pandas":
        return False
    if _is_stamp(value):
        return True
    is_column = kind is pandas.Series or (isinstance(value, pandas.Index) and not isinstance(value, pandas.MultiIndex))
    # a column of its own kind (categories, nullable numbers, zones) is compared in a way that differs by release
    return is_column and numpy is not None and isinstance(getattr(value, "dtype", None), numpy.dtype)


def _is_stamp(value: object) -> bool:
    pandas = sys.modules.get("pandas")
    return pandas is not None and type(value) in {pandas.Timestamp, pandas.Timedelta, type(pandas.NaT)}


def quietly() -> Any:
    """A context in which numpy raises what it would warn of: a mutant that warns differs from one that does not."""
    return sys.modules["numpy"].errstate(all="raise")


def frozen(value: object) -> object:
    """The result of a comparison as plain data that can be compared; anything else as it is."""
    if not _is_foreign(value) or not hasattr(value, "dtype"):
        return value
    array = sys.modules["numpy"].asarray(value)
    return (type(value).__name__, str(array.dtype), array.shape, array.tobytes())


def sides(value: Any, threshold: Any) -> Iterator[Seen]:
    """On which sides of the threshold elements stand: for each side, the nearest one."""
    numpy = sys.modules["numpy"]
    try:
        values, thresholds = numpy.broadcast_arrays(_array(value), _array(threshold))
        places = {"below": values < thresholds, "at": values == thresholds, "above": values > thresholds}
    except (TypeError, ValueError):
        return
    values, thresholds = values.ravel(), thresholds.ravel()
    for side, mask in places.items():
        chosen = numpy.flatnonzero(mask)
        if chosen.size:
            place, distance = _nearest(values, thresholds, chosen)
            yield side, distance, _element(values[place]), _element(thresholds[place])


def _array(value: Any) -> Any:
    numpy = sys.modules["numpy"]
    if _is_stamp(value):
        return numpy.asarray(value.to_numpy())
    if isinstance(value, datetime.datetime | datetime.timedelta):
        return numpy.asarray(value, dtype="M8[us]" if isinstance(value, datetime.datetime) else "m8[us]")
    return numpy.asarray(value, dtype="M8[D]" if isinstance(value, datetime.date) else None)


def _nearest(values: Any, thresholds: Any, chosen: Any) -> tuple[int, float | None]:
    """The place of the element that comes nearest, and how near; without a distance, the first."""
    numpy = sys.modules["numpy"]
    kind = values.dtype.kind
    if kind == "U":
        return int(chosen[0]), None
    if kind in "Mm":
        unit = numpy.timedelta64(1, "us")
        gaps = numpy.abs((values[chosen] - thresholds[chosen]) / unit) / 1e6
    else:
        gaps = numpy.abs(values[chosen].astype(float) - thresholds[chosen].astype(float))
    best = int(numpy.argmin(gaps))
    return int(chosen[best]), float(gaps[best])


def _element(value: Any) -> Any:
    """An element as a plain value, where it is one."""
    return value if value.dtype.kind in "Mm" else value.item()
