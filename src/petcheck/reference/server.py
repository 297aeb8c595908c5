"""The application: requests become calls, calls are answered by `conforming.respond`, replies become responses."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from email.utils import formatdate

import anyio
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from petcheck.reference.behaviour import Behaviour, Site, Wire
from petcheck.reference.conforming import CONFORMING, authenticate, respond
from petcheck.reference.faults import FAULTS
from petcheck.reference.messages import Call, Operation, Record, Refusal, Reply
from petcheck.reference.quota import ANONYMOUS, PER_MINUTE, Quota, QuotaRules
from petcheck.reference.seam import applied, chosen
from petcheck.reference.store import Store
from petcheck.reference.variations import VARIATIONS

MAX_BODY = 1 << 20

OPERATIONS: Mapping[str, Mapping[str, Operation]] = {
    "/v1/pets": {"GET": Operation.LIST, "POST": Operation.CREATE},
    "/v1/pets/{pet_id}": {"GET": Operation.GET},
    "/v1/store/orders": {"GET": Operation.ORDERS},
    "/{path:path}": {},
}


@dataclass(frozen=True)
class ReferenceSettings:
    """What a reference server is to be.

    `keys` gives the plan (free, pro, business, enterprise) of each API key. `window_seconds` is the length of the
    "minute" that the plans count in; below one second two windows may share an X-RateLimit-Reset. `custom_limit` is
    what enterprise has in a window, `anonymous_limit` what an address has for requests without a valid key. `as_of` is
    the day that it takes for today (None: its clock's, in UTC). `animals` is how many there are at first, the same ones
    for the same `seed`. `faults` and `variations` are names in `FAULTS` and `VARIATIONS`.
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
    """A pet store below `/v1` that obeys the document but for the faults in the settings.

    `clock` gives Unix time in seconds; `store` is that of an application before it, which it goes on with.
    `app.state.store` is the store, `app.state.log` is the list of `Record`s of all requests so far,
    `app.state.wire` what `serve.running` has to do below the application. Raises ValueError for a plan, fault or
    variation that is not known, and for variations that contradict each other.
    """
    behaviours = _behaviours(settings)
    whole = behaviours[None]
    own_date = whole.skew != 0 or clock is not time.time
    now = clock if whole.skew == 0 else lambda: clock() + whole.skew
    site = Site(
        keys=settings.keys,
        store=store or Store(whole.seed(settings.animals, settings.seed)),
        quota=Quota(whole.rules(_rules(settings)), now),
        as_of=settings.as_of,
        log=[],
        memory=defaultdict(dict),
    )
    wire = replace(whole.wire, own_date=own_date)
    app = Starlette(
        routes=[
            Route(path, _Endpoint(operations, behaviours, site, now, wire)) for path, operations in OPERATIONS.items()
        ]
    )
    app.router.redirect_slashes = False
    app.state.store = site.store
    app.state.log = site.log
    app.state.wire = wire
    return app


def _behaviours(settings: ReferenceSettings) -> dict[Operation | None, Behaviour]:
    variations = chosen("variation", settings.variations, VARIATIONS)
    for variation in variations:
        if contradicted := variation.conflicts & set(settings.variations):
            raise ValueError(f"variation {variation.name!r} contradicts {', '.join(sorted(contradicted))}")
    return applied([*variations, *chosen("fault", settings.faults, FAULTS)], CONFORMING)


def _rules(settings: ReferenceSettings) -> QuotaRules:
    per_window = {**PER_MINUTE, "enterprise": settings.custom_limit, ANONYMOUS: settings.anonymous_limit}
    if unknown := set(settings.keys.values()) - (per_window.keys() - {ANONYMOUS}):
        raise ValueError(f"no plan is named {min(unknown)!r}; there are free, pro, business and enterprise")
    return QuotaRules(per_window, window_seconds=settings.window_seconds)


class _Endpoint:
    """What is at one path: reads the request, has it answered by the behaviour of its operation, writes the log."""

    def __init__(
        self,
        operations: Mapping[str, Operation],
        behaviours: Mapping[Operation | None, Behaviour],
        site: Site,
        clock: Callable[[], float],
        wire: Wire,
    ) -> None:
        self._operations = operations
        self._behaviours = behaviours
        self._site = site
        self._clock = clock
        self._wire = wire

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            call = await self._call(request)
        except ClientDisconnect:
            return
        if self._wire.delay:
            await anyio.sleep(self._wire.delay)
        whole = self._behaviours[None]
        whole.meanwhile(call, self._site, whole)
        reply = respond(call, self._site, self._behaviours[call.operation])
        record = Record(
            time=call.time,
            method=call.method,
            path=call.path,
            query=request.scope["query_string"].decode("latin-1"),
            credential=_credential(call, self._site.keys),
            status=reply.status,
            retry_after=reply.header("Retry-After"),
        )
        self._site.log.append(record)
        await _response(reply, self._wire, call.time)(scope, receive, send)

    async def _call(self, request: Request) -> Call:
        authorization = request.headers.getlist("authorization")
        return Call(
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
    """The whole body, None where it is over the cap; then the rest is read and thrown away."""
    body = bytearray()
    async for piece in request.stream():
        if len(body) <= MAX_BODY:
            body += piece
    return bytes(body) if len(body) <= MAX_BODY else None


def _credential(call: Call, keys: Mapping[str, str]) -> str:
    try:
        authenticate(call, keys)
    except Refusal as refusal:
        return refusal.code
    return "valid"


def _response(reply: Reply, wire: Wire, now: float) -> Response:
    headers = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in reply.headers]
    if wire.own_date:
        headers.append((b"Date", formatdate(now, usegmt=True).encode()))
    if wire.chunked and reply.status != 204:
        half = len(reply.body) // 2
        response: Response = StreamingResponse(iter((reply.body[:half], reply.body[half:])), reply.status)
    else:
        response = Response(reply.body, reply.status)
        if reply.status != 204:
            headers.append((b"Content-Length", str(len(reply.body)).encode()))
    response.raw_headers = headers
    return response
