"""A default one step beside is set aside where the function asks of it only what both numbers answer alike."""

from __future__ import annotations

import textwrap

import pytest

from fencepost.analyzer.scan import scan_source
from fencepost.rules.boundary.named_threshold import NamedThreshold


def left(body: str, before: str = "def g(xs, f, n=0):", default: str = "0") -> set[str]:
    """The replacements for a default that are left."""
    code = f"{before}\n{textwrap.indent(body, '    ')}\n"
    scan = scan_source(code.encode(), "a.py", [NamedThreshold])
    assert scan.problem is None, scan.problem
    found = [site for site in scan.sites if site.source == default]
    assert sum(len(site.mutants) for site in found) == 2
    return {mutant.replacement for site in found if site.ignored is None for mutant in site.mutants}


@pytest.mark.parametrize(
    "body",
    [
        "if n > 0:\n    xs = xs[:n]\nreturn xs",
        "return xs[:n] if n > 0 else xs",
        "return xs if not n > 0 else xs[:n]",
        "return n > 0 and f(n)",
        "return 0 < n or xs",
        "if xs and n > 0:\n    f(n)",
        "if n > 0 and f(n):\n    f(n)",
        "if n <= 0 or f(n):\n    return 0\nelse:\n    return n",
        "if n > 0:\n    if n == 5:\n        f(n)",
    ],
)
def test_what_is_only_asked_whether_it_is_above_zero_may_as_well_be_below(body: str) -> None:
    assert left(body) == {"1"}


@pytest.mark.parametrize(
    "body",
    [
        "if n > 0:\n    f(n)\nreturn n",
        "if n > 0:\n    f(n)\nelse:\n    f(-n)",
        "if n >= 0:\n    f(n)",
        "if n > f():\n    f(n)",
        "if n > 0:\n    f(n)\nif n != 0:\n    f()",
        "if n > 0 or n < 0:\n    f(n)",
        "if n > 0:\n    f(n)\nn += 1",
        "if n > 0:\n    f(n)\nreturn locals()",
        "if n > 0:\n    f(n)\nreturn lambda: n",
        "if f(n) and n > 0:\n    f()",
        "if -9 < n < 9 and n > 0:\n    f(n)",
        "if n > 0:\n    f(n)\nreturn f'{n}'",
    ],
)
def test_where_more_is_asked_both_neighbours_stay(body: str) -> None:
    assert left(body) == {"-1", "1"}


def test_both_neighbours_on_the_same_side_are_set_aside() -> None:
    assert left("return n > 3", "def g(n=5):", "5") == set()
    assert left("return n > 4", "def g(n=5):", "5") == {"4"}


def test_what_a_decorator_does_with_a_default_is_not_known() -> None:
    body = "if n > 0:\n    f(n)"
    assert left(body, "@f\ndef g(xs, f, n=0):") == {"-1", "1"}
    assert left(body, "@staticmethod\nasync def g(xs, f, n=0):") == {"1"}
