"""Settings come from pyproject.toml, options win over them, and what makes no sense is refused in words."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.rule_choice import RuleChoice
from fencepost.analyzer.settings import Settings, available_cores, find_root, load_settings


def loaded(root: Path, toml: str, **options: object) -> Settings:
    """The settings of a project whose pyproject.toml holds this text."""
    (root / "pyproject.toml").write_text(toml, encoding="utf-8")
    return load_settings(root, options)


def refused(root: Path, toml: str, **options: object) -> UsageProblem:
    with pytest.raises(UsageProblem) as caught:
        loaded(root, toml, **options)
    return caught.value


@pytest.mark.parametrize("toml", ["", "[tool.other]\na = 1\n", "[project]\nname = 'x'\n", "[tool.fencepost]\n"])
def test_without_a_table_of_ours_the_defaults_hold(tmp_path: Path, toml: str) -> None:
    assert loaded(tmp_path, toml) == Settings(root=tmp_path)


def test_a_project_without_a_pyproject_has_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path, {}) == Settings(root=tmp_path)


def test_keys_are_read_and_a_single_string_is_a_list_of_one(tmp_path: Path) -> None:
    toml = "[tool.fencepost]\nsource = 'src'\npytest-args = ['-q', '-ra']\njobs = 3\ntimeout-factor = 2\n"
    settings = loaded(tmp_path, toml)
    assert (settings.source, settings.pytest_args) == (("src",), ("-q", "-ra"))
    assert (settings.jobs, settings.timeout_factor, settings.workers) == (3, 2, 3)


def test_an_option_wins_over_the_file_and_none_means_not_given(tmp_path: Path) -> None:
    settings = loaded(tmp_path, "[tool.fencepost]\njobs = 3\nsource = 'src'\n", jobs=4, source=None)
    assert (settings.jobs, settings.source) == (4, ("src",))


@pytest.mark.parametrize(
    ("toml", "slug", "words"),
    [
        ("[tool", "bad-toml", "pyproject.toml does not parse"),
        ("tool = 3\n", "bad-setting", "tool.fencepost is no table"),
        ("[tool]\nfencepost = 3\n", "bad-setting", "tool.fencepost is no table"),
        ("[tool.fencepost]\njosb = 3\n", "unknown-key", "unknown key 'josb'"),
        ("[tool.fencepost]\nroot = '/'\n", "unknown-key", "unknown key 'root'"),
        ("[tool.fencepost]\njobs = 1.5\n", "bad-setting", "'jobs' in [tool.fencepost] must be a whole number, not 1.5"),
        ("[tool.fencepost]\njobs = true\n", "bad-setting", "must be a whole number, not True"),
        ("[tool.fencepost]\ntimeout-factor = 'x'\n", "bad-setting", "must be a number, not 'x'"),
        ("[tool.fencepost]\noperators = 'al'\n", "bad-setting", "'operators' must be \"default\" or \"all\", not 'al'"),
        ("[tool.fencepost]\nsource = 3\n", "bad-setting", "must be a list of strings, not 3"),
        ("[tool.fencepost]\nsource = ['a', 3]\n", "bad-setting", "must be a list of strings"),
        ("[tool.fencepost]\nrules = 'no-such'\n", "unknown-rule", "there is no rule 'no-such'"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(tmp_path: Path, toml: str, slug: str, words: str) -> None:
    problem = refused(tmp_path, toml)
    assert problem.slug == slug
    assert words in str(problem)


def test_a_mistyped_key_is_told_the_nearest_one(tmp_path: Path) -> None:
    assert refused(tmp_path, "[tool.fencepost]\njosb = 3\n").hint == "did you mean 'jobs'?"


@pytest.mark.parametrize(
    ("name", "least", "most", "outside"),
    [
        ("jobs", 0, 1000, (-1, 1001)),
        ("timeout_factor", 1, 1000, (0.9, 1000.1)),
        ("timeout_seconds", 0.1, 3600, (0.09, 3601)),
    ],
)
def test_a_number_must_be_in_its_range_whose_ends_belong_to_it(
    tmp_path: Path, name: str, least: float, most: float, outside: tuple[float, float]
) -> None:
    for value in (least, most):
        assert getattr(loaded(tmp_path, "", **{name: value}), name) == value
    for value in outside:
        problem = refused(tmp_path, "", **{name: value})
        assert str(problem) == f"'{name.replace('_', '-')}' must be from {least} to {most}, not {value}"


def test_no_number_of_workers_means_one_for_each_core() -> None:
    assert Settings().workers == available_cores() >= 1
    assert Settings(jobs=7).workers == 7


def test_where_the_cores_of_a_process_are_not_told_those_of_the_machine_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    assert available_cores() == 6
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert available_cores() == 1


def test_the_root_is_the_nearest_folder_with_a_marker(tmp_path: Path) -> None:
    inner = tmp_path / "project" / "src" / "shop"
    inner.mkdir(parents=True)
    (tmp_path / "project" / "setup.cfg").touch()
    assert find_root(inner) == tmp_path / "project"
    assert find_root(tmp_path / "project") == tmp_path / "project"


RULES = """
[tool.fencepost.rules]
select = ["FP1", "order"]
ignore = ["FP104"]

[tool.fencepost.rules.per-path]
"src/old/*" = { ignore = ["FP1"] }
"src/new.py" = ["FP101"]
"""


def test_rules_are_a_list_or_a_table_with_choices_by_path(tmp_path: Path) -> None:
    assert loaded(tmp_path, '[tool.fencepost]\nrules = "FP101"').rules == RuleChoice(("FP101",))
    assert loaded(tmp_path, RULES).rules == RuleChoice(
        ("FP1", "order"),
        ("FP104",),
        {"src/old/*": RuleChoice(ignore=("FP1",)), "src/new.py": RuleChoice(("FP101",))},
    )


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("rules = {slect = ['FP101']}", "unknown key 'slect' in 'rules' of", "did you mean 'select'?"),
        ("rules = {select = 3}", "'rules.select' in .* must be a list of strings, not 3", ""),
        ("rules = {per-path = ['FP101']}", "'rules.per-path' in .* must be a table of patterns", ""),
        ("rules = {per-path = {'a.py' = {per-path = {}}}}", "unknown key 'per-path' in 'rules.per-path.a.py' of", ""),
        ("rules = {per-path = {'a.py' = ['FP999']}}", "there is no rule 'FP999'", ""),
        ("rules = {ignore = ['ordre']}", "there is no rule 'ordre'", "did you mean 'order'?"),
    ],
)
def test_a_bad_choice_of_rules_is_told(tmp_path: Path, text: str, message: str, hint: str) -> None:
    problem = refused(tmp_path, f"[tool.fencepost]\n{text}")
    assert re.search(message, str(problem))
    assert hint in problem.hint


def test_the_table_of_normalizers_is_read_and_a_single_string_is_a_list_of_one(tmp_path: Path) -> None:
    toml = '[tool.fencepost.normalizers]\n"shop.text.clean" = "argument 0"\n".squash" = ["receiver", "keyword hard"]\n'
    assert loaded(tmp_path, toml).normalizers == {
        "shop.text.clean": ("argument 0",),
        ".squash": ("receiver", "keyword hard"),
    }


@pytest.mark.parametrize(
    ("line", "words", "hint"),
    [
        ("'clean' = 'argument 0'", "'clean' has no dot", "write "),
        ("'.squash' = 'reciever'", "'.squash' is 'reciever' (did you mean 'receiver'?)", 'write "receiver"'),
        ("'.squash' = 0", "'.squash' is 0", 'write "receiver"'),
        ("'.squash' = []", "'.squash' is []", 'write "receiver"'),
        ("'.squash' = ['receiver', 0]", "'.squash' is ['receiver', 0]", 'write "receiver"'),
        (
            "shop.clean = 'argument 0'",
            "'shop' is a table of its own",
            'put quotes around the whole name, as in "shop.clean" = "argument 0"',
        ),
        (
            "shop.text.clean = 'argument 0'",
            "'shop' is a table of its own",
            'put quotes around the whole name, as in "shop.text.clean" = "argument 0"',
        ),
    ],
)
def test_a_table_of_normalizers_that_makes_no_sense_is_refused(
    tmp_path: Path, line: str, words: str, hint: str
) -> None:
    problem = refused(tmp_path, f"[tool.fencepost.normalizers]\n{line}\n")
    assert problem.slug == "bad-normalizer"
    assert str(problem) == f"pyproject.toml: {words} in [tool.fencepost.normalizers]" or words.endswith("no dot")
    assert words in str(problem)
    assert problem.hint.startswith(hint)


def test_normalizers_that_are_no_table_are_refused(tmp_path: Path) -> None:
    problem = refused(tmp_path, "[tool.fencepost]\nnormalizers = 'x'\n")
    assert (problem.slug, str(problem)) == (
        "bad-setting",
        "pyproject.toml: 'normalizers' in [tool.fencepost] must be a table, not 'x'",
    )
