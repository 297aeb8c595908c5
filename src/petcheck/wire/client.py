"""The HTTP client: sends one request and returns a `Response` or a `NoAnswer`, always within the deadline.

A target is not trusted. The deadline covers the whole exchange, since a peer that sends a byte now and then satisfies
any timeout for a single read. The received bytes and the decompressed bytes are both capped. Redirects are not
followed, cookies are not kept, and proxies of the environment are not used.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Coroutine, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias, TypeVar

import anyio
import h11
import truststore

from petcheck.errors import ConnectionLost
from petcheck.exchange import NoAnswer, Response, Silence, header_bytes
from petcheck.wire.decoding import decoded
from petcheck.wire.httpx_without_cli import httpx
from petcheck.wire.silences import NOTHING, silence_of, ssl_error, tls_problem

# most bytes read of a body: a page of a hundred animals has room for 80 KB each. Of a longer one the beginning is kept
BODY_CAP = 8 * 1024 * 1024
KEPT_OF_MORE = 64 * 1024
# most bytes kept of all bodies of a target: reports need several times that
RECORD_CAP = 48 * 1024 * 1024
_TLS_REFUSAL_S = 2.0
# events of httpcore
_CONNECTING, _SENDING = "connection.connect_tcp.started", "http11.send_request_headers.started"
_PROXY_LOGIN_DEMANDED = 407
# requests of a burst wait that long for each other's connections, so that they are under way at the same time
_CONNECTED_S = 0.5
R = TypeVar("R")
Moment: TypeAlias = tuple[datetime, float]
"""The wall-clock time in UTC, and seconds on a monotonic clock."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A request as it goes out; `in_chunks` has its body sent in two chunks (RFC 9112, section 7.1)."""

    method: str
    url: str
    headers: list[tuple[str, str]]
    body: bytes | None
    in_chunks: bool = False


@dataclass(frozen=True, slots=True)
class Timed:
    """An answer, and what the caller's clock said when its request was sent and when its last byte came."""

    answer: Response | NoAnswer
    sent: Moment
    finished: Moment


@dataclass(kw_only=True, eq=False, repr=False)
class HttpClient:
    """Sends requests to one target, one at a time or several in a burst.

    Arguments: `deadline` in seconds for an exchange from connecting to the last byte; `ca_bundle`, the path of a PEM
    file with certificate authorities to trust instead of the system's; `client_cert` and
    `client_key`, PEM files with a certificate and its private key, which may be in one; `proxy`, an HTTP proxy's URL.
    """

    deadline: float
    ca_bundle: str | None = None
    client_cert: Path | None = None
    client_key: Path | None = None
    proxy: str | None = None
    connections: int = field(default=0, init=False)
    """How many were opened, or tried. One at most is kept, so a request that was sent alone was sent on the last."""

    def __enter__(self) -> Self:
        # it keeps the login apart from its URL
        self._proxy = None if self.proxy is None else httpx.Proxy(self.proxy)
        # in this thread: handing each request to another one takes as long as sending it
        self._runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = self._runner.get_loop()
        self._verify: ssl.SSLContext | bool | None = None
        self._transports: dict[bool, httpx.AsyncHTTPTransport] = {}
        self._refusal_of_tls: str | None = None
        self._proxy_speaks = self._proxy is None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self._abandon()
            for transport in self._transports.values():
                self._loop.run_until_complete(_closed(transport))
        finally:
            self._runner.close()

    def send(self, outgoing: Outgoing, *, new_connection: bool, body_cap: int = BODY_CAP) -> Response | NoAnswer:
        """Send one request and read its whole response, at most `body_cap` bytes of its body.

        `new_connection` opens a connection for this request alone: where a kept one may be closed by now, and for a
        second try. Raises `ConnectionLost` if a kept connection was closed before the response began.
        """
        request = _request(outgoing)
        if isinstance(request, NoAnswer):
            return request
        return self._run(self._exchange(request, new_connection, body_cap, self.deadline))

    def send_together(
        self, burst: Sequence[Outgoing], now: Callable[[], Moment], *, body_cap: int = BODY_CAP
    ) -> list[Timed]:
        """Send requests at the same time, each on its own connection, and return their answers in the same order.

        All are sent when all are connected, so that they meet at the target. The deadline of each is the sum of
        theirs, since a target may answer one after the other. `now` reads the caller's clock.
        """
        meeting = _Meeting(len(burst))

        async def one(outgoing: Outgoing) -> Timed:
            sent = now()

            async def together() -> None:
                nonlocal sent
                await meeting.all_here()
                sent = now()

            request = _request(outgoing)
            try:
                if isinstance(request, NoAnswer):
                    return Timed(request, sent, now())
                deadline = self.deadline * len(burst)
                answer = await self._exchange(request, True, body_cap, deadline, together)
                return Timed(answer, sent, now())
            finally:
                meeting.leave()

        async def all_of_them() -> list[Timed]:
            return await asyncio.gather(*map(one, burst))

        return self._run(all_of_them())

    def _run(self, work: Coroutine[Any, Any, R]) -> R:
        try:
            return self._loop.run_until_complete(work)
        finally:
            self._abandon()

    def _abandon(self) -> None:
        """End what a signal has interrupted."""
        while unfinished := asyncio.all_tasks(self._loop):
            for task in unfinished:
                task.cancel()
            self._loop.run_until_complete(asyncio.wait(unfinished))

    def _transport(self, url: httpx.URL, new_connection: bool) -> httpx.AsyncHTTPTransport:
        if self._verify is None:
            # a context is slow to create and useless for plain http
            self._verify = _trusting(self.ca_bundle) if url.scheme == "https" else False
            if isinstance(self._verify, ssl.SSLContext) and self.client_cert is not None:
                self._verify.load_cert_chain(self.client_cert, self.client_key)
        if new_connection not in self._transports:
            limits = httpx.Limits(max_keepalive_connections=0 if new_connection else 1)
            self._transports[new_connection] = httpx.AsyncHTTPTransport(
                verify=self._verify, trust_env=False, limits=limits, proxy=self._proxy
            )
        return self._transports[new_connection]

    async def _exchange(
        self,
        request: httpx.Request,
        new_connection: bool,
        cap: int,
        deadline: float,
        before_sending: Callable[[], Awaitable[None]] | None = None,
    ) -> Response | NoAnswer:
        seen = NOTHING
        events: set[str] = set()

        async def note(event: str, info: dict[str, Any]) -> None:
            events.add(event)
            self.connections += event == _CONNECTING
            if before_sending is not None and event == _SENDING and info["request"].method != b"CONNECT":
                await before_sending()

        request.extensions["trace"] = note
        try:
            if new_connection:
                await self._let_go()
            transport = self._transport(request.url, new_connection)
            with anyio.fail_after(deadline):
                response = await transport.handle_async_request(request)
                seen = f"status {response.status_code} was received, but its body did not end"
                try:
                    raw, whole = await _read(response, cap)
                finally:
                    await _closed(response)
        except TimeoutError:
            if self._is_at_proxy(request, events):
                return self._of_proxy(f"gives no connection within {deadline:g} s")
            return NoAnswer(Silence.TIMEOUT, f"no complete answer within {deadline:g} s: {seen}")
        except UnicodeError as error:
            return NoAnswer(Silence.UNREACHABLE, f"the host name cannot be looked up: {error}")
        except (httpx.HTTPError, h11.ProtocolError, OSError, anyio.EndOfStream, anyio.ClosedResourceError) as error:
            return await self._unheard(request, error, seen, events)
        if response.status_code == _PROXY_LOGIN_DEMANDED and self._proxy is not None and request.url.scheme == "http":
            return self._of_proxy(f"refuses the request ({response.status_code} {response.reason_phrase})")
        self._proxy_speaks = True
        body, complete, broken = raw, whole, None
        if whole and raw:
            body, complete, broken = decoded(raw, response.headers.get("Content-Encoding", ""), cap)
        return Response(
            status=response.status_code,
            reason=response.extensions.get("reason_phrase", b"").decode("latin-1"),
            http_version=response.extensions.get("http_version", b"HTTP/1.1").decode("latin-1"),
            headers=tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw),
            body=body if complete else body[: min(KEPT_OF_MORE, cap)],
            body_complete=complete,
            encoding_broken=broken,
        )

    async def _unheard(self, request: httpx.Request, error: Exception, seen: str, events: Collection[str]) -> NoAnswer:
        """Who is to blame for silence: the proxy, TLS or the target. `seen` and `events` are what came before it.

        Raises `ConnectionLost` if a kept connection was closed before anything came.
        """
        silence = silence_of(error, seen)
        if isinstance(error, httpx.ProxyError):
            return self._of_proxy(f"refuses to connect to {request.url.netloc.decode()} ({error})")
        unheard = not self._proxy_speaks and silence.kind in (Silence.RESET, Silence.NOT_HTTP)
        if self._is_at_proxy(request, events) or (unheard and request.url.scheme == "http"):
            return self._of_proxy(f"gives no connection ({silence})")
        if _CONNECTING not in events and silence.kind is Silence.RESET and seen == NOTHING:
            raise ConnectionLost(silence.detail) from None
        may_be_tls = silence.kind is Silence.RESET and request.url.scheme == "https" and self._proxy is None
        if may_be_tls and self._refusal_of_tls is None:
            self._refusal_of_tls = await self._tls_refusal(request.url)
        return NoAnswer(Silence.TLS, self._refusal_of_tls) if self._refusal_of_tls else silence

    def _is_at_proxy(self, request: httpx.Request, events: Collection[str]) -> bool:
        """Whether an exchange that failed had not come past the proxy on a new connection."""
        past = "proxy.start_tls.started" if request.url.scheme == "https" else "connection.connect_tcp.complete"
        return self._proxy is not None and _CONNECTING in events and past not in events

    def _of_proxy(self, what: str) -> NoAnswer:
        return NoAnswer(Silence.PROXY, f"the proxy {self._proxy and self._proxy.url} {what}")

    async def _let_go(self) -> None:
        """Close the kept connection: a server that serves one at a time would leave others waiting."""
        if (kept := self._transports.pop(False, None)) is not None:
            await _closed(kept)

    async def _tls_refusal(self, url: httpx.URL) -> str:
        """The server's error after a TLS handshake without a client certificate; empty if there is none."""
        # TLS 1.3 sends it only then, and a request on its way may reset the connection before the error is read
        try:
            with anyio.fail_after(min(self.deadline, _TLS_REFUSAL_S)):
                context = self._verify if isinstance(self._verify, ssl.SSLContext) else None
                async with await anyio.connect_tcp(
                    url.host, url.port or 443, ssl_context=context, tls=True, tls_standard_compatible=False
                ) as stream:
                    await stream.receive()
        except (TimeoutError, OSError, anyio.EndOfStream, anyio.BrokenResourceError) as error:
            tls = ssl_error(error)
            return tls_problem(tls) if tls is not None else ""
        return ""


async def _closed(one: httpx.Response | httpx.AsyncHTTPTransport) -> None:
    """Close it, also after its task was cancelled; what hangs or breaks there matters to nobody any more."""
    with anyio.CancelScope(shield=True), anyio.move_on_after(1), contextlib.suppress(Exception):
        await one.aclose()


class _Meeting:
    """Where the requests of a burst wait for each other."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._complete = asyncio.Event()
        self._here: set[object] = set()

    async def all_here(self) -> None:
        """Wait until each request is connected or has failed, but not for long: a target may limit connections."""
        self.leave()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._complete.wait(), _CONNECTED_S)

    def leave(self) -> None:
        """Note that a request is connected, or has ended before it was."""
        self._here.add(asyncio.current_task())
        if len(self._here) >= self._number:
            self._complete.set()


def _request(outgoing: Outgoing) -> httpx.Request | NoAnswer:
    try:
        written = [(name.encode(), header_bytes(value)) for name, value in outgoing.headers]
        content = _halves(outgoing.body or b"") if outgoing.in_chunks else outgoing.body
        return httpx.Request(outgoing.method, outgoing.url, headers=written, content=content)
    except (httpx.InvalidURL, UnicodeError) as error:
        return NoAnswer(Silence.UNREACHABLE, f"the URL is not valid: {error}")


async def _halves(body: bytes) -> AsyncIterator[bytes]:
    middle = len(body) // 2
    for half in filter(None, (body[:middle], body[middle:])):
        yield half


def _trusting(ca_bundle: str | None) -> ssl.SSLContext:
    """A context that trusts the authorities in a PEM file and no others, or without one those of the system."""
    # that of ssl.create_default_context would obey SSLKEYLOGFILE, a file for the secrets of the connections
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if ca_bundle is not None:
        context.load_verify_locations(ca_bundle)
        return context
    context.set_default_verify_paths()
    # truststore would read a file of authorities for each connection, which takes ten times as long as all the rest
    if sys.platform not in ("darwin", "win32") and context.cert_store_stats()["x509_ca"]:
        return context
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


async def _read(response: httpx.Response, cap: int) -> tuple[bytes, bool]:
    """The body's bytes as received, and whether they are complete."""
    parts = bytearray()
    async for chunk in response.aiter_raw():
        parts += chunk
        if len(parts) > cap:
            return bytes(parts[:cap]), False
    return bytes(parts), True
