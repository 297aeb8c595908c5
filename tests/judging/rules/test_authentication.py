"""Section 5: what is decided about keys."""

from __future__ import annotations

import json
from datetime import date

import pytest

from petcheck.call import Call, Credential
from petcheck.exchange import Exchange, Silence
from petcheck.judging.apply import decide
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Undecided
from petcheck.judging.judgement import NOT_CONCERNED, Grounds, Problem
from petcheck.judging.matchers import described
from petcheck.judging.rules import RULE
from petcheck.judging.rules.authentication import INVALID, SURELY_INVALID
from petcheck.spec.operations import Operation
from tests.judging.rules.said import CREATE, GET, LIST, NEW, ORDERS, PET, REMOVED, by, holds, text
from tests.support.exchanges import exchange, known

READING = Grounds(date(2030, 12, 4), categories=known(1), listed=frozenset({7, 9}))
WRITING = Grounds(date(2030, 12, 4), categories=known(1), listed=frozenset({7, 9}), writes=True)
MISSING, RANDOM, EMPTY = Credential.MISSING, Credential.RANDOM, Credential.EMPTY
OTHERWISE = {
    "AUTH-1": "No conclusive answer from {operation}; none to {torn}.",
    "AUTH-5": "No request shows whether the key alone is refused.",
}
WRONG = {LIST: "/pets?limit=0", GET: "/pets/123456", CREATE: None, ORDERS: None}


def sent(operation: Operation, key: Credential, status: int | Silence = 401, *, wrong: bool = False) -> Exchange:
    body = {"name": "Rex"} if wrong else NEW
    asked = body if operation is CREATE else None
    return exchange(operation, status, path=WRONG[operation] if wrong else None, credential=key, asked=asked)


def decided(name: str, *record: Exchange, grounds: Grounds = READING) -> Decision:
    return decide(RULE[name], record, grounds)


def everywhere(*keys: Credential, wrong: bool = False, writes: bool = False) -> list[Exchange]:
    operations = [operation for operation in Operation if writes or operation is not CREATE]
    return [sent(operation, key, wrong=wrong) for operation in operations for key in keys]


KINDS = [(name, kind) for name, kinds in INVALID.items() for kind in kinds]


def test_each_kind_of_invalid_key_belongs_to_one_requirement() -> None:
    kinds = [kind for _, kind in KINDS]
    assert sorted(kind.name for kind in kinds) == sorted(
        k.name for k in Credential if k not in (Credential.VALID, Credential.UNKNOWN)
    )


# ---- one exchange


@pytest.mark.parametrize(("name", "key"), KINDS)
@pytest.mark.parametrize("operation", Operation)
def test_an_invalid_key_is_401(name: str, key: Credential, operation: Operation) -> None:
    assert holds(name, sent(operation, key), READING)
    statuses: tuple[int | Silence, ...] = (200, 302, 403, 500, Silence.TIMEOUT)
    for status in statuses:
        assert "expected 401 (section 5), got" in text(name, sent(operation, key, status), READING)
    assert by(name, sent(operation, key, 429), READING) is NOT_CONCERNED
    others = [other for other in INVALID if other != name]
    assert all(by(other, sent(operation, key, 200), READING) is NOT_CONCERNED for other in others)


@pytest.mark.parametrize("operation", [LIST, GET, CREATE], ids=str)
def test_a_second_defect_may_explain_a_refusal_and_nothing_else(operation: Operation) -> None:
    explained: tuple[int | Silence, ...] = (400, 404, 422, 500)
    for status in explained:
        assert by("AUTH-1", sent(operation, MISSING, status, wrong=True), READING) is NOT_CONCERNED
        assert text("AUTH-1", sent(operation, MISSING, status), READING)
    for status in (200, 201, 302, 399, 403, Silence.RESET):
        assert text("AUTH-1", sent(operation, MISSING, status, wrong=True), READING)
    assert holds("AUTH-1", sent(operation, MISSING, wrong=True), READING)


def test_an_operation_that_is_removed_is_not_judged() -> None:
    assert by("AUTH-1", sent(GET, MISSING, 404), Grounds(REMOVED)) is NOT_CONCERNED


@pytest.mark.parametrize("operation", Operation)
def test_a_valid_key_is_not_refused(operation: Operation) -> None:
    refused = Problem(
        "expected any status except 401 for a valid key (section 5), got 401", "status", "any status except 401"
    )
    assert by("AUTH-7", exchange(operation, 401, asked=NEW)) == refused
    assert holds("AUTH-7", exchange(operation, 400, asked=NEW))
    assert by("AUTH-7", exchange(operation, Silence.RESET, asked=NEW)) is NOT_CONCERNED
    assert by("AUTH-7", exchange(operation, 200, credential=MISSING, asked=NEW)) is NOT_CONCERNED
    assert by("AUTH-7", exchange(GET, 401), Grounds(REMOVED)) is NOT_CONCERNED


# ---- every operation, every kind


@pytest.mark.parametrize("name", INVALID)
def test_a_pass_needs_every_operation_and_every_kind(name: str) -> None:
    record = everywhere(*INVALID[name])
    assert decided(name, *record) == Held(tuple(record))
    for missing in {e.request.operation for e in record}:
        rest = [e for e in record if e.request.operation is not missing]
        left = decided(name, *rest)
        assert isinstance(left, Undecided)
        such = "such a key" if len(INVALID[name]) > 1 else INVALID[name][0].value
        assert left.reason == f"No request was sent to {missing} with {such}."
        assert left.examined == tuple(rest)
        refused = [sent(missing, key, 429) for key in INVALID[name]]
        left = decided(name, *rest, *refused)
        assert isinstance(left, Undecided)
        assert left.reason == f"No conclusive answer from {missing}."
    for kind in set(INVALID[name]) & SURELY_INVALID:
        left = decided(name, *(e for e in record if e.request.credential is not kind))
        assert isinstance(left, Undecided)
        assert kind.value in left.reason


def test_the_parts_that_are_missing_are_named() -> None:
    left = Undecided(
        "No conclusive answer from GET /pets/{petId}; none to requests with a random key. No request was sent to "
        "GET /store/orders with such a key; none with the key with its last character changed.",
        None,
        (sent(LIST, Credential.CUT), sent(LIST, Credential.EXTENDED)),
    )
    limited = sent(GET, RANDOM, 429)
    assert decided("AUTH-2", sent(LIST, Credential.CUT), limited, sent(LIST, Credential.EXTENDED)) == left


def test_a_key_that_was_never_sent_is_named_once() -> None:
    left = decided("AUTH-1", sent(LIST, RANDOM))
    assert isinstance(left, Undecided)
    assert left.reason == "No request was sent to GET /pets, GET /pets/{petId} or GET /store/orders with no key."


def test_keys_of_other_requirements_do_not_count() -> None:
    record = everywhere(MISSING)
    assert decided("AUTH-1", *record, sent(LIST, RANDOM, 400, wrong=True)) == Held(tuple(record))


def test_a_post_is_required_if_writes_are_allowed() -> None:
    assert isinstance(decided("AUTH-1", *everywhere(MISSING), grounds=WRITING), Undecided)
    assert isinstance(decided("AUTH-1", *everywhere(MISSING, writes=True), grounds=WRITING), Held)


def test_a_removed_operation_is_not_required() -> None:
    record = [sent(LIST, MISSING), sent(ORDERS, MISSING)]
    assert isinstance(decided("AUTH-1", *record, grounds=Grounds(REMOVED)), Held)


# ---- two questions in one request


def test_one_401_settles_both_questions() -> None:
    record = [e for e in everywhere(MISSING, wrong=True) if e.request.operation is not ORDERS]
    orders = sent(ORDERS, MISSING)
    assert decided("AUTH-1", *record, orders) == Held((*record, orders))
    assert decided("AUTH-5", *record, orders) == Held(tuple(record))
    gone = [e for e in record if e.request.operation is not GET]
    assert decided("AUTH-5", *record, grounds=Grounds(REMOVED)) == Held(tuple(gone))


def test_a_401_with_the_valid_key_does_not_show_what_is_checked_first() -> None:
    record = [exchange(operation, 401, path=WRONG[operation]) for operation in (LIST, GET)]
    left = decided("AUTH-5", *record, sent(LIST, MISSING, wrong=True))
    said = "No request to GET /pets/{petId} with no key and another error got 401."
    assert left == Undecided(said, None, (sent(LIST, MISSING, wrong=True),))


@pytest.mark.parametrize(
    ("operation", "plain"),
    [(LIST, Call(LIST, MISSING)), (GET, Call(GET, MISSING, pet_id="7"))],
)
def test_without_a_401_the_key_is_tested_alone(operation: Operation, plain: Call) -> None:
    others = [e for e in everywhere(MISSING, wrong=True) if e.request.operation is not operation]
    torn = sent(operation, MISSING, 404, wrong=True)
    for name in ("AUTH-1", "AUTH-5"):
        question = decided(name, torn, *others)
        assert isinstance(question, Ask)
        assert (question.calls, question.not_before) == ((plain,), 0.0)
        examined = others if name == "AUTH-1" else [*(e for e in others if e.request.operation is not ORDERS), torn]
        assert question.otherwise.examined == tuple(examined)
        assert question.otherwise.reason == OTHERWISE[name].format(operation=operation, torn=described(torn))
    # the key alone is refused, so it was checked second
    alone = sent(operation, MISSING)
    refused = [torn, *others, alone]
    assert isinstance(decided("AUTH-1", *refused), Held)
    late = decided("AUTH-5", *refused)
    looked_at = {LIST: "the parameters are", GET: "the id is"}[operation]
    first = [e for e in others if e.request.operation is not ORDERS]
    assert late == Failed(
        f"{described(torn)}: expected 401 before {looked_at} checked (section 5), got 404.",
        (Proof(torn, "status"),),
        (*first, torn, alone),
        expected="401",
        wrong=(torn,),
    )
    # the key alone is not refused either, so it is not checked at all
    let_in = [torn, *others, sent(operation, MISSING, 200)]
    assert isinstance(decided("AUTH-1", *let_in), Failed)
    left = decided("AUTH-5", *let_in)
    assert isinstance(left, Undecided)
    assert left.reason == f"{operation} returned 200 to requests with no key; see AUTH-1."
    assert left.examined == (*first, torn, sent(operation, MISSING, 200))


def test_operations_that_let_a_key_in_are_named_together() -> None:
    torn = [sent(operation, MISSING, 404, wrong=True) for operation in (LIST, GET)]
    let_in = [sent(operation, MISSING, 200) for operation in (LIST, GET)]
    left = decided("AUTH-5", *torn, *let_in)
    assert isinstance(left, Undecided)
    assert left.reason == "GET /pets and GET /pets/{petId} returned 200 to requests with no key; see AUTH-1."
    other = decided("AUTH-5", torn[0], let_in[0])
    assert isinstance(other, Undecided)
    assert other.reason == (
        "GET /pets returned 200 to requests with no key; see AUTH-1. No request to GET /pets/{petId} with no key "
        "and another error got 401."
    )


def test_each_request_whose_key_was_checked_late_is_named() -> None:
    torn = [sent(operation, MISSING, 404, wrong=True) for operation in (LIST, GET)]
    alone = [sent(operation, MISSING) for operation in (LIST, GET)]
    late = decided("AUTH-5", *torn, *alone)
    assert isinstance(late, Failed)
    assert late.text == (
        "GET /pets/123456 with no key: expected 401 before the id is checked (section 5), got 404; also in GET "
        "/pets?limit=0 with no key."
    )


def test_a_post_is_sent_again_with_the_body_of_another_invalid_key_and_a_name_of_its_own() -> None:
    torn, other = sent(CREATE, RANDOM, 400, wrong=True), sent(CREATE, MISSING)
    for name in ("AUTH-2", "AUTH-5"):
        question = decided(name, torn, other, grounds=WRITING)
        assert isinstance(question, Ask)
        sent_before = json.loads(other.request.body or b"")
        renamed = sent_before | {"name": f"{sent_before['name']} random"}
        assert question.calls == (Call(CREATE, RANDOM, body=json.dumps(renamed).encode()),)
    valid = exchange(CREATE, 201, PET, asked=NEW)
    alone = decided("AUTH-5", torn, valid, grounds=WRITING)
    assert isinstance(alone, Failed)
    late = "expected 401 before the body is checked (section 5), got 400 to an invalid NewPet"
    assert f"POST /pets with a random key: {late}" in alone.text


def test_a_late_check_of_a_key_that_a_server_may_also_accept_says_so() -> None:
    nobody = Grounds(date(2030, 12, 4))
    said = "GET /pets/123456 with {}: expected 401 before the id is checked (section 5), got 404"
    for key, more in ((MISSING, ""), (Credential.CHANGED, "; the server may also accept this key (AUTH-2)")):
        alone = decided("AUTH-5", sent(GET, key, 404, wrong=True), grounds=nobody)
        assert isinstance(alone, Failed)
        assert alone.text == f"{said.format(key.value)}{more}."
    # a plain request shows that this server does not
    refused = decided("AUTH-5", sent(GET, Credential.CHANGED, 404, wrong=True), sent(GET, Credential.CHANGED))
    assert isinstance(refused, Failed)
    assert refused.text == f"{said.format(Credential.CHANGED.value)}."


def test_the_order_is_tested_once_for_each_operation() -> None:
    torn = [sent(LIST, key, 400, wrong=True) for key in (MISSING, RANDOM, EMPTY)]
    question = decided("AUTH-5", *torn)
    assert isinstance(question, Ask)
    assert len(question.calls) == 1


def test_without_a_known_animal_an_unknown_id_shows_that_the_id_was_checked_first() -> None:
    nobody = Grounds(date(2030, 12, 4))
    torn = sent(GET, MISSING, 404, wrong=True)
    assert isinstance(decided("AUTH-5", torn, grounds=nobody), Failed)
    left = decided("AUTH-1", torn, sent(LIST, MISSING), sent(ORDERS, MISSING), grounds=nobody)
    assert isinstance(left, Undecided)
    assert left.reason == ("No conclusive answer from GET /pets/{petId}; none to GET /pets/123456 with no key.")
    other = exchange(GET, 404, path="/pets/5", credential=MISSING)
    both = decided("AUTH-1", torn, other, sent(LIST, MISSING), sent(ORDERS, MISSING), grounds=nobody)
    assert isinstance(both, Undecided)
    assert both.reason.endswith("; none to GET /pets/123456 with no key, GET /pets/5 with no key.")


def test_a_429_separates_nothing() -> None:
    torn = sent(LIST, MISSING, 400, wrong=True)
    assert isinstance(decided("AUTH-5", torn, sent(LIST, MISSING, 429)), Ask)


def test_plain_requests_do_not_show_what_is_checked_first() -> None:
    for limited in ((), (sent(LIST, MISSING, 429, wrong=True),)):
        left = decided("AUTH-5", *everywhere(MISSING), *limited)
        assert isinstance(left, Undecided)
        assert left.reason == "No request to GET /pets or GET /pets/{petId} with no key and another error got 401."


def test_a_post_shows_what_is_checked_first_if_writes_are_allowed() -> None:
    record = everywhere(MISSING, wrong=True)
    assert isinstance(decided("AUTH-5", *record, grounds=WRITING), Undecided)
    assert isinstance(decided("AUTH-5", *record, sent(CREATE, MISSING, wrong=True), grounds=WRITING), Held)


def test_other_keys_do_not_show_that_a_missing_one_is_refused_first() -> None:
    """A server that answers 400 to each request without a token gets no pass for the 401s of random keys."""
    others = [sent(operation, key, wrong=True) for operation in (LIST, GET) for key in (RANDOM, EMPTY)]
    torn = [sent(operation, MISSING, 400, wrong=True) for operation in (LIST, GET)]
    left = decided("AUTH-5", *others, *torn, *(sent(operation, MISSING, 400) for operation in (LIST, GET)))
    assert isinstance(left, Undecided)
    assert left.reason == "GET /pets and GET /pets/{petId} returned 400 to requests with no key; see AUTH-1."


def test_what_another_operation_answers_to_the_key_alone_is_not_about_the_order() -> None:
    """An empty store has no id for a plain request; where the list refuses the key in the same way, that is why."""
    record = [sent(LIST, MISSING, wrong=True), sent(GET, MISSING, wrong=True), sent(GET, EMPTY, 400, wrong=True)]
    empty = Grounds(date(2030, 12, 4))
    assert isinstance(decided("AUTH-5", *record, grounds=empty), Failed)
    held = decided("AUTH-5", *record, sent(LIST, EMPTY, 400), grounds=empty)
    assert isinstance(held, Held)
    assert held.examined == tuple(record[:2])
    assert isinstance(decided("AUTH-5", *record, sent(LIST, EMPTY, 404), grounds=empty), Failed)
    ended = [*record[:2], sent(GET, EMPTY, 500, wrong=True)]
    assert decided("AUTH-5", *ended, grounds=empty) == held


# ---- what a refused POST leaves behind


def test_a_refused_post_creates_nothing() -> None:
    run = Grounds(date(2030, 12, 4), categories=known(1), run="0a1b2c3d")
    named = {"name": "petcheck 0a1b2c3d refused", "categoryId": 1, "status": "sold"}
    refused = exchange(CREATE, 401, asked=named, credential=MISSING, sent=1)
    with_key = exchange(CREATE, 401, asked=named | {"name": "0a1b2c3d x"}, sent=2)
    let_in = exchange(CREATE, 201, asked=named | {"name": "0a1b2c3d y"}, credential=RANDOM, sent=3)
    page = "/pets?limit=100&status=sold"
    shown = exchange(LIST, 200, [PET, PET | named], path=page, sent=20, index=4)
    found = decided("AUTH-6", refused, with_key, let_in, shown, grounds=run)
    assert isinstance(found, Failed)
    assert found.text == (
        "POST /pets with no key returned 401 but stored an animal: GET /pets?limit=100&status=sold lists animal 7, "
        'named "petcheck 0a1b2c3d refused". A request without a valid key must not store anything (section 5).'
    )
    assert [(p.exchange, p.part) for p in found.proofs] == [(refused, "status"), (shown, "body:/1/name")]
    empty = exchange(LIST, 200, [PET], path=page, sent=20, index=4)
    assert decided("AUTH-6", refused, with_key, let_in, empty, grounds=run) == Held((refused, empty))
    assert isinstance(decided("AUTH-6", refused, grounds=run), Ask)
    assert decided("AUTH-6", with_key, let_in, shown, grounds=run) == Undecided(
        "No POST without a valid key got 401, so this could not be checked."
    )
