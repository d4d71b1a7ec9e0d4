"""Options of a project's pytest configuration that change which tests run, how often, or where they write. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ALONE = frozenset({
    "-x", "--exitfirst", "--lf", "--last-failed", "--ff", "--failed-first", "--nf", "--new-first", "--sw", "--stepwise",
    "--stepwise-skip", "--sw-skip", "--pdb", "--trace", "--no-cov", "--no-cov-on-fail", "--cov-append", "--cov-branch",
    "--cov-reset", "--cache-clear", "--looponfail", "-f", "--forked", "--boxed", "--testmon", "--testmon-noselect",
    "--snapshot-update", "--force-regen", "--regen-all", "--image-snapshot-update", "--update-goldens",
    "--flake-finder", "--store-durations", "--fencepost",
    "--setup-only", "--setup-plan", "--setup-show", "--collect-only", "--co",
    "--fixtures", "--fixtures-per-test", "--markers", "--usepdb", "--continue-on-collection-errors",
})  # fmt: skip
_WITH_VALUE = frozenset({
    "-n", "--numprocesses", "--maxprocesses", "--dist", "--tx", "--maxfail", "--reruns", "--reruns-delay",
    "--only-rerun",
    "--cov-report", "--cov-config", "--cov-fail-under", "--cov-context", "--junitxml", "--junit-xml", "--html",
    "--randomly-seed", "--randomly-seed-offset", "--random-order-seed", "--random-order-bucket", "--count",
    "--record-mode", "--vcr-record", "--vcr-record-mode", "--betamax-record-mode", "--workers", "--tests-per-worker",
    "--splits", "--group", "--flake-runs", "--cov-precision", "--report-log", "--alluredir",
    "--log-file", "--basetemp", "--durations", "--durations-min", "--pdbcls", "--pastebin", "--debug", "--resultlog",
})  # fmt: skip
_WITH_OPTIONAL_VALUE = frozenset({"--cov", "--random-order"})
_PLUGINS = frozenset({"randomly", "xdist", "pytest_cov", "random_order", "xdist.plugin", "pytest_randomly"})
_GLUED = re.compile(r"-n(auto|logical|\d+)$")
_SHORT_FLAGS = re.compile(r"-[a-zA-Z]{2,}$")


def neutral(options: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split options into those to keep and those to drop, each in their order."""
    kept: list[str] = []
    dropped: list[str] = []
    waiting = list(options)
    while waiting:
        option = waiting.pop(0)
        name = option.partition("=")[0]
        if option in _ALONE or _GLUED.match(option):
            dropped.append(option)
        elif name in _WITH_VALUE or name in _WITH_OPTIONAL_VALUE:
            takes_next = "=" not in option and bool(waiting) and (name in _WITH_VALUE or not waiting[0].startswith("-"))
            dropped.append(f"{option} {waiting.pop(0)}" if takes_next else option)
        elif option == "-p" and waiting and waiting[0] in _PLUGINS:
            dropped.append(f"-p {waiting.pop(0)}")
        elif _SHORT_FLAGS.match(option) and set(option[1:]) <= set("vqsxl") and "x" in option:
            kept.append(option.replace("x", ""))
            dropped.append("-x")
        else:
            kept.append(option)
    return kept, dropped
