"""Accounts, as the sign-up form sends them and as the service keeps them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from quota_service.plans import Plan, plan_named

MAX_TAG_LENGTH = 24


@dataclass(frozen=True)
class Account:
    email: str
    plan: Plan
    company: str
    country: str = "DE"
    seats: int = 1
    tags: tuple[str, ...] = ()


def normalize_email(raw: str) -> str:
    """One spelling for each address, so that nobody signs up twice."""
    email = raw.strip().lower()
    name, _, domain = email.partition("@")
    if not name or "." not in domain:
        raise ValueError(f"not an e-mail address: {raw!r}")
    return email


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Each tag once, in lower case and in order; the empty and the overlong are dropped."""
    cleaned = [tag.strip().lower() for tag in tags]
    kept = [tag for tag in cleaned if 0 < len(tag) <= MAX_TAG_LENGTH]
    return tuple(sorted(dict.fromkeys(kept)))


def account_from_form(form: Mapping[str, Any]) -> Account:
    """Only the e-mail address is required; everything else has a default."""
    email = normalize_email(form["email"])
    return Account(
        email=email,
        plan=plan_named(form.get("plan", "free")),
        company=form.get("company") or email.partition("@")[2],
        country=form.get("country", "DE").upper(),
        seats=int(form.get("seats", 1)),
        tags=clean_tags(form.get("tags", ())),
    )


def can_add_seat(account: Account) -> bool:
    return 1 <= account.seats < account.plan.max_seats
