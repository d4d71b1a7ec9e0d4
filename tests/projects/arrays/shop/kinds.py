import enum
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 3


class Name(enum.StrEnum):
    A = "a"
    B = "b"


class Rank(enum.Enum):
    FIRST = 1
    SECOND = 2
    THIRD = 3

    def __lt__(self, other):
        return self.value < other.value  # expect: killed

    def __le__(self, other):
        return self.value <= other.value  # expect: not-reached


class Odd(enum.IntEnum):
    ONE = 1

    def __ge__(self, other):
        return True


def level(value):
    return value >= Level.HIGH  # expect: killed


def level_around(value):
    return value >= Level.HIGH  # expect: not-infected


def name(value):
    return value > Name.A  # expect: killed


def rank(value):
    return value < Rank.SECOND  # expect: killed


def rank_around(value):
    return value < Rank.SECOND  # expect: survived


def odd(value):
    return value >= Odd.ONE  # expect: survived


def amount(value):
    return value > Decimal("1.50")  # expect: killed


def part(value):
    return value >= Fraction(1, 3)  # expect: not-infected


def day(value):
    return value < date(2024, 2, 29)  # expect: killed


def length(value):
    return value > timedelta(hours=1)  # expect: not-infected
