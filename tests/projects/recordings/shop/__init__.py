"""Asks a server for what tests have recorded."""
