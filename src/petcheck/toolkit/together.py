"""Asks at the same time what the checks of a target ask anyway, and finds out what fails only there."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from petcheck.call import Call, Credential, new_pet_call, read_call
from petcheck.errors import NotSent
from petcheck.exchange import Exchange
from petcheck.grouping import grouped
from petcheck.judging.decision import Failed
from petcheck.judging.rules import RULE
from petcheck.plan.together import first_of_each_kind, kind_of, may_end_a_server, mixed
from petcheck.spec.figures import REMOVAL_DAY
from petcheck.spec.operations import Operation
from petcheck.toolkit.budget import room_for_bursts
from petcheck.toolkit.feeds import RequestKind
from petcheck.toolkit.keyless import keyless_call, keyless_calls
from petcheck.toolkit.lookups import listed_before, unknown_id
from petcheck.toolkit.target import Target

_ALONE_AT_THE_END = 4  # one after the other on a kept connection, an animal after a 404 among them; the rest overlap
# to look for failures, all exchanges are judged again: after each burst while they are few, then after a share of them
_FEW, _SHARE = 150, 0.1
_SUSPECTED = 6  # failures of bursts that are sent alone


def ask_ahead(target: Target, calls: Iterable[Call], beside: Sequence[Call] = ()) -> None:
    """Send what was not sent before, each kind of request alone first, then the others in bursts; checks reuse it.

    What may end a server is left to them. `beside` are sent in the bursts too, even if they were sent before.
    """
    new = [call for call in dict.fromkeys(calls) if not target.api.known(call) and not may_end_a_server(call)]
    # a valid request follows a POST with an invalid key: its answer shows whether that body was left unread
    alone = sorted(first_of_each_kind(new, target.record), key=_valid_last)
    for call in alone:
        with suppress(NotSent):  # the check that asks for it says so
            target.api.call(call)
    rest = [call for call in new if call not in alone]
    for burst in mixed([*rest, *(beside if rest else ())], target.transport.permissions.connections):
        send_together(target, [call for call in burst if not target.accepts_others_like(call.credential)])


def _valid_last(call: Call) -> tuple[bool, bool]:
    return call.credential is Credential.VALID, not call.operation.safe


def send_together(target: Target, burst: Sequence[Call]) -> None:
    """Send a burst. One in which something fails that holds alone is sent again, see `explain_bursts`."""
    number = target.transport.bursts
    answers = target.api.ask_together(burst)
    if target.transport.bursts > number:
        target.unexplained += [one for one in answers if one is not None and one.burst is not None]
        sent = len(target.record)
        if sent <= _FEW or len(target.unexplained) >= sent * _SHARE:
            explain_bursts(target)


def ask_refusals_ahead(target: Target) -> None:
    """Post what must be refused, and beside it what other checks need later."""
    if not sends_bursts(target):
        return
    choice = target.choice
    bodies = [
        defect.body
        for defect in target.defects()
        if RequestKind.DEFECTIVE in choice.needs or choice.covers(defect.requirement, "CREATE-11")
    ]
    posts = [new_pet_call(body) for body in bodies]
    if RequestKind.KEYS in choice.needs:
        cells = (cell for cell in target.keys_always_asked if cell.operation is Operation.CREATE_PET)
        posts += keyless_calls(target, cells)
    ask_ahead(target, [*posts, *asked_later(target, (Operation.LIST_PETS, Operation.GET_PET))])


def ask_again_at_the_end(target: Target) -> None:
    """Ask again what was asked first: the most telling alone, on a kept connection, the others together."""
    calls = target.ending()
    for call in islice(calls, _ALONE_AT_THE_END):
        with target.transport.serving(section=call.operation.section):
            target.api.call(call, fresh=True)
    rest = list(islice(calls, target.spare_for_the_end()))
    for burst in mixed(rest, target.transport.permissions.connections):
        send_together(target, burst)


def asked_later(target: Target, keys: Collection[Operation] = tuple(Operation)) -> Iterator[Call]:
    """GETs that checks of other sections need later, to send beside others: those that need nothing first.

    With an invalid key they ask the operations `keys` alone, at a URL that was answered with the valid key, which
    exposes a cache.
    """
    if not sends_bursts(target):
        return
    needs, reads = target.choice.needs, target.as_of < REMOVAL_DAY
    if RequestKind.KEYS in needs:
        yield Call(Operation.STORE_ORDERS, Credential.MISSING)
    if RequestKind.ORDERS in needs:
        yield Call(Operation.STORE_ORDERS)
    if reads and (before := listed_before(target)):
        if RequestKind.ANIMALS in needs:
            yield read_call(before[0])
        if RequestKind.OTHER_IDS in needs:
            yield read_call(unknown_id(target))
    for cell in target.keys_always_asked if RequestKind.KEYS in needs else ():
        call = keyless_call(target, cell)
        if (
            call is not None
            and call.operation.safe
            and call.operation in keys
            and (cell.defective or target.api.known(replace(call, credential=Credential.VALID)))
        ):
            yield call


def sends_bursts(target: Target) -> bool:
    """Whether a run sends several requests at the same time; one of few requests keeps the order of its checks."""
    allowed = target.transport.permissions
    return room_for_bursts(allowed.connections, allowed.max_requests, writes=target.config.writes)


def explain_bursts(target: Target) -> None:
    """Send what fails in a burst alone; if it holds there, send the whole burst again, at the same time and alone.

    One burst that creates and one that does not are repeated in a run. The requests are those of property examples,
    which find less.
    """
    with target.budget.of_examples():
        _explain(target)


def _explain(target: Target) -> None:
    new, target.unexplained = target.unexplained, []
    every = grouped((one.burst, one) for one in new).values()
    bursts = [burst for burst in every if _creates(burst) not in target.repeated]
    of_burst = {one.index: burst for burst in bursts for one in burst}
    suspects: dict[str, Exchange] = {}
    for name in (name for name in RULE if target.choice.covers(name)) if bursts else ():
        decision = target.decision(name)
        failing = [proof.exchange for proof in decision.proofs] if isinstance(decision, Failed) else []
        if failing and all(one.index in of_burst for one in failing) and name not in target.failing:
            suspects[name] = failing[0]
        if failing:
            target.failing.add(name)
    again: dict[int, Exchange | None] = {}
    # a body that must be refused is most likely accepted alone, too, as others were
    for name in sorted(suspects, key=lambda name: _is_refused(suspects[name])):
        suspect = suspects[name]
        burst = of_burst[suspect.index]
        if _creates(burst) in target.repeated:
            continue
        if _is_refused(suspect) and any(_is_refused(one) and _is_accepted_alone(one) for one in target.record):
            return
        if suspect.index not in again:
            if target.suspected >= _SUSPECTED or target.budget.examples_left() < 2 * len(burst) + 1:
                return
            target.suspected += 1
            again[suspect.index] = _again(target, suspect)
        alone, now = again[suspect.index], target.decision(name)
        if alone is None or (isinstance(now, Failed) and _shows(now, alone)):
            continue
        target.repeated.add(_creates(burst))
        with suppress(NotSent):
            target.transport.send_burst_again(burst)
        for one in burst:
            if one.index not in again:
                _again(target, one)


def _creates(burst: Sequence[Exchange]) -> bool:
    return any(one.status == 201 for one in burst)


def _is_refused(exchange: Exchange) -> bool:
    """Whether a request must be refused for its body."""
    return kind_of(exchange.request.call)[2]


def _is_accepted_alone(exchange: Exchange) -> bool:
    return exchange.status == 201 and exchange.burst is None


def _shows(failed: Failed, exchange: Exchange) -> bool:
    """Whether an exchange is one that fails; of those that fail alike, only one is a proof."""
    return any(one is exchange for one in (*failed.wrong, *(proof.exchange for proof in failed.proofs)))


def _again(target: Target, exchange: Exchange) -> Exchange | None:
    """Send the request of an exchange once more, alone and in the same form."""
    with target.transport.serving(again=exchange.index), suppress(NotSent):
        return target.transport.send(exchange.request.same)
    return None
