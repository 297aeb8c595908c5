"""Section 4.4: other operations. Of `GET /store/orders` the document says only that it exists."""

from petcheck.toolkit import Credential, RequestKind, Target, observes, requirement, sends


@requirement("ORDERS-1")
@sends(RequestKind.ORDERS, RequestKind.KEYS)
def test_store_orders_exists(target: Target) -> None:
    """With a valid key, any answer except 404, 405, 501 and other 5xx. A redirect proves nothing.

    A request without a key comes first: a cache must not keep its 401 for the next client.
    """
    target.api.store_orders(credential=Credential.MISSING)
    target.api.store_orders()
    target.settle("ORDERS-1")


@observes("orders-payload")
@sends(RequestKind.ORDERS)
def test_orders_payload(target: Target) -> None:
    """Request the orders: the kind of the body is observed."""
    target.api.store_orders()
