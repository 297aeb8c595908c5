"""The application: turns requests into calls, answers them with `Behaviour.handle`, and sends the replies."""

from __future__ import annotations

import time
import weakref
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import date
from email.utils import formatdate
from functools import partial

import anyio
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from petstore_reference.behaviour import Behaviour, ServerState, SocketOptions
from petstore_reference.conforming import CONFORMING, authenticate
from petstore_reference.faults import FAULTY
from petstore_reference.messages import EncodedAnswer, LoggedRequest, Operation, ReceivedCall, Refused
from petstore_reference.quota import ANONYMOUS, PER_MINUTE, QuotaCounter, QuotaRules
from petstore_reference.registry import applied, chosen
from petstore_reference.store import Store
from petstore_reference.variations import VARIATIONS

MAX_BODY = 1 << 20

OPERATIONS: Mapping[str, Mapping[str, Operation]] = {
    "/v1/pets": {"GET": Operation.LIST, "POST": Operation.CREATE},
    "/v1/pets/{pet_id}": {"GET": Operation.GET},
    "/v1/store/orders": {"GET": Operation.ORDERS},
    "/{path:path}": {},
}


@dataclass(frozen=True)
class ReferenceSettings:
    """How a reference server is set up.

    `keys` gives the plan (free, pro, business, enterprise) of each API key. `window_seconds` is the length of the
    "minute" in the plans; below one second two windows may share an X-RateLimit-Reset. `custom_limit` is the
    enterprise limit per window, `anonymous_limit` the limit per address for requests without a valid key. `as_of` is
    the server's date; None means the date of its clock, in UTC. `animals` is the number of animals at the start; the
    same `seed` gives the same ones. `faults` and `variations` are names in `FAULTY` and `VARIATIONS`.
    """

    keys: Mapping[str, str]
    window_seconds: float = 60.0
    custom_limit: int = 5000
    animals: int = 130
    as_of: date | None = None
    faults: tuple[str, ...] = ()
    variations: tuple[str, ...] = ()
    seed: int = 1
    anonymous_limit: int = 60


def create_app(
    settings: ReferenceSettings, *, clock: Callable[[], float] = time.time, store: Store | None = None
) -> Starlette:
    """A pet store below `/v1` that obeys the document except for the faults in the settings.

    `clock` gives Unix time in seconds; `store` is the store of an earlier application to continue with.
    `app.state.store` is the store, `app.state.log` the list of the `LoggedRequest`s of all requests so far, and
    `app.state.socket_options` what `serve.running` does on the socket. Raises ValueError for an unknown plan, fault or
    variation, and for variations that contradict each other.
    """
    behaviours = _behaviours(settings)
    whole = behaviours[None]
    own_date = whole.socket_options.own_date or whole.skew != 0 or clock is not time.time
    now = clock if whole.skew == 0 else lambda: clock() + whole.skew
    state = ServerState(
        keys=settings.keys,
        store=store or Store(whole.seed(settings.animals, settings.seed)),
        quota=QuotaCounter(whole.rules(_rules(settings)), now),
        as_of=settings.as_of,
        log=[],
        memory=defaultdict(dict),
        closing=ExitStack(),
    )
    weakref.finalize(state.store, state.closing.close)  # of a server without a socket
    options = replace(whole.socket_options, own_date=own_date)
    app = Starlette(
        routes=[
            Route(path, _Endpoint(operations, behaviours, state, now, options))
            for path, operations in OPERATIONS.items()
        ],
        lifespan=partial(_lifespan, state.closing),
    )
    app.router.redirect_slashes = False
    app.state.store = state.store
    app.state.log = state.log
    app.state.socket_options = options
    return app


@asynccontextmanager
async def _lifespan(closing: ExitStack, app: Starlette) -> AsyncIterator[None]:
    try:
        yield
    finally:
        closing.close()


def _behaviours(settings: ReferenceSettings) -> dict[Operation | None, Behaviour]:
    variations = chosen("variation", settings.variations, VARIATIONS)
    for variation in variations:
        if contradicted := variation.conflicts & set(settings.variations):
            raise ValueError(f"variation {variation.name!r} contradicts {', '.join(sorted(contradicted))}")
    return applied([*variations, *chosen("fault", settings.faults, FAULTY)], CONFORMING)


def _rules(settings: ReferenceSettings) -> QuotaRules:
    per_window = {**PER_MINUTE, "enterprise": settings.custom_limit, ANONYMOUS: settings.anonymous_limit}
    if unknown := set(settings.keys.values()) - (per_window.keys() - {ANONYMOUS}):
        raise ValueError(f"no plan is named {min(unknown)!r}; plans: free, pro, business and enterprise")
    return QuotaRules(per_window, window_seconds=settings.window_seconds)


class _Endpoint:
    """One path: reads the request, answers it with the behaviour of its operation, and writes the log."""

    def __init__(
        self,
        operations: Mapping[str, Operation],
        behaviours: Mapping[Operation | None, Behaviour],
        state: ServerState,
        clock: Callable[[], float],
        options: SocketOptions,
    ) -> None:
        self._operations = operations
        self._behaviours = behaviours
        self._state = state
        self._clock = clock
        self._options = options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            call = await self._call(request)
        except ClientDisconnect:
            return
        if self._options.delay:
            await anyio.sleep(self._options.delay)
        whole = self._behaviours[None]
        whole.other_clients(call, self._state, whole)
        reply = await whole.handle(call, self._state, self._behaviours[call.operation])
        record = LoggedRequest(
            time=call.time,
            method=call.method,
            path=call.path,
            query=request.scope["query_string"].decode("latin-1"),
            credential=_credential(call, self._state.keys),
            status=reply.status,
            retry_after=reply.header("Retry-After"),
        )
        self._state.log.append(record)
        await _response(reply, self._options, call.time)(scope, receive, send)

    async def _call(self, request: Request) -> ReceivedCall:
        authorization = request.headers.getlist("authorization")
        return ReceivedCall(
            operation=self._operations.get(request.method),
            method=request.method,
            path=request.scope["path"],
            query=request.query_params,
            headers=request.headers,
            authorization=authorization[0] if len(authorization) == 1 else None,
            body=await _body(request),
            address=request.client.host if request.client else "",
            time=self._clock(),
            pet_id=request.path_params.get("pet_id", ""),
            allowed=tuple(self._operations),
        )


async def _body(request: Request) -> bytes | None:
    """The whole body; None if it exceeds the cap, after reading and discarding the rest."""
    body = bytearray()
    async for piece in request.stream():
        if len(body) <= MAX_BODY:
            body += piece
    return bytes(body) if len(body) <= MAX_BODY else None


def _credential(call: ReceivedCall, keys: Mapping[str, str]) -> str:
    try:
        authenticate(call, keys)
    except Refused as refusal:
        return refusal.code
    return "valid"


def _response(reply: EncodedAnswer, options: SocketOptions, now: float) -> Response:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
    if options.own_date:
        headers.append((b"Date", formatdate(now + options.date_offset, usegmt=True).encode()))
    if options.chunked and reply.status != 204:
        half = len(reply.body) // 2
        response: Response = StreamingResponse(iter((reply.body[:half], reply.body[half:])), reply.status)
    else:
        response = Response(reply.body, reply.status)
        if reply.status != 204 and reply.header("Content-Length") is None:
            headers.append((b"Content-Length", str(len(reply.body)).encode()))
    response.raw_headers = headers
    return response
