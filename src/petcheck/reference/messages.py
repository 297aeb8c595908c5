"""What passes through the server: a call comes in, an answer is found for it, a reply goes out.

A step that cannot go on raises `Refusal`. It says why by a `code`, one for each defect, so that a client can tell them
apart, and so can a fault that treats one of them wrongly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

Headers = tuple[tuple[str, str], ...]


class Operation(StrEnum):
    """The four operations of the document (sections 4.1 to 4.4), by their names there or the next best."""

    LIST = "listPets"
    CREATE = "createPet"
    GET = "getPet"
    ORDERS = "storeOrders"


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it came. `operation` is None for a path or method that the document lacks.

    `headers` have lower-case names. `authorization` is None where there is not exactly one such header. `pet_id` is the
    path segment as text. `body` is None where it ran over the size cap. `time` is Unix time in seconds.
    """

    operation: Operation | None
    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    authorization: str | None
    body: bytes | None
    address: str
    time: float
    pet_id: str = ""
    allowed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Caller:
    """Who is counted for a request: a key with its plan, or the address that one without a valid key came from."""

    bucket: str
    plan: str


@dataclass(frozen=True, slots=True)
class Answer:
    """What is said to a call. `content` is a JSON value, or bytes that are sent as they are."""

    status: int
    content: object
    headers: Headers = ()
    media_type: str | None = "application/json"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it is written to the wire."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str | None:
        """The value of header `name` in any case, or None where the reply has none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def having(self, name: str, value: str | None) -> Reply:
        """The reply with another value of header `name`, or without it where that is None."""
        kept = tuple((key, old) for key, old in self.headers if key.lower() != name.lower())
        return replace(self, headers=kept if value is None else (*kept, (name, value)))


class Refusal(Exception):
    """The call cannot be served: which status is due by section 7, and which defect it is due to."""

    def __init__(self, status: int, code: str, message: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers


@dataclass(frozen=True, slots=True)
class Record:
    """A line of the request log: what was asked when, what it showed of a key (never the key itself), what it got.

    `time` is the server's clock in Unix seconds. `credential` is "valid", or the code of what was wrong with it.
    `retry_after` is the value of Retry-After as it was sent, None where it was not.
    """

    time: float
    method: str
    path: str
    query: str
    credential: str
    status: int
    retry_after: str | None
