"""Which tests use functions that keep the results of their calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fencepost.analyzer.remembered_calls import RememberedCalls

TEXT = """
from functools import cache, lru_cache

@lru_cache(maxsize=2)
def f(x):
    return x

class A:
    @staticmethod
    @cache
    def g():
        return 1
"""


@pytest.fixture(name="load")
def _load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Loads a module of the project anew."""

    def load(name: str) -> Any:
        module = ModuleType(name)
        module.__file__ = str(tmp_path / f"{name}.py")
        exec(TEXT, vars(module))  # noqa: S102 - as an import does
        monkeypatch.setitem(sys.modules, name, module)
        return module

    return load


def test_each_use_of_what_is_kept_is_heard(load: Callable[[str], Any], tmp_path: Path) -> None:
    shop = load("fp_shop")
    calls = RememberedCalls(str(tmp_path))
    assert calls.names() == {"fp_shop.py": ["f", "A.g"]}
    told = [calls.taken()]
    for use in (lambda: shop.f(1), lambda: shop.f(1), lambda: None, shop.A.g):
        use()
        told.append(calls.taken())
    assert told == [False, True, True, False, True]
    assert calls.left == {"fp_shop.py"}


def test_what_is_cleared_before_the_test_ends_was_left_to_nobody(load: Callable[[str], Any], tmp_path: Path) -> None:
    shop = load("fp_shop")
    calls = RememberedCalls(str(tmp_path))
    shop.f(1)
    shop.f.cache_clear()
    assert (calls.taken(), calls.left) == (False, set())
    shop.f(1)
    calls.note()  # the test ends
    shop.f.cache_clear()
    assert (calls.taken(), calls.left) == (True, {"fp_shop.py"})


def test_modules_that_a_test_loads_or_loads_anew_are_watched_too(load: Callable[[str], Any], tmp_path: Path) -> None:
    calls = RememberedCalls(str(tmp_path))
    late = load("fp_late")
    assert not calls.taken()
    late.f(1)
    assert calls.taken()
    load("fp_late").f(1)
    assert calls.taken()


def test_modules_from_elsewhere_are_not_watched(load: Callable[[str], Any], tmp_path: Path) -> None:
    shop = load("fp_shop")
    calls = RememberedCalls(str(tmp_path / "other"))
    shop.f(1)
    assert (calls.taken(), calls.names()) == (False, {})
