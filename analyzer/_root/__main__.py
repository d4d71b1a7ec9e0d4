"""The entry point of the command, also as `python -m fencepost`."""

import sys


def main() -> None:
    """Load the command and run it; Ctrl-C while it is loaded ends it without a traceback."""
    try:
        from fencepost.analyzer import cli  # noqa: PLC0415 - loading it is what may be interrupted
    except KeyboardInterrupt:
        sys.exit(4)
    cli.main()


if __name__ == "__main__":
    main()
