"""Section 7: Error bodies that are none, and failures where the document has another answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from petcheck.reference.behaviour import Behaviour, Change, Site
from petcheck.reference.changes import error, error_body, on_refusal, refused_with, without
from petcheck.reference.messages import Answer, Call, Operation, Refusal
from petcheck.reference.seam import ALL, fault

_CREATE, _GET, _LIST, _ORDERS = (Operation.CREATE,), (Operation.GET,), (Operation.LIST,), (Operation.ORDERS,)
_FIELDS = "ERROR-2 ERROR-3 ERROR-4"


def _sent_as(content: bytes, media_type: str | None, *statuses: int) -> Change:
    """Refusals, of those statuses (none given: all), carry this instead of an Error."""

    def change(behaviour: Behaviour) -> Behaviour:
        def refuse(refusal: Refusal, call: Call, site: Site) -> Answer:
            answer = behaviour.refuse(refusal, call, site)
            concerned = not statuses or answer.status in statuses
            return replace(answer, content=content, media_type=media_type) if concerned else answer

        return replace(behaviour, refuse=refuse)

    return change


def _field(name: str, make: Callable[[object], object]) -> Change:
    return error_body(lambda body: {**body, name: make(body[name])})


def _problem(refusal: Refusal, call: Call) -> Answer:
    content = {"type": "about:blank", "title": refusal.message, "status": refusal.status, "detail": refusal.code}
    return Answer(refusal.status, content, refusal.headers, "application/problem+json")


def _crash(when: Callable[[Call], bool], status: int = 500) -> Change:
    """Calls for which `when` holds fail, once they got past the key."""

    def change(behaviour: Behaviour) -> Behaviour:
        def act(call: Call, site: Site, whole: Behaviour) -> Answer:
            if when(call):
                return error(status, "internal", "Internal server error")
            return behaviour.act(call, site, whole)

        return replace(behaviour, act=act)

    return change


def _asks(name: str, value: str) -> Callable[[Call], bool]:
    return lambda call: call.query.get(name) == value


_HTML = b"<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Something is wrong</h1></body></html>"
_UNPARSABLE = "SERVICE-1 BODY-1"

FAULTS = [
    # another shape
    *fault(
        "detail-body",
        "7",
        "Errors are a framework's `detail`.",
        _FIELDS,
        error_body(lambda body: {"detail": body["message"]}),
        each=ALL,
    ),
    *fault(
        "nested-error",
        "7",
        "The Error is inside of `error`.",
        _FIELDS,
        error_body(lambda body: {"error": body}),
        each=ALL,
    ),
    *fault(
        "error-text", "7", "Errors are a text in `error`.", _FIELDS, error_body(lambda body: {"error": body["message"]})
    ),
    *fault("errors-list", "7", "Errors are a list in `errors`.", _FIELDS, error_body(lambda body: {"errors": [body]})),
    *fault(
        "error-fields-capitalised",
        "7",
        "The fields of an Error begin with a capital letter.",
        _FIELDS,
        error_body(lambda body: {name.capitalize(): value for name, value in body.items()}),
    ),
    *fault("error-empty-object", "7", "Errors are an empty object.", _FIELDS, error_body(lambda body: {})),
    *fault(
        "validation-list",
        "7",
        "A 400 lists a framework's validation errors.",
        _FIELDS,
        error_body(lambda body: {"detail": [{"loc": ["body"], "msg": body["message"], "type": body["code"]}]}, 400),
        at=_CREATE,
    ),
    *fault("error-in-array", "7", "The Error is in an array.", "ERROR-1", error_body(lambda body: [body]), each=ALL),
    *fault("error-string", "7", "Errors are a JSON string.", "ERROR-1", error_body(lambda body: body["message"])),
    *fault("error-null", "7", "Errors are `null`.", "ERROR-1", error_body(lambda body: None)),
    *fault("problem-json", "7", "Errors are problem details.", "BODY-1 ERROR-2 ERROR-3", on_refusal(_problem)),
    *fault("html-errors", "7", "Errors are an HTML page.", _UNPARSABLE, _sent_as(_HTML, "text/html"), each=ALL),
    *fault("plain-text-errors", "7", "Errors are plain text.", _UNPARSABLE, _sent_as(b"Error", "text/plain")),
    *fault("empty-errors", "7", "Errors have no body.", _UNPARSABLE, _sent_as(b"", None), each=ALL),
    *fault(
        "empty-json-errors",
        "7",
        "Errors have an empty body of type JSON.",
        "SERVICE-1",
        _sent_as(b"", "application/json"),
    ),
    *fault("empty-401", "7", "A 401 has no body.", _UNPARSABLE, _sent_as(b"", None, 401)),
    *fault(
        "html-404", "7", "A 404 is the framework's HTML page.", _UNPARSABLE, _sent_as(_HTML, "text/html", 404), at=_GET
    ),
    *fault("empty-404", "7", "A 404 has no body.", _UNPARSABLE, _sent_as(b"", None, 404), at=_GET),
    *fault(
        "detail-404",
        "7",
        "A 404 is a framework's `detail`.",
        _FIELDS,
        error_body(lambda body: {"detail": "Not Found"}, 404),
        at=_GET,
    ),
    *fault("html-400", "7", "A 400 is an HTML page.", _UNPARSABLE, _sent_as(_HTML, "text/html", 400), at=_CREATE),
    # fields
    *fault(
        "no-code", "7", "Errors have no `code`.", "ERROR-2", error_body(lambda body: without(body, "code")), each=ALL
    ),
    *fault(
        "code-number",
        "7",
        "`code` is the HTTP status.",
        "ERROR-2",
        error_body(lambda body: {**body, "code": body["status"]}),
    ),
    *fault("code-null", "7", "`code` is null.", "ERROR-2", _field("code", lambda code: None)),
    *fault(
        "no-code-400",
        "7",
        "A 400 has no `code`.",
        "ERROR-2",
        error_body(lambda body: without(body, "code"), 400),
        at=_CREATE,
    ),
    *fault(
        "no-code-404",
        "7",
        "A 404 has no `code`.",
        "ERROR-2",
        error_body(lambda body: without(body, "code"), 404),
        at=_GET,
    ),
    *fault(
        "no-message",
        "7",
        "Errors have no `message`.",
        "ERROR-3",
        error_body(lambda body: without(body, "message")),
        each=ALL,
    ),
    *fault("message-null", "7", "`message` is null.", "ERROR-3", _field("message", lambda message: None)),
    *fault("message-list", "7", "`message` is a list.", "ERROR-3", _field("message", lambda message: [message])),
    *fault(
        "message-object", "7", "`message` is an object.", "ERROR-3", _field("message", lambda message: {"en": message})
    ),
    *fault(
        "no-status",
        "7",
        "Errors have no `status`.",
        "ERROR-4",
        error_body(lambda body: without(body, "status")),
        each=ALL,
    ),
    *fault("status-text", "7", "`status` is a string.", "ERROR-4", _field("status", str), each=ALL),
    *fault("status-word", "7", "`status` is the word error.", "ERROR-4", _field("status", lambda status: "error")),
    *fault("status-zero", "7", "`status` is 0.", "ERROR-4", _field("status", lambda status: 0)),
    *fault("status-null", "7", "`status` is null.", "ERROR-4", _field("status", lambda status: None)),
    *fault(
        "status-500",
        "7",
        "`status` is 500 whatever the HTTP status is.",
        "ERROR-4",
        _field("status", lambda status: 500),
    ),
    *fault(
        "status-400-in-404",
        "7",
        "`status` of a 404 is 400.",
        "ERROR-4",
        error_body(lambda body: {**body, "status": 400}, 404),
        at=_GET,
    ),
    *fault(
        "status-403-in-401",
        "7",
        "`status` of a 401 is 403.",
        "ERROR-4",
        error_body(lambda body: {**body, "status": 403}, 401),
    ),
    *fault(
        "status-422-in-400",
        "7",
        "`status` of a 400 is 422.",
        "ERROR-4",
        error_body(lambda body: {**body, "status": 422}, 400),
        at=_CREATE,
    ),
    # failures where the answer is open; those where another is due are with the operation
    *fault("crash-on-limit-text", "7", "limit=abc gets 500.", "ERROR-5", _crash(_asks("limit", "abc")), at=_LIST),
    *fault("crash-on-negative-limit", "7", "limit=-1 gets 500.", "ERROR-5", _crash(_asks("limit", "-1")), at=_LIST),
    *fault("crash-on-limit-zero", "7", "limit=0 gets 500.", "ERROR-5", _crash(_asks("limit", "0")), at=_LIST),
    *fault("crash-on-limit-101", "7", "limit=101 gets 500.", "ERROR-5", _crash(_asks("limit", "101")), at=_LIST),
    *fault("501-on-limit-text", "7", "limit=abc gets 501.", "ERROR-5", _crash(_asks("limit", "abc"), 501), at=_LIST),
    *fault("503-on-limit-101", "7", "limit=101 gets 503.", "ERROR-5", _crash(_asks("limit", "101"), 503), at=_LIST),
    *fault(
        "crash-on-unknown-filter",
        "7",
        "An unknown status as filter gets 500.",
        "ERROR-5",
        refused_with(500, "filter_invalid"),
        at=_LIST,
    ),
    *fault(
        "crash-on-id-text",
        "7",
        "A petId that is no number gets 500.",
        "ERROR-5",
        _crash(lambda call: not call.pet_id.lstrip("-").isdigit()),
        at=_GET,
    ),
    *fault(
        "crash-on-id-beyond-int64",
        "7",
        "A petId beyond int64 gets 500.",
        "ERROR-5",
        _crash(lambda call: call.pet_id.lstrip("-").isdigit() and abs(int(call.pet_id)) > 2**63),
        at=_GET,
    ),
]
