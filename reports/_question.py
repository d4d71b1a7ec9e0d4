"""The question at a threshold: where the right behaviour is a decision of the product, a person has to answer. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.model import Mutant, Site
from fencepost.reports._sentences import compared, link
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


def question_of(gap: Gap, follows: Callable[[bool], str | None] = lambda _: None) -> Question | None:
    """The question that a gap raises; None where no mutant of it moves the threshold itself to its other side.

    Args:
        follows: what the code does where the comparison is true, or false, as source text; None: nobody knows.
    """
    site, name = gap.site, compared(gap.site)
    truths, moved = truth_at(site), _moves_the_threshold(gap)
    if site.threshold is None or name is None or moved is None or truths is None:
        return None
    below, at, _ = truths
    threshold = shorten(site.threshold.text)
    if known_inputs(site.threshold) is None:
        lower, upper, stand = "smaller values", "larger ones", f"where `{name}` equals `{threshold}`"
    else:
        lower, upper = site.threshold.below, site.threshold.above
        stand = f"with `{name}` at {site.threshold.at}"
    (kept, like), (other, unlike) = ("lower", lower), ("upper", upper)
    if at != below:
        (kept, like), (other, unlike) = (other, unlike), (kept, like)
    outcome = follows(at)
    then = f", and `{outcome}` follows" if outcome else ""
    asked = f"In `{site.scope}`, should" if site.scope else "Should"
    return Question(
        f"{asked} `{name}` of exactly {threshold} be treated like {lower} or like {upper}?",
        f"Now it is treated like {like}: `{link(site)}` is {at} for both{then}. No test pins it.",
        (
            Answer(kept, "test", f"like {like}, as it is now: add a test {stand}", ""),
            Answer(other, "code", f"like {unlike}: add that test, and change the code to", moved.replacement),
            Answer("unspecified", "allow", "it does not matter: say why at the end of the line", _comment(site)),
        ),
    )


def _moves_the_threshold(gap: Gap) -> Mutant | None:
    """The mutant that differs on the threshold and nowhere else, and steps over to no other value."""
    plain = (one for one in gap.mutants if one.template is not None and _PLAIN.fullmatch(one.template))
    return next((one for one in plain if telling_sides(gap.site, one) == (Side.AT,)), None)


def _comment(site: Site) -> str:
    return f"# fencepost: allow[{rule_name(site.rule)}] <why it does not matter>"
