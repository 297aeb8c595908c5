"""The only way to the network. Every request of a run passes here, and all decisions about sending it are made here:

1. permitted?   only the operations of the document; one that is not safe only if writes are allowed -> `NotPermitted`
2. affordable?  not beyond the cap on requests                                                      -> `BudgetSpent`
3. alive?       not to a target that is down, nor of a kind that it leaves waiting -> `TargetDown`, `OperationSilent`
4. paced        waits as the target asks, also after a 429, 502, 503 or 504, if not too long        -> `NotSent`
5. sent         within the deadline and the size caps; redirects are not followed; a request lost on a kept connection
                that the server had closed is sent again on a new one, and not recorded
6. recorded     after redaction
7. repeated     once, if the answer does not count: an unexpected 429 (-> `NotSent`), a 502, 503 or 504, or
                silence, after which the target is probed. The number of repeats is limited         -> `NotSent`

None of these errors is a verdict on the server; each says why a check got no answer that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from math import inf

from petcheck.errors import (
    BudgetSpent,
    ConnectionLost,
    NotPermitted,
    NotSent,
    OperationSilent,
    TargetDown,
)
from petcheck.exchange import Call, Credential, Exchange, NoAnswer, Request, Response, Silence
from petcheck.spec.figures import GATEWAY_TROUBLE, RETRY_AFTER
from petcheck.spec.operations import Operation
from petcheck.wire.circuit import PATIENCE_AT_START_S, PATIENCE_S, Circuit, is_ordinary, pause_before_probe
from petcheck.wire.client import BODY_CAP
from petcheck.wire.clock import Clock, in_words
from petcheck.wire.sender import LiveSender
from petcheck.wire.tally import MOST_REPEATS, RequestTally, Unplanned
from petcheck.wire.throttle import Throttle
from petcheck.words import plural

# the silence of a target whose server is starting
_WHILE_STARTING = (Silence.UNREACHABLE, Silence.RESET)
_GATEWAY_PAUSE_S = 1.0
_GATEWAY_PAUSES = 10
# once a target's record holds this many bytes of bodies, no more large ones are read: reports need several times that
_RECORD_CAP = 48 * 1024 * 1024
_BODY_CAP_BEYOND = 256 * 1024
# after this many losses each request gets its own connection: the server keeps none
_LOST_BEFORE_NONE_IS_KEPT = 3
# so long after an answer a connection is open for sure, unless the server has closed one before
_OPEN_FOR_S = 0.5


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a run may do to a target: send what is not safe, so many requests, and wait so many seconds at once."""

    writes: bool
    max_requests: int
    max_wait: float


@dataclass
class Transport:
    """Sends calls to one target and records the exchanges. `section` is the section on whose behalf calls are made.

    `on_top` says that no requirement needs them, `example` that they are property examples; `simplifies` is the index
    of the one that they simplify.

    `formed` chooses the form of a call by what is recorded so far. `recorded` holds the exchanges in order, and `tally`
    counts them. While a POST is sent and recorded, the block of `undisturbed` lasts.
    """

    target: str
    sender: LiveSender
    permissions: Permissions
    time: Clock
    on_wait: Callable[[str, float, str], None] = lambda target, seconds, why: None
    on_notice: Callable[[str, str], None] = lambda target, text: None
    on_exchange: Callable[[Exchange], None] = lambda exchange: None
    on_waited: Callable[[str, float, str], None] = lambda target, seconds, why: None
    formed: Callable[[Call, Sequence[Exchange]], Call] = lambda call, recorded: call
    undisturbed: Callable[[], AbstractContextManager[None]] = nullcontext
    section: str = ""
    on_top: bool = False
    example: bool = False
    simplifies: int | None = None
    recorded: list[Exchange] = field(default_factory=list)
    tally: RequestTally = field(default_factory=RequestTally)
    _in_trouble: bool = False
    _gateway_pauses: int = 0
    _record_size: int = 0
    _circuit: Circuit = field(default_factory=Circuit)
    _answered: dict[Operation, Call] = field(default_factory=dict)
    _last_answered: tuple[int, Request] | None = None
    _down: str | None = None
    _open_until: float = -inf

    def __post_init__(self) -> None:
        self._throttle = Throttle(self.time, self.permissions.max_wait, self.wait)

    @property
    def base_url(self) -> str:
        """Where the target is; no slash at its end."""
        return self.sender.base_url

    @property
    def down(self) -> bool:
        """Whether the target has stopped answering."""
        return self._down is not None

    def redacted(self, text: str) -> str:
        """`text` without the key, for every message about this target."""
        return self.sender.redacted(text)

    def send(self, call: Call) -> Exchange:
        """Send a call and return its last exchange. Raises `NotSent` if no answer counts or it cannot be sent."""
        if self._down is not None:
            raise TargetDown(self._down)
        if self._circuit.open(call):
            raise OperationSilent(f"{call.operation} does not answer, so petcheck has stopped calling it")
        # the simpler forms of an example differ in nothing else
        return self._settled(call if self.simplifies is not None else self.formed(call, self.recorded))

    def send_expecting_refusal(self, call: Call) -> Exchange:
        """Send a call that may use up the quota: wait only for a Retry-After in force; a 429 counts as an answer."""
        if self._down is not None:
            raise TargetDown(self._down)
        return self._paced(call, may_exhaust=True)

    def wait(self, seconds: float, why: str) -> None:
        """Wait, reporting the seconds left every second. Raises `NotSent` if the run may not wait that long.

        Messages continue `why` with "in … s".
        """
        if seconds > self.permissions.max_wait:
            raise NotSent(
                f"{why} in {in_words(seconds)}, but this run waits at most {in_words(self.permissions.max_wait)}",
                "--max-wait",
            )
        self._let_pass(seconds, why)

    def _let_pass(self, seconds: float, why: str) -> None:
        left = seconds
        while left > 0:
            self.on_wait(self.target, left, why)
            step = min(left, 1.0)
            self.time.sleep(step)
            left -= step
        self.on_waited(self.target, seconds, why)

    # ---- repeated

    def _settled(self, call: Call) -> Exchange:
        """The exchange that answers the call, after repeating a request whose answer does not count."""
        repeated: set[Unplanned] = set()
        cause: Unplanned | None = None
        while True:
            exchange = self._paced(call, cause=cause)
            cause = _cause_to_repeat(exchange)
            if cause is None or cause in repeated or not self.tally.may_repeat(cause):
                break
            self._before_repeat(cause, exchange)
            # if nothing listened, the request was not tried at all
            if not (isinstance(exchange.answer, NoAnswer) and exchange.answer.kind is Silence.UNREACHABLE):
                repeated.add(cause)
        self._circuit.note(call, exchange.answer)
        if cause is not None and cause not in repeated:
            spent = f"the run has already repeated {MOST_REPEATS[cause]} requests {cause.value} and repeats no more"
            if cause is Unplanned.SILENCE:
                raise OperationSilent(f"{call.operation} did not answer; {spent}")
            raise NotSent(f"{call.operation} gave no usable answer; {spent}")
        if cause is Unplanned.RATE_LIMIT:
            raise NotSent(f"{call.operation} returned 429 again after its {RETRY_AFTER} had passed")
        self._in_trouble = cause is Unplanned.GATEWAY
        return exchange

    def _before_repeat(self, cause: Unplanned, exchange: Exchange) -> None:
        if cause is Unplanned.SILENCE:
            self._await_life(exchange)
            return
        # waiting does not help if the last call met nothing else, or if many calls have
        helps = not self._in_trouble and self._gateway_pauses < _GATEWAY_PAUSES
        if cause is Unplanned.GATEWAY and helps and not self._throttle.asks_to_wait():
            self._gateway_pauses += 1
            self.wait(_GATEWAY_PAUSE_S, f"got {exchange.status}; retrying")

    def _await_life(self, unanswered: Exchange) -> None:
        """Probe until anything is answered. Raises `TargetDown` if nothing is until patience ends."""
        known = bool(self._answered)
        starting = isinstance(unanswered.answer, NoAnswer) and unanswered.answer.kind in _WHILE_STARTING
        patience = PATIENCE_S if known else PATIENCE_AT_START_S if starting else 0.0
        calls = self._probes(unanswered.request.operation)
        began = self.time.monotonic()
        number = 0
        while True:
            probe = self._paced(calls[number % len(calls)], cause=Unplanned.PROBE)
            number += 1
            if isinstance(probe.answer, Response):
                return
            passed = self.time.monotonic() - began
            if passed >= patience and (number >= len(calls) or not known):
                break
            pause = pause_before_probe(number, passed, patience)
            if pause > 0:
                self._let_pass(pause, "no answer; probing again")
        self._down = self.redacted(self._last_words(unanswered, passed))
        raise TargetDown(self._down)

    def _probes(self, silent: Operation) -> list[Call]:
        """Plain requests, preferably ones that were answered before; the silent operation's comes last."""
        asked = (Operation.STORE_ORDERS, Operation.LIST_PETS)
        calls = {operation: Call(operation) for operation in asked} | self._answered
        return [calls[operation] for operation in sorted(calls, key=lambda operation: operation is silent)]

    def _last_words(self, unanswered: Exchange, seconds: float) -> str:
        """Why the target counts as down: the last requests before the silence, and what was seen."""
        asked, silence = unanswered.request.summary, unanswered.answer
        text = f"the target has stopped answering: {asked} got no answer ({silence})"
        if self._last_answered is None:
            return f"{text}, nor did any other request"
        status, request = self._last_answered
        text += f", nor did any other request for {in_words(seconds)}"
        return f"{text}; the last answer was {status} to {request.summary}"

    # ---- paced

    def _paced(self, call: Call, *, cause: Unplanned | None = None, may_exhaust: bool = False) -> Exchange:
        """Send one request after the pause that the target asks for; `cause` is given if it was not planned."""
        if not (call.operation.safe or self.permissions.writes):
            raise NotPermitted(f"{call.method} requests were not allowed", "--allow-writes")
        self._afford()
        valid_key = call.credential is Credential.VALID
        self._throttle.before(valid_key=valid_key, may_exhaust=may_exhaust)
        # what a POST creates stays, so nothing may come between sending and recording it
        with nullcontext() if call.operation.safe else self.undisturbed():
            exchange = self._exchanged(call, cause)
        answer = exchange.answer
        if isinstance(answer, Response):
            self._throttle.after(answer, exchange.finished, valid_key=valid_key)
            self._last_answered = answer.status, exchange.request
            if call.operation.safe and valid_key and is_ordinary(call):
                self._answered.setdefault(call.operation, call)
        return exchange

    # ---- sent

    def _afford(self) -> None:
        most = self.permissions.max_requests
        if self.tally.sent + self.tally.lost >= most:
            raise BudgetSpent(f"the run has reached its limit of {plural(most, 'request')}", "--max-requests")

    def _exchanged(self, call: Call, cause: Unplanned | None) -> Exchange:
        """Send a request, once more if a kept connection lost it, and record the exchange."""
        cap = max(_BODY_CAP_BEYOND, min(BODY_CAP, _RECORD_CAP - self._record_size))
        send = partial(self.sender.send, call, self.target, self.tally.sent, self.section, body_cap=cap)
        try:
            exchange = send(new_connection=cause is not None or self._may_lose(call))
        except ConnectionLost:
            self.tally.lost += 1
            self._afford()
            exchange = replace(send(new_connection=True), resent=True)
        self._throttle.last_sent = exchange.sent
        well = isinstance(exchange.answer, Response) and exchange.answer.body_complete and exchange.answer.status < 500
        self._open_until = exchange.finished + _OPEN_FOR_S if well else -inf
        why = cause.value if cause is not None else ""
        exchange = replace(exchange, cause=why, on_top=self.on_top, example=self.example, simplifies=self.simplifies)
        self.on_exchange(exchange)
        self.recorded.append(exchange)
        self._record_size += len(exchange.answer.body) if isinstance(exchange.answer, Response) else 0
        self.tally.count(cause)
        return exchange

    def _may_lose(self, call: Call) -> bool:
        """Whether a kept connection may lose the request, which must not happen if it may change something there."""
        if call.operation.safe:
            return self.tally.lost >= _LOST_BEFORE_NONE_IS_KEPT
        return self.tally.lost > 0 or self.time.monotonic() > self._open_until


def _cause_to_repeat(exchange: Exchange) -> Unplanned | None:
    """Why an exchange's answer does not count; None if it does."""
    if isinstance(exchange.answer, NoAnswer):
        return Unplanned.SILENCE
    if exchange.status == 429:
        return Unplanned.RATE_LIMIT
    return Unplanned.GATEWAY if exchange.status in GATEWAY_TROUBLE else None
