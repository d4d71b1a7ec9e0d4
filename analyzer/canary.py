"""A canary proves that the tests run the code that was woven, and that their results depend on it.

It is a mutant that raises where a test was seen to pass. In a file where some mutant was killed there is nothing left
to prove; where no canary is noticed, no survivor of the file means anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fencepost.analyzer.jobs import Jobs, noticed
from fencepost.analyzer.selection import Selection

MOST_SITES = 5  # of a file in which a canary is tried
MOST_TESTS = 3  # that are run with each

UNNOTICED = "a mutant that raises here is not noticed: the tests pass whatever this file does, or run another copy"


def unproven_files(jobs: Jobs, selection: Selection, paths: Iterable[str]) -> set[str]:
    """The files of these in which no canary is noticed by tests that reach it."""
    tries = {path: _tries(jobs, selection, path) for path in sorted(paths)}
    waiting = {path: one for path, several in tries.items() if (one := next(several, None)) is not None}
    unproven: set[str] = set()
    while waiting:
        by_id = {one["id"]: path for path, one in waiting.items()}
        quiet = [by_id[done["id"]] for done, outcome in jobs.outcomes(list(waiting.values())) if not noticed(outcome)]
        waiting = {}
        for path in quiet:
            following = next(tries[path], None)
            if following is None:
                unproven.add(path)
            else:
                waiting[path] = following
    return unproven


def _tries(jobs: Jobs, selection: Selection, path: str) -> Iterator[dict[str, Any]]:
    """Jobs that raise at sites of a file, each with a few of the tests that reach it."""
    anchors: dict[int, set[int]] = {}  # in the order of the plan, which is that of the file
    for mutant_id, (probe, _) in selection.plan.probe_of.items():
        anchor = selection.plan.switches[mutant_id][0]
        if selection.plan.spans[anchor][0] == path:
            anchors.setdefault(anchor, set()).update(selection.seen.reached.get(probe, ()))
    judging = selection.passing - selection.seen.skipped
    reached = [(anchor, tests) for anchor, found in anchors.items() if (tests := found & judging)]
    for anchor, tests in _spread(reached):
        numbers = selection.telling_order(tests)[:MOST_TESTS]
        yield {**jobs.run(f"canary-{anchor}", [], numbers, stop_at_first=True), "canary": anchor}


def _spread(sites: Sequence[tuple[int, set[int]]]) -> Sequence[tuple[int, set[int]]]:
    """A few sites from all over a file."""
    step = max(1, len(sites) // MOST_SITES)
    return sites[::step][:MOST_SITES]
