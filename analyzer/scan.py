"""Source text to sites and mutants: libcst parses, the rules look. Imports no code under test."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from fencepost.analyzer.arid import arid_reason
from fencepost.analyzer.comments import Comments, read_comments
from fencepost.analyzer.constants import Constants, Project
from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.model import FileScan, Finding, FStringParts, Mutant, Probe, ScanProblem, Site, Span
from fencepost.analyzer.repeats import without_repeats
from fencepost.analyzer.source import NO_NORMALIZERS, SourceFile
from fencepost.rules import Rule
from fencepost.rules._rule import Draft

GIVE_A_VALUE = frozenset({"pure", "iterable", "duplicates"})  # the observers of calls that change nothing in place
PARALLEL_FROM_BYTES = 120_000  # below this, starting a second process costs more than it saves


def scan_files(
    root: Path,
    paths: Sequence[str],
    rules: Sequence[type[Rule]],
    *,
    normalizers: Mapping[str, Sequence[str]] = NO_NORMALIZERS,
    jobs: int = 1,
    finished: Callable[[FileScan], None] = lambda _: None,
) -> list[FileScan]:
    """Scan files given relative to `root` with forward slashes; the result is in the order of `paths`.

    Args:
        normalizers: the user's table of calls that normalize.
        jobs: processes to use at most; small amounts of code are scanned in this one.
        finished: called once for each file, as it is done.
    """
    sizes = {path: _size(root / path) for path in paths}
    begun = time.monotonic_ns()  # each scan looks at the files anew
    work = [(root, begun, path, tuple(rules), dict(normalizers)) for path in paths]
    if jobs < 2 or sum(sizes.values()) < PARALLEL_FROM_BYTES:
        return [_tell(finished, _scan_one(item)) for item in work]
    # fork: the parent has no threads yet, and a spawned worker would import libcst again
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        largest_first = sorted(work, key=lambda item: -sizes[item[2]])
        by_path = {scan.path: _tell(finished, scan) for scan in pool.map(_scan_one, largest_first)}
    return [by_path[path] for path in paths]


def _tell(finished: Callable[[FileScan], None], scan: FileScan) -> FileScan:
    finished(scan)
    return scan


@functools.lru_cache(maxsize=1)
def _project(root: Path, begun: int) -> Project:  # noqa: ARG001 - it tells one scan from the next
    """What this process knows of the other files during one scan."""
    return Project(root)


def _scan_one(item: tuple[Path, int, str, tuple[type[Rule], ...], Mapping[str, Sequence[str]]]) -> FileScan:
    root, begun, path, rules, normalizers = item
    try:
        data = (root / path).read_bytes()
    except OSError as error:
        return FileScan(path, "", problem=ScanProblem(path, 1, f"cannot be read: {error.strerror}"))
    return scan_source(data, path, rules, normalizers, _project(root, begun))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0  # reading it says why


def scan_source(
    data: bytes,
    path: str,
    rules: Iterable[type[Rule]],
    normalizers: Mapping[str, Sequence[str]] = NO_NORMALIZERS,
    project: Project | None = None,
) -> FileScan:
    """All sites of one file; a file that does not parse gives its problem and no sites.

    What constants stand for is looked up in other files of the project too, where it is given. A run that goes on from
    an interrupted one compares all files of the project for that reason.
    """
    digest = hashlib.sha256(data).hexdigest()
    try:
        text = importlib.util.decode_source(data)
        # first, for Python's own line and words; and libcst overflows the C stack where Python refuses the nesting
        with warnings.catch_warnings(action="ignore"):  # of escapes in the code under test
            tree = ast.parse(text)
        module = cst.parse_module(text)
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        ranges = wrapper.resolve(PositionProvider)
        source = SourceFile(
            text, wrapper.module, ranges, path=path, normalizers=normalizers, constants=Constants(tree, path, project)
        )
        comments, looking = read_comments(text), tuple(rules)
        walker = _Walker(path, source, comments, looking)
        wrapper.module.visit(walker)
    except cst.ParserSyntaxError as error:
        return FileScan(path, digest, problem=ScanProblem(path, error.raw_line, f"syntax error: {error.message}"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return FileScan(path, digest, problem=ScanProblem(path, line, str(error)))
    except SyntaxError as error:
        return FileScan(path, digest, problem=ScanProblem(path, error.lineno or 1, f"syntax error: {error.msg}"))
    except (RecursionError, KeyError):  # libcst's positions hide the one behind the other
        return FileScan(path, digest, problem=ScanProblem(path, 1, "nested too deeply to parse"))
    findings = (*walker.findings, *comments.findings(path, looking))
    return FileScan(path, digest, without_repeats(walker.sites, looking), tuple(walker.fstrings), findings=findings)


class _Walker(cst.CSTVisitor):
    """Visits every node once, outermost first, and asks the rules that look at its type."""

    def __init__(self, path: str, source: SourceFile, comments: Comments, rules: Iterable[type[Rule]]) -> None:
        super().__init__()
        self.path, self.source, self.comments = path, source, comments
        self.by_type: dict[type[cst.CSTNode], list[Rule]] = defaultdict(list)
        for rule in rules:
            for node_type in rule.node_types:
                self.by_type[node_type].append(rule())
        self.scope: list[str] = []
        self.ordinals: Counter[tuple[str, ...]] = Counter()
        self.sites: list[Site] = []
        self.fstrings: list[FStringParts] = []
        self.findings: list[Finding] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, cst.Annotation):
            return False  # a type annotation is no code under test
        for rule in self.by_type.get(type(node), ()):
            for draft in rule.drafts(node, self.source):
                self.sites.append(self._site(rule, draft))
        if isinstance(node, cst.FormattedString):
            self.fstrings.append(self._fstring(node))
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self.scope.append(node.name.value)
        self.source.ancestors.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, cst.Annotation):
            return
        self.source.ancestors.pop()
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef):
            self.scope.pop()

    def _site(self, rule: Rule, draft: Draft) -> Site:
        span = self.source.anchor(draft.node)
        text = self.source.slice(span)
        scope = ".".join(self.scope)
        site_id = self._id(rule.code, self.path, scope, text, draft.kind, str(draft.part))
        mutants = tuple(
            Mutant(
                self._id(rule.code, self.path, scope, text, replacement),
                site_id, rule.code, self.path, span, text, replacement, mutant.template,
            )
            for mutant in draft.mutants
            for replacement in [self._fitted(draft.node, mutant.replacement, span)]
        )  # fmt: skip
        probe = Probe(
            draft.shape, draft.observer, tuple(self.source.span(node) for node in draft.operands), draft.template,
            draft.part, draft.parts, draft.threshold_operand,
        )  # fmt: skip
        ignored = (
            draft.ignored
            or arid_reason([*self.source.ancestors, draft.node], text)
            or self._commented(rule, draft.node, span)
            or self._unused(rule, draft, span, text)
        )
        return Site(
            site_id,
            rule.code,
            self.path,
            span,
            scope,
            text,
            draft.kind,
            draft.ask,
            draft.threshold,
            probe,
            mutants,
            ignored,
        )

    def _fitted(self, node: cst.CSTNode, replacement: str, span: Span) -> str:
        if isinstance(node, cst.MatchPattern | cst.BaseSmallStatement):
            return replacement  # parentheses would take in the guard that it ends with, and hold no statement
        return self.source.fitted(replacement, span)

    def _id(self, *parts: str) -> str:
        """A short name that survives edits elsewhere in the file: no line number is in it."""
        self.ordinals[parts] += 1
        key = "\0".join((*parts, str(self.ordinals[parts])))
        return f"{parts[0]}-{hashlib.sha256(key.encode()).hexdigest()[:10]}"

    def _commented(self, rule: Rule, node: cst.CSTNode, span: Span) -> str | None:
        lines = range(span.start.line, span.end.line + 1)
        if any(line in self.comments.no_mutate for line in lines):
            return "pragma: no mutate"
        if any(line in self.comments.no_cover for line in [*lines, *self._header_lines(node)]):
            return "pragma: no cover"
        reason = self.comments.allowed(rule, lines)
        return None if reason is None else f"allowed: {reason}"

    def _unused(self, rule: Rule, draft: Draft, span: Span, text: str) -> str | None:
        """Why a call whose result nobody takes is no mutant: it changes nothing, which is a finding of its own."""
        if draft.observer not in GIVE_A_VALUE or not isinstance(self.source.parent(), cst.Expr):
            return None
        name = self._id(rule.code, self.path, ".".join(self.scope), text, "unused")
        message = f"the result of `{shorten(text)}` is not used, and it changes nothing else"
        self.findings.append(Finding(name, rule.code, self.path, span, message, "", "warning"))
        return "its result is not used"

    def _header_lines(self, inner: cst.CSTNode) -> Iterator[int]:
        """The lines of the block headers around a node, and of its statement; a pragma there covers all of it."""
        for node, child in zip(self.source.ancestors, [*self.source.ancestors[1:], inner], strict=True):
            if isinstance(node, cst.SimpleStatementLine | cst.BaseSmallStatement):
                span = self.source.span(node)
                yield from range(span.start.line, span.end.line + 1)
            body = getattr(node, "body", None)
            # not from the `orelse`: the header of an `if` says nothing about its `else`
            if isinstance(body, cst.BaseSuite) and child is not getattr(node, "orelse", None):
                decorators = getattr(node, "decorators", ())
                first = self.source.span(decorators[0] if decorators else node).start.line
                yield from range(first, max(first, self.source.span(body).start.line - 1) + 1)

    def _fstring(self, node: cst.FormattedString) -> FStringParts:
        return FStringParts(self.source.span(node), tuple(self._expressions(node.parts)))

    def _expressions(self, parts: Iterable[cst.BaseFormattedStringContent]) -> Iterator[Span]:
        for part in parts:
            if isinstance(part, cst.FormattedStringExpression):
                yield self.source.span(part.expression)
                yield from self._expressions(part.format_spec or ())
