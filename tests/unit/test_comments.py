"""Comments say what to leave alone; those that allow nothing are told, with what would help."""

from __future__ import annotations

import pytest

from fencepost.analyzer.model import Finding, Position, Span
from fencepost.analyzer.scan import scan_source
from fencepost.rules import Rule, all_rules
from fencepost.rules.boundary.boundary_at import BoundaryAt
from fencepost.rules.normalizing.whitespace import Whitespace


def findings(code: str, *rules: type[Rule]) -> list[Finding]:
    """What a scan has to say of a source text beside its sites."""
    return list(scan_source(code.encode(), "shop.py", rules or all_rules()).findings)


def told(code: str, *rules: type[Rule]) -> list[str]:
    """The same, in words."""
    return [finding.message for finding in findings(code, *rules)]


def ignored(code: str, rule: type[Rule] = BoundaryAt) -> str | None:
    """Why the only site is left alone."""
    (site,) = scan_source(code.encode(), "shop.py", [rule]).sites
    return site.ignored


def test_an_allow_with_a_reason_is_no_finding_and_names_it() -> None:
    code = "x = a < b  # fencepost: allow[boundary-at] both are the same shop\n"
    assert findings(code) == []
    assert ignored(code) == "allowed: both are the same shop"
    assert ignored(code.replace("boundary-at", "letter-case, FP101")) == "allowed: both are the same shop"


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        (
            "allow[boundary-at]",
            "this allow of boundary-at gives no reason, and allows nothing until it does: write it behind the bracket",
        ),
        ("allow a guess", "this allow names no rule: write it as allow[boundary-at] and the reason"),
        ("allow[ , ] a guess", "this allow names no rule: write it as allow[boundary-at] and the reason"),
        (
            "allow[boundary-ta] a guess",
            "there is no rule 'boundary-ta', so this allows nothing: did you mean 'boundary-at'?",
        ),
        ("allow[whitespace] a guess", "this allows nothing: there is no whitespace on this line"),
    ],
)
def test_an_allow_that_allows_nothing_is_told(comment: str, message: str) -> None:
    code = f"x = a < b  # fencepost: {comment}\n"
    assert told(code) == [message]
    assert ignored(code) is None


def test_a_finding_says_where_the_comment_is() -> None:
    (finding,) = findings("\nx = 1  # fencepost: allow[FP101]\n")
    assert finding.span == Span(Position(2, 8), Position(2, 33))
    assert (finding.rule, finding.path, finding.severity) == ("allow", "shop.py", "note")
    assert finding.id.startswith("allow-")


def test_each_name_of_an_allow_is_looked_at_alone() -> None:
    code = "x = a < b  # fencepost: allow[FP101, FP201, order] a guess\n"
    assert told(code) == [
        "this allows nothing: there is no FP201 on this line",
        "this allows nothing: there is no order on this line",
    ]


def test_nobody_knows_of_rules_that_did_not_look() -> None:
    code = "x = a < b  # fencepost: allow[FP101, FP201] a guess\n"
    assert told(code, BoundaryAt) == []
    assert told(code, Whitespace) == ["this allows nothing: there is no FP201 on this line"]


def test_an_allow_on_any_line_of_an_expression_counts() -> None:
    code = "x = (\n    a\n    < b  # fencepost: allow[FP101] a guess\n)\n"
    assert ignored(code) == "allowed: a guess"
    assert findings(code) == []


def test_the_same_finding_has_the_same_id_on_another_line() -> None:
    code = "x = 1  # fencepost: allow[FP101]\n"
    assert findings(code)[0].id == findings("\n\n" + code)[0].id
    assert findings(code)[0].id != findings(code.replace("FP101", "FP102"))[0].id


@pytest.mark.parametrize("call", ["s.strip()", "sorted(s)", "s.replace('a', 'b')", "set(xs)"])
def test_a_result_that_nobody_uses_is_a_finding_and_no_mutant(call: str) -> None:
    scan = scan_source(f"def f(s, xs):\n    {call}\n    return s\n".encode(), "shop.py", all_rules())
    assert {site.ignored for site in scan.sites} <= {"its result is not used"}
    for finding in scan.findings:
        assert finding.message == f"the result of `{call}` is not used, and it changes nothing else"
        assert (finding.severity, finding.span.start) == ("warning", Position(2, 5))
    assert len(scan.findings) == len(scan.sites)


@pytest.mark.parametrize(
    "code", ["s.sort()", "d.setdefault('a', 1)", "x = s.strip()", "print(s.strip())", "d.pop('a', 1)"]
)
def test_what_changes_something_or_is_used_is_no_finding(code: str) -> None:
    assert findings(f"{code}\n") == []
