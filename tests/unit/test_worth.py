"""What is most worth a test: public before private, changed lately before old, then what many tests reach."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fencepost.analyzer.model import Run, Sighting
from fencepost.reports._gaps import gaps
from fencepost.reports._view import View
from fencepost.reports._worth import LATELY_COMMITS, changed_lately, is_public, worth

Told = Callable[..., Run]


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, check=True)


def commit(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write("x\n")
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--allow-empty", "-m", "a step")


@pytest.fixture(name="repository")
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [one for one in os.environ if one.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git(tmp_path, "init", "-q")
    return tmp_path


def test_committed_changed_and_new_files_are_changed_lately(repository: Path) -> None:
    commit(repository, "a.py", "b c.py", "ä\n.py", " deep /d.py")
    (repository / "a.py").write_text("y\n", encoding="utf-8")
    (repository / "new.py").touch()
    (repository / ".gitignore").write_text("ignored.py\n", encoding="utf-8")
    (repository / "ignored.py").touch()
    assert changed_lately(repository) == {"a.py", "b c.py", "ä\n.py", " deep /d.py", "new.py", ".gitignore"}


def test_only_the_last_commits_are_lately_and_work_under_way(repository: Path) -> None:
    commit(repository, "old.py", "touched.py")
    for number in range(LATELY_COMMITS):
        commit(repository, f"file{number}.py")
    (repository / "touched.py").write_text("y\n", encoding="utf-8")
    assert changed_lately(repository) == {f"file{number}.py" for number in range(LATELY_COMMITS)} | {"touched.py"}


def test_paths_are_relative_to_the_root_and_others_do_not_count(repository: Path) -> None:
    commit(repository, "services/shop/src/a.py", "other.py")
    (repository / "services" / "b.py").touch()
    (repository / "services" / "shop" / "c.py").touch()
    assert changed_lately(repository / "services" / "shop") == {"src/a.py", "c.py"}


def test_without_a_repository_or_a_commit_or_git_nothing_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert changed_lately(tmp_path) == frozenset()
    git(tmp_path, "init", "-q")
    assert changed_lately(tmp_path) == frozenset()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert changed_lately(tmp_path) == frozenset()


@pytest.mark.parametrize(
    ("path", "scope", "public"),
    [
        ("src/shop/prices.py", "Cart.total", True),
        ("src/shop/__init__.py", "Cart.__len__", True),
        ("shop.py", "", True),
        ("src/shop/_prices.py", "total", False),
        ("src/_shop/prices.py", "total", False),
        ("src/shop/prices.py", "_Cart.total", False),
        ("src/shop/prices.py", "Cart._total", False),
        ("src/shop/prices.py", "Cart.__total", False),
    ],
)
def test_an_underscore_on_the_way_marks_what_is_internal_but_not_a_special_name(
    path: str, scope: str, *, public: bool
) -> None:
    assert is_public(path, scope) is public


def test_gaps_come_public_first_then_lately_changed_then_by_the_tests_that_reach_them(
    repository: Path, told: Told
) -> None:
    commit(repository, "a.py", "b.py")
    for _ in range(LATELY_COMMITS):
        commit(repository, "b.py")
    code = "def {0}f(x):\n    return x.strip()\n\n\ndef g(x):\n    return x.rstrip()\n\n\ndef h(x):\n    return x.lstrip()\n"
    run = told(
        {"b.py": code.format("_"), "a.py": code.format("")}, rules=["FP201"], seen={"x.lstrip()": Sighting(2, (0, 1))}
    )
    found = sorted(gaps(View(run)), key=worth(repository))
    assert [(gap.site.path, gap.site.scope) for gap in found] == [
        ("b.py", "h"), ("b.py", "g"), ("a.py", "h"), ("a.py", "f"), ("a.py", "g"), ("b.py", "_f"),
    ]  # fmt: skip
