"""FP216: which calls of libraries normalize, what stands for them, and what a user's table adds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest

from fencepost.analyzer.model import Site
from fencepost.analyzer.scan import scan_source
from fencepost.rules.normalizing import library_call
from fencepost.rules.normalizing._table import Treatment, parse_treatment, treatments
from fencepost.rules.normalizing.library_call import LibraryCall

NOTHING: Mapping[str, Sequence[str]] = {}


def sites(code: str, table: Mapping[str, Sequence[str]] = NOTHING, path: str = "src/shop/text.py") -> tuple[Site, ...]:
    scan = scan_source(code.encode(), path, [LibraryCall], table)
    assert scan.problem is None
    assert all(site.mutants for site in scan.sites)
    return scan.sites


def replacements(code: str, table: Mapping[str, Sequence[str]] = NOTHING, path: str = "src/shop/text.py") -> list[str]:
    return [mutant.replacement for site in sites(code, table, path) for mutant in site.mutants]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("np.sort(a)", ["np.asarray(a)"]),
        ("np.sort(a if b else c, axis=0)", ["np.asarray(a if b else c)"]),
        ("np.unique(a)", ["np.sort(a, axis=None)"]),
        ("np.unique(a for a in b)", ["np.sort((a for a in b), axis=None)"]),
        ("np.unique(a, axis=0)", []),
        ("np.unique(a, return_counts=True)", []),
        ("np.unique(a, return_index=True)", []),
        ("np.unique(a, return_inverse=True)", []),
        ("np.round(a, 2)", ["np.asarray(a)[()]"]),
        ("np.round(a, out=b)", []),
        ("np.round(a=b)", []),
        ("np.round(*a)", []),
        ("np.char.strip(a)", ["a"]),
        ("unique(a or b)", ["(a or b)"]),
        ("np.trim_zeros(a)", ["a"]),
        ("np.mean(a)", []),
        ("slug(a + b)", ["(a + b)"]),
        ("slugify(a)", []),
    ],
)
def test_a_function_of_a_library_leaves_its_argument_as_it_is(call: str, expected: list[str]) -> None:
    code = f"import numpy as np\nfrom numpy import unique\nfrom slugify import slugify as slug\nx = {call}\n"
    assert replacements(code) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("df.drop_duplicates()", ["df"]),
        ("df['a'].fillna(0)", ["df['a']"]),
        ("(a + b).dropna()", ["(a + b)"]),
        ("df.sort_values('a')", ["df"]),
        ("df.sort_values('a', ascending=False)", ["df", "df.sort_values('a')"]),
        ("df.sort_values('a', ascending=True)", ["df"]),
        ("df.sort_values('a', ascending=None)", ["df"]),
        ("df.sort_values(*a)", []),
        ("dropna(df)", []),
        ("frames.dropna(df)", []),
        ("Frame.dropna(df)", []),
        ("df.unique()", []),
        ("df.sort('a')", []),
        ("df.round(2)", []),
    ],
)
def test_a_method_that_only_data_frames_have_is_deleted_in_any_file(call: str, expected: list[str]) -> None:
    assert replacements(f"import frames\nfrom models import Frame\nx = {call}\n") == expected


@pytest.mark.parametrize(
    ("library", "call", "expected"),
    [
        ("pandas", "df.unique()", ["df.to_numpy()"]),
        ("polars", "df.unique()", ["df"]),
        ("polars", "df.sort('a', descending=True)", ["df", "df.sort('a')"]),
        ("polars.selectors", "df.sort('a')", ["df"]),
        ("pandas", "df.sort('a')", []),
        ("numpy", "a.round(2)", ["a"]),
        ("numpy, pandas, polars", "a.round(2)", ["a"]),
        ("numpy", "a.unique()", []),
        ("mypandas", "df.unique()", []),
    ],
)
def test_a_method_with_a_common_name_is_deleted_where_its_library_is_imported(
    library: str, call: str, expected: list[str]
) -> None:
    assert replacements(f"import {library}\nx = {call}\n") == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("df['a'].str.strip()", ["df['a']"]),
        ("column.str.replace('a', 'b', regex=False)", ["column"]),
        ("(a + b).str.lower()", ["(a + b)"]),
        ("column.dt.floor('D')", ["column"]),
        ("column.str.strip().str.lower()", ["column.str.strip()", "column"]),
        ("column.str.floor('D')", []),
        ("column.str.len()", []),
        ("column.list.strip()", []),
        ("self.str.strip()", []),
        ("str.strip(a)", []),
    ],
)
def test_a_method_behind_an_accessor_leaves_the_column(call: str, expected: list[str]) -> None:
    assert replacements(f"x = {call}\n") == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("ConfigDict(str_strip_whitespace=True)", ["ConfigDict()"]),
        (
            "ConfigDict(str_strip_whitespace=True, frozen=True, str_to_lower=a)",
            ["ConfigDict(frozen=True, str_to_lower=a)", "ConfigDict(str_strip_whitespace=True, frozen=True)"],
        ),
        ("ConfigDict(str_strip_whitespace=False)", []),
        ("ConfigDict(frozen=True)", []),
        ("ConfigDict(**a, str_strip_whitespace=True)", []),
        ("attrs.field(converter=str.strip)", ["attrs.field()"]),
        ("attrs.field(default='', converter=None)", []),
        ("pd.to_numeric(a, errors='coerce')", ["pd.to_numeric(a)"]),
        ('pd.to_numeric(a, errors="raise")', []),
    ],
)
def test_a_keyword_that_asks_for_normalizing_is_dropped(call: str, expected: list[str]) -> None:
    code = f"import attrs\nimport pandas as pd\nfrom pydantic import ConfigDict\nx = {call}\n"
    assert replacements(code) == expected


@pytest.mark.parametrize(
    ("statement", "expected"),
    [("df.dropna()", []), ("df.dropna(inplace=True)", ["df"]), ("return df.dropna()", ["df"])],
)
def test_a_result_that_nobody_uses_is_no_site(statement: str, expected: list[str]) -> None:
    assert replacements(f"def f(df):\n    {statement}\n") == expected


VALIDATOR = (
    "from pydantic import field_validator\nfrom .text import clean\nimport json\n"
    "class A:\n    {}\n    def check(cls, value, info):\n        return {}\n"
)


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ("clean(value)", ["value"]),
        ("clean(info, value)", ["value"]),
        ("cls.tidy(value)", ["value"]),
        ("clean(value.strip())", []),
        ("clean(info)", []),
        ("clean(text=value)", []),
        ("json.loads(value)", []),
        ("round(value)", []),
        ("value.strip()", []),
        ("value", []),
        ("", []),
    ],
)
def test_a_validator_returns_the_value_as_it_got_it(returned: str, expected: list[str]) -> None:
    assert replacements(VALIDATOR.format("@field_validator('a')", returned)) == expected


@pytest.mark.parametrize("decorator", ["@classmethod", "@field_validator", "@other.field_validator('a')"])
def test_a_function_that_is_no_validator_is_left_alone(decorator: str) -> None:
    assert replacements(VALIDATOR.format(decorator, "clean(value)")) == []


def test_a_function_inside_a_validator_is_none_itself() -> None:
    code = (
        "from pydantic import validator\nfrom .text import clean\n"
        "@validator('a')\ndef check(cls, value):\n    def inner(value):\n        return clean(value)\n"
    )
    assert replacements(code) == []


# the user's table


@pytest.mark.parametrize(
    ("code", "path"),
    [
        ("import shop.text\nx = shop.text.clean(a)\n", "src/shop/cart.py"),
        ("from shop.text import clean\nx = clean(a)\n", "tests/cart.py"),
        ("from shop import text as t\nx = t.clean(a)\n", "app.py"),
        ("from .text import clean as c\nx = c(a)\n", "src/shop/cart.py"),
        ("from . import text\nx = text.clean(a)\n", "src/shop/cart.py"),
        ("from . import text\nx = text.clean(a)\n", "shop/__init__.py"),
        ("from ..text import clean\nx = clean(a)\n", "shop/deep/cart.py"),
        ("def clean(a):\n    return a\nx = clean(a)\n", "shop/text.py"),
        ("def clean(a):\n    return a\nx = clean(a)\n", "src/shop/text/__init__.py"),
    ],
)
def test_a_function_of_the_project_is_known_however_it_is_reached(code: str, path: str) -> None:
    assert replacements(code, {"shop.text.clean": ("argument 0",)}, path) == ["a"]
    assert replacements(code, {"op.text.clean": ("argument 0",)}, path) == []
    assert replacements(code, {}, path) == []


@pytest.mark.parametrize(
    ("name", "words", "call", "expected"),
    [
        (".squash", ["receiver"], "a.squash(1)", ["a"]),
        (".squash", ["receiver"], "(a or b).squash(*c)", []),
        (".squash", ["receiver"], "a.b.squash()", ["a.b"]),
        (".squash", ["argument 1"], "a.squash(b, c or d)", ["(c or d)"]),
        (".squash", ["argument 1"], "a.squash(b)", []),
        (".squash", ["keyword hard", "receiver"], "a.squash(hard=True)", ["a.squash()", "a"]),
        (".squash", ["keyword hard True"], "a.squash(hard=True)", []),
        (".squash", ["list({receiver})"], "(a or b).squash()", ["list((a or b))"]),
        (".squash", ["{receiver}.copy({0})"], "(a or b).squash(c or d)", ["(a or b).copy(c or d)"]),
        (".text.squash", ["receiver"], "a.text.squash()", ["a"]),
        (".text.squash", ["receiver"], "a.squash()", []),
        ("lib.squash", ["{module}.plain({0}) + {1}"], "lib.squash(a or b, c or d)", ["lib.plain(a or b) + (c or d)"]),
        ("lib.squash", ["argument 0"], "squash(a)", []),
        (".fillna", ["argument 0"], "a.fillna(0)", ["0"]),
    ],
)
def test_a_table_says_what_stands_for_a_call(name: str, words: list[str], call: str, expected: list[str]) -> None:
    assert replacements(f"import lib\nx = {call}\n", {name: words}) == expected


def test_a_call_that_the_user_named_is_a_site_as_a_statement_too() -> None:
    assert replacements("a.squash()\n", {".squash": ("receiver",)}) == ["a"]


def test_a_validator_whose_call_the_user_named_is_one_mutant_and_not_two() -> None:
    code = VALIDATOR.format("@field_validator('a')", "clean(value)")
    assert replacements(code, {"shop.text.clean": ("argument 0",)}) == ["value"]


def test_only_a_run_can_tell_what_a_call_of_a_library_does() -> None:
    (site,) = sites("x = df.dropna()\n")
    assert [mutant.template for mutant in site.mutants] == [None]
    assert site.ask == "use an input that `df.dropna()` changes, and assert the whole result"


@pytest.mark.parametrize(
    ("name", "words", "treatment"),
    [
        (".a", "receiver", Treatment("{receiver:atom}")),
        ("a.b", "argument 0", Treatment("{0:atom}")),
        ("a.b", "argument 12", Treatment("{12:atom}")),
        ("a.b", "keyword c", Treatment(keyword="c")),
        ("a.b", "keyword c False", Treatment(keyword="c", default="False")),
        ("a.b", "list({0})", Treatment("list({0})")),
        ("a.b", "f({0} + 1)", Treatment("f({0:atom} + 1)")),
        ("a.b", "f({0}, {1})[{2}]", Treatment("f({0}, {1:atom})[{2:atom}]")),
        (".a", "{receiver}.b", Treatment("{receiver:atom}.b")),
        (".é.b", "receiver", Treatment("{receiver:atom}")),
    ],
)
def test_the_words_of_a_table_are_read(name: str, words: str, treatment: Treatment) -> None:
    assert parse_treatment(name, words) == treatment
    assert list(treatments({name: (words,)}, name)) == [treatment]
    assert list(treatments({name: (words,)}, "other")) == []


@pytest.mark.parametrize(
    ("name", "words", "problem"),
    [
        ("clean", "argument 0", "'clean' has no dot (a function is 'package.module.clean', a method '.clean')"),
        ("a..b", "argument 0", "'a..b' is no dotted name"),
        ("a.b()", "argument 0", "'a.b()' is no dotted name"),
        ("", "argument 0", "'' is no dotted name"),
        ("a.1", "argument 0", "'a.1' is no dotted name"),
        ("a.b", "receiver", "'a.b' is no method and so has no receiver (a method is '.b')"),
        (".b", "reciever", "'.b' is 'reciever' (did you mean 'receiver'?)"),
        ("a.b", "argument", "'a.b' is 'argument'"),
        ("a.b", "argument x", "'a.b' is 'argument x'"),
        ("a.b", "argument -1", "'a.b' is 'argument -1'"),
        ("a.b", "keyword", "'a.b' is 'keyword'"),
        ("a.b", "keyword 1", "'a.b' is 'keyword 1'"),
        ("a.b", "", "'a.b' is ''"),
        ("a.b", "list({0}", "'a.b' is 'list({0}', which is no Python over {0}"),
        ("a.b", "{0", "'a.b' is '{0', which is no Python over {0}"),
        ("a.b", "{other}", "'a.b' is '{other}', which is no Python over {0}"),
        ("a.b", "{receiver}", "'a.b' is '{receiver}', but its calls have no receiver"),
        (".b", "{module}.c", "'.b' is '{module}.c', but its calls have no module"),
    ],
)
def test_what_a_table_cannot_mean_is_told(name: str, words: str, problem: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(problem)}$"):
        parse_treatment(name, words)


def test_our_own_tables_are_in_the_words_that_users_write() -> None:
    tables = [
        library_call.FUNCTIONS, library_call.METHODS, library_call.BEHIND_ACCESSORS, *library_call.METHODS_OF.values()
    ]  # fmt: skip
    for table in tables:
        for name, words in table.items():
            assert list(treatments(table, name)) == [parse_treatment(name, word) for word in words]
