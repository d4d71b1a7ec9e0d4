import numpy as np


def stood_on(values):
    return values >= 18  # expect: killed


def stood_around(values):
    return values >= 18  # expect: not-infected


def stood_on_and_not_looked_at(values):
    return values >= 18  # expect: survived


def of_floats(values, limit):
    return (values < limit).sum()  # expect: killed


def without_numbers(values):
    return values > 1.5  # expect: not-infected


def scalars(values):
    return [bool(value > 3) for value in values]  # expect: killed


def scalars_around(values):
    return [bool(value > 3) for value in values]  # expect: not-infected


def small_unsigned(value):
    return value > np.uint8(0)  # expect: killed


def days(values):
    return values >= np.datetime64("2024-02-29")  # expect: killed


def days_around(values):
    return values >= np.datetime64("2024-02-29")  # expect: not-infected


def words(values):
    return values > "m"  # expect: killed


def objects(values):
    return values >= 2  # expect: killed


class Own(np.ndarray):
    pass


def of_a_subclass(values):
    return values.view(Own) >= 2  # expect: killed


def too_many(values):
    return values >= 7  # expect: survived


def ambiguous(values):
    return 1 if values > 3 else 0  # expect: not-infected
