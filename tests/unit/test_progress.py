"""The progress bar: seen at a terminal, silent elsewhere, gone at the end."""

from __future__ import annotations

import io
import threading

import pytest
from rich.console import Console

from fencepost.analyzer.progress import Bar


def drawn(*, terminal: bool) -> str:
    """What a bar writes over two stages."""
    stream = io.StringIO()
    with Bar(Console(file=stream, force_terminal=terminal, width=100, color_system=None)) as bar:
        bar.advance()
        bar.reach(1)
        bar.begin("reading the source", 3)
        bar.advance()
        bar.advance()
        bar.begin("running the tests", None)
        bar.reach(7)
    return stream.getvalue()


def test_a_terminal_sees_the_stage_and_how_far_it_is() -> None:
    seen = drawn(terminal=True)
    assert "reading the source" in seen
    assert seen.index("1/3") < seen.index("2/3") < seen.index("running the tests")
    assert "7/?" in seen


def test_steps_before_the_first_stage_are_no_stage() -> None:
    assert "1/1" not in drawn(terminal=True)


def test_a_pipe_gets_no_bar() -> None:
    assert drawn(terminal=False).strip() == ""


def test_a_new_stage_takes_the_place_of_the_one_before() -> None:
    last = drawn(terminal=True).rpartition("running the tests")[0].rpartition("running the tests")[2]
    assert "reading the source" not in last


@pytest.mark.parametrize("terminal", [True, False])
def test_a_bar_has_no_thread_because_scanning_forks(*, terminal: bool) -> None:
    before = threading.active_count()
    with Bar(Console(file=io.StringIO(), force_terminal=terminal)) as bar:
        bar.begin("reading the source", 3)
        assert threading.active_count() == before
