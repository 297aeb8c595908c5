"""Faults of a server on one event loop: each shows only while two requests are under way.

Between reading something that requests share and using it, the server waits for a database, and other requests go on.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.messages import Caller, EncodedAnswer, Operation, ReceivedCall, Refused
from petstore_reference.overrides import Serve, handled
from petstore_reference.quota import ANONYMOUS, Usage
from petstore_reference.registry import Fault, fault

_DATABASE_S = 0.003
_ORDINARY = "CREATE-1 CREATE-2 CREATE-3 CREATE-4"
_INVALID_BODIES = "CREATE-5 CREATE-6 CREATE-7 CREATE-8 CREATE-9 CREATE-10 CREATE-14"
_PAGES = "LIST-3 LIST-4 LIST-5 LIST-7 LIST-8"
_STORED = "CREATE-11 CREATE-12 CREATE-13"
_STATUSES = "LIST-1 LIST-2 LIST-6 GET-1 GET-3 ORDERS-1"
_KEYS = "AUTH-1 AUTH-2 AUTH-3 AUTH-4 AUTH-5 AUTH-6 AUTH-7 RATE-5"
# of a server that sends a response, or half of it, to another request
_MIXED = (
    "SERVICE-1 PET-1 PET-2 PET-3 PET-4 PET-5 PETS-1 GET-2 ERROR-1 ERROR-2 ERROR-3 ERROR-4 RATE-4 "
    f"{_PAGES} {_ORDINARY} {_INVALID_BODIES} {_STORED} {_STATUSES} {_KEYS}"
)
_RATES = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")

_Handled = Callable[[ReceivedCall, ServerState, Behaviour, Serve], Awaitable[EncodedAnswer]]


async def _database() -> None:
    await asyncio.sleep(_DATABASE_S)


def _of(operation: Operation, make: _Handled) -> Override:
    """`make` answers the calls of one operation."""

    async def handle(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
        if call.operation is operation:
            return await make(call, state, behaviour, serve)
        return await serve(call, behaviour)

    return handled(handle)


# ---- ids


async def _id_read_before(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    number = max((animal.id for animal in state.store.newest_first()), default=0) + 1
    await _database()
    return await serve(call, replace(behaviour, new_id=lambda store: number))


async def _id_from_clock(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    await _database()
    return await serve(call, replace(behaviour, new_id=lambda store: int(time.time() * 1000)))


async def _conflict(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    """Each write compares the version that it read with the one in force."""
    memory = state.memory["version"]
    read = memory.get("", 0)
    await _database()

    def new_id(store: Any) -> int:
        if memory.get("", 0) != read:
            raise Refused(409, "conflict", "The list was changed meanwhile.")
        memory[""] = read + 1
        return behaviour.new_id(store)

    return await serve(call, replace(behaviour, new_id=new_id))


async def _double_click(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    """A second POST of a key, while one is under way, is taken for a double click and gets the same answer."""

    async def create() -> EncodedAnswer:
        await _database()
        return await serve(call, behaviour)

    return await _joined(state.memory["double click"], call.authorization or "", create)


# ---- what should belong to one request, kept where all requests see it


async def _current_request(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    shared = state.memory["current request"]
    shared["call"] = call
    await _database()
    return await serve(shared["call"], behaviour)


async def _current_user(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    shared = state.memory["current user"]
    try:
        shared["user"] = behaviour.authenticate(call, state.keys)
    except Refused as refusal:
        shared["user"] = refusal
    await _database()
    user: Caller | Refused = shared["user"]

    def authenticate(call: ReceivedCall, keys: object) -> Caller:
        if isinstance(user, Refused):
            raise user
        return user

    return await serve(call, replace(behaviour, authenticate=authenticate))


async def _user_until_end(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    """A valid key sets the user, and the end of a request clears it."""
    session = state.memory["session"]
    with contextlib.suppress(Refused):
        session["user"] = behaviour.authenticate(call, state.keys)
    await _database()

    def authenticate(call: ReceivedCall, keys: Mapping[str, str]) -> Caller:
        user: Caller | None = session.get("user")
        if user is not None:
            return user
        behaviour.authenticate(call, {})  # refuses
        raise AssertionError("a server without keys accepted one")

    try:
        return await serve(call, replace(behaviour, authenticate=authenticate))
    finally:
        session.pop("user", None)


def _on_handler(operation: Operation, *fields: str) -> Override:
    """The handler of an operation is one object, and keeps these fields of the call until the database has answered."""

    async def handle(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
        handler = state.memory["handler"]
        handler.update({field: getattr(call, field) for field in fields})
        await _database()
        return await serve(replace(call, **{field: handler[field] for field in fields}), behaviour)

    return _of(operation, handle)


def _parameter_on_handler(name: str) -> Override:
    async def handle(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
        handler = state.memory["handler"]
        handler[name] = call.query.get(name)
        await _database()
        query = {key: value for key, value in call.query.items() if key != name}
        if handler[name] is not None:
            query[name] = handler[name]
        return await serve(replace(call, query=query), behaviour)

    return _of(Operation.LIST, handle)


# ---- answers


async def _shared_buffer(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    reply = await serve(call, behaviour)
    buffer: bytearray = state.memory["buffer"].setdefault("", bytearray())
    buffer[:] = reply.body
    await _database()
    return replace(reply, body=bytes(buffer))


async def _shared_status(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    shared = state.memory["response"]
    reply = await serve(call, behaviour)
    shared["status"] = reply.status
    await _database()
    return replace(reply, status=shared["status"])


async def _shared_length(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    headers = state.memory["headers"]
    reply = await serve(call, behaviour)
    headers["Content-Length"] = str(len(reply.body))
    await _database()
    return reply.having("Content-Length", headers["Content-Length"])


async def _pending_headers(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    """The headers to add wait in one dictionary; the first response to be sent takes them all out."""
    pending = state.memory["pending headers"]
    reply = await serve(call, behaviour)
    pending.update({name: reply.header(name) for name in _RATES})
    await _database()
    for name in _RATES:
        reply = reply.having(name, pending.pop(name, None))
    return reply


async def _joined(
    under_way: dict[str, asyncio.Future[EncodedAnswer]], name: str, begin: Callable[[], Awaitable[EncodedAnswer]]
) -> EncodedAnswer:
    """The answer to the call of this name that is under way; begins one if there is none."""
    if name not in under_way:
        under_way[name] = asyncio.ensure_future(begin())
        under_way[name].add_done_callback(lambda _: under_way.pop(name))
    return await asyncio.shield(under_way[name])


async def _joined_by_path(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    """Each call is counted and its key is checked; a page that is being read is sent to all who ask for `/pets`."""
    own = await serve(call, behaviour)
    if own.status != 200:
        return own

    async def page() -> EncodedAnswer:
        await _database()
        return own

    return replace(own, body=(await _joined(state.memory["pages"], call.path, page)).body)


async def _joined_by_url(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    """A cache in front of the server joins equal GETs, with any key or none."""
    if call.method != "GET":
        return await serve(call, behaviour)

    async def answer() -> EncodedAnswer:
        await _database()
        return await serve(call, behaviour)

    return await _joined(state.memory["cache"], f"{call.path}?{sorted(call.query.items())}", answer)


# ---- quotas


async def _lost_counts(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    """The count of a caller is read, and is written one higher after another round trip to the database."""
    try:
        caller = behaviour.authenticate(call, state.keys)
    except Refused:
        caller = Caller(f"address {call.address}", ANONYMOUS)
    counts: dict[str, tuple[int, float]] = state.memory["counts"]
    rules, now = state.quota.rules, state.quota.now
    limit = rules.per_window[caller.plan]
    spent, reset = counts.get(caller.bucket, (0, 0.0))
    if reset <= now:
        spent, reset = 0, now + rules.window_seconds
    await _database()
    over = spent >= limit
    counts[caller.bucket] = (spent + (not over), reset)
    usage = Usage(limit, 0, reset, math.ceil(reset - now)) if over else Usage(limit, limit - spent - 1, reset)
    return await serve(call, replace(behaviour, spend=lambda caller, call, state: usage))


async def _answers_swapped(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    """Answers wait in one queue for their log line, and the first request to come back takes the last answer."""
    queue: list[EncodedAnswer] = state.memory["queue"].setdefault("", [])
    queue.append(await serve(call, behaviour))
    await _database()
    return queue.pop()


def _overlap(
    name: str, section: str, summary: str, breaks: str, override: Override, needs: str = "writes"
) -> Iterator[Fault]:
    return fault(name, summary, breaks, override, section=section, needs=needs, at=(None,))


FAULTS = [
    *_overlap(
        "id-read-before-await",
        "4.2",
        "The next id is read before the database is awaited, so two POSTs get one id.",
        "PET-5 CREATE-12 CREATE-13 GET-2",
        _of(Operation.CREATE, _id_read_before),
    ),
    *_overlap(
        "id-from-milliseconds",
        "4.2",
        "The id is the time in milliseconds, so two POSTs in one millisecond get one id.",
        "PET-5 CREATE-12 CREATE-13 GET-2",
        _of(Operation.CREATE, _id_from_clock),
    ),
    *_overlap(
        "version-conflict-409",
        "4.2",
        "A POST gets 409 if another one was stored since it began.",
        "CREATE-1 CREATE-14",
        _of(Operation.CREATE, _conflict),
    ),
    *_overlap(
        "double-click-by-key",
        "4.2",
        "A POST gets the response of another POST of the same key that is under way.",
        f"{_ORDINARY} {_INVALID_BODIES} {_STORED} PET-5 RATE-4",
        _of(Operation.CREATE, _double_click),
    ),
    *_overlap(
        "current-request-global",
        "4",
        "The current request is a global, so a response answers another request.",
        _MIXED,
        handled(_current_request),
    ),
    *_overlap(
        "current-user-global",
        "5",
        "The current user is a global, so a request is judged by the key of another one.",
        _KEYS,
        handled(_current_user),
    ),
    *_overlap(
        "user-cleared-at-the-end",
        "5",
        "A valid key sets a global user until its request ends, so a request without a key is served.",
        _KEYS,
        handled(_user_until_end),
    ),
    *_overlap(
        "body-on-handler",
        "4.2",
        "All POSTs share a handler that keeps the body, so one stores what another sent.",
        f"{_ORDINARY} {_INVALID_BODIES} {_STORED}",
        _on_handler(Operation.CREATE, "body"),
    ),
    *_overlap(
        "id-on-handler",
        "4.3",
        "All `GET /pets/{petId}` share a handler that keeps the id, so one returns another's animal.",
        "GET-1 GET-2 GET-3 CREATE-12 PET-5",
        _on_handler(Operation.GET, "pet_id"),
        needs="",
    ),
    *_overlap(
        "filter-on-handler",
        "4.1",
        "All `GET /pets` share a handler that keeps the filter, so a page has another's status.",
        "LIST-6 LIST-7 LIST-8 LIST-4 LIST-1 CREATE-13",
        _parameter_on_handler("status"),
        needs="",
    ),
    *_overlap(
        "limit-on-handler",
        "4.1",
        "All `GET /pets` share a handler that keeps `limit`, so a page has another's size.",
        "LIST-1 LIST-2 LIST-3 LIST-4 LIST-5 LIST-6 LIST-8 CREATE-13",
        _parameter_on_handler("limit"),
        needs="",
    ),
    *_overlap(
        "shared-response-buffer",
        "1",
        "All responses share a buffer, so one has another's body.",
        _MIXED,
        handled(_shared_buffer),
    ),
    *_overlap(
        "shared-response-status",
        "7",
        "All responses share a status code, so one has another's.",
        _MIXED,
        handled(_shared_status),
    ),
    *_overlap(
        "rate-headers-taken-by-first",
        "8",
        "The rate limit headers wait in a shared dictionary, which the first response to be sent empties.",
        "RATE-1 RATE-2 RATE-3 RATE-4 RATE-5",
        handled(_pending_headers),
        needs="",
    ),
    *_overlap(
        "shared-content-length",
        "1",
        "All responses share their headers, so one has the Content-Length of another and is cut.",
        f"SERVICE-1 {_STATUSES} {_KEYS} CREATE-1 CREATE-12 {_INVALID_BODIES}",
        handled(_shared_length),
    ),
    *_overlap(
        "pages-joined-by-path",
        "4.1",
        "A page that is being read is sent to all who ask for a page, whatever their parameters.",
        f"{_PAGES} LIST-2 LIST-6 CREATE-13",
        _of(Operation.LIST, _joined_by_path),
        needs="",
    ),
    *_overlap(
        "gets-joined-without-key",
        "5",
        "Equal GETs at the same time share a response, with or without a key.",
        f"{_KEYS} RATE-4",
        handled(_joined_by_url),
        needs="",
    ),
    *_overlap(
        "responses-from-a-stack",
        "1",
        "Responses wait on a stack to be logged, so a request takes the response of a later one.",
        _MIXED,
        handled(_answers_swapped),
    ),
    *_overlap(
        "count-read-before-await",
        "8",
        "The count of a key is read before an await and written after it, so requests are not counted.",
        "RATE-4",
        handled(_lost_counts),
    ),
]
