"""Which tests an edit of a test file changes."""

from __future__ import annotations

import pytest

from fencepost.analyzer.test_edits import changed_names, looks_around, modules_of, names_told, prints_of

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


def test_a_file_is_named_by_an_import_or_by_a_string_that_could_be_its_name() -> None:
    text = 'import a.b\nX = "tests.test_c"\nY = ["test_d.py", "some words of test_e"]\n'
    assert names_told(text) >= {"a", "b", "test_c", "test_d"}
    assert "test_e" not in names_told(text)
    assert names_told("import (") == frozenset()


def test_a_fixture_by_the_name_of_a_test_is_no_test() -> None:
    assert prints_of("def test_value():\n    return 1\n\n\ndef test_a(test_value):\n    pass\n") is None


def test_in_a_file_that_keeps_something_any_test_may_change_with_another() -> None:
    assert prints_of("ALL = []\n\n\ndef test_a():\n    ALL.append(1)\n") is None


@pytest.mark.parametrize(
    ("text", "looks"),
    [
        ("def test(request):\n    assert len(request.session.items) == 1\n", True),
        ("def test():\n    assert 'x' in globals()\n", True),
        ("import inspect\ndef test():\n    assert inspect.currentframe().f_lineno\n", True),
        ("from sys import _getframe as here\n", True),
        ("def test(tmp_path_factory):\n    assert tmp_path_factory.getbasetemp()\n", True),
        ("def globals(:\n", True),
        ("def test(session):\n    assert session.items == 'globals'\n", False),
        ("def test():\n    assert 1\n", False),
    ],
)
def test_who_sees_the_tests_beside_it_is_known(text: str, *, looks: bool) -> None:
    assert looks_around(text) is looks
