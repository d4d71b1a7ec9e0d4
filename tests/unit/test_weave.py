"""Woven code does what was written until a switch is set, then what its mutant says, and is watched in between."""

from __future__ import annotations

import ast
import builtins
import importlib.machinery
import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from fencepost.analyzer.plan import Plan, make_plan
from fencepost.analyzer.runtime import OBSERVE, ORIGINAL, Canary, Sight
from fencepost.analyzer.scan import scan_source
from fencepost.analyzer.weave import Woven, _FStringMender, _Weaver, install, parse_expression, place_of
from fencepost.rules import all_rules

ROOT = "/work/shop"


def plan_of(code: str, path: str = "shop.py", root: str = ROOT) -> Plan:
    """The plan for a project of one file."""
    return make_plan([scan_source(code.encode(), path, all_rules())], root)


class Shop:
    """A module `shop.py` that was woven and loaded."""

    def __init__(self, code: str, patch: pytest.MonkeyPatch, change: Callable[[Any], None] = lambda _: None) -> None:
        plan = plan_of(code)
        self.document = json.loads(json.dumps(plan.document))
        change(self.document["files"]["shop.py"])
        self.woven = Woven(self.document)
        board = self.woven.switchboard
        for name in (board.active_name, board.look_name):
            patch.setattr(builtins, name, None, raising=False)  # and so it is taken away again
        board.install()
        self.woven.recorder.context = {}
        self.namespace: dict[str, Any] = {"__name__": "shop"}
        exec(self.woven.compile("shop.py", code.encode(), f"{ROOT}/shop.py"), self.namespace)  # noqa: S102 - the code above
        self.mutants = {
            mutant.replacement: plan.switches[mutant.id]
            for site in scan_source(code.encode(), "shop.py", all_rules()).sites
            for mutant in site.mutants
        }

    def __getitem__(self, name: str) -> Any:
        return self.namespace[name]

    def switch(self, *replacements: str) -> None:
        """Run with these mutants, and nothing else changed."""
        self.woven.switchboard.activate([self.mutants[text] for text in replacements])

    def watch(self) -> None:
        """Forget what was seen, and watch from now on."""
        self.woven.switchboard.set_all(OBSERVE)
        self.woven.recorder.context = {}

    def seen(self, probe: int = 0) -> Sight:
        """What was seen since then."""
        return self.woven.recorder.context[probe]

    @property
    def told_where_it_stands(self) -> bool:
        """Whether the observers got operands, and did not only note that a place was reached."""
        return not any(self.woven.recorder.doubted)


Load = Callable[..., Shop]


@pytest.fixture(name="load")
def _load(monkeypatch: pytest.MonkeyPatch) -> Load:
    def load(code: str, change: Callable[[Any], None] = lambda _: None) -> Shop:
        return Shop(code, monkeypatch, change)

    return load


def test_a_switch_decides_between_what_is_written_and_each_mutant(load: Load) -> None:
    shop = load("def adult(age):\n    return age >= 18\n")
    adult = shop["adult"]
    for replacement, expected in (
        ("age > 18", [False, False, True]),
        ("age >= 17", [True, True, True]),
        ("age >= 19", [False, False, True]),
    ):
        shop.switch(replacement)
        assert [adult(17), adult(18), adult(19)] == expected
    shop.woven.switchboard.set_all(ORIGINAL)
    assert [adult(17), adult(18), adult(19)] == [False, True, True]
    assert shop.woven.loaded == ["shop.py"]
    assert shop.woven.unwoven == {}


def test_under_observation_the_code_does_what_is_written_and_its_operands_are_seen(load: Load) -> None:
    shop = load("def adult(age):\n    return age >= 18\n")
    shop.watch()
    assert [shop["adult"](17), shop["adult"](18)] == [False, True]
    assert (shop.seen().below, shop.seen().at) == ((1.0, 17), (0.0, 18))
    assert shop.told_where_it_stands


def test_lines_and_columns_stay_those_of_the_file(load: Load) -> None:
    code = "def broken(age):\n    return (\n        age\n        >= 18\n    )\n"
    shop = load(code)
    for replacements in ([], ["age > 18"]):
        shop.switch(*replacements)
        with pytest.raises(TypeError) as caught:
            shop["broken"]("a")
        assert caught.traceback[-1].lineno + 1 == 3


@pytest.mark.parametrize(
    ("code", "place"),
    [("a", (7, 4, 7, 5)), ("a(b=1,\n c)", (7, 4, 8, 3)), ("lambda a: (\na)", (7, 4, 8, 2))],
)
def test_a_replacement_is_placed_where_the_expression_stood(code: str, place: tuple[int, ...]) -> None:
    assert place_of(parse_expression(code.replace("b=1", "b"), 7, 4)) == place


def test_the_parts_of_a_replacement_are_placed_as_in_a_file_that_holds_it() -> None:
    text = "call(first, key=second,\n     third=[\n fourth], fifth=lambda sixth: seventh)"
    file = "\n\n" + "x = " + text
    written = ast.parse(file).body[0]
    assert isinstance(written, ast.Assign)
    placed = parse_expression(text, 3, 4)

    def places(tree: ast.AST) -> list[Any]:
        return [
            (type(node), place_of(node))
            for node in ast.walk(tree)
            if isinstance(node, ast.expr | ast.keyword | ast.arg)
        ]

    assert places(placed) == places(written.value)


def test_a_chain_is_watched_link_by_link(load: Load) -> None:
    shop = load("def teen(age):\n    return 13 <= age < 20\n")
    shop.watch()
    assert [shop["teen"](12), shop["teen"](13), shop["teen"](20)] == [False, True, False]
    assert shop.seen(0).at == (0.0, 13)
    assert shop.seen(1).at == (0.0, 20)
    assert shop.told_where_it_stands


def test_a_chain_evaluates_what_is_between_once_and_ends_where_it_is_false(load: Load) -> None:
    shop = load(
        "calls = []\ndef age(n):\n    calls.append(n)\n    return n\n"
        "def teen(n):\n    return 13 <= age(n) < 20\n"
        "def rising(n):\n    return 0 < n < age(5)\n"
    )
    shop.watch()
    assert [shop["teen"](12), shop["teen"](13), shop["teen"](20)] == [False, True, False]
    assert shop["calls"] == [12, 13, 20]
    shop["calls"].clear()
    assert [shop["rising"](0), shop["rising"](4), shop["rising"](5)] == [False, True, False]
    assert shop["calls"] == [5, 5]


def test_a_link_that_is_no_site_is_compared_as_written(load: Load) -> None:
    shop = load("def good(x, marks):\n    return 1 < x in marks\n")
    shop.watch()
    assert [shop["good"](2, [2]), shop["good"](1, [1]), shop["good"](3, [2])] == [True, False, False]


def test_a_default_is_watched_on_its_left_and_evaluated_only_where_needed(load: Load) -> None:
    shop = load(
        "calls = []\ndef stranger():\n    calls.append(1)\n    return 'you'\n"
        "def greet(name):\n    return 'Hello ' + (name or stranger())\n"
    )
    shop.watch()
    assert [shop["greet"]("Ann"), shop["greet"]("")] == ["Hello Ann", "Hello you"]
    assert shop["calls"] == [1]
    assert shop.seen().mask == 1
    assert shop.told_where_it_stands
    shop.switch("name")
    assert shop["greet"]("") == "Hello "


def test_a_default_in_a_conditional_is_watched_beside_it(load: Load) -> None:
    shop = load("def size(limit):\n    return 10 if limit is None else limit\n")
    shop.watch()
    assert [shop["size"](3), shop["size"](None)] == [3, 10]
    assert (shop.seen().mask, shop.seen().sample) == (1, (3,))
    shop.switch("limit")
    assert shop["size"](None) is None


def test_a_call_is_watched_with_its_callee_and_arguments(load: Load) -> None:
    shop = load("def names(some):\n    return sorted(some, key=len)\n")
    shop.watch()
    assert shop["names"](["bb", "a"]) == ["a", "bb"]
    assert shop.seen().mask == 0b01  # without the key they would have come in the same order
    shop.switch("list(some)")
    assert shop["names"](["bb", "a"]) == ["bb", "a"]


@pytest.mark.parametrize(
    "operand",
    ["(3, 12)", "( 3, 12)", "(3, 12 )", "(3,\n 12\n )", "(3, 12,)", "(3, 12, )", "(\n3, 12)"],
)
def test_a_tuple_is_found_with_its_parentheses_however_they_are_spaced(load: Load, operand: str) -> None:
    shop = load(f"def old(version):\n    return version < {operand}\n")
    shop.watch()
    assert [shop["old"]((3, 11)), shop["old"]((3, 12))] == [True, False]
    assert shop.told_where_it_stands
    assert shop.woven.unwoven == {}


@pytest.mark.parametrize("operand", ["(3, 12)", "( 3, 12 )"])
def test_a_tuple_on_the_left_is_found_too(load: Load, operand: str) -> None:
    shop = load(f"def new(version):\n    return {operand} <= version\n")
    shop.watch()
    assert [shop["new"]((3, 11)), shop["new"]((3, 12))] == [False, True]
    assert shop.told_where_it_stands


@pytest.mark.parametrize(
    "argument", ["n for n in some", " n for n in some ", "(n for n in some)", "\nn for n in some\n"]
)
def test_a_generator_is_found_with_the_parentheses_of_its_call(load: Load, argument: str) -> None:
    shop = load(f"def names(some):\n    return sorted({argument})\n")
    shop.watch()
    assert shop["names"]([2, 1]) == [1, 2]
    assert shop.seen().sample == ([2, 1],)
    assert shop.told_where_it_stands


def test_an_operand_is_not_taken_for_a_tuple_that_begins_with_it(load: Load) -> None:
    def change(file: Any) -> None:
        # as if the scan had seen `(x` where the tree has `(x), 2`
        file["anchors"][0]["probes"][0]["operands"][1] = [2, 23, 2, 24]

    shop = load("def old(x, v):\n    return v <   ((x), 2)\n", change)
    shop.watch()
    assert shop["old"](3, (3, 1)) is True


def test_operands_that_are_not_found_leave_the_place_reached(load: Load) -> None:
    def change(file: Any) -> None:
        file["anchors"][0]["probes"][0]["operands"][0] = [2, 1, 2, 3]

    shop = load("def adult(age):\n    return age >= 18\n", change)
    shop.watch()
    assert [shop["adult"](17), shop["adult"](18)] == [False, True]
    assert shop.seen().mask == 0b111
    assert not shop.told_where_it_stands
    shop.switch("age > 18")
    assert shop["adult"](18) is False


def test_sites_that_are_not_in_the_tree_are_told_by_line_in_order(load: Load) -> None:
    def change(file: Any) -> None:
        for anchor, line in zip(file["anchors"], (9, 2, 8), strict=True):
            anchor["span"] = [line, 3, line, 4]

    shop = load("a = 1 > 2\nb = 2 > 3\nc = 3 > 4\n" + "# more\n" * 9, change)
    assert shop.woven.unwoven == {"shop.py": "sites on lines 2, 8, 9 were not found in the syntax tree"}


def test_a_file_that_changed_runs_as_it_is_now_and_is_told(load: Load) -> None:
    shop = load("x = 1 > 2\n", lambda file: file.update(digest="0"))
    assert shop["x"] is False
    assert shop.woven.unwoven == {"shop.py": "the file changed after it was scanned"}


def test_expressions_in_fstrings_are_switched_and_watched(load: Load) -> None:
    shop = load(
        "def line(a, b, w):\n"
        '    return f"ä{a.strip()}{f\'<{b.strip()}>\':.{round(w * 2.4)}}" f"{a.strip()}|{w >= 3!r}"\n'
    )
    line = shop["line"]
    assert shop.woven.unwoven == {}
    assert line(" a ", " b ", 3) == "äa<b>a|True"
    shop.watch()
    assert line(" a ", " b ", 3) == "äa<b>a|True"
    assert shop.told_where_it_stands
    assert len(shop.woven.recorder.context) == 5
    shop.switch("b")
    assert line(" a ", " b ", 3) == "äa< b >a|True"
    shop.switch("w > 3")
    assert line(" a ", " b ", 3) == "äa<b>a|False"


def test_a_precision_is_switched_with_the_expressions_inside_it(load: Load) -> None:
    shop = load('def price(amount):\n    return f"{amount.strip()} {1.25:.1f}"\n')
    shop.watch()
    assert shop["price"](" 3 ") == "3 1.2"
    assert shop.woven.unwoven == {}
    shop.switch('f"{amount.strip()} {1.25:.2f}"')
    assert shop["price"](" 3 ") == "3 1.25"
    shop.switch("amount")
    assert shop["price"](" 3 ") == " 3  1.2"


def misplace(tree: ast.AST) -> None:
    """Put what stands in the braces of f-strings where it does not stand, as old versions of Python do now and then."""
    inside = [part.value for part in ast.walk(tree) if isinstance(part, ast.FormattedValue)]
    for expression in inside:
        for node in ast.walk(expression):
            if isinstance(node, ast.expr):
                node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = 1, 0, 1, 1


@pytest.mark.parametrize(
    "text",
    [
        'f"{first}"',
        'f"{first}"f"{second}"',
        'f"ä {first} {second!r:>{third}}" "plain" f"{fourth}"',
        "f\"{first} {f'{second}{third}'}\" f'{fourth}'",
        "f\"{f'{first}'}\"",
        'f"{first:{second}}"',
        'f"""{first}\n  {second}"""',
        'f"{(first,\nsecond)}" f"{third}"' if sys.version_info >= (3, 12) else 'f"{first}" \nf"{second}"',
    ],
)
def test_every_expression_in_an_fstring_gets_its_true_place(text: str) -> None:
    # needed before Python 3.12 alone, and right on every version
    code = f"x = 1; y = ({text}\n)\n"
    file = plan_of(code).document["files"]["shop.py"]
    woven = Woven(plan_of(code).document)
    tree = ast.parse(code)
    misplace(tree)
    weaver = _Weaver(code, file, woven.switchboard, woven.recorder)
    _FStringMender(weaver, file["fstrings"]).visit(tree)
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    assert sorted(node.id for node in names) == sorted(
        word for word in ("first", "second", "third", "fourth") if word in text
    )
    assert [ast.get_source_segment(code, node) for node in names] == [node.id for node in names]


def test_two_files_of_one_name_are_told_apart_by_their_folder(tmp_path: Path) -> None:
    document = make_plan(
        [scan_source(b"x = 1\n", path, all_rules()) for path in ("one/shop.py", "two/shop.py")], str(tmp_path)
    ).document
    woven = Woven(document)
    assert woven.has_namesake("/elsewhere/shop.py")
    assert not woven.has_namesake("/elsewhere/shops.py")
    assert woven.path_in_scope(str(tmp_path / "two" / "shop.py"), b"") == "two/shop.py"
    assert woven.path_in_scope(str(tmp_path / "one" / "shop.py"), b"") == "one/shop.py"
    assert woven.path_in_scope("/elsewhere/shops.py", b"x = 1\n") is None
    assert woven.path_in_scope("/elsewhere/two/shop.py", b"x = 1\n") in {"one/shop.py", "two/shop.py"}


def test_an_installed_copy_with_the_same_content_is_the_file_in_scope() -> None:
    woven = Woven(plan_of("x = 1\n", "src/shop/plans.py").document)
    assert woven.path_in_scope("/site-packages/shop/plans.py", b"x = 1\n") == "src/shop/plans.py"
    assert woven.path_in_scope("/site-packages/other/plans.py", b"x = 1\n") is None
    assert woven.strangers == {}


def test_a_copy_with_other_content_is_a_stranger_that_is_told_once() -> None:
    woven = Woven(plan_of("x = 1\n", "src/shop/plans.py").document)
    for place in ("first", "second"):
        assert woven.path_in_scope(f"/{place}/shop/plans.py", b"x = 2\n") is None
    assert woven.strangers == {"src/shop/plans.py": "/first/shop/plans.py"}


@pytest.fixture(name="project")
def _project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose loader hooks are taken away after the test."""
    loader = importlib.machinery.SourceFileLoader.__mro__[2]
    for name in ("get_code", "exec_module"):
        monkeypatch.setattr(loader, name, getattr(loader, name))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path


def load_file(path: Path) -> Any:
    """Load a file the way many test suites do."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def installed(project: Path, code: str, patch: pytest.MonkeyPatch) -> Woven:
    """Weave `shop.py` of a project from now on."""
    (project / "shop.py").write_text(code, encoding="utf-8")
    woven = Woven(plan_of(code, root=str(project)).document)
    for name in (woven.switchboard.active_name, woven.switchboard.look_name):
        patch.setattr(builtins, name, None, raising=False)
    install(woven)
    return woven


def test_the_loader_weaves_files_in_scope_and_no_others(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "def adult(age):\n    return age >= 18\n"
    woven = installed(project, code, monkeypatch)
    (project / "other.py").write_text(code, encoding="utf-8")
    (project / "away").mkdir()
    (project / "away" / "shop.py").write_text(code + "# other\n", encoding="utf-8")
    shop, other, away = (load_file(project / name) for name in ("shop.py", "other.py", "away/shop.py"))
    woven.switchboard.activate([(0, 1)])
    assert [shop.adult(18), other.adult(18), away.adult(18)] == [False, True, True]
    assert woven.loaded == ["shop.py"]


def test_what_a_file_computes_while_it_loads_is_there_for_every_test(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    woven = installed(project, "big = 3 > 2\n", monkeypatch)
    mine: dict[int, Sight] = {}
    woven.recorder.context = mine
    load_file(project / "shop.py")
    assert woven.recorder.context is mine
    assert (set(woven.recorder.at_import), mine) == ({0}, {})
    woven.recorder.at_import.clear()
    woven.recorder.loading = False
    load_file(project / "shop.py")
    assert (woven.recorder.at_import, set(mine)) == ({}, {0})


def test_a_file_of_the_same_name_computes_for_whoever_loads_it(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    woven = installed(project, "def big(n):\n    return n > 2\n", monkeypatch)
    shop = load_file(project / "shop.py")
    mine: dict[int, Sight] = {}
    woven.recorder.context = mine
    (project / "away").mkdir()
    (project / "away" / "shop.py").write_text("import sys\nsys.modules['loading'].big(3)\n", encoding="utf-8")
    monkeypatch.setitem(sys.modules, "loading", shop)
    load_file(project / "away" / "shop.py")
    assert (woven.recorder.at_import, set(mine)) == ({}, {0})


BIG = "def big(n):\n    return n > 2\n"


def heard(woven: Woven, file: Path, code: str = BIG) -> dict[str, str]:
    """The files that are known not to be woven once the code of a file was executed."""
    woven._hear("exec", (compile(code, str(file), "exec"),))
    return woven.unwoven


def test_code_in_scope_that_is_executed_past_the_loader_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    woven = installed(project, BIG, monkeypatch)
    (project / "away").mkdir()
    woven._hear("import", ("shop", None, [], [], []))
    assert heard(woven, project / "other.py") == {}
    assert heard(woven, project / "away" / "shop.py") == {}
    assert set(heard(woven, project / "away" / ".." / "shop.py")) == {"shop.py"}
    assert "`exec`" in woven.unwoven["shop.py"]


def test_of_a_file_that_is_not_woven_the_first_reason_is_told(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    woven = installed(project, BIG, monkeypatch)
    woven.unwoven["shop.py"] = "it changed"
    assert heard(woven, project / "shop.py") == {"shop.py": "it changed"}


def test_code_that_passed_the_loader_or_has_no_sites_is_not_told(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    woven = installed(project, BIG, monkeypatch)
    woven._hear("exec", (woven.compile("shop.py", BIG.encode(), str(project / "shop.py")),))
    assert woven.unwoven == {}
    (project / "shop.py").unlink()
    plain = installed(project, "x = 1\n", monkeypatch)
    assert heard(plain, project / "shop.py", "x = 1\n") == {}


def a_module(name: str, **attributes: object) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(attributes)
    return module


def test_a_module_from_elsewhere_that_stands_in_for_a_file_in_scope_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = ("src/shop/plans.py", "src/shop/__init__.py", "src/shop/cart.py", "src/shop/till.py", "src/shop/post.py")
    woven = Woven(make_plan([scan_source(b"x = 1\n", path, all_rules()) for path in paths], ROOT).document)
    loader = importlib.machinery.SourceFileLoader("shop.till", "/lib/till.py")
    bare = a_module("shop.post", __file__="/lib/post.so")
    del bare.__spec__
    for module in (
        a_module("shop", __file__="/lib/all.zip/shop/__init__.py"),
        a_module("shop.plans", __file__="/lib/plans.so", __spec__=importlib.machinery.ModuleSpec("shop.plans", None)),
        a_module("myshop.plans", __file__="/lib/other.so"),
        a_module("shop.cart"),  # of no file
        a_module("shop.till", __file__="/lib/till.py", __spec__=importlib.machinery.ModuleSpec("shop.till", loader)),
        bare,
    ):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(sys.modules, "broken", object())  # as some packages put there
    woven.strangers["src/shop/plans.py"] = "/told/before.py"
    woven.note_strangers()
    assert woven.strangers == {
        "src/shop/plans.py": "/told/before.py",
        "src/shop/__init__.py": "/lib/all.zip/shop/__init__.py",
        "src/shop/post.py": "/lib/post.so",
    }


def test_a_canary_raises_in_one_place_before_and_after_its_file_is_loaded(load: Load) -> None:
    code = "def adult(age):\n    return age >= 18\n\ndef teen(age):\n    return 13 <= age < 18\n"
    shop = load(code)
    shop.woven.raise_at(1)
    again: dict[str, Any] = {}
    exec(shop.woven.compile("shop.py", code.encode(), f"{ROOT}/shop.py"), again)  # noqa: S102 - the code above
    for namespace in (shop.namespace, again):
        assert namespace["adult"](18) is True
        with pytest.raises(Canary):
            namespace["teen"](13)
