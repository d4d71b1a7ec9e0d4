"""The test for None is set aside where an empty value comes to the same, and only there."""

from __future__ import annotations

import textwrap

import pytest

from fencepost.analyzer.scan import scan_source
from fencepost.rules.boundary.emptiness import Emptiness


def reasons(code: str, expression: str) -> dict[str, str | None]:
    """Why each mutant of an expression is set aside, None where it is not."""
    scan = scan_source(textwrap.dedent(code).encode(), "a.py", [Emptiness])
    assert scan.problem is None, scan.problem
    sites = [site for site in scan.sites if site.source == expression]
    return {mutant.replacement: site.ignored for site in sites for mutant in site.mutants}


def aside(body: str, expression: str) -> set[str]:
    """The mutants of an expression in the body of a function that are set aside."""
    code = f"def g(xs, f, flag, out):\n{textwrap.indent(body, '    ')}\n"
    return {mutant for mutant, reason in reasons(code, expression).items() if reason is not None}


@pytest.mark.parametrize(
    "body",
    [
        "if xs:\n    for x in xs:\n        f(x)",
        "if xs:\n    for x in sorted(xs, key=f):\n        f(x)\n    for x in xs.items():\n        f(x)",
        "if xs:\n    for number, x in enumerate(reversed(xs), 1):\n        f(x)",
        "if xs:\n    for x in map(f, xs):\n        f(x)",
        "if xs:\n    for x in (f(y) for y in xs):\n        f(x)",
        "if xs: xs.clear()",
        "if xs and flag == 3:\n    for x in xs:\n        f(x)",
        "if flag and xs:\n    for x in xs:\n        f(x)",
        "if flag:\n    f()\nelif xs:\n    for x in xs:\n        f(x)",
        "return [f(x) for x in xs] if xs else []",
        "return [f(x) for x in xs] if xs else list()",
        "return {x: 1 for x in xs} if xs else {}",
        "return {x for x in xs} if xs else set()",
        "return tuple(f(x) for x in xs) if xs else ()",
        "return ''.join(xs) if xs else ''",
        "return b''.join(xs) if xs else b''",
        "return sum(f(x) for x in xs) if xs else 0",
        "return any(f(x) for x in xs) if xs and flag else False",
        "return all(xs) if xs else True",
        "return len(xs) if xs else 0",
        "return f(1, *xs) if xs else f(1)",
        "if xs:\n    y = f(1, **xs)\nelse:\n    y = f(1)",
        "if xs:\n    return f(1, key=2, **xs)\nelse:\n    return f(1, key=2)",
    ],
)
def test_a_test_that_only_spares_the_work_is_not_told_from_one_for_none(body: str) -> None:
    assert aside(body, "xs") == {"xs is not None"}
    other_way_round = body.replace("if xs", "if xs is not None").replace("and xs:", "and xs is not None:")
    other_way_round = other_way_round.replace("elif xs:", "elif xs is not None:")
    assert aside(other_way_round, "xs is not None") == {"xs"}


@pytest.mark.parametrize(
    "body",
    [
        "if xs:\n    for x in xs:\n        f(x)\n    f()",
        "if xs:\n    for x in xs:\n        f(x)\n    else:\n        f()",
        "if xs:\n    for x in xs:\n        f(x)\nelse:\n    f()",
        "if xs:\n    for x in f(xs):\n        f(x)",
        "if xs:\n    for x in sorted(xs, key=f()):\n        f(x)",
        "if xs:\n    for x in out:\n        f(x)",
        "if xs:\n    for x in zip(out, xs):\n        f(x)",
        "if xs:\n    for x in max(xs):\n        f(x)",
        "if xs:\n    for x in xs.get():\n        f(x)",
        "if xs:\n    for x in xs.items(1):\n        f(x)",
        "if xs:\n    for x in (y for y in out for z in xs):\n        f(x)",
        "if xs:\n    out.clear()",
        "if xs:\n    xs.pop()",
        "if xs and f(xs):\n    for x in xs:\n        f(x)",
        "if xs and out[0]:\n    for x in xs:\n        f(x)",
        "if xs or flag:\n    for x in xs:\n        f(x)",
        "return [f(x) for x in xs] if xs else ()",
        "return [f(x) for x in xs] if xs else None",
        "return [f(x) for x in out] if xs else []",
        "return max(xs) if xs else 0",
        "return sum(xs, 1) if xs else 0",
        "return sum(*xs) if xs else 0",
        "return ''.join(xs) if xs else b''",
        "return flag.join(xs) if xs else ''",
        "return any(xs) if xs else True",
        "return f(1, *xs) if xs else f(2)",
        "return f(1, *out) if xs else f(1)",
        "if xs:\n    y = f(1, **xs)\nelse:\n    z = f(1)",
        "if xs:\n    y = f(1, **xs)\n    f()\nelse:\n    y = f(1)",
        "if xs:\n    y = 1\nelse:\n    y = 2",
    ],
)
def test_where_an_empty_value_may_come_to_something_else_the_mutant_stays(body: str) -> None:
    assert aside(body, "xs") == set()


@pytest.mark.parametrize(
    "body",
    [
        "if not xs:\n    return\nfor x in xs:\n    f(x)",
        "if not xs:\n    return None\nfor x in xs:\n    f(x)\nfor x in xs.values():\n    f(x)",
        "if not xs:\n    return None\nfor x in xs:\n    f(x)\nreturn None",
        "if not xs:\n    return []\ny = []\nfor x in xs:\n    y.append(x)\nreturn y",
        "if not xs:\n    return []\ny = list()\nn = len(xs)\nfor x in xs:\n    y.append(n)\nreturn y",
        "if not xs:\n    return 0\ny = 0\nfor x in xs:\n    y += x\nreturn y",
        "if not xs:\n    return flag\nfor x in xs:\n    flag = x\nreturn flag",
        "if not xs:\n    return 0\nreturn sum(xs)",
        "if not xs or flag == 3:\n    return []\nreturn [f(x) for x in xs]",
        "for y in out:\n    if not xs:\n        continue\n    for x in xs:\n        f(x, y)",
        "while flag:\n    if not xs: continue\n    for x in xs: f(x)",
    ],
)
def test_leaving_early_for_nothing_is_not_told_from_going_on(body: str) -> None:
    assert aside(body, "not xs") == {"xs is None"}
    assert aside(body.replace("not xs", "xs is None"), "xs is None") == {"not xs"}


@pytest.mark.parametrize(
    "body",
    [
        "if not xs:\n    return",
        "if not xs:\n    return\nf()\nfor x in xs:\n    f(x)",
        "if not xs:\n    return 1\nfor x in xs:\n    f(x)",
        "if not xs:\n    return []\ny = {}\nfor x in xs:\n    f(x)\nreturn y",
        "if not xs:\n    return []\ny = [1]\nfor x in xs:\n    y.append(x)\nreturn y",
        "if not xs:\n    return []\ny = f()\nfor x in xs:\n    y.append(x)\nreturn y",
        "if not xs:\n    return []\nglobal y\ny = []\nfor x in xs:\n    f(x)\nreturn y",
        "if not xs:\n    return []\ny = z = []\nfor x in xs:\n    f(x)\nreturn y",
        "if not xs:\n    return []\nout.y = []\nfor x in xs:\n    f(x)\nreturn []",
        "if not xs:\n    return flag\nflag = 2\nfor x in xs:\n    f(x)\nreturn flag",
        "if not xs:\n    f()\n    return\nfor x in xs:\n    f(x)",
        "if not xs:\n    raise ValueError\nfor x in xs:\n    f(x)",
        "if flag:\n    if not xs:\n        return\n    for x in xs:\n        f(x)\nf()",
        "if not xs and flag:\n    return\nfor x in xs:\n    f(x)",
        "if not xs or f():\n    return\nfor x in xs:\n    f(x)",
        "for y in out:\n    if not xs:\n        continue\n    n = 0\n    for x in xs:\n        f(x, y)",
        "for y in out:\n    if not xs:\n        break\n    for x in xs:\n        f(x, y)",
        "if not xs:\n    return 1\nreturn sum(xs)",
    ],
)
def test_leaving_early_for_nothing_is_told_where_more_would_happen(body: str) -> None:
    assert aside(body, "not xs") == set()


@pytest.mark.parametrize(
    ("body", "expression", "expected"),
    [
        ("if xs is not None and len(xs) > 0:\n    f()", "xs is not None", {"xs"}),
        ("if xs is not None and xs:\n    f()", "xs is not None", {"xs"}),
        ("if xs is not None and len(xs):\n    f()", "xs is not None", {"xs"}),
        ("while xs is not None and len(xs) >= 1:\n    f()", "xs is not None", {"xs"}),
        ("return 1 if xs is None or len(xs) == 0 else 2", "xs is None", {"not xs"}),
        ("if xs is None or not xs:\n    f()", "xs is None", {"not xs"}),
        ("if xs is not None and len(xs) >= 0:\n    f()", "xs is not None", set()),
        ("if xs is not None and len(xs) < 3:\n    f()", "xs is not None", set()),
        ("if xs is not None and len(out) > 0:\n    f()", "xs is not None", set()),
        ("if xs is not None or len(xs) > 0:\n    f()", "xs is not None", set()),
        ("if xs is None or len(xs) > 0:\n    f()", "xs is None", set()),
        ("return xs is not None and len(xs) > 0", "xs is not None", set()),
        ("if xs is not None and 0 < len(xs) < 3:\n    f()", "xs is not None", set()),
        ("if flag and (xs is not None and len(xs) > 0):\n    f()", "xs is not None", {"xs"}),
        ("if xs is not None and xs.kind == 1 and len(xs) and xs[0]:\n    f()", "xs is not None", {"xs"}),
        ("return 1 if xs is None or xs.kind == 1 or not xs else 2", "xs is None", {"not xs"}),
        ("if (xs is not None and flag) and len(xs) > 2:\n    f()", "xs is not None", {"xs"}),
        ("if (xs is not None or flag) and len(xs) > 2:\n    f()", "xs is not None", set()),
        ("if not (xs is not None and len(xs) > 2):\n    f()", "xs is not None", {"xs"}),
        ("if xs is not None and xs.kind() and len(xs):\n    f()", "xs is not None", set()),
        ("if xs is not None and xs.kind == 1 and len(out):\n    f()", "xs is not None", set()),
        ("return xs is not None and xs.kind == 1 and len(xs)", "xs is not None", set()),
    ],
)
def test_what_stands_beside_may_say_the_same_of_an_empty_value(body: str, expression: str, expected: set[str]) -> None:
    assert aside(body, expression) == expected


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("ys = []\nif xs:\n    ys.extend(xs)", True),
        ("ys = []\nif xs:\n    ys += xs", True),
        ("ys = {}\nif xs:\n    ys.update(xs)", True),
        ("ys = dict()\nif xs:\n    ys.update(**xs)", True),
        ("ys = set(out)\nif xs:\n    ys.update(f(x) for x in xs)", True),
        ("ys = [f(y) for y in out]\nif f:\n    ys = []\nif xs:\n    ys.extend(xs)", True),
        ("n, ys = 1, [out]\nif xs:\n    ys.extend(reversed(list(xs)))", True),
        ("ys: list[int] = []\nif xs:\n    ys.extend(xs)", True),
        ("ys = []\nif xs:\n    if flag == 3:\n        ys.extend(xs)", True),
        ("n, ys = out, f\nif xs:\n    ys.extend(xs)", False),
        ("n, ys = out\nif xs:\n    ys.extend(xs)", False),
        ("ys = []\nif xs:\n    if f():\n        ys.extend(xs)", False),
        ("ys = []\nif xs:\n    if flag:\n        ys.extend(xs)\n    else:\n        f()", False),
        ("if xs:\n    out.extend(xs)", False),
        ("if xs:\n    f.ys.extend(xs)", False),
        ("ys = f()\nif xs:\n    ys.extend(xs)", False),
        ("ys = []\nif flag:\n    ys = f()\nif xs:\n    ys.extend(xs)", False),
        ("ys = []\nfor ys in out:\n    if xs:\n        ys.extend(xs)", False),
        ("ys = zs = []\nif xs:\n    zs.extend(xs)", False),
        ("ys = []\nif xs:\n    ys.append(xs)", False),
        ("ys = []\nif xs:\n    ys.extend(out)", False),
        ("ys = []\nif xs:\n    ys.extend(*xs)", False),
        ("ys = {}\nif xs:\n    ys.update(key=xs)", False),
        ("ys = []\nif xs:\n    ys -= xs", False),
    ],
)
def test_adding_nothing_to_a_new_collection_is_seen_by_nobody(body: str, *, known: bool) -> None:
    assert aside(body, "xs") == ({"xs is not None"} if known else set())


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("for x in xs:\n    if ys:\n        out.append(ys)\n        ys = []\n    ys.append(x)", False),
        ("for x in xs:\n    if ys:\n        all_of.extend(ys)\n        ys = []\n    ys.append(x)", True),
        ("for x in xs:\n    if ys and x == 3:\n        all_of += ys\n        ys = list()\n    ys.append(x)", True),
        ("for x in xs:\n    if ys:\n        ys = []\n    f(len(ys), sorted(ys), ys[0], ','.join(ys))", True),
        ("for x in xs:\n    if ys:\n        ys = []\n    f(ys)", False),
        ("for x in xs:\n    if ys:\n        ys = []\nreturn ys", False),
        ("for x in xs:\n    if ys:\n        ys = []\n    zs = ys or x", False),
        ("for x in xs:\n    if ys:\n        ys = []\n    out(ys.append)", False),
        ("for x in xs:\n    if ys:\n        ys = []\n    out.zs = (y for y in ys)", False),
        ("for x in xs:\n    if ys:\n        ys = {}\n    ys.append(x)", False),
        ("for x in xs:\n    if ys:\n        ys = [x]\n    ys.append(x)", False),
        ("for x in xs:\n    if ys:\n        zs = []\n    ys.append(x)", False),
        ("for x in xs:\n    if ys:\n        ys = []\n    else:\n        f()\n    ys.append(x)", False),
    ],
)
def test_emptying_what_is_empty_is_seen_by_nobody_who_keeps_none_of_it(body: str, *, known: bool) -> None:
    assert aside(f"all_of, ys = [], []\n{body}", "ys") == ({"ys is not None"} if known else set())


def test_what_is_called_to_be_looked_at_may_be_another_thing_each_time() -> None:
    assert aside("if f() is not None:\n    for x in f():\n        f(x)", "f() is not None") == set()


def test_an_array_has_no_truth_so_where_there_may_be_some_none_is_told_from_empty() -> None:
    code = "import numpy as np\ndef g(xs):\n    if xs is not None:\n        for x in xs:\n            print(x)\n"
    assert set(reasons(code, "xs is not None").values()) == {None}


# objects that are never empty


def test_the_class_and_the_traceback_of_an_exception_are_never_empty() -> None:
    code = """
        class Lock:
            def __exit__(self, kind, error, where):
                if kind: return 1
                if error: return 2
                return 3 if where is not None else 4
    """
    for expression, mutant in (("kind", "kind is not None"), ("where is not None", "where")):
        reason = reasons(code, expression)[mutant]
        assert reason is not None
        assert reason.startswith("equivalent by type:")
    assert set(reasons(code, "error").values()) == {None}
    assert set(reasons(code.replace("__exit__", "leave"), "kind").values()) == {None}
    assert set(reasons(code.replace("if kind", "kind = 0\n                if kind"), "kind").values()) == {None}


def test_a_match_is_never_empty() -> None:
    code = "import re\ndef g(text):\n    m = re.match('a', text)\n    return 1 if m else 2\n"
    reason = reasons(code, "m")["m is not None"]
    assert reason == "equivalent by type: `m` is None or an object, which is never empty"
    assert set(reasons(code.replace("re.match('a', text)", "text"), "m").values()) == {None}
    assert set(reasons(code.replace("(text)", "(text, m)", 1), "m").values()) == {None}
    assert set(reasons("import re\nm = re.match('a', b)\nx = 1 if m else 2\n", "m").values()) == {None}


@pytest.mark.parametrize(
    ("annotation", "known"),
    [
        ("datetime | None", True),
        ("datetime", True),
        ("None | date", True),
        ("Optional[datetime]", True),
        ("Union[datetime, date, None]", True),
        ("Callable[[int], str] | None", True),
        ("re.Pattern[str] | None", True),
        ("type | None", True),
        ("timedelta | None", False),
        ("datetime | str | None", False),
        ("Optional[str]", False),
        ("Iterable[datetime]", False),
        ("None", False),
        ("'datetime'", False),
    ],
)
def test_what_is_annotated_as_an_object_without_a_length_is_never_empty(annotation: str, *, known: bool) -> None:
    head = (
        "import re\nfrom datetime import date, datetime, timedelta\nfrom typing import Optional, Union\n"
        "from collections.abc import Callable, Iterable\n"
    )
    code = f"{head}def g(at: {annotation}):\n    return 1 if at is None else at.b\n"
    reason = reasons(code, "at is None")["not at"]
    assert (reason or "").startswith("equivalent by type:") is known
    again = code.replace("    return", "    at = at or f()\n    return")
    assert reasons(again, "at is None")["not at"] is None


def test_a_time_zone_is_none_or_an_object() -> None:
    code = "import datetime\ndef g(at):\n    return 1 if at.tzinfo else 2\n"
    assert reasons(code, "at.tzinfo")["at.tzinfo is not None"] is not None
    assert reasons(code.replace("tzinfo", "zone"), "at.zone")["at.zone is not None"] is None
    assert reasons(code.replace("import datetime", ""), "at.tzinfo")["at.tzinfo is not None"] is None


def test_a_module_that_may_be_missing_is_none_or_an_object() -> None:
    code = "try:\n    import wide\nexcept ImportError:\n    wide = None\n\n"
    code += "def g():\n    return wide.f if wide is not None else 2\n"
    assert reasons(code, "wide is not None")["wide"] is not None
    for changed in (
        code.replace("wide = None", "wide = 0"),
        code.replace("import wide", "from wide import wide"),
        code.replace("g()", "g(wide)"),
        code + "for wide in g():\n    pass\n",
    ):
        assert reasons(changed, "wide is not None")["wide"] is None
