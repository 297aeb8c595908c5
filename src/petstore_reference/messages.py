"""The messages in the server: a call comes in, the server finds an answer, and a reply goes out.

A step that cannot continue raises `Refused`. Its `code` names the defect, one code per defect, so that a client can
distinguish defects, and a fault can treat one of them wrongly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

Headers = tuple[tuple[str, str], ...]


class Operation(StrEnum):
    """The four operations of the document (sections 4.1 to 4.4), named as in the document if it has a name."""

    LIST = "listPets"
    CREATE = "createPet"
    GET = "getPet"
    ORDERS = "storeOrders"


@dataclass(frozen=True, slots=True)
class ReceivedCall:
    """One request as received. `operation` is None for a path or method that is not in the document.

    `headers` have lower-case names. `authorization` is None unless there is exactly one such header. `pet_id` is the
    path segment as text. `body` is None if it exceeds the size cap. `time` is Unix time in seconds.
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
    """Whose quota a request counts against: a key with its plan, or the address of a client without a valid key."""

    bucket: str
    plan: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a call. `content` is a JSON value, or bytes that are sent unchanged."""

    status: int
    content: object
    headers: Headers = ()
    media_type: str | None = "application/json"


@dataclass(frozen=True, slots=True)
class EncodedAnswer:
    """An answer as bytes and headers, ready to send."""

    status: int
    headers: Headers
    body: bytes

    def header(self, name: str) -> str | None:
        """The value of header `name`, in any letter case; None if the reply does not have it."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    def having(self, name: str, value: str | None) -> EncodedAnswer:
        """The reply with another value of header `name`, or without that header if the value is None."""
        kept = tuple((key, old) for key, old in self.headers if key.lower() != name.lower())
        return replace(self, headers=kept if value is None else (*kept, (name, value)))


class Refused(Exception):
    """The call cannot be served: the status that section 7 expects, and the defect."""

    def __init__(self, status: int, code: str, message: str, headers: Headers = ()) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = headers


@dataclass(frozen=True, slots=True)
class LoggedRequest:
    """A line of the request log: the request, its time, the kind of key (never the key itself), and the outcome.

    `time` is the server's clock in Unix seconds. `credential` is "valid", or the code of the defect in the key.
    `retry_after` is the value of the Retry-After header, None without one.
    """

    time: float
    method: str
    path: str
    query: str
    credential: str
    status: int
    retry_after: str | None
