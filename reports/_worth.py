"""What is most worth a test: what others may call, what was changed lately, what many tests reach.

Last among the public and the old: whether None and empty differ, which is often no question; they are many.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from fencepost.analyzer.model import Position
from fencepost.reports._view import Gap

LATELY_COMMITS = 20
EMPTINESS = "FP109"
Worth = tuple[bool, bool, bool, int, bool, str, Position, str]


def worth(root: Path) -> Callable[[Gap], Worth]:
    """A key to sort gaps by: public before private, changed in one of the last commits, then by tests that reach it.

    Of those that as many tests reach, the thresholds come first.
    """
    changed = changed_lately(root)

    def key(gap: Gap) -> Worth:
        site = gap.site
        private, old = not is_public(site.path, site.scope), site.path not in changed
        none_or_empty, no_threshold = site.rule == EMPTINESS, site.threshold is None
        return private, old, none_or_empty, -gap.reached, no_threshold, site.path, site.span.start, gap.lead.id

    return key


def is_public(path: str, scope: str) -> bool:
    """Whether no part of the way to a place is marked as internal by an underscore."""
    parts = [*path.removesuffix(".py").split("/"), *scope.split(".")]
    return not any(part.startswith("_") and not part.endswith("__") for part in parts)


def changed_lately(root: Path) -> frozenset[str]:
    """The files that the last commits or uncommitted work changed or made, relative to the root; none without git."""
    commands = (
        ["git", "log", f"-{LATELY_COMMITS}", "--format=", "--name-only", "--relative", "-z"],
        ["git", "diff", "HEAD", "--name-only", "--relative", "-z"],
        ["git", "ls-files", "--others", "--exclude-standard", "-z"],
    )
    return frozenset(name for command in commands for name in _output(command, root).split("\0") if name)


def _output(command: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=10)  # noqa: S603 - git
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "surrogateescape")
