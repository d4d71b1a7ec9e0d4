"""The standard library as a stranger's code: all of it is woven and compiles, and its own tests see no difference."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import sysconfig
import zlib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.scan import scan_files
from fencepost.analyzer.weave import Woven
from fencepost.rules import every_rule
from tests.conftest import WHOLE

STDLIB = Path(sysconfig.get_path("stdlib"))
NOT_LIBRARY = {"site-packages", "test", "tests", "__pycache__", "idlelib", "lib2to3", "turtledemo", "ensurepip"}
TESTED = (
    "base64", "bisect", "calendar", "cmd", "colorsys", "configparser", "csv", "difflib", "fnmatch", "fractions",
    "getopt", "glob", "graphlib", "gettext", "heapq", "html", "ipaddress", "mimetypes", "netrc", "optparse",
    "plistlib", "pprint", "quopri", "shlex", "string", "textwrap", "uuid",
)  # fmt: skip
"""Modules of one file that have a test module `test.test_NAME`."""
PART = 8
"""One file of so many is woven where not all of them are."""

RUN_TESTS = """
import json, sys, unittest
plan, module, state = sys.argv[1:4]
if plan:
    from fencepost.analyzer.weave import Woven, install
    document = json.load(open(plan))
    woven = Woven(document)
    install(woven)
    woven.switchboard.set_all(int(state))
    woven.recorder.loading = False
    woven.recorder.context = {}
# loaded anew in either run: some of these modules are there before anybody could weave them
for name in [name for name in sys.modules if name == module or name.startswith((module + ".", "fencepost"))]:
    del sys.modules[name]
suite = unittest.defaultTestLoader.loadTestsFromName("test.test_" + module)
result = unittest.TextTestRunner(stream=open("/dev/null", "w")).run(suite)
failed = sorted(str(test) for test, _ in [*result.failures, *result.errors])
told = {"ran": result.testsRun, "failed": failed, "skipped": len(result.skipped)}
if plan:
    told["loaded"] = sorted(set(woven.loaded))
    told["unwoven"] = woven.unwoven
    told["reached"] = sum(bool(sight) for sight in woven.recorder.context)
print("\\n" + json.dumps(told))
"""


def woven_whole(path: Path) -> str:
    """What is wrong with a file when it is woven; empty where nothing is."""
    data = path.read_bytes()
    try:
        compile(data, str(path), "exec")
    except (SyntaxError, ValueError):
        return ""  # kept broken on purpose
    ((scan,),) = [scan_files(path.parent, [path.name], every_rule(), jobs=1)]
    plan = make_plan([scan], str(path.parent))
    woven = Woven(plan.document)
    woven.compile(path.name, data, str(path))
    return "; ".join(woven.unwoven.values())


def library() -> list[Path]:
    """The files of the library, but tests and programs of their own."""
    found = (path for path in STDLIB.rglob("*.py") if not NOT_LIBRARY & set(path.relative_to(STDLIB).parts))
    kept = sorted(path for path in found if not path.parts[-2].startswith("config-"))
    return kept if WHOLE else [path for path in kept if zlib.crc32(path.name.encode()) % PART == 0]


@pytest.mark.slow
def test_every_module_of_the_standard_library_is_woven_whole() -> None:
    files = library()
    assert len(files) > (300 if WHOLE else 300 // PART)
    with ProcessPoolExecutor() as pool:
        faults = dict(zip(files, pool.map(woven_whole, files, chunksize=8), strict=True))
    assert {str(path): fault for path, fault in faults.items() if fault} == {}


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("test.test_textwrap") is None, reason="this Python has no test package")
@pytest.mark.parametrize("module", TESTED)
def test_the_tests_of_a_module_see_no_difference(module: str, tmp_path: Path) -> None:
    origin = importlib.util.find_spec(module)
    assert origin is not None
    assert origin.origin is not None
    path = Path(origin.origin)
    name = path.relative_to(STDLIB).as_posix()
    (scan,) = scan_files(STDLIB, [name], every_rule(), jobs=1)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(make_plan([scan], str(STDLIB)).document))

    def run(plan: str, state: int) -> dict[str, object]:
        command = [sys.executable, "-c", RUN_TESTS, plan, module, str(state)]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=True)
        told: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
        return told

    plain = run("", 0)
    assert plain["ran"]
    for state in (-1, 0):
        woven = run(str(plan), state)
        assert woven.pop("loaded") == [name]
        assert woven.pop("unwoven") == {}
        assert bool(woven.pop("reached")) == (state == -1)
        assert woven == plain
