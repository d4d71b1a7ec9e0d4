"""The real command, in processes of its own, on small projects: what it says, what it leaves behind, how it ends."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fencepost.reports import json_report
from fencepost.rules import every_rule

Result = subprocess.CompletedProcess[str]
Command = Callable[..., Result]
Files = Mapping[str, str]

ADULT = "def adult(age):\n    return age >= 18\n"
TEST_ADULT = "from shop import adult\n\n\ndef test_adult():\n    assert adult(18)\n"
ONLY_AT = '[tool.fencepost]\nrules = ["FP101"]\n'
ONLY_TRIM = '[tool.fencepost]\nrules = ["FP201"]\n'
COLOUR = re.compile(r"\x1b\[[0-9;]*\b[349][0-7](?:;[0-9;]*)?m")


@dataclass(frozen=True)
class Project:
    """A small project on disk, and the command in it."""

    root: Path
    command: Command

    def fencepost(self, *arguments: str, cwd: str = ".") -> Result:
        """Run the command in the project, or in a folder of it."""
        return self.command(*arguments, cwd=self.root / cwd)

    def report(self, *arguments: str) -> dict[str, Any]:
        """The JSON of a run that has to end well."""
        done = self.fencepost("run", "-o", "json", *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    def verdicts(self, *arguments: str) -> dict[str, str]:
        """The verdict on each mutant, by its replacement; no two mutants of these projects read the same."""
        mutants = self.report(*arguments)["mutants"]
        assert len({mutant["replacement"] for mutant in mutants}) == len(mutants)
        return {mutant["replacement"]: mutant["verdict"] for mutant in mutants}

    def files(self) -> set[str]:
        """Every file of the project but those of git and of fencepost."""
        paths = (path.relative_to(self.root) for path in self.root.rglob("*") if path.is_file())
        return {path.as_posix() for path in paths if path.parts[0] not in {".git", ".fencepost"}}


Make = Callable[..., Project]


def written(root: Path, files: Files) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture
def project(tmp_path: Path, fencepost: Command) -> Make:
    """Makes a project of the given files; without any, a module with one threshold and a test that stands on it."""

    def make(files: Files | None = None, **more: str) -> Project:
        chosen = {"shop.py": ADULT, "test_shop.py": TEST_ADULT} if files is None else files
        root = tmp_path / "project"
        root.mkdir()
        return Project(
            written(root, {**chosen, **{name.replace("__", "."): text for name, text in more.items()}}), fencepost
        )

    return make


def without_seconds(value: Any) -> Any:
    """A document without what depends on time."""
    if isinstance(value, dict):
        return {key: without_seconds(item) for key, item in value.items() if key != "seconds"}
    return [without_seconds(item) for item in value] if isinstance(value, list) else value


# one project, analysed once, whose outputs many tests look at


SHOP = {
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "shop/__init__.py": "",
    "shop/prices.py": (
        "FREE_FROM = 50\n\n\ndef shipping(total):\n    return 0 if total >= FREE_FROM else 5\n\n\n"
        "def label(name):\n    return name.strip().lower()\n\n\ndef unused(age):\n    return age == 18\n"
    ),
    "tests/test_prices.py": (
        "from shop.prices import label, shipping\n\n\ndef test_shipping():\n    assert shipping(80) == 0\n"
        "    assert shipping(10) == 5\n\n\ndef test_edge_runs():\n    shipping(50)\n\n\n"
        "def test_label():\n    assert label(' ann ') == 'ann'\n"
    ),
}


@dataclass(frozen=True)
class Analysed:
    """A project after one run, and what the run said."""

    project: Project
    files_before: set[str]
    result: Result
    report: dict[str, Any]


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> Analysed:
    root = written(tmp_path_factory.mktemp("analysed") / "project", SHOP)
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"],
    ):
        subprocess.run(["git", *command], cwd=root, check=True, capture_output=True)
    project = Project(root, fencepost)
    before = project.files()
    path = root.parent / "report.json"
    done = project.fencepost("run", "-o", "terminal", "-o", f"json:{path}")
    assert done.returncode == 0, done.stdout + done.stderr
    return Analysed(project, before, done, json.loads(path.read_text(encoding="utf-8")))


def mutant_of(analysed: Analysed, verdict: str) -> dict[str, Any]:
    return next(mutant for mutant in analysed.report["mutants"] if mutant["verdict"] == verdict)


def test_one_command_leads_from_a_bare_project_to_its_gaps(analysed: Analysed) -> None:
    assert "total > FREE_FROM" in analysed.result.stdout
    assert "shop/prices.py:5" in analysed.result.stdout
    assert "score" in analysed.result.stdout


def test_a_second_command_that_the_first_one_names_shows_one_gap(analysed: Analysed) -> None:
    named = re.search(r"fencepost (show [\w-]+)", analysed.result.stdout)
    assert named
    done = analysed.project.fencepost(*named[1].split())
    assert done.returncode == 0
    assert re.search(r"^-.*total >= FREE_FROM", done.stdout, re.MULTILINE)


def test_the_json_meets_its_schema(analysed: Analysed) -> None:
    jsonschema.validate(analysed.report, json_report.schema())


def test_the_json_holds_the_expected_verdicts(analysed: Analysed) -> None:
    found = {mutant["replacement"]: mutant["verdict"] for mutant in analysed.report["mutants"]}
    assert found["total > FREE_FROM"] == "survived"
    assert found["name"] == "killed"
    assert found["name.strip()"] == "not-infected"
    assert found["age != 18"] == "not-reached"


def test_show_of_a_survivor_has_its_diff_and_its_tests(analysed: Analysed) -> None:
    done = analysed.project.fencepost("show", mutant_of(analysed, "survived")["id"])
    assert re.search(r"^\+.*total > FREE_FROM", done.stdout, re.MULTILINE)
    assert "tests/test_prices.py::test_edge_runs" in done.stdout


def test_show_of_a_killed_mutant_names_its_killer(analysed: Analysed) -> None:
    done = analysed.project.fencepost("show", mutant_of(analysed, "killed")["id"])
    assert "killed" in done.stdout
    assert mutant_of(analysed, "killed")["kill"]["test"] in done.stdout


def test_show_takes_the_beginning_of_an_id(analysed: Analysed) -> None:
    survivor = mutant_of(analysed, "survived")["id"]
    assert (
        analysed.project.fencepost("show", survivor[:-3]).stdout == analysed.project.fencepost("show", survivor).stdout
    )


def test_show_of_an_unknown_id_is_a_usage_error_that_names_the_nearest(analysed: Analysed) -> None:
    survivor = mutant_of(analysed, "survived")["id"]
    done = analysed.project.fencepost("show", f"{survivor}0")
    assert done.returncode == 2
    assert survivor in done.stderr


def test_report_renders_the_last_run_again(analysed: Analysed) -> None:
    done = analysed.project.fencepost("report", "-o", "json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == analysed.report


def test_report_on_the_terminal_says_what_the_run_said(analysed: Analysed) -> None:
    assert analysed.project.fencepost("report").stdout == analysed.result.stdout


def test_scan_lists_the_sites_and_the_three_inputs(analysed: Analysed) -> None:
    done = analysed.project.fencepost("scan")
    assert done.returncode == 0
    assert "shop/prices.py:5" in done.stdout
    assert "49 | 50 | 51" in done.stdout
    assert "name.strip()" in done.stdout


def test_scan_of_one_file_takes_paths_from_the_working_folder(analysed: Analysed) -> None:
    done = analysed.project.fencepost("scan", "prices.py", cwd="shop")
    assert done.returncode == 0
    assert "shop/prices.py:5" in done.stdout


def test_piped_output_has_no_escape_codes(analysed: Analysed) -> None:
    outputs = [analysed.result, *(analysed.project.fencepost(*words) for words in (["scan"], ["explain", "FP101"]))]
    assert not [done.args for done in outputs if "\x1b" in done.stdout + done.stderr]


def test_git_sees_nothing_of_a_run(analysed: Analysed) -> None:
    seen = subprocess.run(
        ["git", "status", "--porcelain"], cwd=analysed.project.root, capture_output=True, text=True, check=True
    )
    assert seen.stdout == ""


def test_a_run_leaves_only_its_own_folder_behind(analysed: Analysed) -> None:
    assert analysed.project.files() == analysed.files_before
    assert (analysed.project.root / ".fencepost").is_dir()


def test_a_run_leaves_no_temporary_files_in_its_folder(analysed: Analysed) -> None:
    left = {path.name for path in (analysed.project.root / ".fencepost").iterdir()}
    assert left == {".gitignore", "last-run.json", "cache", "runs"}


def test_one_job_and_two_jobs_tell_the_same(analysed: Analysed) -> None:
    one, two = (analysed.project.report("--jobs", jobs) for jobs in ("1", "2"))
    assert without_seconds(one) == without_seconds(two)


@contextmanager
def terminal() -> Iterator[tuple[int, Callable[[], str]]]:
    """A terminal of its own: the end for a process, and what to call for all that was written to it."""
    ours, theirs = pty.openpty()

    def everything() -> str:
        os.close(theirs)
        found = b""
        with suppress(OSError):  # Linux says so when the last writer has gone
            while data := os.read(ours, 1 << 16):
                found += data
        return found.decode()

    yield theirs, everything
    os.close(ours)


def on_a_terminal(project: Project, *arguments: str, **environment: str) -> str:
    with terminal() as (end, everything):
        clean = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
        process = subprocess.Popen(
            [sys.executable, "-m", "fencepost", *arguments],
            cwd=project.root, stdout=end, stderr=end, stdin=subprocess.DEVNULL,
            env={**clean, "TERM": "xterm-256color", **environment},
        )  # fmt: skip
        assert process.wait(timeout=60) == 0  # what it says fits the terminal's buffer
        return everything()


def test_a_terminal_gets_colours(analysed: Analysed) -> None:
    assert COLOUR.search(on_a_terminal(analysed.project, "show", mutant_of(analysed, "survived")["id"]))


def test_no_color_takes_the_colours_away(analysed: Analysed) -> None:
    shown = on_a_terminal(analysed.project, "show", mutant_of(analysed, "survived")["id"], NO_COLOR="1")
    assert "FREE_FROM" in shown
    assert not COLOUR.search(shown)


# commands that need no run


def test_rules_lists_every_rule(project: Make) -> None:
    done = project().fencepost("rules")
    assert done.returncode == 0
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [[rule.code, rule.name] for rule in every_rule()]


@pytest.mark.parametrize("name", ["fp101", "boundary-at"])
def test_explain_prints_the_page_of_a_rule(project: Make, name: str) -> None:
    done = project().fencepost("explain", name)
    assert done.returncode == 0
    assert "FP101 boundary-at" in done.stdout
    assert "Why it matters" in done.stdout


def test_help_teaches_the_first_command(project: Make) -> None:
    done = project().fencepost("--help")
    assert done.returncode == 0
    assert "fencepost run" in done.stdout


def test_report_without_a_run_says_to_run_first(project: Make) -> None:
    done = project().fencepost("report")
    assert done.returncode == 2
    assert "fencepost run" in done.stderr


# layouts, without any configuration of fencepost


LAYOUTS: dict[str, Files] = {
    "flat module": {"shop.py": ADULT, "test_shop.py": TEST_ADULT},
    "flat package": {
        "shop/__init__.py": "from .ages import adult\n", "shop/ages.py": ADULT, "tests/test_shop.py": TEST_ADULT,
        "conftest.py": "",
    },
    "src layout": {
        "src/shop/__init__.py": "from shop.ages import adult\n", "src/shop/ages.py": ADULT, "tests/test_shop.py": TEST_ADULT,
        "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = "src"\n',
    },
    "src layout found by a conftest": {
        "src/shop.py": ADULT, "tests/test_shop.py": TEST_ADULT,
        "tests/conftest.py": "import sys\nfrom pathlib import Path\n\nsys.path.insert(0, str(Path(__file__).parents[1] / 'src'))\n",
    },
    "tests inside the package": {
        "shop/__init__.py": "from .ages import adult\n", "shop/ages.py": ADULT, "shop/tests/__init__.py": "",
        "shop/tests/test_shop.py": "from ..ages import adult\n\n\ndef test_adult():\n    assert adult(18)\n",
    },
    "namespace package": {"shop/ages.py": ADULT, "tests/test_shop.py": TEST_ADULT.replace("shop", "shop.ages"), "conftest.py": ""},
    "loaded by file name": {
        "shop.py": ADULT,
        "tests/test_shop.py": (
            "import importlib.util\nfrom pathlib import Path\n\n\ndef test_adult():\n"
            "    spec = importlib.util.spec_from_file_location('other_name', Path(__file__).parents[1] / 'shop.py')\n"
            "    module = importlib.util.module_from_spec(spec)\n    spec.loader.exec_module(module)\n    assert module.adult(18)\n"
        ),
    },
    "importlib mode": {
        "shop.py": ADULT, "tests/a/test_shop.py": TEST_ADULT, "tests/b/test_shop.py": "def test_nothing():\n    pass\n",
        "pyproject.toml": '[tool.pytest.ini_options]\naddopts = "--import-mode=importlib"\npythonpath = "."\n',
    },
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_layout_needs_no_configuration(project: Make, layout: str) -> None:
    assert project(LAYOUTS[layout]).verdicts() == {
        "age > 18": "killed",
        "age >= 17": "not-infected",
        "age >= 19": "killed",
    }


def test_a_run_from_a_subfolder_is_a_run_of_the_project(project: Make) -> None:
    shop = project(pyproject__toml="")
    (shop.root / "deep" / "er").mkdir(parents=True)
    done = shop.fencepost("run", "-o", "json:here.json", cwd="deep/er")
    assert done.returncode == 0, done.stderr
    report = json.loads((shop.root / "deep" / "er" / "here.json").read_text())
    assert {mutant["path"] for mutant in report["mutants"]} == {"shop.py"}
    assert [path.name for path in (shop.root / "deep" / "er").iterdir()] == ["here.json"]


def test_what_follows_two_dashes_goes_to_pytest(project: Make) -> None:
    shop = project(test_other__py="def test_other():\n    pass\n")
    assert set(shop.verdicts("--", "test_other.py").values()) == {"not-reached"}


# wrong input


@pytest.mark.parametrize(
    ("table", "names"),
    [
        ("sources = ['shop.py']", ["pyproject.toml", "'sources'", "source"]),
        ("jobs = 'two'", ["pyproject.toml", "'jobs'", "a whole number"]),
        ("jobs = -1", ["'jobs'", "-1"]),
        ("source = 3", ["pyproject.toml", "'source'", "a list of strings"]),
        ("rules = ['boundary-att']", ["boundary-att", "boundary-at'"]),
        ("source = ['shopp.py']", ["shopp.py", "'shop.py'"]),
    ],
)
def test_a_wrong_setting_ends_with_2_and_names_what_is_wrong(project: Make, table: str, names: list[str]) -> None:
    done = project(pyproject__toml=f"[tool.fencepost]\n{table}\n").fencepost("run")
    assert done.returncode == 2
    assert [name for name in names if name not in done.stderr] == []


@pytest.mark.parametrize(
    ("arguments", "nearest"),
    [
        (["run", "--rules", "FP1O1"], "FP101"),
        (["explain", "boundery-at"], "boundary-at"),
        (["run", "shopp.py"], "shop.py"),
        (["scan", "shopp.py"], "shop.py"),
        (["rum"], "run"),
        (["run", "-o", "jsn"], "json"),
    ],
)
def test_a_mistyped_name_ends_with_2_and_the_nearest_one(project: Make, arguments: list[str], nearest: str) -> None:
    done = project().fencepost(*arguments)
    assert done.returncode == 2
    assert f"did you mean '{nearest}'" in done.stderr


def test_a_tests_path_that_does_not_exist_is_named(project: Make) -> None:
    done = project().fencepost("run", "--tests", "test_shopp.py")
    assert done.returncode in {2, 3}
    assert "test_shopp.py" in done.stderr


def test_a_pyproject_that_does_not_parse_is_named(project: Make) -> None:
    done = project(pyproject__toml="[tool\n").fencepost("run")
    assert done.returncode == 2
    assert "pyproject.toml" in done.stderr


def test_a_syntax_error_is_told_with_its_line_and_the_rest_goes_on(project: Make) -> None:
    shop = project(broken__py="VALUE = 1\n\n\ndef broken(:\n    pass\n")
    done = shop.fencepost("run", "-o", "terminal", "-o", "json:report.json")
    assert done.returncode == 0
    assert "broken.py:4" in done.stdout + done.stderr
    report = json.loads((shop.root / "report.json").read_text())
    assert [(problem["path"], problem["line"]) for problem in report["problems"]] == [("broken.py", 4)]
    assert {mutant["path"] for mutant in report["mutants"]} == {"shop.py"}


def test_an_output_in_a_missing_folder_ends_with_2_and_a_hint(project: Make) -> None:
    done = project().fencepost("run", "-o", "json:missing/report.json")
    assert done.returncode == 2
    assert "missing/report.json" in done.stderr
    assert "hint:" in done.stderr


def test_an_output_that_cannot_be_written_is_told_before_the_tests_run(project: Make, tmp_path: Path) -> None:
    tests = f"from pathlib import Path\n\n\ndef test_it():\n    Path({str(tmp_path / 'ran')!r}).touch()\n"
    project({"shop.py": ADULT, "test_shop.py": tests}).fencepost("run", "-o", "json:missing/report.json")
    assert not (tmp_path / "ran").exists()


# unmutated tests that fail


def test_no_tests_at_all_end_with_3(project: Make) -> None:
    done = project({"shop.py": ADULT}).fencepost("run")
    assert done.returncode == 3
    assert "no tests" in done.stderr


FAILING = f"{TEST_ADULT}\n\ndef test_wrong():\n    assert adult(3), 'three is young'\n"


def test_a_failing_test_ends_with_3_and_is_named_with_its_error(project: Make) -> None:
    shop = project({"shop.py": ADULT, "test_shop.py": FAILING})
    done = shop.fencepost("run", "-o", "json:report.json")
    assert done.returncode == 3
    assert "test_shop.py::test_wrong" in done.stderr
    assert "three is young" in done.stderr
    assert not (shop.root / "report.json").exists()


def test_an_error_in_a_fixture_is_a_failing_test(project: Make) -> None:
    tests = "import pytest\n\n\n@pytest.fixture\ndef broken():\n    raise KeyError('no base')\n\n\ndef test_it(broken):\n    pass\n"
    done = project({"shop.py": ADULT, "test_shop.py": tests}).fencepost("run")
    assert done.returncode == 3
    assert "test_shop.py::test_it" in done.stderr
    assert "no base" in done.stderr


def test_failing_tests_can_be_left_out_and_every_report_says_so(project: Make) -> None:
    shop = project({"shop.py": ADULT, "test_shop.py": FAILING})
    done = shop.fencepost("run", "--leave-out-failing", "-o", "terminal", "-o", "json:report.json")
    assert done.returncode == 0, done.stderr
    report = json.loads((shop.root / "report.json").read_text())
    assert report["left_out"] == ["test_shop.py::test_wrong"]
    assert {mutant["kill"]["test"] for mutant in report["mutants"] if mutant["kill"]} == {"test_shop.py::test_adult"}
    gap = done.stdout.find("FP10")
    assert 0 <= done.stdout.find("test_wrong") < gap


def test_a_file_that_cannot_be_collected_ends_with_3_and_is_named(project: Make) -> None:
    done = project(test_broken__py="import a_module_that_is_not_there\n").fencepost("run")
    assert done.returncode == 3
    assert "test_broken.py" in done.stderr
    assert "a_module_that_is_not_there" in done.stderr


def test_a_conftest_that_breaks_ends_with_3_and_its_error(project: Make) -> None:
    done = project(conftest__py="raise RuntimeError('no database')\n").fencepost("run")
    assert done.returncode == 3
    assert "no database" in done.stderr


def test_an_unknown_pytest_option_is_told(project: Make) -> None:
    done = project().fencepost("run", "--", "--no-such-option")
    assert done.returncode == 3
    assert "--no-such-option" in done.stderr


def test_a_test_that_ends_the_interpreter_unmutated_is_told(project: Make) -> None:
    done = project(test_end__py="import os\n\n\ndef test_end():\n    os._exit(0)\n").fencepost("run")
    assert done.returncode in {3, 4}
    assert "error[" in done.stderr


# mutants that end badly


ENDINGS = {
    "exits with 1": "os._exit(1)",
    "kills itself": "os.kill(os.getpid(), 9)",
    "is terminated": "os.kill(os.getpid(), 15)",
    "aborts": "os.abort()",
    "reads address 0": "ctypes.string_at(0)",
    "calls sys.exit": "sys.exit(0)",
}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> dict[str, list[dict[str, Any]]]:
    """The mutants of one project with a module for each ending, by ending."""
    return together(tmp_path_factory.mktemp("ended"), fencepost, {
        name: (
            f"import ctypes, os, sys\n\n\ndef enter(age):\n    if age < 18:\n        {ending}\n\n\n{ADULT}",
            "from shop import adult, enter\n\n\ndef test_enter():\n    enter(18)\n\n\ndef test_adult():\n    assert adult(18)\n",
        )
        for name, ending in ENDINGS.items()
    })  # fmt: skip


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_mutant_that_ends_the_interpreter_is_killed_and_the_run_goes_on(
    ended: dict[str, list[dict[str, Any]]], ending: str
) -> None:
    verdicts = {mutant["replacement"]: mutant["verdict"] for mutant in ended[ending]}
    assert verdicts == {"age <= 18": "killed", "age > 18": "killed"}


def test_a_mutant_that_ends_the_interpreter_without_a_complaint_is_unknown(project: Make) -> None:
    code = "import os\n\n\ndef enter(age):\n    if age < 18:\n        os._exit(0)\n"
    tests = "from shop import enter\n\n\ndef test_enter():\n    enter(18)\n"
    (mutant,) = judged(project, code, tests)
    assert mutant["verdict"] == "unknown"
    assert mutant["reason"]


HANGS = {
    "in a loop": "while count > 0:\n        count //= 2",
    "in its sleep": "if count >= 1:\n        return\n    import time; time.sleep(600)",
    "on a lock": "if count >= 1:\n        return\n    import threading\n    lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "where every exception is caught": (
        "while count > 0:\n        try:\n            count //= 2\n        except BaseException:\n            pass"
    ),
    "behind a signal handler": (
        "import signal\n    signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "    while count > 0:\n        count //= 2"
    ),
}


@pytest.fixture(scope="module")
def hung(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> tuple[dict[str, list[dict[str, Any]]], float]:
    """The mutants of one project with a module for each way to hang, by that, and the seconds that the run took."""
    started = time.monotonic()
    mutants = together(tmp_path_factory.mktemp("hung"), fencepost, {
        name: (f"def work(count):\n    {hang}\n", "from shop import work\n\n\ndef test_work():\n    work(1)\n")
        for name, hang in HANGS.items()
    })  # fmt: skip
    return mutants, time.monotonic() - started


@pytest.mark.parametrize("hang", HANGS)
def test_a_mutant_that_hangs_is_a_timeout(hung: tuple[dict[str, list[dict[str, Any]]], float], hang: str) -> None:
    assert {mutant["verdict"] for mutant in hung[0][hang]} == {"timeout"}


def test_mutants_that_hang_are_found_soon(hung: tuple[dict[str, list[dict[str, Any]]], float]) -> None:
    assert hung[1] / len(HANGS) < 5


def test_a_mutant_that_hangs_while_the_code_is_loaded_is_a_timeout(project: Make) -> None:
    code = "SIZE = 1\nwhile SIZE > 0:\n    SIZE //= 2\n"
    shop = project({"shop.py": code, "test_shop.py": "import shop\n\n\ndef test_size():\n    assert shop.SIZE == 0\n"})
    assert shop.verdicts("--rules", "FP101") == {"SIZE >= 0": "timeout"}


def test_a_mutant_that_ends_the_interpreter_while_the_code_is_loaded_is_no_crash_of_the_run(project: Make) -> None:
    code = f"import os\n\nSIZE = 1\nif SIZE < 1:\n    os._exit(1)\n\n\n{ADULT}"
    shop = project({"shop.py": code, "test_shop.py": TEST_ADULT, "pyproject.toml": ONLY_AT})
    found = shop.verdicts()
    assert found["age > 18"] == "killed"
    assert found["SIZE <= 1"] in {"killed", "invalid"}


# interruptions


def processes_with(mark: str) -> list[str]:
    """The command lines of all processes that were started with this mark in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes() and (folder / "stat").read_text().split()[2] != "Z":
                found.append((folder / "cmdline").read_text().replace("\0", " "))
    return found


def none_left(mark: str) -> bool:
    deadline = time.monotonic() + 5
    while processes_with(mark) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not processes_with(mark)


@dataclass
class Slow:
    """A run of a project whose mutants take long, stopped in the middle of them."""

    project: Project
    process: subprocess.Popen[str]
    mark: str
    source: str

    @property
    def report(self) -> dict[str, Any]:
        """The JSON report, once it is written."""
        document: dict[str, Any] = json.loads((self.project.root / "report.json").read_text(encoding="utf-8"))
        return document


@pytest.fixture
def slow(project: Make, tmp_path: Path) -> Iterator[Slow]:
    number = 12
    code = "".join(f"def f{n}(age):\n    return age >= {n}\n\n\n" for n in range(number))
    # the first mutants end at once, the later ones tell that they run and take their time
    tests = (
        f"import time\nfrom pathlib import Path\n\nimport pytest\n\nimport shop\n\n\n@pytest.mark.parametrize('n', range({number}))\n"
        # the guard lets a mutant make files only where the unmutated run does
        f"def test_f(n):\n    Path({str(tmp_path / 'ran')!r}).touch()\n    if not getattr(shop, f'f{{n}}')(n):\n        if n >= 2:\n"
        f"            Path({str(tmp_path / 'started')!r}).touch()\n            time.sleep(1)\n        assert False\n"
    )
    shop = project({"shop.py": code, "test_shop.py": tests, "pyproject.toml": ONLY_AT})
    mark = f"FENCEPOST_MARK={uuid.uuid4()}"
    process = subprocess.Popen(
        [sys.executable, "-m", "fencepost", "run", "--jobs", "2", "-o", "terminal", "-o", "json:report.json"],
        cwd=shop.root, env={**os.environ, **dict([mark.split("=")])}, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not (tmp_path / "started").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    assert (tmp_path / "started").exists()
    assert processes_with(mark)
    time.sleep(0.3)  # what ended before is told by now; what has begun takes a second
    yield Slow(shop, process, mark, code)
    process.kill()
    process.wait()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()


def test_ctrl_c_reports_what_is_finished_and_ends_with_4(slow: Slow) -> None:
    os.kill(slow.process.pid, signal.SIGINT)
    out, _ = slow.process.communicate(timeout=20)
    assert slow.process.returncode == 4
    verdicts = [mutant["verdict"] for mutant in slow.report["mutants"]]
    assert slow.report["complete"] is False
    assert "killed" in verdicts
    assert "unknown" in verdicts
    assert set(verdicts) == {"killed", "unknown"}
    assert "score" in out


def test_ctrl_c_leaves_no_process_and_no_temporary_file(slow: Slow) -> None:
    os.killpg(slow.process.pid, signal.SIGINT)  # as the terminal does
    slow.process.communicate(timeout=20)
    assert none_left(slow.mark)
    assert not list((slow.project.root / ".fencepost").glob("session-*"))


def test_a_second_ctrl_c_ends_the_command_too(slow: Slow) -> None:
    for _ in range(3):
        with suppress(ProcessLookupError):
            os.kill(slow.process.pid, signal.SIGINT)
        time.sleep(0.05)
    slow.process.communicate(timeout=20)
    assert slow.process.returncode in {4, -signal.SIGINT}
    assert none_left(slow.mark)


def test_sigterm_leaves_no_process(slow: Slow) -> None:
    slow.process.terminate()
    slow.process.communicate(timeout=20)
    assert slow.process.returncode != 0
    assert none_left(slow.mark)


def test_sigkill_leaves_no_process_and_the_source_as_it_was(slow: Slow) -> None:
    slow.process.kill()
    slow.process.communicate(timeout=20)
    assert none_left(slow.mark)
    assert (slow.project.root / "shop.py").read_text() == slow.source


# values that tests share


def together(folder: Path, command: Command, cases: Mapping[str, tuple[str, str]]) -> dict[str, list[dict[str, Any]]]:
    """The mutants of many modules and their test files, each called `shop` in its case, from one run of one project."""
    files = {"pyproject.toml": ONLY_AT}
    for number, texts in enumerate(cases.values()):
        code, tests = (re.sub(r"\bshop\b", f"shop_{number}", text) for text in texts)
        files |= {f"shop_{number}.py": code, f"test_{number}.py": tests}
    mutants = Project(written(folder / "project", files), command).report()["mutants"]
    return {
        name: [mutant for mutant in mutants if mutant["path"] == f"shop_{number}.py"]
        for number, name in enumerate(cases)
    }


def judged(project: Make, code: str, tests: str, *, rules: str = ONLY_AT, **more: str) -> list[dict[str, Any]]:
    """The mutants of a module `shop` judged by a test file."""
    shop = project({"shop.py": code, "test_shop.py": tests, "pyproject.toml": rules}, **more)
    mutants: list[dict[str, Any]] = shop.report()["mutants"]
    return mutants


@dataclass(frozen=True)
class Case:
    """A module called `shop`, a test file, and what the one mutant of the module must come to."""

    code: str
    tests: str
    verdict: str
    kind: str | None = None
    killer: str | None = None


CONSTANT = "SIZE = 10\nFULL = SIZE >= 10\n"
CACHED = f"import functools\n\n\n@functools.lru_cache\n{ADULT}"
ASKS, ASSERTS = "def test_asks():\n    adult(18)\n", "def test_asserts():\n    assert adult(18)\n"
IMPORT = "import pytest\n\nfrom shop import adult\n\n\n"
SCOPES = ["module", "session", "package", "class"]


def scoped(scope: str) -> Case:
    tests = (
        f"{IMPORT}@pytest.fixture(scope='{scope}')\ndef grown():\n    return adult(18)\n\n\n"
        "class TestGrown:\n    def test_first(self, grown):\n        pass\n\n    def test_second(self, grown):\n        assert grown\n"
    )
    return Case(ADULT, tests, "killed", "assertion", "TestGrown::test_second")


SHARED = {
    **{f"what a fixture of {scope} scope sees belongs to all its tests": scoped(scope) for scope in SCOPES},
    "a fixture that another fixture uses belongs to the test too": Case(
        ADULT,
        f"{IMPORT}@pytest.fixture(scope='module')\ndef inner():\n    return adult(18)\n\n\n"
        "@pytest.fixture\ndef outer(inner):\n    return inner\n\n\ndef test_first(inner):\n    pass\n\n\n"
        "def test_second(outer):\n    assert outer\n",
        "killed", "assertion", "test_second",
    ),
    "what the set-up of a module sees is no false survivor": Case(
        ADULT,
        "import shop\n\n\ndef setup_module(module):\n    module.grown = shop.adult(18)\n\n\ndef test_first():\n    pass\n\n\n"
        "def test_second():\n    assert grown\n",
        "killed", "assertion", "test_second",
    ),
    "what the end of a fixture sees is judged": Case(
        ADULT,
        f"{IMPORT}@pytest.fixture(scope='module')\ndef closing():\n    yield\n    assert adult(18)\n\n\n"
        "def test_first(closing):\n    pass\n",
        "killed", "assertion", "test_first",
    ),
    "a cached value that is computed before it is asserted": Case(CACHED, f"{IMPORT}{ASKS}\n\n{ASSERTS}", "killed"),
    "a cached value that is asserted first": Case(CACHED, f"{IMPORT}{ASSERTS}\n\n{ASKS}", "killed"),
    "a cached value that nobody asserts": Case(CACHED, f"{IMPORT}{ASKS}", "survived"),
    "a module that tests import inside themselves": Case(
        CONSTANT,
        "def test_first():\n    import shop\n\n\ndef test_second():\n    import shop\n\n    assert shop.FULL\n",
        "killed", "assertion", "test_second",
    ),
    "a module that a test loads again": Case(
        ADULT,
        "import importlib\n\nimport shop\n\n\ndef test_again():\n    assert importlib.reload(shop).adult(18)\n",
        "killed",
    ),
    "code in a thread": Case(
        ADULT,
        "from concurrent.futures import ThreadPoolExecutor\n\nfrom shop import adult\n\n\ndef test_adult():\n"
        "    with ThreadPoolExecutor() as pool:\n        assert pool.submit(adult, 18).result()\n",
        "killed",
    ),
    # values that are computed while code is loaded
    "a constant that a test asserts": Case(CONSTANT, "import shop\n\n\ndef test_full():\n    assert shop.FULL\n", "killed"),
    "a constant that no test asserts": Case(CONSTANT, "import shop\n\n\ndef test_full():\n    shop.FULL\n", "survived"),
    "a constant with no test on its threshold": Case(
        CONSTANT.replace("= 10\n", "= 11\n", 1), "import shop\n\n\ndef test_full():\n    assert shop.FULL\n", "not-infected"
    ),
    "a constant of a file that no test loads": Case(CONSTANT, "def test_nothing():\n    pass\n", "not-reached"),
    "a mutant with which the code does not load": Case(
        "SIZE = 10\nif not SIZE >= 10:\n    raise RuntimeError('too small')\n",
        "import shop\n\n\ndef test_size():\n    assert shop.SIZE == 10\n",
        "invalid",
    ),
    # values that are computed while a test file is loaded
    "a mutant with which a test file does not load": Case(
        ADULT, f"{IMPORT}assert adult(18)\n\n\ndef test_loaded():\n    pass\n", "invalid"
    ),
    "a parameter whose value names the test": Case(
        ADULT, f"{IMPORT}@pytest.mark.parametrize('grown', [adult(18)])\ndef test_it(grown):\n    assert grown\n", "killed"
    ),
    "a parameter with a name of its own": Case(
        ADULT,
        f"{IMPORT}@pytest.mark.parametrize('grown', [adult(18)], ids=['same'])\ndef test_it(grown):\n    assert grown\n",
        "killed",
    ),
    "a parameter that its test does not look at": Case(
        ADULT, f"{IMPORT}@pytest.mark.parametrize('grown', [adult(18)])\ndef test_it(grown):\n    pass\n", "survived"
    ),
    "the number of tests": Case(
        ADULT,
        f"{IMPORT}@pytest.mark.parametrize('n', range(adult(18)))\ndef test_it(n):\n    pass\n\n\ndef test_other():\n    pass\n",
        "survived",
    ),
    "the condition of a skip": Case(
        ADULT, f"{IMPORT}@pytest.mark.skipif(not adult(18), reason='young')\ndef test_it():\n    pass\n", "survived"
    ),
    "a constant of a test file": Case(ADULT, f"{IMPORT}GROWN = adult(18)\n\n\ndef test_it():\n    assert GROWN\n", "killed"),
    "an attribute of a test class": Case(
        ADULT, f"{IMPORT}class TestIt:\n    grown = adult(18)\n\n    def test_it(self):\n        assert self.grown\n", "killed"
    ),
    "a default of a test": Case(ADULT, f"{IMPORT}def test_it(grown=adult(18)):\n    assert grown\n", "killed"),
    # tests of other kinds
    "a test that passes only behind another is no false killer": Case(
        ADULT,
        f"{IMPORT}STATE = {{}}\n\n\ndef test_first():\n    STATE['ready'] = True\n\n\n"
        "def test_second():\n    assert STATE['ready']\n    adult(18)\n",
        "survived",
    ),
    "a test that passes only behind another can kill": Case(
        ADULT,
        f"{IMPORT}STATE = {{}}\n\n\ndef test_first():\n    STATE['ready'] = True\n\n\n"
        "def test_second():\n    assert STATE['ready']\n    assert adult(18), 'young'\n",
        "killed", "assertion", "test_second",
    ),
    "a strict xfail that passes under a mutant kills it": Case(
        ADULT, f"{IMPORT}@pytest.mark.xfail(strict=True)\ndef test_known():\n    assert not adult(18)\n", "killed", "expectation"
    ),
    "an xfail that is not strict notices nothing": Case(
        ADULT, f"{IMPORT}@pytest.mark.xfail\ndef test_known():\n    assert not adult(18)\n", "survived"
    ),
    "a skipped test reaches nothing": Case(
        ADULT, f"{IMPORT}@pytest.mark.skip\ndef test_adult():\n    assert adult(18)\n", "not-reached"
    ),
    "a mutant that makes its test skip survives": Case(
        ADULT, f"{IMPORT}def test_adult():\n    if not adult(18):\n        pytest.skip('young')\n", "survived"
    ),
    "an exception that does not come is a kill by expectation": Case(
        "def check(age):\n    if age <= 18:\n        raise ValueError\n",
        "import pytest\n\nfrom shop import check\n\n\ndef test_check():\n    with pytest.raises(ValueError):\n        check(18)\n",
        "killed", "expectation",
    ),
    "another exception is a kill by crash": Case(
        "def pick(age):\n    return [1][0 if age >= 18 else 1]\n",
        "from shop import pick\n\n\ndef test_pick():\n    pick(18)\n",
        "killed", "crash",
    ),
    "unittest classes, with values from the set-up of the class": Case(
        ADULT,
        "import unittest\n\nfrom shop import adult\n\n\nclass TestAdult(unittest.TestCase):\n    @classmethod\n"
        "    def setUpClass(cls):\n        cls.grown = adult(18)\n\n    def test_a_first(self):\n        self.assertTrue(True)\n\n"
        "    def test_b_second(self):\n        self.assertTrue(self.grown)\n",
        "killed", "assertion", "TestAdult::test_b_second",
    ),
    "unittest subtests": Case(
        ADULT,
        "import unittest\n\nfrom shop import adult\n\n\nclass TestAdult(unittest.TestCase):\n    def test_ages(self):\n"
        "        for age in (18, 19):\n            with self.subTest(age=age):\n                self.assertTrue(adult(age))\n",
        "killed", "assertion", "TestAdult::test_ages",
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> dict[str, list[dict[str, Any]]]:
    return together(
        tmp_path_factory.mktemp("shared"), fencepost, {name: (case.code, case.tests) for name, case in SHARED.items()}
    )


@pytest.mark.parametrize("name", SHARED)
def test_the_verdict_is_right_for(shared: dict[str, list[dict[str, Any]]], name: str) -> None:
    (mutant,) = shared[name]
    case = SHARED[name]
    kill = mutant["kill"] or {"kind": None, "test": "::"}
    assert mutant["verdict"] == case.verdict, mutant["reason"]
    assert case.kind in {None, kill["kind"]}
    assert case.killer in {None, kill["test"].partition("::")[2]}


def test_every_test_of_a_fixture_of_wider_scope_infects_what_the_fixture_infects(
    shared: dict[str, list[dict[str, Any]]],
) -> None:
    for scope in SCOPES:
        (mutant,) = shared[f"what a fixture of {scope} scope sees belongs to all its tests"]
        assert [name.rpartition("::")[2] for name in mutant["infected_by"]] == ["test_first", "test_second"]
        assert mutant["reached_by"] == mutant["infected_by"]


# what needs a project of its own


def test_a_cached_value_that_a_test_in_another_file_asserts_is_no_survivor(project: Make) -> None:
    other = f"from shop import adult\n\n\n{ASSERTS}"
    (mutant,) = judged(project, CACHED, f"from shop import adult\n\n\n{ASKS}", test_z__py=other)
    assert mutant["verdict"] == "killed"


def test_a_test_that_clears_the_environment_does_not_switch_the_mutant_off(project: Make) -> None:
    tests = "import os\n\nfrom shop import adult\n\n\ndef test_adult():\n    os.environ.clear()\n    assert adult(18)\n"
    (mutant,) = judged(project, ADULT, tests)
    assert mutant["verdict"] == "killed"


def test_a_test_that_leaves_its_folder_does_not_disturb_the_run(project: Make) -> None:
    tests = (
        "import os\n\nfrom shop import adult\n\n\ndef test_away(tmp_path):\n    os.chdir(tmp_path)\n    tmp_path.rmdir()\n\n\n"
        "def test_adult():\n    assert adult(18)\n"
    )
    (mutant,) = judged(project, ADULT, tests)
    assert mutant["verdict"] == "killed"


def test_a_thread_that_runs_since_the_code_was_loaded_still_answers(project: Make) -> None:
    code = f"from concurrent.futures import ThreadPoolExecutor\n\nPOOL = ThreadPoolExecutor(1)\nPOOL.submit(int).result()\n\n\n{ADULT}"
    tests = "from shop import POOL, adult\n\n\ndef test_adult():\n    assert POOL.submit(adult, 18).result(timeout=2)\n"
    (mutant,) = judged(project, code, tests)
    assert mutant["verdict"] == "killed"


def test_a_constant_that_a_test_in_a_file_apart_asserts_is_killed(project: Make) -> None:
    more = {f"test_{name}__py": "import shop\n\n\ndef test_it():\n    shop.SIZE\n" for name in "abcdef"}
    more["test_z__py"] = "import shop\n\n\ndef test_it():\n    assert shop.FULL\n"
    (mutant,) = judged(project, CONSTANT, "import shop\n", **more)
    assert (mutant["verdict"], mutant["kill"]["test"]) == ("killed", "test_z.py::test_it")


def test_what_a_conftest_imports_and_computes_at_its_top_is_judged(project: Make) -> None:
    code = f"{CONSTANT}\n\n{ADULT}"
    conftest = "import pytest\n\nfrom shop import adult\n\nGROWN = adult(18)\n\n\n@pytest.fixture\ndef grown():\n    return GROWN\n"
    tests = "import shop\n\n\ndef test_full():\n    assert shop.FULL\n\n\ndef test_grown(grown):\n    assert grown\n"
    mutants = judged(project, code, tests, conftest__py=conftest)
    assert {mutant["replacement"]: mutant["verdict"] for mutant in mutants} == {
        "SIZE > 10": "killed",
        "age > 18": "killed",
    }


def test_a_plugin_module_that_pytest_rewrites_is_woven(project: Make) -> None:
    conftest = 'pytest_plugins = ["shop"]\n'
    code = f"import pytest\n\n\n{ADULT}\n\n@pytest.fixture\ndef grown():\n    return adult(18)\n"
    (mutant,) = judged(project, code, "def test_grown(grown):\n    assert grown\n", conftest__py=conftest)
    assert mutant["verdict"] == "killed"


def test_a_test_that_needs_one_far_before_it_is_no_false_killer_in_a_long_suite(project: Make) -> None:
    tests = (
        f"{IMPORT}STATE = {{}}\n\n\ndef test_first():\n    STATE['ready'] = True\n\n\n"
        "@pytest.mark.parametrize('n', range(250))\ndef test_between(n):\n    pass\n\n\n"
        "def test_last():\n    assert STATE['ready']\n    adult(18)\n"
    )
    (mutant,) = judged(project, ADULT, tests)
    assert mutant["verdict"] == "survived"


DOCTESTS = '[tool.pytest.ini_options]\naddopts = "--doctest-modules"\n'


def test_doctests_of_the_code_kill(project: Make) -> None:
    code = 'def adult(age):\n    """Whether.\n\n    >>> adult(18)\n    True\n    """\n    return age >= 18\n'
    (mutant,) = judged(project, code, "", rules=ONLY_AT + DOCTESTS)
    assert (mutant["verdict"], mutant["kill"]["test"]) == ("killed", "shop.py::shop.adult")


def test_a_doctest_that_does_not_look_notices_nothing(project: Make) -> None:
    code = 'def adult(age):\n    """Whether.\n\n    >>> grown = adult(18)\n    """\n    return age >= 18\n'
    (mutant,) = judged(project, code, "", rules=ONLY_AT + DOCTESTS)
    assert mutant["verdict"] == "survived"


def test_a_project_that_makes_warnings_errors_is_judged(project: Make) -> None:
    strict = '[tool.pytest.ini_options]\nfilterwarnings = ["error"]\n'
    code = f"import warnings\n\n\ndef old(age):\n    if age < 18:\n        warnings.warn('old')\n\n\n{ADULT}"
    tests = "from shop import adult, old\n\n\ndef test_adult():\n    adult(18)\n\n\ndef test_old():\n    old(18)\n"
    mutants = judged(project, code, tests, rules=ONLY_AT + strict)
    assert {mutant["replacement"]: mutant["verdict"] for mutant in mutants} == {
        "age > 18": "survived",
        "age <= 18": "killed",
    }


@pytest.mark.parametrize(
    "options",
    ["-x -n auto --maxfail=1", "-qx -nauto --cov=shop --cov-report=term-missing --cov-fail-under=90",
     "-p no:cacheprovider -p xdist -n 2 --cov", "--junitxml=junit.xml --lf --durations=5 --log-file=log.txt", "-s -vv --tb=short"],
)  # fmt: skip
def test_options_of_the_project_that_would_disturb_are_neutralised(project: Make, options: str) -> None:
    code = f"{ADULT}\n\ndef tidy(name):\n    return name == 'x'\n"
    tests = "from shop import adult, tidy\n\n\ndef test_tidy():\n    assert tidy('x')\n\n\ndef test_adult():\n    adult(18)\n"
    pytest_options = f'[tool.pytest.ini_options]\naddopts = "{options}"\n'
    shop = project({"shop.py": code, "test_shop.py": tests, "pyproject.toml": pytest_options})
    before = shop.files()
    found = shop.verdicts("--rules", "FP101", "--rules", "FP104")
    assert found == {"age > 18": "survived", "name != 'x'": "killed"}
    assert shop.files() == before


def test_options_left_out_are_said(project: Make) -> None:
    report = project(pyproject__toml='[tool.pytest.ini_options]\naddopts = "-n auto"\n').report()
    assert any("-n auto" in note for note in report["notes"])


def test_two_rules_on_one_expression_are_not_mixed_up(project: Make) -> None:
    tests = (
        "from shop import adult\n\n\ndef test_below():\n    assert not adult(17)\n\n\ndef test_at():\n    adult(18)\n"
    )
    found = project({"shop.py": ADULT, "test_shop.py": tests}).verdicts()
    assert found == {"age > 18": "survived", "age >= 17": "killed", "age >= 19": "survived"}


def test_a_call_inside_a_comparison_is_judged_beside_it(project: Make) -> None:
    code = "def is_ann(name):\n    return name.strip() == 'ann'\n"
    tests = "from shop import is_ann\n\n\ndef test_ann():\n    assert is_ann('ann')\n"
    found = project({"shop.py": code, "test_shop.py": tests}).verdicts()
    assert found == {"name.strip() != 'ann'": "killed", "name": "not-infected"}


def test_a_source_path_through_a_link_to_the_project_is_inside_it(project: Make, tmp_path: Path) -> None:
    shop = project(
        {"shop.py": ADULT, "test_shop.py": "from shop import adult\n\n\ndef test_it():\n    assert adult(18)\n"}
    )
    (tmp_path / "link").symlink_to(shop.root)
    done = shop.fencepost("scan", str(tmp_path / "link" / "shop.py"))
    assert done.returncode == 0, done.stderr
    assert "shop.py" in done.stdout


def test_a_link_that_leads_nowhere_is_no_source(project: Make) -> None:
    shop = project({"shop/__init__.py": ADULT, "test_shop.py": "def test_it():\n    pass\n"})
    (shop.root / "shop" / ".#__init__.py").symlink_to("nobody@nowhere.1")
    (shop.root / "shop" / "gone.py").symlink_to("gone")
    done = shop.fencepost("scan")
    assert done.returncode == 0, done.stderr
    assert "gone" not in done.stdout


@pytest.mark.parametrize("value", ["nan", "inf", "1e300"])
def test_a_limit_beyond_reason_is_refused(project: Make, value: str) -> None:
    done = project({"shop.py": ADULT}).fencepost("run", "--timeout-factor", value)
    assert done.returncode == 2
    assert "timeout-factor" in done.stderr


def test_a_report_does_not_overwrite_source(project: Make) -> None:
    shop = project({"shop.py": ADULT, "test_shop.py": "def test_it():\n    pass\n"})
    assert shop.fencepost("run", "-o", "json:shop.py").returncode == 2
    assert (shop.root / "shop.py").read_text(encoding="utf-8") == ADULT


@pytest.mark.parametrize("option", ["--trace", "--setup-only", "--pdb", "--collect-only"])
def test_options_after_two_dashes_that_would_run_no_test_are_left_out(project: Make, option: str) -> None:
    tests = "from shop import adult\n\n\ndef test_it():\n    assert adult(18) and not adult(17)\n"
    document = project({"shop.py": ADULT, "test_shop.py": tests}).report("--", option)
    assert document["summary"]["score"] == 1.0
    assert any(option in note for note in document["notes"])


def test_a_reader_that_goes_away_is_no_error(project: Make) -> None:
    shop = project({"shop.py": "".join(f"def f{n}(age):\n    return age >= {n}\n\n\n" for n in range(300))})
    command = f"{sys.executable} -m fencepost scan | head -n 1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=shop.root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("streams", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
def test_a_closed_standard_stream_changes_nothing(project: Make, streams: str) -> None:
    shop = project(
        {"shop.py": ADULT, "test_shop.py": "from shop import adult\n\n\ndef test_it():\n    assert adult(18)\n"}
    )
    command = f"{sys.executable} -m fencepost run -o json:report.json {streams}"
    assert subprocess.run(["bash", "-c", command], cwd=shop.root, check=False, timeout=30).returncode == 0
    assert json.loads((shop.root / "report.json").read_text(encoding="utf-8"))["summary"]["mutants"] == 3


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_command_that_is_ended_leaves_nothing_behind(slow: Slow, number: signal.Signals) -> None:
    session = next((slow.project.root / ".fencepost").glob("session-*"))
    temporary = Path(json.loads((session / "settings.json").read_text(encoding="utf-8"))["temporary"])
    assert temporary.exists()
    os.kill(slow.process.pid, number)
    slow.process.communicate(timeout=20)
    deadline = time.monotonic() + 10
    while (session.exists() or temporary.exists() or processes_with(slow.mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not session.exists()
    assert not temporary.exists()
    assert not processes_with(slow.mark)


def test_what_a_killed_run_left_is_cleared_by_the_next_one(project: Make, tmp_path: Path) -> None:
    shop = project(
        {"shop.py": ADULT, "test_shop.py": "from shop import adult\n\n\ndef test_it():\n    assert adult(18)\n"}
    )
    temporary = tmp_path / "fencepost-left"
    temporary.mkdir()
    session = shop.root / ".fencepost" / "session-999999999-left"
    session.mkdir(parents=True)
    (session / "settings.json").write_text(json.dumps({"temporary": str(temporary)}), encoding="utf-8")
    (shop.root / ".fencepost" / ".gitignore").write_text("", encoding="utf-8")
    shop.report()
    assert not session.exists()
    assert not temporary.exists()
    assert (shop.root / ".fencepost" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_store_that_cannot_be_written_is_told(project: Make) -> None:
    shop = project(
        {"shop.py": ADULT, "test_shop.py": "from shop import adult\n\n\ndef test_it():\n    assert adult(18)\n"}
    )
    (shop.root / ".fencepost").write_text("no folder", encoding="utf-8")
    done = shop.fencepost("run")
    assert done.returncode == 2
    assert "error[no-access]" in done.stderr
    assert ".fencepost" in done.stderr


def test_the_folder_of_a_run_is_not_collected_by_a_pytest_that_looks_everywhere(project: Make) -> None:
    settings = '[tool.pytest.ini_options]\nnorecursedirs = ["build"]\naddopts = "--doctest-modules"\n'
    tests = "from shop import adult\n\n\ndef test_it():\n    assert adult(18) and not adult(17)\n"
    shop = project({"shop.py": ADULT, "test_shop.py": tests, "pyproject.toml": settings})
    assert shop.report()["summary"]["score"] == 1.0


# going on after an interruption


def test_an_interrupted_run_is_gone_on_with(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(*slow.mark.split("="))  # another environment might lead to other verdicts
    slow.process.kill()
    slow.process.wait()
    assert none_left(slow.mark)
    gone_on = slow.project.report()
    one_at_a_time, note = gone_on["notes"]
    assert re.fullmatch(r"\d+ mutants were settled by the interrupted run before this one \(.*\)", note)
    fresh = slow.project.report("--fresh")  # also because the run before was complete
    assert fresh["notes"] == [one_at_a_time]
    assert [(one["id"], one["verdict"]) for one in gone_on["mutants"]] == [
        (one["id"], one["verdict"]) for one in fresh["mutants"]
    ]


def test_a_change_after_an_interruption_makes_the_next_run_a_whole_one(
    slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(*slow.mark.split("="))
    slow.process.kill()
    slow.process.wait()
    with (slow.project.root / "shop.py").open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert not any("interrupted" in note for note in slow.project.report()["notes"])


# tests that pass by chance

BY_CHANCE = """
import os
from shop import adult

RAN = os.path.join(os.path.dirname(__file__), "ran")

def test_every_second_time():
    with open(RAN, "a+") as file:
        file.write(".")
        file.seek(0)
        assert len(file.read()) % 2 == 1
    assert adult(18)
"""


def test_a_test_that_passes_by_chance_judges_nothing(project: Make) -> None:
    shop = project({"shop.py": ADULT, "test_shop.py": BY_CHANCE, "pyproject.toml": ONLY_AT})
    document = shop.report()
    assert document["left_out"] == ["test_shop.py::test_every_second_time: it passes or fails by chance"]
    (mutant,) = document["mutants"]
    assert mutant["verdict"] == "unknown"
    assert "test_every_second_time was left out, it passes or fails by chance" in mutant["reason"]


def test_flaky_names_the_test_and_ends_with_1(project: Make) -> None:
    third = BY_CHANCE.replace("% 2 == 1", "% 4 != 3")
    files = {"shop.py": ADULT, "test_shop.py": third + "\n\ndef test_adult():\n    assert adult(18)\n"}
    done = project(files).fencepost("flaky", "-n", "4", "-j", "1")
    assert done.returncode == 1
    first, counts, _, last = done.stdout.splitlines()
    assert first == "test_shop.py::test_every_second_time: passes or fails by chance"
    assert counts == "    failed in 1 of 2 runs in order, 0 of 2 shuffled"
    assert last == "4 runs: 1 tests pass or fail by chance, 0 otherwise fail"


def test_a_test_that_needs_another_one_is_not_flaky(project: Make) -> None:
    tests = "from shop import adult\n\nSEEN = []\n\n\ndef test_a():\n    SEEN.append(1)\n\n\ndef test_b():\n    assert SEEN and adult(18)\n"
    shop = project({"shop.py": ADULT, "test_shop.py": tests, "pyproject.toml": ONLY_AT})
    assert shop.verdicts() == {"age > 18": "killed"}
    done = shop.fencepost("flaky", "-n", "6")
    assert done.returncode == 0
    assert done.stdout.startswith("test_shop.py::test_b: fails in another order, or by chance and rarely\n")


def test_a_suite_that_can_be_trusted_is_said_to_be(project: Make) -> None:
    done = project().fencepost("flaky", "-n", "2")
    assert done.returncode == 0
    assert done.stdout == "2 runs: 0 tests pass or fail by chance, 0 otherwise fail\n"


# what children of tests see

NOTHING_SAID = """
import subprocess, sys
from shop import adult

def test_adult():
    code = "import sys; print('sitecustomize' in sys.modules, 'fencepost' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("False False\\n", "")
    assert adult(18)

def test_its_cpu_time_is_not_limited():
    import resource
    assert resource.getrlimit(resource.RLIMIT_CPU) == (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
"""


def test_a_child_says_nothing_that_it_does_not_say_elsewhere(project: Make) -> None:
    shop = project({"shop.py": ADULT, "test_shop.py": NOTHING_SAID, "pyproject.toml": ONLY_AT})
    assert shop.verdicts() == {"age > 18": "killed"}
    assert shop.report()["left_out"] == []


ONE_PORT = """
import socket, time
from shop import adult, teen

def serve(check):
    with socket.socket() as server:
        server.bind(("127.0.0.1", PORT))
        time.sleep(0.2)
        check()

def test_adult():
    serve(lambda: adult(18))

def test_teen():
    serve(lambda: teen(13))
"""


def test_tests_that_need_one_port_are_not_in_each_others_way(project: Make) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    code = ADULT + "\n\ndef teen(age):\n    return age >= 13\n"
    files = {"shop.py": code, "test_shop.py": ONE_PORT.replace("PORT", str(port)), "pyproject.toml": ONLY_AT}
    document = project(files).report("-j", "2")
    assert {one["replacement"]: one["verdict"] for one in document["mutants"]} == {
        "age > 18": "survived", "age > 13": "survived",
    }  # fmt: skip
    (note,) = document["notes"]
    assert note.endswith(f"cannot be used twice at a time: port {port}")


# what a mutant leaves undone

BESIDE_ITSELF = """
import os, shutil, subprocess
from shop import over, unseen, norm, start, stop, rewrite, move

OUT = os.path.join(os.path.dirname(__file__), "out")

def test_export():
    os.mkdir(OUT)
    with open(os.path.join(OUT, "a.txt"), "w") as file:
        file.write(str(over(3)))
    unseen(7), unseen(8), norm(" a")
    assert not over(3)
    assert over(4)
    shutil.rmtree(OUT)

HERE = os.path.dirname(__file__)

def test_rewrite():
    path = os.path.join(HERE, "prices.txt")
    with open(path) as file:
        before = file.read()
    with open(path, "w") as file:
        file.write("other")
    assert not rewrite(4)
    assert rewrite(5)
    with open(path, "w") as file:
        file.write(before)

def test_move():
    os.rename(os.path.join(HERE, "data"), os.path.join(HERE, "moved"))
    assert not move(5)
    assert move(6)
    os.rename(os.path.join(HERE, "moved"), os.path.join(HERE, "data"))

def test_start():
    start(3)

def test_stop():
    stop(3)
"""
LEFT_UNDONE = """
import os, subprocess

def over(n):
    return n > 3

def rewrite(n):
    return n > 4

def move(n):
    return n > 5

def unseen(n):
    return n > 7

def norm(s):
    return s.strip()

def start(n):
    subprocess.run(["sleep", "0"])  # another program than the unmutated tests start would be stopped
    if n > 30 / 10:
        subprocess.Popen(["sleep", "54321"])

def stop(n):
    if n > 33 / 11:
        os._exit(0)
"""


Undone = tuple[dict[str, list[str]], set[tuple[str, str]]]


@pytest.fixture(scope="module")
def undone(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> Undone:
    """The verdicts on each expression of a project whose tests clear up at their end alone; and what is left."""
    files = {
        "shop.py": LEFT_UNDONE, "test_shop.py": BESIDE_ITSELF, "pyproject.toml": "", "prices.txt": "1",
        "data/deep/precious.txt": "keep",
    }  # fmt: skip
    root = written(tmp_path_factory.mktemp("undone"), files)
    done = fencepost("run", "-o", "json", cwd=root)
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = {}
    for mutant in json.loads(done.stdout)["mutants"]:
        found.setdefault(mutant["original"], []).append(mutant["verdict"])
    left = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
    texts = {
        path.as_posix(): (root / path).read_text(encoding="utf-8")
        for path in left
        if not {".fencepost", "__pycache__"} & set(path.parts)
    }
    return found, set(texts.items()) ^ set(files.items())


def test_what_a_killed_test_leaves_behind_kills_no_other_mutant(undone: Undone) -> None:
    found, _ = undone
    assert all(found[f"n > {number}"] == ["killed", "killed", "killed"] for number in (3, 4, 5))
    assert found["n > 7"] == ["survived", "survived", "survived"]
    assert found["s.strip()"] == ["survived"]


def test_what_a_killed_test_leaves_behind_is_cleared_up(undone: Undone) -> None:
    assert undone[1] == set()


def test_a_mutant_that_ends_the_process_quietly_spoils_no_other_verdict(
    undone: Undone,
) -> None:
    assert undone[0]["n > 33 / 11"] == ["unknown"]


def test_a_process_that_a_mutant_started_does_not_outlive_it(undone: Undone) -> None:
    assert undone[0]["n > 30 / 10"] == ["survived"]
    commands = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            commands.append((folder / "cmdline").read_bytes())
    assert b"sleep\x0054321\x00" not in commands


MAKES_SURE = """
import os, shutil

def export(n):
    os.makedirs("data", exist_ok=True)
    if n > 3:
        shutil.rmtree("data")
    return n
"""


def test_a_folder_that_the_code_makes_sure_of_is_still_the_users(project: Make) -> None:
    tests = "from shop import export\n\n\ndef test_export():\n    assert export(3)\n"
    shop = project(
        {"shop.py": MAKES_SURE, "test_shop.py": tests, "data/precious.txt": "keep", "pyproject.toml": ONLY_AT}
    )
    (mutant,) = shop.report()["mutants"]
    assert (mutant["verdict"], mutant["kill"]["kind"]) == ("killed", "guard")
    assert mutant["kill"]["message"] == "Blocked: it tried to remove data/precious.txt"
    assert (shop.root / "data" / "precious.txt").read_text(encoding="utf-8") == "keep"
