"""Requests that mean the same get another answer in another form (RFC 8259, section 2; RFC 9110, section 12.5.1)."""

from __future__ import annotations

import re
from dataclasses import replace

from petstore_reference.behaviour import Behaviour, ServerState
from petstore_reference.messages import Answer, ReceivedCall
from petstore_reference.overrides import answered, error
from petstore_reference.registry import create, get, page

_REFUSED = error(400, "body_invalid", "The body cannot be read.")


def _status_first(behaviour: Behaviour) -> Behaviour:
    """The filter is read at its usual place only, after the limit."""

    def act(call: ReceivedCall, state: ServerState, whole: Behaviour) -> Answer:
        names = [name for name in call.query if name in ("limit", "status")]
        lost = names == ["status", "limit"]
        query = {name: value for name, value in call.query.items() if name != "status"} if lost else call.query
        return behaviour.act(replace(call, query=query), state, whole)

    return replace(behaviour, act=act)


FAULTS = [
    *create(
        "white-space-before-json-refused",
        "A body that begins with white space gets 400.",
        "CREATE-1",
        answered(lambda call: (call.body or b"")[:1].isspace(), _REFUSED),
        needs="pairs",
    ),
    *create(
        "escaped-member-names-unknown",
        "A member whose name has an escape of JSON is not recognized, so the body gets 400.",
        "CREATE-1",
        answered(lambda call: re.search(rb'"\\u[0-9a-f]{4}\w*"\s*:', call.body or b"") is not None, _REFUSED),
        needs="pairs",
    ),
    *create(
        "members-backwards-refused",
        "A body whose `name` is not its first member gets 400.",
        "CREATE-1",
        answered(lambda call: re.match(rb'\s*\{\s*"(status|categoryId)"', call.body or b"") is not None, _REFUSED),
        needs="pairs",
    ),
    *page(
        "filter-before-limit-ignored",
        "`GET /pets?status=sold&limit=20` is not filtered: `status` is read after `limit` only.",
        "LIST-7",
        _status_first,
    ),
    *get(
        "no-accept-refused",
        "`GET /pets/{petId}` without an Accept header gets 406.",
        "GET-1 GET-3",
        answered(lambda call: "accept" not in call.headers, error(406, "not_acceptable")),
        needs="pairs",
    ),
]
