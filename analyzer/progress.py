"""What a person sees while a run is under way: one bar on a terminal, nothing where nobody watches."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Progress as Columns


class Progress(Protocol):
    """What a run tells while it is under way."""

    def begin(self, stage: str, total: int | None) -> None:
        """A stage starts that has so many steps; None: nobody knows yet."""

    def advance(self) -> None:
        """One more step of the stage is done."""

    def reach(self, steps: int) -> None:
        """So many steps of the stage are done in all."""


class Bar:
    """A progress bar on standard error that goes away when it is done; a context manager.

    It redraws when it is told something and has no thread of its own: scanning forks, and threads do not fork well.
    """

    def __init__(self, console: Console) -> None:
        self._progress = Columns(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            TextColumn("left"), TimeRemainingColumn(),
            console=console, transient=True, auto_refresh=False, disable=not console.is_terminal,
        )  # fmt: skip
        self._task: TaskID | None = None

    def begin(self, stage: str, total: int | None) -> None:
        """Show a new stage of so many steps; None: nobody knows yet."""
        if self._task is not None:
            self._progress.remove_task(self._task)
        self._task = self._progress.add_task(stage, total=total)
        self._progress.refresh()

    def advance(self) -> None:
        """Show one more step."""
        if self._task is not None:
            self._progress.advance(self._task)
            self._progress.refresh()

    def reach(self, steps: int) -> None:
        """Show so many steps in all."""
        if self._task is not None:
            self._progress.update(self._task, completed=steps, refresh=True)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
