"""Uses up a key's quota, on request (section 8): announces the cost, then sends the requests that judging asks for."""

from __future__ import annotations

from petcheck.errors import Inconclusive, NotRun, NotSent
from petcheck.judging.decision import Ask, Undecided
from petcheck.judging.rate_refusals import refusals_in
from petcheck.judging.using_up import Allowance, cost_of_using_up, next_step
from petcheck.toolkit.target import Target
from petcheck.words import plural


def settle_with_quota_used_up(target: Target, requirement: str) -> None:
    """Use up the quota, once in a run and only if permitted, then send what would decide a requirement.

    If the key got no 429 at all, raises the reason for that: `NotRun`, `Inconclusive` or `NotSent`.
    """
    target.exhausted = target.exhausted or (use_up(target),)
    obstacle = target.exhausted[0]
    target.settle(requirement)
    if obstacle is not None and not any(one.is_429 for one in refusals_in(target.record)):
        raise obstacle from None


def use_up(target: Target) -> Inconclusive | None:
    """Use up the rest of the window and send the requests that follow. Returns what prevented it, or None."""
    transport = target.transport
    permissions = transport.permissions
    allowance = Allowance(target.config.exhaust, permissions.max_wait, permissions.max_requests - transport.tally.tried)
    cost = cost_of_using_up(target.record, allowance, transport.time.monotonic())
    if isinstance(cost, Undecided):
        return _obstacle(cost)
    said = f"using up the quota takes about {plural(cost.requests, 'request')}"
    if cost.wait_s >= 1:
        said += f", then a wait of {cost.wait_s:.0f} s"
    transport.on_notice(target.config.name, said)
    began = len(target.record)
    try:
        with transport.tally.beside_the_plan():
            while isinstance(step := next_step(target.record, began), Ask):
                _send(target, step)
    except NotSent as obstacle:
        return obstacle
    return None if step is None else _obstacle(step)


def _obstacle(undecided: Undecided) -> Inconclusive:
    return (Inconclusive if undecided.tried else NotRun)(undecided.reason, undecided.settled_by)


def _send(target: Target, step: Ask) -> None:
    """Send the next requests, until one is not served."""
    left = step.not_before - target.transport.time.monotonic()
    if left > 0:
        target.transport.wait(left, "sending the next request")
    for call in step.calls:
        exchange = target.transport.send_once(call, may_exhaust=True)
        if exchange.status is None or exchange.status >= 300:
            return
