"""The tree is sacred: a mutated run writes only where the unmutated run wrote, and connects only where that connected.

An audit hook hears what Python code is about to do to files and sockets. In the unmutated run it keeps a `Trail`; in
the runs of mutants it blocks what the trail does not cover, and tells. On Linux the kernel enforces the same for what
no hook hears (`landlock`): C code, and children in other languages. Standard library only.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import shlex
import shutil
import stat
import sys
from _thread import get_ident
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from fencepost.analyzer import landlock
from fencepost.analyzer.family import strangers
from fencepost.analyzer.interpreters import ignores_environment, is_python

TRAIL_FILE = "trail.json"
BLOCKED = "Blocked"  # stands where the exception of a failed test would
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
DEVICES = ("/dev", "/proc")  # no files of anybody
SHARED_MEMORY = "/dev/shm"  # noqa: S108 - but here are files
HEAP = f"{SHARED_MEMORY}/pym-"  # how the names begin that `multiprocessing` gives its own, and takes away at once
MAKING = {"make", "make folder"}
BETWEEN = "\0"  # the two paths of a move: no path has it
BY_NAME = {
    "connect to": "hosts", "look up": "hosts", "listen on": "ports", "start": "programs", "call": "functions",
    "link": "linked",
}  # fmt: skip
SIGNALS = {"signal", "ask after"}
SHELLS = {"sh", "bash", "dash", "zsh"}
HARMLESS = {"file", "ldconfig", "lsb_release", "uname"}  # what `platform`, `ctypes.util` and `uuid` ask the system with
HARMFUL = {
    "chmod", "chown", "connect", "creat", "execl", "execle", "execlp", "execv", "execve", "execvp", "fchmod",
    "fchmodat", "fchown", "fchownat", "fopen", "fopen64", "fremovexattr", "fsetxattr", "futimens", "futimes",
    "futimesat", "gethostbyaddr", "gethostbyname", "getaddrinfo", "getnameinfo", "kill", "killpg", "lchmod", "lchown",
    "link", "linkat", "lremovexattr", "lsetxattr", "lutimes", "mkdir", "mkdirat", "mkfifo", "mkfifoat", "mknod",
    "mknodat", "open", "open64", "openat", "openat64", "popen", "posix_spawn", "posix_spawnp", "remove", "removexattr",
    "rename", "renameat", "renameat2", "rmdir", "sem_unlink", "sendmmsg", "sendmsg", "sendto", "setxattr", "shm_open",
    "shm_unlink", "symlink", "symlinkat", "syscall", "system", "truncate", "truncate64", "unlink", "unlinkat", "utime",
    "utimensat", "utimes",
}  # fmt: skip
"""Functions of the C library: what they are given no hook hears."""
LOOPBACK = ("127.", "::ffff:127.")
THIS_MACHINE = {
    "", "0.0.0.0", "::",  # noqa: S104 - as the target of a connection
    "::1", "localhost", "localhost.localdomain", "localhost4", "localhost6", "ip6-localhost",
    "ip6-loopback",
}  # fmt: skip

Effect = tuple[str, str]
"""What is about to be done, and to what.

It is one of `write`, `make`, `make folder`, `receive` (as a new name), `remove`, `change`, `link` (give
a file one more name, by which it can be written), `connect to`, `look up`, `listen on`, `signal` and `ask after` (a
process that is not the run's own; a group as a negative number), `start` (a program that is not Python, or a Python
that reads nothing of ours), `call` (a function of the C library).
A log of what was made has `move` too, with both paths. `perhaps make` is what an attempt comes to that may be in one
folder or in another: it is neither noted nor stopped.
"""


class Trail:
    """Where a run wrote and connected.

    Attributes:
        files: what was written, made, changed or removed, by real path.
        grown: folders in which entries were made or removed.
        made: folders that the run itself made; all beneath them is its own.
        linked: files that it gave one more name.
        hosts: names and addresses that it connected to or looked up.
        ports: numbers of ports that it listened on, and that nobody else can listen on then.
        programs: programs other than Python that it started, without their folder.
        functions: functions of the C library that it looked up by `ctypes` and that could do harm.
        signalled: `signal` or `ask after`, where it did this to a process of somebody else.
    """

    __slots__ = ("files", "functions", "grown", "hosts", "linked", "made", "ports", "programs", "signalled")

    def __init__(self, told: Mapping[str, Iterable[str]] | None = None) -> None:
        told = told or {}
        self.files = set(told.get("files", ()))
        self.grown = set(told.get("grown", ()))
        self.made = set(told.get("made", ()))
        self.linked = set(told.get("linked", ()))
        self.hosts = set(told.get("hosts", ()))
        self.ports = set(told.get("ports", ()))
        self.programs = set(told.get("programs", ()))
        self.functions = set(told.get("functions", ()))
        self.signalled = set(told.get("signalled", ()))

    @property
    def shared(self) -> list[str]:
        """What two runs at a time would be in each other's way at: files of the same name, and ports."""
        return [f"port {port}" for port in sorted(self.ports)] + sorted(
            path for path in self.files if "__pycache__" not in path
        )

    def told(self) -> dict[str, list[str]]:
        """The same as plain data."""
        return {name: sorted(getattr(self, name)) for name in self.__slots__}

    def absorb(self, other: Trail) -> None:
        """Add what another part of the run did."""
        for name in self.__slots__:
            getattr(self, name).update(getattr(other, name))

    def note(self, effect: Effect) -> None:
        """Add something that is about to be done."""
        action, target = effect
        if action in BY_NAME:
            getattr(self, BY_NAME[action]).add(target)
            return
        if action in SIGNALS:
            self.signalled.add(action)  # whose number differs from run to run
            return
        if is_beneath(target, self.made):
            return
        self.files.add(target)
        if action not in {"change", "write"}:
            self.grown.add(os.path.dirname(target))
        if action == "make folder":
            self.made.add(target)


class Guard:
    """Hears what this process does, and blocks what it may not.

    Args:
        own: folders in which everything is allowed and nothing is noted; they themselves may not be removed.

    Attributes:
        kept: files that may be written and nothing else: what this process tells about itself.
        protected: processes that may not be signalled.
        family: the worker and the engine, by which `family` tells whose a process is.
    """

    def __init__(self, own: Iterable[str]) -> None:
        self.own = [os.path.realpath(folder) for folder in own]
        self.kept: list[str] = []
        self.protected: set[str] = set()
        self.family: list[int] = []
        self.trail = Trail()
        self.enforced: Trail | None = None
        self.told: Callable[[str, Effect], None] = lambda _kind, _effect: None
        self._inside: set[int] = set()

    def install(self) -> None:
        """Hear this process from now on; there is no way back."""
        sys.addaudithook(self._hear)

    def enforce(self, trail: Trail, *, kernel: bool) -> None:
        """Block what the trail does not cover, from now on."""
        if kernel:
            existing = [path for path in trail.files if os.path.isfile(path)]
            writable = [*self.own, *self.kept, *trail.made, *trail.grown, *existing, *DEVICES]
            landlock.restrict(writable, connecting=bool(trail.hosts), signalling=bool(trail.signalled))
        self.enforced = trail

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        effects = EFFECTS.get(event)
        if effects is None:
            return
        thread = get_ident()
        if thread in self._inside:
            return  # what is done here is heard too
        self._inside.add(thread)
        try:
            told = _told(effects, arguments)
            for effect in [*map(as_it_will_be, told), *self._by_another_name(told)]:
                if effect is not None and not self._is_own(effect):
                    self._meet(effect)
            if event == "os.rename" and self.enforced is not None:
                for (_, source), (_, target) in itertools.pairwise(told):
                    self._tell_move(source, target)
        finally:
            self._inside.discard(thread)

    def _by_another_name(self, told: Iterable[Effect]) -> Iterator[Effect]:
        """What happens to a file that the run gave one more name, where it is written by that."""
        linked = (self.enforced or self.trail).linked
        for action, target in told if linked else ():
            if action in {"write", "change"} and os.path.exists(target):
                yield from (("change", path) for path in sorted(linked) if path != target and _is_same(path, target))

    def _tell_move(self, source: str, target: str) -> None:
        """What a run moves belongs to somebody and goes back; what comes from its own folders is a thing it made."""
        if not is_beneath(source, self.own):
            self.told("made", ("move", f"{source}{BETWEEN}{target}"))
        elif not is_beneath(target, self.own) and not os.path.lexists(target):
            self.told("made", ("make", target))

    def _is_own(self, effect: Effect) -> bool:
        action, target = effect
        if action in SIGNALS:
            return target.lstrip("-") not in self.protected and not strangers(int(target), self.family)
        if action == "start":
            return os.sep in target and is_beneath(target, self.own)  # what a run itself has made
        if action in BY_NAME and action != "link":
            return False
        if action == "remove" and target in self.own:
            return False
        if target in self.kept:
            return action == "write"
        return is_beneath(target, self.own) or _is_device(target)

    def _meet(self, effect: Effect) -> None:
        action, target = effect
        if action == "start":  # a program is told by its name: where it lies may differ from run to run
            target = os.path.basename(target)
            effect = (action, target)
        if action == "perhaps make":
            if self.enforced is not None and permits(self.enforced, ("make", target)):
                self.told("made", ("make", target))
        elif self.enforced is None:
            self.trail.note(effect)
            self.told("trail", effect)
        elif not permits(self.enforced, effect) or (action == "signal" and target.lstrip("-") in self.protected):
            action = "make" if action == "receive" else action
            if "__pycache__" not in target:  # which module is loaded first may differ, and loading goes on without it
                self.told("blocked", (action, target))
            raise PermissionError(errno.EACCES, f"fencepost lets no mutant {action}", target)
        else:
            if action in MAKING and not os.path.lexists(target):
                self.told("made", effect)  # it is removed when the run has ended
            self.enforced.note(effect)  # what it made it may change and remove


def _told(effects: Callable[..., Iterable[Effect]], arguments: tuple[Any, ...]) -> list[Effect]:
    """What an event says; nothing where its arguments are none that the call itself would take."""
    try:
        return list(effects(*arguments))
    except (TypeError, ValueError, OSError):
        return []


def as_it_will_be(effect: Effect) -> Effect | None:
    """What an attempt comes to, with the tree as it is now; None for one that fails by itself.

    The events come before the attempt, whether it will succeed or not: `os.makedirs(folder, exist_ok=True)` makes
    nothing where the folder is there, and least of all makes it a folder of the run's own.
    """
    action, target = effect
    if action in {"make", "make folder"}:
        return None if os.path.lexists(target) else effect
    if action in {"remove", "change", "link"}:
        return effect if os.path.lexists(target) else None
    if action == "write" and not os.path.lexists(target):
        return "make", target
    return effect


def permits(trail: Trail, effect: Effect) -> bool:
    """Whether a run that may do what is on a trail may do this."""
    action, target = effect
    if action in {"listen on", "ask after"}:
        return True  # a port may be any that is free
    if action == "signal":
        return action in trail.signalled
    if action in {"connect to", "look up"}:
        return target in trail.hosts or _is_here(target)
    if action in {"start", "call"}:  # what these do is heard by nobody
        return target in getattr(trail, BY_NAME[action])
    if action == "link" and target in trail.linked:
        return True
    if target in trail.files or is_beneath(target, trail.made):
        return True
    return not os.path.lexists(target) and os.path.dirname(target) in trail.grown


def is_beneath(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of these folders or beneath one of them."""
    return any(path == folder or path.startswith(folder + os.sep) for folder in folders)


def _is_device(path: str) -> bool:
    return is_beneath(path, DEVICES) and (path.startswith(HEAP) or not path.startswith(SHARED_MEMORY + os.sep))


def _is_here(host: str) -> bool:
    """Whether a name or an address is one of this machine: `127.example.com` is not."""
    return host.rstrip(".").lower() in THIS_MACHINE or (_is_address(host) and host.startswith(LOOPBACK))


def _text(path: Any) -> str | None:
    """A path as text; None where it is a number of an open file or nothing."""
    if isinstance(path, int) or path is None:
        return None
    try:
        return os.fsdecode(path)
    except TypeError:
        return None


def _entry(path: Any, folder: int = -1) -> str | None:
    """The real path of an entry of a folder, with the entry itself not followed; `folder` is an open one, or -1."""
    text = _text(path)
    if text is None:
        return None
    if folder >= 0 and not os.path.isabs(text):
        text = os.path.join(_path_of(folder), text)
    text = os.path.abspath(text)
    return os.path.join(os.path.realpath(os.path.dirname(text)), os.path.basename(text))


def _one(action: str, path: str | None) -> Iterator[Effect]:
    if path is not None:
        yield action, path


def _is_same(path: str, other: str) -> bool:
    """Whether two names are those of one file."""
    return os.path.exists(path) and os.path.samefile(path, other)


def _open_folders() -> Iterator[str]:
    """The folders that this process has open."""
    for name in os.listdir("/dev/fd"):
        with contextlib.suppress(OSError):  # that of the listing itself is closed by now
            if stat.S_ISDIR(os.fstat(int(name)).st_mode):
                yield _path_of(int(name))


def _path_of(folder: int) -> str:
    """Where an open folder is."""
    if sys.platform == "darwin":
        import fcntl

        return os.fsdecode(fcntl.fcntl(folder, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))
    return os.readlink(f"/proc/self/fd/{folder}")


def _opened(path: Any, mode: Any, flags: int, *_: Any) -> Iterator[Effect]:
    text = _text(path)
    if text is None or not flags & WRITING:
        return
    yield "write", os.path.realpath(text)
    if mode is None and not os.path.isabs(text):  # `os.open`, and nothing tells its `dir_fd`: it may be any of them
        for folder in _open_folders():
            target = os.path.realpath(os.path.join(folder, text))
            yield "write" if os.path.lexists(target) else "perhaps make", target


def _changed(path: Any, *rest: Any) -> Iterator[Effect]:
    if isinstance(path, int):  # an open file, of which to read it is enough; one that is no more has no path
        yield "change", os.path.realpath(_path_of(path))
        return
    entry = _entry(path, rest[-1] if rest and isinstance(rest[-1], int) else -1)
    if entry is not None:
        yield "change", os.path.realpath(entry)


def _database(path: Any, *_rest: Any) -> Iterator[Effect]:
    text = _text(path)
    if text and text.startswith("file:"):
        text, _, query = text.removeprefix("file:").partition("?")
        text = _decoded(text)
        text = "" if "mode=ro" in query or "mode=memory" in query else text
    if text and text != ":memory:":
        file = os.path.realpath(text)
        yield from (("write", file + ending) for ending in ("", "-journal", "-wal", "-shm"))


def _decoded(path: str) -> str:
    """The path in an address: without the name of this machine, and with `%41` as the letter that it stands for."""
    if path.startswith("//"):
        path = path[2:].removeprefix("localhost")
    if "%" not in path:
        return path
    from urllib.parse import unquote  # not loaded where no test needs it

    return unquote(path)


def _renamed(source: Any, target: Any, source_folder: int = -1, target_folder: int = -1) -> Iterator[Effect]:
    yield from _one("remove", _entry(source, source_folder))
    yield from _one("receive", _entry(target, target_folder))


def _pointed(_target: Any, link: Any, *folder: int) -> Iterator[Effect]:
    yield from _one("make", _entry(link, folder[-1] if folder else -1))


def _linked(source: Any, target: Any, source_folder: int = -1, target_folder: int = -1) -> Iterator[Effect]:
    entry = _entry(source, source_folder)
    if entry is not None:  # by its new name it could be written wherever that lies
        yield "link", os.path.realpath(entry)
    yield from _one("make", _entry(target, target_folder))


def _connected(_socket: Any, address: Any, *_: Any) -> Iterator[Effect]:
    if isinstance(address, tuple) and address:  # a path is that of a local socket
        yield "connect to", str(address[0])


def _bound(_socket: Any, address: Any, *_: Any) -> Iterator[Effect]:
    if isinstance(address, tuple) and address[1]:  # with 0 the system chooses one that is free
        yield "listen on", str(address[1])
    elif isinstance(address, str | bytes) and address and not os.fsencode(address).startswith(b"\0"):
        yield from _one("make", _entry(address))  # a name that begins with a zero is no path


def _signalled(process: int, number: int) -> Iterator[Effect]:
    yield "signal" if number else "ask after", str(process)


def _looked_up(host: Any, *_: Any) -> Iterator[Effect]:
    name = host.decode(errors="replace") if isinstance(host, bytes) else host
    if name and not _is_address(name):
        yield "look up", name


def _resolved(address: Any, *_: Any) -> Iterator[Effect]:
    """An address whose name is asked for."""
    host = address[0] if isinstance(address, tuple) else address
    if host:
        yield "look up", os.fsdecode(host)


def _started(program: Any, arguments: Any = (), *_: Any) -> Iterator[Effect]:
    words = [arguments] if isinstance(arguments, str | bytes | os.PathLike) else list(arguments or ())
    text = _text(program) or (_text(words[0]) if words else None)
    if text is None:
        return
    name = os.path.basename(text)
    if name in SHELLS and len(words) > 2 and words[1] == "-c":
        yield from _in_shell(words[2])
    elif ignores_environment(words):
        yield "start", f"{name} without its environment"
    elif not is_python(name) and name not in HARMLESS:  # a Python child has a guard of its own
        # whole where it is one: a link keeps its own name, and its folder is the real one
        yield "start", os.path.join(os.path.realpath(os.path.dirname(text)), name) if os.sep in text else name


def _in_shell(command: Any) -> Iterator[Effect]:
    """The first program of a command, by which commands of a shell are told apart."""
    text = os.fsdecode(command)
    try:
        words = shlex.split(text, comments=True)
    except ValueError:  # quotes that do not end: the shell will not like it either
        words = text.split()
    if words:
        yield from _started(words[0], words)


def _called(_library: Any, name: Any) -> Iterator[Effect]:
    if name in HARMFUL:
        yield "call", name


def _is_address(name: str) -> bool:
    return ":" in name or name.replace(".", "").isdigit()


EFFECTS: Mapping[str, Callable[..., Iterable[Effect]]] = {
    "open": _opened,
    "os.mkdir": lambda path, _mode, folder=-1: _one("make folder", _entry(path, folder)),
    "os.remove": lambda path, folder=-1: _one("remove", _entry(path, folder)),
    "os.rmdir": lambda path, folder=-1: _one("remove", _entry(path, folder)),
    "os.rename": _renamed,
    "os.link": _linked,
    "os.symlink": _pointed,
    # an open file was asked for when it was opened for writing, and shared memory has another name in each run
    "os.truncate": lambda path, _length: () if isinstance(path, int) else _changed(path),
    "os.chmod": _changed,
    "os.chown": _changed,
    "os.utime": _changed,
    "os.setxattr": lambda path, *_: _changed(path),
    "os.removexattr": _changed,
    "sqlite3.connect": _database,
    "os.exec": _started,
    "os.posix_spawn": _started,
    "os.spawn": lambda _mode, path, *rest: _started(path, *rest),
    "os.system": _in_shell,
    "subprocess.Popen": _started,
    "ctypes.dlsym": _called,
    "ctypes.dlsym/handle": _called,
    "os.kill": _signalled,
    "os.killpg": lambda group, number: _signalled(-group, number),
    "socket.bind": _bound,
    "socket.connect": _connected,
    "socket.sendto": _connected,
    "socket.sendmsg": _connected,
    "socket.getaddrinfo": _looked_up,
    "socket.gethostbyname": _looked_up,
    "socket.gethostbyaddr": _resolved,
    "socket.getnameinfo": _resolved,
}
"""By audit event (https://docs.python.org/3/library/audit_events.html): what its arguments say is about to be done."""


def _undo(action: str, path: str) -> None:
    if action == "move":
        source, target = path.split(BETWEEN)
        if not os.path.lexists(source):
            os.rename(target, source)
    elif os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
    else:
        os.unlink(path)


class Log:
    """A file that the processes of one job append to: what they did, or what was blocked. One line is one write.

    What they made goes to a file beside it, for whoever clears up after them.

    Args:
        path: the file; it is there from the first line on.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.made = f"{path}.made"
        self._known: set[tuple[str, Effect]] = set()

    def write(self, kind: str, effect: Effect) -> None:
        """Append a line, unless this process wrote the same before."""
        if kind == "trail" and (kind, effect) in self._known:
            return
        self._known.add((kind, effect))
        try:
            path = self.made if kind == "made" else self.path
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        except OSError:
            return  # the run is over, and this child has outlived it
        try:
            os.write(descriptor, json.dumps([kind, *effect]).encode() + b"\n")
        finally:
            os.close(descriptor)

    def undo(self) -> None:
        """Remove what was made and move back what was moved, the last first; then remove both files."""
        with contextlib.suppress(FileNotFoundError), open(self.made, encoding="utf-8") as file:
            for line in reversed(file.readlines()):
                with contextlib.suppress(ValueError, OSError):  # the last line may be half of one
                    _, action, path = json.loads(line)
                    _undo(action, path)
        for path in (self.made, self.path):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def take(self, kind: str) -> Sequence[Effect]:
        """What was written of a kind since the last time; what else was written is dropped."""
        if not os.path.exists(self.path) or not os.path.getsize(self.path):
            return ()
        with open(self.path, "r+", encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
            file.truncate(0)  # it may be written and not removed
        return [(action, target) for found, action, target in lines if found == kind]
