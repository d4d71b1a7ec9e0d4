"""The pages for people: what they say, and that no source text can spoil them."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.flaky import Wavering
from fencepost.analyzer.model import (
    FileScan,
    Finding,
    Infection,
    Judgement,
    Kill,
    KillKind,
    Mutant,
    Nearest,
    Observation,
    Position,
    Probe,
    Run,
    ScanProblem,
    Shape,
    Sighting,
    Site,
    Span,
    TestRecord,
    Threshold,
    Verdict,
)
from fencepost.reports import flaky_page, mutant_page, parse_output, sites_page, terminal
from fencepost.reports import write as write_outputs
from fencepost.reports._gaps import gaps
from fencepost.reports._sentences import percent, plural, what_to_do
from fencepost.reports._sides import Side, telling_sides
from fencepost.reports._view import View

SHOP = "def free_shipping(total):\n    return total >= 100\n"
HUNDRED = Threshold("100", "99", "100", "101")
TEST_A, TEST_B = "tests/test_shop.py::test_a", "tests/test_shop.py::test_b"


def span_of(text: str, part: str) -> Span:
    """Where a part of a text stands."""
    start = text.index(part)

    def position(offset: int) -> Position:
        before = text[:offset]
        return Position(before.count("\n") + 1, offset - before.rfind("\n"))

    return Span(position(start), position(start + len(part)))


def a_site(
    text: str = SHOP,
    part: str = "total >= 100",
    replacements: Sequence[str] = ("total > 100",),
    *,
    name: str = "s",
    path: str = "src/shop.py",
    rule: str = "FP101",
    ask: str = "stand exactly on the threshold: make `total` equal to `100`",
    threshold: Threshold | None = None,
    probe: Probe | None = None,
    templates: Sequence[str | None] = (None, None, None),
    ignored: str | None = None,
) -> Site:
    """A site at `part` of `text`, with mutants `s0`, `s1` and so on."""
    span = span_of(text, part)
    mutants = tuple(
        Mutant(f"{name}{number}", name, rule, path, span, part, replacement, template)
        for number, (replacement, template) in enumerate(zip(replacements, templates, strict=False))
    )
    return Site(name, rule, path, span, "free_shipping", part, "threshold", ask, threshold, probe, mutants, ignored)


def a_boundary(
    left: str = "total", sign: str = ">=", right: str = "100", templates: Sequence[str] = ("{0} > {1}",), **more: object
) -> Site:
    """The site of `left sign right`, whose right operand is the threshold."""
    part = f"{left} {sign} {right}"
    text = f"def free_shipping({left}):\n    return {part}\n"
    operands = (span_of(text, f"{left} {sign}"), span_of(text, right))
    operands = (Span(operands[0].start, Position(2, operands[0].start.column + len(left))), operands[1])
    probe = Probe(Shape.VALUE, "compare", operands, f"{{0}} {sign} {{1}}", threshold_operand=1)
    replacements = [template.format(left, right) for template in templates]
    more = {"threshold": HUNDRED, **more}
    return a_site(text, part, replacements, probe=probe, templates=templates, **more)  # type: ignore[arg-type]  # factory


def a_run(
    *sites: Site,
    text: str | bytes = SHOP,
    verdicts: dict[str, Verdict] | None = None,
    sightings: dict[str, Sighting] | None = None,
    infections: dict[str, Infection] | None = None,
    alike: dict[str, str] | None = None,
    judgements: dict[str, Judgement] | None = None,
    **more: object,
) -> Run:
    """A run over the sites, by file; each mutant gets the verdict with its id, or not-reached."""
    data = text if isinstance(text, bytes) else text.encode("utf-8")
    digest = hashlib.sha256(data).hexdigest()
    paths = dict.fromkeys(site.path for site in sites)
    files = tuple(FileScan(path, digest, tuple(site for site in sites if site.path == path)) for path in paths)
    tests = tuple(TestRecord(number, test, 0.1, passed=True) for number, test in enumerate((TEST_A, TEST_B)))
    found = {
        mutant.id: Judgement(mutant.id, (verdicts or {}).get(mutant.id, Verdict.NOT_REACHED), "")
        for site in sites
        for mutant in site.mutants
    }
    options = {"command": "run", "root": "/nowhere", "pytest_args": (), "seconds": 12.34, "files": files, **more}
    observation = Observation(tests, sightings or {}, infections or {}, alike or {}, {})
    return Run(observation=observation, judgements={**found, **(judgements or {})}, **options)  # type: ignore[arg-type]  # factory


def a_console(width: int = 100, **options: object) -> Console:
    return Console(file=io.StringIO(), width=width, **options)  # type: ignore[arg-type]  # passed on to rich


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def page(run: Run, root: Path, width: int = 100, limit: int | None = 20) -> str:
    console = a_console(width)
    terminal.report(run, console, root=root, limit=limit)
    return shown(console)


def sentence(run: Run) -> str:
    view = View(run)
    return what_to_do(gaps(view)[0], view)


def write(root: Path, text: str | bytes, path: str = "src/shop.py") -> Path:
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return root


SEEN_AROUND = Sighting(2, (0, 1), Nearest(1, "99", 1.0, 0), Nearest(), Nearest(1, "120", 20.0, 1))


# which test to write


def test_a_boundary_without_a_test_names_the_nearest_inputs_and_the_missing_one() -> None:
    run = a_run(a_boundary(), verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": SEEN_AROUND})
    assert sentence(run) == (
        "No test stands on 100: the nearest were 99 (test_a) and 120 (test_b). Add one with `total` at 100."
    )


def test_a_shifted_threshold_asks_for_the_input_that_tells_it_from_the_original() -> None:
    below = a_boundary(templates=("{0} >= 99",))
    above = a_boundary(sign=">", templates=("{0} > 101",))
    same_as_at = a_boundary(sign=">", templates=("{0} > 99",))
    assert telling_sides(below, below.mutants[0]) == (Side.BELOW,)
    assert telling_sides(above, above.mutants[0]) == (Side.ABOVE,)
    assert telling_sides(same_as_at, same_as_at.mutants[0]) == (Side.AT,)


def test_a_threshold_that_is_a_name_is_shifted_by_its_value() -> None:
    limit = Threshold("LIMIT (100)", "99", "100", "101")
    site = a_boundary(right="LIMIT", templates=("{0} >= {1} - 1",), threshold=limit)
    far = Sighting(1, (0,), below=Nearest(1, "3", 97.0, 0))
    run = a_run(site, verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": far})
    assert sentence(run) == (
        "No test stands just below LIMIT (100): the nearest was 3 (test_a). Add one with `total` at 99."
    )


def test_a_threshold_of_unknown_value_is_asked_for_in_the_words_of_the_source() -> None:
    unknown = Threshold("cap", "just below cap", "cap", "just above cap")
    site = a_boundary(right="cap", threshold=unknown)
    run = a_run(site, verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": Sighting(1, (0,))})
    assert sentence(run) == "No test stands on cap. Add one where `total` equals `cap`."


def test_an_equality_shown_from_one_side_asks_for_the_other() -> None:
    site = a_boundary(sign="==", templates=("{0} >= {1}", "{0} <= {1}"))
    seen = Sighting(2, (0, 1), at=Nearest(2, "100", 0.0, 0))
    verdicts = {"s0": Verdict.NOT_INFECTED, "s1": Verdict.NOT_INFECTED}
    assert sentence(a_run(site, verdicts=verdicts, sightings={"s": seen})) == (
        "No test stands just below or just above 100: the nearest was 100 (test_a). "
        "Add one with `total` at 99 and one at 101."
    )


def test_a_mutant_that_differs_everywhere_is_no_question_of_the_threshold() -> None:
    site = a_boundary(sign="==", templates=("{0} != {1}",))
    run = a_run(site, verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": SEEN_AROUND})
    assert sentence(run).startswith(
        "No input shows `total == 100`: with `total != 100` in its place every result is the same."
    )


def test_values_that_have_no_order_are_not_said_to_be_missing(tmp_path: Path) -> None:
    run = a_run(a_boundary(), verdicts={"s0": Verdict.SURVIVED}, sightings={"s": Sighting(1, (0,))})
    assert "no test" not in page(run, tmp_path)


def test_a_call_that_changed_no_input_shows_the_inputs_and_asks_for_another() -> None:
    text = "def tidy(name):\n    return name.strip()\n"
    site = a_site(text, "name.strip()", ["name"], rule="FP201", ask="use an input with whitespace, such as ' Ann '")
    seen = Sighting(2, (0, 1), samples=(("'Ann'", 0), ("'Bob'", 1)))
    run = a_run(site, text=text, verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": seen})
    assert sentence(run) == (
        "No input shows `name.strip()`: with `name` in its place every result is the same (seen: 'Ann', 'Bob'). "
        "Use an input with whitespace, such as ' Ann '."
    )


def test_a_survivor_names_the_test_that_asserts_too_little() -> None:
    run = a_run(a_boundary(), verdicts={"s0": Verdict.SURVIVED}, infections={"s0": Infection(1, (1,))})
    assert sentence(run) == (
        f"{TEST_B} reaches it with a value that makes a difference, but asserts nothing that changes: "
        "strengthen its assertion, or use an input whose outcome differs."
    )


def test_a_survivor_that_nobody_could_evaluate_does_not_claim_that_a_value_made_a_difference() -> None:
    seen = {"s": SEEN_AROUND}
    maybe = {"s0": Infection(2, (0, 1), certain=False)}
    run = a_run(a_site(), verdicts={"s0": Verdict.SURVIVED}, sightings=seen, infections=maybe)
    assert sentence(run) == (
        f"{TEST_A} and 1 other test run it and pass with the change in place: assert what it gives. "
        "Stand exactly on the threshold: make `total` equal to `100`."
    )


def test_a_survivor_that_counts_while_the_file_is_loaded_says_what_a_test_has_to_bring() -> None:
    infections = {"s0": Infection(at_import=True)}
    assert sentence(a_run(a_boundary(), verdicts={"s0": Verdict.SURVIVED}, infections=infections)) == (
        "It counts when the file is loaded, and no test fails with the change in place. "
        "Stand exactly on the threshold: make `total` equal to `100`."
    )


def test_code_that_no_test_runs_asks_for_a_test_of_its_function() -> None:
    assert sentence(a_run(a_boundary())) == (
        "No test runs this line: write one that gets into `free_shipping`, then stand exactly on the threshold: "
        "make `total` equal to `100`."
    )


def test_a_threshold_on_the_left_is_told_from_the_right_hand_side() -> None:
    part = "100 <= total"
    text = f"def free_shipping(total):\n    return {part}\n"
    operands = (span_of(text, "100"), span_of(text, "total\n"))
    operands = (operands[0], Span(operands[1].start, Position(2, operands[1].start.column + len("total"))))
    probe = Probe(Shape.VALUE, "compare", operands, "{0} <= {1}", threshold_operand=0)
    templates = ("{0} < {1}", "99 <= {1}")
    site = a_site(text, part, ("100 < total", "99 <= total"), probe=probe, templates=templates, threshold=HUNDRED)
    assert [telling_sides(site, mutant) for mutant in site.mutants] == [(Side.AT,), (Side.BELOW,)]
    run = a_run(site, text=text, verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": SEEN_AROUND})
    assert sentence(run).endswith("Add one with `total` at 100.")


@pytest.mark.parametrize("template", ["0 < {0} < {1}", "{0} in {1}", "{0}", "{0} > limit()", "{0} >", "{2} > {1}"])
def test_a_mutant_that_is_no_plain_comparison_of_numbers_tells_nothing_of_sides(template: str) -> None:
    site = a_boundary()
    mutant = dataclasses.replace(site.mutants[0], template=template)
    assert telling_sides(site, mutant) == ()


def test_what_is_compared_is_quoted_from_the_line_where_it_stands() -> None:
    text = "x = (\n  100\n  <= total\n)\n"
    part = "100\n  <= total"
    operands = (span_of(text, "100"), span_of(text, "total"))
    probe = Probe(Shape.VALUE, "compare", operands, "{0} <= {1}", threshold_operand=0)
    site = a_site(text, part, ("100 < total",), probe=probe, templates=("{0} < {1}",), threshold=HUNDRED)
    run = a_run(site, text=text, verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": Sighting(1, (0,))})
    assert sentence(run) == "No test stands on 100. Add one with `total` at 100."


def test_a_survivor_that_several_tests_infect_names_the_first_and_counts_the_others() -> None:
    run = a_run(a_boundary(), verdicts={"s0": Verdict.SURVIVED}, infections={"s0": Infection(2, (0, 1))})
    assert sentence(run) == (
        f"{TEST_A} and 1 other test reach it with a value that makes a difference, but assert nothing that changes: "
        "strengthen an assertion, or use an input whose outcome differs."
    )


def test_a_survivor_that_one_test_may_infect_is_told_in_the_singular() -> None:
    maybe = {"s0": Infection(1, (0,), certain=False)}
    run = a_run(a_site(), verdicts={"s0": Verdict.SURVIVED}, sightings={"s": Sighting(1, (0,))}, infections=maybe)
    assert sentence(run).startswith(f"{TEST_A} runs it and passes with the change in place: assert what it gives. ")


def test_counts_read_as_english() -> None:
    assert [plural(count, "test") for count in (0, 1, 2)] == ["0 tests", "1 test", "2 tests"]


def test_only_what_is_longer_than_a_sentence_bears_is_shortened() -> None:
    assert shorten("x" * 60) == "x" * 60
    assert shorten("x" * 61) == "x" * 57 + "..."
    assert shorten("a >=\n    b") == "a >= b"
    assert shorten("'a  b'") == "'a  b'"


# counts, score, order


def test_the_score_counts_neither_unknown_nor_invalid_nor_ignored() -> None:
    names = ("killed", "timeout", "survived", "not-infected", "not-reached", "invalid", "ignored", "unknown")
    sites = [a_site(name=name) for name in names]
    total = View(a_run(*sites, verdicts={f"{name}0": Verdict(name) for name in names})).total()
    assert (total.mutants, total.counted, total.detected, total.score) == (8, 5, 2, 0.4)


def test_the_score_is_none_when_nothing_counts() -> None:
    assert View(a_run(a_site(), verdicts={"s0": Verdict.UNKNOWN})).total().score is None
    assert View(a_run()).total().score is None


def test_gaps_alone_have_no_score_because_no_mutant_ran() -> None:
    assert View(a_run(a_site(), command="gaps")).total().score is None


def test_only_a_perfect_score_reads_one_hundred_percent() -> None:
    assert (percent(1.0), percent(0.99999), percent(None)) == ("100.0 %", "99.9 %", "-")


def test_a_mutant_without_judgement_is_unknown_or_ignored_with_its_site() -> None:
    run = a_run(a_site(name="a"), a_site(name="b", ignored="pragma: no mutate"))
    view = View(Run("scan", ".", (), run.files, None, {}))
    verdicts = [view.judgement(site, mutant).verdict for site, mutant in view.mutants()]
    assert verdicts == [Verdict.UNKNOWN, Verdict.IGNORED]


def test_the_most_useful_gap_comes_first() -> None:
    sites = [
        a_site(name="unreached"),
        a_site(name="call"),
        a_boundary(name="edge"),
        a_boundary(name="busy", path="src/warehouse.py"),
        a_site(name="weak"),
    ]
    verdicts = {f"{name}0": Verdict.NOT_INFECTED for name in ("call", "edge", "busy")} | {"weak0": Verdict.SURVIVED}
    sightings = {"edge": Sighting(1, (0,)), "busy": Sighting(2, (0, 1)), "call": Sighting(2, (0, 1))}
    found = gaps(View(a_run(*sites, verdicts=verdicts, sightings=sightings)))
    assert [gap.site.id for gap in found] == ["weak", "busy", "edge", "call", "unreached"]


def test_survivors_that_behave_alike_are_one_gap_and_others_are_not() -> None:
    site = a_site(replacements=("total > 100", "total > 101", "total < 100"))
    verdicts = {f"s{number}": Verdict.SURVIVED for number in range(3)}
    found = gaps(View(a_run(site, verdicts=verdicts, alike={"s1": "s0"})))
    assert [[mutant.id for mutant in gap.mutants] for gap in found] == [["s0", "s1"], ["s2"]]


def test_two_rules_that_ask_for_the_same_input_are_one_gap() -> None:
    at = a_boundary(name="at", sign=">", templates=("{0} >= {1}",))
    below = a_boundary(name="below", sign=">", rule="FP102", templates=("{0} > 99",))
    above = a_boundary(name="above", sign=">", rule="FP103", templates=("{0} > 101",))
    verdicts = {f"{name}0": Verdict.NOT_INFECTED for name in ("at", "below", "above")}
    sightings = dict.fromkeys(("at", "below", "above"), SEEN_AROUND)
    view = View(a_run(at, below, above, verdicts=verdicts, sightings=sightings))
    assert [[mutant.id for mutant in gap.mutants] for gap in gaps(view)] == [["at0", "below0"], ["above0"]]
    assert what_to_do(gaps(view)[0], view).endswith("Add one with `total` at 100.")


def test_an_ignored_site_is_no_gap() -> None:
    assert gaps(View(a_run(a_site(ignored="arid"), verdicts={"s0": Verdict.IGNORED}))) == []


def test_the_commonest_reason_comes_first_and_equal_ones_by_the_alphabet() -> None:
    reasons = ("a slow test", "no answer", "flaky test", "no answer")
    sites = [a_site(name=name) for name in "abcd"]
    judgements = {
        f"{name}0": Judgement(f"{name}0", Verdict.UNKNOWN, reason) for name, reason in zip("dcba", reasons, strict=True)
    }
    view = View(a_run(*sites, judgements=judgements))
    assert [(reason, [mutant.id for mutant in mutants]) for reason, mutants in view.reasons(Verdict.UNKNOWN)] == [
        ("no answer", ["a0", "c0"]), ("a slow test", ["d0"]), ("flaky test", ["b0"]),
    ]  # fmt: skip


def test_tests_are_named_in_the_order_of_collection() -> None:
    site = a_site()
    tests = tuple(TestRecord(number, f"test_{number}", 0.1, passed=True) for number in range(10))
    observation = Observation(tests, {"s": Sighting(3, (9, 0, 8))}, {}, {}, {})
    view = View(dataclasses.replace(a_run(site), observation=observation))
    assert [test.id for test in view.reached_by(site)] == ["test_0", "test_8", "test_9"]


# the terminal report


def test_a_gap_shows_place_rule_verdict_id_code_change_and_nearest_tests(tmp_path: Path) -> None:
    run = a_run(a_boundary(), verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": SEEN_AROUND})
    text = "def free_shipping(total):\n    return total >= 100\n"
    assert page(run, write(tmp_path, text)).startswith(
        "\n"
        "src/shop.py:2:12  FP101 boundary-at  not-infected  [s0]\n"
        "    2 |     return total >= 100\n"
        "        - total >= 100\n"
        "        + total > 100\n"
        f"    below 1 test, nearest 99 in {TEST_A}\n"
        "    at    no test\n"
        f"    above 1 test, nearest 120 in {TEST_B}\n"
        "    No test stands on 100: the nearest were 99 (test_a) and 120 (test_b). Add one with `total` at 100.\n"
    )


def test_the_end_shows_the_score_by_file_the_summary_and_the_next_step(tmp_path: Path) -> None:
    sites = [a_site(name="a"), a_site(name="b"), a_site(name="c", path="src/other.py"), a_site(name="d")]
    killed = {
        name: Judgement(name, Verdict.KILLED, "", Kill(kind, TEST_A, "E"))
        for name, kind in (("a0", KillKind.ASSERTION), ("b0", KillKind.CRASH))
    }
    unknown = {"d0": Judgement("d0", Verdict.UNKNOWN, "flaky test")}
    lines = page(a_run(*sites, judgements=killed | unknown), tmp_path).splitlines()
    assert [line.split() for line in lines[-8:-5]] == [
        ["file", "mutants", "killed", "survived", "not", "infected", "not", "reached", "unknown", "ignored", "score"],
        ["src/other.py", "1", "0", "0", "0", "1", "0", "0", "0.0", "%"],
        ["src/shop.py", "3", "2", "0", "0", "0", "1", "0", "100.0", "%"],
    ]
    assert lines[-4:] == [
        "unknown: src/shop.py:2 [d0]: flaky test",
        "1 of 2 killed by a crash only, no assertion: weaker evidence than an assertion",
        "score 66.6 %: 2 of 3 mutants noticed; 1 unknown, 0 invalid, 0 ignored; 12.3 s",
        "next: fencepost show c0",
    ]


def test_the_columns_of_the_score_by_file_line_up_whatever_the_length_of_a_path(tmp_path: Path) -> None:
    sites = [a_site(name="a", path="a.py"), a_site(name="b", path="src/" + "b" * 150 + ".py")]
    lines = page(a_run(*sites), tmp_path, width=40).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("file "))
    assert len({len(line) for line in lines[start : start + 3]}) == 1
    assert all(line.endswith(("score", "0.0 %")) for line in lines[start : start + 3])


def test_a_timeout_is_shown_apart_from_the_killed(tmp_path: Path) -> None:
    text = page(a_run(a_site(), verdicts={"s0": Verdict.TIMEOUT}), tmp_path)
    assert ["file", "mutants", "killed", "timeout"] in [line.split()[:4] for line in text.splitlines()]
    assert "score 100.0 %: 1 of 1 mutant noticed; 1 by timeout, 0 unknown" in text


def test_what_to_know_first_comes_first(tmp_path: Path) -> None:
    broken = FileScan("src/bad.py", "", problem=ScanProblem("src/bad.py", 3, "syntax error"))
    run = a_run(files=(broken,), notes=("-n auto was switched off",), left_out=("2 flaky tests",), complete=False)
    assert page(run, tmp_path).splitlines()[:4] == [
        "incomplete: the run ended early, what it did not establish is unknown",
        "note: -n auto was switched off",
        "left out: 2 flaky tests",
        "not read: src/bad.py:3: syntax error",
    ]


def test_nothing_in_scope_is_said_aloud(tmp_path: Path) -> None:
    assert "Nothing to change in scope: no mutants, no score; 12.3 s" in page(a_run(), tmp_path)


def test_the_limit_says_how_many_gaps_it_hides(tmp_path: Path) -> None:
    run = a_run(*(a_site(name=f"site{number}-", path=f"src/shop{number}.py") for number in range(3)))
    limited, whole = page(run, tmp_path, limit=1), page(run, tmp_path, limit=None)
    assert limited.count("FP101") == 1
    assert "2 more gaps: fencepost report --all" in limited
    assert whole.count("FP101") == 3
    assert "not shown" not in whole


def test_sites_at_one_place_that_no_test_reaches_are_one_gap(tmp_path: Path) -> None:
    run = a_run(a_site(name="a"), a_site(name="b", rule="FP102", replacements=("total >= 99",)), a_site(path="x.py"))
    text = page(run, tmp_path, limit=None)
    assert text.count("not-reached  [") == 2
    assert "+ total > 100  [a0]" in text
    assert "+ total >= 99  [b0]" in text


def test_the_gaps_of_one_threshold_share_its_line_and_count_as_one(tmp_path: Path) -> None:
    at = a_site(name="a", threshold=HUNDRED)
    below = a_site(name="b", rule="FP102", replacements=("total >= 99",), threshold=HUNDRED)
    text = page(a_run(at, below, verdicts={"a0": Verdict.SURVIVED, "b0": Verdict.SURVIVED}), tmp_path, limit=1)
    assert text.count("2 |            total >= 100") == 1
    assert "  and FP102 boundary-below  survived  [b0]" in text
    assert "+ total >= 99" in text
    assert "more gap" not in text


def test_a_limit_that_hides_no_gap_says_nothing(tmp_path: Path) -> None:
    run = a_run(*(a_site(name=f"site{number}-") for number in range(2)))
    assert "more gap" not in page(run, tmp_path, limit=2)


def test_files_that_were_not_watched_are_told_in_the_order_of_their_paths(tmp_path: Path) -> None:
    run = a_run()
    observation = Observation((), {}, {}, {}, {"src/b.py": "read from a zip", "src/a.py": "never loaded"})
    assert page(dataclasses.replace(run, observation=observation), tmp_path).startswith(
        "not watched: src/a.py: never loaded\nnot watched: src/b.py: read from a zip\n"
    )


def test_only_mutants_of_one_gap_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    one, two = a_run(a_site()), a_run(a_site(replacements=("total > 100", "total > 101")))
    assert "        + total > 100\n" in page(one, tmp_path)
    assert "        + total > 100  [s0]\n        + total > 101  [s1]\n" in page(two, tmp_path)


def test_findings_are_shown_with_their_evidence(tmp_path: Path) -> None:
    place = Span(Position(4, 1), Position(5, 1))
    finding = Finding("f1", "FP301", "tests/test_shop.py", place, "asserts nothing", "reaches 14 sites", "warning")
    text = page(a_run(findings=(finding,)), tmp_path)
    assert "tests/test_shop.py:4:1  FP301" in text
    assert "    asserts nothing\n    reaches 14 sites\n" in text


def test_a_pipe_gets_the_same_text_whatever_its_width(tmp_path: Path) -> None:
    long_path = "src/" + "very_long_package_name/" * 8 + "shop.py"
    run = a_run(a_boundary(path=long_path), verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": SEEN_AROUND})
    narrow = page(run, tmp_path, width=20)
    assert narrow == page(run, tmp_path, width=300)
    assert f"\n{long_path}:2:12  FP101" in narrow
    assert f"\n{long_path}  " in narrow


def test_a_terminal_gets_sentences_wrapped_to_its_width(tmp_path: Path) -> None:
    console = a_console(60, force_terminal=True, no_color=True, color_system=None)
    terminal.report(a_run(a_boundary()), console, root=tmp_path)
    prose = [line for line in shown(console).splitlines() if line.startswith("    No test runs")]
    assert prose
    assert len(prose[0].rstrip()) <= 60


def test_no_color_is_honoured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    console = a_console(force_terminal=True, color_system="truecolor")
    terminal.report(a_run(a_site()), console, root=tmp_path)
    assert "\x1b[3" not in shown(console)


HOSTILE = [
    pytest.param("x = '[bold]a[/bold]' >= y[/]\n", "'[bold]a[/bold]' >= y[/]", "'[bold]a[/bold]' >= y[/]", id="markup"),
    pytest.param("x = '\x1b[2J\x07\x85' >= y\n", "'\x1b[2J\x07\x85' >= y", r"'\x1b[2J\x07\x85' >= y", id="controls"),
    pytest.param("x = '\u202eab\u2066' >= y\n", "'\u202eab\u2066' >= y", r"'\u202eab\u2066' >= y", id="direction"),
    pytest.param("x = '\U0001f600' >= y\n", "'\U0001f600' >= y", "'\U0001f600' >= y", id="non-bmp"),
    pytest.param("x = ':smile:' >= y\n", "':smile:' >= y", "':smile:' >= y", id="emoji-name"),
    pytest.param("if a:\n\tx = a\t>= y\n", "a\t>= y", "a    >= y", id="tabs"),
    pytest.param("x = '" + "z" * 5000 + "' >= y\n", "'" + "z" * 5000 + "' >= y", "'" + "z" * 119 + "...", id="long"),
    pytest.param("x = " + "z + " * 2000 + "a >= y\n", "a >= y", "..." + "z + " * 15 + "a >= y", id="far-right"),
    pytest.param("# a\x0cb\u2028c\nx = a >= y\n", "a >= y", "    2 | x = a >= y", id="not-line-ends"),
]


@pytest.mark.parametrize(("text", "part", "expected"), HOSTILE)
def test_no_source_text_can_spoil_a_page(tmp_path: Path, text: str, part: str, expected: str) -> None:
    site = a_site(text, part, ["[red]q[/red]"], ask="[/] \x1b", threshold=Threshold(part, "[b]", "[/b]", "[i]"))
    run = a_run(site, text=text, verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": SEEN_AROUND})
    write(tmp_path, text)
    console = a_console()
    terminal.report(run, console, root=tmp_path)
    mutant_page.report(run, "s0", console, tmp_path)
    sites_page.report(run.files, console, tmp_path)
    assert expected in shown(console)
    assert "+ [red]q[/red]" in shown(console)
    assert not set(shown(console)) & set("\x1b\x07\x85\x0c\r\u2028\u202e\u2066")


def test_lines_with_windows_ends_show_the_right_expression(tmp_path: Path) -> None:
    data = b"a = 1\r\nx = (a >=\r\n  y)\r\n"
    site = a_site("a = 1\nx = (a >=\n  y)\n", "a >=\n  y", ["a > y"])
    text = page(a_run(site, text=data), write(tmp_path, data))
    assert "    2 | x = (a >=\n    3 |   y)\n        - a >=\n        -   y\n        + a > y\n" in text


def test_an_expression_of_many_lines_is_shown_by_its_ends(tmp_path: Path) -> None:
    part = "max(\n" + "".join(f"    a{number},\n" for number in range(30)) + ")"
    text = f"x = {part}\n"
    output = page(a_run(a_site(text, part, ["a0"]), text=text), write(tmp_path, text))
    assert "      | ... 24 more lines\n" in output
    assert "   32 | )\n" in output


def lines_around(root: Path, text: str, part: str) -> list[str]:
    """The quoted source lines, without their numbers, of a gap at a part of a text."""
    output = page(a_run(a_site(text, part, ["q"]), text=text), write(root, text))
    return [line.partition(" | ")[2] for line in output.splitlines() if " | " in line]


def test_an_expression_of_eight_lines_is_shown_whole_and_of_nine_is_not(tmp_path: Path) -> None:
    eight, nine = ("max(\n" + "    a,\n" * count + ")" for count in (6, 7))
    assert lines_around(tmp_path, f"{eight}\n", eight) == eight.split("\n")
    middle = ["max(", *["    a,"] * 3, "... 1 more line", *["    a,"] * 3, ")"]
    assert lines_around(tmp_path, f"{nine}\n", nine) == middle


@pytest.mark.parametrize(
    ("line", "part", "expected"),
    [
        pytest.param("x" * 57 + " = a", "a", "x" * 57 + " = a", id="sixty-before"),
        pytest.param("x" * 58 + " = a", "a", "..." + "x" * 57 + " = a", id="sixty-one-before"),
        pytest.param(" " * 80 + "a", "a", " " * 80 + "a", id="indentation"),
        pytest.param("'" + "x" * 118 + "'", "'" + "x" * 118 + "'", "'" + "x" * 118 + "'", id="long-inside"),
        pytest.param("a" + "x" * 60, "a", "a" + "x" * 60, id="sixty-behind"),
        pytest.param("a" + "x" * 61, "a", "a" + "x" * 60 + "...", id="sixty-one-behind"),
    ],
)
def test_a_line_is_cut_only_where_it_is_too_long_to_read(tmp_path: Path, line: str, part: str, expected: str) -> None:
    assert lines_around(tmp_path, f"{line}\n", part) == [expected]


def test_an_output_that_knows_only_ascii_gets_escapes(tmp_path: Path) -> None:
    text = "x = 'é' >= y\n"
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding="ascii", newline="\n")
    console = Console(file=stream, width=100)
    terminal.report(a_run(a_site(text, "'é' >= y"), text=text), console, root=write(tmp_path, text))
    stream.flush()
    assert rb"x = '\xe9' >= y" in buffer.getvalue()


def test_a_file_that_changed_since_the_run_is_not_quoted(tmp_path: Path) -> None:
    output = page(a_run(a_site()), write(tmp_path, "something\nelse entirely\n"))
    assert "else entirely" not in output
    assert "    2 |            total >= 100\n" in output


# the page of one mutant


def mutant_text(run: Run, mutant_id: str, root: Path) -> str:
    console = a_console()
    mutant_page.report(run, mutant_id, console, root)
    return shown(console)


def test_the_page_of_a_mutant_shows_its_diff_verdict_and_tests(tmp_path: Path) -> None:
    kill = Kill(KillKind.ASSERTION, TEST_B, "assert 1 == 2\n  where")
    killed = Judgement("s0", Verdict.KILLED, "", kill, 0.1, confirmed=True)
    seen = {"s": SEEN_AROUND}
    run = a_run(a_boundary(), judgements={"s0": killed}, sightings=seen, infections={"s0": Infection(1, (1,))})
    text = mutant_text(run, "s0", write(tmp_path, SHOP))
    assert text.startswith(
        "s0  FP101 boundary-at  src/shop.py:2:12  in free_shipping\n"
        "killed, confirmed\n"
        f"killed by {TEST_B}, assertion\n"
        "    assert 1 == 2\n"
        "      where\n"
        "\n"
        "--- a/src/shop.py\n"
        "+++ b/src/shop.py\n"
        "@@ -1,2 +1,2 @@\n"
        " def free_shipping(total):\n"
        "-    return total >= 100\n"
        "+    return total > 100\n"
        "\n"
        f"reached by 2 tests:\n    {TEST_A}\n    {TEST_B}\n"
        f"makes a difference in 1 test:\n    {TEST_B}\n"
        "what the unmutated run saw:\n"
        f"    below 1 test, nearest 99 in {TEST_A}\n"
    )


def test_the_page_of_an_ignored_mutant_does_not_claim_that_no_test_reaches_it(tmp_path: Path) -> None:
    run = a_run(a_site(ignored="pragma: no mutate"), judgements={"s0": Judgement("s0", Verdict.IGNORED, "pragma")})
    text = mutant_text(run, "s0", write(tmp_path, SHOP))
    assert "ignored: pragma\n" in text
    assert "test" not in text


def test_a_unique_beginning_of_an_id_is_enough(tmp_path: Path) -> None:
    run = a_run(a_site(name="FP101-abc"), a_site(name="FP101-xyz"))
    assert mutant_text(run, "FP101-a", tmp_path).startswith("FP101-abc0  FP101")


def test_an_id_that_begins_another_one_means_itself(tmp_path: Path) -> None:
    run = a_run(a_site(name="x"), a_site(name="x0"))
    assert mutant_text(run, "x0", tmp_path).startswith("x0  ")


def test_an_ambiguous_beginning_is_refused_with_the_candidates(tmp_path: Path) -> None:
    run = a_run(a_site(name="FP101-abc"), a_site(name="FP101-xyz"))
    with pytest.raises(UsageProblem, match="ambiguous: 2 mutants") as problem:
        mutant_text(run, "FP", tmp_path)
    assert (problem.value.slug, problem.value.hint) == ("ambiguous-mutant", "known: FP101-abc0, FP101-xyz0")


def test_an_unknown_id_is_refused_with_the_nearest_one(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="no mutant 'FP101-abd0'") as problem:
        mutant_text(a_run(a_site(name="FP101-abc")), "FP101-abd0", tmp_path)
    assert (problem.value.slug, problem.value.hint) == ("unknown-mutant", "did you mean 'FP101-abc0'?")


def test_a_mistyped_id_among_thousands_does_not_list_them_all(tmp_path: Path) -> None:
    run = a_run(*(a_site(name=f"FP101-{number}-") for number in range(200)))
    with pytest.raises(UsageProblem) as problem:
        mutant_text(run, "zzz", tmp_path)
    assert len(problem.value.hint) < 100


@pytest.mark.parametrize(("count", "listed"), [(20, True), (21, False)])
def test_as_many_ids_as_can_be_read_at_a_glance_are_listed(tmp_path: Path, count: int, *, listed: bool) -> None:
    run = a_run(*(a_site(name=f"FP101-{number}-") for number in range(count)))
    with pytest.raises(UsageProblem) as problem:
        mutant_text(run, "zzz", tmp_path)
    assert ("FP101-0-0" in problem.value.hint) is listed


def test_the_page_of_a_mutant_that_ended_the_process_says_that_no_single_test_killed_it(tmp_path: Path) -> None:
    kill = Kill(KillKind.CRASH, "", "the process that ran the tests ended by signal 9")
    run = a_run(a_site(), judgements={"s0": Judgement("s0", Verdict.KILLED, "", kill)})
    text = mutant_text(run, "s0", tmp_path)
    assert "killed by no single test, crash (weaker evidence than an assertion)\n" in text


def test_the_page_of_a_mutant_counts_the_tests_that_it_does_not_name(tmp_path: Path) -> None:
    run = a_run(a_site(), sightings={"s": Sighting(3, (0, 1))})
    text = mutant_text(run, "s0", tmp_path)
    assert f"reached by 3 tests:\n    {TEST_A}\n    {TEST_B}\n    and 1 more\n" in text


def test_the_page_of_a_mutant_names_at_most_ten_tests(tmp_path: Path) -> None:
    tests = tuple(TestRecord(number, f"test_{number}", 0.1, passed=True) for number in range(12))
    observation = Observation(tests, {"s": Sighting(12, tuple(range(12)))}, {}, {}, {})
    text = mutant_text(dataclasses.replace(a_run(a_site()), observation=observation), "s0", tmp_path)
    assert "    test_9\n    and 2 more\n" in text
    assert "test_10" not in text


def test_a_changed_file_gives_no_diff_but_still_the_change(tmp_path: Path) -> None:
    text = mutant_text(a_run(a_site()), "s0", write(tmp_path, "changed\n"))
    assert "is not as it was when the run looked at it" in text
    assert "- total >= 100" in text
    assert "---" not in text


# the page of a scan


def sites_text(files: Sequence[FileScan], root: Path, *, show_ignored: bool = False) -> str:
    console = a_console()
    sites_page.report(files, console, root, show_ignored=show_ignored)
    return shown(console)


def test_a_scan_lists_each_site_with_its_ask_and_the_three_inputs(tmp_path: Path) -> None:
    text = sites_text(a_run(a_boundary()).files, write(tmp_path, SHOP))
    assert text == (
        "src/shop.py: 1 site\n"
        "  src/shop.py:2:12  FP101 boundary-at  in free_shipping\n"
        "    2 |     return total >= 100\n"
        "    stand exactly on the threshold: make `total` equal to `100`\n"
        "    inputs: 99 | 100 | 101\n"
        "\n"
        "1 site, 1 mutant, 1 file\n"
    )


def test_ignored_sites_are_counted_and_listed_only_when_asked(tmp_path: Path) -> None:
    files = a_run(a_site(name="a"), a_site(name="b", ignored="pragma: no mutate")).files
    assert "1 site (1 ignored), 1 mutant" in sites_text(files, tmp_path)
    assert "pragma" not in sites_text(files, tmp_path)
    assert "    ignored: pragma: no mutate\n" in sites_text(files, tmp_path, show_ignored=True)


def test_files_that_do_not_parse_come_at_the_end_of_a_scan(tmp_path: Path) -> None:
    broken = FileScan("src/bad.py", "", problem=ScanProblem("src/bad.py", 3, "syntax error"))
    lines = sites_text([broken, *a_run(a_site()).files], tmp_path).splitlines()
    assert lines[-2] == "not read: src/bad.py:3: syntax error"


def test_sites_are_listed_in_the_order_of_the_source_and_then_of_the_rules(tmp_path: Path) -> None:
    text = "x = a >= 1\ny = b >= 2\n"
    sites = (
        a_site(text, "b >= 2", name="s2"),
        a_site(text, "b >= 2", name="s1"),
        a_site(text, "b >= 2", name="s3", rule="FP102"),
        a_site(text, "a >= 1", name="s9", rule="FP103"),
    )
    files = a_run(*(dataclasses.replace(site, ask=site.id) for site in sites), text=text).files
    lines = sites_text(files, write(tmp_path, text)).splitlines()
    assert [line.strip() for line in lines if line.startswith("    s")] == ["s9", "s1", "s2", "s3"]


# the page of flaky tests


def test_tests_that_fail_by_chance_come_first_and_each_says_how_often_and_why() -> None:
    found = [
        Wavering("t::always", 2, 2, 2, 2, "E: [red]always[/red]\nmore"),
        Wavering("t::chance", 1, 2, 0, 2, "E: now and then"),
        Wavering("t::order", 0, 2, 2, 2, "E: shuffled"),
        Wavering("t::behind", 2, 2, 1, 2, "E: behind"),
    ]
    console = a_console()
    flaky_page.report(found, 4, console)
    assert shown(console) == (
        "t::chance: passes or fails by chance\n"
        "    failed in 1 of 2 runs in order, 0 of 2 shuffled\n"
        "    E: now and then\n"
        "t::always: fails every time\n"
        "    failed in 2 of 2 runs in order, 2 of 2 shuffled\n"
        "    E: [red]always[/red]\n"
        "t::order: fails in another order, or by chance and rarely\n"
        "    failed in 0 of 2 runs in order, 2 of 2 shuffled\n"
        "    E: shuffled\n"
        "t::behind: fails in the order of the suite\n"
        "    failed in 2 of 2 runs in order, 1 of 2 shuffled\n"
        "    E: behind\n"
        "4 runs: 1 tests pass or fail by chance, 3 otherwise fail\n"
    )


# where a report goes


def test_an_output_is_a_format_and_perhaps_a_path(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    assert parse_output("json") == ("json", None)
    assert parse_output("json:") == ("json", None)
    assert parse_output(f"json:{path}") == ("json", str(path))


def test_an_unknown_format_is_refused_with_the_nearest_one() -> None:
    with pytest.raises(UsageProblem, match="no output format 'jsn'") as problem:
        parse_output("jsn:x")
    assert (problem.value.slug, problem.value.hint) == ("unknown-format", "did you mean 'json'?")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("shop.py", "a report does not belong into a file of source or settings"),
        ("pyproject.toml", "a report does not belong into a file of source or settings"),
        ("gone/report.json", "its folder does not exist"),
        (".", "it is a folder"),
    ],
)
def test_a_path_where_no_report_can_go_is_refused_at_once(tmp_path: Path, path: str, why: str) -> None:
    with pytest.raises(UsageProblem, match=why) as problem:
        parse_output(f"json:{tmp_path / path}")
    assert problem.value.slug == "cannot-write"


def test_a_run_is_written_to_each_output_in_its_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.json"
    write_outputs(a_run(a_site()), [("json", str(path)), ("terminal", None)], tmp_path, limit=None)
    assert json.loads(path.read_text(encoding="utf-8"))["summary"]["mutants"] == 1
    assert "src/shop.py:2:12  FP101" in capsys.readouterr().out


def test_a_path_that_became_a_folder_is_told_with_the_reason_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="cannot be written: Is a directory"):
        write_outputs(a_run(a_site()), [("json", str(tmp_path))], tmp_path, limit=None)


def test_what_the_guard_stopped_is_told_with_what_was_tried(tmp_path: Path) -> None:
    kill = Kill(KillKind.GUARD, "test_a", "Blocked: it tried to remove precious.txt")
    site = a_site(replacements=[f"total > {number}" for number in range(7)], templates=[None] * 7)
    stopped = {one.id: Judgement(one.id, Verdict.KILLED, "a test fails", kill) for one in site.mutants}
    told = page(a_run(site, judgements=stopped), tmp_path)
    assert "guard: src/shop.py:2 [s0]: Blocked: it tried to remove precious.txt\n" in told
    assert told.count("it tried to remove") == 5
    assert "guard: and 2 more (fencepost report -o json)" in told
    assert "guard:" not in page(a_run(a_site()), tmp_path)
