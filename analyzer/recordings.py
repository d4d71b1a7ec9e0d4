"""Libraries that record are made to replay alone while mutants run: what a mutant asks for must not be written down.

What a test keeps in its temporary folder it may record: it is gone after the run. Standard library only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from fencepost.analyzer.guard import is_beneath

LIBRARIES = {"betamax.cassette.cassette": "betamax", "vcr.cassette": "vcrpy"}
PLUGIN = "pytest_recording.plugin"
BETAMAX_PLUGIN = "betamax.fixtures.pytest"
_Merge = Callable[..., dict[str, Any]]


class Forced:
    """An attribute of a cassette that has one value, whatever it is set to, where its file is not a temporary one.

    Args:
        name: the attribute.
        value: what it is forced to.
        path: the attribute with the path of the file.
        temporary: the folder of temporary files.
    """

    def __init__(self, name: str, value: object, path: str, temporary: str) -> None:
        self.name = name
        self.value = value
        self.path = path
        self.temporary = os.path.realpath(temporary)

    def __get__(self, cassette: Any, owner: type | None = None) -> Any:
        """The forced value; the one that was set for a cassette in the temporary folder."""
        if cassette is None:
            return self
        path = os.path.realpath(os.fsdecode(getattr(cassette, self.path, "")))
        return vars(cassette)[self.name] if is_beneath(path, [self.temporary]) else self.value

    def __set__(self, cassette: Any, value: object) -> None:
        """Keep what it is set to, for a cassette in the temporary folder."""
        vars(cassette)[self.name] = value


def in_use(items: Iterable[Any]) -> list[str]:
    """The recording libraries that the collected tests use, as words for the report."""
    libraries = set()
    loaded = {library for name, library in LIBRARIES.items() if name in sys.modules}
    if BETAMAX_PLUGIN in sys.modules:
        loaded.discard("betamax")  # loaded by its own plugin for pytest, for nobody yet
    modules = {id(module): module for item in items if (module := getattr(item, "module", None)) is not None}
    if any(_mentions_betamax(module) for module in modules.values()):
        libraries.add("betamax")
    for item in items:
        if PLUGIN in sys.modules and item.get_closest_marker("vcr") is not None:
            libraries.add("vcrpy")
        if any(name.startswith("betamax_") for name in getattr(item, "fixturenames", ())):
            libraries.add("betamax")
    found = libraries | loaded
    return [f"recording by {one} (mutants replay alone)" for one in LIBRARIES.values() if one in found]


def _mentions_betamax(module: Any) -> bool:
    """Whether a test file has imported betamax, or something of it, at its top."""
    values = list(vars(module).values())
    names = (getattr(value, "__module__", None) or getattr(value, "__name__", None) for value in values)
    return any(isinstance(name, str) and name.partition(".")[0] == "betamax" for name in names)


def replay_only(item: Any, temporary: str) -> None:
    """Have every library that is loaded by now, or that a test is about to load, replay and not record.

    Args:
        item: the test that runs next.
        temporary: the folder of temporary files of this process.
    """
    if PLUGIN in sys.modules and item.get_closest_marker("vcr") is not None:
        _force_pytest_recording(sys.modules[PLUGIN])
    _force("vcr.cassette", {"record_mode": _mode_of_vcr, "drop_unused_requests": lambda _: False}, "_path", temporary)
    _force("betamax.cassette.cassette", {"record_mode": lambda _: "none"}, "cassette_path", temporary)


def _mode_of_vcr(module: Any) -> object:
    return module.RecordMode.NONE


def _force(name: str, values: Mapping[str, Callable[[Any], object]], path: str, temporary: str) -> None:
    module = sys.modules.get(name)
    cassette = getattr(module, "Cassette", None)  # a module that is still being loaded has none
    if cassette is None or isinstance(vars(cassette).get("record_mode"), Forced):
        return
    for attribute, value in values.items():
        setattr(cassette, attribute, Forced(attribute, value(module), path, temporary))


def _force_pytest_recording(plugin: Any) -> None:
    """Its mode `rewrite` deletes the cassette before vcrpy sees it."""
    from pytest_recording import _vcr  # type: ignore[import-not-found,unused-ignore] # where its plugin is, it is

    for module in (plugin, _vcr):
        merge: _Merge = module.merge_kwargs
        if not hasattr(merge, "__wrapped__"):
            module.merge_kwargs = _merging(merge)


def _merging(merge: _Merge) -> _Merge:
    def merge_kwargs(*arguments: Any) -> dict[str, Any]:
        return {**merge(*arguments), "record_mode": "none"}

    merge_kwargs.__wrapped__ = merge  # type: ignore[attr-defined] # as `functools.wraps` would
    return merge_kwargs
