"""Reads the HTML page the way a browser does, and finds out whether its tags are in order."""

from __future__ import annotations

import base64
import hashlib
import json
from html.parser import HTMLParser
from typing import Any

VOID = frozenset({"meta", "link", "input", "br", "hr", "img", "wbr"})
OUR_POLICY = "default-src 'none'"


class Page(HTMLParser):
    """A page: its data, its text outside of scripts and styles, and its elements.

    Attributes:
        data: what its script reads.
        scripts: the texts of its scripts that run.
        styles: the texts of its styles.
        text: all other text.
        elements: each element with its attributes.
    """

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.data: dict[str, Any] = {}
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.text = ""
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == [], "elements that nothing closes"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element begins."""
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content, as SVG has them."""
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """An element ends."""
        assert self._open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        """Text, or the inside of a script or style."""
        inside = self._open[-1] if self._open else ""
        if inside == "script" and self.elements[-1][1].get("type") == "application/json":
            self.data = json.loads(data)
        elif inside in {"script", "style"}:
            {"script": self.scripts, "style": self.styles}[inside].append(data)
        else:
            self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of the elements of a name."""
        return [attributes for name, attributes in self.elements if name == tag]

    def lead_ids(self) -> set[str]:
        """The ids of the mutants that stand for the gaps."""
        return {self.data["mutants"][gap["mutants"][0]]["id"] for gap in self.data["gaps"]}


def page(text: str) -> Page:
    """A page of one script and one style, which are all that its own policy lets the browser use."""
    found = Page(text)
    [policy] = [one["content"] for one in found.named("meta") if one.get("http-equiv") == "Content-Security-Policy"]
    [script], [style] = found.scripts, found.styles
    assert policy is not None
    assert policy.split("; ")[0] == OUR_POLICY
    assert f"script-src {_digest(script)}" in policy
    assert f"style-src {_digest(style)}" in policy
    for _, attributes in found.elements:
        assert not {name for name in attributes if name.startswith("on") or name in {"src", "style"}}
        target = attributes.get("href") or "#"
        assert target.startswith("#") or target == "data:,"
    return found


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
