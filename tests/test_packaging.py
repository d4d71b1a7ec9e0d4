"""The list of packages in pyproject.toml is written by hand; a folder left out works until the wheel ships."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import fencepost

ROOT = Path(__file__).parents[1]
CODE_FOLDERS = ("analyzer", "rules", "reports")
NOT_CODE = {"__pycache__", "_root"}


def folders_with_code() -> Iterator[str]:
    yield "fencepost"
    for top in CODE_FOLDERS:
        for folder in (ROOT / top, *(path for path in (ROOT / top).rglob("*") if path.is_dir())):
            if folder.name not in NOT_CODE:
                yield ".".join(("fencepost", *folder.relative_to(ROOT).parts))


def run(*command: str | Path, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel, built from a copy of what a clone holds."""
    copy = tmp_path_factory.mktemp("clone")
    for name in CODE_FOLDERS:
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", copy / "dist", cwd=copy)
    (built,) = (copy / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of a fresh environment that has the wheel, and borrows what it depends on from ours."""
    folder = tmp_path_factory.mktemp("fresh") / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    (site_packages,) = folder.glob("lib/python*/site-packages")
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python")
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=folder)
    # .pth files in a borrowed folder are not read: an editable fencepost there stays out of the way
    ours = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site_packages / "borrowed.pth").write_text("".join(f"{path}\n" for path in sorted(ours)), encoding="utf-8")
    return folder / "bin"


def test_every_folder_with_code_is_listed_as_a_package() -> None:
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    assert sorted(setup["packages"]) == sorted(folders_with_code())


def test_the_wheel_holds_every_file_of_the_code_folders(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"fencepost/{path.relative_to(ROOT).as_posix()}".replace("fencepost/analyzer/_root/", "fencepost/")
        for top in CODE_FOLDERS
        for path in (ROOT / top).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert wanted - held == set()


def test_the_wheel_holds_the_schema_and_says_that_it_is_typed(wheel: Path) -> None:
    assert {"fencepost/reports/schema/fencepost-1.schema.json", "fencepost/py.typed"} <= set(
        zipfile.ZipFile(wheel).namelist()
    )


def test_the_installed_wheel_is_what_runs(installed: Path, tmp_path: Path) -> None:
    where = run(
        installed / "python", "-c", "import fencepost.analyzer; print(fencepost.analyzer.__file__)", cwd=tmp_path
    )
    assert Path(where.strip()).is_relative_to(installed.parent)


def test_the_installed_command_tells_its_version(installed: Path, tmp_path: Path) -> None:
    assert run(installed / "fencepost", "--version", cwd=tmp_path) == f"fencepost, version {fencepost.__version__}\n"


def test_the_installed_command_finds_its_rules(installed: Path, tmp_path: Path) -> None:
    lines = run(installed / "fencepost", "rules", cwd=tmp_path).splitlines()
    files = [path for path in (ROOT / "rules").glob("*/*.py") if not path.name.startswith("_")]
    assert len(lines) == len(files) > 0


def test_python_m_is_the_same_command(installed: Path, tmp_path: Path) -> None:
    assert "Would my tests notice?" in run(installed / "python", "-m", "fencepost", "--help", cwd=tmp_path)


def test_the_installed_command_finds_its_schema(installed: Path, tmp_path: Path) -> None:
    code = "from fencepost.reports import json_report; print(json_report.schema()['$schema'])"
    assert "json-schema.org" in run(installed / "python", "-c", code, cwd=tmp_path)
