"""FP215: which calls bring a time into a zone or cut it off, and how they read without it."""

from __future__ import annotations

import datetime

import pytest

from fencepost.analyzer.model import Site
from fencepost.analyzer.scan import scan_source
from fencepost.rules.normalizing.time_precision import WITH_TIME, TimePrecision

IMPORTS = "import clock\nfrom datetime import timezone\nfrom models import Calendar\n"


def sites(code: str) -> tuple[Site, ...]:
    scan = scan_source(code.encode(), "a.py", [TimePrecision])
    assert scan.problem is None
    assert all(site.mutants for site in scan.sites)
    return scan.sites


def replacements(code: str) -> list[str]:
    return [mutant.replacement for site in sites(code) for mutant in site.mutants]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("t.astimezone()", ["t"]),
        ("t.astimezone(tz=zone)", ["t"]),
        ("(a or b).astimezone(zone)", ["(a or b)"]),
        ("t.astimezone(a, b)", []),
        ("clock.astimezone(zone)", []),
        ("Calendar.astimezone(t)", []),
        ("t.replace(microsecond=0)", ["t"]),
        ("t.replace(second=0, tzinfo=None)", ["t.replace(tzinfo=None)", "t.replace(second=0)"]),
        ("t.replace(year=2024, hour=0)", ["t.replace(year=2024)"]),
        ("t.replace(day=1)", ["t"]),
        ("t.replace(month=1, day=1, hour=n)",
         ["t.replace(day=1, hour=n)", "t.replace(month=1, hour=n)", "t.replace(month=1, day=1)"]),
        ("t.replace(day=2)", []),
        ("t.replace(year=1)", []),
        ("t.replace(fold=1)", []),
        ("t.replace(second=0, name='x')", []),
        ("t.replace(2024, second=0)", []),
        ("t.replace(**parts)", []),
        ("t.replace('a', 'b')", []),
        ("t.isoformat(timespec='seconds')", ["t.isoformat()"]),
        ("t.isoformat(sep=' ', timespec=unit)", ["t.isoformat(sep=' ')"]),
        ("t.isoformat(' ', 'seconds')", ["t.isoformat(' ')"]),
        ("t.isoformat(timespec='auto')", []),
        ("t.isoformat(' ')", []),
        ("t.isoformat()", []),
        ("t.date()", [WITH_TIME.replace("{0}", "t")]),
        ("t.date(1)", []),
        ("column.dt.date()", []),
        ("date()", []),
    ],
)  # fmt: skip
def test_a_call_that_cuts_off_a_time_is_taken_away(call: str, expected: list[str]) -> None:
    assert replacements(f"{IMPORTS}x = {call}\n") == expected


@pytest.mark.parametrize(
    ("time", "cut_off"),
    [((), False), ((1,), True), ((0, 1), True), ((0, 0, 1), True), ((0, 0, 0, 1), True)],
)
def test_without_its_cut_a_day_differs_only_for_a_time_that_is_not_midnight(
    time: tuple[int, ...], *, cut_off: bool
) -> None:
    hour, minute, second, microsecond = (*time, 0, 0, 0, 0)[:4]
    moment = datetime.datetime(2024, 5, 1, hour, minute, second, microsecond)  # noqa: DTZ001 - a time without zone is a time too
    value = eval(WITH_TIME.format("moment"), {"moment": moment})  # noqa: S307 - the template of the rule
    assert value == (moment if cut_off else moment.date())
    assert type(value) is (datetime.datetime if cut_off else datetime.date)


@pytest.mark.parametrize("part", ["year", "month", "day", "weekday()", "isoweekday()", "isocalendar()", "toordinal()"])
def test_what_is_the_same_for_a_time_and_its_day_is_set_aside_with_its_reason(part: str) -> None:
    reason = f"equivalent: the {part.removesuffix('()')} of a time is that of its day"
    assert [site.ignored for site in sites(f"x = t.date().{part}\n")] == [reason]


def test_what_differs_between_a_time_and_its_day_is_a_site() -> None:
    assert [site.ignored for site in sites("x = t.date().isoformat()\n")] == [None]


@pytest.mark.parametrize(
    ("call", "templates"),
    [
        ("t.astimezone(zone.utc)", ["{0:atom}"]),
        ("t.astimezone(zone())", [None]),
        ("t.replace(second=0, tzinfo=zone())", ["{0:atom}.replace(tzinfo={2})", None]),
        ("t.isoformat(timespec=a.b)", ["{0:atom}.isoformat()"]),
        ("t.isoformat(timespec=f())", [None]),
        ("t().date()", [WITH_TIME]),
    ],
)
def test_it_is_evaluated_beside_the_original_where_nobody_misses_what_is_dropped(
    call: str, templates: list[str | None]
) -> None:
    (site,) = sites(f"x = {call}\n")
    assert [mutant.template for mutant in site.mutants] == templates


@pytest.mark.parametrize(
    ("call", "ask"),
    [
        ("t.astimezone(z)", "use a time in another zone, so that `t.astimezone(z)` changes it"),
        (
            "t.replace(hour=0, tzinfo=z)",
            "use a time that `t.replace(hour=0, tzinfo=z)` changes in its hour and in its tzinfo",
        ),
        ("t.date()", "use a time that is not midnight, so that `t.date()` cuts it off"),
        (
            "t.isoformat(timespec='hours')",
            "use a time with microseconds, which `t.isoformat(timespec='hours')` cuts off",
        ),
    ],
)
def test_it_asks_for_a_time_that_is_changed(call: str, ask: str) -> None:
    assert [site.ask for site in sites(f"x = {call}\n")] == [ask]
