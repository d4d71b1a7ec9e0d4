from decimal import Decimal

import pytest

from quota_service.plans import PLANS, STARTER_CALLS, Tier
from quota_service.pricing import format_amount, overage, prorate, seat_discount


def test_seat_discount_at_each_step() -> None:
    with pytest.raises(ValueError, match="at least one seat"):
        seat_discount(0)
    assert seat_discount(1) == 0
    assert seat_discount(4) == 0
    assert seat_discount(5) == Decimal("0.10")
    assert seat_discount(19) == Decimal("0.10")
    assert seat_discount(20) == Decimal("0.20")


def test_overage_is_billed_from_a_hundred_calls_on() -> None:
    starter = PLANS[Tier.STARTER]
    assert overage(starter, STARTER_CALLS + 99) == 0
    assert overage(starter, STARTER_CALLS + 100) == Decimal("0.05")  # 0.045, half up
    assert overage(starter, STARTER_CALLS + 101) == Decimal("0.05")


def test_half_a_month_costs_half() -> None:
    assert prorate(Decimal("29.00"), 15) == Decimal("14.50")


def test_impossible_months_are_refused() -> None:
    for days in (-5, 45):
        with pytest.raises(ValueError, match="do not fit"):
            prorate(Decimal("29.00"), days)


def test_amount_is_formatted() -> None:
    assert format_amount(Decimal("12.50")) == "12.50 EUR"
