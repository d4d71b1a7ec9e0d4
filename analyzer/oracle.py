"""The oracle: does a verdict equal what a hand edit of the file and a whole fresh pytest run show?

    python -m fencepost.analyzer.oracle REPORT.json [--sample 40] [--by-rule] [-- PYTEST_ARGS]

Takes a JSON report, splices mutants into the source text of a copy of the project, one at a time, runs the whole suite
in a new process for each, and compares. Shares nothing with the engine: it knows the report and pytest's exit codes.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import decode_source
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, TypeVar

import click

from fencepost.analyzer import leftovers

LEAST_SECONDS, FACTOR = 30.0, 10  # a mutated run hangs after so long
MOST_MEMORY = 4 << 30
BY_NAME = shutil.ignore_patterns(
    ".git", ".fencepost", "__pycache__", ".venv", "venv", "*.egg-info", ".tox", ".mypy_cache"
)
EXPECTED = {
    "killed": {"fails", "hangs"},  # an earlier test than the one that is named may hang
    "timeout": {"hangs", "fails"},
    "survived": {"passes"},
    "not-infected": {"passes"},
    "not-reached": {"passes"},
    "invalid": {"breaks"},
}
"""What a whole fresh run must show for each verdict; other verdicts claim nothing."""

ENDED = 128 + signal.SIGTERM
MARKS_OF_A_BROKEN_LOAD = (b" ERROR collecting ", b"ImportError while loading conftest")
"""What pytest prints when it does not come to running tests; with -x its exit code is that of a failed test."""
MARKS_OF_A_FAILURE = (b"\nFAILED ", b"\nSUBFAIL")
"""How its summary begins the line of a test that failed, and of a part of one: `SUBFAILED(age=18) test_it`."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Comparison:
    """One mutant of a report beside what a whole fresh run of its hand edit showed."""

    mutant: Mapping[str, Any]
    shown: str

    @property
    def agrees(self) -> bool:
        """Whether the verdict equals what was shown."""
        return self.shown in EXPECTED[self.mutant["verdict"]]


def sample(mutants: Iterable[Mapping[str, Any]], count: int, *, turns_over: str = "verdict") -> list[Mapping[str, Any]]:
    """Up to `count` mutants, round robin over the verdicts or the rules, spread evenly over the mutants of each.

    What the guard stopped is left out: nothing stops it here, and what it would do to the machine is no test's verdict.
    """
    groups: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for mutant in mutants:
        stopped = mutant["kill"] is not None and mutant["kill"]["kind"] == "guard"
        if mutant["verdict"] in EXPECTED and not stopped:
            groups[mutant[turns_over]].append(mutant)
    names = sorted(groups)
    turns = list(_turns([name] * len(groups[name]) for name in names))[:count]
    return list(_turns(_spread(groups[name], turns.count(name)) for name in names))


def _turns(groups: Iterable[Iterable[_T]]) -> Iterator[_T]:
    """The first of each group, then the second of each, until all have ended."""
    for turn in itertools.zip_longest(*groups, fillvalue=None):
        yield from (one for one in turn if one is not None)


def _spread(group: Sequence[_T], count: int) -> list[_T]:
    """So many of a group, from its whole length and not from its beginning alone."""
    return [group[number * len(group) // count] for number in range(count)]


def splice(text: str, mutant: Mapping[str, Any]) -> str:
    """The text of a file with a mutant in it.

    Raises:
        ValueError: the text at its place is not what the report says.
    """
    lines = text.split("\n")
    start, end = (_offset(lines, mutant[edge]) for edge in ("start", "end"))
    if text[start:end] != mutant["original"]:
        message = f"{mutant['path']}: the text at {mutant['start']} is not {mutant['original']!r}"
        raise ValueError(message)
    replacement: str = mutant["replacement"]
    return text[:start] + replacement + text[end:]


def _offset(lines: Sequence[str], place: Mapping[str, int]) -> int:
    return sum(len(line) + 1 for line in lines[: place["line"] - 1]) + place["column"] - 1


class Copy:
    """A copy of a project in which mutants can be spliced and the whole suite run."""

    def __init__(self, root: Path, paths: Iterable[str], arguments: Sequence[str], timeout: float) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="fencepost-oracle-"))
        self.original = root
        self.root = self.folder / "project"
        self._copy()
        self.arguments = arguments
        self.timeout = timeout
        self._running: subprocess.Popen[bytes] | None = None
        places = sorted({str(self._import_root(self.root / path)) for path in paths})
        # the copy's own source comes before whatever is installed
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONDONTWRITEBYTECODE": "1"}

    def _copy(self) -> None:
        """Copy the project anew: a test that fails leaves undone what it does at its end."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.original, self.root, ignore=_left_out, symlinks=True)

    def _import_root(self, path: Path) -> Path:
        folder = path.parent
        while (folder / "__init__.py").exists() and folder != self.root:
            folder = folder.parent
        return folder

    def show(self, mutant: Mapping[str, Any]) -> str:
        """What the whole suite shows with a mutant in its file: passes, fails, breaks or hangs."""
        path = self.root / mutant["path"]
        before = path.read_bytes()
        # `utf-8-sig` where the file has a byte order mark, so that it is written back
        encoding, _ = tokenize.detect_encoding(io.BytesIO(before).readline)
        spliced = splice(decode_source(before), mutant).encode(encoding)
        path.write_bytes(spliced)
        shown = self.run()
        if shown not in EXPECTED[mutant["verdict"]]:
            self._copy()
            path.write_bytes(spliced)
            shown = self._look_again(shown)
        self._copy()
        return shown

    def _look_again(self, shown: str) -> str:
        """A second opinion: does a test fail too, where a test file cannot be loaded; or was it chance?"""
        return self.run("--continue-on-collection-errors") if shown == "breaks" else self.run("-x")

    def breaks_when_broken(self, path: str) -> bool:
        """Whether the tests run the copy at all: with a file that raises when it is loaded they must not pass."""
        target = self.root / path
        target.write_bytes(b"raise RuntimeError('the oracle was here')\n" + target.read_bytes())
        shown = self.run()
        self._copy()
        return shown != "passes"

    def run(self, option: str = "-x") -> str:
        """Run the whole suite fresh."""
        # the marks are looked for as plain text, and projects ask for colors
        plain = ("--color=no", "-p", "no:cacheprovider")
        command = [sys.executable, "-m", "pytest", "-q", option, *plain, *self.arguments]
        with tempfile.TemporaryFile() as file:  # a pipe would be held open by what the tests leave behind
            code = self._ended(command, file)
            file.seek(0)
            output = file.read()
        if code is None:
            return "hangs"
        if option != "-x" and any(mark in output for mark in MARKS_OF_A_FAILURE):
            return "fails"
        if any(mark in output for mark in MARKS_OF_A_BROKEN_LOAD) or code in {4, 5}:
            return "breaks"
        return "fails" if code else "passes"

    def _ended(self, command: Sequence[str], output: IO[bytes]) -> int | None:
        """The exit code of a run, None where it hangs; whatever its tests started has ended too."""
        self._running = subprocess.Popen(  # noqa: S603 - pytest, with the arguments of the report
            command, cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
            preexec_fn=_spare_the_machine,  # noqa: PLW1509 - two calls of the system, no lock is taken
            start_new_session=True,
        )  # fmt: skip
        try:
            return self._running.wait(self.timeout)
        except subprocess.TimeoutExpired:
            return None
        finally:
            _end_group(self._running)
            self._running = None
            leftovers.end(leftovers.started_with(str(self.folder)))

    def end(self) -> None:
        """End the run that is under way, and any that follows."""
        self.timeout = 0.0
        if self._running is not None:
            _end_group(self._running)

    def remove(self) -> None:
        """Delete the copy."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _left_out(folder: str, names: list[str]) -> set[str]:
    """What of a folder is not copied: what was made from the rest of it, and environments of any name."""
    environments = {name for name in names if (Path(folder) / name / "pyvenv.cfg").exists()}
    return environments | BY_NAME(folder, names)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _spare_the_machine() -> None:
    """A mutant that allocates without end fails at some point, and takes nothing else along."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY if most == resource.RLIM_INFINITY else most, most))


def compare(
    report: Mapping[str, Any],
    root: Path,
    *,
    count: int,
    jobs: int,
    timeout: float,
    arguments: Sequence[str] | None = None,
    turns_over: str = "verdict",
) -> Iterator[Comparison]:
    """Compare sampled mutants of a report with whole fresh runs, `jobs` at a time.

    Raises:
        click.ClickException: the suite does not pass in the copy, or does not run the copy.
    """
    chosen = sample(report["mutants"], count, turns_over=turns_over)
    _check_texts(chosen, root)
    paths = {site["path"] for site in report["sites"]}
    given = report["pytest_args"] if arguments is None else arguments
    copies = [Copy(root, paths, given, timeout) for _ in range(jobs)]
    try:
        started = time.perf_counter()
        if copies[0].run() != "passes":
            raise click.ClickException("the suite does not pass in a copy of the project")
        limit = max(LEAST_SECONDS, FACTOR * (time.perf_counter() - started))
        for copy in copies:
            copy.timeout = min(timeout, limit)
        reached = next((mutant["path"] for mutant in chosen if mutant["verdict"] in {"killed", "survived"}), None)
        if reached is not None and not copies[0].breaks_when_broken(reached):
            raise click.ClickException(f"the suite does not run the copy: breaking {reached} is not noticed")
        free: SimpleQueue[Copy] = SimpleQueue()
        for copy in copies:
            free.put(copy)

        def shown(mutant: Mapping[str, Any]) -> Comparison:
            copy = free.get()
            try:
                return Comparison(mutant, copy.show(mutant))
            finally:
                free.put(copy)

        with ThreadPoolExecutor(jobs) as pool:
            try:
                yield from pool.map(shown, chosen)
            finally:
                for copy in copies:
                    copy.end()
    finally:
        for copy in copies:
            copy.remove()


def _read(path: Path) -> dict[str, Any]:
    """The document of a JSON report.

    Raises:
        click.UsageError: it is none.
    """
    hint = "`fencepost run -o json:PATH` writes one"
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise click.UsageError(f"'{path}' is no JSON report: {error}; {hint}") from error
    if not isinstance(document, dict) or not {"mutants", "sites", "pytest_args"} <= document.keys():
        raise click.UsageError(f"'{path}' is no report of fencepost; {hint}")
    return document


def _check_texts(mutants: Iterable[Mapping[str, Any]], root: Path) -> None:
    """See that the files are those that the report is about.

    Raises:
        click.UsageError: one is not there, or has changed since.
    """
    for mutant in mutants:
        try:
            splice(decode_source((root / mutant["path"]).read_bytes()), mutant)
        except (OSError, ValueError) as error:
            raise click.UsageError(
                f"{mutant['path']} is not as it was when the report was written ({error}); run fencepost again, and"
                " give the root of the project with --root"
            ) from error


@click.command()
@click.argument("report", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--root", type=click.Path(exists=True, file_okay=False, path_type=Path), default=Path(), help="The project."
)
@click.option("--sample", "count", default=40, show_default=True, help="Mutants to try, round robin over verdicts.")
@click.option("--by-rule", "turns_over", flag_value="rule", default="verdict", help="Round robin over rules instead.")
@click.option("--jobs", "-j", default=2, show_default=True, help="Copies of the project that run at once.")
@click.option(
    "--timeout",
    default=600.0,
    show_default=True,
    help="Seconds after which a run hangs, at most; usually ten times an unmutated run.",
)
@click.argument("pytest_args", nargs=-1, type=click.UNPROCESSED)
def main(
    report: Path, root: Path, *, count: int, turns_over: str, jobs: int, timeout: float, pytest_args: tuple[str, ...]
) -> None:
    """Compare the verdicts of a JSON REPORT with whole fresh runs of hand-spliced mutants."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(ENDED))  # the copies are removed on the way out
    document = _read(report)
    before = leftovers.children()
    leftovers.adopt_orphans()
    wrong = done = 0
    try:
        for one in compare(
            document, root.resolve(), count=count, jobs=jobs, timeout=timeout, arguments=pytest_args or None,
            turns_over=turns_over,
        ):  # fmt: skip
            done += 1
            wrong += not one.agrees
            click.echo(_line(one))
    finally:
        leftovers.end_orphans(before)
    click.echo(f"{done - wrong} of {done} verdicts agree with a hand edit and a whole fresh run")
    sys.exit(1 if wrong else 0)


def _line(one: Comparison) -> str:
    mutant = one.mutant
    mark = "agrees" if one.agrees else "DIFFERS"
    where = f"{mutant['path']}:{mutant['start']['line']}"
    return f"{mark}  {mutant['verdict']:<12}  shown: {one.shown:<6}  {mutant['id']}  {where}"


if __name__ == "__main__":
    main()
