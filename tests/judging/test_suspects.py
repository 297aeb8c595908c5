"""What in a request may have caused a failure."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from petcheck.call import Credential, Form
from petcheck.exchange import Exchange, Silence
from petcheck.judging.decision import Failed, Proof
from petcheck.judging.suspects import (
    after_unread,
    forms_in,
    in_form,
    in_plain_form,
    named_before,
    spoiled_by,
    unread_before,
)
from petcheck.judging.verdicts import verdict_of
from petcheck.spec.catalogue import catalogue
from petcheck.spec.operations import Operation
from tests.support.exchanges import JSON, exchange, rates

CREATE, GET, ORDERS = Operation.CREATE_PET, Operation.GET_PET, Operation.STORE_ORDERS
ZOE = {"name": "Zoe", "categoryId": 1}
ODD = b'{"name": "Zoe\\u0001", "categoryId": 1}'
PLAIN_JSON, WITH_COMMA = b'{"name": "Zoe", "categoryId": 1}', b'{"name": "Zoe", "categoryId": 1,}'
HALF = b'{"name": "\\ud800", "categoryId": 1}'
LARGE, LARGER = (b'{"name": "Zoe", "categoryId": %d}' % number for number in (2**53, 2**53 + 1))


# ---- a POST before it


def between(exchange: Exchange, sent: float, finished: float) -> Exchange:
    return replace(exchange, sent=sent, finished=finished)


def post(number: int, asked: bytes = PLAIN_JSON, index: int = 1, status: int = 201) -> Exchange:
    return between(exchange(CREATE, status, {"id": number, **ZOE}, asked=asked, index=index), 1, 2)


WORKED, BROKEN = between(exchange(), 0, 1), between(exchange(status=500, index=9), 2, 3)
UNDOCUMENTED = between(exchange(path="/pets?status=sold&status=pending", status=500), 1.3, 1.4)
THE_POST = 'POST /pets with the body {"name": "Zoe", "categoryId": 1}'
SAID = f"It worked until {THE_POST} created animal 7. "
ONE_OF = f"It worked until one of 2 POSTs, most likely {THE_POST}, which created animal 7. "


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ([WORKED, post(7), BROKEN], SAID),
        ([BROKEN], ""),
        ([WORKED, BROKEN], ""),
        ([post(7), BROKEN], ""),
        ([WORKED, post(7, status=400), BROKEN], ""),
        # it was not sent between the two
        ([WORKED, between(post(7), 0.9, 2), BROKEN], ""),
        ([WORKED, between(post(7), 1, 2.1), BROKEN], ""),
        ([WORKED, post(7), between(WORKED, 1.5, 2), BROKEN], ""),
        ([WORKED, BROKEN, between(post(7), 3, 4), between(BROKEN, 5, 6)], ""),
        ([WORKED, post(7), BROKEN, between(WORKED, 4, 5)], ""),
        # another page says nothing
        ([between(exchange(path="/pets?limit=5"), 0, 1), post(7), BROKEN], ""),
        # but that it fails too says that no later POST did it
        ([WORKED, between(post(6), 1, 1.2), between(exchange(path="/pets?limit=5", status=500), 1.3, 1.4),
          between(post(7, index=2), 1.5, 2), BROKEN], SAID.replace("7", "6")),
        ([WORKED, post(7), between(exchange(path="/pets?limit=abc", status=500), 1.3, 1.4), BROKEN], SAID),
        ([WORKED, post(7), between(exchange(path="/pets?limit=5", status=404), 1.3, 1.4), BROKEN], SAID),
        ([between(exchange(path="/pets?limit=5", status=500), 0, 0.5), WORKED, post(7), BROKEN], SAID),
        ([WORKED, between(exchange(path="/pets?limit=5", status=500), 1, 1.5), post(7), BROKEN], ""),
        # a POST that failed may have stored something
        ([WORKED, post(7), post(6, status=500, index=0), BROKEN], ONE_OF.replace("created animal 7", "returned 500")),
        ([WORKED, post(6, status=500, index=0), BROKEN], SAID.replace("created animal 7", "returned 500")),
        # the likeliest of several: one that is not plain JSON, then the oddest, then one before a page that failed in
        # the same way, if only for its odd parameters, then the last
        ([WORKED, post(6, index=1), post(7, index=2), post(5, index=0), BROKEN], ONE_OF.replace("of 2", "of 3")),
        ([WORKED, post(6, WITH_COMMA), post(7, index=2), BROKEN], ONE_OF.replace("1}", "1,}").replace("7", "6")),
        (
            [WORKED, post(6, WITH_COMMA), replace(post(7), answer=exchange(status=201, body=b"{").answer), BROKEN],
            ONE_OF.replace("animal 7", "an animal"),
        ),
        ([WORKED, post(6, ODD), post(7, index=2), BROKEN], ONE_OF.replace("Zoe", "Zoe\\u0001").replace("7", "6")),
        ([WORKED, post(6, WITH_COMMA), post(7, ODD, index=2), BROKEN], ONE_OF.replace("1}", "1,}").replace("7", "6")),
        ([WORKED, post(6, HALF), post(7, WITH_COMMA, index=2), BROKEN],
         ONE_OF.replace("Zoe", "\\ud800").replace("7", "6")),
        ([WORKED, post(6, LARGER), post(7, index=2), BROKEN],
         ONE_OF.replace("7", "6").replace("1}", f"{2**53 + 1}}}")),
        ([WORKED, post(6, LARGE), post(7, index=2), BROKEN], ONE_OF),
        # one that overlaps with the page may have come before it
        ([WORKED, post(7), between(post(6, ODD, index=2), 1, 2.5), BROKEN],
         ONE_OF.replace("Zoe", "Zoe\\u0001").replace("7", "6")),
        ([WORKED, post(7), between(post(6, ODD, index=2), 3, 3.5), BROKEN], SAID),
        ([WORKED, between(post(7), 1, 1.2), UNDOCUMENTED, between(post(6, index=2), 1.6, 2), BROKEN], ONE_OF),
        ([WORKED, between(post(7), 1, 1.3), UNDOCUMENTED, between(post(6, index=2), 1.6, 2), BROKEN], ONE_OF),
        ([WORKED, between(post(7), 1, 1.2), between(post(6, ODD, index=2), 1.6, 2), UNDOCUMENTED, BROKEN],
         ONE_OF.replace("Zoe", "Zoe\\u0001").replace("7", "6")),
    ],
)  # fmt: skip
def test_a_post_after_which_a_page_can_no_longer_be_read_is_named(record: list[Exchange], said: str) -> None:
    assert spoiled_by(BROKEN, record, BROKEN) == said


def test_where_only_filtered_pages_break_an_animal_without_a_status_is_the_likeliest() -> None:
    worked = between(exchange(path="/pets?status=sold"), 0, 1)
    broken = between(exchange(path="/pets?status=sold", status=500, index=9), 2, 3)
    sold = between(exchange(CREATE, 201, {"id": 6, **ZOE, "status": "sold"}, asked=ODD, index=2), 1, 2)
    refused = replace(post(7, status=400), index=0)
    record = [worked, post(7), sold, refused, broken]
    odd = ONE_OF.replace("Zoe", "Zoe\\u0001").replace("7", "6")
    assert spoiled_by(broken, record, broken) == odd
    assert spoiled_by(broken, [*record, between(exchange(), 2, 3)], broken) == ONE_OF
    wide = [exchange(path="/pets?limit=100", status=status) for status in (200, 500)]
    whole = [between(wide[0], 0, 1), *record[1:4], between(wide[1], 2, 3)]
    assert spoiled_by(whole[-1], [*whole, between(exchange(), 2.5, 3)], whole[-1]) == odd
    assert spoiled_by(broken, [*record, between(exchange(), 1.5, 2)], broken) == odd
    assert spoiled_by(broken, [*record, between(exchange(path="/pets?status=pending"), 2.5, 3)], broken) == odd


REFUSED = between(exchange(CREATE, 409, {}, asked=PLAIN_JSON, index=9), 2, 3)
HAD = " Animal 7 has had that name before."
UNREADABLE = replace(post(7), answer=exchange(status=201, body=b"{").answer)


@pytest.mark.parametrize(
    ("record", "wrong", "said"),
    [
        ([post(7), REFUSED], REFUSED, HAD),
        ([post(7), post(8, index=2), REFUSED], REFUSED, HAD),
        ([UNREADABLE, REFUSED], REFUSED, HAD.replace("Animal 7", "An animal")),
        ([REFUSED], REFUSED, ""),
        ([post(7, status=400), REFUSED], REFUSED, ""),
        ([post(7, asked=b'{"name": "Tex", "categoryId": 1}'), REFUSED], REFUSED, ""),
        ([between(post(7), 1, 2.1), REFUSED], REFUSED, ""),
        ([post(7), between(post(8), 2, 3)], between(post(8), 2, 3), ""),
        ([post(7), WORKED], WORKED, ""),
    ],
)  # fmt: skip
def test_an_animal_that_had_the_name_of_a_refused_post_is_named(
    record: list[Exchange], wrong: Exchange, said: str
) -> None:
    assert named_before(wrong, record) == said


def test_a_failure_in_a_burst_has_other_suspects() -> None:
    burst = replace(BROKEN, burst=1)
    assert spoiled_by(burst, [WORKED, post(7), burst], burst) == ""


def test_a_post_is_not_why_a_quota_is_used_up() -> None:
    refused = between(exchange(path="/pets", status=429), 2, 3)
    assert spoiled_by(refused, [WORKED, post(7), refused], refused) == ""


def test_a_post_breaks_no_other_request() -> None:
    alone = between(exchange(GET, 500), 2, 3)
    assert spoiled_by(alone, [WORKED, between(exchange(GET), 0, 1), post(7), alone], alone) == ""


# ---- its form


def formed(form: Form, *, burst: int | None = None, index: int = 1) -> Exchange:
    return replace(exchange(form=form, index=index, sent=5.0), burst=burst)


def failure(*proofs: Exchange, wrong: tuple[Exchange, ...] = ()) -> Failed:
    return Failed("It broke.", tuple(map(Proof, proofs)), wrong=wrong)


LOWER, UPPER, SPACED = (formed(form) for form in (Form.LOWER, Form.UPPER, Form.SPACED))
AT_ONCE = formed(Form.LOWER, burst=1)


@pytest.mark.parametrize(
    ("failed", "forms"),
    [
        (failure(LOWER), (Form.LOWER,)),
        (failure(LOWER, UPPER, LOWER), (Form.LOWER, Form.UPPER)),
        (failure(LOWER, UPPER, SPACED), ()),
        (failure(formed(Form.PLAIN)), ()),
        (failure(LOWER, formed(Form.PLAIN)), ()),
        (failure(AT_ONCE), ()),
        (failure(AT_ONCE, wrong=(AT_ONCE,)), ()),
        (failure(AT_ONCE, wrong=(AT_ONCE, LOWER)), (Form.LOWER,)),
        (failure(LOWER, wrong=(LOWER,)), (Form.LOWER,)),
    ],
)
def test_few_forms_that_all_failures_have_may_be_the_cause(failed: Failed, forms: tuple[Form, ...]) -> None:
    assert forms_in(failed) == forms


def test_the_plain_form_is_the_latest_request_that_means_the_same() -> None:
    first, last, other = exchange(index=6), exchange(index=7), exchange(GET, index=8)
    assert in_plain_form(LOWER, [first, last, other, UPPER]) is last
    # one that came before may have met another store
    assert in_plain_form(LOWER, [exchange(sent=5.0), LOWER]) is None
    assert in_plain_form(LOWER, [other, UPPER]) is None


@pytest.mark.parametrize(
    ("plain", "sent", "said"),
    [
        (404, 5.0, ""),
        # it counts if the plain one was sent when the other was answered
        (404, 5.1, " The request had header names in lower case; in the plain form it got 404."),
        (200, 5.1, " The request had header names in lower case; in the plain form it got 200, which keeps the rule."),
    ],
)
def test_a_form_is_named_if_the_plain_one_is_seen_to_do_better(plain: int, sent: float, said: str) -> None:
    record = [LOWER, exchange(status=plain, index=2, sent=sent)]
    assert in_form(failure(LOWER), record) == in_form(failure(LOWER, wrong=(LOWER, LOWER)), record) == said
    # once may be chance
    assert in_form(failure(LOWER, wrong=(LOWER,)), record) == ""


@pytest.mark.parametrize(
    ("between", "named"), [([], True), ([(201, 3)], False), ([(400, 3)], True), ([(201, 0)], True), ([(201, 9)], True)]
)
def test_no_form_is_named_if_an_animal_was_created_in_between(between: list[tuple[int, int]], named: bool) -> None:
    """An empty list may be wrong, and one that is no longer empty right. The two requests may be POSTs themselves."""
    posts = [exchange(CREATE, status, asked=PLAIN_JSON, index=index) for status, index in between]
    plain = exchange(index=5, sent=6.0)
    assert bool(in_form(failure(LOWER), [LOWER, *posts, plain])) is named
    lower = exchange(CREATE, 201, asked=PLAIN_JSON, form=Form.LOWER, index=1, sent=5.0)
    again = exchange(CREATE, 201, asked=PLAIN_JSON, index=5, sent=6.0)
    assert bool(in_form(failure(lower), [lower, *posts, again])) is named


@pytest.mark.parametrize(
    ("between", "last", "named"),
    [
        (6.0, 7.0, True),
        (6.0, 6.0, False),
        # each was sent when the one before it was answered
        (LOWER.finished, 7.0, True),
        (6.0, exchange(sent=6.0).finished, True),
    ],
)
def test_a_form_that_failed_before_and_after_the_plain_one_is_named(between: float, last: float, named: bool) -> None:
    post = exchange(CREATE, 201, asked=PLAIN_JSON, index=3, sent=5.5)
    plain, again = exchange(index=5, sent=between), exchange(form=Form.LOWER, index=6, sent=last)
    assert bool(in_form(failure(LOWER, wrong=(LOWER, again)), [LOWER, post, plain, again])) is named


def test_several_forms_are_named_together() -> None:
    said = " The request had header names in lower case or header names in capitals; in the plain form it got 404."
    assert in_form(failure(LOWER, UPPER), [LOWER, UPPER, exchange(status=404, index=2, sent=6.0)]) == said


# ---- a body that the server may have left unread

COUNTED = (JSON, *rates(60, 41, 1795255440))


def on(connection: int | None, one: Exchange) -> Exchange:
    return replace(one, connection=connection)


def keyless(index: int, status: int | Silence, **fields: Any) -> Exchange:
    """A GET without a key."""
    return exchange(GET, status, credential=Credential.MISSING, index=index, **fields)


BARE_POST = on(3, exchange(CREATE, 401, credential=Credential.MISSING, index=1, asked=ZOE))
REFUSED_POST = replace(BARE_POST, answer=exchange(CREATE, 401, headers=COUNTED).answer)
TAKEN = on(3, keyless(2, 400))
RIGHT = on(4, keyless(4, 401, headers=COUNTED))
AFTER = (
    " It came on the connection on which POST /pets with no key (#1) got 401 just before: the server may have "
    "taken that body for a request, if it came after the headers and not with them."
)


@pytest.mark.parametrize(
    ("record", "named"),
    [
        # the rate headers of the refusal are missing
        ([REFUSED_POST, TAKEN], True),
        ([REFUSED_POST, replace(TAKEN, answer=keyless(2, 405).answer)], True),
        ([REFUSED_POST, on(3, exchange(ORDERS, 404, index=2))], True),
        # an equal request was answered in another way, before or later
        ([REFUSED_POST, on(3, keyless(2, 400, headers=COUNTED)), RIGHT], True),
        ([replace(RIGHT, index=0), BARE_POST, TAKEN], True),
        ([REFUSED_POST, on(3, keyless(2, 400, headers=COUNTED)), on(4, keyless(4, 200))], True),
        # nothing shows it
        ([REFUSED_POST, on(3, keyless(2, 400, headers=COUNTED))], False),
        ([BARE_POST, TAKEN], False),
        ([REFUSED_POST, on(3, keyless(2, 400, headers=COUNTED)), on(4, keyless(4, 400))], False),
        ([REFUSED_POST, on(3, keyless(2, 400, headers=COUNTED)), on(4, exchange(GET, 200, index=4))], False),
        ([REFUSED_POST, on(3, keyless(2, 400, headers=COUNTED)), replace(RIGHT, target="another")], False),
        ([REFUSED_POST, on(3, keyless(2, 400, headers=COUNTED)), on(4, keyless(4, 429))], False),
        ([REFUSED_POST, on(3, keyless(2, 400, headers=COUNTED)), on(4, keyless(4, 503))], False),
        ([REFUSED_POST, on(3, keyless(2, 400, headers=COUNTED)), on(4, keyless(4, 500))], False),
        ([REFUSED_POST, on(3, keyless(2, 400, headers=COUNTED)), on(4, keyless(4, Silence.RESET))], False),
        (
            [
                REFUSED_POST,
                on(3, keyless(2, 400, headers=COUNTED)),
                on(5, replace(REFUSED_POST, index=3)),
                on(5, RIGHT),
            ],
            False,
        ),
        # another connection, or none that is known
        ([REFUSED_POST, on(4, TAKEN)], False),
        ([on(None, REFUSED_POST), on(None, TAKEN)], False),
        # not right before it
        ([replace(REFUSED_POST, index=0), TAKEN], False),
        ([replace(REFUSED_POST, target="another"), TAKEN], False),
        # no body to be left unread, or one that was accepted
        ([on(3, exchange(CREATE, 401, headers=COUNTED, index=1)), TAKEN], False),
        ([on(3, exchange(CREATE, 201, headers=COUNTED, index=1, asked=ZOE)), TAKEN], False),
        ([on(3, exchange(CREATE, 500, headers=COUNTED, index=1, asked=ZOE)), TAKEN], False),
        # an answer to a request
        ([REFUSED_POST, on(3, keyless(2, 404))], False),
        ([REFUSED_POST, on(3, keyless(2, 200))], False),
        ([REFUSED_POST, on(3, exchange(GET, Silence.RESET, index=2))], False),
    ],
)
def test_a_refused_post_right_before_it_on_its_connection_may_be_why(record: list[Exchange], named: bool) -> None:
    wrong = next(one for one in record if one.index == 2)
    assert unread_before(wrong, record) == (record[record.index(wrong) - 1] if named else None)
    assert after_unread(failure(wrong, wrong=(wrong,)), record) == AFTER * named


def test_what_a_body_turns_into_may_leave_the_next_one_unread_too() -> None:
    bare = on(3, exchange(CREATE, 400, credential=Credential.EMPTY, index=2, asked=ZOE))
    next_ = on(3, keyless(3, 400))
    assert unread_before(next_, [REFUSED_POST, bare, next_]) is bare
    assert unread_before(next_, [on(2, REFUSED_POST), bare, next_]) is None
    # one with rate headers is an answer to its own request
    counted = replace(bare, answer=exchange(CREATE, 400, headers=COUNTED).answer)
    assert unread_before(next_, [BARE_POST, counted, next_]) is counted


def test_a_body_explains_a_failure_only_if_it_explains_all_of_it() -> None:
    other = on(4, keyless(5, 400))
    record = [REFUSED_POST, TAKEN, RIGHT, other]
    assert after_unread(failure(TAKEN, wrong=(TAKEN,)), record) == AFTER
    assert after_unread(failure(TAKEN, wrong=(TAKEN, other)), record) == ""
    assert after_unread(failure(TAKEN), record) == ""


def test_a_verdict_names_the_unread_body_and_does_not_count_what_did_not_fail() -> None:
    rights = [on(10 + n, keyless(4 + n, 401, headers=COUNTED)) for n in range(4)]
    record = [REFUSED_POST, TAKEN, *rights]
    decision = Failed("It broke.", (Proof(TAKEN, "status"),), tuple(record), wrong=(TAKEN,))
    verdict = verdict_of(catalogue()["AUTH-1"], "target", decision, record, (), missing="")
    assert (verdict.outcome, verdict.reason, verdict.frequency) == ("fail", f"It broke.{AFTER}", None)
