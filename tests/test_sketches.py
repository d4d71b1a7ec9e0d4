"""The tests to start from, filled in, kill what they were written for: on the example, each of them.

What a person would decide is decided here by the code as it is: each `...` first records what it is compared with, and
then is that value. Where a sketch only says which input it wants, the input is put in by hand, below.
"""

from __future__ import annotations

import concurrent.futures
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples" / "quota_service"
RECORDER = """
import pickle
from pathlib import Path

class Slot:
    def __init__(self, number):
        self.path = Path(__file__).with_name(f"slot-{number}.pickle")

    def __eq__(self, other):
        if not self.path.exists():
            self.path.write_bytes(pickle.dumps(other))
        return pickle.loads(self.path.read_bytes()) == other

    __hash__ = None
"""
FORM = '{"email": "ada@example.com", "country": "at", "tags": ["VIP", "vip "]}'
REMINDER = """
from datetime import date
from quota_service.accounts import Account
from quota_service.invoices import Invoice, reminder
from quota_service.plans import PLANS, Tier

invoice = Invoice(Account("a@example.com", PLANS[Tier.STARTER], "A"), date(2025, 3, 1), (), terms_days=0)
"""

AT_END = " == ...  # decide\n"
REFUSES = "    import pytest\n    with pytest.raises(ValueError):\n        {}"
BY_HAND: dict[tuple[str, str], list[tuple[str, str]]] = {
    ("FP104", "line.amount != 0"): [("draw_up(ADA,", 'draw_up(Account("b@example.com", STARTER, "B", seats=5),')],
    ("FP205", 'int(form.get("seats", 1))'): [(FORM, '{"email": "ada@example.com", "seats": 1.5}')],
    ("FP109", "not name"): [
        ('    assert normalize_email("  Ada@Example.COM\\n") == ...', REFUSES.format('normalize_email("@a.de")')),
    ],
    ("FP102", "0 <= days_used <= days_in_month"): [
        ('    assert prorate(Decimal("29.00"), -1) == ...', REFUSES.format('prorate(Decimal("29.00"), -1)')),
    ],
    ("FP206", 'endpoint.rstrip("/") or "/"'): [(AT_END, f"{AT_END}    assert meter.by_endpoint == ...\n")],
    ("FP209", 'endpoint.rstrip("/")'): [(AT_END, f"{AT_END}    assert meter.by_endpoint == ...\n")],
}  # fmt: skip
"""What a person puts in where a sketch says in words what it wants, or where more than one result tells it."""

EQUIVALENT = {
    ("FP109", "not at"),  # without an "@" there is no domain either, and the next condition refuses it
    ("FP109", "plan.overage_per_thousand is None"),  # a rate of 0 charges nothing either way
}


def filled(sketch: str, slots: list[int]) -> str:
    """A sketch with a slot for each thing to decide."""

    def slot(_: re.Match[str]) -> str:
        slots.append(len(slots))
        return f"Slot({slots[-1]})"

    return re.sub(r"(?<![\w.])\.\.\.(?!\w)", slot, sketch)


def with_inputs(gap: dict[str, Any], site: dict[str, Any]) -> str:
    """The sketch of a gap, with the input that it asks for in words put in."""
    text: str = gap["sketch"]["text"]
    if gap["sketch"]["path"] is None:
        late = {"late <= GRACE_DAYS": 3, "late < 14": 14, "late < 30": 30, "_": 40}[site["source"]]
        text = text.replace("today=today", f"today=date.fromordinal(date(2025, 3, 1).toordinal() + {late})")
    for old, new in BY_HAND.get((site["rule"], site["source"]), []):
        assert old in f"\n{text}", text
        text = f"\n{text}".replace(old, new).lstrip("\n")
    return text


Gaps = list[tuple[dict[str, Any], dict[str, Any]]]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example."""
    root = tmp_path_factory.mktemp("sketches") / "project"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns(".fencepost", "__pycache__", ".pytest_cache"))
    return root


@pytest.fixture(scope="module")
def gaps(project: Path, fencepost: Callable[..., Any]) -> Gaps:
    """The gaps that `fencepost gaps` finds, each with its site."""
    assert fencepost("gaps", "-o", "json:gaps.json", cwd=project).returncode == 0
    document = json.loads((project / "gaps.json").read_text(encoding="utf-8"))
    sites = {site["id"]: site for site in document["sites"]}
    return [(gap, sites[gap["site"]]) for gap in document["gaps"]]


def run_tests(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture(scope="module")
def filled_in(project: Path, gaps: Gaps) -> Path:
    """The project with each sketch filled in, in a file of its own: `test_sketch_0.py` is that of the first gap."""
    (project / "tests" / "slots.py").write_text(RECORDER, encoding="utf-8")
    slots: list[int] = []
    for number, (gap, site) in enumerate(gaps):
        path = gap["sketch"]["path"]
        around = REMINDER if path is None else (project / path).read_text(encoding="utf-8")
        text = f"from slots import Slot\n{around}\n\n{filled(with_inputs(gap, site), slots)}"
        (project / "tests" / f"test_sketch_{number}.py").write_text(text, encoding="utf-8")
    done = run_tests(project)  # each slot takes its value
    assert done.returncode == 0, done.stdout
    assert len(list((project / "tests").glob("slot-*.pickle"))) == len(slots) >= len(gaps) / 2
    return project


def spliced(text: str, mutant: dict[str, Any]) -> str:
    """The text of a file with a mutant in it, put there by the places that the report tells."""
    lines = text.splitlines(keepends=True)
    places = (mutant["start"], mutant["end"])
    start, end = (sum(map(len, lines[: place["line"] - 1])) + place["column"] - 1 for place in places)
    return f"{text[:start]}{mutant['replacement']}{text[end:]}"


def is_noticed(filled_in: Path, folder: Path, number: int, name: str, mutant: dict[str, Any]) -> bool:
    """Whether the one test of a sketch that was filled in fails with a mutant in the source, and passes without."""
    root = folder / f"{number}-{mutant['id']}"
    shutil.copytree(filled_in, root, ignore=shutil.ignore_patterns(".fencepost", "__pycache__"))
    source = root / mutant["path"]
    source.write_text(spliced(source.read_text(encoding="utf-8"), mutant), encoding="utf-8")
    done = run_tests(root, f"tests/test_sketch_{number}.py::{name}")
    assert done.returncode in {0, 1}, done.stdout
    return done.returncode == 1 and "1 failed" in done.stdout


def test_every_gap_of_the_example_has_a_sketch(gaps: Gaps) -> None:
    assert len(gaps) > 30
    assert all(gap["sketch"] is not None for gap, _ in gaps)


def test_most_sketches_have_their_input_already(gaps: Gaps) -> None:
    near = [gap for gap, _ in gaps if gap["sketch"]["path"] is not None]
    assert sum(gap["sketch"]["moved"] for gap in near) > len(near) / 2


def test_a_sketch_that_nobody_filled_in_fails(project: Path, gaps: Gaps) -> None:
    folder = project / "unfilled"
    folder.mkdir()
    names = {}
    for number, (gap, site) in enumerate(gaps):
        text = with_inputs(gap, site)
        path = gap["sketch"]["path"]
        around = REMINDER if path is None else (project / path).read_text(encoding="utf-8")
        (folder / f"test_unfilled_{number}.py").write_text(f"{around}\n\n{text}", encoding="utf-8")
        if "..." in text:  # what only says that something is refused has nothing open
            names[number] = re.findall(r"def (test_\w+)", text)[-1]
    failed = run_tests(project, "unfilled", "-rf").stdout
    shutil.rmtree(folder)
    assert [name for number, name in names.items() if f"test_unfilled_{number}.py::{name}" not in failed] == []


def test_each_sketch_filled_in_kills_what_it_was_written_for(
    project: Path, gaps: Gaps, filled_in: Path, tmp_path: Path
) -> None:
    document = json.loads((project / "gaps.json").read_text(encoding="utf-8"))
    mutants = {mutant["id"]: mutant for mutant in document["mutants"]}
    tried = [
        (number, names_of(gap)[-1], site, mutants[one])
        for number, (gap, site) in enumerate(gaps)
        # where no test gets yet, the sketch is for the first mutant, and the next gap report says what is left
        for one in (gap["mutants"] if gap["verdict"] == "not-infected" else gap["mutants"][:1])
    ]
    assert {number for number, *_ in tried} == set(range(len(gaps)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        noticed = pool.map(lambda one: is_noticed(filled_in, tmp_path, one[0], one[1], one[3]), tried)
        alive = {
            (site["rule"], site["source"]) for (_, _, site, _), dead in zip(tried, noticed, strict=True) if not dead
        }
    assert alive == EQUIVALENT


def test_no_two_sketches_for_one_file_have_one_name(gaps: Gaps) -> None:
    names = [(gap["sketch"]["path"], *names_of(gap)) for gap, _ in gaps]
    assert len(set(names)) == len(names)


def names_of(gap: dict[str, Any]) -> list[str]:
    return re.findall(r"def (test_\w+)", gap["sketch"]["text"])
