"""The real command on code whose mutants do harm, or whose tests notice nothing: what is tried is blocked and told.

One project and one run for all of it. Each case is a module `shop` with one mutant, and a test file.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fencepost.analyzer import landlock
from fencepost.analyzer.canary import UNNOTICED

Command = Callable[..., "subprocess.CompletedProcess[str]"]
Contents = Mapping[str, tuple[int, bytes]]

NO_NETWORK = ("unshare", "--user", "--map-root-user", "--net", sys.executable, "-c", """
import fcntl, os, socket, struct, sys
with socket.socket() as any_socket:
    fcntl.ioctl(any_socket, 0x8914, struct.pack('16sh', b'lo', 1))  # SIOCSIFFLAGS, IFF_UP: loopback alone
os.execv(sys.argv[1], sys.argv[1:])
""")  # fmt: skip

HARMFUL = """\
import ctypes, os, runpy, shutil, socket, sqlite3, subprocess, sys, tempfile
from pathlib import Path

HERE = Path(__file__).parent
PRECIOUS = str(HERE / "precious.txt")
DATABASE = str(HERE / "precious.db")
OUTSIDE = HERE.parent / "outside"
LIBC = ctypes.CDLL(None)


def connect(kind=socket.SOCK_STREAM):
    with socket.socket(socket.AF_INET, kind) as client:
        client.settimeout(1)
        client.connect(("10.1.2.3", 9))


def enter(age):
    if age >= 18:
        return
"""
CALLS = "from shop import enter\n\n\ndef test_enter():\n    enter(18)\n"
FORGIVES = CALLS.replace(
    "    enter(18)\n", "    try:\n        enter(18)\n    except Exception:\n        pass\n    assert True\n"
)
USES = CALLS.replace(
    "    enter(18)\n",
    "    enter(18)\n    assert subprocess.run(['unlink', 'nothing']).returncode\n    LIBC.remove(b'nothing')\n",
).replace("from shop import enter\n", "import subprocess\n\nfrom shop import LIBC, enter\n")


@dataclass(frozen=True)
class Harm:
    """What a mutant does, and what has to be found: the kind of kill, and what its message says."""

    lines: str
    kind: str
    says: str
    tests: str = CALLS

    @property
    def code(self) -> str:
        """A function that does it unless it is given 18."""
        return HARMFUL + "".join(f"    {line}\n" for line in self.lines.splitlines())


REMOVES = "it tried to remove precious.txt"
OVERWRITES = "it tried to write precious.txt"
CONNECTS = "it tried to connect to 10.1.2.3"
PYTHON = (
    "subprocess.run([sys.executable, '-c', 'import os, sys; os.remove(sys.argv[1])', PRECIOUS], capture_output=True)"
)
FORK = "child = os.fork()\nif not child:\n    try:\n        os.remove(PRECIOUS)\n    finally:\n        os._exit(0)\nos.waitpid(child, 0)"
IN_A_THREAD = "import threading\nthread = threading.Thread(target=lambda: shutil.rmtree(HERE, ignore_errors=True))\nthread.start(); thread.join()"

HARMS = {
    "removes the folder above a temporary one": Harm(
        "shutil.rmtree(Path(tempfile.mkdtemp()).parent)", "guard", "it tried to remove the folder of all temporary files"
    ),
    "removes the folder above that": Harm(
        "shutil.rmtree(Path(tempfile.mkdtemp()).parents[1], ignore_errors=True)",
        "guard", "it tried to remove the folder of all temporary files",
    ),
    "removes a folder outside the project": Harm("shutil.rmtree(OUTSIDE)", "guard", "it tried to remove /"),
    "removes the project": Harm("shutil.rmtree(HERE, ignore_errors=True)", "guard", "it tried to remove"),
    "removes the project in a thread": Harm(IN_A_THREAD, "guard", "it tried to remove"),
    "overwrites by a second name in a folder where everything is allowed": Harm(
        "name = Path(tempfile.mkdtemp()) / 'name'\nos.link(PRECIOUS, name)\nname.write_text('')",
        "guard", "it tried to link precious.txt",
    ),
    "overwrites its own source": Harm("Path(__file__).write_text('')", "guard", "it tried to write shop.py"),
    "overwrites a file, forgiven by the test": Harm("open(PRECIOUS, 'w')", "guard", OVERWRITES, FORGIVES),
    "overwrites a file by descriptor": Harm("os.open(PRECIOUS, os.O_RDWR | os.O_TRUNC)", "guard", OVERWRITES),
    "overwrites a file by relative path": Harm("os.chdir(HERE); open('precious.txt', 'a')", "guard", OVERWRITES),
    "replaces a file": Harm(
        "new = Path(tempfile.mkdtemp()) / 'new'; new.touch(); new.replace(PRECIOUS)", "guard", "it tried to make precious.txt"
    ),
    "moves a file away": Harm("os.rename(PRECIOUS, tempfile.mkdtemp() + '/taken')", "guard", REMOVES),
    "empties a file": Harm("os.truncate(PRECIOUS, 0)", "guard", "it tried to change precious.txt"),
    "changes the mode of a file": Harm("os.chmod(PRECIOUS, 0)", "guard", "it tried to change precious.txt"),
    "changes the mode of an open file": Harm(
        "with open(PRECIOUS) as file: os.chmod(file.fileno(), 0)", "guard", "it tried to change precious.txt"
    ),
    "changes the mode of a file in a Python that reads no environment": Harm(
        "subprocess.run([sys.executable, '-I', '-c', 'import os, sys; os.chmod(sys.argv[1], 0)', PRECIOUS])",
        "guard", "without its environment, which no unmutated test does",
    ),
    "changes the owner of a file by ctypes": Harm(
        "LIBC.lchown(PRECIOUS.encode(), os.getuid(), os.getgid())", "guard", "it tried to call lchown of the C library"
    ),
    "makes a file in shared memory": Harm(
        "open('/dev/shm/of-no-test', 'x').close()", "guard", "it tried to make /dev/shm/of-no-test"
    ),
    "makes a local socket": Harm(
        "os.chdir(HERE)\nwith socket.socket(socket.AF_UNIX) as server: server.bind('new')", "guard", "it tried to make new"
    ),
    "signals a process of somebody else": Harm(
        "os.kill(1, 23)", "guard", "it tried to signal a process that is not of its own"  # SIGURG, which is ignored
    ),
    "makes a file": Harm("(HERE / 'new.txt').touch()", "guard", "it tried to make new.txt"),
    "makes a folder": Harm("(HERE / 'new').mkdir()", "guard", "it tried to make folder new"),
    "makes a link": Harm("(HERE / 'link').symlink_to('precious.txt')", "guard", "it tried to make link"),
    "removes a file": Harm("os.remove(PRECIOUS)", "guard", REMOVES),
    "removes a file in a Python child": Harm(PYTHON, "guard", REMOVES),
    "removes a file in a fork": Harm(FORK, "guard", REMOVES),
    "opens a database": Harm("sqlite3.connect(DATABASE).execute('DROP TABLE precious')", "guard", "it tried to write precious.db"),
    "removes a file by rm": Harm("subprocess.run(['rm', '-f', PRECIOUS])", "guard", "it tried to start rm"),
    "removes a folder by a shell": Harm("os.system(f'rm -rf {OUTSIDE}')", "guard", "it tried to start rm"),
    "removes a file by ctypes": Harm("LIBC.unlink(PRECIOUS.encode())", "guard", "it tried to call unlink of the C library"),
    "overwrites a file by ctypes": Harm(
        "LIBC.open(PRECIOUS.encode(), os.O_WRONLY | os.O_TRUNC)", "guard", "it tried to call open of the C library"
    ),
    "opens a database by URI": Harm(
        "sqlite3.connect(f'file:{DATABASE}?mode=rw', uri=True).execute('DROP TABLE precious')", "guard", "it tried to write precious.db"
    ),
    "connects": Harm("connect()", "guard", CONNECTS),
    "connects, forgiven by the test": Harm("connect()", "guard", CONNECTS, FORGIVES),
    "sends without a connection": Harm(
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('10.1.2.3', 9))", "guard", CONNECTS
    ),
    "looks up an address": Harm("socket.gethostbyaddr('10.1.2.3')", "guard", "it tried to look up 10.1.2.3"),
    "looks up a name": Harm("socket.gethostbyname('nowhere.invalid')", "guard", "it tried to look up nowhere.invalid"),
    # zeros that nobody looks at are no real memory, so it ends soon
    "takes all memory": Harm("blocks = []\nwhile True:\n    blocks.append(bytes(1 << 26))", "crash", "MemoryError"),
    "takes all memory at once": Harm("bytes(1 << 44)", "crash", "MemoryError"),
    "empties sys.modules": Harm("sys.modules.clear()", "crash", ""),
    "takes pytest apart": Harm(
        "import _pytest.runner\nfor name in list(vars(_pytest.runner)):\n    delattr(_pytest.runner, name)", "crash", ""
    ),
}  # fmt: skip

UNHEARD = {
    # no Python code does it: the kernel blocks it, and the verdict is what the test shows
    # the tests start these on files of their own
    "removes a file by a program of the tests, checked": Harm("subprocess.run(['unlink', PRECIOUS], check=True)", "crash", "CalledProcessError", USES),
    "removes a file by a C function of the tests, asserted": Harm(
        "assert LIBC.remove(PRECIOUS.encode()) == 0", "assertion", "AssertionError", USES
    ),
    "attaches a database": Harm(
        "sqlite3.connect(':memory:').executescript(f\"ATTACH '{DATABASE}' AS found; DROP TABLE found.precious\")",
        "crash", "OperationalError",
    ),
    "removes a file by a program of the tests, unchecked": Harm("subprocess.run(['unlink', PRECIOUS], capture_output=True)", "", "", USES),
    "removes a file by a C function of the tests, not looked at": Harm("LIBC.remove(PRECIOUS.encode())", "", "", USES),
}  # fmt: skip


@dataclass(frozen=True)
class Suite:
    """A test file, and what it makes of a mutant on the threshold."""

    tests: str
    verdict: str
    reason: str = ""


ADULT = "def adult(age):\n    return age >= 18\n"
EXECUTED = "it is executed in a way that cannot be watched"
ANOTHER = "the tests run another copy of this file"
PATH = "from pathlib import Path\n\nPATH = Path(__file__).with_name('shop.py')\n"

UNKNOWN = {
    # tests that pass whatever the code does
    "called in a child whose end nobody looks at": Suite(
        "import subprocess, sys\n\n\ndef test_adult():\n"
        "    subprocess.run([sys.executable, '-Bc', 'import shop; assert shop.adult(18)'], capture_output=True)\n",
        "unknown", UNNOTICED,
    ),
    "called where every exception is swallowed": Suite(
        "from shop import adult\n\n\ndef test_adult():\n    try:\n        assert adult(18)\n    except BaseException:\n        pass\n",
        "unknown", UNNOTICED,
    ),
    "called in a thread that dies alone": Suite(
        "import threading\n\nimport pytest\n\nfrom shop import adult\n\n\n"
        "@pytest.mark.filterwarnings('ignore')\ndef test_adult():\n"
        "    thread = threading.Thread(target=adult, args=[18])\n    thread.start()\n    thread.join()\n",
        "unknown", UNNOTICED,
    ),
    # code that does not pass the loader
    "executed by exec": Suite(
        f"{PATH}\n\ndef test_adult():\n    names = {{}}\n    exec(compile(PATH.read_text(), str(PATH), 'exec'), names)\n"
        "    assert names['adult'](18)\n",
        "unknown", EXECUTED,
    ),
    "executed by runpy": Suite(
        f"import runpy\n{PATH}\n\ndef test_adult():\n    assert runpy.run_path(str(PATH))['adult'](18)\n",
        "unknown", EXECUTED,
    ),
    "loaded from an archive": Suite(
        f"import importlib, sys, zipfile\n{PATH}\n\ndef test_adult(tmp_path):\n    archive = tmp_path / 'code.zip'\n"
        "    with zipfile.ZipFile(archive, 'w') as file:\n        file.write(PATH, 'shop.py')\n    sys.path.insert(0, str(archive))\n"
        "    assert importlib.import_module('shop').adult(18)\n",
        "unknown", ANOTHER,
    ),
}  # fmt: skip

HARMLESS = {
    "a test that does not look": Suite("from shop import adult\n\n\ndef test_adult():\n    adult(18)\n", "survived"),
    "a test that connects on loopback": Suite(
        "import socket\n\nfrom shop import adult\n\n\ndef test_adult():\n    for _ in range(3):\n"
        "        with socket.create_server(('127.0.0.1', 0)) as server:\n"
        "            with socket.create_connection(server.getsockname(), timeout=5) as client:\n"
        "                other, _ = server.accept()\n                other.sendall(b'18')\n                other.close()\n"
        "                assert adult(int(client.recv(2)))\n",
        "killed",
    ),
    "a test that writes where it may": Suite(
        "from shop import adult\n\n\ndef test_adult(tmp_path):\n    (tmp_path / 'new').mkdir()\n"
        "    (tmp_path / 'new' / 'file').write_text('18')\n    adult(int((tmp_path / 'new' / 'file').read_text()))\n",
        "survived",
    ),
    "a test that starts a program that it makes": Suite(
        "import subprocess, uuid\n\nfrom shop import adult\n\n\ndef test_adult(tmp_path):\n"
        "    program = tmp_path / uuid.uuid4().hex\n    program.write_text('#!/bin/sh\\nexit 0\\n')\n"
        "    program.chmod(0o755)\n    subprocess.run([program], check=True)\n    adult(18)\n",
        "survived",
    ),
}  # fmt: skip


def contents(*folders: Path) -> Contents:
    """All that is in these folders, byte for byte, but the folder of fencepost."""
    paths = (path for folder in folders for path in [folder, *folder.rglob("*")])
    return {
        str(path): (path.lstat().st_mode, path.read_bytes() if path.is_file() and not path.is_symlink() else b"")
        for path in paths
        if ".fencepost" not in path.parts
    }


def cases() -> dict[str, tuple[str, str]]:
    """Module and test file of each case."""
    return {
        **{name: (harm.code, harm.tests) for name, harm in {**HARMS, **UNHEARD}.items()},
        **{name: (ADULT, suite.tests) for name, suite in {**UNKNOWN, **HARMLESS}.items()},
    }


@dataclass(frozen=True)
class Judged:
    """One run over all cases.

    Attributes:
        mutants: the mutant of each case.
        notes: what the report says of the run as a whole.
        before: what was on disk before the run.
        after: what was there after it.
    """

    mutants: Mapping[str, Mapping[str, Any]]
    notes: list[str]
    before: Contents
    after: Contents

    def kill(self, name: str) -> tuple[str, str]:
        """The kind of the kill in a case and its message, with the module called `shop`; nothing where it was none."""
        kill = self.mutants[name]["kill"] or {"kind": "", "message": ""}
        return kill["kind"], re.sub(r"\bshop_\d+\b", "shop", kill["message"])


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> Judged:
    folder = tmp_path_factory.mktemp("safety")
    root, outside = folder / "project", folder / "outside"
    for path in (root / "precious.txt", outside / "deep" / "precious.txt"):
        path.parent.mkdir(parents=True)
        path.write_text("precious", encoding="utf-8")
    with sqlite3.connect(root / "precious.db") as database:
        database.execute("CREATE TABLE precious (thing)")
    database.close()
    (root / "pyproject.toml").write_text('[tool.fencepost]\nrules = ["FP101"]\n', encoding="utf-8")
    for number, texts in enumerate(cases().values()):
        for name, text in zip((f"shop_{number}.py", f"test_{number}.py"), texts, strict=True):
            (root / name).write_text(re.sub(r"\bshop\b", f"shop_{number}", text), encoding="utf-8")
    before = contents(root, outside)
    done = fencepost("run", "-o", "json", cwd=root, within=NO_NETWORK if network_can_be_cut() else ())
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    by_path = {mutant["path"]: mutant for mutant in report["mutants"]}
    assert len(by_path) == len(report["mutants"]) == len(cases())
    mutants = {name: by_path[f"shop_{number}.py"] for number, name in enumerate(cases())}
    return Judged(mutants, report["notes"], before, contents(root, outside))


def network_can_be_cut() -> bool:
    """Whether a process can be had here that is connected with nothing; the guard has to do alone where not."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*NO_NETWORK, sys.executable, "-c", ""], capture_output=True, check=False).returncode == 0


needs_kernel = pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock")


@pytest.mark.parametrize("name", HARMS)
def test_a_mutant_is_stopped_and_told_that(judged: Judged, name: str) -> None:
    kind, message = judged.kill(name)
    assert judged.mutants[name]["verdict"] == "killed", judged.mutants[name]["reason"]
    assert kind == HARMS[name].kind, message
    assert HARMS[name].says in message


@needs_kernel
@pytest.mark.parametrize("name", UNHEARD)
def test_the_test_decides_on_a_mutant_that_only_the_kernel_stops_and_that(judged: Judged, name: str) -> None:
    kind, message = judged.kill(name)
    assert judged.mutants[name]["verdict"] == ("killed" if UNHEARD[name].kind else "survived")
    assert kind == UNHEARD[name].kind, message
    assert UNHEARD[name].says in message


@needs_kernel
def test_no_mutant_does_harm(judged: Judged) -> None:
    assert judged.after == judged.before


@pytest.mark.parametrize("name", UNKNOWN)
def test_unknown_is_what_becomes_of_code(judged: Judged, name: str) -> None:
    mutant = judged.mutants[name]
    assert mutant["verdict"] == UNKNOWN[name].verdict
    assert UNKNOWN[name].reason in mutant["reason"]


@pytest.mark.parametrize("name", HARMLESS)
def test_the_guard_is_in_nobody_s_way_in(judged: Judged, name: str) -> None:
    mutant = judged.mutants[name]
    assert mutant["verdict"] == HARMLESS[name].verdict, mutant["reason"]


def test_the_guard_of_the_kernel_stays_on_for_loopback(judged: Judged) -> None:
    assert judged.notes == []


GROWN = """\
import os


def make(name):
    open(name, "w").close()
    os.unlink(name)


def add(folder, temporary, amount):
    if amount > 5:
        os.chdir(temporary)
        top = os.open(folder, os.O_RDONLY)
        file = os.open("precious.txt", os.O_WRONLY | os.O_APPEND, dir_fd=top)
        os.write(file, b"harm")
    return amount


def link(folder, temporary, amount):
    os.link(f"{folder}/precious.txt", f"{temporary}/name")
    if amount > 7:
        with open(f"{temporary}/name", "a") as file:
            file.write("harm")


def enter(age):
    return age if age >= 18 else None
"""
GROWN_TESTS = """\
import os
from pathlib import Path

from grown import add, enter, link, make

HERE = str(Path(__file__).parent)
BESIDE = Path(HERE).parent / "beside.txt"


def test_beside():
    before = BESIDE.read_text()
    BESIDE.write_text("harm")
    if enter(18) is None:
        os._exit(1)  # as whatever keeps a test from its end
    BESIDE.write_text(before)


def test_make():
    make(f"{HERE}/for-a-moment")


def test_add(tmp_path):
    assert add(HERE, str(tmp_path), 5) == 5


def test_link(tmp_path):
    link(HERE, str(tmp_path), 7)
"""


def test_a_folder_in_which_tests_make_files_is_no_open_door(tmp_path: Path, fencepost: Command) -> None:
    project = tmp_path / "project"
    project.mkdir()
    texts = {"precious.txt": "precious", "grown.py": GROWN, "test_grown.py": GROWN_TESTS}
    for name, text in texts.items():
        (project / name).write_text(text, encoding="utf-8")
    (tmp_path / "beside.txt").write_text("precious", encoding="utf-8")
    before = contents(tmp_path)
    done = fencepost("run", "--rules", "FP101", "-o", "json", cwd=project)
    assert contents(tmp_path) == before
    kills = {mutant["start"]["line"]: mutant["kill"] for mutant in json.loads(done.stdout)["mutants"]}
    assert {line: kill and (kill["kind"], kill["message"]) for line, kill in kills.items()} == {
        10: ("guard", f"Blocked: {OVERWRITES}"),
        20: ("guard", "Blocked: it tried to change precious.txt"),
        26: ("crash", "the process that ran the tests ended with exit code 1"),
    }
