"""Every rule the tool knows, found by looking at the files below this folder."""

from __future__ import annotations

import functools
import importlib
import inspect
import pkgutil

from fencepost.rules._rule import Rule

__all__ = ["Rule", "all_rules", "every_rule"]


@functools.cache
def all_rules() -> tuple[type[Rule], ...]:
    """The rules that run unless they are switched off, ordered by code."""
    return tuple(rule for rule in every_rule() if rule.by_default)


@functools.cache
def every_rule() -> tuple[type[Rule], ...]:
    """The same with the rules that run only where somebody asks for them.

    Raises:
        TypeError: a rule file does not hold exactly one rule.
    """
    found: list[type[Rule]] = []
    for info in pkgutil.walk_packages(__path__, prefix=f"{__name__}."):
        if info.ispkg or info.name.rpartition(".")[2].startswith("_"):
            continue
        module = importlib.import_module(info.name)
        mine = [
            value
            for value in vars(module).values()
            if inspect.isclass(value) and issubclass(value, Rule) and value.__module__ == module.__name__
        ]
        if len(mine) != 1:
            message = f"{module.__file__}: expected exactly one Rule, found {len(mine)}"
            raise TypeError(message)
        found += mine
    return tuple(sorted(found, key=lambda rule: rule.code))
