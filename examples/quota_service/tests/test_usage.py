import asyncio

import pytest

from quota_service.plans import FREE_CALLS, PLANS, Tier
from quota_service.usage import Meter, QuotaExceeded, RateWindow, alert_level, busy_endpoints


def test_window_slides() -> None:
    window = RateWindow(limit=2, seconds=10.0)
    assert window.allow(100.0)
    assert window.allow(101.0)
    assert not window.allow(109.9)
    assert window.allow(110.0)


def test_retry_after_is_given() -> None:
    window = RateWindow(limit=1, seconds=10.0)
    window.allow(100.0)
    assert window.retry_after(103.14) is not None


def test_free_quota_is_a_hard_stop() -> None:
    meter = Meter(PLANS[Tier.FREE], used=FREE_CALLS - 1)
    assert asyncio.run(meter.record("/search")) == FREE_CALLS
    with pytest.raises(QuotaExceeded, match="1001 of 1000"):
        asyncio.run(meter.record("/search"))
    assert meter.used == FREE_CALLS


def test_percent_used_has_one_decimal() -> None:
    assert Meter(PLANS[Tier.STARTER], used=12_345).percent_used == 12.3


def test_alert_levels() -> None:
    assert alert_level(20.0) == "ok"
    assert alert_level(90.5) == "warning"
    assert alert_level(140.0) == "over"


def test_busy_endpoints() -> None:
    assert busy_endpoints({"/export": 740, "/search": 12_000, "/status": 3}) == ["/export", "/search"]
