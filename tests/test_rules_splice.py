"""Every replacement of every rule, put in place of its span, is still Python: in real modules and in awkward places."""

from __future__ import annotations

import ast
import functools
import importlib.util
import itertools
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from fencepost.analyzer.model import Mutant, Position
from fencepost.analyzer.scan import scan_source
from fencepost.rules import every_rule

STDLIB = Path(sysconfig.get_path("stdlib"))
MODULES = ("colorsys", "csv", "getopt", "gettext", "graphlib", "json/encoder", "shlex", "string", "textwrap")
# contexts in which an expression can stand; `@` is the place
CONTEXTS = (
    "@\n",
    "x = -(@)\n",
    "x = [@ for y in z if (@)]\n",
    "f(@, key=@)\n",
    "f(\n    @\n    , 1)\n",
    "x = y if (@) else (@)\n",
    "class A:\n    b: int = @\n    def c(self, d=@):\n        return lambda: @\n",
    "async def f():\n    yield @\n    await (@)\n",
    "match a:\n    case 1 if @:\n        pass\n",
    'x = f"{(@)}"\n',
    "with (@) as a, b: del c[@]\n",
)
EXPRESSIONS = (
    "a.lower()",
    "sorted(b for b in c)",
    "sorted(c, key=lambda b: -b, reverse=True)",
    "reversed(a + b)",
    "len(set(b for b in c))",
    "heapq.nlargest(a if b else c, d)",
    "round((yield), 2)",
    "round(a + b)",
    "int(a if b else c)",
    "math.floor(a @ b)",
    "(a + b) // -c // 2",
    "a.b().quantize(c, rounding=d)",
    "d.get(a if b else c, lambda: 1)",
    "a and b or c or d",
    "a or (b, c)",
    "(a, b) or c",
    "a.b if a.b is not None else c",
    "c if a[0] is None else a[0]",
    "next((b for b in c if b > 1), None)",
    "getattr(a, 'b', 1) < c <= d",
    "a not in (1, 2) == (b < c)",
    "(a + b).replace('c', (yield))",
    "re.sub('a', b if c else d, string=e if f else g)",
    "[b for b in c if(b)if b > 1 if d.e]",
    "{b: c for b in c if (d := b) if 1 < b < 2}",
    "list(filter(lambda b: b, c if a else d))",
    "(-a).zfill(3)",
    "f'{a:03d}' f'{b !r:>{c}}{d:{e}.{f}}'",
    "(a or b).replace(tzinfo=c, second=0)",
    "(a - b).date()",
    "a.b().isoformat(' ', timespec='seconds')",
    "numpy.unique(a if b else c)",
    "numpy.round(b for b in c)",
    "(a @ b).sort_values(c, ascending=False)",
    "a[b].str.strip()",
    "a or b or c and d",
    "-a ** b ** +c",
    "not(a < b <= c)",
    "a if b or c else lambda: None",
    "(lambda: a)(*b and c, **d)",
    "a & b | c ^ ~d",
    "'a' 'b' if 0 else 'd' f'{e}' 'g'",
    "(a, b)[any(c) is not True]",
    "f(a, *b, c=1.5, **d)",
    "f(a,  b)  .c",
)
STATEMENT_RULES = {"FP511", "FP512", "FP513"}
IMPORTS = "import heapq, math, numpy, re\n"


def offset(text: str, position: Position) -> int:
    # not splitlines: it also breaks at a form feed, where Python does not
    before = text.split("\n")[: position.line - 1]
    return sum(len(line) + 1 for line in before) + position.column - 1


def mutants_of(data: bytes) -> tuple[str, list[Mutant]]:
    scan = scan_source(data, "a.py", every_rule())
    assert scan.problem is None
    return importlib.util.decode_source(data), [mutant for site in scan.sites for mutant in site.mutants]


def assert_all_fit(data: bytes) -> int:
    """Each replacement parses where it stands, stays one expression there, and differs from the original."""
    text, mutants = mutants_of(data)
    blocks = list(top_level(text))
    for mutant in mutants:
        what = f"{mutant.rule} at line {mutant.span.start.line}: {mutant.original} -> {mutant.replacement}"
        start, end = offset(text, mutant.span.start), offset(text, mutant.span.end)
        assert text[start:end] == mutant.original
        first, last = next(block for block in blocks if block[0] <= start and end <= block[1])
        before, after = text[first:start], text[end:last]
        try:
            tree = ast.parse(before + mutant.replacement + after)
        except SyntaxError as error:
            pytest.fail(f"{what}: {error}")
        changed = ast.dump(tree)
        assert changed != dump_of(text[first:last]), f"{what} changes nothing"
        if mutant.rule in STATEMENT_RULES:
            assert statements_in(tree) == statements_in(ast.parse(text[first:last])), f"{what} is not one statement"
            continue
        apart = f"({mutant.replacement})"
        assert changed == ast.dump(ast.parse(before + apart + after)), f"{what} runs into its surroundings"
    return len(mutants)


def statements_in(tree: ast.AST) -> int:
    return sum(isinstance(node, ast.stmt) for node in ast.walk(tree))


@functools.lru_cache(maxsize=1)
def dump_of(text: str) -> str:
    return ast.dump(ast.parse(text))


def top_level(text: str) -> Iterator[tuple[int, int]]:
    """Where each statement of a module begins and where the next one does, in characters: parts that parse alone."""
    lines = text.split("\n")
    starts = [0, *itertools.accumulate(len(line) + 1 for line in lines)]
    first = {min([node.lineno, *decorators(node)]) - 1 for node in ast.parse(text).body}
    places = [0, *(starts[line] for line in sorted(first)), len(text)]
    yield from itertools.pairwise(places)


def decorators(node: ast.stmt) -> list[int]:
    return [one.lineno for one in getattr(node, "decorator_list", [])]


def awkward_places() -> Iterator[tuple[str, str]]:
    for expression in EXPRESSIONS:
        for context in CONTEXTS:
            yielding = "yield" in expression and ("class" in context or "for y" in context or "f" + '"' in context)
            if not yielding:
                yield expression, IMPORTS + context.replace("@", expression)


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    x += (1,\n  2); f(a\n, b); g()\n",
        "if a:f(b)\nelse:c[0]=d\n",
        "def f():\n    for a in b:\n        if a:break\n        elif b: continue # c\n    raise a from(b)\n",
        "def f():\n    if a:return\n    del(a[0]),b.c ;(a.b)=\\\n  c ; x[0]|=(yield)\n",
        "@ a.b(1) # c\n@(a)\nclass A: b()\n",
    ],
)
def test_every_statement_that_is_changed_still_stands_where_it_stood(code: str) -> None:
    assert assert_all_fit(code.encode()) > 1


@pytest.mark.parametrize("module", MODULES)
def test_every_mutant_of_a_standard_module_parses_and_differs(module: str) -> None:
    assert assert_all_fit((STDLIB / f"{module}.py").read_bytes()) > 0


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_every_mutant_parses_wherever_its_expression_can_stand(expression: str) -> None:
    for place, code in awkward_places():
        if place == expression:
            assert_all_fit(code.encode())


@pytest.mark.parametrize(
    "code",
    [
        "x = f'{a:.2f}{b:>{n},.0%}' 'c' f'{d:.3g}'\n",
        "x = (f'{a:.2f}'\n     'b'\n     f'{c:.1e}')\n",
        "x = (f'{a:.2f}')\n",
        'x = f"""{a:.2f}\n{ b !r:>3}\n{c=:.2f}"""\n',
        "x = rf'\\d{a:.2f}'\n",
    ],
)
def test_a_precision_in_an_fstring_gets_one_more_digit_and_the_rest_stays(code: str) -> None:
    assert assert_all_fit(code.encode()) > 0


@pytest.mark.parametrize(
    "code",
    [
        "x = f'{a:.{n}f}'\n",
        "x = f'{a:>10}{b:%Y.%m}{c!r:.3}'\n",
        "x = f'{f\"{a:.2f}\"}'\n",
        "x: f'{a:.2f}' = 1\n",
    ],
)
def test_a_format_without_a_fixed_precision_of_its_own_is_no_site(code: str) -> None:
    assert [mutant for mutant in mutants_of(code.encode())[1] if mutant.rule == "FP205"] == []


@pytest.mark.parametrize(
    "code",
    [
        "x = round(a\n    .b, 2)\n",
        "x = s.lower()if t else u\n",
        "def f(x):\n    return(d)if x is None else x\n",
        "import math\nx = f'{round({1: 2.5}[1], 0)}'\n",
    ],
)
def test_a_replacement_does_not_run_into_its_surroundings(code: str) -> None:
    assert_all_fit(code.encode())
