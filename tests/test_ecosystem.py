"""What stands around the command: the first steps, shells, pytest, scripts, and the action for GitHub."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

from tests.conftest import Command

ROOT = Path(__file__).parents[1]
SHOP = "def is_many(count):\n    return count > 7\n"
TESTS = "from shop import is_many\n\n\ndef test_many():\n    assert is_many(9)\n"


@pytest.fixture(name="project")
def _project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\npythonpath = ['.']")
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "test_shop.py").write_text(TESTS)
    return tmp_path


def test_init_writes_settings_that_the_gate_understands_and_leaves_what_is_there(
    project: Path, fencepost: Command
) -> None:
    done = fencepost("init", "--github", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    settings = tomllib.loads((project / "pyproject.toml").read_text())["tool"]
    assert settings["pytest"]["ini_options"] == {"pythonpath": ["."]}
    assert settings["fencepost"]["gate"]["budget"] == 600
    assert fencepost("gaps", cwd=project).returncode == 0
    before = {path: path.read_text() for path in (project / "pyproject.toml", *project.glob(".github/**/*.yml"))}
    assert len(before) == 2
    again = fencepost("init", "--github", cwd=project)
    assert again.stdout.count("is left as it is") == 2
    assert {path: path.read_text() for path in before} == before


def test_init_names_a_file_that_does_not_parse(project: Path, fencepost: Command) -> None:
    (project / "pyproject.toml").write_text("[tool")
    done = fencepost("init", cwd=project)
    assert done.returncode == 2
    assert "error[bad-toml]: pyproject.toml does not parse" in done.stderr


def test_a_shell_completes_commands(project: Path, fencepost: Command) -> None:
    assert "_FENCEPOST_COMPLETE" in fencepost("completion", "zsh", cwd=project).stdout
    asked = {"COMP_WORDS": "fencepost ga", "COMP_CWORD": "1", "_FENCEPOST_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [Path(sys.executable).with_name("fencepost")], cwd=project, env={**os.environ, **asked},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.split() == ["plain,gaps", "plain,gate"]


def run_pytest(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *arguments], cwd=project, env=environment, capture_output=True,
        text=True, check=False,
    )  # fmt: skip


def test_pytest_prints_the_gap_report_where_it_is_asked_to(project: Path) -> None:
    assert "fencepost" not in run_pytest(project).stdout
    said = run_pytest(project, "--fencepost").stdout
    assert "    Add a test with `count` at 7.\n" in said
    assert "1 passed" in said.splitlines()[-1]


def test_pytest_prints_no_gap_report_of_tests_that_fail(project: Path) -> None:
    (project / "test_shop.py").write_text(TESTS.replace("is_many(9)", "is_many(1)"))
    done = run_pytest(project, "--fencepost")
    assert done.returncode == 1
    assert "the tests have to pass first" in done.stdout


def test_the_option_of_pytest_does_not_run_us_within_ourselves(project: Path, fencepost: Command) -> None:
    with (project / "pyproject.toml").open("a") as file:
        file.write("\naddopts = '--fencepost'\n")
    done = fencepost("gaps", cwd=project)
    assert done.returncode == 0
    assert "left out of the run of pytest: --fencepost" in done.stdout


def test_scripts_call_the_commands_as_functions(project: Path) -> None:
    script = """
        import json, sys
        import fencepost.analyzer
        loaded = set(sys.modules)
        from fencepost.analyzer import gaps, run
        found = run(".", jobs=1)
        verdicts = sorted(one.verdict.value for one in found.judgements.values())
        print(json.dumps([verdicts, "libcst" in loaded, len(gaps(".").observation.tests)]))
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], cwd=project, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [["not-infected"] * 3, False, 1]


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, check=True)


@pytest.mark.parametrize(("arguments", "tests", "code"), [("", "", 1), ("--fail-on survived", "-k 'test_many'", 0)])
def test_the_action_runs_the_gate_with_its_inputs(project: Path, arguments: str, tests: str, code: int) -> None:
    git(project, "init", "-q", "-b", "main")
    git(project, "commit", "-q", "--allow-empty", "-m", "nothing")
    script = (ROOT / "action.yml").read_text().rpartition("      run: |\n")[2]
    inputs = {"BASE": "main", "PATHS": "shop.py", "ARGUMENTS": arguments, "PYTEST_ARGUMENTS": tests}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GITHUB_", "PYTEST_"))}
    done = subprocess.run(
        ["bash", "-e", "-c", textwrap.dedent(script)], cwd=project, env={**kept, **inputs, "PATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert (project / "comment.json").is_file()
    assert "1 new file" in done.stdout


def test_the_hooks_judge_what_is_pushed_and_what_is_committed(project: Path) -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text().split("- id: ")[1:]
    entries = {stage: entry for hook in hooks for stage, entry in [_hook(hook)]}
    git(project, "init", "-q", "-b", "main")
    git(project, "commit", "-q", "--allow-empty", "-m", "nothing")
    git(project, "checkout", "-q", "-b", "work")
    git(project, "add", ".")
    ended = [_run_hook(project, entries["pre-commit"])]
    git(project, "commit", "-q", "-m", "a weak test")
    assert [*ended, _run_hook(project, entries["pre-push"])] == [1, 1]


def _hook(text: str) -> tuple[str, str]:
    """The stage at which a hook runs, and its command."""
    stages, entry = (text.partition(f"  {key}: ")[2].partition("\n")[0] for key in ("stages", "entry"))
    return stages.strip("[]").partition(",")[0], entry


def _run_hook(project: Path, entry: str) -> int:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        entry.split(), cwd=project, env={**os.environ, "PATH": path}, capture_output=True, check=False
    )
    return done.returncode
