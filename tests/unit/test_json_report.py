"""The JSON document: valid against its schema, complete, the same on every run, and true to the source."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

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
    Run,
    Sighting,
    Site,
    Span,
    TestRecord,
    Verdict,
)
from fencepost.analyzer.scan import scan_source
from fencepost.reports.json_report import document, report, schema
from fencepost.rules import all_rules

SHOP = b"def free_shipping(total):\n    return total >= 100\n"
IN_LINE_TWO = Span(Position(2, 12), Position(2, 24))


def scanned(data: bytes = SHOP, path: str = "src/shop.py", *codes: str) -> FileScan:
    """A file as the real rules see it; `codes` choose among them."""
    return scan_source(data, path, [rule for rule in all_rules() if not codes or rule.code in codes])


def a_site(name: str = "s", verdict_count: int = 1) -> Site:
    """A site with mutants `s0`, `s1` and so on."""
    mutants = tuple(
        Mutant(f"{name}{number}", name, "FP101", "src/shop.py", IN_LINE_TWO, "total >= 100", f"total > {number}", None)
        for number in range(verdict_count)
    )
    return Site(
        name, "FP101", "src/shop.py", IN_LINE_TWO, "free_shipping", "total >= 100", "threshold", "ask", mutants=mutants
    )


def a_run(*files: FileScan, judgements: tuple[Judgement, ...] = (), **observed: object) -> Run:
    """A run of three tests over the files."""
    tests = tuple(TestRecord(number, f"tests/test_shop.py::test_{number}", 0.5, passed=True) for number in range(3))
    parts: dict[str, Any] = {"tests": tests, "sightings": {}, "infections": {}, "alike": {}, "unwoven": {}}
    by_mutant = {judgement.mutant: judgement for judgement in judgements}
    return Run("run", "/home/ann/shop", ("-q",), files, Observation(**{**parts, **observed}), by_mutant, seconds=3.0)


def file_of(*sites: Site) -> FileScan:
    return FileScan("src/shop.py", "0" * 64, sites)


def check(run: Run) -> dict[str, Any]:
    """The document of a run as a reader gets it, after it met the schema."""
    stream = io.StringIO()
    report(run, stream, Path(run.root), None)
    loaded: dict[str, Any] = json.loads(stream.getvalue())
    jsonschema.Draft202012Validator(schema()).validate(loaded)
    return loaded


def a_full_run() -> Run:
    """A run in which every part of the document is filled."""
    verdicts = list(Verdict)
    judgements = tuple(Judgement(f"s{number}", verdict, "why") for number, verdict in enumerate(verdicts))
    killed = dataclasses.replace(
        judgements[0], kill=Kill(KillKind.CRASH, "tests/test_shop.py::test_1", "E"), seconds=0.2, confirmed=True
    )
    seen = Sighting(
        2, (0, 2), Nearest(2, "99", 1.0, 0, 1), Nearest(), Nearest(1, "120", 20.0, 2, 1), (("99", 0), ("120", 2))
    )
    run = a_run(
        file_of(a_site(verdict_count=len(verdicts))),
        scanned(path="src/real.py"),
        scanned(b"def (", "src/broken.py"),
        judgements=(killed, *judgements[1:]),
        sightings={"s": seen},
        infections={"s0": Infection(1, (2,))},
        alike={"s1": "s0"},
        unwoven={"src/frozen.py": "read from a zip file"},
    )
    place = Span(Position(1, 1), Position(2, 1))
    finding = Finding("f", "FP301", "tests/test_shop.py", place, "asserts nothing", "reaches 14 sites", "warning")
    return dataclasses.replace(run, findings=(finding,), notes=("a note",), left_out=("a test",), complete=False)


def test_a_run_with_everything_in_it_meets_the_schema() -> None:
    found = check(a_full_run())
    assert all(found[part] for part in ("problems", "unwatched", "tests", "sites", "mutants", "findings", "notes"))


def test_an_empty_run_and_a_scan_without_observation_meet_the_schema() -> None:
    check(a_run())
    scan_only = check(Run("scan", ".", (), (scanned(),), None, {}))
    assert {site["observed"] for site in scan_only["sites"]} == {None}
    assert {mutant["verdict"] for mutant in scan_only["mutants"]} == {"unknown"}


def test_the_schema_itself_is_valid_and_strict_everywhere() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())

    def objects(part: object) -> list[dict[str, Any]]:
        if isinstance(part, list):
            return [found for item in part for found in objects(item)]
        if not isinstance(part, dict):
            return []
        return ([part] if part.get("type") == "object" else []) + objects(list(part.values()))

    for part in objects(schema()):
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])


def test_the_schema_knows_exactly_the_verdicts_and_kinds_of_kill_of_the_model() -> None:
    definitions = schema()["$defs"]
    assert definitions["verdict"]["enum"] == [verdict.value for verdict in Verdict]
    assert list(definitions["verdict_counts"]["properties"]) == [verdict.value for verdict in Verdict]
    assert definitions["kill_kind"]["enum"] == [kind.value for kind in KillKind]
    assert list(definitions["kill_counts"]["properties"]) == [kind.value for kind in KillKind]


@pytest.mark.parametrize(
    ("part", "field", "value"),
    [("mutants", "verdict", "fine"), ("mutants", "extra", 1), ("sites", "start", {"line": 0, "column": 1})],
)
def test_the_schema_refuses_what_the_report_never_writes(part: str, field: str, value: object) -> None:
    broken = document(a_full_run())
    broken[part][0][field] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema()).validate(broken)


def test_a_mutant_tells_its_verdict_kill_and_tests() -> None:
    mutant = check(a_full_run())["mutants"][0]
    assert mutant == {
        "id": "s0",
        "site": "s",
        "rule": "FP101",
        "path": "src/shop.py",
        "start": {"line": 2, "column": 12},
        "end": {"line": 2, "column": 24},
        "original": "total >= 100",
        "replacement": "total > 0",
        "verdict": "killed",
        "reason": "why",
        "kill": {"kind": "crash", "test": "tests/test_shop.py::test_1", "message": "E"},
        "reached_by": ["tests/test_shop.py::test_0", "tests/test_shop.py::test_2"],
        "reached_by_count": 2,
        "infected_by": ["tests/test_shop.py::test_2"],
        "infected_by_count": 1,
        "alike": None,
        "seconds": 0.2,
        "confirmed": True,
    }


def test_a_site_tells_what_was_seen_on_each_side_of_its_threshold() -> None:
    site = check(a_full_run())["sites"][0]
    assert site["name"] == "boundary-at"
    assert site["observed"] == {
        "reached": 2,
        "below": {"tests": 2, "nearest": "99", "nearest_tests": 1, "nearest_test": "tests/test_shop.py::test_0"},
        "at": {"tests": 0, "nearest": None, "nearest_tests": 0, "nearest_test": None},
        "above": {"tests": 1, "nearest": "120", "nearest_tests": 1, "nearest_test": "tests/test_shop.py::test_2"},
        "samples": [
            {"value": "99", "test": "tests/test_shop.py::test_0"},
            {"value": "120", "test": "tests/test_shop.py::test_2"},
        ],
    }


def test_the_summary_counts_every_verdict_and_scores_the_five_that_count() -> None:
    run = a_full_run()
    summary = check(dataclasses.replace(run, files=run.files[:1]))["summary"]
    assert summary["verdicts"] == dict.fromkeys([verdict.value for verdict in Verdict], 1)
    assert summary["kills"]["crash"] == 1
    assert (summary["score"], summary["oracle_gap"]) == (0.4, 0.4)
    assert summary["files"] == [
        {
            "path": "src/shop.py",
            **{key: summary[key] for key in ("score", "oracle_gap", "mutants", "verdicts", "kills")},
        }
    ]


def test_the_score_is_null_when_nothing_counts() -> None:
    assert check(a_run())["summary"]["score"] is None


def test_the_score_and_the_seconds_are_rounded_to_four_places() -> None:
    judgements = tuple(
        Judgement(f"s{number}", verdict, "", seconds=0.123456)
        for number, verdict in enumerate((Verdict.KILLED, Verdict.KILLED, Verdict.SURVIVED))
    )
    run = a_run(file_of(a_site(verdict_count=3)), judgements=judgements)
    found = check(dataclasses.replace(run, seconds=3.00006))
    assert (found["summary"]["score"], found["summary"]["seconds"]) == (0.6667, 3.0001)
    assert {mutant["seconds"] for mutant in found["mutants"]} == {0.1235}


def test_files_that_were_not_watched_come_in_the_order_of_their_paths() -> None:
    found = check(a_run(unwoven={"src/b.py": "read from a zip", "src/a.py": "never loaded"}))
    assert found["unwatched"] == [
        {"path": "src/a.py", "reason": "never loaded"},
        {"path": "src/b.py", "reason": "read from a zip"},
    ]


def test_at_most_twenty_tests_are_listed_in_the_order_of_collection_beside_the_count_of_all() -> None:
    tests = tuple(TestRecord(number, f"test_{number}", 0.0, passed=True) for number in range(30))
    seen = {"s": Sighting(30, tuple(reversed(range(30))))}
    mutant = check(a_run(file_of(a_site()), tests=tests, sightings=seen))["mutants"][0]
    assert mutant["reached_by"] == [f"test_{number}" for number in range(20)]
    assert mutant["reached_by_count"] == 30


def test_nothing_but_seconds_depends_on_time_or_on_the_order_of_arrival() -> None:
    def without_seconds(part: object) -> object:
        if isinstance(part, list):
            return [without_seconds(item) for item in part]
        if isinstance(part, dict):
            return {key: without_seconds(value) for key, value in part.items() if key != "seconds"}
        return part

    run = a_full_run()
    assert run.observation is not None
    slower = tuple(dataclasses.replace(test, seconds=9.0) for test in run.observation.tests)
    later = dict(reversed([(key, dataclasses.replace(one, seconds=8.0)) for key, one in run.judgements.items()]))
    other = dataclasses.replace(
        run,
        seconds=7.0,
        root="/elsewhere",
        judgements=later,
        observation=dataclasses.replace(run.observation, tests=slower, seconds=6.0),
    )
    assert document(run) != document(other)
    assert json.dumps(without_seconds(document(run))) == json.dumps(without_seconds(document(other)))


def applied(path: Path, mutant: dict[str, Any]) -> str:
    """The file with `replacement` put by hand in place of `start..end`, as the design promises."""
    with path.open(encoding="utf-8", newline="") as stream:
        lines = stream.read().split("\n")
    start, end = mutant["start"], mutant["end"]
    head = [*lines[: start["line"] - 1], lines[start["line"] - 1][: start["column"] - 1]]
    tail = [lines[end["line"] - 1][end["column"] - 1 :], *lines[end["line"] :]]
    return "\n".join(head) + str(mutant["replacement"]) + "\n".join(tail)


APPLIED = [
    pytest.param(SHOP, "def free_shipping(total):\n    return total > 100\n", id="plain"),
    pytest.param(b"x = 1\r\ny = x >= 100\r\n", "x = 1\r\ny = x > 100\r\n", id="windows-ends"),
    pytest.param(b"if 1:\n\ty\t= x\t>= 100\n", "if 1:\n\ty\t= x > 100\n", id="tabs"),
    pytest.param("y = '\U0001f600é' , x >= 100\n".encode(), "y = '\U0001f600é' , x > 100\n", id="non-bmp"),
    pytest.param("# \x0c\u2028\x85\ny = x >= 100\n".encode(), "# \x0c\u2028\x85\ny = x > 100\n", id="not-line-ends"),
    pytest.param(b"y = (x\n     >=\n   100) or z\n", "y = (x > 100) or z\n", id="several-lines"),
    pytest.param(b"y = '[bold]' >= 100", "y = '[bold]' > 100", id="no-final-newline"),
    pytest.param(
        b"y = '" + b"z" * 9000 + b"' + x >= 100\n", "y = '" + "z" * 9000 + "' + x > 100\n", id="very-long-line"
    ),
]


@pytest.mark.parametrize(("data", "expected"), APPLIED)
def test_applying_the_replacement_to_its_span_gives_the_mutated_file(
    tmp_path: Path, data: bytes, expected: str
) -> None:
    (tmp_path / "shop.py").write_bytes(data)
    (mutant,) = check(a_run(scanned(data, "shop.py", "FP101")))["mutants"]
    assert applied(tmp_path / "shop.py", mutant) == expected


@pytest.mark.parametrize("encoding", ["ascii", "utf-8", "utf-16"])
def test_odd_characters_survive_an_output_of_any_encoding(encoding: str) -> None:
    odd = "[bold] \x1b \x00 \u2028 \U0001f600 \udcff"
    run = a_run(file_of(a_site()), judgements=(Judgement("s0", Verdict.UNKNOWN, odd),))
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    report(run, stream, Path(run.root), None)
    stream.seek(0)
    assert json.load(stream)["mutants"][0]["reason"] == odd


# the gaps, each with what helps to close it


def test_a_gap_tells_its_mutants_the_words_the_question_and_a_sketch_that_nobody_ran(tmp_path: Path) -> None:
    scan = scanned(SHOP, "shop.py")
    (tmp_path / "test_shop.py").write_text("def test_0():\n    assert free_shipping(120)\n", encoding="utf-8")
    tests = (TestRecord(0, "test_shop.py::test_0", 0.1, passed=True),)
    seen = Sighting(1, (0,), above=Nearest(1, "120", 20.0, 0, 1))
    judgements = tuple(Judgement(one.id, Verdict.NOT_INFECTED, "why") for site in scan.sites for one in site.mutants)
    run = a_run(scan, judgements=judgements, tests=tests, sightings={site.id: seen for site in scan.sites})
    at, below = check(dataclasses.replace(run, root=str(tmp_path), command="gaps"))["gaps"]
    assert at == {
        "site": scan.sites[0].id,
        "mutants": [scan.sites[0].mutants[0].id, scan.sites[2].mutants[0].id],
        "verdict": "not-infected",
        "do": "No test stands on 100: the nearest was 120 (test_0). Add one with `total` at 100.",
        "input": None,
        "question": {
            "ask": "In `free_shipping`, should `total` of exactly 100 be treated like 99 or like 101?",
            "now": "Now it is treated like 101: `total >= 100` is True for both. No test pins it.",
            "answers": [
                {
                    "choice": "upper",
                    "kind": "test",
                    "do": "like 101, as it is now: add a test with `total` at 100",
                    "text": "",
                },
                {
                    "choice": "lower",
                    "kind": "code",
                    "do": "like 99: add that test, and change the code to",
                    "text": "total > 100",
                },
                {
                    "choice": "unspecified",
                    "kind": "allow",
                    "do": "it does not matter: say why at the end of the line",
                    "text": "# fencepost: allow[boundary-at] <why it does not matter>",
                },
            ],
        },
        "sketch": {
            "path": "test_shop.py",
            "owner": "",
            "text": "def test_0_at_100():\n    assert free_shipping(100) == ...  # decide\n",
            "moved": True,
            "run": False,
        },
    }
    assert (below["mutants"], below["question"]) == ([scan.sites[1].mutants[0].id], None)


def test_a_gap_without_question_or_sketch_says_so_and_a_call_names_an_input() -> None:
    scan = scanned(b"def f(x):\n    return x.strip()\n")
    (site,) = scan.sites
    run = a_run(scan, judgements=(Judgement(site.mutants[0].id, Verdict.NOT_INFECTED, ""),))
    (gap,) = check(run)["gaps"]
    assert (gap["input"], gap["question"], gap["sketch"]) == ("' Ann '", None, None)


def test_what_is_no_gap_is_not_listed() -> None:
    judgements = tuple(
        Judgement(f"s{number}", verdict, "")
        for number, verdict in enumerate((Verdict.KILLED, Verdict.UNKNOWN, Verdict.IGNORED))
    )
    assert check(a_run(file_of(a_site(verdict_count=3)), judgements=judgements))["gaps"] == []


@pytest.mark.parametrize(
    ("field", "value"),
    [("verdict", "killed"), ("extra", 1), ("mutants", []), ("question", {}), ("sketch", {"text": ""}), ("do", None)],
)
def test_the_schema_refuses_a_gap_that_the_report_never_writes(field: str, value: object) -> None:
    broken = document(a_full_run())
    assert broken["gaps"]
    broken["gaps"][0][field] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema()).validate(broken)
