"""What of an earlier run holds where nothing but tests changed, and what has to run again for the rest.

Every step that is in doubt gives None, and everything is run: a verdict that is used again equals that of a whole run.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost.analyzer.cache import Entry, Group, shifted
from fencepost.analyzer.guard import Trail
from fencepost.analyzer.judge import judge_run, judge_unrun
from fencepost.analyzer.model import Judgement, Mutant, Observation, Outcome, Site, TestRecord, Verdict
from fencepost.analyzer.observe import Collected, Seen, add_group, pieces, summarise
from fencepost.analyzer.outside_files import holds
from fencepost.analyzer.plan import Plan
from fencepost.analyzer.project_state import file_digests, surroundings
from fencepost.analyzer.shared_state import Keeps, acts_at_load, changed_elsewhere, kept_by, remembering
from fencepost.analyzer.test_edits import Prints, changed_names, looks_around, modules_of, names_told, prints_of

CONFTEST = "conftest.py"
FORGETTING = "cache_clear"


@dataclass(slots=True)
class ProjectNow:
    """The state of a project before a run: what is outside of it, and the digests of its files, sources apart."""

    root: Path
    surroundings: str
    files: dict[str, str]

    @classmethod
    def read(cls, root: Path, sources: Collection[str]) -> ProjectNow:
        """Read it."""
        files = {path: digest for path, digest in file_digests(root).items() if path not in sources}
        return cls(root, surroundings(root), files)

    def text(self, path: str) -> str:
        """The text of a file; empty where it cannot be read."""
        try:
            return (self.root / path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            return ""


@dataclass(slots=True)
class Changed:
    """What of the suite changed since an entry was kept.

    Attributes:
        groups: the keys of groups in the entry that no longer hold.
        select: what pytest has to be given to collect the tests that are new or edited.
        files: the test files that are new or edited.
        order: the names at the top of each of those, as they follow each other now.
    """

    groups: set[str] = field(default_factory=set)
    select: list[str] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    order: dict[str, list[str]] = field(default_factory=dict, compare=False)


def changes_since(entry: Entry, now: ProjectNow) -> Changed | None:
    """What changed since an entry was kept; None where it was more than tests, or nobody can tell."""
    if entry.surroundings != now.surroundings or not holds(entry.outside):
        return None
    before = {path: digest for path, digest in entry.files.items() if not _is_written(path, entry.written)}
    files = {path: digest for path, digest in now.files.items() if not _is_written(path, entry.written)}
    different = sorted(path for path in {*before, *files} if before.get(path) != files.get(path))
    changed = Changed()
    if not different:
        return changed
    if entry.lazy or "" in entry.shared:
        return None
    texts = {path: now.text(path) for path in files if path.endswith(".py")}
    for path in different:
        if path not in files or path in entry.opened or _is_helper(path, texts):
            return None
        if not _add_file(changed, entry, now, path):
            return None
    if any(group.remembers for group in entry.groups if group.key in changed.groups):
        return None  # what they kept, or spared, others may spare or keep now
    return changed


def _is_helper(path: str, texts: Mapping[str, str]) -> bool:
    """Whether another file may load a file."""
    stem = Path(path).stem
    # few texts have it at all, and to parse them all takes longer than to run a test
    return any(stem in names_told(text) for other, text in texts.items() if other != path and stem in text)


def _is_written(path: str, written: Iterable[str]) -> bool:
    return any(path == one or path.startswith(f"{one}/") for one in written)


def _add_file(changed: Changed, entry: Entry, now: ProjectNow, path: str) -> bool:
    """Add the tests of one file that are not what they were; whether that can be told."""
    suite = {group.file for group in entry.groups}
    twin = any(Path(one).name == Path(path).name for one in suite - {path})
    if path not in suite or twin or Path(path).name == CONFTEST:
        return False  # whether pytest would collect it, no run has shown
    text = now.text(path)
    modules = modules_of(text)
    if not modules >= set(entry.imports[path]):
        return False  # what it loaded before it may load no more
    if kept_by(text) is Keeps.ELSEWHERE or modules.intersection(entry.shared):
        return False  # what it leaves behind others may find, or it what they left
    before, there = entry.prints[path], prints_of(text)
    is_loaded_anew = before is None or there is None or before[""] != there[""] or entry.recalls
    if is_loaded_anew and (path in entry.acting or acts_at_load(text)):
        return False
    mine = [group for group in entry.groups if group.file == path]
    names = changed_names(before, there)
    changed.files.add(path)
    changed.order[path] = list(there or ())
    # a group that is none of the functions: tests that are made, doctests, the file in one piece
    if names is None or not before or not there or not {_name_of(group) for group in mine} <= {*before} - {""}:
        changed.groups |= {group.key for group in mine}
        changed.select.append(path)
        return True
    changed.groups |= {group.key for group in mine if _name_of(group) in names}
    changed.select += [f"{path}::{name}" for name in sorted(names) if name in there]
    return True


def _name_of(group: Group) -> str:
    """The name at the top of its file of the function or class; empty where the group is the file."""
    return "".join(group.key.split("::")[1:2])


@dataclass(slots=True)
class Again:
    """Which mutants and tests have to run again.

    Attributes:
        hold: verdicts that hold whatever the changed tests do.
        missed: mutants that the tests missed; a changed test may notice them.
        open: mutants whose killer is no longer what it was.
        select: the unchanged tests that could notice those, as pytest is given them.
    """

    hold: dict[str, Judgement] = field(default_factory=dict)
    missed: list[Mutant] = field(default_factory=list)
    open: list[Mutant] = field(default_factory=list)
    select: set[str] = field(default_factory=set)


def to_run_again(entry: Entry, changed: Changed, plan: Plan, mutants: Iterable[Mutant]) -> Again | None:
    """What has to run again; None where that is everything, or nobody can tell."""
    again = Again()
    group_of = {test.id: group.key for group in entry.groups for test in group.tests}
    for mutant in mutants:
        before = entry.judgements.get(mutant.id)
        if before is None or before.verdict is Verdict.UNKNOWN:
            return None
        if before.verdict.missed:
            again.missed.append(mutant)
        elif before.verdict is Verdict.IGNORED:
            continue  # what is ignored is looked at anew
        elif _holds(before, changed, group_of):
            again.hold[mutant.id] = before
        else:
            again.open.append(mutant)
            infecting = _infecting(entry, changed, plan, mutant)
            if infecting is None:
                return None
            again.select |= infecting
    return again


def _holds(before: Judgement, changed: Changed, group_of: Mapping[str, str]) -> bool:
    """Whether a mutant is still noticed the way it was; who waited for one that hung is not kept."""
    if before.kill is not None:
        return group_of.get(before.kill.test) not in changed.groups
    return before.verdict is Verdict.INVALID or not changed.groups


def _infecting(entry: Entry, changed: Changed, plan: Plan, mutant: Mutant) -> set[str] | None:
    """The groups of unchanged tests that infect a mutant; None where loading the code does."""
    probe, bit = plan.probe_of[mutant.id]
    loading = entry.loading
    masks = [loading["at_import"], loading["startup"], *loading["collecting"].values()]
    if any(mask.get(probe, 0) >> bit & 1 for mask in masks):
        return None
    kept = (group for group in entry.groups if group.key not in changed.groups)
    return {group.key for group in kept if group.facts["infected"].get(probe, {}).get(bit)}


def together(entry: Entry, changed: Changed, fresh: Sequence[Group]) -> list[Group]:
    """The groups that hold with those that ran again in their place; new ones behind those of their file."""
    new: dict[str, list[Group]] = {}
    for group in fresh:
        new.setdefault(group.key, []).append(group)
    placed: list[Group] = []
    for group in entry.groups:
        if group.key in changed.groups:
            placed += new.pop(group.key, [])
        else:
            placed.append(group)
    for group in (one for groups in new.values() for one in groups):
        last = max((place for place, one in enumerate(placed) if one.file == group.file), default=len(placed) - 1)
        placed.insert(last + 1, group)
    for file, names in changed.order.items():
        # a file that ran in one piece tells its order itself
        _put_in_order(placed, file, names or list(dict.fromkeys(map(_name_of, fresh))))
    return placed


def _put_in_order(groups: list[Group], file: str, names: Sequence[str]) -> None:
    """Have the groups of a file follow each other as its tests do: of values as near, the first one is told."""
    places = [place for place, group in enumerate(groups) if group.file == file]
    rank = {name: number for number, name in enumerate(names)}
    mine = sorted((groups[place] for place in places), key=lambda group: rank.get(_name_of(group), -1))
    for place, group in zip(places, mine, strict=True):
        groups[place] = group


def same_turns(before: Sequence[Group], now: Sequence[Group]) -> bool:
    """Whether the tests that use kept results follow each other in the same processes as before.

    The first one in each evaluates what it spares the others, and the suite runs in pieces.
    """
    return list(_turns(before)) == list(_turns(now))


def _turns(groups: Sequence[Group]) -> Iterator[tuple[int, int, str]]:
    ends = [last for _, last in pieces(sum(len(group.tests) for group in groups))]
    first = 0
    for group in groups:
        last = first + len(group.tests) - 1
        if group.remembers:
            yield bisect_right(ends, first), bisect_right(ends, last), group.key
        first = last + 1


def combined(
    groups: Sequence[Group], loading: Mapping[str, object], plan: Plan, sites: Iterable[Site], seconds: float
) -> Observation:
    """What groups saw, as one observation of one suite."""
    seen, names = Seen([], []), [test.id for group in groups for test in group.tests]
    first = 0
    for group in groups:
        facts = shifted(group.facts, first)
        tests = [_told(test, first, facts["skipped"]) for test in group.tests]
        add_group(seen, {**facts, "tests": tests}, names)
        first += len(group.tests)
    return summarise(seen, collected_of(loading, names), plan, sites, seconds)


def _told(test: TestRecord, first: int, skipped: Collection[int]) -> dict[str, object]:
    number = test.number + first
    return {
        "number": number, "seconds": test.seconds, "failures": [], "skipped": number in skipped, "unfollowed": False,
    }  # fmt: skip


def collected_of(loading: Mapping[str, object], names: Sequence[str]) -> Collected:
    """What collecting told of tests, as it was kept."""
    kept = dict(loading)
    return Collected(list(names), [], threads=False, trail=Trail(), **kept)  # type: ignore[arg-type] # its own fields


def loading_of(collected: Collected) -> dict[str, object]:
    """What collecting told of loading the code, to be kept."""
    names = ("at_import", "startup", "collecting", "loaded", "unwoven", "strangers")
    return {name: getattr(collected, name) for name in names}


def merged_loading(before: Mapping[str, object], now: Collected, files: Collection[str]) -> dict[str, object]:
    """What loading evaluates for the whole suite: as it was, and what the changed test files add to it.

    Args:
        files: the test files that changed; what they evaluate is that of now alone.
    """
    kept = collected_of(before, ())
    collecting = {file: masks for file, masks in kept.collecting.items() if file not in files}
    collecting |= {file: masks for file, masks in now.collecting.items() if file in files}
    return {
        "at_import": _united(kept.at_import, now.at_import),
        "startup": _united(kept.startup, now.startup),
        "collecting": collecting,
        "loaded": [*kept.loaded, *(path for path in now.loaded if path not in kept.loaded)],
        "unwoven": {**kept.unwoven, **now.unwoven},
        "strangers": {**kept.strangers, **now.strangers},
    }


def _united(one: Mapping[int, int], other: Mapping[int, int]) -> dict[int, int]:
    return {probe: one.get(probe, 0) | other.get(probe, 0) for probe in {*one, *other}}


def judged_again(
    again: Again, now: Mapping[str, Judgement], entry: Entry, observation: Observation, sites: Iterable[Site]
) -> dict[str, Judgement] | None:
    """The verdicts of the whole suite; None where one of them needs a run of all of it.

    Args:
        now: the verdicts of the tests that ran again, on the mutants that they could have changed.
        observation: what all tests saw.
    """
    found = dict(again.hold)
    tests = {test.number: test for test in observation.tests}
    for site in sites:
        for mutant in (one for one in site.mutants if one.id not in found):
            judgement = now.get(mutant.id)
            before = entry.judgements[mutant.id]
            if judgement is not None and judgement.verdict.detected:
                found[mutant.id] = judgement
                continue
            if judgement is not None and judgement.verdict in {Verdict.UNKNOWN, Verdict.INVALID}:
                return None
            unrun = judge_unrun(
                mutant, site, observation.sightings[site.id], observation.infections[mutant.id], observation.unwoven
            ) if site.ignored is None else Judgement(mutant.id, Verdict.IGNORED, site.ignored)  # fmt: skip
            if unrun is not None and unrun.verdict.missed and before.verdict.detected:
                return None  # nobody is accused by what is only remembered
            if unrun is not None:
                found[mutant.id] = unrun
            elif before.verdict is Verdict.SURVIVED:
                infection = observation.infections[mutant.id]
                outcome = Outcome(0, ran=1, seconds=before.seconds)
                found[mutant.id] = judge_run(mutant, outcome, infection, tests, confirmed=True, note="")
            else:
                return None  # the whole suite has to confirm it
    return found


def entry_of(
    now: ProjectNow,
    groups: list[Group],
    loading: Mapping[str, object],
    judgements: dict[str, Judgement],
    before: Entry | None = None,
    **more: Any,
) -> Entry:
    """What is kept of a run.

    Args:
        before: an entry that knows the test files that are still the same.
    """
    suite = sorted({group.file for group in groups})
    known = {
        file for file in suite if before and file in before.prints and before.files.get(file) == now.files.get(file)
    }
    texts = {file: now.text(file) for file in suite if file not in known}
    prints: dict[str, Prints | None] = {file: prints_of(text) for file, text in texts.items()}
    imports = {file: tuple(sorted(modules_of(text))) for file, text in texts.items()}
    acting = [file for file, text in texts.items() if acts_at_load(text)]
    if before is not None:  # what is the same need not be read again
        prints |= {file: before.prints[file] for file in known}
        imports |= {file: before.imports[file] for file in known}
        acting += known.intersection(before.acting)
    return Entry(
        now.surroundings, now.files, prints=prints, imports=imports, groups=groups, loading=dict(loading),
        judgements=judgements, acting=tuple(sorted(acting)), **more,
    )  # fmt: skip


def left_by_tests(before: ProjectNow, after: ProjectNow, trail: Trail, opened: Collection[str]) -> list[str] | None:
    """The paths that tests write, which differ from run to run; None where what they tell is not to be kept.

    Args:
        before: the project before the run.
        after: the same after it.
        trail: where the run wrote.
        opened: the files of the project that were opened while the tests ran.
    """
    every = {*before.files, *after.files}
    differing = {path for path in every if before.files.get(path) != after.files.get(path)}
    written, made = set(paths_below(before.root, trail.files)), sorted(paths_below(before.root, trail.made))
    if not all(path in written or _is_written(path, made) for path in differing):
        return None  # somebody edited it meanwhile
    if differing.intersection(opened):
        return None  # it was read, and the next run finds another one
    return sorted(differing.union(made))


def filed(trail: Trail) -> list[str]:
    """The files that tests write, where other tests may find them."""
    return [path for path in trail.files if "__pycache__" not in path]


def shared_by_tests(
    now: ProjectNow,
    loaded: Iterable[str],
    suite: Collection[str],
    judged: Collection[str],
    seen: Seen,
) -> tuple[frozenset[str], bool]:
    """Where one test may find what another one left behind: the parts of names of modules; an empty one: anywhere.

    It is told by the text of what was loaded. Results of calls that are kept matter where that spares evaluating code
    that is judged: where all functions that do it were watched, the tests that use them are known, and whether there
    are any is told beside. What a test changes elsewhere matters to who imports that; all else matters anywhere.

    Args:
        seen: what of the functions that keep results was watched.
    """
    texts = {path: now.text(path) for path in loaded if path.endswith(".py")}
    stems = {Path(path).stem for path in judged}
    used = stems.union(*(_imported_by(path, texts) for path in judged))
    found: set[str] = set()
    sparing: list[str] = []
    for path, text in texts.items():
        kept = kept_by(text)
        if (path in suite or Path(path).name == CONFTEST) and looks_around(text):
            found.add("")
        if path in suite and kept is Keeps.ELSEWHERE:
            names = changed_elsewhere(text)
            found |= {""} if names & used else names
        elif path not in suite and kept >= Keeps.IN_FILE:
            found.add("")
        elif kept is Keeps.RESULTS and (path in judged or _imported_by(path, texts) & stems):
            sparing.append(path)
    is_watched = all(_watched(texts[path], seen.keepers.get(path, ())) for path in sparing)
    if seen.left.intersection(sparing) and any(FORGETTING in text for text in texts.values()):
        is_watched = False  # a count that begins anew does not tell who used what is kept
    return frozenset(found if is_watched else {*found, ""}), bool(sparing)


def _watched(text: str, keepers: Collection[str]) -> bool:
    names = remembering(text)
    return names is not None and names.issubset(keepers)


def _imported_by(path: str, texts: Mapping[str, str]) -> set[str]:
    """The parts of the names of what a file imports, itself or through others."""
    by_stem: dict[str, list[str]] = {}
    for one in texts:
        by_stem.setdefault(Path(one).stem, []).append(one)
    pending, seen, found = [path], {path}, set[str]()
    while pending:
        names = modules_of(texts.get(pending.pop(), ""))
        found |= names
        new = {one for name in names for one in by_stem.get(name, ())} - seen
        seen |= new
        pending += new
    return found


def paths_below(root: Path, paths: Iterable[str]) -> Iterator[str]:
    """Those of some real paths that lie in the project, relative to it."""
    start = root.resolve()
    for path in map(Path, paths):
        if path.is_relative_to(start) and path != start:
            yield path.relative_to(start).as_posix()
