"""The command writes reports in other people's formats: valid, complete, and the same when they are rendered later."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests import formats
from tests.conftest import Command
from tests.page import page

EXAMPLE = Path(__file__).parents[1] / "examples" / "quota_service"
FORMATS = ("sarif", "junit", "gitlab", "stryker", "github", "html", "json")
MANY = 3_000
HOSTILE = """\
def odd(kind, text):
    if kind == 1:
        return text == '<script>alert(1)</script>]]>-->&amp;'
    if kind == 2:
        return text != "``` ` ::error::%0A,:{0}[a](b)"
    if kind == 3:
        return text == '\u202eabc\u2066\u200f\x7f\x1b[2J\x08'
    if kind == 4:
        return '\U0001f600' and text.strip('\U00010348') == ""
    if kind == 5:
        return text == 'LONG'
    return text.lower() == '''a
b''' and len(text) >= 3
"""


@dataclass(frozen=True)
class Written:
    """The reports of one run, by format, and the folder that they are in."""

    root: Path
    texts: dict[str, str]

    @property
    def document(self) -> dict[str, Any]:
        """The JSON report."""
        found: dict[str, Any] = json.loads(self.texts["json"])
        return found


def write_all(fencepost: Command, root: Path, command: str, *arguments: str, ends_with: int = 0) -> Written:
    """Run a command that renders a run, once, with an output in each format."""
    (root / "out").mkdir(exist_ok=True)
    outputs = [f"-o{name}:out/{command}.{name}" for name in FORMATS]
    done = fencepost(command, *outputs, *arguments, cwd=root)
    assert done.returncode == ends_with, done.stdout + done.stderr
    return Written(root, {name: (root / "out" / f"{command}.{name}").read_text(encoding="utf-8") for name in FORMATS})


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> Written:
    """The reports of the example project."""
    root = tmp_path_factory.mktemp("example") / "quota_service"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns(".fencepost", "__pycache__"))
    return write_all(fencepost, root, "run")


def check(written: Written) -> dict[str, set[str]]:
    """The ids of the gaps in each format, after each was found valid."""
    told = formats.workflow_commands(written.texts["github"])
    files = formats.stryker(written.texts["stryker"])["files"]
    mutants = [one for file in files.values() for one in file["mutants"]]
    results = formats.sarif(written.texts["sarif"])["results"]
    assert len(told) <= len(results) + 1
    return {
        "sarif": {one["partialFingerprints"]["fencepostId/v1"] for one in results},
        "gitlab": {one["fingerprint"] for one in formats.gitlab(written.texts["gitlab"])},
        "junit": {case.attrib["name"][-17:-1] for case in failures(written)},
        "html": page(written.texts["html"]).lead_ids(),
        "json": {gap["mutants"][0] for gap in written.document["gaps"]},
        "stryker": {one["id"] for one in mutants if one["status"] in {"Survived", "NoCoverage"}},
    }


def failures(written: Written) -> list[Any]:
    return [case for case in formats.junit(written.texts["junit"]).iter("testcase") if case.find("failure") is not None]


def test_each_gap_of_the_example_is_in_each_format(example: Written) -> None:
    found = check(example)
    assert found["json"] == found["html"] == found["sarif"] == found["gitlab"] == found["junit"]
    missed = {"survived", "not-infected", "not-reached"}
    assert found["stryker"] == {one["id"] for one in example.document["mutants"] if one["verdict"] in missed}
    assert found["json"] <= found["stryker"]


def test_a_report_rendered_later_is_the_same(example: Written, fencepost: Command) -> None:
    later = write_all(fencepost, example.root, "report")
    assert later.texts == example.texts


def test_the_places_are_those_of_the_expressions(example: Written) -> None:
    check_places(example)
    report = formats.stryker(example.texts["stryker"])
    tests = {test["id"] for file in report["testFiles"].values() for test in file["tests"]}
    assert tests == {test["id"] for test in example.document["tests"]}
    killed = [one for file in report["files"].values() for one in file["mutants"] if one["status"] == "Killed"]
    assert killed
    assert all(set(one["killedBy"]) <= tests for one in killed)


def check_places(written: Written) -> None:
    """In SARIF, and in units of JavaScript in that of Stryker, is the text that a mutant takes the place of."""
    mutants = {one["id"]: one for one in written.document["mutants"]}
    for result in formats.sarif(written.texts["sarif"])["results"]:
        mutant = mutants[result["partialFingerprints"]["fencepostId/v1"]]
        place = result["locations"][0]["physicalLocation"]
        region = place["region"]
        text = (written.root / unquote(place["artifactLocation"]["uri"])).read_bytes().decode()
        if region["startLine"] == region["endLine"]:
            line = text.split("\n")[region["startLine"] - 1]
            assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == mutant["original"]
    for path, file in formats.stryker(written.texts["stryker"])["files"].items():
        assert file["source"] == (written.root / path).read_bytes().decode()
        for one in file["mutants"]:
            assert one["replacement"] == mutants[one["id"]]["replacement"]
            if "\n" not in mutants[one["id"]]["original"]:
                assert formats.in_javascript(file["source"], one["location"]) == mutants[one["id"]]["original"]


def test_a_hostile_source_breaks_no_format(tmp_path: Path, fencepost: Command) -> None:
    source = HOSTILE.replace("LONG", "x" * 10_000)
    (tmp_path / "odd code.py").write_bytes(source.encode())
    tests = (
        "import importlib, pytest\n\nodd = importlib.import_module('odd code').odd\n\n\n"
        "@pytest.mark.parametrize('text', ['<script>', '::error::]]>`', '\\u202e\\x00\\U0001f600'])\n"
        "def test_odd(text):\n    assert odd(1, text) in (True, False)\n"
    )
    (tmp_path / "test_odd.py").write_text(tests, encoding="utf-8")
    written = write_all(fencepost, tmp_path, "run", "odd code.py")
    found = check(written)
    assert found["json"] == found["html"] == found["sarif"] == found["gitlab"] == found["junit"]
    assert len(found["json"]) >= 7
    check_places(written)
    assert max(map(len, written.texts["github"].split("\n"))) < 3_000


@pytest.mark.parametrize("count", [0, 1, MANY])
def test_any_number_of_findings_is_told_in_each_format(count: int, tmp_path: Path, fencepost: Command) -> None:
    source = tmp_path / "much"
    source.mkdir()
    (source / "__init__.py").write_text("def ready():\n    return True\n", encoding="utf-8")
    functions = [f"def at_least_{number}(x):\n    return x >= {number}\n" for number in range(count)]
    for first in range(0, count, 100):
        (source / f"from_{first}.py").write_text("\n\n".join(functions[first : first + 100]), encoding="utf-8")
    test = "import much\n\n\ndef test_ready():\n    assert much.ready()\n"
    (tmp_path / "test_much.py").write_text(test, encoding="utf-8")
    written = write_all(fencepost, tmp_path, "run", "much", "--rules", "FP101")
    assert {name: len(ids) for name, ids in check(written).items()} == dict.fromkeys(
        ("sarif", "gitlab", "junit", "html", "json", "stryker"), count
    )


def git_in(folder: Path) -> Callable[..., None]:
    """Git in a folder, as somebody."""
    identity = ("-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")

    def git(*arguments: str) -> None:
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)

    return git


def test_a_gate_tells_what_breaks_it_as_errors_below_the_folder_of_the_project(
    tmp_path: Path, fencepost: Command
) -> None:
    git, project = git_in(tmp_path), tmp_path / "services" / "shop"
    project.mkdir(parents=True)
    (project / "pyproject.toml").write_text("[project]\nname = 'shop'\nversion = '1'\n", encoding="utf-8")
    (project / "shop.py").write_text("def label(name):\n    return name.strip()\n", encoding="utf-8")
    test = "import shop\n\n\ndef test_label():\n    assert shop.label(' a ') == 'a'\n"
    (project / "test_shop.py").write_text(test, encoding="utf-8")
    git("init", "-q", "-b", "main")
    git("add", "--all")
    git("commit", "-q", "-m", "first")
    with (project / "shop.py").open("a", encoding="utf-8") as code:
        code.write("\n\ndef free(total):\n    return total >= 100\n")
    written = write_all(fencepost, project, "gate", "--base", "main", ends_with=1)
    results = formats.sarif(written.texts["sarif"])["results"]
    assert {one["level"] for one in results} == {"error"}
    assert {id_ for one in results for id_ in one["properties"]["mutants"]} == {*written.document["gate"]["failing"]}
    place = results[0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "services/shop/shop.py", "uriBaseId": "%SRCROOT%"}
    [told] = formats.workflow_commands(written.texts["github"])
    assert (told["command"], told["file"], told["line"]) == ("error", "services/shop/shop.py", "6")
    assert len(failures(written)) == 1


def test_annotations_come_to_standard_output_and_a_summary_where_the_environment_names_it(
    example: Written, fencepost: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    done = fencepost("report", "-o", "github", cwd=example.root)
    assert done.returncode == 0, done.stderr
    assert done.stdout == example.texts["github"]
    assert len(formats.workflow_commands(done.stdout)) <= 30
    assert "mutants noticed" in summary.read_text(encoding="utf-8")


def test_a_summary_that_cannot_be_written_is_told(
    example: Written, fencepost: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path))
    done = fencepost("report", "-o", "github", cwd=example.root)
    assert done.returncode == 2
    assert "Is a directory" in done.stderr
