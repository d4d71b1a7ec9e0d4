"""Where files and tests stand, for tools that show them beside the code: paths in the repository, lines of tests."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from fencepost.analyzer.changes import folder_in_repository
from fencepost.analyzer.errors import FencepostError
from fencepost.analyzer.source_text import SourceText, read_source


def folder_of(root: Path) -> str:
    """The path of the project in its repository, with a slash behind it; empty where they are the same."""
    try:
        return folder_in_repository(root)
    except FencepostError:
        return ""  # no repository, no folder in it


def uri(path: str) -> str:
    """A relative path as a URI: a name may hold any byte."""
    return quote(os.fsencode(path))


class TestLines:
    """The lines at which tests begin; each file is read once.

    Args:
        root: the root of the project.
    """

    __test__ = False  # pytest would take the name for a test class

    def __init__(self, root: Path) -> None:
        self._read: Callable[[str], SourceText | None] = functools.cache(lambda path: read_source(root / path))

    def line(self, test_id: str) -> int | None:
        """Where a test begins, its decorators left aside; None where no function has its name."""
        path, _, names = test_id.partition("::")
        source = self._read(path)
        place = source.function(names.partition("[")[0].split("::")) if source else None
        return place.function.lineno if place else None
