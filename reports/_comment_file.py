"""Reads the data of a comment that another job wrote: nothing in it is trusted, a stranger may have made it."""

from __future__ import annotations

import importlib.resources
import json
from pathlib import Path
from typing import Any, NoReturn

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.store import decode
from fencepost.reports._comment_data import CommentData
from fencepost.reports._schema_check import first_fault

LARGEST = 1_000_000  # bytes; what fencepost writes is far below


def read_comment_data(path: Path) -> CommentData:
    """The data in a file.

    Raises:
        UsageProblem: there is no such file, it is too large, or it is not what `-o comment-data` writes.
    """
    value = _value(_bytes(path))
    fault = first_fault(value, schema())
    if fault is not None:
        raise _bad(fault)
    found: CommentData = decode(value, CommentData)
    return found


def schema() -> Any:
    """The JSON Schema of the data."""
    name = "fencepost-comment-1.schema.json"
    return json.loads(importlib.resources.files("fencepost.reports.schema").joinpath(name).read_text("utf-8"))


def _bytes(path: Path) -> bytes:
    try:
        if not path.is_file():  # a pipe would be waited for
            raise _bad("it is no file")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise _bad(f"it cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise _bad(f"it has more than {LARGEST:,} bytes")
    return data


def _value(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8"), parse_float=_no_number, parse_constant=_no_number)
    except (ValueError, RecursionError):
        # the words of the parser would quote from the file
        raise _bad("it is not JSON of the kind that is written here") from None


def _no_number(_text: str) -> NoReturn:
    raise ValueError("no number here has a fraction")


def _bad(why: str) -> UsageProblem:
    return UsageProblem(
        f"the file given with --from is no data of a comment: {why}",
        slug="bad-comment-data",
        hint="`fencepost gate -o comment-data:FILE` writes one, with the same version of fencepost",
    )
