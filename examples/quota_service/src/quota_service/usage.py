"""Counting calls: the rate window, the monthly meter and its alerts."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field

from quota_service.plans import Plan, Tier


class QuotaExceeded(Exception):
    """The plan's included calls are used up and the plan has no overage."""


@dataclass
class RateWindow:
    """A sliding window: at most `limit` calls in any `seconds`."""

    limit: int = 60
    seconds: float = 60.0
    hits: deque[float] = field(default_factory=deque)

    def allow(self, now: float) -> bool:
        while self.hits and now - self.hits[0] >= self.seconds:
            self.hits.popleft()
        if len(self.hits) >= self.limit:
            return False
        self.hits.append(now)
        return True

    def retry_after(self, now: float) -> float:
        """Seconds until the next call is allowed, as sent in the Retry-After header."""
        if len(self.hits) < self.limit:
            return 0.0
        return round(self.hits[0] + self.seconds - now, 1)


class Meter:
    """The calls of one account in the current month."""

    def __init__(self, plan: Plan, used: int = 0) -> None:
        self.plan = plan
        self.used = used
        self.by_endpoint: Counter[str] = Counter()
        self._lock = asyncio.Lock()

    async def record(self, endpoint: str, calls: int = 1) -> int:
        """Count calls and return how many are used; raise when a hard quota would be passed."""
        async with self._lock:
            used = self.used + calls
            if self.plan.tier == Tier.FREE and used > self.plan.included_calls:
                raise QuotaExceeded(f"{used} of {self.plan.included_calls} calls")
            self.used = used
            self.by_endpoint[endpoint.rstrip("/") or "/"] += calls
            return used

    @property
    def percent_used(self) -> float:
        return round(100 * self.used / self.plan.included_calls, 1)


def alert_level(percent: float) -> str:
    """What the dashboard shows beside the meter."""
    if percent >= 100:
        return "over"
    if percent >= 80:
        return "warning"
    return "ok"


def busy_endpoints(counts: Mapping[str, int], minimum: int = 100) -> list[str]:
    """The endpoints worth a line in the monthly summary, in alphabetical order."""
    return sorted(name for name, calls in counts.items() if calls >= minimum)
