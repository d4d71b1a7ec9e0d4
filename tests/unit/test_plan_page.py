"""The test plan: each input once, function by function, as a checklist and as data; nothing has run."""

from __future__ import annotations

import importlib.resources
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import jsonschema
import pytest

import fencepost
from fencepost.analyzer.model import FileScan
from fencepost.analyzer.scan import scan_source
from fencepost.reports import _sentences
from fencepost.reports.plan_page import Chapter, Item, as_json, chapters, code, markdown
from fencepost.rules import all_rules


def scans(files: str | Mapping[str, str]) -> list[FileScan]:
    named = {"shop.py": files} if isinstance(files, str) else files
    return [scan_source(text.encode(), path, all_rules()) for path, text in named.items()]


def items(expression: str) -> list[Item]:
    """The items of one expression, in a function."""
    found = chapters(scans(f"LIMIT = 50\nimport math\ndef f(x, cap, x2):\n    return {expression}\n"))
    return [item for chapter in found for item in chapter.items]


def page(files: str | Mapping[str, str]) -> str:
    out = io.StringIO()
    markdown(scans(files), out)
    return out.getvalue()


def document(files: str | Mapping[str, str]) -> dict[str, Any]:
    """The plan as data, after it met its schema."""
    out = io.StringIO()
    as_json(scans(files), out)
    assert out.getvalue().endswith("}\n")
    loaded: dict[str, Any] = json.loads(out.getvalue())
    jsonschema.Draft202012Validator(schema()).validate(loaded)
    return loaded


def schema() -> Any:
    folder = importlib.resources.files("fencepost.reports.schema")
    return json.loads(folder.joinpath("fencepost-plan-1.schema.json").read_text("utf-8"))


CART = """\
LIMIT = [x > 3 for x in VALUES]


def shipping(total):
    return 0 if total >= 50 else 5


class Cart:
    def label(self, name):
        def inner(rest):
            return rest.lower()
        return name.strip() or inner(name)
"""


def test_the_plan_is_a_checklist_function_by_function() -> None:
    assert page({"cart.py": CART, "empty.py": "x = 1\n"}) == (
        "# Test plan\n\n"
        "Each line is an input that some test should bring, and whose result it should assert.\n\n"
        "## `cart.py`\n\n"
        "### module level\n\n"
        "- [ ] line 1, `x > 3`: `x` at each of these: `2`, `3`, `4` "
        "(FP101 boundary-at, FP102 boundary-below, FP103 boundary-above)\n\n"
        "### `shipping`\n\n"
        "- [ ] line 5, `total >= 50`: `total` at each of these: `49`, `50`, `51` "
        "(FP101 boundary-at, FP102 boundary-below, FP103 boundary-above)\n\n"
        "### `Cart.label.inner`\n\n"
        "- [ ] line 11, `rest.lower()`: use an input in another case, which `rest.lower()` changes, such as 'Ann' "
        "(FP202 letter-case)\n\n"
        "### `Cart.label`\n\n"
        "- [ ] line 12, `name.strip() or inner(name)`: use an input for which `name.strip()` is None or empty, "
        "so that inner(name) stands in (FP206 default-value)\n"
        "- [ ] line 12, `name.strip()`: use an input with whitespace that `name.strip()` changes, such as ' Ann ' "
        "(FP201 whitespace)\n\n"
        "5 items in 4 functions.\n"
    )


def test_one_item_is_told_in_the_singular_and_nothing_in_words() -> None:
    assert page("def f(x):\n    return x.strip()\n").endswith("\n\n1 item in 1 function.\n")
    assert page("x = 1\n").endswith("should assert.\n\nNothing to list here.\n")


def test_a_file_that_cannot_be_read_is_told() -> None:
    assert "\n\nNot read: `broken.py:1`: " in page({"broken.py": "def (\n"})
    assert page({"broken.py": "def (\n"}).endswith("\n\nNothing to list here.\n")


# the items


def test_the_rules_of_one_threshold_are_one_item_with_its_three_inputs() -> None:
    assert items("x >= 18") == [
        Item(("FP101", "FP102", "FP103"), 4, "x >= 18", ("17", "18", "19"), "`x` at each of these")
    ]


def test_each_link_of_a_chain_is_an_item() -> None:
    assert [(item.rules, item.inputs) for item in items("1 <= x < cap")] == [
        (("FP101", "FP102", "FP103"), ("0", "1", "2")), (("FP101",), ()),
    ]  # fmt: skip
    assert items("1 <= x < cap")[1].ask == "`x` at exactly `cap`, and on both sides of it"


@pytest.mark.parametrize(
    ("expression", "inputs"),
    [
        ("len(x) > 0", ("0", "1")),
        ("len(x) > 1", ("0", "1", "2")),
        ("x > 0", ("-1", "0", "1")),
        ("x > LIMIT", ("49", "50", "51")),
        ("x == 5", ("4", "5", "6")),
        ("x > 0x1F", ("0x1E", "0x1F", "0x20")),
        ("x == 'a'", ()),
        ("x.upper()", ("'Ann'",)),
        ("x // 3", ("2",)),
        ("sorted(x)", ("['bob', 'ann']",)),
        ("x.get('k', 3)", ()),
        ("x if x is not None else 3", ("None",)),
    ],
)
def test_inputs_are_those_around_a_threshold_or_one_that_a_call_changes(
    expression: str, inputs: tuple[str, ...]
) -> None:
    assert items(expression)[0].inputs == inputs


def test_a_long_expression_is_shortened_and_brought_on_one_line() -> None:
    (item,) = items(f"(x\n        >= {' + '.join(['cap'] * 30)})")
    assert item.source.startswith("x >= cap + cap")
    assert item.source.endswith("...")
    assert len(item.source) == 60
    assert item.ask.endswith("...`, and on both sides of it")


def test_a_threshold_of_which_nothing_names_what_is_compared_keeps_the_words_of_its_rule() -> None:
    (first, *_) = items("0 < x() < cap() < 100")
    assert first.ask == "stand exactly on the threshold: make `x()` equal to `0`"


def test_what_is_ignored_is_not_listed() -> None:
    assert list(chapters(scans("def f(x):\n    return x > 3  # pragma: no mutate\n"))) == []


def test_chapters_follow_the_files_and_the_source() -> None:
    code_of = "def b(x):\n    return x > 3\n\n\ndef a(x):\n    return x > 3\n"
    found = chapters(scans({"b.py": code_of, "a.py": code_of}))
    assert [(chapter.path, chapter.scope) for chapter in found] == [
        ("b.py", "b"), ("b.py", "a"), ("a.py", "b"), ("a.py", "a"),
    ]  # fmt: skip


# Markdown


def line_of(expression: str) -> str:
    text = page(f"def f(x, x2, n18):\n    return {expression}\n")
    return next(line for line in text.splitlines() if line.startswith("- [ ]"))


def test_an_example_that_the_words_name_already_is_not_repeated() -> None:
    assert ": `" not in line_of("x.strip()").partition(", such as ")[2]
    assert line_of("x.upper()").endswith("such as 'Ann' (FP202 letter-case)")
    assert line_of("int(x)").endswith("such as 2.5 or -2.5 (FP205 rounding)")


@pytest.mark.parametrize(
    ("expression", "inputs"),
    [("x2 > 2", "`1`, `2`, `3`"), ("n18 > 18", "`17`, `18`, `19`"), ("x[2] > 2", "`1`, `2`, `3`"),
     ("x(2) > 2", "`1`, `2`, `3`"), ("x.b2 - 2 > 2", "`1`, `2`, `3`"), ("2 * x > 2", "`1`, `2`, `3`")],
)  # fmt: skip
def test_a_digit_in_what_is_compared_hides_no_input(expression: str, inputs: str) -> None:
    assert f" at each of these: {inputs} (" in line_of(expression)


@pytest.mark.parametrize(
    ("ask", "text", "says"),
    [
        ("such as 7 and 2", "2", True),
        ("such as 2, or 7", "2", True),
        ("such as 2.", "2", True),
        ("such as 2.5", "2", False),
        ("such as 12", "2", False),
        ("such as 25", "2", False),
        ("such as 0.2", "2", False),
        ("such as -2", "2", False),
        ("what `2` is", "2", False),
        ("what `x[2]` is", "2", False),
        ("such as 'Ann'", "'Ann'", True),
        ("such as a+b", "a+b", True),
        ("such as aab", "a+b", False),
    ],
)
def test_only_a_value_of_its_own_counts_as_named(ask: str, text: str, *, says: bool) -> None:
    assert _sentences.says(ask, text) is says


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x > 1", "`x > 1`"),
        ("'`'", "`` '`' ``"),
        ("`", "`` ` ``"),
        ("``a```", "```` ``a``` ````"),
        ("a\nb\x1b\u2028c", "`a b  c`"),
        ("ä [x](y) <b>", "`ä [x](y) <b>`"),
    ],
)
def test_code_stands_in_markdown_whatever_is_in_it(text: str, expected: str) -> None:
    assert code(text) == expected


def test_hostile_names_and_source_stay_in_their_place() -> None:
    text = page({"a\n# b`.py": "def f(x):\n    return x['`\\n# no'] > 3\n"})
    assert "\n## `` a # b`.py ``\n" in text
    assert "line 2, `` x['`\\n# no'] > 3 ``:" in text
    assert not [line for line in text.splitlines() if line.startswith(("# b", "# no"))]


# as data


def test_the_plan_as_data_meets_its_schema_and_says_the_same() -> None:
    found = document({"cart.py": CART, "broken.py": "def (\n"})
    assert (found["schema"], found["fencepost"]) == ("fencepost-plan/1", fencepost.__version__)
    assert [(one["path"], one["scope"], len(one["items"])) for one in found["functions"]] == [
        ("cart.py", "", 1),
        ("cart.py", "shipping", 1),
        ("cart.py", "Cart.label.inner", 1),
        ("cart.py", "Cart.label", 2),
    ]
    assert found["functions"][1]["items"] == [
        {
            "rules": ["FP101", "FP102", "FP103"],
            "line": 5,
            "source": "total >= 50",
            "inputs": ["49", "50", "51"],
            "ask": "`total` at each of these",
        }
    ]
    ((problem),) = found["problems"]
    assert (problem["path"], problem["line"]) == ("broken.py", 1)


def test_an_empty_plan_meets_the_schema() -> None:
    found = document("x = 1\n")
    assert (found["functions"], found["problems"]) == ([], [])


def test_the_schema_of_the_plan_is_valid_and_strict_everywhere() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())

    def objects(part: object) -> Sequence[dict[str, Any]]:
        if isinstance(part, list):
            return [found for item in part for found in objects(item)]
        if not isinstance(part, dict):
            return []
        return [*([part] if part.get("type") == "object" else []), *objects(list(part.values()))]

    assert len(objects(schema())) == 4
    for part in objects(schema()):
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])


def test_a_chapter_without_a_scope_is_the_module_itself() -> None:
    (chapter,) = chapters(scans("y = z > 3\n"))
    assert isinstance(chapter, Chapter)
    assert chapter.scope == ""
