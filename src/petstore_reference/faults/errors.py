"""Section 7: Error bodies with the wrong shape, and server errors where the right response is open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from petstore_reference.behaviour import Behaviour, Override, ServerState
from petstore_reference.messages import Answer, Operation, ReceivedCall, Refused
from petstore_reference.overrides import answered, error, error_body, on_refusal, refused_with, without
from petstore_reference.registry import ALL, fault

errors = partial(fault, section="7")

_CREATE, _GET, _LIST = (Operation.CREATE,), (Operation.GET,), (Operation.LIST,)
_FIELDS = "ERROR-2 ERROR-3 ERROR-4"


def _sent_as(content: bytes, media_type: str | None, *statuses: int) -> Override:
    """Refusals of those statuses (by default all) have this content instead of an Error."""

    def override(behaviour: Behaviour) -> Behaviour:
        def refuse(refusal: Refused, call: ReceivedCall, state: ServerState) -> Answer:
            answer = behaviour.refuse(refusal, call, state)
            concerned = not statuses or answer.status in statuses
            return replace(answer, content=content, media_type=media_type) if concerned else answer

        return replace(behaviour, refuse=refuse)

    return override


def _field(name: str, make: Callable[[object], object]) -> Override:
    return error_body(lambda body: {**body, name: make(body[name])})


def _problem(refusal: Refused, call: ReceivedCall) -> Answer:
    content = {"type": "about:blank", "title": refusal.message, "status": refusal.status, "detail": refusal.code}
    return Answer(refusal.status, content, refusal.headers, "application/problem+json")


def _asks(name: str, value: str) -> Callable[[ReceivedCall], bool]:
    return lambda call: call.query.get(name) == value


_HTML = b"<!DOCTYPE html><html><head><title>Error</title></head><body><h1>Something is wrong</h1></body></html>"
_UNPARSABLE = "SERVICE-1 BODY-1"

FAULTS = [
    # another shape
    *errors(
        "detail-body",
        "Errors hold only a `detail` field.",
        _FIELDS,
        error_body(lambda body: {"detail": body["message"]}),
        each=ALL,
    ),
    *errors(
        "nested-error", "The Error is wrapped in `error`.", _FIELDS, error_body(lambda body: {"error": body}), each=ALL
    ),
    *errors(
        "error-text",
        "Errors hold only a text in `error`.",
        _FIELDS,
        error_body(lambda body: {"error": body["message"]}),
    ),
    *errors(
        "errors-list", "Errors hold only a list in `errors`.", _FIELDS, error_body(lambda body: {"errors": [body]})
    ),
    *errors(
        "error-fields-capitalised",
        "The field names of an Error begin with a capital letter.",
        _FIELDS,
        error_body(lambda body: {name.capitalize(): value for name, value in body.items()}),
    ),
    *errors("error-empty-object", "Errors are an empty object.", _FIELDS, error_body(lambda body: {})),
    *errors(
        "validation-list",
        "A 400 holds only a framework's list of validation errors.",
        _FIELDS,
        error_body(lambda body: {"detail": [{"loc": ["body"], "msg": body["message"], "type": body["code"]}]}, 400),
        at=_CREATE,
    ),
    *errors("error-in-array", "The Error is inside an array.", "ERROR-1", error_body(lambda body: [body]), each=ALL),
    *errors("error-string", "Errors are a JSON string.", "ERROR-1", error_body(lambda body: body["message"])),
    *errors("error-null", "Errors are null.", "ERROR-1", error_body(lambda body: None)),
    *errors(
        "problem-details",
        "Errors are problem details (RFC 9457) instead of the Error shape.",
        "BODY-1 ERROR-2 ERROR-3",
        on_refusal(_problem),
    ),
    *errors("html-errors", "Errors are an HTML page.", _UNPARSABLE, _sent_as(_HTML, "text/html"), each=ALL),
    *errors("plain-text-errors", "Errors are plain text.", _UNPARSABLE, _sent_as(b"Error", "text/plain")),
    *errors("empty-errors", "Errors have no body.", _UNPARSABLE, _sent_as(b"", None), each=ALL),
    *errors(
        "empty-json-errors",
        "Errors have no body, but the Content-Type application/json.",
        "SERVICE-1",
        _sent_as(b"", "application/json"),
    ),
    *errors("empty-401", "A 401 has no body.", _UNPARSABLE, _sent_as(b"", None, 401)),
    *errors("html-404", "A 404 is an HTML page.", _UNPARSABLE, _sent_as(_HTML, "text/html", 404), at=_GET),
    *errors(
        "html-404-for-negative-ids",
        "A negative petId matches no route, so it gets the framework's 404, an HTML page.",
        _UNPARSABLE,
        answered(lambda call: call.pet_id.startswith("-"), Answer(404, _HTML, (), "text/html")),
        at=_GET,
    ),
    *errors("empty-404", "A 404 has no body.", _UNPARSABLE, _sent_as(b"", None, 404), at=_GET),
    *errors(
        "detail-404",
        "A 404 holds only a `detail` field.",
        _FIELDS,
        error_body(lambda body: {"detail": "Not Found"}, 404),
        at=_GET,
    ),
    *errors("html-400", "A 400 is an HTML page.", _UNPARSABLE, _sent_as(_HTML, "text/html", 400), at=_CREATE),
    # fields
    *errors("no-code", "Errors have no `code`.", "ERROR-2", error_body(lambda body: without(body, "code")), each=ALL),
    *errors(
        "code-number",
        "`code` of an Error is a number, the HTTP status.",
        "ERROR-2",
        error_body(lambda body: {**body, "code": body["status"]}),
    ),
    *errors("code-null", "`code` of an Error is null.", "ERROR-2", _field("code", lambda code: None)),
    *errors(
        "no-code-400",
        "A 400 has no `code`.",
        "ERROR-2",
        error_body(lambda body: without(body, "code"), 400),
        at=_CREATE,
    ),
    *errors(
        "no-code-404", "A 404 has no `code`.", "ERROR-2", error_body(lambda body: without(body, "code"), 404), at=_GET
    ),
    *errors(
        "no-message",
        "Errors have no `message`.",
        "ERROR-3",
        error_body(lambda body: without(body, "message")),
        each=ALL,
    ),
    *errors("message-null", "`message` of an Error is null.", "ERROR-3", _field("message", lambda message: None)),
    *errors(
        "message-list", "`message` of an Error is a list.", "ERROR-3", _field("message", lambda message: [message])
    ),
    *errors(
        "message-object",
        "`message` of an Error is an object.",
        "ERROR-3",
        _field("message", lambda message: {"en": message}),
    ),
    *errors(
        "no-status", "Errors have no `status`.", "ERROR-4", error_body(lambda body: without(body, "status")), each=ALL
    ),
    *errors("status-text", "`status` of an Error is a string.", "ERROR-4", _field("status", str), each=ALL),
    *errors(
        "status-word", "`status` of an Error is the word `error`.", "ERROR-4", _field("status", lambda status: "error")
    ),
    *errors("status-zero", "`status` of an Error is 0.", "ERROR-4", _field("status", lambda status: 0)),
    *errors("status-null", "`status` of an Error is null.", "ERROR-4", _field("status", lambda status: None)),
    *errors("status-500", "`status` of an Error is always 500.", "ERROR-4", _field("status", lambda status: 500)),
    *errors(
        "status-400-in-404",
        "`status` in the body of a 404 is 400.",
        "ERROR-4",
        error_body(lambda body: {**body, "status": 400}, 404),
        at=_GET,
    ),
    *errors(
        "status-403-in-401",
        "`status` in the body of a 401 is 403.",
        "ERROR-4",
        error_body(lambda body: {**body, "status": 403}, 401),
    ),
    *errors(
        "status-422-in-400",
        "`status` in the body of a 400 is 422.",
        "ERROR-4",
        error_body(lambda body: {**body, "status": 422}, 400),
        at=_CREATE,
    ),
    # server errors where the right response is open; the module of each operation has the others
    *errors(
        "crash-on-limit-text", "`limit=abc` gets 500.", "ERROR-5", answered(_asks("limit", "abc"), error(500)), at=_LIST
    ),
    *errors(
        "crash-on-negative-limit",
        "`limit=-1` gets 500.",
        "ERROR-5",
        answered(_asks("limit", "-1"), error(500)),
        at=_LIST,
    ),
    *errors(
        "crash-on-limit-zero",
        "`limit=0` gets 500.",
        "ERROR-5",
        answered(_asks("limit", "0"), error(500)),
        at=_LIST,
        needs="reading",
    ),
    *errors(
        "crash-on-limit-101", "`limit=101` gets 500.", "ERROR-5", answered(_asks("limit", "101"), error(500)), at=_LIST
    ),
    *errors(
        "501-on-limit-text", "`limit=abc` gets 501.", "ERROR-5", answered(_asks("limit", "abc"), error(501)), at=_LIST
    ),
    *errors(
        "503-on-limit-101", "`limit=101` gets 503.", "ERROR-5", answered(_asks("limit", "101"), error(503)), at=_LIST
    ),
    *errors(
        "crash-on-unknown-filter",
        "An unknown `status` filter gets 500.",
        "ERROR-5",
        refused_with(500, "filter_invalid"),
        at=_LIST,
        needs="reading",
    ),
    *errors(
        "crash-on-id-text",
        "A petId that is not a number gets 500.",
        "ERROR-5",
        answered(lambda call: not call.pet_id.lstrip("-").isdigit(), error(500)),
        at=_GET,
    ),
    *errors(
        "crash-on-id-beyond-int64",
        "A petId outside int64 gets 500.",
        "ERROR-5",
        answered(
            lambda call: call.pet_id.lstrip("-").isdigit() and not -(2**63) <= int(call.pet_id) < 2**63, error(500)
        ),
        at=_GET,
    ),
]
