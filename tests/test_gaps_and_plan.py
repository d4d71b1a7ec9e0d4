"""`fencepost gaps` and `fencepost plan` as a person runs them: on the example, on small projects, in repositories."""

from __future__ import annotations

import ast
import importlib.resources
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from fencepost.reports import json_report

Result = subprocess.CompletedProcess[str]
Command = Callable[..., Result]

EXAMPLE = Path(__file__).parents[1] / "examples" / "quota_service"
SHOP = {
    "shop.py": "def adult(age):\n    return age >= 18\n\n\ndef tidy(name):\n    return name.strip()\n",
    "test_shop.py": (
        "from shop import adult, tidy\n\n\ndef test_adult():\n    assert adult(40) is True\n\n\n"
        "def test_tidy():\n    assert tidy('ann') == 'ann'\n"
    ),
}


def written(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.fixture(name="shop")
def _shop(tmp_path: Path) -> Path:
    """A module with a threshold that no test stands on, and a call that no input shows."""
    return written(tmp_path / "shop", {"pyproject.toml": "", **SHOP})


def schema(name: str) -> Any:
    return json.loads(importlib.resources.files("fencepost.reports.schema").joinpath(name).read_text("utf-8"))


def report_of(done: Result) -> dict[str, Any]:
    """The JSON report on standard output, after it met its schema."""
    assert done.returncode == 0, done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    jsonschema.Draft202012Validator(json_report.schema()).validate(document)
    return document


def plan_of(done: Result) -> dict[str, list[str]]:
    """The sources of each function in the plan as data, after it met its schema."""
    assert done.returncode == 0, done.stdout + done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    jsonschema.Draft202012Validator(schema("fencepost-plan-1.schema.json")).validate(document)
    assert document["schema"] == "fencepost-plan/1"
    return {
        f"{function['path']}:{function['scope']}": [item["source"] for item in function["items"]]
        for function in document["functions"]
    }


# the example, once


@pytest.fixture(scope="module", name="example")
def _example(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> Path:
    """A copy of the example in which `gaps` ran; beside it what it said, as text and as JSON."""
    folder = tmp_path_factory.mktemp("example")
    left_out = shutil.ignore_patterns(".fencepost", "__pycache__", ".pytest_cache")
    root = folder / "project"
    shutil.copytree(EXAMPLE, root, ignore=left_out)
    done = fencepost("gaps", "--all", "-o", "terminal", "-o", f"json:{folder / 'gaps.json'}", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    (folder / "gaps.txt").write_text(done.stdout, encoding="utf-8")
    return root


def gaps_of(example: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((example.parent / "gaps.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(json_report.schema()).validate(document)
    return document


def test_gaps_tells_where_the_tests_of_the_example_stand(example: Path) -> None:
    text = (example.parent / "gaps.txt").read_text(encoding="utf-8")
    assert "  src/quota_service/pricing.py:23:19  n < 1  below 0: 1 | at 1: 1 | above 2: 1\n" in text
    assert (
        "  src/quota_service/plans.py:57:8  monthly_calls <= FREE_CALLS  "
        "below 999: none, nearest 50 | at 1000: none | above 1001: none, nearest 25000\n"
    ) in text
    assert (
        "    question: In `recommended_tier`, should `monthly_calls` of exactly FREE_CALLS (1000) be treated like "
        in text
    )
    assert "      b) like 1001: add that test, and change the code to: monthly_calls < FREE_CALLS\n" in text
    assert "      def test_recommended_tier_grows_with_the_use_at_1000() -> None:\n" in text
    assert "\nno code was changed: `fencepost run` tells whether the tests would notice a change\n" in text


def test_the_report_as_data_runs_no_mutant_and_has_no_score(example: Path) -> None:
    document = gaps_of(example)
    assert document["command"] == "gaps"
    assert document["summary"]["score"] is None
    assert {mutant["verdict"] for mutant in document["mutants"]} <= {
        "not-infected", "not-reached", "unknown", "ignored",
    }  # fmt: skip
    reasons = {mutant["reason"] for mutant in document["mutants"] if mutant["verdict"] == "unknown"}
    assert reasons == {"infected, not run"}
    assert {gap["verdict"] for gap in document["gaps"]} == {"not-infected", "not-reached"}


def test_the_last_run_is_rendered_again_without_running_anything(example: Path, fencepost: Command) -> None:
    shutil.copytree(example, example.parent / "again")
    (example.parent / "again" / "tests" / "conftest.py").write_text("raise SystemExit(9)\n", encoding="utf-8")
    done = fencepost("report", "--all", cwd=example.parent / "again")
    assert (done.returncode, done.stdout) == (0, (example.parent / "gaps.txt").read_text(encoding="utf-8"))
    assert report_of(fencepost("report", "-o", "json", cwd=example.parent / "again")) == gaps_of(example)
    assert "more gaps: fencepost report --all\n" in fencepost("report", "--limit", "2", cwd=example).stdout


def test_nothing_of_the_project_is_changed(example: Path) -> None:
    def texts(root: Path) -> dict[str, bytes]:
        files = (path for path in root.rglob("*") if path.suffix in {".py", ".toml", ".md", ".txt"})
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in files}

    assert texts(example) == texts(EXAMPLE)


def test_every_sketch_is_valid_and_fails_until_somebody_fills_it_in(example: Path) -> None:
    root = example.parent / "sketched"
    shutil.copytree(example, root)
    tests = []
    sketches = [gap["sketch"] for gap in gaps_of(example)["gaps"] if gap["sketch"] is not None]
    for number, sketch in enumerate(sketches):
        functions = [one for one in ast.parse(sketch["text"]).body if isinstance(one, ast.FunctionDef)]
        neighbours = (root / sketch["path"]).read_text(encoding="utf-8") if sketch["path"] else ""
        path = root / "tests" / f"test_sketch_{number}.py"
        path.write_text(f"{neighbours}\n\n{sketch['text']}", encoding="utf-8")
        tests += [f"{path}::{function.name}" for function in functions]
    assert len(tests) == len(sketches) > 30
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=60)
    assert f"\n{len(tests)} failed in " in done.stdout, done.stdout
    assert sum(sketch["moved"] for sketch in sketches) > 18
    assert not any(sketch["run"] for sketch in sketches)


def test_a_sketch_that_is_filled_in_closes_its_gap(shop: Path, fencepost: Command) -> None:
    before = report_of(fencepost("gaps", "-o", "json", cwd=shop))["gaps"]
    sketch = next(gap["sketch"] for gap in before if "Add one with `age` at 18." in gap["do"])
    assert sketch["text"] == "def test_adult_at_18():\n    assert adult(18) == ...  # decide\n"
    with (shop / sketch["path"]).open("a", encoding="utf-8") as file:
        file.write("\n\n" + sketch["text"].replace("...", "True"))
    after = report_of(fencepost("gaps", "-o", "json", cwd=shop))["gaps"]
    assert len(after) == len(before) - 1
    assert not any("at 18." in gap["do"] for gap in after)


def test_the_plan_of_the_example_lists_each_function(example: Path, fencepost: Command) -> None:
    done = fencepost("plan", "src/quota_service/plans.py", cwd=example)
    assert done.returncode == 0
    assert done.stdout.startswith("# Test plan\n\nEach line is an input")
    assert "\n## `src/quota_service/plans.py`\n" in done.stdout
    assert "\n### `plan_named`\n\n- [ ] line " in done.stdout
    assert "\n- [ ] line 50, `name.strip().lower()`: use an input" in done.stdout
    assert (
        "- [ ] line 57, `monthly_calls <= FREE_CALLS`: `monthly_calls` at each of these: `999`, `1000`, `1001` "
        "(FP101 boundary-at, FP102 boundary-below, FP103 boundary-above)\n"
    ) in done.stdout
    found = plan_of(fencepost("plan", "--json", cwd=example))
    assert {"n < 1", "n < 5", "n < 20"} <= set(found["src/quota_service/pricing.py:seat_discount"])


# small projects


def test_gaps_says_what_to_do_and_ends_well_although_there_are_gaps(shop: Path, fencepost: Command) -> None:
    done = fencepost("gaps", cwd=shop)
    assert done.returncode == 0
    assert "    Add a test with `age` at 18.\n" in done.stdout
    assert "changes, such as ' ann '.\n" in done.stdout
    assert (
        "\n0 of 1 threshold with a test in each place that matters; "
        "0 of 1 normalizing call with an input that shows it; 2 gaps; "
    ) in done.stdout


def test_paths_rules_and_arguments_of_pytest_narrow_what_is_looked_at(shop: Path, fencepost: Command) -> None:
    found = report_of(fencepost("gaps", "--rules", "FP201", "-o", "json", "shop.py", "--", "-k", "adult", cwd=shop))
    assert [(gap["verdict"], gap["input"]) for gap in found["gaps"]] == [("not-reached", "' Ann '")]
    assert [test["id"] for test in found["tests"]] == ["test_shop.py::test_adult"]


def test_failing_tests_end_it_with_three_unless_they_are_left_out(shop: Path, fencepost: Command) -> None:
    with (shop / "test_shop.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef test_broken():\n    assert adult(18) is None\n")
    done = fencepost("gaps", cwd=shop)
    assert done.returncode == 3
    assert "test_broken" in done.stderr
    found = report_of(fencepost("gaps", "--leave-out-failing", "-o", "json", cwd=shop))
    assert found["left_out"] == ["test_shop.py::test_broken"]
    assert any("the nearest was 40 (test_adult). Add one with `age` at 18." in gap["do"] for gap in found["gaps"])


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["gaps", "gone.py"], 2, "gone.py"),
        (["gaps", "-o", "pdf"], 2, "pdf"),
        (["gaps", "--rules", "FP999"], 2, "FP999"),
        (["gaps", "--", "-k", "nothing_of_the_kind"], 3, "test"),
        (["plan", "gone.py"], 2, "gone.py"),
        (["plan", "--base", "main"], 2, "not a git repository"),
    ],
)
def test_what_cannot_be_done_is_told_with_its_exit_code(
    shop: Path, fencepost: Command, arguments: list[str], code: int, said: str
) -> None:
    done = fencepost(*arguments, cwd=shop)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_a_plan_runs_nothing_and_needs_no_tests(shop: Path, fencepost: Command) -> None:
    (shop / "shop.py").write_text(f"raise SystemExit(9)\n{SHOP['shop.py']}", encoding="utf-8")
    (shop / "test_shop.py").unlink()
    assert plan_of(fencepost("plan", "--json", cwd=shop)) == {
        "shop.py:adult": ["age >= 18"], "shop.py:tidy": ["name.strip()"],
    }  # fmt: skip
    assert {path.name for path in shop.iterdir()} == {"shop.py", "pyproject.toml"}


def test_hostile_names_and_source_spoil_neither_report_nor_plan(tmp_path: Path, fencepost: Command) -> None:
    odd = "[red]`# x\x1b[31m"
    code = "def f(x):\n    return x != '`\\n# [bold]' and x.strip() >= 'é\U0001f600'\n"
    test = (
        "import importlib.util, pathlib, pytest\n\n\n"
        "@pytest.mark.parametrize('x', ['[bold]\\x1b[31m', '`\\n#'])\ndef test_f(x):\n"
        f"    path = pathlib.Path(__file__).with_name({odd!r} + '.py')\n"
        "    spec = importlib.util.spec_from_file_location('odd', path)\n"
        "    module = importlib.util.module_from_spec(spec)\n    spec.loader.exec_module(module)\n"
        "    assert module.f(x) is False\n"
    )
    root = written(tmp_path, {"pyproject.toml": "", f"{odd}.py": code, "test_odd.py": test})
    done = fencepost("gaps", "--all", "-o", "terminal", f"{odd}.py", cwd=root)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    assert "[bold]" in done.stdout
    assert report_of(fencepost("report", "-o", "json", cwd=root))["gaps"]
    plan = fencepost("plan", f"{odd}.py", cwd=root)
    assert plan.returncode == 0, plan.stderr
    assert "\x1b" not in plan.stdout
    assert not [line for line in plan.stdout.splitlines()[1:] if line.startswith("# ")]


# a plan for what a piece of work changed


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, check=True)


def commit(folder: Path, files: Mapping[str, str] | None = None) -> None:
    written(folder, files or {})
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--allow-empty", "-m", "a step")


def function(name: str, limit: int) -> str:
    return f"def {name}(x):\n    return x > {limit}\n"


@pytest.fixture(name="repository")
def _repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project on a branch `work` of a repository, with two functions in each of three files since `main`."""
    for name in [one for one in os.environ if one.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    both = f"{function('f', 1)}\n\n{function('g', 2)}"
    commit(root, {"pyproject.toml": "", "shop/__init__.py": "", **{f"shop/{name}.py": both for name in "abc"}})
    git(root, "checkout", "-q", "-b", "work")
    return root


def test_a_plan_of_a_branch_lists_what_was_committed_changed_added_and_renamed_alone(
    repository: Path, fencepost: Command
) -> None:
    assert plan_of(fencepost("plan", "--json", "--base", "main", cwd=repository)) == {}
    commit(repository, {"shop/a.py": f"{function('f', 10)}\n\n{function('g', 2)}"})
    git(repository, "mv", "shop/b.py", "shop/renamed.py")
    written(repository, {
        "shop/renamed.py": f"{function('f', 1)}\n\n{function('g', 20)}", "shop/new.py": function("h", 30),
    })  # fmt: skip
    git(repository, "rm", "-q", "shop/c.py")
    assert plan_of(fencepost("plan", "--json", "--base", "main", cwd=repository)) == {
        "shop/a.py:f": ["x > 10"], "shop/new.py:h": ["x > 30"], "shop/renamed.py:g": ["x > 20"],
    }  # fmt: skip
    assert plan_of(fencepost("plan", "--json", "--base", "main", "shop/a.py", cwd=repository)) == {
        "shop/a.py:f": ["x > 10"]
    }


def test_a_plan_of_a_branch_without_changes_says_that_there_is_nothing(repository: Path, fencepost: Command) -> None:
    done = fencepost("plan", "--base", "main", cwd=repository)
    assert done.returncode == 0
    assert done.stdout.endswith("\nNothing to list here.\n")


def test_a_base_that_cannot_be_used_ends_with_two_and_a_way_out(
    repository: Path, tmp_path: Path, fencepost: Command
) -> None:
    done = fencepost("plan", "--base", "orgin/main", cwd=repository)
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no commit or branch 'orgin/main'" in done.stderr
    assert "known here: main, work" in done.stderr
    commit(repository, {"shop/a.py": function("f", 10)})
    git(repository, "checkout", "-q", "main")
    commit(repository, {"shop/b.py": function("f", 11)})
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", "-b", "work", f"file://{repository}", "shallow")
    done = fencepost("plan", "--base", "origin/main", cwd=tmp_path / "shallow")
    assert (done.returncode, done.stdout) == (2, "")
    assert "git fetch --unshallow" in done.stderr
