"""Requests at the same time: servers that take them one by one, limit them, or count and answer in another order."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import anyio.to_thread

from petstore_reference.behaviour import Behaviour, Excess, Override, ServerState
from petstore_reference.conforming import known, respond
from petstore_reference.messages import Answer, Caller, EncodedAnswer, Operation, ReceivedCall, Refused
from petstore_reference.overrides import CUT, Serve, aborted, both, handled, header
from petstore_reference.quota import ANONYMOUS
from petstore_reference.registry import variation
from petstore_reference.store import Animal, NewAnimal, Store

_ORDERS = (
    "one-at-a-time one-thread-at-a-time one-at-a-time-per-key reads-wait-for-writes slow-reads slower-together "
    "responses-in-reverse counted-at-the-start counted-at-the-end optimistic-retry others-spend-in-overlap "
    "listed-late-after-overlap"
)
_LIMITS = "two-at-a-time-503 four-at-a-time-429 three-at-a-time-gateway-503 four-at-a-time-cut"
_CONNECTIONS = "two-workers four-connections-reset four-connections-closed four-connections-refused"
# a request that is sent again on a new connection is one more: then two tries may both reach the backend that is down
_REFUSED_CONNECTIONS = f"{_CONNECTIONS} one-backend-down"
# they count requests by the log, or answer 503 themselves
_COUNTING = "busy-once one-backend-down refused-free"
_HTML = b"<html><head><title>503 Service Temporarily Unavailable</title></head></html>"


# ---- one after the other


async def _one_at_a_time(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    async with state.memory["one at a time"].setdefault("", asyncio.Lock()):
        await asyncio.sleep(0.03)
        return await serve(call, behaviour)


async def _one_per_key(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    async with state.memory["one per key"].setdefault(call.authorization or "", asyncio.Lock()):
        await asyncio.sleep(0.01)
        return await serve(call, behaviour)


async def _threads(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    lock = state.memory["threads"].setdefault("", threading.Lock())

    def work() -> EncodedAnswer:
        time.sleep(0.003)  # a disk, for which other threads do not wait
        with lock:
            return respond(call, state, behaviour)

    return await anyio.to_thread.run_sync(work)


async def _reads_wait(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    """A write takes 20 ms alone; reads go on together."""
    lock = state.memory["reads wait"].setdefault("", asyncio.Lock())
    if call.operation is Operation.CREATE:
        async with lock:
            await asyncio.sleep(0.02)
            return await serve(call, behaviour)
    async with lock:
        pass
    return await serve(call, behaviour)


async def _slow_reads(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    if call.operation is not Operation.CREATE:
        await asyncio.sleep(0.015)
    return await serve(call, behaviour)


# ---- how many at the same time


@contextmanager
def _under_way(state: ServerState) -> Iterator[int]:
    """How many calls are under way, with this one."""
    count = state.memory["under way"]
    count[""] = count.get("", 0) + 1
    try:
        yield count[""]
    finally:
        count[""] -= 1


async def _slower_together(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    with _under_way(state) as number:
        await asyncio.sleep(0.005 * number**2)
        return await serve(call, behaviour)


def _at_most(most: int, refusal: Refused) -> Override:
    """A call beside `most` others is refused, and is counted."""

    async def handle(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
        def refuse(call: ReceivedCall, state: ServerState, behaviour: Behaviour) -> None:
            raise refusal

        with _under_way(state) as number:
            if number > most:
                return await serve(call, replace(behaviour, before_key_check=refuse))
            await asyncio.sleep(0.01)
            return await serve(call, behaviour)

    return handled(handle)


def _gateway(most: int, instead: EncodedAnswer) -> Override:
    """A gateway lets `most` calls through and answers the others itself."""

    async def handle(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
        with _under_way(state) as number:
            if number > most:
                return instead
            await asyncio.sleep(0.01)
            return await serve(call, behaviour)

    return handled(handle)


def _connections(most: int, excess: Excess) -> Override:
    return lambda behaviour: replace(
        behaviour, socket_options=replace(behaviour.socket_options, connections=most, excess=excess)
    )


def _closing(behaviour: Behaviour) -> Behaviour:
    return replace(behaviour, socket_options=replace(behaviour.socket_options, close_after=1))


async def _ten_ms(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    await asyncio.sleep(0.01)
    return await serve(call, behaviour)


# ---- in which order


def _some_ms(state: ServerState) -> float:
    chance: random.Random = state.memory["durations"].setdefault("", random.Random(1))  # noqa: S311 - not secret
    return chance.uniform(0, 0.02)


async def _counted_last(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    await asyncio.sleep(_some_ms(state))
    return await serve(call, behaviour)


async def _counted_first(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    try:
        caller = behaviour.authenticate(call, state.keys)
    except Refused:
        caller = Caller(f"address {call.address}", ANONYMOUS)
    usage = behaviour.spend(caller, call, state)
    await asyncio.sleep(_some_ms(state))
    return await serve(call, replace(behaviour, spend=lambda caller, call, state: usage))


async def _in_reverse(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    """The calls of 10 ms are served in order, and answered in reverse."""
    batch: list[asyncio.Event] = state.memory["batch"].setdefault("", [])
    turn = asyncio.Event()
    batch.append(turn)
    if len(batch) == 1:
        await asyncio.sleep(0.01)
        del state.memory["batch"][""]
        for each in batch:
            each.set()
    await turn.wait()
    reply = await serve(call, behaviour)
    await asyncio.sleep(0.001 * (len(batch) - 1 - batch.index(turn)))
    return reply


# ---- what is stored and counted


def _given(number: int, store: Store) -> int:
    return number


async def _retried(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    """A POST takes an id and waits; if another animal was stored meanwhile, it takes another id and waits again."""
    if call.operation is not Operation.CREATE:
        return await serve(call, behaviour)
    version = state.memory["version"]
    while True:
        read, number = version.get("", 0), behaviour.new_id(state.store)
        await asyncio.sleep(0.005)
        if version.get("", 0) == read:
            version[""] = read + 1
            return await serve(call, replace(behaviour, new_id=partial(_given, number)))


def _in_blocks(behaviour: Behaviour) -> Behaviour:
    """Two workers in turn, each with a block of a hundred ids."""

    def new_id(store: Store) -> int:
        place, worker = divmod(behaviour.new_id(store), 2)
        block, number = divmod(place, 100)
        return 1_000_000 + (2 * block + worker) * 100 + number

    return replace(behaviour, new_id=new_id)


async def _others_spend(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
    with _under_way(state) as number:
        await asyncio.sleep(0.003)
        if number > 1:
            for key in state.keys:
                state.quota.spend(known(key, state.keys))
        return await serve(call, behaviour)


_LATE_S = 5.0


def _listed_late(behaviour: Behaviour) -> Behaviour:
    """A page shows an animal that was created beside another request 5 seconds late."""

    async def wait(call: ReceivedCall, state: ServerState, of_operation: Behaviour, serve: Serve) -> EncodedAnswer:
        def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
            animal = of_operation.keep(new, animal_id, call, state)
            if state.memory["under way"][""] > 1:
                state.memory["late"][str(animal.id)] = call.time + _LATE_S
            return animal

        with _under_way(state):
            await asyncio.sleep(0.003)
            return await serve(call, replace(of_operation, keep=keep))

    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        late = state.memory["late"]

        def visible(animal: Animal, now: float) -> bool:
            return whole.visible(animal, now) and late.get(str(animal.id), 0.0) <= now

        of_list = call.operation is Operation.LIST
        return behaviour.act(call, state, replace(whole, visible=visible) if of_list else whole)

    return handled(wait)(replace(behaviour, act=act))


_BUSY = (("Retry-After", "1"),)

VARIATIONS = [
    variation(
        "one-at-a-time",
        "3",
        "Requests are served one after the other, each for 30 ms.",
        handled(_one_at_a_time),
        at=(None,),
        conflicts=_ORDERS,
    ),
    variation(
        "one-thread-at-a-time",
        "3",
        "Each request has its own thread, and a lock lets one thread work at a time.",
        handled(_threads),
        at=(None,),
        conflicts=_ORDERS,
    ),
    variation(
        "one-at-a-time-per-key",
        "3",
        "Requests of a key, or without one, are served one after the other.",
        handled(_one_per_key),
        at=(None,),
        conflicts=_ORDERS,
    ),
    variation(
        "reads-wait-for-writes",
        "3",
        "A POST takes 20 ms, and other requests wait for it.",
        handled(_reads_wait),
        at=(None,),
        conflicts=_ORDERS,
    ),
    variation(
        "slow-reads",
        "3",
        "A POST is stored at once; other requests take 15 ms, so a page may show animals of later POSTs.",
        handled(_slow_reads),
        at=(None,),
        conflicts=_ORDERS,
    ),
    variation(
        "slower-together",
        "3",
        "Two requests at the same time take four times as long, eight take 64 times as long.",
        handled(_slower_together),
        at=(None,),
        conflicts=f"{_ORDERS} {_LIMITS}",
    ),
    variation(
        "two-at-a-time-503",
        "8",
        "Requests beside two others get 503 with Retry-After.",
        _at_most(2, Refused(503, "busy", "Too many requests at the same time.", _BUSY)),
        at=(None,),
        conflicts=f"{_LIMITS} {_COUNTING} slower-together",
    ),
    variation(
        "four-at-a-time-429",
        "8",
        "Requests beside four others get 429 with Retry-After.",
        _at_most(4, Refused(429, "busy", "Too many requests at the same time.", _BUSY)),
        at=(None,),
        conflicts=f"{_LIMITS} {_COUNTING} slower-together",
    ),
    variation(
        "three-at-a-time-gateway-503",
        "8",
        "A gateway answers requests beside three others with an HTML page, 503 and Retry-After.",
        _gateway(3, EncodedAnswer(503, (("Content-Type", "text/html"), *_BUSY), _HTML)),
        at=(None,),
        conflicts=f"{_LIMITS} {_COUNTING} slower-together",
    ),
    variation(
        "four-at-a-time-cut",
        "8",
        "The server drops the connection of a request beside four others.",
        both(_gateway(4, CUT), aborted(CUT.status)),
        conflicts=f"{_LIMITS} {_COUNTING} slower-together",
    ),
    variation(
        "two-workers",
        "8",
        "Two workers take one connection each and close it after the response; others wait.",
        both(_connections(2, Excess.WAIT), _closing, header("Connection", "close"), handled(_ten_ms)),
        conflicts=f"{_CONNECTIONS} http-1.0 close-without-notice close-with-notice close-after-7-responses "
        "close-when-idle",
    ),
    variation(
        "four-connections-reset",
        "8",
        "Four connections may be open; the server resets others.",
        _connections(4, Excess.RESET),
        at=(None,),
        conflicts=_REFUSED_CONNECTIONS,
    ),
    variation(
        "four-connections-closed",
        "8",
        "Four connections may be open; the server closes others without a response.",
        _connections(4, Excess.CLOSE),
        at=(None,),
        conflicts=_REFUSED_CONNECTIONS,
    ),
    variation(
        "four-connections-refused",
        "8",
        "Four connections may be open; the server refuses others.",
        _connections(4, Excess.REFUSE),
        at=(None,),
        conflicts=_REFUSED_CONNECTIONS,
    ),
    variation(
        "counted-at-the-start",
        "8",
        "Requests are counted when they arrive and take up to 20 ms, so Remaining comes out of order.",
        handled(_counted_first),
        at=(None,),
        conflicts=f"{_ORDERS} refused-free",
    ),
    variation(
        "counted-at-the-end",
        "8",
        "Requests are counted when they are answered, up to 20 ms later.",
        handled(_counted_last),
        at=(None,),
        conflicts=_ORDERS,
    ),
    variation(
        "responses-in-reverse",
        "3",
        "Requests of 10 ms are served in order, and answered in reverse.",
        handled(_in_reverse),
        at=(None,),
        conflicts=f"{_ORDERS} {_COUNTING}",
    ),
    variation(
        "optimistic-retry",
        "4.2",
        "A POST that another one overtakes starts again, with another id.",
        handled(_retried),
        at=(None,),
        conflicts=f"{_ORDERS} id-reused-once ids-reused-later",
    ),
    variation(
        "ids-in-blocks",
        "4.2",
        "Two workers give ids in turn, each from a block of 100.",
        _in_blocks,
        conflicts="ids-beyond-double ids-negative ids-random ids-random-signed ids-from-zero ids-at-the-end",
    ),
    variation(
        "others-spend-in-overlap",
        "8",
        "Another client sends a request with the same key for each that overlaps with another.",
        handled(_others_spend),
        at=(None,),
        conflicts=f"{_ORDERS} {_LIMITS}",
    ),
    variation(
        "listed-late-after-overlap",
        "4.2",
        "A page shows an animal that was created beside another request 5 seconds late.",
        _listed_late,
        conflicts=f"{_ORDERS} {_LIMITS} cache-per-url replica-lags filter-index-lags lag-per-url late-default-status "
        "status-lags changes-lag seen-after-a-second listed-after-a-second",
    ),
]
