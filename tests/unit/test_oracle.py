"""The oracle samples a report fairly, makes the change by hand, and says what a whole fresh run shows."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from fencepost.analyzer.oracle import (
    ENDED,
    MOST_MEMORY,
    Comparison,
    Copy,
    _spare_the_machine,
    compare,
    main,
    sample,
    splice,
)

ADULT = "def adult(age):\n    return age >= 18\n"
TESTS = "from adult import adult\n\ndef test_adult():\n    assert adult(18) and not adult(3)\n"


def a_mutant(
    original: str, replacement: str, verdict: str = "killed", *, text: str = ADULT, path: str = "adult.py"
) -> dict[str, Any]:
    """A mutant as a report has it, at the first place where the text of the file holds the original."""
    first = text.index(original)
    return {
        "id": replacement, "verdict": verdict, "kill": None, "path": path, "original": original,
        "replacement": replacement, "start": place(text[:first]),
        "end": place(text[: first + len(original)]),
    }  # fmt: skip


def place(before: str) -> dict[str, int]:
    """The place behind a text."""
    lines = before.split("\n")
    return {"line": len(lines), "column": len(lines[-1]) + 1}


KILLED = a_mutant("age >= 18", "age > 18")
SURVIVED = a_mutant("18", "17", "survived")


def a_report(*mutants: Mapping[str, Any], arguments: tuple[str, ...] = ()) -> dict[str, Any]:
    paths = sorted({mutant["path"] for mutant in mutants})
    return {"mutants": mutants, "sites": [{"path": path} for path in paths], "pytest_args": list(arguments)}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of one function and one test."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "adult.py").write_text(ADULT, encoding="utf-8")
    (root / "test_adult.py").write_text(TESTS, encoding="utf-8")
    return root


@pytest.fixture
def signals() -> Iterator[None]:
    """The program sets what a signal does; afterwards it does what it did."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def verdicts(*names: str) -> list[dict[str, Any]]:
    return [{"verdict": name, "id": number, "kill": None} for number, name in enumerate(names)]


def compared(root: Path, *mutants: Mapping[str, Any], **changed: Any) -> dict[str, tuple[str, bool]]:
    """What was shown for each mutant, and whether its verdict agrees."""
    values: dict[str, Any] = {"count": 10, "jobs": 1, "timeout": 60.0, **changed}
    return {one.mutant["id"]: (one.shown, one.agrees) for one in compare(a_report(*mutants), root, **values)}


# the sample


def test_a_sample_takes_turns_over_the_verdicts_in_the_order_of_their_names() -> None:
    mutants = verdicts("survived", "killed", "killed", "killed", "invalid")
    assert [mutant["id"] for mutant in sample(mutants, 4)] == [4, 1, 0, 2]


def test_a_sample_is_spread_over_the_whole_length_of_a_group() -> None:
    mutants = verdicts(*["killed"] * 11)
    assert [mutant["id"] for mutant in sample(mutants, 3)] == [0, 3, 7]
    assert [mutant["id"] for mutant in sample(mutants, 100)] == list(range(11))


def test_a_sample_takes_turns_over_rules_where_it_is_asked_to() -> None:
    mutants = [
        {"verdict": "killed", "kill": None, "rule": rule, "id": f"{rule}-{number}"}
        for rule, count in (("FP213", 6), ("FP101", 1), ("FP104", 3))
        for number in range(count)
    ]
    sampled = [mutant["id"] for mutant in sample(mutants, 7, turns_over="rule")]
    assert sampled == ["FP101-0", "FP104-0", "FP213-0", "FP104-1", "FP213-2", "FP104-2", "FP213-4"]


def test_verdicts_that_claim_nothing_are_not_sampled() -> None:
    assert sample(verdicts("unknown", "ignored"), 5) == []


def test_what_the_guard_stopped_is_run_nowhere_without_it() -> None:
    stopped = {"verdict": "killed", "id": 7, "kind": "", "kill": {"kind": "guard"}}
    assert [mutant["id"] for mutant in sample([stopped, *verdicts("killed")], 5)] == [0]


# the change by hand


def test_a_mutant_is_spliced_in_at_its_line_and_column() -> None:
    assert splice(ADULT, KILLED) == "def adult(age):\n    return age > 18\n"
    assert splice(ADULT, a_mutant("age):\n    return age >= 18\n", "age): ...")) == "def adult(age): ..."


def test_a_text_that_is_not_what_the_report_says_is_refused() -> None:
    with pytest.raises(ValueError, match=r"adult\.py: the text at .* is not 'age >= 18'"):
        splice("\n" + ADULT, KILLED)


@pytest.mark.parametrize(
    ("verdict", "shown", "agrees"),
    [
        ("killed", "fails", True),
        ("killed", "hangs", True),
        ("killed", "passes", False),
        ("timeout", "hangs", True),
        ("timeout", "fails", True),
        ("survived", "passes", True),
        ("not-infected", "fails", False),
        ("not-reached", "passes", True),
        ("invalid", "breaks", True),
        ("invalid", "fails", False),
    ],
)
def test_a_verdict_agrees_with_what_it_claims(verdict: str, shown: str, *, agrees: bool) -> None:
    assert Comparison({"verdict": verdict}, shown).agrees is agrees


# whole fresh runs


def test_a_verdict_is_compared_with_what_the_suite_shows_and_the_project_is_left_alone(project: Path) -> None:
    wrong = a_mutant("age >= 18", "age >= 19", "survived")
    assert compared(project, KILLED, SURVIVED, wrong) == {
        "age > 18": ("fails", True),
        "17": ("passes", True),
        "age >= 19": ("fails", False),
    }
    assert (project / "adult.py").read_text(encoding="utf-8") == ADULT
    assert not (project / "__pycache__").exists()


def test_a_mutant_that_does_not_load_breaks(project: Path) -> None:
    invalid = a_mutant("return age >= 18\n", "return 1\n1 / 0\n", "invalid")
    assert compared(project, invalid) == {"return 1\n1 / 0\n": ("breaks", True)}


def test_a_mutant_that_does_not_end_hangs_and_is_taken_out_again(project: Path) -> None:
    copy = Copy(project, ["adult.py"], [], 1.0)
    try:
        assert copy.show(a_mutant("return age >= 18", "while True: pass")) == "hangs"
        assert (copy.root / "adult.py").read_text(encoding="utf-8") == ADULT
    finally:
        copy.remove()


def test_a_suite_that_does_not_pass_as_it_is_judges_nothing(project: Path) -> None:
    (project / "test_more.py").write_text("def test_more():\n    assert False\n", encoding="utf-8")
    with pytest.raises(click.ClickException, match="the suite does not pass in a copy of the project"):
        compared(project, KILLED)


def test_a_suite_that_runs_another_copy_of_the_code_is_found_out(project: Path) -> None:
    (project / "test_adult.py").write_text("def test_nothing():\n    pass\n", encoding="utf-8")
    with pytest.raises(click.ClickException, match=r"the suite does not run the copy: breaking adult\.py"):
        compared(project, SURVIVED)


def test_code_that_no_test_is_said_to_reach_need_not_be_run(project: Path) -> None:
    (project / "test_adult.py").write_text("def test_nothing():\n    pass\n", encoding="utf-8")
    assert compared(project, a_mutant("18", "17", "not-reached")) == {"17": ("passes", True)}


def test_given_arguments_take_the_place_of_those_of_the_report(project: Path) -> None:
    (project / "test_more.py").write_text("def test_more():\n    assert False\n", encoding="utf-8")
    report = a_report(KILLED, arguments=("--deselect", "test_more.py::test_more"))
    assert [one.shown for one in compare(report, project, count=1, jobs=1, timeout=60.0)] == ["fails"]
    with pytest.raises(click.ClickException):
        list(compare(report, project, count=1, jobs=1, timeout=60.0, arguments=()))


def test_the_code_of_the_copy_comes_before_what_is_installed(tmp_path: Path) -> None:
    for path in ("src/z/__init__.py", "src/z/deep/__init__.py", "lib/b/__init__.py", "c.py", "a/d.py", "other/e.py"):
        (tmp_path / "project" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / path).touch()
    paths = ["src/z/deep/__init__.py", "src/z/__init__.py", "lib/b/__init__.py", "c.py", "a/d.py", "other/e.py"]
    copy = Copy(tmp_path / "project", paths, [], 1.0)
    try:
        places = [os.path.relpath(place, copy.root) for place in copy.environment["PYTHONPATH"].split(os.pathsep)]
        assert places == [".", "a", "lib", "other", "src"]
    finally:
        copy.remove()
    assert not copy.folder.exists()


def test_a_declared_encoding_and_a_byte_order_mark_are_kept(project: Path) -> None:
    text = f"WORD = 'ä'\n{ADULT}"
    data = b"\xef\xbb\xbf" + text.encode()
    (project / "adult.py").write_bytes(data)
    (project / "test_adult.py").write_text(
        "from adult import WORD, adult\n\ndef test_it():\n    assert WORD == 'ä' and adult(17)\n", encoding="utf-8"
    )
    copy = Copy(project, ["adult.py"], [], 60.0)
    try:
        assert copy.show(a_mutant("18", "17", text=text)) == "passes"
        assert (copy.root / "adult.py").read_bytes() == data
    finally:
        copy.remove()


@pytest.mark.parametrize(
    "body",
    [
        "def test_adult():\n    assert adult(18)\n",
        (
            "class TestAdult(unittest.TestCase):\n    def test_ages(self):\n"
            "        with self.subTest(age=18):\n            self.assertTrue(adult(18))\n"
        ),
    ],
    ids=["a test", "a subtest"],
)
def test_a_failure_is_found_beside_a_file_that_cannot_be_loaded_whatever_the_project_makes_of_it(
    project: Path, body: str
) -> None:
    (project / "pytest.ini").write_text("[pytest]\naddopts = --color=yes\n", encoding="utf-8")
    (project / "test_adult.py").write_text(f"import unittest\nfrom adult import adult\n\n{body}", encoding="utf-8")
    (project / "test_loading.py").write_text("from adult import adult\n\nassert adult(18)\n", encoding="utf-8")
    assert compared(project, KILLED) == {KILLED["id"]: ("fails", True)}


# the program


@pytest.mark.usefixtures("signals")
def test_the_program_takes_turns_over_rules(project: Path) -> None:
    mutants = ({**KILLED, "rule": "FP101"}, {**KILLED, "rule": "FP101"}, {**SURVIVED, "rule": "FP109"})
    path = project / "report.json"
    path.write_text(json.dumps(a_report(*mutants)), encoding="utf-8")
    done = CliRunner().invoke(main, [str(path), "--root", str(project), "-j", "1", "--sample", "2", "--by-rule"])
    assert [line.split()[1] for line in done.output.splitlines()] == ["killed", "survived", "of"]


@pytest.mark.usefixtures("signals")
@pytest.mark.parametrize(("verdict", "code", "mark"), [("killed", 0, "agrees"), ("survived", 1, "DIFFERS")])
def test_the_program_tells_each_comparison_and_ends_badly_where_one_differs(
    project: Path, verdict: str, code: int, mark: str
) -> None:
    (project / "test_more.py").write_text("def test_more():\n    assert False\n", encoding="utf-8")
    report = a_report({**KILLED, "verdict": verdict}, arguments=("--deselect", "test_more.py::test_more"))
    path = project / "report.json"
    path.write_text(json.dumps(report), encoding="utf-8")
    done = CliRunner().invoke(main, [str(path), "--root", str(project), "-j", "1"])
    assert done.exit_code == code, done.output
    first, last = done.output.splitlines()
    assert first.split() == [mark, verdict, "shown:", "fails", *KILLED["id"].split(), "adult.py:2"]
    assert last == f"{1 - code} of 1 verdicts agree with a hand edit and a whole fresh run"
    assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL


def test_a_kill_beside_a_file_that_cannot_be_loaded_is_a_kill(project: Path) -> None:
    loading = "from adult import adult\n\nassert adult(18)\n\n\ndef test_nothing():\n    pass\n"
    (project / "test_loading.py").write_text(loading, encoding="utf-8")
    assert compared(project, KILLED) == {KILLED["id"]: ("fails", True)}
    invalid = {**KILLED, "verdict": "invalid"}
    assert compared(project, invalid) == {KILLED["id"]: ("breaks", True)}


@pytest.mark.parametrize(
    ("most", "limits"),
    [(resource.RLIM_INFINITY, (MOST_MEMORY, resource.RLIM_INFINITY)), (1 << 30, (1 << 30, 1 << 30))],
)
def test_a_run_has_four_gigabytes_or_what_the_oracle_itself_has(
    monkeypatch: pytest.MonkeyPatch, most: int, limits: tuple[int, int]
) -> None:
    asked: list[tuple[int, tuple[int, int]]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (most, most))
    monkeypatch.setattr(resource, "setrlimit", lambda what, to: asked.append((what, to)))
    _spare_the_machine()
    assert asked == [(resource.RLIMIT_AS, limits)]


def test_what_a_failed_test_leaves_behind_is_not_there_for_the_next_mutant(project: Path) -> None:
    tests = "import os\nfrom adult import adult\n\n\ndef test_it():\n"
    tests += "    os.mkdir('out')\n    assert adult(18)\n    os.rmdir('out')\n"
    (project / "test_adult.py").write_text(tests, encoding="utf-8")
    assert compared(project, KILLED, SURVIVED) == {KILLED["id"]: ("fails", True), SURVIVED["id"]: ("passes", True)}
    assert not (project / "out").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("not JSON", "is no JSON report"),
        ("[]", "is no report of fencepost; `fencepost run -o json:PATH` writes one"),
        ('{"mutants": []}', "is no report of fencepost"),
        (json.dumps(a_report({**KILLED, "original": "age > 18"})), "adult.py is not as it was"),
        (json.dumps(a_report({**KILLED, "path": "gone.py"})), "gone.py is not as it was"),
    ],
)
def test_a_report_that_is_none_or_of_other_code_ends_with_2_and_says_what_to_do(
    project: Path, text: str, told: str
) -> None:
    path = project / "report.json"
    path.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, [str(path), "--root", str(project)])
    assert done.exit_code == 2
    assert told in done.output


def test_environments_are_not_copied_whatever_their_name(project: Path) -> None:
    for name in ("v/pyvenv.cfg", "kept/v.cfg", ".venv/x"):
        (project / name).parent.mkdir()
        (project / name).touch()
    copy = Copy(project, [], [], 60)
    assert sorted(path.name for path in copy.root.iterdir()) == ["adult.py", "kept", "test_adult.py"]
    copy.remove()
    assert not copy.folder.exists()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found in /proc")
@pytest.mark.parametrize("environment", ["None", "{}"])
def test_what_the_tests_leave_running_is_ended(project: Path, environment: str) -> None:
    mark = f"oracle-{project.parent.name}"
    daemon = (
        "import subprocess, sys\n\nfrom adult import adult\n\n\ndef test_it():\n    subprocess.Popen([sys.executable,"
    )
    daemon += f" '-c', 'import time; time.sleep(600)', '{mark}'], start_new_session=True, env={environment})\n"
    (project / "test_adult.py").write_text(daemon + "    assert adult(18)\n", encoding="utf-8")
    (project / "report.json").write_text(json.dumps(a_report(KILLED, SURVIVED)), encoding="utf-8")
    program = [sys.executable, "-m", "fencepost.analyzer.oracle", "report.json"]
    done = subprocess.run(program, cwd=project, capture_output=True, text=True, check=False)
    assert done.stdout.endswith("2 of 2 verdicts agree with a hand edit and a whole fresh run\n"), done
    assert not [path for path in Path("/proc").glob("[0-9]*/cmdline") if mark.encode() in text_of(path)]


def text_of(path: Path) -> bytes:
    """The bytes of a file of a process, none where that has ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def test_the_oracle_ends_its_runs_when_it_is_ended(project: Path) -> None:
    marked = project / "started"
    tests = "import pathlib, time\n\nfrom adult import adult\n\n\ndef test_it():\n    assert adult(18)\n"
    tests += f"    if not adult(99):\n        pathlib.Path({str(marked)!r}).touch()\n        time.sleep(600)\n"
    (project / "test_adult.py").write_text(tests, encoding="utf-8")
    hangs = {**KILLED, "replacement": "age == 18"}
    (project / "report.json").write_text(json.dumps(a_report(hangs)), encoding="utf-8")
    program = [sys.executable, "-m", "fencepost.analyzer.oracle", "report.json"]
    with subprocess.Popen(program, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as oracle:
        deadline = time.monotonic() + 60
        while not marked.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        oracle.send_signal(signal.SIGTERM)
        output, _ = oracle.communicate(timeout=20)
    assert (oracle.returncode, output) == (ENDED, "")
