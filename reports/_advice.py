"""What helps to close a gap: in words, an input, the question that it raises, a test to start from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fencepost.analyzer.inputs import changing_input
from fencepost.analyzer.model import Verdict
from fencepost.analyzer.sketch import Sketch, Sketcher
from fencepost.reports._question import Question, question_of
from fencepost.reports._sentences import what_to_do
from fencepost.reports._view import Gap, View
from fencepost.reports._wanted import wanted_for


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
        seen = [text for text, _ in self._view.sighting(gap.site).samples]
        found = None if gap.verdict is Verdict.SURVIVED else changing_input(gap.site, seen)
        words, example = (found.words, found.literal) if found else (None, None)
        return Advice(what_to_do(gap, self._view, example), words, question_of(gap), self._sketch(gap), example)

    def _sketch(self, gap: Gap) -> Sketch | None:
        """A sketch that has the new input in it, where one of the tests near by writes the old one."""
        sketches = (self._sketcher.sketch(wanted) for wanted in wanted_for(gap, self._view))
        found = [sketch for sketch in sketches if sketch is not None]
        best = next((sketch for sketch in found if sketch.moved), found[0] if found else None)
        if best is None:
            return None
        best = self._sketcher.renamed(best, self._names)
        self._names.add(best.name)
        return best
