"""What tests protected before a piece of work changed or removed them: from a run of where the work began."""

from __future__ import annotations

import configparser
import dataclasses
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePosixPath

from fencepost.analyzer import store
from fencepost.analyzer.changes import (
    Changes,
    check_out,
    folder_in_repository,
    is_ancestor,
    same_files,
    text_at,
)
from fencepost.analyzer.errors import ExitCode, RunnerLost
from fencepost.analyzer.model import FileScan, Run, Verdict

SETTINGS = {"pyproject.toml", "pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "tox.ini", "setup.cfg"}
Protected = dict[str, frozenset[str]]
"""By path, the ids of mutants that a touched test killed."""


def touches_tests(changes: Changes, sources: Collection[str]) -> bool:
    """Whether the work may have changed what tests notice: it touched Python or tests that are no code under test."""
    others = (PurePosixPath(path) for path in changes.touched if path not in sources)
    return any(path.suffix == ".py" or any(part.startswith("test") for part in path.parts) for path in others)


def changes_settings_of_tests(root: Path, changes: Changes) -> bool:
    """Whether the work changed how pytest collects and runs: a test that it leaves out is as good as deleted."""
    for path in {*changes.touched, *changes.lines}.intersection(SETTINGS):
        if changes.base is None:
            return True
        now = (root / path).read_text(encoding="utf-8", errors="replace") if (root / path).is_file() else ""
        if _settings_of_tests(path, now) != _settings_of_tests(path, text_at(root, changes.base, path)):
            return True
    return False


def _settings_of_tests(path: str, text: str) -> object:
    """What of a file of settings is about tests; all of it where it cannot be read."""
    try:
        if path == "pyproject.toml":
            tools = tomllib.loads(text).get("tool", {})
            own = {name: tools.get("fencepost", {}).get(name) for name in ("tests", "pytest-args", "suites")}
            return [tools.get("pytest"), own]
        parser = configparser.RawConfigParser()
        parser.read_string(text)
        return [dict(parser[name]) for name in ("pytest", "tool:pytest") if name in parser]
    except (tomllib.TOMLDecodeError, configparser.Error, AttributeError):
        return text


def stored_before(root: Path, changes: Changes) -> tuple[Run | None, bool]:
    """The stored run of where the work began, or of a commit before that, and whether it is of the very same files.

    None where none is stored.
    """
    if changes.base is None:
        return None, False
    commits = [one for one in store.kept_commits(root) if is_ancestor(root, one, changes.base)]
    for commit in sorted(commits, key=lambda one: not same_files(root, one, changes.base or "")):
        return store.load_kept(root, commit), same_files(root, commit, changes.base)
    return None, False


def protected_before(before: Run, changes: Changes, sources: Collection[str], *, by_any: bool = False) -> Protected:
    """The mutants that tests killed which the work changed or removed, or whose fixtures or data it changed.

    Args:
        before: a run of the tests as they were.
        sources: the paths of the code under test.
        by_any: whether any test may be another one now, since the settings of the tests changed.
    """
    found: dict[str, set[str]] = {}
    others = [PurePosixPath(path) for path in changes.touched if path not in sources]
    for scan in before.files:
        for mutant in (mutant for site in scan.sites for mutant in site.mutants):
            judgement = before.judgements.get(mutant.id)
            if judgement is None or judgement.verdict is not Verdict.KILLED or judgement.kill is None:
                continue
            killer = PurePosixPath(judgement.kill.test.partition("::")[0])
            if by_any or any(_may_change(one, killer) for one in others):
                found.setdefault(scan.path, set()).add(mutant.id)
    return {path: frozenset(ids) for path, ids in found.items()}


def under_new_names(
    root: Path, protected: Protected, changes: Changes, scan: Callable[[bytes, str], FileScan]
) -> Protected:
    """The same with the ids that mutants of renamed files have now: the path is a part of them.

    Args:
        scan: reads the sites of a file, given its content and its path.
    """
    found = dict(protected)
    for old, new in changes.renamed.items():
        if old in found and (root / new).is_file():
            before, now = (scan((root / new).read_bytes(), path) for path in (old, new))
            now_by_before = dict(zip(_ids(before), _ids(now), strict=True))
            ids = {now_by_before[one] for one in found[old] if one in now_by_before}
            found[new] = found.get(new, frozenset()) | ids
    return found


def _ids(scan: FileScan) -> list[str]:
    return [mutant.id for site in scan.sites for mutant in site.mutants]


def _may_change(touched: PurePosixPath, test: PurePosixPath) -> bool:
    """Whether what a test file finds out may depend on a touched file: itself, a conftest above, or in its folder."""
    if touched.name == "conftest.py":
        return touched.parent in test.parents
    return touched == test or (len(test.parts) > 1 and touched.parts[0] == test.parts[0])


def run_of_base(root: Path, changes: Changes) -> Run:
    """Run everything as it was where the work began, in a copy that is removed again.

    Raises:
        RunnerLost: the run of the copy failed; the message is its own.
    """
    assert changes.base is not None  # noqa: S101 - the command asks for a base first
    with tempfile.TemporaryDirectory(prefix="fencepost-base-") as folder:
        check_out(root, changes.base, Path(folder))
        project = Path(folder, folder_in_repository(root))
        done = subprocess.run(
            [sys.executable, "-m", "fencepost", "run", "--leave-out-failing"],
            cwd=project, env={**os.environ, "PYTHONPATH": _first_on_the_path(project)}, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode != ExitCode.OK:
            told = next(_telling(done.stderr), f"it ended with {done.returncode}")
            raise RunnerLost(
                f"the tests of the base could not be run: {told}", slug="base-not-run",
                hint="leave --run-base out: what removed tests protected is not looked at then",
            )  # fmt: skip
        return dataclasses.replace(store.load(project), root=str(root))


def _first_on_the_path(project: Path) -> str:
    """The copy before what is installed: an editable install leads to the tree of the user."""
    folders = [str(project / "src"), str(project), os.environ.get("PYTHONPATH", "")]
    return os.pathsep.join(folder for folder in folders if folder)


def _telling(text: str) -> Iterator[str]:
    return (line for line in text.splitlines() if line.strip())
