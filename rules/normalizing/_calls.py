"""What the normalizing rules share: looking at the arguments of a call and spelling it over its operands."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import libcst as cst

from fencepost.analyzer.model import Shape
from fencepost.rules._rule import Draft, MutantDraft, Source, over_operands

LONGEST_SHOWN = 60
ACCESSORS = frozenset({"str", "dt"})
QUIET_FUNCTIONS = frozenset({"len", "isinstance", "issubclass", "callable", "bool", "str.maketrans"})
QUIET_METHODS = frozenset({
    "startswith", "endswith", "isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isdecimal",
    "isnumeric", "isidentifier", "strip", "lstrip", "rstrip", "lower", "upper", "casefold",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class CallShape:
    """A call spelled over operands: operand 0 is the receiver of a method or the callee of a function.

    `template` spells the whole call, `arguments` the part between the parentheses. `keywords` maps keyword names to the
    template of their value.
    """

    call: cst.Call
    operands: tuple[cst.BaseExpression, ...]
    head: str
    positional: tuple[str, ...]
    keywords: dict[str, str]

    @property
    def template(self) -> str:
        return self.without()

    def without(self, *dropped: str) -> str:
        """The template of the call without some keywords."""
        kept = [f"{name}={value}" for name, value in self.keywords.items() if name not in dropped]
        return f"{self.head}({', '.join([*self.positional, *kept])})"


def call_shape(call: cst.Call, *, method: bool) -> CallShape | None:
    """The shape of a call; None where it unpacks arguments, which no template can spell."""
    if any(argument.star for argument in call.args):
        return None
    if method:
        function = cst.ensure_type(call.func, cst.Attribute)
        operands = [function.value]
        head = f"{{0:atom}}.{function.attr.value}"
    else:
        operands = [call.func]
        head = "{0:atom}"
    positional: list[str] = []
    keywords: dict[str, str] = {}
    for number, argument in enumerate(call.args, start=1):
        operands.append(argument.value)
        if argument.keyword is None:
            positional.append(f"{{{number}}}")
        else:
            keywords[argument.keyword.value] = f"{{{number}}}"
    return CallShape(call, tuple(operands), head, tuple(positional), keywords)


def method_name(call: cst.Call) -> str | None:
    """The name of the method that is called; None for a call of anything but an attribute."""
    return call.func.attr.value if isinstance(call.func, cst.Attribute) else None


def argument(call: cst.Call, keyword: str) -> cst.BaseExpression | None:
    """The value given to a keyword; None where it is left out."""
    return next((given.value for given in call.args if given.keyword and given.keyword.value == keyword), None)


def call_around(source: Source) -> cst.Call | None:
    """The call of which the visited node is a positional argument of its own; None where it is anything else."""
    given, call = source.parent(), source.parent(2)
    if isinstance(given, cst.Arg) and given.keyword is None and not given.star and isinstance(call, cst.Call):
        return call
    return None


def is_literally(node: cst.CSTNode | None, *words: str) -> bool:
    """Whether the node is one of these words as written: `None`, `False`."""
    return isinstance(node, cst.Name) and node.value in words


def is_quiet(node: cst.CSTNode, source: Source) -> bool:
    """Whether nobody would miss the evaluation of a node: it has no effect, and there is no reason for it to raise."""
    if isinstance(node, cst.Call):
        return _is_quiet_call(node, source)
    if isinstance(node, cst.BinaryOperation):
        divided = isinstance(node.operator, cst.Divide | cst.FloorDivide | cst.Modulo)
        return is_quiet(node.left, source) and (
            bool(source.number(node.right)) if divided else is_quiet(node.right, source)
        )
    if isinstance(node, cst.Comparison):
        return is_quiet(node.left, source) and all(is_quiet(one.comparator, source) for one in node.comparisons)
    if isinstance(node, cst.BooleanOperation | cst.ConcatenatedString):
        return is_quiet(node.left, source) and is_quiet(node.right, source)
    if isinstance(node, cst.Tuple | cst.List | cst.Set):
        return all(is_quiet(element.value, source) for element in node.elements)
    if isinstance(node, cst.FormattedString):
        fields = [part for part in node.parts if isinstance(part, cst.FormattedStringExpression)]
        return all(is_quiet(field.expression, source) and not field.format_spec for field in fields)
    if isinstance(node, cst.UnaryOperation):
        return is_quiet(node.expression, source)
    if isinstance(node, cst.Attribute):
        return is_quiet(node.value, source)
    return isinstance(node, cst.Name | cst.BaseNumber | cst.SimpleString | cst.Ellipsis | cst.Lambda)


def _is_quiet_call(call: cst.Call, source: Source) -> bool:
    known = source.resolves_to(call.func) in QUIET_FUNCTIONS
    quiet_method = method_name(call) in QUIET_METHODS and is_quiet(call.func, source)
    return (known or quiet_method) and all(is_quiet(argument.value, source) for argument in call.args)


def is_accessor(node: cst.CSTNode) -> bool:
    """Whether a node is the `.str` or `.dt` of a pandas or polars column, which is no value by itself."""
    if not isinstance(node, cst.Attribute) or node.attr.value not in ACCESSORS:
        return False
    return not is_literally(node.value, "self", "cls")


def receiver_of(call: cst.Call, source: Source) -> cst.BaseExpression | None:
    """The receiver of a method that can stand for the value it returns; None where it is a module or a class."""
    if not isinstance(call.func, cst.Attribute) or is_namespace(call.func.value, source):
        return None
    name = (source.resolves_to(call.func.value) or "").rpartition(".")[2]
    is_class = name[:1].isupper() and not name.isupper()
    return None if is_class else call.func.value


def is_namespace(receiver: cst.CSTNode, source: Source) -> bool:
    """Whether a receiver is an imported module, an accessor or `super()`: none stands for what its function returns."""
    if is_accessor(receiver):
        return True
    if isinstance(receiver, cst.Call):
        return source.resolves_to(receiver.func) == "super"
    meaning = source.resolves_to(receiver)
    # a builtin here is nearly always a parameter of that name, such as `format` or `type`
    return meaning is not None and "." not in meaning and not hasattr(builtins, meaning)


def strips_separators(call: cst.Call, source: Source) -> bool:
    """Whether a call takes separators of paths off a text: `s.rstrip("/")`, `s.strip(os.sep)`."""
    if method_name(call) not in {"strip", "lstrip", "rstrip"} or len(call.args) != 1 or call.args[0].star:
        return False
    taken_off = call.args[0].value
    if isinstance(taken_off, cst.SimpleString):
        characters = taken_off.evaluated_value
        return bool(characters) and set(characters) <= {*"/\\", *b"/\\"}
    return source.resolves_to(taken_off) in {"os.sep", "os.altsep", "os.path.sep", "os.path.altsep"}


def shown(node: cst.CSTNode, source: Source) -> str:
    """The text of a node as a sentence can hold it: on one line, and cut where it is long."""
    line = " ".join(source.text(node).split())
    return line if len(line) <= LONGEST_SHOWN else f"{line[: LONGEST_SHOWN - 1]}…"


def observed(
    shape: CallShape,
    source: Source,
    *,
    observer: str,
    ask: str,
    templates: Sequence[str],
    kind: str = "call",
) -> Draft:
    """The draft of a call whose mutants the observing run evaluates on the same operands."""
    mutants = [over_operands(template, shape.operands, source) for template in templates]
    return Draft(shape.call, kind, ask, mutants, shape.operands, observer, Shape.VALUE, shape.template)


def unobserved(shape: CallShape, source: Source, *, ask: str, templates: Sequence[str]) -> Draft:
    """The draft of a call whose mutants, spelled over its operands, the observing run must not evaluate."""
    replacements = [over_operands(template, shape.operands, source).replacement for template in templates]
    return only_reached(shape.call, ask=ask, replacements=replacements)


def only_reached(node: cst.CSTNode, *, ask: str, replacements: Sequence[str], kind: str = "call") -> Draft:
    """The draft of an expression that the observing run can only note as reached: every test that reaches it is run."""
    return Draft(node, kind, ask, [MutantDraft(replacement, None) for replacement in replacements])


def dropping_method(
    call: cst.Call, source: Source, wanted: Callable[[str], bool], ask: str, *, observer: str = "pure"
) -> Draft | None:
    """The draft that replaces `receiver.method(...)` by `receiver`, for the methods that are wanted."""
    name = method_name(call)
    if name is None or not wanted(name):
        return None
    receiver = cst.ensure_type(call.func, cst.Attribute).value
    if is_namespace(receiver, source):
        return None
    shape = call_shape(call, method=True)
    if shape is None:
        return only_reached(call, ask=ask, replacements=[source.atom(receiver)])
    return keeping(0, shape, source, observer=observer, ask=ask)


def keeping(kept: int, shape: CallShape, source: Source, *, ask: str, observer: str = "pure") -> Draft:
    """The draft that replaces a call by one of its operands, and drops the others.

    Where somebody could miss what evaluating the others does, only a run tells: they are evaluated before anyone looks.
    """
    templates = [f"{{{kept}:atom}}"]
    if all(is_quiet(node, source) for number, node in enumerate(shape.operands) if number != kept):
        return observed(shape, source, observer=observer, ask=ask, templates=templates)
    return unobserved(shape, source, ask=ask, templates=templates)


def place_of(call: cst.Call, position: int, keyword: str) -> int | None:
    """The number of the operand that is given at a position, counted from 0, or by a keyword; None where it is not."""
    for number, given in enumerate(call.args):
        if given.keyword.value == keyword if given.keyword else number == position:
            return number + 1
    return None
