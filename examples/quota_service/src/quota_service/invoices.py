"""Invoices: their lines, their due date and what happens when nobody pays."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from quota_service.accounts import Account
from quota_service.pricing import NOTHING, overage, seat_discount, to_cents

GRACE_DAYS = 3


@dataclass(frozen=True)
class Line:
    text: str
    amount: Decimal


@dataclass(frozen=True)
class Invoice:
    account: Account
    issued: date
    lines: tuple[Line, ...]
    terms_days: int = 30

    @property
    def due(self) -> date:
        return self.issued + timedelta(days=self.terms_days)

    def total(self) -> Decimal:
        return sum((line.amount for line in self.lines), NOTHING)


def draw_up(account: Account, calls: int, issued: date) -> Invoice:
    """The invoice of a month, the largest amount first and without lines that cost nothing."""
    fee = account.plan.monthly_fee * account.seats
    lines = [
        Line("Discount", -to_cents(fee * seat_discount(account.seats))),
        Line("Subscription", fee),
        Line("Overage", overage(account.plan, calls)),
    ]
    billed = [line for line in lines if line.amount != 0]
    return Invoice(account, issued, tuple(sorted(billed, key=lambda line: -line.amount)))


def is_overdue(invoice: Invoice, today: date) -> bool:
    """A free invoice is never overdue; the others are when the days of grace are over."""
    return invoice.total() > 0 and (today - invoice.due).days > GRACE_DAYS


def reminder(invoice: Invoice, today: date) -> str | None:
    """Which letter to send today, if any."""
    match (today - invoice.due).days:
        case late if late <= GRACE_DAYS:
            return None
        case late if late < 14:
            return "friendly reminder"
        case late if late < 30:
            return "second reminder"
        case _:
            return "suspension notice"
