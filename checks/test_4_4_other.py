"""Section 4.4: other operations. Of `GET /store/orders` the document says only that it exists."""

from petcheck.toolkit import Credential, Response, Target, Traffic, kind, observes, requirement, sends


@requirement("ORDERS-1")
@sends(Traffic.ORDERS, Traffic.KEYS)
def test_store_orders_exists(target: Target) -> None:
    """With a valid key, any answer except 404, 405, 501 and other 5xx. A redirect proves nothing.

    A request without a key comes first: a cache must not keep its 401 for the next client.
    """
    target.api.store_orders(credential=Credential.MISSING)
    target.api.store_orders()
    target.judge("ORDERS-1")


@observes("orders-payload")
@sends(Traffic.ORDERS)
def test_orders_payload(target: Target) -> None:
    """Observed: the kind of the body."""
    exchange = target.api.store_orders()
    if isinstance(exchange.answer, Response):
        value = exchange.json
        body = kind(value) if exchange.answer.body else "no body"
        target.observe_answer("orders-payload", exchange, detail=body)
