"""The building blocks of faults and variations: each function returns an `Override` that changes one step."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, Override, Pet, ServerState
from petstore_reference.messages import Answer, EncodedAnswer, ReceivedCall, Refused
from petstore_reference.quota import QuotaRules, Usage
from petstore_reference.store import Animal, NewAnimal, changed


def both(*overrides: Override) -> Override:
    """All of the overrides, one after the other."""

    def override(behaviour: Behaviour) -> Behaviour:
        for each in overrides:
            behaviour = each(behaviour)
        return behaviour

    return override


def error(status: int, code: str = "error", message: str = "Something is wrong.") -> Answer:
    """An Error as in section 7."""
    return Answer(status, {"code": code, "message": message, "status": status})


# ---- refusals


def on_refusal(make: Callable[[Refused, ReceivedCall], Answer | None], codes: Collection[str] = ()) -> Override:
    """Refusals with one of the codes (by default all) get the answer of `make`; None leaves them as they are."""

    def override(behaviour: Behaviour) -> Behaviour:
        def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
            answer = make(refusal, call) if not codes or refusal.code in codes else None
            return behaviour.refuse(refusal, call, state) if answer is None else answer

        return replace(behaviour, refuse=refuse)

    return override


def refused_with(status: int, *codes: str) -> Override:
    """Refusals with one of the codes get another status, and an Error with that status."""
    return on_refusal(lambda refusal, call: error(status, refusal.code, refusal.message), codes)


def error_body(make: Callable[[dict[str, object]], object], *statuses: int) -> Override:
    """`make` changes the Error of refusals with one of the statuses (by default all)."""

    def override(behaviour: Behaviour) -> Behaviour:
        def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
            answer = behaviour.refuse(refusal, call, state)
            if not isinstance(answer.content, dict) or (statuses and answer.status not in statuses):
                return answer
            return replace(answer, content=make(answer.content))

        return replace(behaviour, refuse=refuse)

    return override


def refused_as(answer: Answer, *codes: str) -> Override:
    """Refusals with one of the codes get that answer."""
    return on_refusal(lambda refusal, call: answer, codes)


# ---- answers to valid calls


def served(make: Callable[[Answer, ReceivedCall], Answer]) -> Override:
    """`make` changes the operation's answer to a valid call."""

    def override(behaviour: Behaviour) -> Behaviour:
        def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
            return make(behaviour.act(call, state, whole), call)

        return replace(behaviour, act=act)

    return override


def always(answer: Answer) -> Override:
    """Every valid call gets that answer, after the operation did its work."""
    return served(lambda served, call: answer)


def with_status_code(status: int) -> Override:
    """The answer to a valid call has another HTTP status."""
    return served(lambda answer, call: replace(answer, status=status))


def answered(when: Callable[[ReceivedCall], bool], answer: Answer) -> Override:
    """Calls with a valid key for which `when` holds get that answer."""

    def override(behaviour: Behaviour) -> Behaviour:
        def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
            return answer if when(call) else behaviour.act(call, state, whole)

        return replace(behaviour, act=act)

    return override


def is_text(call: ReceivedCall) -> bool:
    """Whether the body of a call is sent as text/plain."""
    return call.headers.get("content-type", "").startswith("text/plain")


def pets(make: Callable[[Pet], Pet]) -> Override:
    """`make` changes every Pet before it is sent."""

    def override(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, represent=lambda animal: make(behaviour.represent(animal)))

    return override


def animals(make: Callable[[Animal], Animal]) -> Override:
    """`make` changes every animal before it becomes a Pet; the store stays as it is."""

    def override(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, represent=lambda animal: behaviour.represent(make(animal)))

    return override


def stored(make: Callable[[NewAnimal], NewAnimal]) -> Override:
    """`make` changes what was sent before it is stored and answered."""

    def override(behaviour: Behaviour) -> Behaviour:
        def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
            return behaviour.keep(make(new), animal_id, call, state)

        return replace(behaviour, keep=keep)

    return override


def stored_otherwise(make: Callable[[Animal], Animal]) -> Override:
    """`make` changes what is stored, while the answer shows what was sent."""

    def override(behaviour: Behaviour) -> Behaviour:
        def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
            animal = behaviour.keep(new, animal_id, call, state)
            state.store.put(make(animal))
            return animal

        return replace(behaviour, keep=keep)

    return override


def named(make: Callable[[str], str]) -> Callable[[NewAnimal], NewAnimal]:
    """For `stored`: `make` changes the name."""
    return lambda new: replace(new, name=make(new.name))


def categorised(make: Callable[[int], int]) -> Callable[[NewAnimal], NewAnimal]:
    """For `stored`: `make` changes the category."""
    return lambda new: replace(new, category_id=make(new.category_id))


def without(pet: Pet, *fields: str) -> Pet:
    """The Pet or other object without those fields."""
    return {name: value for name, value in pet.items() if name not in fields}


def with_status(make: Callable[[str | None], object]) -> Callable[[Animal], Animal]:
    """For `animals`: another status, of any type; None leaves the field out."""
    return lambda animal: changed(animal, status=make(animal.status))


def refused_if(code: str, refused: Callable[[NewAnimal], bool], status: int = 400) -> Override:
    """The server refuses valid animals for which `refused` holds."""

    def override(behaviour: Behaviour) -> Behaviour:
        def keep(new: NewAnimal, animal_id: int, call: ReceivedCall, state: ServerState) -> Animal:
            if refused(new):
                raise Refused(status, code, "The animal is not accepted.")
            return behaviour.keep(new, animal_id, call, state)

        return replace(behaviour, keep=keep)

    return override


def url_of(call: ReceivedCall) -> str:
    """The path and the parameters of a call, the same for each order of the parameters."""
    return f"{call.path}?{sorted(call.query.items())}"


def cached(seconds: float, applies: Callable[[ReceivedCall], bool] = lambda _: True) -> Override:
    """A cache keeps each 200 of a URL for `seconds` and says so with `Age`. The key and the quota are not cached.

    It does so for the calls to which it `applies`.
    """

    def override(behaviour: Behaviour) -> Behaviour:
        def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
            if not applies(call):
                return behaviour.act(call, state, whole)
            cache = state.memory[f"cache for {seconds} s"]
            kept: tuple[float, Answer] | None = cache.get(url_of(call))
            if kept is not None and call.time - kept[0] < seconds:
                age = ("Age", str(int(call.time - kept[0])))
                return replace(kept[1], headers=(*kept[1].headers, age))
            answer = behaviour.act(call, state, whole)
            cache[url_of(call)] = (call.time, answer)
            return answer

        return replace(behaviour, act=act)

    return override


# ---- replies


def replies(make: Callable[[EncodedAnswer, ReceivedCall], EncodedAnswer]) -> Override:
    """`make` changes every reply, as the last step."""

    def override(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, finish=lambda reply, call: make(behaviour.finish(reply, call), call))

    return override


def header(name: str, value: str | None, *statuses: int) -> Override:
    """Replies of those statuses (by default all) have another value of a header; None leaves the header out."""

    return replies(
        lambda reply, call: reply if statuses and reply.status not in statuses else reply.having(name, value)
    )


def bodies(make: Callable[[bytes], bytes], *statuses: int) -> Override:
    """`make` changes the body of replies of those statuses (by default all but 429)."""

    def override(reply: EncodedAnswer, call: ReceivedCall) -> EncodedAnswer:
        concerned = reply.status in statuses if statuses else reply.status != 429
        return replace(reply, body=make(reply.body)) if concerned else reply

    return replies(override)


# ---- rate limits


def rates(make: Callable[[dict[str, str], Usage, ReceivedCall, int], dict[str, str]]) -> Override:
    """`make` changes the rate limit headers; it also gets the usage, the call and the status of the answer."""

    def override(behaviour: Behaviour) -> Behaviour:
        def rate_headers(usage: Usage, call: ReceivedCall, status: int) -> dict[str, str]:
            return make(behaviour.rate_headers(usage, call, status), usage, call, status)

        return replace(behaviour, rate_headers=rate_headers)

    return override


def ruled(make: Callable[[QuotaRules], QuotaRules]) -> Override:
    """`make` changes the rules of the quotas."""
    return lambda behaviour: replace(behaviour, rules=lambda rules: make(behaviour.rules(rules)))


def spending(make: Callable[[Usage, ReceivedCall], Usage]) -> Override:
    """`make` changes the usage of a caller after a request."""

    def override(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, spend=lambda caller, call, state: make(behaviour.spend(caller, call, state), call))

    return override


def over_limit(make: Callable[[Answer, Usage], Answer]) -> Override:
    """`make` changes the answer to a request over the limit."""

    def override(behaviour: Behaviour) -> Behaviour:
        return replace(behaviour, exceeded=lambda usage, call: make(behaviour.exceeded(usage, call), usage))

    return override


# ---- many calls at the same time

Serve = Callable[[ReceivedCall, Behaviour], Awaitable[EncodedAnswer]]
"""Serves a call with a behaviour, as the server would do it without the override."""


def handled(make: Callable[[ReceivedCall, ServerState, Behaviour, Serve], Awaitable[EncodedAnswer]]) -> Override:
    """`make` answers every call. While it awaits something, other calls go on."""

    def override(behaviour: Behaviour) -> Behaviour:
        async def handle(call: ReceivedCall, state: ServerState, of_operation: Behaviour) -> EncodedAnswer:
            async def serve(call: ReceivedCall, of_operation: Behaviour) -> EncodedAnswer:
                return await behaviour.handle(call, state, of_operation)

            return await make(call, state, of_operation, serve)

        return replace(behaviour, handle=handle)

    return override


def in_threads(override: Override) -> Override:
    """The override on a server that serves each call in a thread. Where it crashes, the call gets 500."""

    def in_thread(behaviour: Behaviour) -> Behaviour:
        changed = override(behaviour)

        def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
            try:
                return changed.act(call, state, whole)
            except Refused:
                raise
            except Exception:  # as frameworks do
                return error(500, "internal_error", "Internal error.")

        return replace(changed, act=act, threads=True)

    return in_thread


# ---- below HTTP


def aborted(*statuses: int) -> Override:
    """The server aborts the connection instead of sending a reply of those statuses.

    The abort happens on the socket, so the override must be applied to the server as a whole too.
    """

    def abort(data: bytes) -> bytes | None:
        return None if _ABORT in data else data  # anywhere, since another response may come before that one

    def override(behaviour: Behaviour) -> Behaviour:
        marked = header("X-Abort", "connection", *statuses)(behaviour)
        return rewritten(abort)(marked)

    return override


def rewritten(rewrite: Callable[[bytes], bytes | None]) -> Override:
    """`rewrite` changes the bytes before they are sent; None aborts the connection."""

    def override(behaviour: Behaviour) -> Behaviour:
        before = behaviour.socket_options.rewrite

        def chained(data: bytes) -> bytes | None:
            kept = data if before is None else before(data)
            return None if kept is None else rewrite(kept)

        return replace(behaviour, socket_options=replace(behaviour.socket_options, rewrite=chained))

    return override


_ABORT = b"X-Abort: connection"
CUT = EncodedAnswer(444, (("X-Abort", "connection"),), b"")
"""On a server with `aborted`: the connection ends instead of this reply."""
