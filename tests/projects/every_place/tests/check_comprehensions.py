from places import comprehensions


def test_list():
    assert comprehensions.list_element([18]) == [True]
    assert comprehensions.list_condition([18]) == [18]
    assert comprehensions.list_condition_far([17, 19]) == [19]
    assert comprehensions.list_condition_empty([]) == []


def test_set():
    assert comprehensions.set_element([" a ", "a"]) == {"a"}
    assert comprehensions.set_condition([18]) == set()


def test_dict():
    assert comprehensions.dict_key(["A"]) == {"a": 1}
    assert comprehensions.dict_value(["A"]) == {1: "a"}
    assert comprehensions.dict_condition([18]) == {}
    comprehensions.dict_condition_unasserted([18])


def test_iterables():
    assert comprehensions.first_iterable(" a ") == ["a"]
    assert comprehensions.second_iterable([" a "]) == ["a"]


def test_two_conditions():
    assert comprehensions.two_conditions([18, 20], 30) == [18, 20]


def test_generator_expression():
    assert comprehensions.generator_element([18]) is True
    assert comprehensions.generator_condition([18]) == 18
    comprehensions.generator_unconsumed([18])


def test_nested():
    assert comprehensions.nested([[0, 1]]) == [[1]]


def test_lambda_inside():
    assert comprehensions.lambda_inside([18]) == [True]


def test_walrus_inside():
    assert comprehensions.walrus_inside([" a "]) == (["a"], "a")


def test_class_body():
    assert comprehensions.Table.wide == [False, False, True]
    assert comprehensions.Table.far == [False, False, False]
