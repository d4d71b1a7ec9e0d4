"""The HTML page in a real Chromium: it loads nothing, complains of nothing, and can be used by keyboard and by link.

Needs Debian's `chromium` and `chromium-driver`, and in `build/` what `npm pack axe-core` brings; `.ci/run` gets both
and sets `FENCEPOST_BROWSER`, under which nothing is skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from tests.browser import Browser
from tests.conftest import Command
from tests.test_reporters import HOSTILE

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "quota_service"
LOADS_IN, FILTERS_IN = 10.0, 4.0  # seconds for 5,000 mutants on a machine that has other work to do
ODD_TESTS = """\
import importlib

import pytest

odd = importlib.import_module("odd <b>&code").odd


@pytest.mark.parametrize("text", [
    "</script><script>window.broken = 1</script>", "::error::]]>`", "\\u202e\\x00\\U0001f600",
])
def test_odd(text):
    assert odd(1, text) in (True, False)
"""
FEW_TESTS = """\
import mod0, mod1


def test_all():
    for number in range(50):
        getattr(mod0, f"f{number}")(5)
        assert getattr(mod1, f"g{number}")(" a ") == "a"
"""


def there(found: object, what: str) -> None:
    """Skip where something is missing; under CI that is a failure."""
    if found:
        return
    if os.environ.get("FENCEPOST_BROWSER"):
        pytest.fail(f"no {what}")
    pytest.skip(f"no {what}")


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    there(shutil.which("chromium") and shutil.which("chromedriver"), "chromium with chromedriver")
    found = Browser(tmp_path_factory.mktemp("profile"))
    yield found
    found.driver.quit()


@pytest.fixture(scope="module")
def axe() -> str:
    archive = next((ROOT / "build").glob("axe-core-*.tgz"), None)
    there(archive, "axe-core: npm pack axe-core --pack-destination build")
    assert archive is not None
    with tarfile.open(archive) as files:
        member = files.extractfile("package/axe.min.js")
        assert member is not None
        return member.read().decode()


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> Path:
    """The page of the example project."""
    root = tmp_path_factory.mktemp("example") / "quota_service"
    shutil.copytree(EXAMPLE, root, ignore=shutil.ignore_patterns(".fencepost", "__pycache__"))
    return page_of(root, fencepost)


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> Path:
    """The page of a project that means ill."""
    root = tmp_path_factory.mktemp("odd")
    (root / "odd <b>&code.py").write_bytes(HOSTILE.replace("LONG", "x" * 10_000).encode())
    (root / "test_odd.py").write_text(ODD_TESTS, encoding="utf-8")
    return page_of(root, fencepost, "odd <b>&code.py")


def page_of(root: Path, fencepost: Command, *arguments: str) -> Path:
    done = fencepost("run", "-o", "html:report.html", "-o", "json:report.json", *arguments, cwd=root)
    assert done.returncode == 0, done.stdout + done.stderr
    return root / "report.html"


def document(page: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("name", ["example", "odd"])
def test_nothing_is_asked_for_but_the_file_and_nothing_complains(
    name: str, browser: Browser, request: pytest.FixtureRequest
) -> None:
    page: Path = request.getfixturevalue(name)
    browser.open(page)
    browser.open_all()
    assert browser.complaints() == []
    assert {one for one in browser.requests() if not one.startswith("data:")} == {page.as_uri()}


def test_each_mutant_is_shown_with_its_diff_as_it_is_in_the_file(browser: Browser, odd: Path) -> None:
    found = document(odd)
    browser.open(odd)
    browser.open_all()
    text = (odd.parent / "odd <b>&code.py").read_bytes().decode()
    shown = {
        one.removeprefix("mutant-")
        for one in browser.run("return [...document.querySelectorAll('.mutant[id]')].map(m => m.id)")
    }
    assert shown == {one["id"] for one in found["mutants"]}
    assert len(shown) > 20
    for mutant in found["mutants"]:
        rows = browser.texts(f"#mutant-{mutant['id']} .diff code")
        old, new = change_of(text, mutant)
        told = [*old, *new]
        assert len(rows) == len(told)
        for row, line in zip(rows, told, strict=True):
            assert row == line or ("\u2026" in row and row.strip("\u2026") in line), (row, line)


def change_of(text: str, mutant: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The lines that a mutant touches and what becomes of them, with what would hide made visible."""
    start, end = mutant["start"], mutant["end"]
    old = text.split("\n")[start["line"] - 1 : end["line"]]
    tail = old[-1][end["column"] - 1 :]
    new = (old[0][: start["column"] - 1] + mutant["replacement"] + tail).split("\n")
    return list(map(shown, old)), list(map(shown, new))


def shown(text: str) -> str:
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def test_a_hostile_source_runs_nothing_and_hides_nothing(browser: Browser, odd: Path) -> None:
    browser.open(odd)
    browser.open_all()
    assert browser.run(
        "return [window.broken, document.scripts.length, document.querySelectorAll('script').length]"
    ) == [None, 2, 2]
    signs = set(browser.texts(".hidden-sign"))
    assert {"\\u202e", "\\u2066", "\\u200f", "\\x7f", "\\x1b", "\\x08"} <= signs
    assert browser.run("return document.documentElement.scrollWidth <= window.innerWidth"), "wider than the window"
    assert any("</script><script>window.broken" in one for one in browser.texts(".mutant li code"))


def test_what_counts_as_hidden_in_the_page_does_so_in_python_too(
    browser: Browser, tmp_path: Path, fencepost: Command
) -> None:
    kept = [chr(one) for one in range(0x20, 0x3000) if chr(one) not in "'\\" and not 0x7F <= one < 0xA0]
    (tmp_path / "much.py").write_bytes(f"def much(x):\n    return x == '{''.join(kept)}'\n".encode())
    (tmp_path / "test_much.py").write_text("def test_none():\n    pass\n", encoding="utf-8")
    browser.open(page_of(tmp_path, fencepost, "much.py"))
    browser.open_all()
    [line] = {one for one in browser.texts(".row code") if "return" in one}
    expected = shown(f"    return x == '{''.join(kept)}'")
    # the two know different years of Unicode: what one of them does not know yet is left out
    assert unescaped(line) == unescaped(expected)
    assert "\\u202e" in line
    assert "\\u2028" in line
    assert "\\xad" in line


def unescaped(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("unicode_escape")


def test_a_permalink_opens_its_mutant_and_brings_it_into_view(browser: Browser, example: Path) -> None:
    mutant = document(example)["mutants"][-1]["id"]
    browser.open(example, f"#mutant-{mutant}")
    time.sleep(0.3)
    assert browser.run("return document.activeElement.id") == f"mutant-{mutant}"
    top, bottom = browser.run(
        "const box = document.activeElement.getBoundingClientRect(); return [box.top, box.bottom]"
    )
    assert top >= browser.run("return document.getElementById('filters').getBoundingClientRect().bottom")
    assert bottom <= 1000
    assert browser.state() == f"#mutant-{mutant}"


def test_a_permalink_to_what_the_filters_hide_takes_them_off(browser: Browser, example: Path) -> None:
    found = document(example)["mutants"]
    killed = next(one["id"] for one in found if one["verdict"] == "killed")
    browser.open(example, "#verdict=survived")
    browser.run("location.hash = 'mutant-' + arguments[0]", killed)
    time.sleep(0.3)
    assert browser.run("return document.activeElement.id") == f"mutant-{killed}"
    assert browser.texts("#count") == [count_of(browser, len(found), len(found))]


def test_links_of_the_page_leave_the_filters_as_they_are(browser: Browser, example: Path) -> None:
    browser.open(example, "#verdict=survived")
    counted = browser.texts("#count")
    browser.tab_to(".skip")
    browser.press(Keys.ENTER)
    assert browser.run("return document.activeElement.id") == "gaps"
    browser.run("const one = document.querySelector('.gap'); one.open = true; one.fill();")
    browser.tab_to(".gap .id a")
    browser.press(Keys.ENTER)
    mutant = browser.run("return document.activeElement.id")
    assert mutant.startswith("mutant-FP")
    assert browser.state() == f"#{mutant}&verdict=survived"
    browser.driver.refresh()
    assert browser.run("return document.activeElement.id") == mutant
    assert browser.texts("#count") == counted


@pytest.mark.parametrize(
    "state",
    [
        "#mutant-FP101-nothing",
        "#file-99",
        "#verdict=toString&rule=constructor",
        "#verdict=good&rule=FP999&file=%E0%A4%A",
        "#%%%",
    ],
)
def test_an_address_that_says_nothing_known_shows_everything(state: str, browser: Browser, example: Path) -> None:
    total = len(document(example)["mutants"])
    browser.open(example, state)
    assert browser.texts("#count") == [count_of(browser, total, total)]
    assert browser.complaints() == []


def count_of(browser: Browser, shown_mutants: int, total: int) -> str:
    gaps = browser.texts("#gaps-title")[0].removeprefix("Gaps (").removesuffix(")")
    return f"{shown_mutants} of {total} mutants, {gaps} gap{'' if gaps == '1' else 's'}"


def test_the_filters_work_by_keyboard_and_stay_in_the_address(browser: Browser, example: Path) -> None:
    found = document(example)
    browser.open(example)
    browser.tab_to("[name=verdict][value=survived]")
    browser.press(Keys.SPACE)
    survived = [one for one in found["mutants"] if one["verdict"] == "survived"]
    assert browser.texts("#count") == [count_of(browser, len(survived), len(found["mutants"]))]
    assert browser.state() == "#verdict=survived"
    browser.tab_to("select[name=rule]")
    browser.press("FP2")
    rule = browser.run("return document.activeElement.value")
    both = [one for one in survived if one["rule"] == rule]
    assert browser.texts("#count") == [count_of(browser, len(both), len(found["mutants"]))]
    assert browser.state() == f"#verdict=survived&rule={rule}"
    browser.driver.refresh()
    assert browser.texts("#count") == [count_of(browser, len(both), len(found["mutants"]))]
    assert browser.run("return document.querySelector('[name=rule]').value") == rule
    browser.tab_to("button[type=reset]")
    browser.press(Keys.ENTER)
    assert browser.texts("#count") == [count_of(browser, len(found["mutants"]), len(found["mutants"]))]


def test_the_filter_by_file_leaves_its_rows_alone(browser: Browser, example: Path) -> None:
    path = document(example)["mutants"][0]["path"]
    browser.open(example, f"#file={path}")
    assert browser.texts("#files tbody tr:not([hidden]) th") == [path]
    assert browser.texts("#sources summary .mono") == [path]
    assert all(where.startswith(path) for where in browser.texts(".gap .where"))


def test_only_changed_lines_can_be_shown_where_the_run_knows_them(
    browser: Browser, tmp_path: Path, fencepost: Command
) -> None:
    git("init", "-q", "-b", "main", cwd=tmp_path)
    code, tests = tmp_path / "shop.py", tmp_path / "test_shop.py"
    code.write_text("def old(total):\n    return total >= 100\n", encoding="utf-8")
    far = "import shop\n\n\ndef test_far():\n    assert shop.old(500)\n"
    tests.write_text(far + "\n\ndef test_at():\n    assert shop.old(100)\n", encoding="utf-8")
    git("add", "--all", cwd=tmp_path)
    git("commit", "-q", "-m", "first", cwd=tmp_path)
    tests.write_text(far, encoding="utf-8")
    code.write_text(code.read_text(encoding="utf-8") + "\n\ndef new(total):\n    return total >= 7\n", encoding="utf-8")
    done = fencepost("gate", "--base", "main", "--run-base", "-o", "html:report.html", cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    browser.open(tmp_path / "report.html")
    assert "Gate failed" in browser.texts(".gate")[0]
    assert {where.split(" ")[0] for where in browser.texts(".gap .where")} == {"shop.py:2", "shop.py:6"}
    browser.tab_to("[name=changed]")
    browser.press(Keys.SPACE)
    assert browser.state() == "#changed=1"
    assert {where.split(" ")[0] for where in browser.texts(".gap .where")} == {"shop.py:6"}
    browser.open_all()
    assert set(browser.texts(".row.changed .number")) == {"6"}
    assert "fails the gate" in browser.texts(".remark")


def git(*arguments: str, cwd: Path) -> None:
    identity = ("-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=cwd, check=True, capture_output=True)


def test_the_number_line_shows_the_empty_places_and_what_came_nearest(browser: Browser, example: Path) -> None:
    browser.open(example)
    browser.open_all()
    [first, *_] = browser.run(
        "const about = (line) => line.textContent.includes('FREE_CALLS');"
        "const told = (post) => ['.value', '.tests'].map((part) => post.querySelector(part).textContent);"
        "return [...document.querySelectorAll('.gap .line')].filter(about)"
        ".map((line) => [...line.querySelectorAll('li')].map(told));"
    )
    assert ["50", "1 test"] in first
    assert ["1000", "no test: add one"] in first
    assert [value for value, _ in first] == ["50", "999", "1000", "1001", "25000"]


def test_everything_that_can_be_used_is_reached_by_keyboard(browser: Browser, example: Path) -> None:
    browser.open(example)
    browser.run(
        "for (const name of ['.gap', '.file']) {"
        "  const one = document.querySelector(name); one.open = true; one.fill(); }"
    )
    wanted = browser.run(
        "const all = [...document.querySelectorAll('a, button, summary, input, select')];"
        "return all.filter((one) => one.checkVisibility()).length;"
    )
    reached = 0
    for _ in range(wanted + 20):
        browser.press(Keys.TAB)
        if browser.run(
            "const e = document.activeElement; if (e === document.body || e.dataset.seen) return false;"
            "e.dataset.seen = 1; return e.matches('a, button, summary, input, select')"
        ):
            reached += 1
    assert wanted > 60
    assert reached == wanted


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 380])
def test_axe_finds_no_grave_fault(scheme: str, width: int, browser: Browser, example: Path, axe: str) -> None:
    colors = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    metrics = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", colors)
    browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        browser.open(example)
        assert browser.run("return matchMedia('(prefers-color-scheme: dark)').matches") is (scheme == "dark")
        browser.run(
            "document.querySelectorAll('.gap').forEach((one, i) => { if (i < 12) { one.open = true; one.fill(); } })"
        )
        browser.run(
            "const file = document.querySelector('.file:last-child'); file.open = true; file.fill();"
            "file.querySelectorAll('.row button').forEach((one) => one.click())"
        )
        browser.run(axe + "; window.axe = axe;")
        browser.driver.set_script_timeout(120)
        found = browser.driver.execute_async_script(
            "const done = arguments[0];"
            "axe.run().then((told) => done({violations: told.violations, passes: told.passes.length}));"
        )
        grave = [
            (one["id"], node["html"][:200], node.get("failureSummary"))
            for one in found["violations"] if one["impact"] in {"serious", "critical"}
            for node in one["nodes"]
        ]  # fmt: skip
        assert found["passes"] > 10
        assert grave == []
        assert browser.run("return document.documentElement.scrollWidth") <= width
    finally:
        browser.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def timed(work: Callable[[], object]) -> float:
    start = time.monotonic()
    work()
    return time.monotonic() - start


def test_five_thousand_mutants_load_and_filter_in_a_moment(
    browser: Browser, tmp_path: Path, fencepost: Command
) -> None:
    for file in range(25):
        functions = [
            f"def f{number}(x):\n    return x >= {number + 10}\n\n\ndef g{number}(text):\n    return text.strip()\n"
            for number in range(50)
        ]
        (tmp_path / f"mod{file}.py").write_text("\n\n".join(functions), encoding="utf-8")
    (tmp_path / "test_mods.py").write_text(FEW_TESTS, encoding="utf-8")
    page = page_of(tmp_path, fencepost)
    assert len(document(page)["mutants"]) >= 5_000
    assert timed(lambda: browser.open(page)) < LOADS_IN
    assert browser.texts("#count")[0].startswith("5000 of 5000 mutants")
    assert browser.run("return document.querySelectorAll('*').length") < 4_000, "drawn before anybody asked"
    assert timed(lambda: browser.run("document.querySelector('[value=not-infected]').click()")) < FILTERS_IN
    assert browser.texts("#count")[0].startswith("150 of 5000 mutants")
    assert timed(lambda: browser.run("document.querySelector('[type=reset]').click()")) < FILTERS_IN
    browser.run("document.querySelector('#gap-list .more').click()")
    assert browser.run("return document.querySelectorAll('.gap').length") == 100
    assert browser.complaints() == []
