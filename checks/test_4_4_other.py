"""Section 4.4: other operations. Of `GET /store/orders` the document says only that it exists."""

from petcheck.exchange import Response
from petcheck.judging.jsontext import kind
from petcheck.judging.matchers import answer_of, came, described, value_of
from petcheck.judging.verdicts import Breach, Inconclusive
from petcheck.marks import observes, requirement
from petcheck.target import Target
from petcheck.wire.api import Api


@requirement("ORDERS-1")
def test_store_orders_exists(api: Api) -> None:
    """With a valid key, any answer but 404, 405, 501 and other 5xx."""
    exchange = api.store_orders()
    answer = answer_of(exchange, "an answer of an operation that exists (section 4.4)")
    if answer.status == 401:
        raise Inconclusive("GET /store/orders was answered 401 although the key is valid; AUTH-7 tells more.")
    if answer.status in (404, 405) or answer.status >= 500:
        raise Breach(
            f"{described(exchange)}: section 4.4 says that it exists, so 404, 405 and 5xx are no answer; "
            f"got {came(exchange)}.",
            exchange,
        )


@observes("orders-payload")
def test_orders_payload(target: Target) -> None:
    """Observed: what the listing looks like."""
    exchange = target.api.store_orders()
    if isinstance(exchange.answer, Response):
        value = value_of(exchange.answer)
        body = kind(value) if exchange.answer.body else "no body"
        target.observe("orders-payload", f"{came(exchange)}, {body}", exchange)
