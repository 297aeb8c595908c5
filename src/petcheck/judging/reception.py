"""How a request that the document provides for was received: whether the answer's status is one that is due.

Unlike a rule, this is not the matter of one requirement: which one is broken depends on what is left of a request when
it is made as simple as it can be (`requirement_of`).
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import parse_qsl, urlsplit

from petcheck.exchange import Credential, Exchange, NoAnswer, Operation, Response
from petcheck.judging.interface import STATUSES, documented, limit_in, pet_id_of, section_of
from petcheck.judging.jsontext import integer
from petcheck.judging.matchers import came, value_of
from petcheck.judging.newpets import Due, asked_for
from petcheck.judging.rules import HOLDS, Grounds, Judgement


def received(exchange: Exchange, grounds: Grounds) -> Judgement:
    """What is wrong with the status of an answer, `HOLDS`, or None where any status but a 5xx is right.

    Statuses of `POST /pets` have rules of their own; only silence is judged of it here. A valid key that is refused is
    AUTH-7's matter, a 5xx to what the document leaves open ERROR-5's, and a 429 says that it was not looked at.
    """
    request = exchange.request
    if request.credential is not Credential.VALID or not documented(exchange, grounds.as_of):
        return None
    response = exchange.answer
    if isinstance(response, NoAnswer):
        return f"{came(exchange)}, on a second try too"
    if response.status in (401, 429):
        return None
    if request.operation is Operation.LIST_PETS and query_is_valid(exchange):
        return HOLDS if response.status == 200 else "200 is due (section 4.1)"
    if request.operation is Operation.GET_PET:
        return _received_get(pet_id_of(exchange), response)
    if request.operation is Operation.STORE_ORDERS:
        there = response.status not in (404, 405) and response.status < 500
        return HOLDS if there else "it exists, so 404, 405 and 5xx are no answer (section 4.4)"
    return None


def _received_get(number: int | None, response: Response) -> Judgement:
    if response.status not in (200, 404):
        return f"200 or 404 is due for {number}, an int64 (section 4.3)"
    value = value_of(response)
    got = integer(value.get("id")) if response.status == 200 and isinstance(value, dict) else None
    return HOLDS if got in (None, number) else f"animal {got} came; `petId` is the id (section 4.3)"


def requirement_of(exchange: Exchange, grounds: Grounds, listed: Collection[int]) -> str:
    """The requirement that is broken where such a request is not received as is due; `listed` are ids of animals."""
    match exchange.request.operation:
        case Operation.LIST_PETS:
            names = {name for name, _ in _query(exchange)}
            if not query_is_valid(exchange):
                return "ERROR-5"
            return "LIST-1" if not names else "LIST-2" if names == {"limit"} else "LIST-6"
        case Operation.GET_PET:
            if pet_id_of(exchange) not in listed:
                return "GET-3"
            return "GET-2" if exchange.status == 200 else "GET-1"
        case Operation.CREATE_PET:
            asked = asked_for(exchange.request.body, grounds.categories)
            due = {Due.CREATED: "CREATE-1", Due.CREATED_OR_REFUSED: "CREATE-14", Due.OPEN: "ERROR-5"}
            return asked.requirement or due[asked.due]
        case Operation.STORE_ORDERS:
            return "ORDERS-1"


def section_for(exchange: Exchange) -> str:
    """The section that says how a request is received."""
    return section_of(exchange.request.operation)


def query_is_valid(exchange: Exchange) -> bool:
    """Whether the document provides for every parameter, each given once."""
    query = _query(exchange)
    if len({name for name, _ in query}) < len(query):
        return False
    return all(_is_valid(name, value) for name, value in query)


def _is_valid(name: str, value: str) -> bool:
    if name == "status":
        return value in STATUSES
    return name == "limit" and limit_in(value) is not None


def _query(exchange: Exchange) -> list[tuple[str, str]]:
    return parse_qsl(urlsplit(exchange.request.url).query, keep_blank_values=True)
