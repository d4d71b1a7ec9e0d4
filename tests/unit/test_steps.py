"""One step from a threshold that is a decimal, a date or a time: in the source, and as the observer evaluates it."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pytest

from fencepost.analyzer.model import Mutant, Site
from fencepost.analyzer.observers import Probe
from fencepost.analyzer.scan import scan_source
from fencepost.reports._sides import Side, telling_sides
from fencepost.rules.boundary.boundary_above import BoundaryAbove
from fencepost.rules.boundary.boundary_at import BoundaryAt
from fencepost.rules.boundary.boundary_below import BoundaryBelow
from fencepost.rules.boundary.equality import Equality

IMPORTS = "import datetime\nimport decimal\nfrom datetime import date, timedelta\nfrom decimal import Decimal\n"


def shifted(code: str) -> list[tuple[Site, Mutant]]:
    """The mutants that move the threshold of a comparison, down and up."""
    scan = scan_source(f"{IMPORTS}x = {code}\n".encode(), "shop.py", [BoundaryBelow, BoundaryAbove])
    return [(site, mutant) for site in scan.sites for mutant in site.mutants]


@pytest.mark.parametrize(
    ("code", "below", "above"),
    [
        ('a > Decimal("0.05")', 'a > Decimal("0.04")', 'a > Decimal("0.06")'),
        ("a > Decimal('9.90')", "a > Decimal('9.89')", "a > Decimal('9.91')"),
        ('a > Decimal("100")', 'a > Decimal("99")', 'a > Decimal("101")'),
        ('a > Decimal("-0.1")', 'a > Decimal("-0.2")', 'a > Decimal("0.0")'),
        ('a > decimal.Decimal("1E+3")', 'a > decimal.Decimal("0E+3")', 'a > decimal.Decimal("2E+3")'),
        (
            'a > Decimal("0.1234567890123456789012345678901")',
            'a > Decimal("0.1234567890123456789012345678900")',
            'a > Decimal("0.1234567890123456789012345678902")',
        ),
        ("a > timedelta(days=3)", "a > timedelta(days=2)", "a > timedelta(days=4)"),
        ("a > timedelta(3)", "a > timedelta(days=2)", "a > timedelta(days=4)"),
        (
            "a > timedelta(hours=1, minutes=30)",
            "a > timedelta(hours=1, minutes=29)",
            "a > timedelta(hours=1, minutes=31)",
        ),
        ("a > timedelta(1, 2)", "a > timedelta(days=1, seconds=1)", "a > timedelta(days=1, seconds=3)"),
        ("a > timedelta(seconds=-1)", "a > timedelta(seconds=-2)", "a > timedelta(seconds=0)"),
        (
            "a > datetime.datetime(2025, 2, 28)",
            "a > datetime.datetime(2025, 2, 27)",
            "a > datetime.datetime(2025, 3, 1)",
        ),
        (
            "a > datetime.datetime(2025, 12, 31, 23, 59)",
            "a > datetime.datetime(2025, 12, 31, 23, 58)",
            "a > datetime.datetime(2026, 1, 1, 0, 0)",
        ),
    ],
)
def test_a_threshold_moves_by_one_unit_of_what_is_written_last(code: str, below: str, above: str) -> None:
    assert [mutant.replacement for _, mutant in shifted(code)] == [below, above]


def test_a_date_moves_by_a_day_where_equality_does_not_say_the_same() -> None:
    assert [mutant.replacement for _, mutant in shifted("a > date(2024, 2, 29)")] == ["a > date(2024, 3, 1)"]
    assert [mutant.replacement for _, mutant in shifted("a >= date(2024, 2, 29)")] == ["a >= date(2024, 2, 28)"]
    assert [mutant.replacement for _, mutant in shifted("date(2024, 3, 1) > a")] == ["date(2024, 2, 29) > a"]


@pytest.mark.parametrize(
    "code",
    [
        "a > Decimal(b)", 'a > Decimal("a")', 'a > Decimal("Infinity")', 'a > Decimal("NaN")', 'a > Decimal("1", c)',
        "a > Decimal()", "a > Decimal(*b)", 'a > Decimal(b"1")', "a > timedelta()", "a > timedelta(0.5)",
        "a > timedelta(fortnights=1)", "a > timedelta(*b)", "a > date(2025, 1)", "a > date(2025, 2, 30)",
        "a > date(y, 1, 1)", "a > date(9999, 12, 31)", "a > date(1, 1, 1)", "a > date(year=2025, day=1, month=2)",
        "a > datetime.datetime(2025, 1, 1, tzinfo=None)", "a > datetime.datetime(2025, 1, 1, hour=3, second=1)",
        "a > decimal.getcontext()", "a > datetime.time(1, 2)",
    ],
)  # fmt: skip
def test_what_has_no_certain_neighbours_is_not_moved(code: str) -> None:
    found = shifted(code)
    assert [mutant.replacement for _, mutant in found if "9999" not in code and "(1, 1, 1)" not in code] == []


@pytest.mark.parametrize(
    ("code", "threshold", "values"),
    [
        ('a > Decimal("0.05")', Decimal("0.05"), (Decimal("0.04"), Decimal("0.06"))),
        ('Decimal("0.05") > a', Decimal("0.05"), (Decimal("0.04"), Decimal("0.06"))),
        (
            "a > timedelta(hours=2)",
            datetime.timedelta(hours=2),
            (datetime.timedelta(0, 3600), datetime.timedelta(0, 10800)),
        ),
        (
            "a > datetime.datetime(2025, 1, 1, 5)",
            datetime.datetime(2025, 1, 1, 5),  # noqa: DTZ001
            (datetime.datetime(2025, 1, 1, 4), datetime.datetime(2025, 1, 1, 6)),  # noqa: DTZ001
        ),
    ],
)
def test_what_the_observer_evaluates_is_what_is_written(code: str, threshold: Any, values: tuple[Any, Any]) -> None:
    moved = [mutant for _, mutant in shifted(code)]
    for mutant, neighbour in zip(moved, values, strict=True):
        spec = {
            "id": 0, "kind": "compare", "threshold": 0, "known_threshold": True, "operands": [0, 1], "template": None,
            "mutants": [mutant.template],
        }  # fmt: skip
        (changed,) = Probe(spec).mutants
        assert changed is not None
        for value in (*values, threshold):
            operands = (threshold, value) if code.startswith("Dec") else (value, threshold)
            expected = neighbour > value if code.startswith("Dec") else value > neighbour
            assert changed(*operands) is expected


def test_the_sides_that_tell_a_moved_threshold_are_known() -> None:
    assert [telling_sides(*one) for one in shifted('a >= Decimal("0.05")')] == [(Side.BELOW,), (Side.AT,)]
    assert [telling_sides(*one) for one in shifted("a < timedelta(days=3)")] == [(Side.BELOW,), (Side.AT,)]
    assert [telling_sides(*one) for one in shifted("a > date(2025, 1, 1)")] == [(Side.ABOVE,)]


def test_such_a_threshold_is_a_constant_on_either_side() -> None:
    code = f'{IMPORTS}x = Decimal("1.5") <= a\ny = a == date(2025, 1, 1)\n'
    at, equal = scan_source(code.encode(), "shop.py", [BoundaryAt, Equality]).sites
    assert at.ask == 'stand exactly on the threshold: make `a` equal to `Decimal("1.5")`'
    assert at.threshold is not None
    assert (at.threshold.below, at.threshold.at, at.threshold.above) == (
        'Decimal("1.4")', 'Decimal("1.5")', 'Decimal("1.6")',
    )  # fmt: skip
    assert [mutant.replacement for mutant in equal.mutants] == ["a != date(2025, 1, 1)"]
