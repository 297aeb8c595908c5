"""Section 5: keys that are let in or turned away wrongly."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from petcheck.reference.behaviour import Behaviour, Change, Site
from petcheck.reference.changes import both, error, on_refusal, refused_with
from petcheck.reference.conforming import act_create, act_get, credentials, known, read_new
from petcheck.reference.messages import Answer, Call, Caller, Operation, Refusal
from petcheck.reference.quota import ANONYMOUS
from petcheck.reference.seam import ALL, fault

keys = partial(fault, section="5")

BAD_KEY = ("key_missing", "key_invalid", "key_empty", "key_scheme")
_LIST, _CREATE, _GET, _ORDERS = (Operation.LIST,), (Operation.CREATE,), (Operation.GET,), (Operation.ORDERS,)


def _let_in(lets: Callable[[str, Call, Mapping[str, str]], str | bool]) -> Change:
    """A caller that was turned away is let in after all where `lets` says so: as a guest, or with the key it gives.

    `lets` is given the code of the refusal, the call and the valid keys.
    """

    def change(behaviour: Behaviour) -> Behaviour:
        def authenticate(call: Call, keys: Mapping[str, str]) -> Caller:
            try:
                return behaviour.authenticate(call, keys)
            except Refusal as refusal:
                let = lets(refusal.code, call, keys)
                if isinstance(let, str) and let:
                    return known(let, keys)
                if let:
                    return Caller(f"address {call.address}", ANONYMOUS)
                raise

        return replace(behaviour, authenticate=authenticate)

    return change


def _some_key(keys: Mapping[str, str], like: Callable[[str], bool]) -> str:
    return next((key for key in keys if like(key)), "")


def _cut(code: str, call: Call, keys: Mapping[str, str]) -> str:
    return _some_key(keys, lambda key: code == "key_invalid" and key.startswith(credentials(call)[1]))


def _extended(code: str, call: Call, keys: Mapping[str, str]) -> str:
    return _some_key(keys, lambda key: code == "key_invalid" and credentials(call)[1].startswith(key))


def _any_scheme(code: str, call: Call, keys: Mapping[str, str]) -> str:
    return _some_key(keys, lambda key: code == "key_scheme" and credentials(call)[1] == key)


def _without_scheme(code: str, call: Call, keys: Mapping[str, str]) -> str:
    return _some_key(keys, lambda key: code == "key_scheme" and call.authorization == key)


def _found_anywhere(code: str, call: Call, keys: Mapping[str, str]) -> str:
    return _some_key(keys, lambda key: key in (call.authorization or ""))


def _turned_away(behaviour: Behaviour) -> Behaviour:
    def look_first(call: Call, site: Site, whole: Behaviour) -> None:
        raise Refusal(401, "key_invalid", "The API key is not valid.")

    return replace(behaviour, look_first=look_first)


def _looking_first(looks: Callable[[Call, Site, Behaviour], object]) -> Change:
    def change(behaviour: Behaviour) -> Behaviour:
        def look_first(call: Call, site: Site, whole: Behaviour) -> None:
            looks(call, site, whole)

        return replace(behaviour, look_first=look_first)

    return change


def _stored_when(*codes: str) -> Change:
    def change(behaviour: Behaviour) -> Behaviour:
        def refuse(refusal: Refusal, call: Call, site: Site) -> Answer:
            if refusal.code in codes:
                with contextlib.suppress(Refusal):
                    act_create(call, site, behaviour)
            return behaviour.refuse(refusal, call, site)

        return replace(behaviour, refuse=refuse)

    return change


def _login_page(refusal: Refusal, call: Call) -> Answer | None:
    page = b"<!DOCTYPE html><title>Found</title><a href=/login>Log in</a>"
    return Answer(302, page, (("Location", "/login"),), "text/html") if refusal.status == 401 else None


def _not_authenticated(refusal: Refusal, call: Call) -> Answer:
    return Answer(403, {"detail": "Not authenticated"})


def _crash_without_space(refusal: Refusal, call: Call) -> Answer | None:
    return error(500, "internal", "list index out of range") if " " not in (call.authorization or "") else None


_MISSING, _INVALID, _EMPTY, _SCHEME = "AUTH-1", "AUTH-2", "AUTH-3", "AUTH-4"
_EVERY = "AUTH-1 AUTH-2 AUTH-3 AUTH-4"

FAULTS = [
    # let in
    *keys(
        "no-key-needed",
        "Who sends no Authorization header is let in.",
        _MISSING,
        _let_in(lambda code, call, keys: code == "key_missing"),
        each=ALL,
    ),
    *keys(
        "any-key",
        "Any bearer token is taken for a key.",
        _INVALID,
        _let_in(lambda code, call, keys: code == "key_invalid"),
        each=ALL,
    ),
    *keys("key-cut", "The beginning of a key is taken for the key.", _INVALID, _let_in(_cut), each=ALL),
    *keys("key-extended", "Only the beginning of a token is compared.", _INVALID, _let_in(_extended), each=ALL),
    *keys(
        "empty-token",
        "An empty bearer token is let in.",
        _EMPTY,
        _let_in(lambda code, call, keys: code == "key_empty"),
        each=ALL,
    ),
    *keys("any-scheme", "The scheme before the key is not looked at.", _SCHEME, _let_in(_any_scheme), each=ALL),
    *keys("no-scheme-needed", "The key is taken without a scheme.", _SCHEME, _let_in(_without_scheme), each=ALL),
    *keys(
        "key-anywhere-in-header",
        "The header is searched for a key, whatever stands around it.",
        f"{_INVALID} {_SCHEME}",
        _let_in(_found_anywhere),
    ),
    *keys("open-door", "No key is looked at.", _EVERY, _let_in(lambda code, call, keys: True), each=ALL),
    # turned away with something else than 401
    *keys("403-for-401", "A bad key gets 403.", _EVERY, refused_with(403, *BAD_KEY), each=ALL),
    *keys("404-for-401", "A bad key gets 404.", _EVERY, refused_with(404, *BAD_KEY)),
    *keys("400-for-401", "A bad key gets 400.", _EVERY, refused_with(400, *BAD_KEY)),
    *keys("500-for-401", "A bad key gets 500.", f"{_EVERY} ERROR-5", refused_with(500, *BAD_KEY)),
    *keys("login-page-for-401", "A bad key is sent to a login page.", _EVERY, on_refusal(_login_page), each=ALL),
    *keys("200-for-401", "A bad key gets 200 with an Error.", _EVERY, refused_with(200, *BAD_KEY), at=_ORDERS),
    *keys(
        "403-from-framework",
        "What a framework's bearer scheme turns away gets its 403; unknown keys get 401.",
        f"{_MISSING} {_EMPTY} {_SCHEME}",
        on_refusal(_not_authenticated, ("key_missing", "key_empty", "key_scheme")),
    ),
    *keys("403-for-missing-key", "No key gets 403.", _MISSING, refused_with(403, "key_missing"), each=_CREATE),
    *keys("400-for-missing-key", "No key gets 400.", _MISSING, refused_with(400, "key_missing")),
    *keys("403-for-invalid-key", "An unknown key gets 403.", _INVALID, refused_with(403, "key_invalid")),
    *keys(
        "500-for-missing-key",
        "The server fails over a request without the header.",
        f"{_MISSING} ERROR-5",
        refused_with(500, "key_missing"),
    ),
    *keys("400-for-empty-token", "An empty token gets 400.", _EMPTY, refused_with(400, "key_empty")),
    *keys(
        "500-for-empty-token",
        "The server fails over an empty token.",
        f"{_EMPTY} ERROR-5",
        refused_with(500, "key_empty"),
    ),
    *keys("400-for-other-scheme", "Another scheme gets 400.", _SCHEME, refused_with(400, "key_scheme")),
    *keys(
        "500-for-no-scheme",
        "The server fails over a header without a space.",
        f"{_SCHEME} ERROR-5",
        on_refusal(_crash_without_space, ("key_scheme",)),
    ),
    # looked at before the key
    *keys(
        "fields-first",
        "The body is validated before the key is looked at.",
        "AUTH-5",
        _looking_first(lambda call, site, behaviour: read_new(call.body or b"", behaviour)),
        at=(),
        each=_CREATE,
    ),
    *keys(
        "parse-first",
        "The body is parsed before the key is looked at.",
        "AUTH-5",
        _looking_first(lambda call, site, behaviour: behaviour.parse(call.body or b"")),
        at=(),
        each=_CREATE,
    ),
    *keys(
        "lookup-first",
        "The animal is looked up before the key is looked at.",
        "AUTH-5",
        _looking_first(act_get),
        at=(),
        each=_GET,
    ),
    *keys(
        "parameters-first",
        "The parameters are validated before the key is looked at.",
        "AUTH-5",
        both(
            _looking_first(
                lambda call, site, behaviour: (
                    behaviour.read_limit(call.query.get("limit")),
                    behaviour.read_filter(call.query.get("status")),
                )
            )
        ),
        at=(),
        each=_LIST,
    ),
    # stored behind a 401
    *keys(
        "stored-though-401", "A 401 is answered, and the animal stored.", "AUTH-6", _stored_when(*BAD_KEY), at=_CREATE
    ),
    *keys(
        "stored-though-no-key",
        "Without a key 401 is answered, and the animal stored.",
        "AUTH-6",
        _stored_when("key_missing"),
        at=_CREATE,
    ),
    # a valid key is refused
    *keys("valid-key-refused", "A valid key gets 401.", "AUTH-7", _turned_away, at=(), each=ALL),
]
