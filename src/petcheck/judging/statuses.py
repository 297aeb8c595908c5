"""What the document says about an exchange (sections 4, 7): whether it says anything, the body, and the status.

A request with a valid key must get a status; any other breaks a requirement.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from petcheck.call import Credential, Form
from petcheck.exchange import Exchange, limit_in
from petcheck.json_values import integer
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, STATUS, Grounds, Judgement, Problem
from petcheck.judging.matchers import answer_text, silence_text
from petcheck.judging.request_bodies import Asked, asked_of
from petcheck.spec.figures import REMOVAL_DAY, STATUSES
from petcheck.spec.operations import Body, Operation

_LARGE = 1_000  # bytes
_NEAR = 9_000
UNKNOWN_ID = "an id that no animal has"


def is_open(exchange: Exchange) -> bool:
    """Whether the document leaves an exchange open as a whole, except that it counts.

    That is a body in chunks, and a 400 for a key with a byte beyond ASCII: that header may be malformed,
    and what refuses it is often not the server itself (RFC 9110, section 5.5).
    """
    of_bytes = exchange.request.credential is Credential.BEYOND_ASCII
    return exchange.request.form is Form.CHUNKED or (of_bytes and exchange.status == 400)


def documented(exchange: Exchange, as_of: date) -> bool:
    """Whether the document says anything about this request at all.

    It does not if it is open as a whole, if its body is of another type than JSON, if the `petId` is not an int64, or
    if GET /pets/{petId} has been removed.
    """
    if is_open(exchange) or exchange.request.form is Form.AS_TEXT:
        return False
    if exchange.request.operation is not Operation.GET_PET:
        return True
    return exchange.request.pet_id is not None and as_of < REMOVAL_DAY


def body_due(exchange: Exchange, as_of: date) -> Body | None:
    """The documented body that the answer must have (sections 4 and 7); None if its body is open."""
    return exchange.request.operation.body(exchange.heard.status) if documented(exchange, as_of) else None


@dataclass(frozen=True, slots=True)
class Expected:
    """The statuses that a request may get, `said` in words; any other breaks `requirement`.

    `sent` says what was sent with the request, as far as the status depends on it.
    """

    requirement: str
    said: str
    allows: Callable[[int], bool]
    sent: str = ""


def expected_of(exchange: Exchange, grounds: Grounds) -> Expected | None:
    """The statuses that a request with a valid key may get; None if any status except a 5xx conforms."""
    request = exchange.request
    if not request.has_valid_key or not documented(exchange, grounds.as_of):
        return None
    match request.operation:
        case Operation.LIST_PETS:
            return _page(exchange)
        case Operation.CREATE_PET:
            return _creation(exchange, asked_of(request, grounds.categories_at(exchange.sent)))
        case Operation.GET_PET:
            return _animal(exchange, grounds)
        case Operation.STORE_ORDERS:
            if exchange.request.query:
                return None  # its parameters are not shown
            return Expected("ORDERS-1", "any status except 404, 405 and 5xx", _exists)


def status_judgement(exchange: Exchange, grounds: Grounds) -> tuple[str, Judgement]:
    """The requirement that judges an answer's status, and its judgement.

    A 401 for a valid key belongs to AUTH-7. A 429 says that the server did not look at the request.
    """
    expected = expected_of(exchange, grounds)
    if expected is None or exchange.status in (401, 429):
        return "", NOT_CONCERNED
    if exchange.status == 404 and grounds.has_animal_of(exchange):
        return "", NOT_CONCERNED  # another client may have removed it
    if exchange.status is not None and expected.allows(exchange.status):
        return expected.requirement, HOLDS
    return expected.requirement, problem_of_status(exchange, expected.said, sent=expected.sent)


def answered(requirement: str, exchange: Exchange, grounds: Grounds) -> Judgement:
    """The judgement of an answer's status, if it is this requirement that judges it."""
    found, judgement = status_judgement(exchange, grounds)
    return judgement if found == requirement else NOT_CONCERNED


def problem_of_status(exchange: Exchange, said: str, *, section: str = "", sent: str = "") -> Problem:
    """The problem of an answer that does not have the status `said`; for silence, the whole exchange is the problem.

    `section` is the section that requires the status, if it is not the operation's own; `sent` as in `Expected`.
    """
    wanted = f"{said} (section {section or exchange.request.operation.section})"
    if exchange.status is None:
        return Problem(f"expected {wanted}, got {silence_text(exchange)}", expected=said, sent=sent)
    return Problem(f"expected {wanted}, got {answer_text(exchange)}{_created(exchange)}", STATUS, said, sent)


def query_is_valid(exchange: Exchange) -> bool:
    """Whether the document allows every parameter and value, and each parameter is given once."""
    query = exchange.request.query
    if len({name for name, _ in query}) < len(query):
        return False
    return all(
        value in STATUSES if name == "status" else name == "limit" and limit_in(value) is not None
        for name, value in query
    )


def _page(exchange: Exchange) -> Expected | None:
    if not query_is_valid(exchange):
        return None
    names = {name for name, _ in exchange.request.query}
    requirement = "LIST-1" if not names else "LIST-2" if names == {"limit"} else "LIST-6"
    return Expected(requirement, "200", lambda status: status == 200)


def _creation(exchange: Exchange, asked: Asked) -> Expected | None:
    """A body of more than 1,000 bytes may be 413, whatever else is wrong with it. A 415 for no body and no Content-Type
    is open, as other content types are.
    """
    body = exchange.request.body
    if asked.requirement is None or (body is None and exchange.status == 415):
        return None
    too_large = {413} if len(body or b"") > _LARGE else set()
    allowed = {status for status in (201, 400) if str(status) in asked.due.value} | too_large
    return Expected(asked.requirement, asked.due.value, allowed.__contains__, asked.what)


def _animal(exchange: Exchange, grounds: Grounds) -> Expected | None:
    number = exchange.request.pet_id
    if exchange.status == 200 and _may_exist(exchange, number, grounds):
        return None
    if grounds.has_animal_of(exchange) or _is_of(exchange, number) or _is_of_the_run(exchange, grounds):
        return Expected("GET-1", "200", lambda status: status == 200)
    return Expected("GET-3", "404", lambda status: status == 404, UNKNOWN_ID)


def _may_exist(exchange: Exchange, number: int | None, grounds: Grounds) -> bool:
    """Whether a 200 for an id that nothing has shown may be right: it is an object without an id that can be read, and
    known ids are near.

    A page may have left the animal out. Another requirement judges the body.
    """
    shown = exchange.object
    if number is None or shown is None or grounds.has_animal_of(exchange) or integer(shown.get("id")) is not None:
        return False
    return not grounds.listed or min(grounds.listed) - _NEAR <= number <= max(grounds.listed) + _NEAR


def _is_of(exchange: Exchange, number: int | None) -> bool:
    """Whether the answer shows an animal with the requested id: then it exists."""
    return exchange.status == 200 and exchange.object is not None and integer(exchange.object.get("id")) == number


def _is_of_the_run(exchange: Exchange, grounds: Grounds) -> bool:
    """Whether a body that is not JSON shows a name of the run: then its 201 may not have been readable either."""
    if exchange.status != 200 or not grounds.run:
        return False
    return bool(exchange.heard.parsed.wrong) and grounds.run.encode() in exchange.heard.body


def _exists(status: int) -> bool:
    return status not in (404, 405) and status < 500


def _created(exchange: Exchange) -> str:
    """The animal that an unexpected success created, in words; empty if none."""
    number = integer((exchange.object or {}).get("id"))
    created = exchange.request.operation is Operation.CREATE_PET and exchange.heard.status < 300 and number is not None
    return f", and animal {number} was created" if created else ""
