"""Suites as they are: small projects in which code is loaded, started, cached and tested in every way.

`projects/` holds them, a theme each. Beside each comparison stands what its mutant must come to: `# expect: killed`.
Tests that need plugins run with the interpreter of `build/plugins`, an environment that `.ci/run` makes, where it is
there: the plugins would change how this suite itself runs.
"""

from __future__ import annotations

import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import WHOLE

ROOT = Path(__file__).parents[1]
PROJECTS = Path(__file__).parent / "projects"
EXPECTATION = re.compile(r"# expect: ([\w-]+)$", re.MULTILINE)
IGNORED = shutil.ignore_patterns("__pycache__", ".fencepost", ".pytest_cache", ".hypothesis")
PLUGINS = ROOT / "build" / "plugins" / "bin" / "python"
THEMES: dict[str, tuple[str, ...]] = {
    "loading": (),
    "children": (),
    "import_time": (),
    "caches": (),
    "suites": (),
    "plugins": ("pytest_asyncio", "anyio", "trio", "hypothesis"),
    "arrays": ("numpy", "pandas"),
}
"""The projects, with the plugins that each needs."""
WANTED_OPTIONS = {"suites": "--doctest-modules --doctest-glob=*.txt"}
MEMO = ("shop/memo.py", 8)


@dataclass(frozen=True)
class Analysis:
    """A copy of a project, and what the command said of it."""

    root: Path
    python: str
    report: dict[str, Any]

    def verdicts(self, path: str) -> dict[int, str]:
        """The verdict on the one mutant of each line of a file."""
        return {one["start"]["line"]: one["verdict"] for one in self.report["mutants"] if one["path"] == path}


Analyse = Callable[[str], Analysis]


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """What a command says that has to end well."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "COV_"))}
    done = subprocess.run(
        command, cwd=cwd, env={**clean, **environment}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def python_with(plugins: tuple[str, ...]) -> str:
    """An interpreter that has these plugins; skips the test where there is none."""
    python = str(PLUGINS) if plugins and PLUGINS.exists() else sys.executable
    asked = f"import importlib.util as u, sys; sys.exit(not all(map(u.find_spec, {plugins!r})))"
    if plugins and subprocess.run([python, "-c", asked], check=False).returncode:
        pytest.skip(f"needs {', '.join(plugins)}; see .ci/run")
    return python


def analysis_of(theme: str, folder: Path, plugins: tuple[str, ...], **environment: str) -> Analysis:
    """What the command says of a copy of a project."""
    python = python_with(plugins)
    root = folder / "project"
    if not root.exists():
        shutil.copytree(PROJECTS / theme, root, ignore=IGNORED)
    report = folder / "report.json"
    run(python, "-m", "fencepost", "run", "-o", f"json:{report}", cwd=root, **environment)
    return Analysis(root, python, json.loads(report.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def analyse(tmp_path_factory: pytest.TempPathFactory) -> Analyse:
    """Gives the analysis of a theme, made once."""
    made: dict[str, Analysis] = {}

    def analysis(theme: str) -> Analysis:
        if theme not in made:
            made[theme] = analysis_of(theme, tmp_path_factory.mktemp(theme), THEMES[theme])
        return made[theme]

    return analysis


def expected(text: str) -> dict[int, str]:
    """What the comments of a file say, by line."""
    return {text.count("\n", 0, found.start()) + 1: found[1] for found in EXPECTATION.finditer(text)}


def files_with_expectations(theme: str) -> Iterator[str]:
    for path in sorted((PROJECTS / theme).rglob("*.py")):
        if ".fencepost" not in path.parts and EXPECTATION.search(path.read_text(encoding="utf-8")):
            yield path.relative_to(PROJECTS / theme).as_posix()


@pytest.mark.parametrize(
    ("theme", "path"), [(theme, path) for theme in THEMES for path in files_with_expectations(theme)]
)
def test_each_mutant_comes_to_what_a_hand_edit_shows(analyse: Analyse, theme: str, path: str) -> None:
    text = (PROJECTS / theme / path).read_text(encoding="utf-8")
    assert analyse(theme).verdicts(path) == expected(text)


def test_what_is_executed_without_being_woven_is_told_with_its_reason(analyse: Analyse) -> None:
    unwatched = {one["path"]: one["reason"] for one in analyse("loading").report["unwatched"]}
    assert sorted(unwatched) == ["pack/__init__.py", "pack/zipped.py", "parts/executed.py", "parts/run_by_path.py"]
    assert "another copy" in unwatched["pack/zipped.py"]
    assert "pack.zip" in unwatched["pack/zipped.py"]
    assert "exec" in unwatched["parts/executed.py"]


def test_a_child_belongs_to_the_test_that_starts_it(analyse: Analyse) -> None:
    mutants = {one["path"]: one for one in analyse("children").report["mutants"]}
    for name in ("by_asyncio", "clean_environment", "cleared_environment"):
        mutant = mutants[f"ways/{name}.py"]
        tests = [f"tests/check_children.py::test_{name.removeprefix('by_')}"]
        assert mutant["reached_by"] == mutant["infected_by"] == tests
        assert mutant["kill"]["test"] == tests[0]


def test_the_test_that_the_selection_missed_is_named(analyse: Analyse) -> None:
    (cached,) = (one for one in analyse("caches").report["mutants"] if (one["path"], one["start"]["line"]) == MEMO)
    assert cached["infected_by"] == ["tests/check_a_computes.py::test_cached"]
    assert cached["kill"]["test"] == "tests/check_z_asserts.py::test_cached"
    assert "only the whole suite notices" in cached["reason"]


def test_a_constant_that_only_the_whole_suite_notices_is_not_said_to_infect_tests(analyse: Analyse) -> None:
    reasons = {one["reason"] for one in analyse("import_time").report["mutants"] if one["verdict"] == "killed"}
    assert not [reason for reason in reasons if "that it infects" in reason]


@pytest.mark.parametrize(
    ("theme", "options"),
    [
        ("suites", ["-x", "--maxfail=1", "--lf", "--sw", "--pdb"]),
        ("plugins", ["--cov", "--cov-report=term", "-n auto", "-x", "--maxfail=2", "--reruns 2", "-p randomly"]),
    ],
)
def test_hostile_options_are_left_out_and_named(analyse: Analyse, theme: str, options: list[str]) -> None:
    notes = " ".join(analyse(theme).report["notes"])
    assert [option for option in options if option not in notes] == []


def test_doctests_kill_by_assertion_and_say_what_they_got(analyse: Analyse) -> None:
    kills = [one["kill"] for one in analyse("suites").report["mutants"] if one["kill"]]
    kill = next(kill for kill in kills if kill["test"].endswith("::shop.documented.in_function"))
    assert kill["kind"] == "assertion"
    assert "in_function(18) gave 'False', not 'True'" in kill["message"]


def test_an_expected_failure_that_passes_is_an_expectation(analyse: Analyse) -> None:
    kills = [one["kill"] for one in analyse("suites").report["mutants"] if one["kill"]]
    kinds = {kill["test"].rpartition("::")[2]: kill["kind"] for kill in kills}
    assert kinds["test_expected_failure"] == kinds["test_strict_xfail"] == "expectation"


def test_a_test_by_hypothesis_tries_the_same_in_every_run_and_keeps_nothing(analyse: Analyse, tmp_path: Path) -> None:
    one = analyse("plugins")
    assert not (one.root / ".hypothesis").exists()
    again = tmp_path / "report.json"
    run(one.python, "-m", "fencepost", "run", "-o", f"json:{again}", "shop/given.py", cwd=one.root)
    sites = [site for site in one.report["sites"] if site["path"] == "shop/given.py"]
    assert json.loads(again.read_text(encoding="utf-8"))["sites"] == sites


@pytest.mark.slow
@pytest.mark.parametrize("theme", THEMES)
def test_the_oracle_agrees(analyse: Analyse, theme: str) -> None:
    one = analyse(theme)
    path = one.root.parent / "report.json"
    oracle = (
        one.python,
        "-m",
        "fencepost.analyzer.oracle",
        path,
        "--root",
        one.root,
        "--sample",
        "1000" if WHOLE else "15",
    )
    # the oracle takes what a project configures as it is, so what is hostile of it has to be left out here
    assert "DIFFERS" not in run(*oracle, "--", "-o", f"addopts={WANTED_OPTIONS.get(theme, '')}", cwd=one.root)


# what a test can see


def seen_by(path: Path, root: Path) -> dict[str, set[str]]:
    """What the tests of `untouched` wrote down, in all the processes that they ran in, by name."""
    seen: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").replace(str(root), "ROOT").splitlines():
        for name, value in json.loads(line).items():
            seen.setdefault(name, set()).add(json.dumps(value))
    path.unlink()
    return seen


def test_tests_see_what_they_see_under_pytest_alone(tmp_path: Path) -> None:
    roots = [tmp_path / name / "project" for name in ("alone", "woven")]
    for root in roots:
        shutil.copytree(PROJECTS / "untouched", root, ignore=IGNORED)
    seen = tmp_path / "seen"
    run(sys.executable, "-m", "pytest", cwd=roots[0], SEEN=str(seen))
    alone = seen_by(seen, roots[0])
    analysis = analysis_of("untouched", roots[1].parent, (), SEEN=str(seen))
    woven = seen_by(seen, roots[1])
    assert {name: value for name, value in woven.items() if value != alone[name]} == {}
    assert woven.keys() == alone.keys()
    assert analysis.verdicts("shop/__init__.py") == {6: "survived"}
    assert not (roots[1] / "tests.log").exists()


# recordings


class Asked(http.server.BaseHTTPRequestHandler):
    """Answers with the path that it was asked for, and keeps it."""

    paths: list[str] = []  # noqa: RUF012 - the server makes an instance for each request

    def do_GET(self) -> None:
        """Answer, and keep what was asked for."""
        self.paths.append(self.path)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(self.path.encode())

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


@contextmanager
def server() -> Iterator[str]:
    """The address of a server on this machine."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Asked) as one:
        thread = threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{one.server_address[1]}"
        finally:
            one.shutdown()
            thread.join()


def test_recording_libraries_replay_alone_under_mutants(tmp_path: Path) -> None:
    plugins = ("pytest_recording", "vcr", "betamax", "syrupy", "inline_snapshot")
    python = python_with(plugins)
    root = tmp_path / "project"
    shutil.copytree(PROJECTS / "recordings", root, ignore=IGNORED)
    with server() as address:
        run(python, "-m", "pytest", "-q", "-o", "addopts=--snapshot-update", cwd=root, SHOP_SERVER=address)
        kept = {
            path: path.read_bytes() for path in root.rglob("*") if path.suffix in {".py", ".yaml", ".json", ".ambr"}
        }
        Asked.paths.clear()
        analysis = analysis_of("recordings", tmp_path, plugins, SHOP_SERVER=address)
    assert analysis.verdicts("shop/client.py") == expected((root / "shop" / "client.py").read_text(encoding="utf-8"))
    assert "/young" not in Asked.paths  # no mutant was recorded, only what `mode=all` asks for unmutated
    assert set(Asked.paths) == {"/grown", "/kept", "/not-kept"}
    changed = {path.name for path, data in kept.items() if path.read_bytes() != data}
    assert changed <= {"twice.yaml"}  # the dates of that `mode=all`
    notes = " ".join(analysis.report["notes"])
    for words in ("--snapshot-update", "--inline-snapshot=fix,create", "recording by betamax", "recording by vcrpy"):
        assert words in notes
    kinds = {one["kill"]["kind"] for one in analysis.report["mutants"] if one["kill"]}
    assert kinds == {"replay", "assertion"}


# installs


SHOP = {
    "pyproject.toml": (
        '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n\n'
        '[project]\nname = "shop"\nversion = "1"\nscripts = {{adult = "shop.ages:main"}}\n\n'
        '[tool.setuptools.packages.find]\nwhere = ["{where}"]\n\n[tool.fencepost]\nrules = ["FP101"]\n'
    ),
    "{where}/shop/__init__.py": "from shop.ages import adult\n",
    "{where}/shop/ages.py": (
        "def adult(age):\n    return age >= 18\n\n\ndef main():\n    print(18 if int('18') >= 18 else 17)\n"
    ),
    "tests/test_shop.py": (
        "import subprocess\nimport sysconfig\n\nfrom shop import adult\n\n\n"
        "def test_adult():\n    assert adult(18)\n\n\n"
        "def test_script():\n    script = sysconfig.get_path('scripts') + '/adult'\n"
        "    assert subprocess.check_output([script]) == b'18\\n'\n"
    ),
}


@pytest.mark.parametrize("editable", [True, False], ids=["editable", "a copy"])
@pytest.mark.parametrize("where", ["src", "."])
def test_an_installed_tree_is_woven_with_its_console_script(tmp_path: Path, where: str, *, editable: bool) -> None:
    root = tmp_path / "project"
    for name, text in SHOP.items():
        path = root / name.format(where=where)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(where=where) if name == "pyproject.toml" else text, encoding="utf-8")
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    (site_packages,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    # the environment borrows what we have, as packages that are installed in it
    borrowed = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n"
    (site_packages / "borrowed.pth").write_text(borrowed, encoding="utf-8")
    python = str(tmp_path / "venv" / "bin" / "python")
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", *(["-e"] if editable else [])]
    run(python, "-m", "pip", "install", *options, root, cwd=tmp_path)
    for left in ("build", "shop.egg-info"):
        shutil.rmtree(root / left, ignore_errors=True)
    report = tmp_path / "report.json"
    run(python, "-m", "fencepost", "run", "-o", f"json:{report}", cwd=root)
    mutants = json.loads(report.read_text(encoding="utf-8"))["mutants"]
    killers = {one["original"]: (one["kill"] or {}).get("test") for one in mutants}
    assert killers == {
        "age >= 18": "tests/test_shop.py::test_adult",
        "int('18') >= 18": "tests/test_shop.py::test_script",
    }
