"""Class bodies and what the libraries of classes make of them."""

import enum
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

SIZE = 10


class Body:
    """A class body runs once, while the module is loaded."""

    is_full = SIZE >= 10  # expect: killed
    is_full_far = SIZE >= 9  # expect: not-infected
    is_full_unread = SIZE >= 10  # expect: survived
    if SIZE <= 10:  # expect: killed
        only_small = 1

    class Inner:
        name = " Ann ".strip()  # expect: killed


@dataclass
class Record:
    """Defaults are made while the module is loaded, factories when a record is."""

    full: bool = SIZE >= 10  # expect: killed
    far: bool = SIZE >= 9  # expect: not-infected
    name: str = field(default=" Ann ".strip())  # expect: killed
    made: bool = field(default_factory=lambda: SIZE >= 10)  # expect: killed
    unread: bool = field(default_factory=lambda: SIZE >= 10)  # expect: survived
    shared: ClassVar[bool] = SIZE >= 10  # expect: killed

    def __post_init__(self):
        self.adult = SIZE >= 10  # expect: killed


@dataclass(frozen=SIZE >= 10)  # expect: killed
class Frozen:
    age: int = 0


@dataclass(frozen=True, slots=True)
class Slotted:
    """`slots=True` makes a second class, whose methods keep the cell of the first."""

    age: int

    def adult(self):
        return self.age >= 18  # expect: killed


class WithSlots:
    __slots__ = ("age", "Name".lower())  # expect: killed

    def __init__(self, age):
        self.age = age >= 18  # expect: killed


class Colour(enum.Enum):
    RED = "Red".lower()  # expect: killed
    BLUE = "blue".lower()  # expect: not-infected
    LARGE = SIZE >= 10  # expect: killed

    @property
    def short(self):
        return len(str(self.value)) <= 3  # expect: killed


class Flags(enum.IntFlag):
    ONE = enum.auto()
    TWO = 2 if SIZE >= 10 else 4  # expect: killed


class Point(NamedTuple):
    x: int = 0
    far: bool = SIZE >= 10  # expect: killed
    near: bool = SIZE >= 9  # expect: not-infected

    def is_right(self):
        return self.x >= 0  # expect: killed


class Descriptor:
    def __get__(self, instance, owner=None):
        return SIZE >= 10  # expect: killed

    def __set_name__(self, owner, name):
        owner.called = name.lower()  # expect: killed


class Owner:
    ATTRIBUTE = Descriptor()


class Meta(type):
    def __new__(mcs, name, bases, namespace, wide=False):
        made = super().__new__(mcs, name, bases, namespace)
        made.wide = wide
        made.long = len(name) >= 4  # expect: killed
        return made


class Made(metaclass=Meta, wide=SIZE >= 10):  # expect: killed
    def __init_subclass__(cls, **keywords):
        cls.is_sub = SIZE >= 10  # expect: killed


class Sub(Made if SIZE >= 10 else object):  # expect: killed
    def __private(self, name):
        return name.strip()  # expect: killed

    def mangled(self, name):
        return self.__private(name).lower()  # expect: killed

    def mangled_operand(self):
        self.__age = 18
        return self.__age >= 18  # expect: killed

    def by_class_cell(self):
        return __class__.__name__.lower()  # expect: killed


class Compared:
    """Its comparison is code of its own, which the observing run must not repeat."""

    def __init__(self):
        self.asked = 0

    def __ge__(self, other):
        self.asked += 1
        return other >= 3  # expect: killed

    def __gt__(self, other):
        return False


def compare_once():
    compared = Compared()
    return compared >= 3, compared.asked  # expect: killed
