"""What scripts call: the commands as functions that return what they found out.

from fencepost.analyzer import gate, run

found = run("path/to/project")
missed = [one for one in found.judgements.values() if one.verdict.missed]
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fencepost.analyzer import pipeline, store
from fencepost.analyzer.changes import changes_since, default_base
from fencepost.analyzer.model import Run
from fencepost.analyzer.settings import Settings, find_root, load_settings
from fencepost.analyzer.suite_run import Options


class _Silence:
    def begin(self, stage: str, total: int | None) -> None:
        """Nobody watches."""

    def advance(self) -> None:
        """Nobody watches."""

    def reach(self, steps: int) -> None:
        """Nobody watches."""


def run(project: str | Path = ".", options: Options | None = None, **settings: Any) -> Run:
    """Run everything, as `fencepost run` does, and keep it as the last run of the project.

    Args:
        project: a folder in the project; its root is found from there.
        options: how the suite is run; None: as the command does.
        settings: in the place of those of `[tool.fencepost]`, by the names that `Settings` has, as `source=("src",)`.

    Raises:
        UsageProblem: a path, a rule or a setting is wrong.
        TestsFail: the unmutated tests fail or are none.
        RunnerLost: the processes that run the tests ended for good.
    """
    return _kept(pipeline.run(_settings(project, settings), _Silence(), options or Options()))


def gaps(project: str | Path = ".", options: Options | None = None, **settings: Any) -> Run:
    """One unmutated run, as `fencepost gaps`; arguments and errors are those of `run`."""
    return _kept(pipeline.gaps(_settings(project, settings), _Silence(), options or Options()))


def gate(project: str | Path = ".", base: str = "", options: Options | None = None, **settings: Any) -> Run:
    """What a piece of work changed, as `fencepost gate`; the decision is in `gate` of what is returned.

    Args:
        base: a commit or branch; empty: that of the settings, else the main branch of the remote.

    Other arguments and errors are those of `run`.
    """
    chosen = _settings(project, settings)
    changes = changes_since(chosen.root, base or chosen.gate.base or default_base(chosen.root))
    return _kept(pipeline.gate(chosen, _Silence(), changes, options or Options()))


def _settings(project: str | Path, given: Mapping[str, Any]) -> Settings:
    return load_settings(find_root(Path(project).resolve()), given)


def _kept(told: Run) -> Run:
    store.save(told)
    return told
