"""Uses up a key's quota, on request, and sees what happens (section 8).

It sends the cheapest request there is until one is refused, waits exactly as it is told, and sends one more. It says
beforehand what that takes, and leaves it where that is more than the run may spend. A day's quota is never used up.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from petcheck.exchange import GATEWAY_TROUBLE, Exchange, Operation, Response
from petcheck.judging.interface import PLANS
from petcheck.judging.matchers import came
from petcheck.judging.ratelimits import remaining_of
from petcheck.judging.verdicts import Inconclusive, NotRun
from petcheck.target import Target
from petcheck.wire import pacing
from petcheck.wire.transport import Call, WaitTooLong

_MINUTE_S = 61.0
_HOUR_S = 3600.0
# requests served after the last one that was left, before a limit counts as not enforced
_SERVED_TOO_MANY = 3
# responses in a row that show one window counting down, before it counts as a fixed one
_STEADY = 5
# a window about to end may have ended when a response is read: clocks and whole seconds
_ENDING_S = 2.5
_TROUBLE_PAUSE_S = 1.0
# windows that may end while they are used up, before it is left
_WINDOWS_TRIED = 4
_SPARE = 40
_CALL = Call(Operation.LIST_PETS, query=(("limit", "1"),))


@dataclass
class Exhaustion:
    """What was seen.

    `before` is the last response before the refusal, `refusal` the first answer that was no success, `after` what came
    once Retry-After had passed. `served` counts successes in `seconds`, `counted` those since the window began, as far
    as that was seen; `excess` those after nothing was left; `over` tells that one of them was certainly over the limit.
    `window` is the one of the last response. `steady`
    counts responses in a row of one window that counts down; `foreign` tells that others used the key meanwhile.
    `again` is a second round, made where the first refusal came although requests were left.
    """

    limit: int
    served: int = 0
    seconds: float = 0.0
    counted: int = 0
    window: pacing.Window | None = None
    excess: int = 0
    over: bool = False
    steady: int = 0
    foreign: bool = False
    before: Exchange | None = None
    refusal: Exchange | None = None
    after: list[Exchange] = field(default_factory=list)
    obstacle: str | None = None
    again: Exhaustion | None = None

    @property
    def limited(self) -> bool:
        """Whether the refusal is a 429."""
        return self.refusal is not None and self.refusal.status == 429

    @property
    def left(self) -> int:
        """Requests that were left, by the last response before the refusal; 0 where it did not say."""
        return (remaining_of(self.before) or 0) if self.before else 0


def exhaust(target: Target) -> Exhaustion:
    """Use up what is left of the window. `NotRun` where that was not allowed or would take too much."""
    window = affordable(target)
    seen = use_up(target, window.limit)
    if seen.limited and seen.left > 0 and seen.after and seen.after[-1].status == 200:
        # another client may have taken what was left in that very moment: only a second time tells
        try:
            seen.again = use_up(target, affordable(target).limit)
        except Inconclusive as obstacle:
            seen.obstacle = obstacle.reason
    return seen


def use_up(target: Target, limit: int) -> Exhaustion:
    """Send until a request is refused, or until it is plain that none will be; then see what comes after."""
    transport, clock = target.transport, target.transport.clock
    seen = Exhaustion(limit)
    began = clock.monotonic()
    troubled = False
    while True:
        exchange = target.api.examine(transport.send_expecting_refusal(_CALL))
        seen.seconds = clock.monotonic() - began
        if exchange.status == 200:
            note(seen, exchange, transport.remaining())
            if enough(seen):
                return seen
            if seen.served > _WINDOWS_TRIED * limit + _SPARE:
                seen.obstacle = "its windows end sooner than they can be used up"
                return seen
        elif exchange.status in (*GATEWAY_TROUBLE, None) and not troubled:
            troubled = True
            transport.wait(_TROUBLE_PAUSE_S, f"{came(exchange)}, and the request is sent again")
        else:
            seen.refusal = exchange
            break
    if seen.limited:
        await_reset(target, seen)
    return seen


def enough(seen: Exhaustion) -> bool:
    """Whether so many requests were served that no refusal is to be expected any more."""
    refilled = seen.limit * seen.seconds / 60
    if seen.counted > 1.2 * seen.limit + refilled + 10:
        return True
    return seen.excess >= _SERVED_TOO_MANY and (seen.over or seen.excess > 1 + refilled)


def affordable(target: Target) -> pacing.Window:
    """The key's window; `NotRun` where using it up was not allowed or takes more than the run may spend."""
    if not target.exhaust:
        raise NotRun("The quota is used up only on request.", "--exhaust-rate-limit")
    transport = target.transport
    window = transport.remaining()
    if window is None:
        raise Inconclusive("The rate limit headers cannot be read, so what is left is not known; see RATE-1 to RATE-3.")
    lasts = window.ends - transport.clock.monotonic()
    days = [plan.per_day for plan in PLANS.values()]
    if lasts > _HOUR_S or (window.limit in days and lasts > _MINUTE_S):
        raise NotRun("The window is a day's, and a day's quota is never used up.")
    if lasts > transport.permissions.max_wait:
        raise NotRun(
            f"The window ends in {lasts:.0f} s; the run may wait {transport.permissions.max_wait:.0f} s.", "--max-wait"
        )
    needed = max(window.remaining, 0) + 2
    left = transport.permissions.max_requests - target.transport.tally.sent
    if needed > left:
        raise NotRun(f"It takes {needed} requests, and {max(left, 0)} are left to this run.", "--max-requests")
    transport.on_notice(
        target.config.name, f"using up the quota takes about {needed} requests, and then waiting {max(lasts, 0):.0f} s"
    )
    return window


def note(seen: Exhaustion, exchange: Exchange, window: pacing.Window | None) -> None:
    """Count a success, and what it says of the quota.

    One that is served after nothing was left is over the limit for certain where the window is a fixed one, told by a
    Reset that stays while Remaining counts down, and is not just about to end. Else slots may have come free meanwhile.
    """
    earlier, now = (remaining_of(e) if e else None for e in (seen.before, exchange))
    begun = seen.window is not None and seen.window.ends - exchange.finished <= _ENDING_S
    if begun and earlier is not None and now is not None and now > earlier:
        seen.counted = 0  # the window has ended meanwhile, and with it what was counted
    same_window = seen.before is not None and reset_of(seen.before) == reset_of(exchange)
    if earlier == 0 and same_window:
        seen.excess += 1
        far = window is not None and window.ends - exchange.finished > _ENDING_S
        seen.over = seen.over or (seen.steady >= _STEADY and far)
    elif same_window and earlier is not None and now is not None and now < earlier:
        seen.steady += 1
        seen.foreign = seen.foreign or earlier - now > 1
    else:
        seen.excess, seen.steady = 0, 0
    seen.served += 1
    seen.counted += 1
    seen.before, seen.window = exchange, window


def nothing_left(seen: Exhaustion) -> bool:
    """Whether the last response said that no requests were left."""
    return seen.before is not None and remaining_of(seen.before) == 0


def reset_of(exchange: Exchange) -> str | None:
    """X-RateLimit-Reset as it stands there."""
    return exchange.answer.header("X-RateLimit-Reset") if isinstance(exchange.answer, Response) else None


def await_reset(target: Target, seen: Exhaustion) -> None:
    """Wait as the refusal says and send one request; where that is refused too, wait twice as long and send another."""
    for _ in range(2):
        try:
            exchange = target.api.examine(target.transport.send_expecting_refusal(_CALL))
        except WaitTooLong as obstacle:
            seen.obstacle = obstacle.reason
            return
        seen.after.append(exchange)
        if exchange.status != 429:
            return


def told(seen: Exhaustion) -> str:
    """What the course was, in words."""
    said = remaining_of(seen.before) if seen.before else None
    left = "" if said is None else f", the last of them with {said} left"
    over = f" and then {came(seen.refusal)}" if seen.refusal else ""
    return f"{seen.served} requests were served in {seen.seconds:.1f} s{left}{over}"
