"""The store: the last run comes back as it was, damage is told, and what killed runs left is cleared away."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any

import pytest

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.guard import BETWEEN, Log
from fencepost.analyzer.model import (
    FileScan,
    Finding,
    Infection,
    Judgement,
    Kill,
    KillKind,
    Nearest,
    Observation,
    Position,
    Run,
    Sighting,
    Span,
    TestRecord,
    Verdict,
)
from fencepost.analyzer.scan import scan_source
from fencepost.analyzer.standing import keep
from fencepost.analyzer.store import FORM, decode, encode, load, open_store, save
from fencepost.rules import all_rules

SHOP = b"def free_shipping(total, name):\n    return f'{total >= 100}' or name.strip()\n"
NO_PROCESS = 999_999_999  # more than any kernel numbers


def a_run(root: Path, **more: Any) -> Run:
    """A run in which every type of the model has a part."""
    files = (scan_source(SHOP, "src/shop.py", all_rules()), scan_source(b"def (", "src/broken.py", all_rules()))
    site = files[0].sites[0]
    mutant = site.mutants[0].id
    observation = Observation(
        (TestRecord(0, "test_a", 0.25, passed=True), TestRecord(1, "test_b", 0.5, passed=False, failure="E")),
        {site.id: Sighting(1, (0,), Nearest(1, "99", 1.0, 0), samples=(("99", 0),), only_parses=True)},
        {mutant: Infection(1, (0,), at_import=True, certain=False)},
        {mutant: "other"},
        {"src/frozen.py": "read from a zip"},
        0.75,
    )
    kill = Kill(KillKind.ASSERTION, "test_a", "assert é == '\u2028'")
    finding = Finding("f", "FP301", "test_shop.py", Span(Position(1, 1), Position(2, 1)), "asserts nothing", "", "note")
    parts: dict[str, Any] = {
        "judgements": {mutant: Judgement(mutant, Verdict.KILLED, "", kill, confirmed=True)},
        **more,
    }
    return Run(
        "run", str(root), ("-q",), files, observation, findings=(finding,), notes=("a note",), complete=False, **parts
    )


def stored(root: Path) -> Path:
    return root / ".fencepost" / "last-run.json"


def refusal(root: Path, document: object) -> tuple[str, str]:
    """How a stored document is refused: the kind of error and its message."""
    open_store(root)
    stored(root).write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(UsageProblem) as problem:
        load(root)
    return problem.value.slug, str(problem.value)


# the last run


def test_the_last_run_comes_back_as_it_was(tmp_path: Path) -> None:
    run = a_run(tmp_path)
    save(run)
    assert load(tmp_path) == run


def test_a_project_that_was_moved_keeps_its_last_run(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    save(a_run(tmp_path / "old"))
    (tmp_path / "old").rename(tmp_path / "new")
    assert load(tmp_path / "new").root == str(tmp_path / "new")
    assert str(tmp_path) not in stored(tmp_path / "new").read_text(encoding="utf-8")


def test_a_later_run_takes_the_place_of_the_one_before_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    save(a_run(tmp_path))
    save(a_run(tmp_path, seconds=9.0))
    assert load(tmp_path).seconds == 9.0
    assert sorted(path.name for path in stored(tmp_path).parent.iterdir()) == [".gitignore", "last-run.json"]


def test_a_run_without_observation_has_none_when_it_comes_back(tmp_path: Path) -> None:
    run = dataclasses.replace(a_run(tmp_path), observation=None)
    save(run)
    assert load(tmp_path) == run


def test_a_project_without_a_run_is_told_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="no stored run") as problem:
        load(tmp_path)
    assert problem.value.slug == "no-run"


@pytest.mark.parametrize("form", [FORM - 1, FORM + 1, None])
def test_a_run_of_another_version_is_not_read(tmp_path: Path, form: int | None) -> None:
    run = encode(a_run(tmp_path))
    assert refusal(tmp_path, {"form": form, "run": run})[0] == "old-run"


@pytest.mark.parametrize("document", [[], {}, "text", None])
def test_what_is_no_run_at_all_is_not_read(tmp_path: Path, document: object) -> None:
    assert refusal(tmp_path, document)[0] == "old-run"


@pytest.mark.parametrize(
    "damage",
    [
        {"files": None},
        {"judgements": []},
        {"judgements": {"m": {"mutant": "m"}}},
        {"files": [{"path": "a.py"}]},
        {"findings": 1},
    ],
)
def test_a_run_with_a_part_missing_is_damaged(tmp_path: Path, damage: dict[str, Any]) -> None:
    document = {"form": FORM, "run": {**encode(a_run(tmp_path)), **damage}}
    assert refusal(tmp_path, document)[0] == "bad-store"


def test_a_verdict_that_nobody_knows_is_damage_and_told(tmp_path: Path) -> None:
    fine = encode(Judgement("m", Verdict.KILLED, ""))
    run = {**encode(a_run(tmp_path)), "judgements": {"m": {**fine, "verdict": "splendid"}}}
    slug, message = refusal(tmp_path, {"form": FORM, "run": run})
    assert slug == "bad-store"
    assert "splendid" in message


@pytest.mark.parametrize("content", [b'{"form": 1, "run": {', b"\xff\xfe", b""])
def test_half_a_file_is_damaged(tmp_path: Path, content: bytes) -> None:
    open_store(tmp_path)
    stored(tmp_path).write_bytes(content)
    with pytest.raises(UsageProblem, match=r"last-run\.json is damaged") as problem:
        load(tmp_path)
    assert problem.value.slug == "bad-store"


# plain values


def test_a_file_without_problem_and_sites_is_encoded_field_by_field() -> None:
    file_scan = FileScan("a.py", "0f")
    plain: dict[str, Any] = {"path": "a.py", "digest": "0f", "sites": [], "fstrings": [], "problem": None,
        "findings": []}  # fmt: skip
    assert encode(file_scan) == plain
    assert decode(plain, FileScan) == file_scan


def test_a_tuple_comes_back_with_the_type_of_each_place() -> None:
    assert decode([["99", 0], ["120", 1]], tuple[tuple[str, int], ...]) == (("99", 0), ("120", 1))
    assert decode(["killed", "crash"], tuple[Verdict, KillKind]) == (Verdict.KILLED, KillKind.CRASH)


@pytest.mark.parametrize("value", [["killed"], ["killed", "crash", "guard"]])
def test_a_tuple_of_another_length_is_refused(value: list[str]) -> None:
    with pytest.raises(ValueError, match="zip"):
        decode(value, tuple[Verdict, KillKind])


# the folder


def leftover(root: Path, name: str, settings: str | None = None) -> Path:
    session = root / ".fencepost" / name
    session.mkdir(parents=True)
    if settings is not None:
        (session / "settings.json").write_text(settings, encoding="utf-8")
    return session


def test_git_ignores_the_folder_by_itself(tmp_path: Path) -> None:
    assert (open_store(tmp_path) / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_gitignore_that_a_killed_run_left_empty_is_written_again(tmp_path: Path) -> None:
    (tmp_path / ".fencepost").mkdir()
    (tmp_path / ".fencepost" / ".gitignore").write_text("", encoding="utf-8")
    assert (open_store(tmp_path) / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_gitignore_that_is_right_is_not_written_again(tmp_path: Path) -> None:
    ignore = open_store(tmp_path) / ".gitignore"
    os.utime(ignore, (1, 1))
    open_store(tmp_path)
    assert ignore.stat().st_mtime == 1


@pytest.mark.parametrize("settings", [None, "", "{}", "[]", '{"temporary": 1}'])
def test_what_a_killed_run_left_is_cleared_even_where_it_had_only_begun(tmp_path: Path, settings: str | None) -> None:
    session = leftover(tmp_path, f"session-{NO_PROCESS}-a", settings)
    open_store(tmp_path)
    assert not session.exists()


def test_the_temporary_folder_of_a_killed_run_goes_with_it(tmp_path: Path) -> None:
    temporary = tmp_path / "fencepost-left"
    (temporary / "deep").mkdir(parents=True)
    leftover(tmp_path, f"session-{NO_PROCESS}-a", json.dumps({"temporary": str(temporary)}))
    open_store(tmp_path)
    assert not temporary.exists()


def test_a_folder_that_does_not_look_like_a_temporary_one_of_ours_is_not_removed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    session = leftover(tmp_path, f"session-{NO_PROCESS}-a", json.dumps({"temporary": str(precious)}))
    open_store(tmp_path)
    assert precious.exists()
    assert not session.exists()


def test_a_session_whose_command_still_runs_is_left_alone(tmp_path: Path) -> None:
    own, of_the_system = leftover(tmp_path, f"session-{os.getpid()}-a"), leftover(tmp_path, "session-1-a")
    open_store(tmp_path)
    assert own.exists()
    assert of_the_system.exists()  # even where its owner may not be signalled


def test_a_session_without_the_number_of_a_process_is_cleared(tmp_path: Path) -> None:
    session = leftover(tmp_path, "session-x-a")
    open_store(tmp_path)
    assert not session.exists()


def test_what_a_killed_run_made_changed_and_moved_is_as_it_was_once_the_next_one_begins(tmp_path: Path) -> None:
    session = leftover(tmp_path, "session-999999999-a", "{}")
    prices = tmp_path / "prices.txt"
    prices.write_text("1", encoding="utf-8")
    keep(session / "standing", [str(prices)])
    prices.write_text("2", encoding="utf-8")
    (tmp_path / "made").touch()
    (tmp_path / "moved").touch()
    log = Log(str(session / "guard-run-1.log"))
    log.write("made", ("make", str(tmp_path / "made")))
    log.write("made", ("move", f"{tmp_path}/precious{BETWEEN}{tmp_path}/moved"))
    open_store(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {".fencepost", "precious", "prices.txt"}
    assert prices.read_text(encoding="utf-8") == "1"
    assert not session.exists()
