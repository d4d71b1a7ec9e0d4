"""FP106: which constants and defaults are thresholds with a name, how they move, and where others move them already."""

from __future__ import annotations

from pathlib import Path

import pytest

from fencepost.analyzer.model import Site
from fencepost.analyzer.observers import build
from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.runtime import Recorder
from fencepost.analyzer.scan import scan_files, scan_source
from fencepost.rules.boundary.named_threshold import NamedThreshold


def sites(code: str) -> tuple[Site, ...]:
    scan = scan_source(code.encode(), "a.py", [NamedThreshold])
    assert scan.problem is None
    return scan.sites


def changes(code: str) -> list[tuple[str, list[str]]]:
    return [(site.source, [mutant.replacement for mutant in site.mutants]) for site in sites(code)]


USED = "def f(x):\n    return x > LIMIT or g(LIMIT)\n"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("LIMIT = 3\n", ("3", ["2", "4"])),
        ("LIMIT: Final = 3\n", ("3", ["2", "4"])),
        ("LIMIT = -1\n", ("-1", ["-2", "0"])),
        ("LIMIT = 0x10\n", ("0x10", ["0xF", "0x11"])),
        ("LIMIT = 0.5\n", ("0.5", ["0.4", "0.6"])),
        ("LIMIT = 0.25\n", ("0.25", ["0.24", "0.26"])),
        ("LIMIT = -0.10\n", ("-0.10", ["-0.11", "-0.09"])),
        ("LIMIT = 0.000_5\n", ("0.000_5", ["0.0004", "0.0006"])),
        ("LIMIT = 2.5e-7\n", ("2.5e-7", ["2.4E-7", "2.6E-7"])),
        ("LIMIT = 1e-3\n", ("1e-3", ["0.000", "0.002"])),
        ("LIMIT = 0.5 * 0.25\n", ("0.5 * 0.25", ["0.124", "0.126"])),
        (
            "LIMIT = 0.33333333333333333333\n",
            ("0.33333333333333333333", ["0.33333333333333326", "0.33333333333333337"]),
        ),
        ("LIMIT = 1e16\n", ("1e16", ["9999999999999998.0", "1.0000000000000002e+16"])),
        ("LIMIT = 2.0\n", ("2.0", ["1.0", "3.0"])),
        ("LIMIT = 60 * 60\n", ("60 * 60", ["3599", "3601"])),
        ("LIMIT = (3)\n", ("3", ["2", "4"])),
    ],
)
def test_a_constant_moves_where_it_gets_its_name(statement: str, expected: tuple[str, list[str]]) -> None:
    assert changes(statement + USED) == [expected]


@pytest.mark.parametrize(
    "code",
    [
        "LIMIT = 3\n",
        "LIMIT = 3\ndef f(x):\n    return x == LIMIT or x + LIMIT\n",
        "limit = 3\ndef f(x):\n    return x > limit or g(limit)\n",
        f"LIMIT = True\n{USED}",
        f"LIMIT = 'a'\n{USED}",
        f"LIMIT = OTHER\n{USED}",
        f"LIMIT: int\n{USED}",
        f"LIMIT = 3\nLIMIT = 4\n{USED}",
        f"LIMIT = 3\nLIMIT += 4\n{USED}",
        f"LIMIT = OTHER = 3\n{USED}",
        f"LIMIT, = 3,\n{USED}",
        f"a.LIMIT = 3\n{USED}",
        f"if g:\n    LIMIT = 3\n{USED}",
        "def f(x):\n    LIMIT = 3\n    return x > LIMIT or g(LIMIT)\n",
        "class A(Enum):\n    LIMIT = 3\n    def f(self, x):\n        return x > A.LIMIT or g(self.LIMIT)\n",
    ],
)
def test_what_is_no_constant_or_no_threshold_is_no_site(code: str) -> None:
    assert sites(code) == ()


def test_a_constant_of_a_class_is_one_too() -> None:
    code = "class A:\n    LIMIT = 3\n    def f(self, x):\n        return x > self.LIMIT or g(self.LIMIT)\n"
    assert changes(code) == [("3", ["2", "4"])]


@pytest.mark.parametrize(
    ("uses", "reason"),
    [
        ("x = a > LIMIT\n", "line 2"),
        ("x = a > LIMIT\ny = b[:LIMIT]\n", "lines 2, 3"),
        ("x = a > LIMIT\ny = b + LIMIT\n", None),
        ("x = a > LIMIT\ny = c.LIMIT > b\n", None),
    ],
)
def test_a_constant_that_moves_wherever_it_is_used_is_ignored_with_the_lines(uses: str, reason: str | None) -> None:
    (site,) = sites(f"LIMIT = 3\n{uses}")
    assert site.ignored == (reason and f"the same change is made where it is used: {reason}")


def test_of_a_fraction_a_smaller_change_is_made_where_it_is_used() -> None:
    (site,) = sites("LIMIT = 0.5\nx = a > LIMIT\n")
    assert site.ignored == "a smaller change is made where it is used: line 2"


def test_a_constant_that_another_file_compares_is_a_site_there_told(tmp_path: Path) -> None:
    (tmp_path / "limits.py").write_text("LIMIT = 3\nOTHER = 3\n", encoding="utf-8")
    (tmp_path / "shop.py").write_text("from limits import LIMIT, OTHER\n\nx = y > LIMIT\nz = OTHER\n", encoding="utf-8")
    scan, _ = scan_files(tmp_path, ["limits.py", "shop.py"], [NamedThreshold])
    (site,) = scan.sites
    assert (site.source, site.ignored) == ("3", None)
    assert site.ask == (
        "stand on `LIMIT` and one step beside it, with the number written out, where it is used: shop.py:3"
    )


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(x, limit=3):\n    return x > limit\n", ["2", "4"]),
        ("def f(x, *, limit: int = 3):\n    return 0 < x <= limit\n", ["2", "4"]),
        ("def f(limit=0.5, /):\n    if limit < g(): pass\n", ["0.4", "0.6"]),
        ("class A:\n    async def f(self, limit=-1):\n        return limit >= 2\n", ["-2", "0"]),
        ("def f(x, limit=3):\n    return x == limit\n", []),
        ("def f(x, limit=3):\n    return x + limit > 1\n", []),
        ("def f(x, limit=3):\n    return x > other\n", []),
        ("def f(x, limit=None):\n    return x > limit\n", []),
        ("def f(x, limit=True):\n    return x > limit\n", []),
        ("def f(x, limit=LIMIT):\n    return x > limit\n", []),
        ("def f(x, limit):\n    return x > limit\n", []),
        ("f = lambda x, limit=3: x > limit\n", []),
    ],
)
def test_a_default_moves_where_the_function_compares_it(code: str, expected: list[str]) -> None:
    assert [mutant.replacement for site in sites(code) for mutant in site.mutants] == expected


def test_a_test_is_asked_to_leave_the_default_out() -> None:
    (site,) = sites("def f(x, limit=3):\n    return x > limit\n")
    assert site.ask == "call `f` without `limit`, on 3 and one step beside it"


def test_every_evaluation_infects_both_and_gives_the_number() -> None:
    plan = make_plan([scan_source(f"LIMIT = 3\n{USED}".encode(), "a.py", [NamedThreshold])], "/shop")
    (anchor,) = plan.document["files"]["a.py"]["anchors"]
    recorder = Recorder(plan.document["probes"], "/shop")
    recorder.context = {}
    look = build(anchor["probes"][0], recorder)
    assert look(3) == 3
    assert recorder.context[0].mask == 0b11
    assert not any(recorder.doubted)
