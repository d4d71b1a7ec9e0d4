"""The kernel is asked for what its version offers, and then lets a process write nowhere else."""

from __future__ import annotations

import ctypes
import json
import os
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fencepost.analyzer import landlock
from fencepost.analyzer.landlock import (
    ADD_RULE,
    CONNECT_TCP,
    CREATE_RULESET,
    MAKE_ANYTHING,
    REFER,
    REMOVE_DIR,
    REMOVE_FILE,
    RESTRICT_SELF,
    SIGNAL,
    TRUNCATE,
    VERSION_FLAG,
    WRITE_FILE,
    restrict,
    version,
)

ALL_OF_FOLDERS = WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_ANYTHING | REFER
needs_landlock = pytest.mark.skipif(not version(), reason="this kernel has no Landlock that is of use")


class Kernel:
    """Answers as a kernel of some version, and remembers what it was asked for; stands where the C library is."""

    def __init__(self, offered: int, *, ruleset: int | None = None, restricted: int = 0) -> None:
        self.offered = offered
        self.ruleset = ruleset
        self.restricted = restricted
        self.handled: list[int] | None = None
        self.scopes = 0
        self.rules: list[int] = []
        self.privileged = True

    def syscall(self, number: int, *arguments: Any) -> int:
        """Answer a system call."""
        if number == CREATE_RULESET:
            attributes, size, flags = arguments
            if flags == VERSION_FLAG:
                assert (attributes, size) == (None, 0)
                return self.offered
            assert size == len(attributes)
            *self.handled, self.scopes = struct.unpack("=QQQ", attributes)
            return os.open(os.devnull, os.O_RDONLY) if self.ruleset is None else self.ruleset
        if number == ADD_RULE:
            rights, _ = struct.unpack("=Qi", arguments[2])
            self.rules.append(rights)
            return 0
        assert number == RESTRICT_SELF
        return -1 if self.privileged else self.restricted

    def prctl(self, *_: int) -> int:
        """Give up new privileges, without which nothing can be restricted."""
        self.privileged = False
        return 0


@pytest.fixture(name="kernel")
def _kernel(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Kernel]:
    def make(offered: int, **answers: int) -> Kernel:
        kernel = Kernel(offered, **answers)
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.setattr(landlock, "_libc", lambda: kernel)
        return kernel

    return make


@pytest.mark.parametrize(("offered", "expected"), [(-1, 0), (0, 0), (1, 0), (2, 2), (3, 3), (4, 4), (9, 9)])
def test_a_version_is_of_use_from_the_second_on(kernel: Callable[..., Kernel], offered: int, expected: int) -> None:
    kernel(offered)
    assert version() == expected


def test_other_systems_have_none(kernel: Callable[..., Kernel], monkeypatch: pytest.MonkeyPatch) -> None:
    kernel(4)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert version() == 0


@pytest.mark.parametrize(
    ("offered", "files", "network"),
    [(2, 0, 0), (3, TRUNCATE, 0), (4, TRUNCATE, CONNECT_TCP), (9, TRUNCATE, CONNECT_TCP)],
)
def test_a_kernel_is_asked_for_no_more_than_its_version_knows(
    kernel: Callable[..., Kernel], tmp_path: Path, offered: int, files: int, network: int
) -> None:
    (tmp_path / "file").touch()
    asked = kernel(offered)
    places = [str(tmp_path), str(tmp_path / "file"), str(tmp_path / "gone")]
    assert restrict(places, connecting=False, signalling=True)
    assert asked.handled == [ALL_OF_FOLDERS | files, network]
    assert asked.rules == [ALL_OF_FOLDERS | files, WRITE_FILE | files]
    asked = kernel(offered)
    assert restrict([], connecting=True, signalling=True)
    assert asked.handled == [ALL_OF_FOLDERS | files, 0]


@pytest.mark.parametrize(("offered", "scopes"), [(5, 0), (6, SIGNAL), (9, SIGNAL)])
def test_a_kernel_is_asked_to_keep_signals_in_from_the_sixth_version_on(
    kernel: Callable[..., Kernel], offered: int, scopes: int
) -> None:
    asked = kernel(offered)
    assert restrict([], connecting=True, signalling=False)
    assert asked.scopes == scopes


@pytest.mark.skipif(version() < 6, reason="this kernel does not restrict signals")
@pytest.mark.parametrize("signalling", [True, False])
def test_a_process_signals_what_it_may(*, signalling: bool) -> None:
    outside = os.getpid()

    def do() -> Any:
        restrict([], connecting=True, signalling=signalling)
        os.kill(os.getpid(), 0)
        return stopped(lambda: os.kill(outside, 0))

    assert in_child(do) is not signalling


def test_a_kernel_that_offers_nothing_is_asked_for_nothing(kernel: Callable[..., Kernel]) -> None:
    asked = kernel(1)
    assert not restrict([], connecting=False, signalling=True)
    assert asked.handled is None


def test_a_kernel_that_makes_no_rules_restricts_nothing(kernel: Callable[..., Kernel]) -> None:
    asked = kernel(4, ruleset=-1)
    assert not restrict(["/tmp"], connecting=False, signalling=True)  # noqa: S108 - nothing is written
    assert (asked.rules, asked.privileged) == ([], True)


def test_a_kernel_that_refuses_enforces_nothing(kernel: Callable[..., Kernel]) -> None:
    kernel(4, restricted=-1)
    assert not restrict([], connecting=False, signalling=True)


def in_child(do: Callable[[], Any]) -> Any:
    """What a function returns in a fork."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(write, json.dumps(do()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as file:
        answer = file.read()
    os.waitpid(child, 0)
    return json.loads(answer)


def stopped(do: Callable[[], Any]) -> bool:
    """Whether the system does not let something be done."""
    try:
        do()
    except PermissionError:
        return True
    return False


@needs_landlock
def test_a_process_writes_only_where_it_may(tmp_path: Path) -> None:
    for name in ("own", "away", "away/sub"):
        (tmp_path / name).mkdir()
    for name in ("own/old", "away/old", "away/mine"):
        (tmp_path / name).write_text("old", encoding="utf-8")
    library = ctypes.CDLL(None, use_errno=True)

    def do() -> Any:
        enforced = restrict([str(tmp_path / "own"), str(tmp_path / "away" / "mine")], connecting=True, signalling=True)
        own, away = tmp_path / "own", tmp_path / "away"
        (own / "sub").mkdir()
        (own / "old").rename(own / "sub" / "moved")
        (own / "sub" / "moved").unlink()
        (away / "mine").write_text("new", encoding="utf-8")
        harms: list[Callable[[], Any]] = [
            lambda: (away / "old").write_text("new", encoding="utf-8"),
            (away / "old").unlink,
            (away / "mine").unlink,
            (away / "sub").rmdir,
            (away / "new").touch,
            lambda: (away / "link").symlink_to("old"),
        ]
        by_c = library.unlink(str(away / "old").encode())
        return [enforced, [stopped(harm) for harm in harms], by_c, (away / "old").read_text(encoding="utf-8")]

    assert in_child(do) == [True, [True] * 6, -1, "old"]
    assert sorted(path.name for path in (tmp_path / "away").iterdir()) == ["mine", "old", "sub"]


@needs_landlock
def test_rules_may_have_the_number_of_a_closed_standard_input(tmp_path: Path) -> None:
    def do() -> Any:
        os.close(0)
        return [restrict([], connecting=True, signalling=True), stopped((tmp_path / "new").touch)]

    assert in_child(do) == [True, True]


@pytest.mark.skipif(version() < 4, reason="this kernel does not restrict connections")
@pytest.mark.parametrize("connecting", [True, False])
def test_a_process_connects_where_it_may(*, connecting: bool) -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()

        def do() -> Any:
            restrict([], connecting=connecting, signalling=True)
            with socket.socket() as client:
                return stopped(lambda: client.connect(server.getsockname()))

        assert in_child(do) is not connecting
