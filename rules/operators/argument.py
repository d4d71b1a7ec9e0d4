"""FP506: an argument taken away or replaced."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.operators._mutmut import changed
from fencepost.rules.operators._operator import bare, operator_drafts, text_of


class Argument(Rule):
    """An argument that no test would miss.

    ## What it does
    Takes an argument of a call away, or gives None in its place, one at a time. A keyword of `dict(...)` gets another
    name. Runs with `--operators all`.

    ## Why it matters
    An argument that can go unnoticed is one of which no test has seen the effect: a default does the same, or the
    result is not looked at.

    ## What to do
    Use an input for which the argument matters, and assert what it brings about.
    """

    code = "FP506"
    name = "argument"
    by_default = False
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="def f(line, sep=','):\n    return line.split(sep)\n\n\ndef cells(row):\n    return f(row, ';')\n",
            tests="def test_cells():\n    assert cells('a;b c') == ['a', 'b c']\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def f(line, sep=' '):\n    return line.split(sep)\n\n\ndef words(row):\n    return f(row, ' ')\n",
            tests="def test_words():\n    assert words('a b') == ['a', 'b']\n",
            survivors=("line.split(None)", "f(row, None)", "f(row, )"),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        """The call with other arguments."""
        call = cst.ensure_type(node, cst.Call)
        plain = bare(call)
        changes = [one for name in ("operator_arg_removal", "operator_dict_arguments") for one in changed(name, plain)]
        texts = [text_of(one) for one in changes if not _leaves_the_default(call, one)]
        yield from operator_drafts(call, source, texts, "the argument of")


def _leaves_the_default(call: cst.Call, change: cst.CSTNode) -> bool:
    """Whether it takes the None away from `d.get(key, None)`, which means nothing else."""
    is_get = isinstance(call.func, cst.Attribute) and call.func.attr.value in {"get", "environ"}
    is_last = len(call.args) == 2 and isinstance(call.args[1].value, cst.Name) and call.args[1].value.value == "None"
    fewer = cst.ensure_type(change, cst.Call).args
    return is_get and is_last and len(fewer) == 1 and fewer[0].value is call.args[0].value
