"""Which tests are tried for a mutant, in which order, and in what kind of process."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from fencepost.analyzer.model import Mutant, TestRecord
from fencepost.analyzer.observe import Collected, Seen
from fencepost.analyzer.plan import Plan

FIRST_TESTS = 100  # tests tried for a mutant before the whole suite is; slow ones count more
MORE_TESTS = 1000  # and those after them: fast ones by the hundred, slow ones by the ten
COLD_FILES = 3  # test files that are loaded anew for a mutant before the whole suite is


@dataclass(frozen=True, slots=True)
class Attempt:
    """Tests to run in one process; a cold one loads the code with the mutant on."""

    numbers: list[int]
    cold: bool


@dataclass(slots=True)
class Candidate:
    """One mutant on its way through the run.

    `cold` says that loading the code under test evaluates it differently, `cold_files` are the test files whose own
    loading does: what it does to those can only be seen by a process that loads them with the mutant on. `startup` says
    that pytest, for itself, evaluates it differently. `attempts` are the lists of tests still to be tried, the most
    telling first.
    """

    mutant: Mutant
    infected: Sequence[int]
    cold: bool
    cold_files: frozenset[str]
    startup: bool
    attempts: deque[Attempt] = field(default_factory=deque)
    mistrusted: set[int] = field(default_factory=set)
    note: str = ""


class Selection:
    """What the unmutated run knows about the tests, as the order in which a mutant tries them.

    Args:
        plan: which probe watches each mutant.
        seen: what the unmutated run saw.
        collected: what collecting the suite told.
    """

    def __init__(self, plan: Plan, seen: Seen, collected: Collected) -> None:
        self.plan = plan
        self.seen = seen
        self.collected = collected
        self.tests: Sequence[TestRecord] = seen.tests
        self.file_of = [test.id.partition("::")[0] for test in seen.tests]
        self.file_sizes = Counter(self.file_of)
        self.cheapest_test = min(
            seen.tests, key=lambda test: (self.file_sizes[self.file_of[test.number]], test.number)
        ).number
        self.passing = {test.number for test in seen.tests if test.passed}
        self.focus = self._focus()

    def candidate(self, mutant: Mutant) -> Candidate:
        """A mutant with the tests that it infects, and with its attempts."""
        probe, bit = self.plan.probe_of[mutant.id]
        infected = [number for number in self.seen.infected.get(probe, {}).get(bit, ()) if number in self.passing]
        files = (file for file, masks in self.collected.collecting.items() if masks.get(probe, 0) >> bit & 1)
        cold = bool(self.collected.at_import.get(probe, 0) >> bit & 1)
        startup = bool(self.collected.startup.get(probe, 0) >> bit & 1)
        one = Candidate(mutant, infected, cold, frozenset(files), startup)
        one.attempts.extend(attempt for attempt in self._attempts(one) if attempt.numbers)
        return one

    def _attempts(self, candidate: Candidate) -> Iterator[Attempt]:
        """The tests to try, in order: in this process where that is the same, then where the code is loaded anew."""
        if candidate.cold:
            reaching = self.reaching_file(candidate.mutant.path) | set(candidate.infected)
            by_file: dict[str, list[int]] = defaultdict(list)
            for number in reaching:
                by_file[self.file_of[number]].append(number)
            cheapest = sorted(by_file, key=lambda file: (self.file_sizes[file], file))
            for file in cheapest[:COLD_FILES]:
                yield self._cold_attempt(by_file[file])
            return
        if candidate.startup:
            yield Attempt([self.cheapest_test], cold=True)  # does pytest itself still start?
        warm = self.telling_order(
            number for number in candidate.infected if self.file_of[number] not in candidate.cold_files
        )
        first = self.within(warm, FIRST_TESTS)
        yield Attempt(first, cold=False)
        # what is left over goes to the whole suite, which many mutants that are no survivors would make hard to read
        yield Attempt(self.within(warm[len(first) :], MORE_TESTS), cold=False)
        for file in sorted(candidate.cold_files):
            mine = [number for number in self.passing if self.file_of[number] == file]
            infected = set(candidate.infected)
            yield self._cold_attempt([one for one in mine if one in infected] or mine)

    def _cold_attempt(self, numbers: Iterable[int]) -> Attempt:
        return Attempt(self.within(self.telling_order(numbers), MORE_TESTS), cold=True)

    def reaching_file(self, path: str) -> set[int]:
        """The tests that run code at any site of a file: those that could see what loading it computes."""
        found: set[int] = set()
        for mutant_id, (probe, _) in self.plan.probe_of.items():
            if self.plan.spans[self.plan.switches[mutant_id][0]][0] == path:
                found.update(self.seen.reached.get(probe, ()))
        return found & self.passing

    def _focus(self) -> dict[int, int]:
        """How many probes each test reaches: a test that reaches few is about what it reaches."""
        count: dict[int, int] = defaultdict(int)
        for tests in self.seen.reached.values():
            for number in tests:
                count[number] += 1
        return count

    def _weight(self, number: int) -> int:
        seconds = self.tests[number].seconds
        return 1 if seconds < 0.1 else 10 if seconds < 1 else 100

    def first_tests(self, numbers: Iterable[int]) -> list[int]:
        """The most telling of some tests, as many as are tried before the whole suite is."""
        return self.within(self.telling_order(numbers), FIRST_TESTS)

    def telling_order(self, numbers: Iterable[int]) -> list[int]:
        """Fast tests first, by the power of ten of their time; then focused ones; one of each function before the next.

        The measured time alone would change the order from run to run, and with it the test that is named as killer.
        """
        by_function: dict[str, list[int]] = defaultdict(list)
        for number in sorted(numbers, key=lambda one: (self._weight(one), self.focus.get(one, 0), one)):
            by_function[self.tests[number].id.partition("[")[0]].append(number)
        groups = enumerate(by_function.values())
        turns = [(turn, place, number) for place, group in groups for turn, number in enumerate(group)]
        return [number for *_, number in sorted(turns, key=lambda one: (self._weight(one[2]), one[0], one[1]))]

    def within(self, numbers: Sequence[int], budget: int) -> list[int]:
        """The first of some tests whose weights stay within a budget; never less than three."""
        chosen: list[int] = []
        for number in numbers:
            budget -= self._weight(number)
            if budget < 0 and len(chosen) >= 3:
                break
            chosen.append(number)
        return chosen
