"""The reports for other tools: valid for any run, and with exactly the right text whatever the source holds."""

from __future__ import annotations

import dataclasses
import io
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from fencepost import reports
from fencepost.analyzer.model import (
    FileScan,
    Finding,
    Gate,
    Judgement,
    Kill,
    KillKind,
    Mutant,
    Observation,
    Position,
    Run,
    ScanProblem,
    Sighting,
    Site,
    Span,
    TestRecord,
    Verdict,
)
from fencepost.analyzer.scan import scan_source
from fencepost.reports import github_report, gitlab_report, junit_report, sarif_report, stryker_report
from fencepost.reports._places import TestLines, folder_of, uri
from fencepost.reports._visible import LONGEST, cut
from fencepost.rules import all_rules
from tests import formats
from tests.unit.test_reports import SEEN_AROUND, TEST_A, a_boundary, a_run, a_site, write

NOWHERE = Path("/nowhere")
FINDING = Finding("T1-1", "FP301", "tests/test_shop.py", Span(Position(1, 1), Position(1, 2)), "odd", "seen", "warning")
HOSTILE = [
    "f('<script>alert(1)</script>')",
    "f('`` ` ```')",
    "f('::error::oh no', 'a,b:c%0A%25')",
    "f(']]>', '-->', '&amp;', '<![CDATA[')",
    "f('" + "x" * 10_000 + "')",
    "f('\x00\x01\x08\x0b\x0c\x1b[2J\x7f\x85')",
    "f('\u202eabc\u2066def\u200f\ufeff')",
    "f('\U0001f600\U00010348', '\u00e4\u0301')",
    "f('\ufffe\uffff\u2028\u2029')",
    "handlers[0](1)['{0}'](javascript)",
    "f('{{}}', {1: {2}})",
    'f(\'%s %d %%\', """\'""")',
]


@pytest.fixture(autouse=True)
def no_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    """The CI that runs these tests may have a summary of its own."""
    monkeypatch.delenv(github_report.SUMMARY, raising=False)


def rendered(reporter: reports.Reporter, run: Run, root: Path = NOWHERE) -> str:
    out = io.StringIO()
    reporter(run, out, root, 20)
    return out.getvalue()


def a_hostile_run(text: str) -> Run:
    """A survivor whose expression, replacement, tests and reasons are all this text, behind an astral character."""
    source = f"s = '\U0001f600'; t = {text}\n"
    site = a_site(source, text, [text + text[-1:]], ask=text, path="src/a b.py")
    test = TestRecord(0, f"tests/test_it.py::test_it[{text}]", 0.1, passed=True)
    kill = Judgement("s0", Verdict.SURVIVED, text, Kill(KillKind.ASSERTION, test.id, text))
    seen = {"s": Sighting(1, (0,), samples=((text, 0),))}
    run = a_run(site, text=source, judgements={"s0": kill}, sightings=seen, notes=(text,), left_out=(text,))
    observation = dataclasses.replace(run.observation, tests=(test,), unwoven={"src/c.py": text})  # type: ignore[type-var]  # there is one
    return dataclasses.replace(run, observation=observation)


# valid for any number of findings


@pytest.mark.parametrize("count", [0, 1, 3_000])
def test_any_number_of_findings_renders_validly_in_each_format(count: int) -> None:
    run = many(count)
    assert len(formats.sarif(rendered(sarif_report.report, run))["results"]) == count
    assert len(formats.gitlab(rendered(gitlab_report.report, run))) == count
    assert len(list(formats.junit(rendered(junit_report.report, run)).iter("failure"))) == count
    files = formats.stryker(rendered(stryker_report.report, run))["files"]
    assert sum(len(file["mutants"]) for file in files.values()) == count
    told = formats.workflow_commands(rendered(github_report.report, run))
    assert len(told) == min(count, 10)
    if count > 9:
        assert told[-1]["message"] == f"{count - 9} more findings: fencepost report --all"


def many(count: int) -> Run:
    """A run with so many lines that no test reaches."""
    sites = []
    for number in range(1, count + 1):
        span = Span(Position(number, 5), Position(number, 15))
        mutant = Mutant(f"FP101-{number}", f"s{number}", "FP101", "src/shop.py", span, "total >= 1", "total > 1", None)
        site = Site(f"s{number}", "FP101", "src/shop.py", span, "", "total >= 1", "threshold", "ask", mutants=(mutant,))
        sites.append(site)
    return a_run(*sites)


# whatever the source holds


@pytest.mark.parametrize("text", HOSTILE)
def test_sarif_tells_exactly_the_text_that_stands_in_the_source(text: str, tmp_path: Path) -> None:
    run = formats.sarif(rendered(sarif_report.report, a_hostile_run(text), tmp_path))
    [result] = run["results"]
    assert result["properties"]["changes"] == [{"original": cut(text), "replacement": cut(text + text[-1:])}]
    assert not re.search(r"\]\(", result["message"]["text"]), "a link"
    assert formats.message(result).startswith("No test notices `")
    [place] = result["locations"]
    region = place["physicalLocation"]["region"]
    line = f"s = '\U0001f600'; t = {text}\n".split("\n")[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == text
    assert run["columnKind"] == "unicodeCodePoints"


@pytest.mark.parametrize("text", HOSTILE)
def test_junit_tells_exactly_the_text_that_stands_in_the_source(text: str) -> None:
    root = formats.junit(rendered(junit_report.report, a_hostile_run(text)))
    [failure] = root.iter("failure")
    lines = (failure.text or "").split("\n")
    assert f"- {cut(text)}" in lines
    assert f"+ {cut(text + text[-1:])}" in lines
    assert f"nearest: {cut(f'tests/test_it.py::test_it[{text}]')}" in lines
    assert failure.attrib["message"].startswith("No test notices `")


@pytest.mark.parametrize("text", HOSTILE)
def test_the_mutant_of_stryker_is_the_mutant_in_units_of_javascript(text: str, tmp_path: Path) -> None:
    source = f"s = '\U0001f600'; t = {text}\n"
    write(tmp_path, source, "src/a b.py")
    document = formats.stryker(rendered(stryker_report.report, a_hostile_run(text), tmp_path))
    [file] = document["files"].values()
    [mutant] = file["mutants"]
    assert mutant["replacement"] == text + text[-1:]
    if "\n" not in source[:-1] and "\r" not in source:
        assert file["source"] == source
        assert formats.in_javascript(file["source"], mutant["location"]) == text
    assert len(mutant["statusReason"]) <= LONGEST


@pytest.mark.parametrize("text", HOSTILE)
def test_gitlab_and_github_tell_one_line_in_which_nothing_hides(text: str) -> None:
    run = a_hostile_run(text)
    [issue] = formats.gitlab(rendered(gitlab_report.report, run))
    [told] = formats.workflow_commands(rendered(github_report.report, run))
    assert issue["description"] == f"{told['title']}. {told['message']}"
    assert told["message"].isprintable()
    assert told["file"] == "src/a b.py"
    assert f"`{cut(text, 57)[:40]}" in told["message"]


def test_no_character_breaks_a_report() -> None:
    """Each control character, and some of each kind above, also as the name of a file and of a test."""
    odd = [*map(chr, range(0xA1)), "\u0378", "\ud800", "\udcff", "\ue000", "\ufffe", "\U0010ffff"]
    for one in odd:
        in_path = one if one != "\ud800" else ""  # no name of a file decodes to it
        site = a_site(path=f"src/{in_path}.py", ask=one)
        test = TestRecord(0, f"tests/{in_path}.py::test_{one}", 0.1, passed=True)
        observation = Observation((test,), {"s": Sighting(1, (0,))}, {}, {}, {})
        run = dataclasses.replace(a_run(site, verdicts={"s0": Verdict.SURVIVED}), observation=observation)
        assert len(formats.sarif(rendered(sarif_report.report, run))["results"]) == 1
        assert len(list(formats.junit(rendered(junit_report.report, run)).iter("failure"))) == 1
        assert len(formats.workflow_commands(rendered(github_report.report, run))) == 1
        assert len(formats.gitlab(rendered(gitlab_report.report, run))) == 1
        assert len(formats.stryker(rendered(stryker_report.report, run))["files"]) == 1


@pytest.mark.parametrize("name", ["sarif", "junit", "gitlab", "stryker", "github", "html"])
def test_an_output_that_knows_only_ascii_breaks_no_report(name: str) -> None:
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\n")
    reports._reporter(name)(a_hostile_run("f('\U0001f600\u00e4')"), out, NOWHERE, 20)
    out.flush()


# how grave it is


def each(gate: Gate | None = None) -> Run:
    """A run with a mutant of each verdict, named after it, and a finding."""
    sites = [a_boundary(name=verdict.value) for verdict in Verdict]
    verdicts = {f"{verdict.value}0": verdict for verdict in Verdict}
    judgements = {
        key: Judgement(key, verdict, f"why {verdict.value}", seconds=0.25) for key, verdict in verdicts.items()
    }
    return a_run(*sites, judgements=judgements, findings=(FINDING,), gate=gate)


LEVELS = [("survived0", "error"), ("not-infected0", "warning"), ("T1-1", "warning"), ("not-reached0", "note")]
GATE = Gate(
    "main", {}, failing=("not-reached0", "unknown0"), warned=("survived0",), accepted=("not-infected0",), per_line=9
)
GATED = [("not-reached0", "error"), ("unknown0", "error"), ("survived0", "warning"), ("T1-1", "warning")]


@pytest.mark.parametrize(("gate", "expected"), [(None, LEVELS), (GATE, GATED)])
def test_the_level_follows_the_gate_or_else_the_verdict(gate: Gate | None, expected: list[tuple[str, str]]) -> None:
    run = each(gate=gate)
    results = formats.sarif(rendered(sarif_report.report, run))["results"]
    assert [(one["partialFingerprints"]["fencepostId/v1"], one["level"]) for one in results] == expected
    words = {"error": "major", "warning": "minor", "note": "info"}
    issues = formats.gitlab(rendered(gitlab_report.report, run))
    assert [(one["fingerprint"], one["severity"]) for one in issues] == [(key, words[level]) for key, level in expected]
    commands = [one["command"] for one in formats.workflow_commands(rendered(github_report.report, run))]
    assert commands == [level.replace("note", "notice") for _, level in expected]


def cases(run: Run) -> dict[str, str]:
    """The id and the result of each case of a JUnit report."""
    found = {}
    for case in formats.junit(rendered(junit_report.report, run)).iter("testcase"):
        name = re.sub(r".*\[(.*)\]", r"\1", case.attrib["name"])
        found[name] = next((part.tag for part in case), "passed")
    return found


def test_a_gap_is_a_failure_and_what_is_unknown_is_no_success() -> None:
    assert cases(each()) == {
        "killed0": "passed",
        "timeout0": "passed",
        "survived0": "failure",
        "not-infected0": "failure",
        "not-reached0": "failure",
        "invalid0": "skipped",
        "ignored0": "skipped",
        "unknown0": "skipped",
        "T1-1": "failure",
    }


def test_under_a_gate_only_what_breaks_it_is_a_failure() -> None:
    results = cases(each(gate=GATE))
    assert {name for name, result in results.items() if result == "failure"} == {"not-reached0", "unknown0"}
    assert {name for name, result in results.items() if result == "passed"} == {"killed0", "timeout0"}


def test_a_skipped_case_says_why() -> None:
    root = formats.junit(rendered(junit_report.report, each(gate=GATE)))
    messages = {part.attrib["message"] for part in root.iter("skipped")}
    assert {"ignored: why ignored", "invalid: why invalid", "not-infected: accepted by the baseline"} <= messages
    assert any(text.startswith("does not fail the gate: No test notices") for text in messages)


def test_a_case_is_named_by_its_change_and_grouped_by_its_module() -> None:
    run = each()
    root = formats.junit(rendered(junit_report.report, run))
    assert [suite.attrib["name"] for suite in root] == ["src/shop.py", "tests/test_shop.py"]
    [case] = [one for one in root.iter("testcase") if "killed0" in one.attrib["name"]]
    assert case.attrib["name"] == "FP101 boundary-at: total >= 100 -> total > 100 [killed0]"
    assert (case.attrib["classname"], case.attrib["time"]) == ("src.shop", "0.250")
    types = [failure.attrib["type"] for failure in root.iter("failure")]
    assert types == ["survived", "not-infected", "not-reached", "FP301"]


def test_mutants_that_one_test_closes_are_one_case() -> None:
    run = a_run(a_site(replacements=("total > 100", "total == 100")))
    assert cases(run) == {"s0": "failure"}
    [failure] = formats.junit(rendered(junit_report.report, run)).iter("failure")
    assert (failure.text or "").count("\n+ total") == 2


def test_the_suites_are_in_the_order_of_their_paths() -> None:
    run = a_run(a_site(name="b", path="src/b.py"), a_site(name="a", path="src/a.py"))
    root = formats.junit(rendered(junit_report.report, run))
    assert [suite.attrib["name"] for suite in root] == ["src/a.py", "src/b.py"]


def test_a_run_that_ended_early_is_no_success_in_any_format() -> None:
    run = a_run(a_site(), verdicts={"s0": Verdict.KILLED}, complete=False)
    assert formats.sarif(rendered(sarif_report.report, run))["invocations"][0]["executionSuccessful"] is False
    [error] = formats.junit(rendered(junit_report.report, run)).iter("error")
    assert error.attrib["message"] == "the run ended early: what it did not establish is unknown"
    [told] = formats.workflow_commands(rendered(github_report.report, run))
    assert (told["command"], told["message"]) == ("warning", "The run ended early: what it did not try is unknown.")


def test_files_that_could_not_be_read_and_notes_are_told() -> None:
    broken = FileScan("src/bad.py", "0", problem=ScanProblem("src/bad.py", 3, "invalid syntax"))
    run = a_run(notes=("2 tests left out",), left_out=("-x",), files=(broken,))
    told = formats.sarif(rendered(sarif_report.report, run))["invocations"][0]["toolExecutionNotifications"]
    assert [(one["level"], one["message"]["text"]) for one in told] == [
        ("note", "2 tests left out"),
        ("note", "left out: -x"),
        ("error", "not read: invalid syntax"),
    ]
    assert told[2]["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    [error] = formats.junit(rendered(junit_report.report, run)).iter("error")
    assert error.attrib["message"] == "line 3: invalid syntax"


def test_a_file_that_could_not_be_read_at_all_is_told_at_its_first_line() -> None:
    broken = FileScan("src/bad.py", "0", problem=ScanProblem("src/bad.py", 0, "no UTF-8"))
    [told] = formats.sarif(rendered(sarif_report.report, a_run(files=(broken,))))["invocations"][0][
        "toolExecutionNotifications"
    ]
    assert told["locations"][0]["physicalLocation"]["region"] == {"startLine": 1}


def test_files_that_were_not_watched_are_told_in_the_order_of_their_paths() -> None:
    run = a_run(a_site())
    observation = Observation((), {}, {}, {}, {"src/b.py": "compiled", "src/a.py": "zipped"})
    found = formats.sarif(rendered(sarif_report.report, dataclasses.replace(run, observation=observation)))
    told = found["invocations"][0]["toolExecutionNotifications"]
    assert [one["message"]["text"] for one in told] == ["not watched: zipped", "not watched: compiled"]


# SARIF


def test_each_result_of_sarif_leads_to_the_page_of_its_rule() -> None:
    run = formats.sarif(rendered(sarif_report.report, each()))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.code for rule in all_rules()] + ["FP301"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    first = rules[0]
    assert first["shortDescription"]["text"] == "A comparison whose threshold no test stands on."
    assert first["fullDescription"]["text"].startswith("Takes the equality out of each `<=`")
    assert first["help"]["text"].startswith("What it does\nTakes")
    assert first["help"]["markdown"].startswith("## What it does\nTakes")
    assert "## What to do" in first["help"]["markdown"]
    assert "\n" not in first["fullDescription"]["text"]
    assert "Off-by-one" not in first["fullDescription"]["text"]
    assert [one["properties"]["verdict"] for one in run["results"]] == ["survived", "not-infected", None, "not-reached"]


def test_a_message_of_sarif_has_neither_links_nor_placeholders_of_its_own() -> None:
    assert sarif_report._message("a[0](1) {2} }{") == {"text": "a[0] (1) {{2}} }}{{"}


def test_rules_that_this_version_does_not_know_are_listed_by_their_codes() -> None:
    run = a_run(a_site(name="a", rule="FP999"), a_boundary(name="b", rule="FP998", path="src/b.py"))
    rules = formats.sarif(rendered(sarif_report.report, run))["tool"]["driver"]["rules"]
    assert rules[-2:] == [{"id": "FP998"}, {"id": "FP999"}]


def test_the_fingerprint_stays_when_lines_above_move() -> None:
    def prints(text: str) -> list[str]:
        scan = scan_source(text.encode(), "src/shop.py", all_rules())
        judgements = {one.id: Judgement(one.id, Verdict.SURVIVED, "") for site in scan.sites for one in site.mutants}
        run = Run("run", "/nowhere", (), (scan,), None, judgements)
        results = formats.sarif(rendered(sarif_report.report, run))["results"]
        return [result["partialFingerprints"]["fencepostId/v1"] for result in results]

    code = "def free(total):\n    return total >= 100\n"
    assert len(prints(code)) > 1
    assert prints(code) == prints(f"import os\n\n\n{code}")


def test_the_nearest_tests_are_related_locations_with_their_lines(tmp_path: Path) -> None:
    write(tmp_path, "import pytest\n\n\ndef test_a():\n    pass\n", "tests/test_shop.py")
    run = a_run(a_boundary(), verdicts={"s0": Verdict.NOT_INFECTED}, sightings={"s": SEEN_AROUND})
    [result] = formats.sarif(rendered(sarif_report.report, run, tmp_path))["results"]
    first, second = result["relatedLocations"]
    assert first["message"]["text"] == TEST_A
    assert first["physicalLocation"] == {
        "artifactLocation": {"uri": "tests/test_shop.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 4},
    }
    assert "region" not in second["physicalLocation"]  # there is no test_b
    assert "should `total` of exactly 100 be treated like" in result["message"]["text"]


def test_no_path_of_this_machine_is_in_a_report(tmp_path: Path) -> None:
    run = dataclasses.replace(each(), root=str(tmp_path))
    reporters: Iterable[reports.Reporter] = map(reports._reporter, ("sarif", "junit", "gitlab", "stryker", "github"))
    assert all(str(tmp_path) not in rendered(reporter, run, tmp_path) for reporter in reporters)


# places


def test_paths_are_those_in_the_repository(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    project = tmp_path / "services" / "shop"
    project.mkdir(parents=True)
    assert folder_of(project) == "services/shop/"
    assert folder_of(tmp_path) == ""
    [result] = formats.sarif(rendered(sarif_report.report, a_run(a_site()), project))["results"]
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "services/shop/src/shop.py", "uriBaseId": "%SRCROOT%"}
    [issue] = formats.gitlab(rendered(gitlab_report.report, a_run(a_site()), project))
    assert issue["location"]["path"] == "services/shop/src/shop.py"
    [told] = formats.workflow_commands(rendered(github_report.report, a_run(a_site()), project))
    assert told["file"] == "services/shop/src/shop.py"


def test_outside_of_a_repository_paths_are_those_in_the_project(tmp_path: Path) -> None:
    assert folder_of(tmp_path) == ""


def test_a_path_is_a_uri_whatever_its_bytes() -> None:
    assert uri("src/a b%c:d.py") == "src/a%20b%25c%3Ad.py"
    assert uri("\u00e4\udcff.py") == "%C3%A4%FF.py"


def test_a_test_is_found_by_its_name_also_in_a_class_and_with_parameters(tmp_path: Path) -> None:
    text = "class TestIt:\n    @staticmethod\n    def test_a(n):\n        pass\n\n\nasync def test_b():\n    pass\n"
    write(tmp_path, text, "test_it.py")
    write(tmp_path, "def (", "test_broken.py")
    lines = TestLines(tmp_path)
    assert lines.line("test_it.py::TestIt::test_a[1::2]") == 3
    assert lines.line("test_it.py::test_b") == 7
    assert lines.line("test_it.py::test_c") is None
    assert lines.line("test_it.py::TestOther::test_a") is None
    assert lines.line("test_broken.py::test_a") is None
    assert lines.line("test_missing.py::test_a") is None
    assert lines.line("README.md") is None


# stryker


def test_each_verdict_has_its_status() -> None:
    [file] = formats.stryker(rendered(stryker_report.report, each()))["files"].values()
    assert {one["id"].removesuffix("0"): one["status"] for one in file["mutants"]} == {
        "killed": "Killed",
        "timeout": "Timeout",
        "survived": "Survived",
        "not-infected": "Survived",
        "not-reached": "NoCoverage",
        "invalid": "CompileError",
        "ignored": "Ignored",
        "unknown": "Pending",
    }
    assert {one["statusReason"] for one in file["mutants"]} >= {"ignored: why ignored", "unknown: why unknown"}
    assert all(one["duration"] == 250 for one in file["mutants"])


def test_times_are_whole_milliseconds_and_a_reason_may_be_missing() -> None:
    run = a_run(a_site(), judgements={"s0": Judgement("s0", Verdict.SURVIVED, "", seconds=0.25049)})
    [file] = formats.stryker(rendered(stryker_report.report, run))["files"].values()
    assert (file["mutants"][0]["duration"], file["mutants"][0]["statusReason"]) == (250, "survived")


def test_a_file_without_mutants_is_no_mutated_file_and_a_test_may_be_a_whole_file() -> None:
    run = a_run(dataclasses.replace(a_site(), mutants=()))
    observation = Observation((TestRecord(0, "docs/page.md", 0.1, passed=True),), {}, {}, {}, {})
    document = formats.stryker(rendered(stryker_report.report, dataclasses.replace(run, observation=observation)))
    assert document["files"] == {}
    assert document["testFiles"] == {"docs/page.md": {"tests": [{"id": "docs/page.md", "name": "docs/page.md"}]}}


def test_a_killed_mutant_names_the_tests_that_run_and_kill_it() -> None:
    kill = Kill(KillKind.ASSERTION, TEST_A, "assert 1 == 2")
    judgements = {"s0": Judgement("s0", Verdict.KILLED, "a test fails", kill)}
    run = a_run(a_site(), judgements=judgements, sightings={"s": Sighting(1, (0,), at_import=True)})
    document = formats.stryker(rendered(stryker_report.report, run))
    [file] = document["files"].values()
    [mutant] = file["mutants"]
    assert (mutant["killedBy"], mutant["coveredBy"], mutant["static"]) == ([TEST_A], [TEST_A], True)
    assert mutant["statusReason"] == "killed: a test fails; assertion: assert 1 == 2"
    [tests] = document["testFiles"].values()
    assert [test["name"] for test in tests["tests"]] == ["test_a", "test_b"]
    elsewhere = dataclasses.replace(kill, test="tests/test_gone.py::test_x")
    run = a_run(a_site(), judgements={"s0": dataclasses.replace(judgements["s0"], kill=elsewhere)})
    [file] = formats.stryker(rendered(stryker_report.report, run))["files"].values()
    assert file["mutants"][0]["killedBy"] == []


def test_of_a_file_that_changed_since_the_run_only_what_is_known_is_shown(tmp_path: Path) -> None:
    write(tmp_path, "something else\n")
    source = "x = [\n  a >= 1, b >= 22,\n]\n"
    sites = [a_site(source, "a >= 1", name="a"), a_site(source, "b >= 22", name="b")]
    run = a_run(*sites, text=source)
    [file] = formats.stryker(rendered(stryker_report.report, run, tmp_path))["files"].values()
    assert file["source"] == "\n  a >= 1  b >= 22"
    texts = [formats.in_javascript(file["source"], one["location"]) for one in file["mutants"]]
    assert texts == ["a >= 1", "b >= 22"]


# GitHub


def gaps_of(verdicts: dict[Verdict, int]) -> Run:
    """A run with so many gaps of each verdict, a line each."""
    wanted = [verdict for verdict, count in verdicts.items() for _ in range(count)]
    run = many(len(wanted))
    judged = {f"FP101-{number}": Judgement(f"FP101-{number}", one, "") for number, one in enumerate(wanted, start=1)}
    return dataclasses.replace(run, judgements=judged)


def commands(run: Run) -> list[str]:
    return [one["command"] for one in formats.workflow_commands(rendered(github_report.report, run))]


def test_github_is_told_no_more_of_a_level_than_it_shows() -> None:
    run = gaps_of({Verdict.SURVIVED: 11, Verdict.NOT_INFECTED: 11, Verdict.NOT_REACHED: 11})
    assert commands(run) == ["error"] * 10 + ["warning"] * 10 + ["notice"] * 10
    assert formats.workflow_commands(rendered(github_report.report, run))[-1]["message"].startswith("4 more findings:")
    early = dataclasses.replace(run, complete=False)
    assert commands(early).count("warning") == 10


def test_no_count_is_told_where_all_are_shown() -> None:
    assert commands(gaps_of({Verdict.SURVIVED: 10, Verdict.NOT_REACHED: 9})) == ["error"] * 10 + ["notice"] * 9


def test_a_gate_shows_few_of_one_line_and_file_first() -> None:
    run = gaps_of({Verdict.SURVIVED: 9})
    failing = tuple(run.judgements)
    gate = Gate("main", {}, failing=failing, per_file=7)
    told = formats.workflow_commands(rendered(github_report.report, dataclasses.replace(run, gate=gate)))
    assert [one["command"] for one in told] == ["error"] * 7 + ["notice"]
    assert told[-1]["message"].startswith("2 more findings:")
    source = "x = [a >= 1, b >= 22]\n"
    sites = [a_site(source, "a >= 1", name="a"), a_site(source, "b >= 22", name="b")]
    one_line = a_run(*sites, text=source, gate=Gate("main", {}, failing=("a0", "b0")))
    assert commands(one_line) == ["error", "notice"]


def test_an_annotation_of_several_lines_has_no_columns() -> None:
    source = "x = (a\n  >= 1)\n"
    [told] = formats.workflow_commands(rendered(github_report.report, a_run(a_site(source, "a\n  >= 1"), text=source)))
    assert (told["line"], told["endLine"]) == ("1", "2")
    assert "col" not in told
    [told] = formats.workflow_commands(rendered(github_report.report, a_run(a_site())))
    assert (told["line"], told["endLine"], told["col"], told["endColumn"]) == ("2", "2", "12", "24")


def test_properties_and_messages_are_escaped_as_the_runner_reads_them() -> None:
    command = github_report._command("error", {"title": "a:b,c%d\r\n"}, "x:y,z%0A\n::error::")
    assert command == "::error title=a%3Ab%2Cc%25d%0D%0A::x:y,z%250A%0A::error::"


def test_the_summary_of_the_step_grows_by_each_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("# before\n", encoding="utf-8")
    monkeypatch.setenv(github_report.SUMMARY, str(summary))
    rendered(github_report.report, a_run(a_site()))
    rendered(github_report.report, a_run(a_site()))
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("# before\n")
    assert text.count("**fencepost**") == 2


# formats


def test_each_report_file_is_a_format() -> None:
    expected = {"terminal", "json", "sarif", "junit", "gitlab", "stryker", "github", "comment"}
    assert expected <= set(reports.formats())
    for name in reports.formats():
        assert callable(reports._reporter(name))
