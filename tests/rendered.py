"""A comment as its reader sees it: rendered as GitHub renders it, with what would be obeyed in it."""

from __future__ import annotations

import html.parser
import re

from markdown_it import MarkdownIt


class Page(html.parser.HTMLParser):
    """What a reader of the rendered comment has: its elements, its links, its text in code and outside of it."""

    QUIET = frozenset({"code", "pre", "a"})  # where GitHub and GitLab look for no mention and no reference

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.plain: list[str] = []
        self.code: list[str] = []
        self.cells: list[str] = []
        self.comments: list[str] = []
        reader = MarkdownIt("gfm-like")
        assert reader.linkify is not None
        reader.linkify.set({"fuzzy_link": False})  # GitHub links no bare `shop.py`
        self.feed(reader.render(text))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Remember the element, and begin its text."""
        self.elements.append((tag, dict(attrs)))
        if tag == "code":
            self.code.append("")
        if tag == "td":
            self.cells.append("")
        if tag not in {"br", "hr", "img"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """What ends is what began last."""
        assert self.open.pop() == tag, "every element ends where it should"

    def handle_data(self, data: str) -> None:
        """Add to the text of what it stands in."""
        if "td" in self.open:
            self.cells[-1] += data
        if "code" in self.open:
            self.code[-1] += data
        elif not self.QUIET & set(self.open):
            self.plain.append(data)

    def handle_comment(self, data: str) -> None:
        """Remember what nobody sees."""
        self.comments.append(data.strip())

    def count(self, tag: str) -> int:
        """How many elements of a kind there are."""
        return sum(name == tag for name, _ in self.elements)

    def links(self) -> list[str | None]:
        """Where the links lead."""
        return [attributes.get("href") for name, attributes in self.elements if name == "a"]


ALLOWED = {
    "p",
    "strong",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "code",
    "pre",
    "details",
    "summary",
    "ul",
    "li",
    "sub",
    "a",
}


def check_that_nothing_is_obeyed(text: str, page: Page) -> None:
    """No element of a stranger, no mention, no reference, no quick action, no hidden mark."""
    assert {name for name, _ in page.elements} <= ALLOWED
    assert page.open == []
    plain = "\n".join(page.plain)
    assert not re.search(r"[@#!~&$%^][\w\"\[]|(?i:gh-\d)|https?://|www\.", plain)
    assert not re.search(r"^\s*/\w", text, re.MULTILINE)
    assert [one for one in page.comments if one] == page.comments[:2]
    assert all(one.isprintable() or one == "\n" for one in text)
