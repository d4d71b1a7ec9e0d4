"""The plans that a customer can buy, and which of them fits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum

FREE_CALLS = 1_000
STARTER_CALLS = 100_000
BUSINESS_CALLS = 2_000_000


class UnknownPlan(LookupError):
    """No plan has this name."""


class Tier(Enum):
    FREE = "free"
    STARTER = "starter"
    BUSINESS = "business"


@dataclass(frozen=True)
class Plan:
    """What a tier costs and what it includes; without an overage rate the quota is a hard stop."""

    tier: Tier
    monthly_fee: Decimal
    included_calls: int
    overage_per_thousand: Decimal | None = None
    calls_per_minute: int = 60
    max_seats: int = 1


PLANS = {
    plan.tier: plan
    for plan in (
        Plan(Tier.FREE, Decimal("0.00"), FREE_CALLS),
        Plan(Tier.STARTER, Decimal("29.00"), STARTER_CALLS, Decimal("0.45"), 600, 5),
        Plan(Tier.BUSINESS, Decimal("249.00"), BUSINESS_CALLS, Decimal("0.25"), 6_000, 50),
    )
}


def plan_named(name: str) -> Plan:
    """Find a plan by the name that a customer typed."""
    try:
        return PLANS[Tier(name.strip().lower())]
    except ValueError:
        raise UnknownPlan(name) from None


def recommended_tier(monthly_calls: int) -> Tier:
    """The smallest tier whose included calls cover the expected use."""
    if monthly_calls <= FREE_CALLS:
        return Tier.FREE
    if monthly_calls <= STARTER_CALLS:
        return Tier.STARTER
    return Tier.BUSINESS


def in_trial(signed_up: date, today: date, trial_days: int = 14) -> bool:
    """The day of the sign-up is the first day of the trial."""
    return 0 <= (today - signed_up).days < trial_days
