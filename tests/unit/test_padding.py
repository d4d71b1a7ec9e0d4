"""FP214: which calls and formats fill a text up to a width, and how they read without it."""

from __future__ import annotations

import pytest

from fencepost.analyzer.model import Site
from fencepost.analyzer.scan import scan_source
from fencepost.rules.normalizing.padding import Padding


def sites(code: str) -> tuple[Site, ...]:
    scan = scan_source(code.encode(), "a.py", [Padding])
    assert scan.problem is None
    assert all(site.mutants for site in scan.sites)
    return scan.sites


def replacements(code: str) -> list[str]:
    return [mutant.replacement for site in sites(code) for mutant in site.mutants]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("s.zfill(3)", ["s"]),
        ("s.ljust(n)", ["s"]),
        ("s.rjust(n, '.')", ["s"]),
        ("str(a).center(n, fill)", ["str(a)"]),
        ("(a or b).zfill(3)", ["(a or b)"]),
        ("s.zfill(3, '0')", []),
        ("s.zfill()", []),
        ("window.center()", []),
        ("canvas.center(x, 3)", []),
        ("s.rjust(n, '.', 1)", []),
        ("s.rjust(width=n)", []),
        ("s.rjust(*n)", []),
        ("Align.center(text)", []),
        ("layout.center(text)", []),
        ("column.str.zfill(3)", []),
        ("zfill(s, 3)", []),
        ("s.pad(3)", []),
    ],
)
def test_a_call_that_fills_up_is_deleted(call: str, expected: list[str]) -> None:
    assert replacements(f"import layout\nfrom rich.align import Align\nx = {call}\n") == expected


@pytest.mark.parametrize(
    ("field", "without"),
    [
        ("{n:03d}", "{n:d}"),
        ("{n:3}", "{n}"),
        ("{n :3}", "{n }"),
        ("{n:10,.2f}", "{n:,.2f}"),
        ("{n:+05d}", "{n:+d}"),
        ("{n:#06x}", "{n:#x}"),
        ("{n:02.0f}", "{n:.0f}"),
        ("{s:>10}", "{s}"),
        ("{s:*^10}", "{s}"),
        ("{s:_<10s}", "{s:s}"),
        ("{n:0=+8}", "{n:+}"),
        ("{s!r:>10}", "{s!r}"),
        ("{s:1}", "{s}"),
        ("{s:1s}", "{s:s}"),
        ("{s:>{w}}", "{s}"),
        ("{s:{fill}>{w}}", "{s}"),
        ("{n:0{digits}d}", "{n:d}"),
        ("{n:{width}}", "{n}"),
        ("{n:{len(s)}d}", "{n:d}"),
        ("{n:{width}.{digits}f}", "{n:.{digits}f}"),
        ("{n:{fill}>{w}.{digits}f}", "{n:.{digits}f}"),
        ("{n}", None),
        ("{n:d}", None),
        ("{n:,}", None),
        ("{n:.2f}", None),
        ("{n:0}", None),
        ("{n:1d}", None),
        ("{n:1.2f}", None),
        ("{s:>}", None),
        ("{n:{spec}}", None),
        ("{n:.{digits}f}", None),
        ("{day:%Y-%m-%d}", None),
        ("{n=:3}", None),
    ],
)
def test_a_width_is_taken_out_of_a_format_with_its_fill_and_alignment(field: str, without: str | None) -> None:
    assert replacements(f"x = f'a {field} b'\n") == ([] if without is None else [f"f'a {without} b'"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f'{a:02d}:{b:02d}'", ["f'{a:d}:{b:02d}'", "f'{a:02d}:{b:d}'"]),
        ("('s' f'{a:3}' f'{b}')", ["'s' f'{a}' f'{b}'"]),
        ("f'{f\"{a:3}\"}'", []),
        ("'{:3}'", []),
    ],
)
def test_each_width_of_a_whole_string_is_taken_out_on_its_own(text: str, expected: list[str]) -> None:
    assert replacements(f"x = {text}\n") == expected


@pytest.mark.parametrize(("call", "template"), [("s.zfill(n + 1)", "{0:atom}"), ("s.zfill(f())", None)])
def test_a_call_is_evaluated_beside_the_original_where_its_width_has_no_effect(call: str, template: str | None) -> None:
    (site,) = sites(f"x = {call}\n")
    assert [mutant.template for mutant in site.mutants] == [template]


@pytest.mark.parametrize(
    ("code", "ask"),
    [
        ("x = s.zfill(3)\n", "use a text that is shorter than 3, so that `s.zfill(3)` fills it up"),
        ("x = f'{n:3}'\n", "use a value that is shorter than its width in `f'{n:3}'`, and assert the padded text"),
    ],
)
def test_it_asks_for_a_short_value(code: str, ask: str) -> None:
    assert [site.ask for site in sites(code)] == [ask]
