"""What of an earlier run holds, and what has to run again."""

from __future__ import annotations

import dataclasses
from array import array
from pathlib import Path
from typing import Any

import pytest

from fencepost.analyzer.cache import Cache, Entry, Group
from fencepost.analyzer.guard import Trail
from fencepost.analyzer.model import Judgement, Kill, KillKind, TestRecord, Verdict
from fencepost.analyzer.observe import Seen
from fencepost.analyzer.outside_files import outside_digests
from fencepost.analyzer.plan import Plan, make_plan
from fencepost.analyzer.reuse import (
    Changed,
    ProjectNow,
    changes_since,
    combined,
    entry_of,
    left_by_tests,
    same_turns,
    shared_by_tests,
    to_run_again,
    together,
)
from fencepost.analyzer.scan import scan_source
from fencepost.rules import all_rules

SCAN = scan_source(b"def adult(age):\n    return age >= 18\n", "shop.py", all_rules())
PLAN: Plan = make_plan([SCAN], "/shop")
AT, BELOW, ABOVE = [mutant for site in SCAN.sites for mutant in site.mutants]
TEST_FILE = (
    "from shop import adult\n\n\ndef test_at():\n    assert adult(18)\n\n\ndef test_far():\n    assert adult(40)\n"
)
LOADING: dict[str, Any] = {
    "at_import": {}, "startup": {}, "collecting": {}, "loaded": ["shop.py"], "unwoven": {}, "strangers": {},
}  # fmt: skip


def a_group(name: str, tests: int = 1, infects: tuple[int, ...] = (), value: str = "40") -> Group:
    """The tests of one function, all of which infect mutants by their place, and stand on one side."""
    every = array("I", range(tests))
    facts = {
        "skipped": [], "reached": {0: every}, "infected": {0: dict.fromkeys(infects, every)} if infects else {},
        "nearest": {0: {"above": [tests, 1.0, value, 0, tests]}}, "samples": {0: [(value, 0)]}, "parsed": set(),
        "numeric": set(), "unordered": set(), "doubted": {}, "classes": {0: (0, 1, 2)},
    }  # fmt: skip
    key = f"tests/test_shop.py::{name}"
    records = [TestRecord(number, f"{key}[{number}]", 0.5, passed=True) for number in range(tests)]
    return Group(key, records, facts)


def killed_by(mutant: str, test: str) -> Judgement:
    return Judgement(mutant, Verdict.KILLED, "a test fails", Kill(KillKind.ASSERTION, test, "assert"))


@pytest.fixture(name="now")
def _now(tmp_path: Path) -> ProjectNow:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_shop.py").write_text(TEST_FILE)
    (tmp_path / "tests/conftest.py").write_text("")
    (tmp_path / "data.txt").write_text("1\n")
    return ProjectNow.read(tmp_path, {"shop.py"})


@pytest.fixture(name="entry")
def _entry(now: ProjectNow) -> Entry:
    at, far = a_group("test_at", infects=(0, 2)), a_group("test_far", tests=2)
    judgements = {
        AT.id: killed_by(AT.id, at.tests[0].id),
        BELOW.id: Judgement(BELOW.id, Verdict.NOT_INFECTED, "2 tests reach it"),
        ABOVE.id: killed_by(ABOVE.id, at.tests[0].id),
    }
    return entry_of(now, [at, far], LOADING, judgements, written=("out",))


def edited(now: ProjectNow, name: str, text: str | None) -> ProjectNow:
    """The project after a file was written or, without a text, removed."""
    path = now.root / name
    path.parent.mkdir(exist_ok=True)
    path.unlink() if text is None else path.write_text(text)
    return ProjectNow.read(now.root, {"shop.py"})


# what changed


def test_where_nothing_changed_nothing_did(entry: Entry, now: ProjectNow) -> None:
    assert changes_since(entry, now) == Changed()
    assert changes_since(entry, edited(now, "shop.py", "the code is compared elsewhere")) == Changed()
    assert changes_since(entry, edited(now, "out/log.txt", "tests write it")) == Changed()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tests/conftest.py", "# changed\n"),
        ("data.txt", "2\n"),
        ("data.txt", None),
        ("more.txt", ""),
        ("tests/test_shop.py", None),
        ("tests/test_new.py", "def test_new():\n    pass\n"),  # whether pytest collects it, the settings say
        ("elsewhere/test_new.py", "def test_new():\n    pass\n"),
        ("elsewhere/test_shop.py", ""),
        ("tests/helper.py", ""),
        ("tests/test_shop.py", f"import os\nos.environ['MODE'] = 'x'\n{TEST_FILE}"),
        ("tests/test_shop.py", TEST_FILE.replace("    assert adult(18)", "    import shop\n    shop.LIMIT = 1")),
        ("tests/test_shop.py", TEST_FILE.replace("from shop import adult\n", "adult = bool\n")),
        ("tests/test_other.py", "import test_shop\n"),
    ],
)
def test_where_more_than_tests_changed_nobody_can_tell(
    entry: Entry, now: ProjectNow, name: str, text: str | None
) -> None:
    after = edited(now, name, text)
    if name == "tests/test_other.py":  # a test file that another one imports is a helper
        after = edited(now, "tests/test_shop.py", TEST_FILE.replace("18", "19"))
    assert changes_since(entry, after) is None


def test_other_surroundings_are_another_world(entry: Entry, now: ProjectNow) -> None:
    entry.surroundings = "another Python"
    assert changes_since(entry, now) is None


def test_an_edited_test_is_named(entry: Entry, now: ProjectNow) -> None:
    after = edited(now, "tests/test_shop.py", TEST_FILE.replace("adult(18)", "adult(18) is True"))
    key = "tests/test_shop.py::test_at"
    assert changes_since(entry, after) == Changed({key}, [key], {"tests/test_shop.py"})


def test_where_an_edited_test_uses_kept_results_nobody_can_tell(entry: Entry, now: ProjectNow) -> None:
    after = edited(now, "tests/test_shop.py", TEST_FILE.replace("adult(18)", "adult(18) is True"))
    at, far = entry.groups
    assert changes_since(dataclasses.replace(entry, groups=[at, dataclasses.replace(far, remembers=True)]), after)
    assert (
        changes_since(dataclasses.replace(entry, groups=[dataclasses.replace(at, remembers=True), far]), after) is None
    )


def test_what_tests_read_or_leave_to_each_other_makes_everything_run(entry: Entry, now: ProjectNow) -> None:
    after = edited(now, "tests/test_shop.py", TEST_FILE.replace("adult(18)", "adult(18) is True"))
    assert changes_since(entry, after) is not None
    assert changes_since(dataclasses.replace(entry, opened=("tests/test_shop.py",)), after) is None
    assert changes_since(dataclasses.replace(entry, shared=("",)), after) is None
    assert changes_since(dataclasses.replace(entry, shared=("shop",)), after) is None
    assert changes_since(dataclasses.replace(entry, shared=("platform",)), after) is not None


def test_what_is_read_beside_the_project_has_to_be_the_same(entry: Entry, now: ProjectNow, tmp_path: Path) -> None:
    beside = tmp_path.parent / f"{tmp_path.name}-beside.txt"
    beside.write_text("1")
    known = dataclasses.replace(entry, outside=outside_digests(now.root, [str(beside)], now.files))
    assert changes_since(known, now) == Changed()
    beside.write_text("2")
    assert changes_since(known, now) is None
    beside.unlink()
    assert changes_since(known, now) is None


@pytest.mark.parametrize(
    ("wrote", "opened", "left"),
    [
        (["out.txt"], (), ["out.txt"]),
        (["out.txt"], ("out.txt",), None),
        ([], (), None),
        (["data.txt"], (), None),
    ],
)
def test_what_tests_write_may_differ_from_run_to_run_unless_it_is_read_or_somebody_else_wrote_it(
    now: ProjectNow, wrote: list[str], opened: tuple[str, ...], left: list[str] | None
) -> None:
    trail = Trail({"files": [str(now.root.resolve() / one) for one in wrote]})
    assert left_by_tests(now, edited(now, "out.txt", "new"), trail, opened) == left


def test_what_tests_rewrite_as_it_was_is_compared_like_any_other_file(now: ProjectNow) -> None:
    trail = Trail({"files": [str(now.root.resolve() / "data.txt")]})
    assert left_by_tests(now, now, trail, ("data.txt",)) == []


def test_state_that_is_kept_counts_where_it_can_matter(now: ProjectNow) -> None:
    edited(now, "shop.py", "from functools import lru_cache\n\n\n@lru_cache\ndef f(x):\n    return x\n")
    edited(now, "other.py", "LIST = []\n\n\ndef f(x):\n    LIST.append(x)\n")
    edited(now, "tests/test_os.py", "import platform\n\n\ndef test_a():\n    platform.mac = 1\n")
    loaded, suite = ["shop.py", "tests/test_os.py"], ["tests/test_os.py"]
    unwatched, watched = Seen([], []), Seen([], [], keepers={"shop.py": {"f"}})
    assert shared_by_tests(now, loaded, suite, ["shop.py"], unwatched) == (frozenset({"", "platform"}), True)
    assert shared_by_tests(now, loaded, suite, ["shop.py"], watched) == (frozenset({"platform"}), True)
    assert shared_by_tests(now, loaded, suite, ["price.py"], unwatched) == (frozenset({"platform"}), False)
    assert shared_by_tests(now, loaded, suite, ["platform.py"], unwatched) == (frozenset({""}), False)
    assert shared_by_tests(now, ["other.py"], [], ["price.py"], unwatched) == (frozenset({""}), False)
    edited(now, "tests/conftest.py", "from shop import f\n\n\ndef pytest_runtest_setup():\n    f.cache_clear()\n")
    clearing = [*loaded, "tests/conftest.py"]
    assert shared_by_tests(now, clearing, suite, ["shop.py"], watched) == (frozenset({"platform"}), True)
    watched.left.add("shop.py")
    assert shared_by_tests(now, clearing, suite, ["shop.py"], watched) == (frozenset({"", "platform"}), True)


def test_a_removed_test_is_changed_and_not_selected(entry: Entry, now: ProjectNow) -> None:
    after = edited(now, "tests/test_shop.py", TEST_FILE.partition("\n\ndef test_far")[0])
    assert changes_since(entry, after) == Changed({"tests/test_shop.py::test_far"}, [], {"tests/test_shop.py"})


def test_a_changed_head_changes_all_tests_of_a_file(entry: Entry, now: ProjectNow) -> None:
    after = edited(now, "tests/test_shop.py", f"LIMIT = 3\n{TEST_FILE}")
    found = changes_since(entry, after)
    assert found == Changed({group.key for group in entry.groups}, ["tests/test_shop.py"], {"tests/test_shop.py"})


# what runs again


def test_kills_by_other_tests_hold_and_what_was_missed_may_be_noticed(entry: Entry) -> None:
    again = to_run_again(entry, Changed({"tests/test_shop.py::test_far"}), PLAN, [AT, BELOW, ABOVE])
    assert again is not None
    assert (set(again.hold), again.missed, again.open, again.select) == ({AT.id, ABOVE.id}, [BELOW], [], set())


def test_without_its_killer_a_mutant_is_open_and_the_others_that_infect_it_run(entry: Entry) -> None:
    entry.groups.append(a_group("test_old", infects=(0,)))
    again = to_run_again(entry, Changed({"tests/test_shop.py::test_at"}), PLAN, [AT, BELOW, ABOVE])
    assert again is not None
    assert (again.hold, again.open, again.select) == ({}, [AT, ABOVE], {"tests/test_shop.py::test_old"})


def test_what_loading_infects_or_nobody_knew_makes_everything_run(entry: Entry) -> None:
    changed = Changed({"tests/test_shop.py::test_at"})
    entry.loading["at_import"] = {0: 0b001}
    assert to_run_again(entry, changed, PLAN, [AT]) is None
    entry.judgements[BELOW.id] = Judgement(BELOW.id, Verdict.UNKNOWN, "why")
    assert to_run_again(entry, Changed(), PLAN, [BELOW]) is None


@pytest.mark.parametrize(("changed", "holds"), [(Changed(), True), (Changed({"tests/test_shop.py::test_far"}), False)])
def test_a_mutant_that_hung_holds_only_while_no_old_test_changed(
    entry: Entry, changed: Changed, *, holds: bool
) -> None:
    entry.judgements[AT.id] = Judgement(AT.id, Verdict.TIMEOUT, "it hung")
    again = to_run_again(entry, changed, PLAN, [AT])
    assert again is not None
    assert (AT.id in again.hold) is holds


# how it comes together


def test_what_ran_again_stands_where_it_stood_and_what_is_new_behind_its_file(entry: Entry) -> None:
    fresh = [a_group("test_at", tests=3), a_group("test_new")]
    groups = together(entry, Changed({"tests/test_shop.py::test_at"}), fresh)
    assert [(group.key.split("::")[1], len(group.tests)) for group in groups] == [
        ("test_at", 3), ("test_far", 2), ("test_new", 1),
    ]  # fmt: skip


def test_tests_that_use_kept_results_have_to_follow_each_other_in_the_same_pieces() -> None:
    def suite(before: int) -> list[Group]:
        users = [dataclasses.replace(a_group(name), remembers=True) for name in ("test_a", "test_b")]
        return [a_group("test_0", before), users[0], a_group("test_1", 100), users[1], a_group("test_2", 98)]

    assert same_turns(suite(10), suite(11))
    assert not same_turns(suite(10), suite(10)[::-1])
    # of 250 tests the first piece has 62: behind 62 others one is the first of the second piece
    assert not same_turns(suite(61), suite(70))


def test_groups_are_counted_as_one_suite(entry: Entry) -> None:
    groups = [*entry.groups, a_group("test_new", tests=2, infects=(1,), value="19")]
    observation = combined(groups, LOADING, PLAN, SCAN.sites, 0)
    assert [test.number for test in observation.tests] == [0, 1, 2, 3, 4]
    sighting = observation.sightings[SCAN.sites[0].id]
    assert (sighting.reached_by, sighting.above.tests) == ((0, 1, 2, 3, 4), 5)
    assert observation.infections[AT.id].tests == (0,)
    assert observation.infections[BELOW.id].tests == (3, 4)


# on disk


def test_an_entry_is_what_it_was_and_the_oldest_of_many_go(entry: Entry, tmp_path: Path) -> None:
    cache = Cache(tmp_path, ["asked"])
    assert cache.find() is None
    cache.keep(entry)
    assert cache.find() == entry
    assert Cache(tmp_path, ["asked otherwise"]).find() is None
    for number in range(31):
        Cache(tmp_path, [number]).keep(entry)
    assert len(list((tmp_path / "cache").iterdir())) == 30
    assert cache.find() is None


def test_what_cannot_be_kept_is_no_error(entry: Entry, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    cache = Cache(tmp_path, ["asked"])
    cache.keep(entry)
    assert cache.find() is None
