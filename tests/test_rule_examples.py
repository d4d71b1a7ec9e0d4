"""The examples of every rule, run for real: one run of the command over a project made of them all."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fencepost.rules import Rule, every_rule
from fencepost.rules._rule import Example

GAPS = {"survived", "not-infected", "not-reached"}
JUDGED = {*GAPS, "killed", "timeout", "ignored"}


@dataclass(frozen=True)
class Case:
    """One example, and the name of the module that it becomes."""

    rule: type[Rule]
    kind: str
    number: int
    example: Example

    @property
    def module(self) -> str:
        """A name that no other example has."""
        return f"{self.rule.code}_{self.kind}_{self.number}".lower()


def cases() -> Iterator[Case]:
    for rule in every_rule():
        for kind, examples in (("VALID", rule.VALID), ("INVALID", rule.INVALID)):
            yield from (Case(rule, kind, number, example) for number, example in enumerate(examples))


def write_project(root: Path, all_cases: Sequence[Case]) -> None:
    (root / "src").mkdir()
    (root / "tests").mkdir()
    (root / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["src"]\n', encoding="utf-8")
    for case in all_cases:
        (root / "src" / f"{case.module}.py").write_text(case.example.code, encoding="utf-8")
        tests = f"from {case.module} import *\n\n{case.example.tests}"
        (root / "tests" / f"test_{case.module}.py").write_text(tests, encoding="utf-8")


Mutants = Mapping[tuple[str, str], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def mutants(tmp_path_factory: pytest.TempPathFactory, fencepost: Callable[..., Any]) -> Mutants:
    """The mutants that the runs report, by module and rule: one of the rules by default, one of all operators."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for operators in ("default", "all"):
        root = tmp_path_factory.mktemp("examples")
        write_project(root, [case for case in cases() if case.rule.by_default == (operators == "default")])
        done = fencepost("run", "--operators", operators, "-o", "json:report.json", "src", cwd=root)
        assert done.returncode == 0, done.stderr
        for mutant in json.loads((root / "report.json").read_text(encoding="utf-8"))["mutants"]:
            found[Path(mutant["path"]).stem, mutant["rule"]].append(mutant)
    return found


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.module)
def test_exactly_the_listed_mutants_of_an_example_survive(case: Case, mutants: Mutants) -> None:
    mine = mutants[case.module, case.rule.code]
    gaps = [mutant["replacement"] for mutant in mine if mutant["verdict"] in GAPS]
    assert sorted(gaps) == sorted(case.example.survivors)
    assert {mutant["verdict"] for mutant in mine} <= JUDGED


@pytest.mark.parametrize("rule", every_rule(), ids=lambda rule: rule.code)
def test_a_rule_has_examples_in_which_its_mutants_are_killed(rule: type[Rule], mutants: Mutants) -> None:
    valid = [case for case in cases() if case.rule is rule and case.kind == "VALID"]
    assert any(mutant["verdict"] == "killed" for case in valid for mutant in mutants[case.module, rule.code])


def test_only_the_invalid_examples_list_survivors() -> None:
    assert all(bool(case.example.survivors) == (case.kind == "INVALID") for case in cases())
