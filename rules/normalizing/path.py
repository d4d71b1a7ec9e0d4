"""FP209: deleting a call that brings a path into one form."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Draft, Example, MutantDraft, Rule, Source
from fencepost.rules.normalizing._calls import (
    call_around,
    call_shape,
    is_literally,
    is_namespace,
    method_name,
    only_reached,
    shown,
    strips_separators,
)
from fencepost.rules.normalizing._dropping import dropping_call

# what each call changes, as an input that shows it
INPUTS = {
    "normpath": "'a/./b/../c'",
    "abspath": "a relative path",
    "realpath": "a symbolic link or a relative path",
    "expanduser": "'~/a'",
    "expandvars": "'$HOME/a'",
    "normcase": "a path in capitals",
    "resolve": "a relative path or a symbolic link",
    "absolute": "a relative path",
    "with_suffix": "a path with another suffix",
}
FUNCTIONS = {
    f"os.path.{name}": name for name in ("normpath", "abspath", "realpath", "expanduser", "expandvars", "normcase")
}
METHODS = frozenset({"resolve", "absolute", "expanduser", "with_suffix"})
ARGUMENTS = {"with_suffix": 1}
NORMAL = frozenset({"os.path.abspath", "os.path.realpath", "os.getcwd"})
GIVE_TEXT = frozenset(
    {"str", "os.getcwd", "os.getenv", "os.environ.get", "os.fspath", "os.path.join", "os.path.dirname"}
)
PATHLIKE = ("path", "dir", "file", "folder", "root", "cwd", "home", "parent")


class Path(Rule):
    """A call that brings a path into one form, which no test would miss.

    ## What it does
    Deletes calls of `os.path.normpath`, `abspath`, `realpath`, `expanduser`, `expandvars` and `normcase`, of `resolve`,
    `absolute`, `expanduser` and `with_suffix` of a `Path`, and `s.rstrip("/")` and its like. What `os.path` would
    have turned into text stays text: `os.path.abspath(p)` becomes `os.fspath(p)`.

    ## Why it matters
    Tests mostly work with absolute paths in a temporary folder, which these calls leave alone. The relative path, the
    `~`, the link or the slash at the end comes from the first user.

    ## What to do
    Add a test with such a path, and assert the path that comes out or where the file ends up.
    """

    code = "FP209"
    name = "path"
    node_types = (cst.Call,)

    VALID: ClassVar = [
        Example(
            code="import os\n\ndef tidy(path):\n    return os.path.normpath(path)\n",
            tests="def test_dots():\n    assert tidy('a/../b') == 'b'\n",
        ),
        Example(
            code="def join(base, name):\n    return base.rstrip('/') + '/' + name\n",
            tests="def test_slash():\n    assert join('http://a/', 'b') == 'http://a/b'\n",
        ),
        Example(
            code="from pathlib import Path\n\ndef output(source):\n    return Path(source).with_suffix('.html')\n",
            tests="def test_other_suffix():\n    assert output('a.md') == Path('a.html')\n",
        ),
        Example(
            code=(
                "import os\n\nHERE = os.path.dirname(os.path.abspath(__file__))\n\n"
                "def here(path):\n    return os.path.join(HERE, os.path.normcase(path))\n"
            ),
            tests="def test_here():\n    assert here('a').endswith('a')\n",
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="import os\n\ndef tidy(path):\n    return os.path.normpath(path)\n",
            tests="def test_tidy_already():\n    assert tidy('a/b') == 'a/b'\n",
            survivors=("os.fspath(path)",),
        ),
        Example(
            code="def join(base, name):\n    return base.rstrip('/') + '/' + name\n",
            tests="def test_no_slash():\n    assert join('http://a', 'b') == 'http://a/b'\n",
            survivors=("base",),
        ),
        Example(
            code="from pathlib import Path\n\ndef size(path):\n    return Path(path).resolve().stat().st_size\n",
            tests=(
                "def test_absolute(tmp_path):\n"
                "    (tmp_path / 'a').write_text('ab')\n"
                "    assert size(tmp_path / 'a') == 2\n"
            ),
            survivors=("Path(path)",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        call = cst.ensure_type(node, cst.Call)
        draft = _function_draft(call, source) or _method_draft(call, source) or _separator_draft(call, source)
        if draft is not None:
            yield draft


def _function_draft(call: cst.Call, source: Source) -> Draft | None:
    name = source.resolves_to(call.func)
    shape = call_shape(call, method=False)
    if name not in FUNCTIONS or shape is None or len(shape.positional) != 1:
        return None
    path = shape.operands[1]
    draft = dropping_call(shape, source, ask=_ask(call, FUNCTIONS[name], source), mutants=["{1:atom}"])
    mutants = [MutantDraft(_as_text(path, source), mutant.template) for mutant in draft.mutants]
    return dataclasses.replace(draft, mutants=mutants, ignored=_nothing_to_change(name, path, source))


def _ask(call: cst.Call, name: str, source: Source) -> str:
    return f"use a path that `{shown(call, source)}` changes, such as {INPUTS[name]}"


def _as_text(path: cst.BaseExpression, source: Source) -> str:
    """A path as text, which is what `os.path` makes of a `Path`; spelled plainly where it is text already."""
    is_text = isinstance(path, cst.SimpleString | cst.FormattedString) or is_literally(path, "__file__")
    meaning = source.resolves_to(path.func) if isinstance(path, cst.Call) else None
    if is_text or meaning in GIVE_TEXT or meaning in FUNCTIONS:
        return source.atom(path)
    in_reach = source.resolves_to(cst.Name("os")) == "os"
    return f"{'os.fspath' if in_reach else 'str'}({source.text(path)})"


def _nothing_to_change(name: str, path: cst.BaseExpression, source: Source) -> str | None:
    """Why no test could tell that a call of `os.path` is gone; None where one could."""
    if name == "os.path.normcase":
        return "equivalent on POSIX: only Windows folds the case of paths"
    if name == "os.path.abspath" and is_literally(path, "__file__"):
        return "equivalent: the `__file__` of a module is absolute already"
    given = source.resolves_to(path.func) if isinstance(path, cst.Call) else None
    if name in {"os.path.normpath", "os.path.abspath"} and given in NORMAL:
        return f"equivalent: `{shown(path, source)}` is absolute and normal already"
    if name == "os.path.realpath" and _is_real(path, source):
        return f"equivalent: `{shown(path, source)}` has no links in it"
    around = call_around(source)
    if name == "os.path.normpath" and around is not None and source.resolves_to(around.func) == "os.path.abspath":
        return "equivalent: `os.path.abspath` normalizes by itself"
    return None


def _is_real(path: cst.BaseExpression, source: Source) -> bool:
    """Whether a path is the working folder or resolved already, whatever is done with it in between."""
    given = source.resolves_to(path.func) if isinstance(path, cst.Call) else None
    if given in {"os.path.abspath", "os.path.normpath"}:
        arguments = cst.ensure_type(path, cst.Call).args
        return len(arguments) == 1 and _is_real(arguments[0].value, source)
    return given in {"os.getcwd", "os.path.realpath"}


def _method_draft(call: cst.Call, source: Source) -> Draft | None:
    """The draft of a method of a `Path`, which the observing run does not call: it would ask the file system twice."""
    name = method_name(call)
    if name not in METHODS or [given for given in call.args if given.star]:
        return None
    positional = [given for given in call.args if given.keyword is None]
    strict = [given for given in call.args if given.keyword is not None and given.keyword.value == "strict"]
    path = cst.ensure_type(call.func, cst.Attribute).value
    if len(positional) != ARGUMENTS.get(name, 0) or len(positional) + len(strict) != len(call.args):
        return None
    if is_namespace(path, source) or (name == "resolve" and not _may_be_path(path, source)):
        return None
    draft = only_reached(call, ask=_ask(call, name, source), replacements=[source.atom(path)])
    return dataclasses.replace(draft, ignored=_absolute_already(name, path, source))


def _may_be_path(node: cst.BaseExpression, source: Source) -> bool:
    """Whether an object that resolves is likely a path: other things have such a method too."""
    if source.resolves_to(cst.Name("Path")) == "pathlib.Path" or source.resolves_to(cst.Name("pathlib")) == "pathlib":
        return True
    last = node.attr if isinstance(node, cst.Attribute) else node
    return isinstance(last, cst.Name) and last.value.lower().endswith(PATHLIKE)


def _absolute_already(name: str, path: cst.BaseExpression, source: Source) -> str | None:
    if name != "absolute" or not isinstance(path, cst.Call):
        return None
    is_of_module = bool(path.args) and is_literally(path.args[0].value, "__file__")
    if method_name(path) in {"resolve", "cwd", "home"} or (is_of_module and len(path.args) == 1):
        return f"equivalent: `{shown(path, source)}` is absolute already"
    return None


def _separator_draft(call: cst.Call, source: Source) -> Draft | None:
    if not strips_separators(call, source):
        return None
    shape = call_shape(call, method=True)
    if shape is None or shape.keywords or is_namespace(shape.operands[0], source):
        return None
    where = {"strip": "an end", "lstrip": "the beginning", "rstrip": "the end"}[str(method_name(call))]
    ask = f"use a path with a separator at {where}, which `{shown(call, source)}` takes off"
    return dropping_call(shape, source, ask=ask, mutants=["{0:atom}"])
