"""Follows the Python children of tests: they are woven too, tell what they evaluate, and run the active mutant.

As coverage does it, a folder with a `sitecustomize` comes first on PYTHONPATH, so that every interpreter that a test
starts passes here before it loads anything. What a child evaluates goes to a file that all processes of one job map
into memory, one byte a fact: it outlives a child that is killed, and two writers cannot undo each other. Forked
children write to the same file. Standard library only.
"""

from __future__ import annotations

import functools
import importlib.machinery
import inspect
import json
import mmap
import os
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from fencepost.analyzer.guard import TRAIL_FILE, Guard, Log, Trail
from fencepost.analyzer.interpreters import ignores_environment, is_python
from fencepost.analyzer.readings import Readings
from fencepost.analyzer.runtime import OBSERVE, UNSEEN, Context, Recorder, Sight

SITECUSTOMIZE = '''\
"""Put here by fencepost for the time of one run: weaves the Python children of the tests."""
import os
import sys

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _here]
sys.modules.pop("sitecustomize", None)
_missing = None
try:
    import sitecustomize  # the one that would have been loaded without this
except ImportError as error:
    _missing = error
try:
    from fencepost.analyzer import children as _children
except ImportError:  # another environment, in which the code under test is not what it is here
    pass
else:
    _children.join(_here)
if _missing is not None:
    raise _missing  # `site` takes it as there being none, which leaves nothing of this behind
'''
SIDES = ("below", "at", "above")
HEAD = 1 + len(SIDES)  # bytes of a probe before those of its mutants: reached, and the three sides


class Ledger:
    """A mapped file with one byte for each fact about each probe, and a last one for a child that cannot be followed.

    Attributes:
        missed: whether what was taken last told of such a child.
    """

    def __init__(self, path: str, mutants: Sequence[int], *, create: bool) -> None:
        self.starts = [0]
        for count in mutants:
            self.starts.append(self.starts[-1] + HEAD + count)
        size = self.starts[-1] + 1
        self.missed = False
        flags = os.O_RDWR | (os.O_CREAT if create else 0)
        descriptor = os.open(path, flags, 0o600)
        try:
            if create:
                os.ftruncate(descriptor, size)
            self.bytes = mmap.mmap(descriptor, size)
        finally:
            os.close(descriptor)
        self.empty = bytes(size)

    def take(self) -> Context:
        """What was written since the last time, as sights; the ledger is empty afterwards."""
        content = self.bytes[:]
        self.missed = bool(content[-1])
        if content == self.empty:
            return {}
        self.bytes[:] = self.empty
        found: Context = {}
        for probe, start in enumerate(self.starts[:-1]):
            if content[start]:
                sight = found[probe] = Sight()
                for place, side in enumerate(SIDES, start=start + 1):
                    if content[place]:
                        setattr(sight, side, (None, UNSEEN))
                for bit, value in enumerate(content[start + HEAD : self.starts[probe + 1]]):
                    sight.mask |= (1 << bit) if value else 0
        return found


class LedgerSight(Sight):
    """A sight whose facts go to the ledger at once."""

    __slots__ = ("_mask", "ledger", "start")

    def __init__(self, ledger: Ledger, probe: int) -> None:
        self.ledger = ledger
        self.start = ledger.starts[probe]
        self._mask = 0
        super().__init__()
        ledger.bytes[self.start] = 1

    @property
    def mask(self) -> int:  # a slot of the base, here with a consequence
        """The mutants that evaluated differently; setting it tells the ledger about the new ones."""
        return self._mask

    @mask.setter
    def mask(self, value: int) -> None:
        new = value & ~self._mask
        self._mask = value
        bit = 0
        while new:
            if new & 1:
                self.ledger.bytes[self.start + HEAD + bit] = 1
            new >>= 1
            bit += 1

    def meet(self, side: str, distance: float | None, value: object) -> None:  # noqa: ARG002 - as in the base
        """Note the side alone: values stay where they are."""
        self.ledger.bytes[self.start + 1 + SIDES.index(side)] = 1


class LedgerContext(Context):
    """The context of a child: every sight in it writes to the ledger."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__()
        self.ledger = ledger

    def get(self, probe: int, default: Any = None) -> Any:  # noqa: ARG002 - as in the base
        """The sight of a probe, made when it is the first."""
        found = super().get(probe)
        if found is None:
            found = self[probe] = LedgerSight(self.ledger, probe)
        return found


class Way:
    """The way to us, which every child of this process is to find, whatever environment it is given.

    Args:
        folder: where our `sitecustomize` is.
        variable: the environment variable that tells a child what to do.
        miss: called when a child is started that cannot be led.

    Attributes:
        task: what children are to do; None where there is nothing yet.
    """

    def __init__(self, folder: str, variable: str, miss: Callable[[], None]) -> None:
        self.folder = folder
        self.variable = variable
        self.miss = miss
        self.task: str | None = None

    def first_on(self, path: str | None) -> str:
        """A path variable with our folder before what it holds."""
        return self.folder if not path else os.pathsep.join([self.folder, path])

    def environment(self, given: Any) -> Any:
        """An environment with the way in it; None stands for the own one of this process, which mostly has it."""
        if self.task is None or (given is None and self.variable in os.environ):
            return given
        environment = dict(os.environ if given is None else given)  # a test may have cleared its own one
        path = environment.get("PYTHONPATH")
        if self.folder not in (path or ""):
            environment["PYTHONPATH"] = self.first_on(path)
        return {**environment, self.variable: self.task}

    def lead_children(self) -> None:
        """Lead what `subprocess` starts from now on, also in an environment that somebody puts together."""
        import subprocess

        way = self
        execute = subprocess.Popen._execute_child  # type: ignore[attr-defined] # noqa: SLF001 - where the arguments are all known
        names = list(inspect.signature(execute).parameters)
        place, command = names.index("env"), names.index("args")

        @functools.wraps(execute)
        def execute_child(*arguments: Any) -> Any:
            given = list(arguments)
            if ignores_environment(given[command]):
                way.miss()
            given[place] = way.environment(given[place])
            return execute(*given)

        subprocess.Popen._execute_child = execute_child  # type: ignore[attr-defined] # noqa: SLF001 - see above

    def watch(self) -> None:
        """Hear of children that are started past `subprocess`; and lead those of `subprocess` once it is imported.

        A process that does not import `subprocess` itself should not have it.
        """
        waiting = [] if "subprocess" in sys.modules else [self]
        if not waiting:
            self.lead_children()

        def hear(event: str, arguments: tuple[Any, ...]) -> None:
            if event in {"os.exec", "os.posix_spawn"}:
                self._check(*arguments)
            elif waiting and event == "import" and arguments[0] == "subprocess":
                waiting.pop().lead_children()

        sys.addaudithook(hear)

    def _check(self, program: Any, command: Any, environment: Any) -> None:
        """Tell of a Python that is started with an environment that nobody can add to any more."""
        names = {os.fsdecode(name) for name in (os.environ if environment is None else environment)}
        led = self.task is None or self.variable in names
        if ignores_environment(command) or (is_python(program) and not led):
            self.miss()


class Household:
    """The worker's side: the folder that its children pass through, what they are to do, and what they tell.

    Args:
        spool: the folder of the run.
        plan: the path of the plan.
        document: the plan itself.
    """

    def __init__(self, spool: str, plan: str, document: Mapping[str, Any]) -> None:
        self.spool = spool
        self.unfollowed = False  # whether a child was started that cannot pass through the folder
        self.mutants = mutant_counts(document)
        self.variable = task_variable(document["token"])
        self.ledger: Ledger | None = None
        self.recorder: Recorder | None = None
        self.folder = tempfile.mkdtemp(prefix="site-", dir=spool)
        self.way = Way(self.folder, self.variable, self._miss)
        names = [path.rpartition("/")[2] for path in document["files"]]
        files = [os.path.join(document["root"], *path.split("/")) for path in document["files"]]
        self.root = document["root"]
        about = {"plan": plan, "names": names, "files": files, "variable": self.variable}
        for name, text in (("about.json", json.dumps(about)), ("sitecustomize.py", SITECUSTOMIZE)):
            with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        os.environ["PYTHONPATH"] = self.way.first_on(os.environ.get("PYTHONPATH"))
        self.way.watch()

    def _miss(self) -> None:
        if self.ledger is not None:
            self.ledger.bytes[-1] = 1  # and no flag here: it may be a fork that starts the child

    def unwoven(self) -> dict[str, str]:
        """Files in scope that children ran without their being woven, and why."""
        found = {}
        for name in os.listdir(self.folder):
            if name.startswith("unwoven-"):
                with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                    path = os.path.relpath(file.read(), self.root).replace(os.sep, "/")
                found[path] = "a test runs it as a script (`python FILE`), which cannot be watched; `python -m` can"
        return found

    def observe(self, recorder: Recorder, guard: Guard, log: Log, readings: Readings) -> None:
        """Have the children of this job observe."""
        self.recorder = recorder
        path = os.path.join(self.folder, f"ledger-{os.getpid()}")
        ledger = self.ledger = Ledger(path, self.mutants, create=True)
        self._tell({"ledger": path, "log": log.path, "own": guard.own, "family": guard.family})

        def in_child() -> None:
            recorder.context = LedgerContext(ledger)
            guard.told = readings.told = log.write

        os.register_at_fork(after_in_child=in_child)

    def run(self, job: Mapping[str, Any], guard: Guard, log: Log) -> None:
        """Have the children of this job run its switches, under the same guard."""
        task = {"switches": job["switches"], "canary": job.get("canary"), "log": log.path, "own": guard.own}
        task["family"] = guard.family
        if guard.enforced is not None:
            task["trail"] = os.path.join(self.spool, TRAIL_FILE)
        self._tell(task)

    def _tell(self, task: Mapping[str, Any]) -> None:
        self.way.task = os.environ[self.variable] = json.dumps(task)

    def took_no_notice(self) -> bool:
        """Whether a child was started since the last time this was asked that cannot be followed."""
        found, self.unfollowed = self.unfollowed, False
        return found

    def told(self) -> Context:
        """What children evaluated since the last time this was asked."""
        if self.ledger is None or self.recorder is None:
            return {}
        found = self.ledger.take()
        self.unfollowed |= self.ledger.missed
        for probe in found:
            # which of its mutants behaved alike over there, and what it was given, nobody here knows
            self.recorder.refine(probe, list(range(self.mutants[probe])))
            self.recorder.numeric.add(probe)
        return found


def task_variable(token: str) -> str:
    """The environment variable that tells children what to do; runs inside runs have a name each."""
    return f"FENCEPOST_{token.upper()}"


def mutant_counts(document: Mapping[str, Any]) -> list[int]:
    """How many mutants each probe of a plan has, by number of the probe."""
    counts = [0] * document["probes"]
    for file in document["files"].values():
        for anchor in file["anchors"]:
            for probe in anchor["probes"]:
                counts[probe["id"]] = len(probe["mutants"])
    return counts


def join(folder: str) -> None:
    """The child's side: weave what this interpreter will load, as soon as it loads a file with a name in scope."""
    try:
        with open(os.path.join(folder, "about.json"), encoding="utf-8") as file:
            about = json.load(file)
    except OSError:
        return  # the run is over, and this child has outlived it
    told = os.environ.get(about["variable"])
    if told is None:
        return  # started while the tests were collected
    task = json.loads(told)
    _guard_this_process(task)
    way = Way(folder, about["variable"], lambda: _tell_missed(task))
    way.task = told
    way.watch()
    if "ledger" in task:
        _tell_of_script(folder, frozenset(about["files"]))
    names = frozenset(about["names"])
    loader: Any = importlib.machinery.SourceFileLoader.__mro__[2]
    plain = loader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        if os.path.basename(self.get_filename(fullname)) not in names:
            return plain(self, fullname)
        loader.get_code = plain
        _weave_this_process(about["plan"], task)
        return self.get_code(fullname)

    loader.get_code = get_code
    forget_our_imports()


def _tell_missed(task: Mapping[str, Any]) -> None:
    """Leave a mark where this interpreter starts one that cannot be followed."""
    if "ledger" in task:
        descriptor = os.open(task["ledger"], os.O_WRONLY)
        try:
            os.pwrite(descriptor, b"\1", os.fstat(descriptor).st_size - 1)
        finally:
            os.close(descriptor)


def _tell_of_script(folder: str, files: frozenset[str]) -> None:
    """Leave a note where this interpreter runs a file in scope as a script: no loader is asked for those."""
    script = next((argument for argument in sys.orig_argv[1:] if argument.endswith(".py")), None)
    if script is not None and "-m" not in sys.orig_argv and os.path.realpath(script) in files:
        with open(os.path.join(folder, f"unwoven-{os.getpid()}"), "w", encoding="utf-8") as file:
            file.write(os.path.realpath(script))


def _guard_this_process(task: Mapping[str, Any]) -> None:
    """Hear what this process does to files and sockets; block what the unmutated run did not do."""
    guard = Guard(task["own"])
    guard.family = task["family"]
    guard.told = Log(task["log"]).write
    guard.install()
    if "trail" in task:
        with open(task["trail"], encoding="utf-8") as file:
            guard.enforce(Trail(json.load(file)), kernel=False)  # what the kernel enforces is inherited
    else:
        Readings(guard.told).install()


def _weave_this_process(plan: str, task: Mapping[str, Any]) -> None:
    kept = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "fencepost"}
    for name in kept:
        del sys.modules[name]
    try:
        from fencepost.analyzer.weave import Woven, install

        with open(plan, encoding="utf-8") as file:
            document = json.load(file)
        woven = Woven(document)
        if "ledger" in task:
            ledger = Ledger(task["ledger"], mutant_counts(document), create=False)
            woven.recorder.loading = False
            woven.recorder.context = LedgerContext(ledger)
            woven.switchboard.set_all(OBSERVE)
        else:
            woven.switchboard.activate([tuple(switch) for switch in task["switches"]])
            if task["canary"] is not None:
                woven.raise_at(task["canary"])
        install(woven)
    except OSError:
        return  # the run is over, and this child has outlived it
    finally:
        forget_our_imports()
        sys.modules.update(kept)


def forget_our_imports() -> None:
    """Leave the code under test a process that has not imported fencepost or mutmut, which may be what is tested."""
    for name in list(sys.modules):
        if name.partition(".")[0] in {"fencepost", "mutmut"}:
            del sys.modules[name]
