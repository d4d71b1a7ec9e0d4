"""The comment on a pull request: what it says, that nothing foreign in it is obeyed, and that it is never too long."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.model import FileScan, Finding, Gate, Judgement, Observation, Position, Run, Span, Verdict
from fencepost.analyzer.scan import scan_source
from fencepost.analyzer.store import encode
from fencepost.reports import _comment as comment
from fencepost.reports import comment_data_report
from fencepost.reports._comment_data import CommentData, Entry, comment_data
from fencepost.reports._comment_file import LARGEST, read_comment_data, schema
from fencepost.reports._links import Links, github_links, gitlab_links, links_from
from fencepost.reports._markdown import code, fenced, length, prose
from fencepost.reports._schema_check import first_fault
from fencepost.reports._visible import visible
from fencepost.rules import all_rules
from tests.rendered import ALLOWED, Page, check_that_nothing_is_obeyed

SHOP = "def free_shipping(total):\n    return total >= 100\n"
HOSTILE = [
    "<script>alert(1)</script>",
    "<!-- fencepost:report -->",
    "--> <img src=x onerror=alert(1)>",
    "```\n# not a heading\n```",
    "`` ` ``",
    "@``octocat",
    "    \tindented",
    "a | b | c |",
    "\\| \\` \\",
    "@octocat and @org/team",
    "see #1, GH-2, o/r#3, !4, ~label, &5, $6, %7",
    "https://evil.example/ and www.evil.example and ann@evil.example",
    "[click](https://evil.example) ![x](https://evil.example/x.png)",
    "**bold** _thin_ ~~gone~~ __init__",
    "\u202eesrever\u202c \u200b\ufeff",
    "\x1b[31mred\x1b[0m\x00\x07",
    "/close",
    "</details></table></code></summary>",
    "::error::x",
    "]]>",
    "&lt;&#64;octocat",
    "x" * 10_000,
    "é 日本 🌈",
]
NEVER = Gate("", {})


def a_run(*files: FileScan, verdict: Verdict = Verdict.NOT_REACHED, **changes: Any) -> Run:
    """A run in which every mutant of the files has one verdict."""
    mutants = [mutant for scan in files for site in scan.sites for mutant in site.mutants]
    judgements = {mutant.id: Judgement(mutant.id, verdict, "") for mutant in mutants}
    run = Run("run", ".", (), files, Observation((), {}, {}, {}, {}), judgements)
    return dataclasses.replace(run, **changes)


def scanned(text: str, path: str = "shop.py") -> FileScan:
    """A file as the real rules see it."""
    return scan_source(text.encode(), path, all_rules())


def a_gate(run: Run, **parts: Any) -> Run:
    """The same as what a gate found."""
    failing = tuple(run.judgements)
    broken = (f"{len(failing)} gaps on changed lines",)
    return dataclasses.replace(
        run, command="gate", gate=Gate("main", {}, **{"failing": failing, "broken": broken, **parts})
    )


def written(run: Run, root: Path, links: Links | None = None, **options: Any) -> str:
    """The comment about a run whose files are written there."""
    return comment.markdown(comment_data(run, root), links or Links(), **options)


# what it says


def test_a_failed_gate_says_so_in_its_first_line_and_shows_each_finding_with_its_diff(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    text = written(a_gate(a_run(scanned(SHOP))), tmp_path)
    first, hidden, verdict, *_ = text.splitlines()
    assert (first, hidden.split()[:3]) == ("<!-- fencepost:report -->", ["<!--", "fencepost-open:", "gate"])
    assert verdict == "**fencepost: gate failed**: 3 gaps on changed lines"
    assert "| `shop.py:2` | `total >= 100` → `total > 100` | not-reached | No test runs this line" in text
    page = Page(text)
    assert page.count("tr") == 2
    assert "-    return total >= 100\n+    return total > 100\n" in "".join(page.code)
    assert "+    return total >= 99\n" in "".join(page.code)


def test_a_threshold_comes_with_its_question_and_three_answers(tmp_path: Path) -> None:
    text = written(a_gate(a_run(scanned(SHOP), verdict=Verdict.SURVIVED)), tmp_path)
    assert "**Question**: In `free_shipping`, should `total` of exactly 100 be treated like 99 or like 101?" in text
    answers = [line for line in text.splitlines() if line.startswith("- **")]
    assert [line[:7] for line in answers] == ["- **a**", "- **b**", "- **c**"]
    assert answers[1].endswith("`total > 100`")


def test_a_file_that_changed_since_shows_the_expression_alone(tmp_path: Path) -> None:
    text = written(a_gate(a_run(scanned(SHOP))), tmp_path)
    assert "```diff\n-total >= 100\n+total > 100\n```" in text


def test_lost_protection_and_warnings_are_named(tmp_path: Path) -> None:
    run = a_run(scanned(SHOP), verdict=Verdict.SURVIVED)
    first, second, third = run.judgements
    run.judgements[third] = Judgement(third, Verdict.KILLED, "")
    text = written(a_gate(run, failing=(first,), lost=(first,), warned=(second,), protected=3, per_line=9), tmp_path)
    assert "survived, protection lost |" in text
    assert "survived, warns only |" in text
    assert f"**Lost protection**: tests killed `{first}` before this work changed or removed them" in text
    assert "**Still protected**: 1 mutant outside of the changed lines" in text


def test_accepted_gaps_that_are_closed_are_what_got_better(tmp_path: Path) -> None:
    run = a_run(scanned(SHOP), verdict=Verdict.TIMEOUT)
    noticed = next(iter(run.judgements))
    text = written(a_gate(run, failing=(), broken=(), gone=("FP101-0123456789", noticed), accepted=("x",)), tmp_path)
    assert "**fencepost: gate passed**\n" in text
    assert "- accepted before, remove it from the baseline: `FP101-0123456789` is in no code any more" in text
    assert f"- accepted before, remove it from the baseline: `{noticed}` in shop.py:2 is noticed" in text
    assert "Accepted by the baseline: 1." in text


def test_what_the_earlier_comment_listed_and_this_one_does_not_got_better(tmp_path: Path) -> None:
    before = written(a_gate(a_run(scanned(SHOP))), tmp_path)
    noticed = a_gate(a_run(scanned(SHOP), verdict=Verdict.KILLED), failing=(), broken=())
    text = written(noticed, tmp_path, before=before)
    ids = ", ".join(f"`{one}`" for one in sorted(noticed.judgements))
    assert f"- not among the gaps any more since this comment was last written: {ids}\n" in text
    assert "not among" not in written(noticed, tmp_path)


@pytest.mark.parametrize("change", [{"complete": False}, {"command": "run"}])
def test_what_was_not_tried_or_not_asked_did_not_get_better(change: dict[str, Any], tmp_path: Path) -> None:
    before = written(a_gate(a_run(scanned(SHOP))), tmp_path)
    now = a_gate(a_run(scanned(SHOP), verdict=Verdict.UNKNOWN), failing=(), broken=())
    assert "not among" not in written(dataclasses.replace(now, **change), tmp_path, before=before)


def test_an_incomplete_run_is_no_good_news(tmp_path: Path) -> None:
    text = written(a_gate(a_run(scanned(SHOP)), failing=(), broken=()), tmp_path)
    assert "gate passed" in text
    cut_short = dataclasses.replace(a_gate(a_run(scanned(SHOP)), failing=(), broken=()), complete=False)
    assert "**fencepost: incomplete, what was not tried is unknown**" in written(cut_short, tmp_path)
    failed_too = dataclasses.replace(a_gate(a_run(scanned(SHOP))), complete=False)
    assert "- the run ended early: what it did not establish is unknown" in written(failed_too, tmp_path)


def test_a_run_and_gaps_have_comments_too(tmp_path: Path) -> None:
    run = a_run(scanned(SHOP))
    assert "**fencepost**: 1 gap; score 0.0 %: 0 of 3 mutants noticed\n" in written(run, tmp_path)
    gaps = dataclasses.replace(run, command="gaps")
    assert "**fencepost**: 1 gap in 3 mutants; none was run\n" in written(gaps, tmp_path)


def test_a_finding_that_is_no_mutant_is_in_the_table(tmp_path: Path) -> None:
    span = Span(Position(3, 1), Position(3, 9))
    finding = Finding("FP301-ab", "FP301", "tests/test_a.py", span, "asserts nothing", "never `assert`", "error")
    run = a_gate(a_run(findings=(finding,)), failing=("FP301-ab",))
    assert "| `tests/test_a.py:3` |  | error | asserts nothing never `assert` |" in written(run, tmp_path)


# links


@pytest.mark.parametrize(
    ("environment", "url"),
    [
        ({"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": "abc1234"},
         "https://github.com/o/r/blob/abc1234/a%20b/c%29.py#L2-L3"),
        ({"CI_PROJECT_URL": "https://git.example/o/r", "CI_COMMIT_SHA": "abc1234"},
         "https://git.example/o/r/-/blob/abc1234/a%20b/c%29.py#L2-3"),
        ({"CI_PROJECT_URL": "https://git.example/o/r", "CI_COMMIT_SHA": "main"}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_links_lead_to_the_lines_where_the_environment_names_them(environment: dict[str, str], url: str | None) -> None:
    assert links_from(environment).to("a b/c).py", 2, 3) == url


def test_a_place_is_a_link_where_the_commit_is_known(tmp_path: Path) -> None:
    text = written(a_gate(a_run(scanned(SHOP))), tmp_path, github_links("https://github.com", "o/r", "a" * 40))
    assert Page(text).links() == [f"https://github.com/o/r/blob/{'a' * 40}/shop.py#L2"]


@pytest.mark.parametrize("path", ["../x.py", "a/../../../x.py", "a\u202eb.py", "\udcff.py"])
def test_no_link_leads_out_of_the_repository(path: str) -> None:
    assert gitlab_links("https://git.example/o/r", "abc1234").to(path, 1, 1) is None


# nothing foreign is obeyed


def hostile_module() -> str:
    """A module whose thresholds and normalizing calls are full of what might be obeyed."""
    lines = ["def check(value):"]
    for number, text in enumerate(HOSTILE):
        shown = text.replace("\0", "").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        lines.append(f'    if value == "{shown}" or value >= {number}:')
        lines.append(f'        return value.removeprefix("{shown}")')
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("verdict", [Verdict.SURVIVED, Verdict.NOT_INFECTED, Verdict.NOT_REACHED])
def test_hostile_source_is_shown_and_not_obeyed(verdict: Verdict, tmp_path: Path) -> None:
    module = hostile_module()
    path = "a`|@octocat #1 <b>.py"
    (tmp_path / path).write_text(module)
    scan = scanned(module, path)
    assert len(scan.sites) > 2 * len(HOSTILE)
    run = a_gate(a_run(scan, verdict=verdict, notes=tuple(HOSTILE)), broken=tuple(HOSTILE[:10]))
    for first in range(0, len(run.judgements), 25):
        some = tuple(run.judgements)[first : first + 25]
        gate = dataclasses.replace(run.gate or NEVER, failing=some, per_line=9, per_file=99)
        text = written(
            dataclasses.replace(run, gate=gate), tmp_path, github_links("https://github.com", "o/r", "a" * 40)
        )
        page = Page(text)
        check_that_nothing_is_obeyed(text, page)
        assert page.count("table") == 1
        rows = page.count("tr") - 1
        assert page.count("td") == 4 * rows
        assert 1 <= rows == page.count("details") - 1 <= 7
        assert length(text) <= comment.MOST


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("write", [prose, code])
def test_a_hostile_text_reads_as_it_is_in_a_table_cell(text: str, write: Any) -> None:
    table = f"| a | b |\n|---|---|\n| x {write(text)} | last |\n"
    page = Page(table)
    assert (page.count("table"), page.count("td")) == (1, 2)
    assert not page.links()
    assert {name for name, _ in page.elements} <= ALLOWED
    first, last = (cell.replace("\u200b", "") for cell in page.cells)
    assert last == "last"
    if write is code:
        assert first == f"x {visible(text)}"
    else:  # backticks make code, and are not shown
        assert first.replace("`", "").split() == f"x {visible(text)}".replace("`", "").split()


@pytest.mark.parametrize("text", ["", "`", "```", "a ```` b", "~~~", "# a", "\t<b>", "--> </pre>"])
def test_a_block_of_code_holds_whatever_is_in_it(text: str) -> None:
    page = Page(f"before\n\n{fenced([text, '+' + text], 'diff')}\n\nafter\n")
    assert "".join(page.code) == f"{visible(text)}\n+{visible(text)}\n"
    assert "".join(page.plain).split() == ["before", "after"]


# never too long


@pytest.mark.parametrize("count", [0, 1, 3_000])
def test_any_number_of_findings_is_counted(count: int, tmp_path: Path) -> None:
    text = "".join(f"def f{number}(x):\n    return x.strip()\n" for number in range(count))
    scan = scanned(text)
    run = a_run(scan)
    shown = written(run, tmp_path)
    assert f"**fencepost**: {count} gap{'' if count == 1 else 's'}" in shown
    assert Page(shown).count("tr") == (0 if not count else min(count, 7) + 1)
    assert ("And 2993 more" in shown) == (count == 3_000)
    assert length(shown) <= comment.MOST


def the_longest(size: int) -> CommentData:
    """Data as long as the schema allows, of characters that need the longest escapes."""
    wide, line = "\U000e0001" * 1_000, "\U000e0001" * size
    question = {
        "ask": wide,
        "now": wide,
        "answers": [{"choice": "lower", "kind": "test", "do": wide, "text": wide}] * 3,
    }
    entry = {
        "id": "x" * 80, "path": "\u202e" * 4_096, "line": 1, "last_line": 2, "rule": "@" * 120, "verdict": "a-b",
        "note": "lost", "change": ["|" * 200] * 2, "do": wide, "input": wide, "question": question,
        "sketch": [line] * 60, "sketch_in": wide, "diffs": [{"mutant": "x", "lines": [line] * 60}] * 8, "more_diffs": 9,
    }  # fmt: skip
    ids = ["x" * 80] * 20
    value = {
        "schema": "fencepost-comment/1", "fencepost": "1", "command": "gate", "folder": "", "outcome": "failed",
        "reasons": [wide] * 10, "scope": wide, "entries": [entry] * 7, "more": 5, "lost": ids, "more_lost": 1,
        "still_noticed": 3, "closed": [{"id": "x", "place": "@" * 4_200, "test": wide}] * 20, "more_closed": 2,
        "accepted": 1, "open": ["x" * 80] * 500, "notes": [wide] * 20,
    }  # fmt: skip
    assert first_fault(value, schema()) is None
    jsonschema.validate(value, schema())
    made: CommentData = comment_data_of(value)
    return made


def comment_data_of(value: Any) -> CommentData:
    """The data that a file with this value has."""
    from fencepost.analyzer.store import decode  # noqa: PLC0415 - the test looks at the border between the two

    found: CommentData = decode(value, CommentData)
    return found


def test_the_longest_data_that_a_file_may_have_is_not_too_long_a_comment() -> None:
    text = comment.markdown(the_longest(400), Links())
    assert length(text) <= comment.MOST
    assert text.startswith("<!-- fencepost:report -->\n")
    assert "<sub>fencepost" in text


def test_it_is_cut_at_whole_findings_and_counts_the_rest(tmp_path: Path) -> None:
    data = comment_data(a_gate(a_run(scanned(SHOP))), tmp_path)
    long = dataclasses.replace(data.entries[0].diffs[0], lines=("+" + "é" * 399,) * 40)
    entry = dataclasses.replace(data.entries[0], diffs=(long,))
    text = comment.markdown(dataclasses.replace(data, entries=(entry,) * 7, more=10), Links())
    assert length(text) <= comment.MOST
    page = Page(text)
    kept = page.count("details")
    assert 1 <= kept < 7
    assert f"And {17 - kept} more" in text
    assert page.count("tr") == kept + 1


def test_a_length_is_that_which_no_server_counts_higher() -> None:
    assert [length(text) for text in ("a", "é", "🌈", "\ud800")] == [1, 1, 2, 1]


# the data of a comment, in a file of another job


def entry_of(data: CommentData) -> Entry:
    """The first finding."""
    return data.entries[0]


def test_the_data_makes_the_same_comment(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    run = a_gate(a_run(scanned(SHOP), verdict=Verdict.SURVIVED))
    out = io.StringIO()
    comment_data_report.report(run, out, tmp_path, None)
    assert out.getvalue().isascii()
    jsonschema.validate(json.loads(out.getvalue()), schema())
    (tmp_path / "data.json").write_text(out.getvalue())
    assert comment.markdown(read_comment_data(tmp_path / "data.json"), Links()) == written(run, tmp_path)


def test_the_data_of_hostile_source_is_valid(tmp_path: Path) -> None:
    value = encode(comment_data(a_gate(a_run(scanned(hostile_module()))), tmp_path))
    assert first_fault(value, schema()) is None
    jsonschema.validate(value, schema())


def changed(value: Any) -> Iterable[tuple[str, Any]]:
    """The value with one thing in it changed, in every way that is a fault, and in some that are none."""
    others: list[Any] = [None, True, -1, 0, "", "x" * 5_000, [], {}, ["x"], {"x": 1}, "../x", "a\n", 10**8]
    yield from ((f"to {other!r:.20}", other) for other in others)
    if isinstance(value, dict):
        yield "more", {**value, "unknown": 1}
        for key, one in value.items():
            yield f"-{key}", {name: two for name, two in value.items() if name != key}
            yield from ((f"{key}.{where}", {**value, key: two}) for where, two in changed(one))
    if isinstance(value, list) and value:
        yield "longer", value * 600
        yield from ((f"[0].{where}", [two, *value[1:]]) for where, two in changed(value[0]))


def test_our_check_of_the_schema_says_what_a_validator_says(tmp_path: Path) -> None:
    value = encode(comment_data(a_gate(a_run(scanned(SHOP), verdict=Verdict.SURVIVED)), tmp_path))
    validator = jsonschema.Draft202012Validator(schema())
    plain = json.loads(json.dumps(value))
    cases = list(changed(plain))
    told = [(first_fault(one, schema()) is None, validator.is_valid(one)) for _, one in cases]
    wrong = [where for (where, _), (ours, theirs) in zip(cases, told, strict=True) if ours != theirs]
    # a `$` of the validator's also stands before a newline at the end
    assert [where for where in wrong if not where.endswith(r"to 'a\n'")] == []
    assert all(theirs for (_, _), (ours, theirs) in zip(cases, told, strict=True) if ours)
    assert {True, False} == {ours for ours, _ in told}


def test_a_word_of_a_schema_that_is_not_checked_is_an_error() -> None:
    with pytest.raises(ValueError, match="'format'"):
        first_fault("x", {"format": "uri"})


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"[]", b"\xff", b'{"schema": "fencepost-comment/1"}', b"[" * 100_000, b"1" * 5_000, b"NaN", b"1.5",
        b" " * (LARGEST + 1),
    ],
)  # fmt: skip
def test_a_file_that_is_no_data_is_refused_without_a_word_out_of_it(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "data.json").write_bytes(data)
    with pytest.raises(UsageProblem) as caught:
        read_comment_data(tmp_path / "data.json")
    assert caught.value.slug == "bad-comment-data"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(UsageProblem, match="it is no file"):
            read_comment_data(path)


@pytest.mark.parametrize("text", ["/close", "- x", "+ x", "=====", "1. x", "12) x", "# x", "> x", "* x", "| x"])
def test_a_sentence_begins_no_list_no_heading_and_no_quick_action(text: str) -> None:
    written_out = prose(text)
    assert written_out[0] == "&"
    page = Page(f"before\n{written_out}\n")
    assert [name for name, _ in page.elements] == ["p"]


def test_few_of_one_line_come_first_and_the_others_fill_the_table(tmp_path: Path) -> None:
    text = "def f(x, y):\n    return 5 < x < 90\n\n\ndef g(name):\n    return name.strip()\n"
    run = a_gate(a_run(scanned(text), verdict=Verdict.NOT_INFECTED))
    lines = [entry.line for entry in comment_data(run, tmp_path).entries]
    assert sorted(lines[:2]) == [2, 6]
    assert set(lines[2:]) == {2}
