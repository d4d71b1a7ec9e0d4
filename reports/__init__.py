"""The reporters: one output format a file."""
