"""A uvicorn server that starts and stops at once, and that can change the bytes below HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from petstore_reference.behaviour import Excess, SocketOptions

if TYPE_CHECKING:
    from starlette.types import ASGIApp

START_S = 60.0
"""How long an application may take to start, in seconds."""
END_S = 5.0
"""How long one may take to end."""
_TICK = 0.1  # seconds; uvicorn updates its Date header every tenth tick


def listening(host: str, port: int) -> socket.socket:
    """A socket that accepts connections. Raises OSError if the port is taken."""
    # asyncio turns off Nagle's algorithm only if the protocol is named; with it each answer takes 40 ms longer
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    listener.listen(128)
    return listener


class StoppableServer(Server):
    """A uvicorn server that says when it accepts requests and that stops without waiting for clients."""

    def __init__(self, app: ASGIApp, socket_options: SocketOptions) -> None:
        config = Config(
            cast(Any, app),
            http=_protocol(socket_options, self),
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
        self._listener: socket.socket | None = None
        self._closed: list[asyncio.base_events.Server] = []
        self._address = ("", 0)
        self._again: asyncio.Future[None] | None = None

    def run_until_stopped(self, listener: socket.socket, announce: Callable[[], None]) -> None:
        """Runs until `stop` or an interrupt. Calls `announce` once it accepts requests."""
        self._announce, self._listener = announce, listener
        self.run(sockets=[listener])

    def stop(self) -> None:
        """Stops the server. Any thread may call it."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # it has already ended
                self._loop.call_soon_threadsafe(self._stop.set)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Like uvicorn's, but gives an application no more than `START_S`. Raises TimeoutError."""
        async with asyncio.timeout(START_S):
            await super().startup(sockets)

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

    def stop_listening(self) -> None:
        """Refuses new connections; those that are open go on."""
        if self._listener is not None:
            # not by `Server.close`, which loses connections that were accepted and are not made yet
            self._address = self._listener.getsockname()
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()
            self._listener = None
            self._closed.extend(self.servers)
            self.servers.clear()

    def listen_again(self) -> None:
        """Accepts connections at the same address again, if it does not."""
        if self._listener is None and self._again is None and not self._stop.is_set():
            self._again = asyncio.ensure_future(self._listen_again())

    async def _listen_again(self) -> None:
        listener = listening(*self._address)
        protocol = cast(type[H11Protocol], self.config.http_protocol_class)
        new = partial(protocol, self.config, self.server_state, self.lifespan.state)
        self.servers.append(await asyncio.get_running_loop().create_server(new, sock=listener, backlog=128))
        self._listener, self._again = listener, None

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Like uvicorn's, but cuts open connections and running requests instead of waiting for them.

        The application has no more than `END_S` to end itself.
        """
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        for task in list(self.server_state.tasks):
            task.cancel()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(END_S):
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


class _Door:
    """Lets in as many connections as the options allow, and turns the others away or lets them wait."""

    def __init__(self, options: SocketOptions, server: StoppableServer) -> None:
        self._options = options
        self._server = server
        self._inside = 0
        self._waiting: deque[tuple[asyncio.Transport, Callable[[], None]]] = deque()

    def admit(self, transport: asyncio.Transport, enter: Callable[[], None]) -> None:
        """Calls `enter`, now or once there is room; never if the connection is turned away."""
        most = self._options.connections
        if most is None or self._inside < most:
            self._inside += 1
            enter()
            if self._inside == most and self._options.excess is Excess.REFUSE:
                self._server.stop_listening()
        elif self._options.excess is Excess.WAIT:
            transport.pause_reading()
            self._waiting.append((transport, enter))
        elif self._options.excess is Excess.CLOSE:
            transport.write_eof()
        else:
            at_once = struct.pack("ii", 1, 0)
            transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            transport.abort()

    def leave(self) -> None:
        """A connection that was let in has ended."""
        self._inside -= 1
        if self._options.excess is Excess.REFUSE:
            self._server.listen_again()
        while self._waiting:
            transport, enter = self._waiting.popleft()
            if not transport.is_closing():
                self._inside += 1
                enter()
                transport.resume_reading()
                break


def _protocol(socket_options: SocketOptions, server: StoppableServer) -> type[H11Protocol]:
    door = _Door(socket_options, server)

    class Protocol(H11Protocol):
        responses = 0
        entered = False

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            door.admit(transport, partial(self.enter, transport))

        def enter(self, transport: asyncio.Transport) -> None:
            self.entered = True
            if socket_options.rewrite is not None:
                transport = cast(asyncio.Transport, _RewritingTransport(transport, socket_options.rewrite))
            super().connection_made(transport)

        def data_received(self, data: bytes) -> None:
            if self.entered:
                super().data_received(socket_options.receive(data))

        def connection_lost(self, exc: Exception | None) -> None:
            if self.entered:
                super().connection_lost(exc)
                door.leave()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self.responses += 1
            if self.responses == socket_options.close_after:
                self.transport.close()

    return Protocol
