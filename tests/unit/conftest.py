"""A suite told in a few words, and an engine that answers jobs from a script: what the stages of a run are tried with.

It stands where the processes begin; all on this side of it is the real thing.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from fencepost.analyzer.engine import Ended
from fencepost.analyzer.guard import Trail
from fencepost.analyzer.model import (
    FileScan,
    Infection,
    Judgement,
    Mutant,
    Observation,
    Run,
    Sighting,
    TestRecord,
    Verdict,
)
from fencepost.analyzer.observe import Collected, Seen
from fencepost.analyzer.plan import Plan, make_plan
from fencepost.analyzer.scan import scan_source
from fencepost.analyzer.selection import Selection
from fencepost.rules import all_rules

SHOP = """\
def adult(age):
    return age >= 18


def free(total):
    return total > 50


def tidy(name):
    return name.strip().lower()


def letters(word):
    return sorted(word)
"""
POST = "def heavy(grams):\n    return grams > 1000\n"
MOST_JOBS = 500
FAILURE = {"exception": "AssertionError", "message": "assert 1 == 2", "phase": "call", "raised_by": ""}


class Suite:
    """A real plan of two small files, and what an unmutated run of some tests would have told about it.

    Mutants go by their replacement text.

    Args:
        tests: ids of tests, with the seconds they take where those matter.
        infects: the tests that each mutant infects.
        reaches: the tests that reach the site of a mutant without infecting it.
        at_import: mutants that loading the code evaluates differently.
        startup: mutants that pytest evaluates differently.
        collecting: the same for the loading of test files.
        failing: tests that fail unmutated.
        parts: the pieces of the suite; one where nothing is said.
        threads: whether loading starts threads.
    """

    def __init__(
        self,
        tests: Iterable[str] | Mapping[str, float],
        *,
        infects: Mapping[str, Iterable[int]] | None = None,
        reaches: Mapping[str, Iterable[int]] | None = None,
        at_import: Iterable[str] = (),
        startup: Iterable[str] = (),
        collecting: Mapping[str, Iterable[str]] | None = None,
        failing: Iterable[int] = (),
        parts: Sequence[tuple[int, int]] = (),
        threads: bool = False,
    ) -> None:
        scans = [scan_source(text.encode(), path, all_rules()) for path, text in (("post.py", POST), ("shop.py", SHOP))]
        self.scans: list[FileScan] = scans
        self.plan: Plan = make_plan(scans, "/project")
        self.mutants = {one.replacement: one for scan in scans for site in scan.sites for one in site.mutants}
        seconds = tests if isinstance(tests, Mapping) else dict.fromkeys(tests, 0.01)
        records = [
            TestRecord(number, name, time, number not in set(failing))
            for number, (name, time) in enumerate(seconds.items())
        ]
        self.seen = Seen(records, parts or [(0, len(records))])
        self._see(infects or {}, reaches or {})
        self.collected = Collected(
            list(seconds), [], self._masks(at_import), self._masks(startup),
            {file: self._masks(several) for file, several in (collecting or {}).items()}, [], {}, {},
            threads, Trail(),
        )  # fmt: skip
        self.selection = Selection(self.plan, self.seen, self.collected)

    def mutant(self, replacement: str) -> Mutant:
        """The mutant with a replacement."""
        return self.mutants[replacement]

    def name_of(self, switch: Iterable[int]) -> str:
        """The replacement that is on with a switch."""
        by_switch = {self.plan.switches[one.id]: one.replacement for one in self.mutants.values()}
        anchor, place = switch
        return by_switch[anchor, place]

    def _see(self, infects: Mapping[str, Iterable[int]], reaches: Mapping[str, Iterable[int]]) -> None:
        reached: dict[int, set[int]] = {}
        for replacement, tests in [*infects.items(), *reaches.items()]:
            probe, _ = self.plan.probe_of[self.mutant(replacement).id]
            reached.setdefault(probe, set()).update(tests)
        self.seen.reached.update({probe: array("I", sorted(tests)) for probe, tests in reached.items()})
        for replacement, tests in infects.items():
            probe, bit = self.plan.probe_of[self.mutant(replacement).id]
            self.seen.infected.setdefault(probe, {})[bit] = array("I", tests)

    def _masks(self, replacements: Iterable[str]) -> dict[int, int]:
        masks: dict[int, int] = {}
        for replacement in replacements:
            probe, bit = self.plan.probe_of[self.mutant(replacement).id]
            masks[probe] = masks.get(probe, 0) | 1 << bit
        return masks


@dataclass
class Script:
    """What happens to tests: `fails`, `hangs` or `dies`.

    Attributes:
        under: by mutant and test.
        only_behind: the same, where another test ran before it in its process.
        needs_another: tests that fail, mutated or not, where no test ran before them.
        once: the same as `under`, but the first time alone.
        by_chance: tests that fail every other time, mutated or not.
        spoiled: tests that fail behind certain other tests, mutated or not.
        stopped: the guards under which a test fails, mutated or not.
        together: what happens where several mutants are on.
        loading: what happens, by mutant, when the code is loaded with it: `error`, `dies` or `dies once`.
        deaf: files whose canary nobody notices.
    """

    under: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    only_behind: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    needs_another: Iterable[int] = ()
    once: Mapping[str, Mapping[int, str]] = field(default_factory=dict)
    by_chance: Iterable[int] = ()
    spoiled: Mapping[int, Iterable[int]] = field(default_factory=dict)
    stopped: Mapping[int, Iterable[str]] = field(default_factory=dict)
    together: Mapping[frozenset[str], Mapping[int, str]] = field(default_factory=dict)
    loading: Mapping[str, str] = field(default_factory=dict)
    deaf: Iterable[str] = ()


class ScriptedEngine:
    """Answers each job as the script says, the first one first; remembers the jobs, and how many were under way."""

    def __init__(self, suite: Suite, script: Script, *, jobs: int = 1) -> None:
        self.suite = suite
        self.script = script
        self.jobs = jobs
        self.collect_seconds = 0.2
        self.one_at_a_time = False
        self.seen: list[Mapping[str, Any]] = []
        self.open: list[Mapping[str, Any]] = []
        self.most_open = 0
        self.happened: Counter[tuple[object, ...]] = Counter()
        self.interrupt_after: int | None = None

    def submit(self, job: Mapping[str, Any]) -> None:
        """Take a job."""
        assert job["id"] not in {one["id"] for one in self.open}, "two jobs of one id are under way"
        assert len(self.seen) < MOST_JOBS, "the run does not come to an end"
        if self.interrupt_after is not None and len(self.seen) >= self.interrupt_after:
            raise KeyboardInterrupt
        self.seen.append(job)
        self.open.append(job)
        self.most_open = max(self.most_open, len(self.open))

    def wait(self) -> Ended:
        """Answer the first job under way."""
        return self._answer(self.open.pop(0))

    def run(self, jobs: Iterable[Mapping[str, Any]]) -> Iterator[Ended]:
        """Answer several jobs."""
        jobs = list(jobs)
        for job in jobs:
            self.submit(job)
        for _ in jobs:
            yield self.wait()

    def told(self, start: str = "") -> list[tuple[list[str], list[int]]]:
        """The mutants and the tests of the jobs whose id starts so."""
        names = self.suite.name_of
        jobs = [one for one in self.seen if one["id"].startswith(start)]
        return [(sorted(names(switch) for switch in one["switches"]), one["numbers"]) for one in jobs]

    def _answer(self, job: Mapping[str, Any]) -> Ended:
        on = frozenset(self.suite.name_of(switch) for switch in job["switches"])
        loading = next((self.script.loading[one] for one in on if one in self.script.loading and job.get("cold")), "")
        if loading == "dies" or (loading == "dies once" and self._first_time(*on)):
            return Ended(job, -11, None, None, over_limit=False)
        if loading == "error":
            return self._facts(job, [], 0, {"where": "shop.py", "message": "NameError: name 'x' is not defined"})
        failures: list[dict[str, Any]] = []
        before: list[int] = []
        for ran, number in enumerate(job["numbers"], 1):
            what = self._what(on, number, before, job)
            if what in {"hangs", "dies"}:
                return Ended(job, -9 if what == "hangs" else -11, None, number, over_limit=what == "hangs")
            if what:
                # a worker that loaded the mutant runs such a test alone too, in another fork
                again = job.get("cold") and job["stop_at_first"] and not self.suite.collected.threads
                failures.append(
                    {
                        **FAILURE,
                        "test": number,
                        "preceded": bool(before) and not (again and self._what(on, number, [], job)),
                    }
                )
            before.append(number)
            if failures and job["stop_at_first"]:
                return self._facts(job, failures, ran, None)
        return self._facts(job, failures, len(job["numbers"]), None)

    def _what(self, on: frozenset[str], number: int, before: Sequence[int], job: Mapping[str, Any]) -> str:
        script = self.script
        if "canary" in job:
            return "" if self.suite.plan.spans[job["canary"]][0] in script.deaf else "fails"
        if number in script.needs_another and not before:
            return "fails"
        if number in script.by_chance and self._times("by chance", number) % 2:
            return "fails"
        if set(before) & set(script.spoiled.get(number, ())) or job["guard"] in script.stopped.get(number, ()):
            return "fails"
        for one in sorted(on):
            if number in script.once.get(one, {}) and self._first_time(one, number):
                return script.once[one][number]
            if number in script.under.get(one, {}):
                return script.under[one][number]
            if before and number in script.only_behind.get(one, {}):
                return script.only_behind[one][number]
        return next(
            (tests[number] for several, tests in script.together.items() if several <= on and number in tests), ""
        )

    def _first_time(self, *what: object) -> bool:
        return self._times(*what) == 1

    def _times(self, *what: object) -> int:
        self.happened[what] += 1
        return self.happened[what]

    def _facts(
        self, job: Mapping[str, Any], failures: list[dict[str, Any]], ran: int, error: Mapping[str, str] | None
    ) -> Ended:
        facts = {"failures": failures, "ran": ran, "seconds": ran / 4, "load_error": error}
        return Ended(job, 0, facts, None, over_limit=False)


@pytest.fixture(name="make_suite")
def _make_suite() -> Callable[..., Suite]:
    """Makes a suite; see `Suite`."""
    return Suite


@pytest.fixture(name="make_engine")
def _make_engine() -> Callable[..., ScriptedEngine]:
    """Makes an engine that answers for a suite as a script says; see `Script`."""

    def make(suite: Suite, *, jobs: int = 1, **script: Any) -> ScriptedEngine:
        return ScriptedEngine(suite, Script(**script), jobs=jobs)

    return make


def told(
    code: str | Mapping[str, str],
    *,
    verdicts: Mapping[str, Verdict] | None = None,
    others: Verdict = Verdict.NOT_REACHED,
    seen: Mapping[str, Sighting] | None = None,
    infects: Mapping[str, Infection] | None = None,
    tests: Sequence[str] = ("test_shop.py::test_a", "test_shop.py::test_b"),
    rules: Sequence[str] = (),
    **more: Any,
) -> Run:
    """A run over real sites, told by hand: sites go by their source, mutants by their replacement.

    Args:
        code: the text of `shop.py`, or of several files.
        verdicts: the verdicts on some mutants.
        others: the verdict on all others.
        seen: what the unmutated run saw at sites.
        infects: the tests that mutants infect.
        tests: ids of tests.
        rules: codes of the rules that look; all where there are none.
    """
    files = {"shop.py": code} if isinstance(code, str) else code
    chosen = [rule for rule in all_rules() if not rules or rule.code in rules]
    scans = tuple(scan_source(text.encode(), path, chosen) for path, text in files.items())
    sites = [site for scan in scans for site in scan.sites]
    mutants = [mutant for site in sites for mutant in site.mutants]
    observation = Observation(
        tuple(TestRecord(number, name, 0.01, passed=True) for number, name in enumerate(tests)),
        {site.id: (seen or {})[site.source] for site in sites if site.source in (seen or {})},
        {one.id: (infects or {})[one.replacement] for one in mutants if one.replacement in (infects or {})},
        {}, {},
    )  # fmt: skip
    judgements = {one.id: Judgement(one.id, (verdicts or {}).get(one.replacement, others), "") for one in mutants}
    options = {"command": "gaps", "root": "/nowhere", "pytest_args": (), "seconds": 1.24, **more}
    return Run(files=scans, observation=observation, judgements=judgements, **options)


@pytest.fixture(name="told")
def _told() -> Callable[..., Run]:
    """Tells a run; see `told`."""
    return told
