"""Options of the project's pytest configuration that a run of fencepost leaves out."""

from __future__ import annotations

import pytest

from fencepost.analyzer.addopts import neutral


@pytest.mark.parametrize(
    ("options", "kept", "dropped"),
    [
        (["-q", "--strict-markers"], ["-q", "--strict-markers"], []),
        (["-x", "--lf", "-ra"], ["-ra"], ["-x", "--lf"]),
        (["-n", "auto", "-v"], ["-v"], ["-n auto"]),
        (["-nauto", "-n4", "-nologic"], ["-nologic"], ["-nauto", "-n4"]),
        (["--maxfail=2", "--maxfail", "3"], [], ["--maxfail=2", "--maxfail 3"]),
        (["--cov", "--cov-report", "term"], [], ["--cov", "--cov-report term"]),
        (["--cov", "src", "--cov=src", "-v"], ["-v"], ["--cov src", "--cov=src"]),
        (["-p", "randomly", "-p", "myplugin"], ["-p", "myplugin"], ["-p randomly"]),
        (["-p"], ["-p"], []),
        (["-n"], [], ["-n"]),
        (["-xvs", "-vv", "-xz"], ["-vs", "-vv", "-xz"], ["-x"]),
        (["-qx"], ["-q"], ["-x"]),
        (["-vqsxl"], ["-vqsl"], ["-x"]),
        (["--pdb", "--trace", "--sw", "tests/test_a.py"], ["tests/test_a.py"], ["--pdb", "--trace", "--sw"]),
        (["--forked", "--testmon", "--workers", "2", "-v"], ["-v"], ["--forked", "--testmon", "--workers 2"]),
        (["--splits", "3", "--group=1", "--cov-precision=2"], [], ["--splits 3", "--group=1", "--cov-precision=2"]),
        (["--snapshot-update", "--force-regen", "-q"], ["-q"], ["--snapshot-update", "--force-regen"]),
        (["--record-mode=all", "--vcr-record", "once"], [], ["--record-mode=all", "--vcr-record once"]),
        ([], [], []),
    ],
)
def test_options_that_change_which_tests_run_are_dropped_and_named(
    options: list[str], kept: list[str], dropped: list[str]
) -> None:
    assert neutral(options) == (kept, dropped)
