"""`fencepost init`: writes the settings and a workflow, and says what each is for."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

from fencepost.analyzer.errors import UsageProblem

SETTINGS = """\
[tool.fencepost] # would my tests notice? `fencepost run --help` says more
# source = ["src"]                # the code under test; found by looking where it is not given
# tests = ["tests"]               # what pytest collects where it is not given
# pytest-args = ["-m", "not slow"] # further arguments for pytest

[tool.fencepost.gate] # what `fencepost gate` lets pass
fail-on = ["survived", "not-infected", "not-reached"] # on changed lines
budget = 600 # seconds; what is not tried by then is unknown, and the gate ends with 4
"""
GITHUB = """\
name: fencepost
on: pull_request
permissions: {contents: read, pull-requests: write}
jobs:
  gate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: {fetch-depth: 0} # the gate needs the merge base
      - uses: actions/setup-python@v5
        with: {python-version: "3.12"}
      - run: pip install -e . fencepost # fencepost goes where the tests run
      - run: fencepost gate -o terminal -o github
      - if: always() && github.event.pull_request.head.repo.full_name == github.repository
        run: fencepost comment --pr ${{ github.event.pull_request.number }}
        env: {GITHUB_TOKEN: "${{ github.token }}"}
"""
WORKFLOW = ".github/workflows/fencepost.yml"


def set_up(root: Path, *, github: bool) -> Iterator[str]:
    """Write what is missing, and leave what is there; yields what was done, a sentence each.

    Raises:
        UsageProblem: pyproject.toml does not parse.
    """
    yield _add_settings(root / "pyproject.toml")
    if github:
        yield _add_workflow(root / WORKFLOW)


def _add_settings(path: Path) -> str:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageProblem(
            f"{path.name} does not parse: {error}", slug="bad-toml", hint="mend the file; every Python tool reads it"
        ) from error
    if "fencepost" in document.get("tool", {}):
        return f"{path.name} has its [tool.fencepost] already, and is left as it is"
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{gap}{SETTINGS}")
    return f"{path.name}: [tool.fencepost] with the settings that most projects want, and [tool.fencepost.gate]"


def _add_workflow(path: Path) -> str:
    if path.exists():
        return f"{WORKFLOW} is there already, and is left as it is"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(GITHUB, encoding="utf-8")
    return f"{WORKFLOW}: the gate on each pull request, with annotations and one comment"
