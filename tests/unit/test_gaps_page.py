"""The boundary-test gap report on a terminal: the thresholds, then the gaps with what helps to close them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from fencepost.analyzer.model import Infection, Nearest, Run, Sighting, Verdict
from fencepost.reports import gaps_page, parse_output
from fencepost.reports import write as write_outputs

Told = Callable[..., Run]
ADULT = "def adult(age):\n    return age >= 18\n"
TESTS = "def test_a():\n    assert adult(17) is False\n\n\ndef test_b():\n    assert adult(40)\n"
AROUND = Sighting(2, (0, 1), Nearest(1, "17", 1.0, 0, 1), Nearest(), Nearest(1, "40", 22.0, 1, 1))
ON_IT = Sighting(3, (0, 1), Nearest(1, "17", 1.0, 0, 1), Nearest(2, "18", 0.0, 1, 2), Nearest(1, "40", 22.0, 1, 1))


def page(run: Run, root: Path, limit: int | None = 20) -> str:
    (root / "test_shop.py").write_text(TESTS, encoding="utf-8")
    console = Console(file=io.StringIO(), width=500)
    gaps_page.report(run, console, limit=limit, root=root)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def block_of(text: str, start: str) -> list[str]:
    """The lines of the block that begins so."""
    lines = text.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith(start))
    return lines[first : lines.index("", first)]


def test_the_report_tells_where_tests_stand_what_to_decide_and_where_to_start(told: Told, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(ADULT, encoding="utf-8")
    run = told(ADULT, others=Verdict.NOT_INFECTED, seen={"age >= 18": AROUND})
    first, second, third = (mutant.id for site in run.files[0].sites for mutant in site.mutants)
    assert page(run, tmp_path).splitlines() == [
        "thresholds, and how many tests stand just below, exactly at and just above each",
        "  shop.py:2:12  age >= 18  below 17: 1 | at 18: none | above 19: none, nearest 40",
        "",
        f"shop.py:2:12  FP101 boundary-at  not-infected  [{first} {second}]",
        "    2 |     return age >= 18",
        "    just below  age = 17: 1 test, nearest 17 in test_a",
        "    exactly     age = 18: no test",
        "    just above  age = 19: no test, nearest 40 in test_b",
        "    No test stands on 18: the nearest were 17 (test_a) and 40 (test_b). Add one with `age` at 18.",
        (
            "    question: `age` at exactly 18: does it belong with 17 or with 19? Now `age >= 18` is True there, "
            "as it is with 19; no test pins it."
        ),
        "      a) with 19, as the code has it: add a test that stands on 18",
        "      b) with 17: put this in its place, and add the test: age > 18",
        "      c) it does not matter: say so behind the line: # fencepost: allow[boundary-at] <why it does not matter>",
        "    a test to start from, not run, beside its neighbour in test_shop.py:",
        "      def test_a_at_18():",
        "          assert adult(18) == ...  # decide",
        "    No test stands just below 18: the nearest were 17 (test_a) and 40 (test_b). Add one with `age` at 17.",
        "    a test to start from, not run, beside its neighbour in test_shop.py:",
        "      def test_a_just_below_18():",
        "          assert adult(17) == ...  # decide",
        "",
        (
            "0 of 1 threshold with a test in each place that matters; "
            "0 of 0 normalizing calls with an input that shows it; 1 gap; 1.2 s"
        ),
        "no mutant was run: `fencepost run` tells whether the tests would notice",
    ]
    assert third not in page(run, tmp_path)


def test_a_call_shows_the_change_what_was_seen_and_an_input_that_it_changes(told: Told, tmp_path: Path) -> None:
    code = "def tidy(name):\n    return name.strip()\n"
    seen = {"name.strip()": Sighting(1, (0,), samples=(("'ann'", 0),))}
    run = told(code, others=Verdict.NOT_INFECTED, seen=seen)
    (tmp_path / "shop.py").write_text(code, encoding="utf-8")
    text = page(run, tmp_path)
    assert block_of(text, "shop.py:2:12  FP201")[1:] == [
        "    2 |     return name.strip()",
        "        - name.strip()",
        "        + name",
        "    seen  'ann' (test_shop.py::test_a)",
        (
            "    Every input gave the same result with `name` in its place (seen: 'ann'). "
            "Use an input with whitespace that `name.strip()` changes, such as ' Ann '."
        ),
        "    an input that it changes: ' ann '",
        "    a test to start from, not run, beside its neighbour in test_shop.py:",
        "      def test_a_whitespace():",
        "          # use an input with whitespace that `name.strip()` changes, such as ' Ann '",
        "          assert adult(17) == ...  # decide",
    ]
    assert "thresholds, and how many" not in text
    assert "\n0 of 0 thresholds with a test in each place that matters; 0 of 1 normalizing call with" in text


def test_a_new_test_file_is_told_as_such_without_blanks_at_line_ends(told: Told, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(ADULT, encoding="utf-8")
    lines = block_of(page(told(ADULT), tmp_path).replace("\n\n\n", "\n \n \n"), "shop.py:2:12")
    assert lines[-6:] == [
        "    a test to start from, not run, in a new test file:",
        "      from shop import adult",
        " ",
        " ",
        "      def test_adult_at_18():",
        "          assert adult(age=18) == ...  # decide",
    ]


def test_a_value_on_the_threshold_itself_is_not_repeated_unless_the_source_does_not_tell_it(
    told: Told, tmp_path: Path
) -> None:
    code = "def adult(age, cap):\n    return age >= 18 or age > cap\n"
    at = Sighting(2, (0,), at=Nearest(2, "7 against 7", 0.0, 1, 2))
    run = told(code, others=Verdict.NOT_INFECTED, seen={"age >= 18": ON_IT, "age > cap": at})
    text = page(run, tmp_path)
    assert "    exactly     age = 18: 2 tests in test_b\n" in text
    assert "    just below  age: no test\n" in text
    assert "    exactly     age = cap: 2 tests, nearest 7 against 7 in test_b\n" in text
    assert "  age > cap  below: none | at: 2 | above: none\n" in text


def test_long_values_are_short_on_the_page(told: Told, tmp_path: Path) -> None:
    value = "1" * 90
    far = Sighting(1, (0,), above=Nearest(1, value, 1e90, 0, 1))
    text = page(told(ADULT, others=Verdict.NOT_INFECTED, seen={"age >= 18": far}), tmp_path)
    assert f"above 19: none, nearest {'1' * 17}...\n" in text
    assert f"age = 19: no test, nearest {'1' * 57}... in test_a\n" in text


TWO = "def f(x):\n    return x > 1\n\n\ndef g(x):\n    return x > 2\n\n\ndef h(x):\n    return x > 3\n"


@pytest.mark.parametrize(
    ("limit", "shown", "more"),
    [(None, 3, []), (3, 3, []), (2, 2, ["  1 more threshold: --all", "1 more gap: fencepost report --all"]),
     (0, 0, ["  3 more thresholds: --all", "3 more gaps: fencepost report --all"])],
)  # fmt: skip
def test_a_limit_holds_for_the_thresholds_and_for_the_gaps(
    told: Told, tmp_path: Path, limit: int | None, shown: int, more: list[str]
) -> None:
    lines = page(told(TWO), tmp_path, limit).splitlines()
    assert sum(line.startswith("  shop.py:") for line in lines) == shown
    assert sum(line.startswith("shop.py:") for line in lines) == shown
    assert [line for line in lines if " more " in line] == more
    assert ("thresholds, and how many" in lines[0]) is bool(shown)


def test_a_threshold_is_pinned_where_none_of_its_places_is_missing(told: Told, tmp_path: Path) -> None:
    assert "\n0 of 3 thresholds with a test" in page(told(TWO, others=Verdict.NOT_INFECTED), tmp_path)
    run = told(TWO, others=Verdict.UNKNOWN, verdicts={"x >= 3": Verdict.NOT_INFECTED})
    assert "\n2 of 3 thresholds with a test" in page(run, tmp_path)


def test_a_call_counts_as_shown_where_a_test_or_loading_makes_a_difference(told: Told, tmp_path: Path) -> None:
    code = "def f(x):\n    return x.strip() + x.lower() + x.upper() + x.title()  # pragma: no cover\n"
    code += "\n\ndef g(x):\n    return x.strip() + x.lower() + x.upper() + (x == 'a')\n"
    run = told(code, others=Verdict.UNKNOWN)
    assert run.observation is not None
    strip, lower = (
        site.mutants[0].id
        for site in run.files[0].sites
        if site.source in {"x.strip()", "x.lower()"} and not site.ignored
    )
    run.observation.infections.update({strip: Infection(1, (0,)), lower: Infection(at_import=True)})
    assert "2 of 3 normalizing calls with an input that shows it; 0 gaps" in page(run, tmp_path)


def test_notes_come_first(told: Told, tmp_path: Path) -> None:
    assert page(told(ADULT, notes=("left out of the run of pytest: -x",)), tmp_path).startswith(
        "note: left out of the run of pytest: -x\n"
    )


def test_gaps_are_shown_by_their_worth_and_those_of_one_threshold_together(told: Told, tmp_path: Path) -> None:
    code = "def _f(x):\n    return x > 1\n\n\ndef g(x):\n    return x.strip(), x > 2\n"
    seen = {source: Sighting(1, (0,)) for source in ("x > 1", "x > 2", "x.strip()")}
    text = page(told(code, others=Verdict.NOT_INFECTED, seen=seen), tmp_path)
    headings = [line.split("  ")[:2] for line in text.splitlines() if line.startswith("shop.py:")]
    assert headings == [
        ["shop.py:6:12", "FP201 whitespace"],
        ["shop.py:6:23", "FP101 boundary-at"],
        ["shop.py:2:12", "FP101 boundary-at"],
    ]


def test_hostile_source_and_names_of_tests_are_shown_as_they_are(told: Told, tmp_path: Path) -> None:
    code = "def f(x):\n    return x['[bold]\\x1b[31m'] >= 18\n"
    (tmp_path / "shop.py").write_text(code, encoding="utf-8")
    source = "x['[bold]\\x1b[31m'] >= 18"
    seen = Sighting(1, (0,), above=Nearest(1, "'[red]\x1b[31m'", 1.0, 0, 1))
    tests = ["test_shop.py::test_a[[bold]\x1b[31m]"]
    text = page(told(code, others=Verdict.NOT_INFECTED, seen={source: seen}, tests=tests), tmp_path)
    assert "\x1b" not in text
    assert "[bold]" in text
    assert "nearest '[red]" in text


def test_the_terminal_output_of_a_run_of_gaps_is_this_page(told: Told, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    run = told(ADULT, others=Verdict.NOT_INFECTED, seen={"age >= 18": AROUND})
    write_outputs(run, [parse_output(f"terminal:{target}")], tmp_path, limit=20)
    assert target.read_text(encoding="utf-8").startswith("thresholds, and how many tests stand")
