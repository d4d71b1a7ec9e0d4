"""FP207: deleting what takes a prefix or suffix off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, Rule, Source
from fencepost.rules.boundary._comparison import is_length
from fencepost.rules.normalizing._calls import call_shape, is_namespace, method_name, shown
from fencepost.rules.normalizing._dropping import dropping, dropping_call, is_written

REMOVERS = {"removeprefix": "begins", "removesuffix": "ends"}
PARTITIONS = frozenset({"partition", "rpartition"})
# the piece that is picked, and the one on the other side of the separator
OTHER_SIDE = {0: 2, 2: 0, -3: 2, -1: 0}


class Affix(Rule):
    """A prefix, a suffix or the other half of a text that is taken off, which no test would miss.

    ## What it does
    Deletes calls of `removeprefix` and `removesuffix`, and the slices `s[len(p):]`, `s[len(p) + 1:]` and `s[:-len(p)]`.
    A pick such as `s.partition(":")[0]` becomes `s`, and on its own the pick from the other side of the separator.

    ## Why it matters
    Test inputs are mostly written bare, without the scheme, the extension or the comment that real input carries. Then
    nobody knows whether it is taken off.

    ## What to do
    Add a test whose input has the affix, such as `"v1.2"` or `"name:value"`, and assert what is left of it.
    """

    code = "FP207"
    name = "affix"
    node_types = (cst.Call, cst.Subscript)

    VALID: ClassVar = [
        Example(
            code="def version(tag):\n    return tag.removeprefix('v')\n",
            tests="def test_tag():\n    assert version('v1.2') == '1.2'\n",
        ),
        Example(
            code="def bare(line):\n    return line.partition('#')[0]\n",
            tests="def test_comment():\n    assert bare('a#b') == 'a'\n",
        ),
        Example(
            code=(
                "def shorten(path, folder):\n    del folder[len(path):]\n"
                "    return path[len(folder[0]) + 1:] if path.startswith(folder[0]) else path\n"
            ),
            tests="def test_inside():\n    assert shorten('src/a.py', ['src']) == 'a.py'\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def version(tag):\n    return tag.removeprefix('v')\n",
            tests="def test_bare():\n    assert version('1.2') == '1.2'\n",
            survivors=("tag",),
        ),
        Example(
            code="def stem(name, ending):\n    return name[:-len(ending)]\n",
            tests="def test_it_runs():\n    assert stem('a.py', '.py')\n",
            survivors=("name",),
        ),
        Example(
            code="def bare(line):\n    return line.partition('#')[0]\n",
            tests="def test_no_comment():\n    assert bare('a') == 'a'\n",
            survivors=("line",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        if isinstance(node, cst.Call):
            draft = _removal_draft(node, source)
        else:
            subscript = cst.ensure_type(node, cst.Subscript)
            draft = _slice_draft(subscript, source) or _pick_draft(subscript, source)
        if draft is not None:
            yield draft


def _removal_draft(call: cst.Call, source: Source) -> Draft | None:
    name = method_name(call)
    if name not in REMOVERS or len(call.args) != 1 or call.args[0].keyword is not None:
        return None
    shape = call_shape(call, method=True)
    if shape is None or is_namespace(shape.operands[0], source):
        return None
    affix = shown(call.args[0].value, source)
    ask = f"use an input for `{shown(call, source)}` that {REMOVERS[name]} with {affix}, and assert what is left"
    return dropping_call(shape, source, ask=ask, mutants=["{0:atom}"])


def _slice_draft(subscript: cst.Subscript, source: Source) -> Draft | None:
    """The draft of `s[len(p):]`, `s[len(p) + 1:]` or `s[:-len(p)]`."""
    only = subscript.slice[0].slice if len(subscript.slice) == 1 else None
    if not isinstance(only, cst.Slice) or only.step is not None or is_written(subscript, source):
        return None
    ask = f"use an input from which `{shown(subscript, source)}` takes something off, and assert what is left"
    if only.lower is not None and only.upper is None and _is_past_length(only.lower, source):
        operands, template = (subscript.value, only.lower), "{0:atom}[{1}:]"
    elif only.lower is None and isinstance(only.upper, cst.UnaryOperation) and _negates_length(only.upper, source):
        operands, template = (subscript.value, only.upper.expression), "{0:atom}[:-{1}]"
    else:
        return None
    return dropping(subscript, operands, template, source, ask=ask, mutants=["{0:atom}"], kind="slice")


def _is_past_length(bound: cst.BaseExpression, source: Source) -> bool:
    if isinstance(bound, cst.BinaryOperation) and isinstance(bound.operator, cst.Add):
        return is_length(bound.left, source) and isinstance(bound.right, cst.Integer)
    return is_length(bound, source)


def _negates_length(bound: cst.UnaryOperation, source: Source) -> bool:
    return isinstance(bound.operator, cst.Minus) and is_length(bound.expression, source)


def _pick_draft(subscript: cst.Subscript, source: Source) -> Draft | None:
    """The draft of `s.partition(sep)[0]` and its like; the separator itself, `[1]`, is no part of the text."""
    only, call = subscript.slice[0].slice, subscript.value
    if not isinstance(call, cst.Call) or not isinstance(only, cst.Index) or len(subscript.slice) != 1:
        return None
    index, name = source.number(only.value), method_name(call)
    if name not in PARTITIONS or index not in OTHER_SIDE or isinstance(only.value, cst.Name) or len(call.args) != 1:
        return None
    shape = call_shape(call, method=True)
    if shape is None or shape.keywords or is_namespace(shape.operands[0], source):
        return None
    separator = shown(call.args[0].value, source)
    ask = f"use an input for `{shown(subscript, source)}` with {separator} in it, and something else on each side"
    mutants = ["{0:atom}", f"{shape.template}[{OTHER_SIDE[int(index)]}]"]
    template = f"{shape.template}[{source.text(only.value)}]"
    return dropping(subscript, shape.operands, template, source, ask=ask, mutants=mutants, kind="pick")
