"""What several commands share: the options that say what is looked at and how it is told, and where it is told."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from fencepost.analyzer.rule_choice import RuleChoice
from fencepost.analyzer.settings import OPERATORS, Settings, find_root, load_settings
from fencepost.reports import formats


def scope_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what is looked at, shared by all commands that read source."""
    options = [
        click.argument("paths", nargs=-1, type=click.Path()),
        click.option(
            "--rules",
            "rules",
            multiple=True,
            metavar="RULE",
            help="Only this rule, by code, name or beginning of codes (repeatable).",
        ),
        click.option(
            "--ignore", multiple=True, metavar="PATTERN", help="Leave out matching paths, as in 'src/vendor/*'."
        ),
        click.option("-j", "--jobs", type=int, metavar="N", help="Processes at once; default: one for each core."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def operators_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """The option for more changes than those of thresholds and normalizing calls."""
    option = click.option(
        "--operators",
        type=click.Choice(OPERATORS),
        help="all: change arithmetic, logic, literals, arguments, results, statements too (FP5xx). Default: default.",
    )
    return option(command)


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say how a run is told."""
    options = [
        click.option(
            "-o", "--output", "outputs", multiple=True, default=["terminal"], metavar="FORMAT[:PATH]",
            help=f"{', '.join(formats())}; to standard output or a file (repeatable). Default: terminal.",
        ),
        click.option(
            "--limit", type=click.IntRange(min=0), default=20, show_default=True, help="Show at most so many gaps."
        ),
        click.option("--all", "show_all", is_flag=True, help="Show every gap."),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def settings_of(paths: Sequence[str], **options: Any) -> Settings:
    """The settings of the project around the working directory; paths are taken from there."""
    here = Path.cwd()
    root = find_root(here)
    given = {name: value for name, value in options.items() if value not in (None, ())}
    if "rules" in given:
        given["rules"] = RuleChoice(given["rules"])
    if paths:
        given["source"] = tuple(os.path.relpath(here / path, root) for path in paths)
    return load_settings(root, given)


def standard_output() -> Console:
    """Standard output, as wide as a report where nobody watches."""
    piped = not sys.stdout.isatty()
    return Console(width=100 if piped else None, highlight=False, soft_wrap=piped)


def standard_error() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False)
