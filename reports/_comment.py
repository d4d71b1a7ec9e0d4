"""Writes the comment on a pull or merge request out of its data; short enough to be posted, whatever is in it."""

from __future__ import annotations

import importlib.resources
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

import jinja2

from fencepost.reports import _markdown
from fencepost.reports._comment_data import Closed, CommentData, Entry
from fencepost.reports._links import Links
from fencepost.reports._markdown import Markdown

MOST = 65_536  # characters of a comment on GitHub; GitLab takes more
HIDDEN_IDS = 200  # of open gaps, for the next comment to compare with
SENTENCE, LISTED = 4_000, 8_000  # characters of what is around the findings, so that some room is always left
NAME = "report"  # of the comment, where nobody gives another one

_HEADLINES = {
    "failed": "fencepost: gate failed",
    "passed": "fencepost: gate passed",
    "incomplete": "fencepost: incomplete, what was not tried is unknown",
    "told": "fencepost",
}
_REMARKS = {
    "lost": "a test killed this before the work changed or removed it.",
    "warning": "its rule does not fail the gate.",
}
_MARKS = {"lost": "protection lost", "warning": "warns only"}
_OPEN = re.compile(r"^<!-- fencepost-open: ([\w. -]*) -->$", re.MULTILINE)


def marker(name: str = NAME) -> str:
    """The hidden first line by which a bot finds its comment again."""
    return f"<!-- fencepost:{name} -->"


def markdown(data: CommentData, links: Links, *, name: str = NAME, before: str | None = None) -> str:
    """The text of a comment.

    It is cut at whole findings until it is no longer than `MOST`.

    Args:
        name: of the comment; letters, digits and `-` only.
        before: the text of the comment that this one takes the place of.
    """
    template = _template(links, data.folder)
    around = {
        "marker": Markdown(marker(name)),
        "open_marker": Markdown(_open_marker(data)),
        "headline": _HEADLINES[data.outcome],
        "reasons": _within(data.reasons, SENTENCE),
        "scope": _within([data.scope], SENTENCE),
        "better": _within(_better(data, before), LISTED),
        "notes": _within(data.notes, LISTED),
    }
    for count in range(len(data.entries), -1, -1):
        shown, more = data.entries[:count], data.more + len(data.entries) - count
        text = template.render(around, data=data, shown=shown, more=more, marks=_MARKS, remarks=_REMARKS)
        if _markdown.length(text) <= MOST:
            break
    return text


def _within(sentences: Iterable[str], most: int) -> list[Markdown]:
    """The first of the sentences that have room, and how many have none."""
    written = [_markdown.prose(one) for one in sentences]
    ends = itertools.accumulate(map(_markdown.length, written))
    kept = [one for one, end in zip(written, ends, strict=True) if end <= most]
    more = len(written) - len(kept)
    return [*kept, Markdown(f"and {more} more that have no room here")] if more else kept


def _open_marker(data: CommentData) -> str:
    ids = "" if data.open is None else " ".join(data.open[:HIDDEN_IDS])
    return f"<!-- fencepost-open: {data.command} {ids} -->"


def _open_before(text: str | None, command: str) -> set[str]:
    """The ids of the gaps that an earlier comment on results of the same command said are open."""
    found = _OPEN.search(text or "")
    words = found[1].split() if found else []
    return set(words[1:]) if words[:1] == [command] else set()


def _better(data: CommentData, before: str | None) -> Iterator[str]:
    if data.open is not None:
        gone = sorted(_open_before(before, data.command) - set(data.open))
        if gone:
            yield f"not among the gaps any more since this comment was last written: {_ids(gone)}"
    for closed in data.closed:
        yield f"accepted before, remove it from the baseline: {_told(closed)}"
    if data.more_closed:
        yield f"and {data.more_closed} more that the baseline need not accept"


def _ids(ids: list[str], most: int = 20) -> str:
    more = f" and {len(ids) - most} more" if len(ids) > most else ""
    return ", ".join(f"`{one}`" for one in ids[:most]) + more


def _told(closed: Closed) -> str:
    if closed.test:
        return f"`{closed.id}` in {closed.place} is killed by `{closed.test}`"
    return f"`{closed.id}` in {closed.place} is noticed" if closed.place else f"`{closed.id}` is in no code any more"


def _template(links: Links, folder: str) -> jinja2.Template:
    """The template; a value that no filter has made Markdown of is escaped."""
    environment = jinja2.Environment(  # noqa: S701 - `finalize` escapes, for Markdown
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined, finalize=_escaped,
    )  # fmt: skip

    def place(entry: Entry) -> Markdown:
        text = _markdown.code(_place(entry))
        url = links.to(folder + entry.path, entry.line, entry.last_line)
        return Markdown(f"[{text}]({url})" if url else text)

    environment.filters.update(
        code=_markdown.code,
        fenced=_markdown.fenced,
        place=place,
        place_in_html=lambda entry: _markdown.html_code(_place(entry)),
    )
    return environment.from_string(_text_of_template())


def _text_of_template() -> str:
    return importlib.resources.files("fencepost.reports.templates").joinpath("comment.md.j2").read_text("utf-8")


def _place(entry: Entry) -> str:
    return f"{entry.path}:{entry.line}"


def _escaped(value: Any) -> str:
    match value:
        case Markdown():
            return value
        case str():
            return _markdown.prose(value)
        case int():
            return str(value)
        case _:
            raise TypeError(f"the template of the comment shows a {type(value).__name__}")
