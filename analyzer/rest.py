"""JSON over HTTP for one server: patient with a busy one, and careful with the token, which goes nowhere else."""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import json
import re
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from typing import Any
from urllib.parse import urljoin, urlsplit

import fencepost
from fencepost.analyzer.errors import ExitCode, FencepostError, UsageProblem
from fencepost.analyzer.excerpt import shorten
from fencepost.analyzer.secret import Token

LARGEST = 30_000_000  # bytes of one answer: 100 comments of the greatest length, and more
SECONDS = 30  # until an answer has begun
REDIRECTS = 5  # in a row
PAGES = 200  # of one list
SECONDARY = b"secondary rate limit"  # what GitHub says where too much is written in a short time
MINUTE = 60.0  # how long it wants to be left alone then, where it does not say
BUSY = frozenset({429, 500, 502, 503, 504})
_NEXT = re.compile(r'<([^>]*)>\s*;[^,]*\brel="?next"?')


class Refused(UsageProblem):
    """The server will not do it, and will not if it is asked again."""

    def __init__(self, message: str, *, slug: str, hint: str, status: int = 0) -> None:
        super().__init__(message, slug=slug, hint=hint)
        self.status = status


class Unanswered(FencepostError):
    """The server could not be reached, or could not answer; it may have done what it was asked for."""

    exit_code = ExitCode.INCOMPLETE


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to go on asking.

    Attributes:
        first: seconds before the second try; twice as many before the third, and so on.
        longest: seconds that one wait may take at most, also where the server asks for more.
        tries: how often to try.
    """

    first: float = 1.0
    longest: float = 120.0
    tries: int = 5

    def waits(self) -> Iterator[float]:
        """How long to wait before each further try."""
        return (min(self.longest, self.first * 2**number) for number in range(self.tries - 1))


def patience_from(environment: Mapping[str, str]) -> Patience:
    """The patience that `FENCEPOST_RETRY_SECONDS` and `FENCEPOST_RETRY_LONGEST` ask for.

    Raises:
        UsageProblem: one is no number of seconds.
    """
    usual = Patience()
    first = _seconds(environment, "FENCEPOST_RETRY_SECONDS", usual.first)
    return Patience(first, _seconds(environment, "FENCEPOST_RETRY_LONGEST", usual.longest))


def _seconds(environment: Mapping[str, str], name: str, usual: float) -> float:
    text = environment.get(name, "")
    if not text:
        return usual
    if not re.fullmatch(r"\d{1,5}(\.\d{1,6})?", text):
        raise UsageProblem(f"{name} is no number of seconds", slug="bad-retry", hint="leave it out, or set it to 1")
    return float(text)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Redirects are looked at before they are followed."""

    def redirect_request(self, *_arguments: Any, **_named: Any) -> None:
        return None


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Message[str, str]
    body: bytes


class Rest:
    """A server with a REST interface.

    Args:
        base: the address that all paths begin at.
        token: who asks.
        headers: of each request; `{}` in one is the token.
        patience: with a server that is busy.

    Raises:
        UsageProblem: the address is none that a token may be sent to.
    """

    def __init__(self, base: str, token: Token, headers: Mapping[str, str], patience: Patience) -> None:
        self._base, self._token, self._headers, self._patience = base.rstrip("/"), token, headers, patience
        _check_address(self._base)
        self._opener = urllib.request.build_opener(_NoRedirect)

    def get(self, path: str) -> Any:
        """What is at a path.

        Raises:
            Refused: the server does not give it.
            Unanswered: it cannot, although it was asked several times.
        """
        return self._value(self._asked("GET", self._url(path), None))

    def all(self, path: str) -> Iterator[Any]:
        """The items of a list, page by page."""
        url: str | None = self._url(path)
        for _ in range(PAGES):
            if url is None:
                return
            answer = self._asked("GET", url, None)
            items = self._value(answer)
            if not isinstance(items, list):
                raise self._refused(answer, "the server gives no list", "bad-answer", "is the address that of its API?")
            yield from items
            found = _NEXT.search(answer.headers.get("Link", ""))
            url = self._followed(url, found[1]) if found else None

    def send(self, method: str, path: str, value: Any) -> Any:
        """Give something to the server, and return its answer.

        What makes something new (POST) is not asked for again where the server may have made it.
        """
        return self._value(self._asked(method, self._url(path), json.dumps(value).encode()))

    def _url(self, path: str) -> str:
        return f"{self._base}/{path.lstrip('/')}"

    def _asked(self, method: str, url: str, body: bytes | None) -> _Answer:
        """The answer of a server that is given time."""
        for wait in (*self._patience.waits(), None):
            try:
                answer = self._opened(method, url, body)
            except (OSError, http.client.HTTPException) as error:
                if wait is None or method == "POST":
                    raise self._unreached(error) from None
                time.sleep(wait)
                continue
            if not _is_busy(answer):
                return self._checked(answer)
            if wait is None or (method == "POST" and answer.status not in {403, 429}):
                raise self._busy(answer)
            time.sleep(self._asked_for(answer, wait))
        raise AssertionError("the last try returns or raises")

    def _opened(self, method: str, url: str, body: bytes | None) -> _Answer:
        for _ in range(REDIRECTS):
            answer = self._once(method, url, body)
            if answer.status not in {301, 302, 307, 308}:
                return answer
            url = self._followed(url, answer.headers.get("Location", ""))
        raise Refused("the server sends us in circles", slug="redirected", hint="is the address that of its API?")

    def _followed(self, url: str, location: str) -> str:
        """Where the server sends us, unless it is another server."""
        target = urljoin(url, location)
        if _origin(target) != _origin(self._base):
            raise Refused(
                f"the server sends us on to another one ({self._shown(_host(target))}), which gets no token",
                slug="redirected", hint="is the address that of its API?",
            )  # fmt: skip
        return target

    def _once(self, method: str, url: str, body: bytes | None) -> _Answer:
        request = urllib.request.Request(url, data=body, method=method)  # noqa: S310 - the address was checked
        request.add_header("User-Agent", f"fencepost/{fencepost.__version__}")
        request.add_header("Content-Type", "application/json")
        for name, form in self._headers.items():
            request.add_unredirected_header(name, self._token.header(form))
        try:
            with self._opener.open(request, timeout=SECONDS) as response:
                return _Answer(response.status, response.headers, response.read(LARGEST + 1))
        except urllib.error.HTTPError as error:
            with error:
                return _Answer(error.code, error.headers, error.read(LARGEST + 1))

    def _asked_for(self, answer: _Answer, usual: float) -> float:
        """How long the server asks us to wait, at least as long as we would.

        Raises:
            Unanswered: longer than our patience.
        """
        wait = max(usual, _retry_after(answer.headers) or (MINUTE if SECONDARY in answer.body else 0))
        if wait > self._patience.longest:
            raise Unanswered(
                f"{_host(self._base)} asks to wait {wait:.0f} seconds", slug="rate-limited",
                hint="run it again later; FENCEPOST_RETRY_LONGEST sets how many seconds it waits at most",
            )  # fmt: skip
        return wait

    def _checked(self, answer: _Answer) -> _Answer:
        if answer.status < 300:
            return answer
        name = self._token.name
        match answer.status:
            case 401:
                raise self._refused(
                    answer, f"does not accept {name}", "bad-token", "is it of this server, and has it not expired?"
                )
            case 403:
                hint = "it needs to write to pull or merge requests; of a fork's it never may: see `comment --from`"
                raise self._refused(answer, f"does not allow this to {name}", "not-allowed", hint)
            case 404:
                hint = f"are repository and number right, and may {name} see them?"
                raise self._refused(answer, "does not find it", "not-found", hint)
            case _:
                hint = "is the address that of its API?"
                raise self._refused(answer, f"answers {answer.status}", "refused", hint)

    def _value(self, answer: _Answer) -> Any:
        if len(answer.body) <= LARGEST:
            with contextlib.suppress(ValueError, RecursionError):
                return json.loads(answer.body)
        raise self._refused(answer, "does not answer with JSON", "bad-answer", "is the address that of its API?")

    def _refused(self, answer: _Answer, what: str, slug: str, hint: str) -> Refused:
        return Refused(f"{_host(self._base)} {what}{self._said(answer)}", slug=slug, hint=hint, status=answer.status)

    def _busy(self, answer: _Answer) -> Unanswered:
        what = f"{_host(self._base)} answers {answer.status}, and did whenever it was asked{self._said(answer)}"
        return Unanswered(what, slug="server-busy", hint="run it again later")

    def _unreached(self, error: Exception) -> Unanswered:
        reason = getattr(error, "reason", None) or error
        what = f"{_host(self._base)} cannot be reached: {self._shown(str(reason) or type(reason).__name__)}"
        return Unanswered(what, slug="no-server", hint="is the address right, and the network there?")

    def _said(self, answer: _Answer) -> str:
        """What the server says about it."""
        try:
            value = json.loads(answer.body)
        except (ValueError, RecursionError):
            return ""
        message = value.get("message") or value.get("error") if isinstance(value, dict) else None
        return f": {self._shown(message)}" if isinstance(message, str) else ""

    def _shown(self, text: str) -> str:
        """A text of the server, fit for a log: short, on one line, without the token."""
        hidden = self._token.hidden(" ".join(text.split()))
        return shorten("".join(one if one.isprintable() else "?" for one in hidden), 200)


def _check_address(url: str) -> None:
    """No token goes over the network in the clear, nor to an address that hides where it leads."""
    parts = urlsplit(url)
    if parts.scheme == "http" and parts.hostname in {"127.0.0.1", "::1", "localhost"}:
        return
    if parts.scheme != "https" or not parts.hostname or "@" in parts.netloc or not url.isprintable():
        raise UsageProblem(
            "the address of the server is none that a token is sent to", slug="bad-address",
            hint="it begins with https:// and holds no name or password",
        )  # fmt: skip


def _origin(url: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = -1
    return parts.scheme, parts.hostname, port or {"https": 443, "http": 80}.get(parts.scheme)


def _host(url: str) -> str:
    return urlsplit(url).hostname or "nowhere"


def _is_busy(answer: _Answer) -> bool:
    """Whether it is worth while to ask again; GitHub says 403 where its limits are reached."""
    limited = "Retry-After" in answer.headers or answer.headers.get("X-RateLimit-Remaining") == "0"
    return answer.status in BUSY or (answer.status == 403 and (limited or SECONDARY in answer.body))


def _retry_after(headers: Message[str, str]) -> float:
    """The seconds that the server asks for; 0 where it asks for none."""
    text = headers.get("Retry-After") or ""
    if text.isdecimal():
        return float(text[:9])
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    reset = headers.get("X-RateLimit-Reset") or ""
    if reset.isdecimal() and headers.get("X-RateLimit-Remaining") == "0":
        return max(0.0, float(reset[:12]) - time.time())
    return 0.0


def field_of(answer: Any, *names: str) -> Any:
    """What stands in an answer under these names, one below the other.

    Raises:
        Refused: nothing does.
    """
    for name in names:
        answer = answer.get(name) if isinstance(answer, dict) else None
    if answer is None:
        raise Refused(
            f"the answer of the server has no '{names[-1]}'", slug="bad-answer", hint="is the address that of its API?"
        )
    return answer
