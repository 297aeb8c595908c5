"""The figures and words of the document that checks measure against, each by its section."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Literal

from petcheck.exchange import Exchange, Operation, Response
from petcheck.judging.jsontext import INT64_MAX, INT64_MIN

INTERFACE_VERSION = "1.0.0"  # section 9
STATUSES = ("available", "pending", "sold")  # section 2, PetStatus
LIMIT_MIN, LIMIT_MAX, LIMIT_DEFAULT = 1, 100, 20  # sections 4.1 and 8
REMOVAL_DAY = date(2030, 12, 5)  # sections 4.3 and 9
BASE_SEGMENT = "v1"  # section 9


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan of section 8: requests per minute and per day; None where they are agreed individually."""

    name: str
    per_minute: int | None
    per_day: int | None


PLANS = {
    plan.name: plan
    for plan in (
        Plan("free", 60, 1_000),
        Plan("pro", 300, 10_000),
        Plan("business", 1_000, 100_000),
        Plan("enterprise", None, None),
    )
}

Body = Literal["pets", "pet", "error"]
_SECTION_OF = {
    Operation.LIST_PETS: "4.1",
    Operation.CREATE_PET: "4.2",
    Operation.GET_PET: "4.3",
    Operation.STORE_ORDERS: "4.4",
}
_PLAIN_LIMIT = re.compile(r"[1-9][0-9]{0,2}")
_PET_ID = re.compile(r"/pets/(-?[0-9]{1,20})$")


def section_of(operation: Operation) -> str:
    """The section that describes an operation."""
    return _SECTION_OF[operation]


def limit_in(text: str) -> int | None:
    """The page size that the text of a `limit` asks for (section 4.1); None where it is not one of 1 to 100.

    Whether `007` is an integer is open.
    """
    number = int(text) if _PLAIN_LIMIT.fullmatch(text) else None
    return number if number is not None and LIMIT_MIN <= number <= LIMIT_MAX else None


def pet_id_of(exchange: Exchange) -> int | None:
    """The `petId` that a request asked for, where it is an int64; None for any other segment and operation."""
    if exchange.request.operation is not Operation.GET_PET:
        return None
    found = _PET_ID.search(exchange.request.url)
    number = int(found[1]) if found else None
    return number if number is not None and INT64_MIN <= number <= INT64_MAX else None


def documented(exchange: Exchange, as_of: date) -> bool:
    """Whether the document says anything about this request at all.

    Not where the `petId` is no int64, since that is not the operation, and not for GET /pets/{petId} once removed.
    """
    if exchange.request.operation is not Operation.GET_PET:
        return True
    return pet_id_of(exchange) is not None and as_of < REMOVAL_DAY


def body_due(exchange: Exchange, as_of: date) -> Body | None:
    """Which documented body the answer must carry (sections 4 and 7); None where its body is open."""
    if not isinstance(exchange.answer, Response) or not documented(exchange, as_of):
        return None
    operation, status = exchange.request.operation, exchange.answer.status
    if status == 401:
        return "error"
    if operation is Operation.STORE_ORDERS:
        return None
    if status in (400, 404):
        return "error"
    return {
        (Operation.LIST_PETS, 200): "pets",
        (Operation.CREATE_PET, 201): "pet",
        (Operation.GET_PET, 200): "pet",
    }.get((operation, status))  # type: ignore[return-value]


def documented_bodies(exchanges: Iterable[Exchange], as_of: date) -> Iterator[tuple[Exchange, Response]]:
    """Every response that must carry a documented body, with its exchange."""
    for exchange in exchanges:
        if isinstance(exchange.answer, Response) and body_due(exchange, as_of):
            yield exchange, exchange.answer
