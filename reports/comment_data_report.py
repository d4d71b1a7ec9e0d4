"""The format `comment-data`: what `fencepost comment --from` makes a comment of, in another job that has the token."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

from fencepost.analyzer.model import Run
from fencepost.analyzer.store import encode
from fencepost.reports._comment_data import comment_data


def report(run: Run, out: TextIO, root: Path, _limit: int | None) -> None:
    """Write the data; in ASCII, so that no encoding can spoil it."""
    json.dump(encode(comment_data(run, root)), out, indent=1)
    out.write("\n")
