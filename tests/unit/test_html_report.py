"""The HTML page before its script runs: its data, its policy, what it escapes."""

from __future__ import annotations

import dataclasses
import io
from pathlib import Path

import pytest

from fencepost.analyzer.model import Gate, Infection, Judgement, Kill, KillKind, Run, Sighting, TestRecord, Verdict
from fencepost.reports import html_report
from tests.page import Page, page
from tests.unit.test_reporters import HOSTILE, NOWHERE, a_hostile_run, many
from tests.unit.test_reports import SEEN_AROUND, SHOP, TEST_A, a_boundary, a_run, a_site, write


def rendered(run: Run, root: Path = NOWHERE) -> Page:
    out = io.StringIO()
    html_report.report(run, out, root, None)
    out.getvalue().encode()  # as every output is
    return page(out.getvalue())


@pytest.mark.parametrize("count", [0, 1, 3_000])
def test_any_number_of_gaps_renders(count: int) -> None:
    found = rendered(many(count))
    assert len(found.data["gaps"]) == count
    assert len(found.data["mutants"]) == count


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_in_the_data_as_it_is_and_hides_nowhere(text: str, tmp_path: Path) -> None:
    run = a_hostile_run(text)
    found = rendered(run, write(tmp_path, f"s = '\U0001f600'; t = {text}\n", "src/a b.py"))
    [mutant] = found.data["mutants"]
    assert mutant["original"] == text
    assert mutant["kill"]["message"] == mutant["reason"] == text
    assert found.data["files"][0]["lines"] == [f"s = '\U0001f600'; t = {text}"]
    assert found.data["tests"] == [f"tests/test_it.py::test_it[{text}]"]
    assert all(one.isprintable() or one == "\n" for one in found.text)
    assert len(found.named("script")) == 2


def test_no_character_breaks_the_page() -> None:
    every = "".join(map(chr, [*range(0x3000), *range(0xD7F0, 0xE010), *range(0xFFF0, 0x10010)]))
    found = rendered(a_run(a_site(), notes=(every,)))
    assert all(one.isprintable() or one == "\n" for one in found.text)
    assert "\\u202e" in found.text
    assert "\\ud800" in found.text


def test_the_places_and_mutants_of_one_expression_are_together() -> None:
    one, other = a_site(name="a"), a_site(name="b", rule="FP102", replacements=("total >= 99",))
    found = rendered(a_run(one, other))
    assert len(found.data["places"]) == 1
    assert [mutant["place"] for mutant in found.data["mutants"]] == [0, 0]
    assert found.data["rules"] == {"FP101": "boundary-at", "FP102": "boundary-below"}


def test_a_mutant_is_told_with_its_kill_and_the_first_of_its_tests() -> None:
    numbers = tuple(range(30))
    tests = tuple(TestRecord(number, f"t.py::test_{number}", 0.1, passed=True) for number in numbers)
    kill = Judgement("s0", Verdict.KILLED, "noticed", Kill(KillKind.CRASH, "t.py::test_0", "boom"), confirmed=True)
    infections = {"s0": Infection(30, numbers)}
    run = a_run(a_site(), judgements={"s0": kill}, sightings={"s": Sighting(31, numbers)}, infections=infections)
    assert run.observation is not None
    run = dataclasses.replace(run, observation=dataclasses.replace(run.observation, tests=tests))
    [mutant] = rendered(run).data["mutants"]
    assert mutant["kill"] == {"kind": "crash", "test": "t.py::test_0", "message": "boom"}
    assert (mutant["reached"], len(mutant["reachedBy"])) == (31, 20)
    assert (mutant["infected"], len(mutant["infectedBy"])) == (30, 20)
    assert (mutant["verdict"], mutant["confirmed"]) == ("killed", True)


def test_a_gap_comes_with_what_to_do_and_its_question() -> None:
    run = a_run(a_boundary(), verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": SEEN_AROUND})
    found = rendered(run).data
    [gap], [place] = found["gaps"], found["places"]
    assert gap["do"].startswith("No test stands on 100")
    assert gap["question"]["ask"] == "In `free_shipping`, should `total` of exactly 100 be treated like 99 or like 101?"
    [line] = place["lines"]
    assert [(post["value"], post["wanted"]) for post in line["posts"] if post["near"]] == [
        ("99", False), ("100", True), ("101", False),
    ]  # fmt: skip
    assert found["tests"][line["posts"][0]["test"]] == TEST_A


def test_of_a_file_that_changed_since_the_run_only_what_was_looked_at_is_shown(tmp_path: Path) -> None:
    run = a_run(a_site(), a_site(name="b", part="100", replacements=("101",)))
    [file] = rendered(run, write(tmp_path, "# another\n" + SHOP)).data["files"]
    assert not file["whole"]
    assert file["lines"] == [[2, "           total >= 100"]]


def test_the_table_has_each_file_with_its_score_and_leads_to_its_source() -> None:
    run = a_run(a_site(), a_site(name="b", path="src/a.py"), verdicts={"s0": Verdict.KILLED, "b0": Verdict.SURVIVED})
    found = rendered(run)
    rows = [one.get("data-file") for one in found.named("tr") if "data-file" in one]
    assert rows == ["1", "0"], "sorted by path, numbered as in the data"
    assert [found.data["files"][int(number or 0)]["path"] for number in rows] == ["src/a.py", "src/shop.py"]
    assert "50.0 %" in found.text
    text = " ".join(found.text.split())
    assert "src/a.py 0.0 %100.0 %1" in text, "the score, the oracle gap, the mutants"
    assert "src/shop.py 100.0 %0.0 %1" in text


def test_lines_that_a_work_changed_are_known_under_a_gate_alone() -> None:
    sites = (a_site(), a_site(name="b", path="src/a.py"), a_site(name="c", path="src/new.py"))
    assert rendered(a_run(*sites)).data["changesKnown"] is False
    gate = Gate("main", {"src/shop.py": (2,), "src/a.py": (1,), "src/new.py": None}, ("1 gap",), failing=("s0",))
    found = rendered(a_run(*sites, command="gate", gate=gate))
    assert found.data["changesKnown"] is True
    assert {one["id"]: one["changed"] for one in found.data["mutants"]} == {"s0": True, "b0": False, "c0": True}
    assert {one["id"]: one["remarks"] for one in found.data["mutants"] if one["remarks"]} == {"s0": ["fails the gate"]}
    assert "Gate failed: 1 gap" in found.text


def test_style_and_script_are_ascii_since_no_reference_is_read_in_them() -> None:
    found = rendered(a_run(a_site()))
    assert all(one.isascii() for one in (*found.styles, *found.scripts))


def test_a_run_without_mutants_says_so() -> None:
    found = rendered(a_run())
    assert "Nothing to change in scope" in found.text
    assert not found.named("table")


def test_gaps_alone_give_no_score() -> None:
    found = rendered(a_run(a_site(), command="gaps"))
    assert "no score: none was run" in found.text
    assert "0.0 %" not in found.text


def test_a_run_that_ended_early_says_so_first() -> None:
    found = rendered(a_run(a_site(), complete=False, notes=("more",)))
    assert "what it did not establish is unknown" in found.text
    assert [one for one in found.named("details") if "open" in one]
