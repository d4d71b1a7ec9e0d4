"""Which number a name stands for, through scopes, classes and files; and what the project does with a constant."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from fencepost.analyzer.constants import Constant, Constants, Project
from fencepost.analyzer.journal import state_of
from fencepost.analyzer.model import Use
from fencepost.analyzer.scan import scan_files, scan_source
from fencepost.rules.boundary.boundary_below import BoundaryBelow

Make = Callable[..., Project]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Writes files, named by path, and gives the project."""

    def write(**files: str) -> Project:
        for name, text in files.items():
            path = tmp_path / f"{name.replace('__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Project(tmp_path)

    return write


def package(project: Project) -> Project:
    """The same project, `pkg` being a package."""
    (project.root / "pkg").mkdir(exist_ok=True)
    (project.root / "pkg" / "__init__.py").touch()
    return project


def number_of(code: str, name: str = "LIMIT", mark: str = "#here") -> float | None:
    """The number that a name means on the line that is marked, or at the end of the module."""
    lines = code.split("\n")
    line = next((number for number, text in enumerate(lines, start=1) if mark in text), 0)
    found = Constants(ast.parse(code)).find(name.split("."), line)
    return None if found is None else found.value


# scopes


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("LIMIT = 3\ndef f(x):\n    return x > LIMIT #here\n", 3),
        ("LIMIT = 3\ndef f(LIMIT):\n    return x > LIMIT #here\n", None),
        ("LIMIT = 3\ndef f(x):\n    LIMIT = 4\n    return x > LIMIT #here\n", 4),
        ("LIMIT = 3\ndef f(x):\n    LIMIT = g()\n    return x > LIMIT #here\n", None),
        ("def f(x):\n    limit = 4\n    return x > LIMIT #here\n", None),
        ("LIMIT = 3\ndef f(x):\n    global LIMIT\n    LIMIT = 4\n", None),
        ("LIMIT = 3\nif x:\n    LIMIT = 4\n", None),
        ("try:\n    LIMIT = 3\nexcept E:\n    pass\n", 3),
        ("LIMIT = 3\nfor LIMIT in x: pass\n", None),
        ("LIMIT = 3\nx = [LIMIT for LIMIT in y]\n", None),
        ("LIMIT = 3\nf(lambda LIMIT: LIMIT)\n", None),
        ("LIMIT = 3\nimport LIMIT\n", None),
        ("LIMIT = 3\nfrom a import b as LIMIT\n", None),
        ("LIMIT = 3\ndel LIMIT\n", None),
        ("LIMIT = 3\nwith x as LIMIT: pass\n", None),
        ("LIMIT = 3\ntry: pass\nexcept E as LIMIT: pass\n", None),
        ("LIMIT = 3\nmatch x:\n    case [LIMIT]: pass\n", None),
        ("LIMIT = 3\nmatch x:\n    case [*LIMIT]: pass\n", None),
        ("LIMIT = 3\nmatch x:\n    case {**LIMIT}: pass\n", None),
        ("LIMIT = 3\nprint(LIMIT := 4)\n", None),
        ("LIMIT = 3\ndef LIMIT(): pass\n", None),
        ("LIMIT = 3\nclass A:\n    LIMIT = 4\n", 3),
        ("LIMIT = 3\nclass A:\n    LIMIT = 4\n    x = LIMIT #here\n", 4),
        ("LIMIT = 3\nclass A:\n    LIMIT = 4\n    def f(x):\n        return x > LIMIT #here\n", 3),
        ("LIMIT = 3\ndef f(x):\n    def g(y):\n        return y > LIMIT #here\n", 3),
        ("def f(x):\n    LIMIT = 5\n    def g(y):\n        return y > LIMIT #here\n", 5),
        ("def f(x):\n    LIMIT = 5\n    def g(LIMIT):\n        return y > LIMIT\n    return LIMIT #here\n", None),
        ("async def f(x):\n    LIMIT = 5\n    return LIMIT #here\n", 5),
        ("LIMIT = True\n", None),
        ("LIMIT = 60 * 60 - 1\n", 3599),
        ("LIMIT = -1.5\n", -1.5),
        ("LIMIT, x = 3, 4\n", None),
    ],
)
def test_a_name_is_a_number_where_its_scope_gives_it_one_and_nothing_else(code: str, value: float | None) -> None:
    assert number_of(code) == value


def test_a_local_name_needs_no_capitals() -> None:
    assert number_of("def f(x):\n    limit = 4\n    return x > limit #here\n", "limit") == 4
    assert number_of("limit = 4\n", "limit") is None


# classes


@pytest.mark.parametrize(
    ("code", "name", "value"),
    [
        ("class A:\n    LIMIT = 3\n", "A.LIMIT", 3),
        ("class A:\n    LIMIT: int = 3\n", "A.LIMIT", 3),
        ("class A:\n    limit = 3\n", "A.limit", None),
        ("class A(Exception):\n    LIMIT = 3\n", "A.LIMIT", 3),
        ("class A(abc.ABC, Generic[T]):\n    LIMIT = 3\n", "A.LIMIT", 3),
        ("class B:\n    pass\nclass A(B):\n    LIMIT = 3\n", "A.LIMIT", 3),
        ("class A(enum.Enum):\n    LIMIT = 3\n", "A.LIMIT", None),
        ("class B(Enum): pass\nclass A(B):\n    LIMIT = 3\n", "A.LIMIT", None),
        ("class A(metaclass=M):\n    LIMIT = 3\n", "A.LIMIT", None),
        ("class A(f()):\n    LIMIT = 3\n", "A.LIMIT", None),
        ("class A:\n    LIMIT = 3\n    LIMIT = 4\n", "A.LIMIT", None),
        ("class A:\n    LIMIT = 3\nclass B(A):\n    LIMIT = 4\n", "A.LIMIT", None),
        ("class A:\n    LIMIT = 3\nA.LIMIT = 4\n", "A.LIMIT", None),
        ("class A:\n    LIMIT = 3\nA = f(A)\n", "A.LIMIT", None),
        ("@dataclass\nclass A:\n    LIMIT: int = 3\n", "A.LIMIT", None),
        ("@dataclass\nclass A:\n    LIMIT: ClassVar[int] = 3\n", "A.LIMIT", 3),
        ("@final\nclass A:\n    LIMIT = 3\n", "A.LIMIT", 3),
        ("class A:\n    LIMIT = 3\n    def f(self): #no\n        return self.LIMIT #here\n", "self.LIMIT", 3),
        (
            "class A:\n    LIMIT = 3\n    @classmethod\n    def f(cls):\n        return cls.LIMIT #here\n",
            "cls.LIMIT",
            3,
        ),
        (
            "class A:\n    LIMIT = 3\n    def f(self):\n        def g():\n            self.LIMIT #here\n",
            "self.LIMIT",
            3,
        ),
        ("class A:\n    LIMIT = 3\n    def f(self):\n        self.LIMIT = 4 #here\n", "self.LIMIT", None),
        ("class A:\n    LIMIT = 3\n    def f(self):\n        self.x.LIMIT #here\n", "self.x.LIMIT", None),
        ("class A:\n    LIMIT = 3\ndef f(self):\n    self.LIMIT #here\n", "self.LIMIT", None),
        ("class A:\n    LIMIT = 3\n", "B.LIMIT", None),
        ("class A:\n    LIMIT = f()\n", "A.LIMIT", None),
    ],
)
def test_an_attribute_is_a_number_where_a_plain_class_says_so(code: str, name: str, value: float | None) -> None:
    assert number_of(code, name) == value


# files


@pytest.mark.parametrize(
    ("code", "name", "expected"),
    [
        ("from .limits import MAX\n", "MAX", 7),
        ("from .limits import MAX as MOST\n", "MOST", 7),
        ("from pkg.limits import MAX\n", "MAX", 7),
        ("from . import limits\n", "limits.MAX", 7),
        ("from . import limits as lim\n", "lim.MAX", 7),
        ("from pkg import limits\n", "limits.MAX", 7),
        ("import pkg.limits\n", "pkg.limits.MAX", 7),
        ("import pkg.limits\nimport pkg.other\n", "pkg.limits.MAX", 7),
        ("import pkg.limits as lim\n", "lim.MAX", 7),
        ("from .limits import Settings\n", "Settings.SIZE", 8),
        ("from . import limits\n", "limits.Settings.SIZE", 8),
        ("from .handed_on import MAX\n", "MAX", 7),
        ("def f():\n    from .limits import MAX\n    MAX #here\n", "MAX", 7),
        ("from .limits import MAX\nMAX = 9\n", "MAX", None),
        ("try:\n    from .limits import MAX\nexcept E:\n    from .other import MAX\n", "MAX", None),
        ("from .limits import changing\n", "changing", None),
        ("from .nowhere import MAX\n", "MAX", None),
        ("from ..limits import MAX\n", "MAX", None),
        ("from ....limits import MAX\n", "MAX", None),
        ("from .broken import MAX\n", "MAX", None),
        ("from .ring import MAX\n", "MAX", None),
        ("from .limits import *\n", "MAX", None),
        ("import limits\n", "limits.MAX", None),
        ("from .user import MAX\n", "MAX", None),
    ],
)
def test_an_imported_name_is_what_it_is_in_the_file_that_it_comes_from(
    make: Make, code: str, name: str, expected: float | None
) -> None:
    project = package(
        make(
            pkg__user=code,
            pkg__limits="MAX = 7\nchanging = 3\nclass Settings:\n    SIZE = 8\n",
            pkg__handed_on="from .limits import MAX\n",
            pkg__broken="MAX = (\n",
            pkg__other="",
            pkg__ring="from .ring_two import MAX\n",
            pkg__ring_two="from .ring import MAX\n",
        )
    )
    user = project.constants("pkg/user.py")
    assert user is not None
    line = next((number for number, text in enumerate(code.split("\n"), start=1) if "#here" in text), 0)
    found = user.find(name.split("."), line)
    assert (None if found is None else found.value) == expected


def test_a_constant_is_told_with_the_file_and_the_class_that_define_it(make: Make) -> None:
    project = package(
        make(pkg__user="from .limits import Settings as S\n", pkg__limits="class Settings:\n    SIZE = 8\n")
    )
    user = project.constants("pkg/user.py")
    assert user is not None
    assert user.find(["S", "SIZE"]) == Constant("pkg/limits.py", "Settings.SIZE", 8)


def test_a_package_is_found_beside_the_top_one_and_hides_a_module_of_its_name(make: Make) -> None:
    project = make(src__pkg__a="", src__pkg__limits__x="", src__pkg__limits="")
    (project.root / "src/pkg/__init__.py").touch()
    assert project.module("src/pkg/a.py", 0, "pkg.a") == "src/pkg/a.py"
    assert project.module("src/pkg/a.py", 1, "limits") == "src/pkg/limits.py"
    (project.root / "src/pkg/limits/__init__.py").touch()
    assert project.module("src/pkg/a.py", 1, "limits") == "src/pkg/limits/__init__.py"
    assert project.module("src/pkg/a.py", 1, "") == "src/pkg/__init__.py"
    assert project.module("a.py", 1, "") is None


def test_a_file_is_read_once_in_a_scan_and_anew_in_the_next(make: Make) -> None:
    files = {"pkg__user": "from .limits import MAX\nx = y >= MAX\n", "pkg__limits": "MAX = 0.5\n"}
    root = package(make(**files)).root

    def threshold() -> str | None:
        (scan,) = scan_files(root, ["pkg/user.py"], [BoundaryBelow])
        (site,) = scan.sites
        return None if site.threshold is None else site.threshold.text

    assert threshold() == "MAX (0.5)"
    make(pkg__limits="MAX = 0.25\n")
    assert threshold() == "MAX (0.25)"


def test_a_file_alone_knows_nothing_of_the_others() -> None:
    assert scan_source(b"from .limits import MAX\nx = y > MAX\n", "pkg/user.py", [BoundaryBelow]).sites == ()


def test_an_interrupted_run_is_not_gone_on_with_when_the_file_of_a_constant_changed(make: Make) -> None:
    root = package(make(pkg__user="from .limits import MAX\n", pkg__limits="MAX = 7\n")).root
    before = state_of(root, (), [])
    make(pkg__limits="MAX = 10\n")
    assert state_of(root, (), []) != before


# uses


def used(code: str, name: str = "LIMIT", defined: str = "LIMIT = 3\n") -> list[tuple[bool, bool]]:
    constants = Constants(ast.parse(defined + code))
    constant = constants.find(name.split("."))
    assert constant is not None
    return [(use.is_threshold, use.moves) for use in constants.uses(constant)]


MOVES, STAYS, OTHER = (True, True), (True, False), (False, False)


@pytest.mark.parametrize(
    ("code", "uses"),
    [
        ("x = a > LIMIT\n", [MOVES]),
        ("x = LIMIT <= a\n", [MOVES]),
        ("x = LIMIT < 7\n", [STAYS]),
        ("x = LIMIT < OTHER\n", [STAYS]),
        ("x = 7 < LIMIT\n", [MOVES]),
        ("x = 0 < a < LIMIT\n", [MOVES]),
        ("x = 0 < LIMIT < a\n", [STAYS]),
        ("x = LIMIT < a == b\n", [MOVES]),
        ("x = a == LIMIT\n", [OTHER]),
        ("x = a in LIMIT\n", [OTHER]),
        ("x = b == LIMIT < a\n", [STAYS]),
        ("x = a > -LIMIT\n", [STAYS]),
        ("x = a > LIMIT + 1\n", [OTHER]),
        ("x = a[:LIMIT]\n", [MOVES]),
        ("x = a[-LIMIT:]\n", [MOVES]),
        ("x = a[:LIMIT:2]\n", [STAYS]),
        ("a[:LIMIT] = x\n", [STAYS]),
        ("x = a[LIMIT]\n", [OTHER]),
        ("x = a[:LIMIT, 1]\n", [STAYS]),
        ("x = range(LIMIT)\n", [MOVES]),
        ("x = itertools.islice(a, LIMIT)\n", [MOVES]),
        ("x = islice(a, 0, LIMIT, 2)\n", [STAYS]),
        ("x = range(-LIMIT)\n", [STAYS]),
        ("x = f(LIMIT)\n", [OTHER]),
        ("x = range(a, key=LIMIT)\n", [OTHER]),
        ("x = LIMIT(a)\n", [OTHER]),
        ("x = a > LIMIT and b[:LIMIT]\n", [MOVES, MOVES]),
        ("x = other.LIMIT > a\n", [STAYS]),
        ("x = f().LIMIT > a\n", [STAYS]),
        ("def f(LIMIT):\n    return LIMIT > a\n", []),
        ("x = a > OTHER\n", []),
    ],
)
def test_a_use_is_a_threshold_or_not_and_moves_with_the_rules_about_its_place(
    code: str, uses: list[tuple[bool, bool]]
) -> None:
    assert sorted(used(code)) == sorted(uses)


def test_an_attribute_of_another_class_is_no_use() -> None:
    code = "class B:\n    LIMITS = 4\n    def f(self, x):\n        return x > self.LIMITS\n"
    defined = "class A:\n    LIMIT = 3\n    def f(self, x):\n        return x > self.LIMIT and x > A.LIMIT\n"
    assert used(code, "A.LIMIT", defined) == [MOVES, MOVES]


def test_other_files_use_a_constant_by_its_name_or_an_alias_and_nothing_moves_there_for_certain(make: Make) -> None:
    project = package(
        make(
            pkg__limits="MAX = 7\nx = y > MAX\n",
            pkg__a="from .limits import MAX\nx = y > MAX\n",
            pkg__b="from .limits import MAX as M\n\nx = y > M\n",
            pkg__c="from . import limits\n\n\nx = y[:limits.MAX]\n",
            pkg__d="MAX = 8\nx = y > MAX\n",
            pkg__broken="MAX = (\n",
            tests__test_a="from pkg.limits import MAX\nx = y > MAX\n",
        )
    )
    limits = project.constants("pkg/limits.py")
    assert limits is not None
    constant = limits.find(["MAX"])
    assert constant is not None
    assert limits.uses(constant) == [
        Use("pkg/limits.py", 2, is_threshold=True, moves=True),
        Use("pkg/a.py", 2, is_threshold=True, moves=False),
        Use("pkg/b.py", 3, is_threshold=True, moves=False),
        Use("pkg/c.py", 4, is_threshold=True, moves=False),
    ]
