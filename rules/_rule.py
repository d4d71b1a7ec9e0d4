"""The contract every rule file meets, and the few questions a rule may ask about the source around a node."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import libcst as cst

from fencepost.analyzer.model import Shape, Threshold, Use


@dataclass(frozen=True, slots=True)
class Example:
    """Code and its tests, both run for real: `survivors` are the replacements that no test notices."""

    code: str
    tests: str
    survivors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MutantDraft:
    """A change to a whole expression.

    `replacement` is the new source text. `template` spells what the observer evaluates in its place, over the operands
    of the probe (`{0} <= {1}`); None where evaluating it twice is not safe, then every test that reaches the site runs
    it.
    """

    replacement: str
    template: str | None


@dataclass(frozen=True, slots=True)
class Draft:
    """What a rule has to say about one node: the site, how to watch it, and its mutants.

    `node` is the whole expression that the mutants replace. `operands` are evaluated once, from left to right.
    """

    node: cst.CSTNode
    kind: str
    ask: str
    mutants: Sequence[MutantDraft] = ()
    operands: Sequence[cst.CSTNode] = ()
    observer: str = "touch"
    shape: Shape = Shape.WATCH
    template: str = ""
    part: int = 0
    parts: int = 1
    threshold: Threshold | None = None
    threshold_operand: int | None = None
    ignored: str | None = None


def parted(draft: Draft, reasons: Sequence[str | None]) -> Iterator[Draft]:
    """The draft with those of its mutants that have no reason to be set aside, then one for each reason.

    `reasons` has one for each mutant, None where there is none.
    """
    for reason in dict.fromkeys([None, *reasons]):
        mutants = [mutant for mutant, its in zip(draft.mutants, reasons, strict=True) if its == reason]
        if mutants:
            yield dataclasses.replace(draft, mutants=mutants, ignored=reason)


class Source(Protocol):
    """What a rule may ask about the file it looks at; `scan` answers."""

    def text(self, node: cst.CSTNode) -> str:
        """The source text of a node, with its own parentheses."""

    def atom(self, node: cst.CSTNode) -> str:
        """The source text of a node, put in parentheses where it could not stand as an operand without them."""

    def parent(self, level: int = 1) -> cst.CSTNode | None:
        """The node around the one being visited; 2 is the one around that."""

    def number(self, node: cst.CSTNode) -> int | float | None:
        """The value of a numeric literal, or of a name that is certainly one constant number; else None."""

    def uses(self, name: cst.Name) -> Sequence[Use]:
        """Where the project reads the constant number that this name is given here; nowhere where none is certain."""

    def resolves_to(self, node: cst.CSTNode) -> str | None:
        """The dotted name that a name or attribute means after the imports of this file, `math.floor`; else None."""

    def own_name(self, node: cst.CSTNode) -> str | None:
        """The dotted name, from the root of the project, of what this file defines or imports relatively; else None."""

    def made_by(self, node: cst.CSTNode) -> str | None:
        """The function whose result a name or attribute is given wherever this file gives it one, `re.compile`."""

    def imports(self, *packages: str) -> bool:
        """Whether this file imports something out of one of these packages."""

    @property
    def normalizers(self) -> Mapping[str, Sequence[str]]:
        """The user's table of calls that normalize: a dotted name, and what is done with its calls."""


class Rule:
    """Subclass once per file; the class docstring is the rule's page in the docs and of `fencepost explain`.

    The docstring has the headings *What it does*, *Why it matters* and *What to do*. VALID and INVALID are run by the
    tests: exactly the listed replacements must survive. A rule with `by_default` False runs with `--operators all`, and
    where it is named.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    by_default: ClassVar[bool] = True
    node_types: ClassVar[tuple[type[cst.CSTNode], ...]]
    VALID: ClassVar[Sequence[Example]]
    INVALID: ClassVar[Sequence[Example]]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """Yield what the rule has to say about `node`, which is of one of `node_types`."""
        raise NotImplementedError


class Blank:
    """Stands for an operand in a template, with or without the `:atom` that asks for parentheses."""

    def __init__(self, plain: str, atom: str) -> None:
        self.plain = plain
        self.atom = atom

    def __format__(self, spec: str) -> str:
        return self.atom if spec == "atom" else self.plain


def over_operands(template: str, operands: Sequence[cst.CSTNode], source: Source) -> MutantDraft:
    """The mutant that a template spells: `{0}` is the text of operand 0, `{0:atom}` the same, safe as an operand."""
    blanks = [Blank(source.text(node), source.atom(node)) for node in operands]
    return MutantDraft(template.format(*blanks), template)
