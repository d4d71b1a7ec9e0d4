"""The commands of the gate: `gate` and `baseline`."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from fencepost import reports
from fencepost.analyzer import pipeline, store
from fencepost.analyzer.baseline import write_baseline
from fencepost.analyzer.changes import Changes, changes_of_diff, changes_since, default_base, staged_changes
from fencepost.analyzer.command_options import (
    operators_option,
    output_options,
    scope_options,
    settings_of,
    standard_error,
    standard_output,
)
from fencepost.analyzer.errors import ExitCode, UsageProblem
from fencepost.analyzer.model import Run
from fencepost.analyzer.policy import MAY_FAIL, Policy
from fencepost.analyzer.progress import Bar
from fencepost.analyzer.settings import Settings
from fencepost.analyzer.suite_run import Options

POLICY_OPTIONS = [
    click.option(
        "--fail-on", multiple=True, metavar="VERDICT",
        help=f"What breaks the policy: {', '.join(MAY_FAIL)} (repeatable). Default: the first three.",
    ),
    click.option("--min-score", type=float, metavar="PERCENT", help="The least score of the mutants in scope."),
    click.option("--budget", type=float, metavar="SECONDS", help="What is not tried by then is unknown."),
    click.option("--allow-incomplete", is_flag=True, default=None, help="Pass over what was not tried."),
    click.option("--baseline", metavar="FILE", help="Accepted gaps. Default: fencepost-baseline.txt."),
]  # fmt: skip


def _policy_options(command: Any) -> Any:
    for option in reversed(POLICY_OPTIONS):
        command = option(command)
    return command


@click.command()
@scope_options
@operators_option
@click.option("--base", metavar="REF", help="Compare with where the work left REF. Default: the remote's main branch.")
@click.option("--staged", is_flag=True, help="Only what the next commit would bring.")
@click.option("--diff", "diff", metavar="FILE|-", help="Only what a unified diff changed, which is applied already.")
@click.option("--run-base", is_flag=True, help="Where tests changed and no run of the base is kept, run the base too.")
@click.option("--tests", multiple=True, metavar="PATH", help="Judge by these test files or folders (repeatable).")
@click.option("--leave-out-failing", is_flag=True, help="Go on without the tests that fail unmutated.")
@click.option("--fresh", is_flag=True, help="Run everything again, whatever earlier runs found out.")
@click.option("--no-cache", is_flag=True, help="The same, and keep nothing of it for later runs.")
@_policy_options
@output_options
@click.pass_context
def gate(
    ctx: click.Context,
    /,
    paths: Sequence[str],
    outputs: Sequence[str],
    limit: int,
    *,
    base: str | None,
    staged: bool,
    diff: str | None,
    run_base: bool,
    leave_out_failing: bool,
    fresh: bool,
    no_cache: bool,
    show_all: bool,
    **options: Any,
) -> None:
    r"""Would my tests notice what this work changed? For a pull request or before it.

    It looks at the lines that differ from the merge base, committed or not, runs the mutants on them with the tests
    that could notice, and ends with 0 if the policy holds and with 1 if it does not. The policy is in
    [tool.fencepost.gate]: fail-on, min-score, budget, allow-incomplete, baseline, severity, base, shown-per-line,
    shown-per-file. PATHS narrow it further; what follows `--` goes to pytest.

    \b
    fencepost gate                              against the main branch of the remote
    fencepost gate --base v2.1                  against a tag
    fencepost gate --staged                     in a pre-commit hook
    git diff v2.1 | fencepost gate --diff -     of a diff
    """
    chosen = [reports.parse_output(text) for text in outputs]
    policy = {field.name for field in dataclasses.fields(Policy)}
    given = {name: value for name, value in options.items() if name in policy and value not in (None, ())}
    others = {name: value for name, value in options.items() if name not in policy}
    settings = _with_policy(settings_of(paths, pytest_args=ctx.obj, **others), given)
    if given.get("baseline") and not (settings.root / settings.gate.baseline).is_file():
        raise _no_baseline(settings.gate.baseline)
    changes = _changes(settings, base, diff, staged=staged)
    with Bar(standard_error()) as bar:
        how = Options(leave_out_failing=leave_out_failing, fresh=fresh or no_cache, cache=not no_cache)
        result = pipeline.gate(settings, bar, changes, how, run_base=run_base)
    store.save(result)
    reports.write(result, chosen, settings.root, limit=None if show_all else limit)
    ctx.exit(_exit_code(result, settings.gate))


def _with_policy(settings: Settings, given: dict[str, Any]) -> Settings:
    policy = dataclasses.replace(settings.gate, **given)
    policy.check()
    return dataclasses.replace(settings, gate=policy)


def _no_baseline(name: str) -> UsageProblem:
    return UsageProblem(
        f"there is no baseline '{name}'", slug="no-baseline", hint="`fencepost baseline write` writes one"
    )


def _changes(settings: Settings, base: str | None, diff: str | None, *, staged: bool) -> Changes:
    if (base is not None) + staged + (diff is not None) > 1:
        raise UsageProblem(
            "--base, --staged and --diff exclude each other", slug="two-scopes", hint="give one of them, or none"
        )
    if staged:
        return staged_changes(settings.root)
    if diff is not None:
        return changes_of_diff(settings.root, _text_of(diff))
    return changes_since(settings.root, base or settings.gate.base or default_base(settings.root))


def _text_of(diff: str) -> str:
    if diff == "-":
        return sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    try:
        return Path(diff).read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise UsageProblem(
            f"the diff '{diff}' cannot be read: {error.strerror}", slug="no-such-diff", hint="is the path right?"
        ) from error


def _exit_code(run: Run, policy: Policy) -> ExitCode:
    if run.gate is not None and run.gate.broken:
        return ExitCode.POLICY_BROKEN
    return ExitCode.OK if run.complete or policy.allow_incomplete else ExitCode.INCOMPLETE


@click.group()
def baseline() -> None:
    """The gaps that are accepted today, so that the gate fails only on new ones."""


@baseline.command()
@click.option("-o", "--output", metavar="FILE", help="Default: the baseline of the settings.")
def write(output: str | None) -> None:
    """Accept every gap of the last `fencepost run`: write them into a file for the repository."""
    settings = settings_of(())
    run = store.load(settings.root)
    if run.command != "run" or not run.complete:
        what = f"`fencepost {run.command}`" if run.complete else "interrupted"
        raise UsageProblem(
            f"the last run here is no whole one: it was {what}",
            slug="no-whole-run", hint="run `fencepost run` first: the baseline is written from it",
        )  # fmt: skip
    path = Path(output) if output else settings.root / settings.gate.baseline
    entries = write_baseline(path, run)
    standard_output().print(f"{len(entries)} accepted in {path.name}; commit it beside the code", markup=False)
