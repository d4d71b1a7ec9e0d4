"""What helps to close a gap: in words, an input, the question that it raises, a test to start from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fencepost.analyzer.inputs import Input, changing_input
from fencepost.analyzer.model import Verdict
from fencepost.analyzer.outcome import outcome
from fencepost.analyzer.sketch import Sketch, Sketcher, Wanted
from fencepost.reports._question import Question, question_of
from fencepost.reports._sentences import what_to_do
from fencepost.reports._view import Gap, View
from fencepost.reports._wanted import from_others, wanted_for

LONG = 25  # lines of a test that one rather does not begin with


@dataclass(frozen=True, slots=True)
class Advice:
    """The help for one gap.

    Attributes:
        do: which test to write, in a sentence or two.
        input: an input that the call of the gap changes, in words or as source text; None where none is known.
        question: what a person has to decide; None where there is nothing to decide.
        sketch: a test to start from, not run; None where nothing says how to get there.
        example: the input, where it is source text.
    """

    do: str
    input: str | None
    question: Question | None
    sketch: Sketch | None
    example: str | None = None


def in_words(gap: Gap, view: View) -> str:
    """Which test to write, with an input made of what the tests brought."""
    found = _input(gap, view)
    return what_to_do(gap, view, found.literal if found else None)


def _input(gap: Gap, view: View) -> Input | None:
    seen = [text for text, _ in view.sighting(gap.site).samples]
    return None if gap.verdict is Verdict.SURVIVED else changing_input(gap.site, seen)


class Advisor:
    """Gives advice on the gaps of a run.

    Args:
        root: the folder that the paths of the run are relative to; its tests are read, nothing is run.
    """

    def __init__(self, view: View, root: Path) -> None:
        self._view = view
        self._sketcher = Sketcher(root)
        self._names: set[str] = set()  # of tests that were advised already

    def advice(self, gap: Gap) -> Advice:
        """What helps to close a gap."""
        found = _input(gap, self._view)
        words, example = (found.words, found.literal) if found else (None, None)
        return Advice(what_to_do(gap, self._view, example), words, self.question(gap), self._sketch(gap), example)

    def question(self, gap: Gap) -> Question | None:
        """What a person has to decide, and what the code does now; None where there is nothing to decide."""
        source = self._sketcher.source(gap.site.path)
        return question_of(gap, lambda truth: outcome(source, gap.site, truth=truth) if source else None)

    def _sketches(self, wanted: Iterable[Wanted]) -> list[Sketch]:
        return [sketch for one in wanted if (sketch := self._sketcher.sketch(one)) is not None]

    def _sketch(self, gap: Gap) -> Sketch | None:
        """A sketch with the new input in it, where a test writes the old one; else one that calls what is tested."""
        wanted = [*wanted_for(gap, self._view)]
        called = re.compile(rf"\b{gap.site.scope.rpartition('.')[2] or '$'}\(")
        found = self._sketches(wanted)
        far = not any(sketch.moved or called.search(sketch.text) for sketch in found)
        if far and wanted and not wanted[0].whole:
            found += [one for one in self._sketches(from_others(wanted[0], gap)) if called.search(one.text)]
        if not found:
            return None
        best = min(found, key=lambda one: (not one.moved, not called.search(one.text), one.text.count("\n") > LONG))
        best = self._sketcher.renamed(best, self._names)
        self._names.add(best.name)
        return best
