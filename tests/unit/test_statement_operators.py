"""The rules of `--operators all` about statements and decorators: what they change, what not, and how it is woven."""

from __future__ import annotations

import builtins
import traceback
from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any

import pytest

from fencepost.analyzer.model import Mutant, Position, Site
from fencepost.analyzer.plan import Plan, make_plan
from fencepost.analyzer.runtime import OBSERVE, ORIGINAL
from fencepost.analyzer.scan import scan_source
from fencepost.analyzer.weave import Woven
from fencepost.rules import every_rule

RULES = ("FP511", "FP512", "FP513", "FP514")
CODE = '''\
"""A module."""

import asyncio
import contextlib
import functools

LOG = []
total = 0


def twice(function):
    """Its result twice."""

    @functools.wraps(function)
    def doubled(*arguments):
        return 2 * function(*arguments)

    return doubled


LOG.append("loaded")
LOG[0:1] = ["loading"]; LOG.append("all"), LOG.append("half"); total += 1


class Base:
    table = {}
    table["a"] = 1

    def __init__(self, name):
        """Docs."""
        self.name: str = name
        self.parts = self.rest = [1, 2, 3]


class Child(Base):
    def __init__(self, name):
        """More docs."""
        super().__init__(name.upper())
        self.size = len(self.name)

    @property
    def label(self):
        return self.name

    @classmethod
    def make(cls):
        return cls("c")


@twice
def count(n):
    global total
    total += n
    return total


def counter():
    n = 1

    def step():
        nonlocal n
        n += 1; n *= 3
        return n

    return step


def first(ns, limit=3):
    """Docs."""
    found = None
    for n in ns:
        if n < 0: continue
        if n > limit:
            found = n
            break
    else:
        found = "none"
    for _ in ns:
        limit -= 1
    while ns:
        if limit:
            break
        ns = []
    return found, limit


def check(n, error_type=None):
    if error_type is None:
        error_type = RuntimeError
    if n == 1: raise KeyError(n)
    try:
        if n == 2:
            raise ValueError(n)
        elif n == 3:
            return
        LOG.append(n)
    except ValueError as error:
        LOG.append("error")
        raise error_type(n) from error
    else:
        LOG.append("else")
    finally:
        LOG.append("finally")


def steps(n):
    if n < 0:
        return
    for i in range(n):
        LOG.append(i)
        yield i
    LOG.append("end")


async def later(n):
    await asyncio.sleep(0)
    async with contextlib.AsyncExitStack() as stack:
        stack.callback(LOG.append, n)
        await nothing()
    return n


async def nothing():
    LOG.append("nothing")


def cut(text, items):
    del items[0], items[0]
    (items[-1]), text.mark = 5, 6
    text.marks = "é"; text.more = 1  # é
    del text.marks
    return items, vars(text)


class Text:
    pass
'''
CALLS: Sequence[Callable[[dict[str, Any]], object]] = (
    lambda space: (space["__doc__"], space["total"], space["Base"].table),
    lambda space: (space["count"](2), space["count"](3), space["total"], space["count"].__name__),
    lambda space: [step() for step in [space["counter"]()] * 2],
    lambda space: (vars(space["Child"].make()), space["Child"]("ab").label, space["Child"].__init__.__doc__),
    lambda space: [space["first"](ns) for ns in ([1, -4, 4, 5], [], [9])],
    lambda space: space["check"](1),
    lambda space: space["check"](2),
    lambda space: [space["check"](n) for n in (3, 4)],
    lambda space: [list(space["steps"](n)) for n in (-1, 0, 2)],
    lambda space: space["asyncio"].run(space["later"](7)),
    lambda space: space["cut"](space["Text"](), [1, 2, 3, 4]),
    lambda space: space["LOG"],
)


def sites_of(code: str) -> Sequence[Site]:
    scan = scan_source(code.encode(), "shop.py", every_rule())
    assert scan.problem is None
    return [site for site in scan.sites if site.rule in RULES]


def changes(code: str) -> list[tuple[str, str, str]]:
    """Rule, original and replacement, in the order of the text."""
    sites = (site for site in sites_of(code) if site.ignored is None)
    return [(site.rule, site.source, mutant.replacement) for site in sites for mutant in site.mutants]


def in_function(code: str) -> str:
    return "def f():\n" + "".join(f"    {line}\n" for line in code.split("\n"))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x += y; z()", [("x += y", "x = y"), ("x += y", "x -= y"), ("x += y", "pass"), ("z()", "pass")]),
        ("x += 'a'", [("x += 'a'", "x = 'a'"), ("x += 'a'", "pass")]),
        ("a.b[1] = c.d = x", [("a.b[1] = c.d = x", "pass")]),
        ("(a.b), [c[1]] = x", [("(a.b), [c[1]] = x", "pass")]),
        ("del a.b, (a[1])", [("del a.b, (a[1])", "pass")]),
        ("while i < n:\n    i += 1", [("i += 1", "i = 1"), ("i += 1", "i -= 1")]),
        ("if x: return\ny()", [("return", "pass"), ("y()", "pass")]),
        ("try: return\nexcept E: y = 1", []),
        ("try: return\nexcept E: y = 1\nelse: x = 2", [("return", "pass")]),
        ("for x in y:\n    if x: break", [("break", "continue")]),
        ("for x in y:\n    if x: break\nz = 1", [("break", "return"), ("break", "continue")]),
        ("while x: break\nz = 1", [("break", "return")]),
        ("try: z = 1\nfinally:\n    while x: break\n    x = 1", []),
        ("for x in y:\n    if x: continue\n    x = 1", [("continue", "break")]),
        ("await x", [("await x", "pass")]),
        ("if a is None: a = 1\nb = a", [("a = 1", "pass")]),
        ("args = (1, a)\nb = args + c", [("args = (1, a)", "pass")]),
        ("args = kwargs = 1", []),
        ("a = a.strip()", []),
        ("class A:\n    a = 1", []),
    ],
)
def test_a_statement_is_changed_where_the_rest_can_run(code: str, expected: list[tuple[str, str]]) -> None:
    text = "async " * ("await" in code) + in_function(code).replace("f()", "f(a=None, *args, **kwargs)")
    assert [one[1:] for one in changes(text)] == expected


@pytest.mark.parametrize(
    "code",
    [
        "x = y",
        "a.b, x = y",
        "x: int = 1",
        "a.b: int",
        "del x",
        "yield x",
        "x((yield))",
        "a.b = yield",
        "x(y := 1)",
        "'docs'",
        "x",
        "pass",
        "return x",
        "return",
        "import a",
        "assert x",
    ],
)
def test_what_binds_a_name_or_makes_the_function_what_it_is_stays(code: str) -> None:
    assert changes(in_function(code)) == []


def test_a_way_out_of_a_loop_leads_nowhere_that_python_forbids() -> None:
    loop = "for x in y:\n    break\nz = 1"
    assert [one[2] for one in changes(loop)] == ["continue"]
    assert [one[2] for one in changes(in_function("class A:\n    for x in y: break\n    z = 1"))] == ["continue"]
    star = "try: x = 1\nexcept* E:\n    for x in y: break\n    z = 1"
    assert [one[2] for one in changes(in_function(star))] == ["continue"]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("logger.info('a')", "arid: a logging call"),
        ("import warnings\nwarnings.warn('a')", "arid: the argument of a warning"),
        ("raise NotImplementedError('a')", "arid: raises NotImplementedError"),
        ("import functools\n@functools.lru_cache(maxsize=1)\ndef f(): pass", "arid: only spares work"),
        ("import typing\n@typing.overload\ndef f(): pass", "arid: only for the type checker"),
    ],
)
def test_a_statement_that_needs_no_test_is_listed_with_its_reason(code: str, reason: str) -> None:
    assert {site.ignored for site in sites_of(code)} == {reason}


def test_a_decorator_that_says_how_something_is_called_stays() -> None:
    decorators = ("property", "a.setter", "staticmethod", "b.c(1)")
    code = "".join(f"    @{one}\n    def a(self): pass\n" for one in decorators)
    assert changes(f"class A:\n{code}") == [("FP514", "b.c(1)", "(lambda decorated: decorated)")]


@pytest.fixture
def plan() -> Plan:
    return make_plan([scan_source(CODE.encode(), "shop.py", every_rule())], "/work")


@pytest.fixture
def woven(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> Woven:
    woven = Woven(plan.document)
    for name in (woven.switchboard.active_name, woven.switchboard.look_name):
        monkeypatch.setattr(builtins, name, None, raising=False)  # and so it is taken away again
    woven.switchboard.install()
    woven.recorder.context = {}
    return woven


def outcomes(code: CodeType) -> list[object]:
    """What loading the code and each call of it comes to, and the lines that an exception went through."""
    space: dict[str, Any] = {}
    found: list[object] = []
    for call in (lambda space: exec(code, space), *CALLS):  # noqa: S102 - the code above
        try:
            found.append(repr(call(space)))
        except Exception as error:  # noqa: BLE001 - whatever it raises is its outcome
            frames = traceback.extract_tb(error.__traceback__)
            lines = [(frame.lineno, frame.colno, frame.end_colno) for frame in frames if frame.filename == "shop.py"]
            found.append((type(error).__name__, str(error), lines))
    return found


def spliced(mutant: Mutant) -> str:
    start, end = (_offset(place) for place in (mutant.span.start, mutant.span.end))
    assert CODE[start:end] == mutant.original
    return CODE[:start] + mutant.replacement + CODE[end:]


def _offset(place: Position) -> int:
    return sum(map(len, CODE.splitlines(keepends=True)[: place.line - 1])) + place.column - 1


def test_a_woven_statement_does_what_the_spliced_text_does(plan: Plan, woven: Woven) -> None:
    code = woven.compile("shop.py", CODE.encode(), "shop.py")
    assert woven.unwoven == {}
    plain = outcomes(compile(CODE, "shop.py", "exec"))
    for state in (ORIGINAL, OBSERVE):
        woven.switchboard.set_all(state)
        assert outcomes(code) == plain
    mutants = [mutant for site in sites_of(CODE) if site.ignored is None for mutant in site.mutants]
    assert {mutant.rule for mutant in mutants} == set(RULES)
    different = 0
    for mutant in mutants:
        woven.switchboard.activate([plan.switches[mutant.id]])
        expected = outcomes(compile(spliced(mutant), "shop.py", "exec"))
        assert outcomes(code) == expected, mutant
        different += expected != plain
    assert different > 0.8 * len(mutants)


def test_whoever_runs_a_statement_is_seen_there_and_nobody_else(plan: Plan, woven: Woven) -> None:
    code = woven.compile("shop.py", CODE.encode(), "shop.py")
    woven.switchboard.set_all(OBSERVE)
    space: dict[str, Any] = {}
    exec(code, space)  # noqa: S102 - the code above
    woven.recorder.context = {}
    space["check"](3)
    seen = {plan.spans[anchor["id"]][1].start.line for anchor in statements(plan) if was_seen(anchor, woven)}
    assert {CODE.split("\n")[line - 1].strip() for line in seen} == {
        "error_type = RuntimeError", "return", 'LOG.append("finally")',
    }  # fmt: skip


def statements(plan: Plan) -> list[dict[str, Any]]:
    anchors = plan.document["files"]["shop.py"]["anchors"]
    return [anchor for anchor in anchors if anchor["probes"][0]["shape"] == "statement"]


def was_seen(anchor: dict[str, Any], woven: Woven) -> bool:
    return any(probe["id"] in woven.recorder.context for probe in anchor["probes"])
