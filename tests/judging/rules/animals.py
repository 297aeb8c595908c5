"""POSTs, pages and reads of animals, made by hand, and what the rules of section 4.2 say of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from petcheck.call import Call
from petcheck.exchange import Exchange
from petcheck.judging.apply import decide
from petcheck.judging.decision import Decision
from petcheck.judging.judgement import Grounds
from petcheck.judging.rules import RULE
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, known

LIST, CREATE, GET, _ORDERS = Operation
GROUNDS = Grounds(date(2030, 12, 4), categories=known(1), writes=True, run="0a1b2c3d")
READING = replace(GROUNDS, writes=False)
REMOVED = Grounds(date(2030, 12, 5), categories=known(1), writes=True)


def pet(number: int, **members: object) -> dict[str, object]:
    return {"id": number, "name": f"Rex {number}", "categoryId": 1, "status": "pending"} | members


def new(number: int, sent: float = 0.0, status: int = 201, *, status_shown: str = "", **members: object) -> Exchange:
    """The POST of an animal; it is finished a tenth of a second later."""
    members |= {"status": status_shown} if status_shown else {}
    asked = {key: value for key, value in pet(number).items() if key != "id"}
    body = pet(number, **members) if status == 201 else {"code": "x", "message": "y", "status": status}
    return exchange(CREATE, status, body, asked=asked, sent=sent, index=number)


def page(*animals: dict[str, object], sent: float, query: str = "?limit=100") -> Exchange:
    return exchange(LIST, 200, list(animals), path=f"/pets{query}", sent=sent)


def get(number: int, sent: float, status: int = 200, **members: object) -> Exchange:
    return exchange(GET, status, pet(number, **members), path=f"/pets/{number}", sent=sent)


def found(name: str, *record: Exchange, grounds: Grounds = GROUNDS) -> Decision:
    return decide(RULE[name], record, grounds)


def reading(number: int) -> Call:
    return Call(GET, pet_id=str(number))


def listing(**query: str) -> Call:
    return Call(LIST, query=tuple(query.items()))


OLD = pet(900, name="Old")
PENDING = "?limit=100&status=pending"
MANY = [pet(n, name="Old") for n in range(900, 925)]
FEW = MANY[:18]
SHOWING = "?limit=99&status=pending"
