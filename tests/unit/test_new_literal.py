"""What a sketch puts in the place of an input: spelled as the test spells it, turned around, left out, given anew."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

from fencepost.analyzer.sketch import Sketch, Sketcher, Wanted

SHOP = "def adult(age, limit=18, *, unit='years'):\n    return age >= limit\n\n\nclass Shop:\n"
SHOP += "    def label(self, price, currency='EUR'):\n        return f'{price} {currency.upper()}'\n"


def sketched(root: Path, text: str, old: str, new: str | None, **changed: Any) -> Sketch:
    (root / "shop.py").write_text(SHOP, encoding="utf-8")
    (root / "test_shop.py").write_text(text, encoding="utf-8")
    values: dict[str, Any] = {
        "path": "shop.py", "scope": "adult", "name": "age", "old": old, "new": new, "suffix": "new",
        "reminder": "give it the new one", "based_on": "test_shop.py::test_it",
    }  # fmt: skip
    found = Sketcher(root).sketch(Wanted(**{**values, **changed}))
    assert found is not None
    ast.parse(found.text)
    return found


def given(root: Path, text: str, old: str, new: str | None, **changed: Any) -> str:
    """What `adult` is given in the sketch after a test that gives it this text."""
    line = sketched(root, f"def test_it():\n    assert adult({text})\n", old, new, **changed).text.splitlines()[-1]
    return line.removeprefix("    assert adult(").removesuffix(") == ...  # decide")


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ('"ann"', "'ann'", "' ann '", '" ann "'),
        ("'ann'", "'ann'", "' ann '", "' ann '"),
        ('"ann"', "'ann'", "'\"'", "'\"'"),
        ('"ann"', "'ann'", "'a\\n'", "'a\\n'"),
        ('Decimal("58.00")', "Decimal('58.00')", "0", 'Decimal("0")'),
        ('d.Decimal("58.00")', "Decimal('58.00')", "Decimal('58.01')", 'd.Decimal("58.01")'),
        ("Fraction(58, 3)", "Fraction(58, 3)", "-2", "Fraction(-2)"),
        ("10", "Decimal('10')", "2", "2"),
        ("10.0", "Decimal('10')", "2", "10.0"),
        ("date(2025, 3, 1)", "datetime.date(2025, 3, 1)", "date(2025, 3, 2)", "date(2025, 3, 2)"),
        ("dt.date(2025, 3, 1)", "datetime.date(2025, 3, 1)", "date(2025, 3, 2)", "dt.date(2025, 3, 2)"),
        ('["b", "a", 3]', "['b', 'a', 3]", "[3, 'a', 'b']", '[3, "a", "b"]'),
        ('["b", "c", "a"]', "{'b': None, 'a': None}", "{'a': None, 'b': None}", '["a", "c", "b"]'),
        ('{"b": x, **y, "a": 2}', "['b', 'a']", "['a', 'b']", '{"a": 2, **y, "b": x}'),
        ('["b", "a"]', "['b', 'a']", "['b', 'a', 'b']", '["b", "a", "b"]'),
        ('("b", "a")', "['b', 'a']", "['b', 'a', 'b']", '("b", "a", "b")'),
        ('{"b": 1, "a": 2}', "['b', 'a']", "['b', 'a', 'b']", '{"b": 1, "a": 2}'),
        ('["a", "b"]', "['b', 'a']", "['a', 'b']", '["a", "b"]'),
        ('["a"]', "['a']", "['a', 'a']", "['a', 'a']"),
    ],
)  # fmt: skip
def test_a_new_input_is_spelled_as_the_test_spells_the_old_one(
    tmp_path: Path, text: str, old: str, new: str, expected: str
) -> None:
    assert given(tmp_path, text, old, new) == expected


@pytest.mark.parametrize(("text", "old"), [("1e999", "inf"), ('Decimal("NaN")', "Decimal('NaN')")])
def test_numbers_without_end_are_no_trouble(tmp_path: Path, text: str, old: str) -> None:
    found = sketched(tmp_path, f"def test_it():\n    x = shop({text})\n    assert adult(x)\n", old, "3")
    assert text in found.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"age": 3, "name": x}', '{"name": x}'),
        ('{"name": x, **y, "age": 3}', '{"name": x, **y}'),
        ('{"age": 3}', "{}"),
        ('{"name": x}', '{"name": x}'),
        ('["age"]', '["age"]'),
    ],
)
def test_a_key_that_has_to_be_missing_is_left_out(tmp_path: Path, text: str, expected: str) -> None:
    assert given(tmp_path, text, "'age'", None, absent=True) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("40", "40, limit=40"),
        ("age=40,", "age=40, limit=40"),
        ("40, 18", "40, 40"),
        ("40, limit=x", "40, limit=x"),
        ("40, x", "40, x"),
        ("*x", "*x"),
        ("40, **x", "40, **x"),
    ],
)
def test_what_came_by_default_is_given_by_name(tmp_path: Path, text: str, expected: str) -> None:
    assert given(tmp_path, text, "18", "40", name="limit") == expected


def test_a_default_is_given_only_where_it_is_what_came_and_where_it_is_compared(tmp_path: Path) -> None:
    assert given(tmp_path, "40", "19", "40", name="limit") == "40"
    assert given(tmp_path, "40", "18", "40", name="age") == "40"
    assert given(tmp_path, "40", "'years'", "'days'", name="unit.strip()") == "40, unit='days'"


def test_the_default_of_a_method_is_given_in_the_quotes_of_the_test(tmp_path: Path) -> None:
    text = 'def test_it():\n    assert Shop().label("2.50") == "2.50 EUR"\n'
    found = sketched(tmp_path, text, "'EUR'", "'eur'", scope="Shop.label", name="currency.upper()")
    assert found.moved
    assert found.text.endswith('    assert Shop().label("2.50", currency="eur") == ...  # decide\n')


@pytest.mark.parametrize(
    ("text", "old", "expected"),
    [
        ("Shop(7)", "7", "Shop(7)"),
        ("Shop(77)", "77", "Shop(78)"),
        ("Shop(age=7)", "7", "Shop(age=78)"),
        ("7", "7", "78"),
    ],
)
def test_a_number_that_stands_everywhere_has_to_be_given_to_what_is_tested_itself(
    tmp_path: Path, text: str, old: str, expected: str
) -> None:
    assert given(tmp_path, text, old, "78") == expected


# where the input is not found, the first act alone


def kept(root: Path, *lines: str, **changed: Any) -> list[str]:
    """The lines of the sketch after a test of these, without its head and the reminder."""
    text = "def test_it():\n" + "".join(f"    {line}\n" for line in lines)
    return [line[4:] for line in sketched(root, text, "77", "78", **changed).text.splitlines()[2:]]


def test_what_follows_the_first_act_is_left_out(tmp_path: Path) -> None:
    lines = ["x = 3", "assert adult(x)", "assert x.age == 3", "x = 4", "assert adult(x)", "del x"]
    assert kept(tmp_path, *lines) == ["x = 3", "assert adult(x) == ...  # decide", "assert x.age == ...  # decide"]
    lines = ["assert adult(3)  # young", "assert adult(40)", "assert adult(41)"]
    assert kept(tmp_path, *lines) == ["assert adult(3) == ...  # decide  # young"]


def test_the_first_act_is_the_one_that_calls_what_is_tested(tmp_path: Path) -> None:
    lines = [
        "shop = Shop(3)",
        "assert shop.open",
        "assert adult(shop)",
        "with pytest.raises(ValueError):",
        "    shop()",
    ]
    assert kept(tmp_path, *lines) == ["shop = Shop(3)", "assert adult(shop) == ...  # decide"]


def test_where_the_test_has_the_input_already_all_of_it_stays(tmp_path: Path) -> None:
    lines = ["assert adult(3)", "assert adult(40)"]
    assert kept(tmp_path, *lines, whole=True) == [f"{line} == ...  # decide" for line in lines]


def test_acts_in_blocks_stay(tmp_path: Path) -> None:
    lines = ["for x in (3, 4):", "    assert adult(x)", "assert adult(5)"]
    assert kept(tmp_path, *lines) == [
        "for x in (3, 4):", "    assert adult(x) == ...  # decide", "assert adult(5) == ...  # decide",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("decorator", "its_id", "expected"),
    [
        ("'x, y', [(1, 2), (3, 'a'), (5, None)]", "3-a", "'x, y', [(3, 'a')]"),
        ("'x', [1, 2.5, z]", "2.5", "'x', [2.5]"),
        ("'x', [1, 2.5, z]", "x2", "'x', [z]"),
        ("'x', (1, True)", "True", "'x', (True,)"),
        ("'x, y', [('\u98a8', 1), ('\u98a8', 2)]", r"\u98a8-2", "'x, y', [('\u98a8', 2)]"),
        ("'x', [1, 2], ids=['one', 'two']", "two", "'x', [2], ids=['two']"),
        ("'x', [1, pytest.param(2, id='two')]", "two", "'x', [pytest.param(2, id='two')]"),
        ("'x', [1, 2]", "3", "'x', [1, 2]"),
        ("'x', ROWS", "3", "'x', ROWS"),
    ],
)
def test_of_the_rows_of_a_test_the_one_that_came_nearest_is_kept(
    tmp_path: Path, decorator: str, its_id: str, expected: str
) -> None:
    text = f"@pytest.mark.parametrize({decorator})\ndef test_it(x, y=1):\n    assert adult(x)\n"
    found = sketched(tmp_path, text, "77", "78", based_on=f"test_shop.py::test_it[{its_id}]")
    assert found.text.splitlines()[0] == f"@pytest.mark.parametrize({expected})"


def test_of_several_parametrizations_none_is_touched(tmp_path: Path) -> None:
    head = "@pytest.mark.parametrize('x', [1, 2])\n@pytest.mark.parametrize('y', [3, 4])\n"
    text = f"{head}def test_it(x, y):\n    assert adult(x)\n"
    found = sketched(tmp_path, text, "77", "78", based_on="test_shop.py::test_it[1]")
    assert found.text.startswith(head)


# names, and where it belongs


def test_a_method_tells_the_class_that_it_belongs_into(tmp_path: Path) -> None:
    text = "class TestA:\n    class TestB:\n        def test_it(self):\n            assert adult(77)\n"
    found = sketched(tmp_path, text, "77", "78", based_on="test_shop.py::TestA::TestB::test_it")
    assert (found.owner, found.name) == ("TestA.TestB", "test_it_new")
    assert sketched(tmp_path, "def test_it():\n    assert adult(77)\n", "77", "78").owner == ""


def test_a_name_that_is_taken_gets_a_number(tmp_path: Path) -> None:
    text = "async def test_it():\n    assert adult(77)\n\n\ndef test_it_new_2():\n    pass\n"
    found = sketched(tmp_path, text, "77", "78")
    sketcher = Sketcher(tmp_path)
    assert sketcher.renamed(found, set()) == found
    renamed = sketcher.renamed(found, {"test_it_new"})
    assert renamed.name == "test_it_new_3"
    assert renamed.text == "async def test_it_new_3():\n    assert adult(78) == ...  # decide\n"


def test_what_a_test_out_of_a_signature_still_needs_is_named(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("def due(invoice, today, step):\n    return 1\n", encoding="utf-8")
    found = Sketcher(tmp_path).sketch(Wanted("shop.py", "due", "step", None, "3", "at_3", "", None))
    assert found is not None
    assert "    # to be made: invoice, today\n    assert due(invoice=invoice, today=today, step=3)" in found.text
