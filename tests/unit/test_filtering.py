"""FP213: each condition that leaves items out becomes true, and how it is watched."""

from __future__ import annotations

import pytest

from fencepost.analyzer.model import Shape, Site
from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.scan import scan_source
from fencepost.rules.boundary.boundary_at import BoundaryAt
from fencepost.rules.normalizing.filtering import Filtering


def sites(code: str) -> tuple[Site, ...]:
    scan = scan_source(code.encode(), "a.py", [Filtering])
    assert scan.problem is None
    assert all(site.mutants for site in scan.sites)
    return scan.sites


def replacements(code: str) -> list[tuple[str, str]]:
    """What is replaced, and by what."""
    return [(mutant.original, mutant.replacement) for site in sites(code) for mutant in site.mutants]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[x for x in xs if x]", [("x", "True")]),
        ("{x for x in xs if x.a}", [("x.a", "True")]),
        ("{x: 1 for x in xs if f(x)}", [("f(x)", "True")]),
        ("sum(x for x in xs if x > 1)", [("x > 1", "True")]),
        ("[x for x in xs if x if y]", [("x", "True"), ("y", "True")]),
        ("[x for x in xs if x for y in x if y]", [("x", "True"), ("y", "True")]),
        ("[x for x in xs if x and y]", [("x and y", "True")]),
        ("[x for x in xs if 1 < x < 3]", [("1 < x < 3", "True")]),
        ("[y for x in xs if (y := f(x))]", [("y := f(x)", "(y := f(x)) or True")]),
        ("[y for x in xs if (y := f(x)) and x]", [("(y := f(x)) and x", "((y := f(x)) and x) or True")]),
        ("[x for x in xs if'a'in x]", [("'a'in x", "(True)")]),
        ("[x for x in xs if True]", []),
        ("[x for x in xs if 1]", []),
        ("[x for x in xs]", []),
        ("x if y else z", []),
    ],
)
def test_each_condition_of_a_comprehension_becomes_true(expression: str, expected: list[tuple[str, str]]) -> None:
    assert replacements(f"value = {expression}\n") == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("filter(None, xs)", ["iter(xs)"]),
        ("filter(f, xs or ys)", ["iter(xs or ys)"]),
        ("filter(lambda x: x, (x for x in y))", ["iter((x for x in y))"]),
        ("itertools.filterfalse(f, xs)", ["iter(xs)"]),
        ("filter(None)", []),
        ("filter(None, xs, ys)", []),
        ("filter(None, *xs)", []),
        ("filter(None, xs, key=1)", []),
        ("query.filter(None, xs)", []),
        ("itertools.compress(xs, ys)", []),
    ],
)
def test_a_call_of_filter_becomes_an_iterator_of_all(expression: str, expected: list[str]) -> None:
    assert [new for _, new in replacements(f"import itertools\nvalue = {expression}\n")] == expected


def test_a_filter_of_the_project_itself_is_another() -> None:
    assert replacements("def filter(a, b):\n    pass\nvalue = filter(a, b)\n") == []


@pytest.mark.parametrize(
    ("expression", "awaits"),
    [
        ("(x for x in xs if await f(x))", True),
        ("(x for y in xs if await f(x) for x in y)", True),
        ("[x for x in xs if await f(x)]", False),
        ("(x async for x in xs if x)", False),
    ],
)
def test_a_generator_whose_condition_awaits_is_left_alone(expression: str, *, awaits: bool) -> None:
    found = replacements(f"async def g():\n    return {expression}\n")
    assert [new for _, new in found] == ([] if awaits else ["True"])


@pytest.mark.parametrize(
    ("condition", "shape", "kind", "template"),
    [
        ("x", Shape.VALUE, "condition", "True"),
        ("x.a and not y", Shape.VALUE, "condition", "True"),
        ("x is not None", Shape.VALUE, "condition", "True"),
        ("x in xs", Shape.VALUE, "condition", "True"),
        ("x == y", Shape.VALUE, "condition", "True"),
        ("x.startswith('#')", Shape.VALUE, "condition", "True"),
        ("isinstance(x, str)", Shape.VALUE, "condition", "True"),
        ("x % 2", Shape.VALUE, "condition", "True"),
        ("x % y", Shape.WATCH, "touch", None),
        ("x[0]", Shape.WATCH, "touch", None),
        ("f(x)", Shape.WATCH, "touch", None),
        ("x.startswith(f(y))", Shape.WATCH, "touch", None),
        ("f(x).startswith('#')", Shape.WATCH, "touch", None),
        ("x > y", Shape.VALUE, "compare", "True"),
        ("x == 3", Shape.VALUE, "compare", "True"),
        ("f(x) > 3", Shape.VALUE, "compare", None),
        ("1 < x < 3", Shape.VALUE, "compare", None),
        ("1 < x is y", Shape.VALUE, "compare", None),
        ("a < f(x) < g(x) < b", Shape.WATCH, "touch", None),
    ],
)
def test_a_condition_is_evaluated_once_and_only_a_quiet_one_says_whom_it_leaves_out(
    condition: str, shape: Shape, kind: str, template: str | None
) -> None:
    (site,) = sites(f"value = [x for x in xs if {condition}]\n")
    assert site.probe is not None
    assert (site.probe.shape, site.probe.kind) == (shape, kind)
    assert [mutant.template for mutant in site.mutants] == [template]
    assert (site.kind, site.threshold) == ("condition", None)


@pytest.mark.parametrize("condition", ["x > 3", "1 < x < 3"])
def test_a_comparison_is_watched_by_the_one_look_that_serves_the_boundary_rules(condition: str) -> None:
    code = f"value = [x for x in xs if {condition}]\n".encode()
    alone, both = (
        make_plan([scan_source(code, "a.py", rules)], "/shop").document["files"]["a.py"]["anchors"]
        for rules in ([BoundaryAt], [BoundaryAt, Filtering])
    )
    assert [len(anchor["probes"]) for anchor in both] == [len(anchor["probes"]) for anchor in alone]
    assert "True" in both[0]["replacements"]


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("list(filter(None, xs))", "filtered"),
        ("sorted(filter(str.strip, xs))", "filtered"),
        ("', '.join(filter(None, xs))", "filtered"),
        ("filter(None, xs)", "touch"),
        ("map(f, filter(None, xs))", "touch"),
        ("list(filter(f(), xs))", "touch"),
        ("list(itertools.filterfalse(None, xs))", "touch"),
    ],
)
def test_a_filter_is_watched_where_it_is_read_at_once(expression: str, kind: str) -> None:
    (site,) = sites(f"import itertools\nvalue = {expression}\n")
    assert site.probe is not None
    assert site.probe.kind == kind
    assert [mutant.template for mutant in site.mutants] == (["iter({2})"] if kind == "filtered" else [None])


@pytest.mark.parametrize(
    ("expression", "ask"),
    [
        ("[x for x in xs if x]", "use an item for which `x` does not hold, and assert that it is left out"),
        (
            "filter(None, xs)",
            "use an input with an item that is empty, None or zero, and assert that `filter(None, xs)` leaves it out",
        ),
        (
            "filter(f, xs)",
            "use an input with an item that f is false for, and assert that `filter(f, xs)` leaves it out",
        ),
        (
            "itertools.filterfalse(f, xs)",
            "use an input with an item that f holds for, and assert that `itertools.filterfalse(f, xs)` leaves it out",
        ),
    ],
)
def test_it_asks_for_an_item_that_is_left_out(expression: str, ask: str) -> None:
    assert [site.ask for site in sites(f"import itertools\nvalue = {expression}\n")] == [ask]
