"""The one door to the network. Every request of a run passes here, and nowhere else is anything decided about it:

1. permitted?   only the four operations, with GET and POST; a POST only where writes are allowed   -> `NotPermitted`
2. affordable?  not beyond the cap on requests                                                      -> `BudgetSpent`
3. alive?       not to a target or an operation that has stopped answering     -> `TargetDown`, `OperationSilent`
4. paced        waits as the target's own headers ask, after a 502, 503 or 504 too, if that is not too long
                                                                                                    -> `WaitTooLong`
5. sent         within the deadline and the size caps; redirects not followed
6. recorded     after redaction
7. repeated     what was no answer to the question: an unasked 429 twice (-> `StillLimited`), a 502, 503 or 504 once,
                silence once

None of these errors is a verdict on the server; each says why a check could not put its question.
"""

from __future__ import annotations

import math
import uuid
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlencode

from petcheck import __version__
from petcheck.exchange import GATEWAY_TROUBLE, Credential, Exchange, NoAnswer, Operation, Request, Response
from petcheck.key import ApiKey
from petcheck.wire import pacing
from petcheck.wire.client import HttpClient
from petcheck.wire.clock import Clock
from petcheck.wire.credentials import authorization, shown
from petcheck.wire.liveness import Advice, Liveness
from petcheck.wire.redaction import Redactor

_GATEWAY_PAUSE_S = 1.0
_REFUSALS_BEARABLE = 3


class NotSent(Exception):
    """A question could not be put to the target, or got no answer that counts. `settled_by` is the flag that helps."""

    def __init__(self, reason: str, settled_by: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.settled_by = settled_by


class NotPermitted(NotSent):
    """The request needs a permission that was not given."""


class BudgetSpent(NotSent):
    """The run has sent as many requests as it may."""


class WaitTooLong(NotSent):
    """The target's quota is used up for longer than the run may wait."""


class StillLimited(NotSent):
    """The target answered 429 three times in a row, although each Retry-After was waited out."""


class OperationSilent(NotSent):
    """The operation has left several requests unanswered, while the target goes on answering others."""


class TargetDown(NotSent):
    """The target has stopped answering anything."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request before it is sent: `pet_id` is the path's last segment, `query` its parameters in order."""

    operation: Operation
    credential: Credential = Credential.VALID
    pet_id: str | None = None
    query: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None

    @property
    def method(self) -> str:
        """GET or POST."""
        return "POST" if self.operation is Operation.CREATE_PET else "GET"

    @property
    def path(self) -> str:
        """The path below the base URL, with its query."""
        match self.operation:
            case Operation.GET_PET:
                path = "/pets/" + quote(self.pet_id or "", safe="")
            case Operation.STORE_ORDERS:
                path = "/store/orders"
            case _:
                path = "/pets"
        return path + ("?" + urlencode(self.query, quote_via=quote) if self.query else "")


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a run may do to a target: whether POST may be sent, how many requests at most, seconds to wait at most."""

    writes: bool
    max_requests: int
    max_wait: float


@dataclass
class Tally:
    """How many requests were sent to a target: by method, by the section that they were sent for, by their answer."""

    sent: int = 0
    methods: Counter[str] = field(default_factory=Counter)
    sections: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)

    def count(self, exchange: Exchange) -> None:
        """Add an exchange."""
        self.sent += 1
        self.methods[exchange.request.method] += 1
        self.sections[exchange.section] += 1
        if exchange.status is not None:
            self.statuses[exchange.status] += 1


@dataclass
class Transport:
    """Sends calls to one target and records what came. `section` names the section on whose behalf calls are made.

    `recorded` holds the exchanges in their order, `tally` counts all that were ever sent: of a long run not every
    exchange is kept.
    """

    target: str
    base_url: str
    key: ApiKey
    permissions: Permissions
    client: HttpClient
    clock: Clock
    on_wait: Callable[[str, float, str], None] = lambda target, seconds, why: None
    on_notice: Callable[[str, str], None] = lambda target, text: None
    on_exchange: Callable[[Exchange], None] = lambda exchange: None
    random_key: str = field(default_factory=lambda: uuid.uuid4().hex)
    section: str = ""
    recorded: list[Exchange] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    waited_s: float = 0.0
    _keyed: pacing.Bucket = field(default_factory=pacing.Bucket)
    _keyless: pacing.Bucket = field(default_factory=pacing.Bucket)
    _one_quota: bool = False
    _troubled_until: float = -math.inf
    _in_trouble: bool = False
    _trouble: int = 0
    _trouble_s: float = 0.0
    _liveness: Liveness = field(default_factory=Liveness)

    def __post_init__(self) -> None:
        self._redactor = Redactor(self.key)

    @property
    def down(self) -> bool:
        """Whether the target has stopped answering."""
        return self._liveness.dead

    def redacted(self, text: str) -> str:
        """`text` without the key, for whatever is said about this target."""
        return self._redactor.in_text(text)

    def send(self, call: Call) -> Exchange:
        """Send a call and return its last exchange; `NotSent` where it could not be asked or was not heard."""
        match self._liveness.advice(call.operation):
            case Advice.GIVE_UP:
                raise TargetDown("the target has stopped answering")
            case Advice.SKIP:
                raise OperationSilent(f"{call.operation} does not answer and is not asked again")
            case Advice.PROBE_FIRST:
                other = Operation.STORE_ORDERS if call.operation is not Operation.STORE_ORDERS else Operation.LIST_PETS
                self._heard(Call(other), tries=1)
                return self.send(call)
            case Advice.SEND_ONCE:
                return self._heard(call, tries=1)
            case Advice.SEND:
                return self._heard(call, tries=2)

    def send_expecting_refusal(self, call: Call) -> Exchange:
        """Send a call that may use up the quota: only a Retry-After in force is waited for, and a 429 is an answer."""
        exchange = self._paced(call, new_connection=False, may_exhaust=True)
        self._note_life(exchange)
        return exchange

    def wait(self, seconds: float, why: str) -> None:
        """Let seconds pass, telling every second how many are left; `WaitTooLong` where the run may not wait so long.

        `why` reads on with "in … s".
        """
        if seconds > self.permissions.max_wait:
            raise WaitTooLong(
                f"{why} in {_span(seconds)}; this run may wait {_span(self.permissions.max_wait)}",
                "--max-wait",
            )
        left = seconds
        while left > 0:
            self.on_wait(self.target, left, why)
            step = min(left, 1.0)
            self.clock.sleep(step)
            left -= step
        self.waited_s += seconds

    def forget(self, indices: Collection[int]) -> None:
        """Keep those exchanges no longer; they stay in the tally."""
        self.recorded[:] = [exchange for exchange in self.recorded if exchange.index not in indices]

    def remaining(self) -> pacing.Window | None:
        """The key's window as the last response showed it."""
        return self._keyed.window

    def _heard(self, call: Call, *, tries: int) -> Exchange:
        # where there is only one try, it must not be lost on a connection that the target has closed meanwhile
        exchange = self._served(call, new_connection=call.method == "POST" or tries == 1)
        if isinstance(exchange.answer, NoAnswer) and tries > 1:
            exchange = self._served(call, new_connection=True)
        self._note_life(exchange)
        if self._liveness.dead:
            raise TargetDown(f"the target has stopped answering ({exchange.answer.detail})")  # type: ignore[union-attr]
        return exchange

    def _note_life(self, exchange: Exchange) -> None:
        operation = exchange.request.operation
        if isinstance(exchange.answer, NoAnswer):
            self._liveness = self._liveness.silent(operation)
        else:
            self._liveness = self._liveness.answered(operation)

    def _served(self, call: Call, *, new_connection: bool) -> Exchange:
        """The exchange after unasked 429s and a gateway's trouble have been waited out."""
        exchange = self._paced(call, new_connection=new_connection)
        troubled = False
        refusals = 0
        while isinstance(exchange.answer, Response):
            if exchange.answer.status == 429:
                refusals += 1
                if refusals >= _REFUSALS_BEARABLE:
                    raise StillLimited(
                        f"{call.operation} was answered 429 {refusals} times in a row, each Retry-After waited out"
                    )
            elif exchange.answer.status in GATEWAY_TROUBLE and not troubled:
                troubled = True
                # where the last call met nothing else, time does not help
                if self._troubled_until < exchange.finished and not self._in_trouble:
                    self.wait(_GATEWAY_PAUSE_S, f"{exchange.answer.status} was answered, and the request is sent again")
            else:
                break
            exchange = self._paced(call, new_connection=new_connection)
        self._in_trouble = exchange.status in GATEWAY_TROUBLE
        return exchange

    def _paced(self, call: Call, *, new_connection: bool, may_exhaust: bool = False) -> Exchange:
        """One request on the wire, after the pause that the target asks for."""
        if call.method == "POST" and not self.permissions.writes:
            raise NotPermitted("POST is sent only where writes are allowed", "--allow-writes")
        if self.tally.sent >= self.permissions.max_requests:
            raise BudgetSpent(f"the run may send {self.permissions.max_requests} requests at most", "--max-requests")
        self._wait_out_trouble()
        keyed = call.credential is Credential.VALID or self._one_quota
        bucket = self._keyed if keyed else self._keyless
        pause = pacing.delay(bucket, self.clock.monotonic())
        if may_exhaust and bucket.closed_until <= self.clock.monotonic():
            pause = pacing.NO_DELAY
        if pause.seconds > 0:
            self.wait(pause.seconds, pause.why)
            bucket = pacing.waited(bucket)
        exchange = self._sent(call, new_connection)
        self._learn(exchange, bucket, keyed)
        return exchange

    def _wait_out_trouble(self) -> None:
        """Let the Retry-After of a gateway's trouble pass, whoever it was said to; all of them together as one wait."""
        left = self._troubled_until - self.clock.monotonic()
        if left <= 0:
            return
        if self._trouble_s > 0 and self._trouble_s + left > self.permissions.max_wait:
            raise WaitTooLong(
                f"{self._trouble} was answered each time that its Retry-After had passed; "
                f"this run may wait {_span(self.permissions.max_wait)} for that",
                "--max-wait",
            )
        self.wait(left, f"{self._trouble} was answered, and the next request may be sent")
        self._trouble_s += left

    def _learn(self, exchange: Exchange, bucket: pacing.Bucket, keyed: bool) -> None:
        if not isinstance(exchange.answer, Response):
            return
        wall = self.clock.now()
        pause = pacing.retry_after(exchange.answer, wall)
        if exchange.answer.status in GATEWAY_TROUBLE and pause is not None:
            self._trouble, self._troubled_until = exchange.answer.status, exchange.finished + pause
        bucket = pacing.observe(bucket, exchange.answer, exchange.finished, wall)
        if keyed:
            self._keyed = bucket
            return
        if bucket.window is not None and pacing.shares_quota(self._keyed, bucket.window):
            self._one_quota = True
            self._keyed = bucket
        self._keyless = bucket

    def _sent(self, call: Call, new_connection: bool) -> Exchange:
        url = self.base_url + call.path
        headers = [
            ("Accept", "application/json"),
            ("Accept-Encoding", "gzip, deflate"),
            ("User-Agent", f"petcheck/{__version__}"),
        ]
        if call.body is not None or call.method == "POST":
            headers.append(("Content-Type", "application/json"))
        credential = authorization(call.credential, self.key, self.random_key)
        started, sent = self.clock.now(), self.clock.monotonic()
        answer = self.client.send(
            call.method,
            url,
            headers + ([("Authorization", credential)] if credential is not None else []),
            call.body,
            new_connection=new_connection,
        )
        finished = self.clock.monotonic()
        display = shown(call.credential, self.random_key)
        exchange = Exchange(
            index=self.tally.sent,
            target=self.target,
            request=Request(
                operation=call.operation,
                method=call.method,
                url=self._redactor.in_text(url),
                headers=(*headers, *((("Authorization", display),) if display is not None else ())),
                body=call.body,
                credential=call.credential,
            ),
            answer=self._without_key(answer),
            started=started,
            sent=sent,
            finished=finished,
            section=self.section,
        )
        self.recorded.append(exchange)
        self.tally.count(exchange)
        self.on_exchange(exchange)
        return exchange

    def _without_key(self, answer: Response | NoAnswer) -> Response | NoAnswer:
        if isinstance(answer, NoAnswer):
            return replace(answer, detail=self._redactor.in_text(answer.detail))
        told = [answer.reason, *(part for header in answer.headers for part in header)]
        reason, *parts = self._redactor.in_texts(told)
        return replace(
            answer,
            reason=reason,
            headers=tuple(zip(parts[::2], parts[1::2], strict=True)),
            body=self._redactor.in_bytes(answer.body),
        )


def _span(seconds: float) -> str:
    """Seconds in words that a person can take in."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.0f} h"
