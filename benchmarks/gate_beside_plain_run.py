"""How long a gate on one changed function takes beside one plain run of the tests, and again after one more test.

    python benchmarks/gate_beside_plain_run.py PROJECT FILE:FIRST-LAST --add-to TEST_FILE [--rounds 3] [-- PYTEST_ARGS]

PROJECT is a folder whose tests run in the environment of this interpreter, beside fencepost. It is copied into a
temporary repository, and there a comment is put behind the lines FIRST to LAST of FILE, which is what the gate judges.
Each round runs plain pytest, then the gate with nothing known, then, after one small test was added to TEST_FILE, the
gate again; the figures are the medians, and the ratio of the first two.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

NEW_TEST = "\n\ndef test_of_round_{number}():\n    assert {number} == {number}\n"


def main() -> None:
    """Measure, and print a line for each round and the medians."""
    arguments = _arguments()
    path, _, lines = arguments.place.partition(":")
    first, _, last = lines.partition("-")
    with tempfile.TemporaryDirectory(prefix="fencepost-benchmark-") as folder:
        copy = Path(folder, "project")
        shutil.copytree(arguments.project, copy, ignore=shutil.ignore_patterns(".git", ".fencepost", "__pycache__"))
        _git(copy, "init", "-q", "-b", "main")
        _git(copy, "add", "--all")
        _git(copy, "commit", "-q", "-m", "as it is")
        _touch(copy / path, range(int(first), int(last or first) + 1))
        rounds = [_round(copy, number, arguments) for number in range(arguments.rounds)]
    plain, cold, warm = (statistics.median(times) for times in zip(*rounds, strict=True))
    print(f"plain run {plain:.2f} s, gate {cold:.2f} s, ratio {cold / plain:.2f}; after one more test {warm:.2f} s")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("project", type=Path)
    parser.add_argument("place", metavar="FILE:FIRST-LAST")
    parser.add_argument("--add-to", metavar="TEST_FILE", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    given = sys.argv[1:]
    place = given.index("--") if "--" in given else len(given)
    parser.set_defaults(pytest_args=given[place + 1 :])
    return parser.parse_args(given[:place])


def _round(copy: Path, number: int, arguments: argparse.Namespace) -> tuple[float, float, float]:
    shutil.rmtree(copy / ".fencepost", ignore_errors=True)
    plain = _seconds(copy, ["-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments.pytest_args])
    gate = ["-m", "fencepost", "gate", "--base", "main", "--", *arguments.pytest_args]
    cold = _seconds(copy, gate)
    with (copy / arguments.add_to).open("a", encoding="utf-8") as file:
        file.write(NEW_TEST.format(number=number))
    warm = _seconds(copy, gate)
    print(f"round {number + 1}: plain {plain:.2f} s, gate {cold:.2f} s, after one more test {warm:.2f} s")
    return plain, cold, warm


def _seconds(folder: Path, command: Sequence[str]) -> float:
    before = [str(folder / "src"), str(folder)]  # the copy, and not what is installed
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(before)}
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode not in {0, 1}:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return time.perf_counter() - started


def _git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True)  # noqa: S607 - git alone


def _touch(path: Path, numbers: Sequence[int]) -> None:
    """Put a comment behind lines; one that would change what the code says is left as it is."""
    lines = path.read_text(encoding="utf-8").split("\n")
    meant = ast.dump(ast.parse("\n".join(lines)))
    for number in numbers:
        before = lines[number - 1]
        lines[number - 1] = f"{before}  # touched"
        try:
            same = ast.dump(ast.parse("\n".join(lines))) == meant
        except SyntaxError:
            same = False
        if not same:
            lines[number - 1] = before
    path.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
