"""Everything that knows the API of GitHub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from fencepost.analyzer.comment_thread import Posted
from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.rest import Patience, Refused, Rest, field_of
from fencepost.analyzer.secret import Token

TOKENS = ("GITHUB_TOKEN",)
SERVER = "https://github.com"
API = "https://api.github.com"
ACTIONS = "github-actions[bot]"  # who the token of a workflow is
_REPOSITORY = re.compile(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+")
_HEADERS = {
    "Authorization": "Bearer {}",
    "Accept": "application/vnd.github+json",
    "X-GitHub-Api-Version": "2022-11-28",
}


def check_repository(name: str) -> None:
    """Whether a name can be that of a repository.

    Raises:
        UsageProblem: it cannot.
    """
    if not _REPOSITORY.fullmatch(name) or {".", ".."} & set(name.split("/")):
        raise UsageProblem(f"'{name}' is no repository", slug="bad-repository", hint="it is OWNER/NAME")


class GitHubThread:
    """The comments on a pull request.

    Args:
        repository: `OWNER/NAME`.
        number: of the pull request.
        environment: may name another server, in `GITHUB_API_URL`.
    """

    def __init__(
        self, repository: str, number: int, token: Token, environment: Mapping[str, str], patience: Patience
    ) -> None:
        base = (environment.get("GITHUB_API_URL") or API).rstrip("/")
        self._rest = Rest(base, token, _HEADERS, patience)
        # https://HOST/api/v3 has it at https://HOST/api/graphql, api.github.com beside the rest
        self._graphql = Rest(base.removesuffix("/v3"), token, _HEADERS, patience)
        self._issues = f"repos/{repository}/issues"
        self._comments = f"{self._issues}/{number}/comments"

    def own_name(self) -> str:
        """Who the token is: a person, or the bot of an app."""
        try:
            return str(field_of(self._rest.get("user"), "login"))
        except Refused as error:
            if error.status != 403:
                raise
        try:  # an app is no user, but a viewer
            viewer = self._graphql.send("POST", "graphql", {"query": "{viewer{login}}"})
            return f"{field_of(viewer, 'data', 'viewer', 'login')}".removesuffix("[bot]") + "[bot]"
        except Refused:
            return ACTIONS

    def comments(self) -> Iterator[Posted]:
        """All comments, the oldest first."""
        for one in self._rest.all(f"{self._comments}?per_page=100"):
            user = one.get("user") or {}  # of an account that is gone there is none
            yield Posted(int(one["id"]), str(user.get("login")), str(one.get("body") or ""))

    def create(self, body: str) -> str:
        """Add a comment; returns its address."""
        return str(field_of(self._rest.send("POST", self._comments, {"body": body}), "html_url"))

    def update(self, comment: Posted, body: str) -> str:
        """Write a comment anew; returns its address."""
        value = self._rest.send("PATCH", f"{self._issues}/comments/{comment.id}", {"body": body})
        return str(field_of(value, "html_url"))
