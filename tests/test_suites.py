"""Suites as they are: small projects in which code is loaded, started, cached and tested in every way.

`projects/` holds them, a theme each. Beside each comparison stands what its mutant must come to: `# expect: killed`.
Tests that need plugins run with the interpreter of `build/plugins`, an environment that `.ci/run` makes, where it is
there: the plugins would change how this suite itself runs.
"""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PROJECTS = Path(__file__).parent / "projects"
EXPECTATION = re.compile(r"# expect: ([\w-]+)$", re.MULTILINE)
IGNORED = shutil.ignore_patterns("__pycache__", ".fencepost", ".pytest_cache", ".hypothesis")
PLUGINS = ROOT / "build" / "plugins" / "bin" / "python"
THEMES: dict[str, tuple[str, ...]] = {
    "loading": (),
    "children": (),
    "import_time": (),
    "caches": (),
    "suites": (),
    "plugins": ("pytest_asyncio", "anyio", "trio", "hypothesis"),
}
"""The projects, with the plugins that each needs."""


@dataclass(frozen=True)
class Analysis:
    """A copy of a project, and what the command said of it."""

    root: Path
    python: str
    report: dict[str, Any]

    def verdicts(self, path: str) -> dict[int, str]:
        """The verdict on the one mutant of each line of a file."""
        return {one["start"]["line"]: one["verdict"] for one in self.report["mutants"] if one["path"] == path}


Analyse = Callable[[str], Analysis]


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """What a command says that has to end well."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    done = subprocess.run(
        command, cwd=cwd, env={**clean, **environment}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def python_with(plugins: tuple[str, ...]) -> str:
    """An interpreter that has these plugins; skips the test where there is none."""
    python = str(PLUGINS) if plugins and PLUGINS.exists() else sys.executable
    asked = f"import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, {plugins!r})))"
    if plugins and subprocess.run([python, "-c", asked], check=False).returncode:
        pytest.skip(f"needs {', '.join(plugins)}; see .ci/run")
    return python


def analysis_of(theme: str, folder: Path, plugins: tuple[str, ...], **environment: str) -> Analysis:
    """What the command says of a copy of a project."""
    python = python_with(plugins)
    root = folder / "project"
    if not root.exists():
        shutil.copytree(PROJECTS / theme, root, ignore=IGNORED)
    report = folder / "report.json"
    run(python, "-m", "fencepost", "run", "-o", f"json:{report}", cwd=root, **environment)
    return Analysis(root, python, json.loads(report.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def analyse(tmp_path_factory: pytest.TempPathFactory) -> Analyse:
    """Gives the analysis of a theme, made once."""
    made: dict[str, Analysis] = {}

    def analysis(theme: str) -> Analysis:
        if theme not in made:
            made[theme] = analysis_of(theme, tmp_path_factory.mktemp(theme), THEMES[theme])
        return made[theme]

    return analysis


def expected(text: str) -> dict[int, str]:
    """What the comments of a file say, by line."""
    return {text.count("\n", 0, found.start()) + 1: found[1] for found in EXPECTATION.finditer(text)}


def files_with_expectations(theme: str) -> Iterator[str]:
    for path in sorted((PROJECTS / theme).rglob("*.py")):
        if ".fencepost" not in path.parts and EXPECTATION.search(path.read_text(encoding="utf-8")):
            yield path.relative_to(PROJECTS / theme).as_posix()


@pytest.mark.parametrize(("theme", "path"), [(theme, path) for theme in THEMES for path in files_with_expectations(theme)])
def test_each_mutant_comes_to_what_a_hand_edit_shows(analyse: Analyse, theme: str, path: str) -> None:
    text = (PROJECTS / theme / path).read_text(encoding="utf-8")
    assert analyse(theme).verdicts(path) == expected(text)


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
def test_the_oracle_agrees(analyse: Analyse, theme: str) -> None:
    one = analyse(theme)
    path = one.root.parent / "report.json"
    oracle = (one.python, "-m", "fencepost.analyzer.oracle", path, "--root", one.root, "--sample", "1000")
    assert "DIFFERS" not in run(*oracle, cwd=one.root)
