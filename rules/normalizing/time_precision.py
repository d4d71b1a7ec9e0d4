"""FP215: deleting what brings a time into a zone or cuts it off."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, MutantDraft, Rule, Source, over_operands
from fencepost.rules.normalizing._calls import (
    CallShape,
    argument,
    call_shape,
    is_quiet,
    keeping,
    method_name,
    observed,
    place_of,
    receiver_of,
    shown,
    unobserved,
)

PARTS = frozenset({"year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo", "fold"})
# a year, a month or a day is rather chosen than cut off, but for the first of them
CUT_AT_ONE = frozenset({"month", "day"})
CUT = frozenset({"hour", "minute", "second", "microsecond", "tzinfo"})
# the day stays one where there is no time to cut off, so only a time tells the difference
WITH_TIME = "(lambda d: d if (d.hour, d.minute, d.second, d.microsecond) != (0, 0, 0, 0) else d.date())({0})"
SAME_OF_A_DAY = frozenset({
    "year", "month", "day", "weekday", "isoweekday", "isocalendar", "toordinal",
})  # fmt: skip


class TimePrecision(Rule):
    """A call that brings a time into a zone or cuts it off, which no test would miss.

    ## What it does
    Deletes `.astimezone(...)`; takes each of `tzinfo=`, `hour=`, `minute=`, `second=`, `microsecond=`, `day=1` and
    `month=1` out of `.replace(...)`; takes `timespec=` out of `.isoformat(...)`. `.date()` is taken off in a way that
    differs only for a time that is not midnight.

    ## Why it matters
    The times in tests are round and in UTC, and so are the machines of a CI. The first user in another zone, or the
    first time with microseconds, shows what the call was for.

    ## What to do
    Add a test with a time that has microseconds and is not in UTC, such as `2024-05-01T23:30:00.123456+02:00`, and
    assert the exact result.
    """

    code = "FP215"
    name = "time-precision"
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="def minute(time):\n    return time.replace(second=0, microsecond=0)\n",
            tests=(
                "from datetime import datetime\n\ndef test_odd_time():\n"
                "    assert minute(datetime(2024, 5, 1, 12, 30, 15, 99)) == datetime(2024, 5, 1, 12, 30)\n"
            ),
        ),
        Example(
            code="def day(time):\n    return time.date()\n",
            tests=(
                "from datetime import date, datetime\n\ndef test_noon():\n"
                "    assert day(datetime(2024, 5, 1, 12)) == date(2024, 5, 1)\n"
            ),
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def minute(time):\n    return time.replace(second=0, microsecond=0)\n",
            tests=(
                "from datetime import datetime\n\ndef test_whole_second():\n"
                "    assert minute(datetime(2024, 5, 1, 12, 30, 15)) == datetime(2024, 5, 1, 12, 30)\n"
            ),
            survivors=("time.replace(second=0)",),
        ),
        Example(
            code="def day(time):\n    return time.date()\n",
            tests=(
                "from datetime import date, datetime\n\ndef test_midnight():\n"
                "    assert day(datetime(2024, 5, 1)) == date(2024, 5, 1)\n"
            ),
            survivors=(WITH_TIME.replace("{0}", "time"),),
        ),
        Example(
            code=(
                "from datetime import timezone\n\ndef stamp(time):\n"
                "    return time.astimezone(timezone.utc).isoformat(timespec='seconds')\n"
            ),
            tests=(
                "from datetime import datetime, timezone\n\ndef test_utc():\n"
                "    assert stamp(datetime(2024, 5, 1, tzinfo=timezone.utc)) == '2024-05-01T00:00:00+00:00'\n"
            ),
            survivors=("time", "time.astimezone(timezone.utc).isoformat()"),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        call = cst.ensure_type(node, cst.Call)
        draft_of = {
            "astimezone": _zone_draft,
            "replace": _replace_draft,
            "date": _date_draft,
            "isoformat": _isoformat_draft,
        }.get(method_name(call) or "")
        shape = call_shape(call, method=True) if draft_of and receiver_of(call, source) else None
        draft = draft_of(shape, source) if draft_of and shape else None
        if draft is not None:
            yield draft


def _zone_draft(shape: CallShape, source: Source) -> Draft | None:
    if len(shape.call.args) > 1:
        return None
    ask = f"use a time in another zone, so that `{shown(shape.call, source)}` changes it"
    return keeping(0, shape, source, ask=ask)


def _replace_draft(shape: CallShape, source: Source) -> Draft | None:
    if shape.positional or not {*shape.keywords} <= PARTS:
        return None
    cut = [keyword for keyword in shape.keywords if _is_cut(shape.call, keyword, source)]
    if not cut:
        return None
    ask = f"use a time that `{shown(shape.call, source)}` changes in its {' and in its '.join(cut)}"
    mutants = [_without(shape, keyword, source) for keyword in cut]
    return dataclasses.replace(observed(shape, source, observer="pure", ask=ask, templates=[]), mutants=mutants)


def _is_cut(call: cst.Call, keyword: str, source: Source) -> bool:
    value = argument(call, keyword)
    return keyword in CUT or (keyword in CUT_AT_ONE and value is not None and source.number(value) == 1)


def _without(shape: CallShape, keyword: str, source: Source) -> MutantDraft:
    """The mutant without a keyword; without its only one a call of `replace` is its receiver."""
    template = shape.without(keyword) if len(shape.keywords) > 1 else "{0:atom}"
    mutant = over_operands(template, shape.operands, source)
    dropped = argument(shape.call, keyword)
    return mutant if dropped is not None and is_quiet(dropped, source) else MutantDraft(mutant.replacement, None)


def _date_draft(shape: CallShape, source: Source) -> Draft | None:
    if shape.call.args:
        return None
    ask = f"use a time that is not midnight, so that `{shown(shape.call, source)}` cuts it off"
    draft = observed(shape, source, observer="pure", ask=ask, templates=[WITH_TIME])
    around = source.parent()
    if isinstance(around, cst.Attribute) and around.attr.value in SAME_OF_A_DAY:
        reason = f"equivalent: the {around.attr.value} of a time is that of its day"
        return dataclasses.replace(draft, ignored=reason)
    return draft


def _isoformat_draft(shape: CallShape, source: Source) -> Draft | None:
    place = place_of(shape.call, 1, "timespec")
    if place is None or len(shape.call.args) > 2 or source.text(shape.operands[place]).strip("'\"") == "auto":
        return None
    ask = f"use a time with microseconds, which `{shown(shape.call, source)}` cuts off"
    templates: Sequence[str] = [_without_timespec(shape)]
    if is_quiet(shape.operands[place], source):
        return observed(shape, source, observer="pure", ask=ask, templates=templates)
    return unobserved(shape, source, ask=ask, templates=templates)


def _without_timespec(shape: CallShape) -> str:
    if "timespec" in shape.keywords:
        return shape.without("timespec")
    return f"{shape.head}({shape.positional[0]})"
