"""What verdicts depend on beside the code under test, as digests: the project's files, Python, what is installed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import fencepost

NOT_OF_THE_PROJECT = {"__pycache__", "node_modules"}
HIDDEN = {  # folders of tools, in which no test looks
    ".git", ".hg", ".svn", ".fencepost", ".tox", ".nox", ".venv", ".mypy_cache", ".ruff_cache", ".pytest_cache",
    ".hypothesis", ".idea", ".vscode", ".github", ".cache", ".eggs",
}  # fmt: skip
OF_THE_MOMENT = {
    "PWD", "OLDPWD", "SHLVL", "_", "TMPDIR", "PYTEST_CURRENT_TEST", "PYTEST_VERSION",
    # of the terminal, the login or the unit that started us: another one each time, also on the machines of a CI
    "HOSTNAME", "WINDOWID", "TERM_SESSION_ID", "XDG_SESSION_ID", "TMUX", "TMUX_PANE", "STY", "GPG_TTY", "SSH_TTY",
    "SSH_CLIENT", "SSH_CONNECTION", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "INVOCATION_ID", "JOURNAL_STREAM",
    "SYSTEMD_EXEC_PID", "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE", "PRE_COMMIT",
}  # fmt: skip
OF_THE_MACHINE = ("GITHUB_", "RUNNER_", "ACTIONS_", "CI_", "GITLAB_", "BUILDKITE_", "CIRCLE_", "PRE_COMMIT_")
"""What a CI says of the run itself, which is another one each time."""


def surroundings(root: Path) -> str:
    """A digest of everything outside the project: fencepost, Python, the machine, the environment, the packages."""
    digest = hashlib.sha256()
    told = (fencepost.__version__, sys.version, platform.platform(), *_environment(), *_installed(root))
    for part in told:
        digest.update(part.encode(errors="surrogateescape") + b"\0")
    return digest.hexdigest()


def _environment() -> list[str]:
    return sorted(
        f"{name}={value}"
        for name, value in os.environ.items()
        if name not in OF_THE_MOMENT and not name.startswith(OF_THE_MACHINE)
    )


def _installed(root: Path) -> Iterator[str]:
    """What modules are imported from: packages by their record, other files by content, folders beside by theirs."""
    own = os.path.realpath(root)
    started = os.path.realpath(os.path.dirname(sys.argv[0]))  # noqa: PTH120 - where a script lies is put first
    for folder in sys.path:
        real = os.path.realpath(folder or os.curdir)
        if real in {own, started} or real.startswith(f"{own}{os.sep}"):
            continue
        if "site-packages" in real or "dist-packages" in real:
            yield from _packages(Path(real), own)
        elif not real.startswith(os.path.realpath(sys.base_prefix)):
            yield from (f"{path} {digest}" for path, digest in _tree(real))


def _packages(folder: Path, own: str) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for entry in sorted(folder.iterdir()):
            if entry.name == "__pycache__":
                continue
            yield entry.name
            if entry.suffix in {".dist-info", ".egg-info"} and entry.is_dir():
                yield from (digest_of(str(entry / name)) for name in ("RECORD", "PKG-INFO", "direct_url.json"))
                yield from _editable(entry / "direct_url.json", own)
            elif entry.is_file():
                yield digest_of(str(entry))


def _editable(record: Path, own: str) -> Iterator[str]:
    """The files of a package that is installed from a folder beside the project."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        told = json.loads(record.read_text(encoding="utf-8"))
        folder = os.path.realpath(unquote(urlsplit(told["url"]).path)) if "dir_info" in told else own
        if folder != own:
            yield from (f"{path} {digest}" for path, digest in _tree(folder))


def file_digests(root: Path) -> dict[str, str]:
    """The digest of every file of the project, by path relative to the root."""
    start = os.path.realpath(root)
    return {os.path.relpath(path, start).replace(os.sep, "/"): digest for path, digest in _tree(start)}


def _tree(start: str) -> Iterator[tuple[str, str]]:
    pending = [start]
    while pending:
        with contextlib.suppress(OSError):
            for entry in sorted(os.scandir(pending.pop()), key=lambda entry: entry.name):
                if entry.name in NOT_OF_THE_PROJECT or (entry.name in HIDDEN and entry.is_dir()):
                    continue
                if not entry.is_dir(follow_symlinks=False):
                    yield entry.path, digest_of(entry.path)
                elif not Path(entry.path, "pyvenv.cfg").exists():
                    pending.append(entry.path)


def digest_of(path: str) -> str:
    """The SHA-256 of a file; of a link, where it leads to; a word where it cannot be read."""
    try:
        if os.path.islink(path):  # noqa: PTH114 - called for every file of a project
            return f"link {os.readlink(path)}"  # noqa: PTH115 - the same
        if not os.path.isfile(path):  # noqa: PTH113 - the same
            return "no file"
        with open(path, "rb") as file:  # noqa: PTH123 - the same
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return "unreadable"
