"""What tests protected before a piece of work changed or removed them: from a run of where the work began."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path, PurePosixPath

from fencepost.analyzer import store
from fencepost.analyzer.changes import Changes, archive, folder_in_repository, is_ancestor
from fencepost.analyzer.errors import ExitCode, RunnerLost
from fencepost.analyzer.model import Run, Verdict

Protected = dict[str, frozenset[str]]
"""By path, the ids of mutants that a touched test killed."""


def touches_tests(changes: Changes, sources: Collection[str]) -> bool:
    """Whether the work may have changed what tests notice: it touched Python or tests that are no code under test."""
    others = (PurePosixPath(path) for path in changes.touched if path not in sources)
    return any(path.suffix == ".py" or any(part.startswith("test") for part in path.parts) for path in others)


def stored_before(root: Path, changes: Changes) -> Run | None:
    """The stored run of where the work began, or of a commit before that; None where none is stored."""
    if changes.base is None:
        return None
    for commit in store.kept_commits(root):
        if is_ancestor(root, commit, changes.base):
            return store.load_kept(root, commit)
    return None


def protected_before(before: Run, changes: Changes, sources: Collection[str]) -> Protected:
    """The mutants that tests killed which the work changed or removed, or whose fixtures or data it changed.

    Args:
        before: a run of the tests as they were.
        sources: the paths of the code under test.
    """
    found: dict[str, set[str]] = {}
    others = [PurePosixPath(path) for path in changes.touched if path not in sources]
    for scan in before.files:
        for mutant in (mutant for site in scan.sites for mutant in site.mutants):
            judgement = before.judgements.get(mutant.id)
            if judgement is None or judgement.verdict is not Verdict.KILLED or judgement.kill is None:
                continue
            killer = PurePosixPath(judgement.kill.test.partition("::")[0])
            if any(_may_change(one, killer) for one in others):
                found.setdefault(scan.path, set()).add(mutant.id)
    return {path: frozenset(ids) for path, ids in found.items()}


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
        with archive(root, changes.base) as stream, tarfile.open(fileobj=stream, mode="r|") as files:
            files.extractall(folder, filter="data")
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
