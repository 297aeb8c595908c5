"""Matchers: each looks at one thing and says what is wrong with it, or hands out what a check goes on with.

They come in two manners. `problem…` functions return a sentence, or None where all is well, and know nothing of
severity. `expect…` and `…_of` functions are for checks: they raise `Breach` where the document is contradicted by what
the check is about, and `Inconclusive` where something that another requirement answers for is in the way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from itertools import zip_longest
from urllib.parse import urlsplit

from petcheck.exchange import Credential, Exchange, NoAnswer, Operation, Response
from petcheck.judging.interface import STATUSES, section_of
from petcheck.judging.jsontext import INT64_MAX, INT64_MIN, HugeNumber, Json, NotJson, integer, json_of, kind
from petcheck.judging.verdicts import Breach, Inconclusive

CONTENT_TYPE = "Content-Type"
_SHOWN = 80

# ---- words


def described(exchange: Exchange) -> str:
    """The request in a few words: method, path, and the credential where it is not the valid key."""
    request = exchange.request
    parts = urlsplit(request.url)
    base = {Operation.LIST_PETS: "/pets", Operation.CREATE_PET: "/pets", Operation.STORE_ORDERS: "/store/orders"}
    path = base.get(request.operation) or "/pets/" + parts.path.rpartition("/")[2]
    query = f"?{parts.query}" if parts.query else ""
    with_key = "" if request.credential is Credential.VALID else f" with {request.credential.value}"
    return f"{request.method} {path}{query}{with_key}"


def came(exchange: Exchange) -> str:
    """The answer in a few words: the status, or the silence and what was seen of it."""
    answer = exchange.answer
    if isinstance(answer, NoAnswer):
        return f"no answer ({answer.kind.value}: {answer.detail})"
    return f"{answer.status} {answer.reason}".strip()


def quoted(value: Json) -> str:
    """A JSON value as it would be written, in ASCII, cut at 80 characters."""
    try:
        text = json.dumps(value, default=_plain)
    except RecursionError:
        return f"<{kind(value)}, deeply nested>"
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _plain(value: Decimal | HugeNumber) -> float | str:
    return float(value) if isinstance(value, Decimal) else f"<{kind(value)}>"


# ---- answers


def answer_of(exchange: Exchange, due: str) -> Response:
    """The response; `Breach` where none came, which says what was `due`."""
    if isinstance(exchange.answer, NoAnswer):
        raise Breach(
            f"{described(exchange)}: expected {due}, got {came(exchange)}, on a second try too.",
            exchange,
            unanswered=True,
        )
    return exchange.answer


def expect_status(exchange: Exchange, status: int, *, sent: str = "", section: str | None = None) -> Response:
    """The response, which must have exactly this status.

    `sent` tells what was special about the request ("without `categoryId`"), `section` where the status is documented.
    A valid key that is refused is another requirement's matter, AUTH-7.
    """
    where = section or section_of(exchange.request.operation)
    subject = f"{described(exchange)} {sent}".strip()
    response = answer_of(exchange, f"{status} (section {where})")
    if response.status == 401 and status != 401 and exchange.request.credential is Credential.VALID:
        raise Inconclusive(f"{subject} was answered 401 although the key is valid; AUTH-7 tells more.")
    if response.status != status:
        raise Breach(
            f"{subject}: expected {status} (section {where}), got {came(exchange)}{_created(exchange)}.", exchange
        )
    return response


def _created(exchange: Exchange) -> str:
    """What an unexpected success left behind, in words."""
    if exchange.request.operation is not Operation.CREATE_PET or not isinstance(exchange.answer, Response):
        return ""
    value = value_of(exchange.answer)
    number = integer(value.get("id")) if isinstance(value, dict) else None
    return f", and animal {number} was created" if exchange.answer.status < 300 and number is not None else ""


def value_of(response: Response) -> Json:
    """The JSON value of the body; None where it is no JSON, which SERVICE-1 judges."""
    try:
        return json_of(response)
    except NotJson:
        return None


Animal = Mapping[str, Json]


def page_of(exchange: Exchange) -> list[Animal]:
    """The animals of a page; `Inconclusive` where there is no page to look at, which LIST-1, -2, -6 or PETS-1 judge."""
    response = exchange.answer
    if isinstance(response, NoAnswer) or response.status != 200:
        raise Inconclusive(f"{described(exchange)} gave no page to look at: {came(exchange)}.")
    value = value_of(response)
    if not isinstance(value, list):
        raise Inconclusive(f"{described(exchange)} gave no page to look at: its body is no array, see PETS-1.")
    return [item for item in value if isinstance(item, dict)]


def animal_of(exchange: Exchange) -> Animal:
    """The animal of a 200 or 201; `Inconclusive` where the body is no object, which PET-1 judges."""
    value = value_of(exchange.answer) if isinstance(exchange.answer, Response) else None
    status = exchange.answer.status if isinstance(exchange.answer, Response) else None
    if status not in (200, 201) or not isinstance(value, dict):
        raise Inconclusive(f"{described(exchange)} gave no animal to look at: {came(exchange)}.")
    return value


# ---- bodies


def problem_of_json(response: Response) -> str | None:
    """What keeps the body from being JSON (section 1)."""
    try:
        json_of(response)
    except NotJson as problem:
        return str(problem)
    return None


def problem_of_media_type(response: Response) -> str | None:
    """What is wrong with Content-Type where `application/json` is due (section 4); parameters and case are free."""
    value = response.header(CONTENT_TYPE)
    if value is None:
        return f"there is no {CONTENT_TYPE}; `application/json` is due"
    types = {part.partition(";")[0].strip().lower() for part in value.split(",")}
    if "application/json" in types and len(types) == 1:
        return None
    return f"{CONTENT_TYPE} is {quoted(value)}; `application/json` is due"


def problem_of_int64(owner: str, name: str, holder: Animal) -> str | None:
    """What is wrong with a required int64 member (section 2)."""
    if name not in holder:
        return f"{owner} has no `{name}`"
    value = holder[name]
    number = integer(value)
    if number is None and not isinstance(value, HugeNumber):
        return f"`{name}` is {kind(value)}, {quoted(value)}; an integer is due"
    if number is None or not INT64_MIN <= number <= INT64_MAX:
        return f"`{name}` is {quoted(value)}, beyond int64"
    return None


def problem_of_string(owner: str, name: str, holder: Animal) -> str | None:
    """What is wrong with a required string member (sections 2 and 7)."""
    if name not in holder:
        return f"{owner} has no `{name}`"
    value = holder[name]
    return None if isinstance(value, str) else f"`{name}` is {kind(value)}, {quoted(value)}; a string is due"


def problem_of_pet_status(holder: Animal) -> str | None:
    """What is wrong with a Pet's optional status (section 2)."""
    if "status" not in holder or holder["status"] in STATUSES:
        return None
    value = holder["status"]
    said = "null; where there is no status the member is left out" if value is None else quoted(value)
    return f"`status` is {said}; PetStatus is one of available, pending, sold"


def problem_of_error_status(holder: Animal, http_status: int) -> str | None:
    """What is wrong with an Error's `status` (section 7)."""
    if "status" not in holder:
        return "the Error has no `status`"
    value = holder["status"]
    if integer(value) is None:
        return f"`status` is {kind(value)}, {quoted(value)}; the integer {http_status} is due"
    return None if integer(value) == http_status else f"`status` is {quoted(value)} in a response of {http_status}"


# ---- comparisons


def difference_of_text(sent: str, got: str) -> str | None:
    """Where two texts part, by code point."""
    if sent == got:
        return None
    return f"{quoted(sent)} came back as {quoted(got)}: {_parting(sent, got)}"


def _parting(before: str, after: str) -> str:
    at = next(at for at, (was, now) in enumerate(zip_longest(before, after)) if was != now)
    return f"character {at + 1} is {_code_point(after, at)} instead of {_code_point(before, at)}"


def _code_point(text: str, at: int) -> str:
    return f"U+{ord(text[at]):04X}" if at < len(text) else "missing"


def differences(before: Animal, after: Animal) -> list[str]:
    """How two sights of one animal differ in the documented fields.

    Other fields are open. A field that is malformed in either sight is passed over: PET-1 to PET-4 judge that.
    """
    well_formed = [n for n, problem in _PROBLEMS.items() if problem(before) is None and problem(after) is None]
    found = [
        f"`{name}` is {quoted(after[name])} instead of {quoted(before[name])}{_where(before[name], after[name])}"
        for name in well_formed
        if before[name] != after[name]
    ]
    whole = len(well_formed) == len(_PROBLEMS)
    if whole and problem_of_pet_status(before) is None and problem_of_pet_status(after) is None:
        was, now = before.get("status"), after.get("status")
        if was != now:
            instead = quoted(was) if was else "absent"
            found.append(f"`status` is {'gone' if now is None else quoted(now)} instead of {instead}")
    return found


def _where(before: Json, after: Json) -> str:
    """Where two texts part that are too long to be shown, as no int64 is."""
    too_long = max(map(len, map(quoted, (before, after)))) >= _SHOWN
    return f" ({_parting(str(before), str(after))})" if too_long else ""


_PROBLEMS: dict[str, Callable[[Animal], str | None]] = {
    "id": lambda holder: problem_of_int64("a Pet", "id", holder),
    "name": lambda holder: problem_of_string("a Pet", "name", holder),
    "categoryId": lambda holder: problem_of_int64("a Pet", "categoryId", holder),
}
