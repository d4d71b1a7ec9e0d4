"""ARCHITECTURE.md lists every file of the code folders, and no other."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
# in a table, the first cell of a row
LISTED = re.findall(r"^\| `([\w./-]+)` \| ", DOCUMENT, flags=re.MULTILINE)


@pytest.mark.parametrize("folder", ["analyzer", "rules", "reports"])
def test_the_document_lists_the_files_of_a_folder_and_no_other(folder: str) -> None:
    listed = {path for path in LISTED if path.startswith(f"{folder}/")}
    found = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert found - listed == set(), "in the tree, not in ARCHITECTURE.md"
    assert listed - found == set(), "in ARCHITECTURE.md, not in the tree"


def test_no_file_is_listed_twice_and_each_is_in_the_code_folders() -> None:
    assert len(LISTED) == len(set(LISTED))
    assert {path.partition("/")[0] for path in LISTED} == {"analyzer", "rules", "reports"}
