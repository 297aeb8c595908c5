"""Sections 2, 4 and 7: other ways to write the same answers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, Override, Pet
from petstore_reference.messages import EncodedAnswer, ReceivedCall
from petstore_reference.overrides import error_body, header, pets, replies
from petstore_reference.registry import variation

_TYPES = "charset content-type-upper-case content-type-parameters"
_LARGE = "pets-of-30-kb deep-pets brackets-in-strings long-names"
_CASES = "headers-lower-case headers-upper-case"


def _encoded(encode: Callable[[object], bytes]) -> Override:
    """`encode` writes the JSON; bytes are sent unchanged."""

    def override(behaviour: Behaviour) -> Behaviour:
        return replace(
            behaviour,
            encode=lambda content: behaviour.encode(content) if isinstance(content, bytes) else encode(content),
        )

    return override


def _header_names(make: Callable[[str], str]) -> Override:
    return replies(
        lambda reply, call: replace(reply, headers=tuple((make(name), text) for name, text in reply.headers))
    )


def _json_type(value: str) -> Override:
    def make(reply: EncodedAnswer, call: ReceivedCall) -> EncodedAnswer:
        return reply.having("Content-Type", value) if reply.header("Content-Type") == "application/json" else reply

    return replies(make)


def _gzipped(reply: EncodedAnswer, call: ReceivedCall) -> EncodedAnswer:
    if "gzip" not in call.headers.get("accept-encoding", "") or not reply.body:
        return reply
    return replace(reply, body=gzip.compress(reply.body)).having("Content-Encoding", "gzip")


def _long(pet: Pet) -> Pet:
    return {**pet, "description": "A friendly animal. " * 1_600}


def _nested(behaviour: Behaviour) -> Behaviour:
    """The standard encoder cannot nest so deep, so it encodes a placeholder."""
    placeholder, deep = '"@deep@"', b"[" * 3_000 + b"]" * 3_000
    with_field = pets(lambda pet: {**pet, "tree": placeholder.strip('"')})(behaviour)
    return replace(with_field, encode=lambda content: behaviour.encode(content).replace(placeholder.encode(), deep))


def _padded(reply: EncodedAnswer, call: ReceivedCall) -> EncodedAnswer:
    is_json = (reply.header("Content-Type") or "").lower().startswith("application/json")
    # compressed bytes must not be padded
    plain = is_json and reply.header("Content-Encoding") is None
    return replace(reply, body=b" \r\n\t" + reply.body + b"\n") if plain else reply


VARIATIONS = [
    variation(
        "extra-pet-fields",
        "2",
        "Pets have extra fields.",
        pets(lambda pet: {**pet, "tags": [], "photoUrls": None, "category": {"id": pet["categoryId"]}, "age": 1.5}),
    ),
    variation(
        "pets-of-30-kb",
        "2",
        "Each Pet has a field of 30 kB, so a page of 100 has 3 MB.",
        pets(_long),
        conflicts=_LARGE,
    ),
    variation(
        "deep-pets",
        "2",
        "Each Pet has a field nested 3,000 levels deep.",
        _nested,
        conflicts=f"{_LARGE} pretty-printed escaped-unicode",
    ),
    variation(
        "brackets-in-strings",
        "2",
        "Each Pet has a string with 5,000 brackets, so a page of 20 has 100,000.",
        pets(lambda pet: {**pet, "pattern": "[{" * 2_500}),
        conflicts=_LARGE,
    ),
    variation(
        "extra-error-fields",
        "7",
        "Errors have extra fields.",
        error_body(lambda body: {**body, "error": "error", "detail": None, "errors": [], "timestamp": 0}),
    ),
    variation(
        "fields-in-other-order",
        "2",
        "The fields of a Pet are in reverse order.",
        pets(lambda pet: dict(reversed(pet.items()))),
    ),
    variation(
        "codes-in-upper-case",
        "7",
        "`code` of an Error is in upper case.",
        error_body(lambda body: {**body, "code": str(body["code"]).upper()}),
    ),
    variation(
        "codes-numeric",
        "7",
        "`code` of an Error is a string of digits.",
        error_body(lambda body: {**body, "code": f"{body['status']}0"}),
    ),
    variation(
        "empty-messages",
        "7",
        "`code` and `message` of an Error are empty.",
        error_body(lambda body: {**body, "code": "", "message": ""}),
    ),
    variation(
        "messages-in-chinese",
        "7",
        "`message` of an Error is in Chinese.",
        error_body(lambda body: {**body, "message": "出错了 🐾"}),
    ),
    variation(
        "charset",
        "4",
        "Content-Type has a charset.",
        _json_type("application/json; charset=utf-8"),
        conflicts=_TYPES,
    ),
    variation(
        "content-type-upper-case",
        "4",
        "Content-Type is `Application/JSON`.",
        _json_type("Application/JSON"),
        conflicts=_TYPES,
    ),
    variation(
        "content-type-parameters",
        "4",
        "Content-Type has several parameters, one of them quoted.",
        _json_type('application/json ;charset="UTF-8"; profile="https://example.org/pets;v=1"'),
        conflicts=_TYPES,
    ),
    variation("headers-lower-case", "4", "Header names are in lower case.", _header_names(str.lower), conflicts=_CASES),
    variation("headers-upper-case", "4", "Header names are in upper case.", _header_names(str.upper), conflicts=_CASES),
    variation(
        "pretty-printed",
        "4",
        "JSON is indented.",
        _encoded(lambda content: json.dumps(content, indent=4, ensure_ascii=False).encode()),
        conflicts="escaped-unicode",
    ),
    variation(
        "escaped-unicode",
        "4",
        "JSON escapes characters beyond ASCII.",
        _encoded(lambda content: json.dumps(content).encode()),
        conflicts="pretty-printed",
    ),
    variation("json-in-white-space", "4", "JSON has white space around it.", replies(_padded)),
    variation("gzip", "4", "Bodies are compressed with gzip if the client accepts it.", replies(_gzipped)),
    variation(
        "server-header", "4", "Each response has a Server header.", header("Server", "petstore/7 (unlike any other)")
    ),
    variation(
        "set-cookie",
        "4",
        "Each response sets a cookie.",
        header("Set-Cookie", "session=abc123; HttpOnly; Path=/"),
    ),
    variation(
        "etag",
        "4",
        "Responses have ETag, Cache-Control and Vary.",
        replies(
            lambda reply, call: (
                reply.having("ETag", 'W/"1"').having("Cache-Control", "private, max-age=0").having("Vary", "*")
            )
        ),
    ),
    variation("cors", "4", "Responses allow all origins (CORS).", header("Access-Control-Allow-Origin", "*")),
]
