"""Peers that send raw bytes on a local socket: anything that a hostile or broken target could do.

A peer is a plain function that gets a `Caller` for each request and writes what it likes. When it returns, the
connection is kept for the next request if it said so, else closed.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Caller:
    """A request as received, and its socket, which has `served` that many requests before.

    `stopping` is set when the test is over.
    """

    sock: socket.socket
    head: bytes
    body: bytes
    stopping: threading.Event
    served: int = 0

    @property
    def method(self) -> str:
        return self.head.split(b" ", 1)[0].decode("latin-1")

    @property
    def path(self) -> str:
        """The path without its query."""
        return self.head.split(b" ", 2)[1].partition(b"?")[0].decode("latin-1")

    @property
    def query(self) -> str:
        return self.head.split(b" ", 2)[1].partition(b"?")[2].decode("latin-1")

    def header(self, name: str) -> str | None:
        for line in self.head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.decode("latin-1").lower() == name.lower():
                return value.decode("latin-1").strip()
        return None

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def answer(self, body: bytes, *, status: str = "200 OK", headers: bytes = b"", length: int | None = None) -> None:
        """Send a complete response, with the rate limit headers that section 8 requires."""
        self.send(
            f"HTTP/1.1 {status}\r\nContent-Length: {len(body) if length is None else length}\r\n".encode()
            + rate_headers()
            + headers
            + b"\r\n"
            + body
        )

    def drip(self, data: bytes, every: float) -> None:
        """Send one byte now and then, as long as anybody listens."""
        for byte in data:
            if self.stopping.wait(every):
                return
            self.send(bytes([byte]))

    def hang(self) -> None:
        self.stopping.wait(60)

    def reset(self) -> None:
        """Close with a TCP reset."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


_LEFT = itertools.count(900_000, -1)


def rate_headers() -> bytes:
    """Of a window that ends in half a minute to a minute; what is left falls from call to call."""
    reset = (int(time.time()) // 30 + 2) * 30
    limit = "X-RateLimit-Limit: 1000000\r\n"
    return f"{limit}X-RateLimit-Remaining: {next(_LEFT)}\r\nX-RateLimit-Reset: {reset}\r\n".encode()


JSON = b"Content-Type: application/json\r\n"
Behaviour = Callable[[Caller], object]


@dataclass
class Peer:
    """A peer that is up. `heads` are the heads of all requests so far."""

    host: str
    port: int
    heads: list[bytes] = field(default_factory=list)
    connections: int = 0

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}/v1"


@contextmanager
def peer(behaviour: Behaviour, *, tls: ssl.SSLContext | None = None, on_accept: bool = False) -> Iterator[Peer]:
    """Runs a peer while the block lasts.

    A behaviour that returns True keeps the connection. With `on_accept` it is called before anything is read, with an
    empty request.
    """
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    up = Peer("127.0.0.1", listener.getsockname()[1])
    stopping = threading.Event()

    def serve(sock: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError), contextlib.closing(sock):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if tls is not None:
                sock = tls.wrap_socket(sock, server_side=True)
            with contextlib.closing(sock):
                if on_accept:
                    behaviour(Caller(sock, b"", b"", stopping))
                    return
                for served in itertools.count():
                    if (request := _read(sock)) is None:
                        return
                    up.heads.append(request[0])
                    if behaviour(Caller(sock, *request, stopping, served)) is not True:
                        return

    def accept() -> None:
        while not stopping.is_set():
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            up.connections += 1
            threading.Thread(target=serve, args=(sock,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield up
    finally:
        stopping.set()
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(5)


@contextmanager
def closed_port() -> Iterator[int]:
    """A port that refuses every connection, held while the block lasts: no other process can listen there."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


def _read(sock: socket.socket) -> tuple[bytes, bytes] | None:
    data = b""
    while b"\r\n\r\n" not in data:
        piece = sock.recv(65536)
        if not piece:
            return None
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
    while len(body) < length:
        piece = sock.recv(65536)
        if not piece:
            return None
        body += piece
    return head, body
