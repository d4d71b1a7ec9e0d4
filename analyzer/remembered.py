"""The suite judges again only what it has to: what an earlier run found out and still holds is used again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fencepost.analyzer.cache import Cache, Entry, Group, grouped
from fencepost.analyzer.errors import TestsFail
from fencepost.analyzer.model import Judgement, Run, Verdict
from fencepost.analyzer.outside_files import changed_after, outside_digests
from fencepost.analyzer.reuse import (
    Again,
    Changed,
    ProjectNow,
    changes_since,
    combined,
    entry_of,
    filed,
    judged_again,
    left_by_tests,
    loading_of,
    merged_loading,
    paths_below,
    same_turns,
    shared_by_tests,
    to_run_again,
    together,
)
from fencepost.analyzer.settings import Settings
from fencepost.analyzer.store import open_store
from fencepost.analyzer.suite_run import ENDED, Question, Watched, judged, mutants_of, watching

MOST_AGAIN = 0.5  # of the tests; beyond that, running everything is as quick and surer


def judged_suite(question: Question) -> Run:
    """Judge the mutants of some sites by the whole suite, from what is known of it and what has to be run.

    Raises:
        TestsFail: the unmutated tests fail or are none.
        RunnerLost: the processes that run the tests ended for good.
    """
    if not question.options.cache:
        with watching(question) as watched:
            return judged(watched)
    memory = _Memory(question)
    return memory.recalled() or memory.anew()


class _Memory:
    """What is known of the answer to one question."""

    def __init__(self, question: Question) -> None:
        self.question, settings = question, question.settings
        self.started, self.wall = time.perf_counter(), time.time()
        asked = [
            settings.pytest_args, settings.tests, question.plan.document["token"], settings.timeout_factor,
            settings.timeout_seconds,
        ]  # fmt: skip
        self.cache = Cache(open_store(settings.root), asked)
        question.progress.begin("looking up what is known", None)
        self.now = ProjectNow.read(settings.root, set(question.plan.document["files"]))

    def anew(self) -> Run:
        """Run everything, and keep what it tells."""
        with watching(self.question) as watched:
            told = judged(watched)
            if told.complete and not told.left_out and not watched.seen.unfollowed and not watched.collected.threads:
                groups = grouped(watched.seen.groups, watched.collected.tests)
                self._keep(watched, groups, loading_of(watched.collected), told)
            return told

    def _keep(
        self, watched: Watched, groups: list[Group], loading: dict[str, Any], told: Run, before: Entry | None = None
    ) -> None:
        """Keep what a run tells, with all that it depends on; nothing where that changed while it ran.

        Args:
            told: its answer.
            before: what of an earlier run holds beside it.
        """
        root, sources, collected = self.now.root, set(self.question.plan.document["files"]), watched.collected
        opened = set(paths_below(root, watched.seen.opened))
        left = left_by_tests(self.now, ProjectNow.read(root, sources), collected.trail, opened)
        outside = outside_digests(root, collected.read, {*self.now.files, *sources})
        if left is None or changed_after(outside, self.wall):
            return
        suite = {group.file for group in groups}
        loaded = {*paths_below(root, collected.read)} & {*self.now.files, *sources} | suite
        shared, recalls = shared_by_tests(self.now, loaded, suite, sources, watched.seen)
        shared |= {"" for _ in filed(collected.trail)}
        if before is not None:
            outside, opened = {**before.outside, **outside}, opened.union(before.opened)
            left, shared = [*left, *before.written], shared.union(before.shared)
            recalls |= before.recalls
        self.cache.keep(
            entry_of(
                self.now, groups, loading, told.judgements, before, notes=told.notes, lazy=watched.lazy,
                written=tuple(left), outside=outside, opened=tuple(sorted(opened)), shared=tuple(sorted(shared)),
                recalls=recalls,
            )
        )  # fmt: skip

    def recalled(self) -> Run | None:
        """What is known, with what has to be run for the rest; None where everything has to be run."""
        if self.question.options.fresh:
            return None
        entry = self.cache.find()
        changed = changes_since(entry, self.now) if entry is not None else None
        if entry is None or changed is None:
            return None
        again = to_run_again(entry, changed, self.question.plan, mutants_of(self.question.sites))
        if again is None:
            return None
        select = sorted({*changed.select, *again.select})
        if not select:
            return self._told(entry, changed, again, None, {})
        settings = _narrowed(self.question.settings, select)
        if settings is None or _is_much(entry, again):
            return None
        try:
            with watching(replace(self.question, settings=settings)) as watched:
                only = {mutant.id for mutant in (*again.missed, *again.open)}
                told = judged(watched, only)
                if told.left_out or watched.seen.unfollowed or watched.collected.threads or watched.lazy:
                    return None
                if entry.recalls and any(group["remembers"] for group in watched.seen.groups):
                    return None  # alone they evaluate what beside others they are spared
                judgements = {one: told.judgements[one] for one in only if one in told.judgements}
                return self._told(entry, changed, again, watched, judgements, complete=told.complete)
        except TestsFail:
            return None  # the whole suite says what is wrong

    def _told(
        self,
        entry: Entry,
        changed: Changed,
        again: Again,
        watched: Watched | None,
        now: dict[str, Judgement],
        *,
        complete: bool = True,
    ) -> Run | None:
        """The answer of the whole suite, and the entry that it leaves."""
        plan, sites = self.question.plan, self.question.sites
        loading, fresh = dict(entry.loading), []
        if watched is not None:
            files = {path.partition("::")[0] for path in watched.question.settings.tests}
            loading = merged_loading(entry.loading, watched.collected, changed.files & files)
            again_told = grouped(watched.seen.groups, watched.collected.tests)
            unchanged = {group.key for group in entry.groups} - changed.groups
            fresh = [group for group in again_told if group.key not in unchanged]
        groups = together(entry, changed, fresh)
        if entry.recalls and not same_turns(entry.groups, groups):
            return None
        observation = combined(groups, loading, plan, sites, time.perf_counter() - self.started)
        judgements = judged_again(again, now, entry, observation, sites) if complete else _open(again, now)
        if judgements is None:
            return None
        told = self.question.answer(observation, judgements, notes=entry.notes, complete=complete)
        if complete and watched is not None and (changed.groups or fresh):
            self._keep(watched, groups, loading, told, entry)
        ran = len(watched.collected.tests) if watched is not None else 0
        note = f"{ran} of {len(observation.tests)} tests ran; the rest is known from before (--fresh runs everything)"
        return replace(told, notes=(*entry.notes, note))


def _open(again: Again, now: dict[str, Judgement]) -> dict[str, Judgement]:
    """What is sure after an interruption; what the changed tests could still notice is not."""
    found = {mutant: judgement for mutant, judgement in now.items() if judgement.verdict.detected}
    rest = (mutant for mutant in (*again.missed, *again.open) if mutant.id not in found)
    return {**again.hold, **{mutant.id: Judgement(mutant.id, Verdict.UNKNOWN, ENDED) for mutant in rest}, **found}


def _is_much(entry: Entry, again: Again) -> bool:
    """Whether so many of the tests that did not change have to run that running all of them is the surer way."""
    total = sum(len(group.tests) for group in entry.groups)
    chosen = sum(len(group.tests) for group in entry.groups if group.key in again.select)
    return chosen > MOST_AGAIN * total


def _narrowed(settings: Settings, select: Sequence[str]) -> Settings | None:
    """The settings for some tests alone; None where the arguments name tests in a way that cannot be narrowed."""
    options: list[str] = []
    paths = list(settings.tests)
    for before, argument in zip(("", *settings.pytest_args), settings.pytest_args, strict=False):
        if argument.startswith("-") or not (settings.root / argument.partition("::")[0]).exists():
            options.append(argument)
        elif before.startswith("-"):
            return None  # a value of an option, or a path behind a flag?
        else:
            paths.append(argument)
    if any("::" in path for path in paths):
        return None
    if paths and not all(_is_below(one, paths) for one in select):
        return None
    return replace(settings, tests=tuple(select), pytest_args=tuple(options))


def _is_below(test: str, paths: Sequence[str]) -> bool:
    file = test.partition("::")[0]
    cleaned = [path.removeprefix("./").rstrip("/") for path in paths]
    return any(file == path or file.startswith(f"{path}/") or path in {"", "."} for path in cleaned)
