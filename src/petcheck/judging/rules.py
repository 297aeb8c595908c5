"""Rules: what a single exchange must show, whatever it was sent for, as far as one exchange can tell.

Each rule belongs to one requirement. It is held against everything that was recorded, and against each property example
as it comes; so a rule is a function of the exchange alone, and of the `Grounds` that a run knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from typing import Final, TypeAlias

from petcheck.exchange import GATEWAY_TROUBLE, Credential, Exchange, Operation, Response
from petcheck.judging import ratelimits
from petcheck.judging.interface import (
    LIMIT_DEFAULT,
    LIMIT_MAX,
    REMOVAL_DAY,
    STATUSES,
    Plan,
    body_due,
    documented,
)
from petcheck.judging.jsontext import Json, integer, kind
from petcheck.judging.matchers import (
    Animal,
    difference_of_text,
    problem_of_error_status,
    problem_of_int64,
    problem_of_json,
    problem_of_media_type,
    problem_of_pet_status,
    problem_of_string,
    quoted,
    value_of,
)
from petcheck.judging.newpets import Asked, Due, asked_for
from petcheck.judging.sightings import page_in


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a run knows of a target when it judges: the day, the key's plan, and categories that exist."""

    as_of: date
    plan: Plan | None = None
    categories: frozenset[int] = frozenset()


Judgement: TypeAlias = "str | None"
HOLDS: Final = ""
"""What a rule says of an exchange that it concerns and that is as it should be; None where it does not concern it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A requirement as it applies to one exchange: `judge` says what is wrong, `HOLDS`, or None.

    `nothing` is what to say where no exchange was concerned.
    """

    requirement: str
    section: str
    nothing: str
    judge: Callable[[Exchange, Grounds], Judgement] = field(repr=False)


def judged(rule: Rule, exchanges: Iterable[Exchange], grounds: Grounds) -> Iterator[tuple[Exchange, str | None]]:
    """Every exchange that the rule concerns, with what is wrong with it or None."""
    for exchange in exchanges:
        judgement = rule.judge(exchange, grounds)
        if judgement is not None:
            yield exchange, judgement or None


# ---- sections 1 and 4: documented bodies


def _documented_body(problem: Callable[[Response], str | None], exchange: Exchange, grounds: Grounds) -> Judgement:
    if not isinstance(exchange.answer, Response) or not body_due(exchange, grounds.as_of):
        return None
    return problem(exchange.answer) or HOLDS


# ---- section 2: the resources


def pets_in(exchange: Exchange, as_of: date) -> list[Json]:
    """Whatever stands where the document has a Pet, in a response that must carry one or more."""
    due = body_due(exchange, as_of)
    if due not in ("pet", "pets") or not isinstance(exchange.answer, Response):
        return []
    value = value_of(exchange.answer)
    if due == "pet":
        # a body that is no JSON is SERVICE-1's matter
        return [value] if value is not None or exchange.answer.body.strip() == b"null" else []
    return value if isinstance(value, list) else []


def _pet(problem: Callable[[Animal], str | None], otherwise: str, exchange: Exchange, grounds: Grounds) -> Judgement:
    """`otherwise` is what is wrong with a body that is no object, if anything."""
    pets = pets_in(exchange, grounds.as_of)
    # an item of a list that is no object is PETS-1's matter
    single = body_due(exchange, grounds.as_of) == "pet"
    odd = f"{otherwise}, it is {kind(pets[0])}" if otherwise and single and pets else None
    if not odd and not any(isinstance(pet, dict) for pet in pets):
        return None
    problems = (problem(pet) if isinstance(pet, dict) else odd for pet in pets)
    return next((text for text in problems if text), HOLDS)


def _bare_array(exchange: Exchange, grounds: Grounds) -> Judgement:
    if body_due(exchange, grounds.as_of) != "pets" or not isinstance(exchange.answer, Response):
        return None
    value = value_of(exchange.answer)
    if value is None and exchange.answer.body.strip() != b"null":
        return None  # no JSON: SERVICE-1
    if not isinstance(value, list):
        return f"the body is {kind(value)}, {quoted(value)}; a bare array is due"
    odd = [item for item in value if not isinstance(item, dict)]
    return f"an item is {kind(odd[0])}, {quoted(odd[0])}; a Pet is an object" if odd else HOLDS


# ---- section 4.1: the list


# a page that is not full tells nothing of how long it might be


def _no_longer_than_its_limit(exchange: Exchange, grounds: Grounds) -> Judgement:
    page = page_in(exchange)
    if page is None or page.limit is None or page.asked is None or page.size < page.asked:
        return None
    return f"{page.size} animals came; `limit` allows {page.asked}" if page.size > page.asked else HOLDS


def _no_longer_than_the_default(exchange: Exchange, grounds: Grounds) -> Judgement:
    page = page_in(exchange)
    if page is None or page.limit is not None or page.size < LIMIT_DEFAULT:
        return None
    return f"{page.size} animals came; without `limit` it is {LIMIT_DEFAULT}" if page.size > LIMIT_DEFAULT else HOLDS


def _no_longer_than_the_maximum(exchange: Exchange, grounds: Grounds) -> Judgement:
    page = page_in(exchange)
    if page is None or page.limit is None or page.asked is not None or page.size < LIMIT_MAX:
        return None
    many = page.size > LIMIT_MAX
    return f"{page.size} animals came; a page holds {LIMIT_MAX} at most, whatever was asked" if many else HOLDS


def _of_the_status(exchange: Exchange, grounds: Grounds) -> Judgement:
    page = page_in(exchange)
    if page is None or page.status not in STATUSES:
        return None
    for animal in page.animals:
        # what is no PetStatus at all is PET-4's matter
        if problem_of_pet_status(animal) is None and animal.get("status") != page.status:
            has = quoted(animal["status"]) if "status" in animal else "absent"
            return f"animal {quoted(animal.get('id'))} came, whose status is {has}; `status` is a filter"
    return HOLDS if page.animals else None


# ---- section 4.2: what a POST says of the animal that was sent


def _posted(exchange: Exchange, grounds: Grounds) -> tuple[Asked, Response] | None:
    request = exchange.request
    if request.operation is not Operation.CREATE_PET or request.credential is not Credential.VALID:
        return None
    # silence is judged where it can be asked again, a valid key refused is AUTH-7's matter, and a 429 says that the
    # body was not looked at
    if not isinstance(exchange.answer, Response) or exchange.answer.status in (401, 429):
        return None
    return asked_for(request.body, grounds.categories), exchange.answer


def _created(exchange: Exchange, grounds: Grounds) -> tuple[Animal, Animal] | None:
    """What was sent and what came, where a NewPet was answered 201 with an object."""
    posted = _posted(exchange, grounds)
    if posted is None or posted[0].due in (Due.REFUSED, Due.OPEN) or posted[1].status != 201:
        return None
    got = value_of(posted[1])
    return (posted[0].pet or {}, got) if isinstance(got, dict) else None


def _name_is_repeated(exchange: Exchange, grounds: Grounds) -> Judgement:
    both = _created(exchange, grounds)
    sent, got = (pet.get("name") for pet in both) if both else (None, None)
    if not isinstance(sent, str) or not isinstance(got, str):
        return None  # PET-2
    difference = difference_of_text(sent, got)
    return f"the name {difference}" if difference else HOLDS


def _category_is_repeated(exchange: Exchange, grounds: Grounds) -> Judgement:
    both = _created(exchange, grounds)
    sent, got = (integer(pet.get("categoryId")) for pet in both) if both else (None, None)
    if sent is None or got is None:
        return None  # PET-3
    return f"`categoryId` is {got}; {sent} was sent" if sent != got else HOLDS


def _status_is_repeated(exchange: Exchange, grounds: Grounds) -> Judgement:
    both = _created(exchange, grounds)
    if both is None or "status" not in both[0]:
        return None
    sent, got = both
    if "name" not in got or "categoryId" not in got or ("status" in got and got["status"] not in STATUSES):
        return None  # PET-2 to PET-4
    if got.get("status") == sent["status"]:
        return HOLDS
    said = quoted(got["status"]) if "status" in got else "absent"
    return f"`status` is {said}; {quoted(sent['status'])} was sent"


def _refused_for(requirement: str, exchange: Exchange, grounds: Grounds) -> Judgement:
    posted = _posted(exchange, grounds)
    if posted is None or posted[0].due is not Due.REFUSED or posted[0].requirement != requirement:
        return None
    return HOLDS if posted[1].status == 400 else f"400 is due with {posted[0].what}"


def _valid_pet_is_created(exchange: Exchange, grounds: Grounds) -> Judgement:
    posted = _posted(exchange, grounds)
    if posted is None or posted[0].due is not Due.CREATED:
        return None
    return HOLDS if posted[1].status == 201 else f"201 is due for {posted[0].what}"


def _doubtful_pet_is_created_or_refused(exchange: Exchange, grounds: Grounds) -> Judgement:
    posted = _posted(exchange, grounds)
    if posted is None or posted[0].due is not Due.CREATED_OR_REFUSED:
        return None
    return HOLDS if posted[1].status in (201, 400) else f"201 or 400 is due for {posted[0].what}"


# ---- section 5


def _valid_key_is_accepted(exchange: Exchange, grounds: Grounds) -> Judgement:
    if exchange.request.credential is not Credential.VALID or not documented(exchange, grounds.as_of):
        return None
    if not isinstance(exchange.answer, Response):
        return None
    return "the key is valid" if exchange.answer.status == 401 else HOLDS


# ---- section 7


def error_in(exchange: Exchange, as_of: date) -> tuple[Json, Response] | None:
    """What stands where an Error must, with its response; None where none is due, or where the body is no JSON."""
    if body_due(exchange, as_of) != "error" or not isinstance(exchange.answer, Response):
        return None
    value = value_of(exchange.answer)
    return None if value is None and exchange.answer.body.strip() != b"null" else (value, exchange.answer)


def _error_is_an_object(exchange: Exchange, grounds: Grounds) -> Judgement:
    found = error_in(exchange, grounds.as_of)
    if found is None:
        return None
    value, _ = found
    return HOLDS if isinstance(value, dict) else f"the body is {kind(value)}, {quoted(value)}"


def _error_has(problem: Callable[[Animal, int], str | None], exchange: Exchange, grounds: Grounds) -> Judgement:
    found = error_in(exchange, grounds.as_of)
    if found is None or not isinstance(found[0], dict):
        return None
    return problem(found[0], found[1].status) or HOLDS


def _no_server_error(exchange: Exchange, grounds: Grounds) -> Judgement:
    """A gateway's 502, 503 or 504 holds here: whether it came twice takes more than one exchange to tell."""
    removed = exchange.request.operation is Operation.GET_PET and grounds.as_of >= REMOVAL_DAY
    if not isinstance(exchange.answer, Response) or removed:
        return None
    status = exchange.answer.status
    return "a 5xx is never documented" if status >= 500 and status not in GATEWAY_TROUBLE else HOLDS


# ---- section 8


def _rate_header(problem: Callable[[Exchange], str | None], exchange: Exchange, grounds: Grounds) -> Judgement:
    return (problem(exchange) or HOLDS) if _has_rate_headers(exchange, grounds) else None


def _has_rate_headers(exchange: Exchange, grounds: Grounds) -> bool:
    """Whether the headers are due. A 5xx is ERROR-5's matter: it often comes from before the server."""
    return exchange.status is not None and exchange.status < 500 and documented(exchange, grounds.as_of)


def _limit_is_the_plans(exchange: Exchange, grounds: Grounds) -> Judgement:
    if grounds.plan is None or exchange.request.credential is not Credential.VALID:
        return None
    limit = ratelimits.limit_of(exchange)
    if not limit or not _has_rate_headers(exchange, grounds):
        return None
    figures = [figure for figure in (grounds.plan.per_minute, grounds.plan.per_day) if figure is not None]
    due = " or ".join(f"{figure:,}" for figure in figures)
    wrong = bool(figures) and limit not in figures
    return f"X-RateLimit-Limit is {limit}; on the plan {grounds.plan.name} it is {due}" if wrong else HOLDS


_NO_BODY = "No response with a documented body came."
_NO_PET = "No response with an animal came."
_NO_ERROR = "No Error came."
_NO_RESPONSE = "No response came."
_NO_PAGE = "No page was full."
_NO_ANIMAL = "No animal was created."
_NO_DEFECT = "No body with such a defect was answered."

RULES = (
    Rule("SERVICE-1", "1", _NO_BODY, partial(_documented_body, problem_of_json)),
    Rule("PET-1", "2", _NO_PET, partial(_pet, partial(problem_of_int64, "the Pet", "id"), "a Pet is an object")),
    Rule("PET-2", "2", _NO_PET, partial(_pet, partial(problem_of_string, "the Pet", "name"), "")),
    Rule("PET-3", "2", _NO_PET, partial(_pet, partial(problem_of_int64, "the Pet", "categoryId"), "")),
    Rule("PET-4", "2", _NO_PET, partial(_pet, problem_of_pet_status, "")),
    Rule("PETS-1", "2", "No list came.", _bare_array),
    Rule("BODY-1", "4", _NO_BODY, partial(_documented_body, problem_of_media_type)),
    Rule("LIST-3", "4.1", _NO_PAGE, _no_longer_than_its_limit),
    Rule("LIST-4", "4.1", _NO_PAGE, _no_longer_than_the_default),
    Rule("LIST-5", "4.1", _NO_PAGE, _no_longer_than_the_maximum),
    Rule("LIST-7", "4.1", "No animal came on a filtered page.", _of_the_status),
    Rule("CREATE-1", "4.2", _NO_ANIMAL, _valid_pet_is_created),
    Rule("CREATE-2", "4.2", _NO_ANIMAL, _name_is_repeated),
    Rule("CREATE-3", "4.2", _NO_ANIMAL, _category_is_repeated),
    Rule("CREATE-4", "4.2", _NO_ANIMAL, _status_is_repeated),
    *(Rule(name, "4.2", _NO_DEFECT, partial(_refused_for, name)) for name in (f"CREATE-{n}" for n in range(5, 11))),
    Rule("CREATE-14", "4.2", "No doubtful animal was sent.", _doubtful_pet_is_created_or_refused),
    Rule("AUTH-7", "5", "No request with the key was answered.", _valid_key_is_accepted),
    Rule("ERROR-1", "7", _NO_ERROR, _error_is_an_object),
    Rule(
        "ERROR-2", "7", _NO_ERROR, partial(_error_has, lambda error, _: problem_of_string("the Error", "code", error))
    ),
    Rule(
        "ERROR-3",
        "7",
        _NO_ERROR,
        partial(_error_has, lambda error, _: problem_of_string("the Error", "message", error)),
    ),
    Rule("ERROR-4", "7", _NO_ERROR, partial(_error_has, problem_of_error_status)),
    Rule("ERROR-5", "7", _NO_RESPONSE, _no_server_error),
    Rule("RATE-1", "8", _NO_RESPONSE, partial(_rate_header, ratelimits.problem_of_limit)),
    Rule("RATE-2", "8", _NO_RESPONSE, partial(_rate_header, ratelimits.problem_of_remaining)),
    Rule("RATE-3", "8", _NO_RESPONSE, partial(_rate_header, ratelimits.problem_of_reset)),
    Rule("RATE-5", "8", "No response carried a limit that could be read.", _limit_is_the_plans),
)
RULE = {rule.requirement: rule for rule in RULES}
