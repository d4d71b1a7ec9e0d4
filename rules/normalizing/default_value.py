"""FP206: deleting the value that stands in for a missing one."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, Example, MutantDraft, Rule, Source
from fencepost.rules.normalizing._calls import (
    argument,
    call_shape,
    is_literally,
    is_namespace,
    method_name,
    observed,
    only_reached,
    shown,
    unobserved,
)

METHODS = frozenset({"get", "setdefault", "pop"})
FUNCTIONS = {"getattr": 3, "next": 2, "os.getenv": 2}
# without a default these give None, the others raise
NONE_WHEN_MISSING = frozenset({"get", "setdefault", "os.getenv"})
TRUTHS = re.compile(
    r"_*(is|has|can|should|was|were|are|needs|supports|contains|allows?|accepts?)_\w+"
    r"|is(instance|subclass|alnum|alpha|ascii|decimal|digit|identifier|lower|numeric|printable|space|title|upper)"
    r"|is(dir|file|abs|link|mount|subset|superset|disjoint|nan|inf|finite|close|atty)"
    r"|hasattr|any|all|bool|callable|startswith|endswith|exists"
)
ONLY_TRUTH = (cst.If, cst.While, cst.Assert, cst.CompIf, cst.BooleanOperation, cst.Expr, cst.MatchCase)


class DefaultValue(Rule):
    """A default for a missing value, which no test would miss.

    ## What it does
    Takes the default away: `d.get(k, x)` becomes `d.get(k)`, and so do `pop`, `setdefault`, `os.environ.get`,
    `os.getenv`, `getattr(o, n, x)` and `next(it, x)`; `a or x` becomes `a` where the value is used and not only its
    truth; `x if a is None else a`, its mirror and `a if a else x` become `a`; `field(default=x)` becomes
    `field(default=None)`. Only an input from which the value is missing tells the difference. Defaults in the
    signature of a function are left alone so far.

    ## Why it matters
    A default is a decision about input that is not there, and test inputs are mostly complete. The day a field is
    missing, nobody has said what should happen.

    ## What to do
    Add a test whose input lacks the value (no such key, None, empty), and assert what comes out instead.
    """

    code = "FP206"
    name = "default-value"
    node_types = (cst.Call, cst.BooleanOperation, cst.IfExp)

    VALID: ClassVar = [
        Example(
            code="def port(settings):\n    return settings.get('port', 80)\n",
            tests="def test_missing():\n    assert port({}) == 80\n",
        ),
        Example(
            code="def greet(name=None):\n    return 'Hello ' + (name or 'you')\n",
            tests="def test_nobody():\n    assert greet('') == 'Hello you'\n",
        ),
        Example(
            code="def allowed(user):\n    return user.is_admin or user.is_owner\n",
            tests="class User:\n    is_admin = is_owner = True\n\ndef test_admin():\n    assert allowed(User)\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def port(settings):\n    return settings.get('port', 80)\n",
            tests="def test_given():\n    assert port({'port': 8080}) == 8080\n",
            survivors=("settings.get('port')",),
        ),
        Example(
            code="def size(limit=None):\n    return 10 if limit is None else limit\n",
            tests="def test_given():\n    assert size(3) == 3\n",
            survivors=("limit",),
        ),
        Example(
            code="def first(items, label=None):\n    return label or 'first', next(iter(items), None)\n",
            tests="def test_given():\n    assert first([4], 'top') == ('top', 4)\n",
            survivors=("label", "next(iter(items))"),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        if isinstance(node, cst.Call):
            draft = _method_draft(node, source) or _function_draft(node, source) or _field_draft(node, source)
        elif isinstance(node, cst.BooleanOperation):
            draft = _or_draft(node, source)
        else:
            draft = _conditional_draft(cst.ensure_type(node, cst.IfExp), source)
        if draft is not None:
            yield draft


def _method_draft(call: cst.Call, source: Source) -> Draft | None:
    name = method_name(call)
    if name not in METHODS or len(call.args) != 2:
        return None
    shape = call_shape(call, method=True)
    if shape is None or shape.keywords or is_namespace(shape.operands[0], source):
        return None
    _, key, default = shape.operands
    # `queue.get(True, 5)` waits five seconds: no key is called True
    if is_literally(key, "True", "False") or (name in NONE_WHEN_MISSING and is_literally(default, "None")):
        return None
    ask = f"use an input in which {shown(key, source)} is missing, and assert what `{shown(call, source)}` leads to"
    return observed(shape, source, observer="missing-key", ask=ask, templates=[f"{shape.head}({{1}})"])


def _function_draft(call: cst.Call, source: Source) -> Draft | None:
    name = source.resolves_to(call.func)
    shape = call_shape(call, method=False)
    if name is None or shape is None or shape.keywords or len(shape.positional) != FUNCTIONS.get(name):
        return None
    if name in NONE_WHEN_MISSING and is_literally(shape.operands[-1], "None"):
        return None
    ask = f"use an input for which `{shown(call, source)}` finds nothing and gives its default"
    template = f"{shape.head}({', '.join(shape.positional[:-1])})"
    return observed(shape, source, observer="missing", ask=ask, templates=[template])


def _field_draft(call: cst.Call, source: Source) -> Draft | None:
    default = argument(call, "default")
    if source.resolves_to(call.func) != "dataclasses.field" or default is None or is_literally(default, "None"):
        return None
    shape = call_shape(call, method=False)
    if shape is None:
        return None
    shape = dataclasses.replace(shape, keywords={**shape.keywords, "default": "None"})
    ask = f"make one without this field, and assert that it is {shown(default, source)}"
    return unobserved(shape, source, ask=ask, templates=[shape.template])


def _or_draft(choice: cst.BooleanOperation, source: Source) -> Draft | None:
    """The draft of `x or d`; the last alternative is dropped, which keeps the precedence as it was."""
    if not isinstance(choice.operator, cst.Or) or not _used_as_value(choice, source):
        return None
    if _says_truth(choice):
        return None
    kept, default = source.text(choice.left), choice.right
    ask = _ask(choice.left, "None or empty", default, source)
    if isinstance(choice.left, cst.BooleanOperation) and not choice.left.lpar:
        # `a or b or c` is one expression of three: there is no `a or b` in it to be watched
        return only_reached(choice, ask=ask, replacements=[kept], kind="default")
    operands = (choice.left, default) if _is_constant(default) else (choice.left,)
    return Draft(choice, "default", ask, [MutantDraft(kept, "{0:atom}")], operands, "falsy", Shape.LEFT)


def _ask(value: cst.CSTNode, missing: str, default: cst.CSTNode, source: Source) -> str:
    return f"use an input for which `{shown(value, source)}` is {missing}, so that {shown(default, source)} stands in"


def _is_constant(node: cst.BaseExpression) -> bool:
    """Whether evaluating the node once more does nothing and gives an equal value."""
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.expression, cst.BaseNumber)
    if isinstance(node, cst.List | cst.Tuple | cst.Dict):
        return not node.elements
    return isinstance(node, cst.BaseNumber | cst.SimpleString) or is_literally(node, "None", "True", "False")


def _says_truth(node: cst.BaseExpression) -> bool:
    """Whether a node is plainly true or false by its form or its name, so that `or` means the logical one."""
    if isinstance(node, cst.BooleanOperation):
        return _says_truth(node.left) or _says_truth(node.right)
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.operator, cst.Not)
    if isinstance(node, cst.Call):
        return _says_truth(node.func)
    if isinstance(node, cst.Attribute):
        return TRUTHS.fullmatch(node.attr.value) is not None
    if isinstance(node, cst.Name):
        return node.value in {"True", "False"} or TRUTHS.fullmatch(node.value) is not None
    return isinstance(node, cst.Comparison)


def _used_as_value(node: cst.CSTNode, source: Source) -> bool:
    """Whether the value of the visited node goes somewhere; in a test only its truth does."""
    level, child = 1, node
    while (around := source.parent(level)) is not None:
        if isinstance(around, cst.IfExp) and child is around.test:
            return False
        if not isinstance(around, cst.IfExp | cst.NamedExpr):
            return not _wants_truth(around, level, source)
        level, child = level + 1, around
    return False


def _wants_truth(around: cst.CSTNode, level: int, source: Source) -> bool:
    if isinstance(around, cst.UnaryOperation):
        return isinstance(around.operator, cst.Not)
    if isinstance(around, cst.Arg):
        call = source.parent(level + 1)
        named = around.keyword is not None and _says_truth(around.keyword)
        return named or (isinstance(call, cst.Call) and _says_truth(call.func))
    if isinstance(around, cst.GeneratorExp):
        outer = source.parent(level + 1)
        return outer is not None and _wants_truth(outer, level + 1, source)
    return isinstance(around, ONLY_TRUTH) or _keeps_truth(around, level, source)


def _keeps_truth(around: cst.CSTNode, level: int, source: Source) -> bool:
    """Whether what is assigned or returned is a truth, by its name or annotation."""
    if isinstance(around, cst.Assign):
        return any(_says_truth(target.target) for target in around.targets)
    if isinstance(around, cst.AnnAssign):
        return _is_bool(around.annotation, source)
    return isinstance(around, cst.Return | cst.Lambda) and _answers_yes_or_no(around, level, source)


def _is_bool(annotation: cst.Annotation | None, source: Source) -> bool:
    return annotation is not None and source.text(annotation.annotation) == "bool"


def _answers_yes_or_no(around: cst.Return | cst.Lambda, level: int, source: Source) -> bool:
    """Whether what is returned is the answer of a predicate, by its annotation or its name."""
    if isinstance(around, cst.Lambda):
        return False
    while (outer := source.parent(level)) is not None:
        if isinstance(outer, cst.FunctionDef):
            return _is_bool(outer.returns, source) or _says_truth(outer.name)
        level += 1
    return False


def _conditional_draft(conditional: cst.IfExp, source: Source) -> Draft | None:
    value, default, only_none = _tested_value(conditional)
    if value is None or default is None or (only_none and is_literally(default, "None")):
        return None
    text = source.text(value)
    ask = _ask(value, "None" if only_none else "None or empty", default, source)
    if only_none and _is_plain_chain(value):
        mutant = MutantDraft(text, "{0:atom}")
        return Draft(conditional, "default", ask, [mutant], (value,), "none", Shape.WATCH)
    return only_reached(conditional, ask=ask, replacements=[text], kind="default")


def _tested_value(
    conditional: cst.IfExp,
) -> tuple[cst.BaseExpression | None, cst.BaseExpression | None, bool]:
    """The value, its default, and whether only None counts as missing; no value where the `if` is no such idiom."""
    tested, missing, only_none = _missing_test(conditional.test)
    value, default = conditional.body, conditional.orelse
    if missing:
        value, default = default, value
    if tested is None or not tested.deep_equals(value):
        return None, None, only_none
    # the tested one is always evaluated, its twin not
    return tested, default, only_none


def _missing_test(test: cst.BaseExpression) -> tuple[cst.BaseExpression | None, bool, bool]:
    """What a test asks about, whether it holds for a missing value, and whether only None counts as missing."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return test.expression, True, False
    if not isinstance(test, cst.Comparison):
        return test, False, False
    only, *more = test.comparisons
    if not more and is_literally(only.comparator, "None") and isinstance(only.operator, cst.Is | cst.IsNot):
        return test.left, isinstance(only.operator, cst.Is), True
    return None, False, True


def _is_plain_chain(node: cst.BaseExpression) -> bool:
    while isinstance(node, cst.Attribute):
        node = node.value
    return isinstance(node, cst.Name)
