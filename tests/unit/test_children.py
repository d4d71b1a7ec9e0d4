"""Children of tests find their way to us, do what the job says, and what they evaluate comes back through a file."""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from _pytest.pytester import SysModulesSnapshot

from fencepost.analyzer.children import (
    Household,
    Ledger,
    LedgerContext,
    Way,
    join,
    mutant_counts,
    task_variable,
)
from fencepost.analyzer.guard import Guard, Log, Trail
from fencepost.analyzer.interpreters import ignores_environment, is_python
from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.readings import Readings
from fencepost.analyzer.runtime import OBSERVE, UNSEEN, Recorder, Sight
from fencepost.analyzer.scan import scan_source
from fencepost.rules import all_rules

CODE = "def adult(age):\n    return age >= 18\n\ndef teen(age):\n    return 13 <= age\n"
PROBE_OF_ADULT, PROBE_OF_TEEN = 0, 1


@pytest.fixture(name="project")
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project of two files with its plan; what a household or a child changes in this process is changed back."""
    modules = SysModulesSnapshot()
    monkeypatch.setattr(subprocess.Popen, "_execute_child", subprocess.Popen._execute_child)  # type: ignore[attr-defined] # private
    loader = importlib.machinery.SourceFileLoader.__mro__[2]
    for name in ("get_code", "exec_module"):
        monkeypatch.setattr(loader, name, getattr(loader, name))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    root = tmp_path / "project"
    (root / "shop").mkdir(parents=True)
    (root / "shop" / "plans.py").write_text(CODE, encoding="utf-8")
    (root / "other.py").write_text("x = 1\n", encoding="utf-8")
    scans = [scan_source((root / path).read_bytes(), path, all_rules()) for path in ("shop/plans.py", "other.py")]
    document = make_plan(scans, str(root)).document
    (tmp_path / "plan.json").write_text(json.dumps(document), encoding="utf-8")
    monkeypatch.setenv(task_variable(document["token"]), "")
    monkeypatch.delenv(task_variable(document["token"]))
    for table in ("active", "look"):
        monkeypatch.setattr(builtins, f"__fencepost_{document['token']}_{table}__", None, raising=False)
    yield tmp_path
    modules.restore()


def document_of(project: Path) -> Any:
    return json.loads((project / "plan.json").read_text(encoding="utf-8"))


def a_household(project: Path) -> Household:
    return Household(str(project), str(project / "plan.json"), document_of(project))


def load_plans(project: Path) -> Any:
    """Load the file in scope as a child would."""
    path = project / "project" / "shop" / "plans.py"
    spec = importlib.util.spec_from_file_location("plans", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def a_log(project: Path) -> Log:
    """Where the guard of a job tells what it hears."""
    return Log(str(project / "guard.log"))


def environment_of_child(given: dict[str, str] | None) -> dict[str, str]:
    """The environment that a child really has."""
    lines = subprocess.run(["/usr/bin/env"], env=given, capture_output=True, text=True, check=True).stdout.splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def test_what_is_written_to_a_ledger_is_taken_once(tmp_path: Path) -> None:
    path = str(tmp_path / "ledger")
    ours = Ledger(path, [2, 0, 3], create=True)
    theirs = LedgerContext(Ledger(path, [2, 0, 3], create=False))
    assert ours.take() == {}
    theirs.get(0)
    sight = theirs.get(2)
    sight.mask |= 0b100
    sight.mask |= 0b101
    sight.meet("below", 1.0, 17)
    sight.meet("above", None, 19)
    assert theirs.get(2) is sight
    assert sight.mask == 0b101
    taken = ours.take()
    assert set(taken) == {0, 2}
    assert (taken[0].mask, taken[0].below, taken[0].at, taken[0].above) == (0, None, None, None)
    assert (taken[2].mask, taken[2].at) == (0b101, None)
    assert (taken[2].below, taken[2].above) == ((None, UNSEEN), (None, UNSEEN))
    assert ours.take() == {}


def test_a_plan_without_probes_has_a_ledger_too(tmp_path: Path) -> None:
    assert Ledger(str(tmp_path / "ledger"), [], create=True).take() == {}


def test_the_mutants_of_each_probe_are_counted(project: Path) -> None:
    assert mutant_counts(document_of(project)) == [3, 3]


def test_runs_inside_runs_have_a_variable_each() -> None:
    assert task_variable("ab12") == "FENCEPOST_AB12"
    assert task_variable("ab12") != task_variable("ab13")


def test_children_find_the_folder_of_the_household_first(project: Path) -> None:
    household = a_household(project)
    assert os.environ["PYTHONPATH"] == f"{household.folder}{os.pathsep}/elsewhere"
    assert {path.name for path in Path(household.folder).iterdir()} == {"about.json", "sitecustomize.py"}


def test_without_a_path_the_folder_is_all_of_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH")
    household = a_household(project)
    assert os.environ["PYTHONPATH"] == household.folder


def test_an_environment_that_a_test_puts_together_gets_the_way_to_us(project: Path) -> None:
    household = a_household(project)
    # no job yet, so there is nothing to tell a child
    assert household.variable not in environment_of_child({"MINE": "1"})
    household.run({"switches": [(0, 2)]}, Guard([]), a_log(project))
    for given, path in (
        ({"MINE": "1"}, [household.folder]),
        ({"PYTHONPATH": "/elsewhere"}, [household.folder, "/elsewhere"]),
        (dict(os.environ), [household.folder, "/elsewhere"]),
        (None, [household.folder, "/elsewhere"]),
    ):
        environment = environment_of_child(given)
        assert json.loads(environment[household.variable])["switches"] == [[0, 2]]
        # in a run of fencepost over itself its own household stands before this one
        assert environment["PYTHONPATH"].split(os.pathsep)[-len(path) :] == path
        assert environment.get("MINE") == (given or {}).get("MINE")


def test_what_forked_children_evaluate_is_told(project: Path) -> None:
    household = a_household(project)
    assert household.told() == {}
    recorder = Recorder(2, str(project))
    recorder.context = {}
    household.observe(recorder, Guard([]), a_log(project), Readings())
    child = os.fork()
    if child == 0:
        try:
            recorder.sight(PROBE_OF_TEEN).mask |= 0b10
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    told = household.told()
    assert {probe: sight.mask for probe, sight in told.items()} == {PROBE_OF_TEEN: 0b10}
    assert recorder.context == {}
    # nobody here knows which mutants behaved alike over there, nor what a call of `int` was given
    assert recorder.classes == [None, (0, 1, 2)]
    assert recorder.numeric == {PROBE_OF_TEEN}
    assert household.told() == {}


@pytest.fixture(name="join_as_child")
def _join_as_child(project: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Household], None]:
    """Joins in this process, which keeps its modules."""
    assert project
    for heard in (Guard, Readings):
        monkeypatch.setattr(heard, "install", lambda _: None)  # an audit hook would stay for good

    def join_as_child(household: Household) -> None:
        modules = dict(sys.modules)
        join(household.folder)
        assert not any(name.partition(".")[0] == "fencepost" for name in sys.modules)
        sys.modules.update(modules)

    return join_as_child


def test_a_child_runs_the_switches_of_the_job(project: Path, join_as_child: Callable[[Household], None]) -> None:
    household = a_household(project)
    household.run({"switches": [(0, 1)]}, Guard([]), a_log(project))
    # mutmut, which another test may have loaded, is nothing that a child has
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] != "mutmut"}
    join_as_child(household)
    plans = load_plans(project)
    assert [plans.adult(18), plans.adult(19), plans.teen(13)] == [False, True, True]
    assert {name: module for name, module in sys.modules.items() if name in before} == before
    active = getattr(builtins, f"__fencepost_{document_of(project)['token']}_active__")
    assert active == [1, 0]


def test_a_child_tells_what_it_evaluates(project: Path, join_as_child: Callable[[Household], None]) -> None:
    household = a_household(project)
    recorder = Recorder(2, str(project))
    household.observe(recorder, Guard([]), a_log(project), Readings())
    join_as_child(household)
    plans = load_plans(project)
    assert plans.adult(18) is True
    told = household.told()
    assert set(told) == {PROBE_OF_ADULT}
    assert isinstance(told[PROBE_OF_ADULT], Sight)
    assert (told[PROBE_OF_ADULT].at, told[PROBE_OF_ADULT].below) == ((None, UNSEEN), None)
    active = getattr(builtins, f"__fencepost_{document_of(project)['token']}_active__")
    assert active == [OBSERVE, OBSERVE]


def test_a_child_without_a_task_loads_what_is_written(project: Path) -> None:
    household = a_household(project)
    loader: Any = importlib.machinery.SourceFileLoader.__mro__[2]
    plain = loader.get_code
    join(household.folder)
    join(str(project / "gone"))
    assert loader.get_code is plain


def test_a_child_that_outlives_the_run_loads_what_is_written(
    project: Path, join_as_child: Callable[[Household], None]
) -> None:
    household = a_household(project)
    household.run({"switches": [(0, 1)]}, Guard([]), a_log(project))
    join_as_child(household)
    (project / "plan.json").rename(project / "gone.json")
    assert load_plans(project).adult(18) is True


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["python", "{root}/shop/plans.py", "--fast"], True),
        (["python", "-W", "error", "{root}/shop/../shop/plans.py", "other.py"], True),
        (["python", "-m", "shop.plans", "{root}/shop/plans.py"], False),
        (["python", "/elsewhere/plans.py"], False),
        (["python", "-c", "pass"], False),
    ],
)
def test_a_file_in_scope_that_runs_as_a_script_is_told(
    project: Path,
    join_as_child: Callable[[Household], None],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    told: bool,  # noqa: FBT001 - a parameter
) -> None:
    household = a_household(project)
    household.observe(Recorder(2, str(project)), Guard([]), a_log(project), Readings())
    monkeypatch.setattr(sys, "orig_argv", [text.format(root=project / "project") for text in arguments])
    join_as_child(household)
    why = "a test runs it as a script (`python FILE`), which cannot be watched; `python -m` can"
    assert household.unwoven() == ({"shop/plans.py": why} if told else {})


@pytest.mark.parametrize(
    ("command", "ignores"),
    [
        (["python", "-I", "a.py"], True),
        (["/usr/bin/python3.13", "-E"], True),
        ([b"pypy3", b"-S", b"-c", b"pass"], True),
        ((Path("python3"), "-uBI", "a.py"), True),
        (["python", "-X", "dev", "-I"], True),
        (["python", "-Xdev", "-I"], True),
        (["python", "-uW", "error", "-E", "a.py"], True),
        (["python", "-W", "-I", "a.py"], False),  # the value of -W
        (["python", "-X"], False),
        (["python", "a.py", "-I"], False),
        (["python", "-m", "pytest", "-E"], False),
        (["python", "-c", "pass", "-S"], False),
        (["python", "-cI"], False),
        (["python", "-"], False),
        (["python", "--help", "-I"], False),
        (["python", "-u"], False),
        (["python"], False),
        (["ls", "-I"], False),
        (["env", "python", "-I"], False),
        ([], False),
        ([7, "-I"], False),
        ("python -I a.py", False),
        (None, False),
    ],
)
def test_a_python_that_reads_no_environment_is_known_by_its_options(
    command: Any,
    ignores: bool,  # noqa: FBT001 - a parameter
) -> None:
    assert ignores_environment(command) is ignores


def test_a_python_is_known_by_its_name() -> None:
    assert all(is_python(program) for program in ("python", b"/usr/bin/python3.13", Path("/opt/pypy3")))
    assert not any(is_python(program) for program in ("ls", "/python/ls", 5, None))


@dataclass
class OnTheWay:
    """A way for children with the task `go`, how many it missed, and the hooks by which it hears."""

    hooks: list[Callable[[str, tuple[Any, ...]], None]] = field(default_factory=list)
    missed: int = 0

    def __post_init__(self) -> None:
        self.way = Way("/ours", "FENCEPOST_X", self._miss)
        self.way.task = "go"

    def _miss(self) -> None:
        self.missed += 1

    def hear(self, event: str, *arguments: Any) -> int:
        """How many children were missed once an event was heard."""
        self.hooks[0](event, arguments)
        return self.missed


@pytest.fixture(name="on_the_way")
def _on_the_way(project: Path, monkeypatch: pytest.MonkeyPatch) -> OnTheWay:
    """A way whose hooks are not those of this process, which would keep them for good."""
    assert project
    monkeypatch.delenv("FENCEPOST_X", raising=False)
    one = OnTheWay()
    monkeypatch.setattr(sys, "addaudithook", one.hooks.append)
    return one


def test_a_test_that_cleared_the_environment_starts_children_that_find_the_way(
    on_the_way: OnTheWay, monkeypatch: pytest.MonkeyPatch
) -> None:
    way = on_the_way.way
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    way_in = {"FENCEPOST_X": "go", "PYTHONPATH": f"/ours{os.pathsep}/elsewhere"}
    assert way.environment(None).items() >= way_in.items()
    assert way.environment({"A": "1"}) == {"A": "1", "FENCEPOST_X": "go", "PYTHONPATH": "/ours"}
    assert way.environment({}) == {"FENCEPOST_X": "go", "PYTHONPATH": "/ours"}
    assert way.environment(way_in) == way_in
    monkeypatch.setenv("FENCEPOST_X", "go")
    assert way.environment(None) is None
    way.task = None
    assert way.environment({"A": "1"}) == {"A": "1"}


def test_a_child_that_reads_no_environment_is_missed(on_the_way: OnTheWay) -> None:
    on_the_way.way.lead_children()
    subprocess.run(["/usr/bin/env"], env={}, capture_output=True, check=True)
    assert on_the_way.missed == 0
    subprocess.run([sys.executable, "-I", "-c", ""], check=True)
    assert on_the_way.missed == 1


def test_subprocess_is_led_as_soon_as_it_is_imported_and_not_imported_for_it(
    on_the_way: OnTheWay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "subprocess")
    on_the_way.way.watch()
    for event, name in (("import", "subprocesses"), ("compile", "subprocess")):
        on_the_way.hear(event, name)
        assert "subprocess" not in sys.modules
    on_the_way.hear("import", "subprocess")
    led = sys.modules["subprocess"].Popen._execute_child
    assert hasattr(led, "__wrapped__")
    on_the_way.hear("import", "subprocess")
    assert sys.modules["subprocess"].Popen._execute_child is led


def test_a_subprocess_that_is_there_is_led_at_once(on_the_way: OnTheWay) -> None:
    plain = subprocess.Popen._execute_child  # type: ignore[attr-defined] # private
    on_the_way.way.watch()
    assert subprocess.Popen._execute_child.__wrapped__ is plain  # type: ignore[attr-defined] # private


def test_a_python_that_is_started_past_subprocess_is_missed_where_it_cannot_find_the_way(
    on_the_way: OnTheWay, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_the_way.way.watch()
    assert on_the_way.hear("os.exec", "/bin/ls", ["ls"], None) == 0
    assert on_the_way.hear("os.exec", "/bin/ls", ["ls"], {}) == 0
    assert on_the_way.hear("os.exec", "/bin/python", ["python"], {"FENCEPOST_X": "go"}) == 0
    assert on_the_way.hear("os.posix_spawn", "/bin/python", ["python"], {b"FENCEPOST_X": b"go"}) == 0
    assert on_the_way.hear("os.fork", "/bin/python", ["python"], {}) == 0
    assert on_the_way.hear("os.posix_spawn", "/bin/python", ["python"], {}) == 1
    assert on_the_way.hear("os.exec", "/bin/python", ["python"], None) == 2
    monkeypatch.setenv("FENCEPOST_X", "go")
    assert on_the_way.hear("os.exec", "/bin/python", ["python"], None) == 2
    assert on_the_way.hear("os.exec", "/bin/python", ["python", "-I"], None) == 3
    on_the_way.way.task = None
    assert on_the_way.hear("os.exec", "/bin/python", ["python"], {}) == 3


def test_a_child_that_is_missed_is_told_of_once(project: Path) -> None:
    household = a_household(project)
    household.way.miss()  # while nothing is observed that is of no interest
    household.observe(Recorder(2, str(project)), Guard([]), a_log(project), Readings())
    assert household.told() == {}
    assert not household.took_no_notice()
    household.way.miss()
    assert household.told() == {}
    assert [household.took_no_notice(), household.took_no_notice()] == [True, False]


def test_a_child_tells_of_the_children_that_it_missed(
    project: Path, join_as_child: Callable[[Household], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    household = a_household(project)
    household.observe(Recorder(2, str(project)), Guard([]), a_log(project), Readings())
    hooks: list[Callable[[str, tuple[Any, ...]], None]] = []
    monkeypatch.setattr(sys, "addaudithook", hooks.append)
    join_as_child(household)
    for hook in hooks:
        hook("os.exec", ("/bin/python", ["python", "-I"], None))
    household.told()
    assert household.took_no_notice()


def test_a_child_of_a_mutated_run_has_the_guard_and_the_canary_of_the_job(
    project: Path, join_as_child: Callable[[Household], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    household = a_household(project)
    guards: list[Guard] = []

    def install(guard: Guard) -> None:
        guards.append(guard)

    monkeypatch.setattr(Guard, "install", install)
    guard = Guard([str(project / "own")])
    guard.enforced = Trail({"files": ["/a"]})
    (project / "trail.json").write_text(json.dumps(guard.enforced.told()), encoding="utf-8")
    household.run({"switches": [], "canary": 1}, guard, a_log(project))
    join_as_child(household)
    ((mine,), plans) = guards, load_plans(project)
    assert mine.own == guard.own
    assert mine.enforced is not None
    assert mine.enforced.told() == guard.enforced.told()
    assert plans.adult(18) is True
    with pytest.raises(BaseException, match="canary"):
        plans.teen(13)


def test_a_child_of_a_mutated_run_leaves_nothing_in_the_folder_of_the_run(
    project: Path, join_as_child: Callable[[Household], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    household = a_household(project)
    household.run({"switches": []}, Guard([]), a_log(project))
    monkeypatch.setattr(sys, "orig_argv", ["python", str(project / "project" / "shop" / "plans.py")])
    join_as_child(household)
    assert household.unwoven() == {}
