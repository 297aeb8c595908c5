"""Serves an application on a real loopback socket. uvicorn is imported on first use."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from petstore_reference.behaviour import SocketOptions

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from petstore_reference.uvicorn_server import StoppableServer

HOST = "127.0.0.1"
_BLOCKED_S = 1.0  # so long after its time an application keeps the thread from saying that it is over


class LateStart(RuntimeError):
    """An application that did not start `within` so many seconds."""

    def __init__(self, within: float) -> None:
        super().__init__(f"the application did not start within {within:g} s")
        self.within = within


def serve(
    app: ASGIApp,
    *,
    port: int = 8080,
    announce: Callable[[str], None] = print,
    log: Callable[[str], None] | None = None,
) -> None:
    """Serves the application on 127.0.0.1 until interrupted. `port` 0 takes a free port.

    `announce` gets the base URL without `/v1` once the server accepts requests, and `log` a line for each request.
    Raises OSError if the port is taken.
    """
    from petstore_reference.uvicorn_server import StoppableServer, listening

    with listening(HOST, port) as listener:
        server = StoppableServer(app if log is None else _logged(app, log), _socket_options(app))
        try:
            server.run_until_stopped(listener, lambda: announce(_url(listener)))
        except KeyboardInterrupt:
            return


def _logged(app: ASGIApp, say: Callable[[str], None]) -> ASGIApp:
    """The application, which tells `say` of each request: its method, its path with the query, and the status."""

    async def telling(scope: Scope, receive: Receive, send: Send) -> None:
        status = "no response"

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = str(message["status"])
            await send(message)

        try:
            await app(scope, receive, noting)
        finally:
            if scope["type"] == "http":
                path = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
                say(f"{scope['method']} {path.decode('ascii', 'backslashreplace')} {status}")

    return telling


@contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """Serves any ASGI application on a free port of 127.0.0.1, in its own thread, until the block ends.

    Yields the base URL without `/v1`. The end of the block cuts open connections, and does not wait long for an
    application that does not end. Raises RuntimeError if it does not start, and then `LateStart` if it takes too long.
    """
    from petstore_reference.uvicorn_server import END_S, START_S, StoppableServer, listening

    with listening(HOST, 0) as listener:
        server = StoppableServer(app, _socket_options(app))
        started_or_failed = threading.Event()
        arguments = (server, listener, started_or_failed)
        thread = threading.Thread(target=_run, args=arguments, name="loopback server", daemon=True)
        thread.start()
        if not started_or_failed.wait(START_S + _BLOCKED_S) or isinstance(server.failure, TimeoutError):
            raise LateStart(START_S)
        if not server.accepting:
            thread.join()
            raise RuntimeError("the application did not start") from server.failure
        try:
            yield _url(listener)
        finally:
            server.stop()
            thread.join(END_S + _BLOCKED_S)


def _run(server: StoppableServer, listener: socket.socket, started_or_failed: threading.Event) -> None:
    try:
        server.run_until_stopped(listener, started_or_failed.set)
    except BaseException as failure:  # uvicorn ends a failed start with SystemExit
        server.failure = failure
    finally:
        started_or_failed.set()


def _socket_options(app: ASGIApp) -> SocketOptions:
    options = getattr(getattr(app, "state", None), "socket_options", None)
    return options if isinstance(options, SocketOptions) else SocketOptions()


def _url(listener: socket.socket) -> str:
    return f"http://{HOST}:{listener.getsockname()[1]}"
