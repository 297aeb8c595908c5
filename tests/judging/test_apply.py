"""A rule over a record: its decision, and the exchanges that prove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

import pytest

from petcheck.call import Credential, Form
from petcheck.exchange import TO_PROBE, Exchange, Silence
from petcheck.judging.apply import (
    decide,
    decide_each,
    decide_from_tries,
    failed_by,
    final_tries,
    simplicity,
    stated,
)
from petcheck.judging.decision import Failed, Held, Proof, Rule, Undecided
from petcheck.judging.frequency import among_others
from petcheck.judging.judgement import BODY, HOLDS, NOT_CONCERNED, STATUS, Grounds, Judgement, Problem, body, header
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange

GROUNDS = Grounds(date(2026, 1, 1))


def rule(said: Mapping[int, Judgement]) -> Rule:
    return Rule("LIST-1", lambda exchange, grounds: said[exchange.index], nothing="No page was returned.")


def wrong(*texts: str) -> list[tuple[Exchange, Problem]]:
    return [(exchange(path=f"/pets?limit={n}", index=n), Problem(text)) for n, text in enumerate(texts)]


def test_a_request_with_its_body_in_chunks_decides_nothing() -> None:
    seen = [exchange(), exchange(Operation.CREATE_PET, 501, asked={}, form=Form.CHUNKED, index=1)]
    said: dict[int, Judgement] = {0: HOLDS, 1: Problem("501 is not documented")}
    assert decide_from_tries(rule(said), seen, GROUNDS) == Held((seen[0],))
    assert decide_from_tries(replace(rule(said), every_try=True), seen, GROUNDS) == Held((seen[0],))


@pytest.mark.parametrize(("status", "kept"), [(400, False), (401, True), (500, True)])
def test_a_400_for_a_key_beyond_ascii_decides_nothing(status: int, kept: bool) -> None:
    record = [exchange(index=n, status=status, credential=key) for n, key in enumerate(Credential)]
    beyond = record[[*Credential].index(Credential.BEYOND_ASCII)]
    assert (beyond in stated(record)) is kept
    assert len(stated(record)) == len(record) - (not kept)


def test_exchanges_that_a_rule_does_not_concern_are_no_evidence() -> None:
    seen = [exchange(index=n) for n in range(3)]
    said: dict[int, Judgement] = {0: NOT_CONCERNED, 1: HOLDS, 2: Problem("it is wrong", body(3, "id"))}
    assert decide(rule(said), seen[:2], GROUNDS) == decide_each(rule(said), seen[:2], GROUNDS) == Held((seen[1],))
    nothing = Undecided("No page was returned.")
    assert decide(rule(said), seen[:1], GROUNDS) == decide_each(rule(said), seen[:1], GROUNDS) == nothing
    failed = Failed(
        "GET /pets returned 200: it is wrong (section 4.1).",
        (Proof(seen[2], "body:/3/id"),),
        (seen[1], seen[2]),
        wrong=(seen[2],),
    )
    assert decide(rule(said), seen, GROUNDS) == decide_each(rule(said), seen, GROUNDS) == failed


def test_the_record_decides_if_no_single_exchange_is_wrong() -> None:
    seen, asked = [exchange()], []

    def over(record: object, grounds: Grounds) -> Undecided:
        asked.append((record, grounds))
        return Undecided("So so.")

    one = Rule("LIST-1", lambda exchange, grounds: HOLDS, over)
    assert decide(one, seen, GROUNDS) == Undecided("So so.")
    assert asked == [(seen, GROUNDS)]
    assert decide_each(one, seen, GROUNDS) == Held((seen[0],))
    fails = Rule("LIST-1", lambda exchange, grounds: Problem("no"), over)
    assert isinstance(decide(fails, seen, GROUNDS), Failed)
    assert len(asked) == 1


def test_an_exchange_is_judged_on_the_grounds_of_the_run() -> None:
    one = Rule("LIST-1", lambda exchange, grounds: HOLDS if grounds is GROUNDS else Problem("other grounds"))
    assert decide(one, [exchange()], GROUNDS) == Held((exchange(),))


def test_a_rule_without_a_judgement_of_one_exchange_concerns_none() -> None:
    assert decide(Rule("LIST-1", nothing="Nothing."), [exchange()], GROUNDS) == Undecided("Nothing.")


def test_the_text_of_a_wrong_status_names_the_answer() -> None:
    text = "expected 400 (section 4.2), got 201"
    post = exchange(Operation.CREATE_PET, 201, asked={"name": "Rex", "categoryId": 1})
    assert failed_by("4.2", [(post, Problem(text, "status"))]).text == f"POST /pets: {text}."
    silent = exchange(status=Silence.RESET)
    failed = failed_by("4.1", [(silent, Problem("expected 200, got no answer"))])
    assert (failed.text, failed.unanswered) == ("GET /pets: expected 200, got no answer.", True)
    assert not failed_by("4.1", wrong("x")).unanswered


def test_the_simplest_request_comes_first_and_others_are_named() -> None:
    paths = ["/pets?limit=100&status=sold", "/pets?limit=7", "/pets", "/pets?limit=8"]
    rows = [(exchange(path=path, index=n), Problem(f"problem {n}", header("X"))) for n, path in enumerate(paths)]
    failed = failed_by("4.1", rows)
    assert failed.text == (
        "GET /pets returned 200: problem 2 (section 4.1); "
        "also in GET /pets?limit=7, GET /pets?limit=8, GET /pets?limit=100&status=sold."
    )
    assert [proof.exchange.index for proof in failed.proofs] == [2, 1, 3, 0]
    assert {proof.part for proof in failed.proofs} == {"header:X"}


@pytest.mark.parametrize(
    ("number", "ending"),
    [
        (1, ": wrong (section 7)."),
        (2, "; also in GET /pets?limit=1."),
        (4, "; also in GET /pets?limit=1, GET /pets?limit=2, GET /pets?limit=3."),
        (5, ", GET /pets?limit=3 and 1 more."),
        (12, ", GET /pets?limit=3 and 8 more."),
    ],
)
def test_three_others_are_named_and_the_rest_counted(number: int, ending: str) -> None:
    failed = failed_by("7", wrong(*["wrong"] * number))
    assert failed.text.endswith(ending)
    assert len(failed.proofs) == min(number, 10)


@pytest.mark.parametrize(
    ("statuses", "held", "ending"),
    [
        ([400] * 4, [200], "; also in all 3 other responses with 400."),
        (
            [404, 400, 404, 401],
            [200, 201],
            "; also in all 3 other responses with 400, 401 or 404.",
        ),
        ([400] * 4, [], "; also in all 3 other responses with 400."),
        ([200, 201, 400, 401, 404], [], "; also in all 4 other responses."),
        ([200, 201, 400, 401, 404], [500], ", GET /pets?limit=3 and 1 more."),
        ([400] * 4, None, "; also in GET /pets?limit=1, GET /pets?limit=2, GET /pets?limit=3."),
        ([400] * 4, [200, 400], "; also in GET /pets?limit=1, GET /pets?limit=2, GET /pets?limit=3."),
        ([400] * 3, [200], "; also in GET /pets?limit=1, GET /pets?limit=2."),
        (
            [404, *[400] * 4, 404],
            [200, 404],
            "; also in all 3 other responses with 400, and in 2 more (404 to GET /pets).",
        ),
        (
            [*[400] * 4, 404, 405, 409],
            [200, 404, 405, 409],
            "; also in all 3 other responses with 400, "
            "and in 3 more (404 to GET /pets, 405 to GET /pets, 409 to GET /pets).",
        ),
        (
            [*[400] * 4, 404, 405, 409, 410],
            [200, 404, 405, 409, 410],
            ", and in 4 more (404 to GET /pets, 405 to GET /pets, 409 to GET /pets, …).",
        ),
    ],
)
def test_statuses_that_are_always_wrong_are_named(statuses: list[int], held: list[int], ending: str) -> None:
    rows = [
        (exchange(Operation.LIST_PETS, status, path=f"/pets?limit={n}" if n else "/pets", index=n), Problem("wrong"))
        for n, status in enumerate(statuses)
    ]
    right = [exchange(Operation.LIST_PETS, status) for status in held] if held is not None else None
    assert failed_by("7", rows, right).text.endswith(ending)


@pytest.mark.parametrize(
    ("texts", "ending"),
    [
        ("Reset is 60", "; also in 2 other responses with 400; Reset is missing in 2 responses with 401."),
        ("Reset is 60;Reset is 9", "; also in 2 other responses with 400; Reset is missing in 2 responses with 401."),
        ("Reset is 60;Reset is text", "; also in all 4 other responses with 400 or 401."),
    ],
)
def test_a_header_that_is_wrong_here_and_missing_there_is_told_apart(texts: str, ending: str) -> None:
    wrong = texts.split(";")
    said = [(400, wrong[0]), (400, wrong[-1]), (400, wrong[0]), (401, "Reset is missing"), (401, "Reset is missing")]
    rows = [
        (exchange(status=status, path=f"/pets?limit={n}", index=n), Problem(text))
        for n, (status, text) in enumerate(said)
    ]
    assert failed_by("8", rows, []).text.endswith(ending)
    one, *others = rows
    alone = failed_by("8", [one, *others[2:], others[-1]], []).text
    assert alone.endswith("(section 8); Reset is missing in 3 responses with 401.")


def test_of_two_kinds_of_problems_each_is_counted() -> None:
    texts = ["Reset is 60"] * 3 + ["Reset is missing"] * 2
    rows = [
        (exchange(status=401 if "missing" in text else 400, path=f"/pets?limit={n}", index=n), Problem(text))
        for n, text in enumerate(texts)
    ]
    more, less = failed_by("8", rows[:4], []).text, failed_by("8", rows[1:], []).text
    assert more.endswith("; also in 2 other responses with 400; Reset is missing in 1 response with 401.")
    assert less.endswith("; also in 1 other response with 400; Reset is missing in 2 responses with 401.")
    right_too = exchange(status=200, path="/pets?limit=9", index=9), Problem("Reset is 60")
    mixed = failed_by("8", [*rows, right_too], [exchange(status=200)]).text
    assert mixed.endswith("; Reset is missing in 2 responses with 401, and in 1 more (200 to GET /pets).")


@pytest.mark.parametrize(("part", "silent"), [(STATUS, False), (BODY, True)])
def test_each_is_named_where_a_status_is_what_is_wrong_or_one_is_silent(part: str, silent: bool) -> None:
    statuses: list[int | Silence] = [400, 400, 400, 400, Silence.RESET if silent else 400]
    rows = [
        (exchange(status=status, path=f"/pets?limit={n}", index=n), Problem("wrong", part))
        for n, status in enumerate(statuses)
    ]
    assert "other responses" not in failed_by("7", rows, [exchange()]).text


def test_a_status_of_which_all_responses_are_wrong_comes_first() -> None:
    rows = [
        (exchange(status=status, path=f"/pets?limit={n}", index=n), Problem("wrong"))
        for n, status in enumerate((404, 400))
    ]
    assert failed_by("7", rows, [exchange()]).text.startswith("GET /pets?limit=0 returned 404")
    assert failed_by("7", rows, [exchange(status=404)]).text.startswith("GET /pets?limit=1 returned 400")


@pytest.mark.parametrize(("status", "first"), [(199, False), (200, True), (201, True), (299, True), (300, False)])
def test_what_is_accepted_by_mistake_comes_first(status: int, first: bool) -> None:
    accepted = exchange(status=status, path="/pets?limit=100", index=1)
    rows = [(one, Problem("wrong", STATUS, "400")) for one in (exchange(status=404, path="/pets"), accepted)]
    assert (failed_by("7", rows).proofs[0].exchange == accepted) == first


def test_a_request_of_a_thousand_bytes_is_not_very_long() -> None:
    url = exchange(path="/pets?limit=").request.url
    for length, longest in ((1_000, False), (1_001, True)):
        one = exchange(path=f"/pets?limit={'1' * (length - len(url))}")
        assert len(one.request.url) == length
        assert simplicity(one)[0] == longest


def test_a_very_long_request_comes_last() -> None:
    long = exchange(Operation.LIST_PETS, 400, path=f"/pets?limit={'1' * 1_100}", index=0)
    burst = replace(exchange(Operation.LIST_PETS, 400, path="/pets?limit=3", index=1), burst=1)
    rows = [(one, Problem("wrong")) for one in (long, burst)]
    assert failed_by("7", rows).proofs[0].exchange == burst


def test_a_rule_knows_which_statuses_are_right() -> None:
    seen = [
        exchange(status=400 if n < 4 else 200, path=f"/pets?limit={n}" if n else "/pets", index=n) for n in range(5)
    ]
    said: dict[int, Judgement] = {**dict.fromkeys(range(4), Problem("it is wrong")), 4: HOLDS}
    decision = decide_each(rule(said), seen, GROUNDS)
    assert isinstance(decision, Failed)
    assert decision.text == (
        "GET /pets returned 400: it is wrong (section 4.1); also in all 3 other responses with 400."
    )


def test_what_was_sent_and_the_status_are_named_if_they_differ_from_the_first() -> None:
    def refused(index: int, sent: str, status: int) -> tuple[Exchange, Problem]:
        post = exchange(Operation.CREATE_PET, status, asked=b"x" * (index + 1), index=index)
        return post, Problem(f"expected 400, got {status}", STATUS, "400", sent)

    rows = [refused(0, "no body", 201), refused(1, "no body", 409), refused(2, "no `name`", 201)]
    assert failed_by("4.2", rows).text == (
        "POST /pets with no body: expected 400, got 201; also in POST /pets with no `name`, POST /pets (409)."
    )
    assert failed_by("4.2", [rows[0], refused(3, "an array", 409)]).text == (
        "POST /pets with no body: expected 400, got 201; also in POST /pets with an array (409)."
    )
    other = (rows[1][0], replace(rows[1][1], part=header("X")))
    assert failed_by("4.2", [rows[2], other, rows[0]]).text == (
        "POST /pets with no body: expected 400, got 201; also in POST /pets with no `name`."
    )


def test_the_same_request_is_not_named_twice() -> None:
    twice = [(exchange(Operation.STORE_ORDERS, 500, index=n), Problem("wrong")) for n in range(2)]
    assert failed_by("7", twice).text == "GET /store/orders returned 500: wrong (section 7)."


def test_the_example_that_was_simplified_is_left_to_the_verdict() -> None:
    found, other = (exchange(path=f"/pets?limit={limit}", index=index) for limit, index in ((83, 1), (72, 2)))
    simple = replace(exchange(path="/pets?limit=71", index=3), simplifies=1)
    said = failed_by("4.1", [(one, Problem("wrong")) for one in (found, other, simple)])
    assert said.text == "GET /pets?limit=71 returned 200: wrong (section 4.1); also in GET /pets?limit=72."
    assert found in said.wrong


def test_what_got_a_5xx_comes_last_however_short_it_is() -> None:
    crash, wrong = exchange(status=500), exchange(status=499, path="/pets?limit=100&status=available", index=1)
    silent = exchange(status=Silence.RESET, path="/pets?limit=10", index=2)
    assert sorted([crash, wrong, silent], key=simplicity) == [silent, wrong, crash]


def test_simplicity_includes_the_body_and_the_earlier_of_equals_comes_first() -> None:
    bodies = [b"{}", None, b"", b"{ }", b"{}"]
    posts = [exchange(Operation.CREATE_PET, asked=body, index=n) for n, body in enumerate(bodies)]
    assert [post.index for post in sorted(posts, key=simplicity)] == [1, 2, 0, 4, 3]


def test_a_request_that_was_sent_alone_is_simpler_than_one_of_a_burst() -> None:
    burst, keyless = replace(exchange(), burst=1), exchange(credential=Credential.MISSING, index=1)
    assert sorted([burst, keyless], key=simplicity) == [keyless, burst]


def test_a_failure_that_only_bursts_show_says_how_many_requests_there_were() -> None:
    record = [replace(exchange(path=f"/pets?limit={n}", index=n), burst=1 + n // 3) for n in range(5)]
    wrong_at = dict.fromkeys(range(5), HOLDS)

    def said(*indices: int) -> str:
        judgements: dict[int, Judgement] = {**wrong_at, **{n: Problem("wrong") for n in indices}}
        decision = decide_from_tries(rule(judgements), record, GROUNDS)
        assert isinstance(decision, Failed)
        return among_others(decision, record)

    assert said(3) == ""
    record.append(exchange(index=5))
    wrong_at[5] = HOLDS
    assert said(3) == ""  # another request shows nothing
    record.append(exchange(path="/pets?limit=3", index=6))
    wrong_at[6] = HOLDS
    assert said(3) == " This was one of 2 requests at the same time."
    assert said(0, 3) == " These were some of 3 requests at the same time."
    record[6] = replace(record[6], again=3)
    assert said(3, 6) == ""  # it fails alone as well
    record[6] = replace(record[6], again=None)
    assert said(0, 5) == ""


def test_a_valid_key_and_the_plain_form_are_simpler_than_a_short_request() -> None:
    long = exchange(path="/pets?limit=100&status=available", index=0)
    formed = exchange(form=Form.UPPER, index=1)
    keyless = exchange(credential=Credential.MISSING, index=2)
    assert sorted([keyless, formed, long], key=simplicity) == [long, formed, keyless]


def test_the_last_form_of_an_example_is_simpler_than_others_of_its_length() -> None:
    found, first, last = (exchange(path=f"/pets?limit={90 - n}", index=n) for n in range(3))
    shorter = exchange(path="/pets?limit=9", index=9)
    forms = [found, replace(first, simplifies=0), replace(last, simplifies=0), shorter]
    assert [one.index for one in sorted(forms, key=simplicity)] == [9, 2, 1, 0]


# ---- tries


@pytest.mark.parametrize(
    ("statuses", "kept"),
    [
        ((200,), [0]),
        ((503, 200), [1]),
        ((503,), []),
        ((503, 502), [1]),
        ((Silence.RESET, 200), [1]),
        ((Silence.RESET, Silence.TIMEOUT), [1]),
        ((Silence.RESET, 504), [1]),
        ((503, 503, 200), [1, 2]),
        ((503, 200, 503, 200), [1, 3]),
        ((503, 200, 503), [1]),
        ((500, 200), [0, 1]),
        # where nothing listens, no server was asked
        ((Silence.UNREACHABLE, Silence.UNREACHABLE, 200), [2]),
        ((Silence.RESET, Silence.UNREACHABLE, Silence.RESET, 200), [2, 3]),
        # a body that was cut short, however often, is one of these
        ((Silence.CUT_SHORT, 200) * 9, list(range(1, 18, 2))),
        ((Silence.CUT_SHORT, 200) * 9 + (Silence.CUT_SHORT,), list(range(1, 18, 2))),
        ((Silence.CUT_SHORT, Silence.CUT_SHORT, 200), [1, 2]),
        # a proxy says nothing about the server
        ((Silence.PROXY, Silence.PROXY, 200), [2]),
        ((Silence.INTERRUPTED, Silence.INTERRUPTED, 200), [2]),
    ],
)
def test_a_failed_try_counts_if_it_is_repeated(statuses: tuple[int | Silence, ...], kept: list[int]) -> None:
    record = [exchange(status=status, index=n) for n, status in enumerate(statuses)]
    assert [one.index for one in final_tries(record)] == kept


def tried(*tries: tuple[int | Silence, int | None, int | None], **more: object) -> list[int]:
    """The indices of the tries of one request that count; each is a status, a burst, and what it repeats."""
    record = [
        replace(exchange(status=status, index=n, **more), burst=burst, again=again)  # type: ignore[arg-type]
        for n, (status, burst, again) in enumerate(tries)
    ]
    return [one.index for one in final_tries(record)]


def test_probes_without_an_answer_are_no_tries() -> None:
    """Two restarts of a second each: what was sent only to see whether the server answers shows nothing else."""
    tries = [
        exchange(status=Silence.RESET if at in (1, 5) else 200, path=f"/pets?limit={at % 4}", sent=float(at), index=at)
        for at in range(7)
    ]
    assert [one.index for one in final_tries(tries)] == [0, 2, 3, 4, 5, 6]
    probes = [replace(one, cause=TO_PROBE) for one in tries]
    assert [one.index for one in final_tries(probes)] == [0, 2, 3, 4, 6]


TIMEOUT, RESET = Silence.TIMEOUT, Silence.RESET


@pytest.mark.parametrize(
    ("tries", "kept"),
    [
        # the same burst again is a second try, once the request was answered alone
        ([(TIMEOUT, 1, None), (TIMEOUT, 2, 0), (200, None, 1)], [1, 2]),
        ([(TIMEOUT, 1, None), (TIMEOUT, 2, 0), (TIMEOUT, None, 1), (TIMEOUT, None, 1)], [1, 3]),
        ([(TIMEOUT, 1, None), (TIMEOUT, 2, 0)], []),
        # answered when it was sent again, together or alone
        ([(TIMEOUT, 1, None), (200, 2, 0), (TIMEOUT, 3, 1), (200, None, 2)], [1, 3]),
        ([(TIMEOUT, 1, None), (200, None, 0)], [1]),
        ([(TIMEOUT, 1, None), (TIMEOUT, None, 0), (200, None, 0)], [2]),
        # another request of the burst is another one
        ([(TIMEOUT, 1, None), (200, 1, None), (TIMEOUT, 2, 1), (200, None, 2)], [1, 3]),
        ([(502, 1, None), (502, 2, 0)], [1]),
        # what only limits connections never counts
        ([(RESET, 1, None), (RESET, 2, 0), (200, None, 1)], [2]),
        ([(Silence.UNREACHABLE, 1, None), (Silence.TLS, 2, 0), (200, None, 1)], [2]),
        ([(RESET, None, None), (RESET, None, 0)], [1]),
        # what they repeat may be no part of the record
        ([(TIMEOUT, 1, 100), (TIMEOUT, 2, 101), (200, None, 101)], [2]),
        ([(TIMEOUT, 1, 100), (TIMEOUT, 2, 100), (200, None, 100)], [1, 2]),
    ],
)
def test_a_try_in_a_burst_counts_if_the_same_burst_fails_again(
    tries: list[tuple[int | Silence, int | None, int | None]], kept: list[int]
) -> None:
    assert tried(*tries) == kept


@pytest.mark.parametrize(("sent", "kept"), [(2.0, [1, 2]), (1.9, [2])])
def test_it_is_sent_alone_once_the_burst_has_failed(sent: float, kept: list[int]) -> None:
    record = [
        replace(exchange(status=TIMEOUT, index=n, sent=n, took=1.0), burst=n + 1, again=n and 0) for n in range(2)
    ]
    record = [replace(record[0], finished=0.5, again=None), record[1], replace(exchange(index=2, sent=sent), again=0)]
    assert [one.index for one in final_tries(record)] == kept


@pytest.mark.parametrize("status", [429, 503])
def test_a_refusal_with_retry_after_in_a_burst_limits_connections(status: int) -> None:
    again: list[tuple[int | Silence, int | None, int | None]] = [(status, 1, None), (status, 2, 0), (200, None, 1)]
    assert tried(*again, headers=[("Retry-After", "1")]) == [2]
    assert tried(*again, headers=[("Retry-After", "soon")]) == ([1, 2] if status == 503 else [0, 1, 2])
    # one of the rate limit has its headers
    assert tried(*again, headers=[("Retry-After", "1"), ("X-RateLimit-Limit", "9")]) == (
        [2] if status == 503 else [0, 1, 2]
    )
    alone = [exchange(status=status, index=n, headers=[("Retry-After", "1")]) for n in range(2)]
    assert [one.index for one in final_tries(alone)] == ([1] if status == 503 else [0, 1])
    overlapping = [replace(one, sent=0.0, finished=1.0) for one in alone]
    assert final_tries(overlapping) == ()


@pytest.mark.parametrize(
    ("statuses", "kept"),
    [
        # the target was gone after it, so it may have ended the target
        ((200, Silence.RESET, Silence.UNREACHABLE), [0, 1]),
        ((Silence.RESET, Silence.UNREACHABLE), [0]),
        # the first of those without an answer did; of the others, a second try counts
        ((200, Silence.RESET, Silence.TIMEOUT, Silence.UNREACHABLE), [0, 1]),
        ((200, Silence.RESET, Silence.TIMEOUT, Silence.RESET, Silence.UNREACHABLE), [0, 1, 3]),
        # the target answered again, or nothing shows that it was gone
        ((Silence.RESET, Silence.UNREACHABLE, 200), [2]),
        ((200, Silence.RESET), [0]),
        ((200, Silence.RESET, Silence.PROXY), [0]),
        ((200, Silence.UNREACHABLE), [0]),
        # it never reached the target
        ((200, Silence.UNREACHABLE, Silence.UNREACHABLE), [0]),
        ((200, Silence.PROXY, Silence.UNREACHABLE), [0]),
        ((200, Silence.INTERRUPTED, Silence.UNREACHABLE), [0]),
    ],
)
def test_the_last_request_before_the_target_was_gone_counts_at_once(
    statuses: tuple[int | Silence, ...], kept: list[int]
) -> None:
    record = [exchange(status=status, index=n) for n, status in enumerate(statuses)]
    assert [one.index for one in final_tries(record)] == kept


def test_the_last_request_before_the_end_was_sent_alone_and_may_have_been_lost_on_a_kept_connection() -> None:
    answered, unanswered = exchange(), exchange(status=Silence.RESET, index=1)
    gone = exchange(status=Silence.UNREACHABLE, index=2)
    assert final_tries([answered, replace(unanswered, burst=1), gone]) == (answered,)
    resent = replace(exchange(status=Silence.UNREACHABLE, index=1), resent=True)
    assert final_tries([answered, resent, gone]) == (answered, resent)


def test_a_second_try_is_sent_after_the_first_has_failed() -> None:
    record = [exchange(status=502, index=n, sent=n / 10, took=1.0) for n in range(2)]
    assert final_tries(record) == ()
    assert [one.index for one in final_tries([*record, exchange(status=502, index=2)])] == [2]
    assert [one.index for one in final_tries([*record, exchange(status=502, index=2, sent=1.0)])] == [2]


def test_tries_belong_to_one_request() -> None:
    record = [exchange(status=503, path=path, index=n) for n, path in enumerate(["/pets", "/pets?limit=1", "/pets"])]
    assert [one.index for one in final_tries(record)] == [2]


def test_only_a_rule_that_needs_them_sees_failed_first_tries() -> None:
    record = [exchange(status=503, index=0), exchange(status=200, index=1)]
    seen: list[tuple[list[int], Grounds]] = []

    def over(tries: Sequence[Exchange], grounds: Grounds) -> Undecided:
        seen.append(([one.index for one in tries], grounds))
        return Undecided("It does not matter.")

    for every_try in (False, True):
        asked = Rule("LIST-1", over=over, every_try=every_try)
        assert decide_from_tries(asked, record, GROUNDS) == Undecided("It does not matter.")
    assert seen == [([1], GROUNDS), ([0, 1], GROUNDS)]


def test_the_proofs_show_each_status_that_is_wrong() -> None:
    rows = [(exchange(status=status, path=f"/pets?limit={n}", index=n), Problem("wrong")) for n, status in enumerate(
        [200] * 12 + [404, 401]
    )]  # fmt: skip
    proofs = failed_by("8", rows).proofs
    assert [proof.exchange.status for proof in proofs] == [200, 404, 401, *[200] * 7]


def test_what_is_no_5xx_is_told_first() -> None:
    rows = [(exchange(status=status, index=status), Problem("expected 401", STATUS)) for status in (500, 200)]
    assert [proof.exchange.status for proof in failed_by("5", rows).proofs] == [200, 500]


def test_requests_with_a_comma_in_their_words_are_set_apart_by_semicolons() -> None:
    posts = [exchange(Operation.CREATE_PET, 500, index=n) for n in range(3)]
    words = ("null", "7, beyond int64, as `categoryId`", "no body")
    rows = [(post, Problem("expected 400", STATUS, sent=sent)) for post, sent in zip(posts, words, strict=True)]
    assert failed_by("4.2", rows).text == (
        "POST /pets with null: expected 400; "
        "also in POST /pets with 7, beyond int64, as `categoryId`; POST /pets with no body."
    )


def test_a_further_request_is_named_with_what_differs() -> None:
    """What was sent with it, or its wrong status, is told again only if it is another."""
    lists = [exchange(path=f"/pets?limit={n}", status=status, index=n) for n, status in ((1, 422), (2, 422), (3, 404))]
    first, same, other = (Problem("expected 400", STATUS, sent="no key") for _ in lists)
    said = failed_by("4.1", [*zip(lists, (first, same, other), strict=True)]).text
    assert said == "GET /pets?limit=1 with no key: expected 400; also in GET /pets?limit=2, GET /pets?limit=3 (404)."
    differs = replace(same, sent="a random key")
    said = failed_by("4.1", [*zip(lists, (first, differs, replace(other, part="body")), strict=True)]).text
    assert said == (
        "GET /pets?limit=1 with no key: expected 400; also in GET /pets?limit=2 with a random key, GET /pets?limit=3."
    )
