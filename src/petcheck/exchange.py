"""What passes between the suite and a target: one request, and what came of it.

An `Exchange` is the only thing that judging knows of the network, and the unit of evidence in every report. It is
recorded after redaction: the API key is in none of its fields. The request's Authorization header is kept as a
shell expression (`Bearer $PETSTORE_API_KEY`), so that a reader can send the request again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import Enum


class Operation(Enum):
    """The four operations of the document (sections 4.1 to 4.4), by their names there or the next best."""

    LIST_PETS = "listPets"
    CREATE_PET = "createPet"
    GET_PET = "getPet"
    STORE_ORDERS = "storeOrders"

    def __str__(self) -> str:
        """The method and path template, as the document writes them."""
        return _ROUTES[self]


_ROUTES = {
    Operation.LIST_PETS: "GET /pets",
    Operation.CREATE_PET: "POST /pets",
    Operation.GET_PET: "GET /pets/{petId}",
    Operation.STORE_ORDERS: "GET /store/orders",
}


class Credential(Enum):
    """What a request shows in its Authorization header (section 5): the valid key, or one way of not having it."""

    VALID = "a valid key"
    MISSING = "no key"
    RANDOM = "a random key"
    CUT = "the key without its last character"
    EXTENDED = "the key with a character appended"
    EMPTY = "an empty token"
    BASIC = "the key under the scheme Basic"
    TOKEN = "the key under the scheme Token"  # noqa: S105 - a description
    NO_SCHEME = "the key without a scheme"


# what stands for trouble between the target and us: it is asked once more before it counts
GATEWAY_TROUBLE = (502, 503, 504)


class Silence(Enum):
    """Why a request got no answer that could be read."""

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


@dataclass(frozen=True, slots=True)
class Response:
    """A response as it came. `headers` keep order, case and repeats; `body` is decoded and redacted.

    `body_complete` is false where the body ran over the size cap and only its beginning was kept.
    """

    status: int
    reason: str
    http_version: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    body_complete: bool = True

    def header(self, name: str) -> str | None:
        """The value of header `name` (any case), repeats joined by a comma; None where it is absent."""
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        return ", ".join(values) if values else None

    @property
    def date(self) -> datetime | None:
        """The target's own clock: its Date header, to the second below; None where it has none that can be read."""
        return http_date(self.header("Date") or "")


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """The request got no readable answer: what kind of silence, and what was seen on the wire."""

    kind: Silence
    detail: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came of it.

    `index` counts from 0 within a run and target and is what results refer to. `section` is the section of the
    document whose check sent it. `started` is wall-clock time (UTC); `sent` and `finished` are seconds on a monotonic
    clock, for telling which exchanges overlapped.
    """

    index: int
    target: str
    request: Request
    answer: Response | NoAnswer
    started: datetime
    sent: float
    finished: float
    section: str = ""

    @property
    def elapsed(self) -> float:
        """Seconds from sending to the last byte, or to giving up."""
        return self.finished - self.sent

    @property
    def status(self) -> int | None:
        """The status of the response; None where no answer came."""
        return self.answer.status if isinstance(self.answer, Response) else None


def http_date(text: str) -> datetime | None:
    """An HTTP date as UTC; None where it is none."""
    if not text[:3].isalpha():
        return None
    try:
        date = parsedate_to_datetime(text)
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
