"""Module level: constants, conditional imports, a registry."""

SIZE = 10
NAME = " Ann "

IS_FULL = SIZE >= 10  # expect: killed
IS_FULL_FAR = SIZE >= 9  # expect: not-infected
IS_FULL_UNREAD = SIZE >= 10  # expect: survived
SHORT = NAME.strip()  # expect: killed
SHORT_FAR = SHORT.strip()  # expect: not-infected
TABLE = {"full": SIZE >= 10, "name": NAME.strip()}  # expect: killed, killed

if SIZE >= 10:  # expect: killed
    import math as numbers
else:
    import cmath as numbers

if SIZE >= 10:  # expect: invalid
    import json
else:
    import a_module_that_does_not_exist as json

for step in range(3):
    if step >= 2:  # expect: killed
        LAST = step

REGISTRY = {}


def registered(name):
    def register(function):
        REGISTRY[name.lower()] = function  # expect: killed
        return function

    return register


@registered("FIRST")
def first():
    return SIZE >= 10  # expect: killed


def floor(value):
    return numbers.floor(value)


def text(value):
    return json.dumps(value)


def __getattr__(name):
    if name.lower() == "dynamic":  # expect: killed, killed
        return 1
    raise AttributeError(name)
