"""Writes down all that a test can see of the process that it runs in, a line of JSON each time."""

import asyncio
import builtins
import faulthandler
import gc
import inspect
import json
import locale
import logging
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path

import pytest

import shop

SEEN = Path(os.environ["SEEN"])
OURS = ("FENCEPOST_",)
AT_LOAD = {"argv": sys.argv[1:], "folder": os.getcwd(), "filters": len(warnings.filters)}


def note(name, value):
    with SEEN.open("a") as file:
        file.write(json.dumps({name: value}, default=repr, sort_keys=True) + "\n")
    shop.adult(18)


def environment():
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(OURS) and name not in {"TMPDIR", "PYTHONPATH"}
    }


def depth():
    count, frame = 0, sys._getframe()
    while frame:
        count, frame = count + 1, frame.f_back
    return count


def test_at_load():
    note("at load", AT_LOAD)


def test_warnings():
    note("filters", [(kind, str(text), category.__name__, str(module), line) for kind, text, category, module, line in warnings.filters])
    note("warnings", [warnings.showwarning.__module__, warnings.defaultaction, sys.warnoptions])


def test_folder():
    note("folder", os.getcwd())


def test_argv():
    note("argv", [sys.argv[1:], [Path(sys.executable).name], sys.flags[:11]])


def test_environment():
    note("environment", environment())
    note("python variables", {name: value for name, value in os.environ.items() if name.startswith("PYTHON") and name != "PYTHONPATH"})


def test_streams():
    note("streams", [
        [type(stream).__module__, type(stream).__qualname__, stream.encoding, stream.errors, stream.isatty(), stream.line_buffering]
        for stream in (sys.stdin, sys.stdout, sys.stderr)
    ])
    note("originals", [type(stream).__qualname__ for stream in (sys.__stdin__, sys.__stdout__, sys.__stderr__)])


@pytest.mark.parametrize("name", ["capsys", "capfd"])
def test_captured(name, request):
    capture = request.getfixturevalue(name)
    print("out")
    os.write(1, b"raw ")
    print("err", file=sys.stderr)
    note(name, capture.readouterr())


def test_stdin():
    try:
        note("stdin", sys.stdin.read(1))
    except OSError as error:
        note("stdin", str(error)[:40])


def test_logging(caplog):
    logging.getLogger("shop").debug("a detail, for the level of the log file")
    logging.getLogger("shop").warning("young")
    note("records", [record.getMessage() for record in caplog.records])
    root = logging.getLogger()
    note("logging", [root.level, [type(one).__name__ for one in root.handlers], logging.lastResort is not None, logging.getLevelName(30), logging.raiseExceptions])


def test_recursion():
    note("limit", sys.getrecursionlimit())


def room():
    try:
        return 1 + room()
    except RecursionError:
        return 1


def test_room():
    note("room", room() + depth() - 4 >= sys.getrecursionlimit() - 60)


def test_depth():
    note("depth", depth())
    note("files of the stack", [Path(frame.filename).name for frame in inspect.stack()][:12])


def test_modules():
    note("modules", sorted(name for name in sys.modules if name.partition(".")[0] in {"fencepost", "mutmut", "libcst", "rich", "click", "jinja2", "coverage", "textual"}))


def test_path():
    note("path", [entry for entry in sys.path if "site-" not in entry or "site-packages" in entry])
    note("finders", [getattr(one, "__name__", type(one).__name__) for one in sys.meta_path])
    note("hooks", [getattr(one, "__name__", type(one).__name__) for one in sys.path_hooks])
    note("bytecode", sys.dont_write_bytecode)


def test_main():
    note("main", [sys.modules["__main__"].__name__, builtins.__name__])


def test_signals():
    note("signals", {str(one): repr(signal.getsignal(one)).partition(" at ")[0] for one in (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD, signal.SIGHUP, signal.SIGPIPE, signal.SIGALRM, signal.SIGUSR1)})
    note("blocked", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])))
    note("timers", [signal.getitimer(signal.ITIMER_REAL), signal.alarm(0)])


def test_threads():
    note("threads", [threading.active_count(), threading.current_thread().name, threading.current_thread() is threading.main_thread()])


def test_hooks():
    note("hooks of sys", [sys.excepthook is sys.__excepthook__, sys.unraisablehook is sys.__unraisablehook__, sys.displayhook is sys.__displayhook__, sys.gettrace() is None, sys.getprofile() is None])
    note("faulthandler", faulthandler.is_enabled())


def test_collector():
    note("collector", [gc.isenabled(), gc.get_threshold(), gc.get_debug()])


def test_asyncio():
    async def running():
        return type(asyncio.get_running_loop()).__name__

    note("loop", [type(asyncio.get_event_loop_policy()).__name__, asyncio.run(running())])


def test_processes():
    note("processes", [multiprocessing.get_start_method(allow_none=True), multiprocessing.current_process().name, multiprocessing.parent_process() is None, multiprocessing.active_children()])


def test_children():
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
    code = "import json, os, sys; print(json.dumps([sys.argv, sorted(m for m in sys.modules if m in %r), sys.flags.dont_write_bytecode, len(sys.meta_path), sys.path[0]]))"
    note("child", json.loads(subprocess.check_output([sys.executable, "-c", code % (["fencepost", "fencepost.analyzer", "subprocess", "mutmut"],)])))


def test_limits():
    note("limits", {name: resource.getrlimit(getattr(resource, name)) for name in ("RLIMIT_CORE", "RLIMIT_NOFILE", "RLIMIT_STACK", "RLIMIT_FSIZE", "RLIMIT_DATA", "RLIMIT_NPROC")})


def test_mask():
    before = os.umask(0)
    os.umask(before)
    note("mask", before)
    note("niceness", os.nice(0))


def test_descriptors():
    note("descriptors", [os.path.exists(f"/proc/self/fd/{number}") for number in (0, 1, 2)])


def test_locale():
    note("locale", [locale.getlocale(), sys.getfilesystemencoding(), sys.getdefaultencoding(), locale.getpreferredencoding(False), time.tzname])


def test_temporary(tmp_path, tmp_path_factory):
    note("temporary", [Path(tempfile.gettempdir()).is_dir(), tmp_path.name, tmp_path.parent == tmp_path_factory.getbasetemp(), list(tmp_path.iterdir()), oct(tmp_path.stat().st_mode), Path(tempfile.gettempdir()) in tmp_path.parents])


def test_source():
    note("source", [inspect.getsource(shop.adult), shop.adult.__doc__, shop.__doc__, str(inspect.signature(shop.adult)), shop.adult.__code__.co_firstlineno, shop.__file__ and Path(shop.__file__).name, type(shop.__loader__).__name__, shop.__spec__.name, Path(shop.__cached__).name])
    note("names", sorted(name for name in vars(shop) if not name.startswith("__")))


def test_pytest(request, pytestconfig):
    note("pytest", [str(pytestconfig.rootpath), str(pytestconfig.inipath), pytestconfig.getini("addopts"), pytestconfig.args, str(pytestconfig.invocation_params.dir)])
    note("node", [request.node.nodeid, os.environ["PYTEST_CURRENT_TEST"], os.environ.get("PYTEST_VERSION")])
    note("options", {name: pytestconfig.getoption(name) for name in ("maxfail", "capture", "color", "showcapture", "assertmode")})
    note("testscollected", [request.session.testscollected, request.session.testsfailed, request.session.shouldstop, len(request.session.items)])


def test_order(request):
    note("items", [item.nodeid for item in request.session.items])


def test_assertion_rewriting():
    with pytest.raises(AssertionError) as caught:
        assert shop.adult(3) == 5
    note("assertion", str(caught.value).partition(" at ")[0])


def test_builtins():
    note("builtins", sorted(name for name in vars(builtins) if not name.startswith("__fencepost") and name not in {"@py_builtins", "_"}))


def test_random():
    import random

    note("random", random.getstate()[0])


def test_ids():
    note("session of the process", os.getsid(0) != os.getpid())
