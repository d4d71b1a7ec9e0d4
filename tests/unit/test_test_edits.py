"""Which tests an edit of a test file changes."""

from __future__ import annotations

import pytest

from fencepost.analyzer.test_edits import changed_names, is_named_like_tests, modules_of, prints_of

FILE = """\
import shop

LIMIT = 3


def helper():
    return LIMIT


def test_one():
    assert shop.price(helper()) == 3


class TestTwo:
    def test_two(self):
        assert shop


async def test_three():
    assert True
"""


def changed(text: str) -> frozenset[str] | None:
    return changed_names(prints_of(FILE), prints_of(text))


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("== 3", "== 4", {"test_one"}),
        ("assert shop\n", "assert not shop\n", {"TestTwo"}),
        ("assert True", "assert 1", {"test_three"}),
        ("async def test_three():\n    assert True\n", "", {"test_three"}),
        ("async def test_three", "@decorated\nasync def test_three", {"test_three"}),
        ("async def test_three", "def test_four():\n    pass\n\n\nasync def test_three", {"test_four"}),
        ("def test_one", "def test_uno", {"test_one", "test_uno"}),
        ("import shop", "# a comment\nimport   shop", set()),
    ],
)
def test_an_edit_of_a_test_changes_that_test(old: str, new: str, names: set[str]) -> None:
    assert changed(FILE.replace(old, new)) == frozenset(names)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("LIMIT = 3", "LIMIT = 4"),
        ("return LIMIT", "return LIMIT + 1"),
        ("import shop", "import shop, os"),
        ("assert True", "assert test_one"),
        ("assert True", "assert globals()['test_one']"),
        ("async def test_three", "def test_one"),
        ("assert True", "assert True ("),
    ],
)
def test_an_edit_of_anything_else_may_change_any_of_them(old: str, new: str) -> None:
    assert changed(FILE.replace(old, new)) is None


def test_all_names_that_a_file_imports_are_told() -> None:
    text = "import a.b as c\nfrom d.e import f as g, h\nfrom . import i\ndef t():\n    import j\n"
    assert modules_of(text) == {"a", "b", "d", "e", "f", "h", "i", "j"}
    assert modules_of("import (") == frozenset()


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("test_a.py", True), ("tests/a_test.py", True), ("test_/a.py", False), ("test_a.txt", False),
        ("tests/testing.py", False), ("a_test.pyi", False),
    ],
)  # fmt: skip
def test_files_are_of_tests_by_their_names(path: str, *, is_one: bool) -> None:
    assert is_named_like_tests(path) is is_one
