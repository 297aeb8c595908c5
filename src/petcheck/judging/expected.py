"""What the document says about an exchange: the required body, and the values in the request."""

from __future__ import annotations

from datetime import date

from petcheck.call import Credential, Form
from petcheck.exchange import Exchange
from petcheck.spec.figures import REMOVAL_DAY
from petcheck.spec.operations import Body, Operation


def is_open(exchange: Exchange) -> bool:
    """Whether the document leaves an exchange open as a whole, except that it counts.

    That is a body in chunks, and a 400 for a key beyond ASCII: a header of such bytes may be malformed, and what
    refuses it is often not the server itself (RFC 9110, section 5.5).
    """
    of_bytes = exchange.request.credential is Credential.BEYOND_ASCII
    return exchange.request.form is Form.CHUNKED or (of_bytes and exchange.status == 400)


def documented(exchange: Exchange, as_of: date) -> bool:
    """Whether the document says anything about this request at all.

    It does not if it is open as a whole, if the `petId` is not an int64, or if GET /pets/{petId} has been removed.
    """
    if is_open(exchange):
        return False
    if exchange.request.operation is not Operation.GET_PET:
        return True
    return exchange.request.pet_id is not None and as_of < REMOVAL_DAY


def body_due(exchange: Exchange, as_of: date) -> Body | None:
    """The documented body that the answer must have (sections 4 and 7); None if its body is open."""
    return exchange.request.operation.body(exchange.heard.status) if documented(exchange, as_of) else None
