"""Links to lines of the code, where it is known in which repository and at which commit they stand. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

_COMMIT = re.compile(r"[0-9a-fA-F]{7,64}")


@dataclass(frozen=True, slots=True)
class Links:
    """Where the files of a commit are shown.

    Attributes:
        blob: the address below which they are; empty where nothing is known.
        last_line: what comes before the number of the last line.
    """

    blob: str = ""
    last_line: str = "-L"

    def to(self, path: str, line: int, last_line: int) -> str | None:
        """The address of lines of a file; the path is that in the repository. None where there is none."""
        if not self.blob or not path.isprintable() or ".." in path.split("/"):
            return None  # nothing leads out of the repository
        lines = f"#L{line}" + (f"{self.last_line}{last_line}" if last_line > line else "")
        return f"{self.blob}/{quote(path, safe='/')}{lines}"


def github_links(server: str, repository: str, commit: str) -> Links:
    """Links to a repository on GitHub."""
    if not (server and repository and is_commit(commit)):
        return Links()
    return Links(f"{_address(server)}/{quote(repository, safe='/')}/blob/{commit}")


def gitlab_links(project_url: str, commit: str) -> Links:
    """Links to a project on GitLab."""
    if not (project_url and is_commit(commit)):
        return Links()
    return Links(f"{_address(project_url)}/-/blob/{commit}", last_line="-")


def links_from(environment: Mapping[str, str]) -> Links:
    """The links that a CI run of GitHub or GitLab knows of."""
    get = environment.get
    here = github_links(get("GITHUB_SERVER_URL", ""), get("GITHUB_REPOSITORY", ""), get("GITHUB_SHA", ""))
    return here if here.blob else gitlab_links(get("CI_PROJECT_URL", ""), get("CI_COMMIT_SHA", ""))


def is_commit(text: str) -> bool:
    """Whether a text can be the hash of a commit."""
    return _COMMIT.fullmatch(text) is not None


def _address(url: str) -> str:
    """An address of which nothing can end the link that it stands in."""
    parts = urlsplit(url)
    return f"{quote(parts.scheme)}://{quote(parts.netloc, safe=':')}{quote(parts.path.rstrip('/'), safe='/')}"
