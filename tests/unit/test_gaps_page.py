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
        "gaps, most worth a test first: public, changed lately, reached by many tests",
        "",
        f"shop.py:2:12  FP101 boundary-at  [{first} {second}]",
        "    2 |     return age >= 18",
        "    just below  age = 17: 1 test, nearest 17 in test_a",
        "    exactly     age = 18: no test",
        "    just above  age = 19: no test, nearest 40 in test_b",
        "    Add a test with `age` at 18.",
        (
            "    question: In `adult`, should `age` of exactly 18 be treated like 17 or like 19? "
            "Now it is treated like 19: `age >= 18` is True for both. No test pins it."
        ),
        "      a) like 19, as it is now: add a test with `age` at 18",
        "      b) like 17: add that test, and change the code to: age > 18",
        (
            "      c) it does not matter: say why at the end of the line: "
            "# fencepost: allow[boundary-at] <why it does not matter>"
        ),
        "    a test to start from (for test_shop.py; not run):",
        "      def test_a_at_18():",
        "          assert adult(18) == ...  # decide",
        "    Add a test with `age` at 17.",
        "    a test to start from (for test_shop.py; not run):",
        "      def test_a_just_below_18():",
        "          assert adult(17) == ...  # decide",
        "",
        (
            "0 of 1 threshold with a test in each place that matters; "
            "0 of 0 normalizing calls with an input that shows it; 1 gap; 1.2 s"
        ),
        "no code was changed: `fencepost run` tells whether the tests would notice a change",
        "what a rule asks for, and why: fencepost explain FP101",
    ]
    assert third not in page(run, tmp_path)


def test_a_call_is_told_with_what_was_seen_and_an_input_made_of_it(told: Told, tmp_path: Path) -> None:
    code = "def tidy(name):\n    return name.strip()\n"
    seen = {"name.strip()": Sighting(1, (0,), samples=(("'ann'", 0),))}
    run = told(code, others=Verdict.NOT_INFECTED, seen=seen)
    (tmp_path / "shop.py").write_text(code, encoding="utf-8")
    text = page(run, tmp_path)
    assert block_of(text, "shop.py:2:12  FP201")[1:] == [
        "    2 |     return name.strip()",
        (
            "    No input shows `name.strip()`: with `name` in its place every result is the same (seen: 'ann'). "
            "Use an input with whitespace that `name.strip()` changes, such as ' ann '."
        ),
        "    a test to start from (for test_shop.py; not run):",
        "      def test_a_whitespace():",
        "          # use an input with whitespace that `name.strip()` changes, such as ' ann '",
        "          assert adult(17) == ...  # decide",
    ]
    assert "thresholds, and how many" not in text
    assert "\n0 of 0 thresholds with a test in each place that matters; 0 of 1 normalizing call with" in text


def test_a_new_test_file_is_told_as_such_without_blanks_at_line_ends(told: Told, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(ADULT, encoding="utf-8")
    lines = block_of(page(told(ADULT), tmp_path).replace("\n\n\n", "\n \n \n"), "shop.py:2:12")
    assert lines[-6:] == [
        "    a test to start from (for a new test file; not run):",
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
    assert "    just below  age < cap: no test\n" in text
    assert "    just above  age > cap: no test\n" in text
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
    assert any(line.startswith("gaps, most worth a test first") for line in lines) is bool(shown)


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
        ["shop.py:6:23", "FP101 boundary-at"],
        ["shop.py:6:12", "FP201 whitespace"],
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


def test_a_chain_is_told_link_by_link(told: Told, tmp_path: Path) -> None:
    code = "def f(x):\n    return 0 < x <= 9\n"
    seen = {"0 < x <= 9": Sighting(1, (0,), above=Nearest(1, "40", 22.0, 0, 1))}
    text = page(told(code, others=Verdict.NOT_INFECTED, seen=seen), tmp_path)
    assert "  shop.py:2:12  0 < x  below -1: none | at 0: none | above 1: none, nearest 40\n" in text
    assert "  shop.py:2:12  x <= 9  below 8: none | at 9: none | above 10: none, nearest 40\n" in text


def test_a_threshold_without_places_says_why(told: Told, tmp_path: Path) -> None:
    code = "def f(x):\n    return x > 1, x > 2, x > 3\n"
    seen = {"x > 2": Sighting(2, (0, 1)), "x > 3": Sighting(0, (), at_import=True)}
    text = page(told(code, seen=seen, others=Verdict.NOT_REACHED), tmp_path)
    assert "  shop.py:2:12  x > 1  no test runs it\n" in text
    assert "  shop.py:2:19  x > 2  2 tests, with values that could not be placed\n" in text
    assert "  shop.py:2:26  x > 3  when the code is loaded, by no test\n" in text


def test_members_that_no_test_uses_are_one_gap_in_words(told: Told, tmp_path: Path) -> None:
    code = "def f(x):\n    return x in ('a', 'b', 'c')\n"
    seen = {"x in ('a', 'b', 'c')": Sighting(1, (0,), samples=(("'a'", 0),))}
    text = page(told(code, others=Verdict.NOT_INFECTED, seen=seen), tmp_path)
    assert "    Not every member of `x in ('a', 'b', 'c')` is used by a test (seen: 'a'). Use `x` equal to " in text


def test_nothing_and_none_are_told_apart_by_an_input_of_a_kind_that_was_seen(told: Told, tmp_path: Path) -> None:
    code = "def f(name):\n    return 1 if name is None else 2\n"
    seen = {"name is None": Sighting(1, (0,), samples=(("'ann'", 0),))}
    text = page(told(code, others=Verdict.NOT_INFECTED, seen=seen), tmp_path)
    assert "(seen: 'ann'). Use `name` as '', which is false but not None.\n" in text
