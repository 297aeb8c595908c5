"""The only way to the network. Every request of a run passes here, and all decisions about sending it are made here:

1. permitted?   only the operations of the document; one that is not safe only if writes are allowed -> `NotPermitted`
2. affordable?  not beyond the cap on requests, nor the run's own most                             -> `BudgetSpent`
3. alive?       not to a target that is down, nor of a kind that it leaves waiting -> `TargetDown`, `OperationSilent`
4. paced        waits as the target asks, also after a 429, 502, 503 or 504, if not too long        -> `NotSent`
5. sent         within the deadline and the size caps; redirects are not followed; a request lost on a kept connection
                that the server had closed is sent again on a new one, and not recorded
6. recorded     after redaction; one that is not safe also if petcheck stops before it is answered; of those that find
                where an application has the operations, only the number is
   Several requests at the same time, a burst, pass the same six steps together; who limits them is asked one by one.
7. repeated     once, if the answer does not count: an unexpected 429 (-> `NotSent`), a 502, 503 or 504, or
                silence, after which the target is probed. The number of repeats is limited         -> `NotSent`

None of these errors is a verdict on the server; each says why a check got no answer that counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from math import inf
from typing import Any

from petcheck.call import Call, Credential, Form
from petcheck.errors import ConnectionLost, NotSent, OperationSilent, TargetDown
from petcheck.exchange import Exchange, NoAnswer, Response, Silence
from petcheck.spec.figures import RETRY_AFTER
from petcheck.spec.operations import Operation
from petcheck.wire.circuit import (
    NOT_TRIED,
    PATIENCE_AT_START_S,
    PATIENCE_S,
    Circuit,
    is_ordinary,
    last_words,
    pause_before_probe,
)
from petcheck.wire.client import BODY_CAP, RECORD_CAP
from petcheck.wire.clock import Clock, in_words
from petcheck.wire.purpose import Purpose
from petcheck.wire.sender import LiveSender
from petcheck.wire.tally import (
    WHILE_STARTING,
    Permissions,
    RequestTally,
    Unplanned,
    cause_to_repeat,
    may_be_in_excess,
)
from petcheck.wire.throttle import Limits, Throttle
from petcheck.words import plural

_GATEWAY_PAUSE_S = 1.0
_GATEWAY_PAUSES = 10
# each body may take this share of what the record has room for, and these bytes as long as there are so many
_SHARE_OF_ROOM = 4
_ALWAYS_READ = 256 * 1024
# after this many losses each request gets its own connection: the server keeps none
LOST_BEFORE_NONE_IS_KEPT = 3
_BURSTS_AGAIN = 3  # bursts with silence that are sent again
_NOTICED_S = 0.25
_NO_MORE = "the run repeats no more"
_RECENT = 20  # exchanges that say how fast a target answers
# so long after an answer a connection is open for sure, unless the server has closed one before
_OPEN_FOR_S = 0.5


@dataclass
class Transport:
    """Sends calls to one target and records the exchanges. `purpose` is what they are sent for: see `serving`.

    `bursts` counts the bursts, and `one_by_one` says that the target limits what is under way at the same time, so that
    there are no more of them.
    A call that `may_end` a server gets its own connection: one lost on a kept connection may not have reached it.
    `formed` chooses the form of a call by what is recorded so far. `recorded` holds the exchanges in order, and `tally`
    counts them. `limits` are known from all targets of that server and key. `down` says that the target has stopped
    answering. While a POST is sent and recorded, the block of `undisturbed` lasts.
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
    may_end: Callable[[Call], bool] = lambda call: False
    undisturbed: Callable[[], AbstractContextManager[None]] = nullcontext
    limits: Limits = field(default_factory=Limits)
    purpose: Purpose = field(default_factory=Purpose)
    bursts: int = 0
    one_by_one: bool = False
    recorded: list[Exchange] = field(default_factory=list)
    tally: RequestTally = field(default_factory=RequestTally)
    down: str | None = None
    _in_trouble: bool = False
    _gateway_pauses: int = 0
    _record_size: int = 0
    _bursts_again: int = 0
    _circuit: Circuit = field(default_factory=Circuit)
    _answered: dict[Operation, Call] = field(default_factory=dict)
    _was_answered: bool = False
    _open_until: float = -inf

    def __post_init__(self) -> None:
        self._throttle = Throttle(self.time, self.permissions.max_wait, self.wait, self.limits)

    @contextmanager
    def serving(self, **changes: Any) -> Iterator[None]:
        """In this block calls have another purpose: the one before with some `changes`, by its fields."""
        before, self.purpose = self.purpose, replace(self.purpose, **changes)
        try:
            yield
        finally:
            self.purpose = before

    def send(self, call: Call) -> Exchange:
        """Send a call and return its last exchange. Raises `NotSent` if no answer counts or it cannot be sent."""
        if self.down is not None:
            raise TargetDown(self.down)
        if self._circuit.open(call):
            raise OperationSilent(f"{call.operation} does not answer, so petcheck has stopped calling it")
        # the simpler forms of an example differ in nothing else
        return self._settled(call if self.purpose.simplifies is not None else self.formed(call, self.recorded))

    def send_once(self, call: Call, *, may_exhaust: bool = False) -> Exchange:
        """Send a call to which any answer counts, 429 and silence too.

        If it `may_exhaust` the quota, it waits only for a Retry-After in force.
        """
        if self.down is not None:
            raise TargetDown(self.down)
        return self._paced(call, may_exhaust=may_exhaust)

    def send_together(self, calls: Sequence[Call]) -> list[Exchange | None]:
        """Send calls in bursts of as many as the target may have under way; the last exchange of each, in their order.

        None for a call that has no answer that counts. What a burst left unanswered, or a target that limits
        connections refused, is sent again one after the other.
        """
        answers: list[Exchange | None] = []
        while len(answers) < len(calls):
            left = calls[len(answers) :]
            size = self._burst_size(left)
            try:
                answers += self._burst(left[:size]) if size > 1 else [self.send(left[0])]
            except NotSent:
                answers += [None] * size
        return answers

    def send_burst_again(self, burst: Sequence[Exchange]) -> None:
        """Send the requests of a burst at the same time once more, in the same forms. Raises `NotSent`."""
        self._sent_again([self.formed(one.request.same, self.recorded) for one in burst], burst)

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

    def _settled(self, call: Call, cause: Unplanned | None = None) -> Exchange:
        """The exchange that answers the call, after repeating a request whose answer does not count.

        `cause` is given if the call repeats one of a burst.
        """
        repeated: set[Unplanned] = set()
        while True:
            exchange = self._paced(call, cause=cause)
            cause = cause_to_repeat(exchange)
            if cause is None or cause in repeated or not self._may_repeat(cause):
                break
            self._before_repeat(cause, exchange)
            if not (isinstance(exchange.answer, NoAnswer) and exchange.answer.kind in NOT_TRIED):
                repeated.add(cause)
        self._circuit.note(call, exchange.answer)
        if cause is not None and cause not in repeated:
            if cause is Unplanned.SILENCE:
                added = plural(self.tally.added, "request")
                raise OperationSilent(f"{call.operation} did not answer; after {added} beside its plan, {_NO_MORE}")
            spent = f"after {plural(self.tally.repeats[cause], 'request')} repeated {cause.value}, {_NO_MORE}"
            raise NotSent(f"{call.operation} gave no usable answer; {spent}")
        if cause is Unplanned.RATE_LIMIT:
            raise NotSent(f"{call.operation} returned 429 again after its {RETRY_AFTER} had passed")
        self._in_trouble = cause is Unplanned.GATEWAY
        return exchange

    def _may_repeat(self, cause: Unplanned) -> bool:
        return self.permissions.affords_again(self.tally, cause)

    def _before_repeat(self, cause: Unplanned, exchange: Exchange) -> None:
        if cause is Unplanned.SILENCE:
            self._await_life([exchange])
            return
        # waiting does not help if the last call met nothing else, or if many calls have
        helps = not self._in_trouble and self._gateway_pauses < _GATEWAY_PAUSES
        if cause is Unplanned.GATEWAY and helps and not self._throttle.asks_to_wait():
            self._gateway_pauses += 1
            self.wait(_GATEWAY_PAUSE_S, f"got {exchange.status}; retrying")

    def _await_life(self, unanswered: Sequence[Exchange]) -> None:
        """Probe until anything is answered. Raises `TargetDown` if nothing is until patience ends."""
        first = unanswered[0]
        silence = first.answer.kind if isinstance(first.answer, NoAnswer) else None
        known = bool(self._answered) or silence is Silence.CUT_SHORT  # an answer whose body did not end is one
        starting = silence in WHILE_STARTING
        patience = PATIENCE_S if known else PATIENCE_AT_START_S if starting else 0.0
        calls = self._probes(first.request.operation)
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
        lasted = f" for {in_words(passed)}" if self._was_answered else ""
        self.down = self.sender.redacted(last_words(unanswered, lasted))
        raise TargetDown(self.down)

    def _probes(self, silent: Operation) -> list[Call]:
        """Plain requests: those that were answered before come first, and the silent operation's last of them."""
        asked = (Operation.STORE_ORDERS, Operation.LIST_PETS)
        calls = {operation: Call(operation) for operation in asked} | self._answered
        return [calls[one] for one in sorted(calls, key=lambda one: (one not in self._answered, one is silent))]

    # ---- at the same time

    def _burst_size(self, calls: Sequence[Call]) -> int:
        """How many of the next calls may be under way at the same time: one after a target has limited that."""
        if self.one_by_one or self.down is not None:
            return 1
        allowed = self.permissions
        singles = [one.elapsed for one in self.recorded[-_RECENT:] if one.burst is None]
        # a target that answers one after the other needs the sum of their times
        in_time = allowed.timeout / max(singles) if singles and max(singles) > 0 else inf
        room = min(self._throttle.room(valid_key=call.credential is Credential.VALID) for call in calls)
        left = allowed.room(self.tally)
        return int(max(1, min(len(calls), allowed.connections, room, in_time, left)))

    def _burst(self, calls: Sequence[Call]) -> list[Exchange | None]:
        """Send calls at the same time, and one after the other those whose answers do not count."""
        formed = [self.formed(call, self.recorded) for call in calls]
        answers: Sequence[Exchange] = self._sent_together(formed)
        silent = [one for one in answers if isinstance(one.answer, NoAnswer)]
        helps = silent and not any(map(may_be_in_excess, answers)) and self._bursts_again < _BURSTS_AGAIN
        if helps and self.permissions.affords_again(self.tally, Unplanned.SILENCE, len(calls)):
            self._bursts_again += 1
            self._await_life(silent)
            answers = self._sent_again(formed, answers, Unplanned.SILENCE)
        self.one_by_one = self.one_by_one or any(map(may_be_in_excess, answers))
        return [self._counted(one, call) for one, call in zip(answers, formed, strict=True)]

    def _counted(self, exchange: Exchange, call: Call) -> Exchange | None:
        """An exchange of a burst if its answer counts; otherwise that of the same call, sent alone."""
        cause = Unplanned.EXCESS if may_be_in_excess(exchange) else cause_to_repeat(exchange)
        if cause is None:
            self._circuit.note(call, exchange.answer)
            return exchange
        if not self._may_repeat(cause):
            return None
        with self.serving(again=exchange.index), suppress(NotSent):
            return self._settled(call, cause)
        return None

    def _sent_again(
        self, calls: Sequence[Call], before: Sequence[Exchange], cause: Unplanned | None = None
    ) -> Sequence[Exchange]:
        """Send a burst once more; without requests for all of it, the exchanges `before` stand."""
        if self._burst_size(calls) < len(calls):
            return before
        return self._sent_together(calls, repeated=before, cause=cause)

    def _sent_together(
        self, calls: Sequence[Call], *, repeated: Sequence[Exchange] = (), cause: Unplanned | None = None
    ) -> list[Exchange]:
        """Send calls at the same time and record their exchanges; `repeated` are those of the same burst before."""
        for call in calls:
            self.permissions.permit(call)
        for keyed in {call.credential is Credential.VALID for call in calls}:
            self._throttle.before(valid_key=keyed, may_exhaust=False)
        self.bursts += 1
        safe = all(call.operation.safe for call in calls)

        def keep(answered: Sequence[Exchange]) -> list[Exchange]:
            kept = list(answered)
            # they are numbered in the order in which they were sent
            for place in sorted(range(len(calls)), key=lambda place: answered[place].sent):
                section = self.purpose.section and calls[place].section
                purpose = replace(self.purpose, section=section, again=repeated[place].index if repeated else None)
                kept[place] = self._kept(replace(answered[place], burst=self.bursts), cause, purpose)
            return kept

        with nullcontext() if safe else self.undisturbed():
            kept = keep(self.sender.send_together(calls, body_cap=self._body_cap, unheard=keep))
        self.limits.last_sent = max(one.sent for one in kept)
        self._throttle.after_burst(
            [(one.answer, one.finished, one.request.has_valid_key) for one in kept if isinstance(one.answer, Response)]
        )
        for call, one in zip(calls, kept, strict=True):
            self._note_answered(call, one)
        return kept

    # ---- paced

    def _paced(self, call: Call, *, cause: Unplanned | None = None, may_exhaust: bool = False) -> Exchange:
        """Send one request after the pause that the target asks for; `cause` is given if it was not planned."""
        self.permissions.permit(call)
        self.permissions.afford(self.tally)
        valid_key = call.credential is Credential.VALID
        self._throttle.before(valid_key=valid_key, may_exhaust=may_exhaust)
        # what a POST creates stays, so nothing may come between sending and recording it
        with nullcontext() if call.operation.safe else self.undisturbed():
            exchange = self._exchanged(call, cause)
        if isinstance(exchange.answer, Response):
            self._throttle.after(exchange.answer, exchange.finished, valid_key=valid_key)
        self._note_answered(call, exchange)
        return exchange

    def _note_answered(self, call: Call, exchange: Exchange) -> None:
        if isinstance(exchange.answer, Response):
            self._was_answered = True
            if call.operation.safe and is_ordinary(call):
                self._answered.setdefault(call.operation, call)

    # ---- sent

    def _exchanged(self, call: Call, cause: Unplanned | None) -> Exchange:
        """Send a request, once more if a kept connection lost it, and record the exchange."""
        keep = partial(self._kept, cause=cause, purpose=self.purpose)
        send = partial(self.sender.send, call, body_cap=self._body_cap, unheard=lambda some: keep(*some))
        named = call.form is Form.NEW_CONNECTION
        alone = cause is not None or named or self.may_end(call) or self._may_lose(call)
        if alone and self.one_by_one:
            self.time.sleep(_NOTICED_S)  # until the target has seen that the connection before is closed
        try:
            exchange = send(new_connection=alone)
        except ConnectionLost:
            self.tally.lost += 1
            self.permissions.afford(self.tally)
            exchange = replace(send(new_connection=True), resent=True)
        self.limits.last_sent = exchange.sent
        well = isinstance(exchange.answer, Response) and exchange.answer.body_complete and exchange.answer.status < 500
        self._open_until = exchange.finished + _OPEN_FOR_S if well else -inf
        return keep(exchange)

    @property
    def _body_cap(self) -> int:
        room = max(RECORD_CAP - self._record_size, 0)
        return min(BODY_CAP, max(room // _SHARE_OF_ROOM, _ALWAYS_READ), room)

    def _kept(self, exchange: Exchange, cause: Unplanned | None, purpose: Purpose) -> Exchange:
        """An exchange with what is known of its request, recorded."""
        exchange = replace(
            exchange,
            index=self.tally.sent,
            target=self.target,
            cause=cause.value if cause is not None else "",
            **asdict(purpose),
        )
        self.on_exchange(exchange)
        self.recorded.append(exchange)
        self._record_size += len(exchange.answer.body) if isinstance(exchange.answer, Response) else 0
        self.tally.count(cause)
        return exchange

    def _may_lose(self, call: Call) -> bool:
        """Whether a kept connection may lose the request, which must not happen if it may change something there."""
        if call.operation.safe:
            return self.tally.lost >= LOST_BEFORE_NONE_IS_KEPT
        return self.tally.lost > 0 or self.time.monotonic() > self._open_until
