"""FP212: which calls replace a part of a text, what stands for them, and what only looks like one."""

from __future__ import annotations

import pytest

from fencepost.analyzer.model import Site
from fencepost.analyzer.scan import scan_source
from fencepost.rules.normalizing.substitution import Substitution


def sites(code: str) -> tuple[Site, ...]:
    scan = scan_source(code.encode(), "a.py", [Substitution])
    assert scan.problem is None
    assert all(site.mutants for site in scan.sites)
    return scan.sites


def replacements(code: str) -> list[str]:
    return [mutant.replacement for site in sites(code) for mutant in site.mutants]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("s.replace('a', 'b')", ["s"]),
        ("s.replace(a, b, 1)", ["s"]),
        ("s.replace(a, b, count=1)", ["s"]),
        ("(a + b).replace('a', 'b')", ["(a + b)"]),
        ("s.replace('a', 'b').replace('c', 'd')", ["s.replace('a', 'b')", "s"]),
        ("path.replace(target)", []),
        ("s.replace(a, b, 1, 2)", []),
        ("s.replace(a, b, regex=True)", []),
        ("s.replace(*a)", []),
        ("date.replace(2024, 5)", []),
        ("time.replace(tzinfo=None)", []),
        ("os.replace(a, b)", []),
        ("super().replace(a, b)", []),
        ("Model.replace(a, b)", []),
        ("column.str.replace('a', 'b')", []),
        ("replace(a, b)", []),
    ],
)
def test_a_replacement_in_a_text_is_deleted(call: str, expected: list[str]) -> None:
    assert replacements(f"import os\nfrom models import Model\nx = {call}\n") == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("s.translate(TABLE)", ["s"]),
        ("s.translate(str.maketrans('a', 'b'))", ["s"]),
        ("s.translate(None, b'x')", ["s"]),
        ("s.translate(None, delete=b'x')", ["s"]),
        ("s.translate(table, other)", []),
        ("s.translate()", []),
        ("s.translate('hello')", []),
        ("s.translate(f'{a}')", []),
        ("s.translate(table, lang='de')", []),
        ("translator.translate(message)", []),
        ("self.i18n.translate(message)", []),
    ],
)
def test_characters_are_translated_and_messages_are_not(call: str, expected: list[str]) -> None:
    assert replacements(f"x = {call}\n") == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("re.sub('a', 'b', s)", ["s"]),
        ("re.sub('a', 'b', s, 1)", ["s"]),
        ("re.sub('a', 'b', s, flags=re.I)", ["s"]),
        ("re.sub('a', 'b', string=s or t)", ["(s or t)"]),
        ("re.sub(string=s, pattern='a', repl='b')", ["s"]),
        ("substitute('a', 'b', s)", ["s"]),
        ("regex.sub('a', 'b', s)", ["s"]),
        ("re.sub('a', 'b')", []),
        ("re.sub('a', string=s)", []),
        ("re.sub('a', 'b', *s)", []),
        ("re.subn('a', 'b', s)", []),
        ("other.sub('a', 'b', s)", []),
    ],
)
def test_a_substitution_by_a_pattern_is_deleted(call: str, expected: list[str]) -> None:
    assert replacements(f"import other, re, regex\nfrom re import sub as substitute\nx = {call}\n") == expected


@pytest.mark.parametrize(
    ("receiver", "known"),
    [
        ("re.compile('a')", True),
        ("made", True),
        ("self.made", True),
        ("WORD_RE", True),
        ("_space_pattern", True),
        ("RE_WORD", True),
        ("regex2", True),
        ("wordPattern", True),
        ("rx", True),
        ("PATTERNS['a']", True),
        ("made_twice", False),
        ("tensor", False),
        ("core", False),
        ("tensors[0]", False),
        ("tensor()", False),
        ("1 .real", False),
    ],
)
def test_sub_is_a_substitution_where_its_receiver_is_a_pattern(receiver: str, *, known: bool) -> None:
    code = "import re\nmade = re.compile('a')\nmade_twice = re.compile('a')\nmade_twice = 3\n"
    assert replacements(f"{code}x = {receiver}.sub('b', s)\n") == (["s"] if known else [])


@pytest.mark.parametrize("call", ["pattern.sub('b')", "pattern.sub(*a)", "pattern.sub('b', repl=s)"])
def test_a_pattern_without_a_text_is_left_alone(call: str) -> None:
    assert replacements(f"x = {call}\n") == []


@pytest.mark.parametrize(
    ("call", "template"),
    [
        ("s.replace('a', b.c)", "{0:atom}"),
        ("s.replace('a', f())", None),
        ("s.replace('a', f'{b}')", "{0:atom}"),
        ("s.replace('a', b := c)", None),
        ("s.replace('a', d['k'])", None),
        ("f().replace('a', 'b')", "{0:atom}"),
        ("re.sub('a', 'b', f())", "{3:atom}"),
        ("re.sub(f(), 'b', s)", None),
        ("pattern.sub('b', s)", "{2:atom}"),
    ],
)
def test_it_is_evaluated_beside_the_original_where_nobody_misses_what_is_dropped(
    call: str, template: str | None
) -> None:
    (site,) = sites(f"import re\nx = {call}\n")
    assert [mutant.template for mutant in site.mutants] == [template]
    assert site.probe is not None
    assert site.probe.kind == ("touch" if template is None else "pure")


def test_what_is_replaced_by_itself_is_set_aside_with_its_reason() -> None:
    assert [site.ignored for site in sites("x = s.replace('a', 'a')\ny = s.replace('a', 'b')\n")] == [
        "equivalent: 'a' is replaced by itself",
        None,
    ]


@pytest.mark.parametrize(
    ("call", "ask"),
    [
        ("s.replace('-', ' ')", "use an input in which '-' occurs, so that `s.replace('-', ' ')` changes it"),
        ("s.translate(T)", "use an input with a character that `s.translate(T)` changes or takes out"),
        ("re.sub('a+', '', s)", "use an input that 'a+' matches, so that `re.sub('a+', '', s)` changes it"),
        ("pattern.sub('', s)", "use an input that pattern matches, so that `pattern.sub('', s)` changes it"),
    ],
)
def test_it_asks_for_an_input_that_is_changed(call: str, ask: str) -> None:
    assert [site.ask for site in sites(f"import re\nx = {call}\n")] == [ask]
