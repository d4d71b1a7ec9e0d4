"""When a gate holds: which verdicts break it, how low the score may be, what is accepted. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fencepost.analyzer.changes import Changes
from fencepost.analyzer.errors import UsageProblem, nearest_name_hint
from fencepost.analyzer.model import Finding, Gate, Mutant, Run, Verdict
from fencepost.analyzer.rule_choice import find_rules

FINDINGS = "findings"
FAIL_ON = ("survived", "not-infected", "not-reached")
MAY_FAIL = (*FAIL_ON, "unknown", "timeout", "invalid", FINDINGS)
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class Policy:
    """`[tool.fencepost.gate]`, under the options of the command.

    Attributes:
        base: what work is compared with; empty: found by looking.
        fail_on: the verdicts that break the policy; `findings` for what is no mutant.
        min_score: the least score of the mutants in scope, in percent; 0: any.
        budget: seconds for everything; what was not tried by then is unknown. 0: no end.
        allow_incomplete: whether what was not tried may be passed over.
        baseline: the file of accepted gaps, relative to the root.
        severity: by rule (code, name or beginning of codes) `error`, `warning` or `note`; only errors break the policy.
        shown_per_line: how many gaps of one line are shown first.
        shown_per_file: how many gaps of one file are shown first.
    """

    base: str = ""
    fail_on: tuple[str, ...] = FAIL_ON
    min_score: float = 0
    budget: float = 0
    allow_incomplete: bool = False
    baseline: str = "fencepost-baseline.txt"
    severity: Mapping[str, str] = field(default_factory=dict)
    shown_per_line: int = 1
    shown_per_file: int = 7

    def check(self) -> None:
        """Look all names and numbers up.

        Raises:
            UsageProblem: one means nothing.
        """
        for name in self.fail_on:
            if name not in MAY_FAIL:
                raise _meaningless(
                    f"'{name}' in fail-on is no verdict that can fail", nearest_name_hint(name, MAY_FAIL)
                )
        for rule, severity in self.severity.items():
            find_rules(rule)
            if severity not in SEVERITIES:
                hint = nearest_name_hint(severity, SEVERITIES)
                raise _meaningless(f"'{severity}' of {rule} is no severity", hint)
        if not 0 <= self.min_score <= 100:
            raise _meaningless(f"min-score is {self.min_score:g}", "it is a percentage, from 0 to 100")
        if self.budget < 0 or min(self.shown_per_line, self.shown_per_file) < 1:
            raise _meaningless("budget is below 0, or shown-per-line or shown-per-file below 1", "leave it out")

    def severity_of(self, rule: str) -> str:
        """What a gap of a rule is: the longest name that stands for the rule says it."""
        for name in sorted(self.severity, key=len, reverse=True):
            if rule in {one.code for one in find_rules(name)}:
                return self.severity[name]
        return "error"


def _meaningless(what: str, hint: str) -> UsageProblem:
    return UsageProblem(f"{what} in [tool.fencepost.gate]", slug="bad-policy", hint=hint)


def decide(
    run: Run,
    changes: Changes,
    policy: Policy,
    *,
    accepted: Collection[str],
    before: Collection[str],
    vanished: Collection[str] = (),
) -> Gate:
    """What the policy says to a run.

    Args:
        run: of the mutants on changed lines, and of those that changed tests protected.
        changes: the piece of work.
        accepted: ids of the gaps that the baseline accepts.
        before: ids of the mutants outside the changed lines that tests killed before.
        vanished: ids in the baseline that no code stands for any more.
    """
    mutants = [mutant for scan in run.files for site in scan.sites for mutant in site.mutants]
    by_severity = {severity: list(_breaking(run, mutants, policy, severity)) for severity in ("error", "warning")}
    found = by_severity["error"]
    new = [one.id for one in found if one.id not in accepted]
    lost = tuple(one for one in new if one in before)
    return Gate(
        changes.since,
        {scan.path: _numbers(changes.lines[scan.path]) for scan in run.files if scan.path in changes.lines},
        broken=(*_broken(run, new, lost), *_too_low(run, mutants, policy)),
        failing=tuple(new),
        warned=tuple(one.id for one in by_severity["warning"] if one.id not in accepted),
        lost=lost,
        protected=sum(mutant.id in before for mutant in mutants),
        accepted=tuple(one.id for one in found if one.id in accepted),
        gone=tuple(sorted({*_noticed(run, mutants, accepted), *vanished})),
        per_line=policy.shown_per_line,
        per_file=policy.shown_per_file,
    )


def _numbers(lines: Sequence[int] | None) -> tuple[int, ...] | None:
    return None if lines is None else tuple(lines)


def _breaking(run: Run, mutants: Iterable[Mutant], policy: Policy, severity: str) -> Iterator[Mutant | Finding]:
    """The mutants and findings of a severity that are of a kind that breaks the policy."""
    for mutant in mutants:
        judgement = run.judgements.get(mutant.id)
        verdict = judgement.verdict if judgement else Verdict.UNKNOWN
        if verdict.value in policy.fail_on and policy.severity_of(mutant.rule) == severity:
            yield mutant
    if FINDINGS in policy.fail_on:
        # who asks for findings to fail means those that are more than a note
        yield from (one for one in run.findings if severity == "error" and one.severity != "note")


def _broken(run: Run, new: Collection[str], lost: Collection[str]) -> Iterator[str]:
    """What breaks the policy, in mutants and findings: those a reader can count in the report."""
    findings = {one.id for one in run.findings}
    here = [one for one in new if one not in lost]
    for what, count in Counter("finding" if one in findings else _fault(run, one) for one in here).items():
        noun, _, fault = what.partition(":")
        yield f"{count} {noun}{'' if count == 1 else 's'} on changed lines{fault}"
    if lost:
        mutants = "mutant" if len(lost) == 1 else "mutants"
        yield f"{len(lost)} {mutants} elsewhere that tests killed before, and no longer do"


def _fault(run: Run, mutant: str) -> str:
    judgement = run.judgements.get(mutant)
    verdict = judgement.verdict if judgement else Verdict.UNKNOWN
    return "mutant: that no test notices" if verdict.missed else f"mutant: with the verdict {verdict.value}"


def _too_low(run: Run, mutants: list[Mutant], policy: Policy) -> Iterator[str]:
    verdicts = [run.judgements[mutant.id].verdict for mutant in mutants if mutant.id in run.judgements]
    counted = [verdict for verdict in verdicts if verdict.detected or verdict.missed]
    if counted and policy.min_score:
        score = 100 * sum(verdict.detected for verdict in counted) / len(counted)
        if score < policy.min_score:
            yield f"a score of {score:.1f} %, where {policy.min_score:g} % is the least"


def _noticed(run: Run, mutants: list[Mutant], accepted: Collection[str]) -> Iterator[str]:
    """Accepted gaps that tests notice now."""
    for mutant in mutants:
        judgement = run.judgements.get(mutant.id)
        if mutant.id in accepted and judgement is not None and judgement.verdict.detected:
            yield mutant.id
