"""A forward proxy on loopback: absolute URLs for http, CONNECT for https."""

from __future__ import annotations

import base64
import select
import socket
from urllib.parse import urlsplit

from tests.support.peers import Behaviour, Caller

LOGIN_DEMANDED = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n"
)


def forwarding(login: str | None = None) -> Behaviour:
    """A proxy that forwards what it gets, with `login` (user:password) only to those who know it."""
    wanted = login and "Basic " + base64.b64encode(login.encode()).decode()

    def forward(caller: Caller) -> None:
        if wanted is not None and caller.header("Proxy-Authorization") != wanted:
            caller.send(LOGIN_DEMANDED)
            return
        place = caller.head.split(b" ")[1].decode()
        parts = urlsplit(f"//{place}" if caller.method == "CONNECT" else place)
        with socket.create_connection((parts.hostname or "", parts.port or 80)) as upstream:
            if caller.method == "CONNECT":
                caller.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
            else:
                upstream.sendall(_forwarded(caller))
            _pipe(caller.sock, upstream)

    return forward


def _forwarded(caller: Caller) -> bytes:
    first, *lines = caller.head.split(b"\r\n")
    method, place, version = first.split(b" ")
    parts = urlsplit(place)
    target = parts.path + (b"?" + parts.query if parts.query else b"")
    kept = [line for line in lines if not line.lower().startswith((b"proxy-", b"connection:"))]
    return b"\r\n".join([b" ".join([method, target, version]), *kept, b"Connection: close", b"", caller.body])


def _pipe(one: socket.socket, other: socket.socket) -> None:
    """Until either ends."""
    while True:
        for sock in select.select([one, other], [], [], 60)[0]:
            data = sock.recv(65536)
            if not data:
                return
            (other if sock is one else one).sendall(data)
