"""In every place where Python lets an expression stand, a mutant is found, woven, run and judged right.

`projects/every_place/` holds the places. Beside each stands what its mutants must come to: `# expect: killed`, several
of a line in the order of the report, and `# expect[-2]: killed` for a line that no comment can stand on. Here are the
places that no editor keeps as they are: other encodings, line ends and white space.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import decode_source
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import WHOLE

pytestmark = pytest.mark.slow  # one run, but of half a minute

Command = Callable[..., "subprocess.CompletedProcess[str]"]
PROJECT = Path(__file__).parent / "projects" / "every_place"
EXPECTATION = re.compile(r"# expect(?:\[(?P<offset>-\d+)\])?: (?P<verdicts>[\w-]+(?:, [\w-]+)*)")
ADULT = "def adult(age):\n    return age >= 18  # expect: killed\n"
TIDY = "def tidy(name):\n    return 'äöü', name.strip()  # expect: killed\n"
ODD_FILES = {
    "bom.py": b"\xef\xbb\xbf" + (ADULT + TIDY).encode(),
    "bom_first.py": b"\xef\xbb\xbfadult = lambda age: age >= 18  # expect: killed\n" + TIDY.encode(),
    "crlf.py": (ADULT + TIDY + 'TEXT = """\na\n"""\n').replace("\n", "\r\n").encode(),
    "carriage_return.py": (ADULT + TIDY).replace("\n", "\r").encode(),
    "mixed_ends.py": ADULT.replace("\n", "\r\n").encode() + b"\n" + TIDY.encode(),
    "tabs.py": (ADULT + TIDY).replace("    ", "\t").encode(),
    "latin.py": b"# -*- coding: latin-1 -*-\n" + (ADULT + TIDY).encode("latin-1"),
    "form_feed.py": f"{ADULT}\x0c\n{TIDY}\x0c".encode(),
    "line_separator.py": f"MARKS = '\u2028\x85\x0b\x1c'\n{ADULT}{TIDY}".encode(),
    "no_last_newline.py": (TIDY + ADULT).rstrip().encode(),
    "combining.py": f"ﬁ_é = 18\n{TIDY}def adult(age):\n    return 'é🎉', age >= ﬁ_é  # expect: killed\n".encode(),
    "continued.py": b"def adult(\\\n    age):\n    return \\\n        age >= 18  # expect: killed\n" + TIDY.encode(),
}
ODD_TESTS = """\
import importlib

import pytest

NAMES = {names}


@pytest.mark.parametrize("name", NAMES)
def test_adult(name):
    adult = importlib.import_module(f"places.{{name}}").adult(18)
    assert adult is True or adult[1] is True


@pytest.mark.parametrize("name", NAMES)
def test_tidy(name):
    assert importlib.import_module(f"places.{{name}}").tidy(" Ann ") == ("äöü", "Ann")
"""


@dataclass(frozen=True)
class Analysis:
    """The project as it was copied, and the report of the command on it."""

    root: Path
    report_path: Path
    report: dict[str, Any]

    def verdicts_by_line(self, path: str) -> dict[int, list[str]]:
        """The verdicts of the mutants that start on each line of a file, from left to right."""
        found: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for mutant in self.report["mutants"]:
            if mutant["path"] == path:
                found[mutant["start"]["line"]].append((mutant["start"]["column"], mutant["verdict"]))
        return {line: [verdict for _, verdict in sorted(here, key=lambda one: one[0])] for line, here in found.items()}


def expectations(text: str) -> dict[int, list[str]]:
    """What the comments of a file say, by the line that they are about."""
    expected: dict[int, list[str]] = defaultdict(list)
    for number, line in enumerate(text.split("\n"), start=1):
        for found in EXPECTATION.finditer(line):
            expected[number + int(found["offset"] or 0)] += found["verdicts"].split(", ")
    return dict(expected)


def places() -> Iterator[str]:
    yield from (path.name for path in sorted((PROJECT / "places").glob("*.py")) if path.name != "__init__.py")
    yield from ODD_FILES


@pytest.fixture(scope="module")
def analysis(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> Analysis:
    root = tmp_path_factory.mktemp("every") / "place"
    shutil.copytree(PROJECT, root, ignore=shutil.ignore_patterns("__pycache__", ".fencepost", ".pytest_cache"))
    for name, data in ODD_FILES.items():
        (root / "places" / name).write_bytes(data)
    names = [name.removesuffix(".py") for name in ODD_FILES]
    (root / "tests" / "check_odd_files.py").write_text(ODD_TESTS.format(names=names), encoding="utf-8")
    report_path = root.parent / "report.json"
    done = fencepost("run", "-o", f"json:{report_path}", cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Warning" not in done.stderr  # Python has some for code as odd as this
    return Analysis(root, report_path, json.loads(report_path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", list(places()))
def test_every_place_has_its_mutants_with_the_right_verdicts(analysis: Analysis, name: str) -> None:
    text = decode_source((analysis.root / "places" / name).read_bytes())
    lines = text.split("\n")
    expected = expectations(text)
    found = analysis.verdicts_by_line(f"places/{name}")
    wrong = [
        f"{name}:{line}: expected {expected.get(line, [])}, found {found.get(line, [])}: {lines[line - 1].strip()}"
        for line in sorted({*expected, *found})
        if expected.get(line, []) != found.get(line, [])
    ]
    assert expected
    assert not wrong, "\n".join(wrong)


def test_every_file_is_woven_whole(analysis: Analysis) -> None:
    assert analysis.report["problems"] == []
    assert analysis.report["unwatched"] == []


def test_the_text_at_each_place_is_what_the_report_calls_the_original(analysis: Analysis) -> None:
    wrong = []
    for mutant in analysis.report["mutants"]:
        lines = decode_source((analysis.root / mutant["path"]).read_bytes()).split("\n")
        first, last = mutant["start"]["line"] - 1, mutant["end"]["line"] - 1
        text = "\n".join(lines[first : last + 1])
        end = len(text) - len(lines[last]) + mutant["end"]["column"] - 1
        if text[mutant["start"]["column"] - 1 : end] != mutant["original"]:
            wrong.append(f"{mutant['path']}:{first + 1}: {mutant['original']}")
    assert not wrong


def test_the_verdicts_equal_what_a_hand_edit_and_a_fresh_run_show(analysis: Analysis) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fencepost.analyzer.oracle", str(analysis.report_path), "--root", str(analysis.root),
         "--sample", "2000" if WHOLE else "40", "--by-rule", "--timeout", "60"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    differing = [line for line in done.stdout.splitlines() if line.startswith("DIFFERS")]
    assert not differing, "\n".join(differing)
    assert done.returncode == 0, done.stdout + done.stderr
