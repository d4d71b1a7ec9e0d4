"""What the user asked for: `[tool.fencepost]` of pyproject.toml under the options of the command line."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from fencepost.analyzer.errors import UsageProblem, nearest_name_hint
from fencepost.analyzer.policy import Policy
from fencepost.analyzer.rule_choice import RuleChoice
from fencepost.rules.normalizing._table import FORMS, parse_treatment

MARKERS_OF_A_ROOT = ("pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "tox.ini", ".git")
OPERATORS = ("default", "all")


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one run.

    Attributes:
        source: files and folders of the code under test, relative to the root; empty: found by looking.
        tests: test files and folders; empty: what pytest would collect.
        pytest_args: further arguments for pytest.
        jobs: workers at once; 0: one for each core that this process may use.
        rules: which rules look at which file.
        operators: "default", or "all" for the rules FP5xx too, which change any code.
        ignore: patterns of paths to leave out (`src/vendored/*`).
        timeout_factor: a mutant hangs when its tests take so many times what they took unmutated.
        timeout_seconds: and at least this long.
        normalizers: calls that normalize, by dotted name or `.method`, and what is done with them (FP216).
        gate: when the gate holds.
    """

    source: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    pytest_args: tuple[str, ...] = ()
    jobs: int = 0
    rules: RuleChoice = field(default_factory=RuleChoice)
    operators: str = "default"
    ignore: tuple[str, ...] = ()
    timeout_factor: float = 5.0
    timeout_seconds: float = 1.0
    normalizers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gate: Policy = field(default_factory=Policy)
    root: Path = field(default_factory=Path)

    @property
    def workers(self) -> int:
        """How many workers run at once."""
        return self.jobs or available_cores()


def available_cores() -> int:
    """The cores that this process may use; never less than one."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def find_root(start: Path) -> Path:
    """The nearest folder at or above `start` that looks like the root of a project; `start` where none does."""
    for folder in (start, *start.parents):
        if any((folder / marker).exists() for marker in MARKERS_OF_A_ROOT):
            return folder
    return start


def load_settings(root: Path, options: Mapping[str, Any]) -> Settings:
    """The settings of pyproject.toml with the given options over them; an option that is None was not given.

    Raises:
        UsageProblem: the file does not parse, or has an unknown key or a value of the wrong type.
    """
    settings = Settings(**_values(Settings, _read_table(root / "pyproject.toml"), "tool.fencepost"), root=root)
    given = {name: value for name, value in options.items() if value is not None}
    settings = replace(settings, **given)
    _check_ranges(settings)
    settings.rules.check()
    settings.gate.check()
    return settings


def _read_table(path: Path) -> Mapping[str, Any]:
    if not path.is_file():
        return {}
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageProblem(
            f"{path.name} does not parse: {error}", slug="bad-toml", hint="mend the file; every Python tool reads it"
        ) from error
    tools = document.get("tool", {})
    table = tools.get("fencepost", {}) if isinstance(tools, dict) else tools
    if not isinstance(table, dict):
        raise UsageProblem(
            f"{path.name}: tool.fencepost is no table", slug="bad-setting", hint="write it as [tool.fencepost]"
        )
    return table


def _values(kind: type[Settings | Policy], table: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The fields of a dataclass as a table gives them, checked."""
    known = {one.name.replace("_", "-"): one for one in fields(kind) if one.name != "root"}
    for key in table:
        if key not in known:
            raise UsageProblem(
                f"pyproject.toml: unknown key '{key}' in [{name}]",
                slug="unknown-key",
                hint=nearest_name_hint(key, known),
            )
    return {known[key].name: _typed(key, value, str(known[key].type), name) for key, value in table.items()}


def _typed(key: str, value: object, wanted: str, table: str = "tool.fencepost") -> Any:
    """The value as its field wants it; a single string stands for a list of one."""
    match wanted:
        case "tuple[str, ...]":
            items = [value] if isinstance(value, str) else value
            if isinstance(items, list) and all(isinstance(item, str) for item in items):
                return tuple(items)
            raise _wrong_type(key, value, "a list of strings", table)
        case "Mapping[str, tuple[str, ...]]":
            return _normalizers(key, value)
        case "Mapping[str, str]":
            return _words(key, value, table)
        case "RuleChoice":
            return _rule_choice(key, value)
        case "Policy":
            if isinstance(value, dict):
                return Policy(**_values(Policy, value, f"{table}.{key}"))
            raise _wrong_type(key, value, "a table", table)
        case _:
            return _plain(key, value, wanted, table)


def _words(key: str, value: object, table: str) -> Mapping[str, str]:
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise _wrong_type(key, value, "a table of words", table)
    return value


def _plain(key: str, value: object, wanted: str, table: str) -> Any:
    kinds = {
        "str": (str, "a word"),
        "bool": (bool, "true or false"),
        "int": (int, "a whole number"),
        "float": (int | float, "a number"),
    }
    kind, words = kinds[wanted]
    if not isinstance(value, kind) or (isinstance(value, bool) and wanted != "bool"):
        raise _wrong_type(key, value, words, table)
    return value


def _rule_choice(key: str, value: object, *, by_path: bool = True) -> RuleChoice:
    """The rules as a list, or as a table with `select`, `ignore` and, by pattern of paths, `per-path`."""
    if not isinstance(value, dict):
        return RuleChoice(_typed(key, value, "tuple[str, ...]"))
    known = ["select", "ignore", *(["per-path"] if by_path else [])]
    for name in value:
        if name not in known:
            raise UsageProblem(
                f"pyproject.toml: unknown key '{name}' in '{key}' of [tool.fencepost]",
                slug="unknown-key",
                hint=nearest_name_hint(name, known),
            )
    lists = {name: _typed(f"{key}.{name}", value.get(name, []), "tuple[str, ...]") for name in known[:2]}
    paths = value.get("per-path", {})
    if not isinstance(paths, dict):
        raise _wrong_type(f"{key}.per-path", paths, "a table of patterns")
    inner = {pattern: _rule_choice(f"{key}.per-path.{pattern}", one, by_path=False) for pattern, one in paths.items()}
    return RuleChoice(**lists, by_path=inner)


def _normalizers(key: str, value: object) -> Mapping[str, tuple[str, ...]]:
    """The user's table of calls that normalize, each with one or several things to do with it."""
    if not isinstance(value, dict):
        raise _wrong_type(key, value, "a table")
    return {name: _treatments(name, entry) for name, entry in value.items()}


def _treatments(name: str, entry: object) -> tuple[str, ...]:
    if isinstance(entry, dict):
        whole = name
        while isinstance(entry, dict):
            inner, entry = next(iter(entry.items()), ("clean", None))
            whole = f"{whole}.{inner}"
        raise _bad_normalizer(
            f"'{name}' is a table of its own",
            f'put quotes around the whole name, as in "{whole}" = "argument 0"',
        )
    words = [entry] if isinstance(entry, str) else entry
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        raise _bad_normalizer(f"'{name}' is {entry!r}", FORMS)
    for word in words:
        try:
            parse_treatment(name, word)
        except ValueError as error:
            raise _bad_normalizer(str(error), FORMS) from error
    return tuple(words)


def _bad_normalizer(what: str, hint: str) -> UsageProblem:
    return UsageProblem(f"pyproject.toml: {what} in [tool.fencepost.normalizers]", slug="bad-normalizer", hint=hint)


def _wrong_type(key: str, value: object, wanted: str, table: str = "tool.fencepost") -> UsageProblem:
    return UsageProblem(
        f"pyproject.toml: '{key}' in [{table}] must be {wanted}, not {value!r}",
        slug="bad-setting",
        hint="see `fencepost run --help` for what each setting means",
    )


def _check_ranges(settings: Settings) -> None:
    if settings.operators not in OPERATORS:
        raise UsageProblem(
            f'\'operators\' must be "default" or "all", not {settings.operators!r}',
            slug="bad-setting",
            hint=nearest_name_hint(settings.operators, OPERATORS),
        )
    for name, least, most in (("jobs", 0, 1000), ("timeout_factor", 1, 1000), ("timeout_seconds", 0.1, 3600)):
        value = getattr(settings, name)
        if not least <= value <= most:
            raise UsageProblem(
                f"'{name.replace('_', '-')}' must be from {least} to {most}, not {value}",
                slug="bad-setting",
                hint="leave it out for the default",
            )
