"""What `mutmut_driver.py` uses of mutmut is there, in the installed version.

mutmut promises none of it to anybody: where one of these fails after an upgrade, that one file has to be looked at.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from mutmut.mutation import mutators

from fencepost.rules import every_rule
from fencepost.rules.operators._mutmut import OPERATORS

# mutmut reads its configuration while its workers are imported, so they are looked at in a process of their own
LOOK = """
import importlib, inspect, json, tempfile
from fencepost.analyzer import mutmut_driver

with tempfile.TemporaryDirectory() as folder:
    mutmut_driver._configure_mutmut(folder)
    names = [name.rpartition(".") for name in mutmut_driver.CONTRACT]
    missing = [f"{module}.{name}" for module, _, name in names if not hasattr(importlib.import_module(module), name)]
    from mutmut.runners.harness import TestRunner
    from mutmut.workers.isolation import ForkServerRunner, MutantResult

    runner = ForkServerRunner(max_workers=1, test_runner_class=TestRunner, test_runner_args={}, max_restarts=1)
    print(json.dumps({
        "names": len(names),
        "missing": missing,
        "runner": dir(runner),
        "reap": list(inspect.signature(ForkServerRunner._reap_children).parameters),
        "submit": list(inspect.signature(runner.submit).parameters),
        "wait_for_result": list(inspect.signature(runner.wait_for_result).parameters),
        "result": list(inspect.signature(MutantResult).parameters),
        "suite_runner": dir(mutmut_driver._suite_runner()),
        "run_tests": list(inspect.signature(TestRunner.run_tests).parameters),
    }))
"""
USED_OF_THE_RUNNER = {
    "result_pipe_read", "startup", "submit", "wait_for_result", "pending_count", "stop_all_workers", "forkserver_pid",
    "_reap_children",
}  # fmt: skip


@pytest.fixture(scope="module")
def mutmut() -> dict[str, Any]:
    done = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    seen: dict[str, Any] = json.loads(done.stdout)
    return seen


def test_every_name_of_the_contract_exists(mutmut: dict[str, Any]) -> None:
    assert mutmut["names"] > 0
    assert mutmut["missing"] == []


def test_the_fork_server_runner_has_what_the_engine_uses(mutmut: dict[str, Any]) -> None:
    assert set(mutmut["runner"]) >= USED_OF_THE_RUNNER


def test_a_job_is_a_name_tests_a_cpu_limit_and_an_estimated_time(mutmut: dict[str, Any]) -> None:
    assert mutmut["submit"] == ["mutant_name", "tests", "cpu_time_limit", "estimated_time"]


def test_finished_workers_are_reaped_with_the_parameters_that_ours_hands_on(mutmut: dict[str, Any]) -> None:
    assert mutmut["reap"] == [
        "self", "running", "result_fd", "forkserver_logger", "sigchld_pipe_r", "block", "timeout",
    ]  # fmt: skip


def test_a_result_carries_the_name_of_the_job_and_its_exit_code(mutmut: dict[str, Any]) -> None:
    assert mutmut["wait_for_result"] == ["timeout"]
    assert {"mutant_name", "exit_code"} <= set(mutmut["result"])


def test_a_test_runner_is_warmed_up_and_then_given_a_name_and_tests(mutmut: dict[str, Any]) -> None:
    assert {"warm_up", "run_tests"} <= set(mutmut["suite_runner"])
    assert mutmut["run_tests"] == ["self", "mutant_name", "tests"]


def test_the_catalogue_of_mutmut_is_the_one_that_the_rules_know() -> None:
    """Where this fails, mutmut has learned or lost an operator: `--operators all` has to follow."""
    functions = {function.__name__ for _, function in mutators.mutation_operators}
    assert functions == OPERATORS.keys()
    assert set(OPERATORS.values()) <= {rule.code for rule in every_rule()}


def test_the_operators_are_called_with_the_nodes_that_they_are_made_for() -> None:
    types = {function.__name__: node_type.__name__ for node_type, function in mutators.mutation_operators}
    assert types == {
        "operator_number": "BaseNumber", "operator_string": "BaseString", "operator_name": "Name",
        "operator_assignment": "AnnAssign", "operator_augmented_assignment": "AugAssign",
        "operator_remove_unary_ops": "UnaryOperation", "operator_dict_arguments": "Call",
        "operator_arg_removal": "Call",
        "operator_symmetric_string_methods_swap": "Call", "operator_unsymmetrical_string_methods_swap": "Call",
        "operator_lambda": "Lambda", "operator_keywords": "CSTNode", "operator_swap_op": "CSTNode",
        "operator_match": "Match", "operator_if_exp": "IfExp",
    }  # fmt: skip
