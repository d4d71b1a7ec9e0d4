"""Which lines a piece of work changed, in real repositories."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from fencepost.analyzer.changes import (
    changed_lines,
    changes_of_diff,
    check_out,
    default_base,
    lines_of_diff,
    narrowed,
    staged_changes,
)
from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.model import FileScan
from fencepost.analyzer.scan import scan_source
from fencepost.rules import all_rules

TEN = "".join(f"line {number}\n" for number in range(1, 11))


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8", "surrogateescape"))


def commit(folder: Path, files: Mapping[str, str] | None = None) -> None:
    write(folder, files or {})
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--allow-empty", "-m", "a step")


@pytest.fixture(autouse=True)
def _no_settings_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in os.environ if one.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


@pytest.fixture(name="repository")
def _repository(tmp_path: Path) -> Path:
    """A repository whose branch `main` has a file of ten lines, on a branch `work`."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    commit(folder, {"shop.py": TEN})
    git(folder, "checkout", "-q", "-b", "work")
    return folder


def changed(root: Path, base: str = "main") -> dict[str, list[int] | str]:
    found = changed_lines(root, base)
    return {path: "every line" if lines is None else list(lines) for path, lines in found.items()}


def refused(root: Path, base: str = "main") -> tuple[str, str, str]:
    with pytest.raises(UsageProblem) as caught:
        changed_lines(root, base)
    return caught.value.slug, str(caught.value), caught.value.hint or ""


def edited(*numbers: int) -> str:
    """The file of ten lines with some of them written anew."""
    return "".join(f"new {number}\n" if number in numbers else f"line {number}\n" for number in range(1, 11))


# what counts as changed


def test_nothing_is_changed_where_nothing_was(repository: Path) -> None:
    assert changed(repository) == {}


def test_committed_staged_and_unstaged_lines_count(repository: Path) -> None:
    commit(repository, {"shop.py": edited(2)})
    write(repository, {"shop.py": edited(2, 5)})
    git(repository, "add", "shop.py")
    write(repository, {"shop.py": edited(2, 5, 8, 9)})
    assert changed(repository) == {"shop.py": [2, 5, 8, 9]}


def test_every_line_of_a_file_that_git_does_not_know_counts_unless_it_is_ignored(repository: Path) -> None:
    write(repository, {"new.py": "a\nb\n", "deep/other.py": "", "secret.py": "", ".gitignore": "secret.py\n"})
    assert changed(repository) == {"new.py": "every line", "deep/other.py": "every line", ".gitignore": "every line"}


def test_every_line_of_a_file_that_was_added_is_listed(repository: Path) -> None:
    commit(repository, {"new.py": "a\nb\n"})
    assert changed(repository) == {"new.py": [1, 2]}


def test_inserted_lines_count_and_deleted_ones_have_no_number(repository: Path) -> None:
    commit(repository, {"shop.py": TEN.replace("line 3\n", "line 3\nmore\n").replace("line 8\n", "")})
    assert changed(repository) == {"shop.py": [4]}


def test_a_deleted_file_has_no_lines(repository: Path) -> None:
    git(repository, "rm", "-q", "shop.py")
    assert changed(repository) == {}


def test_a_renamed_file_counts_under_its_new_name_with_the_lines_that_differ(repository: Path) -> None:
    git(repository, "mv", "shop.py", "store.py")
    write(repository, {"store.py": edited(4)})
    assert changed(repository) == {"store.py": [4]}


def test_what_happened_on_the_base_since_does_not_count(repository: Path) -> None:
    commit(repository, {"shop.py": edited(2)})
    git(repository, "checkout", "-q", "main")
    commit(repository, {"shop.py": edited(9), "base.py": "x\n"})
    git(repository, "checkout", "-q", "work")
    assert changed(repository) == {"shop.py": [2]}


def test_a_commit_is_as_good_a_base_as_a_branch(repository: Path) -> None:
    commit(repository, {"shop.py": edited(2)})
    commit(repository, {"shop.py": edited(2, 3)})
    assert changed(repository, "HEAD~1") == {"shop.py": [3]}
    assert changed(repository, git(repository, "rev-parse", "HEAD~2").strip()) == {"shop.py": [2, 3]}


def test_a_root_inside_of_the_repository_sees_its_own_files_under_its_own_paths(repository: Path) -> None:
    commit(repository, {"services/shop/src/a.py": "a\n", "other.py": "a\n"})
    write(repository, {"services/shop/b.py": "", "services/c.py": ""})
    assert changed(repository / "services" / "shop") == {"src/a.py": [1], "b.py": "every line"}


@pytest.mark.parametrize(
    "setting",
    [
        "diff.noprefix=true",
        "diff.mnemonicPrefix=true",
        "diff.context=7",
        "diff.interHunkContext=9",
        "color.ui=always",
        "diff.submodule=log",
        "diff.external=false",
        "core.quotePath=true",
        "diff.renames=copies",
        "diff.relative=false",
    ],
)
def test_settings_of_the_user_change_nothing(repository: Path, setting: str) -> None:
    git(repository, "config", *setting.split("="))
    commit(repository, {"b/ä.py": "a\n"})
    write(repository, {"shop.py": edited(2, 5)})
    assert changed(repository) == {"shop.py": [2, 5], "b/ä.py": [1]}


@pytest.mark.parametrize(
    "name",
    ["a b.py", "ä.py", 'we"ird.py', 'b/"\udcff.py', "tab\there.py",
      "line\nend.py", "back\\slash.py", "\udcff.py", "-x.py", "b/b/x.py", "é\u2028.py", "bell\x07\x1b.py"],
)  # fmt: skip
def test_a_name_of_any_characters_is_the_path_of_its_file(repository: Path, name: str) -> None:
    commit(repository, {name: "a\nb\n", f"deep/{name}": "a\n"})
    write(repository, {f"new-{name}": ""})
    assert changed(repository) == {name: [1, 2], f"deep/{name}": [1], f"new-{name}": "every line"}


def test_odd_characters_in_lines_do_not_divide_them(repository: Path) -> None:
    commit(repository, {"odd.py": "a\x0cb\u2028c\x85d\x1ce\udcff\r\nsecond\n"})
    write(repository, {"odd.py": "a\x0cb\u2028c\x85d\x1ce\udcff\r\nsecond\nthird"})
    assert changed(repository, "HEAD") == {"odd.py": [3]}


# what cannot be told


def test_outside_of_a_repository_the_answer_is_a_usage_error(tmp_path: Path) -> None:
    slug, message, hint = refused(tmp_path)
    assert (slug, hint) == (
        "no-repository",
        "run it in a clone; `plan` takes PATHS instead, and `gate` a diff (--diff FILE)",
    )
    assert "not a git repository" in message


def test_an_unknown_base_is_answered_with_those_that_are_known(repository: Path) -> None:
    slug, message, hint = refused(repository, "orgin/main")
    assert (slug, message, hint) == (
        "no-such-base", "there is no commit or branch 'orgin/main'", "known here: main, work",
    )  # fmt: skip


@pytest.mark.parametrize("base", ["-x", "--all", "", "main:shop.py", "a b"])
def test_a_base_that_is_no_commit_is_unknown(repository: Path, base: str) -> None:
    assert refused(repository, base)[0] == "no-such-base"


def test_a_repository_without_commits_says_so(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert refused(tmp_path)[::2] == ("no-such-base", "the repository has no commits")


def test_a_history_that_shares_nothing_with_the_base_is_refused(repository: Path) -> None:
    git(repository, "checkout", "-q", "--orphan", "other")
    commit(repository, {"other.py": ""})
    slug, message, hint = refused(repository)
    assert (slug, message) == ("no-merge-base", "`git merge-base main HEAD` found nothing")
    assert hint == "their histories have nothing in common; --base takes any other commit, tag or branch"


def test_a_shallow_clone_without_the_shared_commit_is_refused(repository: Path, tmp_path: Path) -> None:
    commit(repository, {"shop.py": edited(2)})
    git(repository, "checkout", "-q", "main")
    commit(repository, {"shop.py": edited(3)})
    source = f"file://{repository}"
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", "-b", "work", source, "clone")
    slug, _, hint = refused(tmp_path / "clone", "origin/main")
    assert slug == "no-merge-base"
    assert "`git fetch --unshallow`" in hint


def test_a_clone_of_one_branch_learns_how_to_get_another_under_its_name(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--single-branch", "-b", "work", f"file://{repository}", "clone")
    _, _, hint = refused(tmp_path / "clone", "origin/main")
    git(tmp_path / "clone", *hint.split("`")[1].split()[1:])
    assert changed(tmp_path / "clone", "origin/main") == {}


def staging_refused(root: Path) -> str:
    with pytest.raises(UsageProblem) as caught:
        staged_changes(root)
    return caught.value.slug


def test_a_conflict_is_no_diff_and_half_of_a_new_file_is_not_the_file(repository: Path) -> None:
    commit(repository, {"shop.py": edited(2)})
    git(repository, "checkout", "-q", "main")
    commit(repository, {"shop.py": f"x\n{edited(1, 2)}"})
    with pytest.raises(subprocess.CalledProcessError):
        git(repository, "merge", "-q", "work")
    assert staging_refused(repository) == "unmerged"
    git(repository, "reset", "-q", "--hard")
    write(repository, {"new.py": "a\n"})
    git(repository, "add", "new.py")
    write(repository, {"new.py": "a\nb\n"})
    assert staging_refused(repository) == "not-staged"


def test_before_the_first_commit_what_is_staged_can_be_judged(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    with pytest.raises(UsageProblem) as caught:
        default_base(tmp_path)
    assert "gate --staged" in caught.value.hint


def test_a_failure_of_git_is_told_in_its_words(repository: Path) -> None:
    commit(repository, {"shop.py": edited(2)})
    (repository / ".git" / "index").write_bytes(b"broken")
    slug, message, hint = refused(repository)
    assert (slug, hint) == ("no-diff", "does `git status` work here?")
    assert "index" in message


def test_without_git_paths_are_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert refused(tmp_path) == ("no-git", "git is not installed", "name PATHS instead of a base")


# a diff as text


def test_a_diff_tells_the_lines_by_path() -> None:
    text = (
        "--- a/shop.py\n+++ b/shop.py\n@@ -1,3 +1,3 @@\n same\n-old\n+new\n same\n@@ -8 +8,2 @@\n-x\n+y\n+z\n"
        "--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    )
    assert lines_of_diff(text) == {"shop.py": [2, 8, 9]}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("just words\n", "it names no file"),
        ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n+y\n", "Hunk is shorter than expected"),
        ("--- a/x\n+++ b/x\n@@ nonsense @@\n+y\n", "a hunk of it has no line numbers"),
    ],
)
def test_what_is_no_diff_is_refused(text: str, why: str) -> None:
    with pytest.raises(UsageProblem, match=f"the diff cannot be read: {why}") as caught:
        lines_of_diff(text)
    assert (caught.value.slug, caught.value.hint) == ("bad-diff", "is it a unified diff?")


def test_the_colors_of_a_diff_are_left_out(repository: Path) -> None:
    commit(repository, {"shop.py": edited(2)})
    plain, colored = (git(repository, "diff", f"--color={how}", "main") for how in ("never", "always"))
    assert plain != colored
    assert lines_of_diff(colored) == lines_of_diff(plain) == {"shop.py": [2]}


def test_a_diff_without_lines_changes_nothing() -> None:
    assert lines_of_diff("") == {}
    assert lines_of_diff("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n") in ({}, {"x": []})


# scans, narrowed to what changed


CODE = b"def f(a, b):\n    x = a > 1\n    return (\n        b > 2\n    ) and (a\n        > 3)\n"


def scanned(path: str) -> FileScan:
    return scan_source(CODE, path, [rule for rule in all_rules() if rule.code == "FP101"])


def kept(lines: object) -> dict[str, list[str]]:
    found = narrowed([scanned("a.py"), scanned("b.py")], {"a.py": lines})  # type: ignore[dict-item]  # each kind
    return {scan.path: [site.source for site in scan.sites] for scan in found}


@pytest.mark.parametrize(
    ("lines", "sources"),
    [
        ([1, 3], []),
        ([2], ["a > 1"]),
        ([4, 9], ["b > 2"]),
        ([5], ["a\n        > 3"]),
        ([6], ["a\n        > 3"]),
        ([7], []),
        ([], []),
        (None, ["a > 1", "b > 2", "a\n        > 3"]),
    ],
)
def test_the_sites_on_changed_lines_of_changed_files_stay(lines: object, sources: list[str]) -> None:
    assert kept(lines) == {"a.py": sources}


# a diff as others write it


def told_by_diff(root: Path, text: str) -> tuple[dict[str, list[int]], set[str]]:
    found = changes_of_diff(root, text)
    return {path: list(lines or ()) for path, lines in found.lines.items()}, set(found.touched)


@pytest.mark.parametrize("options", [(), ("--no-prefix",), ("--src-prefix=i/", "--dst-prefix=w/"), ("--full-index",)])
def test_a_diff_may_have_any_prefix_of_git_or_none(repository: Path, options: tuple[str, ...]) -> None:
    commit(repository, {"tests/test_a.py": TEN})
    write(repository, {"shop.py": edited(2)})
    git(repository, "rm", "-q", "tests/test_a.py")
    lines, touched = told_by_diff(repository, git(repository, "diff", *options, "HEAD"))
    assert (lines, touched) == ({"shop.py": [2]}, {"shop.py", "tests/test_a.py"})


def test_paths_of_a_diff_may_be_those_of_the_repository(repository: Path) -> None:
    commit(repository, {"services/shop/a.py": TEN, "services/shop/tests/test_a.py": TEN})
    write(repository, {"services/shop/a.py": edited(3), "services/shop/tests/test_a.py": edited(4), "shop.py": "x\n"})
    root = repository / "services" / "shop"
    lines, touched = told_by_diff(root, git(repository, "diff"))
    assert lines == {"a.py": [3], "tests/test_a.py": [4]}
    assert touched == {"a.py", "tests/test_a.py"}
    assert told_by_diff(root, git(root, "diff", "--relative")) == (lines, touched)


def test_a_renamed_file_of_a_diff_is_touched_under_both_names(repository: Path) -> None:
    git(repository, "mv", "shop.py", "store.py")
    write(repository, {"store.py": edited(4)})
    git(repository, "add", "--all")
    diff = git(repository, "diff", "--cached", "--no-prefix")
    assert told_by_diff(repository, diff) == ({"store.py": [4]}, {"shop.py", "store.py"})


def test_any_line_of_python_that_the_repository_calls_binary_may_be_changed(repository: Path) -> None:
    commit(repository, {".gitattributes": "*.py -diff\n*.bin binary\n", "a.bin": "\0"})
    write(repository, {"shop.py": edited(2), "a.bin": "\0\0"})
    assert changed(repository, "HEAD") == {"shop.py": "every line", "a.bin": []}


def test_a_commit_is_checked_out_with_what_an_archive_leaves_out(repository: Path, tmp_path: Path) -> None:
    commit(repository, {".gitattributes": "tests export-ignore\n", "tests/test_a.py": TEN, "ä b.py": "x\n"})
    (repository / "link").symlink_to("/nowhere")
    commit(repository)
    write(repository, {"shop.py": "changed since\n"})
    folder = tmp_path / "copy"
    folder.mkdir()
    check_out(repository, "HEAD", folder)
    assert sorted(path.name for path in folder.iterdir()) == [".gitattributes", "link", "shop.py", "tests", "ä b.py"]
    assert ((folder / "shop.py").read_text(), (folder / "tests" / "test_a.py").read_text()) == (TEN, TEN)
    assert git(repository, "diff", "--cached", "--name-only") == ""
