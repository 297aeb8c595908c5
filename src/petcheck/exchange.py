"""One exchange between the suite and a target: a request, and the response or the lack of one.

An `Exchange` is all that judging sees of the network, and the unit of evidence in every report. It is recorded after
redaction: the API key is in none of its fields. The request's Authorization header is kept as a
shell expression (`Bearer $PETSTORE_API_KEY`), so that a reader can send the request again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum
from functools import cached_property
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, unquote, urlsplit

from petcheck.call import FORMS_OF_JSON, OWN_CONNECTION, Call, Credential, Form
from petcheck.json_values import LARGE, Json, Parsed, integer, parse
from petcheck.spec.figures import CONTENT_TYPE, INT64_MAX, INT64_MIN, LIMIT_DEFAULT, LIMIT_MAX, LIMIT_MIN, STATUSES
from petcheck.spec.operations import Operation
from petcheck.words import plural, shortened

_SHOWN = 100  # characters of a path or body in a message
_PLAIN_LIMIT = re.compile(r"[1-9][0-9]{0,2}")
_PET_ID = re.compile(Operation.GET_PET.path.replace("{petId}", "(0|-?[1-9][0-9]{0,19})$"))

MASK = b"[redacted-key]"
_DIGITS_OF_INT64 = 19
MASKED = re.compile(rb"redacted-key|9{8}|1{%d}" % _DIGITS_OF_INT64)
"""What a text has where a secret of it is masked: see `mask_of`."""

Animal: TypeAlias = Mapping[str, Json]
"""A JSON object where a Pet is required."""


TO_PROBE = "to see whether the target still answers"
"""The `cause` of an exchange that was sent since others got no answer."""


def mask_of(secret: bytes) -> bytes:
    """What stands for a secret: one of digits may be part of a JSON number, which must stay a number, and an int64."""
    return MASK if not secret.isdigit() else (b"9" if len(secret) < _DIGITS_OF_INT64 else b"1") * len(secret)


class Silence(Enum):
    """Why a request got no readable answer."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    RESET = "reset"
    CUT_SHORT = "cut short"
    NOT_HTTP = "not HTTP"
    TLS = "TLS"
    PROXY = "proxy"
    """The proxy of `--proxy` gave no connection: the server has no part in that."""
    UNREAD = "unread"
    """The headers are longer than petcheck reads: no fault of the server."""
    INTERRUPTED = "interrupted"
    """petcheck stopped before the server answered, which may have acted on the request all the same."""


class _Readable:
    """What is read from a value once is kept with it, but does not belong to it: copies and pickles leave it out."""

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: self.__dict__[field.name] for field in fields(self)}  # type: ignore[arg-type]

    def forget(self) -> None:
        """Free what was read, to save memory; it is read again when it is needed."""
        kept = self.__getstate__()
        self.__dict__.clear()
        self.__dict__.update(kept)


@dataclass(frozen=True, slots=True)
class Reach:
    """How a server is reached, as files show it: the path of a private key and a proxy's login are shell variables."""

    ca_bundle: str | None = None
    client_cert: str | None = None
    client_key: str | None = None
    proxy: str | None = None


DIRECT = Reach()
"""As any server can be reached."""


@dataclass(frozen=True)
class Request(_Readable):
    """A request as it was sent. `url` is absolute; `headers` and `body` are redacted."""

    operation: Operation
    method: str
    url: str
    # operation, key and form give them; a trace would make each request another one
    headers: tuple[tuple[str, str], ...] = field(compare=False)
    body: bytes | None
    credential: Credential
    form: Form = Form.PLAIN
    reach: Reach = DIRECT

    @property
    def has_valid_key(self) -> bool:
        """Whether it was sent with the key that the target should accept."""
        return self.credential is Credential.VALID

    @property
    def authorization(self) -> str | None:
        """Its Authorization header, redacted; None if it has none."""
        return next((value for name, value in self.headers if name.lower() == "authorization"), None)

    @cached_property
    def query(self) -> tuple[tuple[str, str], ...]:
        """The parameters by name, those of one name in their order: the order of others has no meaning."""
        return _by_name(parse_qsl(urlsplit(self.url).query, keep_blank_values=True))

    @cached_property
    def pet_id(self) -> int | None:
        """The `petId` if it is an int64; None for any other segment or operation."""
        found = _PET_ID.search(self.url) if self.operation is Operation.GET_PET else None
        number = int(found[1]) if found else None
        return number if number is not None and INT64_MIN <= number <= INT64_MAX else None

    @cached_property
    def parsed(self) -> Parsed:
        """The body as JSON."""
        return parse(self.body or b"")

    @property
    def call(self) -> Call:
        """The call that it was, without its form; two requests that mean the same have the same."""
        last = unquote(urlsplit(self.url).path.rpartition("/")[2], errors="surrogateescape")
        number = last if self.operation is Operation.GET_PET else None
        query = () if number else _by_name(self._query_as_sent)
        return Call(self.operation, self.credential, number, query, self._plain_body)

    @property
    def same(self) -> Call:
        """The call that is sent in the same form, byte by byte."""
        query = self._query_as_sent[::-1] if self.form is Form.TURNED else self._query_as_sent
        return replace(self.call, query=query, form=self.form)

    @property
    def _query_as_sent(self) -> tuple[tuple[str, str], ...]:
        """The parameters in order; bytes that are not UTF-8 are surrogates."""
        return tuple(parse_qsl(urlsplit(self.url).query, keep_blank_values=True, errors="surrogateescape"))

    @property
    def _plain_body(self) -> bytes | None:
        """The body as it is in the plain form."""
        value = self.parsed.value if self.form in FORMS_OF_JSON else None
        if not isinstance(value, dict):
            return self.body
        members = reversed(value.items()) if self.form is Form.BACKWARDS else value.items()
        return json.dumps(dict(members), ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")

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
        if not self.body:
            return "no body"
        return f"the body {_one_line(shortened(self.body.decode('utf-8', 'backslashreplace')))}"


@dataclass(frozen=True)
class Response(_Readable):
    """A response as received. `headers` keep order, case and repeats; `body` is decoded and redacted.

    `body_complete` is false if petcheck did not read the whole body because of its size caps, and kept only the
    beginning, or if a recording lacks a part: that is not a fault of the server. `encoding_broken` says why the body
    does not match Content-Encoding, and `body` then has the bytes as received; None if the two match.
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
        # not kept by name: a long recording has thousands of responses
        wanted = name.lower()
        values = [value for key, value in self.headers if key.lower() == wanted]
        return ", ".join(values) if values else None

    @property
    def parsed(self) -> Parsed:
        """The body as JSON."""
        return self._parsed if len(self.body) <= LARGE else self._read()

    @cached_property
    def _parsed(self) -> Parsed:
        return self._read()

    def _read(self) -> Parsed:
        if not self.body_complete:
            kept = plural(len(self.body), "byte")
            return Parsed(wrong=f"only a part of the body is known ({kept})", unread=True)
        return Parsed(wrong=self.encoding_broken) if self.encoding_broken else parse(self.body)

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


@dataclass(frozen=True)
class Exchange(_Readable):
    """One request and its response, or the lack of one.

    `index` counts from 0 within a run and target and is what results refer to. `section` is the section of the
    document whose check sent it. `started` is wall-clock time (UTC); `sent` and `finished` are seconds on a monotonic
    clock, to find out which exchanges overlapped. `resent` says that the request had been lost before, on a connection
    that the server had closed. `log` holds the tracebacks of a server that the run itself serves, as it
    answered; None for any other server. `cause` says why the request was sent if it was not planned; empty if it was.
    `on_top` says that no requirement needs it: it can break one, and keeps it from passing only if it contradicts it.
    `example` marks a property example, and `simplifies` is the index of the example of which it is a simpler form.
    `burst` is the number of the burst that it was part of, from 1: requests that were sent at the same time on purpose;
    None if it was sent alone. `again` is the index of the exchange whose request it repeats, to see how often and when
    that fails. `connection` is the number of the connection on which it was sent, from 1; None in a burst, and in
    traffic.
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
    on_top: bool = False
    example: bool = False
    simplifies: int | None = None
    burst: int | None = None
    again: int | None = None
    connection: int | None = None

    @property
    def on_new_connection(self) -> bool:
        """Whether it certainly had its own connection; the others may share kept ones."""
        alone = self.request.form in OWN_CONNECTION
        return alone or self.resent or self.burst is not None or self.cause != ""

    @property
    def elapsed(self) -> float:
        """Seconds from sending to the last byte, or until petcheck gave up."""
        return self.finished - self.sent

    @property
    def status(self) -> int | None:
        """The status of the response; None without a response."""
        return self.answer.status if isinstance(self.answer, Response) else None

    @property
    def json(self) -> Json:
        """The JSON value of the response; None if it has none, which SERVICE-1 judges, or without a response."""
        return self.answer.parsed.value if isinstance(self.answer, Response) else None

    @property
    def object(self) -> Animal | None:
        """The JSON object that the response is; None if it is anything else."""
        value = self.json
        return value if isinstance(value, dict) else None

    @cached_property
    def page(self) -> Page | None:
        """The page of animals; None unless `GET /pets` with the valid key returned 200 with an array."""
        if self.request.operation is not Operation.LIST_PETS or self.status != 200 or not self.request.has_valid_key:
            return None
        value = self.json
        if not isinstance(value, list):
            return None
        query: dict[str, str] = {}
        for name, text in self.request.query:
            query[name] = f"{query[name]},{text}" if name in query else text
        placed = tuple((place, item) for place, item in enumerate(value) if isinstance(item, dict))
        numbers = (integer(animal.get("id")) for _, animal in placed)
        ids = tuple(number for number in numbers if number is not None)
        return Page(self, query.get("limit"), query.get("status"), frozenset(query), placed, ids, len(value))

    @property
    def heard(self) -> Response:
        """The response; without one, an empty response of status 0."""
        return self.answer if isinstance(self.answer, Response) else _NOTHING


_NOTHING = Response(0, "", "", (), b"")


@dataclass(frozen=True, slots=True)
class Page:
    """A page of `GET /pets`, answered 200: its query parameters as text, and its animals with their positions.

    The values of a parameter that is given twice are joined by a comma, since it is open which one counts.
    `parameters` are the names of all that are given. `ids` are the ids of the animals that have one, in page order.
    """

    exchange: Exchange
    limit: str | None
    status: str | None
    parameters: frozenset[str]
    placed: tuple[tuple[int, Animal], ...]
    ids: tuple[int, ...]
    size: int

    @property
    def animals(self) -> tuple[Animal, ...]:
        """The animals, in the page's order."""
        return tuple(animal for _, animal in self.placed)

    @property
    def asked(self) -> int | None:
        """The page size that was requested, 20 without `limit`; None if `limit` is not from 1 to 100."""
        return LIMIT_DEFAULT if self.limit is None else limit_in(self.limit)

    @property
    def filtered(self) -> bool:
        """Whether the query has a parameter other than `limit`: even an undocumented one may select animals."""
        return bool(self.parameters - {"limit"})

    @property
    def by_status(self) -> str | None:
        """The status it is filtered by; None unless it is valid and the only other parameter is `limit`."""
        return self.status if self.status in STATUSES and self.parameters <= {"limit", "status"} else None

    @property
    def has_room(self) -> bool:
        """Whether it is shorter than the requested page size."""
        return self.asked is not None and self.size < self.asked


def header_bytes(value: str) -> bytes:
    """The value of a header as bytes: in Latin-1, as responses are read (RFC 9110, section 5.5), or else in UTF-8."""
    return value.encode("latin-1") if max(value, default="") <= "\xff" else value.encode()


def limit_in(text: str) -> int | None:
    """The page size in the text of a `limit` (section 4.1); None unless it is from 1 to 100.

    Whether `007` is an integer is open.
    """
    number = int(text) if _PLAIN_LIMIT.fullmatch(text) else None
    return number if number is not None and LIMIT_MIN <= number <= LIMIT_MAX else None


def _by_name(parameters: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(parameters, key=lambda one: one[0]))


def _one_line(text: str) -> str:
    """Text cut at 100 characters, with unprintable characters escaped."""
    text = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def http_date(text: str) -> datetime | None:
    """An HTTP date as UTC; None if it cannot be parsed."""
    if not text[:3].isalpha():
        return None
    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
