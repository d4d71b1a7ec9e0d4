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
        "return -n if n < 1 else n",
        "return f(n) if f(n) < m else m",
        "return xs[:n] if xs[:n] < m else m",
        "return (not n) if (not n) < m else m",
        "if n > 10:\n    n = 9",
        "if n > 10:\n    n = 10\n    m = 1",
        "if n > 10 and f():\n    n = 10",
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


@pytest.mark.parametrize(
    "body",
    [
        "return n if n < m else n",
        "return 2 * n if n > 0 else 0",
        "return abs(n) if n < 0 else n",
        "return m - n if n < m else 0",
        "return max(n, m) if n < m else n",
        "return f(n) if n < m else f(m)",
        "if n > 0:\n    m = n * 3 + lo\nelse:\n    m = lo",
        "if n >= 10:\n    return lo + n\nreturn lo + 10",
        "if n > m:\n    n -= n - m",
        "if not n > m or flag:\n    pass\nelse:\n    n = m + (n - m)",
        "if n > m and flag:\n    lo += n - m",
        "if n < m:\n    for i in range(n, m):\n        f(i)",
        "if n < m:\n    xs.extend(flag[n:m])",
        "if n < m:\n    del xs[n:m]",
        "if len(xs) > n:\n    del xs[n:]",
        "if len(xs) > 10:\n    del xs[10:]",
        "if len(xs) > n:\n    flag = flag + xs[n:]",
        "lo = len(xs)\nif lo < n and flag:\n    xs[lo:] = [m] * (n - lo)",
        "lo = len(xs)\nif n > lo:\n    xs[lo:] = [m] * (n - lo)",
        "if n > m:\n    pass\nelse:\n    pass",
        "if n > 0:\n    xs = xs[n:]",
        "return xs[n:] if 0 < n < m else xs",
        "if n > 0:\n    xs += flag[:n]",
        "if n > 1:\n    xs = xs * n",
        "if len(xs) < n:\n    xs = xs.zfill(n)",
        "return xs.ljust(m, '-') if m > len(xs) > lo else xs",
        "if 0 < n < len(xs):\n    del xs[:n]",
    ],
)
def test_both_ways_may_come_to_the_same_once_one_operand_stands_for_the_other(body: str) -> None:
    reason = first_reason(body)
    assert reason is not None
    assert reason.startswith("equivalent: ")


@pytest.mark.parametrize(
    "body",
    [
        "return 2 * n if n > 1 else 0",
        "return 2 * n + 1 if n > 0 else 0",
        "return flag * n if n > 0 else 0",
        "return f(n) if n < m else f(lo)",
        "return f(lambda: n) if n < m else f(lambda: m)",
        "return [n for n in xs] if n < m else [m for n in xs]",
        "return f(self.n) if self.n < m else f(m)",
        "return xs.f(len(xs)) if len(xs) < m else xs.f(m)",
        "if n > m:\n    n = lo\n    f(n)\nelse:\n    n = lo\n    f(m)",
        "if n > m:\n    n -= n - lo",
        "if n > m:\n    n *= n - m",
        "if n > m:\n    lo = n - m\nreturn lo",
        "if n > m and f():\n    lo += n - m",
        "if n > m and xs[0]:\n    lo += n - m",
        "if n >= 10:\n    return lo + n\nf()\nreturn lo + 10",
        "if n >= 10:\n    return lo + n\nreturn lo + 11",
        "if n <= m:\n    for i in range(n, m + 1):\n        f(i)",
        "if n < m:\n    for i in range(n, m):\n        f(i)\n    else:\n        f()",
        "if n < m:\n    for i in range(f(n), f(m)):\n        f(i)",
        "if n < m:\n    del xs[n]",
        "if n < m:\n    del xs[n:m:2]",
        "if n < m:\n    xs[n:m] = [1]",
        "if n < m:\n    xs[n] = xs[m]",
        "if len(xs) > n:\n    del flag[n:]",
        "if len(xs) > n:\n    del xs[m:]",
        "lo = len(flag)\nif lo < n:\n    xs[lo:] = [m] * (n - lo)",
        "lo = len(xs)\nf(xs)\nif lo < n:\n    xs[lo:] = [m] * (n - lo)",
        "lo = len(xs)\nif xs.pop() and lo < n:\n    xs[lo:] = [m] * (n - lo)",
        "if len(xs) < n:\n    xs += [f()] * (n - m)",
        "if n > m:\n    with f():\n        lo += n - m",
        "if n > m:\n    yield n\nelse:\n    yield m",
        "if n > 0:\n    f(n)",
        "if n > 0:\n    return n",
        "if n > 0:\n    xs = xs[:-n]",
        "if n > 0:\n    xs = xs[-n:]\nelse:\n    xs = []",
        "if n > 0:\n    xs = xs[n::2]",
        "if n > 1:\n    xs = xs[n:]",
        "if n > 1:\n    m = m / n",
        "if len(xs) < n:\n    xs = xs.zfill(m)",
        "if len(flag) < n:\n    xs = xs.zfill(n)",
        "if len(xs) < n:\n    xs = xs.f(n)",
        "return xs[n:] if 0 < n < f() else xs",
        "return xs[n:] if 0 < n < xs[0] else xs",
    ],
)
def test_where_something_else_comes_of_one_of_the_ways_the_comparison_stays(body: str) -> None:
    assert first_reason(body) is None
