"""How long a whole analysis takes beside one plain run of the same tests, measured alternately.

    python benchmarks/against_plain_run.py PROJECT [--command gaps] [--rounds 3] [--paths SOURCE ...] [-- PYTEST_ARGS]

PROJECT is the folder of a project that is installed (editable) beside fencepost in the environment of this interpreter.
Each round runs plain pytest and then `fencepost run`, or `fencepost gaps`, so that both meet the same load; the
figure is the ratio of the medians. Also told: the most memory that all processes of the analysis held at once
(proportional set size where the kernel tells it, so that pages shared by forks count once), and the CPU seconds for
each mutant that was run.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path


def main() -> None:
    """Measure and print."""
    arguments, pytest_args = _arguments()
    project = arguments.project.resolve()
    plain: list[float] = []
    whole: list[float] = []
    cpu_ratios: list[float] = []
    memory: list[int] = []
    report = Path(tempfile.mkdtemp()) / "report.json"
    for number in range(arguments.rounds):
        tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *pytest_args]
        seconds, _, plain_cpu = _timed(tests, project)
        plain.append(seconds)
        options = [*arguments.paths, "-o", f"json:{report}", "--", *pytest_args]
        seconds, most, cpu = _timed([sys.executable, "-m", "fencepost", arguments.command, *options], project)
        whole.append(seconds)
        memory.append(most)
        both = f"plain {plain[-1]:.2f} s, analysis {seconds:.2f} s"
        cpu_ratios.append(cpu / plain_cpu)
        print(f"round {number + 1}: {both}, {most / 2**20:.0f} MB, {cpu:.1f} CPU s", flush=True)
    document = json.loads(report.read_text(encoding="utf-8"))
    verdicts = {name: count for name, count in document["summary"]["verdicts"].items() if count}
    run = sum(verdicts.get(name, 0) for name in ("killed", "timeout", "survived", "invalid"))
    mutants_cpu = sum(mutant["seconds"] for mutant in document["mutants"])
    ratio = statistics.median(whole) / statistics.median(plain)
    print(f"verdicts: {verdicts}")
    print(f"analysis / plain run: {ratio:.2f}   in CPU seconds: {statistics.median(cpu_ratios):.2f}")
    print(f"most memory of all processes together: {max(memory) / 2**20:.0f} MB")
    print(f"seconds a mutant that was run, its deciding run alone: {mutants_cpu / max(1, run):.3f}")


def _arguments() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("--command", choices=["run", "gaps"], default="run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--paths", nargs="*", default=[])
    given = sys.argv[1:]
    place = given.index("--") if "--" in given else len(given)
    return parser.parse_args(given[:place]), given[place + 1 :]


def _timed(command: Sequence[str], folder: Path) -> tuple[float, int, float]:
    """Wall seconds, most memory in bytes and CPU seconds of a command and all that it starts.

    Raises:
        SystemExit: the command fails.
    """
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    most = [0]
    watcher = threading.Thread(target=_watch, args=(process, most), daemon=True)
    watcher.start()
    _, errors = process.communicate()
    seconds = time.perf_counter() - started
    watcher.join()
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}: {errors.decode(errors='replace')[-2000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, most[0], after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _watch(process: subprocess.Popen[bytes], most: list[int]) -> None:
    while process.poll() is None:
        most[0] = max(most[0], sum(_memory(pid) for pid in _family(process.pid)))
        time.sleep(0.25)


def _family(top: int) -> list[int]:
    """A process and all its descendants, from /proc; only the process itself where there is no /proc."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(entry.parent.name)] = int(entry.read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue  # it has ended
    family = [top]
    for pid in family:
        family += [child for child, parent in parents.items() if parent == pid]
    return family


def _memory(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        return 0
    return 0


if __name__ == "__main__":
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    main()
