"""What a person has to decide at a threshold: what the code does now, and the answers the right way round."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fencepost.analyzer.model import Run, Verdict
from fencepost.reports._gaps import gaps
from fencepost.reports._question import Answer, Question, question_of
from fencepost.reports._view import View

Told = Callable[..., Run]


def questions(told: Told, expression: str, head: str = "def f(total, cap, xs):") -> dict[str, Question | None]:
    """The questions of an expression that no test reaches with a difference, by the replacement of the gap."""
    run = told(f"LIMIT = 100\n{head}\n    return {expression}\n", others=Verdict.NOT_INFECTED)
    return {gap.lead.replacement: question_of(gap) for gap in gaps(View(run))}


def the_question(told: Told, expression: str) -> Question:
    (question,) = [one for one in questions(told, expression).values() if one is not None]
    return question


def test_a_question_tells_what_the_code_does_now_and_what_each_answer_means(told: Told) -> None:
    assert the_question(told, "total >= 100") == Question(
        "`total` at exactly 100: does it belong with 99 or with 101?",
        "Now `total >= 100` is True there, as it is with 101; no test pins it.",
        (
            Answer("upper", "test", "with 101, as the code has it: add a test that stands on 100", ""),
            Answer("lower", "code", "with 99: put this in its place, and add the test", "total > 100"),
            Answer(
                "unspecified", "allow", "it does not matter: say so behind the line",
                "# fencepost: allow[boundary-at] <why it does not matter>",
            ),
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "kept", "now", "unlike"),
    [
        ("total >= 100", "upper", "`total >= 100` is True there, as it is with 101", "total > 100"),
        ("total > 100", "lower", "`total > 100` is False there, as it is with 99", "total >= 100"),
        ("total <= 100", "lower", "`total <= 100` is True there, as it is with 99", "total < 100"),
        ("total < 100", "upper", "`total < 100` is False there, as it is with 101", "total <= 100"),
        ("100 <= total", "upper", "`100 <= total` is True there, as it is with 101", "100 < total"),
        ("100 < total", "lower", "`100 < total` is False there, as it is with 99", "100 <= total"),
        ("100 >= total", "lower", "`100 >= total` is True there, as it is with 99", "100 > total"),
        ("100 > total", "upper", "`100 > total` is False there, as it is with 101", "100 >= total"),
        ("not total < 100", "upper", "`total < 100` is False there, as it is with 101", "total <= 100"),
        ("total >= LIMIT", "upper", "`total >= LIMIT` is True there, as it is with 101", "total > LIMIT"),
        ("total < -3", "upper", "`total < -3` is False there, as it is with -2", "total <= -3"),
        ("len(xs) > 3", "lower", "`len(xs) > 3` is False there, as it is with 2", "len(xs) >= 3"),
        ("total >= 0x10", "upper", "`total >= 0x10` is True there, as it is with 0x11", "total > 0x10"),
    ],
)
def test_the_threshold_belongs_to_the_side_on_which_the_code_gives_the_same(
    told: Told, expression: str, kept: str, now: str, unlike: str
) -> None:
    question = the_question(told, expression)
    assert question.now == f"Now {now}; no test pins it."
    assert [(one.choice, one.kind) for one in question.answers] == [
        (kept, "test"), ({"upper": "lower", "lower": "upper"}[kept], "code"), ("unspecified", "allow"),
    ]  # fmt: skip
    assert question.answers[1].text == unlike


def test_a_threshold_of_unknown_value_is_asked_about_in_words(told: Told) -> None:
    question = the_question(told, "total >= cap")
    assert question.ask == "`total` at exactly cap: does it belong with the smaller values or with the larger ones?"
    assert question.now == "Now `total >= cap` is True there, as it is with the larger ones; no test pins it."
    assert question.answers[0].do == "with the larger ones, as the code has it: add a test that stands on cap"
    assert question.answers[1].do == "with the smaller values: put this in its place, and add the test"


def test_each_link_of_a_chain_has_its_question_and_the_answer_is_the_whole_chain(told: Told) -> None:
    found = {one.now: one.answers[1].text for one in questions(told, "0 <= total < 100").values() if one}
    assert found == {
        "Now `0 <= total` is True there, as it is with 1; no test pins it.": "0 < total < 100",
        "Now `total < 100` is False there, as it is with 101; no test pins it.": "0 <= total <= 100",
    }


@pytest.mark.parametrize(
    "expression", ["total == 100", "total != 100", "'a' in xs", "100 not in xs", "xs.strip()", "total is not None"]
)
def test_only_a_mutant_that_moves_the_threshold_alone_raises_a_question(told: Told, expression: str) -> None:
    assert set(questions(told, expression).values()) <= {None}


def test_a_shift_by_one_raises_no_question(told: Told) -> None:
    run = told("def f(total):\n    return total > 100\n", others=Verdict.NOT_INFECTED, rules=["FP102", "FP103"])
    assert [question_of(gap) for gap in gaps(View(run))] == [None, None]


def test_a_shift_of_a_length_that_says_the_same_raises_none_beside_the_plain_one(told: Told) -> None:
    found = questions(told, "len(xs) > 3")
    assert [replacement for replacement, question in found.items() if question] == ["len(xs) >= 3"]


def test_what_is_compared_in_a_chain_that_cannot_be_watched_raises_no_question(told: Told) -> None:
    assert set(questions(told, "0 < xs() < cap() < 100").values()) == {None}
