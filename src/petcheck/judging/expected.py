"""What the document says about an exchange: the required body, and the values in the request."""

from __future__ import annotations

import re
from datetime import date

from petcheck.exchange import Exchange, Response
from petcheck.spec.figures import INT64_MAX, INT64_MIN, LIMIT_MAX, LIMIT_MIN, REMOVAL_DAY
from petcheck.spec.operations import Body, Operation

_PLAIN_LIMIT = re.compile(r"[1-9][0-9]{0,2}")
_PET_ID = re.compile(Operation.GET_PET.path.replace("{petId}", "(-?[0-9]{1,20})$"))


def limit_in(text: str) -> int | None:
    """The page size in the text of a `limit` (section 4.1); None unless it is from 1 to 100.

    Whether `007` is an integer is open.
    """
    number = int(text) if _PLAIN_LIMIT.fullmatch(text) else None
    return number if number is not None and LIMIT_MIN <= number <= LIMIT_MAX else None


def pet_id_of(exchange: Exchange) -> int | None:
    """The `petId` of a request if it is an int64; None for any other segment or operation."""
    if exchange.request.operation is not Operation.GET_PET:
        return None
    found = _PET_ID.search(exchange.request.url)
    number = int(found[1]) if found else None
    return number if number is not None and INT64_MIN <= number <= INT64_MAX else None


def documented(exchange: Exchange, as_of: date) -> bool:
    """Whether the document says anything about this request at all.

    It does not if the `petId` is not an int64, or if GET /pets/{petId} has been removed.
    """
    if exchange.request.operation is not Operation.GET_PET:
        return True
    return pet_id_of(exchange) is not None and as_of < REMOVAL_DAY


def body_due(exchange: Exchange, as_of: date) -> Body | None:
    """The documented body that the answer must have (sections 4 and 7); None if its body is open."""
    if not isinstance(exchange.answer, Response) or not documented(exchange, as_of):
        return None
    return exchange.request.operation.body(exchange.answer.status)
