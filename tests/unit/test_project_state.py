"""What verdicts depend on beside the code under test."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from fencepost.analyzer.project_state import digest_of, file_digests, surroundings


@pytest.fixture(name="root")
def _root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    for name in ("shop.py", "tests/test_shop.py", ".git/index", ".data/x.csv", "__pycache__/a.pyc", "env/pyvenv.cfg"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("1\n")
    return root


def test_every_file_of_the_project_has_a_digest_but_those_of_tools(root: Path) -> None:
    assert sorted(file_digests(root)) == [".data/x.csv", "shop.py", "tests/test_shop.py"]


def test_the_digest_is_of_the_content(root: Path) -> None:
    before = digest_of(str(root / "shop.py"))
    (root / "shop.py").touch()
    assert digest_of(str(root / "shop.py")) == before
    (root / "shop.py").write_text("2\n")
    assert digest_of(str(root / "shop.py")) != before


def test_a_link_is_where_it_leads_to_and_what_is_missing_says_so(root: Path) -> None:
    (root / "link").symlink_to("shop.py")
    assert digest_of(str(root / "link")) == "link shop.py"
    assert digest_of(str(root / "missing")) == "no file"


@pytest.mark.parametrize(
    ("name", "differs"),
    [
        ("SHOP_MODE", True),
        ("COLUMNS", True),
        ("GITHUB_SHA", False),
        ("CI_JOB_ID", False),
        ("PRE_COMMIT_FROM_REF", False),
        ("INVOCATION_ID", False),
        ("HOSTNAME", False),
    ],
)
def test_the_environment_counts_but_for_what_a_ci_says_of_the_run(
    root: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, differs: bool
) -> None:
    before = surroundings(root)
    monkeypatch.setenv(name, "another")
    assert (surroundings(root) != before) is differs


def test_packages_count_by_their_records_and_folders_beside_by_their_files(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages, beside = tmp_path / "site-packages", tmp_path / "beside"
    (packages / "shop-1.dist-info").mkdir(parents=True)
    (packages / "shop-1.dist-info" / "RECORD").write_text("a\n")
    beside.mkdir()
    (beside / "helper.py").write_text("1\n")
    monkeypatch.setattr(sys, "path", [str(packages), str(beside), str(root)])
    seen = [surroundings(root)]
    (root / "shop.py").write_text("2\n")
    assert surroundings(root) == seen[0]
    (packages / "shop-1.dist-info" / "RECORD").write_text("b\n")
    seen.append(surroundings(root))
    (beside / "helper.py").write_text("2\n")
    seen.append(surroundings(root))
    (packages / "extra.pth").write_text("x\n")
    seen.append(surroundings(root))
    assert len(set(seen)) == 4


def test_a_package_that_is_installed_from_a_folder_beside_counts_by_the_files_of_that(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages, other = tmp_path / "site-packages", tmp_path / "other"
    (packages / "other-1.dist-info").mkdir(parents=True)
    other.mkdir()
    told = {"url": other.as_uri(), "dir_info": {"editable": True}}
    (packages / "other-1.dist-info" / "direct_url.json").write_text(json.dumps(told))
    monkeypatch.setattr(sys, "path", [str(packages)])
    before = surroundings(root)
    (other / "other.py").write_text("1\n")
    assert surroundings(root) != before
