"""The facts that flow through one run, in order: each type may name only the types above it. No I/O here."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a text file: line and column both count from 1, columns count characters."""

    line: int
    column: int


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of source text; `end` is exclusive."""

    start: Position
    end: Position


class Shape(enum.StrEnum):
    """How the observing run looks at an expression, or a statement, without changing what it does."""

    VALUE = "value"  # the observer gets the operands and returns the value of the expression
    LEFT = "left"  # the observer gets the left operand of `or` and hands it on
    CASE = "case"  # the observer is told that the pattern of a case matched
    WATCH = "watch"  # the observer gets copies of plain names, then the expression runs as written
    STATEMENT = "statement"  # the observer is told that a whole statement is about to run


@dataclass(frozen=True, slots=True)
class Probe:
    """What to look at while the expression at a site is evaluated.

    `kind` names the observer in `observers.py`; `template` spells the expression over its operands (`{0} < {1}`).
    A chained comparison has one probe for each link: `part` of `parts`, counted from 0.
    """

    shape: Shape
    kind: str
    operands: tuple[Span, ...] = ()
    template: str = ""
    part: int = 0
    parts: int = 1
    threshold_operand: int | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """A place that reads a constant: whether it is a threshold there, and whether that moves where it stands."""

    path: str
    line: int
    is_threshold: bool
    moves: bool


@dataclass(frozen=True, slots=True)
class Threshold:
    """The value a comparison turns on, and the three inputs that show where it turns, as source text."""

    text: str
    below: str
    at: str
    above: str
    known: bool = True  # whether the three are values, and not words


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change: `replacement` in place of the text at `span` of the file *is* the mutant.

    `template` spells the replacement over the operands of the site's probe; None where only a run can tell.
    """

    id: str
    site: str
    rule: str
    path: str
    span: Span
    original: str
    replacement: str
    template: str | None


@dataclass(frozen=True, slots=True)
class Site:
    """A place in the code under test that one rule has something to say about."""

    id: str
    rule: str
    path: str
    span: Span
    scope: str
    source: str
    kind: str
    ask: str
    threshold: Threshold | None = None
    probe: Probe | None = None
    mutants: tuple[Mutant, ...] = ()
    ignored: str | None = None


@dataclass(frozen=True, slots=True)
class ScanProblem:
    """A file that could not be read as Python, and where."""

    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class FStringParts:
    """The spans of the expressions inside one f-string (needed before Python 3.12, whose AST misplaces them)."""

    span: Span
    expressions: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing for a person to do that is not a mutant: a suspect test, a result nobody uses."""

    id: str
    rule: str
    path: str
    span: Span
    message: str
    evidence: str
    severity: str


@dataclass(frozen=True, slots=True)
class FileScan:
    """All sites of one file, and what else is to be said of it; `digest` is the SHA-256 of its bytes."""

    path: str
    digest: str
    sites: tuple[Site, ...] = ()
    fstrings: tuple[FStringParts, ...] = ()
    problem: ScanProblem | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class TestRecord:
    """One collected test and how its unmutated run went; `number` is its place in the order of collection."""

    __test__ = False  # pytest would take the name for a test class

    number: int
    id: str
    seconds: float
    passed: bool
    failure: str = ""


@dataclass(frozen=True, slots=True)
class Nearest:
    """How many tests stood on one side of a threshold, the value that came closest, and how many came as close."""

    tests: int = 0
    value: str | None = None
    distance: float | None = None
    test: int | None = None
    closest: int = 0


@dataclass(frozen=True, slots=True)
class Sighting:
    """What the unmutated run saw at one site: values as `repr`; `reached_by` names the first of `reached` tests."""

    reached: int = 0
    reached_by: tuple[int, ...] = ()
    below: Nearest = field(default_factory=Nearest)
    at: Nearest = field(default_factory=Nearest)
    above: Nearest = field(default_factory=Nearest)
    samples: tuple[tuple[str, int], ...] = ()
    at_import: bool = False
    only_parses: bool = False  # a call of `int` given only text; a test for emptiness, only what is never empty


@dataclass(frozen=True, slots=True)
class Infection:
    """How many tests make a mutant evaluate differently, the first of them, and whether loading the code already does.

    Where it could not be evaluated beside the original, every test that reaches it counts, and `certain` is False.
    `by_chance` says that it depends on the order of a set, which is another one in the next process.
    """

    count: int = 0
    tests: tuple[int, ...] = ()
    at_import: bool = False
    certain: bool = True
    by_chance: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """The unmutated run: tests in collection order, sightings by site id, infections by mutant id."""

    tests: tuple[TestRecord, ...]
    sightings: dict[str, Sighting]
    infections: dict[str, Infection]
    alike: dict[str, str]  # mutant id -> id of the mutant that behaved the same in every evaluation
    unwoven: dict[str, str]  # path -> why its sites could not be watched
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed test as pytest told it, before anybody says what it means."""

    test: int
    exception: str
    message: str
    phase: str
    raised_by: str = ""
    preceded: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """Raw facts of one process that ran tests: its exit code, and what failed in it.

    `ended_in` is the number of the test that was running when the process ended before its time.
    """

    exit_code: int
    failures: tuple[Failure, ...] = ()
    ran: int = 0
    seconds: float = 0.0
    load_error: str = ""
    timed_out: bool = False
    ended_in: int | None = None


class Verdict(enum.StrEnum):
    """What the facts about a mutant mean (design, section 4)."""

    KILLED = "killed"
    TIMEOUT = "timeout"
    SURVIVED = "survived"
    NOT_INFECTED = "not-infected"
    NOT_REACHED = "not-reached"
    INVALID = "invalid"
    IGNORED = "ignored"
    UNKNOWN = "unknown"

    @property
    def detected(self) -> bool:
        """Whether the tests noticed the mutant."""
        return self in {Verdict.KILLED, Verdict.TIMEOUT}

    @property
    def missed(self) -> bool:
        """Whether the mutant is a gap that a person can close with a test."""
        return self in {Verdict.SURVIVED, Verdict.NOT_INFECTED, Verdict.NOT_REACHED}


class KillKind(enum.StrEnum):
    """How a test noticed: an assertion is strong evidence, a crash is weak."""

    ASSERTION = "assertion"
    EXPECTATION = "expectation"
    REPLAY = "replay"
    CRASH = "crash"
    GUARD = "guard"


@dataclass(frozen=True, slots=True)
class Kill:
    """Which test killed a mutant, and how."""

    kind: KillKind
    test: str
    message: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one mutant, with its reason; `confirmed`: the whole suite, or the killer alone, agreed."""

    mutant: str
    verdict: Verdict
    reason: str
    kill: Kill | None = None
    seconds: float = 0.0
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Gate:
    """What a policy says to a piece of work.

    Attributes:
        since: what the work is compared with, in words.
        changed: by path, the changed lines of the files in scope, counted from 1; None for all of them.
        broken: why the policy does not hold, a sentence each; empty where it does.
        failing: ids of the mutants and findings that break it.
        warned: ids of those that would, were they not of a rule that only warns.
        lost: ids of mutants outside the changed lines that tests killed before, and now do not.
        protected: how many such mutants were tried.
        accepted: ids of gaps that the baseline accepts.
        gone: ids in the baseline that are no gaps any more.
        per_line: how many gaps of one line are to be shown first.
        per_file: how many gaps of one file.
    """

    since: str
    changed: dict[str, tuple[int, ...] | None]
    broken: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    protected: int = 0
    accepted: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    per_line: int = 1
    per_file: int = 7


@dataclass(frozen=True, slots=True)
class Run:
    """Everything one command found out; what the reporters render and the store keeps."""

    command: str
    root: str
    pytest_args: tuple[str, ...]
    files: tuple[FileScan, ...]
    observation: Observation | None
    judgements: dict[str, Judgement]
    findings: tuple[Finding, ...] = ()
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    complete: bool = True
    seconds: float = 0.0
    gate: Gate | None = None
