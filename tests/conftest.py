"""What several test files need: the command, run the way a person runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

Command = Callable[..., "subprocess.CompletedProcess[str]"]
LONGEST_SECONDS = 300
WHOLE = bool(os.environ.get("FENCEPOST_WHOLE"))
"""Whether the slow tests do all that they can. Else they do a part of it, so that CI ends while somebody waits."""


def pytest_configure() -> None:
    """Take away what xdist tells its workers: it is not meant for what the tests start."""
    for name in [one for one in os.environ if one.startswith("PYTEST_XDIST")]:
        del os.environ[name]


@pytest.fixture(scope="session")
def fencepost() -> Command:
    """Runs `fencepost` with arguments in a folder, in a process of its own, and returns what it said.

    `within` is a command that starts it, where not every process will do.
    """

    def run(*arguments: str, cwd: Path, within: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        # the options of the pytest that runs us are not meant for the pytest that it runs
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
        return subprocess.run(
            [*within, sys.executable, "-m", "fencepost", *arguments],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )

    return run
