"""Section 5: keys that are compared carelessly, checked late, or not checked for some requests."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.conforming import act_get, authenticate, credentials, read_new
from petstore_reference.faults.authentication import (
    BAD_KEY,
    KEY_RULES,
    accepted,
    checked_before_key,
    some_key,
    stored_when,
)
from petstore_reference.messages import Answer, Operation, ReceivedCall, Refused
from petstore_reference.overrides import url_of
from petstore_reference.registry import ALL, keys

_INVALID, _SCHEME = "AUTH-2", "AUTH-4"
_LIST, _CREATE, _GET = (Operation.LIST,), (Operation.CREATE,), (Operation.GET,)


def _similar(similar: Callable[[str, str], bool]) -> Override:
    """The server accepts a token for which `similar(token, key)` holds for some key."""

    def lets(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
        token = credentials(call)[1]
        return some_key(keys, lambda key: code == "key_invalid" and similar(token, key))

    return accepted(lets)


def _head(key: str) -> str:
    """The part of a key up to its last separator."""
    return re.sub(r"[^-_.]*$", "", key)


def _same_form(token: str, key: str) -> bool:
    return (len(token), _head(token)) == (len(key), _head(key))


def _with_scheme(scheme: str) -> Override:
    def lets(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
        return some_key(keys, lambda key: credentials(call) == (scheme, key))

    return accepted(lets)


def _seven_cut_off(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
    return some_key(keys, lambda key: code == "key_scheme" and (call.authorization or "")[7:] == key)


def _second_part(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
    return some_key(keys, lambda key: code == "key_invalid" and (call.authorization or "").split()[1:2] == [key])


def _last_word(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
    return some_key(keys, lambda key: code == "key_invalid" and (call.authorization or "").split()[-1:] == [key])


def _glued(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
    return some_key(keys, lambda key: call.authorization == f"Bearer{key}")


def _after_seven(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
    text = call.authorization or ""
    return some_key(keys, lambda key: text.startswith("Bearer") and text[len("Bearer ") :] == key)


def _invalid_key_after(looks: Callable[[ReceivedCall, ServerState, Behaviour], object]) -> Override:
    """The server checks the form of the header first, then the request, and last whether the key is valid."""

    def check(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
        try:
            authenticate(call, state.keys)
        except Refused as refusal:
            if refusal.code == "key_invalid":
                looks(call, state, whole)

    return checked_before_key(check)


def _no_route(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
    if call.pet_id.startswith("-"):
        raise Refused(404, "pet_not_found", "There is no such animal.")


def _shared_cache(behaviour: Behaviour) -> Behaviour:
    """A shared cache gives every client the answers to earlier requests with a valid key."""

    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        answer = behaviour.act(call, state, whole)
        state.memory["shared cache"][url_of(call)] = answer
        return answer

    def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
        answer: Answer | None = state.memory["shared cache"].get(url_of(call))
        return answer if answer and refusal.code in BAD_KEY else behaviour.refuse(refusal, call, state)

    return replace(behaviour, act=act, refuse=refuse)


def _kept_refusals(behaviour: Behaviour) -> Behaviour:
    """A shared cache keeps each 401 of a URL for three seconds, and gives it to clients with a valid key."""

    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        kept: tuple[float, Answer] | None = state.memory["kept refusals"].get(url_of(call))
        if kept is not None and call.time - kept[0] < 3:
            return kept[1]
        return behaviour.act(call, state, whole)

    def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
        answer = behaviour.refuse(refusal, call, state)
        if refusal.code in BAD_KEY:
            state.memory["kept refusals"][url_of(call)] = (call.time, answer)
        return answer

    return replace(behaviour, act=act, refuse=refuse)


def _known_animals(behaviour: Behaviour) -> Behaviour:
    """An animal that exists needs no key; an unknown id does."""

    def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
        if refusal.code in BAD_KEY and call.pet_id.isdecimal() and state.store.find(int(call.pet_id)):
            return behaviour.act(call, state, behaviour)
        return behaviour.refuse(refusal, call, state)

    return replace(behaviour, refuse=refuse)


FAULTS = [
    # compared carelessly
    *keys(
        "key-of-same-length",
        "Any token as long as a valid key is accepted.",
        _INVALID,
        _similar(lambda t, k: len(t) == len(k)),
    ),
    *keys(
        "key-of-same-form",
        "Any token with the prefix and length of a valid key is accepted.",
        _INVALID,
        _similar(_same_form),
        each=ALL,
    ),
    *keys(
        "key-last-character-ignored",
        "The last character of a key is ignored.",
        _INVALID,
        _similar(lambda token, key: len(token) == len(key) and token[:-1] == key[:-1]),
        each=ALL,
    ),
    *keys(
        "key-head-only",
        "Only the prefix of a key, up to its last separator, is compared.",
        _INVALID,
        _similar(lambda token, key: _head(key) != "" and token.startswith(_head(key))),
        each=ALL,
    ),
    *keys(
        "scheme-cut-off",
        "The first seven characters of the header are dropped instead of checked for `Bearer `.",
        _SCHEME,
        accepted(_seven_cut_off),
    ),
    *keys(
        "basic-accepted", "A valid key is accepted under the scheme Basic.", _SCHEME, _with_scheme("Basic"), each=ALL
    ),
    *keys(
        "token-accepted", "A valid key is accepted under the scheme Token.", _SCHEME, _with_scheme("Token"), each=ALL
    ),
    *keys(
        "key-before-a-word",
        "A valid key followed by a space and another word is accepted.",
        _INVALID,
        accepted(_second_part),
    ),
    *keys(
        "key-is-last-word",
        "Under the scheme Bearer, the last word of the header is taken for the key.",
        _INVALID,
        accepted(_last_word),
        needs="pairs",
    ),
    *keys(
        "key-without-space-accepted",
        "A valid key right after the word Bearer is accepted.",
        _SCHEME,
        accepted(_glued),
        needs="pairs",
    ),
    *keys(
        "any-character-after-bearer",
        "A valid key is accepted after the word Bearer and any character.",
        _SCHEME,
        accepted(_after_seven),
        needs="pairs",
    ),
    # checked late
    *keys(
        "invalid-key-after-body",
        "The body is validated before an unknown key is refused.",
        "AUTH-5",
        _invalid_key_after(lambda call, state, whole: read_new(call.body or b"", whole)),
        at=(),
        each=_CREATE,
    ),
    *keys(
        "invalid-key-after-lookup",
        "The animal is looked up before an unknown key is refused.",
        "AUTH-5",
        _invalid_key_after(act_get),
        at=(),
        each=_GET,
    ),
    *keys(
        "negative-id-before-key",
        "A negative id matches no route, so it gets 404 before the key is checked.",
        "AUTH-5",
        checked_before_key(_no_route),
        at=(),
        each=_GET,
    ),
    *keys(
        "limit-before-key",
        "`limit` is validated before the key is checked.",
        "AUTH-5",
        checked_before_key(lambda call, state, whole: whole.read_limit(call.query.get("limit"))),
        at=(),
        each=_LIST,
    ),
    *keys(
        "invalid-key-after-limit",
        "`limit` is validated before an unknown key is refused.",
        "AUTH-5",
        _invalid_key_after(lambda call, state, whole: whole.read_limit(call.query.get("limit"))),
        at=(),
        each=_LIST,
    ),
    *keys(
        "filter-before-key",
        "`status` is validated before the key is checked.",
        "AUTH-5",
        checked_before_key(lambda call, state, whole: whole.read_filter(call.query.get("status"))),
        at=(),
        each=_LIST,
    ),
    *keys(
        "stored-though-invalid-key",
        "A POST with an unknown key gets 401, but the animal is stored.",
        "AUTH-6",
        stored_when("key_invalid"),
        at=_CREATE,
    ),
    *keys(
        "stored-though-401-oldest-first",
        "A POST without a valid key gets 401, but the animal is stored at the end of the list.",
        "AUTH-6",
        stored_when(*BAD_KEY),
        at=_CREATE,
        needs="oldest-first",
    ),
    # not checked
    *keys(
        "shared-cache-skips-key",
        "A shared cache answers requests without a valid key.",
        KEY_RULES,
        _shared_cache,
        at=(*_LIST, *_GET),
    ),
    *keys(
        "401-cached",
        "A shared cache keeps a 401 for three seconds and gives it to clients with a valid key.",
        "AUTH-7",
        _kept_refusals,
        at=(*_LIST, *_GET, Operation.ORDERS),
    ),
    *keys(
        "filtered-list-without-key",
        "`GET /pets` with `status` needs no key.",
        f"{KEY_RULES} AUTH-5",
        accepted(lambda code, call, keys: "status" in call.query),
        at=_LIST,
    ),
    *keys(
        "limited-list-without-key",
        "`GET /pets` with `limit` needs no key.",
        f"{KEY_RULES} AUTH-5",
        accepted(lambda code, call, keys: "limit" in call.query),
        at=_LIST,
    ),
    *keys(
        "known-animal-without-key",
        "`GET /pets/{petId}` of an existing animal needs no key.",
        KEY_RULES,
        _known_animals,
        at=_GET,
    ),
]
