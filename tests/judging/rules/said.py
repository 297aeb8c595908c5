"""Applies rules to exchanges made by hand."""

from __future__ import annotations

from datetime import date

from petcheck.exchange import Exchange, Silence
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, Grounds, Judgement, Problem
from petcheck.judging.rules import RULE
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, known

LIST, CREATE, GET, ORDERS = Operation
LAST_DAY, REMOVED = date(2030, 12, 4), date(2030, 12, 5)
GROUNDS = Grounds(LAST_DAY, categories=known(1))
NEW = {"name": "Rex", "categoryId": 1, "status": "sold"}
PET = NEW | {"id": 7}
ERROR = {"code": "x", "message": "y", "status": 400}
SILENT = exchange(LIST, Silence.RESET)


def by(requirement: str, found: Exchange, grounds: Grounds = GROUNDS) -> Judgement:
    return RULE[requirement].one(found, grounds)


def text(requirement: str, found: Exchange, grounds: Grounds = GROUNDS) -> str:
    """The text of a problem; there must be one."""
    judgement = by(requirement, found, grounds)
    assert isinstance(judgement, Problem), judgement
    return judgement.text


def holds(requirement: str, found: Exchange, grounds: Grounds = GROUNDS) -> bool:
    return by(requirement, found, grounds) is HOLDS


def concerned(found: Exchange, grounds: Grounds = GROUNDS) -> set[str]:
    return {name for name in RULE if by(name, found, grounds) is not NOT_CONCERNED}


def problems(found: Exchange, grounds: Grounds = GROUNDS) -> dict[str, str]:
    """The problems that the rules find in an exchange."""
    said = {name: by(name, found, grounds) for name in RULE}
    return {name: judgement.text for name, judgement in said.items() if isinstance(judgement, Problem)}


def page(*animals: object, query: str = "", **more: object) -> Exchange:
    return exchange(body=animals, path=f"/pets{query}", **more)  # type: ignore[arg-type]


def got(body: object) -> Exchange:
    return exchange(GET, 200, body)


def posted(asked: object = NEW, status: int | Silence = 201, body: object = PET) -> Exchange:
    return exchange(CREATE, status, body, asked=asked)


def refused(body: object, status: int = 400) -> Exchange:
    return exchange(CREATE, status, body, asked={})


def without(name: str, members: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in members.items() if key != name}
