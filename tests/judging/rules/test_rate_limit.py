"""The rules of section 8 over whole records: how Remaining changes, and the answers to requests over the limit."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import date
from email.utils import formatdate
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petcheck.call import Call, Credential
from petcheck.exchange import Exchange, Response, Silence
from petcheck.judging.apply import decide
from petcheck.judging.decision import Ask, Decision, Failed, Held, Proof, Undecided
from petcheck.judging.judgement import HOLDS, NOT_CONCERNED, Grounds
from petcheck.judging.matchers import described
from petcheck.judging.rules import RULE
from petcheck.spec.figures import PLANS
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, rates, unix
from tests.support.quota_kinds import Bucket, Fixed, Kind, Server, Sliding, any_run, any_server, page, wait_out

GROUNDS = Grounds(date(2026, 11, 21))
REMAINING = "header:X-RateLimit-Remaining"
POST = Call(Operation.CREATE_PET, body=b"{}")


def decided(number: int, record: Sequence[Exchange], grounds: Grounds = GROUNDS) -> Decision:
    return decide(RULE[f"RATE-{number}"], record, grounds)


def settled(number: int, server: Server) -> Decision:
    """The decision after sending the requests that the rule asks for."""
    for _ in range(3):
        decision = decided(number, server.record)
        if not isinstance(decision, Ask):
            return decision
        server.now = max(server.now, decision.not_before)
        for call in decision.calls:
            server.send(call)
    raise AssertionError("it asks again and again")


def run(server: Server, number: int, every: float = 0.02) -> Server:
    """That many requests, POSTs and pages alternately."""
    for count in range(number):
        server.now += every
        server.send(*((POST, 201) if count % 2 else (page(len(server.record)), 200)))
    return server


def failed(decision: Decision) -> Failed:
    assert isinstance(decision, Failed), decision
    return decision


# ---- every quota that section 8 allows


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), requests=st.sampled_from([10, 40, 150]))
def test_no_conforming_quota_fails(seed: int, requests: int) -> None:
    draw = Random(seed)
    server = any_server(draw)
    shared = any_run(draw, server, requests)
    # other clients that repeatedly use up the rest unseen look like a limit that is not enforced
    for number in (1, 2, 3, 4, 6, 7) if shared else (1, 2, 3, 4, 6, 7, 8, 9):
        decision = settled(number, server)
        assert not isinstance(decision, Failed), (number, decision.text)


def test_a_request_that_costs_two_is_refused_while_one_is_left() -> None:
    draw = Random(1_662_810)
    server = any_server(draw)
    any_run(draw, server, 10)
    assert server.record[10].status == 429
    assert isinstance(decided(8, server.record), Undecided | Held)


def test_a_fraction_of_a_request_that_came_free_may_be_rounded_up() -> None:
    draw = Random(100_663)
    server = any_server(draw)
    assert not any_run(draw, server, 150)
    assert not isinstance(settled(8, server), Failed)


@pytest.mark.parametrize("seed", [1481, 2662, 4011, 4739])
def test_earlier_requests_may_come_free_although_a_429_says_that_the_quota_is_used_up(seed: int) -> None:
    draw = Random(seed)
    server = any_server(draw)
    assert not any_run(draw, server, 150)
    assert not isinstance(settled(4, server), Failed)


@pytest.mark.parametrize(
    "kind",
    [
        Fixed(300, 60.0),
        Fixed(1000, 86_400.0, aligned=True),
        Sliding(300, 60.0),
        Sliding(300, 60.0, first_free=False),
        Sliding(300, 60.0, step=1.0, first_free=False),
        Bucket(300, 5.0, 300),
    ],
    ids=["fixed", "day", "sliding", "sliding from now", "counted by seconds", "bucket"],
)
@pytest.mark.parametrize("rounded", ["ceil", "floor", "jitter", "fraction"])
def test_a_quota_that_counts_holds(kind: Kind, rounded: str) -> None:
    """A pass is earned: forty requests show it for every kind."""
    server = run(Server(deepcopy(kind), rounded=rounded), 40)
    assert settled(4, server) == Held(tuple(server.record))


# ---- quotas that are reported wrongly


@dataclass
class WrongHeaders(Server):
    """Wrong headers, made from the right Limit, Remaining and Reset, the time, and the number of the request."""

    lie: Callable[[int, int, float, float, int], tuple[object, object, object]] = lambda a, b, c, d, e: (a, b, c)

    def _answer(self, url: str, method: str, status: int, now: float) -> Response:
        answer = super()._answer(url, method, status, now)
        values = [float(answer.header(f"X-RateLimit-{name}") or 0) for name in ("Limit", "Remaining", "Reset")]
        headers = self.lie(int(values[0]), int(values[1]), values[2], unix(0) + now, len(self.record))
        others = [(name, value) for name, value in answer.headers if not name.startswith("X-RateLimit")]
        return replace(answer, headers=(*rates(*headers), *others))


@pytest.mark.parametrize(
    ("lie", "text"),
    [
        (lambda a, b, r, now, n: (300, 299, int(now) + 60), "X-RateLimit-Remaining is 299 of 300, although "),
        (lambda a, b, r, now, n: (300, 150, int(now) + 60), "X-RateLimit-Remaining stayed at 150 over "),
        (lambda a, b, r, now, n: (300, 150, int(r)), "X-RateLimit-Remaining stayed at 150 over "),
        (lambda a, b, r, now, n: (300, 100 + n, int(now) + 60), "X-RateLimit-Remaining rose from 100 to "),
        (lambda a, b, r, now, n: (300, 100 + n, int(r)), "X-RateLimit-Remaining rose from "),
        (lambda a, b, r, now, n: (300, 300 - n // 3, int(r)), "X-RateLimit-Remaining (went|is) "),
        (lambda a, b, r, now, n: (300, 300 - n // 3, int(now) + 60), "X-RateLimit-Remaining is "),
        (lambda a, b, r, now, n: (300, 300 if n % 4 else b, int(r)), "X-RateLimit-Remaining (rose|is) "),
        (lambda a, b, r, now, n: (b, b, int(r)), "X-RateLimit-Limit always equals X-RateLimit-Remaining; both went "),
    ],
    ids=range(9),
)
@pytest.mark.parametrize("latency", [0.004, 0.05])
def test_headers_that_do_not_cover_the_spent_requests_fail(
    lie: Callable[[int, int, float, float, int], tuple[object, object, object]], text: str, latency: float
) -> None:
    found = failed(settled(4, run(WrongHeaders(Fixed(300, 60.0), lie=lie, latency=latency), 40)))
    assert re.search(f": {text}", found.text)
    assert found.text.endswith(" (section 8).")
    shown, before = found.proofs
    assert shown.part == before.part == ("header:X-RateLimit-Limit" if "always equals" in text else REMAINING)
    assert before.exchange.sent < shown.exchange.sent
    # a report shows the first proof, so the text is about that one
    assert found.text.startswith(f"{described(shown.exchange)}: ")
    assert "counted apart" not in found.text
    assert before.exchange in found.examined
    assert shown.exchange in found.examined


# ---- a Reset that is not a Unix time


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**9), requests=st.sampled_from([10, 40, 150]))
def test_seconds_to_go_as_reset_break_nothing_but_rate_3(seed: int, requests: int) -> None:
    draw = Random(seed)
    server = any_server(draw)
    server.rounded = "to go"
    shared = any_run(draw, server, requests)
    for number in (1, 2, 4, 6, 7) if shared else (1, 2, 4, 6, 7, 8, 9):
        decision = settled(number, server)
        assert not isinstance(decision, Failed), (number, decision.text)


@pytest.mark.parametrize(
    "kind", [Fixed(300, 60.0), Sliding(300, 60.0, first_free=False), Bucket(300, 5.0, 300)], ids=["fixed", "moves", "b"]
)
def test_seconds_to_go_as_reset_still_show_that_a_quota_counts(kind: Kind) -> None:
    server = run(Server(deepcopy(kind), rounded="to go"), 40)
    assert settled(4, server) == Held(tuple(server.record))


@dataclass
class CountedApart(Server):
    """A quota of its own for each method."""

    posts: Kind | None = None

    def _answer(self, url: str, method: str, status: int, now: float) -> Response:
        self.posts = self.posts or deepcopy(self.kind)
        if method == "POST":
            self.kind, self.posts = self.posts, self.kind
        answer = super()._answer(url, method, status, now)
        if method == "POST":
            self.kind, self.posts = self.posts, self.kind
        return answer


@pytest.mark.parametrize("rounded", ["ceil", "to go"])
@pytest.mark.parametrize("limit", [60, 1000])
def test_requests_counted_apart_by_operation_fail(rounded: str, limit: int) -> None:
    server = run(CountedApart(Fixed(limit, 60.0), rounded=rounded), 40)
    found = failed(settled(4, server))
    assert found.text.endswith("; the requests to each operation seem to be counted apart (section 8).")
    assert found.text.startswith(f"{described(found.proofs[0].exchange)}: X-RateLimit-Remaining ")


def to_go(at: float, left: int, seconds: object) -> Exchange:
    """A page's answer at that time, with Reset in seconds to go, or something else."""
    return exchange(path=f"/pets?limit={int(at * 10)}", headers=rates(60, left, seconds), index=int(at * 10), sent=at)


def test_a_rise_fails_once_seconds_to_go_have_fallen_with_the_clock() -> None:
    record = [to_go(2 + n / 5, left, 58) for n, left in enumerate((50, 49, 55))]
    question = decided(4, record)
    assert isinstance(question, Ask)
    stays, moves = ([*record, to_go(4.3, 54, seconds)] for seconds in (56, 58))
    assert "rose from 49 to 55 in one window" in failed(decided(4, stays)).text
    # a window that slides, a minute from now each time
    assert isinstance(decided(4, moves), Undecided)


def test_a_rise_after_the_seconds_to_go_is_in_another_window() -> None:
    fell = [to_go(2 + n, 9 - n, 10 - n) for n in range(8)]
    assert isinstance(decided(4, [*fell, *(to_go(13 + n, 59 - n, 59 - n) for n in range(8))]), Held)
    record = [to_go(2 + n, left, 40 - n) for n, left in enumerate((9, 8, 7, 6, 5, 4, 59, 58))]
    assert "rose from 4 to 59 in one window" in failed(decided(4, record)).text


@pytest.mark.parametrize("reset", ["2026-11-21T12:01:00Z", "never", unix(-3600), 0])
def test_a_reset_that_names_no_time_ahead_passes_nothing(reset: object) -> None:
    record = [to_go(1 + n / 10, left, reset) for n, left in enumerate((59, 58, 57, 59, 56, 58, 55, 54))]
    assert decided(4, record) == Undecided(
        "By our clock, no X-RateLimit-Reset is a Unix time ahead, so nothing tells a new window from a wrong count; "
        "see RATE-3.",
        examined=tuple(record),
    )


@pytest.mark.parametrize("seconds", [50, 40])
def test_a_429_with_seconds_to_go_is_early_if_its_own_window_has_some_left(seconds: int) -> None:
    record = [to_go(2 + n, 9 - n, 58 - n) for n in range(8)]
    headers = (*rates(60, 2, seconds), ("Retry-After", str(seconds)))
    late = exchange(path="/pets?limit=99", status=429, headers=headers, index=99, sent=10.0)
    decision = decided(8, [*record, late])
    if seconds == 50:
        assert failed(decision).text.startswith("A 429 has X-RateLimit-Remaining 2")
    else:
        assert isinstance(decision, Undecided)


def test_a_doubt_within_the_second_hidden_by_rounding_is_settled_by_another_request() -> None:
    """Reset may follow the clock: then the rise proves nothing, and one more request settles it."""
    window = [rates(60, left, unix(60)) for left in (50, 49, 55)]
    record = [
        exchange(path=f"/pets?limit={n}", headers=sent_headers, index=n, sent=2 + n / 5)
        for n, sent_headers in enumerate(window)
    ]
    question = decided(4, record)
    assert isinstance(question, Ask)
    assert question.calls == (Call(Operation.LIST_PETS, query=(("limit", "1"), ("status", "available"))),)
    assert question.not_before == pytest.approx(2.1 + 2.2)
    assert question.otherwise == Undecided(
        "X-RateLimit-Remaining moved as only a sliding window allows, and no response shows whether the window slides.",
        examined=tuple(record),
    )
    stays, moves = (
        exchange(path="/pets?limit=9", headers=rates(60, 54, unix(reset)), index=3, sent=4.3) for reset in (60, 62)
    )
    assert "rose from 49 to 55" in failed(decided(4, [*record, stays])).text
    assert isinstance(decided(4, [*record, moves]), Undecided)
    late = exchange(status=500, index=3, sent=3.3)
    assert isinstance(decided(4, [*record, late]), Undecided)


def test_the_second_hidden_by_rounding_includes_its_end() -> None:
    record = [
        exchange(path="/pets?limit=1", headers=rates(60, 49, unix(60)), took=0.0),
        exchange(path="/pets?limit=2", headers=rates(60, 55, unix(60)), sent=1.1),
    ]
    assert isinstance(decided(4, record), Ask)


NO_HEADERS = (
    "No response to the valid key had readable rate limit headers that no cache can have sent; see RATE-1 to RATE-3."
)


def test_undocumented_requests_are_ignored() -> None:
    lies = [
        exchange(Operation.GET_PET, path=f"/pets/{n}", headers=rates(60, 50, unix(60)), index=n, sent=n / 4)
        for n in range(10)
    ]
    assert isinstance(decided(4, lies), Failed)
    removed = decided(4, lies, replace(GROUNDS, as_of=date(2030, 12, 5)))
    assert removed == Undecided(NO_HEADERS)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ([], NO_HEADERS),
        (
            [exchange(headers=rates(60, 9, unix(60)))],
            "Only 1 request was served that no cache can have answered; judging needs 6.",
        ),
        (
            [exchange(status=400, headers=rates(60, 9, unix(60)))],
            "No request was served that no cache can have answered; judging needs 6.",
        ),
        (
            [
                exchange(path=f"/pets?limit={n}", headers=rates(60 + n, 9, unix(60)), index=n, sent=n)
                for n in range(1, 9)
            ],
            "X-RateLimit-Limit took 8 values, each in too few responses to compare.",
        ),
        (
            [
                exchange(path=f"/pets?limit={n}", headers=rates(60 + n, 9, unix(60)), index=n, sent=n)
                for n in range(1, 3)
            ],
            "X-RateLimit-Limit took 2 values, each in too few responses to compare.",
        ),
        (
            [
                exchange(path=f"/pets?limit={n}", headers=rates(1000, 999, unix(n + 1)), index=n, sent=n)
                for n in range(1, 7)
            ],
            "A quota of 1000 may refill as fast as requests were sent, so X-RateLimit-Remaining does not have to fall.",
        ),
    ],
    ids=range(6),
)
def test_a_reason_names_the_obstacle(record: list[Exchange], reason: str) -> None:
    option = "--allow-writes" if "needs 6" in reason else None
    assert decided(4, record) == Undecided(reason, option, tuple(record))


def test_too_few_requests_are_settled_by_allowing_writes() -> None:
    few = [exchange(headers=rates(60, 9, unix(60)))]
    options = [decided(4, few, replace(GROUNDS, writes=writes)) for writes in (False, True)]
    assert [option.settled_by for option in options if isinstance(option, Undecided)] == ["--allow-writes", None]


def test_cached_answers_are_ignored() -> None:
    server = Server(Fixed(300, 60.0), cached_s=10.0)
    for _ in range(5):
        run(server, 10)
        server.send(page(1))
    assert isinstance(settled(4, server), Held)


# ---- over the limit


def used_up(kind: Kind, number: int, **more: object) -> Server:
    """A server whose quota is used up by pages, with a wait after each 429."""
    server = Server(kind, **more)  # type: ignore[arg-type]
    for count in range(number):
        answered = server.send(page(count))
        if answered.status == 429:
            wait_out(server, answered)
    return server


def changed(server: Server, place: int, **answer: object) -> list[Exchange]:
    """The record with another answer at one position."""
    record = [*server.record]
    assert isinstance(record[place].answer, Response)
    record[place] = replace(record[place], answer=replace(record[place].answer, **answer))  # type: ignore[arg-type]
    return record


def test_a_quota_that_is_enforced_holds() -> None:
    server = used_up(Fixed(60, 60.0), 70)
    assert server.record[60].status == 429
    for number, examined in ((6, [59, 60]), (7, [60]), (8, [59, 60]), (9, [60, 61])):
        decision = decided(number, server.record)
        assert isinstance(decision, Held)
        assert [one.index for one in decision.examined] == examined


def test_nothing_was_used_up() -> None:
    record = run(Server(Fixed(60, 60.0)), 5).record
    found = [decided(number, record) for number in (6, 7, 8, 9)]
    assert [(one.reason, one.settled_by, one.tried) for one in found if isinstance(one, Undecided)] == [
        ("No request exceeded the rate limit.", "--exhaust-rate-limit", False),
        ("No 429 was returned.", "--exhaust-rate-limit", False),
        ("No 429 for the quota of the valid key was returned.", "--exhaust-rate-limit", True),
        ("No 429 for the quota of the valid key was returned.", "--exhaust-rate-limit", True),
    ]


def test_one_request_served_over_the_limit_fails() -> None:
    server = used_up(Fixed(60, 60.0), 62)
    refusal = server.record[60]
    assert isinstance(refusal.answer, Response)
    server.record[60] = replace(refusal, answer=replace(refusal.answer, status=200))
    sent, finished = refusal.sent + 0.01, refusal.finished + 0.01
    server.record[61:] = [replace(server.record[0], index=61, answer=refusal.answer, sent=sent, finished=finished)]
    found = failed(decided(6, server.record))
    assert found.text == (
        "The server served 1 more request although none were left: 61 requests were served in 0.3 s, the last with "
        "0 left, and the next got 429; expected 429 (section 8)."
    )
    assert [(proof.exchange.index, proof.part) for proof in found.proofs] == [
        (59, "header:X-RateLimit-Remaining"),
        (60, "header:X-RateLimit-Remaining"),
    ]


def test_two_requests_served_over_the_limit_fail() -> None:
    record = [answered(at, left) for at, left in ((1, 2), (2, 1), (3, 0), (3.125, 0), (3.25, 0))]
    assert failed(decided(6, record)).text == (
        "The server served 2 more requests although none were left: 4 requests were served in 2.1 s, the last with 0 "
        "left; expected 429 (section 8)."
    )


def test_a_request_that_waits_until_the_window_has_ended_fails() -> None:
    none_left = answered(1, 0)
    held = replace(answered(5, 59, reset=120), finished=60.0)
    assert decided(6, [none_left, held]) == Failed(
        "GET /pets?limit=5 was sent when none were left, and was served after 55 s, once the window had ended; "
        "expected 429 (section 8).",
        (Proof(none_left, REMAINING), Proof(held, REMAINING)),
    )


def test_requests_that_are_held_back_for_a_second_fail() -> None:
    at_once = [answered(n / 4, 5 - n) for n in range(6)]
    held = [replace(answered(2 + n, 0), finished=3.0 + n) for n in range(5)]
    assert decided(6, [*at_once, *held]) == Failed(
        "5 requests were served when none were left, each after 1.0 s or more, and none before them took more than "
        "0.0 s; expected 429 (section 8).",
        (Proof(held[0], REMAINING), Proof(held[-1], REMAINING)),
    )


def test_a_failure_without_any_served_request_begins_a_sentence() -> None:
    found = failed(decided(6, [refused(1, 0), answered(2, 0, status=403)]))
    assert found.text == "No request was served (got 403); expected 429 (section 8)."


def test_a_limit_that_is_not_enforced_fails() -> None:
    wrong = WrongHeaders(Fixed(10**6, 60.0), lie=lambda a, b, r, now, n: (60, 59 - n % 60, int(now) + 60), latency=0.01)
    found = failed(decided(6, run(wrong, 120, every=0.0).record))
    assert found.text.startswith("The limit of 60 is not enforced: 75 requests were served in 0.8 s, the last")


def test_requests_are_counted_until_the_late_429() -> None:
    server = used_up(Fixed(60, 60.0), 61)
    served = changed(server, 60, status=200)[60]
    refusal = replace(server.record[60], request=replace(served.request, url="https://h/v1/pets?limit=99"))
    found = failed(decided(6, [*server.record[:60], served, refusal]))
    assert "61 requests were served in 0.2 s, the last with 0 left, and the next got 429;" in found.text


def test_a_429_of_an_earlier_window_does_not_end_the_count() -> None:
    server = used_up(Fixed(60, 60.0), 122, latency=0.05)
    assert [place for place, one in enumerate(server.record) if one.status == 429] == [60, 121]
    found = failed(decided(6, changed(server, 121, status=200)))
    assert "61 requests were served in 3.0 s, the last with 0 left;" in found.text


@pytest.mark.parametrize("status", [403, 503])
def test_a_different_status_over_the_limit_fails(status: int) -> None:
    record = changed(used_up(Fixed(60, 60.0), 61), 60, status=status, reason="Odd")
    second = replace(record[60], index=61, sent=record[60].finished, finished=record[60].finished + 0.004)
    record.append(second)
    found = failed(decided(6, record))
    assert found.text.endswith("; expected 429 (section 8).")
    assert found.text.startswith(
        f"60 requests were served in 0.2 s, the last with 0 left, and the next got {status} Odd;"
    )
    assert [(p.exchange.index, p.part) for p in found.proofs] == [
        (59, "header:X-RateLimit-Remaining"),
        (60 if status == 403 else 61, "status"),
    ]


def test_a_503_over_the_limit_whose_second_try_comes_in_the_next_window_fails_in_two_windows() -> None:
    server = used_up(Fixed(30, 60.0), 62)
    once = changed(server, 30, status=503)
    assert isinstance(decided(6, once), Held)
    assert isinstance(decided(6, once[:61]), Undecided)
    twice = [*once[:61], changed(server, 61, status=503)[61]]
    assert "and the next got 503" in failed(decided(6, twice)).text
    # without Retry-After, or with requests left, it is a gateway in trouble
    bare = [replace_headers(one) if one.status == 503 else one for one in twice]
    assert not isinstance(decided(6, bare), Failed)
    early = [one for place, one in enumerate(twice) if place not in (29, 60)]
    assert not isinstance(decided(6, early), Failed)


def replace_headers(found: Exchange) -> Exchange:
    assert isinstance(found.answer, Response)
    kept = tuple(pair for pair in found.answer.headers if pair[0] != "Retry-After")
    return replace(found, answer=replace(found.answer, headers=kept))


def test_a_different_status_while_requests_are_left_is_not_about_the_limit() -> None:
    record = changed(used_up(Fixed(60, 60.0), 31), 30, status=403)
    decision = decided(6, record)
    assert isinstance(decision, Undecided)
    assert decision.reason.startswith("The quota could not be used up: 30 requests were served in 0.1 s, the last with")


def early(server: Server, *places: int, left: int = 5) -> list[Exchange]:
    """The record with 429s whose answers before said that some were left."""
    record = [*server.record]
    for place in places:
        answer = record[place].answer
        assert isinstance(answer, Response)
        name = "X-RateLimit-Remaining"
        headers = tuple((key, str(left) if key == name else value) for key, value in answer.headers)
        record[place] = replace(record[place], answer=replace(answer, headers=headers))
    return record


def answered(at: float, left: int | None, *, reset: float = 60, status: int = 200, pause: int = 60) -> Exchange:
    """An answer that took hardly any time, with a quota of 60."""
    headers = rates(60, left, unix(reset), ("Retry-After", str(pause)))
    return exchange(status=status, headers=headers, path=f"/pets?limit={at:g}", index=int(at), sent=at, took=1 / 1024)


def refused(at: float, left: int | None = None, *, reset: float = 60, pause: int = 60) -> Exchange:
    return answered(at, left, reset=reset, status=429, pause=pause)


def test_figures_that_a_cache_may_have_renewed_unseen_are_not_counted() -> None:
    falling = [answered(n, 60 - n, reset=60) for n in range(1, 10)]
    renewed = replace(answered(12, 58, reset=60), request=falling[0].request)
    assert isinstance(decided(4, [*falling, renewed]), Held)
    assert isinstance(decided(4, [*falling, answered(12, 58, reset=60)]), Failed)
    post = replace(renewed, request=exchange(Operation.CREATE_PET, 201).request)
    assert isinstance(decided(4, [*falling, post, replace(post, sent=13.0, finished=13.1)]), Failed)


def test_a_rise_in_a_window_that_ended_before_it_was_known_to_be_fixed_is_never_passed() -> None:
    """Two processes that count by themselves: seen for half a second, and not again before the window ended."""
    rising = [answered(54 + n / 16, left) for n, left in enumerate((50, 40, 49, 39, 48, 38))]
    falling = [answered(61 + n / 2, 59 - n, reset=120) for n in range(8)]
    decision = decided(4, [*rising, *falling])
    assert isinstance(decision, Undecided)
    assert decision.reason == (
        "X-RateLimit-Remaining moved as only a sliding window allows, and no response shows whether the window slides."
    )
    assert decision.examined == (*rising, *falling)
    assert isinstance(decided(4, falling), Held)
    # a Reset that moves on before it is reached
    moving = [answered(52, 38, reset=58), *rising[:2], answered(56, 37, reset=62), *falling]
    assert not isinstance(decided(4, moving), Failed)


def test_a_429_without_an_earlier_answer_proves_nothing() -> None:
    alone = refused(1)
    assert decided(8, [alone]) == Undecided(
        "No response before the 429 said how many requests were left in that window.", examined=(alone,)
    )


@pytest.mark.parametrize("reset", [5, 8])
def test_a_429_at_the_end_of_a_window_may_be_of_the_next_one(reset: float) -> None:
    counted = [answered(place, 4 - place, reset=reset) for place in range(5)]
    last = refused(5, 0, reset=reset)
    at_its_end = Undecided(
        "The last response before the 429 had X-RateLimit-Remaining 0, but its window ended at about that time, so the "
        "429 may belong to the next one.",
        examined=(counted[4], last),
    )
    assert decided(8, [*counted, last]) == at_its_end
    # an earlier one that nothing came before says less
    alone = replace(last, sent=-1.0, finished=-0.5)
    assert decided(8, [alone, *counted, last]) == replace(at_its_end, examined=(alone, counted[4], last))
    assert isinstance(decided(8, [*(answered(place, 4 - place, reset=9) for place in range(5)), last]), Held)


def test_requests_whose_answers_count_nothing_may_have_used_the_rest() -> None:
    record = [answered(1, 1), answered(2, None), refused(3, 0)]
    assert decided(8, record) == Undecided(
        "The last response before the 429 had X-RateLimit-Remaining 1, but other requests since then may have used the "
        "rest.",
        examined=(record[0], record[2]),
    )


def early_429(left: int, option: str | None, *examined: Exchange) -> Undecided:
    said = (
        f"The server returned 429 right after a response with X-RateLimit-Remaining {left}, but other clients with "
        "the same key may have used the rest."
    )
    return Undecided(said if option else f"{said} {OWN_KEY}", option, examined)


OWN_KEY = "Run again with a key that no other client uses."


def test_an_early_429_may_be_caused_by_other_clients() -> None:
    own = [answered(1, 50), answered(2, 49), refused(3)]
    assert decided(8, own) == early_429(49, "--exhaust-rate-limit", *own[1:])
    shared = [answered(1, 50), answered(2, 40), refused(3, 5)]
    assert decided(8, shared) == early_429(40, None, *shared[1:])


def test_other_clients_are_not_blamed_where_each_request_costs_more_than_is_left() -> None:
    def early(*left: int) -> Undecided:
        found = decided(8, [*(answered(place, each) for place, each in enumerate(left)), refused(9, left[-1])])
        assert isinstance(found, Undecided)
        assert [one.index for one in found.examined] == [len(left) - 1, 9]
        return replace(found, examined=())

    said = (
        "The server returned 429 right after a response with X-RateLimit-Remaining 2, but each request seems to cost 3."
    )
    assert early(17, 14, 11, 8, 5, 2) == Undecided(said)
    assert early(14, 11, 8, 5, 2) == early_429(2, None)  # too few to tell
    assert early(18, 14, 11, 8, 5, 2) == early_429(2, None)
    assert early(18, 15, 12, 9, 6, 3) == early_429(3, None)  # enough for one more
    # refused requests may be free or cost more, and a window says nothing about the next one
    ends, free, new = answered(1, 50, reset=30), answered(2.5, 20, status=400), answered(2.75, 17)
    record = [
        ends,
        free,
        new,
        *(answered(place, left) for place, left in enumerate((14, 11, 8, 5, 2), 3)),
        refused(9, 2),
    ]
    assert decided(8, record) == Undecided(said, examined=tuple(record[-2:]))


FIRST_WINDOW = [answered(1, 3), refused(2, reset=60)]


@pytest.mark.parametrize(
    "more",
    [
        [answered(57, 2, reset=117), refused(58, reset=117)],
        # a third one, correct, in its own window
        [answered(61, 2, reset=120), refused(62, reset=120), answered(121, 0, reset=180), refused(122, reset=180)],
    ],
    ids=["as soon as the window ends", "then an honest one"],
)
def test_early_429s_in_two_windows_fail(more: list[Exchange]) -> None:
    record = [*FIRST_WINDOW, *more]
    found = failed(decided(8, record))
    assert found.text == (
        "The server returned 429 while requests were left: right after a response with X-RateLimit-Remaining 3, "
        "and in the next window after 2 (section 8)."
    )
    parts = (REMAINING, "status", REMAINING, "status")
    assert found.proofs == tuple(Proof(one, part) for one, part in zip(record[:4], parts, strict=True))
    assert found.examined == tuple(record)


@pytest.mark.parametrize(
    ("more", "option"),
    [
        ([answered(3, 2), refused(4)], "--exhaust-rate-limit"),
        ([answered(56, 2, reset=116), refused(57, reset=116)], "--exhaust-rate-limit"),
        ([answered(61, 2), refused(62)], "--exhaust-rate-limit"),
        # Reset moves, and one of the 429s is correct: others may take each request that comes free
        (
            [answered(61, 2, reset=120), refused(62, reset=120), answered(63, 0, reset=122), refused(64, reset=122)],
            None,
        ),
    ],
    ids=["one window", "before the window ends", "one Reset", "a Reset that moves"],
)
def test_early_429s_that_are_not_in_two_windows_prove_nothing(more: list[Exchange], option: str | None) -> None:
    decision = decided(8, [*FIRST_WINDOW, *more])
    assert isinstance(decision, Undecided)
    assert (decision.reason, decision.settled_by) == (early_429(3, option).reason, option)


def test_a_429_that_says_itself_that_requests_are_left_fails() -> None:
    record = [answered(1, 2), refused(2, 1)]
    assert decided(8, record) == Failed(
        "A 429 has X-RateLimit-Remaining 1: it came while requests were left (section 8).",
        (Proof(record[1], REMAINING),),
        tuple(record),
    )


def test_a_429_at_the_end_of_a_window_may_show_the_next_one() -> None:
    record = [answered(59, 0), refused(60, 59, reset=120)]
    assert not isinstance(decided(8, record), Failed)
    # another one is judged all the same
    wrong = [answered(61, 58, reset=120), refused(62, 57, reset=120)]
    assert failed(decided(8, [*record, *wrong])).proofs == (Proof(wrong[1], REMAINING),)


def test_a_429_of_a_longer_quota_is_not_early() -> None:
    record = [answered(1, 2), refused(2, 1, pause=62)]
    assert decided(8, record) == Undecided(
        "The 429 asks for a wait of more than a minute, so it belongs to another quota, the day's.",
        examined=tuple(record),
    )


# ---- after Retry-After


def refused_twice(reset: float = 60, pause: int = 60, gap: float = 60, status: int = 429) -> list[Exchange]:
    """A 429, and what the first request after it gets, `gap` seconds later."""
    first, then = refused(0, pause=pause), answered(gap, 0, reset=reset, status=status)
    return [first, replace(then, sent=first.finished + gap, finished=then.finished + gap)]


def changed_headers(found: Exchange, *headers: tuple[str, str]) -> Exchange:
    assert isinstance(found.answer, Response)
    return replace(found, answer=replace(found.answer, headers=headers))


UNSTATED = "The 429 did not say how long to wait; see RATE-7."
NOTHING_SENT = "No request followed the Retry-After of the 429."
LONGER = "The second 429 asks for a wait of more than a minute, so it belongs to another quota, the day's."
OTHERS = (
    "The request after Retry-After got 429 too, but another client may have used up the new window. Run again "
    "with a key that no other client uses."
)


@pytest.mark.parametrize(
    ("record", "reason", "option"),
    [
        ([changed_headers(refused(0), ("Retry-After", "soon")), answered(60, 0)], UNSTATED, None),
        ([refused(0, pause=90_000), answered(60, 0)], UNSTATED, None),
        (refused_twice()[:1], NOTHING_SENT, "--max-wait"),
        (refused_twice(gap=59.0), NOTHING_SENT, "--max-wait"),
        (refused_twice(status=500), "The request after Retry-After got 500; see ERROR-5.", None),
        (
            [*refused_twice()[:1], refused(60, pause=3600)],
            "The second 429 asks for a wait of more than a minute, so it belongs to another quota, the day's.",
            None,
        ),
        # some come free before the window ends
        (refused_twice(pause=2, gap=2.0, reset=62), OTHERS, None),
        (refused_twice(pause=56, gap=56.0), OTHERS, None),
    ],
    ids=range(8),
)
def test_answers_after_a_429_that_prove_nothing(record: list[Exchange], reason: str, option: str | None) -> None:
    examined = record[:1] if reason in (UNSTATED, NOTHING_SENT) else record
    assert decided(9, record) == Undecided(reason, option, tuple(examined))


@pytest.mark.parametrize("status", [429, 403])
def test_a_request_refused_after_retry_after_fails(status: int) -> None:
    for reset in (60.0, 120.0):
        refusal, then = refused_twice(status=status, reset=reset)
        record = [replace(refusal, section="8"), then]
        assert decided(9, record) == Failed(
            f"After the Retry-After of the 429 (60) had passed, the next request got {status}; section 8 lets the "
            "client retry then.",
            (Proof(record[0], "header:Retry-After"), Proof(record[1], "status")),
        )


@pytest.mark.parametrize(("pause", "gap"), [(60, 60 - 0.05), (57, 57)])
def test_a_retry_right_after_retry_after_must_be_served(pause: int, gap: float) -> None:
    assert isinstance(decided(9, refused_twice(pause=pause, gap=gap)), Failed)


def test_a_failure_shows_the_next_answers_and_no_more() -> None:
    record = [refused(0), refused(60), refused(61), refused(62)]
    assert [proof.exchange for proof in failed(decided(9, record)).proofs] == record[:3]


def test_the_first_failure_counts_otherwise_everything_that_held() -> None:
    held = [refused(0), answered(60, 9, reset=120)]
    assert decided(9, held) == Held(tuple(held))
    broken = [refused(70, reset=120, pause=50), refused(120, reset=120)]
    assert [proof.exchange for proof in failed(decided(9, [*held, *broken])).proofs] == broken
    unsaid = changed_headers(refused(0), ("Retry-After", "soon"))
    again = [refused(70, reset=120), answered(130, 9, reset=190)]
    assert decided(9, [unsaid, answered(60, 9, reset=120), *again]) == Held(tuple(again))


def test_only_a_page_must_be_served_after_retry_after() -> None:
    refusal = refused(0)
    orders = exchange(Operation.STORE_ORDERS, 400, sent=60.0)
    assert decided(9, [refusal, orders]) == Held((refusal, orders))
    of_section_8 = replace(refusal, section="8")
    assert isinstance(decided(9, [of_section_8, exchange(Operation.STORE_ORDERS, 429, sent=60.0)]), Failed)


def test_a_client_that_waits_for_the_same_reset_may_use_up_one_new_window_at_once() -> None:
    counted = [answered(1, 50), answered(2, 49)]
    once = [*counted, refused(3), refused(63, reset=120)]
    assert decided(9, once) == Undecided(OTHERS, examined=tuple(once[2:]))
    served = [refused(-60, reset=0), answered(0.5, 51, reset=60)]
    assert decided(9, [*served, *once]) == Undecided(OTHERS, examined=tuple(once[2:]))
    assert isinstance(decided(9, [*once, refused(123, reset=180)]), Failed)


def test_requests_that_come_free_one_by_one_may_be_taken_unless_the_window_counts_steadily() -> None:
    counted = [answered(at, 60 - at, reset=60) for at in range(1, 7)]
    refusal = refused(7, 54, pause=2)
    assert isinstance(decided(9, [*counted, refusal, refused(9)]), Failed)
    uneven = [*counted[:5], answered(6, 53, reset=60)]
    assert decided(9, [*uneven, refusal, refused(9)]) == Undecided(OTHERS, examined=(refusal, refused(9)))
    moved = refused(9, reset=62)
    assert decided(9, [*counted, refusal, moved]) == Undecided(OTHERS, examined=(refusal, moved))


MOVING = [answered(1, 50), answered(2, 49, reset=61)]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        # a window that has just begun is used up by others who are known to share the key
        ([answered(1, 50), answered(2, 9)], [refused(63, reset=120)], Undecided),
        ([answered(1, 50), answered(2, 49)], [refused(63, reset=120)], Failed),
        ([answered(1, 50), answered(2, 9)], [refused(63)], Failed),
        # or where Reset moves and the next request is served
        (MOVING, [refused(63, reset=120), answered(123, 48, reset=180)], Held),
        (MOVING, [refused(63, reset=120), refused(123, reset=180)], Failed),
        (MOVING, [refused(63, reset=120)], Failed),
        ([answered(1, 50), answered(2, 49)], [refused(63, reset=120), answered(123, 48, reset=180)], Failed),
    ],
    ids=range(7),
)
def test_a_new_window_used_up_at_once(before: list[Exchange], after: list[Exchange], found: type[Decision]) -> None:
    refusal = replace(refused(3), section="8")
    decision = decided(9, [*before, refusal, *after])
    if found is Undecided:
        assert decision == Undecided(OTHERS, examined=(refusal, after[0]))
    elif found is Held:
        assert decision == Held(tuple(after))
    else:
        assert [proof.exchange for proof in failed(decision).proofs] == [refusal, *after]


# ---- single responses


@pytest.mark.parametrize("operation", Operation)
@pytest.mark.parametrize("status", [200, 400, 401, 404, 422, 429, 499, 500, 501, 599])
def test_rate_limit_headers_are_required_on_every_response(operation: Operation, status: int) -> None:
    good = exchange(operation, status, headers=rates(60, 59, unix(60)), credential=Credential.EMPTY)
    bare = exchange(operation, status)
    for name in ("RATE-1", "RATE-2", "RATE-3"):
        assert RULE[name].one(good, GROUNDS) is HOLDS
        assert getattr(RULE[name].one(bare, GROUNDS), "text", "").endswith(" is missing")


def reset_at(reset: float, sent: float, date: float | None = 0, key: Credential = Credential.VALID) -> Exchange:
    """A page with that Reset, both in seconds after noon; its Date is `date` s before it was sent."""
    dated = [] if date is None else [("Date", formatdate(unix(sent - date), usegmt=True))]
    return exchange(headers=rates(60, 59, unix(reset), *dated), sent=sent, credential=key)


def test_a_reset_that_was_never_ahead_is_seen_again_when_it_must_have_moved() -> None:
    record = [reset_at(0, 0), reset_at(0, 1), reset_at(60, 1.5, key=Credential.MISSING)]
    asked = decided(3, record)
    assert isinstance(asked, Ask)
    assert 3 < asked.not_before <= 3.5
    assert [call.operation for call in asked.calls] == [Operation.LIST_PETS]
    assert asked.otherwise.reason == (
        f"Every X-RateLimit-Reset was {unix(0)}, which was not ahead, and no later response shows more."
    )
    assert asked.otherwise.examined == tuple(record)
    then = failed(decided(3, [*record, reset_at(0, 3.5)]))
    assert f"X-RateLimit-Reset is {unix(0)}, 3 s in the past" in then.text
    assert decided(3, [*record, reset_at(3, 3.5)]) == Held((*record, reset_at(3, 3.5)))
    # a single response is enough to ask, and one that came at that moment shows enough
    assert decided(3, record[:1]) == replace(asked, otherwise=replace(asked.otherwise, examined=(record[0],)))
    seen = [record[0], reset_at(0, asked.not_before, date=2)]
    assert decided(3, seen) == Held(tuple(seen))


def test_a_reset_that_was_ahead_at_first_only_is_seen_again_too() -> None:
    record = [reset_at(1, 0.3), reset_at(1, 1.4), reset_at(1, 1.6)]
    asked = decided(3, record)
    assert isinstance(asked, Ask)
    assert 4.4 < asked.not_before <= 4.9
    assert "X-RateLimit-Reset" in failed(decided(3, [*record, reset_at(1, 4.9)])).text
    assert decided(3, [*record, reset_at(61, 4.9)]) == Held((*record, reset_at(61, 4.9)))


def test_without_a_response_no_reset_holds() -> None:
    silent = exchange(status=Silence.RESET)
    assert decided(3, [silent]) == Undecided("No response was received.")


@pytest.mark.parametrize(
    "record",
    [
        [reset_at(1, 0)],
        [reset_at(0, 0), reset_at(60, 1)],
        # by our own clock alone it is wrong only after minutes
        [reset_at(0, 0, date=None)],
        [reset_at(0, 0, date=7)],
        [reset_at(0, 0, key=Credential.MISSING)],
        [reset_at(0, 0), reset_at(0, 3.2, date=2)],
    ],
    ids=["ahead", "it moves", "without a date", "another clock", "without a key", "later"],
)
def test_a_reset_that_holds_asks_nothing(record: list[Exchange]) -> None:
    assert decided(3, record) == Held(tuple(record))


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateway_error_needs_no_rate_limit_headers(status: int) -> None:
    for name in ("RATE-1", "RATE-2", "RATE-3", "RATE-5"):
        judgement = RULE[name].one(exchange(status=status), replace(GROUNDS, plan=PLANS["free"]))
        assert judgement is NOT_CONCERNED


@pytest.mark.parametrize(
    ("plan", "limit", "problem"),
    [
        ("free", 60, None),
        ("free", 1000, None),
        ("free", 61, "X-RateLimit-Limit is 61; expected 60 or 1,000 for the plan free"),
        ("business", 10_000, "X-RateLimit-Limit is 10000; expected 1,000 or 100,000 for the plan business"),
        ("enterprise", 7, None),
    ],
)
def test_the_limit_of_a_plan(plan: str, limit: int, problem: str | None) -> None:
    grounds = replace(GROUNDS, plan=PLANS[plan])
    asked = exchange(headers=rates(limit, 5, unix(60)))
    assert getattr(RULE["RATE-5"].one(asked, grounds), "text", None) == problem
    decision = decided(5, [asked], grounds)
    if problem:
        assert failed(decision).proofs == (Proof(asked, "header:X-RateLimit-Limit"),)
    else:
        assert decision == Held((asked,))


def test_an_unreadable_limit_or_another_key_s_limit_is_not_compared_with_the_plan() -> None:
    grounds = replace(GROUNDS, plan=PLANS["free"])
    for asked in (
        exchange(headers=rates(0, 5, unix(60))),
        exchange(headers=rates("many", 5, unix(60))),
        exchange(headers=rates(61, 5, unix(60)), credential=Credential.MISSING),
        exchange(Operation.GET_PET, 404, headers=rates(61, 5, unix(60)), path="/pets/abc"),
    ):
        decision = decided(5, [asked], grounds)
        assert isinstance(decision, Undecided)
        assert decision.reason == "No response had a readable X-RateLimit-Limit; see RATE-1."


def test_without_a_plan_any_limit_conforms() -> None:
    decision = decided(5, [exchange(headers=rates(7, 5, unix(60)))])
    assert decision == Undecided("The key's plan is not known, so any limit conforms.", "--plan", tried=False)


def test_retry_after_is_required_on_a_429() -> None:
    assert RULE["RATE-7"].one(refused(0), GROUNDS) is HOLDS
    assert getattr(RULE["RATE-7"].one(exchange(status=429), GROUNDS), "text", None) == "Retry-After is missing"
    assert RULE["RATE-7"].one(exchange(status=200), GROUNDS) is NOT_CONCERNED


# ---- requests at the same time


def crowded(found: Exchange) -> Exchange:
    return replace(found, burst=1)


TOO_MANY = "The server returned 429 with Retry-After while other requests were under way: it may limit these."


def test_a_429_among_requests_at_the_same_time_may_limit_connections() -> None:
    said_left = [answered(1, 2), crowded(refused(2, 1))]
    assert decided(8, said_left) == Undecided(TOO_MANY, "--exhaust-rate-limit")
    twice = [answered(1, 3), crowded(refused(2)), answered(61, 2, reset=120), crowded(refused(62, reset=120))]
    assert decided(8, twice) == Undecided(TOO_MANY, "--exhaust-rate-limit")
    not_tried = Undecided("No request exceeded the rate limit.", "--exhaust-rate-limit", tried=False)
    assert decided(6, twice) == not_tried
    # what was refused in another way was tried, and is named
    odd, last = answered(63, 1, status=403, reset=120), crowded(refused(64, reset=180))
    assert decided(6, [*twice[:3], odd, last]) == Undecided(
        "The quota could not be used up: 1 request was served in 2.0 s, the last with 2 left, and the next got 403."
    )
    without = replace_headers(said_left[1])
    assert "it came while requests were left" in failed(decided(8, [said_left[0], without])).text
    # over the limit it is one of the rate limit
    assert isinstance(decided(6, [answered(1, 0), crowded(refused(2, 0))]), Held)
    assert isinstance(decided(8, [answered(1, 0), crowded(refused(2, 0))]), Held)


def test_what_follows_a_429_among_requests_at_the_same_time() -> None:
    alone, then = refused(3), refused(63, reset=120)
    for first, second in ((crowded(alone), then), (alone, crowded(then))):
        assert decided(9, [answered(1, 50), first, second]) == Undecided(TOO_MANY, examined=(first, second))
    assert isinstance(decided(9, [answered(1, 50), crowded(alone), answered(63, 59, reset=120)]), Held)
    # those that were under way already say nothing
    under_way = replace(answered(2, 49), finished=3.5)
    later = replace(alone, finished=4.0), replace(answered(3.5, 48), finished=3.9)
    assert isinstance(decided(9, [under_way, *later, answered(64, 59, reset=120)]), Held)


def test_a_503_of_a_server_that_limits_connections_is_not_over_the_limit() -> None:
    server = used_up(Fixed(30, 60.0), 62)
    twice = [*changed(server, 30, status=503)[:61], changed(server, 61, status=503)[61]]
    assert isinstance(decided(6, twice), Failed)
    assert not isinstance(decided(6, [crowded(one) if one.status == 503 else one for one in twice]), Failed)
