"""Errors for the person who has to mend them: what a mistyped name is answered with, and the exit codes."""

from __future__ import annotations

import pytest

from fencepost.analyzer.errors import ExitCode, FencepostError, RunnerLost, TestsFail, UsageProblem, nearest_name_hint


def test_of_equally_like_codes_the_one_with_more_letters_in_place_is_meant() -> None:
    assert nearest_name_hint("FP1O1", ["FP101", "FP211", "FP110"]) == "did you mean 'FP101'?"
    assert nearest_name_hint("FP21", ["FP211", "FP1O1"]) == "did you mean 'FP211'?"


def test_a_mistyped_name_is_answered_with_the_nearest_known_one() -> None:
    assert nearest_name_hint("jsn", ["terminal", "json"]) == "did you mean 'json'?"


def test_a_name_that_is_near_to_nothing_is_answered_with_all_known_ones_by_the_alphabet() -> None:
    assert nearest_name_hint("zzz", ["run", "explain", "gate"]) == "known: explain, gate, run"


@pytest.mark.parametrize(
    ("kind", "code"),
    [(UsageProblem, ExitCode.USAGE), (TestsFail, ExitCode.TESTS_FAIL), (RunnerLost, ExitCode.INCOMPLETE)],
)
def test_an_error_says_what_is_wrong_and_what_to_do_and_knows_its_exit_code(
    kind: type[FencepostError], code: ExitCode
) -> None:
    error = kind("it is broken", slug="broken", hint="mend it")
    assert (str(error), error.slug, error.hint, error.exit_code) == ("it is broken", "broken", "mend it", code)


def test_the_exit_codes_are_those_that_the_help_promises() -> None:
    assert [code.value for code in ExitCode] == [0, 1, 2, 3, 4, 70]
