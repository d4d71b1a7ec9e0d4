"""FP207 to FP211: what they leave of a call, what they leave alone, and where only a run can tell."""

from __future__ import annotations

import ast

import pytest

from fencepost.analyzer.model import Site
from fencepost.analyzer.scan import scan_source
from fencepost.rules import Rule
from fencepost.rules.normalizing.affix import Affix
from fencepost.rules.normalizing.clamp import Clamp
from fencepost.rules.normalizing.escaping import FUNCTIONS, INPUTS, Escaping
from fencepost.rules.normalizing.path import Path
from fencepost.rules.normalizing.unicode import Unicode

IMPORTS = "import html, os, re, shlex, unicodedata, urllib.parse, numpy as np, ftfy\nfrom pathlib import Path\n"


def sites(expression: str, rule: type[Rule], before: str = IMPORTS) -> tuple[Site, ...]:
    scan = scan_source(f"{before}x = {expression}\n".encode(), "a.py", [rule])
    assert scan.problem is None, scan.problem
    return scan.sites


def left(expression: str, rule: type[Rule], before: str = IMPORTS) -> list[str]:
    """What the mutants leave of an expression."""
    return [mutant.replacement for site in sites(expression, rule, before) for mutant in site.mutants]


def watched(expression: str, rule: type[Rule]) -> list[str | None]:
    """How the observing run spells each mutant over the operands; None where only a run tells."""
    return [mutant.template for site in sites(expression, rule) for mutant in site.mutants]


# FP207


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("s.removeprefix('v')", ["s"]),
        ("(a or b).removesuffix(c)", ["(a or b)"]),
        ("s.removeprefix()", []),
        ("s.removeprefix(p, q)", []),
        ("s.removeprefix(prefix=p)", []),
        ("s.removeprefix(*p)", []),
        ("os.removeprefix('v')", []),
        ("s[len(p):]", ["s"]),
        ("s[len(p) + 1:]", ["s"]),
        ("s[len(p) + n:]", []),
        ("s[len(p) - 1:]", []),
        ("s[1 + len(p):]", []),
        ("s[size(p):]", []),
        ("s[len(p):9]", []),
        ("s[len(p)::2]", []),
        ("s[len(p):, 1]", []),
        ("s[len(p)]", []),
        ("s[:-len(p)]", ["s"]),
        ("s[:len(p)]", []),
        ("s[:+len(p)]", []),
        ("s[:-n]", []),
        ("s[1:-len(p)]", []),
        ("s.partition(':')[0]", ["s", "s.partition(':')[2]"]),
        ("s.partition(':')[2]", ["s", "s.partition(':')[0]"]),
        ("s.rpartition(':')[-1]", ["s", "s.rpartition(':')[0]"]),
        ("s.rpartition(':')[-3]", ["s", "s.rpartition(':')[2]"]),
        ("s.partition(':')[1]", []),
        ("s.partition(':')[-2]", []),
        ("s.partition(':')[n]", []),
        ("s.partition(':')[0, 1]", []),
        ("s.partition(':')[0:1]", []),
        ("s.partition()[0]", []),
        ("s.partition(sep=':')[0]", []),
        ("s.split(':')[0]", []),
        ("os.partition(':')[0]", []),
        ("partition(':')[0]", []),
    ],
)
def test_an_affix_or_the_other_half_stays(expression: str, expected: list[str]) -> None:
    assert left(expression, Affix) == expected


@pytest.mark.parametrize(
    "statement",
    ["s[len(p):] = a", "del s[len(p):]", "(s[len(p):], b) = a", "for s[:-len(p)] in a: pass", "s[len(p):] += a"],
)
def test_a_part_that_is_written_is_no_value(statement: str) -> None:
    scan = scan_source(f"{statement}\n".encode(), "a.py", [Affix])
    assert (scan.problem, scan.sites) == (None, ())


@pytest.mark.parametrize(
    "statement", ["a = s[len(p):]", "a[s[len(p):]] = b", "for a in s[len(p):]: pass", "b += s[len(p):]"]
)
def test_a_part_that_is_read_where_another_is_written_is_a_value(statement: str) -> None:
    assert len(scan_source(f"{statement}\n".encode(), "a.py", [Affix]).sites) == 1


def test_a_name_that_stands_for_one_of_the_places_is_no_pick() -> None:
    assert left("s.partition(':')[FIRST]", Affix, "FIRST = 0\n") == []


# FP208


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("unicodedata.normalize('NFC', s)", ["s"]),
        ("unicodedata.normalize('NFC')", []),
        ("unicodedata.normalize('NFC', s, 1)", []),
        ("unicodedata.normalize(*a)", []),
        ("unicodedata.category(s)", []),
        ("normalize('NFC', s)", []),
        ("ftfy.fix_text(s)", ["s"]),
        ("ftfy.fix_text(s, config)", ["s"]),
        ("ftfy.fix_text(s, a=1, b=2)", []),
        ("s.encode('ascii', 'ignore')", ["s.encode('ascii')"]),
        ("s.encode('ascii', errors='ignore')", ["s.encode('ascii')"]),
        ("s.decode(errors='replace')", ["s.decode()"]),
        ("s.decode(errors='strict')", []),
        ("s.encode('ascii', 'strict')", []),
        ("s.encode('ascii', on_errors)", ["s.encode('ascii')"]),
        ("s.encode('ascii', self.errors)", ["s.encode('ascii')"]),
        ("s.encode('ascii', other)", []),
        ("s.encode('ascii')", []),
        ("s.encode()", []),
        ("s.encode('ascii', 'ignore', 3)", []),
        ("s.encode('ascii', 'ignore', key=3)", []),
        ("s.encode(*a)", []),
        ("os.encode('ascii', 'ignore')", []),
        ("s.recode('ascii', 'ignore')", []),
    ],
)
def test_text_stays_in_its_form_and_an_encoding_without_its_handler(expression: str, expected: list[str]) -> None:
    assert left(expression, Unicode) == expected


@pytest.mark.parametrize(
    ("form", "such_as"),
    [("'NFC'", "an e and an accent"), ("'NFD'", "its accent in one"), ("'NFKC'", "ligature"), ("form", r"'\u201d'")],
)
def test_the_input_that_shows_it_depends_on_the_form(form: str, such_as: str) -> None:
    (site,) = sites(f"unicodedata.normalize({form}, s)", Unicode)
    assert such_as in site.ask


# FP209


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("os.path.normpath(p)", ["os.fspath(p)"]),
        ("os.path.normpath('a/b')", ["'a/b'"]),
        ("os.path.abspath(f'{a}')", ["f'{a}'"]),
        ("os.path.expanduser(os.path.join(a, b))", ["os.path.join(a, b)"]),
        ("os.path.expandvars(os.path.expanduser(p))", ["os.path.expanduser(p)", "os.fspath(p)"]),
        ("os.path.realpath(p, strict=True)", ["os.fspath(p)"]),
        ("os.path.realpath(p, q)", []),
        ("os.path.abspath(*p)", []),
        ("os.path.basename(p)", []),
        ("p.resolve()", ["p"]),
        ("p.resolve(strict=True)", ["p"]),
        ("p.resolve(True)", []),
        ("p.resolve(other=True)", []),
        ("p.resolve(*a)", []),
        ("p.absolute()", ["p"]),
        ("p.with_suffix('.py')", ["p"]),
        ("p.with_suffix()", []),
        ("p.with_suffix(a, b)", []),
        ("os.resolve()", []),
        ("s.rstrip('/')", ["s"]),
        ("s.lstrip(os.sep)", ["s"]),
        ("s.strip('/.')", []),
        ("s.strip('')", []),
    ],
)
def test_a_path_stays_as_it_came(expression: str, expected: list[str]) -> None:
    assert left(expression, Path) == expected


def test_without_os_in_reach_a_path_becomes_text_by_str() -> None:
    assert left("abspath(p)", Path, "from os.path import abspath\n") == ["str(p)"]


@pytest.mark.parametrize(
    ("receiver", "expected"), [("self.root_dir", ["self.root_dir"]), ("base.parent", ["base.parent"]), ("future", [])]
)
def test_what_resolves_is_a_path_where_its_name_says_so_or_pathlib_is_in_reach(
    receiver: str, expected: list[str]
) -> None:
    assert left(f"{receiver}.resolve()", Path, "") == expected
    assert left(f"{receiver}.resolve()", Path, "import pathlib\n") == [receiver]


@pytest.mark.parametrize(
    ("expression", "ignored"),
    [
        ("os.path.normcase(p)", "equivalent on POSIX"),
        ("os.path.abspath(__file__)", "equivalent: the `__file__`"),
        ("os.path.realpath(__file__)", None),
        ("os.path.abspath(os.getcwd())", "equivalent: `os.getcwd()` is absolute"),
        ("os.path.normpath(os.path.realpath(p))", "equivalent: `os.path.realpath(p)` is absolute"),
        ("os.path.realpath(os.path.abspath(p))", None),
        ("os.path.realpath(os.path.abspath(os.getcwd()))", "equivalent: `os.path.abspath(os.getcwd())` has no links"),
        ("os.path.realpath(os.path.realpath(p))", "equivalent: `os.path.realpath(p)` has no links"),
        ("os.path.expanduser(os.getcwd())", None),
        ("Path(__file__).absolute()", "equivalent: `Path(__file__)` is absolute"),
        ("Path(__file__, 'a').absolute()", None),
        ("Path(p).absolute()", None),
        ("Path.cwd().absolute()", "equivalent: `Path.cwd()` is absolute"),
        ("Path.cwd().resolve()", None),
        ("p.resolve().absolute()", "equivalent: `p.resolve()` is absolute"),
        ("p.absolute()", None),
    ],
)
def test_a_path_that_is_in_its_form_already_cannot_be_told(expression: str, ignored: str | None) -> None:
    outermost = sites(expression, Path)[0]
    assert outermost.source == expression
    assert (outermost.ignored or "").startswith(ignored or "")
    assert (outermost.ignored is None) is (ignored is None)


def test_of_two_calls_that_normalize_the_outer_one_does_it_all() -> None:
    outer, inner = sites("os.path.abspath(os.path.normpath(p))", Path)
    assert outer.ignored is None
    assert inner.ignored == "equivalent: `os.path.abspath` normalizes by itself"
    _, inner = sites("os.path.realpath(os.path.normpath(p))", Path)
    assert inner.ignored is None


# FP210


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("html.escape(s)", ["s"]),
        ("html.escape(s, quote=False)", ["s"]),
        ("html.escape(s=s)", []),
        ("html.escape()", []),
        ("html.escape(*s)", []),
        ("escape(s)", []),
        ("re.escape(a + b)", ["(a + b)"]),
        ("urllib.parse.quote(s.encode())", ["s"]),
        ("urllib.parse.quote_plus((a + b).encode('utf-8'), safe='')", ["(a + b)"]),
        ("urllib.parse.unquote(s.encode())", ["s.encode()"]),
        ("urllib.parse.quote(s.strip())", ["s.strip()"]),
        ("urllib.parse.quote(encode(s))", ["encode(s)"]),
        ("urllib.parse.quote(os.encode(s))", ["os.encode(s)"]),
    ],
)
def test_text_stays_as_it_is_and_bytes_become_their_text(expression: str, expected: list[str]) -> None:
    assert left(expression, Escaping) == expected


@pytest.mark.parametrize(
    ("expression", "nothing"),
    [
        ("re.escape('and')", True),
        ("re.escape('a.b')", False),
        ("html.unescape('a&b')", True),
        ("html.unescape('&lt;')", False),
        ("html.escape(b'a')", False),
        ("html.escape(f'a')", False),
    ],
)
def test_written_text_that_has_nothing_to_escape_is_set_aside(expression: str, *, nothing: bool) -> None:
    (site,) = sites(expression, Escaping)
    name = expression.partition("(")[0]
    assert site.ignored == (f"equivalent: `{name}` changes nothing in this text" if nothing else None)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_the_input_that_is_named_is_one_that_the_function_changes(name: str) -> None:
    text = ast.literal_eval(INPUTS[name])
    assert FUNCTIONS[name](text) != text


# FP211


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("max(0, n)", ["n"]),
        ("min(n, 10)", ["n"]),
        ("min(a + b, LIMIT)", ["(a + b)"]),
        ("max(0, min(n, 10))", ["min(n, 10)", "n"]),
        ("min(n, m, 10)", ["min(n, m)"]),
        ("min(n, 5, 10)", ["min(n, 10)", "min(n, 5)"]),
        ("min(n, len(xs))", ["n"]),
        ("min(len(xs), 10)", ["len(xs)"]),
        ("min(n, max_width)", ["n"]),
        ("min(n, self.limit - 1)", ["n"]),
        ("min(n, m)", []),
        ("min(1, 2)", []),
        ("min(xs)", []),
        ("min(n, 10, key=f)", []),
        ("min(*xs, 10)", []),
        ("max(lo, min(n, hi))", ["min(n, hi)", "n"]),
        ("max(a, min(b, c))", ["min(b, c)", "c", "b"]),
        ("abs(n)", ["n"]),
        ("abs(a - b)", ["(a - b)"]),
        ("abs(-3)", []),
        ("abs(*n)", []),
        ("abs(n, m)", []),
        ("np.clip(a, 0, 1)", ["np.clip(a, None, 1)", "np.clip(a, 0, None)"]),
        ("np.clip(a, a_min=0, a_max=1)", ["np.clip(a, a_min=None, a_max=1)", "np.clip(a, a_min=0, a_max=None)"]),
        ("np.clip(a, 0, None)", []),
        ("np.clip(a, None, 1)", []),
        ("np.clip(a, 0)", []),
        ("np.clip(a_min=0, a_max=1)", []),
        ("np.clip(*a, 0, 1)", []),
        ("clip(a, 0, 1)", []),
    ],
)
def test_each_bound_goes_on_its_own(expression: str, expected: list[str]) -> None:
    assert left(expression, Clamp) == expected


def test_the_best_so_far_is_no_bound() -> None:
    code = "def f(n, most):\n    most = max(most, n)\n    least = max(most, n)\n"
    found = scan_source(code.encode(), "a.py", [Clamp]).sites
    assert [(site.span.start.line, site.mutants[0].replacement) for site in found] == [(3, "n")]


@pytest.mark.parametrize(
    ("expression", "aside"),
    [
        ("max(0, len(xs))", True),
        ("max(-1, abs(n))", True),
        ("max(1, len(xs))", False),
        ("min(0, len(xs))", False),
        ("max(0, n)", False),
        ("max(0, len(xs), n)", False),
        ("xs[:min(n, len(xs))]", True),
        ("ys[:min(n, len(xs))]", False),
        ("xs[min(n, len(xs))]", False),
        ("xs[:max(n, len(xs))]", False),
        ("' ' * max(0, n)", True),
        ("max(n, 0) * [1]", True),
        ("n * max(0, m)", False),
        ("' ' * max(1, n)", False),
        ("' ' * min(0, n)", False),
        ("' ' + max(0, n)", False),
        ("range(max(0, n))", True),
        ("range(1, max(0, n))", False),
        ("range(max(0, n), 9)", False),
        ("s.ljust(max(0, n))", True),
        ("s.ljust(9, max(0, n))", False),
        ("s.append(max(0, n))", False),
        ("abs(len(xs))", True),
        ("abs(abs(n))", True),
    ],
)
def test_a_bound_that_no_value_is_beyond_is_set_aside(expression: str, *, aside: bool) -> None:
    assert (sites(expression, Clamp)[0].ignored is not None) is aside


# what they share: dropping an operand that somebody could miss


@pytest.mark.parametrize(
    ("rule", "expression", "expected"),
    [
        (Clamp, "max(0, n)", ["{2:atom}"]),
        (Clamp, "max(LIMIT, n)", ["{2:atom}"]),
        (Clamp, "max(0, f(n))", ["{2:atom}"]),
        (Clamp, "min(n, len(f(xs)))", [None]),
        (Clamp, "min(n, len(xs))", ["{1:atom}"]),
        (Clamp, "min(n, len(xs[0]))", [None]),
        (Affix, "s.removeprefix(p)", ["{0:atom}"]),
        (Affix, "s.removeprefix(f())", [None]),
        (Affix, "s.removeprefix((p := q))", [None]),
        (Affix, "s[len(f()):]", [None]),
        (Affix, "s.partition(f())[0]", [None, "{0:atom}.partition({1})[2]"]),
        (Unicode, "s.encode('ascii', errors='ignore')", ["{0:atom}.encode({1})"]),
        (Unicode, "s.encode('ascii', errors=f())", [None]),
        (Escaping, "html.escape(s, quote=f())", [None]),
        (Escaping, "urllib.parse.quote(s.encode())", [None]),
    ],
)
def test_where_an_effect_would_be_missed_only_a_run_tells(
    rule: type[Rule], expression: str, expected: list[str | None]
) -> None:
    assert watched(expression, rule) == expected
