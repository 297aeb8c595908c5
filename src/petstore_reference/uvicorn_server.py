"""A uvicorn server that starts and stops at once, and that can change the bytes below HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from petstore_reference.behaviour import SocketOptions

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_TICK = 0.1  # seconds; uvicorn updates its Date header every tenth tick


class StoppableServer(Server):
    """A uvicorn server that says when it accepts requests and that stops without waiting for clients."""

    def __init__(self, app: ASGIApp, socket_options: SocketOptions) -> None:
        config = Config(
            cast(Any, app),
            http=_protocol(socket_options),
            ws="none",
            loop="asyncio",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=not socket_options.own_date,
            timeout_keep_alive=cast(int, socket_options.idle_seconds),  # a fraction works, only the hint forbids it
        )
        super().__init__(config)
        self.accepting = False
        self.failure: BaseException | None = None
        self._announce: Callable[[], None] = lambda: None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()

    def run_until_stopped(self, listener: socket.socket, announce: Callable[[], None]) -> None:
        """Runs until `stop` or an interrupt. Calls `announce` once it accepts requests."""
        self._announce = announce
        self.run(sockets=[listener])

    def stop(self) -> None:
        """Stops the server. Any thread may call it."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has already ended
                self._loop.call_soon_threadsafe(self._stop.set)

    async def main_loop(self) -> None:
        """Like uvicorn's, but ends as soon as `stop` is called."""
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
        """Like uvicorn's, but cuts open connections and running requests instead of waiting for them."""
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        for task in list(self.server_state.tasks):
            task.cancel()
        await self.lifespan.shutdown()


class _RewritingTransport:
    """A transport that sends what `SocketOptions.rewrite` returns for the bytes."""

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


def _protocol(socket_options: SocketOptions) -> type[H11Protocol]:
    class Protocol(H11Protocol):
        responses = 0

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            if socket_options.rewrite is not None:
                transport = cast(asyncio.Transport, _RewritingTransport(transport, socket_options.rewrite))
            super().connection_made(transport)

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self.responses += 1
            if self.responses == socket_options.close_after:
                self.transport.close()

    return Protocol
