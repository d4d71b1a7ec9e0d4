"""What `fencepost flaky` prints: the tests whose result cannot be trusted, and why."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from fencepost.analyzer.flaky import Wavering
from fencepost.reports.terminal import print_prose


def report(found: Sequence[Wavering], tests_run: int, console: Console) -> None:
    """Print the tests that failed in some run, those that fail by chance first.

    Args:
        found: what was found.
        tests_run: how many times the suite was run.
        console: where to.
    """
    for one in sorted(found, key=lambda one: not one.by_chance):
        print_prose(console, f"{one.test}: {_kind(one)}", indent=0, style="red" if one.by_chance else "yellow")
        counts = (
            f"failed in {one.failed} of {one.runs} runs in order, {one.failed_shuffled} of {one.runs_shuffled} shuffled"
        )
        print_prose(console, counts, indent=4)
        print_prose(console, one.message.splitlines()[0], indent=4)
    by_chance = sum(one.by_chance for one in found)
    console.print(
        f"{tests_run} runs: {by_chance} tests pass or fail by chance, {len(found) - by_chance} otherwise fail"
    )


def _kind(one: Wavering) -> str:
    if one.by_chance:
        return "passes or fails by chance"
    if one.always:
        return "fails every time"
    return "fails in the order of the suite" if one.failed else "fails in another order, or by chance and rarely"
