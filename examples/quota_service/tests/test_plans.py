from datetime import date

from quota_service.plans import Tier, in_trial, plan_named, recommended_tier


def test_trial_lasts_fourteen_days() -> None:
    signed_up = date(2025, 2, 20)
    assert not in_trial(signed_up, date(2025, 2, 19))
    assert in_trial(signed_up, date(2025, 2, 20))
    assert in_trial(signed_up, date(2025, 3, 5))
    assert not in_trial(signed_up, date(2025, 3, 6))


def test_recommended_tier_grows_with_the_use() -> None:
    assert recommended_tier(50) is Tier.FREE
    assert recommended_tier(25_000) is Tier.STARTER
    assert recommended_tier(900_000) is Tier.BUSINESS


def test_plan_is_found_by_name() -> None:
    assert plan_named("starter").tier is Tier.STARTER
