import pytest

from places import statements


def test_match():
    assert statements.match_guard(18) == "adult"
    assert statements.match_guard(13) == "youth"
    assert statements.match_guard(11) == "child"
    assert statements.match_subject("ANN") == 1
    assert statements.match_guard_text("child") == 1


def test_assert():
    assert statements.assertion(18) == 18


def test_if_expression():
    assert statements.if_expression(18) == "adult"
    assert statements.if_expression_branch(18) is True


def test_if_statement():
    assert statements.if_statement(18) == 1
    assert statements.if_statement(13) == 2
    assert statements.if_statement(12) is True


def test_walrus():
    assert statements.walrus_target(18) == (True, True)
    assert statements.walrus_inside(" Ann ") == "Ann"
    assert statements.walrus_inside("Anna") is None
    assert statements.walrus_in_operand("abc") == (True, 3)


def test_chains():
    assert statements.chain_of_two(18) is True
    assert statements.chain_of_two_upper(65) is False
    assert statements.chain_of_three(0, 1, 1) is True
    assert statements.chain_of_three(1, 1, 2) is False
    assert statements.chain_with_middle_call(" a ") is True
    assert statements.chain_that_ends_early(10, None) is False
    assert statements.middle_call_once([3, 9]) is True
    assert statements.mixed_chain("child", 3) is True


def test_subscripts():
    assert statements.slice_bounds("abc", " a ") == "bc"
    assert statements.subscript("no", 18) == "o"
    assert statements.subscript_key({"ann": 4}, "ANN") == 4
    assert statements.subscript_target("ANN") == {"ann": 1}


def test_loops():
    assert statements.while_condition(4) == 8
    assert statements.while_else(2) is True
    assert statements.for_loop(" a,b ") == ["a", "b", True]


def test_try():
    assert statements.try_body(18) is True
    assert statements.try_body("old") is True
    assert statements.try_else(4) == (False, True)
    seen = []
    statements.finally_body(18, seen)
    assert seen == [True]


def test_except():
    assert statements.except_type(1) == "caught"
    assert statements.exception_group(18) == (True,)


def test_with():
    assert statements.with_item(" a ") == "a"
    assert statements.with_two_items(" a ") == ("a", "a")


def test_return():
    assert statements.returned_tuple(18) == (18, True)


def test_raise():
    with pytest.raises(ValueError, match="^Ann$"):
        statements.raised(" Ann ")
    with pytest.raises(ValueError, match="x") as caught:
        statements.raised_from(18)
    assert isinstance(caught.value.__cause__, KeyError)


def test_del():
    assert statements.deleted({"ann": 1}, "ANN") == {}


def test_assignments():
    assert statements.augmented(1, 18) == 2
    assert statements.augmented_target({"ann": 1}, "ANN") == {"ann": 2}
    assert statements.annotated_assignment(18) is True
    assert statements.unpacked(18, " a ") == (True, "a", [1])
    assert statements.chained_assignment(18) is True


def test_displays():
    assert statements.dict_display(18, " a ") == {"a": 18, "adult": True}
    assert statements.set_display(18, " a ") == {"a", True}
    assert statements.list_display(18) == [1, True, 2]
    assert statements.starred("a", " b ") == ["a", "b"]
    assert statements.double_starred("A") == {"a": 1}


def test_operators():
    assert statements.boolean_operators(18, " Bob ") is False
    assert statements.boolean_operators(18, "Ann") is True
    assert statements.unary(18) is False
    assert statements.nested_comparisons(1, 2) is True
    assert statements.nested_calls(" A ") == "a"
    assert statements.nested_calls_far(" a ") == "a"
    assert statements.call_argument(18) == "True"
    assert statements.keyword_argument(" a ") == {"key": "a"}


def test_layouts():
    assert statements.parenthesised(18) is True
    assert statements.over_lines(18) is True
    assert statements.semicolons(18) is True
    assert statements.after_return(18) == 18
    assert statements.spaced_method(" A ") == "a"
    assert statements.glued(18) == 1
    assert statements.backslash(18) is True
