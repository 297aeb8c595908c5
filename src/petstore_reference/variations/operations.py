"""Sections 4.2 to 5: what the document leaves open about adding and reading animals, orders and keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.conforming import DecimalInteger
from petstore_reference.messages import Answer, Caller, Operation, ReceivedCall, Refused
from petstore_reference.overrides import (
    always,
    answered,
    both,
    error,
    header,
    is_text,
    refused_as,
    refused_if,
    refused_with,
    stored,
)
from petstore_reference.registry import variation
from petstore_reference.store import Animal, NewAnimal

_CREATE, _GET, _ORDERS = (Operation.CREATE,), (Operation.GET,), (Operation.ORDERS,)
_ORDER_ANSWERS = "orders-need-parameters orders-object orders-204 orders-403 orders-csv"
_BAD_IDS = "id-text-404 id-text-422 id-text-404-page"
_AFTER = "removed-410 removed-405"


def _strict_categories(behaviour: Behaviour) -> Behaviour:
    def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
        known = {animal.category_id for animal in state.store.newest_first()}
        if new.category_id not in known:
            raise Refused(400, "category_unknown", "This category does not exist.")
        return behaviour.keep(new, animal_id, call, state)

    return replace(behaviour, keep=keep)


def _strict_names(refused: Callable[[str], bool]) -> Override:
    return refused_if("name_invalid", lambda new: refused(new.name))


def _strict_fields(names: frozenset[str]) -> Override:
    """The server refuses a body with fields beyond these."""

    def override(behaviour: Behaviour) -> Behaviour:
        def parse(body: bytes) -> dict[str, object]:
            fields = behaviour.parse(body)
            if fields.keys() - names:
                raise Refused(400, "field_unknown", "The body has unknown fields.")
            return fields

        return replace(behaviour, parse=parse)

    return override


def _plain_integers(behaviour: Behaviour) -> Behaviour:
    def read_category(fields: dict[str, object]) -> int:
        if isinstance(fields.get("categoryId"), DecimalInteger):
            raise Refused(400, "category_fraction", "categoryId must be an integer without a fraction.")
        return behaviour.read_category(fields)

    return replace(behaviour, read_category=read_category)


def _needs_json_type(behaviour: Behaviour) -> Behaviour:
    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        if call.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
            raise Refused(415, "media_type", "Content-Type must be application/json.")
        return behaviour.act(call, state, whole)

    return replace(behaviour, act=act)


def _needs_a_length(behaviour: Behaviour) -> Behaviour:
    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        if "transfer-encoding" in call.headers:
            raise Refused(501, "no_chunks", "A body must have a Content-Length.")
        return behaviour.act(call, state, whole)

    return replace(behaviour, act=act)


def _bearer_in_any_case(behaviour: Behaviour) -> Behaviour:
    def authenticate(call: ReceivedCall, keys: Mapping[str, str]) -> Caller:
        scheme, space, token = (call.authorization or "").partition(" ")
        if scheme.lower() == "bearer":
            call = replace(call, authorization=f"Bearer{space}{token}")
        return behaviour.authenticate(call, keys)

    return replace(behaviour, authenticate=authenticate)


def _challenges(behaviour: Behaviour) -> Behaviour:
    def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
        answer = behaviour.refuse(refusal, call, state)
        challenge = (("WWW-Authenticate", 'Bearer realm="pets", error="invalid_token"'),)
        return replace(answer, headers=answer.headers + challenge) if answer.status == 401 else answer

    return replace(behaviour, refuse=refuse)


_PAGE = Answer(404, b"<!DOCTYPE html><title>Not Found</title>", (), "text/html")

VARIATIONS = [
    # 4.2
    variation(
        "strict-categories",
        "4.2",
        "A `categoryId` that no animal has gets 400.",
        _strict_categories,
        at=_CREATE,
        conflicts="others-remove",
    ),
    variation(
        "strict-names-ascii",
        "4.2",
        "A name with characters beyond ASCII gets 400.",
        _strict_names(lambda name: not name.isascii()),
        at=_CREATE,
    ),
    variation(
        "strict-names-printable",
        "4.2",
        "A name with unprintable characters gets 400.",
        _strict_names(lambda name: not name.isprintable()),
        at=_CREATE,
    ),
    variation(
        "strict-names-50",
        "4.2",
        "A name of more than 50 characters gets 400.",
        _strict_names(lambda name: len(name) > 50),
        at=_CREATE,
    ),
    variation(
        "strict-names-trimmed",
        "4.2",
        "An empty name, or one with spaces at its ends, gets 400.",
        _strict_names(lambda name: name != name.strip() or not name),
        at=_CREATE,
    ),
    variation(
        "strict-categories-positive",
        "4.2",
        "A `categoryId` below 1 gets 400.",
        refused_if("category_invalid", lambda new: new.category_id < 1),
        at=_CREATE,
        conflicts="category-zero categories-negative",
    ),
    variation(
        "strict-categories-int32",
        "4.2",
        "A `categoryId` beyond 32 bits gets 400.",
        refused_if("category_invalid", lambda new: abs(new.category_id) > 2**31 - 1),
        at=_CREATE,
        conflicts="categories-huge",
    ),
    variation(
        "strict-fields",
        "4.2",
        "A body with unknown fields (or with `id`) gets 400.",
        _strict_fields(frozenset({"name", "categoryId", "status"})),
        at=_CREATE,
    ),
    variation(
        "strict-media-type",
        "4.2",
        "A Content-Type other than application/json gets 415.",
        _needs_json_type,
        at=_CREATE,
    ),
    variation(
        "text-gets-html",
        "4.2",
        "A body that is sent as text/plain gets 400 with an HTML page.",
        answered(is_text, Answer(400, b"<h1>Bad request</h1>", media_type="text/html")),
        at=_CREATE,
    ),
    variation("chunks-refused", "4.2", "A body in chunks gets 501.", _needs_a_length, at=_CREATE),
    variation("whole-number-refused", "4.2", "`1.0` as `categoryId` gets 400.", _plain_integers, at=_CREATE),
    variation(
        "default-status",
        "4.2",
        "An animal created without a status is stored as available.",
        stored(lambda new: replace(new, status=new.status or "available")),
        at=_CREATE,
    ),
    variation(
        "location-header", "4.2", "A 201 has a Location header.", header("Location", "/v1/pets/131", 201), at=_CREATE
    ),
    # 4.3
    variation(
        "id-text-404",
        "4.3",
        "A petId that is not an int64 gets 404.",
        refused_with(404, "id_invalid"),
        at=_GET,
        conflicts=_BAD_IDS,
    ),
    variation(
        "id-text-422",
        "4.3",
        "A petId that is not an int64 gets 422.",
        refused_with(422, "id_invalid"),
        at=_GET,
        conflicts=_BAD_IDS,
    ),
    variation(
        "id-text-404-page",
        "4.3",
        "A petId that is not an int64 gets 404 with an HTML page.",
        refused_as(_PAGE, "id_invalid"),
        at=_GET,
        conflicts=_BAD_IDS,
    ),
    variation(
        "deprecation-headers",
        "4.3",
        "Deprecation and Sunset announce the removal.",
        both(header("Deprecation", "@1767225600"), header("Sunset", "Thu, 05 Dec 2030 00:00:00 GMT")),
        at=_GET,
        conflicts="sunset-on-another-day",
    ),
    variation(
        "sunset-on-another-day",
        "4.3",
        "Sunset names another day than the document.",
        header("Sunset", "Wed, 01 Jan 2031 00:00:00 GMT"),
        at=_GET,
        conflicts="deprecation-headers",
    ),
    variation(
        "removed-410",
        "4.3",
        "From its removal day on, `GET /pets/{petId}` returns 410.",
        refused_with(410, "operation_removed"),
        at=_GET,
        conflicts=_AFTER,
    ),
    variation(
        "removed-405",
        "4.3",
        "From its removal day on, `GET /pets/{petId}` returns 405.",
        refused_with(405, "operation_removed"),
        at=_GET,
        conflicts=_AFTER,
    ),
    # 4.4
    variation(
        "orders-need-parameters",
        "4.4",
        "`GET /store/orders` returns 400, because a parameter is missing.",
        always(error(400, "customer_missing")),
        at=_ORDERS,
        conflicts=_ORDER_ANSWERS,
    ),
    variation(
        "orders-object",
        "4.4",
        "`GET /store/orders` returns an object.",
        always(Answer(200, {"orders": [], "total": 0})),
        at=_ORDERS,
        conflicts=_ORDER_ANSWERS,
    ),
    variation(
        "orders-204",
        "4.4",
        "`GET /store/orders` returns 204, because there are no orders.",
        always(Answer(204, b"", (), None)),
        at=_ORDERS,
        conflicts=_ORDER_ANSWERS,
    ),
    variation(
        "orders-403",
        "4.4",
        "`GET /store/orders` returns 403, because the key may not list orders.",
        always(error(403, "forbidden")),
        at=_ORDERS,
        conflicts=_ORDER_ANSWERS,
    ),
    variation(
        "orders-csv",
        "4.4",
        "`GET /store/orders` returns a CSV table.",
        always(Answer(200, b"id;petId\r\n1;130\r\n", (), "text/csv")),
        at=_ORDERS,
        conflicts=_ORDER_ANSWERS,
    ),
    # 5
    variation("www-authenticate", "5", "A 401 has a WWW-Authenticate header.", _challenges),
    variation("bearer-in-any-case", "5", "The scheme Bearer is accepted in any letter case.", _bearer_in_any_case),
]
