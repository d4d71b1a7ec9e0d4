from shop import memo


def test_cached():
    assert memo.cached(18)
    assert memo.known(18)


def test_shop():
    assert memo.Shop.grown
    assert memo.Shop.ages == [True]


def test_large():
    assert memo.SHOP.large


def test_generator():
    assert memo.KEPT == 18


def test_session(in_session):
    assert in_session


def test_package(in_package):
    assert in_package


def test_everything(for_everything):
    assert for_everything["grown"]
