"""A conforming store whose requests overlap: each takes effect at a moment between its sending and its answer."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from random import Random

from petcheck.call import Call, Credential, page_call, read_call
from petcheck.exchange import Exchange, NoAnswer, Request, Response, Silence
from petcheck.judging.pages import shown_in
from petcheck.judging.rate_headers import retry_after
from petcheck.spec.figures import STATUSES
from petcheck.spec.operations import Operation
from tests.support.exchanges import NOON
from tests.support.quota_kinds import START, Bucket, Fixed, Kind, Sliding, Standing

RUN = "0a1b2c3d"
MOST = 8
Animals = dict[int, dict[str, object]]


@dataclass
class Sent:
    """A request under way: when it was sent, takes effect, is counted against the quota, and is answered.

    What is left of the quota is read when it is `told`.
    """

    call: Call
    sent: float
    effect: float
    counted: float
    told: float
    finished: float
    burst: int | None = None
    again: int | None = None
    refused: NoAnswer | Response | None = None
    answered: Response = field(default_factory=lambda: Response(0, "", "", (), b""))
    headers: tuple[tuple[str, str], ...] = ()
    wait: float | None = None


@dataclass
class Store:
    """The server and its client. `lag` is the most seconds that an answer may be old, `cap` the longest page."""

    draw: Random
    quota: Kind
    lag: float = 0.0
    cap: int = 100
    newest_first: bool = False
    cuts_first: bool = False
    dated: bool = True
    told_apart: bool = False  # what is left is not read when the request is counted
    limits: bool = False  # refuses connections in excess
    slow: float = 0.3
    others: bool = False
    now: float = 0.0
    record: list[Exchange] = field(default_factory=list)
    _animals: Animals = field(default_factory=dict)
    _times: list[float] = field(default_factory=lambda: [-math.inf])
    _states: list[Animals] = field(default_factory=lambda: [{}])
    _last: int = 0
    _number: int = 1000
    _bursts: int = 0

    # ---- the client

    def run(self, requests: int) -> None:
        """Single requests and bursts, until so many were sent."""
        for _ in range(self.draw.choice([0, 3, 12, 30])):
            self._add({"name": "Old", "categoryId": 1, "status": self.draw.choice(STATUSES)}, -100.0)
        while len(self.record) < requests:
            self.now += self.draw.choice([0.0, 0.0, 0.01, 0.5, 3.0, 11.0])
            if self.others and self.draw.random() < 0.5:
                self._others()
            size = self.draw.choice([1, 1, 2, MOST])
            calls = [self._call() for _ in range(size)]
            if size > 1 and self.draw.random() < 0.5:
                calls[-1] = calls[0] if calls[0].operation.safe else replace(calls[0], credential=Credential.MISSING)
            self._batch(calls)

    def _call(self) -> Call:
        """One of the requests that a run sends."""
        self._number += 1
        number, what = self._number, self.draw.random()
        key = (
            self.draw.choice([Credential.MISSING, Credential.RANDOM]) if self.draw.random() < 0.15 else Credential.VALID
        )
        if what < 0.35:
            pet = {"name": f"petcheck {RUN} {number}", "categoryId": 1, "status": self.draw.choice([*STATUSES, None])}
            if pet["status"] is None:
                del pet["status"]
            if self.draw.random() < 0.2:
                pet["categoryId"] = "one"
            return Call(Operation.CREATE_PET, key, body=json.dumps(pet).encode())
        if what < 0.7:
            status = self.draw.choice([None, None, *STATUSES])
            return page_call(self.draw.choice([None, 1, 20, 100, 100, 101]), status, key)
        if what < 0.95:
            shown = [number for exchange in self.record[-MOST:] for number in shown_in(exchange)]
            ids = [*shown, self._number + 2**40]
            return replace(read_call(self.draw.choice(ids)), credential=key)
        return Call(Operation.STORE_ORDERS, key)

    def _batch(self, calls: list[Call], again: list[int | None] | None = None) -> None:
        """Send requests at the same time, and those that were refused once more, one after the other."""
        alone = len(calls) == 1
        self._bursts += not alone
        batch, sent = [], self.now
        for place, call in enumerate(calls):
            sent += 0.0 if alone else self.draw.choice([0.0, 0.001, 0.01])
            finished = sent + 0.002 + self.draw.random() * self.draw.choice([0.01, self.slow])
            effect, counted, told = (sent + (finished - sent) * self.draw.random() for _ in range(3))
            told = told if self.told_apart else counted
            burst = None if alone else self._bursts
            one = Sent(call, sent, effect, counted, told, finished, burst, again[place] if again else None)
            if not alone and self.limits and self.draw.random() < 0.4:
                one.refused = self._refusal()
            batch.append(one)
        moments = [(one.counted, place, self._count) for place, one in enumerate(batch)]
        moments += [(one.told, place, self._tell) for place, one in enumerate(batch) if self.told_apart]
        for _, place, happens in sorted(moments, key=lambda moment: moment[0]):
            happens(batch[place])
        served = [one for one in batch if not isinstance(one.refused, Response)]
        for one in sorted(served, key=lambda one: one.effect):
            one.answered = self._answer(one)
        begun = len(self.record)
        for place, one in enumerate(batch):
            self.record.append(self._exchange(one, begun + place))
        mine = self.record[begun:]
        self.now = max(one.finished for one in mine)
        waits = [one.finished + (retry_after(one) or 0.0) for one in mine if one.status in (429, 503)]
        self.now = max([self.now, *waits])
        for exchange, one in zip(mine, batch, strict=True):
            if one.refused is not None:
                self._batch([one.call], [exchange.index])

    def _refusal(self) -> NoAnswer | Response:
        if self.draw.random() < 0.5:
            kind = self.draw.choice([Silence.RESET, Silence.UNREACHABLE, Silence.TIMEOUT])
            return NoAnswer(kind, "nothing was received")
        return Response(self.draw.choice([429, 429, 503]), "", "HTTP/1.1", (("Retry-After", "1"),), b"")

    def _exchange(self, one: Sent, index: int) -> Exchange:
        request = Request(
            one.call.operation, one.call.method, "https://h/v1" + one.call.path, (), one.call.body, one.call.credential
        )
        started = NOON.fromtimestamp(START + one.sent, NOON.tzinfo)
        answer = one.refused or one.answered
        return Exchange(
            index, "target", request, answer, started, one.sent, one.finished, burst=one.burst, again=one.again
        )  # fmt: skip

    # ---- the server

    def _count(self, one: Sent) -> None:
        wall = START + one.counted
        keyed = one.call.credential is Credential.VALID and not isinstance(one.refused, Response)
        standing = self.quota.hit(wall, 1 if keyed else 0)
        one.wait = standing.wait if keyed else None
        if not self.told_apart:
            self._write(one, standing, wall)

    def _tell(self, one: Sent) -> None:
        self._write(one, self.quota.hit(START + one.told, 0), START + one.told)

    def _write(self, one: Sent, standing: Standing, wall: float) -> None:
        headers = [
            ("X-RateLimit-Limit", str(standing.limit)),
            ("X-RateLimit-Remaining", str(max(math.floor(standing.left + 1e-9), 0))),
            ("X-RateLimit-Reset", str(math.ceil(standing.reset))),
        ]
        if self.dated:
            headers.append(("Date", formatdate(math.floor(wall), usegmt=True)))
        one.headers = tuple(headers)
        if isinstance(one.refused, Response) and one.refused.status == 429 and self.draw.random() < 0.5:
            one.refused = replace(one.refused, headers=(*one.refused.headers, *headers))

    def _answer(self, one: Sent) -> Response:
        status, value = self._result(one)
        body = b"" if value is None else json.dumps(value).encode()
        pause = (("Retry-After", str(math.ceil(one.wait or 0.0))),) if status == 429 else ()
        return Response(status, "", "HTTP/1.1", (("Content-Type", "application/json"), *pause, *one.headers), body)

    def _result(self, one: Sent) -> tuple[int, object]:
        call = one.call
        if call.credential is not Credential.VALID:
            return self._error(401)
        if one.wait is not None:
            return 429, None
        if call.operation is Operation.STORE_ORDERS:
            return 200, []
        if call.operation is Operation.CREATE_PET:
            pet = json.loads(call.body or b"")
            if not isinstance(pet["categoryId"], int):
                return self._error(400)
            return 201, self._add(pet, one.effect)
        seen = self._state(one.effect - self.draw.random() * self.lag)
        if call.operation is Operation.GET_PET:
            found = seen.get(int(call.pet_id or 0))
            return self._error(404) if found is None else (200, found)
        query = dict(call.query)
        limit = min(int(query.get("limit", 20)), self.cap)
        animals = sorted(seen.values(), key=lambda pet: int(str(pet["id"])), reverse=self.newest_first)
        if self.cuts_first:
            animals = animals[:limit]
        return 200, [pet for pet in animals if query.get("status") in (None, pet.get("status"))][:limit]

    @staticmethod
    def _error(status: int) -> tuple[int, object]:
        return status, {"code": "x", "message": "y", "status": status}

    def _add(self, pet: dict[str, object], moment: float) -> dict[str, object]:
        self._last += 1
        made = {"id": self._last, **pet}
        self._keep({**self._animals, self._last: made}, moment)
        return made

    def _keep(self, animals: Animals, moment: float) -> None:
        self._animals = animals
        self._times.append(moment)
        self._states.append(animals)

    def _state(self, moment: float) -> Animals:
        return self._states[bisect_right(self._times, moment) - 1]

    def _others(self) -> None:
        """Other clients add an animal, or take one away that is not the run's."""
        theirs = [number for number, pet in self._animals.items() if RUN not in str(pet["name"])]
        if theirs and self.draw.random() < 0.5:
            gone = self.draw.choice(theirs)
            self._keep({number: pet for number, pet in self._animals.items() if number != gone}, self.now)
        else:
            self._add({"name": "Theirs", "categoryId": 1, "status": self.draw.choice(STATUSES)}, self.now)
        self.quota.hit(START + self.now, 1)


def any_store(draw: Random) -> Store:
    """A random conforming store."""
    limit, window = draw.choice([60, 300, 1000]), draw.choice([10.0, 60.0, 60.0, 3600.0])
    kinds: list[Kind] = [
        Fixed(limit, window),
        Fixed(limit, window),
        Fixed(limit, window, aligned=True),
        Sliding(limit, window),
        Sliding(limit, window, first_free=False),
        Bucket(limit, limit / window, limit),
    ]
    return Store(
        draw,
        draw.choice(kinds),
        lag=draw.choice([0.0, 0.0, 9.9]),
        cap=draw.choice([100, 100, 20, 25]),
        newest_first=draw.random() < 0.5,
        cuts_first=draw.random() < 0.2,
        dated=draw.random() < 0.8,
        told_apart=draw.random() < 0.4,
        limits=draw.random() < 0.4,
        slow=draw.choice([0.05, 0.3, 3.0]),
        others=draw.random() < 0.3,
        now=draw.random() * 60,
    )
