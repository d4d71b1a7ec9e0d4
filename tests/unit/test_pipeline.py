"""Where the stages meet, each mutant gets one judgement: without a run, from its own, or from one alike."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from fencepost.analyzer import observe, pipeline, suite_run
from fencepost.analyzer.guard import Trail
from fencepost.analyzer.jobs import Limits
from fencepost.analyzer.model import Judgement, Observation, Outcome, Run, Site, Verdict
from fencepost.analyzer.mutate import MutationRun, Tried
from fencepost.analyzer.plan import make_plan
from fencepost.analyzer.progress import Bar
from fencepost.analyzer.second_run import Unsteady
from fencepost.analyzer.settings import Settings
from fencepost.analyzer.suite_run import Options, Question, Watched

Make = Callable[..., Any]
ADULT, TEEN, FREE = "age > 18", "age >= 17", "total >= 50"


def sites_of(suite: Any) -> list[Site]:
    return [site for scan in suite.scans for site in scan.sites]


def observed(suite: Any, sites: Iterable[Site]) -> Observation:
    return observe.summarise(suite.seen, suite.collected, suite.plan, sites, 1.0)


def a_run(suite: Any, engine: Any) -> MutationRun:
    limits = Limits(5.0, 1.0)
    return MutationRun(engine, suite.plan, suite.seen, suite.collected, limits=limits, settled=lambda _id, _tried: None)


def test_only_a_mutant_that_a_test_infects_needs_a_run(make_suite: Make) -> None:
    suite = make_suite(["test_a"], infects={ADULT: [0]})
    sites = sites_of(suite)
    judged = dict(suite_run.judge_unrun_of(sites, observed(suite, sites)))
    assert suite.mutant(ADULT).id not in judged
    assert judged[suite.mutant(TEEN).id].verdict == Verdict.NOT_INFECTED
    assert judged[suite.mutant(FREE).id].verdict == Verdict.NOT_REACHED
    assert len(judged) == len(suite.mutants) - 1


def test_a_site_that_needs_no_test_is_ignored_although_nobody_watched_it(make_suite: Make) -> None:
    suite = make_suite(["test_a"])
    site = next(one for one in sites_of(suite) if one.id == suite.mutant(ADULT).site)
    ignored = dataclasses.replace(site, ignored="it logs")
    suite.plan = make_plan([dataclasses.replace(suite.scans[1], sites=(ignored,))], "/project")
    judged = dict(suite_run.judge_unrun_of([ignored], observed(suite, [ignored])))
    assert judged == {one.id: Judgement(one.id, Verdict.IGNORED, "it logs") for one in site.mutants}


def judged_run(suite: Any, mutation: MutationRun, alike: dict[str, str]) -> dict[str, tuple[Verdict, str]]:
    """Verdicts and reasons of the mutants that tests infect, by replacement."""
    observation = dataclasses.replace(observed(suite, sites_of(suite)), alike=alike)
    infected = [suite.mutant(one) for one in (ADULT, TEEN, FREE)]
    judgements = dict(suite_run._judge_run(infected, mutation, observation, suite_run.ENDED))
    return {one.replacement: (judgements[one.id].verdict, judgements[one.id].reason) for one in infected}


def test_a_mutant_is_judged_by_its_own_run_or_by_that_of_one_that_behaves_alike(
    make_suite: Make, make_engine: Make
) -> None:
    suite = make_suite(["test_a"], infects={ADULT: [0], TEEN: [0], FREE: [0]})
    mutation = a_run(suite, make_engine(suite))
    mutation.results = {
        suite.mutant(ADULT).id: Tried(Outcome(0, ran=1), confirmed=True),
        suite.mutant(FREE).id: Tried(Outcome(0, load_error="a.py: no"), confirmed=True),
    }
    judged = judged_run(suite, mutation, {suite.mutant(TEEN).id: suite.mutant(ADULT).id})
    assert {one: verdict for one, (verdict, _) in judged.items()} == {
        ADULT: Verdict.SURVIVED, TEEN: Verdict.SURVIVED, FREE: Verdict.INVALID,
    }  # fmt: skip


def test_a_mutant_that_was_not_tried_is_unknown_and_says_why(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(["test_a"], infects={ADULT: [0], TEEN: [0], FREE: [0]})
    mutation = a_run(suite, make_engine(suite))
    mutation.unknown = {suite.mutant(ADULT).id: "nobody can judge it"}
    judged = judged_run(suite, mutation, {suite.mutant(TEEN).id: suite.mutant(ADULT).id})
    assert judged == {
        ADULT: (Verdict.UNKNOWN, "nobody can judge it"),
        TEEN: (Verdict.UNKNOWN, "nobody can judge it"),
        FREE: (Verdict.UNKNOWN, "the run ended before it was tried"),
    }


def test_tests_that_were_left_out_are_told_failing_ones_first_in_their_order(
    make_suite: Make, make_engine: Make
) -> None:
    suite = make_suite(["test_a", "test_b", "test_c", "test_d"], failing=[3])
    mutation = a_run(suite, make_engine(suite))
    mutation.unsteady = Unsteady({2: "by chance", 0: "the guard stops it"})
    assert suite_run._left_out(suite.seen, mutation) == ("test_d", "test_a: the guard stops it", "test_c: by chance")


@pytest.mark.parametrize(
    ("trail", "what"),
    [
        (Trail({"ports": ["8080", "443"]}), "port 443 and 1 more"),
        (Trail({"files": ["/shop/out.db"]}), "out.db"),
        (Trail({"files": ["/shop/b", "/elsewhere/a", "/shop/__pycache__/x.pyc"]}), "/elsewhere/a and 1 more"),
    ],
)
def test_a_note_says_why_mutants_run_one_at_a_time(
    make_suite: Make, make_engine: Make, trail: Trail, what: str
) -> None:
    suite = make_suite(["test_a"])
    suite.collected.trail = trail
    (note,) = suite_run._notes(suite.collected, a_run(suite, make_engine(suite)), 0, Path("/shop"))
    assert note == f"one mutant at a time, since the tests use what cannot be used twice at a time: {what}"


@pytest.mark.parametrize(
    ("dropped", "threads", "kernel_off", "resumed", "expected"),
    [
        ([], False, None, 0, []),
        (["-x", "--cov"], False, None, 0, ["left out of the run of pytest: -x, --cov"]),
        ([], True, None, 0, ["loading the code starts threads"]),
        ([], False, 1, 0, ["mutants are kept from harm by the audit hook alone: under the kernel's guard test_b"]),
        ([], False, 0, 7, ["7 mutants were settled by the interrupted run", "mutants are kept from harm"]),
    ],
)
def test_notes_say_what_was_different_from_a_usual_run(
    make_suite: Make,
    make_engine: Make,
    dropped: list[str],
    kernel_off: int | None,
    *,
    threads: bool,
    resumed: int,
    expected: list[str],
) -> None:
    suite = make_suite(["test_a", "test_b"], threads=threads)
    suite.collected.dropped_options = dropped
    mutation = a_run(suite, make_engine(suite))
    mutation.unsteady = Unsteady(kernel_off=kernel_off)
    notes = suite_run._notes(suite.collected, mutation, resumed, Path("/shop"))
    assert len(notes) == len(expected)
    assert all(note.startswith(start) for note, start in zip(notes, expected, strict=True))


@pytest.mark.parametrize(
    "change",
    [
        {"normalizers": {"shop.clean": ("argument 0",)}},
        {"pytest_args": ("-x",)},
        {"tests": ("tests",)},
        {"timeout_factor": 6.0},
        {"timeout_seconds": 2.0},
    ],
)
def test_what_was_settled_is_used_again_only_where_the_same_was_asked_for(
    make_suite: Make, change: dict[str, Any]
) -> None:
    suite = make_suite(["test_a"])
    asked = suite_run._asked(Settings(), suite.plan, suite.seen)
    assert suite_run._asked(Settings(jobs=3), suite.plan, suite.seen) == asked
    assert suite_run._asked(Settings(**change), suite.plan, suite.seen) != asked
    assert json.loads(json.dumps(asked))


def test_another_plan_or_another_result_of_a_test_is_another_thing_to_ask_for(make_suite: Make) -> None:
    suite = make_suite(["test_a"])
    asked = suite_run._asked(Settings(), suite.plan, suite.seen)
    assert suite_run._asked(Settings(), make_plan([], "/shop"), suite.seen) != asked
    suite.seen.tests[0] = dataclasses.replace(suite.seen.tests[0], passed=False)
    assert suite_run._asked(Settings(), suite.plan, suite.seen) != asked


def test_the_table_of_the_user_reaches_the_rules(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("value = text.squash()\n", encoding="utf-8")
    settings = Settings(root=tmp_path, source=("shop.py",), normalizers={".squash": ("receiver",)})
    (scan,) = pipeline.scan(settings, Bar(Console(quiet=True)))
    assert [mutant.replacement for site in scan.sites for mutant in site.mutants] == ["text"]


# gaps: one unmutated run, and no mutant


class Steps:
    """A progress that nobody looks at."""

    def begin(self, stage: str, total: int | None) -> None:
        """Nobody looks."""

    def advance(self) -> None:
        """Nobody looks."""

    def reach(self, steps: int) -> None:
        """Nobody looks."""


@pytest.fixture(name="gaps_of")
def _gaps_of(make_engine: Make, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[Any], Run]:
    """What `gaps` tells of a suite that ran once; an engine that would run a mutant is not there."""

    def make(suite: Any) -> Run:
        @contextlib.contextmanager
        def watching(question: Question) -> Iterator[Watched]:
            assert question.options.leave_out_failing
            engine = make_engine(suite)
            question = dataclasses.replace(question, scans=suite.scans, plan=suite.plan)
            observation = observed(suite, sites_of(suite))
            yield Watched(question, engine, tmp_path, suite.collected, suite.seen, observation, lazy=False)
            assert engine.seen == []

        monkeypatch.setattr(pipeline, "scan", lambda *_: suite.scans)
        monkeypatch.setattr(pipeline, "watching", watching)
        settings = Settings(root=tmp_path, pytest_args=("-q",))
        return pipeline.gaps(settings, Steps(), Options(leave_out_failing=True))

    return make


def test_gaps_judges_what_needs_no_run_and_says_of_all_else_that_it_was_not_run(
    make_suite: Make, gaps_of: Callable[[Any], Run]
) -> None:
    suite = make_suite(["test_a"], infects={ADULT: [0]})
    run = gaps_of(suite)
    ids = {replacement: mutant.id for replacement, mutant in suite.mutants.items()}
    assert run.judgements[ids[ADULT]] == Judgement(ids[ADULT], Verdict.UNKNOWN, "infected, not run")
    assert run.judgements[ids[TEEN]].verdict == Verdict.NOT_INFECTED
    assert run.judgements[ids[FREE]].verdict == Verdict.NOT_REACHED
    assert set(run.judgements) == set(ids.values())


def test_gaps_tells_how_the_tests_were_run_and_which_failed(make_suite: Make, gaps_of: Callable[[Any], Run]) -> None:
    suite = make_suite(["test_a", "test_b"], failing=[1])
    suite.collected.dropped_options = ["-x", "--lf"]
    run = gaps_of(suite)
    assert (run.command, run.pytest_args, run.complete, run.findings) == ("gaps", ("-q",), True, ())
    assert run.notes == ("left out of the run of pytest: -x, --lf",)
    assert run.left_out == ("test_b",)
    assert run.files == tuple(suite.scans)
    assert run.observation is not None
    assert run.seconds > 0
