"""A comparison is set aside where both ways give the same on its threshold, and only there."""

from __future__ import annotations

import textwrap

import pytest

from fencepost.analyzer.scan import scan_source
from fencepost.rules.boundary.boundary_at import BoundaryAt


def first_reason(body: str) -> str | None:
    """Why the first comparison in the body of a function is set aside; None where it is not."""
    code = f"def g(n, m, lo, xs, flag, f):\n{textwrap.indent(body, '    ')}\n"
    scan = scan_source(code.encode(), "a.py", [BoundaryAt])
    assert scan.problem is None, scan.problem
    return scan.sites[0].ignored


@pytest.mark.parametrize(
    "body",
    [
        "return n if n < m else m",
        "return -n if n < 0 else n",
        "return self.n[0] if self.n[0] < len(xs) else len(xs)",
        "if n > 10:\n    n = 10",
        "if n > 10: n = 10",
        "if flag and n > 10:\n    n = 10",
        "if n > 10:\n    m = 10\nelse:\n    m = n",
        "if n > 10:\n    n = 10\nelif n < 5:\n    n = 5",
        "if n >= 10:\n    return 10\nreturn n",
        "if n >= 10:\n    return 10\nelse:\n    return n",
        "if n >= 10:\n    return 10\nif n < 5:\n    return 5\nreturn n",
        "if n is None or n < lo:\n    return lo\nreturn n",
        "if len(xs) > n:\n    xs = xs[:n]",
        "return xs[:10] if len(xs) > 10 else xs",
        "if n >= len(xs):\n    return xs\nreturn xs[:n]",
    ],
)
def test_both_ways_give_the_same_where_the_operands_are_equal(body: str) -> None:
    reason = first_reason(body)
    assert reason is not None
    assert reason.startswith("equivalent: a minimum or maximum spelled out")


@pytest.mark.parametrize(
    "body",
    [
        "return n if n < m else lo",
        "return n if n < m else n",
        "return -n if n < 1 else n",
        "return f(n) if f(n) < m else m",
        "return xs[:n] if xs[:n] < m else m",
        "return (not n) if (not n) < m else m",
        "if n > 10:\n    n = 9",
        "if n > 10:\n    n = 10\n    m = 1",
        "if n > 10 and flag:\n    n = 10",
        "if n > 10:\n    m = 10\nelse:\n    lo = n",
        "if n > 10:\n    n = 10\nelif n > 5:\n    n = 5",
        "if n > 10:\n    n = 10\nelif f(n):\n    n = 5",
        "if n > 10:\n    n = 10\nelif n < 5:\n    n = 5\nelse:\n    n = 7",
        "if n >= 10:\n    return 10\nn += 1\nreturn n",
        "if n >= 10:\n    return 10\nif n > 5:\n    return 5\nreturn n",
        "if n >= 10:\n    return 10\nelif flag:\n    return 2\nreturn n",
        "if flag:\n    if n >= 10:\n        return 10\nreturn n",
        "if len(xs) > n:\n    xs = xs[:m]",
        "if len(xs) > n:\n    xs = xs[1:n]",
        "if len(xs) > n:\n    xs = xs[:n:2]",
        "if len(xs) > n:\n    xs = xs[n:]",
        "if len(xs) > n:\n    return xs[:n] + '...'\nreturn xs",
        "if len(m) > n:\n    xs = xs[:n]",
        "if lo > n:\n    xs = xs[:n]",
    ],
)
def test_where_the_two_ways_differ_on_the_threshold_the_comparison_stays(body: str) -> None:
    assert first_reason(body) is None


@pytest.mark.parametrize(
    "body",
    [
        "if len(xs) < n:\n    xs += [0] * (n - len(xs))",
        "if len(xs) < n:\n    xs = xs + ' ' * (n - len(xs))",
        "if len(xs) < n:\n    xs = (n - len(xs)) * '0' + xs",
        "if flag and len(xs) < n:\n    pad = (None,) * (n - len(xs))\n    xs = xs + pad",
        "if len(xs) < n:\n    missing = n - len(xs)\n    for _ in range(1, missing):\n        xs.append(0)",
        "if n > m:\n    for _ in range(n - m):\n        f()",
        "if n > 0:\n    xs.extend(flag * n)",
        "if 0 < n:\n    xs.extend([1, 2] * n)",
    ],
)
def test_what_is_done_so_many_times_is_not_done_on_the_threshold(body: str) -> None:
    reason = first_reason(body)
    assert reason is not None
    assert reason.startswith("equivalent: nothing is left to do where `")


@pytest.mark.parametrize(
    "body",
    [
        "if len(xs) < n:\n    xs += [0] * (n - m)",
        "if len(xs) < n:\n    xs += flag * (n - len(xs))",
        "if len(xs) < n:\n    xs -= [0] * (n - len(xs))",
        "if len(xs) < n:\n    m = xs + [0] * (n - len(xs))",
        "if len(xs) < n:\n    xs = xs * ([0] * (n - len(xs)))",
        "if len(xs) < n:\n    xs += [0] * (n - len(xs))\nelse:\n    f()",
        "if len(xs) < n:\n    xs += [0] * (n - len(xs))\n    f()",
        "if len(xs) < n:\n    xs += [0] + (n - len(xs))",
        "if len(xs) < n and f():\n    xs += [0] * (n - len(xs))",
        "if n > m:\n    missing = n - m\n    for _ in range(missing):\n        f()\nreturn missing",
        "if n > m:\n    for _ in range(-1, n - m):\n        f()",
        "if n > m:\n    for _ in range(m, n - m):\n        f()",
        "if n > m:\n    for _ in range(n - m):\n        f()\n    else:\n        f()",
        "if n > m:\n    for _ in f(n - m):\n        f()",
        "if n > m:\n    f.x = n - m",
        "if n > 1:\n    xs.extend(flag * n)",
        "if n > 0:\n    xs.append([1] * n)",
        "if n > 0:\n    xs.extend(*[flag * n])",
    ],
)
def test_what_is_done_on_the_threshold_too_can_be_told(body: str) -> None:
    assert first_reason(body) is None
