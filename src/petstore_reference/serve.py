"""Serves an application on a real loopback socket. uvicorn is imported on first use."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from petstore_reference.behaviour import SocketOptions

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from petstore_reference.uvicorn_server import StoppableServer

HOST = "127.0.0.1"


def serve(app: ASGIApp, *, port: int = 8080, announce: Callable[[str], None] = print) -> None:
    """Serves the application on 127.0.0.1 until interrupted. `port` 0 takes a free port.

    `announce` gets the base URL without `/v1` once the server accepts requests. Raises OSError if the port is taken.
    """
    from petstore_reference.uvicorn_server import StoppableServer

    with _listening(port) as listener:
        server = StoppableServer(app, _socket_options(app))
        try:
            server.run_until_stopped(listener, lambda: announce(_url(listener)))
        except KeyboardInterrupt:
            return


@contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """Serves any ASGI application on a free port of 127.0.0.1, in its own thread, until the block ends.

    Yields the base URL without `/v1`. The end of the block cuts open connections. Raises RuntimeError if the
    application does not start.
    """
    from petstore_reference.uvicorn_server import StoppableServer

    with _listening(0) as listener:
        server = StoppableServer(app, _socket_options(app))
        started_or_failed = threading.Event()
        arguments = (server, listener, started_or_failed)
        thread = threading.Thread(target=_run, args=arguments, name="loopback server", daemon=True)
        thread.start()
        started_or_failed.wait()
        if not server.accepting:
            thread.join()
            raise RuntimeError("the application did not start") from server.failure
        try:
            yield _url(listener)
        finally:
            server.stop()
            thread.join()


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


def _listening(port: int) -> socket.socket:
    # asyncio turns off Nagle's algorithm only if the protocol is named; with it each answer takes 40 ms longer
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError:
        listener.close()
        raise
    listener.listen(128)
    return listener


def _url(listener: socket.socket) -> str:
    return f"http://{HOST}:{listener.getsockname()[1]}"
