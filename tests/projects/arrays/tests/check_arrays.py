import numpy as np
import pytest

from shop import arrays


def as_list(result):
    return np.asarray(result).tolist()


def test_on():
    assert as_list(arrays.stood_on(np.array([17, 18, 40]))) == [False, True, True]


def test_around():
    assert as_list(arrays.stood_around(np.array([17, 40], dtype="int8"))) == [False, True]


def test_not_looked_at():
    assert len(arrays.stood_on_and_not_looked_at(np.array([18]))) == 1


def test_floats():
    assert arrays.of_floats(np.array([[0.5, 1.5], [np.nan, 2.5]]), np.array([1.5, 1.5])) == 1


def test_nan():
    assert as_list(arrays.without_numbers(np.array([np.nan, np.inf]))) == [False, True]


def test_scalars():
    assert arrays.scalars(np.array([2, 3, 4])) == [False, False, True]
    assert arrays.scalars_around(np.array([2.5, 3.5])) == [False, True]


def test_unsigned():
    assert not arrays.small_unsigned(np.uint8(0))
    assert arrays.small_unsigned(np.uint8(1))


def test_days():
    days = np.array(["2024-02-28", "2024-02-29", "NaT"], dtype="M8[D]")
    assert as_list(arrays.days(days)) == [False, True, False]
    assert as_list(arrays.days_around(days[[0, 2]])) == [False, False]


def test_words():
    assert as_list(arrays.words(np.array(["a", "m", "z"]))) == [False, False, True]


def test_objects():
    assert as_list(arrays.objects(np.array([1, 2, 3], dtype=object))) == [False, True, True]
    assert as_list(arrays.of_a_subclass(np.array([1, 2, 3]))) == [False, True, True]


def test_many():
    assert len(arrays.too_many(np.zeros(200_000))) == 200_000


def test_ambiguous():
    with pytest.raises(ValueError, match="ambiguous"):
        arrays.ambiguous(np.array([1, 5]))
    assert arrays.ambiguous(np.array([5])) == 1
