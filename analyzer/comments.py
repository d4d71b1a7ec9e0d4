"""The comments by which a person says what to leave alone, and what is wrong with them. Pure."""

from __future__ import annotations

import hashlib
import io
import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.model import Finding, Position, Span
from fencepost.analyzer.rule_choice import find_rule
from fencepost.rules import Rule

ALLOW = "allow"  # stands where the code of a rule would, in findings about these comments

_ALLOW = re.compile(r"#\s*fencepost:\s*allow\b(?:\[(?P<names>[^\]]*)\])?(?P<reason>.*)")
_NO_COVER = re.compile(r"#\s*pragma:?\s*no\s*cover", re.IGNORECASE)
_NO_MUTATE = re.compile(r"#\s*pragma:?\s*no\s*mutate", re.IGNORECASE)


@dataclass(slots=True)
class Allow:
    """One `# fencepost: allow[name, name] reason`.

    Attributes:
        place: the whole comment.
        names: what it names, as written.
        reason: empty where none is given; then it allows nothing.
        used: the names that allowed something.
    """

    place: Span
    names: tuple[str, ...]
    reason: str
    used: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Comments:
    """The comments of a file, by line."""

    no_cover: set[int] = field(default_factory=set)
    no_mutate: set[int] = field(default_factory=set)
    allows: dict[int, Allow] = field(default_factory=dict)

    def allowed(self, rule: Rule, lines: Iterable[int]) -> str | None:
        """The reason why a site of a rule on these lines is left alone; None where nobody says so."""
        for allow in (self.allows[line] for line in lines if line in self.allows):
            named = next((name for name in allow.names if name in {rule.name, rule.code}), None)
            if named is not None and allow.reason:
                allow.used.add(named)
                return allow.reason
        return None

    def findings(self, path: str, rules: Iterable[type[Rule]]) -> Iterator[Finding]:
        """What is wrong with the allows of a file, once its sites are known.

        Args:
            rules: those that looked at the file; of others nobody knows whether they would have found something.
        """
        asked = {name for rule in rules for name in (rule.code, rule.name)}
        for allow in self.allows.values():
            for message in _wrong(allow, asked):
                key = "\0".join((path, *allow.names, allow.reason, message))
                name = f"{ALLOW}-{hashlib.sha256(key.encode()).hexdigest()[:10]}"
                yield Finding(name, ALLOW, path, allow.place, message, "", "note")


def _wrong(allow: Allow, asked: set[str]) -> Iterator[str]:
    if not allow.names:
        yield "this allow names no rule: write it as allow[boundary-at] and the reason"
        return
    for name in allow.names:
        try:
            find_rule(name)
        except UsageProblem as problem:
            yield f"{problem}, so this allows nothing: {problem.hint}"
            continue
        if not allow.reason:
            yield f"this allow of {name} gives no reason, and allows nothing until it does: write it behind the bracket"
        elif name not in allow.used and name in asked:
            yield f"this allows nothing: there is no {name} on this line"


def read_comments(text: str) -> Comments:
    """The pragmas and allows of a source text; a text that does not tokenize has none."""
    comments = Comments()
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                _read_comment(comments, token)
    except (tokenize.TokenError, SyntaxError):
        return comments  # the parser reports the file; here the comments read so far are all there is to know
    return comments


def _read_comment(comments: Comments, token: tokenize.TokenInfo) -> None:
    line, column = token.start
    if _NO_COVER.search(token.string):
        comments.no_cover.add(line)
    if _NO_MUTATE.search(token.string):
        comments.no_mutate.add(line)
    allow = _ALLOW.search(token.string)
    if allow:
        place = Span(Position(line, column + 1), Position(line, column + 1 + len(token.string)))
        names = tuple(name.strip() for name in (allow["names"] or "").split(",") if name.strip())
        comments.allows[line] = Allow(place, names, allow["reason"].strip())
