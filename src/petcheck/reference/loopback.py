"""uvicorn, told to start and stop at once, and with a place below HTTP where bytes can be changed."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from petcheck.reference.behaviour import Wire

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_TICK = 0.1  # seconds; uvicorn renews its Date header every tenth tick


class LoopbackServer(Server):
    """A uvicorn server that says when it takes requests and that ends without waiting for anyone."""

    def __init__(self, app: ASGIApp, wire: Wire) -> None:
        config = Config(
            cast(Any, app),
            http=_protocol(wire),
            ws="none",
            loop="asyncio",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=not wire.own_date,
        )
        super().__init__(config)
        self.accepting = False
        self.failure: BaseException | None = None
        self._announce: Callable[[], None] = lambda: None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()

    def run_until_stopped(self, listener: socket.socket, announce: Callable[[], None]) -> None:
        """Runs until `stop` or an interrupt. `announce` is called once requests are taken."""
        self._announce = announce
        self.run(sockets=[listener])

    def stop(self) -> None:
        """Ends the server, from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it ended by itself meanwhile
                self._loop.call_soon_threadsafe(self._stop.set)

    async def main_loop(self) -> None:
        """As uvicorn's, but that it ends the moment it is told to."""
        self._loop = asyncio.get_running_loop()
        ticks = 0
        await self.on_tick(ticks)
        self.accepting = True
        self._announce()
        while not self._stop.is_set() and not await self.on_tick(ticks):
            ticks += 1
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), _TICK)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """As uvicorn's, but that open connections and running requests are cut instead of waited for."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        for task in list(self.server_state.tasks):
            task.cancel()
        await self.lifespan.shutdown()


class _WiredTransport:
    """A transport that sends what `Wire.rewrite` makes of the bytes."""

    def __init__(self, transport: asyncio.Transport, rewrite: Callable[[bytes], bytes | None]) -> None:
        self._transport = transport
        self._rewrite = rewrite

    def write(self, data: bytes) -> None:
        rewritten = self._rewrite(bytes(data))
        if rewritten is None:
            self._transport.abort()
        elif not self._transport.is_closing():
            self._transport.write(rewritten)

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)


def _protocol(wire: Wire) -> type[H11Protocol]:
    class WiredProtocol(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            if wire.rewrite is not None:
                transport = cast(asyncio.Transport, _WiredTransport(transport, wire.rewrite))
            super().connection_made(transport)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if wire.close_after:
                self.transport.close()

    return WiredProtocol if wire.rewrite is not None or wire.close_after else H11Protocol
