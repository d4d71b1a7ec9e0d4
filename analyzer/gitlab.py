"""Everything that knows the API of GitLab."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from fencepost.analyzer.comment_thread import Posted
from fencepost.analyzer.rest import Patience, Refused, Rest, field_of
from fencepost.analyzer.secret import Token

JOB_TOKEN = "CI_JOB_TOKEN"  # noqa: S105 - the name of a variable
TOKENS = ("GITLAB_TOKEN", JOB_TOKEN)
SERVER = "https://gitlab.com"


class GitLabThread:
    """The notes on a merge request.

    Args:
        server: the address of the server, or of its API.
        project: its number, or its path with groups.
        number: of the merge request.
    """

    def __init__(self, server: str, project: str, number: int, token: Token, patience: Patience) -> None:
        self._is_job = token.name == JOB_TOKEN
        header = "JOB-TOKEN" if self._is_job else "PRIVATE-TOKEN"
        self._rest = Rest(api_of(server), token, {header: "{}"}, patience)
        self._notes = f"projects/{quote(project, safe='')}/merge_requests/{number}/notes"

    def own_name(self) -> str:
        """Who the token is."""
        if self._is_job:
            return str(field_of(self._asked("job"), "user", "username"))
        return str(field_of(self._asked("user"), "username"))

    def comments(self) -> Iterator[Posted]:
        """All notes that people and bots wrote, the oldest first."""
        for one in self._rest.all(f"{self._notes}?per_page=100&sort=asc&order_by=created_at"):
            if not one.get("system"):
                author = one.get("author") or {}
                yield Posted(int(one["id"]), str(author.get("username")), str(one.get("body") or ""))

    def create(self, body: str) -> str:
        """Add a note; returns where it is."""
        return self._told("POST", self._notes, body)

    def update(self, comment: Posted, body: str) -> str:
        """Write a note anew; returns where it is."""
        return self._told("PUT", f"{self._notes}/{comment.id}", body)

    def _told(self, method: str, path: str, body: str) -> str:
        try:
            return f"note {field_of(self._rest.send(method, path, {'body': body}), 'id')}"
        except Refused as error:
            raise self._explained(error) from None

    def _asked(self, path: str) -> Any:
        try:
            return self._rest.get(path)
        except Refused as error:
            raise self._explained(error) from None

    def _explained(self, error: Refused) -> Refused:
        """The same; where the token of a job was refused, with what helps."""
        if not self._is_job or error.status not in {401, 403, 404}:
            return error
        hint = "the token of a job may write no notes on most servers: put a project access token into GITLAB_TOKEN"
        return Refused(str(error), slug=error.slug, hint=hint, status=error.status)


def api_of(server: str) -> str:
    """The address of the API of a server."""
    plain = server.rstrip("/")
    return plain if plain.endswith("/api/v4") else f"{plain}/api/v4"
