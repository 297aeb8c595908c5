"""The rules as a whole."""

from __future__ import annotations

import pytest

from petcheck.exchange import Silence
from petcheck.judging.judgement import Grounds
from petcheck.judging.rules import RULE, RULES
from petcheck.spec.catalogue import catalogue
from petcheck.spec.figures import PLANS
from petcheck.spec.operations import Operation
from tests.judging.rules.said import CREATE, ERROR, GET, LAST_DAY, LIST, NEW, ORDERS, PET, REMOVED, concerned, problems
from tests.support.exchanges import JSON, exchange, known, rates, unix

# judged over the record, by the rules of sections 5 and 4.3 after the removal
SILENCE_FAILS = {"LIST-1", "CREATE-1", "GET-3", "ORDERS-1"}


def test_each_rule_belongs_to_a_judged_requirement() -> None:
    judged = [entry.id for entry in catalogue().judged if not entry.untestable]
    assert sorted(RULE) == sorted(judged)
    assert len(RULE) == len(RULES)
    # a rule over the record names what is missing itself
    assert all(rule.nothing.endswith(".") if rule.over is None else not rule.nothing for rule in RULES)
    assert {name: rule.section for name, rule in RULE.items()} == {
        e.id: e.section for e in catalogue().judged if e.id in RULE
    }


@pytest.mark.parametrize("operation", Operation)
def test_silence_breaks_the_requirement_whose_response_was_expected(operation: Operation) -> None:
    silent = exchange(operation, Silence.TIMEOUT, asked=NEW)
    assert concerned(silent, Grounds(LAST_DAY, PLANS["free"], known(1))) <= SILENCE_FAILS


@pytest.mark.parametrize("status", [400, 401, 404, 410])
def test_after_the_removal_only_section_4_3_is_judged(status: int) -> None:
    bodies: list[object] = [{}, [], PET, b"<html>"]
    for body in bodies:
        asked = exchange(GET, status, body, headers=rates(0, -1, "x"))
        assert problems(asked, Grounds(REMOVED, PLANS["free"])) == {}


@pytest.mark.parametrize("status", [200, 400, 401, 404, 422])
def test_everything_except_a_5xx_is_open_if_the_pet_id_is_not_an_int64(status: int) -> None:
    asked = exchange(GET, status, b"<html>", path="/pets/abc", headers=())
    assert (concerned(asked), problems(asked)) == ({"ERROR-5"}, {})
    assert problems(exchange(GET, 500, path="/pets/abc")).keys() == {"ERROR-5"}


def test_a_conforming_server_breaks_no_rule() -> None:
    headers = [JSON, *rates(60, 59, unix(60))]
    good = [
        exchange(LIST, 200, [PET], headers=headers),
        exchange(CREATE, 201, PET, headers=headers, asked=NEW),
        exchange(CREATE, 400, ERROR, headers=headers, asked={}),
        exchange(GET, 404, ERROR | {"status": 404}, headers=headers),
        exchange(ORDERS, 200, b"anything", headers=headers[1:]),
    ]
    assert [problems(found, Grounds(LAST_DAY, PLANS["free"], known(1))) for found in good] == [{}] * 5
