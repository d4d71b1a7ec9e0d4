"""Which rules look at which file: by code, name, or the beginning of codes (`FP2` means all of FP2xx). Pure."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from fencepost.analyzer.errors import UsageProblem, nearest_name_hint
from fencepost.rules import Rule, every_rule

SHORTEST = len("FP1")  # of what stands for several rules


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """The rules of a project, by name.

    Attributes:
        select: only these; empty: all.
        ignore: not these.
        by_path: pattern of paths -> a choice among those rules for the files that match.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    by_path: Mapping[str, RuleChoice] = field(default_factory=dict)

    def check(self) -> None:
        """Look all names up.

        Raises:
            UsageProblem: a name is no rule's.
        """
        for name in (*self.select, *self.ignore):
            find_rules(name)
        for choice in self.by_path.values():
            choice.check()

    def rules(self, operators: str = "default") -> tuple[type[Rule], ...]:
        """The rules that look at some file, by code; those that do not run by default where all operators do."""
        named = _codes(self.select)
        offered = [rule for rule in every_rule() if rule.by_default or operators == "all" or rule.code in named]
        return self._among(offered)

    def rules_for(self, path: str, operators: str = "default") -> tuple[type[Rule], ...]:
        """The rules that look at a file; where several patterns match it, all that they say holds."""
        chosen = self.rules(operators)
        for pattern, choice in self.by_path.items():
            if matches(path, pattern):
                chosen = choice._among(chosen)  # noqa: SLF001 - of the same class
        return chosen

    def _among(self, rules: Sequence[type[Rule]]) -> tuple[type[Rule], ...]:
        wanted = _codes(self.select) if self.select else {rule.code for rule in rules}
        unwanted = _codes(self.ignore)
        return tuple(rule for rule in rules if rule.code in wanted and rule.code not in unwanted)


def matches(path: str, pattern: str) -> bool:
    """Whether a pattern means a file: its path, a folder above it, or `*` and `?` in either."""
    cleaned = pattern.rstrip("/")
    return fnmatch.fnmatch(path, cleaned) or path.startswith(f"{cleaned}/")


def _codes(names: Iterable[str]) -> set[str]:
    return {rule.code for name in names for rule in find_rules(name)}


def find_rules(name: str) -> Sequence[type[Rule]]:
    """The rules that a name stands for: one by its code or name, or all whose code begins so.

    Raises:
        UsageProblem: there is none; the hint names the nearest.
    """
    begun = [rule for rule in every_rule() if rule.code.startswith(name.upper())]
    return begun if begun and len(name) >= SHORTEST else [find_rule(name)]


def find_rule(name: str) -> type[Rule]:
    """The rule with a code or name, whatever its case.

    Raises:
        UsageProblem: there is none; the hint names the nearest.
    """
    by_name = {key: rule for rule in every_rule() for key in (rule.code.lower(), rule.name)}
    found = by_name.get(name.lower())
    if found is None:
        names: Sequence[str] = [*(rule.code for rule in every_rule()), *(rule.name for rule in every_rule())]
        raise UsageProblem(f"there is no rule '{name}'", slug="unknown-rule", hint=nearest_name_hint(name, names))
    return found
