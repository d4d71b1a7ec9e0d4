"""What the scanner promises about ids, spans, reasons to leave code alone, and files that are no Python."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from fencepost.analyzer.model import FileScan, Position, ScanProblem, Site, Span
from fencepost.analyzer.scan import PARALLEL_FROM_BYTES, scan_files, scan_source
from fencepost.rules.boundary.boundary_at import BoundaryAt
from fencepost.rules.normalizing.letter_case import LetterCase

ADULT = "def adult(age):\n    return age >= 18\n"


def scanned(code: str | bytes, path: str = "a.py") -> FileScan:
    data = code if isinstance(code, bytes) else code.encode()
    return scan_source(data, path, [BoundaryAt, LetterCase])


def sites_of(code: str | bytes) -> tuple[Site, ...]:
    scan = scanned(code)
    assert scan.problem is None
    return scan.sites


def only_site(code: str | bytes) -> Site:
    (site,) = sites_of(code)
    return site


def ids_of(code: str) -> list[str]:
    return [name for site in sites_of(code) for name in (site.id, *(mutant.id for mutant in site.mutants))]


def span(start: tuple[int, int], end: tuple[int, int]) -> Span:
    return Span(Position(*start), Position(*end))


# ids


def test_an_id_survives_lines_added_above() -> None:
    assert ids_of(ADULT) == ids_of(f"import os\n\n\nLIMIT = 3\n\n{ADULT}")


def test_an_id_survives_an_edit_elsewhere_in_the_same_function() -> None:
    edited = "def adult(age, name):\n    print(name.lower)\n    return age >= 18\n"
    assert ids_of(ADULT) == ids_of(edited)


def test_two_equal_expressions_in_one_function_have_different_ids() -> None:
    ids = ids_of("def f(a):\n    return [a < 3, a < 3]\n")
    assert len(ids) == len(set(ids)) == 4


def test_equal_expressions_in_two_functions_keep_their_ids_when_the_functions_change_places() -> None:
    first, second = "def f(a):\n    return a < 3\n", "def g(a):\n    return a < 3\n"
    assert sorted(ids_of(first + second)) == sorted(ids_of(second + first))


def test_an_id_tells_files_apart() -> None:
    here, there = scanned(ADULT, "a.py"), scanned(ADULT, "b.py")
    assert here.sites[0].id != there.sites[0].id
    assert here.sites[0].mutants[0].id != there.sites[0].mutants[0].id


def test_an_id_changes_with_the_expression() -> None:
    assert set(ids_of(ADULT)).isdisjoint(ids_of(ADULT.replace("18", "21")))


def test_a_mutant_names_its_site_and_carries_its_span_and_text() -> None:
    site = only_site(ADULT)
    (mutant,) = site.mutants
    assert (mutant.site, mutant.span) == (site.id, site.span)
    assert (mutant.original, mutant.replacement) == ("age >= 18", "age > 18")


def test_a_scope_names_classes_and_functions_from_the_outside_in() -> None:
    code = "class Shop:\n    def open(self):\n        def late(hour):\n            return hour > 20\n"
    assert only_site(code).scope == "Shop.open.late"


# spans


@pytest.mark.parametrize("code", ["x = (a < b)\n", "x = ((a < b))\n", "x = f(( a < b ))\n"])
def test_a_span_leaves_out_the_parentheses_around_the_expression(code: str) -> None:
    site = only_site(code)
    column = code.index("a") + 1
    assert (site.source, site.span) == ("a < b", span((1, column), (1, column + 5)))


def test_a_span_keeps_the_parentheses_of_an_operand() -> None:
    assert only_site("x = (a + b) < (c)\n").source == "(a + b) < (c)"


def test_a_span_covers_an_expression_over_several_lines() -> None:
    site = only_site("x = (\n    a  # the first\n    < b\n)\n")
    assert (site.source, site.span) == ("a  # the first\n    < b", span((2, 5), (3, 8)))


def test_columns_count_characters_and_not_bytes() -> None:
    code = "word = 'äß€😀'; x = a < b\n"
    column = code.index("a <") + 1
    assert only_site(code).span == span((1, column), (1, column + 5))


def test_columns_count_a_tab_as_one_character() -> None:
    assert only_site("def f(a):\n\treturn a < 3\n").span == span((2, 9), (2, 14))


def test_a_byte_order_mark_counts_as_no_column() -> None:
    assert only_site(b"\xef\xbb\xbfx = a < b\n").span == span((1, 5), (1, 10))


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_other_line_endings_give_the_same_sites(newline: str) -> None:
    code = "x = a < b\ny = (\n  c\n  < d)\n"
    assert sites_of(code.replace("\n", newline).encode()) == sites_of(code)


def test_a_declared_encoding_is_honoured() -> None:
    code = "# coding: latin-1\nword = 'ä'; x = a < b\n"
    assert only_site(code.encode("latin-1")).span == span((2, 17), (2, 22))


def test_an_expression_inside_an_fstring_has_its_own_span() -> None:
    scan = scanned("x = f'{ a < b } {c:{d}}'\n")
    assert scan.sites[0].span == span((1, 9), (1, 14))
    assert scan.fstrings[0].span == span((1, 5), (1, 25))
    assert scan.fstrings[0].expressions == (span((1, 9), (1, 14)), span((1, 18), (1, 19)), span((1, 21), (1, 22)))


# code that is left alone


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("log.info('%s', a < 3)\n", "a logging call"),
        ("self._logger.debug(a < 3)\n", "a logging call"),
        ("LOG.debug(a < 3)\n", "a logging call"),
        ("warnings.warn('old' if a < 3 else 'new')\n", "the argument of a warning"),
        ("raise NotImplementedError(a < 3)\n", "raises NotImplementedError"),
        ("assert a, f(a < 3)\n", "the message of an assert"),
        ("class Bad(ValueError):\n    def __str__(self):\n        return f(self.a < 3)\n", "the text of an exception"),
        ("if sys.version_info >= (3, 12):\n    pass\n", "a switch on the Python version or the platform"),
        ("if TYPE_CHECKING:\n    a = 1 < 2\n", "only for the type checker"),
    ],
)
def test_arid_code_is_listed_with_its_reason(code: str, reason: str) -> None:
    assert only_site(code).ignored == f"arid: {reason}"


@pytest.mark.parametrize(
    "code",
    [
        "math.log(a < 3)\n",
        "assert a < 3\n",
        "raise ValueError(a < 3)\n",
        "class Box:\n    def __str__(self):\n        return f(self.a < 3)\n",
        "if TYPE_CHECKING:\n    pass\nelse:\n    b = a < 3\n",
        "if sys.version_info:\n    b = a < 3\n",
    ],
)
def test_code_that_only_looks_arid_is_tested(code: str) -> None:
    assert only_site(code).ignored is None


def test_a_type_annotation_is_no_site() -> None:
    assert sites_of("def f(a: b < c) -> d < e:\n    pass\nx: f < g\n") == ()


def test_the_default_beside_an_annotation_is_a_site() -> None:
    assert only_site("def f(a: b < c = d < e):\n    pass\n").source == "d < e"


@pytest.mark.parametrize("name", ["boundary-at", "FP101", "letter-case, boundary-at"])
def test_an_allow_comment_sets_a_site_aside_with_its_reason(name: str) -> None:
    site = only_site(f"x = a < 3  # fencepost: allow[{name}] the limit is a guess\n")
    assert site.ignored == "allowed: the limit is a guess"


@pytest.mark.parametrize("comment", ["allow[boundary-at]", "allow[letter-case] another rule", "allow[] no rule"])
def test_an_allow_comment_without_reason_or_for_another_rule_allows_nothing(comment: str) -> None:
    assert only_site(f"x = a < 3  # fencepost: {comment}\n").ignored is None


def test_a_reason_to_allow_ends_before_the_blanks_at_the_end_of_its_line() -> None:
    assert only_site("x = a < 3  # fencepost: allow[FP101]  a guess \t \n").ignored == "allowed: a guess"
    assert only_site("x = a < 3  # fencepost: allow[FP101] \t \n").ignored is None


def test_an_allow_inside_a_string_is_no_comment() -> None:
    assert only_site("x = a < '# fencepost: allow[boundary-at] said in a string'\n").ignored is None


def test_a_pragma_on_the_line_sets_a_site_aside() -> None:
    assert only_site("x = a < 3  # pragma: no mutate\n").ignored == "pragma: no mutate"
    assert only_site("x = a < 3  # pragma: no cover\n").ignored == "pragma: no cover"


def test_no_cover_on_the_header_of_a_block_covers_the_block() -> None:
    code = "def f(\n    a,\n):  # pragma: no cover\n    if a:\n        return a < 3\n"
    assert only_site(code).ignored == "pragma: no cover"


def test_no_cover_on_a_line_says_nothing_about_the_next() -> None:
    assert only_site("a = 1  # pragma: no cover\nx = a < 3\n").ignored is None


def test_no_cover_on_an_if_leaves_its_else_alone() -> None:
    assert only_site("if a:  # pragma: no cover\n    pass\nelse:\n    x = a < 3\n").ignored is None


def test_no_cover_on_a_decorator_covers_the_function() -> None:
    code = "@cached  # pragma: no cover\ndef f(a):\n    return a < 3\n"
    assert only_site(code).ignored == "pragma: no cover"


def test_no_cover_on_the_last_line_of_a_statement_covers_all_of_it() -> None:
    assert only_site("x = f(\n    a < 3,\n)  # pragma: no cover\n").ignored == "pragma: no cover"


# files that are no Python


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("a = 1\nb = = 2\n", 2),
        ("a = 1\n\tb = 2\n", 2),
        ("# coding: no-such-code\n", 1),
    ],
)
def test_a_syntax_error_is_told_with_its_line(code: str, line: int) -> None:
    problem = scanned(code).problem
    assert problem is not None
    assert (problem.path, problem.line) == ("a.py", line)
    assert problem.message


@pytest.mark.parametrize("code", [b"a = 1\nb = 'open\n", b"a = 1\nb = '\xff'\n", b"a = 1\ndef f(:\n    pass\n"])
def test_an_error_is_told_at_the_line_that_python_itself_names(code: bytes) -> None:
    problem = scanned(code).problem
    assert problem is not None
    assert problem.line == 2


def test_a_file_that_does_not_parse_has_no_sites() -> None:
    assert scanned(f"{ADULT}\nif\n").sites == ()


def test_the_digest_is_that_of_the_bytes() -> None:
    assert scanned(ADULT).digest == scanned(ADULT).digest
    assert scanned(ADULT).digest != scanned(ADULT.replace("\n", "\r\n")).digest


def test_an_empty_file_has_nothing_to_say() -> None:
    scan = scanned("")
    assert (scan.sites, scan.problem) == ((), None)


def test_a_chain_too_long_to_parse_is_a_problem_and_no_crash() -> None:
    assert scanned("if a:\n    pass\n" + "elif b:\n    pass\n" * 900).problem is not None


# many files


def scan_order(root: Path, sizes: Mapping[str, int], *, jobs: int) -> list[str]:
    """Scan files of these sizes; the paths in the order in which they were finished."""
    for path, size in sizes.items():
        (root / path).write_bytes(b"x = a < 3\n" + b"#" * (size - 10))
    finished: list[FileScan] = []
    scans = scan_files(root, list(sizes), [BoundaryAt], jobs=jobs, finished=finished.append)
    assert [scan.path for scan in scans] == list(sizes)
    assert all(len(scan.sites) == 1 for scan in scans)
    return [scan.path for scan in finished]


LARGE = {"a.py": 100, "b.py": PARALLEL_FROM_BYTES - 300, "c.py": 200}


@pytest.mark.parametrize(
    ("more", "jobs", "order"),
    [
        (0, 2, ["b.py", "c.py", "a.py"]),
        (1, 3, ["b.py", "c.py", "a.py"]),
        (0, 1, ["a.py", "b.py", "c.py"]),
        (-1, 2, ["a.py", "b.py", "c.py"]),
    ],
)
def test_much_code_is_scanned_in_several_processes_largest_file_first(
    tmp_path: Path, more: int, jobs: int, order: list[str]
) -> None:
    assert scan_order(tmp_path, {**LARGE, "b.py": LARGE["b.py"] + more}, jobs=jobs) == order


def test_a_file_that_cannot_be_read_is_a_problem_and_the_others_are_scanned(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(ADULT, encoding="utf-8")
    there, missing = scan_files(tmp_path, ["a.py", "missing.py"], [BoundaryAt])
    assert len(there.sites) == 1
    assert missing.problem == ScanProblem("missing.py", 1, "cannot be read: No such file or directory")
