"""Functions that keep the results of their calls, and which tests use them. Standard library only.

A test that finds a kept result spares evaluating code that it would evaluate alone, so that an edit of the test which
left it there changes what is seen. `functools` counts each use, so nothing has to be wrapped.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

KEEPER = type(functools.lru_cache(len))
State = tuple[int, int, int]  # which one it is, how often it was called since it was cleared, how much it keeps


class RememberedCalls:
    """Watches the functions of a project that keep results.

    Args:
        root: the folder of the project; what is loaded from elsewhere is not watched.

    Attributes:
        left: the paths of files whose functions kept something when a test began or had ended.
    """

    def __init__(self, root: str) -> None:
        self.left: set[str] = set()
        self._inside = os.path.realpath(root) + os.sep
        self._modules: dict[str, str] = {}  # path by name of the modules that have such functions
        self._looked_at: set[str] = set()
        self._loaded = 0
        self._keepers: list[tuple[str, str, Any]] = []  # path, name, function
        self._states: dict[str, State] = {}
        self._used = False
        self.taken()

    def note(self) -> None:
        """Compare with what was kept before the last test: it left nothing where nothing is kept before and after."""
        for path, name, keeper in self._keepers:
            told = keeper.cache_info()
            state = (id(keeper), told.hits + told.misses, told.currsize)
            before = self._states.get(name, (state[0], 0, 0))
            if state[2]:
                self.left.add(path)
            if state != before:
                self._states[name] = state
                self._used |= bool(state[2] or before[2])

    def taken(self) -> bool:
        """Whether tests since the last time that this was asked found or left kept results."""
        self._look_for_modules()
        self._keepers = [
            (path, f"{module}:{name}", keeper)
            for module, path in self._modules.items()
            for name, keeper in _keepers_of(module)
        ]
        self.note()
        used, self._used = self._used, False
        return used

    def names(self) -> dict[str, list[str]]:
        """The names of the functions that were found, by path of their file, relative to the root."""
        found: dict[str, list[str]] = {}
        for path, name, _ in self._keepers:
            found.setdefault(path, []).append(name.partition(":")[2])
        return found

    def _look_for_modules(self) -> None:
        if len(sys.modules) == self._loaded:
            return
        self._loaded = len(sys.modules)
        for name in sys.modules.keys() - self._looked_at:
            self._looked_at.add(name)
            file = getattr(sys.modules.get(name), "__file__", None)
            path = os.path.realpath(file) if isinstance(file, str) else ""
            if path.startswith(self._inside) and any(_keepers_of(name)):
                self._modules[name] = path.removeprefix(self._inside).replace(os.sep, "/")


def _keepers_of(name: str) -> Iterator[tuple[str, Any]]:
    """The functions of a module and of its classes that keep results, each with its name."""
    module = sys.modules.get(name)
    if not isinstance(module, ModuleType):
        return
    for key, value in list(vars(module).items()):
        if isinstance(value, KEEPER) and value.__module__ == name:
            yield key, value
        elif isinstance(value, type) and value.__module__ == name:
            methods = ((method, getattr(one, "__func__", one)) for method, one in list(vars(value).items()))
            yield from ((f"{key}.{method}", one) for method, one in methods if isinstance(one, KEEPER))
