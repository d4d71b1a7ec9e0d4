"""A file is proven where one canary of a few is noticed, and not proven where none is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fencepost.analyzer.canary import MOST_SITES, MOST_TESTS, _spread, unproven_files
from fencepost.analyzer.jobs import Jobs, Limits

Make = Callable[..., Any]
BOTH = ("post.py", "shop.py")
REACHING = {"age > 18": [0], "total >= 50": [1], "grams >= 1000": [2]}


def canaries(suite: Any, engine: Any, *paths: str) -> tuple[set[str], list[tuple[str, list[int]]]]:
    """The files that are not proven; the file and the tests of each canary, in order."""
    jobs = Jobs(engine, suite.plan, suite.selection, Limits(4.0, 1.0))
    unproven = unproven_files(jobs, suite.selection, paths)
    return unproven, [(suite.plan.spans[job["canary"]][0], job["numbers"]) for job in engine.seen]


def test_a_file_is_proven_by_its_first_canary_that_is_noticed(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(["a", "b", "c"], reaches=REACHING)
    engine = make_engine(suite)
    # whatever the order of the files asked for, that of the canaries is the same
    assert canaries(suite, engine, *reversed(BOTH)) == (set(), [("post.py", [2]), ("shop.py", [0])])
    assert all((job["switches"], job["stop_at_first"]) == ([], True) for job in engine.seen)


def test_a_file_in_which_no_canary_is_noticed_is_not_proven(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(["a", "b", "c"], reaches=REACHING)
    engine = make_engine(suite, deaf=["shop.py"])
    assert canaries(suite, engine, *BOTH) == (
        {"shop.py"},
        [("post.py", [2]), ("shop.py", [0]), ("shop.py", [1])],
    )
    assert len({job["id"] for job in engine.seen}) == 3


def test_a_file_that_no_test_reaches_has_no_canary(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(["a", "b"], reaches={"age > 18": [0]})
    engine = make_engine(suite, deaf=BOTH)
    assert canaries(suite, engine, *BOTH) == ({"shop.py"}, [("shop.py", [0])])


def test_tests_that_fail_or_skip_prove_nothing(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(["a", "b", "c"], reaches={"age > 18": [0, 1, 2], "grams >= 1000": [1]}, failing=[0])
    suite.seen.skipped.add(1)
    assert canaries(suite, make_engine(suite), *BOTH) == (set(), [("shop.py", [2])])


def test_a_canary_has_a_few_tests(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite({"a": 20.0, "b": 0.01, "c": 0.01, "d": 0.01, "e": 0.01}, reaches={"age > 18": range(5)})
    assert canaries(suite, make_engine(suite), "shop.py") == (set(), [("shop.py", [1, 2, 3])])
    assert MOST_TESTS == 3


def test_no_files_have_no_canaries(make_suite: Make, make_engine: Make) -> None:
    suite = make_suite(["a"], reaches={"age > 18": [0]})
    assert canaries(suite, make_engine(suite)) == (set(), [])


def test_canaries_are_spread_over_a_file() -> None:
    sites = [(number, {0}) for number in range(13)]
    assert [number for number, _ in _spread(sites)] == [0, 2, 4, 6, 8]
    assert _spread(sites[:4]) == sites[:4]
    assert _spread([]) == []
    assert len(_spread(sites)) == MOST_SITES
