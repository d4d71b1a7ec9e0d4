"""The test plan: what to list before the first assertion, out of the source alone; nothing has run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TextIO

import fencepost
from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.inputs import changing_input
from fencepost.analyzer.model import FileScan, Site
from fencepost.reports._sentences import ask_with, compared, link, plural, says
from fencepost.reports._sides import known_inputs
from fencepost.reports._thresholds import threshold_key
from fencepost.reports._view import rule_name

SCHEMA = "fencepost-plan/1"
AT_MODULE_LEVEL = "module level"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing for a test to show.

    Attributes:
        rules: the rules that ask for it, by code.
        line: where it stands, counted from 1.
        source: the expression.
        inputs: inputs to use, as source text or in words; at a threshold just below, at and just above it.
        ask: what to show, in a sentence.
    """

    rules: tuple[str, ...]
    line: int
    source: str
    inputs: tuple[str, ...]
    ask: str


@dataclass(frozen=True, slots=True)
class Chapter:
    """What one function asks for; `scope` is its dotted name, empty at module level."""

    path: str
    scope: str
    items: tuple[Item, ...]


def chapters(files: Sequence[FileScan]) -> Iterator[Chapter]:
    """What the source asks for, function by function, in the order of the source."""
    for file_scan in files:
        by_scope: dict[str, list[Site]] = {}
        for site in file_scan.sites:
            if site.ignored is None:
                by_scope.setdefault(site.scope, []).append(site)
        for scope, sites in by_scope.items():
            yield Chapter(file_scan.path, scope, tuple(_items(sites)))


def _items(sites: Sequence[Site]) -> Iterator[Item]:
    by_key: dict[object, list[Site]] = {}
    for site in sites:
        key = threshold_key(site) if site.threshold is not None else site.id
        by_key.setdefault(key, []).append(site)
    for same in by_key.values():
        first = same[0]
        rules = tuple(site.rule for site in same)
        yield Item(rules, first.span.start.line, link(first), tuple(_inputs(first)), _ask(same))


def _ask(same: Sequence[Site]) -> str:
    first, name = same[0], compared(same[0])
    if first.threshold is None or name is None:
        found = changing_input(first, ())
        return ask_with(first, found.literal if found else None)
    if known_inputs(first.threshold) is None:
        return f"`{name}` at exactly `{shorten(first.threshold.text)}`, and on both sides of it"
    return f"`{name}` at each of these"


def _inputs(site: Site) -> Iterator[str]:
    threshold = site.threshold
    if threshold is None:
        found = changing_input(site, ())
        if found is not None:
            yield found.words
    elif known_inputs(threshold) is not None:
        length = (compared(site) or "").startswith("len(")
        inputs = (threshold.below, threshold.at, threshold.above)
        yield from (text for text in inputs if not (length and text.startswith("-")))


def markdown(files: Sequence[FileScan], out: TextIO) -> None:
    """Write the plan as a checklist."""
    found = list(chapters(files))
    out.write("# Test plan\n\nEach line is an input that some test should bring, and whose result it should assert.\n")
    path = None
    for chapter in found:
        if chapter.path != path:
            path = chapter.path
            out.write(f"\n## {code(path)}\n")
        out.write(f"\n### {code(chapter.scope) if chapter.scope else AT_MODULE_LEVEL}\n\n")
        out.writelines(f"- [ ] {_line(item)}\n" for item in chapter.items)
    for file_scan in files:
        if file_scan.problem is not None:
            place = code(f"{file_scan.problem.path}:{file_scan.problem.line}")
            out.write(f"\nNot read: {place}: {file_scan.problem.message}\n")
    count = sum(len(chapter.items) for chapter in found)
    out.write(
        f"\n{plural(count, 'item')} in {plural(len(found), 'function')}.\n" if found else "\nNothing to list here.\n"
    )


def _line(item: Item) -> str:
    told = [code(text) for text in item.inputs if not says(item.ask, text)]
    inputs = f": {', '.join(told)}" if told else ""
    rules = ", ".join(f"{rule} {rule_name(rule)}" for rule in dict.fromkeys(item.rules))
    return f"line {item.line}, {code(item.source)}: {item.ask}{inputs} ({rules})"


def code(text: str) -> str:
    """A piece of code for Markdown, on one line, whatever backticks are in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    flat = "".join(one if one.isprintable() else " " for one in text)
    return f"{fence} {flat} {fence}" if longest else f"{fence}{flat}{fence}"


def as_json(files: Sequence[FileScan], out: TextIO) -> None:
    """Write the plan as data; `schema/fencepost-plan-1.schema.json` is its JSON Schema."""
    problems = [asdict(file_scan.problem) for file_scan in files if file_scan.problem is not None]
    document = {
        "schema": SCHEMA,
        "fencepost": fencepost.__version__,
        "functions": [asdict(chapter) for chapter in chapters(files)],
        "problems": problems,
    }
    json.dump(document, out, indent=2)
    out.write("\n")
