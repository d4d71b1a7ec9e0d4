"""What the boundary rules share: the links of a comparison, their thresholds, and one step up or down."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from fencepost.analyzer.model import Shape, Threshold
from fencepost.rules._rule import Draft, MutantDraft, Source, over_operands
from fencepost.rules.boundary._steps import Spelled, stepped_call

OPERATORS: dict[type[cst.BaseCompOp], str] = {
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.In: "in",
    cst.NotIn: "not in",
    cst.Is: "is",
    cst.IsNot: "is not",
}
RELATIONAL = frozenset({"<", "<=", ">", ">="})
EQUALITY = frozenset({"==", "!="})
SIGNS = {1: "+", -1: "-"}
WITH_OR_WITHOUT_EQUALITY = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


@dataclass(frozen=True, slots=True)
class Link:
    """One `left operator right` of a comparison; a chain has several."""

    comparison: cst.Comparison
    index: int
    left: cst.BaseExpression
    operator: str
    right: cst.BaseExpression

    @property
    def operands(self) -> tuple[cst.BaseExpression, cst.BaseExpression]:
        return self.left, self.right


def links(comparison: cst.Comparison) -> Iterator[Link]:
    """The links of a comparison from left to right."""
    left = comparison.left
    for index, target in enumerate(comparison.comparisons):
        yield Link(comparison, index, left, OPERATORS[type(target.operator)], target.comparator)
        left = target.comparator


def is_length(node: cst.CSTNode, source: Source) -> bool:
    """Whether the node is a call of the builtin `len`."""
    return isinstance(node, cst.Call) and source.resolves_to(node.func) == "len"


def threshold_side(link: Link, source: Source) -> int:
    """Which operand is the threshold: 0 is the left one, 1 the right one.

    A number, a literal or an upper-case name is a threshold; where both or neither are, the right one is.
    """
    return 0 if is_constant(link.left, source) and not is_constant(link.right, source) else 1


def is_constant(node: cst.CSTNode, source: Source) -> bool:
    """Whether the node is a literal, an UPPER name, an enum member or another attribute written as a constant."""
    if isinstance(node, cst.Name):
        return node.value.isupper() or node.value in {"True", "False"}
    if isinstance(node, cst.Attribute):
        return node.attr.value.isupper()
    if isinstance(node, cst.UnaryOperation):
        return source.number(node) is not None
    if isinstance(node, cst.Call):
        return stepped_call(node, 0, source, 1) is not None
    return isinstance(node, cst.BaseNumber | cst.SimpleString | cst.ConcatenatedString)


def stepped(value: float, direction: int, notation: str = "") -> str:
    """The next value that could matter, as source text.

    `notation` is how the source spells the value: a hexadecimal threshold gives hexadecimal neighbours.
    """
    if isinstance(value, int) and notation.lower().startswith("0x"):
        return f"0x{value + direction:X}"
    return repr(neighbour(value, direction))


def neighbour(value: float, direction: int) -> float:
    """The next value that could matter: one for whole numbers, the next representable one for other floats."""
    return math.nextafter(value, math.inf * direction) if is_fraction(value) else value + direction


def is_fraction(value: float) -> bool:
    """Whether a number is a float that has no whole neighbours: a fraction, or from 2**53 on."""
    return isinstance(value, float) and not (value.is_integer() and abs(value) < 1 << 53)


def step_of(node: cst.CSTNode, operand: int, source: Source, direction: int) -> Spelled | None:
    """A threshold, the operand so numbered, one step up (1) or down (-1): as source text and as a template.

    None where the node is no known number, date or time.
    """
    value = source.number(node)
    if value is None or isinstance(value, bool):
        return stepped_call(node, operand, source, direction)
    if isinstance(node, cst.Name | cst.Attribute) and not is_fraction(value):
        template = f"{{{operand}}} {SIGNS[direction]} 1"
    else:
        template = stepped(value, direction, source.text(node))
    return Spelled(template, template)


def threshold_of(link: Link, source: Source) -> Threshold:
    """The threshold of a link and the inputs just below, at and just above it, in the words of the source."""
    node = link.operands[threshold_side(link, source)]
    text = source.text(node)
    value = source.number(node)
    below, above = (step_of(node, 0, source, direction) for direction in (-1, 1))
    if value is None and below is not None and above is not None:
        return Threshold(text, below.text, text, above.text)
    if value is None:
        return Threshold(text, f"just below {text}", text, f"just above {text}", known=False)
    shown = text if not isinstance(node, cst.Name | cst.Attribute) else f"{text} ({value!r})"
    exactly = text if text.lower().startswith("0x") else repr(value)
    return Threshold(shown, stepped(value, -1, text), exactly, stepped(value, 1, text))


def _repeatable(node: cst.CSTNode) -> bool:
    """Whether evaluating the node twice does what evaluating it once does."""
    if isinstance(node, cst.Attribute):
        return isinstance(node.value, cst.Name)
    return isinstance(node, cst.Name | cst.BaseNumber | cst.SimpleString)


def link_draft(
    link: Link,
    source: Source,
    *,
    kind: str,
    ask: str,
    templates: Sequence[str | Spelled],
    threshold: Threshold | None,
) -> Draft:
    """The draft for one link: `templates` spell the mutated link over its two operands, one way or for text apart.

    A link of a chain is observed by itself where its operands can be told apart without changing when they are
    evaluated: the middle ones are plain names, or all behind the first middle one are. In any other chain the observing
    run only notes that it was reached.
    """
    side = threshold_side(link, source)
    original = f"{{0}} {link.operator} {{1}}"
    chain = link.comparison.comparisons
    plain = [_repeatable(target.comparator) for target in chain]
    observable = all(plain[:-1]) or all(plain[1:])
    spelled = [Spelled(one, one) if isinstance(one, str) else one for one in templates]
    mutants = [
        MutantDraft(_chain_text(link, over_operands(one.text, link.operands, source).replacement, source), one.template)
        for one in spelled
    ]
    if not observable:
        mutants = [MutantDraft(mutant.replacement, None) for mutant in mutants]
        return Draft(link.comparison, kind, ask, mutants, threshold=threshold)
    return Draft(
        link.comparison,
        kind,
        ask,
        mutants,
        link.operands,
        "compare",
        Shape.VALUE,
        original,
        part=link.index,
        parts=len(chain),
        threshold=threshold,
        threshold_operand=side,
    )


def _chain_text(changed: Link, new_link: str, source: Source) -> str:
    """The text of a chain in which one link is spelled anew; the operand it shares with the next link stays shared."""
    text = ""
    for link in links(changed.comparison):
        if link.index == changed.index:
            left = source.text(link.left) if link.index else ""
            text += new_link.removeprefix(left)
        else:
            start = source.text(link.left) if not link.index else ""
            text += f"{start} {link.operator} {source.text(link.right)}"
    return text


def constant_by_length(link: Link, operator: str, bound: float | None, source: Source) -> str | None:
    """Why a length compared with `bound` by `operator` would be constantly true or false; None where it would not."""
    side = threshold_side(link, source)
    if bound is None or not is_length(link.operands[1 - side], source):
        return None
    mirrored = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
    seen_from_length = operator if side else mirrored[operator]
    if (seen_from_length in {">=", "<"} and bound <= 0) or (seen_from_length in {">", "<="} and bound < 0):
        return f"equivalent by type: a length is never below 0, so `len(...) {seen_from_length} {bound}` is constant"
    return None


def ignored_for(draft: Draft, reason: str | None) -> Draft:
    """The same draft, its mutants set aside where there is a reason."""
    return draft if reason is None else dataclasses.replace(draft, ignored=reason)
