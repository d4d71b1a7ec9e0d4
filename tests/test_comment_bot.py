"""The bot against a server like those of GitHub and GitLab: one comment, written anew, whatever goes wrong."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.api_server import TOKEN, Api, Fault, Server
from tests.conftest import Command
from tests.rendered import Page, check_that_nothing_is_obeyed

SHOP = "def price(amount):\n    if amount >= 10:\n        return amount * 9\n    return amount * 10\n"
TESTS = "from shop import price\n\n\ndef test_prices():\n    assert (price(20), price(1)) == (180, 10)\n"
OLD = "<!-- fencepost:report -->\n<!-- fencepost-open: gate FP101-0123456789 -->\nold"
Bot = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module", name="shop")
def _shop(tmp_path_factory: pytest.TempPathFactory, fencepost: Command) -> Path:
    """A repository whose branch brings a threshold that no test stands on, judged by the gate."""
    folder = tmp_path_factory.mktemp("shop")
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\npythonpath = ['.']\n")
    (folder / "test_shop.py").write_text(TESTS)
    identity = ("-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false")
    git = ("git", *identity)
    for command in (("init", "-q", "-b", "main"), ("add", "--all"), ("commit", "-q", "-m", "a step")):
        subprocess.run([*git, *command], cwd=folder, check=True)
    (folder / "shop.py").write_text(SHOP)
    done = fencepost("gate", "--base", "main", "-o", "comment-data:data.json", "-o", "comment:comment.md", cwd=folder)
    assert done.returncode == 1, done.stdout + done.stderr
    return folder


@pytest.fixture(name="api")
def _api() -> Iterator[Api]:
    with Server() as api:
        yield api


@pytest.fixture(name="bot")
def _bot(api: Api, shop: Path, fencepost: Command, monkeypatch: pytest.MonkeyPatch) -> Bot:
    """Runs `fencepost comment` with a token, on pull request 7 where no other place is given."""
    for name in [one for one in os.environ if one.startswith(("GITHUB_", "GITLAB_", "CI_", "FENCEPOST_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    monkeypatch.setenv("GITHUB_API_URL", f"{api.url}/api/v3")
    monkeypatch.setenv("FENCEPOST_RETRY_SECONDS", "0.01")

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        done = fencepost("comment", *(arguments or ("--repo", "o/r", "--pr", "7")), cwd=shop)
        assert "SECRET" not in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run


def told(done: subprocess.CompletedProcess[str], slug: str, code: int = 2) -> str:
    """What it says where it refuses."""
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert f"error[{slug}]: " in done.stderr
    assert "\n  hint: " in done.stderr
    return done.stderr


# create, and update in place


def test_the_first_time_the_comment_is_created(api: Api, bot: Bot) -> None:
    done = bot()
    assert (done.returncode, done.stdout) == (0, "created: https://github.example/o/r/pull/7#x\n"), done.stderr
    (body,) = api.bodies()
    assert body.startswith("<!-- fencepost:report -->\n")
    assert "\n**fencepost: gate failed**: 3 mutants on changed lines that no test notices\n" in body
    assert "| `shop.py:2` | `amount >= 10` → `amount > 10` |" in body


def test_the_second_time_it_is_written_anew_in_its_place(api: Api, bot: Bot) -> None:
    api.says("first!", author="bob")
    api.says(OLD)
    api.says("a word of mine, by hand")
    done = bot()
    assert done.stdout.startswith("updated: ")
    first, body, last = api.bodies()
    assert (first, last) == ("first!", "a word of mine, by hand")
    assert "gate failed" in body
    assert "- not among the gaps any more since this comment was last written: `FP101-0123456789`" in body
    again = bot()
    assert again.stdout.startswith("updated: ")
    assert len(api.bodies()) == 3
    assert "not among the gaps" not in api.bodies()[1]


def test_a_comment_of_somebody_else_with_our_marker_is_left_alone(api: Api, bot: Bot) -> None:
    api.says(OLD, author="mallory")
    api.says(OLD, user=None)
    assert bot().stdout.startswith("created: ")
    assert api.bodies()[:2] == [OLD, OLD]


def test_each_name_has_a_comment_of_its_own(api: Api, bot: Bot) -> None:
    bot("--repo", "o/r", "--pr", "7", "--name", "shop-api")
    bot()
    bot("--repo", "o/r", "--pr", "7", "--name", "shop-api")
    assert [body.splitlines()[0] for body in api.bodies()] == [
        "<!-- fencepost:shop-api -->",
        "<!-- fencepost:report -->",
    ]


def test_ours_is_found_behind_three_hundred_others(api: Api, bot: Bot) -> None:
    for number in range(300):
        api.says(f"comment {number}", author="bob")
    api.says(OLD)
    assert bot().stdout.startswith("updated: ")
    assert len(api.bodies()) == 301
    assert len([one for one in api.asked() if one == "GET /api/v3/repos/o/r/issues/7/comments"]) == 4


@pytest.mark.parametrize(("viewer", "own"), [("shop-bot[bot]", "shop-bot[bot]"), ("shop-bot", "shop-bot[bot]")])
def test_an_app_finds_its_own_comment(viewer: str, own: str, api: Api, bot: Bot) -> None:
    api.is_app, api.viewer = True, viewer
    api.says(OLD, author="github-actions[bot]")
    api.says(OLD, author=own)
    assert bot().stdout.startswith("updated: ")
    assert api.bodies()[0] == OLD
    assert "POST /api/graphql" in api.asked()


def test_the_token_of_a_workflow_is_that_of_its_bot(api: Api, bot: Bot) -> None:
    api.is_app = True
    api.says(OLD, author="github-actions[bot]")
    assert bot().stdout.startswith("updated: ")


def test_links_lead_to_the_commit_of_this_run(api: Api, bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "o/r")
    monkeypatch.setenv("GITHUB_SHA", "a" * 40)
    bot("--pr", "7")
    assert f"[`shop.py:2`](https://github.com/o/r/blob/{'a' * 40}/shop.py#L2)" in api.bodies()[0]


# without a token, and in the wrong place


def test_without_a_token_it_prints_what_it_would_post(
    api: Api, bot: Bot, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_TOKEN")
    done = bot()
    assert (done.returncode, done.stdout) == (0, (shop / "comment.md").read_text())
    assert done.stderr == "not posted, for want of a token: set GITHUB_TOKEN\n"
    assert api.seen == []


@pytest.mark.parametrize(
    ("arguments", "slug"),
    [
        (["--repo", "o/r"], "no-target"),
        (["--pr", "7"], "no-target"),
        (["--repo", "o/r", "--pr", "7", "--mr", "7"], "no-target"),
        (["--gitlab", "--project", "42"], "no-target"),
        (["--gitlab", "--repo", "o/r", "--pr", "7"], "no-target"),
        (["--repo", "o/r/../x", "--pr", "7"], "bad-repository"),
        (["--repo", "..", "--pr", "7"], "bad-repository"),
        (["--repo", "o/..", "--pr", "7"], "bad-repository"),
        (["--repo", "o/r", "--pr", "7", "--commit", "main"], "bad-commit"),
        (["--repo", "o/r", "--pr", "7", "--name", "x -->"], "bad-name"),
    ],
)
def test_options_that_name_no_place_are_refused(arguments: list[str], slug: str, api: Api, bot: Bot) -> None:
    told(bot(*arguments), slug)
    assert api.seen == []


@pytest.mark.parametrize(
    ("variable", "value", "slug"),
    [
        ("GITHUB_TOKEN", "abcSECRET\r\nX-Evil: 1", "bad-token"),
        ("GITHUB_TOKEN", "SECRETé", "bad-token"),
        ("GITHUB_API_URL", "http://api.example", "bad-address"),
        ("GITHUB_API_URL", "https://user:pw@api.example", "bad-address"),
        ("GITHUB_API_URL", "file:///etc", "bad-address"),
        ("FENCEPOST_RETRY_SECONDS", "soon", "bad-retry"),
    ],
)
def test_an_environment_that_cannot_be_meant_is_refused(
    variable: str, value: str, slug: str, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    told(bot(), slug)


# what the server will not do


def test_an_unknown_token_is_told_and_not_named(api: Api, bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", "anotherSECRET")
    message = told(bot(), "bad-token")
    assert "127.0.0.1 does not accept GITHUB_TOKEN: Bad credentials" in message
    assert len(api.seen) == 1


def test_a_token_that_may_not_write_is_told_of_the_way_for_forks(api: Api, bot: Bot) -> None:
    api.faults["POST"] = [Fault(403, body={"message": "Resource not accessible by integration"})]
    message = told(bot(), "not-allowed")
    assert "does not allow this to GITHUB_TOKEN: Resource not accessible by integration" in message
    assert "comment --from" in message


def test_a_pull_request_that_is_not_there_is_told(bot: Bot) -> None:
    assert "does not find it: Not Found" in told(bot("--repo", "o/r", "--pr", "8"), "not-found")


def test_what_the_server_says_spoils_no_log_and_tells_no_token(api: Api, bot: Bot) -> None:
    api.faults["POST"] = [Fault(422, body={"message": f"{TOKEN} is wrong\n::error::x\x1b[31m" + "x" * 9_999})]
    message = told(bot(), "refused")
    assert "answers 422: *** is wrong ::error::x?[31mxxx" in message
    assert "\n::error" not in message
    assert len(message) < 500


@pytest.mark.parametrize("body", [b"<html>", b"[" * 100_000, {"no": "list"}, []])
def test_an_answer_that_is_none_is_told(body: Any, api: Api, bot: Bot) -> None:
    api.faults["GET"] = [Fault(200, body=body)]
    told(bot(), "bad-answer")


# what the server cannot do now


def test_a_busy_server_is_given_the_time_that_it_asks_for(api: Api, bot: Bot) -> None:
    api.faults["POST"] = [Fault(429, {"Retry-After": "1"})]
    started = time.monotonic()
    assert bot().stdout.startswith("created: ")
    assert time.monotonic() - started >= 1
    assert len(api.bodies()) == 1


def test_a_limit_of_requests_is_waited_for_until_it_is_reset(api: Api, bot: Bot) -> None:
    reset = int(time.time()) + 2
    api.faults["GET"] = [Fault(403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset)})]
    assert bot().stdout.startswith("created: ")
    assert time.time() >= reset


@pytest.mark.parametrize("after", ["3600", "Fri, 01 Jan 2100 00:00:00 GMT"])
def test_a_server_that_asks_for_too_long_a_wait_is_not_waited_for(after: str, api: Api, bot: Bot) -> None:
    api.faults["POST"] = [Fault(429, {"Retry-After": after})]
    assert "asks to wait" in told(bot(), "rate-limited", code=4)
    assert api.bodies() == []


def test_who_writes_too_much_waits_a_minute(api: Api, bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FENCEPOST_RETRY_LONGEST", "59")
    api.faults["POST"] = [Fault(403, body={"message": "You have exceeded a secondary rate limit."})]
    assert "asks to wait 60 seconds" in told(bot(), "rate-limited", code=4)


def test_a_server_that_fails_three_times_is_asked_a_fourth_time(api: Api, bot: Bot) -> None:
    api.faults = {"GET": [Fault(500)] * 3, "POST": [Fault(500)] * 3}
    assert bot().stdout.startswith("created: ")
    api.faults = {"PATCH": [Fault(500)] * 3}
    assert bot().stdout.startswith("updated: ")
    assert len(api.bodies()) == 1


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_server_that_only_fails_is_given_up(method: str, api: Api, bot: Bot) -> None:
    api.faults[method] = [Fault(503, body=b"<html>")] * 99
    assert "127.0.0.1 answers 503" in told(bot(), "server-busy", code=4)
    assert sum(one.method == method for one in api.seen) == 5


def test_a_comment_that_was_made_although_the_server_failed_is_not_made_twice(api: Api, bot: Bot) -> None:
    api.faults["POST"] = [Fault(502, does=True)]
    assert bot().stdout.startswith("updated: ")
    assert len(api.bodies()) == 1


def test_a_server_that_is_not_there_is_told(bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    with Server() as gone:
        pass
    monkeypatch.setenv("GITHUB_API_URL", gone.url)
    assert "127.0.0.1 cannot be reached" in told(bot(), "no-server", code=4)


# where the token goes


@pytest.mark.parametrize("status", [301, 302, 307, 308])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_other_server_gets_the_token(status: int, method: str, api: Api, bot: Bot) -> None:
    with Server() as other:
        api.faults[method] = [Fault(status, {"Location": f"{other.url}/api/v3/user"})]
        assert "another one (127.0.0.1), which gets no token" in told(bot(), "redirected")
        assert other.seen == []


def test_the_next_page_is_on_the_same_server(api: Api, bot: Bot) -> None:
    with Server() as other:
        link = f'<{other.url}/api/v3/repos/o/r/issues/7/comments?page=2>; rel="next"'
        # the first thing that is asked is who we are
        api.faults["GET"] = [Fault(200, body={"login": "ann"}), Fault(200, {"Link": link}, body=[])]
        told(bot(), "redirected")
        assert other.seen == []


def test_a_repository_that_was_renamed_is_followed_on_its_server(api: Api, bot: Bot) -> None:
    new = f"{api.url}/api/v3/repos/o/r/issues/7/comments"
    api.faults["POST"] = [Fault(307, {"Location": new})]
    assert bot().stdout.startswith("created: ")
    assert len(api.bodies()) == 1


def test_a_server_that_sends_us_in_circles_is_left(api: Api, bot: Bot) -> None:
    api.faults["GET"] = [Fault(302, {"Location": "/api/v3/user"})] * 99
    assert "in circles" in told(bot(), "redirected")


# two stages, for forks


def test_the_file_of_a_fork_makes_the_comment_of_the_gate(api: Api, bot: Bot, shop: Path) -> None:
    done = bot("--repo", "o/r", "--pr", "7", "--from", "data.json", "--commit", "b" * 40)
    assert done.stdout.startswith("created: "), done.stderr
    (body,) = api.bodies()
    link = f"[`shop.py:2`](https://github.com/o/r/blob/{'b' * 40}/shop.py#L2)"
    assert body.replace(link, "`shop.py:2`") == (shop / "comment.md").read_text()


def test_the_commit_of_the_second_workflow_is_not_that_of_the_file(
    api: Api, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "o/r")
    monkeypatch.setenv("GITHUB_SHA", "c" * 40)
    bot("--pr", "7", "--from", "data.json")
    assert "https://" not in api.bodies()[0]


def test_a_hostile_file_is_shown_and_not_obeyed(api: Api, bot: Bot, shop: Path, tmp_path: Path) -> None:
    data = json.loads((shop / "data.json").read_text())
    evil = "@octocat #1 [x](https://evil.example) <img src=//evil.example> ``` --> /close\n/close\n<!-- fencepost:x"
    entry = data["entries"][0]
    entry.update(path="a](https://evil.example)`|/b.py", do=evil, input=evil, rule=evil[:100], change=[evil[:150]] * 2)
    entry["diffs"][0]["lines"] = ["```", "@octocat", "</details>", evil]
    data["entries"] = [entry]
    data.update(scope=evil, reasons=[evil], notes=[evil], closed=[{"id": "x", "place": evil, "test": evil}])
    (tmp_path / "evil.json").write_text(json.dumps(data))
    done = bot("--repo", "o/r", "--pr", "7", "--from", str(tmp_path / "evil.json"), "--commit", "b" * 40)
    assert done.returncode == 0, done.stderr
    (body,) = api.bodies()
    page = Page(body)
    check_that_nothing_is_obeyed(body, page)
    assert page.links() == [f"https://github.com/o/r/blob/{'b' * 40}/a%5D%28https%3A//evil.example%29%60%7C/b.py#L2"]
    assert (page.count("table"), page.count("tr"), page.count("td")) == (1, 2, 4)
    assert set(api.threads) == {7}


@pytest.mark.parametrize(
    "change",
    [
        {"pr": 8},
        {"repo": "evil/evil"},
        {"outcome": "great"},
        {"entries": None},
        {"folder": "../"},
        {"open": ["x -->"]},
        {"reasons": ["x" * 1_001]},
        {"more": True},
        {"schema": "fencepost-comment/2"},
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_refused(
    change: dict[str, Any], api: Api, bot: Bot, shop: Path, tmp_path: Path
) -> None:
    data = {**json.loads((shop / "data.json").read_text()), **change}
    (tmp_path / "evil.json").write_text(json.dumps(data))
    told(bot("--repo", "o/r", "--pr", "7", "--from", str(tmp_path / "evil.json")), "bad-comment-data")
    assert api.seen == []


def test_the_file_does_not_say_which_pull_request_it_is_for(bot: Bot) -> None:
    told(bot("--repo", "o/r", "--from", "data.json"), "no-target")


def test_a_file_of_secrets_is_not_told(bot: Bot, tmp_path: Path) -> None:
    (tmp_path / "evil.json").symlink_to("/proc/self/environ")
    done = bot("--repo", "o/r", "--pr", "7", "--from", str(tmp_path / "evil.json"))
    told(done, "bad-comment-data")


# GitLab


@pytest.fixture(name="on_gitlab")
def _on_gitlab(api: Api, monkeypatch: pytest.MonkeyPatch, bot: Bot) -> Bot:
    monkeypatch.delenv("GITHUB_TOKEN")
    monkeypatch.setenv("GITLAB_TOKEN", TOKEN)
    return lambda *arguments: bot("--gitlab", api.url, "--project", "42", "--mr", "7", *arguments)


def test_on_gitlab_a_note_is_created_and_then_written_anew(api: Api, on_gitlab: Bot) -> None:
    api.says(OLD, system=True)
    api.says(OLD, author="mallory")
    for number in range(250):
        api.says(f"note {number}", author="bob")
    assert on_gitlab().stdout == "created: note 1252\n"
    done = on_gitlab()
    assert done.stdout == "updated: note 1252\n", done.stderr
    assert len(api.bodies()) == 253
    assert api.bodies()[:2] == [OLD, OLD]


def test_on_gitlab_a_project_goes_by_its_path_too(api: Api, bot: Bot, on_gitlab: Bot) -> None:
    assert on_gitlab().returncode == 0
    done = bot("--gitlab", f"{api.url}/api/v4", "--project", "o/r", "--mr", "7")
    assert done.stdout.startswith("updated: "), done.stderr


@pytest.mark.parametrize(("status", "slug"), [(401, "bad-token"), (403, "not-allowed"), (404, "not-found")])
def test_on_gitlab_a_refusal_is_told(status: int, slug: str, api: Api, on_gitlab: Bot) -> None:
    api.faults["POST"] = [Fault(status, body={"message": f"{status} no"})]
    assert f": {status} no" in told(on_gitlab(), slug)


def test_on_gitlab_everything_else_comes_from_the_job(api: Api, bot: Bot, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "CI_API_V4_URL": f"{api.url}/api/v4",
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_PROJECT_URL": "https://git.example/o/r",
        "CI_COMMIT_SHA": "d" * 40,
        "CI_JOB_TOKEN": TOKEN,
    }.items():
        monkeypatch.setenv(name, value)
    assert bot("--gitlab").stdout.startswith("created: ")
    assert bot("--gitlab").stdout.startswith("updated: ")
    assert {one.headers.get("JOB-TOKEN") or one.headers.get("Job-Token") for one in api.seen} == {TOKEN}
    assert f"(https://git.example/o/r/-/blob/{'d' * 40}/shop.py#L2)" in api.bodies()[0]
    api.faults["GET"] = [Fault(401)]
    assert "GITLAB_TOKEN" in told(bot("--gitlab"), "bad-token")


def test_the_token_of_a_job_goes_to_the_server_of_the_job_alone(
    api: Api, bot: Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI_API_V4_URL", "https://git.example/api/v4")
    monkeypatch.setenv("CI_JOB_TOKEN", TOKEN)
    done = bot("--gitlab", api.url, "--project", "42", "--mr", "7")
    assert (done.returncode, api.seen) == (0, [])
    assert "not posted, for want of a token: set GITLAB_TOKEN" in done.stderr
