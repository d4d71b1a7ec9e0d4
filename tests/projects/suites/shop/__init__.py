"""Code for tests of every kind that needs no plugin."""
