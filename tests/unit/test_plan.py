"""Sites become numbered anchors, probes and mutants: one anchor for each span, one probe for each way to watch it."""

from __future__ import annotations

from typing import Any

import pytest

from fencepost.analyzer.model import FileScan, Mutant, Position, Probe, Shape, Site, Span, Threshold
from fencepost.analyzer.plan import Plan, make_plan
from fencepost.analyzer.scan import scan_source
from fencepost.rules import all_rules

SPAN = Span(Position(1, 5), Position(1, 10))
PART = Span(Position(1, 5), Position(1, 6))
TOUCH = Probe(Shape.WATCH, "touch")
COMPARE = Probe(Shape.VALUE, "compare", (PART,), "{0} < 3", threshold_operand=1)
PURE = Probe(Shape.VALUE, "pure", (PART,), "f({0})")
WHOLE = Probe(Shape.VALUE, "truth", (SPAN,), "{0}")


def plan_of(code: str, path: str = "shop.py") -> Plan:
    return make_plan([scan_source(code.encode(), path, all_rules())], "/work/shop")


def a_site(name: str, probe: Probe, *replacements: str, **changed: Any) -> Site:
    mutants = tuple(
        Mutant(f"{name}-{replacement}", name, "FP999", "shop.py", SPAN, "a < 3", replacement, f"<{replacement}>")
        for replacement in replacements
    )
    values: dict[str, Any] = {"probe": probe, "mutants": mutants, **changed}
    return Site(name, "FP999", "shop.py", SPAN, "", "a < 3", "call", "", **values)


def planned(*sites: Site) -> tuple[Plan, dict[str, Any]]:
    """The plan of sites on one span, and its only anchor."""
    plan = make_plan([FileScan("shop.py", "digest", sites)], "/work/shop")
    (anchor,) = plan.document["files"]["shop.py"]["anchors"]
    return plan, anchor


def test_anchors_are_numbered_in_the_order_of_their_places_through_all_files() -> None:
    scans = [
        scan_source(code, path, all_rules())
        for path, code in (("a.py", b"x = s.strip().lower()\n"), ("b.py", b"x = a < 3\n"))
    ]
    plan = make_plan(scans, "/work/shop")
    spans = [anchor["span"] for file in plan.document["files"].values() for anchor in file["anchors"]]
    assert spans == [[1, 5, 1, 14], [1, 5, 1, 22], [1, 5, 1, 10]]
    assert [plan.spans[number][0] for number in range(3)] == ["a.py", "a.py", "b.py"]
    assert plan.document["anchors"] == 3


def test_what_is_ignored_or_has_no_mutant_is_not_woven() -> None:
    plan = make_plan([FileScan("shop.py", "d", (a_site("s", TOUCH, "b", ignored="arid"), a_site("t", TOUCH)))], "/")
    assert plan.document["files"]["shop.py"]["anchors"] == []
    assert plan.switches == {}


def test_equal_plans_have_one_token_and_another_root_or_file_another() -> None:
    tokens = [
        plan_of("x = a < 3\n").document["token"],
        plan_of("x = a < 4\n").document["token"],
        plan_of("x = a < 3\n", "other.py").document["token"],
    ]
    assert len(set(tokens)) == 3
    assert plan_of("x = a < 3\n").document["token"] == tokens[0]


def test_equal_replacements_of_one_place_share_a_switch() -> None:
    plan, anchor = planned(a_site("s", COMPARE, "a", "b"), a_site("t", COMPARE, "c", "a"))
    assert anchor["replacements"] == ["a", "b", "c"]
    assert plan.switches == {"s-a": (0, 1), "s-b": (0, 2), "t-c": (0, 3), "t-a": (0, 1)}


@pytest.mark.parametrize(
    ("probes", "kinds"),
    [
        ((COMPARE, WHOLE), {"compare": ["<a>"], "truth": ["<b>"]}),
        ((WHOLE, TOUCH), {"truth": ["<a>"], "touch": ["<b>"]}),
        ((WHOLE, COMPARE, PURE), {"truth": ["<a>"], "compare": ["<b>", None]}),
        ((WHOLE, WHOLE), {"truth": ["<a>", "<b>"]}),
        ((Probe(Shape.VALUE, "compare", (PART,), part=1, parts=2), WHOLE), {"compare": ["<a>"], "truth": ["<b>"]}),
    ],
)
def test_what_asks_for_the_value_of_the_whole_is_watched_beside_what_asks_for_its_parts(
    probes: tuple[Probe, ...], kinds: dict[str, list[str | None]]
) -> None:
    sites = [a_site(name, probe, text) for name, text, probe in zip("stu", "abc", probes, strict=False)]
    _, anchor = planned(*sites)
    assert {probe["kind"]: probe["mutants"] for probe in anchor["probes"]} == kinds


def test_sites_that_are_watched_alike_share_a_probe_and_each_mutant_has_a_bit() -> None:
    plan, anchor = planned(a_site("s", COMPARE, "a", "b"), a_site("t", COMPARE, "c"))
    (probe,) = anchor["probes"]
    assert probe["mutants"] == ["<a>", "<b>", "<c>"]
    assert plan.probe_sites == {0: ["s", "t"]}
    assert plan.probe_of == {"s-a": (0, 0), "s-b": (0, 1), "t-c": (0, 2)}
    assert plan.mutants_by_probe == {0: ["s-a", "s-b", "t-c"]}


@pytest.mark.parametrize(
    ("first", "second", "kind", "templates"),
    [
        (COMPARE, PURE, "compare", ["<a>", None]),
        (PURE, COMPARE, "pure", ["<a>", None]),
        (TOUCH, PURE, "pure", [None, "<b>"]),
        (PURE, TOUCH, "pure", ["<a>", None]),
        (TOUCH, TOUCH, "touch", ["<a>", "<b>"]),
    ],
)
def test_the_first_probe_that_can_evaluate_watches_and_the_mutants_of_another_are_run(
    first: Probe, second: Probe, kind: str, templates: list[str | None]
) -> None:
    _, anchor = planned(a_site("s", first, "a"), a_site("t", second, "b"))
    (probe,) = anchor["probes"]
    assert (probe["kind"], probe["mutants"]) == (kind, templates)


def test_each_link_of_a_chain_has_a_probe() -> None:
    anchor = plan_of("x = 1 < a < 5\n").document["files"]["shop.py"]["anchors"][0]
    assert [(probe["part"], probe["parts"]) for probe in anchor["probes"]] == [(0, 2), (1, 2)]
    assert all(None not in probe["mutants"] for probe in anchor["probes"])
    long = plan_of("x = 1 < a < b < 5\n").document["files"]["shop.py"]["anchors"][0]
    assert [probe["part"] for probe in long["probes"]] == [0, 1, 2]


def test_a_probe_says_which_operand_is_the_threshold_and_whether_its_value_is_known() -> None:
    known = Threshold("3", "2", "3", "4")
    word = Threshold("b", "just below b", "b", "just above b", known=False)
    told = {
        name: planned(site)[1]["probes"][0]
        for name, site in {
            "known": a_site("s", COMPARE, "a", threshold=known),
            "word": a_site("s", COMPARE, "a", threshold=word),
            "none": a_site("s", PURE, "a"),
        }.items()
    }
    assert [(probe["threshold"], probe["known_threshold"]) for probe in told.values()] == [
        (1, True),
        (1, False),
        (None, False),
    ]
