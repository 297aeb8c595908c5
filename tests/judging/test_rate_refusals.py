"""Which request comes next while a quota is used up, and the cost."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import pytest

from petcheck.call import Call, Credential
from petcheck.exchange import Exchange, Silence
from petcheck.judging.decision import Ask, Undecided
from petcheck.judging.rate_counts import counts_in, quotas_in
from petcheck.judging.rate_refusals import (
    NotServed,
    Over,
    Slowed,
    excess_in,
    held_back_in,
    others_spend,
    over_in,
    refusals_in,
    served_text,
    slowed_in,
)
from petcheck.judging.using_up import Allowance, Cost, cost_of_using_up, next_step, pages_not_asked
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange, rates, unix
from tests.support.quota_kinds import Bucket, Estimated, Fixed, Kind, Nearest, Server, Sliding, Standing, wait_out

CHEAPEST = Call(Operation.LIST_PETS, query=(("limit", "1"),))
ALL = Allowance(allowed=True, wait_s=100.0, requests=1000)


def carried_out(server: Server, requests: int = 1300) -> Undecided | None:
    """Send the next requests as a run does; returns the last step."""
    while isinstance(step := next_step(server.record, 0), Ask):
        assert step.calls, "it asks for nothing"
        server.now = max(server.now, step.not_before)
        for call in step.calls:
            if server.record and server.record[-1].status == 429:
                wait_out(server, server.record[-1])
            if server.send(call).status != 200:
                break
        assert len(server.record) < requests, "it goes on and on"
    return step


@pytest.mark.parametrize(
    ("kind", "requests"),
    [
        (Fixed(60, 60.0), 62),
        (Fixed(1000, 60.0, aligned=True), 1002),
        (Sliding(60, 60.0), 62),
        (Sliding(300, 60.0, first_free=False), 302),
        (Estimated(60, 60.0), 62),
        (Bucket(60, 1.0, 60), 62),
        (Bucket(60, 1.0, 20), 22),
        (Nearest([Fixed(60, 60.0), Fixed(1000, 86_400.0)]), 62),
    ],
    ids=range(8),
)
def test_a_quota_is_used_up_and_one_more_request_is_served(kind: Kind, requests: int) -> None:
    server = Server(deepcopy(kind))
    assert carried_out(server) is None
    assert [one.status for one in server.record] == [200] * (requests - 2) + [429, 200]
    assert over_in(server.record) is None


def test_the_cheapest_request_counts_down_and_new_pages_come_last() -> None:
    server = Server(Fixed(60, 60.0))
    carried_out(server)
    asked = [one.request.url.partition("?")[2] for one in server.record]
    assert set(asked[:55]) == {"limit=1"}
    assert len(set(asked[55:])) == len(asked[55:])
    assert "limit=1" not in asked[55:]


def test_a_cache_is_not_mistaken_for_the_server() -> None:
    server = Server(Fixed(60, 60.0), cached_s=10.0)
    assert carried_out(server) is None
    assert [one.status for one in server.record].count(429) == 1
    assert len(server.record) == 63


def test_windows_that_end_too_soon_are_given_up() -> None:
    server = Server(Fixed(60, 0.05), latency=0.01)
    left = carried_out(server)
    assert isinstance(left, Undecided)
    assert left.reason.startswith(
        "The quota could not be used up: 111 requests took 1.1 s, one after the other, so a window ends before its "
    )


FIXED = Fixed(400, 60.0)
ALIGNED = Fixed(400, 60.0, aligned=True)


@pytest.mark.parametrize(
    ("kind", "latency", "begins"),
    [
        (FIXED, 0.152, 0.0),
        (ALIGNED, 0.152, 45.0),
        (Sliding(400, 60.0), 0.152, 0.0),
        (Sliding(400, 60.0, first_free=False), 0.152, 0.0),
        (Bucket(400, 400 / 60, 400), 0.152, 0.0),
        (Fixed(40, 10.0), 0.26, 0.0),
    ],
    ids=range(6),
)
def test_a_server_too_slow_for_its_quota_is_given_up_soon(kind: Kind, latency: float, begins: float) -> None:
    server = Server(deepcopy(kind), latency=latency, now=begins)
    left = carried_out(server, 250)
    assert isinstance(left, Undecided)
    assert left.reason.startswith("The quota could not be used up: ")
    assert "requests took" in left.reason
    assert 429 not in [one.status for one in server.record]


def test_it_says_how_slow_the_server_is() -> None:
    server = Server(deepcopy(FIXED), latency=0.25)
    assert carried_out(server) == Undecided(
        "The quota could not be used up: 97 requests took 24.2 s, one after the other, so a window ends before "
        "its quota of 400 is used. Run petcheck nearer to the server, or with a key of a smaller plan."
    )


NO_TIME = "no X-RateLimit-Reset is a Unix time ahead, so when a window ends is unknown (see RATE-3)"


@pytest.mark.parametrize("rounded", ["to go", "past"])
def test_a_reset_that_is_not_a_unix_time_does_not_make_a_fast_server_slow(rounded: str) -> None:
    server = Server(deepcopy(FIXED), latency=0.142, rounded=rounded)
    assert carried_out(server) is None
    assert 429 in [one.status for one in server.record]


def test_where_no_reset_names_a_time_it_blames_no_window() -> None:
    assert carried_out(Server(deepcopy(FIXED), latency=0.25, rounded="past")) == Undecided(
        f"The quota could not be used up: 97 requests took 24.2 s, one after the other, and {NO_TIME}."
    )
    record = [answered(n, 1, limit=2, reset=n - 3600) for n in range(45)]
    said = "45 requests were served in 44.0 s, the last with 1 left"
    assert next_step(record, 0) == Undecided(f"The quota could not be used up, and {NO_TIME}: {said}.")


def test_the_wait_is_until_the_seconds_to_go_have_passed() -> None:
    last = Server(Fixed(60, 60.0), rounded="to go").send(CHEAPEST)
    assert cost_of_using_up([last], ALL, last.sent + 10) == Cost(61, 50.0)


@pytest.mark.parametrize(
    ("kind", "latency", "begins", "cost"),
    [
        (FIXED, 0.142, 0.0, 1),
        (ALIGNED, 0.142, 45.0, 1),
        (ALIGNED, 0.142, 20.0, 1),
        (Sliding(400, 60.0), 0.142, 0.0, 1),
        (FIXED, 0.28, 0.0, 2),
        (Fixed(40, 10.0), 0.17, 0.0, 1),
    ],
    ids=range(6),
)
def test_a_server_fast_enough_is_asked_until_it_refuses(kind: Kind, latency: float, begins: float, cost: int) -> None:
    server = Server(deepcopy(kind), latency=latency, now=begins, cost=cost)
    assert carried_out(server) is None
    assert 429 in [one.status for one in server.record]


@pytest.mark.parametrize(
    ("limit", "left", "falls", "reset", "step"),
    [
        # each takes a second, and a window ends 3 seconds before its Reset at the earliest
        (60, 59, 0, 63, Ask),
        (60, 59, 0, 62, Undecided),
        (100, 59, 1, 63, Ask),
        (100, 60, 1, 63, Undecided),
        # each costs two
        (120, 119, 2, 63, Ask),
        (121, 119, 2, 63, Undecided),
    ],
)
def test_a_quota_may_just_fit_into_a_window(limit: int, left: int, falls: int, reset: int, step: type) -> None:
    record = [answered(1.0 * n, left - falls * n, limit=limit, reset=reset, took=1.0) for n in range(21)]
    assert isinstance(next_step(record, 0), step)


def test_two_requests_of_a_window_show_what_each_costs() -> None:
    first = [answered(1.0 * n, 118 - 2 * n, limit=120, reset=63, took=1.0) for n in range(61)]
    second = [answered(61.0 + n, 118 - 2 * n, limit=120, reset=124, took=1.0) for n in range(2)]
    assert isinstance(next_step([*first, *second], 0), Ask)


def test_the_first_few_requests_do_not_show_how_fast_a_server_is() -> None:
    record = [answered(4.0 * n, 59 - n) for n in range(20)]
    assert isinstance(next_step(record[:19], 0), Ask)
    assert isinstance(next_step(record, 0), Undecided)


def test_what_is_left_may_still_fit_into_this_window() -> None:
    for left, step in ((30, Ask), (32, Undecided)):
        record = [answered(2.0 * n, left - n) for n in range(22)]
        assert isinstance(next_step(record, 0), step)


def answers(*statuses: int | Silence, left: int = 0, pause: int = 60) -> list[Exchange]:
    """Answers to one page; the first has a limit of 60."""
    headers = rates(60, left, unix(60), ("Retry-After", str(pause)))
    return [
        exchange(status=status, path="/pets?limit=3", headers=headers, index=n, sent=n)
        for n, status in enumerate(statuses)
    ]


@pytest.mark.parametrize("trouble", [502, 503, 504, Silence.RESET])
def test_a_gateway_error_is_repeated_once(trouble: int | Silence) -> None:
    once, twice = answers(200, trouble), answers(200, trouble, trouble)
    step = next_step(once, 0)
    assert isinstance(step, Ask)
    assert step.calls == (Call(Operation.LIST_PETS, query=(("limit", "3"),)),)
    assert step.not_before == pytest.approx(1.1 + 1.0)
    assert next_step(twice, 0) is None
    other = replace(twice[1], request=replace(twice[1].request, url="https://h/v1/pets?limit=4"))
    assert isinstance(next_step([twice[0], other, twice[2]], 0), Ask)


@pytest.mark.parametrize(
    ("statuses", "more"),
    [
        ((200, 429), True),
        ((200, 429, 429), True),
        ((200, 429, 429, 429), False),
        ((200, 403), False),
        ((429, 200), False),
    ],
)
def test_after_a_429_at_most_two_requests_follow(statuses: tuple[int, ...], more: bool) -> None:
    step = next_step(answers(*statuses), 0)
    assert isinstance(step, Ask) if more else step is None
    if isinstance(step, Ask):
        assert len(step.calls) == 1


def test_a_429_that_came_too_early_has_a_second_round() -> None:
    record = answers(200, 429, 200, left=9)
    step = next_step(record, 0)
    assert isinstance(step, Ask)
    assert isinstance(step.otherwise, Undecided)
    again = [*record, *(replace(one, sent=one.sent + 100, finished=one.finished + 100) for one in record[1:])]
    assert next_step(again, 0) is None


def test_a_server_that_claims_a_huge_quota_is_asked_a_hundred_times_at_once() -> None:
    huge = rates(10**18, 10**18, unix(60))
    again = exchange(path="/pets?limit=1", headers=huge, index=1, sent=1)
    for record in ([again], [again, exchange(path="/pets?limit=1", index=2, sent=2)]):
        step = next_step(record, 0)
        assert isinstance(step, Ask)
        assert 90 < len(step.calls) <= 101


def test_unreadable_headers_end_it() -> None:
    assert next_step([exchange()], 0) is None
    first = next_step([exchange()], 1)
    assert isinstance(first, Ask)
    assert first.calls == (CHEAPEST, CHEAPEST)
    assert first.otherwise.reason == "The quota could not be used up."


def test_pages_not_requested() -> None:
    record = [exchange(path="/pets?limit=1"), exchange(path="/pets?limit=1&status=sold"), exchange(path="/pets")]
    asked = [dict(call.query) for call in pages_not_asked(record, 3)]
    assert asked == [
        {"limit": "1", "status": "available"},
        {"limit": "1", "status": "pending"},
        {"limit": "2"},
    ]
    every = pages_not_asked([], 400)
    assert {int(dict(call.query)["limit"]) for call in every} == {*range(1, 101)}
    assert len({call.query for call in every}) == 400
    assert pages_not_asked(record, 400)[398:] == every[3:5]
    assert len(pages_not_asked(record, 1000)) == 1000


TOOK = 1 / 64


def answered(
    at: float,
    left: int | None,
    *,
    limit: int = 60,
    reset: float = 64,
    status: int = 200,
    took: float = TOOK,
    operation: Operation = Operation.LIST_PETS,
    credential: Credential = Credential.VALID,
) -> Exchange:
    """An answer at its own URL. Sent after a second, its Reset is 63 s off: the limit comes free in a minute."""
    path = f"/pets?limit={at:g}" if operation is Operation.LIST_PETS else None
    headers = rates(limit, left, unix(reset))
    return exchange(
        operation, status, path=path, headers=headers, index=int(at * 64), sent=at, took=took, credential=credential
    )


# ---- refusals


def test_a_refusal_knows_the_last_answer_before_it_and_the_requests_in_between() -> None:
    record = [
        answered(1, None, status=429),
        answered(2, 50),
        answered(3, None),
        answered(4, None, credential=Credential.MISSING, status=429),
        answered(5, None),
        answered(6, None),
        answered(7, 0, status=429),
        answered(8, None, status=403),
    ]
    first, last = counts_in(record)
    assert refusals_in(record) == [
        NotServed(record[0], None, 0),
        NotServed(record[6], first, 3),
        NotServed(record[7], last, 0),
    ]


def test_of_answers_that_overlap_none_comes_before_a_refusal() -> None:
    before, together = answered(1, 50), answered(2, 0, took=1.0)
    refusal = answered(2.5, None, status=429)
    (found,) = refusals_in([before, together, refusal])
    assert found == NotServed(refusal, counts_in([before])[0], 1, crowded=True)
    later = answered(2.9, None)
    assert refusals_in([before, refusal, later])[0].between == 0
    (slow,) = refusals_in([before, replace(refusal, finished=4.0), later])
    assert (slow.between, slow.crowded) == (1, True)


def test_overlapping_requests_of_ours_are_no_others() -> None:
    first, *rest = [answered(1 + n / 64, left, took=1.0) for n, left in enumerate((44, 50, 47))]
    assert not others_spend([first, *rest, *(answered(1.1, None, took=1.0) for _ in range(4))])
    assert others_spend([first, *rest])


def test_only_an_unserved_page_is_a_refusal_without_a_429() -> None:
    orders = answered(1, 5, status=400, operation=Operation.STORE_ORDERS)
    odd = exchange(status=400, path="/pets?limit=0")
    silent = exchange(status=Silence.RESET)
    assert [one.exchange for one in refusals_in([orders, odd, silent, exchange(status=300), exchange()])] == [
        silent,
        exchange(status=300),
    ]


@pytest.mark.parametrize(
    ("record", "others"),
    [
        ([answered(1, 50), answered(2, 48)], True),
        ([answered(1, 50), answered(2, 48, status=429)], False),  # it may come too early
        ([answered(1, 50, status=429), answered(2, 48)], True),
        ([answered(1, 50), answered(2, 49)], False),
        ([answered(1, 50), answered(2, 49), answered(3, 48), answered(4, 46)], True),
        ([answered(1, 50), answered(2, None), answered(3, 48)], False),
        ([answered(1, 50), answered(2, None), answered(3, 47)], True),
        ([answered(1, 50), answered(2, 48, limit=61)], False),
        ([answered(1, 50), answered(2, None, credential=Credential.MISSING), answered(3, 48)], False),
        ([answered(1, 50), answered(2, None, credential=Credential.MISSING), answered(3, 47)], True),
    ],
    ids=range(10),
)
def test_others_spend_if_remaining_falls_by_more_than_our_requests(record: list[Exchange], others: bool) -> None:
    assert others_spend(record) == others


# ---- over the limit


def test_requests_that_came_free_are_not_over_the_limit() -> None:
    before = [answered(0, 5), answered(1, 0), answered(1.5, 0), answered(1.75, 0)]
    two_came_free = [*before, answered(3 - TOOK, 0)]
    assert over_in(two_came_free) is None
    fewer = [*before, answered(3 - 2 * TOOK, 0)]
    assert over_in(fewer) == Over(quotas_in(counts_in(fewer))[0], 3, (fewer[1], fewer[2]))


@pytest.mark.parametrize(
    ("sent", "took", "status", "held"),
    [
        (5, 59, 200, True),
        (59, 5, 200, True),
        (59.1, 5, 200, False),
        (5, 62, 200, True),
        (5, 63, 200, False),
        (5, 40, 200, False),
        (5, 59, 429, False),
    ],
)
def test_a_request_that_waits_until_reset_is_held_back(sent: float, took: float, status: int, held: bool) -> None:
    none_left = answered(1, 0)
    late = answered(sent, 59, reset=124, status=status, took=took)
    assert held_back_in([none_left, late]) == ((none_left, late) if held else None)
    assert held_back_in([answered(0, 1), none_left, late]) == ((none_left, late) if held else None)
    at_once = replace(none_left, finished=sent)
    assert held_back_in([at_once, late]) == ((at_once, late) if held else None)
    assert held_back_in([replace(none_left, finished=sent + 1), late]) is None
    assert held_back_in([answered(1, 1), late]) is None


def late(number: int, took: float = 1.0, left: int = 0) -> list[Exchange]:
    """Five that are served at once until none are left, and then that many that take longer."""
    at_once = [answered(n / 4, 5 - n) for n in range(6)]
    return [*at_once, *(answered(1.5 + n * took, left, took=took) for n in range(number))]


def test_requests_that_come_late_once_none_are_left_are_held_back() -> None:
    held = late(5)
    assert over_in(held) is None
    assert slowed_in(held) == Slowed(tuple(held[6:]), 1.0, TOOK)
    # the window before it was hardly used
    assert slowed_in([answered(-98, 2, reset=-60), answered(-97, 1, reset=-60), *held]) is not None
    twice = [replace(one, finished=one.sent + 0.25) for one in late(0)] + late(5, took=0.5)[6:]
    assert slowed_in(twice) == Slowed(tuple(twice[6:]), 0.5, 0.25)


@pytest.mark.parametrize(
    "record",
    [
        late(4),
        late(5, took=0.15),
        late(5, left=1),
        late(5)[1:],
        [replace(one, finished=one.sent + 0.6) for one in late(5)],
        [*late(5), answered(8, 0, status=429)],
        [answered(one.sent, 0, reset=64 + n, took=1) if n > 5 else one for n, one in enumerate(late(5))],
    ],
    ids=["too few", "hardly later", "some left", "too few before", "all are slow", "refuses", "Reset moves"],
)
def test_what_else_takes_long_is_not_held_back(record: list[Exchange]) -> None:
    assert slowed_in(record) is None


class ServesLate(Fixed):
    """Serves what is over its limit all the same."""

    def hit(self, now: float, cost: int) -> Standing:
        return replace(super().hit(now, cost), wait=None)


class HoldsBack(Server):
    """Waits a second with what is over its limit."""

    def send(self, call: Call, status: int = 200) -> Exchange:
        none_left = bool(self.record) and counts_in(self.record)[-1].remaining == 0
        self.latency = 1.0 if none_left else 0.004
        return super().send(call, status)


@pytest.mark.parametrize("limit", [60, 300])
def test_a_server_that_holds_back_is_asked_a_handful_of_times(limit: int) -> None:
    server = HoldsBack(ServesLate(limit, 60.0))
    assert carried_out(server) is None
    assert over_in(server.record) is None
    assert slowed_in(server.record) is not None
    assert len(server.record) <= limit + 10


def test_if_a_window_counts_steadily_one_more_is_too_many() -> None:
    # the window before it ended in time
    before = [answered(-99 + n, n, limit=5, reset=-60) for n in (2, 1)]
    record = [*before, *(answered(n / 2, max(4 - n, 0), limit=5) for n in range(6))]
    assert over_in(record) == Over(quotas_in(counts_in(record))[0], 1, (record[-2], record[-1]))
    assert over_in(record[:-1]) is None


@pytest.mark.parametrize(("number", "lasts", "over"), [(18, 6, False), (19, 6, True), (19, 12, False)])
def test_no_window_allows_many_more_than_its_limit(number: int, lasts: float, over: bool) -> None:
    record = [answered(1 + n / 4, 3, limit=5, reset=64 + n) for n in range(number - 1)]
    record.append(answered(1 + lasts - TOOK, 3, limit=5, reset=64 + number))
    (quota,) = quotas_in(counts_in(record))
    assert over_in(record) == (Over(quota, 0, (record[0], record[-1])) if over else None)
    # a 429 in between shows that the limit is enforced
    refused = answered(2.9, 0, limit=5, reset=64, status=429)
    assert over_in([*record[:8], refused, *record[8:]]) is None
    bare = exchange(Operation.CREATE_PET, 429, sent=2.9)
    assert over_in([*record[:8], bare, *record[8:]]) is None


@pytest.mark.parametrize(
    ("before", "after", "excess"),
    [
        (answered(1, 0), answered(2, 0), True),
        (answered(1, 0), answered(2, 9), True),
        (answered(1, 1), answered(2, 0), False),
        (answered(1, 0), answered(2, 0, status=404), False),
        # not while the answer before is still to come
        (answered(1, 0, took=1.0), answered(2, 0), True),
        (answered(1, 0, took=1.5), answered(2, 0), False),
        # not where the window may have ended
        (answered(1, 0), answered(61 - 2 * TOOK, 0), True),
        (answered(1, 0), answered(61 - TOOK, 0), False),
    ],
    ids=range(8),
)
def test_a_success_after_none_was_left_is_in_excess(before: Exchange, after: Exchange, excess: bool) -> None:
    (quota,) = quotas_in(counts_in([before, after]))
    first, last = quota.counts
    assert excess_in(quota.windows[0]) == ([(first, last)] if excess else [])


SERVED = [answered(2, 50), answered(3, 40), answered(4, 30)]


@pytest.mark.parametrize(
    ("record", "place", "said"),
    [
        (SERVED, 2, "3 requests were served in 2.0 s, the last with 30 left"),
        (SERVED, 1, "2 requests were served in 1.0 s, the last with 40 left"),
        (
            [*SERVED, answered(9, 0, status=429)],
            3,
            "3 requests were served in 7.0 s, the last with 30 left, and the next got 429",
        ),
        (
            [*SERVED, answered(4, None, status=429)],
            3,
            "3 requests were served in 2.0 s, the last with 30 left, and the next got 429",
        ),
        ([*SERVED, answered(5, None)], 3, "4 requests were served in 3.0 s"),
        ([answered(1, 9, status=403), *SERVED], 3, "3 requests were served in 2.0 s, the last with 30 left"),
        (
            [answered(1, 9, credential=Credential.EMPTY), *SERVED],
            3,
            "3 requests were served in 2.0 s, the last with 30 left",
        ),
        ([answered(1, 9, status=300)], 0, "no request was served (got 300)"),
        (
            [*SERVED, answered(5, 9, status=403), answered(6, 9, status=429)],
            4,
            "no request was served (got 429)",
        ),
    ],
    ids=range(9),
)
def test_the_served_requests_in_words(record: list[Exchange], place: int, said: str) -> None:
    assert served_text(record, record[place]) == said


# ---- what comes next


def could_not(said: str) -> Undecided:
    return Undecided(f"The quota could not be used up: {said}.")


@pytest.mark.parametrize(
    ("record", "calls", "said"),
    [
        # few are left: pages that no cache can answer, one more than are left, and some more if others come free
        ([answered(1, 1), answered(2, 0)], 3, ", the last with 0 left"),
        ([answered(1, 6), answered(2, 5)], 6, ", the last with 5 left"),
        ([answered(1, 1), answered(2, 0, reset=65)], 7, ", the last with 0 left"),
        ([answered(1, 0), answered(2, None)], 7, ""),
        ([answered(1, 50), answered(2, None)], 51, ""),
    ],
    ids=range(5),
)
def test_if_few_are_left_each_page_is_different(record: list[Exchange], calls: int, said: str) -> None:
    assert next_step(record, 0) == Ask(
        tuple(pages_not_asked(record, calls)), could_not(f"2 requests were served in 1.0 s{said}")
    )


@pytest.mark.parametrize(
    ("reset", "more"),
    [(70, True), (13, True), (12, False), (11, False)],
    ids=["in a new window", "that lasts", "that ends at once", "that has ended"],
)
def test_a_second_round_follows_a_429_at_the_end_of_a_window(reset: float, more: bool) -> None:
    """A Reset is only known to 3 seconds."""
    before = [answered(0, 6, reset=10), answered(1, 5, reset=10), answered(8, None, status=429)]
    step = next_step([*before, answered(9, 59, reset=reset, took=0.0)], 0)
    assert isinstance(step, Ask) if more else step is None


@pytest.mark.parametrize(
    "record",
    [
        [answered(1, 2), answered(2, 1), answered(3, 0), answered(3.25, 0), answered(3.5, 0)],
        [answered(1, 0), answered(5, 59, reset=124, took=59)],
    ],
    ids=["served over the limit", "held back"],
)
def test_nothing_is_requested_once_the_limit_is_seen_to_be_broken(record: list[Exchange]) -> None:
    assert next_step(record, 0) is None


def test_if_many_are_left_the_cheapest_request_uses_up_all_but_five() -> None:
    record = [answered(1, 8), answered(2, 7)]
    said = "1 requests were served in 1.0 s, the last with 7 left"
    assert next_step(record, 1) == Ask((CHEAPEST,) * 2, could_not(said.replace("1 requests", "2 requests")))
    assert next_step(record, 2) == Ask((CHEAPEST,) * 2, Undecided("The quota could not be used up."))


def test_whether_a_window_is_fixed_is_tested_after_the_second_hidden_by_rounding() -> None:
    record = [answered(2, 1), answered(2.25, 0), answered(2.5, 0)]
    said = could_not("3 requests were served in 0.5 s, the last with 0 left")
    assert next_step(record, 0) == Ask(tuple(pages_not_asked(record, 1)), said, 2 + TOOK + 2.2)
    moves = [*record, answered(2.75, 0, reset=65)]
    step = next_step([*moves, answered(2.875, 0)], 0)
    assert isinstance(step, Ask)
    assert (len(step.calls), step.not_before) == (7, 0.0)
    fixed = [answered(0, 2), *record[:2], answered(2.5, 0)]
    step = next_step(fixed, 0)
    assert isinstance(step, Ask)
    assert (len(step.calls), step.not_before) == (3, 0.0)


@pytest.mark.parametrize(("served", "more"), [(44, True), (45, False)])
def test_windows_are_given_up_after_two_and_forty_requests(served: int, more: bool) -> None:
    record = [answered(n, 1, limit=2, reset=n + 4) for n in range(served)]
    step = next_step(record, 0)
    if more:
        assert isinstance(step, Ask)
    else:
        said = "45 requests were served in 44.0 s, the last with 1 left"
        assert step == Undecided(f"The quota could not be used up, since its windows end too soon: {said}.")
    assert isinstance(next_step(record, served - 44), Ask)


# ---- what it costs


def seen(limit: int = 60, left: int = 50, reset: float = 60) -> list[Exchange]:
    return [exchange(headers=rates(limit, left, unix(reset)), took=0.0)]


@pytest.mark.parametrize(
    ("record", "allowance", "now", "reason", "option", "tried"),
    [
        (
            seen(),
            replace(ALL, allowed=False),
            0.0,
            "No request exceeded the rate limit.",
            "--exhaust-rate-limit",
            False,
        ),
        (
            [exchange()],
            ALL,
            0.0,
            "The rate limit headers are not readable, so the number of requests left is unknown; see RATE-1 to RATE-3.",
            None,
            True,
        ),
        (seen(reset=3601), ALL, 0.0, "The window is a day's, and petcheck never uses up a day's quota.", None, False),
        (
            [*seen(1000, reset=70), *seen(1000, reset=50)],
            ALL,
            0.0,
            "The window is a day's, and petcheck never uses up a day's quota.",
            None,
            False,
        ),
        (
            seen(),
            replace(ALL, wait_s=9.0),
            50.0,
            "The window ends in 10 s, but the run waits at most 9 s.",
            "--max-wait",
            False,
        ),
        (
            seen(),
            replace(ALL, requests=51),
            0.0,
            "Using up the quota takes 52 requests; this run has 51 left.",
            "--max-requests",
            False,
        ),
        (
            seen(),
            replace(ALL, requests=-1),
            60.0,
            "Using up the quota takes 62 requests; this run has 0 left.",
            "--max-requests",
            False,
        ),
    ],
    ids=range(7),
)
def test_reasons_against_using_up_the_quota(
    record: list[Exchange], allowance: Allowance, now: float, reason: str, option: str | None, tried: bool
) -> None:
    assert cost_of_using_up(record, allowance, now) == Undecided(reason, option, tried=tried)


@pytest.mark.parametrize(
    ("record", "now", "cost"),
    [
        (seen(), 0.0, Cost(52, 60.0)),
        (seen(reset=100), 0.0, Cost(52, 100.0)),
        (seen(), 20.0, Cost(52, 40.0)),
        (seen(), 59.5, Cost(52, 0.5)),
        (seen(), 60.0, Cost(62, 0.0)),
        (seen(), 61.0, Cost(62, 0.0)),
        (seen(998, left=998), 0.0, Cost(1000, 60.0)),
        (seen(1000, left=7, reset=61), 0.0, Cost(9, 61.0)),
    ],
)
def test_the_cost_of_using_up_the_quota(record: list[Exchange], now: float, cost: Cost) -> None:
    assert cost_of_using_up(record, ALL, now) == cost


def test_a_window_of_an_hour_is_not_a_day_s() -> None:
    assert cost_of_using_up(seen(reset=3600), replace(ALL, wait_s=4000.0), 0.0) == Cost(52, 3600.0)
