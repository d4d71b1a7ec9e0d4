"""The gaps that are accepted today, by stable id, in a small file that a reviewer can read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.model import FileScan, Mutant, Run

HEADING = """\
# Gaps that are accepted, one a line: id, file, change. `fencepost gate` fails only on what is not listed here.
# Remove lines freely; `fencepost baseline write` writes the file anew from the last `fencepost run`.
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """One accepted gap: the id of a mutant or finding, its file, and what it is, in words for a reader."""

    id: str
    path: str
    what: str


def read_baseline(path: Path, *, must_exist: bool = False) -> tuple[Entry, ...]:
    """The entries of a baseline; a file that is not there accepts nothing.

    Raises:
        UsageProblem: the file cannot be read, a line is no entry, or the file is missing and `must_exist` is set.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        if must_exist:
            raise UsageProblem(
                f"there is no baseline '{path.name}'", slug="no-baseline", hint="`fencepost baseline write` writes one"
            ) from error
        return ()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageProblem(
            f"the baseline '{path.name}' cannot be read: {error}", slug="bad-baseline", hint="write it anew"
        ) from error
    return tuple(_entries(text, path.name))


def _entries(text: str, name: str) -> Iterator[Entry]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.rstrip("\r").split("\t")
        if len(fields) != 3:
            raise UsageProblem(
                f"{name}:{number} is no entry of a baseline: {shorten(line)}", slug="bad-baseline",
                hint="an entry is an id, a tab, a file, a tab and the change; was a merge conflict left in it?",
            )  # fmt: skip
        yield Entry(*fields)


def write_baseline(path: Path, run: Run) -> tuple[Entry, ...]:
    """Write the gaps and findings of a run as accepted; returns them.

    The order depends on files and ids alone, so that a changed file is a short diff.

    Raises:
        OSError: it cannot be written.
    """
    entries = sorted(_accepted(run), key=lambda entry: (entry.path, entry.id))
    lines = [f"{entry.id}\t{entry.path}\t{entry.what}\n" for entry in entries]
    target = path.resolve()  # a link stays one
    replaced = not target.exists() or target.is_file()  # else a device or a pipe, which takes the place of nothing
    part = target.with_name(f"{target.name}.part") if replaced else target
    part.write_text(HEADING + "".join(lines), encoding="utf-8")
    if replaced:
        part.replace(target)
    return tuple(entries)


def _accepted(run: Run) -> Iterator[Entry]:
    for mutant in _mutants(run.files):
        judgement = run.judgements.get(mutant.id)
        if judgement is not None and judgement.verdict.missed:
            yield Entry(mutant.id, mutant.path, _in_a_line(f"{mutant.original} -> {mutant.replacement}"))
    for finding in run.findings:
        yield Entry(finding.id, finding.path, _in_a_line(finding.message))


def _in_a_line(text: str) -> str:
    return shorten(" ".join(text.split()))


def vanished(entries: Iterable[Entry], scans: Iterable[FileScan], root: Path) -> Iterator[str]:
    """The ids of entries that no code stands for any more: their file is gone, or was read and has them no more."""
    scans = list(scans)
    read = {scan.path for scan in scans if scan.problem is None}
    there = {mutant.id for mutant in _mutants(scans)} | {one.id for scan in scans for one in scan.findings}
    for entry in entries:
        if entry.id not in there and (entry.path in read or not (root / entry.path).is_file()):
            yield entry.id


def _mutants(scans: Iterable[FileScan]) -> Iterator[Mutant]:
    return (mutant for scan in scans for site in scan.sites for mutant in site.mutants)
