"""The command line in this process: what each command prints, and how errors become exit codes."""

from __future__ import annotations

import dataclasses
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import click
import pytest

import fencepost
from fencepost.analyzer import cli, flaky, pipeline, store
from fencepost.analyzer.errors import RunnerLost, TestsFail
from fencepost.analyzer.model import FileScan, Judgement, Run, Verdict
from fencepost.analyzer.rule_choice import RuleChoice
from fencepost.analyzer.scan import scan_source
from fencepost.analyzer.settings import Settings
from fencepost.analyzer.suite_run import Options
from fencepost.rules import all_rules, every_rule

SHOP = "def adult(age):\n    return age >= 18\n\n\ndef child(age):\n    return age < 12  # pragma: no mutate\n"


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


Command = Callable[..., Said]


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one file, which is the working directory."""
    (tmp_path / "pyproject.toml").write_text("", encoding="utf-8")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "shop.py").write_text(SHOP, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Runs the command with arguments in this process."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]

    def run(*arguments: str, from_system: bool = False) -> Said:
        with pytest.raises(SystemExit) as ended:
            cli.main(None if from_system else arguments)
        said = capsys.readouterr()
        return Said(int(ended.value.code or 0), said.out, said.err)

    yield run
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def keep_a_run(root: Path) -> Run:
    """Store a run of the shop in which no mutant is noticed."""
    file_scan = scan_source(SHOP.encode(), "src/shop.py", all_rules())
    mutants = [mutant.id for site in file_scan.sites for mutant in site.mutants]
    judgements = {mutant: Judgement(mutant, Verdict.NOT_REACHED, "") for mutant in mutants}
    run = Run("run", str(root), (), (file_scan,), None, judgements)
    store.save(run)
    return run


def fail(monkeypatch: pytest.MonkeyPatch, action: Callable[[], object]) -> None:
    """Let something happen in the middle of `fencepost report`."""
    monkeypatch.setattr(store, "load", lambda _root: action())


def raising(error: BaseException) -> Callable[[], NoReturn]:
    def action() -> NoReturn:
        raise error

    return action


# what the arguments mean


def test_the_arguments_are_those_of_the_process_where_none_are_given(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["fencepost", "--version"])
    said = command(from_system=True)
    assert (said.code, said.out) == (0, f"fencepost, version {fencepost.__version__}\n")


def test_given_arguments_stand_in_for_those_of_the_process(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["fencepost", "--version"])
    assert command("rules").out.startswith("FP101  boundary-at")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("scan", ["PATHS", "--rules", "--ignore", "--jobs", "--show-ignored"]),
        ("run", ["PATHS", "--rules", "--ignore", "--jobs", "--tests", "--output", "--limit", "--all"]),
        ("report", ["--output", "--limit", "--all", "--help"]),
    ],
)
def test_the_help_of_a_command_names_its_options_in_the_order_of_their_use(
    command: Command, name: str, options: list[str]
) -> None:
    said = command(name, "--help")
    places = [said.out.index(option) for option in options]
    assert said.code == 0
    assert places == sorted(places)


def test_what_follows_two_dashes_goes_to_pytest_and_not_to_the_command() -> None:
    arguments = ["run", "src", "--", "-k", "adult", "--", "x"]
    assert cli._split(arguments) == (["run", "src"], ["-k", "adult", "--", "x"])
    assert cli._split(["run", "src"]) == (["run", "src"], [])


def test_a_mistyped_command_is_answered_with_the_nearest_one(command: Command) -> None:
    said = command("exlain", "FP101")
    assert said.code == 2
    assert "there is no command 'exlain'; did you mean 'explain'?" in said.err


@pytest.mark.usefixtures("shop")
def test_a_mistyped_option_is_wrong_usage(command: Command) -> None:
    said = command("scan", "--show-ignord")
    assert said.code == 2
    assert "--show-ignored" in said.err


# the commands


def test_a_scan_lists_the_sites_of_a_project_and_runs_nothing(command: Command, shop: Path) -> None:
    said = command("scan", "-j", "1")
    assert (said.code, said.err.strip()) == (0, "")
    assert "src/shop.py:2:12  FP101 boundary-at  in adult\n" in said.out
    assert "in child" not in said.out
    assert not (shop / ".fencepost").exists()


@pytest.mark.usefixtures("shop")
def test_a_scan_shows_what_is_ignored_when_it_is_asked_to(command: Command) -> None:
    assert "in child" in command("scan", "--show-ignored").out


@pytest.mark.usefixtures("shop")
def test_a_scan_of_chosen_rules_lists_no_others(command: Command) -> None:
    out = command("scan", "--rules", "boundary-below").out
    assert "FP102" in out
    assert "FP101" not in out


def test_a_path_is_taken_from_the_working_directory(
    command: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "src" / "other.py").write_text("def old(age):\n    return age >= 65\n", encoding="utf-8")
    monkeypatch.chdir(shop / "src")
    out = command("scan", "other.py").out
    assert "src/other.py:2:12" in out
    assert "shop.py" not in out


def test_the_last_run_is_rendered_again_for_people(command: Command, shop: Path) -> None:
    keep_a_run(shop)
    said = command("report")
    assert said.code == 0
    assert "src/shop.py:2:12  FP101 boundary-at  not-reached" in said.out


def test_the_last_run_is_rendered_again_in_each_chosen_format(command: Command, shop: Path) -> None:
    keep_a_run(shop)
    said = command("report", "-o", "json", "-o", "json:report.json")
    assert said.code == 0
    assert said.out == (shop / "report.json").read_text(encoding="utf-8")
    assert json.loads(said.out)["command"] == "run"


def test_a_limit_holds_gaps_back_and_all_shows_them(command: Command, shop: Path) -> None:
    keep_a_run(shop)
    assert "not-reached  [" not in command("report", "--limit", "0").out
    assert command("report", "--limit", "1").out.count("not-reached  [") == 1
    assert command("report", "--limit", "1", "--all").out.count("not-reached  [") > 1


def test_a_mutant_of_the_last_run_is_shown_by_its_id(command: Command, shop: Path) -> None:
    mutant = keep_a_run(shop).files[0].sites[0].mutants[0]
    said = command("show", mutant.id)
    assert said.code == 0
    assert f"+    return {mutant.replacement}\n" in said.out


def test_every_rule_is_listed_with_its_summary(command: Command) -> None:
    lines = command("rules").out.splitlines()
    assert [line.split()[:2] for line in lines] == [[rule.code, rule.name] for rule in every_rule()]
    assert all(len(line) > 30 for line in lines)


@pytest.mark.parametrize("name", ["FP101", "fp101", "boundary-at"])
def test_a_rule_is_explained_by_code_or_name_with_examples(command: Command, name: str) -> None:
    said = command("explain", name)
    assert said.code == 0
    for part in ("FP101 boundary-at", "What it does", "Why it matters", "What to do", "Noticed", "Not noticed"):
        assert part in said.out
    assert "No test notices" in said.out


# what is handed on


@pytest.mark.parametrize(("complete", "code"), [(True, 0), (False, 4)])
def test_a_run_is_kept_and_rendered_and_ends_with_4_where_it_is_incomplete(
    command: Command, shop: Path, monkeypatch: pytest.MonkeyPatch, *, complete: bool, code: int
) -> None:
    asked: list[tuple[Settings, Options]] = []
    result = dataclasses.replace(keep_a_run(shop), complete=complete, notes=("just now",))

    def run(settings: Settings, _bar: object, options: Options) -> Run:
        asked.append((settings, options))
        return result

    monkeypatch.setattr(pipeline, "run", run)
    said = command("run", "src", "--tests", "tests", "-j", "2", "--fresh", "--timeout-factor", "3", "--", "-k", "x")
    assert said.code == code
    assert "note: just now" in said.out
    assert store.load(shop) == result
    wanted = Settings(("src",), ("tests",), ("-k", "x"), jobs=2, timeout_factor=3.0, root=shop)
    assert asked == [(wanted, Options(fresh=True))]


def test_options_that_are_not_given_leave_the_settings_of_the_project(
    command: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shop / "pyproject.toml").write_text('[tool.fencepost]\njobs = 3\nrules = ["FP101"]\n', encoding="utf-8")
    asked: list[Settings] = []

    def scan(settings: Settings, _bar: object) -> list[FileScan]:
        asked.append(settings)
        return []

    monkeypatch.setattr(pipeline, "scan", scan)
    assert command("scan").code == 0
    assert asked == [Settings(jobs=3, rules=RuleChoice(("FP101",)), root=shop)]


@pytest.mark.parametrize(("failed", "code"), [(1, 1), (2, 0)])
def test_a_search_for_flaky_tests_ends_with_1_only_where_one_fails_by_chance(
    command: Command, shop: Path, monkeypatch: pytest.MonkeyPatch, failed: int, code: int
) -> None:
    asked: list[tuple[Settings, int]] = []

    def find(settings: Settings, times: int, _bar: object) -> list[flaky.Wavering]:
        asked.append((settings, times))
        return [flaky.Wavering("t::one", failed, 2, 2, 2, "E: odd")]

    monkeypatch.setattr(flaky, "find_wavering", find)
    said = command("flaky", "-n", "4", "--", "-k", "x")
    assert said.code == code
    assert said.out.startswith("t::one: ")
    assert asked == [(Settings(pytest_args=("-k", "x"), root=shop), 4)]


# errors and exit codes


def test_a_problem_of_usage_is_told_with_its_slug_and_hint(command: Command) -> None:
    said = command("explain", "FP1011")
    assert said.code == 2
    assert said.err == "error[unknown-rule]: there is no rule 'FP1011'\n  hint: did you mean 'FP101'?\n"


@pytest.mark.parametrize(("kind", "code"), [(TestsFail, 3), (RunnerLost, 4)])
@pytest.mark.usefixtures("shop")
def test_an_error_ends_the_command_with_its_own_exit_code(
    command: Command, monkeypatch: pytest.MonkeyPatch, kind: type[TestsFail | RunnerLost], code: int
) -> None:
    fail(monkeypatch, raising(kind("[red]odd[/red]", slug="odd", hint="[look]")))
    said = command("report")
    assert (said.code, said.err) == (code, "error[odd]: [red]odd[/red]\n  hint: [look]\n")


def test_a_file_that_cannot_be_read_is_told_with_its_name(command: Command, shop: Path) -> None:
    (shop / ".fencepost" / "last-run.json").mkdir(parents=True)
    said = command("report")
    assert said.code == 2
    assert said.err.startswith(f"error[no-access]: '{shop}/.fencepost/last-run.json': Is a directory\n")


@pytest.mark.usefixtures("shop")
def test_an_error_of_the_system_without_a_reason_is_told_by_its_own_words(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, raising(OSError("the disk is gone")))
    said = command("report")
    assert said.code == 2
    assert said.err.startswith("error[no-access]: the disk is gone\n")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), click.Abort()])
@pytest.mark.usefixtures("shop")
def test_an_interruption_is_told_and_leaves_the_run_incomplete(
    command: Command, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    fail(monkeypatch, raising(error))
    said = command("report")
    assert said.code == 4
    assert "interrupted before anything was judged" in said.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
@pytest.mark.usefixtures("shop")
def test_a_signal_that_ends_the_command_is_an_interruption(
    command: Command, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    fail(monkeypatch, lambda: signal.raise_signal(number))
    assert command("report").code == 4


@pytest.mark.usefixtures("shop")
def test_what_nobody_foresaw_is_a_fault_of_fencepost_and_says_where(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(monkeypatch, raising(ZeroDivisionError("odd")))
    said = command("report")
    assert said.code == 70
    assert "ZeroDivisionError: odd" in said.err
    assert "this is a fault in fencepost" in said.err


# standard streams


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_a_stream_that_the_caller_closed_can_be_written_to(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(sys, name, None)
    cli._stand_on_open_streams()
    with getattr(sys, name) as stream:
        assert stream.name == os.devnull
        stream.write("é\n")


def test_streams_that_are_open_stay_as_they_are() -> None:
    before = sys.stdout, sys.stderr
    cli._stand_on_open_streams()
    assert (sys.stdout, sys.stderr) == before


@pytest.mark.parametrize("descriptor", [0, 1, 2])
def test_a_descriptor_that_the_caller_closed_is_open_before_a_pipe_could_take_its_number(descriptor: int) -> None:
    kept = os.dup(descriptor)
    os.close(descriptor)
    try:
        cli._stand_on_open_streams()
        assert os.fstat(descriptor).st_rdev == Path(os.devnull).stat().st_rdev
    finally:
        os.dup2(kept, descriptor)
        os.close(kept)
