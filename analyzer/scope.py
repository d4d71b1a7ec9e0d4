"""Which files are the code under test: what the user names, or the project's packages and modules that are no tests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from fencepost.analyzer.errors import UsageProblem, nearest_name_hint
from fencepost.analyzer.rule_choice import matches

NEVER = frozenset({
    "__pycache__", "build", "dist", "node_modules", "site-packages", "venv", "env", "virtualenv", "mutants", "htmlcov",
})  # fmt: skip
NO_SOURCE = frozenset({
    "tests", "test", "testing", "docs", "doc", "examples", "example", "samples", "benchmarks", "benchmark", "scripts",
    "tools", "tasks", "migrations", "ci", "bin",
})  # fmt: skip
NO_MODULES = frozenset({"setup.py", "conftest.py", "noxfile.py", "tasks.py", "fabfile.py", "manage.py", "__main__.py"})


def source_files(root: Path, wanted: Sequence[str], ignore: Sequence[str]) -> list[str]:
    """The files of the code under test, relative to the root with forward slashes, sorted.

    Args:
        wanted: files and folders, relative to the root or absolute; empty: found by looking.
        ignore: patterns of paths to leave out.

    Raises:
        UsageProblem: a wanted path does not exist or is no Python, or nothing is found.
    """
    found = _once(root, _named(root, wanted) if wanted else _found(root))
    kept = sorted(path for path in found if not any(matches(path, pattern) for pattern in ignore))
    if not kept:
        raise UsageProblem(
            f"no Python source found {'in ' + ', '.join(wanted) if wanted else 'in this project'}",
            slug="no-source",
            hint="name files or folders, or set `source` in [tool.fencepost]",
        )
    return kept


def _once(root: Path, paths: Iterable[str]) -> Iterable[str]:
    """Each file under one name: its own, where links give it others."""
    names: dict[str, str] = {}
    for path in paths:
        real = os.path.realpath(root / path)
        own = os.path.relpath(real, os.path.realpath(root)).replace(os.sep, "/")
        if real not in names or path == own:
            names[real] = path
    return names.values()


def _named(root: Path, wanted: Sequence[str]) -> Iterator[str]:
    for name in wanted:
        path = Path(os.path.abspath(root / name))  # noqa: PTH100 - `resolve` would follow links out of the project
        if not path.exists():
            raise UsageProblem(
                f"the source path '{name}' does not exist", slug="no-such-path", hint=_neighbours_hint(root, name)
            )
        if not path.is_relative_to(root):
            path = Path(os.path.realpath(path))  # the project may have been come to through a link
        if not path.is_relative_to(root):
            raise UsageProblem(
                f"the source path '{name}' is outside the project ({root.name}/)",
                slug="outside-project",
                hint="run fencepost in the project that holds the file",
            )
        if path.is_dir():
            yield from (_relative(root, file) for file in python_files(path))
        elif path.suffix == ".py":
            yield _relative(root, path)
        else:
            raise UsageProblem(
                f"'{name}' is no Python file", slug="not-python", hint="name .py files, or folders that hold some"
            )


def _neighbours_hint(root: Path, name: str) -> str:
    parent = (root / name).parent
    if not parent.is_dir():
        return "paths are relative to the root of the project"
    neighbours = [entry.name for entry in parent.iterdir() if entry.is_dir() or entry.suffix == ".py"]
    return nearest_name_hint(Path(name).name, [one for one in neighbours if not one.startswith(".")])


def _found(root: Path) -> Iterator[str]:
    """A `src` folder; else every package and module at the top that is not about tests, docs or building."""
    src = root / "src"
    if src.is_dir() and any(python_files(src)):
        yield from (_relative(root, path) for path in python_files(src))
        return
    folders = [entry for entry in root.iterdir() if entry.is_dir() and _may_be_package(entry.name)]
    packages = [folder for folder in folders if (folder / "__init__.py").is_file()]
    for folder in packages or folders:  # without a package they may be namespaces
        yield from (_relative(root, path) for path in python_files(folder))
    for path in root.glob("*.py"):
        if path.name not in NO_MODULES and not is_test_file(path.name):
            yield path.name


def _may_be_package(name: str) -> bool:
    return name.isidentifier() and name not in NEVER and name not in NO_SOURCE


def python_files(folder: Path) -> Iterator[Path]:
    """The Python files below a folder that are no tests."""
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if _is_walked(Path(place), name)]
        yield from (Path(place, name) for name in files if _is_source(Path(place, name)))


def _is_source(path: Path) -> bool:
    """Whether a file is code under test; a link that leads nowhere (an editor's lock) or a hidden file is not."""
    name = path.name
    return name.endswith(".py") and not name.startswith(".") and not is_test_file(name) and path.is_file()


def _is_walked(parent: Path, name: str) -> bool:
    hidden = name.startswith(".") or name in NEVER or name in {"tests", "test"} or name.endswith(".egg-info")
    return not hidden and not (parent / name / "pyvenv.cfg").exists()


def is_test_file(name: str) -> bool:
    """Whether pytest would look for tests or fixtures in a file of this name."""
    return name == "conftest.py" or (name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py")))


def _relative(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix()


def imported_by_pytest(paths: Iterable[str]) -> bool:
    """Whether some of these files may belong to a package that pytest itself imports."""
    parts = {part.removesuffix(".py") for path in paths for part in path.split("/")}
    return bool(
        parts & {"packaging", "pluggy", "iniconfig", "pygments", "_pytest", "pytest", "exceptiongroup", "tomli"}
    )
