"""What lives inside a process under test: the switches of the woven code and the record of what it saw.

Standard library only, nothing of the rest of fencepost, so that loading it changes nothing that a test could notice.
"""

from __future__ import annotations

import builtins
import enum
import os
import sys
import unicodedata
from array import array
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

OBSERVE = -1
ORIGINAL = 0
MOST_SHOWN = 6
CONTAINERS = frozenset({tuple, list, set, frozenset, dict})
SIMPLE = frozenset({int, float, complex, str, bytes, bytearray, bool, type(None), type(...), range})
UNSEEN = object()
"""Stands for a value that only a child process saw."""


class Canary(BaseException):
    """Raised where the tests must notice: no `except Exception` of the code under test may swallow it."""


def raise_canary(*_: Any) -> None:
    """Stands in for the observer of an expression that is to raise."""
    message = "fencepost: a canary, to see whether the tests notice"
    raise Canary(message)


class Against:
    """A value and the threshold it met, where that is not the same every time."""

    __slots__ = ("threshold", "value")

    def __init__(self, value: object, threshold: object) -> None:
        self.value = value
        self.threshold = threshold


class Sight:
    """What one test (or one fixture, or loading the code) saw at one probe."""

    __slots__ = ("above", "at", "below", "mask", "sample")

    def __init__(self) -> None:
        self.mask = 0  # bit n: mutant n of the probe evaluated differently
        self.below: tuple[float | None, Any] | None = None  # distance to the threshold, value
        self.at: tuple[float | None, Any] | None = None
        self.above: tuple[float | None, Any] | None = None
        self.sample: Any = None  # the operands of the first evaluation, in a tuple

    def meet(self, side: str, distance: float | None, value: object) -> None:
        """Note a value on one side of the threshold; the nearest is kept."""
        seen = getattr(self, side)
        if seen is None or (distance is not None and (seen[0] is None or distance < seen[0])):
            setattr(self, side, (distance, value))

    def absorb(self, other: Sight) -> None:
        """Add what another context saw to this one."""
        self.mask |= other.mask
        for side in ("below", "at", "above"):
            seen = getattr(other, side)
            if seen is not None:
                self.meet(side, *seen)
        if self.sample is None:
            self.sample = other.sample


Context = dict[int, Sight]


class StartupContext(Context):
    """Stands in before the first test file: what the project's own files cause goes to `at_import`, else to `startup`.

    pytest uses some packages itself. What it computes with them for itself does not reach the tests; what a conftest
    computes does.
    """

    def __init__(self, recorder: Recorder, root: str) -> None:
        super().__init__()
        self.recorder = recorder
        self.root = root + os.sep

    def get(self, probe: int, default: Any = None) -> Any:  # noqa: ARG002 - as in the base
        """The sight of a probe, made when it is the first, where the cause of the evaluation says."""
        chosen = self.recorder.at_import if self._caused_by_project() else self.recorder.startup
        return chosen.setdefault(probe, Sight())

    def _caused_by_project(self) -> bool:
        frame: FrameType | None = sys._getframe(2)  # noqa: SLF001 - the documented way, `inspect` is slower
        while frame is not None:
            filename = frame.f_code.co_filename
            if (
                filename.startswith(self.root)
                and "site-packages" not in filename
                and filename not in self.recorder.woven_files
            ):
                return True
            frame = frame.f_back
        return False


class Recorder:
    """Collects sights by context and sums them up by probe.

    `context` is where the observers write now: that of the running test, of a fixture of wider scope while it is set
    up, of a test file while it is collected, or of loading the code under test.
    """

    def __init__(self, probes: int, root: str) -> None:
        self.woven_files: set[str] = set()
        self.at_import: Context = {}
        self.startup: Context = {}  # what pytest and its plugins evaluate for themselves, before any test file is read
        self.collecting: dict[str, Context] = {}  # by test file: what its own loading and parametrizing evaluates
        self.loading = True  # until the first test runs
        self.context: Context = StartupContext(self, root)
        self.probes = probes
        self._memos: list[dict[Any, Any]] = []
        self._count_anew()

    def _count_anew(self) -> None:
        probes = range(self.probes)
        self.reached = [array("I") for _ in probes]
        self.infected: list[dict[int, array[int]]] = [{} for _ in probes]
        self.nearest: list[dict[str, list[Any]]] = [{} for _ in probes]
        self.samples: list[list[tuple[str, int]]] = [[] for _ in probes]
        self.doubted = [0] * self.probes  # bit n: mutant n was counted as infected without having been evaluated
        self.classes: list[tuple[int, ...] | None] = [None] * self.probes
        self.parsed: set[int] = set()  # probes of `int(x)` that were given text, or of a truth: what is never false
        self.numeric: set[int] = set()  # and those that were given anything else
        self.unordered: set[int] = set()  # probes that were given a set whose order differs from process to process
        for memo in self._memos:
            memo.clear()

    def memo(self) -> dict[Any, Any]:
        """A memory for an observer that is emptied whenever the counts begin anew: what it spares is counted once."""
        memo: dict[Any, Any] = {}
        self._memos.append(memo)
        return memo

    def take(self) -> dict[str, Any]:
        """What was counted since this was last asked, as plain data; the counts begin anew."""
        counted = {
            "reached": {probe: tests for probe, tests in enumerate(self.reached) if tests},
            "infected": {probe: by_bit for probe, by_bit in enumerate(self.infected) if by_bit},
            "nearest": {probe: sides for probe, sides in enumerate(self.nearest) if sides},
            "samples": {probe: samples for probe, samples in enumerate(self.samples) if samples},
            "parsed": self.parsed,
            "numeric": self.numeric,
            "unordered": self.unordered,
            "doubted": {probe: mask for probe, mask in enumerate(self.doubted) if mask},
            "classes": {probe: classes for probe, classes in enumerate(self.classes) if classes is not None},
        }
        self._count_anew()
        return counted

    def sight(self, probe: int) -> Sight:
        """The sight of a probe in the current context, made when it is the first."""
        found = self.context.get(probe)
        if found is None:
            found = self.context[probe] = Sight()
        return found

    def finish_test(self, test: int, contexts: Iterable[Context]) -> None:
        """Count everything that these contexts saw for one test, given by number."""
        merged: Context = {}
        for context in contexts:
            for probe, sight in context.items():
                if probe in merged:
                    merged[probe].absorb(sight)
                else:
                    merged[probe] = Sight()
                    merged[probe].absorb(sight)
        for probe, sight in merged.items():
            self._count(probe, sight, test)

    def finish_plain_test(self, test: int, context: Context) -> None:
        """The same for a test that uses no fixture of wider scope, which is the common case and the fast one."""
        for probe, sight in context.items():
            self._count(probe, sight, test)

    def _count(self, probe: int, sight: Sight, test: int) -> None:
        self.reached[probe].append(test)
        mask = sight.mask
        if mask:
            infected = self.infected[probe]
            bit = 0
            while mask:
                if mask & 1:
                    if bit not in infected:
                        infected[bit] = array("I")
                    infected[bit].append(test)
                mask >>= 1
                bit += 1
        if sight.below is not None:
            self._near(probe, "below", sight.below, test)
        if sight.at is not None:
            self._near(probe, "at", sight.at, test)
        if sight.above is not None:
            self._near(probe, "above", sight.above, test)
        samples = self.samples[probe]
        if sight.sample is not None and len(samples) < 3:
            text = shown(sight.sample)
            if all(text != known for known, _ in samples):
                samples.append((text, test))

    def _near(self, probe: int, side: str, seen: tuple[float | None, Any], test: int) -> None:
        distance, value = seen
        best = self.nearest[probe].get(side)
        if best is None:
            self.nearest[probe][side] = [1, distance, _shown_or_none(value), test, 1]
            return
        best[0] += 1
        if distance is not None and (best[1] is None or distance < best[1]):
            best[1:] = [distance, _shown_or_none(value), test, 1]
        elif distance == best[1]:
            best[4] += 1
            if best[2] is None:
                best[2:4] = [_shown_or_none(value), test]

    def refine(self, probe: int, outcomes: list[int]) -> None:
        """Tell apart the mutants of a probe that just evaluated differently from each other.

        Two mutants stay alike only while every evaluation gave both the same outcome.
        """
        known = self.classes[probe]
        pairs = zip(known or (0,) * len(outcomes), outcomes, strict=True)
        order: dict[tuple[int, int], int] = {}
        self.classes[probe] = tuple(order.setdefault(pair, len(order)) for pair in pairs)


def _shown_or_none(value: object) -> str | None:
    return None if value is UNSEEN else shown((value,))


def shown(operands: tuple[Any, ...]) -> str:
    """A short `repr` of plain values; of anything else only its type, since its `repr` is code under test."""
    return ", ".join(_shown_one(value) for value in operands)


def _shown_one(value: object) -> str:
    if isinstance(value, Against):
        return f"{_shown_one(value.value)} against {_shown_one(value.threshold)}"
    kind = type(value)
    if kind.__module__ == "builtins" and callable(value):
        return f"<{getattr(value, '__name__', 'function')}>"
    if type(kind) is enum.EnumMeta:
        return f"{kind.__name__}.{value._name_}"  # type: ignore[attr-defined] # its `repr` may be code under test
    if not _prints_itself(value):
        return f"<{kind.__name__} of {len(value)}>" if kind in CONTAINERS else f"<{kind.__name__}>"  # type: ignore[arg-type] # a container has a length
    text = repr(value)
    if not text.isascii() and any(one != " " and unicodedata.category(one)[0] in "MCZ" for one in text):
        text = ascii(value)  # a mark or a space of another script would be seen as nothing
    return text if len(text) <= 60 else f"{text[:57]}..."


def _is_of_numpy(kind: type) -> bool:
    """Whether a type is one of numpy's or pandas's own for single values."""
    if kind.__module__.partition(".")[0] == "pandas":
        return kind.__name__ in {"Timestamp", "Timedelta"}
    return kind.__module__ == "numpy" and any(one.__name__ == "generic" for one in kind.__mro__)


def _prints_itself(value: object, depth: int = 3) -> bool:
    """Whether the `repr` of a value is short and runs no code but the standard library's."""
    kind = type(value)
    if kind not in CONTAINERS:
        return kind in SIMPLE or kind.__module__ in {"decimal", "datetime", "fractions"} or _is_of_numpy(kind)
    if not depth or len(value) > MOST_SHOWN:  # type: ignore[arg-type] # a container has a length
        return False
    items = [*value, *value.values()] if kind is dict else value  # type: ignore[attr-defined,misc] # a dict has values
    return all(_prints_itself(item, depth - 1) for item in items)  # type: ignore[attr-defined] # a container iterates


class Switchboard:
    """The two tables that woven code reads, under names that belong to one plan.

    `active[anchor]` says what an expression does: ORIGINAL, OBSERVE, or the number of a mutant counted from 1.
    `look[probe]` is the observer of a probe, `look[-1]` goes through the links of a chain. The names live in
    `builtins`, so that no module namespace changes.
    """

    def __init__(self, token: str, anchors: int, probes: int) -> None:
        self.active: list[int] = [OBSERVE] * anchors
        self.look: list[Callable[..., Any] | None] = [None] * (probes + 1)
        self.active_name = f"__fencepost_{token}_active__"
        self.look_name = f"__fencepost_{token}_look__"

    def install(self) -> None:
        """Make the tables visible to woven code."""
        setattr(builtins, self.active_name, self.active)
        setattr(builtins, self.look_name, self.look)

    def set_all(self, state: int) -> None:
        """Switch every expression to the original or to being observed."""
        self.active[:] = [state] * len(self.active)

    def activate(self, switches: Iterable[tuple[int, int]]) -> None:
        """Run the code as written but for these (anchor, mutant number)."""
        self.set_all(ORIGINAL)
        for anchor, number in switches:
            self.active[anchor] = number
