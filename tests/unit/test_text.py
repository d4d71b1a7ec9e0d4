"""`int` of what is certainly text parses: no rounding there can be missed."""

from __future__ import annotations

import textwrap

import pytest

from fencepost.analyzer.scan import scan_source
from fencepost.rules.normalizing.rounding import Rounding


def parses(body: str, params: str = "s, n, f") -> bool:
    """Whether the first call of `int` in the body of a function is known to parse text."""
    code = f"import os, sys\n\ndef g({params}):\n{textwrap.indent(body, '    ')}\n"
    scan = scan_source(code.encode(), "a.py", [Rounding])
    assert scan.problem is None, scan.problem
    site = next(site for site in scan.sites if site.source.startswith("int("))
    return site.ignored is not None and site.ignored.startswith("equivalent: `int` parses the text")


@pytest.mark.parametrize(
    "body",
    [
        "return int(input())",
        "return int(f.group(1))",
        "return int(s.strip())",
        "return int(s[1:])",
        "return int(os.environ['N'])",
        "return int(s.split('.')[0])",
        "return [int(part) for part in s.split('.')]",
        "return sum(int(part) for part in s.split() if part)",
        "for line in s.splitlines():\n    f(int(line))",
        "for line in s.splitlines():\n    if line:\n        f([int(line) for _ in n])",
    ],
)
def test_text_is_known_by_what_gives_it(body: str) -> None:
    assert parses(body)


@pytest.mark.parametrize(
    "body",
    [
        "return int(s)",
        "return int(f(s))",
        "return int(s[0])",
        "return int(s.get('a'))",
        "return [int(part) for part in s]",
        "return [int(n) for part in s.split()]",
        "for line in s.splitlines():\n    line = f(line)\n    f(int(line))",
        "for part in s.split():\n    f([int(part) for part in n])",
        "for part in s.split():\n    f(lambda part: int(part))",
        "for part, n in s.split():\n    f(int(part))",
    ],
)
def test_what_may_be_a_number_may_be_rounded(body: str) -> None:
    assert not parses(body)


@pytest.mark.parametrize("annotation", ["str", "bytes", "str | None", "'str'", "Optional[str]"])
def test_a_parameter_may_say_that_it_is_text(annotation: str) -> None:
    assert parses("return int(s)", f"s: {annotation}")
    assert parses("return int(s)", f"*, s: {annotation} = '1'")
    assert not parses("s = f(s)\nreturn int(s)", f"f, s: {annotation}")
    assert not parses("return int(n)", f"n, s: {annotation}")
    assert not parses("return [int(s) for s in n]", f"n, s: {annotation}")


def test_other_annotations_say_nothing() -> None:
    assert not parses("return int(s)", "s: float | str")
