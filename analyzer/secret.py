"""The token of a server: it comes from the environment, and shows itself to that server alone."""

from __future__ import annotations

import re
from collections.abc import Mapping

from fencepost.analyzer.errors import UsageProblem


class Token:
    """A secret that shows itself to the server alone.

    Args:
        text: the token.
        name: of the environment variable that it came from.

    Raises:
        UsageProblem: it cannot be sent; the message does not quote it.
    """

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self._text = text.strip()
        if not re.fullmatch(r"[!-~]+", self._text):
            raise UsageProblem(
                f"{name} holds what no token is", slug="bad-token", hint="it is one word of ASCII letters and digits"
            )

    def __repr__(self) -> str:
        return f"<token of {self.name}>"

    def header(self, form: str) -> str:
        """The value of a header; the token takes the place of `{}`."""
        return form.replace("{}", self._text)

    def hidden(self, text: str) -> str:
        """A text of somebody else, without the token."""
        return text.replace(self._text, "***")


def token_from(environment: Mapping[str, str], names: tuple[str, ...]) -> Token | None:
    """The token in the first of the variables that has one."""
    return next((Token(environment[name], name) for name in names if environment.get(name, "").strip()), None)
