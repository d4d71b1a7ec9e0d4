"""The page of `fencepost scan`: every site of the source and what it asks of a test; nothing has run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from fencepost.analyzer.model import FileScan, Site
from fencepost.reports._sentences import plural
from fencepost.reports._view import rule_name
from fencepost.reports.terminal import Sources, print_expression, print_finding, print_line, print_problems, print_prose


def report(files: Sequence[FileScan], console: Console, root: Path, *, show_ignored: bool = False) -> None:
    """Print the sites of each file.

    Args:
        root: the folder that the paths of the files are relative to.
        show_ignored: list the sites that are set aside too, with the reason.
    """
    sources = Sources(files, root)
    for file_scan in files:
        if file_scan.sites:
            _print_file(file_scan, console, sources, show_ignored=show_ignored)
    print_problems(files, console)
    for finding in (finding for file_scan in files for finding in file_scan.findings):
        print_finding(finding, console)
    sites = [site for file_scan in files for site in file_scan.sites]
    asking = [site for site in sites if site.ignored is None]
    mutants = sum(len(site.mutants) for site in asking)
    counted = _count(len(asking), len(sites) - len(asking))
    print_line(console, (counted, "bold"), f", {plural(mutants, 'mutant')}, {plural(len(files), 'file')}")


def _print_file(file_scan: FileScan, console: Console, sources: Sources, *, show_ignored: bool) -> None:
    asking = [site for site in file_scan.sites if site.ignored is None]
    print_line(console, (file_scan.path, "bold"), f": {_count(len(asking), len(file_scan.sites) - len(asking))}")
    for site in sorted(file_scan.sites, key=lambda site: (site.span, site.rule, site.id)):
        if site.ignored is None or show_ignored:
            _print_site(site, console, sources)
    console.print()


def _print_site(site: Site, console: Console, sources: Sources) -> None:
    start = site.span.start
    rule = f"{site.rule} {rule_name(site.rule)}"
    scope = f"  in {site.scope}" if site.scope else ""
    print_line(console, f"  {site.path}:{start.line}:{start.column}  ", (rule, "cyan"), (scope, "dim"))
    print_expression(console, site, sources)
    if site.ignored is not None:
        print_prose(console, f"ignored: {site.ignored}", style="dim")
        return
    print_prose(console, site.ask)
    if site.threshold is not None:
        threshold = site.threshold
        print_line(console, f"    inputs: {threshold.below} | {threshold.at} | {threshold.above}")


def _count(asking: int, ignored: int) -> str:
    return plural(asking, "site") + (f" ({ignored} ignored)" if ignored else "")
