"""Plans, quotas and invoices of an API product."""
