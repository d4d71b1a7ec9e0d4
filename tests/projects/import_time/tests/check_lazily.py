"""This file loads nothing of the project by itself."""


def test_nothing():
    pass


def test_full():
    from shop import lazily

    assert lazily.FULL
