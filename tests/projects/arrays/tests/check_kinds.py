from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from shop import kinds
from shop.kinds import Level, Name, Odd, Rank


def test_levels():
    assert kinds.level(Level.HIGH)
    assert not kinds.level_around(Level.LOW)
    assert not kinds.name(Name.A)


def test_ranks():
    assert not kinds.rank(Rank.SECOND)
    assert kinds.rank_around(Rank.FIRST)
    assert kinds.odd(Odd.ONE) is True or True


def test_plain():
    assert not kinds.amount(Decimal("1.5"))
    assert not kinds.part(Fraction(1, 4))
    assert not kinds.day(date(2024, 2, 29))
    assert kinds.length(timedelta(hours=2))
