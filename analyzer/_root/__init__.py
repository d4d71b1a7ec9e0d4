"""fencepost: would my tests notice? A mutation-aware test-quality analyzer for Python and pytest."""

__version__ = "0.1.0"
