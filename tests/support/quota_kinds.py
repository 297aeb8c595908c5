"""Quotas of every kind that section 8 allows, counted on their own clock, for tests of the judging."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from email.utils import formatdate
from random import Random
from typing import Protocol

from petcheck.call import Call, Credential
from petcheck.exchange import Exchange, Request, Response
from petcheck.judging.rate_headers import retry_after
from petcheck.spec.operations import Operation
from tests.support.exchanges import NOON

START = NOON.timestamp()


@dataclass(frozen=True)
class Standing:
    """The state of a key's quota: `wait` is None if the request was served; `left` and `reset` are not yet rounded."""

    limit: int
    left: float
    reset: float
    wait: float | None = None


class Kind(Protocol):
    def hit(self, now: float, cost: int) -> Standing: ...


@dataclass
class Fixed:
    limit: int
    window: float
    aligned: bool = False
    used: int = 0
    ends: float = -math.inf

    def hit(self, now: float, cost: int) -> Standing:
        if now >= self.ends:
            self.used = 0
            self.ends = (now // self.window + 1) * self.window if self.aligned else now + self.window
        if self.used + cost > self.limit:
            return Standing(self.limit, self.limit - self.used, self.ends, self.ends - now)
        self.used += cost
        return Standing(self.limit, self.limit - self.used, self.ends)


@dataclass
class Sliding:
    """Each request counts for a window from its step on; Reset is when the first comes free, or a window from now."""

    limit: int
    window: float
    step: float = 0.0
    first_free: bool = True
    entries: list[float] = field(default_factory=list)

    def hit(self, now: float, cost: int) -> Standing:
        self.entries = [until for until in self.entries if until > now]
        begin = now // self.step * self.step if self.step else now
        over = len(self.entries) + cost - self.limit
        if over > 0:
            return Standing(self.limit, self.limit - len(self.entries), self._reset(now), self.entries[over - 1] - now)
        self.entries += [begin + self.window] * cost
        return Standing(self.limit, self.limit - len(self.entries), self._reset(now))

    def _reset(self, now: float) -> float:
        return self.entries[0] if self.first_free and self.entries else now + self.window


@dataclass
class Estimated:
    """The last window counts for the part of it that a window back from now still covers; Reset is the window's end."""

    limit: int
    window: float
    last: int = 0
    now_used: int = 0
    begun: float = -math.inf

    def hit(self, now: float, cost: int) -> Standing:
        begun = now // self.window * self.window
        if begun != self.begun:
            self.last = self.now_used if begun == self.begun + self.window else 0
            self.now_used, self.begun = 0, begun
        ends = begun + self.window
        used = self.now_used + self.last * (ends - now) / self.window
        if used + cost > self.limit:
            room = self.limit - self.now_used - cost
            at = ends - self.window * room / self.last if room >= 0 and self.last else math.inf
            if at > ends:
                at = ends + max(0.0, self.window - self.window * (self.limit - cost) / max(self.now_used, 1))
            return Standing(self.limit, self.limit - used, ends, at - now + 1e-6)
        self.now_used += cost
        return Standing(self.limit, self.limit - used - cost, ends)


@dataclass
class Bucket:
    """Refills by `rate` a second up to `size`; Reset is when it is full."""

    limit: int
    rate: float
    size: int
    level: float = -1.0
    seen: float = 0.0

    def hit(self, now: float, cost: int) -> Standing:
        if self.level < 0:
            self.level, self.seen = float(self.size), now
        self.level = min(self.size, self.level + self.rate * (now - self.seen))
        self.seen = now
        if self.level < cost:
            wait = (cost - self.level) / self.rate
            return Standing(self.limit, self.level, now + (self.size - self.level) / self.rate, wait)
        self.level -= cost
        return Standing(self.limit, self.level, now + (self.size - self.level) / self.rate)


@dataclass
class Nearest:
    """Several quotas; the headers show the one nearest to its end."""

    kinds: Sequence[Kind]

    def hit(self, now: float, cost: int) -> Standing:
        standings = [kind.hit(now, cost) for kind in self.kinds]
        refused = [one for one in standings if one.wait is not None]
        if refused:
            return max(refused, key=lambda one: one.wait or 0)
        return min(standings, key=lambda one: one.left)


@dataclass
class Server:
    """A server with one key, which conforms unless Reset is seconds "to go" or an hour "past".

    `date` is how far its Date is off, None for no Date at all.
    """

    kind: Kind
    rounded: str = "ceil"
    free_refusals: bool = True
    cost: int = 1
    cached_s: float = 0.0
    retry_date: bool = False
    date: float | None = 0.0
    latency: float = 0.004
    now: float = 0.0
    record: list[Exchange] = field(default_factory=list)
    _cache: dict[str, tuple[float, Response]] = field(default_factory=dict)

    def send(self, call: Call, status: int = 200) -> Exchange:
        """Send one request, answered `status` if it is not over the limit."""
        sent = self.now
        self.now += self.latency
        url = "https://h/v1" + call.path
        answer = self._answer(url, call.method, status, sent + self.latency / 2)
        request = Request(call.operation, call.method, url, (), call.body, Credential.VALID)
        started = NOON.fromtimestamp(START + sent, NOON.tzinfo)
        self.record.append(Exchange(len(self.record), "target", request, answer, started, sent, self.now))
        return self.record[-1]

    def others(self, number: int) -> None:
        """Other clients of the key send that many requests."""
        for _ in range(number):
            self.kind.hit(START + self.now, 1)

    def _answer(self, url: str, method: str, status: int, now: float) -> Response:
        kept = self._cache.get(url)
        if method == "GET" and kept is not None and now - kept[0] < self.cached_s:
            return kept[1]
        cost = 0 if status >= 400 and self.free_refusals else self.cost
        wall = START + now
        standing = self.kind.hit(wall, cost)
        headers = [
            ("X-RateLimit-Limit", str(standing.limit)),
            ("X-RateLimit-Remaining", str(max(math.floor(standing.left + 1e-9), 0))),
            ("X-RateLimit-Reset", self._reset(standing.reset, wall)),
        ]
        if self.date is not None:
            headers.append(("Date", formatdate(math.floor(wall + self.date), usegmt=True)))
        if standing.wait is not None:
            status = 429
            at = math.ceil(wall + standing.wait)
            headers.append(
                ("Retry-After", formatdate(at, usegmt=True) if self.retry_date else str(math.ceil(standing.wait)))
            )
        answer = Response(status, "", "HTTP/1.1", tuple(headers), b"[]")
        if status == 200:
            self._cache[url] = now, answer
        return answer

    def _reset(self, reset: float, wall: float) -> str:
        match self.rounded:
            case "ceil":
                return str(math.ceil(reset))
            case "floor":
                return str(math.floor(reset))
            case "jitter":
                return str(math.floor(wall) + math.floor(reset - wall))
            case "to go":
                return str(math.ceil(reset - wall))
            case "past":
                return str(math.ceil(reset) - 3600)
        return f"{reset:.3f}"


def any_kind(draw: Random) -> Kind:
    """A random kind of quota."""
    limit = draw.choice([10, 60, 100, 300, 1000])
    window = draw.choice([10.0, 60.0, 60.0, 60.0, 3600.0])
    kinds: list[Kind] = [
        Fixed(limit, window),
        Fixed(limit, window, aligned=True),
        Fixed(limit, 86_400.0, aligned=True),
        Sliding(limit, window),
        Sliding(limit, window, first_free=False),
        Sliding(limit, window, step=1.0),
        Sliding(limit, window, step=1.0, first_free=False),
        Sliding(limit, window, step=window / 6),
        Sliding(limit, window, step=window / 6, first_free=False),
        Estimated(limit, window),
        Bucket(limit, limit / window, limit),
        Bucket(limit, limit / window, max(limit // 4, 5)),
        Bucket(limit, limit / window * 3, limit),
        Nearest([Fixed(limit, 60.0), Fixed(limit * 20, 86_400.0, aligned=True)]),
        Nearest([Sliding(limit, 60.0), Fixed(limit * 3, 3600.0)]),
        Nearest([Bucket(limit, 10.0, limit), Fixed(1000, 86_400.0)]),
    ]
    return draw.choice(kinds)


def any_server(draw: Random) -> Server:
    """A random conforming server."""
    return Server(
        any_kind(draw),
        rounded=draw.choice(["ceil", "ceil", "floor", "jitter", "fraction"]),
        free_refusals=draw.random() < 0.5,
        cost=draw.choice([1, 1, 1, 2]),
        cached_s=draw.choice([0.0, 0.0, 1.0, 10.0]),
        retry_date=draw.random() < 0.3,
        date=draw.choice([0.0, 0.0, 0.0, None, -480.0]),
        latency=draw.choice([0.004, 0.004, 0.03, 0.3]),
        now=draw.random() * 60,
    )


ORDERS = Call(Operation.STORE_ORDERS)


def any_run(draw: Random, server: Server, requests: int) -> bool:
    """Bursts and pauses of a client that obeys Retry-After; and whether others use the key."""
    shared = draw.random() < 0.4
    pages = iter(range(1, 10_000))
    sent = 0
    while sent < requests:
        server.now += draw.choice([0.0, 0.0, 0.5, 1.0, 5.0, 12.0, 29.0, 55.0, 60.0, 61.0])
        if shared and draw.random() < 0.7:
            server.others(draw.choice([1, 3, 20, 70]))
        for _ in range(draw.choice([1, 3, 10, 40, 120])):
            sent += 1
            server.now += draw.choice([0.0, 0.0, 0.0, 0.01, 0.2])
            what = draw.random()
            if what < 0.3:
                exchange = server.send(Call(Operation.CREATE_PET, body=b"{}"), 201)
            elif what < 0.4:
                exchange = server.send(Call(Operation.CREATE_PET, body=b"{"), 400)
            elif what < 0.5:
                exchange = server.send(Call(Operation.GET_PET, pet_id=str(next(pages) + 2**40)), 404)
            elif what < 0.8:
                exchange = server.send(page(next(pages)))
            elif what < 0.9:
                exchange = server.send(page(1 + draw.randrange(3)))
            else:
                exchange = server.send(ORDERS)
            if shared and draw.random() < 0.05:
                server.others(1)
            if exchange.status == 429:
                wait_out(server, exchange)
                break
    return shared


def page(number: int) -> Call:
    """One of many pages."""
    status = (("status", str(number // 100)),) if number > 99 else ()
    return Call(Operation.LIST_PETS, query=(("limit", str(1 + number % 100)), *status))


def wait_out(server: Server, refusal: Exchange) -> None:
    """Wait until the Retry-After of a 429 has passed."""
    server.now = max(server.now, refusal.finished + (retry_after(refusal) or 0.0))
