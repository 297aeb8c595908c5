"""A clock that stands still until somebody sleeps, and a client that answers with a plain function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

from petcheck.exchange import NoAnswer, Response
from petcheck.wire.client import BODY_CAP, HttpClient, Moment, Outgoing, Timed
from petcheck.wire.clock import Clock
from petcheck.wire.credentials import ApiKey
from petcheck.wire.sender import LiveSender
from petcheck.wire.tally import Permissions
from petcheck.wire.transport import Transport

NOON = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)
KEY = ApiKey("Kq7-vXw2_TzR9.mPb4LcY8dHs3NfJg6A")


class FakeClock(Clock):
    """Starts at noon and at 0 seconds. `slept` is the lengths of uninterrupted sleeps."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.slept: list[float] = []
        self.asleep = False

    def monotonic(self) -> float:
        return self.passed

    def now(self) -> datetime:
        return NOON + timedelta(seconds=self.passed)

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        if self.asleep:
            self.slept[-1] += seconds
        else:
            self.slept.append(seconds)
        self.asleep = True
        self.passed += seconds


@dataclass(frozen=True)
class Sent:
    """A request as it reached the client: its `at` is in seconds on the fake clock."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None
    new_connection: bool
    at: float
    body_cap: int = BODY_CAP

    @property
    def path(self) -> str:
        return self.url.removeprefix("https://pets.example/v1")

    @property
    def authorization(self) -> str | None:
        return dict(self.headers).get("Authorization")


Handler = Callable[[Sent], Response | NoAnswer]


@dataclass
class FakeClient(HttpClient):
    """Answers with what `handler` returns; each request takes `takes` seconds. `sent` is every request received."""

    handler: Handler
    clock: FakeClock
    takes: float = 0.0
    sent: list[Sent] = field(default_factory=list, repr=False)

    def send(self, outgoing: Outgoing, *, new_connection: bool, body_cap: int = BODY_CAP) -> Response | NoAnswer:
        one, at = outgoing, self.clock.passed
        self.sent.append(Sent(one.method, one.url, tuple(one.headers), one.body, new_connection, at, body_cap))
        self.clock.passed += self.takes
        self.clock.asleep = False
        return self.handler(self.sent[-1])

    def send_together(
        self, burst: Sequence[Outgoing], now: Callable[[], Moment], *, body_cap: int = BODY_CAP
    ) -> list[Timed]:
        """All are sent at once, and answered at once after `takes` seconds."""
        began, at = now(), self.clock.passed
        new = [Sent(one.method, one.url, tuple(one.headers), one.body, True, at, body_cap) for one in burst]
        self.sent += new
        self.clock.passed += self.takes
        self.clock.asleep = False
        return [Timed(answer, began, now()) for answer in map(self.handler, new)]


@dataclass
class Bench:
    """A transport with everything around it faked. `waits` are the calls of `on_wait`."""

    transport: Transport
    client: FakeClient
    clock: FakeClock
    waits: list[tuple[str, float, str]]

    @property
    def statuses(self) -> list[int | str]:
        """What was recorded: each status, or the kind of silence."""
        answers = [exchange.answer for exchange in self.transport.recorded]
        return [answer.status if isinstance(answer, Response) else answer.kind.value for answer in answers]


def bench(
    handler: Handler,
    *,
    writes: bool = False,
    max_requests: int = 1000,
    max_wait: float = 120.0,
    takes: float = 0.0,
    key: ApiKey = KEY,
    connections: int = 1,
) -> Bench:
    clock = FakeClock()
    client = FakeClient(handler, clock, takes)
    waits: list[tuple[str, float, str]] = []
    transport = Transport(
        target="staging",
        sender=LiveSender("https://pets.example/v1", key, random_key="a-random-key", client=client, clock=clock),
        permissions=Permissions(writes, max_requests, max_wait, connections),
        time=clock,
        on_wait=lambda target, seconds, why: waits.append((target, seconds, why)),
    )
    return Bench(transport, client, clock, waits)


def response(
    status: int = 200, headers: Iterable[tuple[str, str]] = (), body: bytes = b"[]", *, whole: bool = True
) -> Response:
    return Response(status, "", "HTTP/1.1", tuple(headers), body, whole)


def rates(limit: object, remaining: object, reset: object) -> list[tuple[str, str]]:
    """The three rate limit headers; `reset` is Unix time."""
    return [
        ("X-RateLimit-Limit", str(limit)),
        ("X-RateLimit-Remaining", str(remaining)),
        ("X-RateLimit-Reset", str(reset)),
    ]


def at_noon(seconds: float) -> int:
    """Unix time, that many seconds after noon."""
    return int(NOON.timestamp() + seconds)


def http_date(seconds: float) -> str:
    """An HTTP date, that many seconds after noon."""
    return format_datetime(NOON + timedelta(seconds=seconds), usegmt=True)


def in_turn(*answers: Response | NoAnswer) -> Handler:
    """Gives the answers one after the other, and repeats the last one."""
    left = list(answers)
    return lambda sent: left.pop(0) if len(left) > 1 else left[0]
