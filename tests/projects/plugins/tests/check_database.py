import pytest

from shop import store


@pytest.mark.parametrize("size", [18, 19])
def test_put(transaction, size):
    store.put(transaction, "mine", size)
    assert store.large(transaction, "mine")


def test_nothing_is_left(transaction):
    assert store.count(transaction) == 1


def test_first(transaction):
    assert transaction.execute("SELECT large FROM things WHERE name = 'first'").fetchall() == [(1,)]
