"""What every reporter needs to know about a run: its parts side by side, counts and scores. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fencepost.analyzer.excerpt import offset
from fencepost.analyzer.model import (
    FileScan,
    Infection,
    Judgement,
    KillKind,
    Mutant,
    Run,
    Sighting,
    Site,
    TestRecord,
    Verdict,
)
from fencepost.rules import every_rule


@dataclass(frozen=True, slots=True)
class Tally:
    """How many mutants got which verdict, and how the killed ones were killed; `path` is empty for a whole run."""

    path: str
    verdicts: Counter[Verdict]
    kills: Counter[KillKind]
    measured: bool = True

    @property
    def mutants(self) -> int:
        """All mutants, whatever became of them."""
        return self.verdicts.total()

    @property
    def detected(self) -> int:
        """The mutants that the tests noticed."""
        return sum(count for verdict, count in self.verdicts.items() if verdict.detected)

    @property
    def counted(self) -> int:
        """The mutants that the score is about: noticed or missed, nothing else."""
        return sum(count for verdict, count in self.verdicts.items() if verdict.detected or verdict.missed)

    @property
    def score(self) -> float | None:
        """The noticed part of the counted mutants; None where nothing counts or no mutant was meant to run."""
        return self.detected / self.counted if self.counted and self.measured else None

    @property
    def oracle_gap(self) -> float | None:
        """The part of the counted mutants that tests run and do not notice; None as for the score.

        What is covered less what is checked, here counted in mutants and not in lines. Source: Jain, Kalburgi,
        Le Goues and Groce, "Mind the Gap: The Difference Between Coverage and Mutation Score Can Guide Testing
        Efforts", ISSRE 2023.
        """
        run = self.counted - self.verdicts[Verdict.NOT_REACHED]
        return None if self.score is None else (run - self.detected) / self.counted


@dataclass(frozen=True, slots=True)
class Gap:
    """One thing for a test to close: mutants of one expression that the tests tell neither from it nor from each other.

    Most are of one site; inputs that two rules ask for in the same words are one gap, under the site of the first.
    `reached` and `infected` count all such tests; `reached_by` and `infected_by` name the first of them.
    """

    site: Site
    mutants: tuple[Mutant, ...]
    judgement: Judgement
    reached: int = 0
    reached_by: tuple[TestRecord, ...] = ()
    infected: int = 0
    infected_by: tuple[TestRecord, ...] = ()
    certain: bool = True

    @property
    def lead(self) -> Mutant:
        """The mutant that stands for all of them."""
        return self.mutants[0]

    @property
    def verdict(self) -> Verdict:
        """The verdict, which all of them share."""
        return self.judgement.verdict


class View:
    """A run, with the questions that reporters ask about it; the tables behind the answers are built once."""

    def __init__(self, run: Run) -> None:
        self.run = run
        observation = run.observation
        self.tests: tuple[TestRecord, ...] = observation.tests if observation else ()
        self._by_number = {test.number: test for test in self.tests}
        self._sightings = observation.sightings if observation else {}
        self._infections = observation.infections if observation else {}
        self.alike = observation.alike if observation else {}

    def sites(self) -> Iterator[Site]:
        """Every site, in the order of the files and of their source."""
        for file_scan in self.run.files:
            yield from file_scan.sites

    def mutants(self) -> Iterator[tuple[Site, Mutant]]:
        """Every mutant with its site, in the order of the files and of their source."""
        for site in self.sites():
            for mutant in site.mutants:
                yield site, mutant

    def judgement(self, site: Site, mutant: Mutant) -> Judgement:
        """The verdict on a mutant; one that the run never came to is ignored with its site, else unknown."""
        found = self.run.judgements.get(mutant.id)
        if found is not None:
            return found
        if site.ignored is not None:
            return Judgement(mutant.id, Verdict.IGNORED, site.ignored)
        return Judgement(mutant.id, Verdict.UNKNOWN, "not judged")

    def sighting(self, site: Site) -> Sighting:
        """What the unmutated run saw at a site; nothing where it saw nothing."""
        return self._sightings.get(site.id, Sighting())

    def infection(self, mutant: Mutant) -> Infection:
        """Which tests make a mutant evaluate differently; none where nobody looked."""
        return self._infections.get(mutant.id, Infection())

    def test(self, number: int | None) -> TestRecord | None:
        """The test with a number; None where there is none."""
        return self._by_number.get(number) if number is not None else None

    def reached_by(self, site: Site) -> tuple[TestRecord, ...]:
        """The first of the tests that run a site, in the order of collection."""
        return self._in_order(self.sighting(site).reached_by)

    def infected_by(self, mutant: Mutant) -> tuple[TestRecord, ...]:
        """The first of the tests in which a mutant evaluates differently, in the order of collection."""
        return self._in_order(self.infection(mutant).tests)

    def total(self) -> Tally:
        """The counts of the whole run."""
        return self._tally("", self.mutants())

    def by_file(self) -> list[Tally]:
        """The counts of each file that has mutants, by path."""
        tallies = [self._tally(scan.path, _mutants_of(scan)) for scan in self.run.files]
        return sorted((tally for tally in tallies if tally.mutants), key=lambda tally: tally.path)

    def reasons(self, verdict: Verdict) -> list[tuple[str, list[Mutant]]]:
        """Why mutants got a verdict, each reason with its mutants; the commonest reason first."""
        reasons: dict[str, list[Mutant]] = defaultdict(list)
        for site, mutant in self.mutants():
            judgement = self.judgement(site, mutant)
            if judgement.verdict is verdict:
                reasons[judgement.reason].append(mutant)
        return sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))

    def _in_order(self, numbers: Iterable[int]) -> tuple[TestRecord, ...]:
        return tuple(self._by_number[number] for number in sorted(numbers) if number in self._by_number)

    def _tally(self, path: str, mutants: Iterable[tuple[Site, Mutant]]) -> Tally:
        judgements = [self.judgement(site, mutant) for site, mutant in mutants]
        return Tally(
            path,
            Counter(judgement.verdict for judgement in judgements),
            Counter(
                judgement.kill.kind
                for judgement in judgements
                if judgement.kill and judgement.verdict is Verdict.KILLED
            ),
            # `gaps` runs no mutant, so none could be killed: a score of 0 would accuse tests that nobody asked
            measured=self.run.command != "gaps",
        )


def rule_name(code: str) -> str:
    """The readable name of a rule; its code where no rule has it (a run kept by another version)."""
    return next((rule.name for rule in every_rule() if rule.code == code), code)


def mutated(text: str, mutant: Mutant) -> str:
    """The text of a file with the mutant applied."""
    start, end = offset(text, mutant.span.start), offset(text, mutant.span.end)
    return text[:start] + mutant.replacement + text[end:]


def _mutants_of(file_scan: FileScan) -> Iterator[tuple[Site, Mutant]]:
    return ((site, mutant) for site in file_scan.sites for mutant in site.mutants)
