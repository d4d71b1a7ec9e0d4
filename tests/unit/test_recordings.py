"""Cassettes in the tree replay alone; those in the temporary folder are as they were asked to be."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from fencepost.analyzer import recordings
from fencepost.analyzer.recordings import Forced, in_use, replay_only


class Cassette:
    """As those of vcrpy and betamax: its mode is set when it is made, and sometimes later."""

    def __init__(self, path: str | Path) -> None:
        self.cassette_path = path
        self.record_mode = "once"


def an_item(*fixtures: str, markers: tuple[str, ...] = (), module: object = None) -> SimpleNamespace:
    return SimpleNamespace(
        fixturenames=fixtures, module=module, get_closest_marker=lambda name: name if name in markers else None
    )


@pytest.fixture(name="betamax")
def _betamax(monkeypatch: pytest.MonkeyPatch) -> type[Cassette]:
    """A class of cassettes where that of betamax is looked for."""
    module = ModuleType("betamax.cassette.cassette")
    fresh = type("Cassette", (Cassette,), {})
    vars(module)["Cassette"] = fresh
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for name in ("vcr.cassette", recordings.PLUGIN, recordings.BETAMAX_PLUGIN):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return fresh


def test_a_cassette_in_the_tree_has_the_forced_mode_whatever_it_is_set_to(
    betamax: type[Cassette], tmp_path: Path
) -> None:
    before = betamax("tests/cassettes/old.json")
    replay_only(an_item(), str(tmp_path))
    after = betamax("tests/cassettes/new.json")
    after.record_mode = "all"
    assert (before.record_mode, after.record_mode) == ("none", "none")


def test_a_cassette_in_the_temporary_folder_keeps_its_mode(betamax: type[Cassette], tmp_path: Path) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "t")
    replay_only(an_item(), str(tmp_path / "link"))
    inside, beside = betamax(tmp_path / "t" / "new.json"), betamax(tmp_path / "new.json")
    inside.record_mode = beside.record_mode = "all"
    assert (inside.record_mode, beside.record_mode) == ("all", "none")


def test_it_is_forced_once(betamax: type[Cassette], tmp_path: Path) -> None:
    replay_only(an_item(), str(tmp_path))
    forced = vars(betamax)["record_mode"]
    replay_only(an_item(), str(tmp_path))
    assert isinstance(forced, Forced)
    assert betamax.__dict__["record_mode"] is forced
    assert getattr(betamax, "record_mode") is forced  # noqa: B009 - the class of the stand-in has no such attribute


def test_a_library_that_is_being_loaded_is_left_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "vcr.cassette", ModuleType("vcr.cassette"))
    replay_only(an_item(), str(tmp_path))
    assert "Cassette" not in vars(sys.modules["vcr.cassette"])


@pytest.mark.usefixtures("betamax")
def test_a_library_is_in_use_where_the_tests_loaded_it() -> None:
    assert in_use([an_item()]) == ["recording by betamax (mutants replay alone)"]


@pytest.mark.usefixtures("betamax")
def test_a_library_that_its_plugin_loaded_is_in_use_where_a_test_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (recordings.PLUGIN, recordings.BETAMAX_PLUGIN):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    module = ModuleType("test_shop")
    assert in_use([an_item("tmp_path", markers=("slow",), module=module)]) == []
    assert in_use([an_item("betamax_session")]) == ["recording by betamax (mutants replay alone)"]
    assert in_use([an_item(markers=("vcr",))]) == ["recording by vcrpy (mutants replay alone)"]
    vars(module)["recorder"] = ModuleType("betamax.recorder")
    assert in_use([an_item(module=module)]) == ["recording by betamax (mutants replay alone)"]


@pytest.mark.usefixtures("betamax")
def test_libraries_are_told_in_one_order_and_for_every_kind_of_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vcr.cassette", ModuleType("vcr.cassette"))
    plain = SimpleNamespace(get_closest_marker=lambda _: None)  # as a test in a text file is
    assert in_use([plain]) == [
        "recording by betamax (mutants replay alone)",
        "recording by vcrpy (mutants replay alone)",
    ]


def test_a_cassette_that_has_no_file_yet_has_the_forced_mode(betamax: type[Cassette], tmp_path: Path) -> None:
    replay_only(an_item(), str(tmp_path))
    cassette = betamax("new.json")
    del cassette.cassette_path
    assert cassette.record_mode == "none"
