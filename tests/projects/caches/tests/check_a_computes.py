"""Computes what `check_z_asserts.py` asserts, and asserts nothing."""

import pytest

from shop import memo


def test_cached():
    memo.cached(18)
    memo.unseen(18)
    memo.known(18)


def test_shop():
    memo.Shop.learn(18)
    memo.SHOP.add(18)
    memo.SHOP.large


def test_generator(in_session, in_package):
    memo.KEPT = next(memo.ENDLESS)


@pytest.mark.parametrize("number", range(3))
def test_other(number, in_session):
    pass
