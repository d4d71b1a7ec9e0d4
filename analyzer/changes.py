"""Which lines a piece of work changed: since the merge base, committed or not; in the index; or as a diff says."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchedFile, PatchSet

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.model import FileScan, Span

Lines = Mapping[str, Sequence[int] | None]
"""By path relative to the root: the changed lines of the file as it is now, counted from 1; None for all of them."""


Named = tuple[PatchedFile, str | None, str | None]
PREFIXES = (("a/", "i/", "c/", "o/", "1/"), ("b/", "w/", "i/", "2/"))  # before and after, also `diff.mnemonicPrefix`
OPTIONS = (  # each stands against a setting of the user that would change how the lines or their paths are written
    "--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/",
    "--relative", "--find-renames", "--unified=0",
)  # fmt: skip
BRANCHES_OF_CI = ("GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "BITBUCKET_PR_DESTINATION_BRANCH")
COLOR = re.compile(r"\x1b\[[0-9;]*[mK]")
COLORED = re.compile(r"^\x1b\[[0-9;]*m(?:diff |---|\+\+\+|@@)", re.MULTILINE)
TRUNKS = ("origin/main", "origin/master", "main", "master", "trunk")


@dataclass(frozen=True, slots=True)
class Changes:
    """A piece of work.

    Attributes:
        since: what it is compared with, in words.
        lines: the lines that it added or changed.
        touched: every path that was there before and is changed, renamed or removed, under the old name and the new;
            and each new conftest, which is about what was there.
        base: the commit that it began at; None where only a diff is known.
        renamed: the new path of each renamed file, by the old one.
        beside: files that are not part of the work, and stand there for the tests all the same.
    """

    since: str
    lines: Lines
    touched: frozenset[str] = frozenset()
    base: str | None = None
    renamed: Mapping[str, str] = field(default_factory=dict)
    beside: Sequence[str] = ()


def changed_lines(root: Path, base: str) -> Lines:
    """The lines that differ from where the work on them began, as `changes_since` tells them."""
    return changes_since(root, base).lines


def changes_since(root: Path, base: str) -> Changes:
    """What differs from where the work began: commits, what is not committed yet, and files that git does not know.

    Args:
        root: the root of the project; it may lie deep inside a repository.
        base: a commit or branch; what counts is the last commit that it shares with this work.

    Raises:
        UsageProblem: there is no repository here, no such commit, or nothing that the two have in common.
    """
    _check_repository(root)
    if _run(root, "rev-parse", "--verify", "--quiet", f"{base}^{{commit}}").returncode:
        raise UsageProblem(f"there is no commit or branch '{base}'", slug="no-such-base", hint=_known(root, base))
    common = _git(
        root, "merge-base", base, "HEAD", slug="no-merge-base",
        hint=_deepening(root),
    ).strip()  # fmt: skip
    new = _paths(root, "ls-files", "--others", "--exclude-standard", "-z")
    found = _changes(f"{base} ({common[:10]})", _git(root, "diff", *OPTIONS, common), common)
    touched = found.touched | {*filter(_is_conftest, new)}
    return replace(found, lines={**found.lines, **dict.fromkeys(new)}, touched=touched)


def staged_changes(root: Path) -> Changes:
    """What the index holds and HEAD does not: what a commit would bring.

    Raises:
        UsageProblem: there is no repository, or a staged file has changes beside those, so that what would be
            judged is not what would be committed.
    """
    _check_repository(root)
    unmerged = _paths(root, "diff", "--name-only", "--relative", "--diff-filter=U", "-z")
    if unmerged:
        raise UsageProblem(
            f"{unmerged[0]} has a merge conflict that is not resolved",
            slug="unmerged",
            hint="resolve it, and `git add` it",
        )
    head = _run(root, "rev-parse", "--verify", "--quiet", "HEAD")
    text = _git(root, "diff", "--cached", *OPTIONS)
    found = _changes("what is committed", text, head.stdout.decode().strip() or None)
    beside = _paths(root, "diff", "--name-only", "--relative", "-z")
    mixed = sorted({*found.touched, *found.lines}.intersection(beside))
    if mixed:
        raise UsageProblem(
            f"{mixed[0]} is staged, and has changes that are not", slug="not-staged",
            hint="stage them too, or put them aside with `git stash --keep-index`",
        )  # fmt: skip
    new = _paths(root, "ls-files", "--others", "--exclude-standard", "-z")
    return replace(found, beside=sorted(path for path in {*beside, *new} if path.endswith(".py")))


def changes_of_diff(root: Path, text: str) -> Changes:
    """What a unified diff says, which is expected to be applied already.

    Raises:
        UsageProblem: it is no diff, or a line that it adds is another one in the file.
    """
    below = _folder_of_diff(root, text)
    found = _changes("the diff", text, None, below)
    for path, lines in _added(text, below):
        _check_applied(root, path, lines)
    return found


def _folder_of_diff(root: Path, text: str) -> str:
    """The folder of the project where a diff gives paths from the root of the repository; else empty."""
    with contextlib.suppress(UsageProblem):
        below = folder_in_repository(root)
        paths = [new or old or "" for _, old, new in _files(text)]
        if below and any(path.startswith(below) and not (root / path).exists() for path in paths):
            return below
    return ""


def default_base(root: Path) -> str:
    """What work is compared with where nobody says: the branch of the merge request, else that of the remote.

    Raises:
        UsageProblem: there is no repository, or none of the usual branches.
    """
    _check_repository(root)
    wanted = [os.environ[name] for name in BRANCHES_OF_CI if os.environ.get(name)]
    head = _run(root, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD").stdout.decode().strip()
    for name in (*(f"origin/{one}" for one in wanted), *wanted, head, *TRUNKS):
        if name and not _run(root, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}").returncode:
            return name
    is_begun = not _run(root, "rev-parse", "--verify", "--quiet", "HEAD").returncode
    raise UsageProblem(
        "there is no branch to compare with: neither that of a remote, nor main or master", slug="no-base",
        hint=f"name one with --base; {_known(root)}" if is_begun
        else "there is no commit yet; `fencepost gate --staged` judges what the first one would bring",
    )  # fmt: skip


def _deepening(root: Path) -> str:
    """What helps where two histories have nothing in common."""
    if _git(root, "rev-parse", "--is-shallow-repository").strip() == "true":
        return "this clone is shallow: `git fetch --unshallow` brings the history that is missing"
    return "their histories have nothing in common; --base takes any other commit, tag or branch"


def is_ancestor(root: Path, commit: str, other: str) -> bool:
    """Whether a commit is another one, or led to it."""
    return not _run(root, "merge-base", "--is-ancestor", commit, other).returncode


def clean_commit(root: Path) -> str | None:
    """The commit that the files of the project are exactly those of; None where something differs from it."""
    status = _run(root, "status", "--porcelain", "--untracked-files=normal", "--", ".")
    head = _run(root, "rev-parse", "--verify", "--quiet", "HEAD")
    if status.returncode or head.returncode or status.stdout.strip():
        return None
    return head.stdout.decode().strip()


def folder_in_repository(root: Path) -> str:
    """The path of the project in its repository; empty where they are the same."""
    return _git(root, "rev-parse", "--show-prefix").strip("\n")


def check_out(root: Path, commit: str, folder: Path) -> None:
    """Write the files of a commit into a folder: all of them, also what an archive would leave out."""
    top = Path(_git(root, "rev-parse", "--show-toplevel").strip("\n"))
    index = {"GIT_INDEX_FILE": str(folder / ".git-index")}
    _git(top, "read-tree", commit, more=index)
    _git(top, "checkout-index", "--all", f"--prefix={folder}{os.sep}", more=index)
    (folder / ".git-index").unlink()


def same_files(root: Path, one: str, other: str) -> bool:
    """Whether the files of the project are the same in two commits."""
    return not _run(root, "diff", "--quiet", one, other, "--", ".").returncode


def text_at(root: Path, commit: str, path: str) -> str:
    """The text of a file as a commit has it; empty where it has none."""
    return _run(root, "show", f"{commit}:./{path}").stdout.decode("utf-8", "replace")


def _check_repository(root: Path) -> None:
    _git(
        root, "rev-parse", "--is-inside-work-tree", slug="no-repository",
        hint="run it in a clone; `plan` takes PATHS instead, and `gate` a diff (--diff FILE)",
    )  # fmt: skip


def _changes(since: str, text: str, base: str | None, below: str = "") -> Changes:
    files = _files(text, below)
    known = (names for file, *names in files if not file.is_added_file or _is_conftest(names[-1] or ""))
    touched = frozenset(name for names in known for name in names if name)
    renamed = {old: new for _, old, new in files if old and new and old != new}
    return Changes(since, _lines(files), touched, base, renamed)


def _is_conftest(path: str) -> bool:
    return path.rpartition("/")[2] == "conftest.py"


def _added(text: str, below: str) -> Iterator[tuple[str, dict[int, str]]]:
    """By path, the lines that a diff adds, with their numbers."""
    for file, _, new in _files(text, below):
        lines = (line for hunk in file for line in hunk if line.is_added and line.target_line_no)
        if new:
            yield new, {line.target_line_no: line.value for line in lines if line.target_line_no}


def _check_applied(root: Path, path: str, lines: Mapping[int, str]) -> None:
    try:
        there = (root / path).read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    except OSError:
        there = []
    for number, text in lines.items():
        if number > len(there) or there[number - 1].rstrip() != text.rstrip():
            raise UsageProblem(
                f"the diff does not fit: line {number} of {path} is another one here", slug="diff-does-not-fit",
                hint="check out what the diff leads to, and give paths relative to the root of the project",
            )  # fmt: skip


def lines_of_diff(text: str) -> Lines:
    """The lines that a unified diff adds or changes, by path; of a removed file none.

    Raises:
        UsageProblem: the text is no diff.
    """
    return _lines(_files(text))


def _files(text: str, below: str = "") -> list[Named]:
    """The files of a diff, with their paths before and after; where a folder is given, those in it, relative to it."""
    named = [(file, *_names(file)) for file in _patch(text)]
    if not below:
        return named
    inside = [(file, _within(old, below), _within(new, below)) for file, old, new in named]
    return [(file, old, new) for file, old, new in inside if old or new]


def _within(path: str | None, folder: str) -> str | None:
    return path[len(folder) :] if path and path.startswith(folder) else None


def _names(file: PatchedFile) -> tuple[str | None, str | None]:
    """The path before and after; None where there is no such file. Prefixes are those of git, or none."""
    names = [None if name == "/dev/null" else _unquoted(name) for name in (file.source_file, file.target_file)]
    old, new = names
    if all(name is None or name[:2] in pair for name, pair in zip(names, PREFIXES, strict=True)):
        return old and old[2:], new and new[2:]
    return old, new


def _patch(text: str) -> PatchSet:
    if COLORED.search(text):  # `color.ui = always`: the parser would pass over all of it
        text = COLOR.sub("", text)
    try:
        patch = PatchSet(text)
    except UnidiffParseError as error:
        raise _bad_diff(f"{error}") from error
    # what the parser does not understand it passes over, and changed lines would be missed
    if sum(len(file) for file in patch) != len(re.findall(r"^@@", text, re.MULTILINE)):
        raise _bad_diff("a hunk of it has no line numbers, or two sides before")
    if text.strip() and not patch and not text.startswith("diff --git "):
        raise _bad_diff("it names no file")
    return patch


def _bad_diff(why: str) -> UsageProblem:
    return UsageProblem(f"the diff cannot be read: {why}", slug="bad-diff", hint="is it a unified diff?")


def _lines(files: Iterable[Named]) -> Lines:
    return {
        # what an attribute of the repository calls binary is shown without its lines: any of them may be changed
        new: None if file.is_binary_file and new.endswith(".py") else [
            line.target_line_no for hunk in file for line in hunk if line.is_added and line.target_line_no
        ]
        for file, _, new in files
        if new and not file.is_removed_file
    }  # fmt: skip


def _unquoted(path: str) -> str:
    """The path of a file that git wrote in quotes, with escapes like those of C."""
    if not path.startswith('"'):
        return path
    escaped = path.strip('"').encode("utf-8", "surrogateescape")
    plain = re.sub(rb"\\(?:([0-7]{3})|(.))", _character, escaped)
    return plain.decode("utf-8", "surrogateescape")


def _character(escape: re.Match[bytes]) -> bytes:
    number, letter = escape.groups()
    named = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
    return bytes([int(number, 8)]) if number else named.get(letter, letter)


def narrowed(scans: Iterable[FileScan], changes: Lines) -> Iterator[FileScan]:
    """The scans of changed files, with the sites and findings that stand on changed lines."""
    for scan in scans:
        if scan.path in changes:
            lines = changes[scan.path]
            yield replace(
                scan,
                sites=tuple(site for site in scan.sites if _is_on(site.span, lines)),
                findings=tuple(one for one in scan.findings if _is_on(one.span, lines)),
            )


def _is_on(span: Span, lines: Sequence[int] | None) -> bool:
    if lines is None:
        return True
    return any(span.start.line <= line <= span.end.line for line in lines)


def _known(root: Path, wanted: str = "") -> str:
    names = _run(root, "for-each-ref", "--format=%(refname:short)", "--count=8", "refs/heads", "refs/remotes").stdout
    if not names:
        return "the repository has no commits"
    remote, _, branch = wanted.partition("/")
    is_remote = branch and not _run(root, "remote", "get-url", remote).returncode
    # with both sides named: a clone of one branch keeps no other under its name
    fetch = f"`git fetch {remote} {branch}:refs/remotes/{remote}/{branch}` brings it; " if is_remote else ""
    return f"{fetch}known here: {', '.join(names.decode(errors='replace').split())}"


def _paths(root: Path, *arguments: str) -> list[str]:
    """The paths that git lists, which ends each with a zero byte."""
    return [path for path in dict.fromkeys(_git(root, *arguments).split("\0")) if path]


def _git(
    root: Path,
    *arguments: str,
    slug: str = "no-diff",
    hint: str = "does `git status` work here?",
    more: Mapping[str, str] | None = None,
) -> str:
    done = _run(root, *arguments, more=more)
    if done.returncode:
        told = [*done.stderr.decode(errors="replace").splitlines(), f"`git {' '.join(arguments)}` found nothing"]
        raise UsageProblem(told[0], slug=slug, hint=hint)
    return done.stdout.decode("utf-8", "surrogateescape")


def _run(root: Path, *arguments: str, more: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    command = ["git", "-c", "core.quotePath=false", *arguments]
    environment = {**os.environ, **(more or {})}
    try:
        return subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)  # noqa: S603 - git alone
    except FileNotFoundError as error:
        raise UsageProblem("git is not installed", slug="no-git", hint="name PATHS instead of a base") from error
