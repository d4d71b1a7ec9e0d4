"""The help for one gap: words, an input, the question, and the sketch with the new input in it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fencepost.analyzer.model import Nearest, Run, Sighting, Verdict
from fencepost.reports._advice import Advice, Advisor
from fencepost.reports._gaps import gaps
from fencepost.reports._view import View

Told = Callable[..., Run]
TESTS = (
    "def test_a():\n    assert adult(YOUNG) is False\n\n\ndef test_b():\n    assert adult(20) is True\n\n\n"
    "def test_c():\n    assert tidy('ann') == 'ann'\n"
)
SHOP = "def adult(age):\n    return age >= 18\n\n\ndef tidy(name):\n    return name.strip()\n"


def advice(told: Told, root: Path, replacement: str, sighting: Sighting, **more: object) -> Advice:
    """The advice on the gap of a mutant, beside the tests above."""
    (root / "test_shop.py").write_text(TESTS, encoding="utf-8")
    tests = [f"test_shop.py::test_{name}" for name in "abc"]
    seen = {"age >= 18": sighting, "name.strip()": sighting}
    view = View(told(SHOP, tests=tests, seen=seen, **{"others": Verdict.NOT_INFECTED, **more}))
    gap = next(gap for gap in gaps(view) if gap.lead.replacement == replacement)
    return Advisor(view, root).advice(gap)


def test_the_sketch_is_of_the_nearest_test_that_writes_its_input(told: Told, tmp_path: Path) -> None:
    seen = Sighting(2, (0, 1), Nearest(1, "17", 1.0, 0, 1), Nearest(), Nearest(1, "20", 2.0, 1, 1))
    found = advice(told, tmp_path, "age > 18", seen)
    assert found.do.startswith("No test stands on 18: the nearest were 17 (test_a) and 20 (test_b).")
    assert found.input is None
    assert found.question is not None
    assert found.sketch is not None
    assert found.sketch.text == "def test_b_at_18():\n    assert adult(18) == ...  # decide\n"


def test_where_no_test_writes_its_input_the_nearest_one_gets_a_reminder(told: Told, tmp_path: Path) -> None:
    seen = Sighting(2, (0, 1), Nearest(1, "17", 1.0, 0, 1), Nearest(), Nearest(1, "21", 3.0, 1, 1))
    found = advice(told, tmp_path, "age > 18", seen)
    assert found.sketch is not None
    assert found.sketch.text.startswith("def test_a_at_18():\n    # give it an input with which `age` is 18")


def test_a_call_gets_an_input_that_it_changes(told: Told, tmp_path: Path) -> None:
    seen = Sighting(1, (2,), samples=(("'ann'", 2),))
    found = advice(told, tmp_path, "name", seen)
    assert (found.input, found.question) == ("' ann '", None)
    assert found.sketch is not None
    assert found.sketch.text == "def test_c_whitespace():\n    assert tidy(' ann ') == ...  # decide\n"


def test_a_survivor_needs_no_other_input(told: Told, tmp_path: Path) -> None:
    found = advice(told, tmp_path, "name", Sighting(1, (2,), samples=(("'ann'", 2),)), others=Verdict.SURVIVED)
    assert found.input is None
    assert found.sketch is not None
    assert "# assert what changes when `name.strip()` becomes `name`\n" in found.sketch.text


def test_a_test_that_is_gone_gives_no_sketch(told: Told, tmp_path: Path) -> None:
    seen = Sighting(1, (0,), below=Nearest(1, "17", 1.0, 0, 1))
    view = View(told(SHOP, others=Verdict.NOT_INFECTED, seen={"age >= 18": seen}))
    assert Advisor(view, tmp_path).advice(gaps(view)[0]).sketch is None


def test_code_that_no_test_reaches_is_called_out_of_its_signature(told: Told, tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP, encoding="utf-8")
    found = advice(told, tmp_path, "age > 18", Sighting(), others=Verdict.NOT_REACHED)
    assert found.sketch is not None
    assert found.sketch.path is None
    assert "assert adult(age=18) == ...  # decide\n" in found.sketch.text


def test_a_test_that_calls_what_is_tested_is_nearer_than_one_that_only_gets_there(told: Told, tmp_path: Path) -> None:
    seen = Sighting(3, (2, 1), Nearest(1, "17", 1.0, 2, 1))
    found = advice(told, tmp_path, "age > 18", seen)
    assert found.sketch is not None
    assert found.sketch.name == "test_b_at_18"


def test_no_two_sketches_have_one_name(told: Told, tmp_path: Path) -> None:
    (tmp_path / "test_shop.py").write_text("def test_a():\n    assert tidy(X)\n", encoding="utf-8")
    code = "def tidy(name):\n    return name.strip() + name[1:].strip()\n"
    seen = dict.fromkeys(("name.strip()", "name[1:].strip()"), Sighting(1, (0,), samples=(("'ann'", 0),)))
    view = View(told(code, tests=["test_shop.py::test_a"], seen=seen, others=Verdict.NOT_INFECTED, rules=["FP201"]))
    advisor = Advisor(view, tmp_path)
    sketches = [advisor.advice(gap).sketch for gap in gaps(view)]
    assert [sketch.name for sketch in sketches if sketch] == ["test_a_whitespace", "test_a_whitespace_2"]


def test_a_key_that_has_to_be_missing_gives_the_test_its_name(told: Told, tmp_path: Path) -> None:
    text = "def test_a():\n    assert tidy({'name': 'ann', 'age': 3})\n"
    (tmp_path / "test_shop.py").write_text(text, encoding="utf-8")
    code = "def tidy(form):\n    return form.get('name', 'nobody')\n"
    seen = {"form.get('name', 'nobody')": Sighting(1, (0,), samples=(("'name'", 0),))}
    view = View(told(code, tests=["test_shop.py::test_a"], seen=seen, others=Verdict.NOT_INFECTED))
    (sketch,) = [Advisor(view, tmp_path).advice(gap).sketch for gap in gaps(view)]
    assert sketch is not None
    assert sketch.text == "def test_a_without_name():\n    assert tidy({'age': 3}) == ...  # decide\n"


def test_the_question_tells_what_follows_where_the_source_says_so(told: Told, tmp_path: Path) -> None:
    code = "def tier(calls):\n    if calls <= 10:\n        return 'free'\n    return 'paid'\n"
    (tmp_path / "shop.py").write_text(code, encoding="utf-8")
    view = View(told(code, others=Verdict.NOT_INFECTED, seen={"calls <= 10": Sighting(1, (0,))}))
    now = [one.now for gap in gaps(view) if (one := Advisor(view, tmp_path).advice(gap).question)]
    assert now == [
        "Now it is treated like 9: `calls <= 10` is True for both, and `return 'free'` follows. No test pins it."
    ]


def test_of_two_tests_that_are_as_near_the_short_one_is_taken(told: Told, tmp_path: Path) -> None:
    long = "def test_a():\n" + "    x = 1\n" * 30 + "    assert adult(X)\n"
    (tmp_path / "test_shop.py").write_text(f"{long}\n\ndef test_b():\n    assert adult(X)\n", encoding="utf-8")
    seen = Sighting(2, (0, 1), Nearest(1, "17", 1.0, 0, 1), Nearest(), Nearest(1, "21", 3.0, 1, 1))
    tests = ["test_shop.py::test_a", "test_shop.py::test_b"]
    view = View(told(SHOP, tests=tests, seen={"age >= 18": seen}, others=Verdict.NOT_INFECTED, rules=["FP101"]))
    (sketch,) = [Advisor(view, tmp_path).advice(gap).sketch for gap in gaps(view)]
    assert sketch is not None
    assert sketch.name == "test_b_at_18"
