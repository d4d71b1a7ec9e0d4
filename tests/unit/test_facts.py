"""A mutant is set aside where an earlier test has dealt with all values that could tell it, and only there."""

from __future__ import annotations

import textwrap

import pytest

from fencepost.analyzer.scan import scan_source
from fencepost.rules import Rule
from fencepost.rules.boundary.boundary_above import BoundaryAbove
from fencepost.rules.boundary.boundary_at import BoundaryAt
from fencepost.rules.boundary.boundary_below import BoundaryBelow
from fencepost.rules.boundary.equality import Equality

RULES: list[type[Rule]] = [BoundaryAt, BoundaryBelow, BoundaryAbove, Equality]


def judged(body: str, expression: str, params: str = "n, xs, self, f") -> tuple[set[str], set[str], set[str]]:
    """The mutants of an expression in a function that are left, those that are set aside, and what the latter say."""
    code = f"def g({params}):\n{textwrap.indent(textwrap.dedent(body).strip(), '    ')}\n"
    scan = scan_source(code.encode(), "a.py", RULES)
    assert scan.problem is None, scan.problem
    sites = [site for site in scan.sites if site.source == expression]
    left = {mutant.replacement for site in sites if site.ignored is None for mutant in site.mutants}
    aside = {mutant.replacement for site in sites if site.ignored is not None for mutant in site.mutants}
    return left, aside, {site.ignored for site in sites if site.ignored is not None}


def aside(body: str, expression: str, params: str = "n, xs, self, f") -> set[str]:
    return judged(body, expression, params)[1]


# where the tests stand


@pytest.mark.parametrize(
    "body",
    [
        "if n < 1:\n    raise ValueError\nreturn n == 1",
        "if n < 1:\n    return 0\nif f(xs):\n    n2 = 3\nreturn n == 1",
        "if n < 1:\n    return 0\nelif n == 1:\n    return 1",
        "if not n >= 1:\n    return 0\nreturn n == 1",
        "if xs or n < 1:\n    return 0\nreturn n == 1",
        "if n >= 1:\n    return n == 1",
        "if n >= 1 and xs:\n    return n == 1",
        "if n < 1:\n    pass\nelse:\n    return n == 1",
        "return n >= 1 and n == 1",
        "return n < 1 or n == 1",
        "return (n >= 1 and xs) and n == 1",
        "return 0 if n < 1 else n == 1",
        "return (n == 1) if n >= 1 else 0",
        "while n >= 1:\n    if n == 1:\n        n = 0",
        "for x in xs:\n    if n < 1:\n        continue\n    f(n == 1)",
        "if n < 1:\n    return 0\nfor x in xs:\n    with x:\n        f(n == 1)",
        "if 1 > n:\n    return 0\nreturn n == 1",
        "if 1 <= n < 9:\n    return n == 1",
        "assert xs\nif n < 1:\n    return 0\nreturn [n == 1]",
    ],
)
def test_values_below_a_number_that_never_come_cannot_tell_equal_from_at_most(body: str) -> None:
    left, gone, reasons = judged(body, "n == 1")
    assert (left, gone) == ({"n != 1", "n >= 1"}, {"n <= 1"})
    (reason,) = reasons
    assert reason.startswith("equivalent: it differs only for values that never come here, because of `")


@pytest.mark.parametrize(
    "body",
    [
        "return n == 1",
        "if n < 1:\n    f(n)\nreturn n == 1",  # goes on
        "if n < 1:\n    return 0\nn = f(n)\nreturn n == 1",
        "if n < 1:\n    return 0\nn -= 1\nreturn n == 1",
        "if n < 1:\n    return 0\nwith f() as n:\n    return n == 1",
        "if n < 1:\n    return 0\nfor n in xs:\n    f(n == 1)",
        "if n < 1:\n    return 0\nfor x in xs:\n    f(n == 1)\n    n -= 1",
        "if n < 1:\n    return 0\ntry:\n    n = f()\nexcept OSError:\n    return n == 1",
        "if n < 1:\n    return 0\nif xs:\n    n = f()\nreturn n == 1",
        "if n < 1:\n    return 0\nimport n\nreturn n == 1",
        "if n < 1:\n    return 0\nf((n := 0))\nreturn n == 1",
        "if n < 1:\n    return 0\nreturn lambda n: n == 1",
        "if n < 1:\n    return 0\nreturn [n == 1 for n in xs]",
        "if n < 1:\n    return 0\ndef h(n):\n    return n == 1",
        "global n\nif n < 1:\n    return 0\nf()\nreturn n == 1",
        "if n < 1 and xs:\n    return 0\nreturn n == 1",
        "if n < 1:\n    return 0\nelse:\n    n = 0\nreturn n == 1",
        "if n <= 1 or xs:\n    return n == 1",
        "return (n < 1) == (n == 1)",
        "return n == 1 and n >= 1",
        "if 1 <= n < 9:\n    return 0\nreturn n == 1",
        "if n < f():\n    return 0\nreturn n == 1",
        "if xs < 1:\n    return 0\nreturn n == 1",
        "if n < 0:\n    return 0\nreturn n == 1",  # between 0 and 1 it may be a fraction
        "if n == 0:\n    return 0\nreturn n == 1",
        "return (n >= 1 and (n := f())) and n == 1",
    ],
)
def test_where_values_below_may_come_or_the_name_is_given_another_value_the_mutant_stays(body: str) -> None:
    params = "xs, self, f" if body.startswith("global") else "n, xs, self, f"
    assert aside(body, "n == 1", params) == set()


def test_a_name_of_the_module_may_be_another_number_after_any_call() -> None:
    assert aside("if n < 1:\n    return 0\nf()\nreturn n == 1", "n == 1", "xs, f") == set()


# what is told apart


def test_only_numbers_have_an_order_so_equalities_alone_settle_nothing() -> None:
    assert aside("if n == 1:\n    return 0\nelif n == 2:\n    return 1", "n == 2") == set()
    assert aside("if n != 1:\n    return n == 2", "n == 2") == set()


def test_what_is_no_number_is_different_and_neither_below_nor_above() -> None:
    """`nan > 1` is false, and `nan != 1` is true."""
    assert aside("if n < 1:\n    return 0\nreturn n != 1", "n != 1") == set()
    assert aside("if n >= 1:\n    return n != 1", "n != 1") == {"n > 1"}


@pytest.mark.parametrize(
    ("body", "expression", "expected"),
    [
        ("if y > 9:\n    return 1\nelif 5 < y < 10:\n    return 2", "5 < y < 10", {"5 < y <= 10", "5 < y < 11"}),
        ("return 0 < y < 5", "0 < y < 5", set()),
        ("if 3 < y < 5:\n    return 1\nelif 0 < y < 4:\n    return 2", "0 < y < 4", {"0 < y <= 4", "0 < y < 5"}),
        ("if y == 5:\n    return 1\nreturn y > 5", "y > 5", {"y >= 5"}),
        ("if y == 5.5:\n    return 1\nreturn y > 5.5", "y > 5.5", {"y >= 5.5"}),
        ("if y > 5:\n    return 1\nreturn y < 5", "y < 5", set()),
        ("if y >= 5:\n    return 1\nreturn 5 > y", "5 > y", {"5 >= y", "6 > y"}),
        ("if y:\n    return y >= 0", "y >= 0", {"y > 0"}),
        ("if not y:\n    return 0\nreturn y > 0", "y > 0", {"y >= 0"}),
        ("if y == 1e30:\n    return 1\nreturn y > 1e30", "y > 1e30", set()),
    ],
)
def test_an_operator_or_a_threshold_is_settled_as_an_equality_is(
    body: str, expression: str, expected: set[str]
) -> None:
    assert aside(body, expression, "y") == expected


# lengths and attributes


@pytest.mark.parametrize(
    "body",
    [
        "if not xs:\n    return 0\nelif len(xs) == 1:\n    return 1",
        "if not xs:\n    return 0\nif len(xs) == 1:\n    return 1",
        "if len(xs) == 0:\n    return 0\nif len(xs) == 1:\n    return 1",
        "if len(xs) < 1:\n    return 0\nreturn len(xs) == 1",
        "return xs and len(xs) == 1",
        "while xs:\n    if len(xs) == 1:\n        f(xs)",
        "if not xs:\n    return 0\nm = f\nn = n and n.strip() + ' '\nif len(xs) == 1:\n    return 1",
        "if not xs:\n    'nothing'\n    return 0\npass; m = n\nif len(xs) == 1:\n    return 1",
    ],
)
def test_a_length_is_a_whole_number_and_never_negative(body: str) -> None:
    assert judged(body, "len(xs) == 1")[:2] == ({"len(xs) != 1", "len(xs) >= 1"}, {"len(xs) <= 1"})


@pytest.mark.parametrize(
    "body",
    [
        "if not xs:\n    return 0\nf()\nif len(xs) == 1:\n    return 1",
        "if not xs:\n    return 0\nxs = f\nif len(xs) == 1:\n    return 1",
        "if not xs:\n    return 0\nm = f(xs)\nif len(xs) == 1:\n    return 1",
        "if not xs:\n    return 0\nm = xs.pop()\nif len(xs) == 1:\n    return 1",
        "if not xs:\n    return 0\nself.m = n\nif len(xs) == 1:\n    return 1",
        "global m\nif not xs:\n    return 0\nm = n\nif len(xs) == 1:\n    return 1",
        "if not xs:\n    return 0\nn += 1\nif len(xs) == 1:\n    return 1",
        "if not xs:\n    return 0\nif f():\n    return 1\nif len(xs) == 1:\n    return 1",
        "if not xs:\n    return 0\nfor x in f:\n    if len(xs) == 1:\n        return 1",
        "if not self.xs:\n    return 0\nif len(xs) == 1:\n    return 1",
        "if not xs:\n    return 0\nreturn f(xs.pop(), len(xs) == 1)",
    ],
)
def test_a_length_may_be_another_after_anything_but_a_plain_test(body: str) -> None:
    assert aside(body, "len(xs) == 1") == set()


def test_an_attribute_is_the_same_as_long_as_nothing_is_called() -> None:
    assert aside("return self.n >= 1 and self.n == 1", "self.n == 1") == {"self.n <= 1"}
    assert aside("if self.n < 1:\n    return 0\nreturn self.n == 1", "self.n == 1") == {"self.n <= 1"}
    assert aside("if self.n < 1:\n    return 0\nf()\nreturn self.n == 1", "self.n == 1") == set()
    assert aside("if f().n < 1:\n    return 0\nreturn f().n == 1", "f().n == 1") == set()


# what the kind of a value says


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("n % 8 == 0", {"n % 8 <= 0"}),
        ("n % 8 != 0", {"n % 8 > 0"}),
        ("0 == n % 8", {"0 >= n % 8"}),
        ("(n + 1) % 2 == 1", set()),  # of a fraction the remainder may be 1.5
        ("n % -8 == 0", set()),
        ("n % xs == 0", set()),
        ("'%d' % 8 == 0", set()),
        ("n // 8 == 0", set()),
        ("xs.find(n) == -1", {"xs.find(n) <= -1"}),
        ("xs.rfind(n) != -1", {"xs.rfind(n) > -1"}),
        ("xs.find(n) == 0", set()),
        ("xs.find() == -1", set()),
        ("xs.count(n) == 0", {"xs.count(n) <= 0"}),
        ("xs.count(n) == 1", set()),
        ("abs(n) == 0", {"abs(n) <= 0"}),
        ("f(n) == 0", set()),
        ("len(xs) // 2 == 0", {"len(xs) // 2 <= 0"}),
        ("len(xs) / n == 0", set()),
        ("round(len(xs) / 30.5) == 0", {"round(len(xs) / 30.5) <= 0"}),
        ("round(len(xs), 1) == 0", set()),
        ("max(0, n) == 0", {"max(0, n) <= 0"}),
        ("max(n, 2, 1) == 2", {"max(n, 2, 1) <= 2"}),
        ("max(n) == 0", set()),
        ("len(xs) + abs(n) == 0", {"len(xs) + abs(n) <= 0"}),
        ("len(xs) + n == 0", set()),
        ("len(xs) - 1 == 0", set()),
    ],
)
def test_values_of_some_kinds_are_never_below_a_number(expression: str, expected: set[str]) -> None:
    assert aside(f"return {expression}", expression) == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("m = len(xs)\n", True),
        ("m = len(xs)\nk = m % 7\nm2 = k\n", True),
        ("m = abs(n) % 365\n", True),
        ("m: int = len(xs)\n", False),
        ("m = len(xs)\nm -= 1\n", False),
        ("m = len(xs)\nif f:\n    m = n\n", False),
        ("m = k = len(xs)\n", False),
        ("m = n\n", False),
        ("global m\nm = len(xs)\n", False),
        ("for m in xs:\n    f()\n", False),
        ("m = 0\nfor x in xs:\n    m += 1\n", True),
        ("m = 0\nwhile f():\n    m = m + len(xs)\n", True),
        ("m, k = 3, n\nif f:\n    m = xs.count(n) * 2\n", True),
        ("m = k = 0\nwhile f():\n    m, k = k + 1, m\n", False),
        ("m, k = 0, 0\nwhile f():\n    m, k = k + 1, m\n", True),
        ("m = 0\nwhile (m := m + 1) < n:\n    f()\n", True),
        ("for m in range(n):\n    f()\n", True),
        ("for m in range(0, n, 2):\n    f()\n", True),
        ("for m, x in enumerate(xs):\n    f()\n", True),
        ("for m, x in enumerate(xs, start=len(xs)):\n    f()\n", True),
        ("m = xs.find(n) + 1\n", True),
        ("m = min(len(xs), abs(n))\n", True),
        ("m = 0\nfor x in xs:\n    m += x\n", False),
        ("m = 0\nfor x in xs:\n    m -= 1\n", False),
        ("m = -1\nfor x in xs:\n    m += 1\n", False),
        ("m = None\nfor x in xs:\n    m = 1\n", False),
        ("m, k = 0, n\nwhile f():\n    m, k = k + 1, m\n", False),
        ("m, k = n\n", False),
        ("for m in range(n, 9):\n    f()\n", False),
        ("for m in range(9, 0, -1):\n    f()\n", False),
        ("for m, x in enumerate(xs, n):\n    f()\n", False),
        ("for m, x in f(xs):\n    f()\n", False),
        ("m = xs.find(n)\n", False),
        ("m = min(len(xs), n)\n", False),
        ("m = range(n)\n", False),
        ("k = [f(m) for m in range(n)]\n", False),
        ("def h():\n    m = 0\n    return m\n", False),
        ("m = 0\ndef h():\n    nonlocal m\n    m -= 1\nh()\n", False),
    ],
)
def test_a_name_that_is_given_one_value_is_what_that_is(before: str, *, expected: bool) -> None:
    assert ("m <= 0" in aside(f"{before}return m == 0", "m == 0")) is expected


def test_builtins_of_another_meaning_say_nothing() -> None:
    code = "def len(xs):\n    return -1\n\ndef g(xs):\n    return len(xs) % 2 == 0\n"
    (site,) = scan_source(code.encode(), "a.py", [Equality]).sites
    assert site.ignored is None


def test_a_decimal_below_zero_has_a_remainder_below_zero() -> None:
    code = "import decimal\n\ndef g(n):\n    return n % 8 == 0\n"
    (site,) = scan_source(code.encode(), "a.py", [Equality]).sites
    assert site.ignored is None
