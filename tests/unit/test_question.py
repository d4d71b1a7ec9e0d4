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
        "In `f`, should `total` of exactly 100 be treated like 99 or like 101?",
        "Now it is treated like 101: `total >= 100` is True for both. No test pins it.",
        (
            Answer("upper", "test", "like 101, as it is now: add a test with `total` at 100", ""),
            Answer("lower", "code", "like 99: add that test, and change the code to", "total > 100"),
            Answer(
                "unspecified", "allow", "it does not matter: say why at the end of the line",
                "# fencepost: allow[boundary-at] <why it does not matter>",
            ),
        ),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "kept", "now", "unlike"),
    [
        ("total >= 100", "upper", "like 101: `total >= 100` is True for both", "total > 100"),
        ("total > 100", "lower", "like 99: `total > 100` is False for both", "total >= 100"),
        ("total <= 100", "lower", "like 99: `total <= 100` is True for both", "total < 100"),
        ("total < 100", "upper", "like 101: `total < 100` is False for both", "total <= 100"),
        ("100 <= total", "upper", "like 101: `100 <= total` is True for both", "100 < total"),
        ("100 < total", "lower", "like 99: `100 < total` is False for both", "100 <= total"),
        ("100 >= total", "lower", "like 99: `100 >= total` is True for both", "100 > total"),
        ("100 > total", "upper", "like 101: `100 > total` is False for both", "100 >= total"),
        ("not total < 100", "upper", "like 101: `total < 100` is False for both", "total <= 100"),
        ("total >= LIMIT", "upper", "like 101: `total >= LIMIT` is True for both", "total > LIMIT"),
        ("total < -3", "upper", "like -2: `total < -3` is False for both", "total <= -3"),
        ("len(xs) > 3", "lower", "like 2: `len(xs) > 3` is False for both", "len(xs) >= 3"),
        ("total >= 0x10", "upper", "like 0x11: `total >= 0x10` is True for both", "total > 0x10"),
    ],
)
def test_the_threshold_belongs_to_the_side_on_which_the_code_gives_the_same(
    told: Told, expression: str, kept: str, now: str, unlike: str
) -> None:
    question = the_question(told, expression)
    assert question.now == f"Now it is treated {now}. No test pins it."
    assert [(one.choice, one.kind) for one in question.answers] == [
        (kept, "test"), ({"upper": "lower", "lower": "upper"}[kept], "code"), ("unspecified", "allow"),
    ]  # fmt: skip
    assert question.answers[1].text == unlike


def test_a_threshold_of_unknown_value_is_asked_about_in_words(told: Told) -> None:
    question = the_question(told, "total >= cap")
    assert question.ask == "In `f`, should `total` of exactly cap be treated like smaller values or like larger ones?"
    assert question.now == "Now it is treated like larger ones: `total >= cap` is True for both. No test pins it."
    assert question.answers[0].do == "like larger ones, as it is now: add a test where `total` equals `cap`"
    assert question.answers[1].do == "like smaller values: add that test, and change the code to"


def test_each_link_of_a_chain_has_its_question_and_the_answer_is_the_whole_chain(told: Told) -> None:
    found = {one.now: one.answers[1].text for one in questions(told, "0 <= total < 100").values() if one}
    assert found == {
        "Now it is treated like 1: `0 <= total` is True for both. No test pins it.": "0 < total < 100",
        "Now it is treated like 101: `total < 100` is False for both. No test pins it.": "0 <= total <= 100",
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


def test_a_named_threshold_is_called_by_its_name_and_one_outside_of_functions_by_its_value_alone(told: Told) -> None:
    assert the_question(told, "total >= LIMIT").ask.startswith("In `f`, should `total` of exactly LIMIT (100) be ")
    run = told("total = len(__name__)\nbig = total > 100\n", others=Verdict.NOT_INFECTED)
    (question,) = [one for gap in gaps(View(run)) if (one := question_of(gap))]
    assert question.ask == "Should `total` of exactly 100 be treated like 99 or like 101?"
