"""Whether both ways of a comparison come to the same where its operands are equal, by putting one for the other.

`if lo < hi: del xs[lo:hi]` deletes nothing where the two are equal, and `2 * n if n > 0 else 0` is 0 both times.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

import libcst as cst

from fencepost.rules._rule import Source
from fencepost.rules.boundary._comparison import Link
from fencepost.rules.boundary._folding import PADDERS, Folding
from fencepost.rules.boundary._names import is_own, parsed
from fencepost.rules.normalizing._calls import is_quiet

# evaluated at another time, or with names of their own: there one operand must not be put for the other
ELSEWHERE = (
    ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.NamedExpr | ast.Yield
    | ast.YieldFrom | ast.Await
)  # fmt: skip
ONE_AT_A_TIME = (
    ast.Assign | ast.AugAssign | ast.Delete | ast.Expr | ast.For | ast.Pass | ast.Raise | ast.Return
)  # fmt: skip
BUILTINS = frozenset({"abs", "int", "len", "max", "min", "range"})


def alike_where_equal(link: Link, source: Source) -> bool:
    """Whether the visited comparison, its operands steady, decides between two ways that come to the same."""
    if not is_quiet(link.comparison, source):
        return False  # the rest of a chain may do something
    level, child = _up_to_the_whole_test(link, source)
    ways = _ways(source.parent(level), child, source, level)
    if ways is None or any(source.resolves_to(cst.Name(name)) != name for name in BUILTINS):
        return False
    if any(len(way) > 1 or not all(_is_steady(one, link, source) for one in way) for way in ways):
        return False  # what one statement does may change the operands before the next one
    left, right = map(_expression, link.operands)
    folding = Folding(left, right, _length_before(child, source, level))
    one, other = ([each for each in map(folding.folded, way) if not folding.does_nothing(each)] for way in ways)
    return [*map(ast.dump, one)] == [*map(ast.dump, other)]


def _up_to_the_whole_test(link: Link, source: Source) -> tuple[int, cst.BaseExpression]:
    """The whole condition that the comparison is a part of, as far as evaluating the rest too is missed by nobody."""
    level: int = 1
    child: cst.BaseExpression = link.comparison
    while isinstance(around := source.parent(level), cst.BooleanOperation | cst.UnaryOperation):
        if isinstance(around, cst.UnaryOperation) and not isinstance(around.operator, cst.Not):
            break
        if isinstance(around, cst.BooleanOperation) and child is around.left and not is_quiet(around.right, source):
            break
        level, child = level + 1, around
    return level, child


def _ways(
    around: cst.CSTNode | None, test: cst.CSTNode, source: Source, level: int
) -> tuple[Sequence[ast.stmt], Sequence[ast.stmt]] | None:
    """What is done where a test holds and where it does not; None where that is not plain to see."""
    if isinstance(around, cst.IfExp) and test is around.test:
        return [ast.Expr(_expression(around.body))], [ast.Expr(_expression(around.orelse))]
    if not isinstance(around, cst.If) or test is not around.test or isinstance(around.orelse, cst.If):
        return None
    held = _statements(around.body)
    if around.orelse is not None:
        return held, _statements(around.orelse.body)
    if isinstance(held[-1], ast.Return):
        following = _beside(around, source, level, 1)
        returned = following.body[0] if isinstance(following, cst.SimpleStatementLine) else None
        return (held, [_statement(returned)]) if isinstance(returned, cst.Return) else None
    return held, []


def _expression(node: cst.BaseExpression) -> ast.expr:
    statement = _statement(cst.Expr(node))
    assert isinstance(statement, ast.Expr)  # noqa: S101 - it is one
    return statement.value


def _statement(node: cst.BaseSmallStatement) -> ast.stmt:
    tree = parsed(node)
    assert isinstance(tree, ast.Module)  # noqa: S101 - it parses as a file
    return tree.body[0]


def _statements(body: cst.BaseSuite) -> Sequence[ast.stmt]:
    tree = parsed(body)
    assert isinstance(tree, ast.Module)  # noqa: S101 - it parses as a file
    branch = tree.body[0]
    assert isinstance(branch, ast.If)  # noqa: S101 - the one that a body is parsed under
    return branch.body


def _is_steady(statement: ast.stmt, link: Link, source: Source) -> bool:
    """Whether the operands are what they were when the comparison was made, wherever the statement uses them."""
    read = statement.iter if isinstance(statement, ast.For) else statement
    nodes = list(ast.walk(read))
    if not isinstance(statement, ONE_AT_A_TIME) or any(isinstance(one, ELSEWHERE) for one in nodes):
        return False
    calls = [one.func for one in nodes if isinstance(one, ast.Call)]
    return all(map(_is_known, calls)) or all(_is_kept(one, source) for one in link.operands)


def _is_known(function: ast.expr) -> bool:
    """Whether a call of this changes nothing."""
    match function:
        case ast.Name(id=name):
            return name in BUILTINS
        case ast.Attribute(attr=name):
            return name in PADDERS
    return False


def _is_kept(operand: cst.BaseExpression, source: Source) -> bool:
    """Whether no call can change what an operand is."""
    return source.number(operand) is not None or (isinstance(operand, cst.Name) and is_own(operand.value, source))


def _beside(branch: cst.If, source: Source, level: int, step: int) -> cst.CSTNode | None:
    """The statement before (-1) or after (1) the one around the visited test; None where there is none."""
    around = source.parent(level + 1)
    siblings = around.body if isinstance(around, cst.IndentedBlock | cst.Module) else ()
    place = next((number + step for number, one in enumerate(siblings) if one is branch), -1)
    return siblings[place] if 0 <= place < len(siblings) else None


def _length_before(test: cst.BaseExpression, source: Source, level: int) -> tuple[ast.expr, ast.expr] | None:
    """The name and the length of `n = len(xs)`, where that is the statement just before the one that is tested."""
    branch = source.parent(level)
    if not isinstance(branch, cst.If) or not is_quiet(test, source):
        return None
    match _beside(branch, source, level, -1):
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=cst.Name() as name)]) as given]):
            length = _expression(given.value)
            match length:
                case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=items)]) if items != name.value:
                    return _expression(name), length
    return None
