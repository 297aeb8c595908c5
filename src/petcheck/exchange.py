"""One exchange between the suite and a target: a request, and the response or the lack of one.

An `Exchange` is all that judging sees of the network, and the unit of evidence in every report. It is recorded after
redaction: the API key is in none of its fields. The request's Authorization header is kept as a
shell expression (`Bearer $PETSTORE_API_KEY`), so that a reader can send the request again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from urllib.parse import quote, urlencode, urlsplit

from petcheck.spec.figures import CONTENT_TYPE
from petcheck.spec.operations import Operation

_SHOWN = 100  # characters of a path or body in a message


class Credential(Enum):
    """The content of a request's Authorization header (section 5): the valid key, or one kind of invalid key."""

    VALID = "a valid key"
    MISSING = "no key"
    RANDOM = "a random key"
    CHANGED = "the key with its last character changed"
    CUT = "the key without its last character"
    EXTENDED = "the key with a character appended"
    WORD_AFTER = "the key followed by another word"
    EMPTY = "an empty token"
    BASIC = "the key under the scheme Basic"
    TOKEN = "the key under the scheme Token"  # noqa: S105 - a description
    SIX_LETTERS = "the key under a scheme of six letters"
    NO_SCHEME = "the key without a scheme"
    UNKNOWN = "a key of unknown validity"


@dataclass(frozen=True, slots=True)
class Call:
    """A request before it is sent: `pet_id` is the path's last segment, `query` its parameters in order.

    Bytes of `pet_id` and `query` that are not UTF-8 are surrogates, as `os.fsdecode` makes them. A POST whose body is
    None has no Content-Type either; one with an empty body has.
    """

    operation: Operation
    credential: Credential = Credential.VALID
    pet_id: str | None = None
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None

    @property
    def method(self) -> str:
        """GET or POST."""
        return self.operation.method

    @property
    def path(self) -> str:
        """The path below the base URL, with its query."""
        path = self.operation.path.replace("{petId}", quote(self.pet_id or "", safe="", errors="surrogateescape"))
        return path + ("?" + urlencode(self.query, quote_via=quote, errors="surrogateescape") if self.query else "")


class Silence(Enum):
    """Why a request got no readable answer."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    RESET = "reset"
    CUT_SHORT = "cut short"
    NOT_HTTP = "not HTTP"
    TLS = "TLS"


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it was sent. `url` is absolute; `headers` and `body` are redacted."""

    operation: Operation
    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    credential: Credential

    @property
    def has_valid_key(self) -> bool:
        """Whether it was sent with the key that the target should accept."""
        return self.credential is Credential.VALID

    def path_below(self, base_url: str) -> str:
        """The path below `base_url`, with its query; the whole URL if it is not below it."""
        base = base_url.rstrip("/")
        return self.url[len(base) :] if base and self.url.startswith(f"{base}/") else self.url

    @property
    def summary(self) -> str:
        """The request in one line: method, path, query, the credential unless it is valid, a body unless it is safe."""
        parts = urlsplit(self.url)
        path = self.operation.path.replace("{petId}", parts.path.rpartition("/")[2])
        words = f"{self.method} {_one_line(path + (f'?{parts.query}' if parts.query else ''))}"
        if not self.has_valid_key:
            words += f" with {self.credential.value}"
        if self.operation.safe:
            return words
        return f"{words} {'and' if not self.has_valid_key else 'with'} {self._body_in_words}"

    @property
    def _body_in_words(self) -> str:
        if self.body is None:
            return f"neither a body nor a {CONTENT_TYPE}"
        return f"the body {_one_line(self.body.decode('utf-8', 'backslashreplace'))}" if self.body else "no body"


@dataclass(frozen=True, slots=True)
class Response:
    """A response as received. `headers` keep order, case and repeats; `body` is decoded and redacted.

    `body_complete` is false if petcheck did not read the whole body because of its size caps, and kept only the
    beginning: that is not a fault of the server. `encoding_broken` says why the body does not match Content-Encoding,
    and `body` then has the bytes as received; None if the two match.
    """

    status: int
    reason: str
    http_version: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    body_complete: bool = True
    encoding_broken: str | None = None

    def header(self, name: str) -> str | None:
        """The value of header `name` (any case), repeats joined by a comma; None if it is absent."""
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return ", ".join(values) if values else None

    @property
    def date(self) -> datetime | None:
        """The target's clock from its Date header, rounded down to a second; None if there is no readable one."""
        return http_date(self.header("Date") or "")


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The request got no readable answer: the kind of silence, and what was seen on the wire."""

    kind: Silence
    detail: str

    def __str__(self) -> str:
        """In words."""
        return f"{self.kind.value}: {self.detail}" if self.detail else self.kind.value


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its response, or the lack of one.

    `index` counts from 0 within a run and target and is what results refer to. `section` is the section of the
    document whose check sent it. `started` is wall-clock time (UTC); `sent` and `finished` are seconds on a monotonic
    clock, to find out which exchanges overlapped. `resent` says that the request had been lost before, on a connection
    that the server had closed. `log` holds the tracebacks of a server that the run itself serves, as it
    answered; None for any other server. `cause` says why the request was sent if it was not planned; empty if it was.
    `example` marks a property example, and `simplifies` is the index of the example of which it is a simpler form.
    """

    index: int
    target: str
    request: Request
    answer: Response | NoAnswer
    started: datetime
    sent: float
    finished: float
    section: str = ""
    resent: bool = False
    log: str | None = None
    cause: str = ""
    example: bool = False
    simplifies: int | None = None

    @property
    def elapsed(self) -> float:
        """Seconds from sending to the last byte, or until petcheck gave up."""
        return self.finished - self.sent

    @property
    def status(self) -> int | None:
        """The status of the response; None without a response."""
        return self.answer.status if isinstance(self.answer, Response) else None

    @property
    def heard(self) -> Response:
        """The response; without one, an empty response of status 0."""
        return self.answer if isinstance(self.answer, Response) else _NOTHING


_NOTHING = Response(0, "", "", (), b"")


def _one_line(text: str) -> str:
    """Text cut at 100 characters, with unprintable characters escaped."""
    text = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def http_date(text: str) -> datetime | None:
    """An HTTP date as UTC; None if it cannot be parsed."""
    if not text[:3].isalpha():
        return None
    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
