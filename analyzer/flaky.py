"""Looks for tests whose result differs from run to run: the suite, unmutated, many times and in many orders."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from fencepost.analyzer import observe
from fencepost.analyzer.engine import Engine
from fencepost.analyzer.guard import Trail
from fencepost.analyzer.jobs import outcome_of
from fencepost.analyzer.model import Outcome
from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.progress import Progress
from fencepost.analyzer.settings import Settings
from fencepost.analyzer.store import open_store

LONGEST_TEST_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Wavering:
    """A test that failed in some of the runs.

    Attributes:
        test: its id.
        failed: in how many runs in the order of the suite it failed.
        runs: how many those were.
        failed_shuffled: in how many runs in another order it failed.
        runs_shuffled: how many those were.
        message: what it said the first time.
    """

    test: str
    failed: int
    runs: int
    failed_shuffled: int
    runs_shuffled: int
    message: str

    @property
    def by_chance(self) -> bool:
        """Whether it differs between runs of the same order; if not, it depends on the order or always fails."""
        return 0 < self.failed < self.runs

    @property
    def always(self) -> bool:
        """Whether it failed in every run."""
        return (self.failed, self.failed_shuffled) == (self.runs, self.runs_shuffled)


def find_wavering(settings: Settings, times: int, progress: Progress) -> list[Wavering]:
    """Run the suite so many times, every second time in another order, and tell the tests that failed, in its order.

    Raises:
        TestsFail: nothing is collected, or something cannot be.
    """
    plan = make_plan((), str(settings.root))
    arguments = (*settings.pytest_args, *settings.tests)
    with Engine(
        settings.root, open_store(settings.root), plan.document, pytest_args=arguments, jobs=settings.workers,
        pytest_in_scope=False,
    ) as engine:  # fmt: skip
        progress.begin("collecting the tests", None)
        collected = observe.collect(engine)
        engine.know_tests(collected.tests)
        engine.allow(Trail().told())
        progress.begin("running the suite again and again", times)
        return _counted(collected.tests, list(_runs(engine, collected, times, progress)))


def orders(tests: Sequence[str], times: int) -> Iterator[list[int]]:
    """The order of each run: as collected and shuffled, in turn. Tests of a file stay together, as pytest has them."""
    for turn in range(times):
        numbers = list(range(len(tests)))
        if turn % 2:
            shuffler = random.Random(turn)  # noqa: S311 - the same orders in every call, so that a find can be repeated
            shuffler.shuffle(numbers)
            files: dict[str, list[int]] = defaultdict(list)
            for number in numbers:
                files[tests[number].partition("::")[0]].append(number)
            numbers = [number for several in files.values() for number in several]
        yield numbers


def _runs(
    engine: Engine, collected: observe.Collected, times: int, progress: Progress
) -> Iterator[tuple[bool, Outcome]]:
    """Each run: whether it was in another order than the suite's, and how it ended."""
    cold: dict[str, Any] = {"cold": True, "only": []} if collected.threads else {}
    jobs = [
        observe.job(
            "run", f"flaky-{turn}", switches=[], numbers=numbers, stop_at_first=False, guard="off", memory=0, slow={},
            limit=LONGEST_TEST_SECONDS, start_seconds=0.0, load_limit=LONGEST_TEST_SECONDS,
            names=[collected.tests[one] for one in numbers], **cold,
        )
        for turn, numbers in enumerate(orders(collected.tests, times))
    ]  # fmt: skip
    for ended in engine.run(jobs):
        progress.advance()
        yield bool(int(ended.job["id"].partition("-")[2]) % 2), outcome_of(ended)


def _counted(tests: Sequence[str], runs: Sequence[tuple[bool, Outcome]]) -> list[Wavering]:
    failed: dict[tuple[int, bool], int] = defaultdict(int)
    messages: dict[int, str] = {}
    for shuffled, outcome in runs:
        told = {failure.test: f"{failure.exception}: {failure.message}" for failure in outcome.failures[::-1]}
        if outcome.ended_in is not None:
            told[outcome.ended_in] = "the process ended in it"
        for number, message in told.items():
            failed[number, shuffled] += 1
            messages.setdefault(number, message)
    total = {shuffled: sum(one == shuffled for one, _ in runs) for shuffled in (False, True)}
    return [
        Wavering(
            tests[number], failed[number, False], total[False], failed[number, True], total[True], messages[number]
        )
        for number in sorted(messages)
    ]
