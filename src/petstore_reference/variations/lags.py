"""Sections 4.1 to 4.3: responses that lag behind the store, never by more than 10 seconds in total."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from zlib import crc32

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.messages import Answer, Operation, ReceivedCall
from petstore_reference.overrides import cached, url_of
from petstore_reference.registry import variation
from petstore_reference.store import STATUSES, Animal, Store, changed

_READING = (Operation.LIST, Operation.GET)
_LAGS = "cache-per-url replica-lags filter-index-lags lag-per-url late-default-status status-lags changes-lag"
_REMOVING = "others-remove keeps-the-newest id-reused-once ids-reused-later"
_SECONDS = 8.0


def _lagging(seconds: Callable[[ReceivedCall, ServerState], float]) -> Override:
    """A call sees a created animal only after as many seconds as `seconds` gives for it."""

    def override(behaviour: Behaviour) -> Behaviour:
        def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
            lag = seconds(call, state)

            def visible(animal: Animal, now: float) -> bool:
                return whole.visible(animal, now) and (not animal.born or now - animal.born >= lag)

            return behaviour.act(call, state, replace(whole, visible=visible))

        return replace(behaviour, act=act)

    return override


def _of_replica(call: ReceivedCall, state: ServerState) -> float:
    return _SECONDS * (len(state.log) % 2)


def _of_filter(call: ReceivedCall, state: ServerState) -> float:
    return _SECONDS if call.query.get("status") else 0.0


def _of_url(call: ReceivedCall, state: ServerState) -> float:
    return float((crc32(url_of(call).encode()) >> 8) % 9)  # shifted, so that the usual URLs differ by seconds


def _status_lags(behaviour: Behaviour) -> Behaviour:
    """The status is stored after the rest of the animal."""

    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        def so_far(animal: Animal) -> Animal:
            return changed(animal, status=None) if animal.born and call.time - animal.born < _SECONDS else animal

        shown = replace(
            whole,
            represent=lambda animal: whole.represent(so_far(animal)),
            matches=lambda animal, status: whole.matches(so_far(animal), status),
        )
        return behaviour.act(call, state, shown)

    return replace(behaviour, act=act)


def _changes_lag(behaviour: Behaviour) -> Behaviour:
    """Another client changes a status before every third request; a filter takes some seconds to select by it."""

    def other_clients(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
        behaviour.other_clients(call, state, whole)
        number, rest = divmod(len(state.log) + 1, 3)
        seeded = [animal for animal in state.store.newest_first() if not animal.born]
        if seeded and not rest:
            animal, status = seeded[number % len(seeded)], STATUSES[number % len(STATUSES)]
            if animal.status != status:
                state.store.put(changed(animal, status=status))
                state.memory["changed"][str(animal.id)] = call.time

    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        since = state.memory["changed"]

        def matches(animal: Animal, status: str | None) -> bool:
            is_late = status is not None and call.time - since.get(str(animal.id), -inf) < _SECONDS
            return not is_late and whole.matches(animal, status)

        return behaviour.act(call, state, replace(whole, matches=matches))

    return replace(behaviour, other_clients=other_clients, act=act)


def _late_default(behaviour: Behaviour) -> Behaviour:
    """A background job gives animals without a status the default, three seconds after they were created."""

    def other_clients(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
        behaviour.other_clients(call, state, whole)
        for animal in state.store.newest_first():
            if animal.born and animal.status is None and call.time - animal.born >= 3:
                state.store.put(changed(animal, status="available"))

    return replace(behaviour, other_clients=other_clients)


def _lingering(behaviour: Behaviour) -> Behaviour:
    """Another client removes one animal of the run and many others; GETs by id find each for some seconds more."""

    def other_clients(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
        behaviour.other_clients(call, state, whole)
        if (len(state.log) + 1) % 6:
            return
        animals, gone = state.store.newest_first(), state.memory["lingering"]
        of_run = [] if any(animal.born for animal, _ in gone.values()) else [one for one in animals if one.born]
        for animal in (of_run or [one for one in animals if not one.born])[-1:]:
            state.store.remove(animal.id)
            gone[str(animal.id)] = animal, call.time

    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        def find(number: int, store: Store) -> Animal | None:
            animal, at = state.memory["lingering"].get(str(number), (None, 0.0))
            return whole.find(number, store) or (animal if call.time - at < _SECONDS else None)

        return behaviour.act(call, state, replace(whole, find=find))

    return replace(behaviour, other_clients=other_clients, act=act)


VARIATIONS = [
    variation(
        "cache-per-url",
        "4.1",
        "A cache keeps the response of each URL for 8 seconds and sends Age.",
        cached(_SECONDS),
        at=_READING,
        conflicts=_LAGS,
    ),
    variation(
        "replica-lags",
        "4.1",
        "Every second request goes to a replica that lags 8 seconds behind.",
        _lagging(_of_replica),
        at=_READING,
        conflicts=_LAGS,
    ),
    variation(
        "filter-index-lags",
        "4.1",
        "A filtered list shows a created animal 8 seconds late, other lists at once.",
        _lagging(_of_filter),
        at=(Operation.LIST,),
        conflicts=_LAGS,
    ),
    variation(
        "lag-per-url",
        "4.1",
        "Each URL shows created animals with its own lag of 0 to 8 seconds.",
        _lagging(_of_url),
        at=_READING,
        conflicts=_LAGS,
    ),
    variation(
        "late-default-status",
        "4.2",
        "An animal created without a status becomes available after 3 seconds.",
        _late_default,
        at=(None,),
        conflicts=f"{_LAGS} default-status",
    ),
    variation(
        "status-lags",
        "4.2",
        "Lists and GETs show the status of a created animal 8 seconds late.",
        _status_lags,
        at=_READING,
        conflicts=_LAGS,
    ),
    variation(
        "changes-lag",
        "4.1",
        "Another client changes a status before every third request; a filter finds that animal 8 seconds later.",
        _changes_lag,
        conflicts=_LAGS,
    ),
    variation(
        "removed-animals-linger",
        "4.3",
        "Another client removes an animal before every sixth request; GETs by id find it for 8 seconds more.",
        _lingering,
        conflicts=f"{_LAGS} {_REMOVING}",
    ),
]
