"""Code for tests that plugins run."""
