"""What stood where mutated runs may write is put back, and nothing else is touched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from fencepost.analyzer.standing import BESIDE, MANIFEST, clear_up, keep, put_back, remove_folder


@pytest.fixture(name="tree")
def _tree(tmp_path: Path) -> Path:
    """A folder with a file, a folder and a link; what stands there is kept in a folder beside it."""
    tree = tmp_path / "tree"
    (tree / "folder").mkdir(parents=True)
    (tree / "file").write_text("as it was", encoding="utf-8")
    (tree / "folder" / "file").write_text("deep", encoding="utf-8")
    (tree / "link").symlink_to("file")
    os.utime(tree / "file", (1000, 1000))
    (tree / "file").chmod(0o640)
    names = ("file", "folder", "folder/file", "link", "new", "folder/new")
    keep(tmp_path / "kept", [str(tree / name) for name in names])
    return tree


def content(tree: Path) -> dict[str, tuple[str, int, float]]:
    """Text, mode and time of each file."""
    files = (path for path in tree.rglob("*") if path.is_file() and not path.is_symlink())
    return {
        path.relative_to(tree).as_posix(): (path.read_text(encoding="utf-8"), path.stat().st_mode, path.stat().st_mtime)
        for path in files
    }


@pytest.mark.parametrize(
    "harm",
    [
        lambda tree: (tree / "file").write_text("changed", encoding="utf-8"),
        lambda tree: (tree / "file").write_text("as it is!", encoding="utf-8"),  # of the same size
        lambda tree: (tree / "file").chmod(0o600),
        lambda tree: (tree / "file").unlink(),
        lambda tree: (tree / "file").rename(tree / "new"),
        lambda tree: (tree / "new").write_text("", encoding="utf-8"),
        lambda tree: shutil.rmtree(tree / "folder"),
        lambda _: None,
    ],
)
def test_a_file_is_put_back_and_what_was_not_there_is_gone(tree: Path, harm: Callable[[Path], object]) -> None:
    before = content(tree)
    harm(tree)
    put_back(tree.parent / "kept")
    assert content(tree) == before
    assert (tree / "link").is_symlink()


def test_a_folder_in_the_way_is_left_alone_and_keeps_nothing_else_from_being_put_back(tree: Path) -> None:
    (tree / "file").unlink()
    (tree / "file").mkdir()
    (tree / "new").mkdir()
    (tree / "new" / "somebodys").touch()
    (tree / "folder" / "file").unlink()
    put_back(tree.parent / "kept")
    assert (tree / "file").is_dir()
    assert (tree / "new" / "somebodys").exists()
    assert (tree / "folder" / "file").read_text(encoding="utf-8") == "deep"


def test_a_file_that_is_still_there_keeps_its_other_names_and_one_in_its_place_keeps_what_it_holds(tree: Path) -> None:
    file, deep = tree / "file", tree / "folder" / "file"
    (tree / "other").hardlink_to(file)
    keep(tree.parent / "again", [str(file), str(deep)])
    file.write_text("changed", encoding="utf-8")
    file.chmod(0o400)
    deep.unlink()
    (tree / "stranger").write_text("of somebody", encoding="utf-8")  # which may be given the same inode
    deep.hardlink_to(tree / "stranger")
    put_back(tree.parent / "again")
    assert (tree / "other").samefile(file)
    assert (tree / "other").read_text(encoding="utf-8") == "as it was"
    assert deep.read_text(encoding="utf-8") == "deep"
    assert (tree / "stranger").read_text(encoding="utf-8") == "of somebody"


@pytest.mark.parametrize("running", [True, False])
def test_what_lies_beside_the_project_is_put_back_where_a_run_did_not_come_to_its_end(
    tree: Path, *, running: bool
) -> None:
    session = tree.parent / "session"
    session.mkdir()
    keep(session / BESIDE, [str(tree / "file")])
    (tree / "file").write_text("changed", encoding="utf-8")
    if running:
        (session / "run-1.running").touch()
    clear_up(session)
    assert (tree / "file").read_text(encoding="utf-8") == ("as it was" if running else "changed")


@pytest.mark.skipif(not os.geteuid(), reason="root may look everywhere")
def test_a_folder_is_removed_with_what_nobody_may_look_into(tree: Path) -> None:
    (tree / "folder").chmod(0)
    remove_folder(tree)
    assert not tree.exists()


@pytest.mark.parametrize("manifest", [None, "{", ""])
def test_half_a_copy_is_no_copy(tree: Path, manifest: str | None) -> None:
    path = tree.parent / "kept" / MANIFEST
    path.unlink()
    if manifest is not None:
        path.write_text(manifest, encoding="utf-8")
    (tree / "file").unlink()
    put_back(tree.parent / "kept")
    assert not (tree / "file").exists()
    put_back(tree.parent / "nowhere")


def test_copies_belong_to_their_paths_in_whatever_order_these_are_given(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in "cab"]
    for path in paths:
        path.write_text(path.name, encoding="utf-8")
    keep(tmp_path / "kept", map(str, paths))
    for path in paths:
        path.unlink()
    put_back(tmp_path / "kept")
    assert [path.read_text(encoding="utf-8") for path in paths] == ["c", "a", "b"]
