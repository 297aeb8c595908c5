"""What the document says about an exchange: the required body, and the values in the request."""

from __future__ import annotations

from datetime import date

from petcheck.exchange import Exchange, Response
from petcheck.spec.figures import REMOVAL_DAY
from petcheck.spec.operations import Body, Operation


def documented(exchange: Exchange, as_of: date) -> bool:
    """Whether the document says anything about this request at all.

    It does not if the `petId` is not an int64, or if GET /pets/{petId} has been removed.
    """
    if exchange.request.operation is not Operation.GET_PET:
        return True
    return exchange.request.pet_id is not None and as_of < REMOVAL_DAY


def body_due(exchange: Exchange, as_of: date) -> Body | None:
    """The documented body that the answer must have (sections 4 and 7); None if its body is open."""
    if not isinstance(exchange.answer, Response) or not documented(exchange, as_of):
        return None
    return exchange.request.operation.body(exchange.answer.status)
