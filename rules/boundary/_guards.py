"""Tests for nothing that only spare the work: for what is empty, the code does the same as without them.

`if xs:` around a loop over `xs` cannot be told from `if xs is not None:`, whatever it is that one can loop over.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._comparison import OPERATORS, is_length
from fencepost.rules.boundary._facts import HOLDS
from fencepost.rules.boundary._idioms import apart, small_statements
from fencepost.rules.boundary._idle import does_nothing, goes_over
from fencepost.rules.boundary._names import is_own, parsed
from fencepost.rules.boundary._objects import is_object
from fencepost.rules.normalizing._calls import is_literally, is_quiet, method_name, shown

STEADY = cst.Name | cst.Attribute | cst.Subscript
# what each gives for nothing
OF_NOTHING = {
    "list": "[]", "sorted": "[]", "tuple": "()", "set": "set()", "dict": "{}", "sum": "0", "any": "False",
    "all": "True", "len": "0",
}  # fmt: skip
SAME = {"list()": "[]", "tuple()": "()", "dict()": "{}", '""': "''", 'b""': "b''"}
EMPTY = frozenset({"[]", "()", "{}", "set()", "''", "b''"})
OF_ARRAYS = ("numpy", "pandas", "polars", "xarray", "torch", "tensorflow", "jax")


def same_when_empty(value: cst.BaseExpression, test: cst.BaseExpression, source: Source, *, holds: bool) -> str | None:
    """Why the visited test of a value does the same for an empty one as for None; None where it may not.

    Args:
        holds: whether the test holds for what is neither empty nor None.
    """
    if not isinstance(value, STEADY):
        return None  # evaluated twice it may be two things
    if isinstance(test, cst.Comparison) and source.imports(*OF_ARRAYS):
        return None  # an array has no truth at all, which is why it is compared with None
    if is_object(value, source):
        return f"equivalent by type: `{shown(value, source)}` is None or an object, which is never empty"
    if _only_spares_work(value, test, source, holds=holds):
        return f"equivalent: for an empty `{shown(value, source)}` the code does the same with and without the test"
    return None


def _only_spares_work(value: cst.BaseExpression, test: cst.BaseExpression, source: Source, *, holds: bool) -> bool:
    if _is_repeated_beside(value, test, source, holds=holds):
        return True
    level, child = _up_from_others(test, source, holds=holds)
    around = source.parent(level)
    if isinstance(around, cst.IfExp) and child is around.test:
        filled, empty = (around.body, around.orelse) if holds else (around.orelse, around.body)
        return _is_worth(filled, empty, value, source)
    if not isinstance(around, cst.If) or child is not around.test:
        return False
    if around.orelse is None and holds:
        return all(does_nothing(one, value, source) for one in small_statements(around.body))
    if around.orelse is None:
        return _leaves_as_it_would(around, value, source, level + 1)
    if isinstance(around.orelse, cst.Else):
        bodies = [_without_unpacking(small_statements(one.body), value, source) for one in (around, around.orelse)]
        return bodies[0] is not None and bodies[0] == bodies[1]
    return False


def _is_repeated_beside(value: cst.BaseExpression, test: cst.BaseExpression, source: Source, *, holds: bool) -> bool:
    """`xs is not None and len(xs) > 0` in a test: what stands behind says the same of an empty value."""
    operator = cst.And if holds else cst.Or
    level: int = 1
    child: cst.BaseExpression = test
    repeated, missed = False, False
    while isinstance(around := source.parent(level), cst.BooleanOperation) and isinstance(around.operator, operator):
        if child is around.left and not repeated and not missed:
            repeated = _of_empty(around.right, value, source) is (not holds)
            missed = not repeated and not is_quiet(around.right, source)
        level, child = level + 1, around
    return repeated and _is_tested(child, source, level)


def _is_tested(condition: cst.BaseExpression, source: Source, level: int) -> bool:
    """Whether only the truth of a condition around the visited node is asked for."""
    while isinstance(around := source.parent(level), cst.BooleanOperation | cst.UnaryOperation):
        if isinstance(around, cst.UnaryOperation) and isinstance(around.operator, cst.Not):
            return True
        level, condition = level + 1, around
    return isinstance(around, cst.If | cst.While | cst.IfExp | cst.CompIf) and around.test is condition


def _of_empty(test: cst.BaseExpression, value: cst.BaseExpression, source: Source) -> bool | None:
    """What a test of a value gives where it is empty; None where that is not plain to see."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = _of_empty(test.expression, value, source)
        return None if inner is None else not inner
    if test.deep_equals(value) or _is_length_of(test, value, source):
        return False
    if not isinstance(test, cst.Comparison) or len(test.comparisons) > 1:
        return None
    only = test.comparisons[0]
    number, holds = source.number(only.comparator), HOLDS.get(OPERATORS[type(only.operator)])
    if number is None or holds is None or not _is_length_of(test.left, value, source):
        return None
    return holds(0, number)


def _is_length_of(node: cst.BaseExpression, value: cst.BaseExpression, source: Source) -> bool:
    return isinstance(node, cst.Call) and is_length(node, source) and node.args[0].value.deep_equals(value)


def _up_from_others(test: cst.BaseExpression, source: Source, *, holds: bool) -> tuple[int, cst.CSTNode]:
    """The whole condition that the test is a part of, as far as evaluating the rest too is missed by nobody."""
    level: int = 1
    child: cst.BaseExpression = test
    operator = cst.And if holds else cst.Or
    while isinstance(around := source.parent(level), cst.BooleanOperation) and isinstance(around.operator, operator):
        if child is around.left and not is_quiet(around.right, source):
            break
        level, child = level + 1, around
    return level, child


def _is_worth(filled: cst.BaseExpression, empty: cst.BaseExpression, value: cst.BaseExpression, source: Source) -> bool:
    """Whether an expression over a value gives just the other one where the value is empty."""
    nothing = _of_nothing(filled, value, source)
    if nothing is not None:
        return _normal(empty, source) == nothing
    plain = [_without_unpacking([cst.Expr(one)], value, source) for one in (filled, empty)]
    return plain[0] is not None and plain[0] == plain[1]


def _of_nothing(node: cst.BaseExpression, value: cst.BaseExpression, source: Source) -> str | None:
    """What an expression gives where a value is empty, as source text; None where that is not plain to see."""
    if isinstance(node, cst.ListComp | cst.SetComp | cst.DictComp):
        over = not node.for_in.asynchronous and goes_over(node.for_in.iter, value, source)
        return {cst.ListComp: "[]", cst.SetComp: "set()", cst.DictComp: "{}"}[type(node)] if over else None
    if not isinstance(node, cst.Call) or len(node.args) != 1 or node.args[0].star or node.args[0].keyword:
        return None
    if not goes_over(node.args[0].value, value, source):
        return None
    if method_name(node) == "join":
        glue = cst.ensure_type(node.func, cst.Attribute).value
        kind = type(glue.evaluated_value) if isinstance(glue, cst.SimpleString) else None
        return {str: "''", bytes: "b''"}.get(kind) if kind is not None else None
    return OF_NOTHING.get(source.resolves_to(node.func) or "")


def _leaves_as_it_would(branch: cst.If, value: cst.BaseExpression, source: Source, level: int) -> bool:
    """`if not xs: return []` where what follows comes to the same for no items, or `continue` where the loop ends."""
    block = source.parent(level)
    leaving = small_statements(branch.body)
    if not isinstance(block, cst.IndentedBlock) or len(leaving) != 1:
        return False
    owner = source.parent(level + 1)
    ends = cst.FunctionDef if isinstance(leaving[0], cst.Return) else cst.For | cst.While
    if not isinstance(leaving[0], cst.Return | cst.Continue) or not isinstance(owner, ends):
        return False
    place = next(number for number, one in enumerate(block.body) if one is branch)
    following = apart(block.body[place + 1 :])
    if isinstance(leaving[0], cst.Return):
        return bool(following) and _comes_to(leaving[0].value, following, value, source)
    return bool(following) and all(does_nothing(one, value, source) for one in following)


def _comes_to(
    given: cst.BaseExpression | None, following: Sequence[cst.CSTNode], value: cst.BaseExpression, source: Source
) -> bool:
    """Whether the statements up to the end of a function do nothing for an empty value but return what is given."""
    known: dict[str, cst.BaseExpression] = {}
    for statement in following:
        if isinstance(statement, cst.Return):
            return _is_same(given, statement.value, known, value, source)
        named = _named(statement, source)
        if named is not None:
            known[named[0]] = named[1]
        elif not does_nothing(statement, value, source):
            return False
    return given is None or is_literally(given, "None")


def _named(statement: cst.CSTNode, source: Source) -> tuple[str, cst.BaseExpression] | None:
    """The name and the value of an assignment that nobody would miss where the function returns."""
    if not isinstance(statement, cst.Assign) or len(statement.targets) > 1:
        return None
    target, value = statement.targets[0].target, statement.value
    if not isinstance(target, cst.Name) or not is_own(target.value, source):
        return None
    return (target.value, value) if _normal(value, source) in EMPTY or is_quiet(value, source) else None


def _normal(node: cst.BaseExpression, source: Source) -> str:
    text = source.text(node)
    return SAME.get(text, text)


def _is_same(
    given: cst.BaseExpression | None,
    returned: cst.BaseExpression | None,
    known: dict[str, cst.BaseExpression],
    value: cst.BaseExpression,
    source: Source,
) -> bool:
    """Whether what is returned for an empty value is worth what is given."""
    if given is None or returned is None:
        return given is returned
    if isinstance(returned, cst.Name):
        returned = known.get(returned.value, returned)
        return _normal(returned, source) == _normal(given, source)
    return _is_worth(returned, given, value, source)


def _without_unpacking(statements: Sequence[cst.CSTNode], value: cst.BaseExpression, source: Source) -> str | None:
    """A plain statement without `*value` and `**value` among the arguments of its call; None where it is another."""
    only = statements[0] if len(statements) == 1 else None
    if not isinstance(only, cst.Expr | cst.Assign | cst.Return):
        return None
    tree = parsed(only)
    unpacked = ast.dump(ast.parse(f"({source.text(value)})", mode="eval").body)
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call)]
    for call in calls[:1]:
        call.args = [one for one in call.args if not (isinstance(one, ast.Starred) and ast.dump(one.value) == unpacked)]
        call.keywords = [one for one in call.keywords if one.arg or ast.dump(one.value) != unpacked]
    return ast.dump(tree) if calls else None
