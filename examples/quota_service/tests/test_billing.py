from datetime import date
from decimal import Decimal

from quota_service.accounts import Account, account_from_form, can_add_seat, clean_tags, normalize_email
from quota_service.invoices import Invoice, Line, draw_up, is_overdue
from quota_service.plans import PLANS, Tier

STARTER = PLANS[Tier.STARTER]
ADA = Account("ada@example.com", STARTER, "Example Ltd", seats=2)


def test_email_has_one_spelling() -> None:
    assert normalize_email("  Ada@Example.COM\n") == "ada@example.com"


def test_tags_are_cleaned() -> None:
    assert clean_tags(["beta", "internal", "pilot"]) == ("beta", "internal", "pilot")


def test_account_from_form() -> None:
    account = account_from_form({"email": "ada@example.com", "country": "at", "tags": ["VIP", "vip "]})
    assert account is not None
    assert account.email == "ada@example.com"


def test_seats_can_be_added_up_to_the_plan() -> None:
    assert can_add_seat(Account("a@example.com", STARTER, "A", seats=4))
    assert not can_add_seat(Account("b@example.com", STARTER, "B", seats=5))


def test_invoice_has_a_line_for_each_charge() -> None:
    invoice = draw_up(ADA, calls=350_000, issued=date(2025, 3, 1))
    assert len(invoice.lines) == 2


def test_invoice_is_overdue_after_the_days_of_grace() -> None:
    invoice = Invoice(ADA, date(2025, 3, 1), (Line("Subscription", Decimal("58.00")),))
    assert invoice.due == date(2025, 3, 31)
    assert not is_overdue(invoice, date(2025, 4, 3))
    assert is_overdue(invoice, date(2025, 4, 4))
