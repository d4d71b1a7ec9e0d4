"""What `session.py` uses of pytest beyond its public interface is there, in the installed version."""

from __future__ import annotations

import inspect
import operator
import subprocess

import pluggy
import pytest
from _pytest import config as pytest_config
from _pytest import logging, outcomes
from _pytest import main as pytest_main
from _pytest.assertion import rewrite
from _pytest.capture import CaptureManager
from _pytest.logging import LoggingPlugin

USED = (
    (pytest_config, "_prepareconfig"),
    (pytest_config, "ConftestImportFailure"),
    (pytest_config, "UsageError"),
    (pytest_config.Config, "_validate_args"),
    (pytest_config.Config, "_do_configure"),
    (pytest_config.Config, "rootpath"),
    (pytest_main.Session, "from_config"),
    (LoggingPlugin, "pytest_runtestloop"),
    (logging, "_LiveLoggingNullHandler"),
    (CaptureManager, "start_global_capturing"),
    (CaptureManager, "stop_global_capturing"),
    (CaptureManager, "suspend_global_capture"),
    (outcomes, "Exit"),
    (rewrite, "_read_pyc"),
    (rewrite, "rewrite_asserts"),
    (pluggy.HookCaller, "_remove_plugin"),
    (pluggy.HookCaller, "get_hookimpls"),
)


@pytest.mark.parametrize(("owner", "name"), USED, ids=[f"{owner.__name__}.{name}" for owner, name in USED])
def test_the_name_exists(owner: object, name: str) -> None:
    assert hasattr(owner, name)


def test_options_are_checked_by_a_method_that_takes_them_and_where_they_come_from() -> None:
    assert list(inspect.signature(pytest_config.Config._validate_args).parameters) == ["self", "args", "via"]


def test_what_a_project_configures_passes_that_check(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []

    def validate(_: pytest.Config, args: list[str], via: str) -> list[str]:
        seen.append([*args, via])
        return []

    monkeypatch.setattr(pytest_config.Config, "_validate_args", validate)
    monkeypatch.setenv("PYTEST_ADDOPTS", "-x")
    pytester.makeini("[pytest]\naddopts = --maxfail=2")
    pytester.parseconfig()
    assert seen == [["-x", "via PYTEST_ADDOPTS"], ["--maxfail=2", "via addopts config"]]


def test_asserts_are_rewritten_in_a_tree_with_its_source_and_path() -> None:
    assert list(inspect.signature(rewrite.rewrite_asserts).parameters) == ["mod", "source", "module_path", "config"]
    assert next(iter(inspect.signature(rewrite._read_pyc).parameters)) == "source"


def test_the_factory_of_temporary_folders_keeps_where_it_was_told_to_make_them(request: pytest.FixtureRequest) -> None:
    factory = request.config._tmp_path_factory  # type: ignore[attr-defined] # pytest sets it without declaring it
    assert {"_given_basetemp", "_basetemp"} <= set(vars(factory))


def test_a_configuration_is_made_from_arguments_and_plugins() -> None:
    assert list(inspect.signature(pytest_config._prepareconfig).parameters)[:2] == ["args", "plugins"]


def test_a_failed_conftest_tells_its_cause() -> None:
    assert "cause" in inspect.signature(pytest_config.ConftestImportFailure).parameters


def test_hooks_are_called_by_name(request: pytest.FixtureRequest) -> None:
    hooks = (
        "pytest_sessionstart", "pytest_collection", "pytest_runtest_protocol", "pytest_runtest_logstart",
        "pytest_runtest_logreport", "pytest_runtest_logfinish", "pytest_make_collect_report",
    )  # fmt: skip
    operator.attrgetter(*hooks)(request.config.hook)


def test_the_reporter_and_the_capture_are_found_under_their_names(request: pytest.FixtureRequest) -> None:
    manager = request.config.pluginmanager
    assert manager.getplugin("terminalreporter") is not None
    assert isinstance(manager.getplugin("capturemanager"), CaptureManager)


def test_a_test_knows_the_fixtures_that_it_uses(pytester: pytest.Pytester) -> None:
    item = pytester.getitem(
        """
        import pytest

        @pytest.fixture(scope="module")
        def wide():
            return 1

        def test_one(wide):
            pass
        """,
        "test_one",
    )
    assert isinstance(item, pytest.Function)
    (definition,) = item._fixtureinfo.name2fixturedefs["wide"]
    assert definition.scope == "module"


def test_a_child_process_is_started_with_its_environment_at_a_known_place() -> None:
    # `children.py` adds to the environment that a test puts together for its child
    parameters = list(inspect.signature(subprocess.Popen._execute_child).parameters)  # type: ignore[attr-defined] # private
    assert parameters[0] == "self"
    assert "env" in parameters
