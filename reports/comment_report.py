"""The format `comment`: the comment on a pull or merge request, in Markdown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TextIO

from fencepost.analyzer.model import Run
from fencepost.reports._comment import markdown
from fencepost.reports._comment_data import comment_data
from fencepost.reports._links import links_from


def report(run: Run, out: TextIO, root: Path, _limit: int | None) -> None:
    """Write the comment about a run; its links lead to the commit that the environment of a CI run names."""
    out.write(markdown(comment_data(run, root), links_from(os.environ)))
