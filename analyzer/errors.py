"""What can go wrong, in words for the person who has to mend it; caught once, in the command."""

from __future__ import annotations

import difflib
import enum
from collections.abc import Iterable


class ExitCode(enum.IntEnum):
    """The exit codes of every command (design, section 4)."""

    OK = 0
    POLICY_BROKEN = 1
    USAGE = 2
    TESTS_FAIL = 3
    INCOMPLETE = 4
    INTERNAL = 70


class FencepostError(Exception):
    """Base of all errors that fencepost raises on purpose.

    Args:
        message: what is wrong and where, one sentence.
        slug: a stable short name of the kind of error, for scripts and for searching.
        hint: what to do next, one sentence.
    """

    exit_code: ExitCode = ExitCode.USAGE

    def __init__(self, message: str, *, slug: str, hint: str) -> None:
        super().__init__(message)
        self.slug = slug
        self.hint = hint


class UsageProblem(FencepostError):
    """A wrong option, configuration or input."""


class TestsFail(FencepostError):
    """The unmutated tests fail, cannot be collected, or are none."""

    __test__ = False  # pytest would take the name for a test class
    exit_code = ExitCode.TESTS_FAIL


class RunnerLost(FencepostError):
    """The processes that run the tests ended before they answered."""

    exit_code = ExitCode.INCOMPLETE


def nearest_name_hint(wrong: str, known: Iterable[str]) -> str:
    """One sentence that names the known word closest to a mistyped one, or lists the known words."""
    words = sorted(known)
    close = difflib.get_close_matches(wrong, words, n=5, cutoff=0.5)
    if not close:
        return f"known: {', '.join(words)}"
    return f"did you mean '{max(close, key=lambda word: _likeness(wrong, word))}'?"


def _likeness(wrong: str, word: str) -> tuple[float, int]:
    """Codes differ in one digit and are equally like: the one that keeps more letters in their places is meant."""
    return difflib.SequenceMatcher(a=word, b=wrong).ratio(), sum(map(str.__eq__, wrong, word))
