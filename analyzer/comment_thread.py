"""The one comment of ours on a pull or merge request: found again, and written anew in its place."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from fencepost.analyzer.rest import Patience, Unanswered


@dataclass(frozen=True, slots=True)
class Posted:
    """A comment that is there, and who wrote it."""

    id: int
    author: str
    body: str


class Thread(Protocol):
    """The comments on one pull or merge request."""

    def own_name(self) -> str:
        """Who we are here."""

    def comments(self) -> Iterable[Posted]:
        """All comments, the oldest first."""

    def create(self, body: str) -> str:
        """Add a comment; returns its address."""

    def update(self, comment: Posted, body: str) -> str:
        """Write a comment anew; returns its address."""


def put(thread: Thread, marker: str, write: Callable[[str | None], str], patience: Patience) -> tuple[str, str]:
    """Write our comment: over the one that begins with the marker and is our own, else as a new one.

    Args:
        write: makes the text, given that which it takes the place of.

    Returns:
        `created` or `updated`, and the address.
    """
    name = thread.own_name()
    for wait in (*patience.waits(), None):
        found = _find(thread, marker, name)
        if found is not None:
            return "updated", thread.update(found, write(found.body))
        try:
            return "created", thread.create(write(None))
        except Unanswered as error:
            if wait is None or error.slug == "rate-limited":
                raise
        time.sleep(wait)  # it may be there all the same: look again, so that there are never two
    raise AssertionError("the last try returns or raises")


def _find(thread: Thread, marker: str, name: str) -> Posted | None:
    """Our comment. Anybody can copy the marker; nobody else can be us."""
    ours = (one for one in thread.comments() if one.author == name and one.body.lstrip().startswith(marker))
    return next(ours, None)
