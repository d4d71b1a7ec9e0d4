"""The question at a threshold: where the right behaviour is a decision of the product, a person has to answer. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from fencepost.analyzer.excerpt import excerpt, shorten
from fencepost.analyzer.model import Mutant, Site
from fencepost.reports._sentences import compared
from fencepost.reports._sides import Side, known_inputs, telling_sides, truth_at
from fencepost.reports._view import Gap, rule_name

_PLAIN = re.compile(r"\{0\} \S+ \{1\}")  # the template of a comparison of the operands as they are


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the three answers: to which side the threshold belongs, what follows from that, and its text.

    `choice` is `lower`, `upper` or `unspecified`; `kind` is `test` (write one), `code` (put `text` in the place of the
    expression) or `allow` (a comment for its line).
    """

    choice: str
    kind: str
    do: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """What to ask whom it concerns: what the code does now, and the answers, the one that keeps the code first."""

    ask: str
    now: str
    answers: tuple[Answer, ...]


def question_of(gap: Gap) -> Question | None:
    """The question that a gap raises; None where no mutant of it moves the threshold itself to its other side."""
    site, name = gap.site, compared(gap.site)
    truths, moved = truth_at(site), _moves_the_threshold(gap)
    if site.threshold is None or name is None or moved is None or truths is None:
        return None
    below, at, _ = truths
    if known_inputs(site.threshold) is None:
        threshold, lower, upper = shorten(site.threshold.text), "the smaller values", "the larger ones"
    else:
        threshold, lower, upper = site.threshold.at, site.threshold.below, site.threshold.above
    (kept, like), (other, unlike) = ("lower", lower), ("upper", upper)
    if at != below:
        (kept, like), (other, unlike) = (other, unlike), (kept, like)
    return Question(
        f"`{name}` at exactly {threshold}: does it belong with {lower} or with {upper}?",
        f"Now `{_link(site)}` is {at} there, as it is with {like}; no test pins it.",
        (
            Answer(kept, "test", f"with {like}, as the code has it: add a test that stands on {threshold}", ""),
            Answer(other, "code", f"with {unlike}: put this in its place, and add the test", moved.replacement),
            Answer("unspecified", "allow", "it does not matter: say so behind the line", _comment(site)),
        ),
    )


def _link(site: Site) -> str:
    """The one comparison that the question is about; the others of a chain may give another answer there."""
    assert site.probe is not None  # noqa: S101 - its template told what it gives
    return shorten(site.probe.template.format(*(excerpt(site, operand) for operand in site.probe.operands)))


def _moves_the_threshold(gap: Gap) -> Mutant | None:
    """The mutant that differs on the threshold and nowhere else, and steps over to no other value."""
    only_there = (one for one in gap.mutants if telling_sides(gap.site, one) == (Side.AT,))
    return next((one for one in only_there if _PLAIN.fullmatch(one.template or "")), None)


def _comment(site: Site) -> str:
    return f"# fencepost: allow[{rule_name(site.rule)}] <why it does not matter>"
