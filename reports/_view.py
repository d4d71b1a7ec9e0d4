"""What every reporter needs to know about a run: counts, scores, the gaps, and which test to write. Pure."""

from __future__ import annotations

import ast
import dataclasses
import enum
import math
import operator
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from fencepost.analyzer.model import (
    FileScan,
    Infection,
    Judgement,
    KillKind,
    Mutant,
    Nearest,
    Position,
    Run,
    Sighting,
    Site,
    Span,
    TestRecord,
    Threshold,
    Verdict,
)
from fencepost.rules import all_rules

SHORT = 60  # characters of a value or an expression in a sentence

_COMPARISONS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


class Side(enum.StrEnum):
    """Where an input stands, seen from the threshold."""

    BELOW = "below"
    AT = "at"
    ABOVE = "above"


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

    def reasons(self, verdict: Verdict) -> list[tuple[str, int]]:
        """Why mutants got a verdict, the commonest reason first."""
        judgements = (self.judgement(site, mutant) for site, mutant in self.mutants())
        reasons = Counter(judgement.reason for judgement in judgements if judgement.verdict is verdict)
        return sorted(reasons.items(), key=lambda item: (-item[1], item[0]))

    def gaps(self) -> list[Gap]:
        """The gaps of a run, the most useful first.

        Survivors lead, then boundaries that no input stands on, then other inputs that are missing, then code that no
        test runs. Within each, what more tests reach comes first.
        """
        by_need: dict[tuple[str, ...], Gap] = {}
        for gap in (gap for site in self.sites() for gap in self._gaps_of(site)):
            same_input = gap.verdict is Verdict.NOT_INFECTED
            need = (gap.site.path, str(gap.site.span), self.sentence(gap)) if same_input else (gap.lead.id,)
            known = by_need.setdefault(need, gap)
            if known is not gap:
                by_need[need] = dataclasses.replace(known, mutants=known.mutants + gap.mutants)
        return sorted(by_need.values(), key=_usefulness)

    def _gaps_of(self, site: Site) -> Iterator[Gap]:
        groups: dict[tuple[Verdict, str], list[Mutant]] = defaultdict(list)
        for mutant in site.mutants:
            verdict = self.judgement(site, mutant).verdict
            # a mutant that never evaluated differently behaves like the original, hence like every other such mutant
            like = self.alike.get(mutant.id, mutant.id) if verdict is Verdict.SURVIVED else ""
            if verdict.missed:
                groups[verdict, like].append(mutant)
        for mutants in groups.values():
            yield self.gap(site, mutants)

    def gap(self, site: Site, mutants: Sequence[Mutant]) -> Gap:
        """One entry for mutants of a site that share a verdict; the first stands for all."""
        return Gap(
            site,
            tuple(mutants),
            self.judgement(site, mutants[0]),
            self.sighting(site).reached,
            self.reached_by(site),
            self.infection(mutants[0]).count,
            self.infected_by(mutants[0]),
            self.infection(mutants[0]).certain,
        )

    def sentence(self, gap: Gap) -> str:
        """The one sentence or two that say which test to write."""
        match gap.verdict:
            case Verdict.SURVIVED:
                return _survived_sentence(gap, self.infection(gap.lead))
            case Verdict.NOT_INFECTED:
                return self._boundary_sentence(gap) or self._input_sentence(gap)
            case Verdict.NOT_REACHED:
                return _not_reached_sentence(gap.site)
            case _:
                return _sentence(gap.judgement.reason)

    def _boundary_sentence(self, gap: Gap) -> str | None:
        """Which side of the threshold lacks a test; None without a threshold, or where no side explains the gap."""
        threshold, sighting = gap.site.threshold, self.sighting(gap.site)
        told = [telling_sides(gap.site, mutant) for mutant in gap.mutants if mutant.site == gap.site.id]
        # what differs on every side is no question of where the threshold lies
        sides = [side for sides in told if len(sides) < len(Side) for side in sides]
        missing = [side for side in Side if side in sides and not (side is Side.AT and sighting.at.tests)]
        if threshold is None or not missing:
            return None
        where = " or ".join(_WHERE[side] for side in missing)
        near = [self._short_nearest(nearest) for _, nearest in sides_of(sighting) if nearest.value is not None]
        seen = f": the nearest {'was' if len(near) == 1 else 'were'} {_and(near)}" if near else ""
        return f"No test stands {where} {shorten(threshold.text)}{seen}. {_advice(gap.site, threshold, missing)}"

    def _input_sentence(self, gap: Gap) -> str:
        sighting = self.sighting(gap.site)
        seen = ", ".join(shorten(value) for value, _ in sighting.samples[:3])
        shown = f" (seen: {seen})" if seen else ""
        written_out = gap.lead.replacement.startswith("(lambda")
        change = "without it" if written_out else f"with `{shorten(gap.lead.replacement)}` in its place"
        return f"Every input gave the same result {change}{shown}. {_sentence(gap.site.ask)}"

    def _short_nearest(self, nearest: Nearest) -> str:
        test = self.test(nearest.test)
        return shorten(nearest.value or "") + (f" ({short_name(test.id)})" if test else "")

    def _in_order(self, numbers: Iterable[int]) -> tuple[TestRecord, ...]:
        return tuple(self._by_number[number] for number in sorted(set(numbers)) if number in self._by_number)

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


_WHERE = {Side.BELOW: "just below", Side.AT: "on", Side.ABOVE: "just above"}


def sides_of(sighting: Sighting) -> tuple[tuple[Side, Nearest], ...]:
    """What was seen below, at and above a threshold, in this order."""
    return (Side.BELOW, sighting.below), (Side.AT, sighting.at), (Side.ABOVE, sighting.above)


def rule_name(code: str) -> str:
    """The readable name of a rule; its code where no rule has it (a run kept by another version)."""
    return next((rule.name for rule in all_rules() if rule.code == code), code)


def plural(count: int, noun: str) -> str:
    """A count with its noun: `1 test`, `2 tests`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def percent(score: float | None) -> str:
    """A score for people; rounded down, so that only a perfect one reads 100 %."""
    return "-" if score is None else f"{math.floor(score * 1000) / 10:.1f} %"


def short_name(test_id: str) -> str:
    """The name of a test without its file and class, with its parameters."""
    plain, bracket, parameters = test_id.partition("[")
    return shorten(plain.rpartition("::")[2] + bracket + parameters)


def mutated(text: str, mutant: Mutant) -> str:
    """The text of a file with the mutant applied."""
    start, end = _offset(text, mutant.span.start), _offset(text, mutant.span.end)
    return text[:start] + mutant.replacement + text[end:]


def _offset(text: str, position: Position) -> int:
    """Where a position is, counted from the start; only newlines end a line here, as for Python's own tokenizer."""
    before = 0
    for _ in range(position.line - 1):
        before = text.index("\n", before) + 1
    return before + position.column - 1


def telling_sides(site: Site, mutant: Mutant) -> tuple[Side, ...]:
    """The sides of the threshold on which a mutant of a comparison gives another answer than the original.

    Of the three inputs of the threshold, those are named that would show it; none where the templates do not say.
    """
    probe = site.probe
    if site.threshold is None or probe is None or probe.threshold_operand is None or mutant.template is None:
        return ()
    # where the value is not known the templates only compare the two operands: any three numbers in order will do
    below, at, above = _known_inputs(site.threshold) or (-1, 0, 1)
    found = []
    for side, value in ((Side.BELOW, below), (Side.AT, at), (Side.ABOVE, above)):
        operands = (at, value) if probe.threshold_operand == 0 else (value, at)
        try:
            if _truth(probe.template, operands, at) != _truth(mutant.template, operands, at):
                found.append(side)
        except (ValueError, SyntaxError, LookupError, OverflowError, RecursionError):
            return ()
    return tuple(found)


def _known_inputs(threshold: Threshold) -> tuple[float, float, float] | None:
    """The inputs just below, at and just above as numbers; None where the source does not tell the value."""
    try:
        below, at, above = (ast.literal_eval(text) for text in (threshold.below, threshold.at, threshold.above))
    except (ValueError, SyntaxError, TypeError):
        return None
    numeric = all(isinstance(value, int | float) for value in (below, at, above))
    return (below, at, above) if numeric else None


def _truth(template: str, operands: tuple[float, float], at: float) -> bool:
    text = template.replace(":atom}", "}").format(*(f"({value!r})" for value in operands))
    node = ast.parse(text, mode="eval").body
    if not isinstance(node, ast.Compare) or len(node.ops) != 1 or type(node.ops[0]) not in _COMPARISONS:
        raise ValueError(template)
    return _COMPARISONS[type(node.ops[0])](_number(node.left, at), _number(node.comparators[0], at))


def _number(node: ast.expr, at: float) -> float:
    """The value of a number, of the threshold's own name, or of either one step away."""
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name() | ast.Attribute():
            return at
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand, at)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _number(left, at) + _number(right, at)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _number(left, at) - _number(right, at)
    raise ValueError(ast.dump(node))


def subject(site: Site) -> str | None:
    """The source text of what is compared with the threshold; None where the probe does not name it."""
    probe = site.probe
    if probe is None or probe.threshold_operand is None or len(probe.operands) != 2:
        return None
    return _part(site, probe.operands[1 - probe.threshold_operand])


def _part(site: Site, span: Span) -> str | None:
    """The text of a span inside a site."""
    try:
        start, end = (_offset(site.source, _inside(site.span.start, place)) for place in (span.start, span.end))
    except ValueError:
        return None
    return site.source[start:end] or None


def _inside(origin: Position, place: Position) -> Position:
    if place.line == origin.line:
        return Position(1, place.column - origin.column + 1)
    return Position(place.line - origin.line + 1, place.column)


def _advice(site: Site, threshold: Threshold, missing: Sequence[Side]) -> str:
    found = subject(site)
    if found is None:
        return _sentence(site.ask)
    name = shorten(found)
    inputs = {Side.BELOW: threshold.below, Side.AT: threshold.at, Side.ABOVE: threshold.above}
    if _known_inputs(threshold) is None:
        text = shorten(threshold.text)
        relations = {Side.BELOW: "is just below", Side.AT: "equals", Side.ABOVE: "is just above"}
        return " ".join(f"Add one where `{name}` {relations[side]} `{text}`." for side in missing)
    return f"Add one with `{name}` at {' and one at '.join(inputs[side] for side in missing)}."


def _survived_sentence(gap: Gap, infection: Infection) -> str:
    if gap.infected_by and gap.certain:
        tests, one = _named(gap.infected_by, gap.infected), gap.infected == 1
        reach, prove, an = ("reaches", "asserts", "its") if one else ("reach", "assert", "an")
        difference = f"{tests} {reach} it with a value that makes a difference"
        advice = f"strengthen {an} assertion, or use an input whose outcome differs"
        return f"{difference}, but {prove} nothing that changes: {advice}."
    if infection.at_import:
        return "Loading the file already makes a difference, but no test asserts anything that changes: assert it."
    if gap.reached_by:
        tests, one = _named(gap.reached_by, gap.reached), gap.reached == 1
        run, succeed = ("runs", "passes") if one else ("run", "pass")
        prove = f"{tests} {run} it and {succeed} with the change in place: assert what it gives."
        return f"{prove} {_sentence(gap.site.ask)}"
    return f"No test fails with the change in place. {_sentence(gap.site.ask)}"


def _named(tests: Sequence[TestRecord], count: int) -> str:
    """The first test, and how many others there are."""
    others = count - 1
    return tests[0].id + (f" and {plural(others, 'other test')}" if others > 0 else "")


def _not_reached_sentence(site: Site) -> str:
    goal = f"write one that gets into `{site.scope}`" if site.scope else "write one that gets here"
    return f"No test runs this line: {goal}, then {site.ask}."


def _usefulness(gap: Gap) -> tuple[int, int, str, Position, str, str]:
    boundary = gap.site.threshold is not None
    rank = {Verdict.SURVIVED: 0, Verdict.NOT_INFECTED: 1 if boundary else 2, Verdict.NOT_REACHED: 3}
    start = gap.site.span.start
    return rank[gap.verdict], -gap.reached, gap.site.path, start, gap.site.rule, gap.lead.id


def _mutants_of(file_scan: FileScan) -> Iterator[tuple[Site, Mutant]]:
    return ((site, mutant) for site in file_scan.sites for mutant in site.mutants)


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def shorten(text: str, limit: int = SHORT) -> str:
    """One line of at most `limit` characters."""
    flat = " ".join(text.split()) if "\n" in text else text
    return flat if len(flat) <= limit else f"{flat[: limit - 3]}..."
