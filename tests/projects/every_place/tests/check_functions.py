from places import functions


def test_plain():
    assert functions.plain(18) is True


def test_plain_far():
    assert functions.plain_far(40) is True
    assert functions.plain_far(4) is False


def test_plain_unasserted():
    functions.plain_unasserted(18)


def test_method():
    assert functions.Methods().method(18) is True


def test_staticmethod():
    assert functions.Methods.static(" Ann ") == "Ann"
    assert functions.Methods.static_far("Ann") == "Ann"


def test_classmethod():
    assert functions.Methods.of_class(18) is True


def test_property():
    assert functions.Methods().width is True
    assert functions.Methods().width_far is True


def test_cached_property():
    assert functions.Methods().cached is True


def test_super():
    assert functions.Loud().method(100) is False
    assert functions.Loud.of_class(18) is False


def test_decorated():
    assert functions.decorated(18) is True
    assert functions.decorated.__name__ == "decorated"
    assert functions.decorated_far(19) is True


def test_lru_cache_computed_only():
    functions.remembered(18)


def test_lru_cache_asserted():
    assert functions.remembered(18) is True


def test_decorator_argument():
    assert functions.with_decorator_argument.flag is True
    assert functions.with_far_decorator_argument.flag is True


def test_closure():
    step = functions.counter(2)
    assert [step(), step(), step()] == [True, True, False]


def test_nested_uncalled():
    assert callable(functions.nested_uncalled(3))


def test_lambda():
    assert functions.is_even_digit(8) is True
    assert functions.is_even_digit(9) is False
    assert functions.first_letter("Ann") == "A"


def test_default_argument():
    assert functions.by_default() is True
    assert functions.by_default_far() is True
    functions.by_default_unasserted()


def test_keyword_only_default():
    assert functions.by_keyword() == "Ann"
    assert functions.by_keyword_far() == "Ann"


def test_lambda_as_default():
    assert functions.by_lambda_default() == "ann"


def test_recursion():
    assert functions.countdown(3) == 3
    assert functions.depth([[[]], []]) == 2


def test_global_statement():
    functions.count_up(3)
    assert functions.COUNTED is True


def test_star_arguments():
    assert functions.star_arguments(1, 5) is True
    assert functions.star_arguments_far(1, 7) is True
    assert functions.keyword_arguments(ANN=1) == {"ann": 1}


def test_annotations():
    assert functions.annotated(4) == (4, "Ann")
