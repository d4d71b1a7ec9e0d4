"""Foreign text in the Markdown of GitHub and GitLab: shown as it is, never obeyed. Pure.

Nothing that comes from the code under test may become markup, a mention, a reference, a link, a quick action or HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from fencepost.reports._visible import visible

# what may mean something in Markdown somewhere in a line; not `_` inside a word, nor what only begins a line
_MARKUP = re.compile(r"[^\w .,:;()+=/%?'\"-]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.", re.ASCII | re.IGNORECASE)
# behind these a name or number would be linked, or somebody told: a mark of no width comes between
_CALLS = re.compile(r"(?:[@#!$%~^&]|(?<=[Gg][Hh])-)(?=[\w\"'\[(])|:(?=//)|(?<=www)(?=\.)", re.IGNORECASE)
_NO_WIDTH = "\u200b"
_BEGINS = re.compile(r"[-+=/]|\d+[.)](?= |$)")  # a list, the underline of a heading, a quick action
_NEEDS_HTML = re.compile(r"[`|\\]")


class Markdown(str):
    """Text that is Markdown already; any other `str` is foreign."""

    __slots__ = ()


def prose(text: str) -> Markdown:
    """A sentence; what stands in it between backticks is code."""
    parts = re.split(r"`([^`]+)`", visible(text).strip())
    done = "".join(code(part) if number % 2 else _plain(part) for number, part in enumerate(parts))
    if _BEGINS.match(done):
        done = f"&#{ord(done[0])};{done[1:]}"
    return Markdown(done)


def _plain(text: str) -> str:
    # a text of the user may have marks of no width too: `visible` has shown them
    return _entities(_CALLS.sub(lambda match: match[0] + _NO_WIDTH, text))


def _entities(text: str) -> str:
    return _MARKUP.sub(lambda match: match[0] if not _is_special(match[0]) else f"&#{ord(match[0])};", text)


def _is_special(one: str) -> bool:
    return one.isascii() or one == _NO_WIDTH


def code(text: str) -> Markdown:
    """A piece of code inside a line, also in the cell of a table."""
    shown = visible(text)
    if not shown.strip() or _NEEDS_HTML.search(shown):
        return html_code(text)
    pad = " " if shown[0] == shown[-1] == " " else ""  # one of each is taken off
    return Markdown(f"`{pad}{shown}{pad}`")


def html_code(text: str) -> Markdown:
    """The same where Markdown is not read, as in `<summary>`."""
    if not text:
        return Markdown("")
    # the comment keeps what looks like an address from becoming a link
    return Markdown(f"<code>{_entities(visible(text)).replace('&#64;', '&#64;<!-- -->')}</code>")


def fenced(lines: Sequence[str], language: str) -> Markdown:
    """A block of code; its fence is longer than any run of backticks in it."""
    shown = [visible(line) for line in lines]
    longest = max((len(run) for line in shown for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return Markdown("\n".join((f"{fence}{language}", *shown, fence)))


def length(text: str) -> int:
    """Its length in UTF-16 units.

    GitHub says 65,536 characters and counts at most 65,536 code points or 262,144 bytes, depending on who asks; a text
    of so many UTF-16 units is within both.
    """
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
