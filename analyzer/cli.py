"""The command line: reads options, calls the pipeline, renders, and turns errors into exit codes."""

from __future__ import annotations

import inspect
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import fencepost
from fencepost.analyzer import pipeline, store
from fencepost.analyzer.changes import clean_commit
from fencepost.analyzer.command_options import (
    operators_option,
    output_options,
    scope_options,
    settings_of,
    standard_error,
    standard_output,
)
from fencepost.analyzer.comment_command import comment
from fencepost.analyzer.errors import ExitCode, FencepostError, UsageProblem, nearest_name_hint
from fencepost.analyzer.gate_command import baseline, gate
from fencepost.analyzer.leftovers import adopt_orphans
from fencepost.analyzer.progress import Bar
from fencepost.analyzer.rule_choice import find_rule
from fencepost.analyzer.settings import find_root
from fencepost.analyzer.suite_run import Options
from fencepost.rules import every_rule

EPILOG = """\b
Start here:
  fencepost gaps                     where do my tests stand? (one run of the tests)
  fencepost plan src/shop/prices.py  what should tests of this file list?
  fencepost run                      would my tests notice?
  fencepost gate                     would they notice what this branch changed?
  fencepost show ID                  one mutant, from the last run
  fencepost run src/shop/prices.py   only this file
  fencepost run -- tests/test_x.py   judged by these tests alone

\b
Exit codes: 0 done; 1 the policy of a gate is broken; 2 wrong usage or configuration; 3 the unmutated
tests fail or are none; 4 the run is incomplete; 70 a fault in fencepost.
"""


class _Group(click.Group):
    """Suggests the nearest command for a mistyped one, and keeps what follows `--` for pytest."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            hint = nearest_name_hint(args[0], self.list_commands(ctx))
            raise click.UsageError(f"there is no command '{args[0]}'; {hint}", ctx) from error


@click.group(
    cls=_Group, epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(fencepost.__version__, prog_name="fencepost")
def cli() -> None:
    """Would my tests notice?

    fencepost changes the thresholds (`age >= 18`) and normalizing calls (`name.strip()`) of your code, one at a time
    and in memory only, and tells which changes no test of yours would notice, and which test to write.

    It needs no configuration: it finds the source and runs the tests that pytest would. [tool.fencepost] in
    pyproject.toml holds what you want to fix: source, tests, pytest-args, jobs, rules, operators, ignore,
    timeout-factor, timeout-seconds; the table [tool.fencepost.normalizers] holds your own normalizing calls (fencepost
    explain FP216), and [tool.fencepost.gate] the policy of the gate (fencepost gate --help).
    """


@cli.command()
@scope_options
@operators_option
@click.option("--show-ignored", is_flag=True, help="List the ignored sites too, with their reasons.")
def scan(
    paths: Sequence[str],
    *,
    show_ignored: bool,
    **options: Any,
) -> None:
    """List the thresholds and normalizing calls of the source, and what each asks of a test. Runs nothing."""
    from fencepost.reports import sites_page

    settings = settings_of(paths, **options)
    with Bar(standard_error()) as bar:
        files = pipeline.scan(settings, bar)
    sites_page.report(files, standard_output(), settings.root, show_ignored=show_ignored)


@cli.command()
@scope_options
@operators_option
@click.option("--tests", multiple=True, metavar="PATH", help="Judge by these test files or folders (repeatable).")
@click.option("--leave-out-failing", is_flag=True, help="Go on without the tests that fail unmutated.")
@click.option("--fresh", is_flag=True, help="Run everything again, whatever earlier runs found out.")
@click.option("--no-cache", is_flag=True, help="The same, and keep nothing of it for later runs.")
@click.option("--timeout-factor", type=float, metavar="N", help="A mutant hangs after N times the time of its tests.")
@output_options
@click.pass_context
def run(
    ctx: click.Context,
    /,
    paths: Sequence[str],
    outputs: Sequence[str],
    limit: int,
    *,
    leave_out_failing: bool,
    fresh: bool,
    no_cache: bool,
    show_all: bool,
    **options: Any,
) -> None:
    """Run everything: sites, one unmutated run of the tests, the mutants that could matter, verdicts, score.

    PATHS are source files or folders. What follows `--` goes to pytest.
    """
    from fencepost import reports

    chosen = [reports.parse_output(text) for text in outputs]
    settings = settings_of(paths, pytest_args=ctx.obj, **options)
    # a run of everything as it was committed tells a later gate what the tests protected
    is_whole = not paths and not ctx.obj and not any(options.values())
    commit = clean_commit(settings.root) if is_whole else None
    with Bar(standard_error()) as bar:
        how = Options(leave_out_failing=leave_out_failing, fresh=fresh or no_cache, cache=not no_cache)
        result = pipeline.run(settings, bar, how)
    store.save(result, commit if result.complete else None)
    reports.write(result, chosen, settings.root, limit=None if show_all else limit)
    ctx.exit(ExitCode.OK if result.complete else ExitCode.INCOMPLETE)


@cli.command()
@scope_options
@click.option("--base", metavar="REF", help="Only what differs from the last commit shared with REF.")
@click.option("--json", "as_json", is_flag=True, help="As data instead of a checklist.")
def plan(paths: Sequence[str], base: str | None, *, as_json: bool, **options: Any) -> None:
    """What to list before the first assertion: the inputs that tests of this code should bring. Runs nothing.

    For each threshold the three inputs around it, for each normalizing call an input that it changes; as a checklist
    in Markdown. PATHS are source files or folders.
    """
    from fencepost.analyzer.changes import changed_lines, narrowed
    from fencepost.reports import plan_page

    settings = settings_of(paths, **options)
    changes = None if base is None else changed_lines(settings.root, base)
    with Bar(standard_error()) as bar:
        files = pipeline.scan(settings, bar)
    if changes is not None:
        files = list(narrowed(files, changes))
    write = plan_page.as_json if as_json else plan_page.markdown
    write(files, sys.stdout)


@cli.command()
@scope_options
@operators_option
@click.option("--tests", multiple=True, metavar="PATH", help="Only these test files or folders (repeatable).")
@click.option("--leave-out-failing", is_flag=True, help="Go on without the tests that fail.")
@output_options
@click.pass_context
def gaps(
    ctx: click.Context,
    /,
    paths: Sequence[str],
    outputs: Sequence[str],
    limit: int,
    *,
    leave_out_failing: bool,
    show_all: bool,
    **options: Any,
) -> None:
    """The boundary-test gap report: where do the tests stand around each threshold, what do they never feed?

    It takes one run of the tests and changes nothing. For each threshold it tells how many tests stand just below,
    exactly at and just above it; for each normalizing call, whether any input shows it. Each gap comes with the
    question to decide and a test to start from.

    PATHS are source files or folders. What follows `--` goes to pytest.
    """
    from fencepost import reports

    chosen = [reports.parse_output(text) for text in outputs]
    settings = settings_of(paths, pytest_args=ctx.obj, **options)
    with Bar(standard_error()) as bar:
        result = pipeline.gaps(settings, bar, Options(leave_out_failing=leave_out_failing))
    store.save(result)
    reports.write(result, chosen, settings.root, limit=None if show_all else limit)


@cli.command()
@click.option("-n", "--times", type=click.IntRange(min=2), default=20, show_default=True, help="Runs of the suite.")
@click.option("--tests", multiple=True, metavar="PATH", help="Only these test files or folders (repeatable).")
@click.option("-j", "--jobs", type=int, metavar="N", help="Processes at once; default: one for each core.")
@click.pass_context
def flaky(ctx: click.Context, times: int, tests: tuple[str, ...], jobs: int | None) -> None:
    """Run the suite again and again, every second time in another order: which tests cannot be trusted?

    What follows `--` goes to pytest. Ends with 1 where a test passes or fails by chance.
    """
    from fencepost.analyzer.flaky import find_wavering
    from fencepost.reports import flaky_page

    settings = settings_of((), pytest_args=ctx.obj, tests=tests, jobs=jobs)
    with Bar(standard_error()) as bar:
        found = find_wavering(settings, times, bar)
    flaky_page.report(found, times, standard_output())
    ctx.exit(ExitCode.POLICY_BROKEN if any(one.by_chance for one in found) else ExitCode.OK)


@cli.command()
@output_options
def report(outputs: Sequence[str], limit: int, *, show_all: bool) -> None:
    """Render the last run again, without running anything."""
    from fencepost import reports

    chosen = [reports.parse_output(text) for text in outputs]
    root = find_root(Path.cwd())
    reports.write(store.load(root), chosen, root, limit=None if show_all else limit)


@cli.command()
@click.argument("mutant_id", metavar="ID")
def show(mutant_id: str) -> None:
    """Show one mutant of the last run: its diff, who reaches and infects it, what was seen, how it was killed.

    ID may be shortened as long as it names one mutant.
    """
    from fencepost.reports import mutant_page

    root = find_root(Path.cwd())
    mutant_page.report(store.load(root), mutant_id, standard_output(), root)


@cli.command()
@click.option("--github", is_flag=True, help="Write a workflow for pull requests too.")
def init(*, github: bool) -> None:
    """Write the settings into pyproject.toml, and a workflow if it is asked for; what is there is left alone."""
    from fencepost.analyzer.first_steps import set_up

    for done in set_up(find_root(Path.cwd()), github=github):
        click.echo(done)
    click.echo("next: fencepost gaps")


@cli.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    r"""Print what completes commands and options in a shell.

    \b
    bash: fencepost completion bash >> ~/.bashrc
    zsh:  fencepost completion zsh >> ~/.zshrc
    fish: fencepost completion fish > ~/.config/fish/completions/fencepost.fish
    """
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None  # noqa: S101 - click has all three
    click.echo(kind(cli, {}, "fencepost", "_FENCEPOST_COMPLETE").source())


@cli.command("rules")
def list_rules() -> None:
    """List the rules."""
    for rule in every_rule():
        summary = f"{inspect.getdoc(rule)}".splitlines()[0]
        click.echo(f"{rule.code}  {rule.name:<16}  {summary}")


@cli.command()
@click.argument("rule_name", metavar="CODE")
def explain(rule_name: str) -> None:
    """Explain one rule, by code or name: what it does, why it matters, what to do, with examples."""
    from rich.markdown import Markdown

    rule = find_rule(rule_name)
    parts = [f"# {rule.code} {rule.name}", f"{inspect.getdoc(rule)}"]
    for title, examples in (("Noticed", rule.VALID), ("Not noticed", rule.INVALID)):
        for example in examples[:1]:
            survivors = "".join(f"\n\nNo test notices `{text}`." for text in example.survivors)
            parts.append(f"## {title}\n\n```python\n{example.code}\n{example.tests}```{survivors}")
    standard_output().print(Markdown("\n\n".join(parts), code_theme="ansi_dark", hyperlinks=False))


cli.add_command(gate)
cli.add_command(baseline)
cli.add_command(comment)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command `fencepost`; ends the process with one of `ExitCode`."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    given, for_pytest = _split(given)
    _stand_on_open_streams()
    warnings.simplefilter("ignore", SyntaxWarning)  # what Python thinks of the code under test, its own run says
    adopt_orphans()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)  # a CI that cancels, a terminal that closes: as Ctrl-C
    try:
        code = cli.main(given, prog_name="fencepost", standalone_mode=False, obj=tuple(for_pytest))
    except click.ClickException as error:
        error.show()
        code = ExitCode.USAGE
    except (click.Abort, KeyboardInterrupt):
        standard_error().print("interrupted before anything was judged; run it again", style="yellow")
        code = ExitCode.INCOMPLETE
    except FencepostError as error:
        code = _tell(error)
    except (BrokenPipeError, SystemExit):  # rich makes the second out of the first
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has gone, as `head` does
        code = ExitCode.OK
    except OSError as error:
        where = f"'{error.filename}': " if error.filename else ""
        hint = "is there room on the disk, and may you read and write here?"
        code = _tell(UsageProblem(f"{where}{error.strerror or error}", slug="no-access", hint=hint))
    except Exception:  # noqa: BLE001 - the last stop: everything unforeseen is a fault of ours
        traceback.print_exc()
        standard_error().print("this is a fault in fencepost; please report it with the lines above", style="red")
        code = ExitCode.INTERNAL
    sys.exit(code)


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _stand_on_open_streams() -> None:
    """Open what the caller closed of standard input, output and error: our pipes must not land there."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - stays open to the end
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - stays open to the end


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What comes before and after the first `--`."""
    if "--" not in arguments:
        return arguments, []
    place = arguments.index("--")
    return arguments[:place], arguments[place + 1 :]


def _tell(error: FencepostError) -> ExitCode:
    console = standard_error()
    console.print(f"error[{error.slug}]: {error}", style="red", markup=False, soft_wrap=True)
    console.print(f"  hint: {error.hint}", markup=False, soft_wrap=True)
    return error.exit_code
