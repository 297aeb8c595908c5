"""How often a failure comes: a property is named if all and only those with it are wrong; chance is called chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from petcheck.call import Call, Credential, Form
from petcheck.exchange import Exchange, Request, Silence
from petcheck.judging.apply import decide_each, failed_by
from petcheck.judging.decision import Failed, Proof, Rule
from petcheck.judging.frequency import Frequency, frequency_of, ids_under_overlap, to_ask_again, told_by_body
from petcheck.judging.judgement import HOLDS, STATUS, Grounds, Problem, header
from petcheck.judging.rules import RULE
from petcheck.judging.verdicts import Attempt, Verdict, verdict_of
from petcheck.plan.forms import fits, spelled
from petcheck.spec.catalogue import catalogue
from petcheck.spec.operations import Operation
from tests.support.exchanges import JSON, exchange

GROUNDS = Grounds(date(2026, 1, 1))
LIST, GET, POST = Operation.LIST_PETS, Operation.GET_PET, Operation.CREATE_PET
RESET = header("X-RateLimit-Reset")


def numbered(exchanges: Iterable[Exchange]) -> list[Exchange]:
    """The exchanges one after the other, with their indices."""
    return [replace(e, index=at, sent=float(at), finished=at + 0.5) for at, e in enumerate(exchanges)]


def failed(record: Sequence[Exchange], wrong: Iterable[int], part: str = RESET) -> Failed:
    """The failure of a rule that finds these exchanges wrong, and all others right."""
    bad = set(wrong)
    rule = Rule("RATE-3", lambda e, _: Problem("it is missing", part) if e.index in bad else HOLDS)
    decision = decide_each(rule, record, GROUNDS)
    assert isinstance(decision, Failed)
    return decision


def often(record: Sequence[Exchange], wrong: Iterable[int], part: str = RESET) -> Frequency:
    found = frequency_of(failed(record, wrong, part), record)
    assert found is not None
    return found


PAGE, LONG, ORDERS = exchange(), exchange(path="/pets?limit=100"), exchange(Operation.STORE_ORDERS)
NONE = Credential.MISSING
KEYLESS = exchange(credential=NONE)
ONE, REFUSED = exchange(GET), exchange(status=401, credential=Credential.MISSING)
WITHOUT = exchange(GET, 401, credential=Credential.RANDOM)


# ---- now and then


def test_an_equal_request_that_is_answered_rightly_later_shows_chance() -> None:
    record = numbered([PAGE, ONE, PAGE, REFUSED, PAGE, ONE])
    found = often(record, [2])
    assert found == Frequency(1, 3, "responses to GET /pets with the valid key", when="now and then")
    assert found.responses == "1 of 3 examined responses to GET /pets with the valid key"
    assert found.sentence == "Now and then: in 1 of 3 examined responses to GET /pets with the valid key."
    assert found.by_chance


def test_a_read_before_the_animal_is_created_asks_for_something_else() -> None:
    crash, found = exchange(GET, 500), exchange(GET, 200, {"id": 7})
    post = exchange(POST, 201, {"id": 7}, asked={"name": "Rex"})
    for reads, when in (((crash, post, found), "always"), ((post, crash, found), "now and then")):
        record = numbered(reads)
        wrong = reads.index(crash)
        assert often(record, [wrong], STATUS).when == when
        later = [replace(found, again=wrong)]
        assert often(numbered([*reads, *later]), [wrong], STATUS).again == (0 if when == "always" else 1)
        assert asked(record, [wrong], STATUS) == ([] if when == "always" else [wrong])


def test_the_smallest_natural_class_holds_all_that_are_wrong() -> None:
    record = numbered([PAGE, ONE, ORDERS, REFUSED, PAGE, ONE])
    assert often(record, [0, 1]).of_what == "responses to the valid key"
    assert often(record, [0, 1]).of == 5
    assert often(record, [0, 3]).of_what == "responses to GET /pets"
    assert often(record, [1, 3]) == Frequency(2, 6, "responses", when="now and then")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [([2], "none of 2"), ([2, 3], "1 of 2")],
)
def test_what_was_asked_again_is_counted_beside_the_others(wrong: list[int], said: str) -> None:
    again = replace(LONG, again=2)
    record = numbered([PAGE, ONE, LONG, again, again])
    found = often(record, wrong)
    assert (found.wrong, found.of, found.again_wrong, found.again) == (1, 2, len(wrong) - 1, 2)
    assert (
        found.sentence
        == f"Now and then: in 1 of 2 examined responses to GET /pets, and in {said} that were asked again."
    )


def test_what_fails_again_each_time_always_fails() -> None:
    again = replace(LONG, again=1)
    found = often(numbered([ONE, LONG, again, again]), [1, 2, 3])
    assert (found.when, found.again_wrong, found.sentence) == ("always", 2, "")


@pytest.mark.parametrize(
    "later",
    [
        ONE,  # another request
        exchange(POST),
        exchange(form=Form.LOWER),
        exchange(credential=Credential.RANDOM),
        exchange(status=400),  # the status may be the cause
        exchange(path="/pets?limit=20"),
    ],
    ids=["path", "method", "form", "key", "status", "parameter"],
)
def test_a_property_may_be_the_cause_where_the_other_request_differs(later: Exchange) -> None:
    assert often(numbered([PAGE, later]), [0]).when == "always"


def test_what_was_asked_again_is_no_further_proof() -> None:
    again = replace(LONG, again=1)
    found = failed(numbered([ONE, LONG, again, again]), [1, 2, 3])
    assert [proof.exchange.index for proof in found.proofs] == [1]
    assert [one.index for one in found.wrong] == [1, 2, 3]
    only = failed_by("8", [(again, Problem("wrong"))])
    assert [proof.exchange for proof in only.proofs] == [again]


def test_what_fails_from_some_time_on_is_not_chance() -> None:
    assert often(numbered([PAGE, PAGE, PAGE, PAGE]), [2, 3]).when == "always"
    assert often(numbered([PAGE, PAGE, PAGE, PAGE]), [1, 2]).when == "now and then"


def test_another_status_is_no_other_property_if_the_status_is_wrong() -> None:
    record = numbered([exchange(status=500), PAGE, ONE])
    assert often(record, [0], STATUS) == Frequency(1, 2, "responses to GET /pets", when="now and then")
    assert often(record, [0]).when == "always"
    silent = numbered([exchange(status=Silence.TIMEOUT), PAGE])
    assert often(silent, [0], "").when == "now and then"


def test_no_animal_is_why_an_answer_did_not_come() -> None:
    silent, found = exchange(status=Silence.CUT_SHORT), {"id": 1, "name": "Rex"}
    added = exchange(POST, 201, found, asked={"name": "Rex"})
    record = numbered([silent, added, exchange(body=[found]), LONG])
    assert often(record, [0], "") == Frequency(1, 3, "responses to GET /pets", when="now and then")


def test_a_problem_that_several_exchanges_show_has_no_frequency() -> None:
    assert frequency_of(Failed("It differs.", failed([PAGE], [0]).proofs, (PAGE,)), [PAGE]) is None


# ---- pages and what the run stored


def page(*ids: int, status: int = 200) -> Exchange:
    return exchange(status=status, body=[{"id": number} for number in ids])


def test_a_page_without_the_wrong_animal_proves_nothing_about_it() -> None:
    part = "body:/0/name"

    def when(*exchanges: Exchange) -> str:
        record = numbered(exchanges)
        found = frequency_of(failed(record, [0], part), record, of_animals=True)
        assert found is not None
        return found.when

    assert when(page(1, 2), page(2, 3)) == "always"
    assert when(page(1, 2), page(3, 2, 1)) == when(page(1, 2), page(2, 1)) == "now and then"


def test_an_animal_that_the_run_created_may_be_why_a_page_is_right_later() -> None:
    made = exchange(POST, 201, {"id": 9}, asked={"name": "Rex"})
    broken = exchange(body=b"[")
    assert often(numbered([broken, PAGE]), [0], "body").when == "now and then"
    assert often(numbered([broken, made, PAGE]), [0], "body").when == "always"
    assert often(numbered([page(1), made, page(1, 9)]), [0], "body:/0/status").when == "always"
    assert often(numbered([page(), made, page(9)]), [0], "body").when == "always"
    # but not why a page was too long before
    assert often(numbered([page(1, 2), made, page(9)]), [0], "body:/1").when == "now and then"
    other = exchange(path="/pets?status=sold", body=[{"id": 1}])  # all animals, where none was sold yet
    assert often(numbered([other, made, other]), [0], "body:/0").when == "always"
    # the animals were the same as before, too
    assert often(numbered([PAGE, broken, made, PAGE]), [1], "body").when == "now and then"
    assert often(numbered([PAGE, made, broken, made, PAGE]), [2], "body").when == "always"
    # neither a header nor a status that refuses the request depends on animals
    for status in (202, 400, 401, 403, 405, 413, 415, 422):
        assert often(numbered([exchange(status=status), made, PAGE]), [0], STATUS).when == "now and then"
    assert often(numbered([exchange(status=404), made, PAGE]), [0], STATUS).when == "always"
    assert often(numbered([broken, made, PAGE]), [0]).when == "now and then"


@pytest.mark.parametrize(
    ("status", "stored"), [(199, False), (200, True), (201, True), (299, True), (300, False), (400, False)]
)
def test_a_post_that_succeeds_may_be_why_a_page_is_right_later(status: int, stored: bool) -> None:
    record = numbered([exchange(body=b"["), exchange(POST, status, {"id": 9}, asked={"name": "Rex"}), PAGE])
    assert often(record, [0], "body").by_chance != stored


@pytest.mark.parametrize("one", [ONE, exchange(credential=Credential.RANDOM), ORDERS], ids=["animal", "key", "orders"])
def test_only_pages_depend_on_animals(one: Exchange) -> None:
    made = exchange(POST, 201, {"id": 9}, asked={"name": "Rex"})
    assert often(numbered([one, made, one]), [0], "body:/name").when == "now and then"


@pytest.mark.parametrize(("times", "held"), [(1, "it did not fail"), (2, "none of 2 failed")])
def test_what_was_right_when_it_was_asked_again_is_said_even_if_animals_may_be_why(times: int, held: str) -> None:
    made = exchange(POST, 201, {"id": 9}, asked={"name": "Rex"})
    again = [replace(page(1), again=0)] * times
    found = often(numbered([page(1), made, *again]), [0], "body:/0/status")
    assert not found.by_chance
    assert found.sentence == f"Asked again later, {held} this way; other animals in the store may be why."


# ---- always


@pytest.mark.parametrize(
    ("record", "wrong", "named"),
    [
        ([REFUSED, PAGE, REFUSED], [0, 2], "401 responses"),
        ([PAGE, ONE, exchange(GET, 404)], [1, 2], "responses to GET /pets/{petId}"),
        ([PAGE, REFUSED, exchange(GET, 401, credential=Credential.RANDOM), ONE], [0], "200 responses to GET /pets"),
        ([PAGE, ONE], [0, 1], "responses"),
        ([REFUSED, exchange(status=400), LONG], [0, 1], "400 and 401 responses"),
        ([PAGE, ONE, ORDERS], [1, 2], "responses to GET /pets/{petId} and GET /store/orders"),
        ([KEYLESS, exchange(GET, credential=NONE), PAGE], [0, 1], "responses to requests without the valid key"),
        (
            *([exchange(GET, credential=NONE), KEYLESS, ONE], [0]),
            "responses to GET /pets/{petId} without the valid key",
        ),
        ([PAGE, LONG], [0], "some responses"),
        ([PAGE, LONG, ONE], [0], "some responses to GET /pets"),
        ([exchange(status=400), exchange(status=400, path="/pets?limit=x"), REFUSED], [0], "some error responses with"),
    ],
)  # fmt: skip
def test_a_property_is_named_only_if_all_and_only_those_with_it_are_wrong(
    record: list[Exchange], wrong: list[int], named: str
) -> None:
    found = often(numbered(record), wrong)
    assert found.when == "always"
    assert found.sentence == ""
    if named.endswith("with"):
        assert found.responses == "some error responses to the valid key"
    else:
        assert found.responses == named


@pytest.mark.parametrize(
    ("record", "wrong", "named"),
    [
        ([PAGE, ONE, ORDERS], [0, 1], "responses to GET /pets and GET /pets/{petId}"),
        ([REFUSED, WITHOUT, PAGE, ONE], [0, 1], "responses to requests without the valid key"),
        ([PAGE, ONE, REFUSED, WITHOUT], [0, 1], "responses to the valid key"),
        ([REFUSED, PAGE, WITHOUT], [0], "responses to GET /pets without the valid key"),
        ([PAGE, REFUSED, ONE], [0], "responses to GET /pets with the valid key"),
        ([PAGE, REFUSED, LONG], [0], "some responses to the valid key"),
    ],
)
def test_an_operation_and_a_key_are_named_together(record: list[Exchange], wrong: list[int], named: str) -> None:
    assert often(numbered(record), wrong, STATUS).responses == named


VALID = exchange(POST, 201, asked={"name": "Rex", "categoryId": 1})
INVALID = exchange(POST, 201, asked={"name": "Rex"})
LISTED, CUT = exchange(POST, 201, asked=[]), exchange(POST, 201, asked=b"{")
UNKEYED = exchange(POST, 201, asked={"name": "Rex"}, credential=NONE)
REFUSED_POST = exchange(POST, 400, asked={"name": "Rex"})
BY_BODY = " It fails in {}, and in none of {} that it is judged by."


@pytest.mark.parametrize(
    ("record", "wrong", "part", "said"),
    [
        (
            *([INVALID, INVALID, VALID, PAGE], [0, 1], STATUS),
            BY_BODY.format("2 of 2 responses to POST /pets with an invalid NewPet", "2 others"),
        ),
        (
            *([LISTED, VALID, CUT, INVALID], [0, 2, 3], STATUS),
            BY_BODY.format(
                "3 of 3 responses to POST /pets with a body that is not JSON, a body that is not an object or "
                "an invalid NewPet",
                "1 other",
            ),
        ),
        (
            *([INVALID, UNKEYED, INVALID, VALID], [0, 2], STATUS),
            BY_BODY.format("2 of 2 responses to POST /pets with the valid key and with an invalid NewPet", "2 others"),
        ),
        # one may be chance, and the status says enough
        ([INVALID, VALID, PAGE], [0], STATUS, ""),
        ([REFUSED_POST, REFUSED_POST, VALID], [0, 1], RESET, ""),
        ([INVALID, INVALID, INVALID, VALID], [0, 1], STATUS, ""),
        # a request without a body fails too
        ([PAGE, INVALID, VALID], [0, 1], STATUS, ""),
        ([INVALID, INVALID], [0, 1], STATUS, ""),
    ],
)
def test_the_kinds_of_bodies_are_named_if_all_and_only_those_fail(
    record: list[Exchange], wrong: list[int], part: str, said: str
) -> None:
    assert told_by_body(failed(numbered(record), wrong, part)) == said


# ---- at the same time


def burst(number: int, *exchanges: Exchange, again_from: int | None = None) -> list[Exchange]:
    """Exchanges of one burst; `again_from` is the index of the first of those that they repeat."""
    return [
        replace(e, burst=number or None, again=None if again_from is None else again_from + at)
        for at, e in enumerate(exchanges)
    ]


FOUR = [exchange(GET, path=f"/pets/{number}") for number in range(4)]


def test_what_only_overlap_shows_says_how_often_together_and_alone() -> None:
    record = numbered([*burst(1, *FOUR), *burst(2, *FOUR, again_from=0), *burst(0, *FOUR, again_from=0)])
    found = often(record, [1, 2, 7])
    assert found == Frequency(2, 4, "responses to requests at the same time", 1, 4, 4, "at the same time")
    assert found.sentence == (
        "2 of 4 requests at the same time failed this way, 1 of 4 when they were sent together again, "
        "and none of 4 one after the other."
    )
    assert found.responses == "2 of 4 responses to requests at the same time"
    alone_only = often(numbered([*burst(1, *FOUR), *burst(0, *FOUR, again_from=0)]), [1, 2])
    assert alone_only.sentence == (
        "2 of 4 requests at the same time failed this way, and none of 4 one after the other."
    )


def test_only_bursts_that_were_repeated_are_counted() -> None:
    other = [replace(one, burst=3) for one in FOUR]
    record = numbered([*burst(1, *FOUR), *burst(0, *FOUR, again_from=0), *other])
    assert often(record, [0, 1, 2, 9, 10]).sentence == (
        "3 of 4 requests at the same time failed this way, and none of 4 one after the other."
    )


def test_another_burst_and_what_was_never_in_one_are_not_counted() -> None:
    alone = [*burst(0, *FOUR, again_from=0), replace(PAGE, again=12)]
    record = numbered([*burst(1, *FOUR), *burst(2, *FOUR), *burst(0, *FOUR, again_from=4), PAGE, *alone])
    assert often(record, [0, 1]).sentence == (
        "2 of 4 requests at the same time failed this way, and none of 4 one after the other."
    )


def test_a_burst_that_fails_only_when_it_is_repeated_is_counted_too() -> None:
    first, second = burst(1, *FOUR), burst(2, *FOUR)
    record = numbered([*first, *second, *burst(3, *FOUR, again_from=4), *burst(0, *FOUR, again_from=0)])
    assert often(record, [0, 1, 2, 8]).sentence == (
        "3 of 8 requests at the same time failed this way, 1 of 4 when they were sent together again, "
        "and none of 4 one after the other."
    )


def test_alone_counts_only_what_failed_together_and_was_answered() -> None:
    def when(*alone: Exchange) -> str:
        record = numbered([*burst(1, *FOUR), *alone])
        return often(record, [0, 1]).when

    repeated = burst(0, *FOUR, again_from=0)
    # half of them failed: that two alone did not may be luck in one of four cases
    assert when(*repeated[1:3]) == "at the same time"
    assert when(repeated[0]) == "now and then"
    assert when(*repeated[2:]) == "always"
    for status in (429, 502, 503, 504, Silence.RESET):
        full = [replace(exchange(GET, status), request=one.request, again=one.again) for one in repeated]
        assert when(*full) == "always"


def test_a_rare_failure_may_have_come_in_a_burst_by_luck() -> None:
    record = numbered([*burst(1, *FOUR), *burst(0, *FOUR, again_from=0), *burst(2, *FOUR, again_from=0)])
    assert often(record, [0, 1]).when == "now and then"
    assert often(record, [0, 1, 8]).when == "at the same time"


def test_overlap_is_no_cause_of_what_fails_alone_too() -> None:
    record = numbered([*burst(1, *FOUR), *burst(2, *FOUR, again_from=0), *burst(0, *FOUR, again_from=0)])
    assert often(record, [1, 5, 9]).when == "always"


def test_overlap_is_named_only_if_the_same_was_answered_alone() -> None:
    together = [*burst(1, *FOUR), *burst(2, *FOUR, again_from=0)]
    assert often(numbered(together), [1, 2]).when == "now and then"
    full = exchange(GET, 429)
    assert often(numbered([*together, *burst(0, *[full] * 4, again_from=0)]), [1, 2]).when == "now and then"


def test_what_is_right_when_it_is_asked_again_does_not_always_fail() -> None:
    together = [*burst(1, *FOUR), *burst(2, *FOUR, again_from=0)]
    assert often(numbered(together), [1, 5]).when == "always"
    assert often(numbered(together), [1, 2, 5]).when == "now and then"


def test_one_failure_in_a_burst_may_be_chance() -> None:
    record = numbered([*burst(1, *FOUR), *burst(2, *FOUR, again_from=0), *burst(0, *FOUR, again_from=0)])
    found = often(record, [1])
    assert (found.when, found.wrong, found.again_wrong) == ("now and then", 1, 0)


def test_chance_is_shown_by_requests_that_were_alone() -> None:
    record = numbered([*burst(1, ONE, PAGE), PAGE, PAGE])
    assert often(record, [0, 2]).when == "now and then"


def test_the_body_is_not_the_cause_where_the_same_was_answered_rightly() -> None:
    wrong = exchange(POST, 500, asked={"name": "Rex", "categoryId": 1})
    said = "responses (the same body got 201 another time)"
    assert often(numbered([wrong, post("Rex", 1)]), [0], STATUS).of_what == said
    said = "responses (the same body was answered rightly another time)"
    assert often(numbered([post("Rex", 1), post("Rex", 2)]), [0], "body:/name").of_what == said
    get = exchange(status=500)  # has no body
    assert often(numbered([wrong, get, post("Rex", 1)]), [0, 1], STATUS).of_what == "responses"


@pytest.mark.parametrize(
    ("kept", "new", "said"),
    [
        ("xx", "--", "responses (2 of 2 on kept connections, none of 2 on new ones)"),
        ("x-x", "--", "responses (2 of 3 on kept connections, none of 2 on new ones)"),
        ("--", "xx", "responses (none of 2 on kept connections, 2 of 2 on new ones)"),
        ("x-", "x-", "responses"),
        ("xx", "-", "responses"),
    ],
)
def test_it_is_said_on_which_connections_it_fails(kept: str, new: str, said: str) -> None:
    own = replace(PAGE, request=replace(PAGE.request, form=Form.NEW_CONNECTION))
    record = numbered([*[PAGE] * len(kept), *[own] * len(new), PAGE])
    wrong = [at for at, sign in enumerate(kept + new) if sign == "x"]
    again = replace(record[-1], again=wrong[0], cause="asked again")
    found = often([*record[:-1], replace(again, request=record[wrong[0]].request)], wrong)
    assert (found.of_what, found.when) == (said, "now and then")
    at_once = [replace(e, burst=1) if "x" in new and e.index >= len(kept) else e for e in record[:-1]]
    found = often([*at_once, replace(again, request=record[wrong[0]].request)], wrong)
    assert "x" not in new or found.of_what in ("responses", "responses to requests at the same time")


def post(name: str, number: int) -> Exchange:
    return exchange(POST, 201, {"id": number, "name": name}, asked={"name": name, "categoryId": 1})


def test_ids_that_requests_at_the_same_time_share_are_counted() -> None:
    def of(*ids: int, alone: Sequence[int] = (5, 6, 7)) -> str:
        record = numbered(
            [
                *burst(1, *(post(f"n{at}", one) for at, one in enumerate(ids))),
                *burst(0, *(post(f"n{at}", one) for at, one in enumerate(alone)), again_from=0),
            ]
        )
        wrong = failed_by("2", [(one, Problem("taken")) for one in record[:2]])
        found = frequency_of(wrong, record)
        assert found is not None
        return ids_under_overlap(found, wrong, record)

    assert of(1, 1, 2) == ("3 POSTs at the same time returned only 2 ids; the same 3 one after the other returned 3.")
    assert of(1, 1, alone=(5, 6)) == (
        "2 POSTs at the same time returned only 1 id; the same 2 one after the other returned 2."
    )
    assert of(1, 2, 3) == ""
    assert of(1, 1, 2, alone=(5, 5, 6)) == ""


# ---- what to ask again


def test_a_request_of_a_burst_is_asked_again_unless_it_was() -> None:
    together = burst(1, ONE, PAGE)
    assert asked(numbered([*together, PAGE]), [0], "") == [0, 0]
    assert asked(numbered([*together, replace(ONE, again=0)]), [0], "") == []


def asked(record: Sequence[Exchange], wrong: Iterable[int], part: str = RESET) -> list[int]:
    return [one.index for one in to_ask_again(failed(record, wrong, part), record)]


def test_the_last_wrong_request_is_asked_until_three_equal_ones_are_known() -> None:
    assert asked(numbered([LONG, PAGE, ONE]), [0, 1]) == [1, 1]
    assert asked(numbered([PAGE, ONE, PAGE]), [0]) == [0]
    assert asked(numbered([LONG, exchange(POST, 400, asked={}), PAGE]), [0, 1]) == [0, 0]
    assert asked(numbered([PAGE, PAGE, PAGE, ONE]), [1]) == []


def test_nothing_is_asked_where_a_property_is_known_to_be_the_cause() -> None:
    refused = [exchange(status=400, path=f"/pets?limit={n}x") for n in range(3)]
    assert asked(numbered([*refused, PAGE]), [0, 1, 2]) == []
    assert asked(numbered([*refused, PAGE]), [0, 1]) == [1, 1]


@pytest.mark.parametrize(
    "one",
    [
        exchange(POST, 201, asked={"name": "Rex"}),  # it would create another animal
        exchange(status=Silence.TIMEOUT),
        exchange(status=429),
    ],
    ids=["created", "silent", "over the limit"],
)
def test_some_requests_are_not_asked_again(one: Exchange) -> None:
    assert asked(numbered([one, PAGE]), [0], "") == []


@pytest.mark.parametrize(("status", "times"), [(399, 0), (400, 2), (499, 2), (500, 0)])
def test_a_refused_post_is_asked_again(status: int, times: int) -> None:
    assert asked(numbered([exchange(POST, status, asked={}), PAGE]), [0]) == [0] * times


# ---- the verdict


def verdict(requirement: str, record: Sequence[Exchange], decision: Any) -> Verdict:
    return verdict_of(catalogue()[requirement], "staging", decision, record, [Attempt("a")])


def test_a_verdict_says_that_it_fails_now_and_then_and_names_no_form() -> None:
    formed = exchange(form=Form.NO_ACCEPT, headers=())
    right = exchange(form=Form.NO_ACCEPT)
    record = numbered([formed, PAGE, right, right])
    found = verdict("BODY-1", record, decide_each(RULE["BODY-1"], record, GROUNDS))
    assert found.reason == (
        "GET /pets returned 200: Content-Type is missing; expected `application/json` (section 4). "
        "Now and then: in 1 of 4 examined responses."
    )
    assert found.by_chance
    once, always = numbered([formed, PAGE]), numbered([formed, formed, PAGE])
    found = verdict("BODY-1", always, decide_each(RULE["BODY-1"], always, GROUNDS))
    assert found.reason.endswith(
        "The request had no Accept header; in the plain form it got 200, which keeps the rule."
    )
    assert not found.by_chance
    # once may be chance
    assert "Accept" not in verdict("BODY-1", once, decide_each(RULE["BODY-1"], once, GROUNDS)).reason


def test_a_failure_among_requests_at_the_same_time_says_so_once() -> None:
    bad = [exchange(GET, headers=()), exchange(headers=())]
    together, alone = [*burst(1, *bad, PAGE)], burst(0, ONE, PAGE, PAGE, again_from=0)
    record = numbered([*together, *alone])
    found = verdict("BODY-1", record, decide_each(RULE["BODY-1"], record, GROUNDS))
    said = "GET /pets returned 200: Content-Type is missing; expected `application/json` (section 4); also in GET /pets"
    assert found.reason == (
        f"{said}/7. 2 of 3 requests at the same time failed this way, and none of 3 one after the other."
    )
    record = numbered([*together, PAGE])  # too few to tell how often
    found = verdict("BODY-1", record, decide_each(RULE["BODY-1"], record, GROUNDS))
    assert found.reason == (
        f"{said}/7. These were some of 3 requests at the same time. Now and then: in 2 of 4 examined responses."
    )
    silent = replace(exchange(GET, Silence.TIMEOUT), burst=1)
    record = numbered([replace(ONE, burst=1), silent])
    found = verdict("GET-1", record, Failed("It was silent.", (Proof(record[1]),), unanswered=True))
    assert found.reason == (
        "It was silent. This was one of 2 requests at the same time. The target answered nothing after that."
    )


def test_a_page_that_can_be_read_again_was_not_spoiled_by_a_post() -> None:
    made = exchange(POST, 201, {"id": 7}, asked={"name": "Rex", "categoryId": 1})
    record = numbered([PAGE, made, exchange(status=500, headers=(JSON,)), PAGE])
    found = verdict("ERROR-5", record, decide_each(RULE["ERROR-5"], record, GROUNDS))
    assert found.reason == (
        "GET /pets: expected any status except 5xx (section 7), got 500. "
        "Now and then: in 1 of 3 examined responses to GET /pets."
    )


@pytest.mark.parametrize(
    "call",
    [
        Call(LIST, query=(("status", "sold"), ("limit", "5"), ("a", "%\udcff"))),
        Call(LIST, Credential.MISSING, query=(("limit", ""), ("limit", "5"))),
        Call(GET, pet_id="a/b\udcff"),
        Call(Operation.STORE_ORDERS, query=(("x", "y z"),)),
    ],
)
@pytest.mark.parametrize("form", [Form.PLAIN, Form.TURNED])
def test_the_same_request_can_be_sent_again(call: Call, form: Form) -> None:
    if form is Form.PLAIN or fits(form, call):
        first = spelled(call, form)
        request = Request(call.operation, "GET", f"https://h/v1{first.path}", (), None, call.credential, form)
        assert spelled(request.same, form) == first
