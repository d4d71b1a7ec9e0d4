"""Tests by hypothesis are made to try the same values in every run, and to keep none.

A mutant that a random value happens to find in one run and not in the next would change its verdict; what a failing
test under a mutant stores would be tried in the user's next run. Standard library only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import Any


def settle(items: Iterable[Any], store: str) -> None:
    """Give every collected test by hypothesis the same seed, no database and no deadline.

    Args:
        items: the collected tests.
        store: the folder in which hypothesis may keep what it learns about characters and constants.
    """
    core: Any = sys.modules.get("hypothesis.core")
    if core is None or "hypothesis" not in sys.modules:
        return
    hypothesis: Any = sys.modules["hypothesis"]
    if core.global_force_seed is None:
        core.global_force_seed = 0
    hypothesis.configuration.set_hypothesis_home_dir(os.path.join(store, "hypothesis"))
    for item in items:
        for holder, name in _holders(item):
            settings = getattr(holder, name, None)
            if isinstance(settings, hypothesis.settings):
                setattr(holder, name, _settled(hypothesis, settings))


def _holders(item: Any) -> Iterable[tuple[Any, str]]:
    """Where the settings of a test are kept: on its function, or on the class of a state machine."""
    function = getattr(item, "obj", None)
    yield getattr(function, "__func__", function), "_hypothesis_internal_use_settings"
    yield getattr(item, "cls", None), "settings"


def _settled(hypothesis: Any, settings: Any) -> Any:
    # to make a failure small takes long, and nobody looks at how small it is
    unwanted = {hypothesis.Phase.shrink, hypothesis.Phase.explain}
    phases = tuple(phase for phase in settings.phases if phase not in unwanted)
    return hypothesis.settings(settings, deadline=None, database=None, phases=phases)
