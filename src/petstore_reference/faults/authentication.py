"""Section 5: keys that are wrongly accepted or refused."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Mapping
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.conforming import act_create, act_get, credentials, known, read_new
from petstore_reference.messages import Answer, Caller, Operation, ReceivedCall, Refused
from petstore_reference.overrides import error, on_refusal, refused_with
from petstore_reference.quota import ANONYMOUS
from petstore_reference.registry import ALL, keys

BAD_KEY = ("key_missing", "key_invalid", "key_empty", "key_scheme")
_LIST, _CREATE, _GET, _ORDERS = (Operation.LIST,), (Operation.CREATE,), (Operation.GET,), (Operation.ORDERS,)


def accepted(lets: Callable[[str, ReceivedCall, Mapping[str, str]], str | bool]) -> Override:
    """The server accepts some callers that it should refuse.

    `lets` gets the code of the refusal, the call and the valid keys. It returns the key to accept the caller with, True
    to accept the caller as a guest, or a false value to refuse.
    """

    def override(behaviour: Behaviour) -> Behaviour:
        def authenticate(call: ReceivedCall, keys: Mapping[str, str]) -> Caller:
            try:
                return behaviour.authenticate(call, keys)
            except Refused as refusal:
                let = lets(refusal.code, call, keys)
                if isinstance(let, str) and let:
                    return known(let, keys)
                if let:
                    return Caller(f"address {call.address}", ANONYMOUS)
                raise

        return replace(behaviour, authenticate=authenticate)

    return override


def some_key(keys: Mapping[str, str], like: Callable[[str], bool]) -> str:
    """The first key for which `like` holds; an empty string if there is none."""
    return next((key for key in keys if like(key)), "")


def _cut(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
    return some_key(keys, lambda key: code == "key_invalid" and key.startswith(credentials(call)[1]))


def _extended(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
    return some_key(keys, lambda key: code == "key_invalid" and credentials(call)[1].startswith(key))


def _before_comma(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
    return some_key(keys, lambda key: code == "key_invalid" and credentials(call)[1].startswith(f"{key},"))


def _any_scheme(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
    return some_key(keys, lambda key: code == "key_scheme" and credentials(call)[1] == key)


def _without_scheme(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
    return some_key(keys, lambda key: code == "key_scheme" and call.authorization == key)


def _found_anywhere(code: str, call: ReceivedCall, keys: Mapping[str, str]) -> str:
    return some_key(keys, lambda key: key in (call.authorization or ""))


_LENGTH = re.compile(rb"(\r\ncontent-length: *)[0-9]+", re.IGNORECASE)


def _unread(data: bytes) -> bytes:
    """The head of a POST without a key, as if it had no body: what then comes is the beginning of another request."""
    keyless = data.startswith(b"POST ") and b"\r\nauthorization:" not in data.lower()
    return _LENGTH.sub(rb"\g<1>0", data, count=1) if keyless else data


def _leaves_bodies_unread(behaviour: Behaviour) -> Behaviour:
    return replace(behaviour, socket_options=replace(behaviour.socket_options, receive=_unread))


def _always_refused(behaviour: Behaviour) -> Behaviour:
    def before_key_check(call: ReceivedCall, state: ServerState, whole: Behaviour) -> None:
        raise Refused(401, "key_invalid", "The API key is invalid.")

    return replace(behaviour, before_key_check=before_key_check)


def checked_before_key(looks: Callable[[ReceivedCall, ServerState, Behaviour], object]) -> Override:
    """`looks` checks the request before the key is checked; it may raise `Refused`."""
    return lambda behaviour: replace(behaviour, before_key_check=looks)


def stored_when(*codes: str) -> Override:
    """A POST that is refused with one of the codes still stores its animal."""

    def override(behaviour: Behaviour) -> Behaviour:
        def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
            if refusal.code in codes:
                with contextlib.suppress(Refused):
                    act_create(call, state, behaviour)
            return behaviour.refuse(refusal, call, state)

        return replace(behaviour, refuse=refuse)

    return override


def _login_page(refusal: Refused, call: ReceivedCall) -> Answer | None:
    page = b"<!DOCTYPE html><title>Found</title><a href=/login>Log in</a>"
    return Answer(302, page, (("Location", "/login"),), "text/html") if refusal.status == 401 else None


def _not_authenticated(refusal: Refused, call: ReceivedCall) -> Answer:
    return Answer(403, {"detail": "Not authenticated"})


def _crash_without_space(refusal: Refused, call: ReceivedCall) -> Answer | None:
    return error(500, "internal", "list index out of range") if " " not in (call.authorization or "") else None


_MISSING, _INVALID, _EMPTY, _SCHEME = "AUTH-1", "AUTH-2", "AUTH-3", "AUTH-4"
KEY_RULES = "AUTH-1 AUTH-2 AUTH-3 AUTH-4"

FAULTS = [
    # read as another request
    *keys(
        "keyless-body-unread",
        "The server takes the body of a POST without a key for the beginning of the next request.",
        "SERVICE-1 BODY-1 AUTH-5 RATE-1 RATE-2 RATE-3",
        _leaves_bodies_unread,
        needs="writes",
    ),
    # accepted
    *keys(
        "no-key-needed",
        "A request without an Authorization header is accepted.",
        _MISSING,
        accepted(lambda code, call, keys: code == "key_missing"),
        each=ALL,
    ),
    *keys(
        "any-key",
        "Any bearer token is accepted, unless it is empty.",
        _INVALID,
        accepted(lambda code, call, keys: code == "key_invalid"),
        each=ALL,
    ),
    *keys("key-cut", "Any beginning of a valid key is accepted.", _INVALID, accepted(_cut), each=ALL),
    *keys(
        "key-extended",
        "A valid key with more characters at its end is accepted.",
        _INVALID,
        accepted(_extended),
        each=ALL,
    ),
    *keys(
        "key-before-comma",
        "A valid key with a comma after it is accepted.",
        _INVALID,
        accepted(_before_comma),
    ),
    *keys(
        "empty-token",
        "An empty bearer token is accepted.",
        _EMPTY,
        accepted(lambda code, call, keys: code == "key_empty"),
        each=ALL,
    ),
    *keys("any-scheme", "A valid key is accepted under any scheme.", _SCHEME, accepted(_any_scheme), each=ALL),
    *keys(
        "no-scheme-needed", "A valid key is accepted without a scheme.", _SCHEME, accepted(_without_scheme), each=ALL
    ),
    *keys(
        "key-anywhere-in-header",
        "An Authorization header with a valid key anywhere in it is accepted.",
        f"{_INVALID} {_SCHEME}",
        accepted(_found_anywhere),
    ),
    *keys(
        "key-not-checked",
        "The server does not check keys.",
        KEY_RULES,
        accepted(lambda code, call, keys: True),
        each=ALL,
    ),
    # refused, but not with 401
    *keys("403-for-401", "A missing or invalid key gets 403.", KEY_RULES, refused_with(403, *BAD_KEY), each=ALL),
    *keys("404-for-401", "A missing or invalid key gets 404.", KEY_RULES, refused_with(404, *BAD_KEY)),
    *keys("400-for-401", "A missing or invalid key gets 400.", KEY_RULES, refused_with(400, *BAD_KEY)),
    *keys("500-for-401", "A missing or invalid key gets 500.", f"{KEY_RULES} ERROR-5", refused_with(500, *BAD_KEY)),
    *keys(
        "login-page-for-401",
        "A missing or invalid key gets a redirect to a login page.",
        KEY_RULES,
        on_refusal(_login_page),
        each=ALL,
    ),
    *keys(
        "200-for-401",
        "`GET /store/orders` with a missing or invalid key returns 200 and an Error.",
        KEY_RULES,
        refused_with(200, *BAD_KEY),
        at=_ORDERS,
    ),
    *keys(
        "403-from-framework",
        "A missing or malformed Authorization header gets a framework's 403; an unknown key gets 401.",
        f"{_MISSING} {_EMPTY} {_SCHEME}",
        on_refusal(_not_authenticated, ("key_missing", "key_empty", "key_scheme")),
    ),
    *keys("403-for-missing-key", "A missing key gets 403.", _MISSING, refused_with(403, "key_missing"), each=_CREATE),
    *keys("400-for-missing-key", "A missing key gets 400.", _MISSING, refused_with(400, "key_missing")),
    *keys("403-for-invalid-key", "An unknown key gets 403.", _INVALID, refused_with(403, "key_invalid")),
    *keys(
        "500-for-missing-key",
        "A missing key gets 500.",
        f"{_MISSING} ERROR-5",
        refused_with(500, "key_missing"),
    ),
    *keys("400-for-empty-token", "An empty token gets 400.", _EMPTY, refused_with(400, "key_empty")),
    *keys(
        "500-for-empty-token",
        "An empty token gets 500.",
        f"{_EMPTY} ERROR-5",
        refused_with(500, "key_empty"),
    ),
    *keys("400-for-other-scheme", "A scheme other than Bearer gets 400.", _SCHEME, refused_with(400, "key_scheme")),
    *keys(
        "500-for-no-scheme",
        "A key without a scheme gets 500.",
        f"{_SCHEME} ERROR-5",
        on_refusal(_crash_without_space, ("key_scheme",)),
    ),
    # checked before the key
    *keys(
        "validation-before-key",
        "The body is validated before the key is checked.",
        "AUTH-5",
        checked_before_key(lambda call, state, behaviour: read_new(call.body or b"", behaviour)),
        at=(),
        each=_CREATE,
    ),
    *keys(
        "parsing-before-key",
        "The body is parsed before the key is checked.",
        "AUTH-5",
        checked_before_key(lambda call, state, behaviour: behaviour.parse(call.body or b"")),
        at=(),
        each=_CREATE,
    ),
    *keys(
        "lookup-before-key",
        "The animal is looked up before the key is checked.",
        "AUTH-5",
        checked_before_key(act_get),
        at=(),
        each=_GET,
    ),
    *keys(
        "parameters-before-key",
        "The parameters are validated before the key is checked.",
        "AUTH-5",
        checked_before_key(
            lambda call, state, behaviour: (
                behaviour.read_limit(call.query.get("limit")),
                behaviour.read_filter(call.query.get("status")),
            )
        ),
        at=(),
        each=_LIST,
    ),
    # stored despite a 401
    *keys(
        "stored-though-401",
        "A POST with a missing or invalid key gets 401, but the animal is stored.",
        "AUTH-6",
        stored_when(*BAD_KEY),
        at=_CREATE,
    ),
    *keys(
        "stored-though-no-key",
        "A POST without a key gets 401, but the animal is stored.",
        "AUTH-6",
        stored_when("key_missing"),
        at=_CREATE,
    ),
    # a valid key is refused
    *keys("valid-key-refused", "Every key gets 401, valid ones included.", "AUTH-7", _always_refused, at=(), each=ALL),
]
