"""A test to start from: valid Python, with the new input in the right place, and failing until somebody fills it in."""

from __future__ import annotations

import ast
import asyncio
import inspect
import unittest
from pathlib import Path
from typing import Any

import pytest

from fencepost.analyzer.sketch import Sketch, Sketcher, Wanted

SHOP = """\
def adult(age, limit=18, strict=False):
    return age >= limit


def price(total):
    return total * 2


def first(*items):
    return items[0]


def tidy(name):
    return name.strip()


def size(items):
    return len(items)


def refuse(age):
    if age < 0:
        raise ValueError("negative")
    return age


async def later(age):
    return age
"""


def sketched(
    root: Path, text: str, old: str | None = "17", new: str | None = "18", test: str = "test_it", **changed: Any
) -> Sketch | None:
    """The sketch after a test of `tests/test_shop.py`, whose text this is."""
    (root / "tests").mkdir(exist_ok=True)
    (root / "tests" / "test_shop.py").write_bytes(text.encode())
    values: dict[str, Any] = {
        "path": "shop.py", "scope": "adult", "name": "age", "old": old, "new": new, "suffix": "at_18",
        "reminder": "give it 18", "based_on": f"tests/test_shop.py::{test}",
    }  # fmt: skip
    return Sketcher(root).sketch(Wanted(**{**values, **changed}))


def text_of(root: Path, text: str, *values: Any, **changed: Any) -> str:
    """The text of a sketch that has to be valid Python and to fail as it is."""
    found = sketched(root, text, *values, **changed)
    assert found is not None
    assert fails(found.text), found.text
    return found.text


def fails(text: str) -> bool:
    """Whether a sketch of a function or method fails with every row that it has, beside the functions of SHOP."""
    space: dict[str, Any] = {"pytest": pytest, "unittest": unittest, "CASES": [(1, True)]}
    exec(SHOP, space)  # noqa: S102 - the text above
    (function,) = ast.parse(text).body
    assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
    exec(text, space)  # noqa: S102 - the sketch under test
    test = space[function.name]
    marks = [mark for mark in getattr(test, "pytestmark", []) if mark.name == "parametrize"]
    rows = [mark.args[1] if mark.args else mark.kwargs["argvalues"] for mark in marks]
    names = inspect.signature(test).parameters
    given = {"self": unittest.TestCase()} if "self" in names else {}
    try:
        for row in rows[0] if rows else [()]:
            plain = row.values if hasattr(row, "values") else row if isinstance(row, tuple) else (row,)
            result = test(*given.values(), *plain)
            if inspect.iscoroutine(result):
                asyncio.run(result)
    except (AssertionError, TypeError, NotImplementedError):
        return True
    return False


GUESS = "# a guess, see whether it does this: give it 18"


def body(*lines: str) -> str:
    """A test of some lines."""
    return "def test_it():\n" + "".join(f"    {line}\n" for line in lines)


# the input is moved, the expectation left open


def test_the_literal_that_the_nearest_test_brings_becomes_the_new_one(tmp_path: Path) -> None:
    found = sketched(tmp_path, body("assert adult(17) is False"))
    assert found == Sketch(
        "tests/test_shop.py", "def test_it_at_18():\n    assert adult(18) == ...  # decide\n", moved=True
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("assert adult(17) == False", "assert adult(18) == ..."),
        ("assert False == adult(17)", "assert adult(18) == ..."),
        ("assert not adult(17)", "assert adult(18) == ..."),
        ("assert adult(17)", "assert adult(18) == ..."),
        ("assert adult(17) != True, 'too young'", "assert adult(18) == ..."),
        ("assert (adult(17) == False)", "assert adult(18) == ..."),
        ("assert ((adult(17)) is (False))", "assert adult(18) == ..."),
        ("assert(not adult(17))", "assert adult(18) == ..."),
        ("assert not (adult(17) or adult(3))", "assert adult(18) == ..."),
        ("assert adult(40) and not adult(17)", "assert adult(18) == ..."),
        ("assert adult(40) is True and adult(17) is False", "assert adult(18) == ..."),
        ("assert EXPECTED == adult(17)", "assert adult(18) == ..."),
        ("assert 0 <= adult(17) <= 1", "assert adult(18) == ..."),
        ("assert 0 <= 1 <= 2 and adult(17)", "assert adult(18) == ..."),
        ("assert adult(17) in (True, False)", "assert adult(18) == ..."),
        ("assert 'x' not in adult(17)", "assert adult(18) == ..."),
        ("assert adult(17) <= adult(40) <= adult(41)", "assert (adult(18) <= adult(40) <= adult(41)) == ..."),
        ("assert (lambda: adult(17))", "assert (lambda: adult(18)) == ..."),
        ("assert (found := adult(17))", "assert (found := adult(18)) == ..."),
        ("assert (adult(17) if True else 3)", "assert (adult(18) if True else 3) == ..."),
        ("assert first(\n        adult(17),\n    ) is True", "assert (first(\n        adult(18),\n    )) == ..."),
        ("assert adult(-17 + 34 - 17 + 17, 17)", "assert adult(-17 + 34 - 17 + 17, 18) == ..."),
        ("assert adult(limit=18, age=17)", "assert adult(limit=18, age=18) == ..."),
        ("assert price(17) + adult(17)", "assert price(17) + adult(18) == ..."),
        ("assert adult(17).real", "assert adult(18).real == ..."),
        ("assert adult(**{'limit': 17, 'age': 17})", "assert adult(**{'limit': 17, 'age': 18}) == ..."),
        ("assert adult(int(17))", "assert adult(int(18)) == ..."),
        ("assert adult(*[17])", "assert adult(*[18]) == ..."),
        ("assert adult({17: 1, **{}})", "assert adult({18: 1, **{}}) == ..."),
    ],
)  # fmt: skip
def test_whatever_an_assertion_says_it_becomes_an_open_equality_of_the_result(
    tmp_path: Path, line: str, expected: str
) -> None:
    text = text_of(tmp_path, body(line)) if "EXPECTED" not in line else text_only(tmp_path, body(line))
    assert text == f"def test_it_at_18():\n    {expected}  # decide\n"


def text_only(root: Path, text: str, *values: Any, **changed: Any) -> str:
    found = sketched(root, text, *values, **changed)
    assert found is not None
    ast.parse(found.text)
    return found.text


def test_a_comparison_of_two_literals_is_opened_as_it_stands(tmp_path: Path) -> None:
    assert text_of(tmp_path, body("assert adult(17) == adult(3)")).endswith("assert adult(18) == ...  # decide\n")


def test_only_the_assertion_with_the_input_stays(tmp_path: Path) -> None:
    text = body("assert adult(40)", "assert not adult(17)  # young", "", "assert not adult(3)")
    assert text_of(tmp_path, text) == "def test_it_at_18():\n    assert adult(18) == ...  # decide  # young\n"


def test_an_exception_that_is_expected_in_an_assertion_goes_with_it(tmp_path: Path) -> None:
    text = body(
        "assert pytest.raises(ValueError, refuse, -1)", "assert not adult(17)", "assert pytest.raises(X, adult)"
    )
    assert text_of(tmp_path, text) == "def test_it_at_18():\n    assert adult(18) == ...  # decide\n"
    text = body("assert pytest.raises(ValueError, adult, 17)")
    assert text_of(tmp_path, text) == (
        f"def test_it_at_18():\n    {GUESS}\n    assert pytest.raises(..., adult, 18) == ...  # decide\n"
    )


def test_an_assertion_that_shares_its_line_is_opened_too(tmp_path: Path) -> None:
    text = body("assert adult(40); assert not adult(17)", "x = 1; assert adult(30)")
    assert text_of(tmp_path, text) == (
        "def test_it_at_18():\n    assert adult(40) == ...; assert adult(18) == ...  # decide\n"
    )


def test_an_assertion_that_moves_an_object_on_stays_as_it_is_before_the_one_that_matters(tmp_path: Path) -> None:
    text = body(
        "items = [1]", "other = [2]", "assert items.append(2) is None", "assert other.pop() == 2",
        "assert len(items) == 2", "assert items.index(2) == 1 and adult(17)", "assert items.pop() == 2",
    )  # fmt: skip
    assert text_of(tmp_path, text) == (
        "def test_it_at_18():\n    items = [1]\n    other = [2]\n    assert items.append(2) is None\n"
        "    assert adult(18) == ...  # decide\n"
    )


def test_an_input_outside_of_assertions_opens_all_of_them(tmp_path: Path) -> None:
    text = body("age = 17", "assert adult(age)", "assert price(age) == 34")
    assert text_of(tmp_path, text) == (
        "def test_it_at_18():\n    age = 18\n    assert adult(age) == ...  # decide\n"
        "    assert price(age) == ...  # decide\n"
    )


def test_assertions_in_blocks_are_opened_where_they_stand(tmp_path: Path) -> None:
    text = body(
        "with pytest.MonkeyPatch().context():", "    assert adult(3)", "    assert adult(17)", "for age in (1, 2):",
        "    assert adult(age)",
    )  # fmt: skip
    assert text_of(tmp_path, text) == (
        "def test_it_at_18():\n    with pytest.MonkeyPatch().context():\n        assert adult(3) == ...  # decide\n"
        "        assert adult(18) == ...  # decide\n"
        "    for age in (1, 2):\n        assert adult(age) == ...  # decide\n"
    )


# a sketch fails even where nothing of the old test asserts plainly


def test_a_call_of_what_is_tested_gets_asserted(tmp_path: Path) -> None:
    assert text_of(tmp_path, body("adult(17)")) == "def test_it_at_18():\n    assert adult(18) == ...  # decide\n"
    awaited = "async def test_it():\n    await later(17)\n"
    assert text_of(tmp_path, awaited, scope="later") == (
        "async def test_it_at_18():\n    assert await later(18) == ...  # decide\n"
    )


def test_a_call_that_takes_the_input_gets_asserted(tmp_path: Path) -> None:
    assert text_of(tmp_path, body("price(17)")) == (
        f"def test_it_at_18():\n    {GUESS}\n    assert price(18) == ...  # decide\n"
    )


def test_a_method_call_gets_asserted_too(tmp_path: Path) -> None:
    assert text_only(tmp_path, body("cart.adult(17)")) == (
        "def test_it_at_18():\n    assert cart.adult(18) == ...  # decide\n"
    )


def test_a_keyword_of_another_call_is_no_exception(tmp_path: Path) -> None:
    text = text_only(tmp_path, body("price(expected_exception=X)", "assert adult(17)"))
    assert "price(expected_exception=X)\n" in text


def test_what_was_assigned_last_gets_asserted(tmp_path: Path) -> None:
    assert text_of(tmp_path, body("result = adult(17)")) == (
        "def test_it_at_18():\n    result = adult(18)\n    assert result == ...  # decide\n"
    )


UNDECIDED = "raise NotImplementedError  # decide: assert what it gives"


@pytest.mark.parametrize(
    "lines",
    [
        ["x = adult(17)", "if x:", "    assert x"],
        ["try:", "    assert adult(17)", "except AssertionError:", "    pass"],
        ["while adult(17):", "    assert adult(17)"],
        ["with contextlib.suppress(AssertionError):", "    assert adult(17)"],
        ["def check():", "    assert adult(17)", "adult.checked = check"],
        ["x, y = adult(17), 2"],
        ["if adult(17):", "    with pytest.raises(ValueError):", "        refuse(-1)", "list()"],
        ["(lambda: adult(17))"],
        ["[list][0]()"],
        ["x = adult(17)", "list()"],
        ["mock = lambda *_: None", "adult.assert_it = mock", "adult.assert_it(17)"],
    ],
)
def test_where_no_assertion_surely_runs_a_line_that_fails_is_added(tmp_path: Path, lines: list[str]) -> None:
    text = text_of(tmp_path, body("import contextlib", *lines))
    assert text.endswith(f"\n    {UNDECIDED}\n")
    assert text.count("NotImplementedError") == 1


def test_a_test_on_one_line_stays_on_one(tmp_path: Path) -> None:
    assert text_of(tmp_path, "def test_it(): x, y = adult(17), 2\n") == (
        f"def test_it_at_18(): x, y = adult(18), 2; {UNDECIDED}\n"
    )
    assert text_of(tmp_path, "def test_it(): x = adult(17)\n") == (
        "def test_it_at_18(): x = adult(18); assert x == ...  # decide\n"
    )
    assert text_of(tmp_path, 'def test_it(): "It is."; adult(40)\n') == (
        'def test_it_at_18(): "It is."; assert adult(40) == ...  # decide\n'
    )


def test_a_test_that_is_a_docstring_alone_keeps_it(tmp_path: Path) -> None:
    assert text_of(tmp_path, body('"""It is."""')) == (
        f'def test_it_at_18():\n    # give it 18\n    """It is."""\n    {UNDECIDED}\n'
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("with pytest.raises(ValueError, match='neg'):", "with pytest.raises(..., match='neg'):  # decide: does it?"),
        (
            "with pytest.raises(expected_exception=ValueError):",
            "with pytest.raises(expected_exception=...):  # decide: does it?",
        ),
        (
            "with pytest.raises(match='x', expected_exception=X):",
            "with pytest.raises(match='x', expected_exception=...):  # decide: does it?",
        ),
        ("with pytest.warns(expected_warning=X):", "with pytest.warns(expected_warning=...):  # decide: does it?"),
        ("with pytest.warns(UserWarning) as seen:", "with pytest.warns(...) as seen:  # decide: does it?"),
        ("with self.assertRaises(ValueError):", "with self.assertRaises(...):  # decide: does it?"),
        (
            "with self.assertRaisesRegex(ValueError, 'neg'):",
            "with self.assertRaisesRegex(..., 'neg'):  # decide: does it?",
        ),
        ("with self.assertWarns(UserWarning):", "with self.assertWarns(...):  # decide: does it?"),
        ("with pytest.raises(ValueError):  # no age", "with pytest.raises(...):  # decide: does it?  # no age"),
    ],
)  # fmt: skip
def test_whether_the_new_input_raises_is_left_open(tmp_path: Path, line: str, expected: str) -> None:
    head = "def test_it(self):\n" if "self." in line else "def test_it():\n"
    text = f"{head}    {line}\n        refuse(-3)\n"
    assert text_of(tmp_path, text, "-3", "-1", scope="refuse") == (
        f"{head.replace('test_it', 'test_it_at_18')}    {expected}\n        refuse(-1)\n"
    )


def test_an_exception_that_is_expected_of_a_call_is_left_open(tmp_path: Path) -> None:
    assert text_of(tmp_path, body("pytest.raises(ValueError, refuse, -33)"), "-33", "-1") == (
        f"def test_it_at_18():\n    {GUESS}\n    pytest.raises(..., refuse, -1)\n    {UNDECIDED}\n"
    )
    of_a_call = text_of(tmp_path, body("pytest.raises(ValueError, price(17))"))
    assert "pytest.raises(..., price(18))\n" in of_a_call
    on_one_line = text_of(tmp_path, body("with pytest.raises(ValueError): refuse(-3)"), "-3", "-1", scope="refuse")
    assert on_one_line == "def test_it_at_18():\n    with pytest.raises(...): refuse(-1)\n"


@pytest.mark.parametrize("mark", ["pytest.mark.xfail(reason='17')", "pytest.mark.xfail", "unittest.expectedFailure"])
def test_a_mark_that_lets_the_old_test_fail_is_left_out(tmp_path: Path, mark: str) -> None:
    text = f"@{mark}\n@pytest.mark.slow\n{body('assert adult(17)')}"
    assert text_only(tmp_path, text) == (
        "@pytest.mark.slow\ndef test_it_at_18():\n    assert adult(18) == ...  # decide\n"
    )


# unittest


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("self.assertEqual(adult(17), False)", "self.assertEqual(adult(18), ...)"),
        ("self.assertEqual(False, adult(17))", "self.assertEqual(adult(18), ...)"),
        ("self.assertEqual(adult(17), False, '17')", "self.assertEqual(adult(18), ...)"),
        ("self.assertNotEqual(adult(17), 5)", "self.assertEqual(adult(18), ...)"),
        ("self.assertTrue(adult(17))", "self.assertEqual(adult(18), ...)"),
        ("self.assertFalse(adult(17), '17')", "self.assertEqual(adult(18), ...)"),
        ("self.assertFalse(adult(17) == 5)", "self.assertEqual(adult(18), ...)"),
        ("self.assertIsNone(adult(17))", "self.assertEqual(adult(18), ...)"),
        ("self.assertIn(adult(17), (True, False))", "self.assertEqual(adult(18), ...)"),
        ("self.assertIsInstance(adult(17), bool)", "self.assertEqual(adult(18), ...)"),
        ("self.assertAlmostEqual(adult(17), 0.0, places=2)", "self.assertEqual(adult(18), ...)"),
        (
            "self.assertEqual(\n            adult(17),\n            False,\n        )",
            "self.assertEqual(adult(18), ...)",
        ),
    ],
)
def test_an_assertion_of_unittest_becomes_an_open_equality(tmp_path: Path, line: str, expected: str) -> None:
    text = f"class TestIt(unittest.TestCase):\n    def test_it(self):\n        {line}\n"
    assert text_of(tmp_path, text, test="TestIt::test_it") == (f"def test_it_at_18(self):\n    {expected}  # decide\n")


def test_what_asserts_nothing_of_a_value_stays(tmp_path: Path) -> None:
    text = "def test_it(self):\n    with self.assertLogs():\n        x, y = adult(17), 1\n"
    assert text_of(tmp_path, text) == (
        f"def test_it_at_18(self):\n    with self.assertLogs():\n        x, y = adult(18), 1\n    {UNDECIDED}\n"
    )


# classes, their indentation, and texts of several lines


def test_a_method_is_moved_to_the_margin_and_its_texts_stay(tmp_path: Path) -> None:
    text = (
        "class TestIt:\n    class TestInner:\n        def test_it(self):\n"
        "            name = '''\n  17\n            '''\n"
        "            note = f'''\n  {name}'''\n            long = ('a'\n                    'b')\n"
        "            assert adult(17,\n        )\n"
    )
    assert text_of(tmp_path, text, test="TestIt::TestInner::test_it") == (
        "def test_it_at_18(self):\n    name = '''\n  17\n            '''\n    note = f'''\n  {name}'''\n"
        "    long = ('a'\n            'b')\n    assert (adult(18,\n)) == ...  # decide\n"
    )


def test_tabs_are_kept(tmp_path: Path) -> None:
    text = "class TestIt:\n\tdef test_it(self):\n\t\tx = 1\n\t\tassert price(x)\n"
    assert text_of(tmp_path, text, test="TestIt::test_it") == (
        "def test_it_at_18(self):\n\t# give it 18\n\tx = 1\n\tassert price(x) == ...  # decide\n"
    )


@pytest.mark.parametrize("ending", ["\r\n", "\r", "\n"])
def test_line_ends_of_any_kind_are_newlines_in_the_sketch(tmp_path: Path, ending: str) -> None:
    text = body("x = 1", "assert adult(17)").replace("\n", ending)
    assert text_of(tmp_path, text) == "def test_it_at_18():\n    x = 1\n    assert adult(18) == ...  # decide\n"


def test_columns_are_counted_in_characters_and_lines_by_newlines_alone(tmp_path: Path) -> None:
    text = "\ufeff# \x0c \u2028 \x85 \x1c\n" + body("note = 'ä\u2028\U0001f600'; assert adult(17, 'ä'  in note, 17)")
    assert text_of(tmp_path, text) == (
        "def test_it_at_18():\n    note = 'ä\u2028\U0001f600'; assert adult(18, 'ä'  in note, 17) == ...  # decide\n"
    )


def test_a_file_in_another_encoding_is_read_as_it_says(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    text = "# coding: latin-1\n" + body("assert adult('ä', 17)")
    (tmp_path / "tests" / "test_old.py").write_bytes(text.encode("latin-1"))
    wanted = Wanted("shop.py", "adult", "age", "17", "18", "at_18", "", "tests/test_old.py::test_it")
    found = Sketcher(tmp_path).sketch(wanted)
    assert found is not None
    assert found.text == "def test_it_at_18():\n    assert adult('ä', 18) == ...  # decide\n"


# the docstring, the reminder, the name


def test_the_docstring_of_the_old_test_goes(tmp_path: Path) -> None:
    text = body('"""A child', '    of 17."""', "assert not adult(17)")
    assert text_of(tmp_path, text) == "def test_it_at_18():\n    assert adult(18) == ...  # decide\n"


def test_where_the_input_is_not_found_a_reminder_takes_the_place_of_the_docstring(tmp_path: Path) -> None:
    text = body('"""A child."""', "assert not adult(YOUNG)")
    assert text_only(tmp_path, text) == (
        "def test_it_at_18():\n    # give it 18\n    assert adult(YOUNG) == ...  # decide\n"
    )
    found = sketched(tmp_path, text)
    assert found is not None
    assert not found.moved


def test_a_reminder_of_several_lines_is_one_comment(tmp_path: Path) -> None:
    text = text_only(tmp_path, body("assert adult(YOUNG)"), reminder="make `f(\n  x)`\rbe 18")
    assert text == "def test_it_at_18():\n    # make `f( x)` be 18\n    assert adult(YOUNG) == ...  # decide\n"


@pytest.mark.parametrize(("old", "new"), [(None, "18"), ("17", None), ("<object>", "18"), ("1 +", "18")])
def test_without_an_old_and_a_new_value_nothing_is_moved(tmp_path: Path, old: str | None, new: str | None) -> None:
    assert text_of(tmp_path, body("assert adult(17)"), old, new) == (
        "def test_it_at_18():\n    # give it 18\n    assert adult(17) == ...  # decide\n"
    )


def test_the_name_is_found_behind_any_def(tmp_path: Path) -> None:
    text = "async  def  e(\n    x=5,\n): assert adult(17)\n"
    assert text_of(tmp_path, text, test="e") == (
        "async  def  e_at_18(\n    x=5,\n): assert adult(18) == ...  # decide\n"
    )


# which literal is the input


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["assert price(17) and adult(17)"], "assert adult(18) == ..."),
        (["assert adult(17, limit=17)"], "assert adult(18, limit=17) == ..."),
        (["assert adult(limit=17, age=17)"], "assert adult(limit=17, age=18) == ..."),
        (["assert adult(17) == 17"], "assert adult(18) == ..."),
        (["assert adult(age=[1][0] or 17)"], "assert adult(age=[1][0] or 18) == ..."),
        (["assert adult([17, 3])"], "assert adult([18, 3]) == ..."),
    ],
)
def test_a_name_says_which_literal_is_the_input_then_what_it_is_given_to(
    tmp_path: Path, lines: list[str], expected: str
) -> None:
    assert text_only(tmp_path, body(*lines)) == f"def test_it_at_18():\n    {expected}  # decide\n"


def test_a_variable_or_a_key_of_its_name_is_the_input(tmp_path: Path) -> None:
    text = body("limit = 17", "age: int = 17", "assert adult(age, limit)")
    assert "limit = 17\n    age: int = 18\n" in text_of(tmp_path, text)
    text = body("form = {'limit': 17, 'age': 17}", "assert adult(**form)")
    assert "{'limit': 17, 'age': 18}" in text_of(tmp_path, text)


@pytest.mark.parametrize(
    "line",
    [
        "assert adult(20 - 17)",
        "assert adult(-17)",
        "assert adult(f'{17}')",
        "assert adult([3][17:])",
        "assert adult(3) == 17",
        "assert adult(3), 17",
        "assert adult(17.0)",
        "assert adult('17')",
        "assert adult(True)",
        "'17'\n    17\n    assert adult(3)",
        "with pytest.raises(17):\n        adult(3)",
        "with pytest.raises(ValueError, match=17):\n        adult(3)",
        "self.assertEqual(adult(3), 3, 17)",
        "assert adult(17 .real)",
    ],
)
def test_a_literal_that_is_no_value_of_its_own_or_of_another_type_is_left_alone(tmp_path: Path, line: str) -> None:
    found = sketched(tmp_path, body(line))
    assert found is not None
    assert not found.moved
    assert "18\n" in found.text.splitlines(keepends=True)[1]  # the reminder
    assert "18" not in "".join(found.text.splitlines()[2:])


def test_true_is_not_one(tmp_path: Path) -> None:
    assert text_of(tmp_path, body("assert adult(True, 1)"), "1", "2") == (
        "def test_it_at_18():\n    assert adult(True, 2) == ...  # decide\n"
    )


def test_a_value_that_another_call_takes_is_moved_if_it_stands_out_and_the_reminder_stays(tmp_path: Path) -> None:
    text = body("user = price(17)", "assert adult(user)")
    assert text_of(tmp_path, text) == (
        f"def test_it_at_18():\n    {GUESS}\n    user = price(18)\n    assert adult(user) == ...  # decide\n"
    )


@pytest.mark.parametrize(
    ("lines", "old"),
    [
        (["user = price(17) + price(17)"], "17"),
        (["user = price(9)"], "9"),
        (["user = price(-9)"], "-9"),
        (["user = price(9.0)"], "9.0"),
        (["user = price(True)"], "True"),
        (["user = price('')"], "''"),
        (["user = price([])"], "[]"),
    ],
)
def test_a_value_that_stands_everywhere_is_not_taken_for_the_input(tmp_path: Path, lines: list[str], old: str) -> None:
    found = sketched(tmp_path, body(*lines, "assert adult(user)"), old)
    assert found is not None
    assert not found.moved


@pytest.mark.parametrize("old", ["10", "-10", "0.5", "9.5", "'ab'", "[1]", "'x'"])
def test_a_value_that_stands_out_may_be_the_input_wherever_it_is(tmp_path: Path, old: str) -> None:
    assert "user = 18\n" in text_of(tmp_path, body(f"user = {old}", "assert adult(user)"), old)


# lengths


@pytest.mark.parametrize(
    ("value", "old", "new", "expected"),
    [
        ("'abc'", "3", "2", "'ab'"),
        ("'abc'", "3", "5", "'abccc'"),
        ("'abc'", "3", "0", "''"),
        ("''", "0", "2", "'xx'"),
        ("b'ab'", "2", "3", "b'abb'"),
        ("b''", "0", "1", "b'x'"),
        ("'ab'", "2", "10", "'abbbbbbbbb'"),
        ("'ab'", "2", "11", "'ab'.ljust(11, 'b')"),
        ('"ab"', "2", "11", '"ab".ljust(11, "b")'),
        ('"ab"', "2", "3", '"abb"'),
        ("b''", "0", "20", "b''.ljust(20, b'x')"),
        ("[1, x]", "2", "3", "[1, x, x]"),
        ("[1, x]", "2", "1", "[1]"),
        ("[1, x]", "2", "0", "[]"),
        ("(1, x)", "2", "1", "(1,)"),
        ("(1, x)", "2", "3", "(1, x, x)"),
        ("(1, x)", "2", "0", "()"),
        ("(x,)", "1", "100", "((x,) + (x,) * 99)"),
        ("[1, x]", "2", "63", "([1, x] + [x] * 61)"),
        ("[(1), (x)]", "2", "3", "[1, x, x]"),
        ("[1, x]", "2", "62", "[1" + ", x" * 61 + "]"),
    ],
)
def test_a_text_or_list_gets_the_length_that_is_wanted(
    tmp_path: Path, value: str, old: str, new: str, expected: str
) -> None:
    text = text_of(tmp_path, body("x = 5", f"assert size({value})"), old, new, scope="size", name="len(items)")
    assert text == f"def test_it_at_18():\n    x = 5\n    assert size({expected}) == ...  # decide\n"


@pytest.mark.parametrize(
    ("value", "old", "new", "name"),
    [
        ("[]", "0", "1", "len(items)"),
        ("'ab'", "3", "1", "len(items)"),
        ("[1]", "3", "1", "len(items)"),
        ("'ab'", "2", "-1", "len(items)"),
        ("'ab'", "2", "2.5", "len(items)"),
        ("'ab'", "2", "1", "items"),
        ("{1: 2}", "1", "2", "len(items)"),
        ("x)\n    (x, y) = (y", "2", "3", "len(items)"),
    ],
)
def test_what_cannot_have_that_length_is_left_alone(tmp_path: Path, value: str, old: str, new: str, name: str) -> None:
    found = sketched(tmp_path, body(f"assert size({value})"), old, new, scope="size", name=name)
    assert found is not None
    assert not found.moved


# parametrized tests


def rows(decorator: str, parameters: str = "age, expected", line: str = "assert adult(age) == expected") -> str:
    return f"@pytest.mark.parametrize({decorator})\ndef test_it({parameters}):\n    {line}\n"


@pytest.mark.parametrize(
    ("decorator", "expected"),
    [
        ("'age, expected', [(3, False), (17, False), (40, True)]", "'age, expected', [(18, ...)]"),
        ("'age, expected', [(17, False), (40, True), (41, True)]", "'age, expected', [(18, ...)]"),
        ("'age, expected', [(3, False), (4, False), (17, False),]", "'age, expected', [(18, ...)]"),
        ("('age', 'expected'), ((3, False), (17, False))", "('age', 'expected'), ((18, ...),)"),
        ("['age', 'expected'], [[17, False], [4, True]]", "['age', 'expected'], [[18, ...]]"),
        ("'age,expected', [(17, False)], ids=['young']", "'age,expected', [(18, ...)], ids=['young']"),
        ("'age,expected', [(3, 0), (17, 0)], ids=('a', 'b')", "'age,expected', [(18, ...)], ids=('b',)"),
        ("'age,expected', [(3, 0), (17, 0)], False, ['a', 'b']", "'age,expected', [(18, ...)], False, ['b']"),
        ("'age,expected', [(3, 0), (17, 0)], ids=['a']", "'age,expected', [(18, ...)], ids=['a']"),
        ("'age,expected', [(17, 0)], ids=['a', 'b']", "'age,expected', [(18, ...)], ids=['a']"),
        ("'age,expected', [(3, 0), (17, 0)], ids=str", "'age,expected', [(18, ...)], ids=str"),
        ("argvalues=[(3, 0), (17, 0)], argnames='age,expected'", "argvalues=[(18, ...)], argnames='age,expected'"),
        ("'expected,age', [(17, 17), (3, 3)]", "'expected,age', [(..., 18)]"),
        (
            "'age,expected', [pytest.param(3, 0), pytest.param(17, 0, id='young', marks=pytest.mark.xfail)]",
            "'age,expected', [pytest.param(18, ...)]",
        ),
        ("'age,expected', [(\n        3, 0,  # 3\n    ),\n    (17, 0),  # 17\n]", "'age,expected', [(18, ...)]"),
    ],
)  # fmt: skip
def test_the_row_with_the_input_stays_alone_and_its_expectation_is_open(
    tmp_path: Path, decorator: str, expected: str
) -> None:
    names = "expected, age" if decorator.startswith("'expected") else "age, expected"
    assert text_of(tmp_path, rows(decorator, names), test="test_it[17-False]") == (
        f"@pytest.mark.parametrize({expected})\ndef test_it_at_18({names}):\n"
        "    assert adult(age) == expected  # decide\n"
    )


@pytest.mark.parametrize("line", ["assert adult(age) is expected", "assert adult(age) != expected"])
def test_an_expectation_that_is_compared_otherwise_becomes_an_equality(tmp_path: Path, line: str) -> None:
    assert text_of(tmp_path, rows("'age, expected', [(17, 0), (3, 0)]", line=line)) == (
        "@pytest.mark.parametrize('age, expected', [(18, ...)])\n"
        "def test_it_at_18(age, expected):\n    assert adult(age) == ...  # decide\n"
    )


def test_an_expectation_of_a_row_stays_in_an_equality_of_unittest(tmp_path: Path) -> None:
    decorator, names = "'age, expected', [(17, 0), (3, 0)]", "self, age, expected"
    head = "@pytest.mark.parametrize('age, expected', [(18, ...)])\ndef test_it_at_18(self, age, expected):\n    "
    text = text_of(tmp_path, rows(decorator, names, "self.assertEqual(adult(age), expected)"))
    assert text == f"{head}self.assertEqual(adult(age), expected)  # decide\n"
    text = text_of(tmp_path, rows(decorator, names, "self.assertNotEqual(adult(age), expected)"))
    assert text == f"{head}self.assertEqual(adult(age), ...)  # decide\n"


def test_rows_of_one_name_are_the_values_themselves(tmp_path: Path) -> None:
    text = rows("'age', [(3), (17), 40]", "age", "assert adult(age)")
    assert text_of(tmp_path, text) == (
        "@pytest.mark.parametrize('age', [18])\ndef test_it_at_18(age):\n    assert adult(age) == ...  # decide\n"
    )
    text = rows("'age', [pytest.param(3), pytest.param(17)]", "age", "assert adult(age)")
    assert "[pytest.param(18)]" in text_of(tmp_path, text)


def test_a_row_that_is_made_by_a_call_keeps_all_that_it_is_made_of(tmp_path: Path) -> None:
    text = rows("'age', [dict(a=3), dict([], age=17, b=2)]", "age", "assert adult(**age)")
    assert "'age', [dict([], age=18, b=2)])\n" in text_of(tmp_path, text)
    assert "'age', [dict(age=18)])\n" in text_of(tmp_path, text.replace("[], age=17, b=2", "age=17"))


def test_the_column_of_the_name_is_the_input(tmp_path: Path) -> None:
    text = rows("'limit, age', [(17, 17), (17, 3)]", "limit, age", "assert adult(age, limit)")
    assert "'limit, age', [(17, 18)]" in text_of(tmp_path, text)


def test_of_a_row_only_what_no_assertion_compares_with_is_the_input(tmp_path: Path) -> None:
    text = rows("'expected, years', [(17, 17), (3, 3)]", "expected, years", "assert adult(years) == expected")
    assert "'expected, years', [(..., 18)])\n" in text_of(tmp_path, text)
    text = rows("'years', [17, 3]", "years", "assert 0 <= adult(years) <= 5")
    assert "'years', [18])\n" in text_of(tmp_path, text)
    text = rows("'pair', [(3, 17), (4, 5)]", "pair", "assert first(*pair)")
    assert "'pair', [(3, 18)])\n" in text_of(tmp_path, text)


def test_where_the_input_is_in_no_row_all_rows_stay(tmp_path: Path) -> None:
    text = rows("'age, expected', [(3, False), (4, False)]")
    assert text_of(tmp_path, text) == (
        "@pytest.mark.parametrize('age, expected', [(3, False), (4, False)])\n"
        "def test_it_at_18(age, expected):\n    # give it 18\n    assert adult(age) == ...  # decide\n"
    )


@pytest.mark.parametrize(
    "decorator", ["'age, expected', CASES", "NAMES, [(17, False)]", "'age, expected'", "17, 17", "**ROWS"]
)
def test_rows_that_are_computed_are_left_alone(tmp_path: Path, decorator: str) -> None:
    text = rows(decorator, "age=1, expected=2")
    found = sketched(tmp_path, text)
    assert found is not None
    assert not found.moved
    assert f"@pytest.mark.parametrize({decorator})\n" in found.text


def test_other_decorators_give_no_input(tmp_path: Path) -> None:
    found = sketched(tmp_path, f"@pytest.mark.timeout(17)\n{body('assert adult(40)')}")
    assert found is not None
    assert not found.moved
    assert found.text.startswith("@pytest.mark.timeout(17)\ndef test_it_at_18():\n")


def test_a_decorator_over_several_lines_comes_along(tmp_path: Path) -> None:
    text = f"@pytest.mark.parametrize(\n    'x',\n    [\n        1,\n    ],\n)\n{body('assert adult(17)')}"
    text = text.replace("test_it()", "test_it(x)")
    assert text_of(tmp_path, text) == (
        "@pytest.mark.parametrize(\n    'x',\n    [\n        1,\n    ],\n)\n"
        "def test_it_at_18(x):\n    assert adult(18) == ...  # decide\n"
    )


# which test it is


def test_the_last_definition_of_a_name_is_the_test(tmp_path: Path) -> None:
    text = body("assert adult(1)") + "if True:\n    def test_it():\n        assert adult(17)\n"
    assert text_of(tmp_path, text) == "def test_it_at_18():\n    assert adult(18) == ...  # decide\n"


@pytest.mark.parametrize(
    ("text", "test"),
    [
        ("x = (\n", "test_it"),
        ("def test_it():\n    x = '\0'\n", "test_it"),
        ("def other(): pass\n", "test_it"),
        ("def TestIt(): pass\n", "TestIt::test_it"),
        ("class TestIt: pass\n", "TestIt::test_it"),
        ("class test_it: pass\n", "test_it"),
        ("test_it = 5\n", "test_it"),
    ],
)
def test_where_the_test_is_not_found_there_is_no_sketch(tmp_path: Path, text: str, test: str) -> None:
    assert sketched(tmp_path, text, test=test) is None


def test_rather_than_one_that_is_no_python_there_is_no_sketch(tmp_path: Path) -> None:
    assert sketched(tmp_path, body("assert adult(17)"), suffix="at 18") is None


def test_a_file_that_is_not_there_gives_no_sketch(tmp_path: Path) -> None:
    assert sketched(tmp_path, "", based_on="tests/test_gone.py::test_it") is None


def test_parameters_in_the_id_of_a_test_are_no_part_of_its_name(tmp_path: Path) -> None:
    assert text_of(tmp_path, body("assert adult(17)"), test="test_it[a::b[1]]").startswith("def test_it_at_18()")


def test_a_file_is_read_once(tmp_path: Path) -> None:
    sketcher = Sketcher(tmp_path)
    (tmp_path / "test_a.py").write_text(body("assert adult(17)"), encoding="utf-8")
    wanted = Wanted("shop.py", "adult", "age", "17", "18", "at_18", "", "test_a.py::test_it")
    first = sketcher.sketch(wanted)
    (tmp_path / "test_a.py").unlink()
    assert sketcher.sketch(wanted) == first


# no test gets there: out of the signature


def from_signature(
    root: Path, code: str, scope: str, *, path: str = "shop.py", new: str | None = "18"
) -> Sketch | None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(code, encoding="utf-8")
    return Sketcher(root).sketch(Wanted(path, scope, "age", None, new, "at_18", "give it 18", None))


def called(root: Path, code: str, scope: str, **changed: Any) -> str:
    """The call that a test out of a signature asserts."""
    found = from_signature(root, code, scope, **changed)
    assert found is not None
    ast.parse(found.text)
    assert found.path is None
    line = found.text.splitlines()[-1]
    return line.removeprefix("    assert ").removesuffix(" == ...  # decide")


def test_a_function_that_no_test_calls_is_given_the_new_input_by_name(tmp_path: Path) -> None:
    assert from_signature(tmp_path, SHOP, "adult") == Sketch(
        None,
        "from shop import adult\n\n\ndef test_adult_at_18():\n    assert adult(age=18) == ...  # decide\n",
        moved=True,
    )


@pytest.mark.parametrize(("code", "new"), [(SHOP, None), ("def adult(years): return years\n", "18")])
def test_a_function_that_cannot_be_given_the_input_gets_a_reminder(tmp_path: Path, code: str, new: str | None) -> None:
    found = from_signature(tmp_path, code, "adult", new=new)
    assert found is not None
    assert not found.moved
    assert "def test_adult_at_18():\n    # give it 18\n    # to be made: " in found.text


def test_what_is_to_be_filled_in_is_a_name_so_that_it_cannot_come_back_as_the_result(tmp_path: Path) -> None:
    found = from_signature(tmp_path, "def pick(age, default): return default\n", "pick")
    assert found is not None
    (tmp_path / "__init__.py").touch()
    space: dict[str, Any] = {}
    exec("def pick(age, default): return default\n", space)  # noqa: S102 - the code above
    exec(found.text.partition("\n")[2], space)  # noqa: S102 - the sketch under test
    with pytest.raises(NameError, match="default"):
        space["test_pick_at_18"]()


@pytest.mark.parametrize(
    ("signature", "expected"),
    [
        ("age, limit, /, strict, *rest, deep, high=3, **more", "f(18, limit, strict=strict, deep=deep)"),
        ("age, limit=3, *, strict=False, deep", "f(age=18, deep=deep)"),
        ("limit=3", "f()"),
        ("*, age=3", "f()"),
    ],
)
def test_only_what_has_no_default_is_given(tmp_path: Path, signature: str, expected: str) -> None:
    assert called(tmp_path, f"def f({signature}): pass\n", "f") == expected


METHODS = """\
class Outer:
    class Inner:
        def method(this, age): pass

    def __init__(self, size, *, deep=3): pass
    def method(self, age): pass
    @staticmethod
    def static(age): pass
    @classmethod
    def made(cls, age): pass
    @property
    def young(self): pass
    @functools.cached_property
    def old(self): pass
    @property
    def both(self): pass
    @both.setter
    def both(self, age): pass
    async def later(self, age): pass
    def __new__(cls, age): pass
    def __len__(self): pass


@dataclass
class Data:
    name: str
    place: str = "here"
    KINDS: ClassVar[int]
    def method(self, age): pass
"""


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ("Outer.method", "Outer(size=size).method(age=18)"),
        ("Outer.static", "Outer.static(age=18)"),
        ("Outer.made", "Outer.made(age=18)"),
        ("Outer.young", "Outer(size=size).young"),
        ("Outer.old", "Outer(size=size).old"),
        ("Outer.later", "asyncio.run(Outer(size=size).later(age=18))"),
        ("Outer.__init__", "Outer(size=size)"),
        ("Outer.__new__", "Outer(age=18)"),
        ("Outer.__len__", "Outer(size=size).__len__()"),
        ("Outer.Inner.method", "Outer.Inner().method(age=18)"),
        ("Data.method", "Data(name=name).method(age=18)"),
    ],
)
def test_a_method_is_called_on_a_new_object(tmp_path: Path, scope: str, expected: str) -> None:
    assert called(tmp_path, METHODS, scope) == expected


def test_an_async_function_is_run(tmp_path: Path) -> None:
    found = from_signature(tmp_path, SHOP, "later")
    assert found is not None
    assert found.text.startswith("import asyncio\n\nfrom shop import later\n\n\ndef test_later_at_18():\n")


@pytest.mark.parametrize("scope", ["", "Outer", "Outer.both", "Outer.method.inner", "gone", "Gone.method"])
def test_what_has_no_signature_of_its_own_has_no_sketch(tmp_path: Path, scope: str) -> None:
    assert from_signature(tmp_path, METHODS, scope) is None


def test_underscores_of_a_name_are_left_out_of_the_name_of_the_test(tmp_path: Path) -> None:
    found = from_signature(tmp_path, "def _young(age): pass\n", "_young")
    assert found is not None
    assert "def test_young_at_18():" in found.text
    assert "from shop import _young\n" in found.text


@pytest.mark.parametrize(
    ("path", "packages", "module"),
    [
        ("shop.py", [], "shop"),
        ("src/shop.py", [], "shop"),
        ("src/shop/prices.py", ["src/shop"], "shop.prices"),
        ("src/shop/deep/prices.py", ["src/shop", "src/shop/deep"], "shop.deep.prices"),
        ("src/shop/deep/prices.py", ["src/shop/deep"], "deep.prices"),
        ("src/shop/__init__.py", [], "shop"),
        ("shop/deep/__init__.py", ["shop"], "shop.deep"),
    ],
)
def test_a_module_is_imported_from_its_outermost_package_on(
    tmp_path: Path, path: str, packages: list[str], module: str
) -> None:
    for package in packages:
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "__init__.py").touch()
    found = from_signature(tmp_path, SHOP, "adult", path=path)
    assert found is not None
    assert found.text.startswith(f"from {module} import adult\n")
