"""Sections 4.2 and 7: unusual bodies that crash the server, or invalid ones that it accepts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.conforming import parse
from petstore_reference.faults.validation import stored_though_refused
from petstore_reference.messages import Answer, ReceivedCall, Refused
from petstore_reference.overrides import answered, error, is_text, named, stored
from petstore_reference.registry import Fault, create
from petstore_reference.store import STATUSES

_FIELDS = ("name", "categoryId", "status")
_FREE = "CREATE-14 ERROR-5"


def _crashes(
    name: str, what: str, breaks: str, when: Callable[[dict[str, Any]], bool], *, needs: str = ""
) -> Iterator[Fault]:
    """A body for which `when` holds gets 500."""

    def holds(call: ReceivedCall) -> bool:
        try:
            return when(parse(call.body or b""))
        except Refused:
            return False

    return create(name, f"{what} gets 500.", breaks, answered(holds, error(500, "internal")), needs=needs)


def _in_name(found: Callable[[str], bool]) -> Callable[[dict[str, Any]], bool]:
    return lambda fields: isinstance(fields.get("name"), str) and found(fields["name"])


def _surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _infinite(value: object) -> bool:
    return isinstance(value, float) and math.isinf(value)


def _extra(fields: dict[str, Any]) -> list[Any]:
    return [value for name, value in fields.items() if name not in _FIELDS]


def _depth(value: Any) -> int:
    depth = 0
    while isinstance(value, (list, dict)):
        depth += 1
        value = next(iter(value.values() if isinstance(value, dict) else value), None)
    return depth


def _has_nothing(call: ReceivedCall) -> bool:
    return not call.body and "content-type" not in call.headers


def _has_long_number(call: ReceivedCall) -> bool:
    body = call.body or b""
    return b'"name"' not in body and re.search(rb"[0-9]{4301}", body) is not None


def _repeated(call: ReceivedCall) -> bool:
    repeated: list[bool] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        repeated.append(len(found) != len(dict(found)))
        return dict(found)

    try:
        json.loads(call.body or b"", object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return False
    return any(repeated)


def _status_read(make: Callable[[str], str | None]) -> Override:
    """A status that is a string goes through `make` first; None means no status."""

    def override(behaviour: Behaviour) -> Behaviour:
        def read_status(fields: dict[str, object]) -> str | None:
            status = fields.get("status")
            if not isinstance(status, str):
                return behaviour.read_status(fields)
            made = make(status)
            return None if made is None else behaviour.read_status({**fields, "status": made})

        return replace(behaviour, read_status=read_status)

    return override


def _members_in_any_case(behaviour: Behaviour) -> Behaviour:
    names = {name.lower(): name for name in _FIELDS}

    def parsed(body: bytes) -> dict[str, object]:
        return {names.get(name.lower(), name): value for name, value in behaviour.parse(body).items()}

    return replace(behaviour, parse=parsed)


def _other_spelling_wins(behaviour: Behaviour) -> Behaviour:
    def parsed(body: bytes) -> dict[str, object]:
        members = behaviour.parse(body)
        both = "categoryId" in members and "category_id" in members
        return members | {"categoryId": members["category_id"]} if both else members

    return replace(behaviour, parse=parsed)


def _fields_from_query(behaviour: Behaviour) -> Behaviour:
    def act(call: ReceivedCall, state: ServerState, steps: Behaviour) -> Answer:
        fields = {name: json.loads(value) if name == "categoryId" else value for name, value in call.query.items()}

        def parsed(body: bytes) -> dict[str, object]:
            return fields | steps.parse(body)

        return behaviour.act(call, state, replace(steps, parse=parsed))

    return replace(behaviour, act=act)


def _json_in_string(behaviour: Behaviour) -> Behaviour:
    def parsed(body: bytes) -> dict[str, object]:
        try:
            return behaviour.parse(body)
        except Refused as refusal:
            text = json.loads(body) if refusal.code == "body_not_object" else None
            if not isinstance(text, str):
                raise
        return behaviour.parse(text.encode("utf-8", "surrogatepass"))

    return replace(behaviour, parse=parsed)


def _pairs_lost(behaviour: Behaviour) -> Behaviour:
    def parsed(body: bytes) -> dict[str, object]:
        return behaviour.parse(re.sub(rb"\\u[dD][89abAB]..\\u[dD][c-fC-F]..", b"", body))

    return replace(behaviour, parse=parsed)


FAULTS = [
    # invalid but accepted
    *create(
        "status-empty-accepted",
        "An empty `status` is accepted and dropped.",
        "CREATE-10",
        _status_read(lambda text: text or None),
    ),
    *create(
        "status-padded-accepted", "A `status` with spaces around it is accepted.", "CREATE-10", _status_read(str.strip)
    ),
    *create(
        "status-before-newline-accepted",
        "A `status` with a newline after it is accepted.",
        "CREATE-10",
        _status_read(lambda text: text.removesuffix("\n") if text.removesuffix("\n") in STATUSES else text),
    ),
    *create(
        "surrogate-pair-escapes-lost",
        "A character that is escaped as a surrogate pair is lost.",
        "CREATE-2",
        _pairs_lost,
    ),
    *create(
        "status-capitalised-accepted",
        "A `status` with a capital first letter is accepted.",
        "CREATE-10",
        _status_read(lambda text: text.lower() if text.lower() in STATUSES and text == text.capitalize() else text),
        needs="examples",
    ),
    *create(
        "field-names-in-any-case-accepted",
        "Field names are accepted in any letter case.",
        "CREATE-6",
        _members_in_any_case,
    ),
    *create("json-in-string-accepted", "JSON text inside a JSON string is accepted.", "CREATE-5", _json_in_string),
    *create(
        "created-name-leading-blanks-lost",
        "`name` is stored without its leading spaces.",
        "CREATE-2",
        stored(named(str.lstrip)),
    ),
    *create(
        "stored-though-400-oldest-first",
        "An unknown `status` gets 400, but the animal is stored at the end of the list.",
        "CREATE-11",
        stored_though_refused("status_unknown"),
        needs="oldest-first small-store",
    ),
    # crashes
    *_crashes(
        "category-1e400-crashes",
        "1e400 as `categoryId`",
        "CREATE-9 ERROR-5",
        lambda fields: _infinite(fields.get("categoryId")),
    ),
    *_crashes(
        "extra-field-1e400-crashes",
        "1e400 in an extra field",
        "ERROR-5",
        lambda fields: any(map(_infinite, _extra(fields))),
    ),
    *_crashes("lone-surrogate-crashes", "A lone surrogate in a name", _FREE, _in_name(_surrogate), needs="examples"),
    *_crashes("nul-crashes", "A NUL character in a name", _FREE, _in_name(lambda name: "\0" in name)),
    *_crashes(
        "control-character-crashes",
        "A control character in a name",
        _FREE,
        _in_name(lambda name: any(character < " " for character in name)),
    ),
    *_crashes("empty-name-crashes", "An empty name", _FREE, _in_name(lambda name: not name)),
    *_crashes(
        "deep-nesting-crashes",
        "An extra field nested 100 levels deep",
        "ERROR-5",
        lambda fields: any(_depth(value) >= 100 for value in _extra(fields)),
    ),
    *create(
        "long-number-crashes",
        "A body without a name and with a number of more than 4,300 digits gets 500.",
        "CREATE-6 ERROR-5",
        answered(_has_long_number, error(500, "internal")),
    ),
    *create(
        "fields-taken-from-query",
        "Fields that the body lacks are taken from the query.",
        "CREATE-6",
        _fields_from_query,
    ),
    *create(
        "category-id-wins",
        "A member `category_id` replaces `categoryId`.",
        "CREATE-3",
        _other_spelling_wins,
    ),
    *_crashes("extra-field-crashes", "An extra field", "ERROR-5 CREATE-6", lambda fields: bool(_extra(fields))),
    *create(
        "no-content-type-crashes",
        "A POST with neither a body nor a Content-Type gets 500.",
        "CREATE-5 ERROR-5",
        answered(_has_nothing, error(500, "internal")),
    ),
    *create(
        "no-content-type-accepted",
        "A POST with neither a body nor a Content-Type creates an animal.",
        "CREATE-5",
        answered(_has_nothing, Answer(201, {"id": 10**6, "name": "", "categoryId": 0})),
    ),
    *create(
        "body-as-text-crashes",
        "A body that is sent as text/plain gets 500.",
        "ERROR-5",
        answered(is_text, error(500, "internal")),
    ),
    *create(
        "duplicate-field-crashes",
        "A repeated field gets 500.",
        "ERROR-5",
        answered(_repeated, error(500, "internal")),
    ),
]
