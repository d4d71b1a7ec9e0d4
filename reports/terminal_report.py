"""The format `terminal`: of each command the page that is its own."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from rich.console import Console

from fencepost.analyzer.model import Run
from fencepost.reports import gaps_page, gate_page, terminal

PIPED_WIDTH = 100
PAGES = {"gaps": gaps_page, "gate": gate_page}


def report(run: Run, out: TextIO, root: Path, limit: int | None) -> None:
    """Print a run; as wide as the window, or as 100 characters where nobody watches."""
    watched = out.isatty()
    console = Console(file=out, width=None if watched else PIPED_WIDTH, highlight=False, soft_wrap=not watched)
    PAGES.get(run.command, terminal).report(run, console, limit=limit, root=root)
