"""Whether code keeps something from one test to the next, as far as its text shows. Pure.

What one test leaves behind another one may find, and then an edit of the first changes what the second sees. In doubt
the answer is that something is kept: that costs time, and the other error costs a wrong verdict.
"""

from __future__ import annotations

import ast
import enum
import functools
from collections.abc import Iterable, Iterator

CHANGING = {
    "append", "add", "update", "setdefault", "pop", "popitem", "insert", "extend", "clear", "remove", "discard",
    "appendleft", "extendleft", "popleft", "rotate", "sort", "reverse", "push", "put", "register", "unregister",
    "subscribe", "set", "send",
}  # fmt: skip
"""Methods that change what they are called on."""
SETTING = {
    "chdir", "putenv", "unsetenv", "umask", "seed", "setlocale", "setcontext", "setrecursionlimit", "basicConfig",
    "register", "install", "setdefaulttimeout", "setswitchinterval", "tzset",
}  # fmt: skip
"""Functions of modules that change something for the whole process."""
PLAIN_CALLS = {
    "compile", "getLogger", "get_logger", "frozenset", "tuple", "Path", "PurePath", "PurePosixPath", "namedtuple",
    "NamedTuple", "TypeVar", "ParamSpec", "NewType", "Struct", "Decimal", "Fraction", "date", "datetime", "timedelta",
    "timezone", "ZoneInfo", "object", "int", "str", "float", "bytes", "bool", "dict", "list", "set", "sorted", "range",
    "OrderedDict", "defaultdict", "Counter", "deque", "MappingProxyType", "partial", "attrgetter", "itemgetter",
    "Enum", "UUID", "dedent", "join", "strip", "split", "resolve", "absolute", "fixture", "parametrize", "param",
    "skipif", "skip", "xfail", "usefixtures", "filterwarnings", "importorskip", "getenv", "get", "keys", "values",
    "items", "format", "encode", "decode", "read_text", "read_bytes", "len", "max", "min", "sum", "zip", "map",
    "chain", "product", "repeat", "version", "cast",
}  # fmt: skip
"""Calls whose value nobody changes without one of `CHANGING`, and that change nothing themselves."""
CONTAINERS = {
    "list", "dict", "set", "bytearray", "defaultdict", "OrderedDict", "Counter", "deque", "count", "iter",
    "WeakKeyDictionary", "WeakValueDictionary", "WeakSet",
}  # fmt: skip
REMEMBERING = {"lru_cache", "cache", "cached", "memoize", "memoized", "memo"}
WIDE = {"session", "package"}
RESTORING = ("teardown", "tearDown", "reset", "restore")  # how functions begin that put back what others changed


class Keeps(enum.IntEnum):
    """What is kept, the worst last."""

    NOTHING = 0
    RESULTS = 1  # of calls, which would be the same again
    IN_FILE = 2
    ELSEWHERE = 3


Kept = tuple[Keeps, str]
"""What is kept, and for what is elsewhere the name in the file that leads there; empty where it may be anything."""


@functools.lru_cache(maxsize=512)  # several steps ask for the same text
def kept_by(text: str) -> Keeps:
    """What the functions of a file keep when they have ended."""
    try:
        return max((kept for kept, _ in _kept(ast.parse(text))), default=Keeps.NOTHING)
    except (SyntaxError, ValueError, RecursionError):
        return Keeps.ELSEWHERE


def changed_elsewhere(text: str) -> frozenset[str]:
    """The parts of the names of the modules in which the functions of a file change something; an empty one: in any."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset({""})
    names = {name for kept, name in _kept(tree) if kept is Keeps.ELSEWHERE}
    found = names & {""}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            parts = (getattr(node, "module", None) or "").split(".")
            for alias in node.names:
                if (alias.asname or alias.name).partition(".")[0] in names:
                    found.update(alias.name.split("."), filter(None, parts))
    return frozenset(found)


def _kept(tree: ast.Module) -> Iterator[Kept]:
    file = _File(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if any(_last_name(_called(one)) in REMEMBERING for one in node.decorator_list):
                yield Keeps.RESULTS, ""
        elif isinstance(node, ast.Call):
            if _chain(node.func)[-1:] == ["lru_cache"] or _chain(node.func) == ["functools", "cache"]:
                yield Keeps.RESULTS, ""
            if _last_name(node.func) == "fixture":
                yield from _by_scope(node)
        elif isinstance(node, ast.ClassDef):
            yield from _by_class(node)
    yield from (kept for function, outer in _functions(tree, ()) for kept in file.by_function(function, outer))


def remembering(text: str) -> frozenset[str] | None:
    """The functions of a file that keep results by `functools`, named as in `Class.method`.

    None where there may be others, which nobody can watch: inside functions, by other decorators, or made by a call.
    """
    tree = ast.parse(text)
    every = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    marks = [one for node in every for one in node.decorator_list if _last_name(_called(one)) in REMEMBERING]
    known = frozenset(_remembering_in(tree.body, ""))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node not in marks)
    others = any(
        _chain(node.func)[-1:] == ["lru_cache"] or _chain(node.func) == ["functools", "cache"] for node in calls
    )
    return None if others or len(known) != len(marks) else known


def _remembering_in(body: Iterable[ast.stmt], before: str) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.ClassDef) and not before:
            yield from _remembering_in(node.body, f"{node.name}.")
        decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
        if any(_last_name(_called(one)) in {"lru_cache", "cache"} for one in decorators):
            yield f"{before}{node.name}"  # type: ignore[attr-defined] # only a function has decorators here


Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def _functions(node: ast.AST, outer: tuple[Function, ...]) -> Iterator[tuple[Function, tuple[Function, ...]]]:
    """Every function with those around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Function):
            yield child, outer
            yield from _functions(child, (*outer, child))
        else:
            yield from _functions(child, outer)


def _by_scope(fixture: ast.Call) -> Iterator[Kept]:
    """What a fixture hands to several tests they may change."""
    for keyword in (one for one in fixture.keywords if one.arg == "scope"):
        scope = keyword.value.value if isinstance(keyword.value, ast.Constant) else "session"
        if scope in WIDE:
            yield Keeps.ELSEWHERE, ""
        elif scope == "module":
            yield Keeps.IN_FILE, ""


def _by_class(node: ast.ClassDef) -> Iterator[Kept]:
    """What methods put into things that all instances share."""
    assigned = {
        target.id
        for statement in node.body
        if isinstance(statement, ast.Assign | ast.AnnAssign) and _may_be_changed(statement.value)
        for target in _targets(statement)
        if isinstance(target, ast.Name)
    }
    for target in (target for inner in ast.walk(node) for target in _changed_by(inner)):
        names = _chain(target)
        of_class = names[:1] == ["cls"] or names[1:2] == ["__class__"]
        binds = len(names) == 2 and isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store)
        if of_class or (names[:1] == ["self"] and assigned.intersection(names[1:2]) and not binds):
            yield Keeps.IN_FILE, ""


def _may_be_changed(value: ast.expr | None) -> bool:
    is_display = isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)
    return is_display or (isinstance(value, ast.Call) and _last_name(value.func) in CONTAINERS)


def _targets(statement: ast.Assign | ast.AnnAssign | ast.AugAssign) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else [statement.target]


class _File:
    """The names of one file: what is imported, what is made by a call at its top."""

    def __init__(self, tree: ast.Module) -> None:
        imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        names = [(node, alias) for node in imports for alias in node.names]
        self.modules = {
            (alias.asname or alias.name).partition(".")[0] for node, alias in names if isinstance(node, ast.Import)
        }
        self.imported = self.modules | {alias.asname or alias.name for _, alias in names}
        self.made = {
            target.id
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and _is_odd_call(node.value)
            for target in _targets(node)
            if isinstance(target, ast.Name)
        }

    def by_function(self, function: Function, outer: Iterable[Function]) -> Iterator[Kept]:
        """What a function changes that is not its own."""
        if getattr(function, "name", "").lstrip("_").startswith(RESTORING):
            return
        own = _bound(function) - _mutable_defaults(function)
        for one in outer:
            if not _is_returned(function, one):  # what it shares with its maker ends with that
                own |= _bound(one)
        for node in _within(function):
            if isinstance(node, ast.Global):
                yield Keeps.IN_FILE, ""
            if isinstance(node, ast.Call) and len(names := _chain(node.func)) == 2 and names[0] not in own:
                yield from self._by_call(names)
            if not isinstance(node, ast.Call) or not self._is_of_module(node, own):
                yield from (kept for target in _changed_by(node) for kept in self._of(_chain(target), own))

    def _of(self, names: list[str], own: set[str]) -> Iterator[Kept]:
        """The keeping of something that is changed, told by the names that lead to it."""
        if names and names[0] not in own:
            yield Keeps.ELSEWHERE if names[0] in self.imported else Keeps.IN_FILE, names[0]

    def _is_of_module(self, call: ast.Call, own: set[str]) -> bool:
        """Whether it calls a function of a module, as `os.remove`, and no method of a thing."""
        names = _chain(call.func)
        return len(names) == 2 and names[0] in self.modules - own

    def _by_call(self, names: list[str]) -> Iterator[Kept]:
        """What a call changes of the process, or of something that was made where the file was loaded."""
        if names[0] in self.modules and names[1] in SETTING:
            yield Keeps.ELSEWHERE, ""
        elif names[0] in self.made:
            yield Keeps.IN_FILE, ""  # whatever it does to what was made


def _is_odd_call(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and _last_name(value.func) not in PLAIN_CALLS


def _changed_by(node: ast.AST) -> Iterator[ast.expr]:
    """The things that a statement or call changes: not names that it binds, but what those stand for."""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = [part for target in _targets(node) for part in ast.walk(target)]
        yield from (one for one in targets if isinstance(one, ast.expr) and _is_part(one, ast.Store))
    elif isinstance(node, ast.Delete):
        yield from (one for one in node.targets if _is_part(one, ast.Del))
    elif isinstance(node, ast.Call):
        first = node.args[:1]
        if isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
            yield node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id in {"next", "setattr", "delattr"}:
            yield from first


def _is_part(node: ast.AST, context: type[ast.expr_context]) -> bool:
    return isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, context)


def _chain(node: ast.expr) -> list[str]:
    """The names that lead to a thing, the first one first; none where it is made on the way."""
    names: list[str] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else []


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _within(function: Function) -> Iterator[ast.AST]:
    """What stands in a function and in none inside it."""
    pending: list[ast.AST] = list(function.body) if isinstance(function.body, list) else [function.body]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, Function) and not _expects_failure(node):
            pending += ast.iter_child_nodes(node)


def _expects_failure(node: ast.AST) -> bool:
    """Whether a statement is `with pytest.raises(...)` around one other: what that would change it does not."""
    if not isinstance(node, ast.With) or len(node.body) > 1:
        return False
    return any(_last_name(_called(item.context_expr)) in {"raises", "assertRaises"} for item in node.items)


def _called(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _bound(function: Function) -> set[str]:
    arguments = function.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
    names = {one.arg for one in every if one is not None}
    kept: set[str] = set()
    for node in _within(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar | ast.FunctionDef | ast.ClassDef):
            names.add(node.name or "")
        elif isinstance(node, ast.Global | ast.Nonlocal):
            kept |= set(node.names)
    return names - kept


def _mutable_defaults(function: Function) -> set[str]:
    """The parameters whose default is one thing for all calls."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    pairs = [
        *zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True),
        *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
    ]
    return {one.arg for one, default in pairs if _may_be_changed(default)}


def _is_returned(inner: Function, outer: Function) -> bool:
    returned = [node.value for node in _within(outer) if isinstance(node, ast.Return)]
    if isinstance(inner, ast.Lambda):
        return inner in returned or inner is outer.body
    return any(isinstance(value, ast.Name) and value.id == inner.name for value in returned)


def acts_at_load(text: str) -> bool:
    """Whether loading a file may do more than define names of its own."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return True
    return not all(_only_defines(node) for node in tree.body)


def _only_defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
        return True
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        inside = node.body if isinstance(node, ast.ClassDef) else []
        return all(map(_is_plain, node.decorator_list)) and all(map(_only_defines, inside))
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        named = all(isinstance(target, ast.Name) for target in _targets(node))
        return named and (node.value is None or _is_plain(node.value))
    if isinstance(node, ast.If):
        return _is_plain(node.test) and all(map(_only_defines, (*node.body, *node.orelse)))
    return False


def _is_plain(value: ast.expr) -> bool:
    calls = (node for node in ast.walk(value) if isinstance(node, ast.Call | ast.NamedExpr))
    return all(isinstance(call, ast.Call) and _last_name(call.func) in PLAIN_CALLS for call in calls)
