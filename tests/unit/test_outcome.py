"""What follows from a comparison: only what the source tells at a glance."""

from __future__ import annotations

import pytest

from fencepost.analyzer.outcome import outcome
from fencepost.analyzer.rule_choice import find_rule
from fencepost.analyzer.scan import scan_source
from fencepost.analyzer.source_text import SourceText


def follows(body: str, *, truth: bool, changed: str = "") -> str | None:
    """What follows where the one comparison with 9 in the body of a function is true, or false."""
    text = f"def f(x, y):\n{body}"
    scan = scan_source(text.encode(), "a.py", [find_rule("FP101")])
    (site,) = [site for site in scan.sites if site.threshold is not None and site.threshold.text == "9"]
    return outcome(SourceText(changed + text), site, truth=truth)


TIER = "    if x <= 9:\n        return 'free'\n    return 'starter'\n"


@pytest.mark.parametrize(
    ("body", "when_true", "when_false"),
    [
        (TIER, "return 'free'", "return 'starter'"),
        ("    if not x <= 9:\n        raise ValueError(x)\n    y += 1\n", "y += 1", "raise ValueError(x)"),
        ("    if x <= 9:\n        y = 1\n    else:\n        y = 2\n    return y\n", "y = 1", "y = 2"),
        ("    if y:\n        pass\n    elif x <= 9:\n        y = 1\n    else:\n        y = 2\n", "y = 1", "y = 2"),
        ("    if 0 <= x <= 9:\n        return 1\n    return 2\n", None, "return 2"),
        ("    if not 0 <= x <= 9:\n        raise y\n    return 2\n", None, "raise y"),
        ("    if y or x <= 9:\n        return 1\n    return 2\n", "return 1", None),
        ("    if y and x <= 9:\n        return 1\n    return 2\n", None, "return 2"),
        ("    return 'few' if x <= 9 else y\n", "'few'", "y"),
        ("    match x:\n        case n if n <= 9:\n            return 1\n", "return 1", None),
        ("    if x <= 9:\n        if y:\n            return 1\n    for z in y:\n        z()\n", None, None),
        ("    while x <= 9:\n        x += 1\n    return x\n", None, None),
        ("    return x <= 9\n", None, None),
        ("    if len([x <= 9]):\n        return 1\n", None, None),
    ],
)  # fmt: skip
def test_what_follows_is_the_next_plain_statement(body: str, when_true: str | None, when_false: str | None) -> None:
    assert (follows(body, truth=True), follows(body, truth=False)) == (when_true, when_false)


def test_of_a_file_that_changed_nothing_is_told() -> None:
    assert follows(TIER, truth=True) == "return 'free'"
    assert follows(TIER, truth=True, changed="import os\n") is None


def test_a_long_statement_is_cut_and_on_one_line() -> None:
    text = follows(f"    if x <= 9:\n        raise ValueError(\n            '{'a' * 80}'\n        )\n", truth=True)
    assert text == f"raise ValueError( '{'a' * 38}..."
