"""Section 4.4: `GET /store/orders` exists; the document says nothing else about it."""

from __future__ import annotations

from petcheck.exchange import Exchange
from petcheck.judging.decision import Decision, Held, Record, Rule, Undecided
from petcheck.judging.judgement import NOT_CONCERNED, Grounds, Judgement
from petcheck.judging.matchers import answer_text
from petcheck.judging.statuses import status_judgement
from petcheck.spec.operations import Operation

_NOTHING = f"No {Operation.STORE_ORDERS} got an answer."


def _exists(exchange: Exchange, grounds: Grounds) -> Judgement:
    """A redirect proves nothing, and a 401 belongs to AUTH-7."""
    found, judgement = status_judgement(exchange, grounds)
    redirected = exchange.status is not None and 300 <= exchange.status < 400
    return NOT_CONCERNED if found != "ORDERS-1" or redirected else judgement


def _is_shown(record: Record, grounds: Grounds) -> Decision:
    ours = [e for e in record if e.request.operation is Operation.STORE_ORDERS]
    asked = [exchange for exchange in ours if exchange.request.has_valid_key]
    examined = tuple(exchange for exchange in asked if _exists(exchange, grounds) is not NOT_CONCERNED)
    if examined or not asked:
        return Held(examined) if examined else Undecided(_NOTHING)
    see = "; see AUTH-7" if asked[0].status == 401 else ""
    return Undecided(
        f"{Operation.STORE_ORDERS} returned {answer_text(asked[0])}, which does not show whether it exists{see}."
    )


RULES = (Rule("ORDERS-1", _exists, _is_shown),)
