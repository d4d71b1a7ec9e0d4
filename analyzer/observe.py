"""The unmutated run: collects the suite once, runs it while every site is watched, and sums up what was seen."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost.analyzer.engine import Engine, Facts
from fencepost.analyzer.errors import FencepostError, RunnerLost, TestsFail
from fencepost.analyzer.guard import Trail
from fencepost.analyzer.model import Infection, Mutant, Nearest, Observation, Sighting, Site, TestRecord
from fencepost.analyzer.plan import Plan
from fencepost.analyzer.worker import group_of

SPLIT_FROM_TESTS = 200  # smaller suites run in one piece
PIECES = 4  # fixed, and not the number of workers: what is seen must not depend on that
LONGEST_SECONDS = 6 * 3600.0
NAMED_TESTS = 20
MOST_COUNTS = 1_000_000  # counting anew for a group takes time for every probe


@dataclass(slots=True)
class Collected:
    """What collecting the suite told.

    `at_import` has the mask of infected mutants of each probe that loading the code under test evaluated, `startup` the
    same for what pytest evaluated for itself, `collecting` for what loading and parametrizing each test file evaluated.
    `trail` says where collecting (and then running) the tests wrote and connected. `threads` says that loading started
    threads that go on. No fork has them, so every process has to load for itself. `read` are the files that were opened
    or imported, and the folders that were listed, by absolute path.
    """

    tests: list[str]
    dropped_options: list[str]
    at_import: dict[int, int]
    startup: dict[int, int]
    collecting: dict[str, dict[int, int]]
    loaded: list[str]
    unwoven: dict[str, str]
    strangers: dict[str, str]
    threads: bool
    trail: Trail
    read: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Seen:
    """Everything the unmutated run saw, by number of test, probe and bit; the rest of a run works on this.

    `parts` are the first and last (exclusive) numbers of the pieces in which the suite passes. `infected[probe][bit]`
    are the tests that infect a mutant, in the order of collection. `skipped` are the tests that were skipped, or
    failed as they were expected to, `unfollowed` those with children that could not be watched. `memory` is the most
    address space that a process had, in bytes. `groups` are the facts behind it, by function or file of the tests,
    where they are to be kept. `opened` are the files that were opened, and folders listed, while the tests ran,
    `keepers` by file of the project the functions that keep results of their calls, `left` the files whose functions
    did so from one test to the next.
    """

    tests: list[TestRecord]
    parts: Sequence[tuple[int, int]]
    reached: dict[int, array[int]] = field(default_factory=dict)
    infected: dict[int, dict[int, array[int]]] = field(default_factory=dict)
    nearest: dict[int, dict[str, Nearest]] = field(default_factory=dict)
    samples: dict[int, list[tuple[str, int]]] = field(default_factory=dict)
    doubted: dict[int, int] = field(default_factory=dict)
    parsed: set[int] = field(default_factory=set)
    numeric: set[int] = field(default_factory=set)
    unordered: set[int] = field(default_factory=set)
    classes: dict[int, tuple[int, ...]] = field(default_factory=dict)
    skipped: set[int] = field(default_factory=set)
    unfollowed: list[int] = field(default_factory=list)
    memory: int = 0
    groups: list[Facts] = field(default_factory=list)
    opened: set[str] = field(default_factory=set)
    keepers: dict[str, set[str]] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)


def pieces(tests: int) -> list[tuple[int, int]]:
    """First and last (exclusive) number of the parts in which a suite of so many tests is run."""
    count = PIECES if tests >= SPLIT_FROM_TESTS else 1
    edges = [tests * number // count for number in range(count + 1)]
    return list(itertools.pairwise(edges))


def grouping(tests: Iterable[str], probes: int) -> str:
    """What is counted by itself where it is to be kept: each function, where that is not too much, or each file."""
    functions = len({group_of(test, "function") for test in tests})
    return "function" if functions * max(probes, 1) <= MOST_COUNTS else "file"


def job(kind: str, job_id: str, seconds: float = LONGEST_SECONDS, **details: Any) -> dict[str, Any]:
    """A job for the engine; it is ended after so many seconds of wall time."""
    # mutmut ends a worker after half of its CPU limit, in wall time
    return {"kind": kind, "id": job_id, "seconds": seconds, "cpu_seconds": max(2, round(2 * seconds)), **details}


def collect(engine: Engine) -> Collected:
    """Collect the suite.

    Raises:
        TestsFail: nothing was collected, or something could not be.
    """
    facts = _only_facts(engine, job("collect", "collect"))
    error = facts["error"]
    if error is not None:
        raise TestsFail(
            f"the tests cannot be collected: {error['where']}: {_last_lines(error['message'])}",
            slug="collection-failed",
            hint="make `python -m pytest --collect-only` work first; is the project installed in this environment?",
        )
    if not facts["tests"]:
        raise TestsFail(
            "pytest collects no tests here",
            slug="no-tests",
            hint="pass test files after `--`, or set `tests` in [tool.fencepost]",
        )
    return Collected(
        facts["tests"], facts["dropped_options"], facts["at_import"], facts["startup"], facts["collecting"],
        facts["loaded"], facts["unwoven"], facts["strangers"], facts["threads"],
        Trail(facts["trail"]), set(facts["read"]),
    )  # fmt: skip


def _last_lines(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return " | ".join(lines[-3:])


def watch(
    engine: Engine,
    collected: Collected,
    progress: Callable[[int], None],
    *,
    leave_out_failing: bool = False,
    by: str = "",
) -> Seen:
    """Run the whole suite once, unmutated, and bring together what its parts saw.

    A suite that fails in parts is run again in one piece: its tests may need what earlier ones leave behind.

    Args:
        progress: called now and then with the number of tests done so far.
        leave_out_failing: go on with the tests that pass.
        by: keep what was seen by `function` or by `file` of the tests; empty: only all in all.

    Raises:
        TestsFail: a test fails, and `leave_out_failing` is not set.
    """
    parts = pieces(len(collected.tests))
    facts = _watch_parts(engine, parts, progress, cold=collected.threads, by=by)
    if parts[1:] and any(test["failures"] for part in facts for group in part["groups"] for test in group["tests"]):
        parts = [(0, len(collected.tests))]
        facts = _watch_parts(engine, parts, progress, cold=collected.threads, by=by)
    seen = Seen([], parts)
    for part in facts:
        for group in part["groups"]:
            add_group(seen, group, collected.tests)
        if by:
            seen.groups += part["groups"]
        _add(seen, part, collected)
    first = next((test for test in seen.tests if not test.passed), None)
    if first is not None and not leave_out_failing:
        raise _unmutated_failure(engine, first, sum(not test.passed for test in seen.tests))
    return seen


def _unmutated_failure(engine: Engine, first: TestRecord, failing: int) -> TestsFail:
    """What is wrong: the tests, or that they pass under pytest and not here."""
    others = f" (and {failing - 1} more)" if failing > 1 else ""
    told = f"{first.id}{others}: {first.failure}"
    if engine.passes_in_pytest_alone(first.id):
        return TestsFail(
            f"a test passes in pytest alone, and fails unmutated when fencepost runs it: {told}",
            slug="baseline-differs",
            hint="does it pass with the whole suite? then please report it; --leave-out-failing judges by the others",
        )
    return TestsFail(
        f"the unmutated tests fail: {told}",
        slug="tests-fail",
        hint="mend them first, or pass --leave-out-failing to judge by the others",
    )


def _watch_parts(
    engine: Engine, parts: Sequence[tuple[int, int]], progress: Callable[[int], None], *, cold: bool, by: str
) -> list[Facts]:
    jobs = [job("observe", f"observe-{first}", first=first, last=last, cold=cold, by=by) for first, last in parts]
    by_first: dict[int, Facts] = {}
    for ended in engine.run(jobs, idle=lambda: progress(engine.tests_done())):
        if ended.facts is None:
            raise _died(
                engine, f"the unmutated run of tests {ended.job['first']} to {ended.job['last']}", ended.exit_code
            )
        by_first[ended.job["first"]] = ended.facts
        progress(engine.tests_done())
    return [by_first[first] for first, _ in parts]


def _only_facts(engine: Engine, only: Mapping[str, Any]) -> Facts:
    engine.submit(only)
    ended = engine.wait()
    if ended.facts is None:
        raise _died(engine, f"the step '{only['kind']}'", ended.exit_code)
    return ended.facts


def _died(engine: Engine, what: str, exit_code: int) -> FencepostError:
    return RunnerLost(
        f"{what} ended with exit code {exit_code} before it told what it saw{engine.last_words()}",
        slug="worker-died",
        hint="run `python -m pytest` alone: does a test end the interpreter?",
    )


def _add(seen: Seen, part: Facts, collected: Collected) -> None:
    seen.memory = max(seen.memory, part["memory"])
    collected.trail.absorb(Trail(part["trail"]))
    collected.read.update(part["read"])
    seen.opened.update(part["opened"])
    for path, names in part["keepers"].items():
        seen.keepers.setdefault(path, set()).update(names)
    seen.left.update(part["left"])
    collected.unwoven.update(part["unwoven"])
    collected.strangers.update(part["strangers"])
    collected.loaded += [path for path in part["loaded"] if path not in collected.loaded]


def add_group(seen: Seen, group: Facts, names: Sequence[str]) -> None:
    """Add what some tests saw to what others did; `names` has the ids of all tests by number."""
    _add_tests(seen, group["tests"], names)
    for probe, tests in group["reached"].items():
        seen.reached.setdefault(probe, array("I")).extend(tests)
    for probe, by_bit in group["infected"].items():
        for bit, tests in by_bit.items():
            seen.infected.setdefault(probe, {}).setdefault(bit, array("I")).extend(tests)
    for probe, sides in group["nearest"].items():
        for side, (tests, distance, value, test, closest) in sides.items():
            known = seen.nearest.setdefault(probe, {})
            known[side] = _nearer(known.get(side), Nearest(tests, value, distance, test, closest))
    for probe, samples in group["samples"].items():
        known_samples = seen.samples.setdefault(probe, [])
        texts = {text for text, _ in known_samples}
        known_samples += [(text, test) for text, test in samples if text not in texts][: 3 - len(known_samples)]
    seen.parsed |= group["parsed"]
    seen.numeric |= group["numeric"]
    seen.unordered |= group["unordered"]
    for probe, mask in group["doubted"].items():
        seen.doubted[probe] = seen.doubted.get(probe, 0) | mask
    for probe, classes in group["classes"].items():
        before = seen.classes.get(probe, (0,) * len(classes))
        order: dict[tuple[int, int], int] = {}
        seen.classes[probe] = tuple(order.setdefault(pair, len(order)) for pair in zip(before, classes, strict=True))


def _add_tests(seen: Seen, tests: Iterable[Facts], names: Sequence[str]) -> None:
    for test in tests:
        number, failures = test["number"], test["failures"]
        text = f"{failures[0]['exception']}: {failures[0]['message']}" if failures else ""
        seen.tests.append(TestRecord(number, names[number], test["seconds"], not failures, text))
        if test["unfollowed"]:
            seen.unfollowed.append(number)
        if test["skipped"]:
            seen.skipped.add(number)


def _nearer(one: Nearest | None, other: Nearest) -> Nearest:
    if one is None:
        return other
    best = one
    if other.distance is not None and (one.distance is None or other.distance < one.distance):
        best = other
    closest = sum(each.closest for each in (one, other) if each.distance == best.distance)
    return Nearest(one.tests + other.tests, best.value, best.distance, best.test, closest)


def summarise(seen: Seen, collected: Collected, plan: Plan, sites: Iterable[Site], seconds: float) -> Observation:
    """What was seen, told in sites and mutants instead of probes and bits."""
    sightings: dict[str, Sighting] = {}
    for probe, site_ids in plan.probe_sites.items():
        sides = seen.nearest.get(probe, {})
        reached = seen.reached.get(probe, array("I"))
        sighting = Sighting(
            len(reached), tuple(reached[:NAMED_TESTS]), sides.get("below", Nearest()), sides.get("at", Nearest()),
            sides.get("above", Nearest()), tuple(seen.samples.get(probe, ())), probe in collected.at_import,
            probe in seen.parsed - seen.numeric,
        )  # fmt: skip
        sightings.update(dict.fromkeys(site_ids, sighting))
    infections = {}
    for mutant_id, (probe, bit) in plan.probe_of.items():
        tests = seen.infected.get(probe, {}).get(bit, array("I"))
        masks = [
            collected.at_import.get(probe, 0),
            collected.startup.get(probe, 0),
            *(by_probe.get(probe, 0) for by_probe in collected.collecting.values()),
        ]
        at_import = any(mask >> bit & 1 for mask in masks)
        certain = not seen.doubted.get(probe, 0) >> bit & 1
        named = tuple(tests[:NAMED_TESTS])
        infections[mutant_id] = Infection(len(tests), named, at_import, certain, probe in seen.unordered)
    unwoven = dict(collected.unwoven)
    for path, other in collected.strangers.items():
        if path not in collected.loaded:
            unwoven[path] = f"the tests run another copy of this file: {other}"
    mutants = [mutant for site in sites for mutant in site.mutants]
    return Observation(tuple(seen.tests), sightings, infections, _alike(seen, plan, mutants), unwoven, seconds)


def _alike(seen: Seen, plan: Plan, mutants: Iterable[Mutant]) -> dict[str, str]:
    """For each mutant that another one says it all for: the id of that other one."""
    first: dict[tuple[int, int], str] = {}
    by_switch: dict[tuple[int, int], str] = {}
    alike: dict[str, str] = {}
    for mutant in mutants:
        if mutant.id not in plan.probe_of:
            continue
        probe, bit = plan.probe_of[mutant.id]
        classes = seen.classes.get(probe)
        same_text = by_switch.setdefault(plan.switches[mutant.id], mutant.id)
        if same_text != mutant.id:
            alike[mutant.id] = alike.get(same_text, same_text)
        elif classes is not None:
            same_values = first.setdefault((probe, classes[bit]), mutant.id)
            if same_values != mutant.id:
                alike[mutant.id] = same_values
    return alike
