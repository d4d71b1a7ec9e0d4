"""FP514: a decorator left out."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._operator import operator_drafts

_NOTHING = "lambda decorated: decorated"
_NEEDED = frozenset({
    "property", "staticmethod", "classmethod", "functools.cached_property", "dataclasses.dataclass",
    "contextlib.contextmanager", "contextlib.asynccontextmanager",
})  # fmt: skip
_OF_PROPERTIES = frozenset({"getter", "setter", "deleter"})
_SPARE_WORK = frozenset({"functools.cache", "functools.lru_cache"})
_FOR_TYPES = frozenset({
    "typing.overload", "typing.final", "typing.override", "typing.no_type_check", "typing.type_check_only",
    "typing.dataclass_transform", "typing.deprecated", "warnings.deprecated",
})  # fmt: skip


class Decorator(Rule):
    """A decorator that no test would miss.

    ## What it does
    Puts a decorator that changes nothing in place of the one that stands there. `property`, `classmethod`,
    `dataclass`, `contextmanager` and the like are left alone, as the code could only break without; what only spares
    work or is for the type checker needs no test. Runs with `--operators all`; mutmut has no such operator.

    ## Why it matters
    A check of rights, a registration, a retry often is a decorator. A test of what is decorated passes without it.

    ## What to do
    Write the test that the decorator is for: the call that it refuses, the second attempt, the name that is found.
    """

    code = "FP514"
    name = "decorator"
    by_default = False
    node_types = (cst.Decorator,)

    VALID: ClassVar = [
        Example(
            code="def twice(f):\n    return lambda n: 2 * f(n)\n\n\n@twice\ndef third(n):\n    return n // 3\n",
            tests="def test_third():\n    assert third(3) == 2\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def twice(f):\n    return lambda n: 2 * f(n)\n\n\n@twice\ndef third(n):\n    return n // 3\n",
            tests="def test_third():\n    assert third(1) == 0\n",
            survivors=(f"({_NOTHING})",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """A decorator that hands on what it is given."""
        decorator = cst.ensure_type(node, cst.Decorator).decorator
        name = _name(decorator, source)
        if name in _NEEDED or name.rpartition(".")[2] in _OF_PROPERTIES:
            return
        for draft in operator_drafts(decorator, source, [f"({_NOTHING})"], "the decorator"):
            yield dataclasses.replace(draft, ignored=draft.ignored or _why_not(name))


def _name(decorator: cst.BaseExpression, source: Source) -> str:
    """The dotted name of a decorator, called or not, after the imports where they tell."""
    plain = decorator.func if isinstance(decorator, cst.Call) else decorator
    return source.resolves_to(plain) or cst.helpers.get_full_name_for_node(plain) or ""


def _why_not(name: str) -> str | None:
    if name.replace("typing_extensions.", "typing.") in _FOR_TYPES:
        return "arid: only for the type checker"
    return "arid: only spares work" if name in _SPARE_WORK else None
