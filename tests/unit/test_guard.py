"""The guard hears what is about to be done to files and sockets, keeps a trail of it, and blocks what a trail lacks."""

from __future__ import annotations

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fencepost.analyzer import landlock
from fencepost.analyzer.guard import (
    BETWEEN,
    DEVICES,
    EFFECTS,
    Effect,
    Guard,
    Log,
    Trail,
    as_it_will_be,
    is_beneath,
    permits,
)

BIN = os.path.realpath("/bin")  # a link on many systems

CREATING, READING = os.O_WRONLY | os.O_CREAT, os.O_RDONLY | os.O_CLOEXEC


@pytest.fixture(name="tree")
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a file and a link to it, which is where relative paths begin."""
    tree = tmp_path.resolve() / "tree"
    tree.mkdir()
    (tree / "old").write_text("old", encoding="utf-8")
    (tree / "link").symlink_to(tree / "old")
    monkeypatch.chdir(tree)
    return tree


@pytest.fixture(name="folder")
def _folder(tree: Path) -> Iterator[int]:
    """The folder, open."""
    descriptor = os.open(tree, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def effects(event: str, *arguments: Any) -> list[Effect]:
    """What an event tells, with paths relative to the current folder where they are in it."""
    here = str(Path.cwd())
    told = EFFECTS[event](*arguments)
    return [
        (action, os.path.relpath(target, here) if is_beneath(target, [here]) else target) for action, target in told
    ]


def in_child(do: Callable[[], Any]) -> Any:
    """What a function returns in a fork; the name and the target of what stops it."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            try:
                answer = do()
            except OSError as error:
                answer = [type(error).__name__, error.filename]
            os.write(write, json.dumps(answer).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        answer = file.read()
    os.waitpid(child, 0)
    return json.loads(answer)


@pytest.mark.parametrize(
    ("event", "arguments", "told"),
    [
        ("open", ("new", "w", CREATING), [("write", "new")]),
        ("open", (b"new", None, os.O_RDWR), [("write", "new")]),
        ("open", (Path("new"), None, os.O_TRUNC), [("write", "new")]),
        ("open", ("link", "a", os.O_APPEND | os.O_WRONLY), [("write", "old")]),
        ("open", ("old", "r", READING), []),
        ("open", (3, "w", CREATING), []),
        ("os.mkdir", ("sub", 0o777, -1), [("make folder", "sub")]),
        ("os.remove", ("link", -1), [("remove", "link")]),
        ("os.rmdir", ("sub", -1), [("remove", "sub")]),
        ("os.rename", ("old", "link", -1, -1), [("remove", "old"), ("receive", "link")]),
        ("os.link", ("old", "new", -1, -1), [("link", "old"), ("make", "new")]),
        ("os.symlink", ("/away", "new", -1), [("make", "new")]),
        ("os.symlink", ("/away", "new"), [("make", "new")]),
        ("os.truncate", ("link", 5), [("change", "old")]),
        ("os.truncate", (0, 7), []),
        ("os.chmod", ("link", 0o600, -1), [("change", "old")]),
        ("os.chown", ("old", 1, 1, -1), [("change", "old")]),
        ("os.utime", ("old", None, None, -1), [("change", "old")]),
        ("os.setxattr", ("old", "user.a", b"", 1), [("change", "old")]),
        ("os.removexattr", ("old", "user.a"), [("change", "old")]),
        (
            "sqlite3.connect",
            ("db",),
            [("write", "db"), ("write", "db-journal"), ("write", "db-wal"), ("write", "db-shm")],
        ),
        ("sqlite3.connect", (":memory:",), []),
        ("sqlite3.connect", ("",), []),
        (
            "sqlite3.connect",
            ("file:db?mode=rwc",),
            [("write", "db"), ("write", "db-journal"), ("write", "db-wal"), ("write", "db-shm")],
        ),
        (
            "sqlite3.connect",
            ("file://localhost/%64b",),
            [("write", "/db"), ("write", "/db-journal"), ("write", "/db-wal"), ("write", "/db-shm")],
        ),
        ("sqlite3.connect", ("file:db?mode=ro",), []),
        ("sqlite3.connect", ("file:db?mode=memory",), []),
        ("subprocess.Popen", ("/bin/rm", ["rm", "-f", "old"], None, None), [("start", f"{BIN}/rm")]),
        ("subprocess.Popen", (None, [b"git", "log"], None, None), [("start", "git")]),
        ("subprocess.Popen", (None, "git", None, None), [("start", "git")]),
        ("subprocess.Popen", ("/bin/sh", ["/bin/sh", "-c", "/bin/rm -f 'old'"], None, None), [("start", f"{BIN}/rm")]),
        ("subprocess.Popen", ("/bin/sh", ["/bin/sh", "script"], None, None), [("start", f"{BIN}/sh")]),
        ("subprocess.Popen", ("/bin/sh", ["/bin/sh", "-c", ""], None, None), []),
        ("subprocess.Popen", ("/bin/sh", ["/bin/sh", "-c", "it's"], None, None), [("start", "it's")]),
        ("subprocess.Popen", (None, [], None, None), []),
        ("subprocess.Popen", (None, ["uname", "-p"], None, None), []),
        ("subprocess.Popen", ("/usr/bin/python3.11", ["python", "-c", "1"], None, None), []),
        (
            "subprocess.Popen",
            (None, ["/a/python", "-I", "x.py"], None, None),
            [("start", "python without its environment")],
        ),
        ("os.system", ("python -S x.py",), [("start", "python without its environment")]),
        ("os.exec", (b"/bin/rm", ["rm"], None), [("start", f"{BIN}/rm")]),
        ("os.posix_spawn", ("/bin/rm", ["rm"], {}), [("start", f"{BIN}/rm")]),
        ("os.spawn", (0, "/bin/rm", ["rm"], None), [("start", f"{BIN}/rm")]),
        ("os.system", (b"rm -rf old",), [("start", "rm")]),
        ("ctypes.dlsym", (None, "unlink"), [("call", "unlink")]),
        ("ctypes.dlsym", (None, "strlen"), []),
        ("ctypes.dlsym/handle", (5, "lchown"), [("call", "lchown")]),
        ("ctypes.dlsym", (None, 7), []),
        ("os.kill", (17, 9), [("signal", "17")]),
        ("os.kill", (17, 0), [("ask after", "17")]),
        ("os.killpg", (17, 15), [("signal", "-17")]),
        ("os.killpg", (1, 15), [("signal", "-1")]),
        ("socket.bind", (None, ("127.0.0.1", 80)), [("listen on", "80")]),
        ("socket.bind", (None, ("127.0.0.1", 0)), []),
        ("socket.bind", (None, "socket"), [("make", "socket")]),
        ("socket.bind", (None, b"\0no path"), []),
        ("socket.bind", (None, ""), []),
        ("socket.connect", (None, ("10.1.2.3", 80)), [("connect to", "10.1.2.3")]),
        ("socket.connect", (None, "/run/socket"), []),
        ("socket.sendto", (None, ("::2", 80, 0, 0)), [("connect to", "::2")]),
        ("socket.sendmsg", (None, None), []),
        ("socket.getaddrinfo", ("example.com", 80, 0, 0, 0), [("look up", "example.com")]),
        ("socket.getaddrinfo", (b"example.com", 80, 0, 0, 0), [("look up", "example.com")]),
        ("socket.getaddrinfo", ("10.1.2.3", 80, 0, 0, 0), []),
        ("socket.getaddrinfo", ("::2", 80, 0, 0, 0), []),
        ("socket.getaddrinfo", (None, 80, 0, 0, 0), []),
        ("socket.gethostbyname", ("example.com",), [("look up", "example.com")]),
        ("socket.gethostbyaddr", ("10.1.2.3",), [("look up", "10.1.2.3")]),
        ("socket.getnameinfo", (("::2", 80),), [("look up", "::2")]),
    ],
)
@pytest.mark.usefixtures("tree")
def test_an_event_tells_what_is_about_to_be_done(event: str, arguments: tuple[Any, ...], told: list[Effect]) -> None:
    assert effects(event, *arguments) == told


def test_what_an_open_file_is_changed_by_is_a_change_of_the_file(tree: Path) -> None:
    with (tree / "old").open(encoding="utf-8") as file:
        for event, *rest in (("os.chmod", 0o600, -1), ("os.utime", None, None, -1), ("os.setxattr", b"a", b"", 0)):
            assert effects(event, file.fileno(), *rest) == [("change", "old")]
    guard, told = a_guard()
    reading, writing = os.pipe()
    guard._hear("os.chmod", (writing, 0o600, -1))  # which has no path
    os.close(writing)
    guard._hear("os.chmod", (writing, 0o600, -1))
    os.close(reading)
    assert told == []


@pytest.mark.usefixtures("tree")
def test_a_path_may_be_relative_to_an_open_folder(folder: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = os.getcwd()  # noqa: PTH109 - as text
    monkeypatch.chdir("/")
    assert list(EFFECTS["os.remove"]("old", folder)) == [("remove", f"{tree}/old")]
    assert list(EFFECTS["os.mkdir"]("sub", 0o777, folder)) == [("make folder", f"{tree}/sub")]
    assert list(EFFECTS["os.chmod"]("link", 0o600, folder)) == [("change", f"{tree}/old")]
    assert list(EFFECTS["os.symlink"]("/away", "new", folder)) == [("make", f"{tree}/new")]
    assert list(EFFECTS["os.rename"]("old", "new", -1, folder)) == [("remove", "/old"), ("receive", f"{tree}/new")]
    assert list(EFFECTS["os.rename"]("old", "new", folder, -1)) == [("remove", f"{tree}/old"), ("receive", "/new")]
    assert list(EFFECTS["os.link"]("old", "new", -1, folder)) == [("link", "/old"), ("make", f"{tree}/new")]
    assert list(EFFECTS["os.link"]("link", "new", folder, -1)) == [("link", f"{tree}/old"), ("make", "/new")]
    assert list(EFFECTS["os.remove"]("/elsewhere", folder)) == [("remove", "/elsewhere")]


def test_an_open_folder_may_have_the_number_of_a_closed_standard_input(tree: Path, folder: int) -> None:
    def remove() -> list[Effect]:
        os.dup2(folder, 0)
        os.chdir("/")
        return list(EFFECTS["os.remove"]("old", 0))

    assert in_child(remove) == [["remove", str(tree / "old")]]


def test_what_is_opened_by_a_relative_path_may_lie_in_any_open_folder(tree: Path, folder: int, tmp_path: Path) -> None:
    assert folder
    os.chdir(tmp_path)  # the fixture `tree` goes back
    guard, told = a_guard(str(tmp_path / "own"))
    guard._hear("open", ("new", None, CREATING))
    assert guard.trail.files == {str(tmp_path / "new")}
    guard.enforce(Trail({"grown": [str(tmp_path), str(tree)]}), kernel=False)
    guard._hear("open", ("old", None, READING))
    guard._hear("open", ("old", "r+", os.O_RDWR))  # `open` has no such folder
    told.clear()
    guard._hear("open", ("new", None, CREATING))
    assert told == [("made", ("make", str(tmp_path / "new"))), ("made", ("make", str(tree / "new")))]
    with pytest.raises(PermissionError, match="fencepost lets no mutant write") as error:
        guard._hear("open", ("old", None, os.O_WRONLY))
    assert error.value.filename == str(tree / "old")


def test_a_folder_that_may_not_grow_is_in_no_relative_path_s_way(tree: Path, folder: int, tmp_path: Path) -> None:
    assert folder
    os.chdir(tmp_path)
    guard, told = a_guard()
    guard.enforce(Trail({"grown": [str(tmp_path)]}), kernel=False)
    guard._hear("open", ("new", None, CREATING))
    assert told == [("made", ("make", str(tmp_path / "new")))]
    assert not (tree / "new").exists()


def test_what_is_written_by_a_second_name_is_the_file_that_has_it(tree: Path) -> None:
    (tree / "own").mkdir()
    guard, told = a_guard(str(tree / "own"))
    guard._hear("os.link", (str(tree / "old"), str(tree / "own" / "name"), -1, -1))
    os.link(tree / "old", tree / "own" / "name")
    assert told == [("trail", ("link", str(tree / "old")))]
    guard._hear("open", (str(tree / "own" / "name"), "r", READING))
    assert guard.trail.files == set()
    trail = Trail(guard.trail.told())
    guard._hear("open", (str(tree / "own" / "name"), "a", CREATING))
    assert guard.trail.files == {str(tree / "old")}
    (tree / "own" / "other").write_text("x")
    guard.enforce(trail, kernel=False)
    guard._hear("open", (str(tree / "own" / "other"), "a", CREATING))
    with pytest.raises(PermissionError, match="fencepost lets no mutant change") as error:
        guard._hear("open", (str(tree / "own" / "name"), "a", CREATING))
    assert error.value.filename == str(tree / "old")


def test_the_last_part_of_a_path_is_not_followed_where_the_entry_is_meant(tree: Path) -> None:
    (tree / "sub").mkdir()
    (tree / "way").symlink_to(tree / "sub")
    assert effects("os.remove", "way/../way/x", -1) == [("remove", "sub/x")]


def test_a_trail_keeps_what_was_done(tree: Path) -> None:
    trail = Trail()
    for action, name in (
        ("write", "old"),
        ("make", "written/new"),
        ("make", "made/link"),
        ("receive", "old"),
        ("remove", "removed/it"),
        ("change", "changed/it"),
        ("make folder", "folders/sub"),
        ("write", "folders/sub/deep/file"),
    ):
        trail.note((action, str(tree / name)))
    trail.note(("connect to", "10.1.2.3"))
    trail.note(("look up", "example.com"))
    trail.note(("listen on", "8080"))
    files = ("changed/it", "folders/sub", "made/link", "old", "removed/it", "written/new")
    assert trail.told() == {
        "files": [str(tree / name) for name in files],
        "grown": [str(tree), *(str(tree / name) for name in ("folders", "made", "removed", "written"))],
        "made": [str(tree / "folders/sub")],
        "hosts": ["10.1.2.3", "example.com"],
        "ports": ["8080"],
        "programs": [],
        "functions": [],
        "linked": [],
        "signalled": [],
    }


def test_writing_what_is_there_makes_no_entry(tree: Path) -> None:
    trail = Trail()
    trail.note(("write", str(tree / "old")))
    trail.note(("change", str(tree / "gone")))
    assert trail.grown == set()


def test_a_trail_is_told_and_read_again() -> None:
    told = {
        "files": ["/a", "/b"], "functions": ["f"], "grown": ["/c"], "hosts": ["e"], "linked": ["/e"], "made": ["/d"],
        "ports": ["1"], "programs": ["g", "h"], "signalled": ["signal"],
    }  # fmt: skip
    assert Trail(told).told() == told
    nothing: dict[str, list[str]] = {name: [] for name in told}
    for name in told:
        assert Trail({name: ["/x"]}).told() == {**nothing, name: ["/x"]}
    assert Trail().told() == nothing


def test_a_trail_is_told_in_an_order_that_is_always_the_same() -> None:
    names = [f"/{number}" for number in range(100, 120)]
    assert Trail({"files": reversed(names)}).told()["files"] == names


def test_files_of_one_name_and_ports_are_shared_by_all_runs() -> None:
    files, ports = [f"/f{number}" for number in range(100, 120)], [str(port) for port in range(1000, 1020)]
    trail = Trail({"files": [*files, "/__pycache__/c"], "ports": ports, "hosts": ["e"], "grown": ["/g"]})
    assert trail.shared == [*(f"port {port}" for port in ports), *files]
    assert Trail({"hosts": ["e"], "files": ["/x/__pycache__/c"]}).shared == []


def test_a_trail_absorbs_what_another_part_of_the_run_did() -> None:
    trail = Trail({"files": ["/a"], "hosts": ["e"], "ports": ["1"], "programs": ["g"]})
    trail.absorb(Trail({"files": ["/b"], "grown": ["/c"], "made": ["/d"]}))
    assert trail.told() == {
        "files": ["/a", "/b"], "functions": [], "grown": ["/c"], "hosts": ["e"], "linked": [], "made": ["/d"],
        "ports": ["1"], "programs": ["g"], "signalled": [],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("action", "target", "permitted"),
    [
        ("write", "{tree}/known", True),
        ("remove", "{tree}/known", True),
        ("write", "{tree}/mine", True),
        ("write", "{tree}/mine/deep/file", True),
        ("write", "{tree}/mines", True),  # nothing is there, and in this folder entries may be made
        ("make", "{tree}/new", True),
        ("make folder", "{tree}/new", True),
        ("write", "{tree}/old", False),
        ("remove", "{tree}/old", False),
        ("change", "{tree}/link", False),
        ("write", "{tree}/sub/new", False),
        ("make folder", "{tree}/sub/new", False),
        ("link", "{tree}/old", False),
        ("link", "{tree}/known", True),
        ("link", "{tree}/mine/deep/file", True),
        ("link", "{tree}/named", True),
        ("write", "{tree}/named/new", False),
        ("connect to", "10.9.9.9", True),
        ("connect to", "10.1.2.3", False),
        ("connect to", "127.0.0.9", True),
        ("connect to", "::1", True),
        ("connect to", "localhost", True),
        ("connect to", "", True),
        ("connect to", "0.0.0.0", True),  # noqa: S104 - this machine
        ("look up", "example.com", False),
        ("look up", "localhost", True),
        ("look up", "LOCALHOST.", True),
        ("look up", "localhost.example.com", False),
        ("look up", "127.example.com", False),
        ("signal", "17", False),
        ("ask after", "17", True),
    ],
)
def test_what_a_trail_covers_is_permitted(
    tree: Path,
    action: str,
    target: str,
    permitted: bool,  # noqa: FBT001 - a parameter
) -> None:
    trail = Trail(
        {
            "files": [f"{tree}/known"],
            "grown": [str(tree)],
            "made": [f"{tree}/mine"],
            "hosts": ["10.9.9.9"],
            "linked": [f"{tree}/named"],
        },
    )
    assert permits(trail, (action, target.format(tree=tree))) is permitted


def test_what_lies_beneath_a_folder_is_told_from_what_has_its_name_as_a_beginning() -> None:
    assert is_beneath("/a/b", ["/x", "/a/b"])
    assert is_beneath("/a/b/c", ["/a/b"])
    assert not is_beneath("/a/bc", ["/a/b"])
    assert not is_beneath("/a", ["/a/b"])


def a_guard(*own: str) -> tuple[Guard, list[tuple[str, Effect]]]:
    """A guard, and a list of what it tells."""
    guard = Guard(own)
    told: list[tuple[str, Effect]] = []
    guard.told = lambda kind, effect: told.append((kind, effect))
    return guard, told


@pytest.mark.parametrize(
    ("action", "name", "comes_to"),
    [
        ("write", "old", "write"),
        ("write", "new", "make"),
        ("make", "new", "make"),
        ("make", "old", None),
        ("make folder", "new", "make folder"),
        ("make folder", "old", None),
        ("receive", "new", "receive"),
        ("receive", "old", "receive"),  # and replaces it
        ("remove", "old", "remove"),
        ("remove", "new", None),
        ("change", "link", "change"),
        ("change", "new", None),
    ],
)
def test_an_attempt_comes_to_what_the_tree_makes_of_it(
    tree: Path, action: str, name: str, comes_to: str | None
) -> None:
    target = str(tree / name)
    assert as_it_will_be((action, target)) == (None if comes_to is None else (comes_to, target))
    assert as_it_will_be(("connect to", "10.1.2.3")) == ("connect to", "10.1.2.3")


def test_a_folder_that_is_there_does_not_become_the_runs_own(tree: Path) -> None:
    guard, told = a_guard()
    guard._hear("os.mkdir", (".", 0o777, -1))
    assert (guard.trail.told(), told) == (Trail().told(), [])
    guard.enforce(Trail(), kernel=False)
    guard._hear("os.mkdir", (".", 0o777, -1))
    with pytest.raises(PermissionError, match="fencepost lets no mutant remove"):
        guard._hear("os.remove", ("old", -1))
    assert told == [("blocked", ("remove", str(tree / "old")))]


def test_what_fails_by_itself_is_not_stopped(tree: Path) -> None:
    guard, told = a_guard()
    guard.enforce(Trail(), kernel=False)
    guard._hear("os.remove", ("new", -1))
    guard._hear("os.utime", ("new", None, None, -1))
    assert told == []
    with pytest.raises(PermissionError, match="fencepost lets no mutant make"):
        guard._hear("open", (str(tree / "new"), "w", CREATING))


def test_the_unmutated_run_leaves_a_trail_and_is_not_stopped(tree: Path) -> None:
    guard, told = a_guard()
    guard._hear("open", (str(tree / "new"), "w", CREATING))
    guard._hear("compile", (b"x", "x.py"))
    assert (guard.trail.files, guard.trail.grown) == ({str(tree / "new")}, {str(tree)})
    assert told == [("trail", ("make", str(tree / "new")))]


def test_a_mutated_run_is_stopped_where_the_trail_ends_and_that_is_told(tree: Path) -> None:
    guard, told = a_guard()
    guard.enforce(Trail({"files": [str(tree / "known")]}), kernel=False)
    guard._hear("open", (str(tree / "known"), "w", CREATING))
    assert told == [("made", ("make", str(tree / "known")))]
    told.clear()
    with pytest.raises(PermissionError, match="fencepost lets no mutant write") as error:
        guard._hear("open", (str(tree / "old"), "w", CREATING))
    assert error.value.filename == str(tree / "old")
    assert told == [("blocked", ("write", str(tree / "old")))]


@pytest.mark.parametrize(
    ("event", "arguments", "made"),
    [
        ("open", ("new", "w", CREATING), ["new"]),
        ("open", ("old", "w", CREATING), []),  # it was there
        ("os.mkdir", ("new", 0o777, -1), ["new"]),
        ("os.symlink", ("/away", "new", -1), ["new"]),
        ("os.rename", ("old", "new", -1, -1), ["old\0{tree}/new"]),  # it belongs to somebody, under whatever name
        ("os.rename", ("/own/file", "new", -1, -1), ["new"]),
        ("os.rename", ("/own/file", "old", -1, -1), []),  # it was there, and is put back from a copy
        ("os.rename", ("/own/file", "/own/new", -1, -1), []),
        ("os.rename", ("old", "/own/new", -1, -1), ["old\0/own/new"]),
        ("os.remove", ("old", -1), []),
    ],
)
def test_what_a_mutated_run_makes_is_told_so_that_it_can_be_removed(
    tree: Path, event: str, arguments: tuple[Any, ...], made: list[str]
) -> None:
    guard, told = a_guard()
    guard.own.append("/own")
    guard.enforce(Trail({"files": [str(tree / "old")], "grown": [str(tree)]}), kernel=False)
    guard._hear(event, arguments)
    expected = [f"{tree}/{name.format(tree=tree)}" for name in made]
    assert [target for kind, (_, target) in told if kind == "made"] == expected


def test_a_file_that_would_replace_another_is_told_as_made(tree: Path) -> None:
    guard, told = a_guard()
    guard.own.append("/elsewhere")
    guard.enforce(Trail(), kernel=False)
    with pytest.raises(PermissionError, match="fencepost lets no mutant make"):
        guard._hear("os.rename", ("/elsewhere/new", str(tree / "old"), -1, -1))
    assert told == [("blocked", ("make", str(tree / "old")))]


def test_what_the_unmutated_run_moves_is_only_noted(tree: Path) -> None:
    guard, told = a_guard()
    guard._hear("os.rename", ("old", "new", -1, -1))
    assert told == [("trail", ("remove", str(tree / "old"))), ("trail", ("receive", str(tree / "new")))]


def test_a_protected_process_is_not_signalled(tree: Path) -> None:
    assert tree
    guard, told = a_guard()
    guard.protected = {"1", "17"}
    guard._hear("os.kill", (17, 15))
    guard.enforce(Trail({"signalled": ["signal"]}), kernel=False)
    guard._hear("os.kill", (18, 15))
    assert guard.trail.signalled == {"signal"}
    for group in (17, 1):  # the group 1 is everybody
        with pytest.raises(PermissionError, match="fencepost lets no mutant signal"):
            guard._hear("os.killpg", (group, 15))
        assert told[-1] == ("blocked", ("signal", f"-{group}"))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing tells whose a process is")
def test_a_process_of_somebody_else_is_not_signalled(tree: Path) -> None:
    assert tree
    guard, told = a_guard()
    guard.family = [os.getpid(), os.getppid()]
    child = subprocess.Popen(["sleep", "9"], start_new_session=True)
    for number in (child.pid, 0, 1 << 22):  # and one that nobody has
        guard._hear("os.kill", (number, 9))
    guard._hear("os.killpg", (child.pid, 9))
    assert told == []
    for event, number in (("os.kill", os.getppid()), ("os.kill", -1), ("os.killpg", os.getpgid(os.getppid()))):
        guard._hear(event, (number, 9))
        assert told.pop() == ("trail", ("signal", str(number if event == "os.kill" else -number)))
    assert guard.trail.signalled == {"signal"}
    guard.enforce(Trail({"signalled": ["ask after"]}), kernel=False)
    guard._hear("os.kill", (os.getppid(), 0))
    with pytest.raises(PermissionError, match="fencepost lets no mutant signal"):
        guard._hear("os.kill", (os.getppid(), 9))
    child.kill()
    child.wait()


def test_shared_memory_holds_files_and_what_is_under_a_device_is_nobody_s() -> None:
    guard, told = a_guard()
    guard.enforce(Trail(), kernel=False)
    for path in ("/dev/null", "/dev/shm/pym-1-x"):  # noqa: S108 - the second is a heap of `multiprocessing`
        guard._hear("open", (path, "w", CREATING))
    with pytest.raises(PermissionError, match="fencepost lets no mutant make"):
        guard._hear("open", ("/dev/shm/of-somebody", "w", CREATING))  # noqa: S108 - nothing is written
    assert told == [("blocked", ("make", "/dev/shm/of-somebody"))]  # noqa: S108 - nothing is written


def test_what_was_made_or_moved_is_undone_the_last_first(tree: Path) -> None:
    log = Log(str(tree / "log"))
    before = {path.name for path in tree.iterdir()}
    (tree / "folder" / "sub").mkdir(parents=True)
    (tree / "folder" / "file").touch()
    (tree / "shortcut").symlink_to(tree / "folder")
    for name in ("folder", "folder/file", "shortcut", "gone", "draft"):
        log.write("made", ("make", str(tree / name)))
    (tree / "final").touch()  # made under another name
    log.write("made", ("move", f"{tree}/draft{BETWEEN}{tree}/final"))
    (tree / "old").rename(tree / "older")
    log.write("made", ("move", f"{tree}/old{BETWEEN}{tree}/older"))
    (tree / "kept").touch()
    before |= {"kept"}
    log.write("made", ("move", f"{tree}/link{BETWEEN}{tree}/kept"))  # somebody is back already
    with Path(log.made).open("a", encoding="utf-8") as file:
        file.write('["made", "wri')
    log.undo()
    assert {path.name for path in tree.iterdir()} == before
    log.undo()


def test_what_a_mutated_run_made_it_may_remove(tree: Path) -> None:
    guard, _ = a_guard()
    guard.enforce(Trail({"grown": [str(tree)]}), kernel=False)
    guard._hear("os.mkdir", (str(tree / "new"), 0o777, -1))
    (tree / "new").mkdir()
    guard._hear("open", (str(tree / "new" / "file"), "w", CREATING))
    guard._hear("os.rmdir", (str(tree / "new"), -1))


def test_bytecode_that_cannot_be_written_is_no_news(tree: Path) -> None:
    guard, told = a_guard()
    guard.enforce(Trail(), kernel=False)
    with pytest.raises(PermissionError):
        guard._hear("open", (str(tree / "__pycache__" / "a.pyc"), None, CREATING))
    assert told == []


def test_in_own_folders_everything_is_free_but_removing_them(tree: Path) -> None:
    (tree / "own").mkdir()
    (tree / "alias").symlink_to(tree / "own")
    guard, told = a_guard(str(tree / "alias"))
    assert guard.own == [str(tree / "own")]
    guard._hear("os.mkdir", (str(tree / "own" / "sub"), 0o777, -1))
    assert (told, guard.trail.made) == ([], set())
    guard.enforce(Trail(), kernel=False)
    guard._hear("os.rmdir", (str(tree / "own" / "sub"), -1))
    guard._hear("os.chmod", (str(tree / "own"), 0o700, -1))
    guard._hear("open", (os.devnull, "w", CREATING))
    with pytest.raises(PermissionError):
        guard._hear("os.rmdir", (str(tree / "own"), -1))
    assert told == [("blocked", ("remove", str(tree / "own")))]


def test_a_host_is_never_ones_own(tree: Path) -> None:
    guard, told = a_guard(str(tree))
    guard._hear("socket.connect", (None, ("10.1.2.3", 80)))
    assert (guard.trail.hosts, len(told)) == ({"10.1.2.3"}, 1)
    guard.enforce(Trail(), kernel=False)
    with pytest.raises(PermissionError, match=r"lets no mutant connect to.*10\.1\.2\.3"):
        guard._hear("socket.connect", (None, ("10.1.2.3", 80)))


def test_what_the_guard_itself_does_is_not_heard(tree: Path) -> None:
    guard, told = a_guard()

    def tell(kind: str, effect: Effect) -> None:
        guard._hear("open", (str(tree / "log"), "a", CREATING))
        told.append((kind, effect))

    guard.told = tell
    for name in ("first", "second"):
        guard._hear("open", (str(tree / name), "w", CREATING))
    assert [os.path.basename(target) for _, (_, target) in told] == ["first", "second"]  # noqa: PTH119 - text
    assert str(tree / "log") not in guard.trail.files


@pytest.mark.parametrize(
    ("event", "arguments"),
    [
        ("open", ("x",)),
        ("os.remove", ("a\0b", 10_000)),
        ("open", ("a\0b", "w", CREATING)),
        ("os.rmdir", (object(), -1)),
    ],
)
def test_arguments_that_the_call_itself_would_not_take_tell_nothing(event: str, arguments: tuple[Any, ...]) -> None:
    guard, told = a_guard()
    guard.enforce(Trail(), kernel=False)
    guard._hear(event, arguments)
    assert told == []


def test_an_installed_guard_hears_what_the_standard_library_does(tree: Path) -> None:
    def do() -> Any:
        guard = Guard([])
        guard.install()
        shutil.copy("old", "copy")
        Path("copy").chmod(0o600)
        Path("copy").rename("moved")
        Path("sub").mkdir()
        Path("sub", "file").touch()
        shutil.rmtree("sub")
        with sqlite3.connect("db"):
            pass
        with socket.socket() as one, socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            one.connect(other.getsockname())
        return guard.trail.told()

    # in a run of fencepost over itself a guard outside of this one keeps its own log
    told = {
        name: [target for target in targets if name == "hosts" or is_beneath(target, [str(tree)])]
        for name, targets in in_child(do).items()
    }
    files = ("copy", "db", "db-journal", "db-shm", "db-wal", "moved", "sub")
    assert told == {
        "files": [str(tree / name) for name in files],
        "grown": [str(tree)],
        "made": [str(tree / "sub")],
        "hosts": ["127.0.0.1"],
        "ports": [],
        "programs": [],
        "functions": [],
        "linked": [],
        "signalled": [],
    }


@pytest.mark.parametrize(
    "harm",
    [
        lambda: Path("old").write_text("new", encoding="utf-8"),
        lambda: Path("old").unlink(),
        lambda: Path("old").rename("other"),
        lambda: os.truncate("old", 0),
        lambda: os.link("old", "name"),
        lambda: sqlite3.connect("old"),
    ],
)
def test_an_installed_guard_stops_harm_before_it_is_done(tree: Path, harm: Callable[[], Any]) -> None:
    def do() -> Any:
        guard = Guard([])
        guard.install()
        guard.enforce(Trail({"grown": [str(tree)]}), kernel=False)
        harm()

    assert in_child(do) == ["PermissionError", str(tree / "old")]
    assert (tree / "old").read_text(encoding="utf-8") == "old"


@pytest.mark.skipif(not landlock.version(), reason="this kernel has no Landlock that is of use")
def test_the_kernel_lets_through_what_the_guard_does(tree: Path) -> None:
    for name in ("own", "made", "grown", "away"):
        (tree / name).mkdir()

    def writes(name: str) -> bool:
        try:
            (tree / name).write_text("new", encoding="utf-8")
        except PermissionError:
            return False
        return True

    def do() -> Any:
        trail = Trail(
            {
                "files": [str(tree / "old"), str(tree / "gone"), str(tree / "away")],
                "grown": [str(tree / "grown")],
                "made": [str(tree / "made")],
            }
        )
        Guard([str(tree / "own")]).enforce(trail, kernel=True)
        Path(os.devnull).write_text("x", encoding="utf-8")
        return [writes(name) for name in ("own/x", "made/x", "grown/x", "old", "away/x", "gone", "new")]

    assert in_child(do) == [True, True, True, True, False, False, False]
    assert "/dev" in DEVICES


def test_what_was_blocked_is_logged_each_time_and_the_trail_once(tmp_path: Path) -> None:
    log = Log(str(tmp_path / "log"))
    for _ in range(2):
        log.write("blocked", ("write", "/a"))
        log.write("trail", ("write", "/a"))
        log.write("trail", ("remove", "/a"))
    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)[:2] for line in lines] == [
        ["blocked", "write"],
        ["trail", "write"],
        ["trail", "remove"],
        ["blocked", "write"],
    ]


def test_what_was_logged_is_taken_once_and_by_kind(tmp_path: Path) -> None:
    ours, theirs = Log(str(tmp_path / "log")), Log(str(tmp_path / "log"))
    assert ours.take("blocked") == ()
    theirs.write("blocked", ("write", "/ä"))
    ours.write("trail", ("remove", "/b"))
    assert ours.take("blocked") == [("write", "/ä")]
    assert ours.take("blocked") == ()
    theirs.write("blocked", ("write", "/ä"))
    assert ours.take("blocked") == [("write", "/ä")]


def test_a_child_that_outlives_the_run_logs_nowhere(tmp_path: Path) -> None:
    Log(str(tmp_path / "gone" / "log")).write("blocked", ("write", "/a"))
    assert not (tmp_path / "gone").exists()


def test_a_mutant_starts_and_calls_only_what_the_unmutated_run_did() -> None:
    trail = Trail()
    trail.note(("start", "rm"))
    trail.note(("call", "unlink"))
    assert trail.told()["programs"] == ["rm"]
    assert trail.told()["functions"] == ["unlink"]
    assert permits(trail, ("start", "rm"))
    assert permits(trail, ("call", "unlink"))
    assert not permits(trail, ("start", "unlink"))
    assert not permits(trail, ("call", "rm"))
    assert permits(Trail(trail.told()), ("call", "unlink"))
    assert not permits(Trail(), ("start", "rm"))
