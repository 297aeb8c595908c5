"""Section 4.1: limits and filters that fail only together, and filters that match nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.faults.listing import UNLIMITED
from petstore_reference.messages import Answer, ReceivedCall
from petstore_reference.overrides import answered, cached, error
from petstore_reference.registry import Fault, page
from petstore_reference.store import STATUSES, Animal

LIMITS = ("1", "20", "100", None)


def _asked(limit: str | None, status: str | None) -> Callable[[ReceivedCall], bool]:
    """Whether a call has just these parameters."""
    return lambda call: (call.query.get("limit"), call.query.get("status")) == (limit, status)


def _instead(when: Callable[[ReceivedCall], bool], make: Callable[[Behaviour], Behaviour]) -> Override:
    """`make` changes what the operation does for calls for which `when` holds."""

    def override(behaviour: Behaviour) -> Behaviour:
        def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
            return behaviour.act(call, state, make(whole) if when(call) else whole)

        return replace(behaviour, act=act)

    return override


def _unfiltered(behaviour: Behaviour) -> Behaviour:
    return replace(behaviour, read_filter=lambda text: None)


def _unlimited(behaviour: Behaviour) -> Behaviour:
    return replace(behaviour, read_limit=lambda text: UNLIMITED)


def _refused() -> Iterator[Fault]:
    for limit in LIMITS:
        for status in (*STATUSES, None):
            if limit or status:
                yield from page(
                    f"{_name(limit, status)}-refused",
                    f"{_words(limit, status)} returns 400.",
                    "LIST-6" if status else "LIST-2",
                    answered(_asked(limit, status), error(400)),
                )


def _wrong() -> Iterator[Fault]:
    for limit in LIMITS:
        for status in STATUSES:
            name, words, asked = _name(limit, status), _words(limit, status), _asked(limit, status)
            yield from page(
                f"{name}-unfiltered", f"{words} ignores the filter.", "LIST-7", _instead(asked, _unfiltered)
            )
            too_many = f"{words} returns all animals of that status."
            unlimited = _instead(asked, _unlimited)
            if limit is None:
                yield from page(f"{name}-unlimited", too_many, "LIST-4", unlimited)
            elif limit != "100":
                yield from page(f"{name}-unlimited", too_many, "LIST-3", unlimited)
            elif status == "available":
                yield from page(f"{name}-unlimited", too_many, "LIST-3 LIST-5", unlimited, needs="big-store")


def _name(limit: str | None, status: str | None) -> str:
    return f"{f'limit-{limit}' if limit else 'no-limit'}-with-{status or 'no-status'}"


def _words(limit: str | None, status: str | None) -> str:
    if not status:
        return f"`GET /pets?limit={limit}` without `status`"
    return f"`GET /pets?limit={limit}&status={status}`" if limit else f"`GET /pets?status={status}` without `limit`"


def _fifteen(behaviour: Behaviour) -> Behaviour:
    return replace(behaviour, read_limit=lambda text: 15)


def _over_the_maximum_with_a_status(call: ReceivedCall) -> bool:
    limit = call.query.get("limit", "")
    return limit.isdecimal() and int(limit) > 100 and "status" in call.query


def _when_nothing_matches(make: Callable[[ReceivedCall, ServerState, Behaviour], Answer]) -> Override:
    def override(behaviour: Behaviour) -> Behaviour:
        def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
            answer = behaviour.act(call, state, whole)
            nothing = call.query.get("status") in STATUSES and answer.content == []
            return make(call, state, replace(whole, act=behaviour.act)) if nothing else answer

        return replace(behaviour, act=act)

    return override


def _never_indexed(behaviour: Behaviour) -> Behaviour:
    def old(animal: Animal, now: float) -> bool:
        return not animal.born and behaviour.visible(animal, now)

    return _instead(lambda call: "status" in call.query, lambda whole: replace(whole, visible=old))(behaviour)


FAULTS = [
    *_refused(),
    *_wrong(),
    *page(
        "default-limit-15-with-available",
        "`GET /pets?status=available` without `limit` returns 15 animals.",
        "LIST-4",
        _instead(_asked(None, "available"), _fifteen),
    ),
    *page(
        "over-100-with-a-status-unlimited",
        "`GET /pets` with `status` and a `limit` over 100 returns all animals of that status.",
        "LIST-5",
        _instead(_over_the_maximum_with_a_status, _unlimited),
        needs="big-store examples",
    ),
    *page(
        "no-match-gives-all",
        "A filter that matches nothing returns all animals.",
        "LIST-7",
        _when_nothing_matches(lambda call, state, whole: whole.act(call, state, _unfiltered(whole))),
        needs="none-sold",
    ),
    *page(
        "no-match-404",
        "A filter that matches nothing gets 404.",
        "LIST-6",
        _when_nothing_matches(lambda call, state, whole: error(404)),
        needs="none-sold",
    ),
    *page(
        "no-match-null",
        "A filter that matches nothing returns null.",
        "PETS-1",
        _when_nothing_matches(lambda call, state, whole: Answer(200, None)),
        needs="none-sold",
    ),
    *page(
        "filter-never-shows-new",
        "A filtered list never shows created animals.",
        "LIST-8",
        _never_indexed,
        needs="writes small-store",
    ),
    *page(
        "list-stale-for-a-minute",
        "A cache keeps each list for 60 seconds.",
        "CREATE-13",
        cached(60.0),
        needs="writes",
    ),
    *page(
        "widest-page-never-new",
        "A cache never renews `GET /pets?limit=100`; pages with another limit are new.",
        "CREATE-13",
        cached(math.inf, _asked("100", None)),
        needs="writes medium-store",
    ),
]
