"""The one file that knows pytest: a session that is collected once and then run in forks, test by test.

Runs inside the processes under test. Tells facts and judges nothing.
"""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fencepost.analyzer import property_tests, recordings
from fencepost.analyzer.addopts import neutral
from fencepost.analyzer.runtime import OBSERVE, Context
from fencepost.analyzer.weave import Woven

QUIET = (
    "-q",
    "--no-header",
    "--no-summary",
    "--tb=native",
    "-p",
    "no:randomly",
    "-p",
    "no:random_order",
    "-p",
    "no:xdist",
)


class PytestSession:
    """A pytest session under our own loop.

    Args:
        arguments: what the project wants pytest to be called with.
        cache: a folder for what pytest would write to `.pytest_cache`.
        woven: the woven code that the session will load.
    """

    def __init__(self, arguments: Sequence[str], cache: str, woven: Woven) -> None:
        kept, self.dropped_options = neutral(arguments)
        # our own folder lies in the project, and some projects have pytest look into hidden folders
        ours = os.path.dirname(os.path.dirname(cache))
        self.arguments = [*QUIET, "-o", f"cache_dir={cache}", f"--ignore={ours}", *kept]
        self.woven = woven
        self.plugin = _listener(woven, ours)
        self._cache = cache
        self.items: list[Any] = []
        self.error: dict[str, str] | None = None
        self.config: Any = None
        self.threads = False  # whether loading the code started threads that go on: no fork has them
        self._temporary: str | None = None
        self._session: Any = None

    def collect(self, only: Sequence[str] = ()) -> None:
        """Configure pytest and collect; what goes wrong is kept in `error`.

        Args:
            only: files to collect instead of everything, relative to pytest's root.
        """
        from _pytest import __version__
        from _pytest.config import ConftestImportFailure, UsageError, _prepareconfig
        from _pytest.main import Session

        os.environ["PYTEST_VERSION"] = __version__  # as `pytest.main` does
        try:
            with self._neutral_addopts(), self._rewritten_modules_woven():
                self.config = _prepareconfig(list(self.arguments), plugins=[self.plugin])
            self._run_benchmarks_once()
            self._compare_snapshots_only()
            self.config.option.log_file = os.devnull  # where the project may have set one
            self.config._do_configure()
            self._silence_terminal()
            self._silence_live_log()
            if self._temporary is not None:
                self.own_temporary_folder(self._temporary)
            if only:
                self.config.args = [str(self.config.rootpath / file) for file in only]
            self._session = session = Session.from_config(self.config)
            with self._rewritten_modules_woven():
                self.config.hook.pytest_sessionstart(session=session)
                self.config.hook.pytest_collection(session=session)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever stops the collection is the answer
            cause = error.cause if isinstance(error, ConftestImportFailure) else error
            where = "" if isinstance(error, UsageError) else f"{type(cause).__name__}: "
            self.error = self.plugin.collection_error or {"where": "pytest", "message": f"{where}{cause}"}
            return
        self.items = list(session.items)
        if any("benchmark" in getattr(item, "fixturenames", ()) for item in self.items):
            self.dropped_options.append("the repetitions of pytest-benchmark")
        self.error = self.plugin.collection_error
        self.dropped_options += recordings.in_use(self.items)
        self.threads = threading.active_count() > 1
        gc.collect()
        gc.freeze()  # forked workers then share these pages

    @contextlib.contextmanager
    def _neutral_addopts(self) -> Iterator[None]:
        from _pytest.config import Config

        validate = Config._validate_args
        dropped = self.dropped_options

        def keeping_neutral(config: Any, args: list[str], via: str) -> list[str]:
            kept, removed = neutral(args)
            dropped.extend(removed)
            return validate(config, kept, via)

        Config._validate_args = keeping_neutral  # type: ignore[assignment,method-assign] # the one place every addopts passes
        try:
            yield
        finally:
            Config._validate_args = validate  # type: ignore[method-assign] # as it was: the tests see pytest untouched

    @contextlib.contextmanager
    def _rewritten_modules_woven(self) -> Iterator[None]:
        """Weave files in scope that pytest loads through its assertion rewriting: plugins, modules that hold tests."""
        from _pytest.assertion import rewrite

        woven = self.woven
        plain_rewrite, plain_read = rewrite.rewrite_asserts, rewrite._read_pyc

        def rewrite_asserts(tree: Any, source: bytes, module_path: str | None = None, config: Any = None) -> None:
            path = woven.path_in_scope(module_path, source) if module_path else None
            if path is not None:
                woven.weave_rewritten(tree, path, source, str(module_path))
            plain_rewrite(tree, source, module_path, config)

        def read_pyc(source: Path, *arguments: Any) -> Any:
            in_scope = woven.has_namesake(str(source)) and woven.path_in_scope(str(source), source.read_bytes())
            return None if in_scope else plain_read(source, *arguments)

        rewrite.rewrite_asserts = rewrite_asserts  # type: ignore[assignment] # of the same parameters
        rewrite._read_pyc = read_pyc  # type: ignore[assignment] # of the same parameters
        try:
            yield
        finally:
            rewrite.rewrite_asserts, rewrite._read_pyc = plain_rewrite, plain_read

    def _run_benchmarks_once(self) -> None:
        """pytest-benchmark repeats what it measures for a second or more; here once is enough."""
        if getattr(self.config.option, "benchmark_disable", None) is False:
            self.config.option.benchmark_disable = True
            self.config.option.benchmark_storage = f"file://{self._cache}/benchmarks"  # and not in the project

    def _compare_snapshots_only(self) -> None:
        """inline-snapshot, where it is to write snapshots, takes every value for the right one."""
        wanted = getattr(self.config.option, "inline_snapshot", "disable")
        self.config.option.inline_snapshot = "disable"
        if wanted not in {None, "disable"}:
            self.dropped_options.append(f"--inline-snapshot={wanted}")

    def _silence_terminal(self) -> None:
        """Keep the terminal reporter, which plugins ask for, but spare it the reports: nobody sees them."""
        reporter = self.config.pluginmanager.getplugin("terminalreporter")
        for name in ("pytest_runtest_logstart", "pytest_runtest_logreport", "pytest_runtest_logfinish"):
            hook = getattr(self.config.hook, name)
            if any(implementation.plugin is reporter for implementation in hook.get_hookimpls()):
                hook._remove_plugin(reporter)

    def _silence_live_log(self) -> None:
        from _pytest.logging import _LiveLoggingNullHandler

        logging = self.config.pluginmanager.getplugin("logging-plugin")
        if logging is not None:
            logging.log_cli_handler = _LiveLoggingNullHandler()

    @contextlib.contextmanager
    def _logging(self) -> Iterator[None]:
        """Have the root logger as pytest's own loop has it: its level may be that of the project's live log."""
        logging = self.config.pluginmanager.getplugin("logging-plugin")
        loop = iter(()) if logging is None else logging.pytest_runtestloop(self._session)
        next(loop, None)
        try:
            yield
        finally:
            next(loop, None)

    def observe(
        self, first: int, last: int, told: Callable[[], Context], unfollowed: Callable[[], bool]
    ) -> Iterator[dict[str, Any]]:
        """Run items first..last-1 in order while every site is watched; yields how each went.

        Args:
            told: gives what child processes evaluated since it was last asked.
            unfollowed: whether a child was started since then that tells nothing.
        """
        self._fresh_capture()
        recorder = self.woven.recorder
        recorder.loading = False
        self.woven.switchboard.set_all(OBSERVE)
        chosen = self.items[first:last]
        with self._logging():
            for number, (item, following) in enumerate(zip(chosen, [*chosen[1:], None], strict=True), start=first):
                context: Context = {}
                recorder.context = context
                started = time.perf_counter()
                failures = self._run_item(item, following)
                seconds = time.perf_counter() - started
                recorder.context = {}
                others = [one for one in (told(), *self.plugin.wide_contexts(item)) if one]
                if others and not failures:  # one that fails judges nothing: its inputs count for nothing
                    recorder.finish_test(number, [context, *others])
                elif not failures:
                    recorder.finish_plain_test(number, context)
                yield {
                    "number": number,
                    "seconds": seconds,
                    "failures": failures,
                    "skipped": self.plugin.skipped,
                    "unfollowed": unfollowed(),
                }

    def run(
        self,
        numbers: Sequence[int],
        begin: Callable[[int], None],
        blocked: Callable[[], list[dict[str, Any]]],
        *,
        stop_at_first: bool,
    ) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """Run items by number, in the order given; yields number and failures of each.

        Args:
            begin: called with the number of each item before it runs.
            blocked: called after it; gives further failures, that come first.
        """
        self._fresh_capture()
        self.plugin.watching = False
        temporary = os.path.dirname(self._temporary or os.curdir)
        with self._logging():
            for number, following in zip(numbers, [*numbers[1:], None], strict=True):
                begin(number)
                recordings.replay_only(self.items[number], temporary)
                failures = self._run_item(self.items[number], None if following is None else self.items[following])
                failures = [*blocked(), *failures]
                yield number, failures
                if failures and stop_at_first:
                    return

    def _run_item(self, item: Any, following: Any) -> list[dict[str, Any]]:
        from _pytest.outcomes import Exit

        self.plugin.failures = []
        self.plugin.skipped = False
        try:
            # the hook and not `runtestprotocol`: plugins wrap it, among them the one that turns warnings into errors
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        except (KeyboardInterrupt, Exit) as error:  # either ends a plain run of pytest there and then
            message = f"{type(error).__name__} ended the run: {error}"
            return [{"exception": type(error).__name__, "message": message, "phase": "call", "raised_by": ""}]
        return self.plugin.failures

    def own_temporary_folder(self, folder: str) -> None:
        """Have `tmp_path` of this fork go below a folder that is removed at the end of the run."""
        self._temporary = folder
        factory = getattr(self.config, "_tmp_path_factory", None)
        if factory is not None:
            factory._given_basetemp = Path(folder)
            factory._basetemp = None

    def _fresh_capture(self) -> None:
        """Give this fork capture files of its own: the inherited ones are shared with every other worker."""
        manager = self.config.pluginmanager.getplugin("capturemanager")
        if manager is not None:
            manager.stop_global_capturing()
            manager.start_global_capturing()
            manager.suspend_global_capture()


class _Listener:
    """The plugin that hears what pytest reports, and attributes what fixtures of wider scope see."""

    def __init__(self, woven: Woven, store: str) -> None:
        self.recorder = woven.recorder
        self.store = store  # the folder `.fencepost`
        self.failures: list[dict[str, Any]] = []
        self.skipped = False
        self.collection_error: dict[str, str] | None = None
        self.wide: dict[int, Context] = {}  # by identity of the fixture definition, which the session keeps alive
        self.watching = True
        self.last_error: Any = None

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and self.collection_error is None:
            self.collection_error = {"where": report.nodeid, "message": str(report.longrepr)}

    def pytest_make_collect_report(self, collector: Any) -> Iterator[Any]:
        """What collecting a test file evaluates (its parameters, its constants) is there for its own tests alone."""
        before = self.recorder.context
        name = collector.nodeid.partition("::")[0]
        if name.endswith(".py"):
            self.recorder.context = self.recorder.collecting.setdefault(name, {})
        try:
            return (yield)
        finally:
            self.recorder.context = before

    def pytest_collection_modifyitems(self, items: list[Any]) -> Iterator[Any]:
        """Settle tests by hypothesis before its own plugin looks at them."""
        property_tests.settle(items, self.store)
        return (yield)

    def pytest_runtest_makereport(self, call: Any) -> Iterator[Any]:
        """Keep the exception that a report is made of; the plugin for unittest puts it there on the way."""
        report = yield
        self.last_error = call.excinfo
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        self.skipped = self.skipped or report.skipped  # as a test is that is expected to fail, and does
        if report.failed:
            self.failures.append(_failure(report, self.last_error))

    def pytest_fixture_setup(self, fixturedef: Any) -> Iterator[Any]:
        """What a fixture of wider scope sees belongs to every test that uses it, not to the first one alone."""
        if not self.watching or fixturedef.scope == "function":
            return (yield)
        before = self.recorder.context
        self.recorder.context = {}
        try:
            return (yield)
        finally:
            self.wide[id(fixturedef)] = self.recorder.context
            self.recorder.context = before

    def wide_contexts(self, item: Any) -> list[Context]:
        """What the fixtures of wider scope that a test uses saw when they were last set up."""
        if not any(self.wide.values()):
            return []
        info = getattr(item, "_fixtureinfo", None)
        definitions = info.name2fixturedefs.values() if info is not None else ()
        return [self.wide[id(one)] for several in definitions for one in several if self.wide.get(id(one))]


def _listener(woven: Woven, store: str) -> _Listener:
    # imported here and not above: pytest may load code in scope, which has to be woven by then
    import pytest

    pytest.hookimpl(wrapper=True)(_Listener.pytest_fixture_setup)
    pytest.hookimpl(wrapper=True)(_Listener.pytest_make_collect_report)
    pytest.hookimpl(wrapper=True)(_Listener.pytest_runtest_makereport)
    pytest.hookimpl(wrapper=True)(_Listener.pytest_collection_modifyitems)
    return _Listener(woven, store)


def _failure(report: Any, error: Any) -> dict[str, Any]:
    """What a failed report says, as plain data."""
    if error is None:
        return {"exception": "", "message": str(report.longrepr), "phase": report.when, "raised_by": ""}
    last = error.traceback[-1] if error.traceback else None
    value = error.value
    if error.typename == "UnexpectedException":
        value = value.exc_info[1]  # what an example of a doctest raised
    return {
        "exception": type(value).__name__,
        "message": _message(value),
        "phase": report.when,
        "raised_by": str(last.path) if last is not None else "",
    }


def _message(error: Any) -> str:
    try:
        if type(error).__name__ == "DocTestFailure":
            return f"{error.example.source.strip()} gave {error.got.strip()!r}, not {error.example.want.strip()!r}"
        return str(error)[:2000]
    except Exception:  # noqa: BLE001 - an exception of the code under test may not even print
        return "(its message cannot be shown)"
