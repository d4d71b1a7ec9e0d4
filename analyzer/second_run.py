"""Before the mutants: the tests that will judge run a second time, in another order and under the guard.

A test whose result differs by chance can judge nothing and is left out. One that differs because of the order can: what
it needs is found when its kills are confirmed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.analyzer.jobs import Jobs, noticed
from fencepost.analyzer.model import Outcome
from fencepost.analyzer.observe import pieces
from fencepost.analyzer.selection import Selection

BY_CHANCE = "it passes or fails by chance"
STOPPED = "the guard against harm by mutants stops it"


@dataclass(slots=True)
class Unsteady:
    """What the second run found.

    Attributes:
        left_out: tests that can judge nothing, by number, and why.
        kernel_off: the test for whose sake the kernel's part of the guard is off; None where it is on.
    """

    left_out: dict[int, str] = field(default_factory=dict)
    kernel_off: int | None = None


class SecondRun:
    """Runs tests again, and looks into each that ends differently.

    Args:
        jobs: makes and runs jobs; its guard is loosened where a test cannot live with it.
        selection: the tests.
    """

    def __init__(self, jobs: Jobs, selection: Selection) -> None:
        self.jobs = jobs
        self.selection = selection
        self.found = Unsteady()
        self.count = 0

    def run(self, numbers: Iterable[int]) -> Unsteady:
        """Run tests backwards, in pieces, and tell which of them cannot judge."""
        chosen = sorted(set(numbers) & self.selection.passing)
        orders = [chosen[first:last][::-1] for first, last in pieces(len(chosen)) if last > first]
        jobs = [self._job(order, stop_at_first=False) for order in orders]
        for done, outcome in list(self.jobs.outcomes(jobs)):
            for number in _failing(outcome):
                reason = self._look_into(number, done)
                if reason:
                    self.found.left_out[number] = reason
        return self.found

    def _look_into(self, number: int, done: Mapping[str, Any]) -> str:
        """Why a test that ended differently in a job cannot judge; empty where it can."""
        first, second = self._passes([number]), self._passes([number])
        if first != second:
            return BY_CHANCE
        if first:
            backwards = done["numbers"][: done["numbers"].index(number) + 1]
            # under the guard that it failed under: another test may have loosened it since
            return BY_CHANCE if self._passes(backwards, guard=done["guard"]) else ""
        if self._passes([number], guard="off"):
            return self._loosen(number)
        return "" if self._passes(self._in_order(number)) else BY_CHANCE

    def _loosen(self, number: int) -> str:
        if self.jobs.guard == "kernel" and self._passes([number], guard="audit"):
            self.jobs.guard = "audit"
            self.found.kernel_off = number
            return ""
        return "" if self._passes([number]) else STOPPED

    def _in_order(self, number: int) -> list[int]:
        """A test behind all that come before it where the suite passed."""
        start = next(first for first, last in self.selection.seen.parts if first <= number < last)
        return [one for one in range(start, number + 1) if one in self.selection.passing]

    def _passes(self, numbers: Sequence[int], guard: str | None = None) -> bool:
        one = self._job(numbers, stop_at_first=False)
        if guard is not None:
            one["guard"] = guard
        ((_, outcome),) = self.jobs.outcomes([one])
        return numbers[-1] not in _failing(outcome)

    def _job(self, numbers: Sequence[int], *, stop_at_first: bool) -> dict[str, Any]:
        self.count += 1
        return self.jobs.run(f"second-{self.count}", [], numbers, stop_at_first=stop_at_first)


def _failing(outcome: Outcome) -> list[int]:
    """The tests that failed in a run, each once; one in which the process ended is one of them."""
    failing = [failure.test for failure in outcome.failures]
    if noticed(outcome) and outcome.ended_in is not None:
        failing.append(outcome.ended_in)
    return list(dict.fromkeys(failing))
