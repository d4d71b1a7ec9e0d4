"""Puts a comment on a pull or merge request: which one, out of what, with which token."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fencepost.analyzer import github, gitlab, store
from fencepost.analyzer.command_options import standard_error, standard_output
from fencepost.analyzer.comment_thread import Thread, put
from fencepost.analyzer.errors import UsageProblem
from fencepost.analyzer.rest import Patience, patience_from
from fencepost.analyzer.secret import token_from
from fencepost.analyzer.settings import find_root
from fencepost.reports._comment import markdown, marker
from fencepost.reports._comment_data import CommentData, comment_data
from fencepost.reports._comment_file import read_comment_data
from fencepost.reports._links import Links, github_links, gitlab_links, is_commit

NAMES = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Options:
    """What the command was told."""

    repository: str | None
    pull: int | None
    server: str | None
    project: str | None
    merge: int | None
    source: str | None
    commit: str | None
    name: str


def post(given: Mapping[str, Any]) -> None:
    """Post the comment that the options ask for, or print it where there is no token.

    Raises:
        UsageProblem: the options name no place, or the server will not have it.
        Unanswered: the server cannot take it now.
    """
    options = _told_by_ci(given, os.environ)
    _check(options)
    data = _data(options)
    links = _links(options, os.environ)
    patience = patience_from(os.environ)
    thread = _thread(options, os.environ, patience)

    def text(before: str | None = None) -> str:
        return markdown(data, links, name=options.name, before=before)

    if thread is None:
        sys.stdout.write(text())
        names = github.TOKENS if options.server is None else gitlab.TOKENS
        standard_error().print(f"not posted, for want of a token: set {' or '.join(names)}", soft_wrap=True)
        return
    what, where = put(thread, marker(options.name), text, patience)
    standard_output().print(f"{what}: {where}", markup=False, soft_wrap=True)


def _data(options: Options) -> CommentData:
    if options.source is not None:
        return read_comment_data(Path(options.source))
    root = find_root(Path.cwd())
    return comment_data(store.load(root), root)


def _check(options: Options) -> None:
    """Whether the options name one place to comment on.

    Raises:
        UsageProblem: they do not.
    """
    if not NAMES.fullmatch(options.name):
        hint = "it is at most 40 small letters, digits and '-'"
        raise UsageProblem("the name of the comment is none", slug="bad-name", hint=hint)
    if options.commit is not None and not is_commit(options.commit):
        raise UsageProblem(
            "--commit is no hash of a commit", slug="bad-commit", hint="as `git rev-parse HEAD` gives it"
        )
    on_github = {"--repo": options.repository, "--pr": options.pull}
    on_gitlab = {"--project": options.project, "--mr": options.merge}
    wanted, others = (on_github, on_gitlab) if options.server is None else (on_gitlab, on_github)
    if any(value is not None for value in others.values()):
        where = "GitLab, with --gitlab" if options.server is None else "GitHub, without --gitlab"
        raise _no_target(f"{' and '.join(others)} are for {where}", wanted)
    missing = [name for name, value in wanted.items() if value is None]
    if missing:
        raise _no_target(f"nothing says where the comment goes: {' and '.join(missing)} missing", wanted)
    if options.repository is not None:
        github.check_repository(options.repository)


def _no_target(what: str, wanted: Iterable[str]) -> UsageProblem:
    return UsageProblem(what, slug="no-target", hint=f"give {' and '.join(wanted)}")


def _told_by_ci(given: Mapping[str, Any], environment: Mapping[str, str]) -> Options:
    """The options, and for those that were not given what the CI job says."""
    options = Options(**given)
    if options.server is None:
        return replace(options, repository=options.repository or environment.get("GITHUB_REPOSITORY") or None)
    here = environment.get("CI_API_V4_URL") or environment.get("CI_SERVER_URL") or gitlab.SERVER
    merge = environment.get("CI_MERGE_REQUEST_IID", "")
    return replace(
        options,
        server=options.server or here,
        project=options.project or environment.get("CI_PROJECT_ID") or None,
        merge=options.merge or (int(merge) if merge.isdecimal() else None),
    )


def _thread(options: Options, environment: Mapping[str, str], patience: Patience) -> Thread | None:
    """Where the comment goes; None without a token."""
    if options.server is None:
        token = token_from(environment, github.TOKENS)
        assert options.repository is not None and options.pull is not None  # noqa: S101, PT018 - `_check` saw to it
        if token is None:
            return None
        return github.GitHubThread(options.repository, options.pull, token, environment, patience)
    # the token of a job is for the server of the job alone
    at_home = gitlab.api_of(options.server) == environment.get("CI_API_V4_URL")
    token = token_from(environment, gitlab.TOKENS if at_home else gitlab.TOKENS[:1])
    assert options.project is not None and options.merge is not None  # noqa: S101, PT018 - the same
    if token is None:
        return None
    return gitlab.GitLabThread(options.server, options.project, options.merge, token, patience)


def _links(options: Options, environment: Mapping[str, str]) -> Links:
    """Links into the repository that the options name, and into no other."""
    get = environment.get
    if options.server is None:
        at_home = options.repository == get("GITHUB_REPOSITORY")
        commit = options.commit or _commit_here(options, get("GITHUB_SHA"), at_home=at_home)
        return github_links(get("GITHUB_SERVER_URL") or github.SERVER, options.repository or "", commit)
    at_home = options.project in {get("CI_PROJECT_ID"), get("CI_PROJECT_PATH")}
    commit = options.commit or _commit_here(options, get("CI_COMMIT_SHA"), at_home=at_home)
    return gitlab_links(get("CI_PROJECT_URL", "") if at_home else "", commit)


def _commit_here(options: Options, commit: str | None, *, at_home: bool) -> str:
    """The commit of this job, where it is the one that was judged: a file comes from another job."""
    return commit if commit and at_home and options.source is None else ""
