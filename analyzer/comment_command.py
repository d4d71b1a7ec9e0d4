"""The options of the command that puts a comment on a pull or merge request."""

from __future__ import annotations

from typing import Any

import click


@click.command()
@click.option("--repo", "repository", metavar="OWNER/NAME", help="The repository on GitHub.")
@click.option("--pr", "pull", type=click.IntRange(min=1), metavar="N", help="The number of the pull request.")
@click.option(
    "--gitlab", "server", metavar="[URL]", is_flag=False, flag_value="",
    help="On GitLab: its address. Default: that of the CI job, else gitlab.com.",
)  # fmt: skip
@click.option("--project", metavar="ID", help="Number or path of the project on GitLab. Default: that of the CI job.")
@click.option("--mr", "merge", type=click.IntRange(min=1), metavar="N", help="The number of the merge request.")
@click.option(
    "--from", "source", metavar="FILE", help="Comment what `-o comment-data:FILE` wrote, instead of the last run."
)
@click.option("--commit", metavar="SHA", help="Link to the code of this commit. Default: that of the CI run.")
@click.option("--name", default="report", show_default=True, help="One comment for each name: for several projects.")
def comment(**given: Any) -> None:
    r"""Put the result of the last run on a pull or merge request: one comment, written anew each time.

    The token comes from the environment: GITHUB_TOKEN, or GITLAB_TOKEN or CI_JOB_TOKEN. Without one the comment is
    printed. For pull requests of forks, whose runs get no token that may write, `fencepost gate -o comment-data:FILE`
    in the run of the fork writes FILE, and a second workflow posts it with --from; nothing in FILE is trusted.

    \b
    fencepost comment --repo OWNER/NAME --pr 7
    fencepost comment --repo OWNER/NAME --pr 7 --from comment.json --commit SHA
    fencepost comment --gitlab --project 42 --mr 7
    """
    from fencepost.analyzer.comment_posting import post

    post(given)
