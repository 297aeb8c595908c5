"""The conforming steps. They get values and return values; only the store and the quota change."""

from __future__ import annotations

import hmac
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from typing import NoReturn

import anyio.to_thread

from petstore_reference.behaviour import Behaviour, Pet, ServerState, SocketOptions
from petstore_reference.messages import Answer, Caller, EncodedAnswer, Operation, ReceivedCall, Refused
from petstore_reference.quota import ANONYMOUS, QuotaRules, Usage
from petstore_reference.store import STATUSES, Animal, NewAnimal, Store, seeded

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
DEFAULT_LIMIT, MAX_LIMIT = 20, 100
GET_PET_REMOVED = date(2030, 12, 5)


def respond(call: ReceivedCall, state: ServerState, behaviour: Behaviour) -> EncodedAnswer:
    """Counts a call, checks its key, serves it, and adds the rate limit headers."""
    refusal: Refused | None = None
    try:
        caller = behaviour.authenticate(call, state.keys)
    except Refused as no_key:
        caller, refusal = Caller(f"address {call.address}", ANONYMOUS), no_key
    usage = behaviour.spend(caller, call, state)
    try:
        if usage.retry_after is not None:
            answer = behaviour.exceeded(usage, call)
        else:
            behaviour.before_key_check(call, state, behaviour)
            if refusal is not None:
                raise refusal
            answer = behaviour.act(call, state, behaviour)
    except Refused as cannot:
        answer = behaviour.refuse(cannot, call, state)
    return behaviour.finish(_reply(answer, usage, call, behaviour), call)


def _reply(answer: Answer, usage: Usage, call: ReceivedCall, behaviour: Behaviour) -> EncodedAnswer:
    media_type = () if answer.media_type is None else (("Content-Type", answer.media_type),)
    rates = tuple(behaviour.rate_headers(usage, call, answer.status).items())
    return EncodedAnswer(answer.status, (*media_type, *rates, *answer.headers), behaviour.encode(answer.content))


# ---- section 5: authentication


def authenticate(call: ReceivedCall, keys: Mapping[str, str]) -> Caller:
    """The owner of the key in `Authorization: Bearer <API_KEY>`; the comparison takes the same time for every key."""
    if not call.authorization:
        raise Refused(401, "key_missing", "The API key is missing. Send `Authorization: Bearer <API_KEY>`.")
    scheme, token = credentials(call)
    if scheme != "Bearer":
        raise Refused(401, "key_scheme", "The scheme must be Bearer: `Authorization: Bearer <API_KEY>`.")
    if not token:
        raise Refused(401, "key_empty", "The bearer token is empty.")
    matches = [key for key in keys if hmac.compare_digest(key.encode(), token.encode())]
    if not matches:
        raise Refused(401, "key_invalid", "The API key is invalid.")
    return known(matches[0], keys)


def credentials(call: ReceivedCall) -> tuple[str, str]:
    """The scheme and the token of the Authorization header; empty if it has none."""
    scheme, _, token = (call.authorization or "").partition(" ")
    return scheme, token.strip(" ")


def known(key: str, keys: Mapping[str, str]) -> Caller:
    """The owner of this key."""
    return Caller(f"key {key}", keys[key])


def before_key_check(call: ReceivedCall, state: ServerState, behaviour: Behaviour) -> None:
    """The server checks nothing before the key."""


# ---- section 8: rate limits


def spend(caller: Caller, call: ReceivedCall, state: ServerState) -> Usage:
    """Every request counts, whatever its answer."""
    return state.quota.spend(caller)


def exceeded(usage: Usage, call: ReceivedCall) -> Answer:
    """429 with the seconds until the quota is available again, rounded up."""
    content = {
        "code": "rate_limited",
        "message": "Rate limit exceeded. Wait as long as Retry-After says.",
        "status": 429,
    }
    return Answer(429, content, headers=(("Retry-After", str(max(1, math.ceil(usage.retry_after or 0)))),))


def rate_headers(usage: Usage, call: ReceivedCall, status: int) -> dict[str, str]:
    """The three headers of every response. Reset is rounded up, so that the window is over at that time."""
    return {
        "X-RateLimit-Limit": str(usage.limit),
        "X-RateLimit-Remaining": str(usage.remaining),
        "X-RateLimit-Reset": str(math.ceil(usage.reset)),
    }


# ---- section 7: errors


def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
    """An Error that names the defect."""
    content = {"code": refusal.code, "message": refusal.message, "status": refusal.status}
    return Answer(refusal.status, content, refusal.headers)


def act_nowhere(call: ReceivedCall, state: ServerState, behaviour: Behaviour) -> NoReturn:
    """A path or a method that is not in the document."""
    if call.allowed:
        allow = (("Allow", ", ".join(call.allowed)),)
        raise Refused(405, "method_not_allowed", f"{call.method} is not allowed on this path.", allow)
    raise Refused(404, "not_found", "This path does not exist.")


# ---- section 4.1: list


def act_list(call: ReceivedCall, state: ServerState, behaviour: Behaviour) -> Answer:
    """GET /pets: a page of animals, all of one status if the call asks for one."""
    limit = behaviour.read_limit(call.query.get("limit"))
    status = behaviour.read_filter(call.query.get("status"))
    animals = [animal for animal in state.store.newest_first() if behaviour.visible(animal, call.time)]
    page = behaviour.select(behaviour.arrange(animals), lambda animal: behaviour.matches(animal, status), limit)
    return Answer(200, behaviour.envelope([behaviour.represent(animal) for animal in page]))


def read_limit(text: str | None) -> int:
    """`limit` from 1 to 100; 20 by default."""
    if text is None:
        return DEFAULT_LIMIT
    if not re.fullmatch(r"[0-9]{1,18}", text) or not 1 <= int(text) <= MAX_LIMIT:
        raise Refused(400, "limit_invalid", f"limit must be an integer from 1 to {MAX_LIMIT}.")
    return int(text)


def read_filter(text: str | None) -> str | None:
    """`status` as a filter; None by default."""
    if text is not None and text not in STATUSES:
        raise Refused(400, "filter_invalid", f"status must be one of {', '.join(STATUSES)}.")
    return text


def visible(animal: Animal, now: float) -> bool:
    """An animal shows as soon as it is added."""
    return True


def arrange(animals: list[Animal]) -> list[Animal]:
    """Newest first."""
    return animals


def matches(animal: Animal, status: str | None) -> bool:
    """Whether the animal has the requested status; always true without a filter."""
    return status is None or animal.status == status


def select(animals: Sequence[Animal], matches: Callable[[Animal], bool], limit: int) -> Sequence[Animal]:
    """The first `limit` of the animals that match."""
    return [animal for animal in animals if matches(animal)][:limit]


def envelope(pets: list[Pet]) -> object:
    """The list is a bare array."""
    return pets


# ---- section 4.2: create


def act_create(call: ReceivedCall, state: ServerState, behaviour: Behaviour) -> Answer:
    """POST /pets: adds an animal and answers with it."""
    if call.body is None:
        raise Refused(400, "body_too_large", "The body must not be larger than 1 MiB.")
    animal = behaviour.keep(read_new(call.body, behaviour), behaviour.new_id(state.store), call, state)
    return Answer(201, behaviour.represent(animal))


def read_new(body: bytes, behaviour: Behaviour) -> NewAnimal:
    """The NewPet in a body."""
    fields = behaviour.parse(body)
    return NewAnimal(behaviour.read_name(fields), behaviour.read_category(fields), behaviour.read_status(fields))


def parse(body: bytes) -> dict[str, object]:
    """The JSON object in a body; integers stay exact however they are written, NaN and Infinity are not JSON."""
    if not body:
        raise Refused(400, "body_missing", "The body is missing. Send a JSON object.")
    try:
        content = json.loads(body, parse_constant=_not_json, parse_float=_number, parse_int=_integer)
    except ValueError:
        raise Refused(400, "body_not_json", "The body must be JSON.") from None
    except RecursionError:
        raise Refused(400, "body_too_deep", "The body is nested too deeply.") from None
    if not isinstance(content, dict):
        raise Refused(400, "body_not_object", "The body must be a JSON object.")
    return content


def _not_json(constant: str) -> NoReturn:
    raise ValueError(constant)


def _integer(text: str) -> int:
    """Python reads at most 4,300 digits; thirty are beyond int64 already."""
    return int(text[:30])


class DecimalInteger(int):
    """An integer that is written with a fraction or an exponent, as in `1.0` and `1e3`. JSON Schema allows both."""


def _number(text: str) -> float | DecimalInteger:
    near = float(text)
    if not near.is_integer() or abs(near) > 2**63:
        return near
    try:
        exact = Decimal(text)
    except InvalidOperation:  # an exponent of twenty digits
        return near
    return DecimalInteger(exact) if exact == exact.to_integral_value() else near


def read_name(fields: dict[str, object]) -> str:
    """`name`: any text that can be encoded in UTF-8."""
    if "name" not in fields:
        raise Refused(400, "name_missing", "name is required.")
    name = fields["name"]
    if not isinstance(name, str):
        raise Refused(400, "name_null" if name is None else "name_not_string", "name must be a string.")
    if any("\ud800" <= character <= "\udfff" for character in name):
        raise Refused(400, "name_not_unicode", "name must not contain half of a surrogate pair.")
    return name


def read_category(fields: dict[str, object]) -> int:
    """`categoryId`: a 64-bit integer, which may be written as `1.0`."""
    if "categoryId" not in fields:
        raise Refused(400, "category_missing", "categoryId is required.")
    category = fields["categoryId"]
    if not isinstance(category, int) or isinstance(category, bool):
        kinds = {str: "text", float: "fraction", bool: "boolean", type(None): "null"}
        infinite = isinstance(category, float) and math.isinf(category)  # 1e400
        code = f"category_{'infinite' if infinite else kinds.get(type(category), 'not_integer')}"
        raise Refused(400, code, "categoryId must be an integer.")
    if not INT64_MIN <= category <= INT64_MAX:
        raise Refused(400, "category_beyond_int64", "categoryId must be a 64-bit integer.")
    return int(category)


def read_status(fields: dict[str, object]) -> str | None:
    """`status`: one of the three, or absent."""
    if "status" not in fields:
        return None
    status = fields["status"]
    if isinstance(status, str) and status in STATUSES:
        return status
    code = "status_null" if status is None else "status_case" if str(status).lower() in STATUSES else "status_unknown"
    raise Refused(400, code, f"status must be one of {', '.join(STATUSES)}, or left out.")


def new_id(store: Store) -> int:
    """The next free id."""
    return store.next_number()


def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
    """Stores the animal exactly as sent; the client sees what is returned."""
    return state.store.put(Animal(animal_id, new.name, new.category_id, new.status, born=call.time))


# ---- section 4.3: get


def act_get(call: ReceivedCall, state: ServerState, behaviour: Behaviour) -> Answer:
    """GET /pets/{petId}: one animal, until the operation is removed."""
    if behaviour.removed(state.as_of or datetime.fromtimestamp(call.time, UTC).date()):
        raise Refused(
            404, "operation_removed", "GET /pets/{petId} was removed on 5 December 2030. Use GET /pets with status."
        )
    animal = behaviour.find(behaviour.read_id(call.pet_id), state.store)
    if animal is None or not behaviour.visible(animal, call.time):
        raise Refused(404, "pet_not_found", "No animal has this id.")
    return Answer(200, behaviour.represent(animal))


def read_id(text: str) -> int:
    """`petId`, a 64-bit integer."""
    if not re.fullmatch(r"-?[0-9]{1,19}", text) or not INT64_MIN <= int(text) <= INT64_MAX:
        raise Refused(400, "id_invalid", "petId must be a 64-bit integer.")
    return int(text)


def removed(today: date) -> bool:
    """Whether the operation is removed: from 5 December 2030 on."""
    return today >= GET_PET_REMOVED


def find(animal_id: int, store: Store) -> Animal | None:
    """The animal with that id."""
    return store.find(animal_id)


# ---- section 4.4: store orders


def act_orders(call: ReceivedCall, state: ServerState, behaviour: Behaviour) -> Answer:
    """GET /store/orders: it exists, and there are no orders."""
    return Answer(200, [])


# ---- section 2: what a Pet looks like


def represent(animal: Animal) -> Pet:
    """The Pet for an animal; without `status` if the animal has none."""
    pet: Pet = {"id": animal.id, "name": animal.name, "categoryId": animal.category_id}
    return pet if animal.status is None else {**pet, "status": animal.status}


# ---- from an answer to bytes


def encode(content: object) -> bytes:
    """The content as JSON in UTF-8; bytes are returned unchanged."""
    if isinstance(content, bytes):
        return content
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def finish(reply: EncodedAnswer, call: ReceivedCall) -> EncodedAnswer:
    """The reply is sent unchanged."""
    return reply


# ---- the server as a whole


def rules(rules: QuotaRules) -> QuotaRules:
    """The rules apply unchanged."""
    return rules


def other_clients(call: ReceivedCall, state: ServerState, behaviour: Behaviour) -> None:
    """No other client uses the server."""


async def handle(call: ReceivedCall, state: ServerState, behaviour: Behaviour) -> EncodedAnswer:
    """Serves one call at once, or in a thread beside the others; overrides wait before or after."""
    if behaviour.threads:
        return await anyio.to_thread.run_sync(respond, call, state, behaviour)
    return respond(call, state, behaviour)


_BASE = Behaviour(
    authenticate=authenticate,
    before_key_check=before_key_check,
    spend=spend,
    exceeded=exceeded,
    rate_headers=rate_headers,
    act=act_nowhere,
    refuse=refuse,
    read_limit=read_limit,
    read_filter=read_filter,
    visible=visible,
    arrange=arrange,
    matches=matches,
    select=select,
    envelope=envelope,
    parse=parse,
    read_name=read_name,
    read_category=read_category,
    read_status=read_status,
    new_id=new_id,
    keep=keep,
    read_id=read_id,
    removed=removed,
    find=find,
    represent=represent,
    encode=encode,
    finish=finish,
    seed=seeded,
    rules=rules,
    other_clients=other_clients,
    handle=handle,
    threads=False,
    skew=0.0,
    socket_options=SocketOptions(),
)

CONFORMING: Mapping[Operation | None, Behaviour] = {
    None: _BASE,
    Operation.LIST: replace(_BASE, act=act_list),
    Operation.CREATE: replace(_BASE, act=act_create),
    Operation.GET: replace(_BASE, act=act_get),
    Operation.ORDERS: replace(_BASE, act=act_orders),
}
"""What each operation does without overrides; None stands for paths and methods that are not in the document."""
