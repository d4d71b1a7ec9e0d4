"""What verdicts depend on beside the project's own files and tests: where that changes, nothing is used again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Command
from tests.test_cache import Project, ran, told

HEAD = "from pathlib import Path\n\nfrom prices import price\n\n\n"
CACHED = "\n\nfrom functools import lru_cache\n\n\n@lru_cache\ndef total(amount):\n    return 5 if amount > 20 else 4\n"
SECOND = "def test_b():\n    assert total(21) == 5\n"
STATE = "\n\nSTATE = []\n\n\ndef test_a():\n    STATE.append({})\n\n\ndef test_b():\n    assert price(STATE[0]) > 0\n"

Change = Callable[[], object]


@pytest.fixture(name="project")
def _project(tmp_path: Path, fencepost: Command) -> Project:
    return Project(tmp_path / "shop", fencepost, 0)


def file_beside(project: Project) -> Change:
    beside = project.folder.parent / "amount.txt"
    beside.write_text("10")
    project.put("tests/test_x.py", f"{HEAD}def test_x():\n    assert price(int(Path({str(beside)!r}).read_text()))\n")
    return lambda: beside.write_text("11")


def module_beside(project: Project) -> Change:
    beside = project.folder.parent / "lib"
    beside.mkdir()
    (beside / "sums.py").write_text("AMOUNT = 10\n")
    project.put("tests/test_x.py", f"{HEAD}from sums import AMOUNT\n\ndef test_x():\n    assert price(AMOUNT)\n")
    settings = "[tool.pytest.ini_options]\npythonpath = ['.', '../lib']\ntestpaths = ['tests']\n"
    project.put("pyproject.toml", settings)
    return lambda: (beside / "sums.py").write_text("AMOUNT = 11\n")


def folder_behind_a_link(project: Project) -> Change:
    beside = project.folder.parent / "data"
    beside.mkdir()
    (beside / "a.txt").write_text("10")
    (project.folder / "tests" / "link").symlink_to(beside)
    body = "for one in (Path(__file__).parent / 'link').iterdir():\n        assert price(int(one.read_text()))\n"
    project.put("tests/test_x.py", f"{HEAD}def test_x():\n    {body}")
    return lambda: (beside / "b.txt").write_text("11")


def conftest_above(project: Project) -> Change:
    above = project.folder.parent
    (above / "pytest.ini").write_text("[pytest]\npythonpath = shop\n")
    conftest = "import pytest\n\n\n@pytest.fixture\ndef amount():\n    return 10\n"
    (above / "conftest.py").write_text(conftest)
    project.put("pyproject.toml", "[project]\nname = 'shop'\nversion = '1'\n")
    project.put("tests/test_x.py", f"{HEAD}def test_x(amount):\n    assert price(amount)\n")
    return lambda: (above / "conftest.py").write_text(conftest.replace("10", "11"))


def remembered_results(project: Project) -> Change:
    project.put("prices.py", (project.folder / "prices.py").read_text() + CACHED)
    head = "from prices import total\n\n\n"
    project.put("tests/test_x.py", f"{head}def test_a():\n    total(21)\n\n\n{SECOND}")
    return lambda: project.put("tests/test_x.py", f"{head}{SECOND}")


def remembered_results_of_a_test_file(project: Project) -> Change:
    head = (
        "from functools import cache\n\nfrom prices import price\n\n\n@cache\ndef cost(x):\n    return price(x)\n\n\n"
    )
    second = "def test_b():\n    assert cost(10) == 90\n"
    project.put("tests/test_x.py", f"{head}def test_a():\n    cost(10)\n\n\n{second}")
    return lambda: project.put("tests/test_x.py", head + second)


def remembered_results_in_another_order(project: Project) -> Change:
    project.put("prices.py", (project.folder / "prices.py").read_text() + CACHED)
    head, first = "from prices import total\n\n\n", "def test_a():\n    total(21)\n"
    project.put("tests/test_x.py", f"{head}{first}\n\n{SECOND}")
    return lambda: project.put("tests/test_x.py", f"{head}{SECOND}\n\n{first}")


def state_of_a_test_file(project: Project) -> Change:
    project.put("tests/test_x.py", HEAD + STATE.format(10))
    return lambda: project.put("tests/test_x.py", HEAD + STATE.format(11))


def patched_where_it_is_loaded(project: Project) -> Change:
    project.suites = {"test_more.py": ["many"]}
    project.write_suites()
    text = "import prices\n\nprices.LIMIT = 10\n\n\ndef test_x():\n    assert prices.price(1)\n"
    project.put("tests/test_x.py", text)
    return lambda: project.put("tests/test_x.py", text.replace("10", "11"))


def file_that_is_not_collected(project: Project) -> Change:
    settings = "[tool.pytest.ini_options]\npythonpath = ['.']\npython_files = ['test_prices.py', 'test_more.py']\n"
    project.put("pyproject.toml", settings)
    return lambda: project.put("tests/test_x.py", f"{HEAD}def test_x():\n    assert price(11) == 99\n")


def doctest_of_a_test(project: Project) -> Change:
    settings = "[tool.pytest.ini_options]\npythonpath = ['.']\naddopts = '--doctest-modules'\ntestpaths = ['tests']\n"
    project.put("pyproject.toml", settings)
    text = f"{HEAD}def test_x():\n    '''\n    >>> price(11)\n    99\n    '''\n"
    project.put("tests/test_x.py", text)
    return lambda: project.put("tests/test_x.py", text.replace("11", "12").replace("99", "108"))


def file_of_tests_that_another_test_reads(project: Project) -> Change:
    project.put("tests/test_x.py", f"{HEAD}def test_x():\n    assert price(1)\n")
    count = "len((Path(__file__).parent / 'test_x.py').read_text().splitlines())"
    project.put("tests/test_y.py", f"{HEAD}def test_y():\n    assert price({count} + 2)\n")
    return lambda: project.put("tests/test_x.py", f"{HEAD}# one more\ndef test_x():\n    assert price(1)\n")


def data_that_a_test_writes_back(project: Project) -> Change:
    body = "data = Path(__file__).parent / 'data.txt'\n    data.write_text(data.read_text())\n"
    project.put(
        "tests/test_x.py", f"{HEAD}def test_x():\n    {body}    assert price(int(data.read_text().split()[0]))\n"
    )
    return lambda: project.put("tests/data.txt", "11 9\n")


def width_of_the_terminal(project: Project) -> Change:
    project.put("tests/test_x.py", f"import os\n{HEAD}def test_x():\n    assert price(int(os.environ['COLUMNS']))\n")
    return lambda: os.environ.update(COLUMNS="11")


FIRST = [file_beside, remembered_results_of_a_test_file, state_of_a_test_file]
MORE = [
    remembered_results, remembered_results_in_another_order,
    module_beside, folder_behind_a_link, conftest_above, patched_where_it_is_loaded, file_that_is_not_collected,
    doctest_of_a_test, file_of_tests_that_another_test_reads, data_that_a_test_writes_back, width_of_the_terminal,
]  # fmt: skip


@pytest.mark.parametrize(
    "prepare",
    [*FIRST, *(pytest.param(one, marks=pytest.mark.slow) for one in MORE)],
    ids=lambda prepare: prepare.__name__,
)
def test_nothing_is_used_again_that_another_run_would_not_show(
    project: Project, monkeypatch: pytest.MonkeyPatch, prepare: Callable[[Project], Change]
) -> None:
    monkeypatch.setenv("COLUMNS", "10")
    change = prepare(project)
    project.run()
    change()
    assert told(project.run()) == told(project.run("--no-cache"))


def test_a_test_that_uses_no_remembered_results_runs_alone(project: Project) -> None:
    remembered_results(project)
    project.run()
    suite = (project.folder / "tests" / "test_more.py").read_text()
    project.put("tests/test_more.py", f"{suite}\n\ndef test_below():\n    assert price(9) == 90\n")
    assert ran(project.run()).startswith("1 of 12 tests ran")


def test_what_is_read_beside_the_project_and_stays_costs_nothing(project: Project) -> None:
    file_beside(project)
    project.run()
    assert ran(project.run()).startswith("0 of 10 tests ran")
