from places import fstrings


def test_plain():
    assert fstrings.plain(18) == "True"
    assert fstrings.plain_far(19) == "True"
    fstrings.plain_unasserted(18)


def test_text_around():
    assert fstrings.with_text_around(18, " Ann ") == "<Ann> is adult!"


def test_conversion():
    assert fstrings.conversion(" Ann ") == "   'Ann'"
    assert fstrings.self_documenting(18) == "age >= 18 = True"


def test_self_documenting_far():
    assert fstrings.self_documenting_far(19) == "age >= 18 = True"


def test_nested_format_spec():
    assert fstrings.nested_format_spec(" a ", 3) == "  a"


def test_nested_quotes():
    assert fstrings.nested_quotes({"ann": 4}) == "448"


def test_nested_fstring():
    assert fstrings.nested_fstring(18) == "True True"


def test_implicit_concatenation():
    assert fstrings.implicit_concatenation(18, " A ") == "aTruebA"
    assert fstrings.implicit_concatenation_over_lines(18, " A ") == "text True A"


def test_triple_quoted():
    assert fstrings.triple_quoted(18, " A ") == "\n    A\n        is True\n     a "


def test_unicode():
    assert fstrings.unicode_before(18) == ("äöü€🎉", "ß🎉True")
    assert fstrings.unicode_inside(" a ") == "🎉éa🎉"


def test_braces():
    assert fstrings.escaped_braces(18) == "{True} {age >= 18}"
    assert fstrings.raw(18) == "\\dTrue\\n"


def test_expressions_inside():
    assert fstrings.lambda_inside(18) == "True"
    assert fstrings.comprehension_inside([18]) == "[18]"
    assert fstrings.walrus_inside(18) == "TrueTrue"
    assert fstrings.twice_the_same(18) == "True True"


def test_fstring_as_operand():
    assert fstrings.call_on_fstring("a") == "a"
    assert fstrings.compared_fstring(18) is True


def test_other_formatting():
    assert fstrings.format_call(" a ") == "a"
    assert fstrings.percent(" a ") == "a"


def test_module_level():
    assert fstrings.DEFAULT == "True"
