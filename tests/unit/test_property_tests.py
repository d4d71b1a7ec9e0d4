"""Tests by hypothesis get the same seed and keep nothing, wherever their settings are kept."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from fencepost.analyzer.property_tests import settle

PHASES = SimpleNamespace(explicit="explicit", generate="generate", shrink="shrink", explain="explain")


@dataclass
class Settings:
    """As those of hypothesis, which is made of a parent and what differs from it."""

    parent: Any = None
    deadline: int | None = 200
    database: str | None = "examples"
    phases: tuple[str, ...] = ("explicit", "generate", "shrink", "explain")
    max_examples: int = 100

    def __post_init__(self) -> None:
        if self.parent is not None:
            self.max_examples = self.parent.max_examples


class Base:
    """A test class, one whose methods are tests."""

    def method(self) -> None:
        """Be a test."""


@pytest.fixture(name="hypothesis")
def _hypothesis(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A stand-in for hypothesis, which this environment may lack."""
    hypothesis: Any = ModuleType("hypothesis")
    hypothesis.core = ModuleType("hypothesis.core")
    hypothesis.core.global_force_seed = None
    hypothesis.home = []
    hypothesis.configuration = SimpleNamespace(set_hypothesis_home_dir=hypothesis.home.append)
    hypothesis.settings = Settings
    hypothesis.Phase = PHASES
    monkeypatch.setitem(sys.modules, "hypothesis", hypothesis)
    monkeypatch.setitem(sys.modules, "hypothesis.core", hypothesis.core)
    return hypothesis


def a_function() -> Any:
    """A fresh test function with settings of its own."""

    def function() -> None:
        pass

    setattr(function, "_hypothesis_internal_use_settings", Settings(max_examples=7))  # noqa: B010 - no function has it
    return function


def is_settled(settings: Settings) -> bool:
    """Whether settings make no test keep or hurry anything, and leave what else was asked for."""
    return (settings.deadline, settings.database, settings.phases, settings.max_examples) == (
        None, None, ("explicit", "generate"), 7,
    )  # fmt: skip


@pytest.mark.usefixtures("hypothesis")
def test_a_function_is_settled() -> None:
    function = a_function()
    settle([SimpleNamespace(obj=function)], "/store")
    assert is_settled(function._hypothesis_internal_use_settings)


@pytest.mark.usefixtures("hypothesis")
def test_a_method_is_settled_on_its_function() -> None:
    class Case(Base):
        method = a_function()

    settle([SimpleNamespace(obj=Case().method, cls=Case)], "/store")
    assert is_settled(vars(Case)["method"]._hypothesis_internal_use_settings)


@pytest.mark.usefixtures("hypothesis")
def test_a_state_machine_is_settled_on_its_class() -> None:
    class Machine(Base):
        settings = Settings(max_examples=7)

    settle([SimpleNamespace(obj=Machine().method, cls=Machine)], "/store")
    assert is_settled(Machine.settings)


@pytest.mark.usefixtures("hypothesis")
def test_other_tests_are_left_alone() -> None:
    class Case(Base):
        settings = "of its own"

    settle([SimpleNamespace(), SimpleNamespace(obj=len, cls=None), SimpleNamespace(obj=Case().method, cls=Case)], "/s")
    assert Case.settings == "of its own"


def test_the_seed_is_fixed_where_the_user_fixed_none(hypothesis: Any) -> None:
    settle([], "/store")
    assert hypothesis.core.global_force_seed == 0
    hypothesis.core.global_force_seed = 5
    settle([], "/store")
    assert hypothesis.core.global_force_seed == 5


def test_what_hypothesis_learns_goes_to_the_store(hypothesis: Any) -> None:
    settle([], "/store")
    assert hypothesis.home == ["/store/hypothesis"]


@pytest.mark.parametrize("missing", ["hypothesis", "hypothesis.core"])
def test_without_hypothesis_nothing_is_done(hypothesis: Any, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    monkeypatch.delitem(sys.modules, missing)
    settle([SimpleNamespace(obj=a_function())], "/store")
    assert (hypothesis.core.global_force_seed, hypothesis.home) == (None, [])
