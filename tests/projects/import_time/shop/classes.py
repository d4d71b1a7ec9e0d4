import enum
from dataclasses import dataclass, field

LIMIT = 18


class Plan:
    full = LIMIT >= 18  # expect: killed
    unseen = LIMIT >= 18  # expect: survived

    def grown(self, age, limit=18 if LIMIT >= 18 else 99):  # expect: killed
        return age > limit - 1  # expect: not-infected


@dataclass
class Account:
    open: bool = LIMIT >= 18  # expect: killed
    ages: list = field(default_factory=lambda: [LIMIT >= 18])  # expect: killed
    unseen: list = field(default_factory=lambda: [LIMIT >= 18])  # expect: survived
    never: list = field(default_factory=lambda: [LIMIT >= 18])  # expect: not-reached


class Size(enum.Enum):
    SMALL = LIMIT >= 99  # expect: not-infected
    LARGE = 2 if LIMIT >= 18 else 1  # expect: killed


class Meta(type):
    def __new__(mcs, name, bases, space):
        space["long"] = len(name) >= 4  # expect: killed
        return super().__new__(mcs, name, bases, space)


class Four(metaclass=Meta):
    pass


class Base:
    def __init_subclass__(cls, size=0):
        cls.large = size >= 18  # expect: killed


class Derived(Base, size=18):
    pass
