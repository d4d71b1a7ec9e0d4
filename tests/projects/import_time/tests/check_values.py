import shop.breaks
from shop import classes, constants, decorators, factory, reader
from shop.breaks_others import sell


def test_constants():
    assert constants.FULL
    assert constants.NAME == "large"
    assert constants.SQUARES == [3]
    constants.UNSEEN
    assert constants.LOOSE


def test_a_table():
    assert factory.GROWN == {17: False, 18: True, 19: True}
    assert 18 in factory.FORGOTTEN
    assert factory.EDGE


def test_the_class_body():
    assert classes.Plan.full
    assert classes.Plan().grown(18)


def test_dataclasses():
    account = classes.Account(never=[])
    assert account.open
    assert account.ages == [True]


def test_an_enum():
    assert classes.Size.LARGE.value == 2
    assert classes.Size.SMALL.value is False


def test_what_makes_classes():
    assert classes.Four.long
    assert classes.Derived.large


def test_a_registry():
    assert decorators.REGISTRY["sell"]() == "sold"
    assert decorators.default(3) == 3


def test_what_breaks_loading():
    assert shop.breaks.SIZE == 18
    assert sell() == "sold"


def test_a_reader():
    assert reader.ANSWER == "full"
