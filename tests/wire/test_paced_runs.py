"""The transport against simulated servers, by Hypothesis: it is never banned, never over its cap, and always ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from petcheck.call import Call, Credential
from petcheck.errors import BudgetSpent, NotSent
from petcheck.exchange import Response
from petcheck.spec.operations import Operation
from tests.support.fakes import NOON, Bench, FakeClock, Sent, bench, http_date, rates, response

START = NOON.timestamp()
CALLS = st.lists(
    st.sampled_from([Credential.VALID, Credential.VALID, Credential.VALID, Credential.MISSING]), min_size=1, max_size=60
).map(lambda credentials: [Call(Operation.LIST_PETS, credential) for credential in credentials])


@dataclass
class Server:
    """A rate limited server on the fake clock. `inside` counts requests that came inside a Retry-After that it gave.

    `answer(now, key)` gives the status, the headers, and for how many seconds it wants peace.
    """

    answer: Callable[[float, bool], tuple[int, list[tuple[str, str]], float]]
    clock: FakeClock | None = None
    peace_until: float = -math.inf
    inside: int = 0

    def __call__(self, sent: Sent) -> Response:
        keyed = sent.authorization is not None
        if sent.at < self.peace_until - 1e-6:
            self.inside += 1
        status, headers, peace = self.answer(sent.at, keyed)
        if status in (429, 503):
            self.peace_until = sent.at + peace
        return response(status, headers)


def fixed(limit: int, length: float, *, rivals: int = 0, skew: float = 0.0, dated: bool = True) -> Server:
    """Successive windows; others use `rivals` requests of each, and the server's clock is ahead by `skew`."""
    used: dict[tuple[bool, int], int] = {}

    def answer(now: float, keyed: bool) -> tuple[int, list[tuple[str, str]], float]:
        window = int(now // length)
        count = used[keyed, window] = used.get((keyed, window), min(rivals, limit)) + 1
        ends = (window + 1) * length
        headers = rates(limit, max(0, limit - count), math.ceil(START + ends + skew))
        if dated:
            headers.append(("Date", http_date(math.floor(now + skew))))
        wait = math.ceil(ends - now)
        if count <= limit:
            return 200, headers, 0.0
        return 429, [*headers, ("Retry-After", str(wait))], wait

    return Server(answer)


def sliding(limit: int, length: float) -> Server:
    """Each request counts for `length` seconds; Reset is when the oldest no longer does."""
    served: dict[bool, list[float]] = {True: [], False: []}

    def answer(now: float, keyed: bool) -> tuple[int, list[tuple[str, str]], float]:
        served[keyed] = [moment for moment in served[keyed] if moment > now - length]
        full = len(served[keyed]) >= limit
        if not full:
            served[keyed].append(now)
        ends = served[keyed][0] + length
        headers = rates(limit, limit - len(served[keyed]), math.ceil(START + ends))
        wait = math.ceil(ends - now)
        return (429, [*headers, ("Retry-After", http_date(math.ceil(now) + wait))], wait) if full else (200, headers, 0)

    return Server(answer)


def bucket(limit: int, a_minute: float) -> Server:
    """A token bucket: Reset is when it will be full again."""
    tokens: dict[bool, tuple[float, float]] = {True: (0.0, limit), False: (0.0, limit)}

    def answer(now: float, keyed: bool) -> tuple[int, list[tuple[str, str]], float]:
        before, left = tokens[keyed]
        left = min(limit, left + (now - before) * a_minute / 60)
        served = left >= 1
        left -= served
        tokens[keyed] = (now, left)
        headers = rates(limit, int(left), math.ceil(START + now + (limit - left) * 60 / a_minute))
        wait = math.ceil((1 - left) * 60 / a_minute)
        return (200, headers, 0.0) if served else (429, [*headers, ("Retry-After", str(wait))], wait)

    return Server(answer)


NONSENSE = st.sampled_from(
    ["", "-1", "0", "1", "60", "soon", "9" * 30, "1e9", "Fri, 31 Dec 9999 23:59:59 -0100", "0.5"]
)


def rude(script: list[tuple[int, str, str, str, str]]) -> Server:
    """Scripted headers that make no sense; its Retry-After means what a simple reader would understand."""
    left = list(script)

    def answer(now: float, keyed: bool) -> tuple[int, list[tuple[str, str]], float]:
        status, limit, remaining, reset, retry = left.pop(0) if left else (200, "", "", "", "")
        peace = min(float(retry), 1e9) if retry.replace(".", "").isdecimal() else 0.0
        return status, [*rates(limit, remaining, reset), ("Retry-After", retry)], peace

    return Server(answer)


def run(server: Server, calls: list[Call], *, max_requests: int = 40, max_wait: float = 120.0) -> Bench:
    """Make the calls one after the other, as checks do, and assert what must be true whatever the server does."""
    rig = bench(server, max_requests=max_requests, max_wait=max_wait, takes=0.05)
    for call in calls:
        try:
            rig.transport.send(call)
        except BudgetSpent:
            assert len(rig.client.sent) == max_requests
        except NotSent:
            pass
    assert server.inside == 0
    assert len(rig.client.sent) <= max_requests
    assert all(pause <= max_wait + 1e-6 for pause in rig.clock.slept)
    assert sum(rig.clock.slept) <= max_wait * max(1, len(calls)) * 3
    return rig


@given(CALLS, st.integers(1, 80), st.sampled_from([1.0, 7.0, 60.0, 3600.0]))
def test_fixed_windows_end_without_any_429(calls: list[Call], limit: int, length: float) -> None:
    rig = run(fixed(limit, length), calls, max_wait=4000.0)
    assert 429 not in rig.statuses


@given(CALLS, st.integers(1, 80), st.floats(-5e6, 5e6, allow_nan=False))
def test_a_wrong_clock_does_not_matter_if_the_target_sends_its_date(calls: list[Call], limit: int, skew: float) -> None:
    assert 429 not in run(fixed(limit, 60.0, skew=skew), calls).statuses


@given(CALLS, st.integers(1, 80), st.floats(-5e6, 5e6, allow_nan=False))
def test_a_wrong_clock_without_a_date_is_handled(calls: list[Call], limit: int, skew: float) -> None:
    run(fixed(limit, 60.0, skew=skew, dated=False), calls)


@given(CALLS, st.integers(1, 80), st.integers(0, 90))
def test_a_shared_key_is_handled(calls: list[Call], limit: int, rivals: int) -> None:
    run(fixed(limit, 60.0, rivals=rivals), calls)


@given(CALLS, st.integers(1, 30))
def test_a_day_that_is_used_up_is_not_waited_for(calls: list[Call], limit: int) -> None:
    rig = run(fixed(limit, 86_400.0), calls)
    assert rig.clock.slept == []


@given(CALLS, st.integers(1, 80), st.sampled_from([1.0, 10.0, 60.0]))
def test_sliding_windows_are_handled(calls: list[Call], limit: int, length: float) -> None:
    run(sliding(limit, length), calls)


@given(CALLS, st.integers(1, 80), st.sampled_from([6.0, 60.0, 600.0]))
def test_token_buckets_are_handled(calls: list[Call], limit: int, a_minute: float) -> None:
    run(bucket(limit, a_minute), calls)


@settings(max_examples=300)
@given(
    CALLS,
    st.lists(
        st.tuples(st.sampled_from([200, 401, 429, 429, 503]), NONSENSE, NONSENSE, NONSENSE, NONSENSE), max_size=40
    ),
    st.integers(1, 40),
)
def test_servers_with_nonsense_headers_are_handled(
    calls: list[Call], script: list[tuple[int, str, str, str, str]], max_requests: int
) -> None:
    run(rude(script), calls, max_requests=max_requests)


def test_forty_reads_on_the_free_plan_take_one_window() -> None:
    rig = run(fixed(60, 60.0), [Call(Operation.LIST_PETS)] * 40)
    assert rig.clock.slept == []
    assert rig.statuses == [200] * 40


def test_a_hundred_requests_on_the_free_plan_take_two() -> None:
    rig = run(fixed(60, 60.0), [Call(Operation.LIST_PETS)] * 100, max_requests=200)
    assert len(rig.clock.slept) == 1
    assert rig.statuses == [200] * 100
