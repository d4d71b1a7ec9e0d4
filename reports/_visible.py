"""Foreign text made fit for any page: one line, of a bearable length, on which nothing hides. Pure."""

from __future__ import annotations

LONGEST = 1_000  # characters of a message: GitHub and GitLab cut later, and in the middle of what matters


def visible(text: str) -> str:
    """One line; controls, direction marks and whatever else does not show itself as escapes."""
    flat = text.replace("\r\n", " ").replace("\n", " ").replace("\t", "    ")
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in flat)


def cut(text: str, limit: int = LONGEST) -> str:
    """At most `limit` characters of a text, visible; three dots stand for the rest."""
    shown = visible(text[: limit + 1])
    return shown if len(shown) <= limit else f"{shown[: limit - 3]}..."
