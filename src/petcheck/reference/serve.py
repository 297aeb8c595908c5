"""Puts an application on a real socket on loopback. uvicorn is imported only when that happens."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from petcheck.reference.behaviour import Wire

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from petcheck.reference.loopback import LoopbackServer

HOST = "127.0.0.1"


def serve(app: ASGIApp, *, port: int = 8080, announce: Callable[[str], None] = print) -> None:
    """Serves the application on 127.0.0.1 until interrupted. `port` 0 takes a free one.

    `announce` is told the base URL without `/v1`, as soon as requests are taken. Raises OSError where the port cannot
    be had.
    """
    from petcheck.reference.loopback import LoopbackServer

    with _listening(port) as listener:
        server = LoopbackServer(app, _wire(app))
        try:
            server.run_until_stopped(listener, lambda: announce(_url(listener)))
        except KeyboardInterrupt:
            return


@contextmanager
def running(app: ASGIApp) -> Iterator[str]:
    """Serves any ASGI application on a free port of 127.0.0.1 from a thread of its own, while the block lasts.

    Yields the base URL without `/v1`. Connections that are still open at the end are cut. Raises RuntimeError where the
    application does not start.
    """
    from petcheck.reference.loopback import LoopbackServer

    with _listening(0) as listener:
        server = LoopbackServer(app, _wire(app))
        settled = threading.Event()
        thread = threading.Thread(target=_run, args=(server, listener, settled), name="loopback server", daemon=True)
        thread.start()
        settled.wait()
        if not server.accepting:
            thread.join()
            raise RuntimeError("the application did not start") from server.failure
        try:
            yield _url(listener)
        finally:
            server.stop()
            thread.join()


def _run(server: LoopbackServer, listener: socket.socket, settled: threading.Event) -> None:
    try:
        server.run_until_stopped(listener, settled.set)
    except BaseException as failure:  # uvicorn ends a failed start with SystemExit
        server.failure = failure
    finally:
        settled.set()


def _wire(app: ASGIApp) -> Wire:
    wire = getattr(getattr(app, "state", None), "wire", None)
    return wire if isinstance(wire, Wire) else Wire()


def _listening(port: int) -> socket.socket:
    # asyncio turns Nagle off only where the protocol is named, and without that every answer waits 40 ms
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
