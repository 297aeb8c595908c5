"""What changes are made of: each function takes one thought and returns the `Change` that puts it into a behaviour."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from petcheck.reference.behaviour import Behaviour, Change, Pet, Site
from petcheck.reference.messages import Answer, Call, Refusal, Reply
from petcheck.reference.quota import Usage
from petcheck.reference.store import Animal, NewAnimal, changed


def both(*changes: Change) -> Change:
    """All of the changes, one after the other."""

    def change(behaviour: Behaviour) -> Behaviour:
        for each in changes:
            behaviour = each(behaviour)
        return behaviour

    return change


def error(status: int, code: str = "error", message: str = "Something is wrong.") -> Answer:
    """An Error as section 7 wants it."""
    return Answer(status, {"code": code, "message": message, "status": status})


# ---- what is refused, and how


def on_refusal(make: Callable[[Refusal, Call], Answer | None], codes: Collection[str] = ()) -> Change:
    """Refusals with one of the codes (none given: all) get the answer that `make` gives; None leaves them."""

    def change(behaviour: Behaviour) -> Behaviour:
        def refuse(refusal: Refusal, call: Call, site: Site) -> Answer:
            answer = make(refusal, call) if not codes or refusal.code in codes else None
            return behaviour.refuse(refusal, call, site) if answer is None else answer

        return replace(behaviour, refuse=refuse)

    return change


def refused_with(status: int, *codes: str) -> Change:
    """Refusals with one of the codes get another status, and an Error that agrees with it."""
    return on_refusal(lambda refusal, call: error(status, refusal.code, refusal.message), codes)


def error_body(make: Callable[[dict[str, object]], object], *statuses: int) -> Change:
    """The Error of a refusal, for one of the statuses (none given: all), goes through `make`."""

    def change(behaviour: Behaviour) -> Behaviour:
        def refuse(refusal: Refusal, call: Call, site: Site) -> Answer:
            answer = behaviour.refuse(refusal, call, site)
            if not isinstance(answer.content, dict) or (statuses and answer.status not in statuses):
                return answer
            return replace(answer, content=make(answer.content))

        return replace(behaviour, refuse=refuse)

    return change


# ---- what is served


def served(make: Callable[[Answer, Call], Answer]) -> Change:
    """What the operation answers when nothing was wrong goes through `make`."""

    def change(behaviour: Behaviour) -> Behaviour:
        def act(call: Call, site: Site, whole: Behaviour) -> Answer:
            return make(behaviour.act(call, site, whole), call)

        return replace(behaviour, act=act)

    return change


def answered(when: Callable[[Call], bool], answer: Answer) -> Change:
    """Calls for which `when` holds get that answer, once they got past the key."""

    def change(behaviour: Behaviour) -> Behaviour:
        def act(call: Call, site: Site, whole: Behaviour) -> Answer:
            return answer if when(call) else behaviour.act(call, site, whole)

        return replace(behaviour, act=act)

    return change


def pets(make: Callable[[Pet], Pet]) -> Change:
    """Every Pet goes through `make` before it is sent."""

    def change(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, represent=lambda animal: make(behaviour.represent(animal)))

    return change


def animals(make: Callable[[Animal], Animal]) -> Change:
    """Every animal goes through `make` before it becomes a Pet; nothing is changed in the store."""

    def change(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, represent=lambda animal: behaviour.represent(make(animal)))

    return change


def stored(make: Callable[[NewAnimal], NewAnimal]) -> Change:
    """What was sent goes through `make` before it is stored and answered."""

    def change(behaviour: Behaviour) -> Behaviour:
        def keep(new: NewAnimal, animal_id: int, call: Call, site: Site) -> Animal:
            return behaviour.keep(make(new), animal_id, call, site)

        return replace(behaviour, keep=keep)

    return change


def stored_otherwise(make: Callable[[Animal], Animal]) -> Change:
    """What is stored goes through `make`, while the answer shows it as it was sent."""

    def change(behaviour: Behaviour) -> Behaviour:
        def keep(new: NewAnimal, animal_id: int, call: Call, site: Site) -> Animal:
            animal = behaviour.keep(new, animal_id, call, site)
            site.store.put(make(animal))
            return animal

        return replace(behaviour, keep=keep)

    return change


def named(make: Callable[[str], str]) -> Callable[[NewAnimal], NewAnimal]:
    """For `stored`: another name."""
    return lambda new: replace(new, name=make(new.name))


def categorised(make: Callable[[int], int]) -> Callable[[NewAnimal], NewAnimal]:
    """For `stored`: another category."""
    return lambda new: replace(new, category_id=make(new.category_id))


def without(pet: Pet, *fields: str) -> Pet:
    """The Pet, or another object, without those fields."""
    return {name: value for name, value in pet.items() if name not in fields}


def with_status(make: Callable[[str | None], object]) -> Callable[[Animal], Animal]:
    """For `animals`: another status, of whatever type; None leaves the field out."""
    return lambda animal: changed(animal, status=make(animal.status))


def turned_down(code: str, refused: Callable[[NewAnimal], bool], status: int = 400) -> Change:
    """Valid animals are refused where `refused` holds."""

    def change(behaviour: Behaviour) -> Behaviour:
        def keep(new: NewAnimal, animal_id: int, call: Call, site: Site) -> Animal:
            if refused(new):
                raise Refusal(status, code, "The animal is not taken.")
            return behaviour.keep(new, animal_id, call, site)

        return replace(behaviour, keep=keep)

    return change


# ---- what goes out


def replies(make: Callable[[Reply, Call], Reply]) -> Change:
    """Every reply goes through `make`, last of all."""

    def change(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, finish=lambda reply, call: make(behaviour.finish(reply, call), call))

    return change


def header(name: str, value: str | None, *statuses: int) -> Change:
    """A header has another value, or is left out where that is None, on replies of those statuses (none given: all)."""

    return replies(
        lambda reply, call: reply if statuses and reply.status not in statuses else reply.having(name, value)
    )


def bodies(make: Callable[[bytes], bytes], *statuses: int) -> Change:
    """The body of replies of those statuses (none given: all but 429) goes through `make`."""

    def change(reply: Reply, call: Call) -> Reply:
        concerned = reply.status in statuses if statuses else reply.status != 429
        return replace(reply, body=make(reply.body)) if concerned else reply

    return replies(change)


# ---- rate limits


def rates(make: Callable[[dict[str, str], Usage, Call, int], dict[str, str]]) -> Change:
    """The rate limit headers go through `make`, which also gets the usage, the call and the status of the answer."""

    def change(behaviour: Behaviour) -> Behaviour:
        def rate_headers(usage: Usage, call: Call, status: int) -> dict[str, str]:
            return make(behaviour.rate_headers(usage, call, status), usage, call, status)

        return replace(behaviour, rate_headers=rate_headers)

    return change


def spending(make: Callable[[Usage, Call], Usage]) -> Change:
    """Where a caller stands after a request goes through `make`."""

    def change(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, spend=lambda caller, call, site: make(behaviour.spend(caller, call, site), call))

    return change


def over_limit(make: Callable[[Answer, Usage], Answer]) -> Change:
    """The answer over the limit goes through `make`."""

    def change(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, exceeded=lambda usage, call: make(behaviour.exceeded(usage, call), usage))

    return change


# ---- below HTTP


def aborted(*statuses: int) -> Change:
    """Instead of sending a reply of those statuses the connection is aborted.

    The bytes are held back where they are about to be sent, so it has to be applied to the whole server as well.
    """

    def abort(data: bytes) -> bytes | None:
        return None if _ABORT in data.partition(b"\r\n\r\n")[0] else data

    def change(behaviour: Behaviour) -> Behaviour:
        marked = header("X-Abort", "connection", *statuses)(behaviour)
        return rewritten(abort)(marked)

    return change


def rewritten(rewrite: Callable[[bytes], bytes | None]) -> Change:
    """The bytes that are about to be sent go through `rewrite`; None aborts the connection."""

    def change(behaviour: Behaviour) -> Behaviour:
        before = behaviour.wire.rewrite

        def chained(data: bytes) -> bytes | None:
            kept = data if before is None else before(data)
            return None if kept is None else rewrite(kept)

        return replace(behaviour, wire=replace(behaviour.wire, rewrite=chained))

    return change


_ABORT = b"X-Abort: connection"
