"""A user's own table of normalizing calls, read and run by the real command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

TABLE = """
[tool.pytest.ini_options]
pythonpath = ["src"]

[tool.fencepost]
rules = ["library-call"]

[tool.fencepost.normalizers]
"shop.text.clean" = "argument 0"
"shop.text.distinct" = "list({0})"
".squash" = ["receiver", "keyword hard"]
"""
TEXT = """
def clean(text):
    return "".join(letter for letter in text if letter.isalpha())


def distinct(words):
    return list(dict.fromkeys(words))


def heading(text):
    return clean(text).title()


class Line(str):
    def squash(self, *, hard=False):
        return Line("".join(self.split()) if hard else " ".join(self.split()))
"""
CART = """
from . import text
from .text import Line, clean as cleaned


def names(words):
    return text.distinct(cleaned(word) for word in words)


def row(line):
    return Line(line).squash(hard=True)
"""
TESTS = """
from shop.cart import names, row
from shop.text import heading


def test_names():
    assert names(["an-na", "bo"]) == ["anna", "bo"]


def test_heading():
    assert heading("anna") == "Anna"


def test_row():
    assert row("a b") == "ab"
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project whose code calls its own normalizers across modules, and which names them in its table."""
    files = {
        "pyproject.toml": TABLE,
        "src/shop/__init__.py": "",
        "src/shop/text.py": TEXT,
        "src/shop/cart.py": CART,
        "tests/test_shop.py": TESTS,
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path


def verdicts(root: Path, fencepost: Command) -> dict[str, str]:
    done = fencepost("run", "-o", "json", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    return {f"{one['original']} -> {one['replacement']}": one["verdict"] for one in json.loads(done.stdout)["mutants"]}


def test_calls_that_the_user_named_are_deleted_and_judged(shop: Path, fencepost: Command) -> None:
    assert verdicts(shop, fencepost) == {
        "clean(text) -> text": "survived",
        "cleaned(word) -> word": "killed",
        "text.distinct(cleaned(word) for word in words) -> list((cleaned(word) for word in words))": "survived",
        "Line(line).squash(hard=True) -> Line(line)": "killed",
        "Line(line).squash(hard=True) -> Line(line).squash()": "killed",
    }


def test_without_the_table_none_of_them_is_a_site(shop: Path, fencepost: Command) -> None:
    (shop / "pyproject.toml").write_text(TABLE.partition("[tool.fencepost.normalizers]")[0], encoding="utf-8")
    assert verdicts(shop, fencepost) == {}


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        (
            '".squash" = "reciever"',
            "pyproject.toml: '.squash' is 'reciever' (did you mean 'receiver'?) in [tool.fencepost.normalizers]",
            '"list({0})", or a list of these',
        ),
        (
            'shop.text.clean = "argument 0"',
            "pyproject.toml: 'shop' is a table of its own in [tool.fencepost.normalizers]",
            'put quotes around the whole name, as in "shop.text.clean" = "argument 0"',
        ),
    ],
)
def test_a_table_that_makes_no_sense_is_refused_with_a_hint(
    shop: Path, fencepost: Command, line: str, message: str, hint: str
) -> None:
    (shop / "pyproject.toml").write_text(f"[tool.fencepost.normalizers]\n{line}\n", encoding="utf-8")
    done = fencepost("scan", cwd=shop)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())
    assert hint in " ".join(done.stderr.split())
