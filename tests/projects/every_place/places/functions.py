"""Functions of every kind. A comment says which verdict the mutants that start on its line must get."""

import functools
from collections.abc import Callable

LEVEL = 10
COUNTED = 0


def plain(age):
    return age >= 18  # expect: killed


def plain_far(age):
    return age >= 18  # expect: not-infected


def plain_unasserted(age):
    return age >= 18  # expect: survived


def plain_uncalled(age):
    return age >= 18  # expect: not-reached


class Methods:
    """Every kind of method."""

    factor = 2

    def method(self, age):
        return self.factor > 1 and age >= 18  # expect: not-infected, killed

    @staticmethod
    def static(name):
        return name.strip()  # expect: killed

    @staticmethod
    def static_far(name):
        return name.strip()  # expect: not-infected

    @classmethod
    def of_class(cls, age):
        return age >= 9 * cls.factor  # expect: killed

    @classmethod
    def of_class_uncalled(cls, age):
        return age >= 9 * cls.factor  # expect: not-reached

    @property
    def width(self):
        return self.factor <= 2  # expect: killed

    @property
    def width_far(self):
        return self.factor <= 200  # expect: not-infected

    @functools.cached_property
    def cached(self):
        return self.factor <= 2  # expect: killed


class Loud(Methods):
    """Uses `super()`, whose hidden cell no switch may break."""

    def method(self, age):
        return super().method(age) and age < 100  # expect: killed

    @classmethod
    def of_class(cls, age):
        return not super().of_class(age) >= 1  # expect: killed


def traced(function: Callable) -> Callable:
    @functools.wraps(function)
    def wrapper(*args, **keywords):
        return function(*args, **keywords)

    return wrapper


@traced
def decorated(age):
    return age >= 18  # expect: killed


@traced
def decorated_far(age):
    return age >= 18  # expect: not-infected


@functools.lru_cache(maxsize=None)
def remembered(age):
    return age >= 18  # expect: killed


def marked(flag: bool) -> Callable:
    def decorate(function: Callable) -> Callable:
        function.flag = flag
        return function

    return decorate


@marked(LEVEL >= 10)  # expect: killed
def with_decorator_argument():
    return None


@marked(LEVEL >= 9)  # expect: not-infected
def with_far_decorator_argument():
    return None


@marked(LEVEL >= 10)  # expect: survived
def with_unread_decorator_argument():
    return None


def counter(limit):
    seen = 0

    def step():
        nonlocal seen
        seen += 1
        return seen <= limit  # expect: killed

    return step


def nested_uncalled(limit):
    def inner(value):
        return value < limit  # expect: not-reached

    return inner


is_even_digit = lambda digit: digit % 2 == 0 if digit <= 9 else None  # noqa: E731 # expect: killed, killed, ignored, killed
first_letter = lambda name: name.strip()[:1]  # noqa: E731 # expect: not-infected


def by_default(flag=LEVEL >= 10):  # expect: killed
    return flag


def by_default_far(flag=LEVEL >= 9):  # expect: not-infected
    return flag


def by_default_unasserted(flag=LEVEL >= 10):  # expect: survived
    return flag


def by_keyword(*, name=" Ann ".strip()):  # expect: killed
    return name


def by_keyword_far(*, name="Ann".strip()):  # expect: not-infected
    return name


def by_lambda_default(key=lambda name: name.lower()):  # expect: killed
    return key("ANN")


def countdown(number):
    return 0 if number <= 0 else 1 + countdown(number - 1)  # expect: killed


def depth(tree):
    return 1 + max((depth(branch) for branch in tree if len(branch) >= 1), default=0)  # expect: killed


def count_up(value):
    global COUNTED
    COUNTED = value >= 3  # expect: killed
    return COUNTED


def star_arguments(*values):
    return max(*[value >= 5 for value in values], False)  # expect: killed


def keyword_arguments(**names):
    return dict(**{key.lower(): value for key, value in names.items()})  # expect: killed


def star_arguments_far(*values):
    return max(*[value >= 5 for value in values], False)  # expect: not-infected


def annotated(age: "int >= 3", name: str = "Ann".strip()) -> "bool >= 1":  # expect: not-infected
    limit: int = age if age > 3 else 3  # expect: ignored
    return limit, name
