"""One collected session, run test by test: what pytest reports becomes plain data, what tests evaluate is theirs."""

from __future__ import annotations

import builtins
import importlib.machinery
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.pytester import SysModulesSnapshot, SysPathsSnapshot

from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.runtime import Context, Sight
from fencepost.analyzer.scan import scan_source
from fencepost.analyzer.session import PytestSession
from fencepost.analyzer.weave import Woven, install
from fencepost.rules import all_rules

SHOP = "def adult(age):\n    return age >= 18\n"
BEHIND = """
import pytest

def pytest_collect_file(parent, file_path):
    if file_path.suffix == ".price":
        return File.from_parent(parent, path=file_path)

class File(pytest.File):
    def collect(self):
        yield Price.from_parent(self, name="price")

class Price(pytest.Item):
    def runtest(self):
        assert self.path.read_text() == "5"
"""
Open = Callable[..., PytestSession]


@pytest.fixture(name="open_session")
def _open_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Makes a project of files and a session in it, with the modules of the project taken away afterwards."""
    modules, paths = SysModulesSnapshot(), SysPathsSnapshot()
    loader = importlib.machinery.SourceFileLoader.__mro__[2]
    for name in ("get_code", "exec_module"):
        monkeypatch.setattr(loader, name, getattr(loader, name))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    sessions: list[PytestSession] = []

    def open_session(files: dict[str, str], *arguments: str) -> PytestSession:
        for name, text in {"pytest.ini": "[pytest]\n", "shop.py": SHOP, **files}.items():
            (project / name).write_text(text, encoding="utf-8")
        scan = scan_source((project / "shop.py").read_bytes(), "shop.py", all_rules())
        woven = Woven(make_plan([scan], str(project)).document)
        for name in (woven.switchboard.active_name, woven.switchboard.look_name):
            monkeypatch.setattr(builtins, name, None, raising=False)
        install(woven)
        cache = str(project / ".fencepost" / "session" / "cache")
        session = PytestSession(["-s", "--rootdir", str(project), *arguments], cache, woven)
        sessions.append(session)
        return session

    yield open_session
    for session in sessions:
        if session.config is not None:
            session.config._ensure_unconfigure()
    paths.restore()
    modules.restore()


def observed(session: PytestSession, told: Callable[[], Context] = dict) -> list[dict[str, Any]]:
    """Everything that observing a whole session told."""
    assert session.error is None
    return list(session.observe(0, len(session.items), told, lambda: False))


def test_tests_are_collected_in_order_and_our_folder_is_left_alone(open_session: Open) -> None:
    session = open_session({"test_a.py": "def test_b(): pass\ndef test_a(): pass\n"})
    session.collect()
    assert session.error is None
    assert [item.nodeid for item in session.items] == ["test_a.py::test_b", "test_a.py::test_a"]
    assert session.dropped_options == []
    assert session.config.getoption("ignore") == [str(Path.cwd() / ".fencepost")]


def test_only_some_files_can_be_collected(open_session: Open) -> None:
    session = open_session({"test_a.py": "def test_a(): pass\n", "test_b.py": "def test_b(): pass\n"})
    session.collect(["test_b.py"])
    assert [item.nodeid for item in session.items] == ["test_b.py::test_b"]


def test_an_option_that_pytest_does_not_know_is_told_in_its_words(open_session: Open) -> None:
    session = open_session({}, "--no-such-option")
    session.collect()
    assert session.error is not None
    assert session.error["where"] == "pytest"
    assert "unrecognized arguments: --no-such-option" in session.error["message"]
    assert session.items == []


def test_a_conftest_that_fails_is_told_with_its_cause(open_session: Open) -> None:
    session = open_session({"conftest.py": "raise ValueError('no shop')\n"})
    session.collect()
    assert session.error == {"where": "pytest", "message": "ValueError: no shop"}


def test_a_test_file_that_fails_is_told_with_its_name(open_session: Open) -> None:
    session = open_session({"test_a.py": "raise ValueError('no shop')\n", "test_b.py": "def test_b(): pass\n"})
    session.collect()
    assert session.error is not None
    assert session.error["where"] == "test_a.py"
    assert "ValueError: no shop" in session.error["message"]


def test_options_that_would_disturb_a_run_are_dropped_from_the_configuration(open_session: Open) -> None:
    session = open_session({"pytest.ini": "[pytest]\naddopts = -x\n", "test_a.py": "def test_a(): pass\n"})
    session.collect()
    assert session.error is None
    assert session.dropped_options == ["-x"]


def test_threads_that_loading_starts_and_that_go_on_are_noticed(open_session: Open) -> None:
    session = open_session({"test_a.py": "def test_a(): pass\n"})
    session.collect()
    assert not session.threads
    threaded = "import threading\nstop = threading.Event()\nthread = threading.Thread(target=stop.wait)\n"
    other = open_session({"test_a.py": "def test_a(): pass\n", "conftest.py": f"{threaded}thread.start()\n"})
    other.collect()
    conftest = next(module for module in other.config.pluginmanager.get_plugins() if hasattr(module, "stop"))
    conftest.stop.set()
    conftest.thread.join()
    assert other.threads


def test_benchmarks_run_once_and_that_is_told(open_session: Open) -> None:
    option = "def pytest_addoption(parser):\n    parser.addoption('--benchmark-disable', action='store_true')\n"
    fixture = "import pytest\n@pytest.fixture\ndef benchmark():\n    return 1\n"
    session = open_session(
        {"conftest.py": option + fixture, "test_a.py": "def test_a(): pass\ndef test_b(benchmark): pass\n"},
        *("-p", "no:benchmark"),
    )
    session.collect()
    assert session.error is None
    assert session.config.option.benchmark_disable is True
    assert session.config.option.benchmark_storage.startswith("file://")
    assert session.dropped_options == ["the repetitions of pytest-benchmark"]


def test_items_of_other_kinds_run_too(open_session: Open) -> None:
    session = open_session(
        {"conftest.py": BEHIND, "good.price": "5", "bad.price": "6", "a_test.py": WIDE},
    )
    session.collect()
    told = observed(session)
    failed = {session.items[one["number"]].nodeid: bool(one["failures"]) for one in told}
    assert failed.pop("bad.price::price")
    assert set(failed.values()) == {False}
    assert "good.price::price" in failed


WIDE = """
import pytest
import shop

@pytest.fixture(scope="module")
def wide():
    return shop.adult(17)

@pytest.fixture
def narrow():
    return shop.adult(19)

def test_wide(wide):
    assert not wide

def test_narrow(narrow):
    assert narrow

def test_wide_again(wide):
    assert not wide

def test_neither():
    pass
"""


def test_what_a_fixture_of_wider_scope_sees_belongs_to_every_test_that_uses_it(open_session: Open) -> None:
    session = open_session({"test_a.py": WIDE})
    session.collect()
    recorder = session.woven.recorder
    told = observed(session)
    assert [(one["number"], one["failures"]) for one in told] == [(0, []), (1, []), (2, []), (3, [])]
    assert all(one["seconds"] > 0 for one in told)
    assert recorder.reached[0].tolist() == [0, 1, 2]
    assert recorder.nearest[0] == {"below": [2, 1.0, "17", 0, 2], "above": [1, 1.0, "19", 1, 1]}
    assert set(session.plugin.wide) == {
        id(session.items[0]._fixtureinfo.name2fixturedefs["wide"][0]),
    }


def test_what_children_evaluate_belongs_to_the_test_that_started_them(open_session: Open) -> None:
    session = open_session({"test_a.py": "def test_a(): pass\ndef test_b(): pass\n"})
    session.collect()
    sight = Sight()
    sight.mask = 0b10
    answers: list[Context] = [{}, {0: sight}]
    observed(session, lambda: answers.pop(0))
    recorder = session.woven.recorder
    assert recorder.reached[0].tolist() == [1]
    assert recorder.infected[0][1].tolist() == [1]


def test_what_a_test_file_evaluates_while_it_is_collected_is_kept_under_its_name(open_session: Open) -> None:
    session = open_session(
        {
            "test_a.py": "import shop\nADULT = shop.adult(18)\ndef test_a(): pass\n",
            "test_b.py": "def test_b(): pass\n",
        }
    )
    session.collect()
    recorder = session.woven.recorder
    assert session.error is None
    assert {name: set(context) for name, context in recorder.collecting.items()} == {
        "test_a.py": {0},
        "test_b.py": set(),
    }
    assert (recorder.at_import, recorder.startup) == ({}, {})
    assert recorder.collecting["test_a.py"][0].at == (0.0, 18)


def test_files_in_scope_that_pytest_rewrites_are_woven_too(open_session: Open) -> None:
    held = "def adult(age):\n    return age >= 18\n\ndef test_adult():\n    assert adult(18)\n"
    session = open_session({"shop.py": held}, "shop.py")
    session.collect()
    session.woven.switchboard.activate([(0, 1)])
    ((_, failures),) = session.run([0], lambda _: None, list, stop_at_first=True)
    assert failures[0]["message"].startswith("assert False\n +  where False = adult(18)")
    assert session.woven.loaded == ["shop.py"]


FAILING = """
import pytest

class Silent(Exception):
    def __str__(self):
        raise ValueError

@pytest.fixture
def broken():
    raise KeyError("plan")

def test_assertion():
    assert 1 == 2

def test_fixture(broken):
    pass

def test_silent():
    raise Silent

def test_long():
    raise ValueError("a" * 3000)

@pytest.mark.xfail(strict=True)
def test_unexpected():
    pass

def test_exit():
    pytest.exit("enough")

def test_good():
    pass
"""


def test_failures_are_told_as_plain_data(open_session: Open) -> None:
    session = open_session({"test_a.py": FAILING})
    session.collect()
    begun: list[int] = []
    told = dict(session.run([0, 1, 2, 3, 4, 6], begun.append, list, stop_at_first=False))
    path = str(Path.cwd() / "test_a.py")
    assert begun == [0, 1, 2, 3, 4, 6]
    assert told[0] == [{"exception": "AssertionError", "message": "assert 1 == 2", "phase": "call", "raised_by": path}]
    assert told[1] == [{"exception": "KeyError", "message": "'plan'", "phase": "setup", "raised_by": path}]
    assert told[2][0]["message"] == "(its message cannot be shown)"
    assert len(told[3][0]["message"]) == 2000
    assert told[4] == [{"exception": "", "message": "[XPASS(strict)] ", "phase": "call", "raised_by": ""}]
    assert told[6] == []


def test_a_run_stops_at_the_first_failure_where_that_is_wanted(open_session: Open) -> None:
    session = open_session({"test_a.py": FAILING})
    session.collect()
    assert [number for number, _ in session.run([6, 0, 1], lambda _: None, list, stop_at_first=True)] == [6, 0]


def test_a_test_that_ends_the_run_fails(open_session: Open) -> None:
    session = open_session({"test_a.py": FAILING})
    session.collect()
    ((_, (failure,)),) = session.run([5], lambda _: None, list, stop_at_first=True)
    assert (failure["exception"], failure["message"]) == ("Exit", "Exit ended the run: enough")


def test_a_fork_has_its_own_temporary_folder(open_session: Open, tmp_path: Path) -> None:
    test = "(tmp_path):\n    (tmp_path / 'x').touch()\n"
    session = open_session({"test_a.py": f"def test_a{test}def test_b{test}"})
    session.own_temporary_folder(str(tmp_path / "first"))  # before pytest is configured it is kept for later
    session.collect()
    for number, folder in enumerate(("first", "second")):
        session.own_temporary_folder(str(tmp_path / folder))
        assert next(session.observe(number, number + 1, dict, lambda: False))["failures"] == []
    assert (tmp_path / "first" / "test_a0" / "x").exists()
    assert (tmp_path / "second" / "test_b0" / "x").exists()


def test_a_project_without_temporary_folders_runs_all_the_same(open_session: Open, tmp_path: Path) -> None:
    session = open_session({"test_a.py": "def test_a(): pass\n"}, "-p", "no:tmpdir")
    session.own_temporary_folder(str(tmp_path / "first"))
    session.collect()
    assert observed(session)[0]["failures"] == []


SKIPPING = """
import pytest

def test_good():
    pass

@pytest.mark.skip
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected():
    assert False

def test_inside():
    pytest.skip("not here")

def test_good_again():
    pass
"""


def test_tests_that_are_skipped_or_expected_to_fail_are_told(open_session: Open) -> None:
    session = open_session({"test_a.py": SKIPPING})
    session.collect()
    told = observed(session)
    assert [test["skipped"] for test in told] == [False, True, True, True, False]
    assert [test["failures"] for test in told] == [[]] * 5


def test_children_that_cannot_be_followed_are_told_with_their_test(open_session: Open) -> None:
    session = open_session({"test_a.py": "def test_a(): pass\ndef test_b(): pass\n"})
    session.collect()
    answers = iter([False, True])
    told = list(session.observe(0, 2, dict, lambda: next(answers)))
    assert [test["unfollowed"] for test in told] == [False, True]


DOCTESTS = """Prices.

>>> 1 + 1
3
>>> [][0]
0
"""


def test_an_example_that_gives_something_else_is_told_in_one_line(open_session: Open) -> None:
    session = open_session({"test_a.txt": DOCTESTS}, "--doctest-glob=*.txt")
    session.collect()
    ((_, (failure,)),) = session.run([0], lambda _: None, list, stop_at_first=True)
    assert (failure["exception"], failure["message"]) == ("DocTestFailure", "1 + 1 gave '2', not '3'")


def test_an_example_that_raises_is_told_with_what_it_raised(open_session: Open) -> None:
    session = open_session({"test_a.txt": ">>> [][0]\n0\n"}, "--doctest-glob=*.txt")
    session.collect()
    ((_, (failure,)),) = session.run([0], lambda _: None, list, stop_at_first=True)
    assert (failure["exception"], failure["message"]) == ("IndexError", "list index out of range")


def test_what_was_blocked_comes_before_the_failure_that_it_led_to(open_session: Open) -> None:
    session = open_session({"test_a.py": FAILING})
    session.collect()
    blocked = {"exception": "Blocked", "message": "it tried to remove /a", "phase": "call", "raised_by": ""}
    ((_, failures),) = session.run([0, 6], lambda _: None, lambda: [blocked], stop_at_first=True)
    assert [failure["exception"] for failure in failures] == ["Blocked", "AssertionError"]
    ((_, failures),) = session.run([6, 0], lambda _: None, lambda: [blocked], stop_at_first=True)
    assert failures == [blocked]


LOGGING = """
import logging

def test_level():
    assert logging.getLogger().level == logging.DEBUG

def test_again():
    assert logging.getLogger().level == logging.DEBUG
"""


def test_the_live_log_of_a_project_gives_the_root_logger_its_level(open_session: Open) -> None:
    ini = "[pytest]\nlog_cli = true\nlog_cli_level = DEBUG\n"
    session = open_session({"pytest.ini": ini, "test_a.py": LOGGING})
    before = logging.getLogger().level
    session.collect()
    assert [test["failures"] for test in observed(session)] == [[], []]
    told = dict(session.run([1, 0], lambda _: None, list, stop_at_first=True))
    assert told == {0: [], 1: []}
    assert logging.getLogger().level == before


def test_a_project_without_logging_runs_all_the_same(open_session: Open) -> None:
    session = open_session({"test_a.py": "def test_a(): pass\n"}, "-p", "no:logging")
    session.collect()
    assert observed(session)[0]["failures"] == []
