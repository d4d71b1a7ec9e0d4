"""What the normalizing rules say about calls: which ones, how they are spelled without it, and what is left alone."""

from __future__ import annotations

import pytest

from fencepost.analyzer.model import Site
from fencepost.analyzer.scan import scan_source
from fencepost.rules import Rule
from fencepost.rules.normalizing.default_value import DefaultValue
from fencepost.rules.normalizing.duplicates import Duplicates
from fencepost.rules.normalizing.letter_case import LetterCase
from fencepost.rules.normalizing.order import Order
from fencepost.rules.normalizing.rounding import Rounding
from fencepost.rules.normalizing.whitespace import Whitespace


def sites(code: str, rule: type[Rule]) -> tuple[Site, ...]:
    scan = scan_source(code.encode(), "a.py", [rule])
    assert scan.problem is None
    return scan.sites


def only_site(code: str, rule: type[Rule]) -> Site:
    (site,) = sites(code, rule)
    return site


def replacements(code: str, rule: type[Rule]) -> list[str]:
    return [mutant.replacement for site in sites(code, rule) for mutant in site.mutants]


# what the rules share: FP201 and FP202 delete a call of a method


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = s.strip()\n", ["s"]),
        ("x = s.strip('-')\n", ["s"]),
        ("x = (a + b).strip()\n", ["(a + b)"]),
        ("x = s.strip(*a)\n", ["s"]),
        ("x = s.stripped()\n", []),
        ("x = strip(s)\n", []),
        ("import text\nx = text.strip()\n", []),
        ("import os.path\nx = os.path.strip()\n", ["os.path"]),
        ("def f(format):\n    return format.strip()\n", ["format"]),
        ("class A(str):\n    def strip(self):\n        return super().strip()\n", []),
        ("x = make().strip()\n", ["make()"]),
    ],
)
def test_a_call_of_a_method_is_deleted_where_its_receiver_can_stand_for_its_value(
    code: str, expected: list[str]
) -> None:
    assert replacements(code, Whitespace) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("from textwrap import dedent\nx = dedent(a)\n", ["a"]),
        ("import textwrap as t\nx = t.dedent(a + b)\n", ["(a + b)"]),
        ("import inspect\nx = inspect.cleandoc(a)\n", ["a"]),
        ("import inspect\nx = inspect.cleandoc()\n", []),
        ("import inspect\nx = inspect.cleandoc(a, b)\n", []),
        ("import inspect\nx = inspect.cleandoc(*a)\n", []),
        ("x = ' '.join(s.split())\n", ["s"]),
        ("x = ' '.join(s.split(','))\n", []),
        ("x = ' '.join(s.lines())\n", []),
        ("x = ' '.join(s)\n", []),
        ("x = ' '.join()\n", []),
        ("x = ' '.join(s.split(), t)\n", []),
        ("x = glue.join(s.split())\n", []),
        ("x = ' '.glued(s.split())\n", []),
    ],
)
def test_whitespace_is_folded_by_some_functions_and_by_splitting_and_joining(code: str, expected: list[str]) -> None:
    assert replacements(code, Whitespace) == expected


@pytest.mark.parametrize("method", ["lower", "upper", "casefold", "title", "capitalize", "swapcase"])
def test_a_change_of_case_is_deleted_and_an_input_proposed(method: str) -> None:
    site = only_site(f"x = s.{method}()\n", LetterCase)
    assert [mutant.replacement for mutant in site.mutants] == ["s"]
    assert site.ask.startswith(f"use an input in another case, which `s.{method}()` changes, such as '")


@pytest.mark.parametrize("call", ["s.title('Dr')", "lower(s)", "lower()", "s.lowered()"])
def test_another_call_changes_no_case(call: str) -> None:
    assert sites(f"x = {call}\n", LetterCase) == ()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ("name_of(\n    a,\n\n    b).lower()", "name_of( a, b).lower()"),
        (f"{'s' * 52}.lower()", f"{'s' * 52}.lower()"),
        (f"{'s' * 53}.lower()", f"{'s' * 53}.lower("[:59] + "…"),
    ],
)
def test_a_call_is_told_on_one_line_of_sixty_characters_at_most(call: str, told: str) -> None:
    assert f"which `{told}` changes" in only_site(f"x = {call}\n", LetterCase).ask


# FP203


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("sorted(a)", ["list(a)"]),
        ("sorted(a, key=k, reverse=True)", ["list(a)", "sorted(a, reverse=True)", "sorted(a, key=k)"]),
        ("sorted(a, key=None, reverse=False)", ["list(a)"]),
        ("sorted(a, key=False or k)", ["list(a)", "sorted(a)"]),
        ("sorted(a, b)", []),
        ("sorted(*a)", []),
        ("reversed(a)", ["iter(a)"]),
        ("heapq.nlargest(n + 1, a, key=k)", ["list(a)[:(n + 1)]", "heapq.nlargest(n + 1, a)"]),
        ("heapq.nsmallest(3, a)", ["list(a)[:3]"]),
        ("json.dumps(a, indent=2)", []),
        ("json.dumps(a, indent=2, sort_keys=True)", ["json.dumps(a, indent=2)"]),
        ("json.dump(a, f, sort_keys=True)", ["json.dump(a, f)"]),
        ("json.dump(a, sort_keys=True)", []),
        ("other(a)", []),
        ("a.sorted()", []),
    ],
)
def test_the_ordering_is_taken_out_of_a_call_and_each_keyword_on_its_own(call: str, expected: list[str]) -> None:
    assert replacements(f"import heapq, json\nx = {call}\n", Order) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("a.sort()\n", ["a"]),
        ("a.sort(key=k)\n", ["a", "a.sort()"]),
        ("a.sort(key=k, reverse=True)\n", ["a", "a.sort(reverse=True)", "a.sort(key=k)"]),
        ("a.reverse()\n", ["a"]),
        ("a.sort(by='name')\n", []),
        ("a.reverse(key=k)\n", []),
        ("a.sort(k)\n", []),
        ("a.sort(**k)\n", []),
        ("x = a.sort()\n", []),
        ("import a\na.sort()\n", []),
        ("sort(a)\n", []),
        ("a.shuffle()\n", []),
    ],
)
def test_a_list_is_sorted_in_place_by_a_statement(code: str, expected: list[str]) -> None:
    assert replacements(code, Order) == expected


def test_what_would_sort_or_write_twice_is_not_evaluated_by_the_observing_run() -> None:
    sort = only_site("a.sort(key=k)\n", Order)
    assert [mutant.template for mutant in sort.mutants] == ["{0:atom}", None]
    dump = only_site("import json\njson.dump(a, f, sort_keys=True)\n", Order)
    assert [mutant.template for mutant in dump.mutants] == [None]
    dumps = only_site("import json\njson.dumps(a, sort_keys=True)\n", Order)
    assert [mutant.template for mutant in dumps.mutants] == ["{0:atom}({1})"]


def test_an_ordering_proposes_an_input_for_each_keyword_that_changes_the_order() -> None:
    keyed = only_site("x = sorted(a, key=k)\n", Order)
    assert keyed.ask.endswith("such as [2, 1], and one that comes out in another order without `key=`")
    dumped = only_site("import json\nx = json.dumps(a, sort_keys=True)\n", Order)
    assert dumped.ask.endswith("whose keys are not in order, such as {'b': 1, 'a': 2}")


# FP204


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("sorted(set(a))", ["list(a)"]),
        ("len(set(a))", ["list(a)"]),
        ("list(set(a))", ["list(a)"]),
        ("sum(dict.fromkeys(a))", ["list(a)"]),
        ("''.join(dict.fromkeys(a))", ["list(a)"]),
        ("''.join(set(a))", []),
        ("a.extend(dict.fromkeys(a))", []),
        ("f(set(a))", []),
        ("sorted(frozenset(a))", []),
        ("set(a)", []),
        ("sorted(set())", []),
        ("sorted(dict.fromkeys(a, 1))", []),
        ("sorted(set(*a))", []),
        ("sorted(a, key=set(b))", []),
        ("f(*set(a))", []),
        ("unique_everseen(a, key=k)", ["iter(a)"]),
    ],
)
def test_duplicates_are_left_in_where_the_function_around_would_show_them(call: str, expected: list[str]) -> None:
    code = f"from more_itertools import unique_everseen\nx = {call}\n"
    assert replacements(code, Duplicates) == expected


@pytest.mark.parametrize(
    ("call", "template"),
    [
        ("sorted(set(a))", "list({1})"),
        ("list(set(a))", None),
        ("list(dict.fromkeys(a))", "list({1})"),
    ],
)
def test_only_a_run_can_tell_where_the_order_of_a_set_shows(call: str, template: str | None) -> None:
    (mutant,) = only_site(f"x = {call}\n", Duplicates).mutants
    assert mutant.template == template


# FP205


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("round(a, 2)", ["a"]),
        ("round(a, ndigits=n)", ["a"]),
        ("round(a)", ["(lambda n: n if n != round(n) else round(n))(a)"]),
        ("round(a, None)", ["(lambda n: n if n != round(n) else round(n))(a)"]),
        ("round(number=a)", []),
        ("math.floor(a)", ["(lambda n: n if n != math.floor(n) else math.floor(n))(a)"]),
        ("math.floor(a, b)", []),
        ("int(a, 16)", []),
        ("int()", []),
        ("int(*a)", []),
        ("int('7')", []),
        ("int(7)", []),
        ("other(a)", []),
        ("a.quantize(cent)", ["a"]),
        ("a.quantize(exp=cent)", []),
        ("a.quantize()", []),
        ("a // b", ["(lambda a, b: a // b if a // b * b == a else a / b)(a, b)"]),
        ("a / b", []),
        ("7 // 2", []),
        ("7 // a", ["(lambda a, b: a // b if a // b * b == a else a / b)(7, a)"]),
    ],
)
def test_the_rounding_is_taken_out_of_a_call(call: str, expected: list[str]) -> None:
    assert replacements(f"import math\nx = {call}\n", Rounding) == expected


def test_text_goes_through_int_as_before() -> None:
    (mutant,) = only_site("x = int(a)\n", Rounding).mutants
    assert eval(mutant.replacement, {"a": "7"}) == 7  # noqa: S307 - the replacement that the rule wrote
    assert eval(mutant.replacement, {"a": 7.5}) == 7.5  # noqa: S307 - the same


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("x = int(len(a))\n", "equivalent: `len(a)` is a whole number already"),
        ("x = int(round(a))\n", "equivalent: `round(a)` is a whole number already"),
        ("x = int(round(a, None))\n", "equivalent: `round(a, None)` is a whole number already"),
        ("x = int(a // b)\n", "equivalent: `a // b` is a whole number already"),
        ("x = int(a < b)\n", "equivalent: `a < b` is a whole number already"),
        ("x = int(not a)\n", "equivalent: `not a` is a whole number already"),
        ("x = int(input())\n", "equivalent: `int` parses the text `input()`, it does not round a number"),
        ("x = int(m.group(1))\n", "equivalent: `int` parses the text `m.group(1)`, it does not round a number"),
        ("x = int(s[1:])\n", "equivalent: `int` parses the text `s[1:]`, it does not round a number"),
        ("int(a)\n", "equivalent: its result is not used"),
        ("x = '%d' % int(a)\n", "equivalent: `%d` cuts off the fraction by itself"),
    ],
)
def test_a_rounding_that_changes_nothing_is_set_aside_with_its_reason(code: str, reason: str) -> None:
    assert [site.ignored for site in sites(code, Rounding) if site.source.startswith("int")] == [reason]


@pytest.mark.parametrize(
    "code",
    [
        "x = int(round(a, 2))\n",
        "x = int(math.fabs(a))\n",
        "x = int(a / b)\n",
        "x = int(-a)\n",
        "x = int(s[1])\n",
        "x = round(input())\n",
        "x = round(s[1:])\n",
        "x = '%d' % round(a)\n",
        "x = '%%d' % int(a)\n",
        "x = int(a) % b\n",
    ],
)
def test_a_rounding_of_what_may_have_a_fraction_is_a_site(code: str) -> None:
    assert sites(code, Rounding)[0].ignored is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f'{a:.2f}'", ["f'{a:.3f}'"]),
        ("f'{a:.0g} of {b:,.9e}'", ["f'{a:.2g} of {b:,.9e}'", "f'{a:.0g} of {b:,.10e}'"]),
        ("f'{a:.1g}'", ["f'{a:.2g}'"]),
        ("f'{a:.0f}'", ["f'{a:.1f}'"]),
        ("('s' f'{a:.1%}' f'{b}')", ["'s' f'{a:.2%}' f'{b}'"]),
        ("f'{a:.3}'", []),
        ("f'{a}'", []),
    ],
)
def test_a_fixed_precision_gets_one_more_digit(text: str, expected: list[str]) -> None:
    assert replacements(f"x = {text}\n", Rounding) == expected


# FP206


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("d.get(k, 0)", ["d.get(k)"]),
        ("d.pop(k, None)", ["d.pop(k)"]),
        ("d.setdefault(k, [])", ["d.setdefault(k)"]),
        ("d.get(k, None)", []),
        ("d.setdefault(k, None)", []),
        ("d.get(k)", []),
        ("d.get(k, 0, 1)", []),
        ("d.get()", []),
        ("d.get(k, default=0)", []),
        ("d.get(*k, 0)", []),
        ("queue.get(True, 5)", []),
        ("queue.get(False, 5)", []),
        ("os.environ.get('A', 'b')", ["os.environ.get('A')"]),
        ("requests.get(url, 5)", []),
        ("os.getenv('A', 'b')", ["os.getenv('A')"]),
        ("os.getenv('A', None)", []),
        ("getattr(o, 'a', None)", ["getattr(o, 'a')"]),
        ("getattr(o, 'a')", []),
        ("next(a, 0)", ["next(a)"]),
        ("next(a)", []),
        ("next(*a, 0)", []),
        ("other(a, 0)", []),
        ("field(default=3)", ["field(default=None)"]),
        ("field(default=3, repr=False)", ["field(default=None, repr=False)"]),
        ("field(default=None)", []),
        ("field(repr=False)", []),
        ("field(default=3, **more)", []),
        ("f(default=3)", []),
    ],
)
def test_a_default_is_taken_out_of_a_call(call: str, expected: list[str]) -> None:
    code = f"import os, requests\nfrom dataclasses import field\nx = {call}\n"
    assert replacements(code, DefaultValue) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x = a or b\n", ["a"]),
        ("x = a or b or c\n", ["a or b"]),
        ("x = (a or b) or c\n", ["(a or b)"]),
        ("f(a or b)\n", ["a"]),
        ("f(key=a or b)\n", ["a"]),
        ("x = a and b\n", []),
        ("x = is_open or b\n", []),
        ("x = not a or b\n", []),
        ("x = a < 1 or b\n", []),
        ("x = has_any(a) or b\n", []),
        ("x = a.is_open or b\n", []),
        ("x = True or b\n", []),
        ("if a or b:\n    pass\n", []),
        ("x = not (a or b)\n", []),
        ("x = c if (a or b) else d\n", []),
        ("x = (a or b) if c else d\n", ["a"]),
        ("f(is_open=a or b)\n", []),
        ("x = bool(a or b)\n", []),
        ("x = any(a or b for c in d)\n", []),
        ("x = list(a or b for c in d)\n", ["a"]),
        ("is_open = a or b\n", []),
        ("x: bool = a or b\n", []),
        ("x: str = a or b\n", ["a"]),
        ("def f() -> bool:\n    return a or b\n", []),
        ("def is_open():\n    return a or b\n", []),
        ("def f() -> str:\n    return a or b\n", ["a"]),
        ("def f():\n    return a or b\n", ["a"]),
        ("def is_open():\n    return lambda: a or b\n", ["a"]),
    ],
)
def test_the_alternative_of_an_or_is_dropped_where_its_value_is_used(code: str, expected: list[str]) -> None:
    assert replacements(code, DefaultValue) == expected


@pytest.mark.parametrize(
    ("conditional", "expected"),
    [
        ("b if a is None else a", ["a"]),
        ("a if a is not None else b", ["a"]),
        ("a if a else b", ["a"]),
        ("b if not a else a", ["a"]),
        ("a.b if a.b is not None else c", ["a.b"]),
        ("None if a is None else a", []),
        ("a if a is None else b", []),
        ("c if a is None else b", []),
        ("a if a == None else b", []),
        ("b if a is None is None else a", []),
        ("b if a is None is not c else a", []),
        ("b if a is True else a", []),
    ],
)
def test_a_conditional_that_stands_in_for_a_missing_value_becomes_the_value(
    conditional: str, expected: list[str]
) -> None:
    assert replacements(f"x = {conditional}\n", DefaultValue) == expected


@pytest.mark.parametrize(
    ("expression", "aside"),
    [
        ("s.strip().split()", True),
        ("s.rstrip('\\n').split()", True),
        ("s.rstrip('\\n').strip()", True),
        ("s.lstrip().lstrip()", True),
        ("s.lstrip().rstrip()", False),
        ("s.strip().lstrip()", False),
        ("s.strip().split(',')", False),
        ("s.strip('.').split()", False),
        ("s.strip(x).split()", False),
        ("s.strip(b' ').split()", False),
        ("s.expandtabs().strip()", False),
        ("s.strip().lower()", False),
        ("s.strip().a.split()", False),
        ("f(s.strip())", False),
    ],
)
def test_whitespace_that_the_next_call_takes_off_anyway_is_set_aside(expression: str, *, aside: bool) -> None:
    inner = min(sites(f"x = {expression}\n", Whitespace), key=lambda one: len(one.source))
    assert (inner.ignored is not None) is aside


@pytest.mark.parametrize(
    ("expression", "aside"),
    [
        ("hex(n).lower()", True),
        ("hex(n)[2:-1].lower()", True),
        ("sha256(s).hexdigest()[:8].casefold()", True),
        ("s.hex().lower()", True),
        ("hex(n).upper()", False),
        ("str(n).lower()", False),
        ("s[2:].lower()", False),
        ("f(hex(n)).lower()", False),
    ],
)
def test_digits_are_in_lower_case_already(expression: str, *, aside: bool) -> None:
    assert (only_site(f"x = {expression}\n", LetterCase).ignored is not None) is aside
