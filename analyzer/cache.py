"""What runs found out, kept in `.fencepost/cache/` under the code and the options that they were about.

An entry is read only under the very same code under test, options and surroundings; `reuse` decides what of it holds
where tests changed. The folder may be saved and restored by a CI; it keeps the newest entries and shrinks by itself.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import os
import zlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost.analyzer.engine import Facts
from fencepost.analyzer.model import Judgement, TestRecord
from fencepost.analyzer.store import decode, encode
from fencepost.analyzer.test_edits import Prints

FORM = 3
MOST_ENTRIES = 30
MOST_BYTES = 200_000_000

Masks = dict[int, int]


@dataclass(slots=True)
class Group:
    """What the tests of one function or file saw, without what tests beside them did.

    Attributes:
        key: the function or file.
        tests: the tests, numbered from 0 within the group.
        facts: reached, infected, nearest and so on by probe, with those numbers.
        remembers: whether they used functions that keep results of their calls.
    """

    key: str
    tests: list[TestRecord]
    facts: Facts
    remembers: bool = False

    @property
    def file(self) -> str:
        """The test file."""
        return self.key.partition("::")[0]


@dataclass(slots=True)
class Entry:
    """What one complete run found out, and under what.

    Attributes:
        surroundings: the digest of everything outside the project.
        files: the digests of the project's files, but for those of the code under test and those that tests write.
        written: the paths that tests write, relative to the root.
        prints: of each test file its prints; None where they tell too little.
        imports: of each test file the names that it imports.
        groups: what the tests saw.
        loading: `at_import`, `startup`, `collecting`, `loaded`, `unwoven`, `strangers` as `observe.Collected` has them.
        judgements: the verdicts.
        notes: what was to be said of the run.
        lazy: whether tests, while they run, load code under test: what that evaluates would be seen by other tests if
            the first of them were gone.
        outside: the digests of what was read outside of the project's files, by absolute path.
        opened: the files of the project that were opened while the tests ran.
        acting: the test files that do more than define names where they are loaded.
        shared: in which modules one test may find what another one left behind; an empty name: anywhere.
        recalls: whether kept results of calls spare evaluating code under test, and groups tell which of them use any.
    """

    surroundings: str
    files: dict[str, str]
    written: tuple[str, ...]
    prints: dict[str, Prints | None]
    imports: dict[str, tuple[str, ...]]
    groups: list[Group]
    loading: dict[str, Any]
    judgements: dict[str, Judgement]
    notes: tuple[str, ...] = ()
    lazy: bool = False
    outside: dict[str, str] = field(default_factory=dict)
    opened: tuple[str, ...] = ()
    acting: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    recalls: bool = False


@dataclass(slots=True)
class Cache:
    """The entry of one question: the same code, options and sites.

    Args:
        store: the folder `.fencepost`.
        asked: everything that the question consists of, as plain data.
    """

    store: Path
    asked: Sequence[Any]
    path: Path = field(init=False)

    def __post_init__(self) -> None:
        name = hashlib.sha256(json.dumps([FORM, self.asked], sort_keys=True).encode()).hexdigest()[:32]
        self.path = self.store / "cache" / f"{name}.json.gz"

    def find(self) -> Entry | None:
        """The entry; None where there is none that can be read."""
        try:
            document = json.loads(gzip.decompress(self.path.read_bytes()))
            return _entry(document)
        except (OSError, EOFError, zlib.error, AttributeError, KeyError, TypeError, ValueError):
            return None

    def keep(self, entry: Entry) -> None:
        """Put an entry in the place of the one before, and remove the oldest others where there are too many.

        Where it cannot be written, nothing is kept: the answer is there all the same.
        """
        with contextlib.suppress(OSError):
            self._write(entry)

    def _write(self, entry: Entry) -> None:
        self.path.parent.mkdir(exist_ok=True)
        part = self.path.with_suffix(f".{os.getpid()}.part")  # another run may write the same entry just now
        part.write_bytes(gzip.compress(json.dumps(_document(entry)).encode(), 5))
        part.replace(self.path)
        total = 0
        newest = sorted(self.path.parent.glob("*"), key=lambda one: one.stat().st_mtime_ns, reverse=True)
        for count, one in enumerate(newest, 1):
            total += one.stat().st_size
            if one != self.path and (count > MOST_ENTRIES or total > MOST_BYTES):
                one.unlink(missing_ok=True)


def grouped(told: Iterable[Facts], names: Sequence[str]) -> list[Group]:
    """The groups of an unmutated run, as the engine tells them, with numbers that stand on their own."""
    return [_group(one, names) for one in told]


def _group(told: Facts, names: Sequence[str]) -> Group:
    tests = told["tests"]
    first = tests[0]["number"]
    records = [TestRecord(one["number"] - first, names[one["number"]], one["seconds"], passed=True) for one in tests]
    return Group(told["key"], records, shifted({**told, "skipped": _skipped(tests)}, -first), told["remembers"])


def _skipped(tests: Iterable[Facts]) -> list[int]:
    return [test["number"] for test in tests if test["skipped"]]


def shifted(facts: Facts, by: int) -> Facts:
    """The facts of a group with every number of a test moved."""
    return {
        "skipped": [number + by for number in facts["skipped"]],
        "reached": {probe: _moved(tests, by) for probe, tests in facts["reached"].items()},
        "infected": {
            probe: {bit: _moved(tests, by) for bit, tests in by_bit.items()}
            for probe, by_bit in facts["infected"].items()
        },
        "nearest": {
            probe: {side: [*seen[:3], seen[3] + by, *seen[4:]] for side, seen in sides.items()}
            for probe, sides in facts["nearest"].items()
        },
        "samples": {
            probe: [(text, number + by) for text, number in samples] for probe, samples in facts["samples"].items()
        },
        **{name: facts[name] for name in ("parsed", "numeric", "unordered", "doubted", "classes")},
    }


def _moved(tests: array[int], by: int) -> array[int]:
    return array("I", [number + by for number in tests])


def _document(entry: Entry) -> Mapping[str, Any]:
    plain = {
        name: encode(getattr(entry, name))
        for name in (
            "surroundings",
            "files",
            "written",
            "prints",
            "imports",
            "judgements",
            "notes",
            "lazy",
            "outside",
            "opened",
            "acting",
            "shared",
            "recalls",
        )
    }
    groups = [
        {
            "key": one.key,
            "tests": [(test.id, test.seconds) for test in one.tests],
            "facts": _plain(one.facts),
            "remembers": one.remembers,
        }
        for one in entry.groups
    ]
    loading = {**entry.loading}
    for name in ("at_import", "startup"):
        loading[name] = list(loading[name].items())
    loading["collecting"] = {file: list(masks.items()) for file, masks in loading["collecting"].items()}
    return {**plain, "groups": groups, "loading": loading}


def _entry(document: Mapping[str, Any]) -> Entry:
    loading = {**document["loading"]}
    for name in ("at_import", "startup"):
        loading[name] = dict(loading[name])
    loading["collecting"] = {file: dict(masks) for file, masks in loading["collecting"].items()}
    return Entry(
        document["surroundings"],
        document["files"],
        tuple(document["written"]),
        document["prints"],
        {file: tuple(names) for file, names in document["imports"].items()},
        [_group_of(one) for one in document["groups"]],
        loading,
        decode(document["judgements"], dict[str, Judgement]),
        tuple(document["notes"]),
        document["lazy"],
        document["outside"],
        tuple(document["opened"]),
        tuple(document["acting"]),
        tuple(document["shared"]),
        document["recalls"],
    )


def _group_of(document: Mapping[str, Any]) -> Group:
    tests = [TestRecord(number, name, seconds, passed=True) for number, (name, seconds) in enumerate(document["tests"])]
    return Group(document["key"], tests, _facts(document["facts"]), document["remembers"])


def _plain(facts: Facts) -> Any:
    """Facts as JSON: tests as ranges, since those of one function mostly follow each other."""
    return {
        "skipped": facts["skipped"],
        "reached": [(probe, _ranges(tests)) for probe, tests in facts["reached"].items()],
        "infected": [
            (probe, [(bit, _ranges(tests)) for bit, tests in by_bit.items()])
            for probe, by_bit in facts["infected"].items()
        ],
        "nearest": list(facts["nearest"].items()),
        "samples": list(facts["samples"].items()),
        **{name: sorted(facts[name]) for name in ("parsed", "numeric", "unordered")},
        **{name: list(facts[name].items()) for name in ("doubted", "classes")},
    }


def _facts(plain: Mapping[str, Any]) -> Facts:
    return {
        "skipped": plain["skipped"],
        "reached": {probe: _array(ranges) for probe, ranges in plain["reached"]},
        "infected": {probe: {bit: _array(ranges) for bit, ranges in by_bit} for probe, by_bit in plain["infected"]},
        "nearest": dict(plain["nearest"]),
        "samples": {probe: [(text, number) for text, number in samples] for probe, samples in plain["samples"]},
        **{name: set(plain[name]) for name in ("parsed", "numeric", "unordered")},
        "doubted": dict(plain["doubted"]),
        "classes": {probe: tuple(classes) for probe, classes in plain["classes"]},
    }


def _ranges(numbers: Iterable[int]) -> list[list[int]]:
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number:
            ranges[-1][1] = number + 1
        else:
            ranges.append([number, number + 1])
    return ranges


def _array(ranges: Iterable[Sequence[int]]) -> array[int]:
    return array("I", [number for first, last in ranges for number in range(first, last)])
