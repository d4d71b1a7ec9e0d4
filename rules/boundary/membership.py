"""FP105: use every member of a set of constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, Example, MutantDraft, Rule, Source
from fencepost.rules.boundary._comparison import Link, is_constant, links
from fencepost.rules.normalizing._calls import is_literally, only_reached, shown

DISPLAYS: dict[type[cst.CSTNode], tuple[str, str]] = {
    cst.Tuple: ("(", ")"),
    cst.List: ("[", "]"),
    cst.Set: ("{", "}"),
}
CALLS = frozenset({"set", "frozenset"})


@dataclass(frozen=True, slots=True)
class Members:
    """The constants that a value is looked for in, and how the source gathers them: `(…)`, `[…]`, `frozenset({…})`."""

    constants: tuple[cst.BaseExpression, ...]
    opening: str
    closing: str
    call: str = ""

    def spelled(self, members: Sequence[str], *, doubled: bool = False) -> str:
        """The same kind of collection, of these members; with `doubled` braces, as a template has them."""
        if not members and (self.call or self.opening == "{"):
            return f"{self.call or 'set'}()"
        comma = "," if len(members) == 1 and self.opening == "(" else ""
        opening, closing = (one * 2 if doubled and one in "{}" else one for one in (self.opening, self.closing))
        display = f"{opening}{', '.join(members)}{comma}{closing}"
        return f"{self.call}({display})" if self.call else display


class Membership(Rule):
    """A member of a fixed set of values, which no test uses.

    ## What it does
    Drops each member of `x in (A, B, C)` and of `x not in {A, B, C}` on its own, where all of them are constants:
    literals, UPPER names, enum members. The last one leaves an empty collection of the same kind.

    ## Why it matters
    A list of accepted values is a list of special cases. A test that uses one of them says nothing of the others, and
    one that was forgotten, or taken out by mistake, is noticed by whoever needs it.

    ## What to do
    Use every member once, and a value that is none of them.
    """

    code = "FP105"
    name = "membership"
    node_types = (cst.Comparison,)

    VALID: ClassVar = [
        Example(
            code="def weekend(day):\n    return day in ('sat', 'sun')\n",
            tests="def test_days():\n    assert weekend('sat') and weekend('sun') and not weekend('mon')\n",
        ),
        Example(
            code="IDLE, DONE = 'idle', 'done'\n\ndef busy(state):\n    return state not in {IDLE, DONE}\n",
            tests="def test_states():\n    assert [busy(one) for one in (IDLE, DONE, 'up')] == [False, False, True]\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def weekend(day):\n    return day in ('sat', 'sun')\n",
            tests="def test_one_day():\n    assert weekend('sat') and not weekend('mon')\n",
            survivors=("day in ('sat',)",),
        ),
        Example(
            code=(
                "import enum\n\n"
                "class State(enum.Enum):\n"
                "    IDLE, DONE, UP = range(3)\n\n"
                "def busy(state):\n"
                "    return state not in frozenset({State.IDLE, State.DONE})\n"
            ),
            tests="def test_one_state():\n    assert not busy(State.DONE) and busy(State.UP)\n",
            survivors=("state not in frozenset({State.DONE})",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        for link in links(cst.ensure_type(node, cst.Comparison)):
            members = _members(link.right, source)
            if link.operator in {"in", "not in"} and members is not None:
                yield from _member_drafts(link, members, source)


def _members(node: cst.BaseExpression, source: Source) -> Members | None:
    """What a literal collection of constants holds; None where the node is none, or is an empty one."""
    if isinstance(node, cst.Call):
        return _members_of_call(node, source)
    if not isinstance(node, cst.Tuple | cst.List | cst.Set):
        return None
    constants = tuple(element.value for element in node.elements if isinstance(element, cst.Element))
    if not constants or len(constants) < len(node.elements):
        return None
    return Members(constants, *DISPLAYS[type(node)]) if all(_is_member(one, source) for one in constants) else None


def _members_of_call(call: cst.Call, source: Source) -> Members | None:
    """The same for `set(…)` and `frozenset(…)` of such a literal."""
    name = source.resolves_to(call.func)
    if name not in CALLS or len(call.args) != 1 or call.args[0].star or call.args[0].keyword:
        return None
    inside = None if isinstance(call.args[0].value, cst.Call) else _members(call.args[0].value, source)
    return inside and Members(inside.constants, inside.opening, inside.closing, name)


def _is_member(node: cst.BaseExpression, source: Source) -> bool:
    if isinstance(node, cst.Tuple):
        elements = [element.value for element in node.elements if isinstance(element, cst.Element)]
        return len(elements) == len(node.elements) and all(_is_member(element, source) for element in elements)
    if isinstance(node, cst.ConcatenatedString):
        return node.evaluated_value is not None  # no part of it is an f-string
    return is_constant(node, source) or is_literally(node, "None") or isinstance(node, cst.Ellipsis)


def _member_drafts(link: Link, members: Members, source: Source) -> Iterator[Draft]:
    """A draft for each member that can be told from the others: each asks for a value of its own."""
    texts = [source.text(member) for member in members.constants]
    for number, text in enumerate(texts):
        others = _without(texts, number)
        if any(_equal(text, other) for other in others):
            continue  # the other one stays
        ask = f"use `{shown(link.left, source)}` equal to {shown(members.constants[number], source)}"
        if link.comparison.comparisons[1:]:
            yield only_reached(
                link.comparison, ask=ask, replacements=[_in_chain(link, members.spelled(others), source)], kind="member"
            )
        else:
            yield _watched(link, members, number, ask, source)


def _equal(text: str, other: str) -> bool:
    """Whether two members are the same value, as far as the source tells: `0` and `False` are."""
    try:
        return bool(ast.literal_eval(text) == ast.literal_eval(other))
    except (ValueError, SyntaxError):
        return text == other


def _watched(link: Link, members: Members, number: int, ask: str, source: Source) -> Draft:
    """The draft that drops one member; the observer gets the value, and the members that have names."""
    operands = [link.left]
    blanks = []
    for member in members.constants:
        if _is_literal(member):
            blanks.append(source.text(member).replace("{", "{{").replace("}", "}}"))
        else:
            blanks.append(f"{{{len(operands)}}}")
            operands.append(member)
    texts = [source.text(member) for member in members.constants]
    template, original = (
        f"{{0}} {link.operator} {members.spelled(kept, doubled=True)}" for kept in (_without(blanks, number), blanks)
    )
    replacement = f"{source.text(link.left)} {link.operator} {members.spelled(_without(texts, number))}"
    mutants = [MutantDraft(replacement, template)]
    return Draft(link.comparison, "member", ask, mutants, operands, "member", Shape.VALUE, original)


def _without(texts: Sequence[str], number: int) -> list[str]:
    return [*texts[:number], *texts[number + 1 :]]


def _is_literal(node: cst.BaseExpression) -> bool:
    """Whether the text of a member means the same wherever it stands."""
    if isinstance(node, cst.Name):
        return node.value in {"True", "False", "None"}
    if isinstance(node, cst.Tuple):
        return all(_is_literal(element.value) for element in node.elements)
    return not isinstance(node, cst.Attribute)


def _in_chain(link: Link, collection: str, source: Source) -> str:
    text = source.text(link.comparison.left)
    for other in links(link.comparison):
        right = collection if other.index == link.index else source.text(other.right)
        text += f" {other.operator} {right}"
    return text
