"""Amounts of money: discounts, overage and proration, always in whole cents."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from quota_service.plans import Plan

CENT = Decimal("0.01")
NOTHING = Decimal("0.00")

# An overshoot smaller than this costs more to invoice than it brings in.
MIN_BILLED_CALLS = 100


def to_cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, rounding=ROUND_HALF_UP)


def seat_discount(seats: int) -> Decimal:
    """The share that a team of this size saves on its monthly fee."""
    match seats:
        case n if n < 1:
            raise ValueError(f"a team has at least one seat, not {seats}")
        case n if n < 5:
            return Decimal("0.00")
        case n if n < 20:
            return Decimal("0.10")
        case _:
            return Decimal("0.20")


def overage(plan: Plan, calls: int) -> Decimal:
    """The charge for calls beyond the included ones."""
    extra = calls - plan.included_calls
    if plan.overage_per_thousand is None or extra < MIN_BILLED_CALLS:  # fencepost: allow[emptiness] 0 bills nothing
        return NOTHING
    return to_cents(plan.overage_per_thousand * extra / 1000)


def prorate(fee: Decimal, days_used: int, days_in_month: int = 30) -> Decimal:
    """The part of a monthly fee that falls on the days that were used."""
    if not 0 <= days_used <= days_in_month:
        raise ValueError(f"{days_used} days do not fit a month of {days_in_month}")
    return to_cents(fee * days_used / days_in_month)


def format_amount(amount: Decimal, currency: str = "EUR") -> str:
    return f"{amount:.2f} {currency.upper()}"
