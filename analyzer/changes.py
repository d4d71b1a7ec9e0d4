"""Which lines a piece of work changed: what differs from the merge base, committed or not, and new files."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.model import FileScan, Site

EVERY_LINE = range(1, 1 << 60)

Lines = Mapping[str, Sequence[int]]
"""By path relative to the root: the changed lines of the file as it is now, counted from 1."""


def changed_lines(root: Path, base: str) -> Lines:
    """The lines that differ from where the work on them began.

    Args:
        root: the root of the project; it may lie deep inside a repository.
        base: a commit or branch; what counts is the last commit that it shares with this work.

    Raises:
        UsageProblem: there is no repository here, no such commit, or nothing that the two have in common.
    """
    _git(root, "rev-parse", "--is-inside-work-tree", slug="no-repository", hint="run it in a clone, or name PATHS")
    if _run(root, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}").returncode:
        raise UsageProblem(f"there is no commit or branch '{base}'", slug="no-such-base", hint=_known(root))
    common = _git(
        root, "merge-base", base, "HEAD", slug="no-merge-base",
        hint="in a shallow clone `git fetch --unshallow` brings the history that is missing",
    )  # fmt: skip
    # each option stands against a setting of the user that would change how the lines or their paths are written
    text = _git(
        root, "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "--src-prefix=a/",
        "--dst-prefix=b/", "--relative", "--unified=0", common.strip(), slug="no-diff",
    )  # fmt: skip
    new = _git(root, "ls-files", "--others", "--exclude-standard", "-z", slug="no-diff")
    return {**lines_of_diff(text), **{path: EVERY_LINE for path in new.split("\0") if path}}


def lines_of_diff(text: str) -> Lines:
    """The lines that a unified diff adds or changes, by path; of a removed file none.

    Raises:
        UsageProblem: the text is no diff.
    """
    try:
        patch = PatchSet(text)
    except UnidiffParseError as error:
        raise UsageProblem(
            f"the diff cannot be read: {error}", slug="bad-diff", hint="is it a unified diff?"
        ) from error
    return {
        _unquoted(file.path): [
            line.target_line_no for hunk in file for line in hunk if line.is_added and line.target_line_no
        ]
        for file in patch
        if not file.is_removed_file
    }


def _unquoted(path: str) -> str:
    """The path of a file that git wrote in quotes, with escapes like those of C."""
    if not path.startswith('"'):
        return path
    escaped = path.strip('"').encode("utf-8", "surrogateescape")
    plain = re.sub(rb"\\([0-7]{3}|.)", lambda match: _character(match[1]), escaped).decode("utf-8", "surrogateescape")
    return plain.removeprefix("b/")


def _character(escape: bytes) -> bytes:
    named = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
    return bytes([int(escape, 8)]) if len(escape) == 3 else named.get(escape, escape)


def narrowed(scans: Iterable[FileScan], changes: Lines) -> Iterator[FileScan]:
    """The scans of changed files, with the sites that stand on changed lines."""
    for scan in scans:
        if scan.path in changes:
            lines = changes[scan.path]
            yield replace(scan, sites=tuple(site for site in scan.sites if _is_on(site, lines)))


def _is_on(site: Site, lines: Sequence[int]) -> bool:
    if isinstance(lines, range):
        return True
    return any(site.span.start.line <= line <= site.span.end.line for line in lines)


def _known(root: Path) -> str:
    names = _run(root, "for-each-ref", "--format=%(refname:short)", "--count=8", "refs/heads", "refs/remotes").stdout
    return (
        f"known here: {', '.join(names.decode(errors='replace').split())}" if names else "the repository has no commits"
    )


def _git(root: Path, *arguments: str, slug: str, hint: str = "does `git status` work here?") -> str:
    done = _run(root, *arguments)
    if done.returncode:
        told = done.stderr.decode(errors="replace").strip() or f"`git {' '.join(arguments)}` found nothing"
        raise UsageProblem(told.splitlines()[0], slug=slug, hint=hint)
    return done.stdout.decode("utf-8", "surrogateescape")


def _run(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = ["git", "-c", "core.quotePath=false", *arguments]
    try:
        return subprocess.run(command, cwd=root, capture_output=True, check=False)  # noqa: S603 - git alone
    except FileNotFoundError as error:
        raise UsageProblem("git is not installed", slug="no-git", hint="name PATHS instead of a base") from error
