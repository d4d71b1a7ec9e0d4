"""`pytest --fencepost`: the gap report behind the normal run. Loaded by every pytest beside us, so it loads nothing."""

from __future__ import annotations

import subprocess
import sys
from typing import Any


def pytest_addoption(parser: Any) -> None:
    """Add `--fencepost`."""
    group = parser.getgroup("fencepost")
    group.addoption(
        "--fencepost", action="store_true", help="print where the tests stand around each threshold (fencepost gaps)"
    )


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: Any) -> None:
    """Print the gap report of the tests that just passed: they run once more, watched."""
    if not config.getoption("--fencepost"):
        return
    terminalreporter.section("fencepost gaps")
    if exitstatus:
        terminalreporter.write_line("the tests have to pass first")
        return
    arguments = [one for one in config.invocation_params.args if one != "--fencepost"]
    command = [sys.executable, "-m", "fencepost", "gaps", "--", *map(str, arguments)]
    done = subprocess.run(  # noqa: S603 - this interpreter, with what pytest was given
        command, cwd=config.invocation_params.dir, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    for line in (done.stdout + done.stderr).splitlines():
        terminalreporter.write_line(line)
