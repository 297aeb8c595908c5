"""The answer to a POST, judged by the animal that was sent (section 4.2)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

from petcheck.call import Credential, Form
from petcheck.exchange import Exchange, Silence
from petcheck.judging.apply import decide
from petcheck.judging.creations import categories_in
from petcheck.judging.decision import Decision, Failed, Held, Undecided
from petcheck.judging.judgement import (
    BODY,
    HOLDS,
    NOT_CONCERNED,
    STATUS,
    WHOLE,
    Grounds,
    Judgement,
    Known,
    Problem,
    body,
)
from petcheck.judging.rules import RULE
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, known, short

LIST, CREATE, GET, _ORDERS = Operation
GROUNDS = Grounds(date(2030, 12, 4), categories=known(1))
NEW = {"name": "Rex", "categoryId": 1, "status": "sold"}
PET = NEW | {"id": 7}
REPEATED = ("CREATE-2", "CREATE-3", "CREATE-4")
OF_STATUS = {"CREATE-1", "CREATE-14", *(f"CREATE-{number}" for number in range(5, 11))}


def posted(asked: object = NEW, status: int | Silence = 201, body: object = PET, **fields: object) -> Exchange:
    return exchange(CREATE, status, body, asked=asked, **fields)  # type: ignore[arg-type]


def by(requirement: str, found: Exchange, grounds: Grounds = GROUNDS) -> Judgement:
    return RULE[requirement].one(found, grounds)


def found(requirement: str, *record: Exchange, grounds: Grounds = GROUNDS) -> Decision:
    return decide(RULE[requirement], record, grounds)


def without(name: str, pet: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in pet.items() if key != name}


def each(*statuses: int) -> list[Exchange]:
    """POSTs of an animal with each status and without one, with these answers."""
    bodies = [NEW | {"status": status} for status in ("available", "pending", "sold")] + [without("status", NEW)]
    return [
        posted(body, status, body | {"id": n}, index=n)
        for n, (body, status) in enumerate(zip(bodies, statuses, strict=False))
    ]


# ---- CREATE-2 to CREATE-4


@pytest.mark.parametrize(
    ("requirement", "sent", "came", "problem", "part"),
    [
        (
            "CREATE-2",
            {},
            {"name": "rex"},
            '`name` is "rex" instead of "Rex" (character 1 is U+0072 instead of U+0052)',
            body("name"),
        ),
        (
            "CREATE-2",
            {"name": ""},
            {"name": " "},
            '`name` is " " instead of "" (it should be empty)',
            body("name"),
        ),
        ("CREATE-3", {}, {"categoryId": 2}, "`categoryId` is 2 instead of 1", body("categoryId")),
        (
            "CREATE-3",
            {"categoryId": 2**53 + 1},
            {"categoryId": 2**53},
            "`categoryId` is 9007199254740992 instead of 9007199254740993",
            body("categoryId"),
        ),
        ("CREATE-4", {}, {"status": "available"}, '`status` is "available" instead of "sold"', body("status")),
    ],
    ids=short,
)
def test_a_changed_value_in_the_201(
    requirement: str, sent: dict[str, object], came: dict[str, object], problem: str, part: str
) -> None:
    answer = posted(NEW | sent, 201, PET | sent | came)
    assert by(requirement, answer) == Problem(problem, part)
    assert [by(other, answer) for other in REPEATED if other != requirement] == [HOLDS] * 2


def test_a_sent_status_must_not_be_left_out() -> None:
    assert by("CREATE-4", posted(NEW, 201, without("status", PET))) == Problem(
        '`status` is missing instead of "sold"', BODY
    )


@pytest.mark.parametrize(
    ("requirement", "sent", "came"),
    [
        ("CREATE-2", NEW, PET | {"name": None}),
        ("CREATE-3", NEW, PET | {"categoryId": "1"}),
        ("CREATE-4", NEW, PET | {"status": "SOLD"}),
        ("CREATE-4", NEW, PET | {"status": None}),
        ("CREATE-4", NEW, {"id": 7, "name": "Rex"}),
        ("CREATE-4", NEW, {"id": 7, "categoryId": 1}),
        ("CREATE-4", without("status", NEW), PET),
        ("CREATE-2", NEW | {"name": "\ud800"}, PET),
    ],
    ids=range(8),
)
def test_values_that_another_requirement_judges(requirement: str, sent: object, came: object) -> None:
    assert by(requirement, posted(sent, 201, came)) is NOT_CONCERNED


def test_numbers_equal_to_an_integer_are_compared() -> None:
    assert by("CREATE-3", posted(NEW, 201, PET | {"categoryId": 1.0})) is HOLDS
    assert by("CREATE-3", posted(NEW | {"categoryId": 0}, 201, PET | {"categoryId": 0})) is HOLDS


@pytest.mark.parametrize(
    "answer",
    [
        posted(status=200),
        posted(status=400),
        posted(body=[PET]),
        posted(body=b"<html>"),
        posted(NEW | {"categoryId": 1.0}),
        posted({}),
        posted(None),
        posted(status=Silence.RESET),
        exchange(GET, 201, PET, asked=NEW),
        posted(credential=Credential.RANDOM),
    ],
    ids=range(10),
)
def test_bodies_that_need_not_be_repeated(answer: Exchange) -> None:
    assert [by(name, answer) for name in REPEATED] == [NOT_CONCERNED] * 3


def test_values_in_extended_json_are_repeated() -> None:
    text = b'{"name": "Rex", "categoryId": 1, "status": "sold",}'
    assert [by(name, posted(text, 201, PET)) for name in REPEATED] == [HOLDS] * 3
    assert isinstance(by("CREATE-2", posted(text, 201, PET | {"name": "Tex"})), Problem)


def test_values_beside_an_unknown_member_are_repeated() -> None:
    sent = NEW | {"petcheck": [1]}
    assert [by(name, posted(sent, 201, PET)) for name in REPEATED] == [HOLDS] * 3
    assert isinstance(by("CREATE-2", posted(sent, 201, PET | {"name": "Tex"})), Problem)
    assert [by(name, posted(sent, 422)) for name in ("CREATE-1", "CREATE-14")] == [NOT_CONCERNED] * 2


def test_each_status_is_repeated() -> None:
    record = each(201, 201, 201, 201)
    assert found("CREATE-4", *record) == Held(tuple(record[:3]))
    assert found("CREATE-4", *record[1:2]) == Undecided(
        'No 201 could be compared for status "available" or "sold"; see CREATE-1.',
        examined=(record[1],),
    )


# ---- CREATE-5 to CREATE-10


@pytest.mark.parametrize(
    ("requirement", "sent", "right", "conforming", "what"),
    [
        ("CREATE-1", NEW, (201,), "201", 'the name "Rex", `categoryId` 1 and status "sold"'),
        ("CREATE-5", b"", (400,), "400", "no body"),
        ("CREATE-5", b"{", (400,), "400", "a body that is not JSON"),
        ("CREATE-5", b'"{}"', (400,), "400", "a string as the body"),
        ("CREATE-6", {"name": "Rex"}, (400,), "400", "no `categoryId`"),
        ("CREATE-6", {"Name": "Rex", "CategoryId": 1}, (400,), "400", "no `name`, only `Name`"),
        ("CREATE-7", NEW | {"name": 5}, (400,), "400", "an integer as `name`"),
        ("CREATE-8", NEW | {"categoryId": "1"}, (400,), "400", "a string as `categoryId`"),
        (
            "CREATE-9",
            NEW | {"categoryId": 2**63},
            (400,),
            "400",
            "9223372036854775808, outside the int64 range, as `categoryId`",
        ),
        ("CREATE-10", NEW | {"status": " sold"}, (400,), "400", '" sold" as `status`'),
    ],
    ids=short,
)
def test_the_status_of_a_post(
    requirement: str, sent: object, right: tuple[int, ...], conforming: str, what: str
) -> None:
    for status in (200, 201, 202, 400, 403, 404, 409, 413, 415, 422, 500, 503):
        answer = posted(sent, status, b"")
        wrong = Problem(f"expected {conforming} (section 4.2), got {status}", STATUS, conforming, what)
        assert by(requirement, answer) == (HOLDS if status in right else wrong)
        assert {by(other, answer) for other in OF_STATUS - {requirement}} == {NOT_CONCERNED}
    silence = by(requirement, posted(sent, Silence.TIMEOUT))
    said = f"expected {conforming} (section 4.2), got no answer (timeout: nothing was received), twice"
    assert silence == Problem(said, WHOLE, conforming, what)


@pytest.mark.parametrize(
    "sent", [NEW | {"name": ""}, NEW | {"categoryId": 5}, b'{"name": "Rex", "categoryId": 1} x'], ids=range(3)
)
def test_a_doubtful_value_is_201_or_400(sent: object) -> None:
    for status in (201, 400):
        assert by("CREATE-14", posted(sent, status)) is HOLDS
        assert found("CREATE-14", posted(sent, status)) == Held((posted(sent, status),))
    for status in (200, 404, 409, 413, 422, 500):
        assert by("CREATE-14", posted(sent, status)) is NOT_CONCERNED
        decision = found("CREATE-14", posted(sent, status, b""))
        assert isinstance(decision, Failed)
        assert decision.text.startswith("POST /pets with ")
        assert decision.text.endswith(f": expected 201 or 400 (section 4.2), got {status}.")


def test_a_429_that_was_repeated_with_success_leaves_no_doubt_open() -> None:
    limited, answer, refused = (
        posted(NEW | {"name": "é"}, status, index=n) for n, status in enumerate((429, 400, 401))
    )
    other = posted(NEW | {"name": ""}, 201, index=3)
    assert found("CREATE-14", limited, answer, other) == Held((answer, other))
    assert found("CREATE-14", limited, other) == Undecided("POST /pets returned 429.", examined=(other,))
    assert found("CREATE-14", refused, answer) == Undecided("POST /pets returned 401; see AUTH-7.", examined=(answer,))


def test_a_body_of_more_than_a_thousand_bytes_may_be_413_whatever_else_is_wrong() -> None:
    body = {"name": "x", "categoryId": 1}
    spare = 1_000 - len(json.dumps(body))
    for size, conforms in ((spare, False), (spare + 1, True)):
        answer = found("CREATE-14", posted(body | {"name": "x" * (size + 1)}, 413))
        assert isinstance(answer, Failed) is not conforms
    assert by("CREATE-6", posted({"name": "x" * 1_000}, 413)) is HOLDS
    assert isinstance(by("CREATE-6", posted({"name": "x"}, 413)), Problem)


@pytest.mark.parametrize("sent", [NEW | {"id": 1}, NEW | {"categoryId": 1.0}], ids=range(2))
def test_any_answer_to_an_open_body_conforms(sent: object) -> None:
    for status in (200, 201, 400, 422, 500):
        assert {by(name, posted(sent, status)) for name in OF_STATUS} == {NOT_CONCERNED}


@pytest.mark.parametrize(
    ("status", "credential"),
    [(401, Credential.VALID), (429, Credential.VALID), (401, Credential.MISSING), (201, Credential.MISSING)],
    ids=range(4),
)
def test_no_post_rule_judges_a_401_or_429(status: int, credential: Credential) -> None:
    for sent in (NEW, NEW | {"name": ""}, None, {}, NEW | {"status": "SOLD"}):
        answer = exchange(CREATE, status, PET, asked=sent, credential=credential)
        assert {by(name, answer) for name in OF_STATUS} == {NOT_CONCERNED}


def test_each_defect_that_was_sent_is_examined() -> None:
    refused = posted(NEW | {"name": 5}, 400)
    assert found("CREATE-7", refused, posted(), posted({}, 400)) == Held((refused,))
    assert found("CREATE-7", posted()) == Undecided("No request with this defect got an answer.")
    unheard = posted(NEW | {"name": None}, 401)
    assert found("CREATE-7", refused, unheard) == Undecided(
        "POST /pets with null as `name` returned 401, which says nothing about the body; see AUTH-7.",
        examined=(refused,),
    )
    limited = posted(NEW | {"name": None}, 429)
    assert found("CREATE-7", limited) == Undecided(
        "POST /pets with null as `name` returned 429, which says nothing about the body."
    )
    again = posted(NEW | {"name": None}, 400, index=3)
    assert found("CREATE-7", refused, unheard, again) == Held((refused, again))
    assert found("CREATE-7", posted({}, 400), refused) == Held((refused,))
    decision = found("CREATE-7", unheard, posted(NEW | {"name": 5}, 429))
    assert isinstance(decision, Undecided)
    assert decision.reason == (
        "POST /pets with null as `name` returned 401; POST /pets with an integer as `name` returned 429, which "
        "says nothing about the body; see AUTH-7."
    )


# ---- CREATE-1


def test_a_refusal_shows_nothing_if_valid_bodies_are_refused_too() -> None:
    refused = posted(without("name", NEW), 400)
    assert found("CREATE-6", refused) == Held((refused,))
    assert found("CREATE-6", posted(status=400), refused) == Undecided(
        "Every POST was refused, valid ones too, so a refusal shows nothing; see CREATE-1.", examined=(refused,)
    )
    assert found("CREATE-6", posted(status=400), refused, posted()) == Held((refused,))


def test_each_status_and_no_status_is_accepted() -> None:
    record = each(201, 201, 201, 201)
    assert found("CREATE-1", *record) == Held(tuple(record))
    assert found("CREATE-1", *record[:2]) == Undecided(
        'No animal was sent with status "sold" or without a status.', examined=tuple(record[:2])
    )
    assert found("CREATE-1", *record[:3]) == Undecided(
        "No animal was sent without a status.", examined=tuple(record[:3])
    )


def test_a_created_odd_animal_shows_that_its_status_is_accepted() -> None:
    odd = posted(NEW | {"name": ""}, 201, index=9)
    record = [*each(201, 201), odd, posted(without("status", NEW))]
    assert isinstance(found("CREATE-1", *record), Held)


def test_a_400_without_a_known_category_proves_nothing() -> None:
    nothing = Grounds(date(2030, 12, 4))
    record = each(400, 400, 400, 400)
    assert [by("CREATE-1", one, nothing) for one in record] == [NOT_CONCERNED] * 4
    decision = found("CREATE-1", *record, grounds=nothing)
    assert decision == Undecided(
        'POST /pets with status "available", "pending" or "sold" or without a status '
        "returned 400, perhaps because the category does not exist.",
        "--category-id",
    )
    mixed = each(201, 400, 400, 400)
    decision = found("CREATE-1", *mixed, grounds=nothing)
    assert isinstance(decision, Undecided)
    assert decision.examined == (mixed[0],)
    assert isinstance(found("CREATE-1", *each(201, 403), grounds=nothing), Failed)
    assert isinstance(found("CREATE-1", *each(201, 400)), Failed)


def test_statuses_without_an_answer_are_named() -> None:
    record = each(201, 201, 401, 201)
    decision = found("CREATE-1", *record)
    assert isinstance(decision, Undecided)
    assert decision.reason == (
        'POST /pets with status "sold" returned 401, which does not show whether a plain animal is accepted; see '
        "CREATE-14 and AUTH-7."
    )
    assert (decision.settled_by, decision.examined) == (None, (record[0], record[1], record[3]))
    two = found("CREATE-1", *each(201, 429, 401, 201))
    assert isinstance(two, Undecided)
    assert 'with status "pending" or "sold" returned 429, 401, which' in two.reason


def test_the_status_of_a_defective_body_does_not_count() -> None:
    unknown = posted(NEW | {"status": "SOLD"}, 201, index=9)
    assert isinstance(found("CREATE-1", *each(201, 201, 201, 201), unknown), Held)
    wrong = posted(NEW | {"name": 5}, 201, index=9)
    decision = found("CREATE-1", *each(201, 201), wrong)
    assert isinstance(decision, Undecided)
    assert decision.reason == 'No animal was sent with status "sold" or without a status.'


# ---- CREATE-14


def test_an_answer_that_a_plain_animal_also_gets_is_not_caused_by_the_doubt() -> None:
    odd = posted(NEW | {"name": ""}, 422, b"")
    assert isinstance(found("CREATE-14", odd, posted(NEW, 409)), Failed)
    assert found("CREATE-14", odd, posted(NEW, 422)) == Undecided(
        "POST /pets returned 422 for a plain animal too; see CREATE-1."
    )
    for status, see in ((499, "CREATE-1"), (500, "ERROR-5")):
        failing = found("CREATE-14", posted(NEW | {"name": ""}, status, b""), posted(NEW, status))
        assert isinstance(failing, Undecided)
        assert failing.reason.endswith(f" for a plain animal too; see {see}.")
    refused = posted(NEW | {"name": ""}, 401)
    assert found("CREATE-14", refused) == Undecided("POST /pets returned 401; see AUTH-7.")
    held = posted(NEW | {"name": " "}, 400)
    decision = found("CREATE-14", held, refused)
    assert isinstance(decision, Undecided)
    assert decision.examined == (held,)
    assert found("CREATE-14", posted()) == Undecided("No value that the service may refuse was sent.")


def test_a_refusal_does_not_count_if_the_category_became_known_later() -> None:
    refused, after = posted(NEW, 400), posted(NEW, 400, index=1, sent=3.0)
    shown = Grounds(date(2030, 12, 4), categories={1: Known(refused.sent + 1)})
    assert not isinstance(found("CREATE-1", refused, grounds=shown), Failed)
    failed = found("CREATE-1", refused, after, grounds=shown)
    assert isinstance(failed, Failed)
    assert [proof.exchange for proof in failed.proofs] == [after]


def test_a_body_in_chunks_shows_nothing_about_doubtful_animals() -> None:
    for status in (201, 400, 411):
        in_chunks = posted(NEW | {"categoryId": 5}, status, form=Form.CHUNKED)
        assert found("CREATE-14", in_chunks) == Undecided("No value that the service may refuse was sent.")


def test_a_refusal_does_not_count_if_another_client_may_have_removed_the_category() -> None:
    listed = exchange(LIST, 200, [PET, PET | {"id": 8, "categoryId": 5}])
    refused = [posted(NEW, 400, index=index, sent=sent) for index, sent in ((1, 1.0), (2, 60.0))]
    wide = "/pets?limit=100"
    gone = exchange(LIST, 200, [PET | {"id": 8, "categoryId": 5}], path=wide, index=3, sent=61.0)
    there = exchange(LIST, 200, [PET], path=wide, index=4, sent=62.0)
    for pages, failed in (((), True), ((gone,), False), ((gone, there), True)):
        record = [listed, *refused, *pages]
        grounds = Grounds(date(2030, 12, 4), categories=categories_in(record))
        assert isinstance(found("CREATE-1", *record, grounds=grounds), Failed) is failed
        assert isinstance(found("CREATE-14", *record, grounds=grounds), Held) is not failed


def test_a_category_first_known_from_its_201_was_doubtful_when_sent() -> None:
    first = posted(NEW | {"categoryId": 5}, 201, PET | {"categoryId": 5})
    again = posted(NEW | {"categoryId": 5, "name": "Tex"}, 201, PET | {"categoryId": 5}, index=1)
    grounds = Grounds(date(2030, 12, 4), categories=known(1) | {5: Known(first.finished)})
    assert found("CREATE-14", first, again, grounds=grounds) == Held((first,))
    at_once = replace(again, sent=first.finished)
    assert found("CREATE-14", first, at_once, grounds=grounds) == Held((first,))
    listed = exchange(LIST, 200, [PET | {"categoryId": 5}], sent=-1.0)
    grounds = replace(grounds, categories=known(1) | {5: Known(listed.finished)})
    assert found("CREATE-14", listed, first, grounds=grounds) == Undecided(
        "No value that the service may refuse was sent."
    )
    assert found("CREATE-14", listed, posted(NEW, 400), grounds=grounds) == Undecided(
        "No value that the service may refuse was sent."
    )
    unknown = posted(NEW | {"categoryId": 6}, 400)
    assert found("CREATE-14", listed, unknown, grounds=grounds) == Held((unknown,))
