"""What is used again equals what a run of everything shows, whatever is edited in between."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import WHOLE, Command

PRICES = """\
from rates import RATE

LIMIT = 10


def price(amount):
    if amount >= LIMIT:
        return amount * RATE
    return amount * 10


def label(name):
    return name.strip().lower()


def cheapest(prices):
    return sorted(prices)[:2]


def is_known(kind):
    return kind in ("tea", "milk")
"""
RATES = "RATE = 9\n\n\ndef rounded(value):\n    return round(value, 1)\n"
CONFTEST = "import pytest\n\n\n@pytest.fixture\ndef order():\n    return 12\n"
TESTS = {
    "at": "def test_at():\n    assert price(10) == 90\n",
    "below": "def test_below():\n    assert price(9) == 90\n",
    "above": "def test_above():\n    assert price(11) == 99\n",
    "far": "def test_far():\n    assert price(100) == 900\n",
    "many": (
        "@pytest.mark.parametrize('amount', [1, 2, 3, 9, 10])\ndef test_many(amount):\n    assert price(amount) > 0\n"
    ),
    "label": "def test_label():\n    assert label(' Tea ') == 'tea'\n",
    "plain": "def test_plain():\n    assert label('tea') == 'tea'\n",
    "weak": "def test_weak():\n    label(' Tea ')\n    price(10)\n",
    "cheapest": "def test_cheapest():\n    assert cheapest([3, 1, 2]) == [1, 2]\n",
    "order": "def test_order(order):\n    assert price(order) == 108\n",
    "known": "def test_known():\n    assert is_known('tea')\n    assert not is_known('beer')\n",
    "data": (
        "def test_data():\n    import pathlib\n"
        "    for line in (pathlib.Path(__file__).parent / 'data.txt').read_text().split():\n"
        "        assert price(int(line)) > 0\n"
    ),
    "unit": (
        "class TestU(unittest.TestCase):\n    @classmethod\n    def setUpClass(cls):\n        cls.cents = price(10)\n"
        "\n    def test_cents(self):\n        assert self.cents == 90\n"
    ),
    "mixed": "class TestMixed(Mixin):\n    amount = 11\n",
    "seen": "def test_seen():\n    SEEN.append(10)\n    assert price(SEEN[0]) == 90\n",
    "finds": "def test_finds():\n    assert price(SEEN[-1] if SEEN else 3) > 0\n",
    "patches": (
        "def test_patches(monkeypatch):\n    monkeypatch.setattr('prices.LIMIT', 9)\n    assert price(9) == 81\n"
    ),
    "skipped": "@pytest.mark.skip\ndef test_skipped():\n    assert price(9) == 90\n",
    "xfails": "@pytest.mark.xfail\ndef test_xfails():\n    assert price(9) == 91\n",
    "shared": ("@pytest.mark.parametrize('amount', AMOUNTS)\ndef test_shared(amount):\n    assert price(amount) > 0\n"),
    "remembers": "def test_remembers():\n    assert total(21) == 5\n",
    "recalls": "def test_recalls():\n    total(21)\n    total(20)\n",
    "class": "class TestRates:\n    def test_rounded(self):\n        assert rounded(1.26) == 1.3\n",
}
HEADS = [
    "import pytest\n\nfrom prices import cheapest, is_known, label, price, total\nfrom rates import rounded\n",
    "import pytest\n\nfrom prices import *\nfrom rates import rounded\n\nUSED = 7\n",
]
BESIDE = """\
import unittest

from amounts import AMOUNTS

SEEN = []


class Mixin:
    amount = 10

    def test_amount(self):
        assert price(self.amount) == self.amount * 9
"""
CACHED = "\n\nimport functools\n\n\n@functools.lru_cache\ndef total(cents):\n    return 5 if cents > 20 else 4\n"
PLAIN = "\n\ndef total(cents):\n    return 5 if cents > 20 else 4\n"
Document = dict[str, Any]
SEEDS = range(2, 30) if WHOLE else range(2, 4)


class Project:
    """A small project that is edited at random, and the command run in it."""

    def __init__(self, folder: Path, fencepost: Command, seed: int) -> None:
        self.folder, self.fencepost = folder, fencepost
        self.random = random.Random(seed)  # noqa: S311 - to try many edits, not to keep a secret
        self.suites = {"test_prices.py": ["at", "label", "known"], "test_more.py": ["many", "plain"]}
        self.heads = dict.fromkeys(self.suites, 0)
        self.weakened: set[tuple[str, str]] = set()
        (folder / "tests").mkdir(parents=True)
        self.put("pyproject.toml", "[tool.pytest.ini_options]\npythonpath = ['.']\ntestpaths = ['tests']\n")
        self.total = CACHED if seed % 2 else PLAIN
        self.put("prices.py", PRICES + self.total)
        self.put("tests/amounts.py", "AMOUNTS = [1, 9]\n")
        self.put("rates.py", RATES)
        self.put("tests/conftest.py", CONFTEST)
        self.put("tests/data.txt", "1 9\n")
        self.write_suites()

    def put(self, name: str, text: str) -> None:
        """Write a file."""
        (self.folder / name).write_text(text)

    def write_suites(self) -> None:
        """Write the test files as they are meant now."""
        for path in (self.folder / "tests").glob("test_*.py"):
            if path.name not in self.suites:
                path.unlink()
        for name, tests in self.suites.items():
            parts = [HEADS[self.heads[name]], BESIDE, *(self.text_of(name, test) for test in tests)]
            self.put(f"tests/{name}", "\n\n".join(parts))

    def text_of(self, name: str, test: str) -> str:
        """The text of a test, its assertions as weak as they were made."""
        return TESTS[test].replace("assert ", "assert 1 or ") if (name, test) in self.weakened else TESTS[test]

    def edit(self) -> str:
        """Edit something at random; returns what."""
        edits: list[Callable[[], str]] = [
            self.add_test, self.add_test, self.remove_test, self.remove_test, self.weaken, self.weaken, self.move_test,
            self.add_file, self.remove_file, self.change_head, self.change_source, self.change_conftest,
            self.change_data, self.change_nothing, self.change_amounts, self.change_settings, self.rename_file,
        ]  # fmt: skip
        return self.random.choice(edits)()

    def add_test(self) -> str:
        """Add a test that is not there yet."""
        name = self.random.choice(sorted(self.suites))
        test = self.random.choice([one for one in TESTS if one not in self.suites[name]] or ["at"])
        if test not in self.suites[name]:
            self.suites[name].insert(self.random.randrange(len(self.suites[name]) + 1), test)
        self.write_suites()
        return f"add {test} to {name}"

    def remove_test(self) -> str:
        """Remove one of several tests."""
        name = self.random.choice(sorted(self.suites))
        if len(self.suites[name]) > 1:
            self.suites[name].remove(self.random.choice(self.suites[name]))
        self.write_suites()
        return f"remove from {name}"

    def weaken(self) -> str:
        """Take the meaning out of a test, or give it back."""
        name = self.random.choice(sorted(self.suites))
        one = (name, self.random.choice(self.suites[name]))
        self.weakened ^= {one}
        self.write_suites()
        return f"weaken {one}"

    def move_test(self) -> str:
        """Put the tests of a file into another order."""
        name = self.random.choice(sorted(self.suites))
        self.random.shuffle(self.suites[name])
        self.write_suites()
        return f"shuffle {name}"

    def add_file(self) -> str:
        """Add a test file."""
        name = f"test_new_{self.random.randrange(3)}.py"
        self.suites.setdefault(name, [self.random.choice(list(TESTS))])
        self.heads.setdefault(name, 0)
        self.write_suites()
        return f"add {name}"

    def remove_file(self) -> str:
        """Remove one of several test files."""
        if len(self.suites) > 1:
            del self.suites[self.random.choice(sorted(self.suites))]
        self.write_suites()
        return "remove a file"

    def change_head(self) -> str:
        """Change what a test file imports and defines beside its tests."""
        name = self.random.choice(sorted(self.suites))
        self.heads[name] = 1 - self.heads[name]
        self.write_suites()
        return f"head of {name}"

    def change_source(self) -> str:
        """Change the code under test in a way that no test minds."""
        number = self.random.randrange(3)
        self.put("prices.py", f"{PRICES}{self.total}\n\ndef more(x):\n    return x > {number}\n")
        return f"source {number}"

    def change_conftest(self) -> str:
        """Change a fixture in a way that no test minds."""
        self.put("tests/conftest.py", CONFTEST.replace("12", self.random.choice(["12", "6 + 6", "3 * 4"])))
        return "conftest"

    def change_data(self) -> str:
        """Change a file that a test reads."""
        self.put("tests/data.txt", self.random.choice(["1 9\n", "10\n", "11 9 10\n"]))
        return "data"

    def change_amounts(self) -> str:
        """Change the parameters that another file holds."""
        self.put("tests/amounts.py", self.random.choice(["AMOUNTS = [1, 9]\n", "AMOUNTS = [1]\n", "AMOUNTS = [2]\n"]))
        return "amounts"

    def change_settings(self) -> str:
        """Have pytest leave tests out."""
        options = self.random.choice(["", "addopts = '-k not_far'\n", "addopts = '-k \"not label\"'\n", ""])
        options = options.replace("-k not_far", '-k "not far"')
        self.put("pyproject.toml", f"[tool.pytest.ini_options]\npythonpath = ['.']\ntestpaths = ['tests']\n{options}")
        return f"settings {options}"

    def rename_file(self) -> str:
        """Give a test file another name."""
        old = self.random.choice(sorted(self.suites))
        new = f"test_named_{self.random.randrange(100)}.py"
        self.suites[new], self.heads[new] = self.suites.pop(old), self.heads[old]
        self.weakened = {(new if name == old else name, test) for name, test in self.weakened}
        self.write_suites()
        return f"rename {old} {new}"

    def change_nothing(self) -> str:
        """Leave everything as it is."""
        return "nothing"

    def run(self, *arguments: str) -> Document:
        """The report of a run."""
        done = self.fencepost("run", "-o", "json", *arguments, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        document: Document = json.loads(done.stdout)
        return document


def told(document: Document) -> Document:
    """What a report says of each mutant and site, but for the names of tests, of which any that fits will do."""
    mutants = {
        one["id"]: (one["verdict"], one["reason"], one["reached_by_count"], one["infected_by_count"])
        for one in document["mutants"]
    }
    sites = {}
    for site in document["sites"]:
        sides = [site["observed"][side] for side in ("below", "at", "above")]
        sites[site["id"]] = [(side["tests"], side["nearest"], side["nearest_tests"]) for side in sides]
    tests = sorted(test["id"] for test in document["tests"])
    return {"mutants": mutants, "sites": sites, "tests": tests, "summary": document["summary"]["verdicts"]}


def ran(document: Document) -> str:
    """What a report says of how much of it is known from before; empty where everything ran."""
    return next((note for note in document["notes"] if "known from before" in note), "")


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in SEEDS)])
def test_after_random_edits_what_is_used_again_equals_a_run_of_everything(
    tmp_path: Path, fencepost: Command, seed: int
) -> None:
    project = Project(tmp_path / "shop", fencepost, seed)
    project.run()
    edits = []
    for _ in range(10 if seed > 1 else 6):
        edits.append(project.edit())
        assert told(project.run()) == told(project.run("--no-cache")), edits


@pytest.fixture(name="project")
def _project(tmp_path: Path, fencepost: Command) -> Project:
    return Project(tmp_path / "shop", fencepost, 0)


def test_where_nothing_changed_nothing_runs(project: Project) -> None:
    first = project.run()
    assert ran(first) == ""
    second = project.run()
    assert ran(second).startswith("0 of 9 tests ran")
    assert told(second) == told(first)
    assert ran(project.run("--fresh")) == ""


def test_a_new_test_alone_runs_and_an_edited_one_too(project: Project) -> None:
    project.run()
    project.suites["test_prices.py"].append("above")
    project.write_suites()
    assert ran(project.run()).startswith("1 of 10 tests ran")
    project.weakened.add(("test_more.py", "plain"))
    project.write_suites()
    assert ran(project.run()).startswith("1 of 10 tests ran")


@pytest.mark.parametrize("change", ["change_conftest", "change_data", "change_source"])
def test_what_all_tests_may_depend_on_makes_everything_run(project: Project, change: str) -> None:
    project.run()
    project.put("prices.py", f"# changed\n{PRICES}{project.total}") if change == "change_source" else None
    project.put("tests/conftest.py", f"# changed\n{CONFTEST}") if change == "change_conftest" else None
    project.put("tests/data.txt", "10\n") if change == "change_data" else None
    assert ran(project.run()) == ""


def test_no_cache_keeps_nothing_and_a_damaged_entry_is_none(project: Project) -> None:
    project.run("--no-cache")
    assert not list((project.folder / ".fencepost").glob("cache/*"))
    project.run()
    (entry,) = (project.folder / ".fencepost" / "cache").iterdir()
    entry.write_bytes(entry.read_bytes()[:100])
    assert ran(project.run()) == ""
    assert ran(project.run()).startswith("0 of 9 tests ran")


def test_where_a_test_loads_code_while_it_runs_an_edit_makes_everything_run(project: Project) -> None:
    project.put("late.py", "def is_late(hour):\n    return hour > 22\n")
    lazy = "def test_late():\n    from late import is_late\n\n    assert is_late(23)\n"
    project.put("tests/test_late.py", lazy)
    project.run()
    assert ran(project.run()).startswith("0 of 10 tests ran")
    project.put("tests/test_late.py", f"{lazy}    assert not is_late(22)\n")
    assert ran(project.run()) == ""
