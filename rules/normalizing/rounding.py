"""FP205: deleting a call that rounds a number."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, Example, Rule, Source, over_operands
from fencepost.rules.normalizing._calls import (
    argument,
    call_shape,
    dropping_method,
    is_literally,
    method_name,
    observed,
    only_reached,
    shown,
)
from fencepost.rules.normalizing._fstrings import texts_with_one_field_changed
from fencepost.rules.normalizing._text import is_text

# the type stays where there is nothing to round, so only a number that the call changes tells the difference
UNROUNDED = "(lambda n: n if n != {0:atom}(n) else {0:atom}(n))({1})"
UNROUNDED_NUMBER = (
    "(lambda n: n if not isinstance(n, (str, bytes, bytearray)) and n != {0:atom}(n) else {0:atom}(n))({1})"
)
# not `a % b == 0`: a timedelta has no remainder by a number
DIVIDED = "(lambda a, b: a // b if a // b * b == a else a / b)({0}, {1})"
TO_WHOLE = {
    "round": UNROUNDED,
    "int": UNROUNDED_NUMBER,
    "math.floor": UNROUNDED,
    "math.ceil": UNROUNDED,
    "math.trunc": UNROUNDED,
}
CUT = frozenset({"int", "math.trunc"})
GIVE_WHOLE = frozenset({*TO_WHOLE, "len", "ord", "hash", "id"})
CUTS_OFF = re.compile(r"(?<!%)(%%)*%d")
PRECISION = re.compile(r"(?P<head>.*\.)(?P<digits>\d+)(?P<type>[eEfFgGn%])", re.DOTALL)


class Rounding(Rule):
    """A call that rounds a number, which no test would miss.

    ## What it does
    Takes the rounding out of `round`, `int`, `math.floor`, `math.ceil`, `math.trunc`, `//` and `.quantize(...)`, in a
    way that differs only for a number that the call changes: `int("7")` still parses. A fixed precision in an
    f-string, such as `:.2f`, gets one more digit.

    ## Why it matters
    Prices, pages and percentages are rounded at one place for a reason, and tests like round numbers. Which way a
    half goes is then nobody's decision.

    ## What to do
    Add a test with a number that is not round already, such as `2.5` or `7 // 2`, and assert the exact result.
    """

    code = "FP205"
    name = "rounding"
    node_types = (cst.Call, cst.BinaryOperation, cst.FormattedString, cst.ConcatenatedString)

    VALID: ClassVar = [
        Example(
            code="def pages(items):\n    return items // 10\n",
            tests="def test_some_left_over():\n    assert pages(25) == 2\n",
        ),
        Example(
            code="def price(amount):\n    return f'{round(amount, 1):.2f} EUR'\n",
            tests="def test_many_digits():\n    assert price(1.26) == '1.30 EUR'\n",
        ),
        Example(
            code="def year(date):\n    return int(date[:4])\n",
            tests="def test_text_is_parsed_and_not_rounded():\n    assert year('2024-05-01') == 2024\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="import math\n\ndef label(size):\n    return '%d kB' % math.ceil(size) + ' or %d' % int(size)\n",
            tests="def test_whole():\n    assert label(3.0) == '3 kB or 3'\n",
            survivors=("(lambda n: n if n != math.ceil(n) else math.ceil(n))(size)",),
        ),
        Example(
            code="import math\n\ndef boxes(weight):\n    return math.ceil(weight)\n",
            tests="def test_whole():\n    assert boxes(3.0) == 3\n",
            survivors=("(lambda n: n if n != math.ceil(n) else math.ceil(n))(weight)",),
        ),
        Example(
            code="def half(count):\n    return count // 2\n",
            tests="def test_even():\n    assert half(4) == 2\n",
            survivors=("(lambda a, b: a // b if a // b * b == a else a / b)(count, 2)",),
        ),
        Example(
            code="def share(part):\n    return f'{part:.0%} of ' f'{part:,.2f}'\n",
            tests="def test_it_mentions_of():\n    assert ' of ' in share(0.5)\n",
            survivors=("f'{part:.1%} of ' f'{part:,.2f}'", "f'{part:.0%} of ' f'{part:,.3f}'"),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        if isinstance(node, cst.Call):
            draft = _call_draft(node, source)
        elif isinstance(node, cst.BinaryOperation):
            draft = _division_draft(node, source)
        else:
            draft = _format_draft(node, source)
        if draft is not None:
            yield draft


def _call_draft(call: cst.Call, source: Source) -> Draft | None:
    if method_name(call) == "quantize" and call.args and call.args[0].keyword is None:
        ask = f"use a number with more digits than `{shown(call, source)}` keeps, such as Decimal('2.125')"
        return dropping_method(call, source, "quantize".__eq__, ask)
    name = source.resolves_to(call.func)
    shape = call_shape(call, method=False)
    if name not in TO_WHOLE or shape is None or not shape.positional:
        return None
    number = shape.operands[1]
    if isinstance(number, cst.BaseNumber | cst.BaseString):
        return None
    if name == "round" and not _to_whole(call):
        ask = f"use a number with more digits than `{shown(call, source)}` keeps, and assert the exact result"
        return observed(shape, source, observer="pure", ask=ask, templates=["{1:atom}"])
    if name != "round" and len(call.args) > 1:
        return None
    ask = f"use a number that `{shown(call, source)}` changes, such as 2.5 or -2.5"
    draft = observed(shape, source, observer="pure", ask=ask, templates=[TO_WHOLE[name]])
    return dataclasses.replace(draft, ignored=_nothing_to_round(name, call, number, source))


def _to_whole(call: cst.Call) -> bool:
    """Whether a call of `round` gives a whole number: no digits are asked for."""
    digits = call.args[1].value if len(call.args) > 1 else argument(call, "ndigits")
    return digits is None or is_literally(digits, "None")


def _nothing_to_round(name: str, call: cst.Call, number: cst.BaseExpression, source: Source) -> str | None:
    """Why the argument of a rounding call is plainly no number with a fraction; None where it may be one."""
    if _is_whole(number, source):
        return f"equivalent: `{shown(number, source)}` is a whole number already"
    if name == "int" and is_text(number, source):
        return f"equivalent: `int` parses the text `{shown(number, source)}`, it does not round a number"
    around = source.parent()
    if isinstance(around, cst.Expr):
        return "equivalent: its result is not used"
    beside = around if isinstance(around, cst.BinaryOperation) and isinstance(around.operator, cst.Modulo) else None
    if name in CUT and beside is not None and beside.right is call and CUTS_OFF.search(source.text(beside.left)):
        return "equivalent: `%d` cuts off the fraction by itself"
    return None


def _is_whole(node: cst.BaseExpression, source: Source) -> bool:
    if isinstance(node, cst.Call):
        name = source.resolves_to(node.func)
        return name in GIVE_WHOLE and (name != "round" or _to_whole(node))
    if isinstance(node, cst.BinaryOperation):
        return isinstance(node.operator, cst.FloorDivide)
    return isinstance(node, cst.Comparison) or (
        isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not | cst.BitInvert)
    )


def _division_draft(division: cst.BinaryOperation, source: Source) -> Draft | None:
    operands = (division.left, division.right)
    if not isinstance(division.operator, cst.FloorDivide) or None not in map(source.number, operands):
        return None
    ask = f"use numbers of which `{shown(division, source)}` leaves a remainder, such as 7 and 2"
    mutants = [over_operands(DIVIDED, operands, source)]
    return Draft(division, "division", ask, mutants, operands, "pure", Shape.VALUE, "{0:atom} // {1:atom}")


def _format_draft(text: cst.CSTNode, source: Source) -> Draft | None:
    finer = list(texts_with_one_field_changed(text, _finer_field, source))
    ask = f"use a number with more digits than `{shown(text, source)}` shows, such as 0.123456789"
    return only_reached(text, ask=ask, replacements=finer, kind="format") if finer else None


def _finer_field(part: cst.FormattedStringExpression, source: Source) -> Sequence[str]:
    last = part.format_spec[-1] if part.format_spec else None
    precision = PRECISION.fullmatch(last.value) if isinstance(last, cst.FormattedStringText) else None
    if precision is None or not isinstance(last, cst.FormattedStringText):
        return []
    shown = int(precision["digits"])
    # no significant digits and one mean the same
    shown = max(shown, 1) if precision["type"] in "gGn" else shown
    before = source.text(part).removesuffix("}").removesuffix(last.value)
    return [f"{before}{precision['head']}{shown + 1}{precision['type']}}}"]
