"""Support for the tests of the reference server: a clock that tests move, a client, and calls without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
from starlette.applications import Starlette

from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app

KEY = "secret-key-abcdef0123456789"
BEARER = f"Bearer {KEY}"
NOON = 1_795_262_400.0
"""12:00:00 UTC on 21 November 2026."""


@dataclass
class Clock:
    """A clock that stands still until a test moves it."""

    now: float = NOON

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Answer:
    """The answer to a request, exactly as sent; `headers` keep their letter case."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


@dataclass(frozen=True)
class Ask:
    """A request below /v1."""

    path: str
    method: str = "GET"
    authorization: str | None = BEARER
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = field(default=())


def settings(**fields: Any) -> ReferenceSettings:
    return ReferenceSettings(**{"keys": {KEY: "free"}, **fields})


async def answered(app: Starlette, ask: Ask) -> Answer:
    """Calls the application without a socket."""
    path, _, query = ask.path.partition("?")
    headers = [(name.lower().encode(), value.encode()) for name, value in ask.headers]
    if ask.authorization is not None:
        headers.append((b"authorization", ask.authorization.encode()))
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": ask.method,
        "path": f"/v1{path}",
        "root_path": "",
        "query_string": query.encode(),
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 2),
        "scheme": "http",
    }
    messages = [{"type": "http.request", "body": ask.body, "more_body": False}]
    sent: list[Any] = []

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    await app(scope, receive, send)
    start = sent[0]
    pairs = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in start["headers"])
    return Answer(start["status"], pairs, b"".join(message.get("body", b"") for message in sent[1:]))


def transcript(
    app: Starlette, asks: Sequence[Ask | float], clock: Clock, *, as_far_as: Sequence[Answer] = ()
) -> list[Answer]:
    """The answers to the requests, in order; a number between two requests moves the clock by that many seconds.

    It stops after the first answer that differs from the one at its place in `as_far_as`.
    """

    async def all_answers() -> list[Answer]:
        answers = []
        for ask in asks:
            if isinstance(ask, Ask):
                answers.append(await answered(app, ask))
                if as_far_as and answers[-1] != as_far_as[len(answers) - 1]:
                    break
            else:
                clock.now += ask
        return answers

    return asyncio.run(all_answers())


@contextmanager
def served(clock: Clock | None = None, **fields: Any) -> Iterator[tuple[httpx.Client, Starlette]]:
    """A reference server on a socket, with a client that has the key and the base URL."""
    app = create_app(settings(**fields), clock=clock) if clock else create_app(settings(**fields))
    with running(app) as url, client(f"{url}/v1") as http:
        yield http, app


def client(url: str, *, keep_alive: bool = True) -> httpx.Client:
    limits = httpx.Limits() if keep_alive else httpx.Limits(max_keepalive_connections=0)
    headers = {"Authorization": BEARER}
    return httpx.Client(base_url=url, headers=headers, limits=limits, verify=False, trust_env=False, timeout=5)
