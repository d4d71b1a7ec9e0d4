"""The example gives the report that it says it gives, and the oracle agrees with it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "quota_service"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The JSON report of a run on a copy of the example; the copy is beside it."""
    folder = tmp_path_factory.mktemp("example")
    left_out = shutil.ignore_patterns(".fencepost", "__pycache__", ".pytest_cache")
    shutil.copytree(EXAMPLE, folder / "project", ignore=left_out)
    path = folder / "report.json"
    subprocess.run(
        [sys.executable, "-m", "fencepost", "run", "-o", f"json:{path}"], cwd=folder / "project", check=True, timeout=60
    )
    return path


def verdict_line(mutant: dict[str, Any]) -> str:
    where = f"{mutant['path']}:{mutant['start']['line']}"
    return f"{mutant['verdict']:<12} {where} {mutant['rule']} {mutant['original']!r} -> {mutant['replacement']!r}"


def test_the_example_gives_the_verdicts_beside_it(report: Path) -> None:
    mutants = json.loads(report.read_text(encoding="utf-8"))["mutants"]
    expected = (EXAMPLE / "expected-verdicts.txt").read_text(encoding="utf-8").splitlines()
    assert [verdict_line(mutant) for mutant in mutants] == expected


@pytest.fixture(scope="module")
def said(report: Path) -> str:
    """What the commands say of the example."""
    commands = (["report", "--all"], ["plan"], ["gaps", "--all"])  # gaps last: it is the last run from then on
    return "".join(
        subprocess.run(
            [sys.executable, "-m", "fencepost", *command],
            cwd=report.parent / "project", check=True, timeout=60, capture_output=True, text=True,
        ).stdout
        for command in commands
    )  # fmt: skip


def unsaid(shown: Iterable[str], said: str) -> list[str]:
    """The lines of a document that no command says; where it is time to write them anew."""
    return [line for line in shown if line.strip(" .") and line not in said]


def test_the_readme_shows_what_the_commands_say(said: str) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    parts = [part for part in text.split("\n## ") if part.startswith(("What it says\n", "Where the tests stand\n"))]
    assert len(parts) == 2
    shown = [line[4:] for part in parts for line in part.splitlines() if line.startswith("    ")]
    assert len(shown) > 20
    assert unsaid(shown, said) == []


def test_the_readme_of_the_example_shows_what_the_commands_say(said: str) -> None:
    text = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    shown = text.split("```text\n")[1].split("```")[0].splitlines()
    assert len(shown) > 10
    assert unsaid(shown, said) == []


def ask_the_oracle(report: Path, count: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fencepost.analyzer.oracle", str(report), "--sample", str(count)]
    return subprocess.run(
        command, cwd=report.parent / "project", capture_output=True, text=True, check=False, timeout=300
    )


def test_the_oracle_agrees_with_a_sample_of_the_example(report: Path) -> None:
    done = ask_the_oracle(report, 12)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "12 of 12 verdicts agree" in done.stdout


@pytest.mark.slow
def test_the_oracle_agrees_with_every_verdict_on_the_example(report: Path) -> None:
    done = ask_the_oracle(report, 1000)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_oracle_notices_a_false_verdict(report: Path) -> None:
    document = json.loads(report.read_text(encoding="utf-8"))
    survivor = next(mutant for mutant in document["mutants"] if mutant["verdict"] == "survived")
    document["mutants"] = [{**survivor, "verdict": "killed"}]
    false_report = report.with_name("false.json")
    false_report.write_text(json.dumps(document), encoding="utf-8")
    done = ask_the_oracle(false_report, 1)
    assert done.returncode == 1
    assert "DIFFERS" in done.stdout
