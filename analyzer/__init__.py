"""The engine: scan the source, observe one unmutated run, run the mutants that could matter, judge.

`run`, `gaps` and `gate` are the commands as functions (see `api`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fencepost.analyzer.api import gaps, gate, run

__all__ = ["gaps", "gate", "run"]


def __getattr__(name: str) -> Any:
    # only when asked for: parts of this package are loaded into processes under test, which must not load all of it
    if name not in __all__:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    from fencepost.analyzer import api  # noqa: PLC0415 - see above

    return getattr(api, name)
