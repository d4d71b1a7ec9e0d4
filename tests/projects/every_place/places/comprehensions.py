"""Comprehensions and generator expressions: element, condition, and the first iterable, which runs outside."""


def list_element(ages):
    return [age >= 18 for age in ages]  # expect: killed


def list_condition(ages):
    return [age for age in ages if age >= 18]  # expect: killed


def list_condition_far(ages):
    return [age for age in ages if age >= 18]  # expect: not-infected


def list_condition_empty(ages):
    return [age for age in ages if age >= 18]  # expect: not-reached


def set_element(names):
    return {name.strip() for name in names}  # expect: killed


def set_condition(ages):
    return {age for age in ages if age < 18}  # expect: killed


def dict_key(names):
    return {name.lower(): 1 for name in names}  # expect: killed


def dict_value(names):
    return {1: name.lower() for name in names}  # expect: killed


def dict_condition(ages):
    return {age: 1 for age in ages if age > 18}  # expect: killed


def dict_condition_unasserted(ages):
    return {age: 1 for age in ages if age > 18}  # expect: survived


def first_iterable(names):
    return [letter for letter in names.strip()]  # expect: killed


def second_iterable(names):
    return [letter for name in names for letter in name.strip()]  # expect: killed


def two_conditions(ages, limit):
    return [
        age
        for age in ages
        if age >= 18  # expect: killed
        if age < limit  # expect: not-infected
    ]


def generator_element(ages):
    return any(age >= 18 for age in ages)  # expect: killed


def generator_condition(ages):
    return sum(age for age in ages if age >= 18)  # expect: killed


def generator_unconsumed(ages):
    return (age for age in ages if age >= 18)  # expect: not-reached


def nested(rows):
    return [[cell for cell in row if cell > 0] for row in rows]  # expect: killed


def lambda_inside(ages):
    return [check(18) for check in [lambda age, least=least: age >= least for least in ages]]  # expect: killed


def walrus_inside(names):
    return [short for name in names if (short := name.strip())], short  # expect: killed


class Table:
    """A comprehension in a class body does not see the class's names."""

    sizes = (1, 2, 3)
    wide = [size >= 3 for size in sizes]  # expect: killed
    far = [size >= 4 for size in sizes]  # expect: not-infected
    unread = [size >= 3 for size in sizes]  # expect: survived
