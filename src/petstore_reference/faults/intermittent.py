"""Faults that show now and then: in one response of some, by chance, for a while, or by the worker that answers."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.messages import Answer, EncodedAnswer, Operation, ReceivedCall
from petstore_reference.overrides import Serve, error, handled
from petstore_reference.quota import Usage
from petstore_reference.registry import Fault, fault
from petstore_reference.store import Animal, changed

_RATES = ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
_HTML = b"<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Sorry</h1></body></html>"
_SERVED = "LIST-1 LIST-2 LIST-6 GET-1 GET-3 ORDERS-1 CREATE-1"

_Make = Callable[[EncodedAnswer, ReceivedCall], EncodedAnswer]
_When = Callable[[ReceivedCall, EncodedAnswer, ServerState], bool]


def _any(call: ReceivedCall, reply: EncodedAnswer, state: ServerState) -> bool:
    return True


def _status(*statuses: int) -> _When:
    return lambda call, reply, state: reply.status in statuses


def _counted(number: int) -> Callable[[ServerState], bool]:
    """True at every `number`th time."""

    def comes(state: ServerState) -> bool:
        times = state.memory["times"]
        times[""] = times.get("", 0) + 1
        return bool(times[""] % number == 0)

    return comes


def _by_chance(number: int) -> Callable[[ServerState], bool]:
    """True in one of `number` times on average, the same ones at each start of the server."""

    def comes(state: ServerState) -> bool:
        chance: random.Random = state.memory["chance"].setdefault("", random.Random(1))  # noqa: S311 - not secret
        return chance.random() < 1 / number

    return comes


def _replies(comes: Callable[[ServerState], bool], concerned: _When, make: _Make) -> Override:
    """`make` changes the replies that are concerned, each time that `comes` says so."""

    async def handle(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
        reply = await serve(call, behaviour)
        return make(reply, call) if concerned(call, reply, state) and comes(state) else reply

    return handled(handle)


def _behaves(
    comes: Callable[[ServerState], bool],
    concerned: Callable[[ReceivedCall, ServerState], bool],
    make: Callable[[Behaviour, ReceivedCall, ServerState], Behaviour],
) -> Override:
    """The calls that are concerned get another behaviour, each time that `comes` says so."""

    async def handle(call: ReceivedCall, state: ServerState, behaviour: Behaviour, serve: Serve) -> EncodedAnswer:
        wrong = concerned(call, state) and comes(state)
        return await serve(call, make(behaviour, call, state) if wrong else behaviour)

    return handled(handle)


def _without(*names: str) -> _Make:
    def make(reply: EncodedAnswer, call: ReceivedCall) -> EncodedAnswer:
        for name in names:
            reply = reply.having(name, None)
        return reply

    return make


def _acting(answer: Callable[[ReceivedCall], Answer]) -> Callable[[Behaviour, ReceivedCall, ServerState], Behaviour]:
    """The operation gives that answer instead of doing its work."""
    return lambda behaviour, call, state: replace(behaviour, act=lambda call, state, whole: answer(call))


def _refusing(behaviour: Behaviour, call: ReceivedCall, state: ServerState) -> Behaviour:
    return replace(behaviour, authenticate=lambda call, keys: behaviour.authenticate(call, {}))


def _as_first_key(behaviour: Behaviour, call: ReceivedCall, state: ServerState) -> Behaviour:
    with_key = replace(call, authorization=f"Bearer {next(iter(state.keys))}")
    return replace(behaviour, authenticate=lambda call, keys: behaviour.authenticate(with_key, keys))


def _stale(behaviour: Behaviour, call: ReceivedCall, state: ServerState) -> Behaviour:
    return replace(behaviour, visible=lambda animal, now: not animal.born)


def _neighbour(behaviour: Behaviour, call: ReceivedCall, state: ServerState) -> Behaviour:
    def find(animal_id: int, store: object) -> Animal | None:
        found = behaviour.find(animal_id, state.store)
        others = (animal for animal in state.store.newest_first() if animal.id != animal_id)
        return found and next(others, found)

    return replace(behaviour, find=find)


def _filter_forgotten(behaviour: Behaviour, call: ReceivedCall, state: ServerState) -> Behaviour:
    return replace(behaviour, matches=lambda animal, status: True)


def _one_more(behaviour: Behaviour, call: ReceivedCall, state: ServerState) -> Behaviour:
    return replace(behaviour, read_limit=lambda text: behaviour.read_limit(text) + 1)


def _status_forgotten(behaviour: Behaviour, call: ReceivedCall, state: ServerState) -> Behaviour:
    return replace(behaviour, represent=lambda animal: behaviour.represent(changed(animal, status=None)))


def _full(behaviour: Behaviour, call: ReceivedCall, state: ServerState) -> Behaviour:
    def rate_headers(usage: Usage, call: ReceivedCall, status: int) -> dict[str, str]:
        headers = behaviour.rate_headers(usage, call, status)
        return {**headers, "X-RateLimit-Remaining": str(int(headers["X-RateLimit-Limit"]) - 1)}

    return replace(behaviour, rate_headers=rate_headers)


def _valid(call: ReceivedCall, state: ServerState) -> bool:
    return any(call.authorization == f"Bearer {key}" for key in state.keys)


def _calls(*operations: Operation) -> Callable[[ReceivedCall, ServerState], bool]:
    """The calls of these operations with a valid key."""
    return lambda call, state: call.operation in operations and _valid(call, state)


def _existing(call: ReceivedCall, state: ServerState) -> bool:
    """A `GET /pets/{petId}` of an animal that exists, with a valid key."""
    number = call.pet_id.removeprefix("-")
    known = number.isdecimal() and len(number) < 20 and state.store.find(int(call.pet_id)) is not None
    return known and _calls(Operation.GET)(call, state)


def _in_one_second_of(number: int) -> Callable[[ServerState], bool]:
    """True for one second, and false for `number` - 1 seconds."""
    return lambda state: int(state.quota.now) % number == 0


def _now_and_then(
    name: str, section: str, summary: str, breaks: str, one_in: int, override: Override, needs: str = ""
) -> Iterator[Fault]:
    return fault(name, summary, breaks, override, section=section, needs=needs, at=(None,), one_in=one_in)


FAULTS = [
    *_now_and_then(
        "reset-missing-now-and-then",
        "8",
        "One in 25 responses has no X-RateLimit-Reset.",
        "RATE-3",
        25,
        _replies(_counted(25), _any, _without("X-RateLimit-Reset")),
    ),
    *_now_and_then(
        "post-500-now-and-then",
        "4.2",
        "One in 10 POSTs gets 500.",
        "ERROR-5 CREATE-1 CREATE-5 CREATE-6 CREATE-7 CREATE-8 CREATE-9 CREATE-10 CREATE-14",
        10,
        _behaves(_counted(10), _calls(Operation.CREATE), _acting(lambda call: error(500))),
        needs="writes",
    ),
    *_now_and_then(
        "page-empty-now-and-then",
        "4.1",
        "One in 8 pages is empty.",
        "LIST-4 LIST-8 CREATE-13",
        8,
        _behaves(_counted(8), _calls(Operation.LIST), _acting(lambda call: Answer(200, []))),
    ),
    *_now_and_then(
        "one-worker-stale",
        "4.2",
        "One of three workers never sees created animals.",
        "CREATE-12 CREATE-13 GET-1",
        3,
        _behaves(_counted(3), _calls(Operation.LIST, Operation.GET), _stale),
        needs="writes",
    ),
    *_now_and_then(
        "valid-key-refused-now-and-then",
        "5",
        "One in 15 requests with the valid key gets 401.",
        "AUTH-7 RATE-5",
        15,
        _behaves(_counted(15), _valid, _refusing),
    ),
    *_now_and_then(
        "keyless-served-now-and-then",
        "5",
        "One in 6 requests without a valid key is served.",
        "AUTH-1 AUTH-2 AUTH-3 AUTH-4 AUTH-5 AUTH-6",
        6,
        _behaves(_counted(6), lambda call, state: not _valid(call, state), _as_first_key),
    ),
    *_now_and_then(
        "401-without-headers-now-and-then",
        "8",
        "One in 4 of the 401s has no rate limit headers.",
        "RATE-1 RATE-2 RATE-3",
        4,
        _replies(_counted(4), _status(401), _without(*_RATES)),
    ),
    *_now_and_then(
        "html-error-now-and-then",
        "7",
        "One in 5 errors, by chance, is an HTML page.",
        "BODY-1 SERVICE-1 ERROR-1",
        5,
        _replies(
            _by_chance(5),
            _status(400, 401, 404),
            lambda reply, call: replace(reply.having("Content-Type", "text/html"), body=_HTML),
        ),
    ),
    *_now_and_then(
        "body-cut-now-and-then",
        "1",
        "One in 12 bodies ends in the middle.",
        "SERVICE-1",
        12,
        _replies(_counted(12), _any, lambda reply, call: replace(reply, body=reply.body[: len(reply.body) // 2])),
    ),
    *_now_and_then(
        "text-plain-now-and-then",
        "2",
        "One in 7 responses, by chance, has the media type text/plain.",
        "BODY-1",
        7,
        _replies(_by_chance(7), _any, lambda reply, call: reply.having("Content-Type", "text/plain")),
    ),
    *_now_and_then(
        "other-animal-now-and-then",
        "4.3",
        "One in 10 `GET /pets/{petId}` of an animal returns another one.",
        "GET-2 CREATE-12 PET-5",
        10,
        _behaves(_counted(10), _existing, _neighbour),
    ),
    *_now_and_then(
        "page-too-long-now-and-then",
        "4.1",
        "One in 6 pages holds one animal more than `limit`.",
        "LIST-3 LIST-4 LIST-5",
        6,
        _behaves(_counted(6), _calls(Operation.LIST), _one_more),
    ),
    *_now_and_then(
        "filter-forgotten-for-a-second",
        "4.1",
        "For one second in five, `status` does not filter.",
        "LIST-7",
        5,
        _behaves(_in_one_second_of(5), _calls(Operation.LIST), _filter_forgotten),
    ),
    *_now_and_then(
        "status-lost-now-and-then",
        "4.2",
        "One in 5 responses to a POST, by chance, has no `status`.",
        "CREATE-4 CREATE-12 CREATE-13",
        5,
        _behaves(_by_chance(5), _calls(Operation.CREATE), _status_forgotten),
        needs="writes",
    ),
    *_now_and_then(
        "one-worker-does-not-count",
        "8",
        "One of three workers says that all requests are left.",
        "RATE-4",
        3,
        _behaves(_counted(3), lambda call, state: True, _full),
    ),
]
