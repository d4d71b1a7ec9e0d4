"""FP216: deleting a normalizing call of a library, or one that the user named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import ClassVar

import libcst as cst

from fencepost.rules._rule import Blank, Draft, Example, Rule, Source, over_operands
from fencepost.rules.normalizing._calls import (
    CallShape,
    argument,
    call_shape,
    is_accessor,
    is_literally,
    method_name,
    only_reached,
    receiver_of,
    shown,
)
from fencepost.rules.normalizing._table import Treatment, treatments

Table = Mapping[str, Sequence[str]]

RECEIVER = ("receiver",)
FIRST = ("argument 0",)
# an array is an array and a number a number, before and after
AS_ARRAY = ("{module}.asarray({0})[()]",)

# functions by the name that they are imported under
FUNCTIONS: Table = {
    "numpy.sort": ("{module}.asarray({0})",),
    "numpy.unique": ("{module}.sort({0}, axis=None)",),
    "numpy.round": AS_ARRAY,
    "numpy.around": AS_ARRAY,
    "numpy.rint": AS_ARRAY,
    "numpy.fix": AS_ARRAY,
    "numpy.floor": AS_ARRAY,
    "numpy.ceil": AS_ARRAY,
    "numpy.trunc": AS_ARRAY,
    "numpy.nan_to_num": AS_ARRAY,
    "numpy.trim_zeros": FIRST,
    "numpy.char.strip": FIRST,
    "numpy.char.lower": FIRST,
    "numpy.char.upper": FIRST,
    "pandas.unique": ("{module}.Series({0}).to_numpy()",),
    "pandas.to_datetime": ("keyword utc False", "keyword errors 'raise'"),
    "pandas.to_numeric": ("keyword errors 'raise'",),
    "pydantic.ConfigDict": (
        "keyword str_strip_whitespace False",
        "keyword str_to_lower False",
        "keyword str_to_upper False",
    ),
    "pydantic.Field": ("keyword strip_whitespace", "keyword to_lower", "keyword to_upper"),
    "pydantic.StringConstraints": ("keyword strip_whitespace", "keyword to_lower", "keyword to_upper"),
    "pydantic.constr": ("keyword strip_whitespace False", "keyword to_lower False", "keyword to_upper False"),
    "attrs.field": ("keyword converter",),
    "attr.field": ("keyword converter",),
    "attr.ib": ("keyword converter",),
    "attr.attrib": ("keyword converter",),
    "slugify.slugify": FIRST,
    "slugify.smart_truncate": FIRST,
    "django.utils.text.slugify": FIRST,
    "django.utils.html.strip_tags": FIRST,
    "werkzeug.utils.secure_filename": FIRST,
    "w3lib.url.canonicalize_url": FIRST,
    "bleach.clean": FIRST,
    "nh3.clean": FIRST,
    "inflection.camelize": FIRST,
    "inflection.dasherize": FIRST,
    "inflection.humanize": FIRST,
    "inflection.parameterize": FIRST,
    "inflection.pluralize": FIRST,
    "inflection.singularize": FIRST,
    "inflection.titleize": FIRST,
    "inflection.transliterate": FIRST,
    "inflection.underscore": FIRST,
}

# methods that hardly anything but a data frame or a column has
METHODS: Table = {
    ".drop_duplicates": RECEIVER,
    ".dropna": RECEIVER,
    ".fillna": RECEIVER,
    ".ffill": RECEIVER,
    ".bfill": RECEIVER,
    ".sort_values": ("receiver", "keyword ascending True"),
    ".sort_index": ("receiver", "keyword ascending True"),
    ".reset_index": RECEIVER,
    ".tz_convert": RECEIVER,
    ".tz_localize": RECEIVER,
    ".drop_nulls": RECEIVER,
    ".drop_nans": RECEIVER,
    ".fill_null": RECEIVER,
    ".fill_nan": RECEIVER,
}

# methods with names that others have too: only where the file imports the library
METHODS_OF: Mapping[str, Table] = {
    "numpy": {".round": RECEIVER},
    "pandas": {".round": RECEIVER, ".unique": ("{receiver}.to_numpy()",)},
    "polars": {".round": RECEIVER, ".unique": RECEIVER, ".sort": ("receiver", "keyword descending False")},
}

# methods behind `.str` and `.dt`: what stands for their value is the column before these
TEXT_METHODS = (
    "strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize", "swapcase", "casefold", "replace",
    "translate", "normalize", "removeprefix", "removesuffix", "zfill", "pad", "ljust", "rjust", "center",
    "strip_chars", "strip_chars_start", "strip_chars_end", "strip_prefix", "strip_suffix", "to_lowercase",
    "to_uppercase", "to_titlecase", "replace_all", "replace_many", "pad_start", "pad_end",
)  # fmt: skip
TIME_METHODS = (
    "normalize", "round", "floor", "ceil", "tz_convert", "tz_localize", "truncate", "convert_time_zone",
    "replace_time_zone", "cast_time_unit",
)  # fmt: skip
BEHIND_ACCESSORS: Table = {
    **{f".str.{method}": RECEIVER for method in TEXT_METHODS},
    **{f".dt.{method}": RECEIVER for method in TIME_METHODS},
}

# what decides what a call returns: a deletion could not stand for it
OTHER_RESULT = frozenset({"return_index", "return_inverse", "return_counts", "out"})
VALIDATORS = frozenset(
    {"pydantic.field_validator", "pydantic.validator", "pydantic.functional_validators.field_validator"}
)


class LibraryCall(Rule):
    """A normalizing call of a library, or one that you named, which no test would miss.

    ## What it does
    Deletes calls that numpy (`np.sort`, `np.unique`, `np.round`, ...), pandas and polars (`drop_duplicates`,
    `fillna`, `sort_values`, `.str.strip()`, `.dt.floor()`, `unique`, `fill_null`, ...), `slugify` and others normalize
    with, in a way that keeps the type; takes `str_strip_whitespace=True` and the like out of pydantic's `ConfigDict`,
    `Field` and `constr`, and `converter=` out of the fields of attrs; and has pydantic's validators return the value
    as they got it.

    A table in pyproject.toml names more of them, functions by their whole name and methods by a dot and theirs:

        [tool.fencepost.normalizers]
        "mylib.text.clean" = "argument 0"       # clean(x) becomes x
        ".squash" = "receiver"                  # x.squash() becomes x
        "mylib.load" = "keyword strict"         # load(x, strict=True) becomes load(x)
        "mylib.distinct" = "list({0})"          # distinct(x) becomes list(x)

    ## Why it matters
    A data set in a test is small, complete, in order and without duplicates. What the call is there for (the missing
    value, the second row of the same customer, the stray blank) first turns up in real data.

    ## What to do
    Add a test whose input the call changes, such as a column with a duplicate, a gap and a value out of order, and
    assert the whole result.
    """

    code = "FP216"
    name = "library-call"
    node_types = (cst.Call, cst.Return)

    VALID: ClassVar = [
        Example(
            code=("def newest(rows):\n    return rows.sort_values('day', ascending=False)\n"),
            tests=(
                "class Rows(list):\n    def sort_values(self, key, ascending=True):\n"
                "        return Rows(sorted(self, reverse=not ascending))\n\n"
                "def test_out_of_order():\n    assert newest(Rows([1, 3, 2])) == [3, 2, 1]\n"
            ),
        ),
        Example(
            code="def complete(rows):\n    return rows.dropna()\n",
            tests=(
                "class Rows(list):\n    def dropna(self):\n"
                "        return Rows(row for row in self if row is not None)\n\n"
                "def test_gap():\n    assert complete(Rows([1, None])) == [1]\n"
            ),
        ),
    ]
    INVALID: ClassVar = [
        Example(
            code="def newest(rows):\n    return rows.sort_values('day', ascending=False)\n",
            tests=(
                "class Rows(list):\n    def sort_values(self, key, ascending=True):\n"
                "        return Rows(sorted(self, reverse=not ascending))\n\n"
                "def test_in_order_already():\n    assert newest(Rows([3, 2, 1])) == [3, 2, 1]\n"
            ),
            survivors=("rows",),
        ),
        Example(
            code="def names(column):\n    return column.str.strip().str.lower()\n",
            tests=(
                "class Column(list):\n    @property\n    def str(self):\n        return Text(self)\n\n"
                "class Text:\n    def __init__(self, column):\n        self.column = column\n\n"
                "    def strip(self):\n        return Column(one.strip() for one in self.column)\n\n"
                "    def lower(self):\n        return Column(one.lower() for one in self.column)\n\n"
                "def test_capitals():\n    assert names(Column(['Ann'])) == ['ann']\n"
            ),
            survivors=("column",),
        ),
    ]

    def drafts(self, node: cst.CSTNode, source: Source) -> Iterator[Draft]:
        draft = _call_draft(node, source) if isinstance(node, cst.Call) else _validator_draft(node, source)
        if draft is not None:
            yield draft


def _call_draft(call: cst.Call, source: Source) -> Draft | None:
    own = _found(call, [source.normalizers], source)
    # a call of ours whose result nobody uses normalizes nothing, or it is another method of that name: `xs.sort()`
    unused = isinstance(source.parent(), cst.Expr) and argument(call, "inplace") is None
    replacements = own or ([] if unused else _found(call, _tables(call, source), source))
    if not replacements:
        return None
    ask = f"use an input that `{shown(call, source)}` changes, and assert the whole result"
    return only_reached(call, ask=ask, replacements=replacements)


def _found(call: cst.Call, tables: Iterable[Table], source: Source) -> list[str]:
    """What tables would have in place of a call, each text once."""
    names = _names(call, source)
    spelled = [
        _spelled(call, name, treatment, source)
        for table in tables
        for name in names
        for treatment in treatments(table, name)
    ]
    return list(dict.fromkeys(text for text in spelled if text is not None))


def _names(call: cst.Call, source: Source) -> Sequence[str]:
    """Under which names a call may stand in a table."""
    resolved, own, method = source.resolves_to(call.func), source.own_name(call.func), method_name(call)
    names = [resolved] if resolved is not None and "." in resolved else []
    if own is not None:
        # the user writes a module as it is imported, which is not from the root of the project in a `src` layout
        names += [name for name in source.normalizers if f".{own}".endswith(f".{name}")]
    if method is not None and receiver_of(call, source) is not None:
        names.append(f".{method}")
    if method is not None and (accessor := _accessor(call)) is not None:
        names.append(f".{accessor.attr.value}.{method}")
    return names


def _accessor(call: cst.Call) -> cst.Attribute | None:
    """The `.b` of `a.b.method()`."""
    receiver = cst.ensure_type(call.func, cst.Attribute).value
    return receiver if isinstance(receiver, cst.Attribute) else None


def _tables(call: cst.Call, source: Source) -> Iterator[Table]:
    """Our tables that apply to a call."""
    yield FUNCTIONS
    yield METHODS
    for library, table in METHODS_OF.items():
        if source.imports(library):
            yield table
    if isinstance(call.func, cst.Attribute) and is_accessor(call.func.value):
        yield BEHIND_ACCESSORS


def _spelled(call: cst.Call, name: str, treatment: Treatment, source: Source) -> str | None:
    """The text that a treatment has in place of a call; None where the call has not what it needs."""
    shape = call_shape(call, method=False)
    if shape is None:
        return None
    if treatment.keyword:
        return _without_keyword(shape, treatment, source)
    replacement = treatment.replacement
    named = {f"{keyword}=" for keyword in shape.keywords}
    if OTHER_RESULT & {*shape.keywords} or any(keyword in replacement for keyword in named):
        return None
    arguments = [_blank(node, source) for node in shape.operands[1 : len(shape.positional) + 1]]
    before = call.func.value if isinstance(call.func, cst.Attribute) else None
    if name.count(".") == 2 and name.startswith(".") and isinstance(before, cst.Attribute):
        before = before.value
    if before is None and "{module" in replacement:
        # imported without its module, so that no other function of it is at hand
        replacement = "{0:atom}"
    around = {} if before is None else {"receiver": _blank(before, source), "module": _blank(before, source)}
    try:
        return replacement.format(*arguments, **around)
    except LookupError:
        return None


def _blank(node: cst.BaseExpression, source: Source) -> Blank:
    # a generator may go without parentheses only as the one argument of a call
    plain = source.atom(node) if isinstance(node, cst.GeneratorExp) else source.text(node)
    return Blank(plain, source.atom(node))


def _without_keyword(shape: CallShape, treatment: Treatment, source: Source) -> str | None:
    value = argument(shape.call, treatment.keyword)
    if value is None or is_literally(value, "None") or source.text(value).replace('"', "'") == treatment.default:
        return None
    return over_operands(shape.without(treatment.keyword), shape.operands, source).replacement


def _validator_draft(statement: cst.CSTNode, source: Source) -> Draft | None:
    """The draft of `return clean(value)` in a validator of pydantic, which becomes `return value`."""
    call = cst.ensure_type(statement, cst.Return).value
    value = _validated(source)
    if value is None or not isinstance(call, cst.Call) or not _is_of_the_project(call.func, source):
        return None
    given = [one.value for one in call.args if one.keyword is None and not one.star]
    if not any(is_literally(one, value) for one in given) or value in _found(call, [source.normalizers], source):
        return None
    ask = f"make one with a value that `{shown(call, source)}` changes, and assert what it holds"
    return only_reached(call, ask=ask, replacements=[value], kind="validator")


def _validated(source: Source) -> str | None:
    """The parameter that the validator around the visited node checks; None where there is no validator."""
    level = 1
    while (around := source.parent(level)) is not None:
        if isinstance(around, cst.FunctionDef):
            names = [one.name.value for one in around.params.params if one.name.value != "cls"]
            return names[0] if names and any(_is_validator(one, source) for one in around.decorators) else None
        level += 1
    return None


def _is_validator(decorator: cst.Decorator, source: Source) -> bool:
    called = decorator.decorator
    return isinstance(called, cst.Call) and source.resolves_to(called.func) in VALIDATORS


def _is_of_the_project(function: cst.BaseExpression, source: Source) -> bool:
    """Whether a function is one of the project: what others do with a value, other rules know."""
    by_class = isinstance(function, cst.Attribute) and is_literally(function.value, "cls", "self")
    return by_class or source.own_name(function) is not None
