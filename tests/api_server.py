"""A server that behaves like the APIs of GitHub and GitLab where comments are concerned, with faults on demand."""

from __future__ import annotations

import http.server
import json
import re
import threading
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

TOKEN = "ghp_0123456789abcdefSECRET"  # noqa: S105 - made up


@dataclass
class Fault:
    """What the server does instead of answering; `does` says that it obeys all the same."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    does: bool = False


@dataclass
class Seen:
    """A request that came."""

    method: str
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class Api:
    """The state of the server: comments by pull or merge request, who asks, what goes wrong next.

    Attributes:
        faults: by method, what happens to the next requests.
        name: who the token is.
        is_app: whether the token is that of an app, which is no user.
        viewer: what an app is told that it is; None where it is told nothing.
        limit: the most characters of a comment.
    """

    url: str = ""
    threads: dict[int, list[dict[str, Any]]] = field(default_factory=lambda: {7: []})
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    name: str = "ann"
    is_app: bool = False
    viewer: str | None = None
    limit: int = 65_536

    def says(self, body: str, *, author: str = "ann", number: int = 7, **more: Any) -> dict[str, Any]:
        """Put a comment there."""
        made = {
            "id": 1_000 + sum(map(len, self.threads.values())),
            "user": {"login": author},
            "author": {"username": author},
            "body": body,
            "html_url": f"https://github.example/o/r/pull/{number}#x",
            **more,
        }
        self.threads[number].append(made)
        return made

    def bodies(self, number: int = 7) -> list[str]:
        """The texts of the comments."""
        return [one["body"] for one in self.threads[number]]

    def asked(self) -> list[str]:
        """The requests that came, in a few words."""
        return [f"{one.method} {urlsplit(one.path).path}" for one in self.seen]


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers one request."""

    api: Api

    def log_message(self, *_arguments: object) -> None:
        """Print nothing."""

    def handle_one(self) -> None:
        """Answer, after the fault that is due."""
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else None
        self.api.seen.append(Seen(self.command, self.path, dict(self.headers), body))
        faults = self.api.faults.get(self.command, [])
        fault = faults.pop(0) if faults else None
        if fault is None or fault.does:
            answer = self.answer(body)
        if fault is not None:
            answer = (fault.status, fault.body if fault.body is not None else {"message": "oh no"}, fault.headers)
        status, value, headers = answer
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_PUT = handle_one  # noqa: N815 - the names are those of the base class

    def answer(self, body: Any) -> tuple[int, Any, dict[str, str]]:
        """What the real one would say."""
        given = self.headers.get("Authorization", "").removeprefix("Bearer ")
        given = given or self.headers.get("PRIVATE-TOKEN", "") or self.headers.get("JOB-TOKEN", "")
        if given != TOKEN:
            return 401, {"message": "Bad credentials"}, {}
        parts = urlsplit(self.path)
        path = parts.path
        if path.endswith(("/user", "/graphql", "/job")):
            return self.who(path)
        found = re.fullmatch(r"/api/v3/repos/o/r/issues/(\d+)/comments|"
                             r"/api/v4/projects/(?:42|o%2Fr)/merge_requests/(\d+)/notes", path)  # fmt: skip
        if found:
            return self.comments(int(found[1] or found[2]), parse_qs(parts.query), body)
        found = re.fullmatch(r"/api/v3/repos/o/r/issues/comments/(\d+)|.*/merge_requests/7/notes/(\d+)", path)
        if found:
            return self.change(int(found[1] or found[2]), body)
        return 404, {"message": "Not Found"}, {}

    def who(self, path: str) -> tuple[int, Any, dict[str, str]]:
        """Who the token is."""
        api = self.api
        if path.endswith("/graphql"):
            return (200, {"data": {"viewer": {"login": api.viewer}}}, {}) if api.viewer else (403, {}, {})
        if path.endswith("/job"):
            return 200, {"user": {"username": api.name}}, {}
        if api.is_app:
            return 403, {"message": "Resource not accessible by integration"}, {}
        return 200, {"login": api.name, "username": api.name}, {}

    def comments(self, number: int, query: dict[str, list[str]], body: Any) -> tuple[int, Any, dict[str, str]]:
        """The list, or a new one in it."""
        if number not in self.api.threads:
            return 404, {"message": "Not Found"}, {}
        if self.command == "POST":
            if len(body["body"]) > self.api.limit:
                return 422, {"message": "Body is too long (maximum is 65536 characters)"}, {}
            own = self.api.name if not self.api.is_app else self.api.viewer or "github-actions[bot]"
            return 201, self.api.says(body["body"], author=own, number=number), {}
        size, page = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
        items = self.api.threads[number][(page - 1) * size : page * size]
        headers = {}
        if page * size < len(self.api.threads[number]):
            base = f"{self.api.url}{urlsplit(self.path).path}?per_page={size}"
            headers["Link"] = f'<{base}&page={page + 1}>; rel="next", <{base}&page=99>; rel="last"'
        return 200, items, headers

    def change(self, number: int, body: Any) -> tuple[int, Any, dict[str, str]]:
        """A comment written anew."""
        for one in (one for thread in self.api.threads.values() for one in thread):
            if one["id"] == number:
                one["body"] = body["body"]
                return 200, one, {}
        return 404, {"message": "Not Found"}, {}


class Server:
    """An API that listens while the `with` block runs."""

    def __init__(self) -> None:
        self.api = Api()
        handler = type("Bound", (Handler,), {"api": self.api})
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.api.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Api:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self.api

    def __exit__(self, *_what: object) -> None:
        self._server.shutdown()
        self._server.server_close()
