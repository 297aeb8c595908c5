"""Answers the requests of a run that is judged again from its recording. Nothing is sent."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from petcheck.errors import ConnectionLost, NotRecorded
from petcheck.exchange import Credential, Exchange, Request
from petcheck.spec.operations import Operation
from petcheck.wire.clock import Clock
from petcheck.wire.redaction import MASK
from petcheck.wire.sender import Errand

_Asked: TypeAlias = tuple[Operation, Credential, str, bytes | None]


class RecordedSender:
    """Answers each request with the first exchange of a recording that had the same request and is not used yet."""

    def __init__(self, base_url: str, fingerprint: str | None, exchanges: Iterable[Exchange]) -> None:
        self.base_url = base_url
        self.fingerprint = fingerprint
        self._left: dict[_Asked, deque[Exchange]] = {}
        for exchange in exchanges:
            self._left.setdefault(_asked(exchange.request), deque()).append(exchange)
        self._lost: Exchange | None = None

    def redacted(self, text: str) -> str:
        """`text` as it is: a recording does not hold the key."""
        return text

    def send(self, errand: Errand) -> Exchange:
        """The recorded exchange. Raises `NotRecorded`, and `ConnectionLost` where the run had lost the request."""
        call = errand.call
        request = Request(
            call.operation, call.method, self.base_url + call.path, (), call.body, credential=call.credential
        )
        same = self._left.get(_asked(request)) or self._masked(request)
        if not same:
            raise NotRecorded(f"the recording has no answer to {request.summary}")
        if same[0].resent and same[0] is not self._lost:
            self._lost = same[0]
            raise ConnectionLost("it was lost on a connection that the server had closed")
        return same.popleft()

    def _masked(self, request: Request) -> deque[Exchange] | None:
        """The exchanges with the same request, except for a part of the key that its body contained by chance."""
        for (operation, credential, url, body), same in self._left.items():
            alike = (operation, credential, url) == (request.operation, request.credential, request.url)
            if same and alike and body and request.body and MASK in body:
                pattern = b".{4,}?".join(map(re.escape, body.split(MASK)))
                if re.fullmatch(pattern, request.body, re.DOTALL):
                    return same
        return None

    def rest(self) -> list[Exchange]:
        """The exchanges that no request has taken, in their order; a second call returns none."""
        rest = sorted((one for same in self._left.values() for one in same), key=lambda exchange: exchange.index)
        self._left.clear()
        return rest


def _asked(request: Request) -> _Asked:
    return request.operation, request.credential, request.url, request.body


@dataclass(frozen=True, slots=True)
class RecordedClock(Clock):
    """A clock that begins where a recording begins. Its time passes with the exchanges, and sleep takes none."""

    first: Exchange | None

    def monotonic(self) -> float:
        """Seconds on the clock of the recording."""
        return self.first.sent if self.first else 0.0

    def now(self) -> datetime:
        """When the recording begins, in UTC."""
        return self.first.started if self.first else datetime.fromtimestamp(0, UTC)

    def sleep(self, seconds: float) -> None:
        """Return at once."""
