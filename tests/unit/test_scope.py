"""Which files are the code under test: those that are named, or what looks like the code of the project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.scope import imported_by_pytest, is_test_file, source_files


def found(root: Path, paths: Sequence[str], *wanted: str, ignore: Sequence[str] = ()) -> list[str]:
    """The code under test of a project that holds these files."""
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    return source_files(root, wanted, ignore)


def refused(root: Path, paths: Sequence[str], *wanted: str) -> UsageProblem:
    with pytest.raises(UsageProblem) as caught:
        found(root, paths, *wanted)
    return caught.value


# found by looking


def test_a_src_folder_is_the_code_and_all_else_is_not(tmp_path: Path) -> None:
    paths = ["src/shop/__init__.py", "src/shop/cart.py", "other/__init__.py", "setup.py", "tool.py"]
    assert found(tmp_path, paths) == ["src/shop/__init__.py", "src/shop/cart.py"]


def test_without_a_src_folder_packages_and_modules_at_the_top_are_the_code(tmp_path: Path) -> None:
    paths = ["shop/__init__.py", "shop/a.py", "notes/b.py", "tests/__init__.py", "docs/__init__.py", "one.py"]
    assert found(tmp_path, paths) == ["one.py", "shop/__init__.py", "shop/a.py"]


def test_without_a_package_the_folders_that_hold_python_are_the_code(tmp_path: Path) -> None:
    assert found(tmp_path, ["shop/a.py", "empty/b.txt", "tests/c.py"]) == ["shop/a.py"]
    assert found(tmp_path, ["src/readme.txt"]) == ["shop/a.py"]


def test_a_folder_that_only_holds_folders_is_a_namespace(tmp_path: Path) -> None:
    assert found(tmp_path, ["ns/deep/calc.py", "docs/deep/conf.py", "one.py"]) == ["ns/deep/calc.py", "one.py"]
    assert found(tmp_path, ["shop/__init__.py"]) == ["one.py", "shop/__init__.py"]


def test_modules_that_build_or_test_are_no_code_under_test(tmp_path: Path) -> None:
    paths = ["a.py", "setup.py", "conftest.py", "test_a.py", "a_test.py", "noxfile.py"]
    assert found(tmp_path, paths) == ["a.py"]


def test_tests_hidden_files_and_environments_below_a_package_are_left_out(tmp_path: Path) -> None:
    kept = ["shop/__init__.py", "shop/deep/a.py"]
    left_out = [
        "shop/tests/a.py", "shop/test_a.py", "shop/.hidden.py", "shop/.cache/a.py", "shop/build/a.py",
        "shop/mine/pyvenv.cfg", "shop/mine/a.py", "shop/x.egg-info/a.py", "shop/data.json",
    ]  # fmt: skip
    assert found(tmp_path, [*kept, *left_out]) == kept
    (tmp_path / "shop" / "lock.py").symlink_to(tmp_path / "nowhere")
    assert found(tmp_path, []) == kept


def test_the_files_come_sorted(tmp_path: Path) -> None:
    paths = [f"shop/{letter}.py" for letter in "hgfedcba"]
    assert found(tmp_path, [*paths, "shop/__init__.py"]) == ["shop/__init__.py", *sorted(paths)]


# named


def test_a_named_folder_gives_its_files_and_a_named_file_itself_even_a_test(tmp_path: Path) -> None:
    paths = ["shop/a.py", "shop/test_a.py", "more/b.py", "tests/test_b.py"]
    assert found(tmp_path, paths, "shop", "tests/test_b.py") == ["shop/a.py", "tests/test_b.py"]
    assert found(tmp_path, [], str(tmp_path / "more"), "more/b.py") == ["more/b.py"]


@pytest.mark.parametrize("pattern", ["shop/vendored", "shop/vendored/", "shop/vendored//", "shop/v*", "*/vendored/*"])
def test_a_pattern_leaves_files_out(tmp_path: Path, pattern: str) -> None:
    assert found(tmp_path, ["shop/a.py", "shop/vendored/b.py"], "shop", ignore=[pattern]) == ["shop/a.py"]


def test_a_pattern_of_a_folder_leaves_its_namesakes_alone(tmp_path: Path) -> None:
    assert found(tmp_path, ["shop/a.py", "shopping/b.py"], "shop", "shopping", ignore=["shop"]) == ["shopping/b.py"]


@pytest.mark.parametrize(
    ("wanted", "slug", "hint"),
    [
        ("shpo", "no-such-path", "did you mean 'shop'?"),
        ("reade", "no-such-path", "known: one.py, shop"),
        ("nowhere/a.py", "no-such-path", "paths are relative to the root of the project"),
        ("readme.txt", "not-python", "name .py files, or folders that hold some"),
        ("..", "outside-project", "run fencepost in the project that holds the file"),
    ],
)
def test_a_path_that_is_no_source_is_refused_with_a_hint(tmp_path: Path, wanted: str, slug: str, hint: str) -> None:
    project = tmp_path / "project"
    problem = refused(project, ["shop/a.py", "one.py", "readme.txt", ".hidden/a.py"], wanted)
    assert (problem.slug, problem.hint) == (slug, hint)


def test_a_project_that_was_come_to_through_a_link_is_the_project(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "project")
    assert found(tmp_path / "project", ["a.py"], str(tmp_path / "link" / "a.py")) == ["a.py"]


def test_where_nothing_is_found_it_is_said_where(tmp_path: Path) -> None:
    assert str(refused(tmp_path, ["readme.txt"])) == "no Python source found in this project"
    assert str(refused(tmp_path, ["a/b.txt", "c/d.txt"], "a", "c")) == "no Python source found in a, c"


# names


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("conftest.py", True),
        ("test_a.py", True),
        ("a_test.py", True),
        ("a.py", False),
        ("testing.py", False),
        ("test_a.txt", False),
        ("my_conftest.py", False),
    ],
)
def test_pytest_looks_for_tests_in_files_of_some_names(name: str, *, expected: bool) -> None:
    assert is_test_file(name) is expected


def test_packages_that_pytest_itself_imports_are_known_by_a_part_of_their_path() -> None:
    assert imported_by_pytest(["src/pluggy/_hooks.py"])
    assert imported_by_pytest(["a.py", "pytest.py"])
    assert not imported_by_pytest(["src/pluggy_extras/a.py"])
