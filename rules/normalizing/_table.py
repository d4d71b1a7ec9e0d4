"""What can be done with a call that a table names: the words of `[tool.fencepost.normalizers]`, as data."""

from __future__ import annotations

import ast
import difflib
import re
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

NAME = re.compile(r"\.?[^\W\d]\w*(\.[^\W\d]\w*)*")
FORMS = 'write "receiver", "argument 0", "keyword NAME" or code such as "list({0})", or a list of these'
WORDS = ("receiver", "argument", "keyword")


@dataclass(frozen=True, slots=True)
class Treatment:
    """One change to a call: it becomes what `replacement` spells, or loses a keyword.

    `replacement` is over `{receiver}`, `{module}` (what stands before the name of the function) and the positional
    arguments `{0}`, `{1}`; it is empty where a keyword is dropped. `default` is the text of the value that says what
    leaving the keyword out would.
    """

    replacement: str = ""
    keyword: str = ""
    default: str = "None"


def parse_treatment(name: str, words: str) -> Treatment:
    """The treatment that the words of a table ask for, for a dotted name or a `.method`.

    Raises:
        ValueError: the name or the words make no sense, in a clause that names both.
    """
    if not NAME.fullmatch(name):
        raise ValueError(f"'{name}' is no dotted name")
    if "." not in name:
        raise ValueError(f"'{name}' has no dot (a function is 'package.module.{name}', a method '.{name}')")
    if "{" in words:
        return Treatment(_checked_code(name, words))
    word, _, rest = words.partition(" ")
    if words == "receiver" and name.startswith("."):
        return Treatment("{receiver:atom}")
    if words == "receiver":
        raise ValueError(f"'{name}' is no method and so has no receiver (a method is '.{name.rpartition('.')[2]}')")
    if word == "argument" and rest.isdecimal():
        return Treatment(f"{{{int(rest)}:atom}}")
    keyword, _, default = rest.partition(" ")
    if word == "keyword" and keyword.isidentifier():
        return Treatment(keyword=keyword, default=default or "None")
    close = difflib.get_close_matches(word, WORDS, n=1)
    meant = f" (did you mean '{close[0]}'?)" if close and close[0] != word else ""
    raise ValueError(f"'{name}' is '{words}'{meant}")


def _checked_code(name: str, code: str) -> str:
    """The code that stands for a call, if it is an expression over what a call of this kind has."""
    try:
        fields = {field for _, field, _, _ in string.Formatter().parse(code)}
        ast.parse(code.format(*"abcdefghij", receiver="r", module="m"), mode="eval")
    except (ValueError, LookupError, SyntaxError) as error:
        raise ValueError(f"'{name}' is '{code}', which is no Python over {{0}}") from error
    stranger = "module" if name.startswith(".") else "receiver"
    if stranger in fields:
        raise ValueError(f"'{name}' is '{code}', but its calls have no {stranger}")
    # what stands alone between parentheses needs none of its own
    return re.sub(r"(?<!\()\{(\w+)\}|\{(\w+)\}(?![,)])", lambda found: f"{{{found[1] or found[2]}:atom}}", code)


def treatments(table: Mapping[str, Sequence[str]], name: str) -> Iterator[Treatment]:
    """What a table says about a name; nothing where it does not hold it."""
    return (parse_treatment(name, words) for words in table.get(name, ()))
