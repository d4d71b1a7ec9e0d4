"""Ends a stage when its time is spent, the way that Ctrl-C does: what is settled by then stays."""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Iterator

SOONEST = 0.001  # seconds; a timer of zero would never ring


@contextlib.contextmanager
def ended_at(moment: float | None) -> Iterator[None]:
    """Interrupt the block at a moment of the performance counter; None: never.

    Only the main thread of a process can be interrupted so.

    Raises:
        KeyboardInterrupt: in the block, when the moment has come.
    """
    if moment is None:
        yield
        return
    before = signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, max(moment - time.perf_counter(), SOONEST))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _ring(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt
