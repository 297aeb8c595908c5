"""Requests at the same time and faults now and then: each shows where its description says, and nowhere else."""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from petstore_reference.faults import INTERMITTENT, RACES
from petstore_reference.messages import Operation
from petstore_reference.serve import running
from petstore_reference.server import create_app
from petstore_reference.variations import VARIATIONS, overlap
from tests.petstore_reference.bursts import SIZE, Client, Sent, contradicted, get, post, try_out, turned_away
from tests.petstore_reference.test_faults import asked
from tests.support.core import slow_outside
from tests.support.ground import KEY, Answer, Ask, Clock, settings, transcript

GROUNDS = [variation.name for variation in overlap.VARIATIONS]
LIMITS = (
    *("two-at-a-time-503", "four-at-a-time-429", "three-at-a-time-gateway-503", "four-at-a-time-cut"),
    *("four-connections-reset", "four-connections-closed", "four-connections-refused"),
)
Plain = tuple[int, list[tuple[str, str]], bytes]
OF_MILLISECONDS = re.compile(rb"\b1\d{12}\b")


@cache
def answers(asks: tuple[Ask | float, ...], *faults: str) -> list[Plain]:
    """The answers of a server, in a form that does not depend on the order of headers."""
    clock = Clock()
    app = create_app(
        settings(faults=faults, keys={KEY: "enterprise"}, custom_limit=5000, anonymous_limit=5000), clock=clock
    )
    return [_plain(answer) for answer in transcript(app, asks, clock)]


def _plain(answer: Answer) -> Plain:
    headers = sorted((name.lower(), value) for name, value in answer.headers)
    return answer.status, [each for each in headers if each[0] != "content-length"], answer.body


# ---- races

ASKS = (*asked(set(Operation)),)


@pytest.fixture(scope="module")
def right() -> list[Plain]:
    return answers(ASKS)


@pytest.mark.parametrize("name", slow_outside([*RACES][::3], RACES))
def test_a_race_does_not_show_in_requests_one_after_the_other(name: str, right: list[Plain]) -> None:
    numbers: dict[bytes, bytes] = {}

    def in_order(found: re.Match[bytes]) -> bytes:
        return numbers.setdefault(found[0], str(131 + len(numbers)).encode())

    seen = [(status, headers, OF_MILLISECONDS.sub(in_order, body)) for status, headers, body in answers(ASKS, name)]
    if name == "id-from-milliseconds":  # ids from 131 are other ones then
        different = [ask for ask, one, other in zip(ASKS, seen, right, strict=True) if one != other]
        assert all(isinstance(ask, Ask) and ask.path in ("/pets/131", "/pets/132") for ask in different)
    else:
        assert seen == right


@pytest.mark.parametrize("name", slow_outside([*RACES][::3], RACES))
def test_a_race_shows_in_three_bursts(name: str) -> None:
    for _ in range(8):  # one try shows nearly all; docs/kill-matrix.md has the shares
        shown = try_out(faults=(name,))
        assert shown <= set(RACES[name].breaks)
        if shown:
            return
    pytest.fail("three bursts of 8 showed nothing, eight times")


def test_bursts_show_nothing_on_a_server_without_faults() -> None:
    assert try_out() == set()


# ---- now and then

LIST_ONE, SOLD, OLD, UNKNOWN = Ask("/pets?limit=1"), Ask("/pets?status=sold"), Ask("/pets/1"), Ask("/pets/0")
NEW = Ask("/pets", "POST", body=b'{"name":"Rex","categoryId":1,"status":"sold"}')
BAD, KEYLESS = Ask("/pets", "POST", body=b"{"), Ask("/pets", authorization=None)
ALL = (LIST_ONE, SOLD, OLD, UNKNOWN, NEW, BAD, KEYLESS)
SHOWN_BY = {
    "reset-missing-now-and-then": ALL,
    "post-500-now-and-then": (BAD,),
    "page-empty-now-and-then": (LIST_ONE, SOLD),
    "one-worker-stale": (LIST_ONE, SOLD),
    "valid-key-refused-now-and-then": (LIST_ONE, SOLD, OLD, UNKNOWN, BAD),
    "keyless-served-now-and-then": (KEYLESS,),
    "401-without-headers-now-and-then": (KEYLESS,),
    "html-error-now-and-then": (KEYLESS, UNKNOWN, BAD),
    "body-cut-now-and-then": ALL,
    "text-plain-now-and-then": ALL,
    "other-animal-now-and-then": (OLD,),
    "page-too-long-now-and-then": (LIST_ONE, SOLD),
    "filter-forgotten-for-a-second": (SOLD,),
    "status-lost-now-and-then": (NEW,),
    "one-worker-does-not-count": ALL,
}
MIX = random.Random(5).choices(ALL, k=700)


@pytest.mark.parametrize("name", INTERMITTENT)
def test_a_fault_shows_now_and_then(name: str) -> None:
    concerned, one_in = SHOWN_BY[name], INTERMITTENT[name].one_in
    # a POST that is lost changes the ids of all later ones
    mix = [ask for ask in MIX if ask is not NEW or NEW in concerned or name == "one-worker-stale"]
    right, seen = (answers(tuple(step for ask in mix for step in (ask, 0.07)), *faults) for faults in ((), (name,)))
    if name != "one-worker-does-not-count":
        right, seen = _uncounted(right), _uncounted(seen)
    wrong = [ask for ask, one, other in zip(mix, seen, right, strict=True) if one != other]
    assert set(wrong) <= set(concerned)
    expected = len([ask for ask in mix if ask in concerned]) / one_in
    assert 0.5 * expected <= len(wrong) <= 1.5 * expected


def _uncounted(answers: list[Plain]) -> list[Plain]:
    """Without the values of Remaining: a request that is wrongly served or refused is counted elsewhere."""
    return [
        (status, [(name, "" if name == "x-ratelimit-remaining" else value) for name, value in headers], body)
        for status, headers, body in answers
    ]


# ---- servers that conform


@pytest.mark.parametrize("name", slow_outside(GROUNDS[::3], GROUNDS))
def test_bursts_show_nothing_on_a_server_that_conforms(name: str) -> None:
    assert try_out(variations=(name,), limits=name in LIMITS) == set()


@contextmanager
def burst_of(name: str, asks: Sequence[Sent], *more: str) -> Iterator[tuple[list[Sent], Callable[[Sent], Sent]]]:
    """The responses to a burst on a server with a variation, or `more`, and how to send a request alone after it."""
    with running(create_app(settings(keys={KEY: "business"}, variations=(name, *more)))) as url:
        client = Client(url)
        try:
            yield client.burst(asks), client.alone
        finally:
            client.close()


POSTS = [post(f"Rex {number}", number) for number in range(SIZE)]


@pytest.mark.parametrize("name", LIMITS)
def test_a_server_that_limits_turns_requests_away_and_serves_the_others(name: str) -> None:
    with burst_of(name, POSTS) as (found, _):
        assert 0 < len([sent for sent in found if turned_away(sent)]) < SIZE
        assert [sent for sent in found if not turned_away(sent) and contradicted(sent)] == []


@pytest.mark.parametrize("name", ["one-at-a-time", "one-at-a-time-per-key", "two-workers", "reads-wait-for-writes"])
def test_a_server_that_queues_serves_everything_later(name: str) -> None:
    with burst_of(name, POSTS) as (found, _):
        assert [sent.status for sent in found] == [201] * SIZE
        last = sorted(sent.ended for sent in found)
        assert last[-1] - last[0] > 0.02


def test_requests_one_at_a_time_take_their_time() -> None:
    with burst_of("one-at-a-time", POSTS) as (found, _):
        assert max(sent.ended for sent in found) - min(sent.began for sent in found) > 0.03 * SIZE


def test_eight_at_a_time_are_slower_than_one() -> None:
    def shows(found: Sequence[Sent]) -> bool:
        return max(sent.ended - sent.began for sent in found) > 0.2

    assert in_some_burst("slower-together", POSTS, shows)


def in_some_burst(name: str, asks: Sequence[Sent], shows: Callable[[Sequence[Sent]], bool]) -> bool:
    """Whether one of eight bursts shows it: on a busy machine the requests of a burst may come one by one."""
    for _ in range(8):
        with burst_of(name, asks) as (found, _):
            if shows(found):
                return True
    return False


def test_a_page_shows_an_animal_that_was_created_after_it_was_asked_for() -> None:
    def shows(found: Sequence[Sent]) -> bool:
        page, *created = found
        listed = page.parsed
        assert isinstance(listed, list)
        later = [sent for sent in created if sent.began > page.began]
        return bool(later) and set(ids(later)) <= {pet["id"] for pet in listed}

    assert in_some_burst("slow-reads", [get("/pets?limit=100"), *POSTS[1:]], shows)


def test_responses_come_in_reverse() -> None:
    def shows(found: Sequence[Sent]) -> bool:
        counted = [int(sent.header("x-ratelimit-remaining")) for sent in sorted(found, key=lambda sent: sent.ended)]
        return sum(earlier < later for earlier, later in pairwise(counted)) > SIZE / 2

    assert in_some_burst("responses-in-reverse", POSTS, shows)


def test_remaining_of_requests_counted_at_the_start_comes_out_of_order() -> None:
    def shows(found: Sequence[Sent]) -> bool:
        counted = [int(sent.header("x-ratelimit-remaining")) for sent in sorted(found, key=lambda sent: sent.ended)]
        assert sorted(counted) == [1000 - SIZE + place for place in range(SIZE)]
        return counted != sorted(counted, reverse=True)

    assert in_some_burst("counted-at-the-start", POSTS, shows)


def test_remaining_of_requests_counted_at_the_end_comes_in_order() -> None:
    with burst_of("counted-at-the-end", POSTS) as (found, _):
        counted = [int(sent.header("x-ratelimit-remaining")) for sent in found]
        assert sorted(counted) == [1000 - SIZE + place for place in range(SIZE)]
        assert counted != sorted(counted, reverse=True)


def test_another_client_spends_beside_a_burst() -> None:
    with burst_of("others-spend-in-overlap", POSTS) as (_, alone):
        assert int(alone(get("/pets")).header("x-ratelimit-remaining")) < 1000 - SIZE - 1


def test_each_thread_gives_back_its_own_request() -> None:
    found_and_not = [get("/pets/7"), get("/pets/0")] * (SIZE // 2)
    with burst_of("one-thread-at-a-time", found_and_not, "refused-free") as (_, alone):
        assert alone(get("/pets")).header("x-ratelimit-remaining") == str(1000 - SIZE // 2 - 1)


def ids(found: Sequence[Sent]) -> list[int]:
    return sorted(pet["id"] for sent in found if isinstance(pet := sent.parsed, dict))


def test_a_post_that_is_overtaken_takes_another_id() -> None:
    with burst_of("optimistic-retry", POSTS) as (found, _):
        assert len(set(ids(found))) == SIZE
        assert ids(found)[-1] > 130 + SIZE


def test_ids_come_from_two_blocks() -> None:
    with burst_of("ids-in-blocks", POSTS) as (found, _):
        assert {number // 100 for number in ids(found)} == {10_000, 10_001}


def test_animals_of_a_burst_are_listed_late() -> None:
    with burst_of("listed-late-after-overlap", POSTS) as (found, alone):
        listed = alone(get("/pets")).parsed
        assert isinstance(listed, list)
        missing = set(ids(found)) - {pet["id"] for pet in listed}
        assert missing
        assert [alone(get(f"/pets/{number}")).status for number in missing] == [200] * len(missing)


def test_conflicts_keep_the_counts_of_the_log_right() -> None:
    assert {"busy-once", "one-backend-down"} <= VARIATIONS["two-at-a-time-503"].conflicts
    assert "one-at-a-time" in VARIATIONS["optimistic-retry"].conflicts


def test_a_server_ends_its_workers_and_removes_its_files(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    begun: list[subprocess.Popen[str]] = []

    class Recorded(subprocess.Popen[str]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            begun.append(self)

    monkeypatch.setattr(subprocess, "Popen", Recorded)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    app = create_app(settings(faults=("workers-share-id-file",)))
    for _ in range(2):  # it can be started again
        with running(app) as url:
            client = Client(url)
            assert client.alone(post("Rex")).status == 201
            client.close()
            assert len(list(tmp_path.iterdir())) == 1
        assert list(tmp_path.iterdir()) == []
    assert [process.returncode is None for process in begun] == [False] * 8
