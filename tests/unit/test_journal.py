"""What an interrupted run had settled is read again under the same state of everything, and under no other."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fencepost.analyzer.journal import Journal, state_of
from fencepost.analyzer.model import Failure, Outcome
from fencepost.analyzer.mutate import Tried

KILLED = Tried(
    Outcome(0, (Failure(3, "AssertionError", "assert 1 == 2", "call", "shop.py", preceded=False),)), confirmed=True
)
SURVIVED = Tried(Outcome(0, ran=7, seconds=0.5), confirmed=True, note="noted")


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("shop.py", "tests/test_shop.py", "tests/data/prices.csv"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("1\n", encoding="utf-8")
    return root


def test_what_was_settled_is_read_under_the_same_state(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "state", fresh=False)
    assert journal.known == {}
    journal.add("FP101-a", KILLED)
    journal.add("FP101-b", SURVIVED)
    assert Journal(tmp_path, "state", fresh=False).known == {"FP101-a": KILLED, "FP101-b": SURVIVED}


def test_a_journal_that_was_read_is_written_on(tmp_path: Path) -> None:
    Journal(tmp_path, "state", fresh=False).add("FP101-a", KILLED)
    Journal(tmp_path, "state", fresh=False).add("FP101-b", SURVIVED)
    assert list(Journal(tmp_path, "state", fresh=False).known) == ["FP101-a", "FP101-b"]


@pytest.mark.parametrize(("state", "fresh"), [("another", False), ("state", True)])
def test_what_was_settled_in_another_state_is_forgotten(tmp_path: Path, state: str, *, fresh: bool) -> None:
    Journal(tmp_path, "state", fresh=False).add("FP101-a", KILLED)
    assert Journal(tmp_path, state, fresh=fresh).known == {}
    assert Journal(tmp_path, "state", fresh=False).known == {}


def test_half_a_line_at_the_end_is_left_out(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "state", fresh=False)
    journal.add("FP101-a", KILLED)
    with journal.path.open("a", encoding="utf-8") as file:
        file.write('{"mutant": "FP101-b", "tri')
    assert list(Journal(tmp_path, "state", fresh=False).known) == ["FP101-a"]


@pytest.mark.parametrize("text", ["", "[]\n", "nonsense\n", '{"form": 1}\n'])
def test_a_journal_that_is_none_is_begun_anew(tmp_path: Path, text: str) -> None:
    (tmp_path / "unfinished.jsonl").write_text(text, encoding="utf-8")
    journal = Journal(tmp_path, "state", fresh=False)
    assert journal.known == {}
    journal.add("FP101-a", KILLED)
    assert list(Journal(tmp_path, "state", fresh=False).known) == ["FP101-a"]


def test_a_run_that_is_complete_leaves_no_journal(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "state", fresh=False)
    journal.remove()
    journal.remove()
    assert list(tmp_path.iterdir()) == []


def write(name: str, text: str = "2\n") -> Callable[[Path], object]:
    """Write a file of the project."""

    def act(root: Path) -> None:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")

    return act


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (write("shop.py", "22\n"), True),
        (write("tests/data/prices.csv", "22\n"), True),
        (write("tests/data/more.csv"), True),
        (write("setup.cfg"), True),
        (lambda root: (root / "tests/data/prices.csv").unlink(), True),
        (write(".git/index"), False),
        (write("__pycache__/shop.pyc"), False),
        (write("node_modules/x.js"), False),
        (write("env/pyvenv.cfg"), False),
        (write("out/written.txt"), False),
    ],
)
def test_a_change_of_the_project_is_another_state(
    root: Path, change: Callable[[Path], object], *, differs: bool
) -> None:
    written = [str(root / "out")]
    before = state_of(root, written, [])
    assert state_of(root, written, []) == before
    change(root)
    assert (state_of(root, written, []) != before) == differs


def test_what_was_asked_for_belongs_to_the_state(root: Path) -> None:
    assert state_of(root, [], [{"a": 1, "b": 2}]) == state_of(root, [], [{"b": 2, "a": 1}])
    assert state_of(root, [], ["-x"]) != state_of(root, [], [])


def test_the_environment_belongs_to_the_state_in_whatever_order(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_A", "1")
    monkeypatch.setenv("SHOP_B", "2")
    before = state_of(root, [], [])
    monkeypatch.setenv("PWD", "/elsewhere")
    monkeypatch.delenv("SHOP_A")
    monkeypatch.setenv("SHOP_A", "1")
    assert state_of(root, [], []) == before
    monkeypatch.setenv("SHOP_A", "2")
    assert state_of(root, [], []) != before


def test_what_is_installed_belongs_to_the_state(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    (site / "shop-1.0.dist-info").mkdir(parents=True)
    monkeypatch.syspath_prepend(site)
    before = state_of(root, [], [])
    (site / "__pycache__").mkdir()
    assert state_of(root, [], []) == before
    (site / "prices-2.0.dist-info").mkdir()
    assert state_of(root, [], []) != before


def test_the_order_in_which_a_file_system_lists_does_not_matter(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    for name in ("a.py", "b.py"):
        (root / name).write_text("", encoding="utf-8")
        site.mkdir(exist_ok=True)
        (site / name).write_text("", encoding="utf-8")
    monkeypatch.syspath_prepend(site)
    before = state_of(root, [], [])
    plain = os.scandir
    monkeypatch.setattr(os, "scandir", lambda folder: reversed(list(plain(folder))))
    assert state_of(root, [], []) == before
