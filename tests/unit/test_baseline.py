"""The file of accepted gaps."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fencepost.analyzer.baseline import Entry, read_baseline, vanished, write_baseline
from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.model import Run, Verdict

Told = Callable[..., Run]
CODE = "def adult(age):\n    return (age >=\n            18)\n"


def test_what_is_written_is_read_again_and_notices_are_left_out(told: Told, tmp_path: Path) -> None:
    run = told(CODE, others=Verdict.KILLED, verdicts={"age >= 17": Verdict.NOT_REACHED})
    path = tmp_path / "accepted.txt"
    written = write_baseline(path, run)
    (entry,) = written
    assert (entry.path, entry.what) == ("shop.py", "age >= 18 -> age >= 17")
    assert read_baseline(path) == written
    assert [one.name for one in tmp_path.iterdir()] == ["accepted.txt"]


def test_a_link_and_a_pipe_are_written_through_and_stay_what_they_are(told: Told, tmp_path: Path) -> None:
    run = told(CODE, others=Verdict.SURVIVED)
    (tmp_path / "link").symlink_to("behind.txt")
    (tmp_path / "behind.txt").write_text("before")
    written = write_baseline(tmp_path / "link", run)
    assert (tmp_path / "link").is_symlink()
    assert read_baseline(tmp_path / "behind.txt") == written
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_baseline(tmp_path / "pipe", run)
    assert b"age >= 17" in os.read(reader, 10_000)
    os.close(reader)
    assert (tmp_path / "pipe").is_fifo()


def test_a_baseline_that_is_not_there_accepts_nothing(tmp_path: Path) -> None:
    assert read_baseline(tmp_path / "none.txt") == ()


@pytest.mark.parametrize("line", ["FP101-a", "FP101-a\tshop.py", "a\tb\tc\td", "======="])
def test_a_line_that_is_no_entry_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "accepted.txt"
    path.write_text(f"# heading\n\nFP101-b\tshop.py\ta -> b\r\n{line}\n")
    with pytest.raises(UsageProblem, match=r"accepted\.txt:4 is no entry"):
        read_baseline(path)


def test_a_baseline_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "accepted.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageProblem, match="cannot be read"):
        read_baseline(tmp_path / "accepted.txt")


def test_entries_without_code_are_told_where_that_is_known(told: Told, tmp_path: Path) -> None:
    run = told(CODE, others=Verdict.SURVIVED)
    (tmp_path / "shop.py").write_text(CODE)
    (tmp_path / "other.py").write_text("")
    known = write_baseline(tmp_path / "accepted.txt", run)
    others = (Entry("FP101-x", "shop.py", ""), Entry("FP101-y", "other.py", ""), Entry("FP101-z", "removed.py", ""))
    assert list(vanished([*known, *others], run.files, tmp_path)) == ["FP101-x", "FP101-z"]
