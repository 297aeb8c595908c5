"""A server that leaves a part of its requests without an answer costs no more requests than any other.

It breaks its connections, which costs petcheck no time, so nothing but its budget limits what it sends again.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from urllib.parse import parse_qsl

import pytest

from tests.support.command import KEY
from tests.support.forked import petcheck
from tests.support.peers import JSON, Caller, peer

STATUSES = ("available", "pending", "sold")
BOUND = {True: 100, False: 58}


class Store:
    """A conforming store of 130 animals that breaks the connection of each request that is `silent`."""

    def __init__(self, silent: Callable[[Caller, int, bool], bool], breaks: Callable[[Caller], object]) -> None:
        self.silent, self.breaks = silent, breaks
        self.animals = [{"id": n, "name": f"Rex {n}", "categoryId": 1, "status": STATUSES[n % 3]} for n in range(130)]
        self.lock, self.calls = Lock(), itertools.count()

    def __call__(self, caller: Caller) -> bool:
        with self.lock:
            status, answer = self.answer(caller)
            if self.silent(caller, status, next(self.calls) == 0):
                self.breaks(caller)
                return False
            caller.answer(json.dumps(answer).encode(), status=f"{status} Status", headers=JSON)
        return True

    def answer(self, caller: Caller) -> tuple[int, object]:
        asked, last = dict(parse_qsl(caller.query, keep_blank_values=True)), caller.path.rpartition("/")[2]
        limit, status = asked.get("limit", "20"), asked.get("status")
        if not has_key(caller):
            return error(401)
        if caller.method == "POST":
            return self.create(caller.body)
        if last == "orders":
            return 200, []
        if last != "pets":
            found = [one for one in self.animals if str(one["id"]) == last]
            return (200, found[0]) if found else error(404)
        if not (limit.isdecimal() and 1 <= int(limit) <= 100) or status not in (None, *STATUSES):
            return error(400)
        return 200, [one for one in self.animals[::-1] if status in (None, one.get("status"))][: int(limit)]

    def create(self, body: bytes) -> tuple[int, object]:
        try:
            pet = json.loads(body)
            sound = isinstance(pet["name"], str) and pet["name"] and type(pet["categoryId"]) is int
            sound = sound and abs(pet["categoryId"]) < 2**63 and pet.get("status", "sold") in STATUSES
        except (ValueError, TypeError, KeyError, RecursionError):
            sound = False
        if not sound:
            return error(400)
        kept = {name: pet[name] for name in ("name", "categoryId", "status") if name in pet}
        self.animals.append({"id": len(self.animals), **kept})
        return 201, self.animals[-1]


def error(status: int) -> tuple[int, object]:
    return status, {"code": "no", "message": "no", "status": status}


def has_key(caller: Caller) -> bool:
    return caller.header("Authorization") == f"Bearer {KEY}"


def is_list(caller: Caller) -> bool:
    return caller.method == "GET" and caller.path == "/v1/pets"


def cut_short(caller: Caller) -> None:
    caller.answer(b"[", headers=JSON, length=100)


BREAKS: dict[str, Callable[[Caller], object]] = {
    "close": lambda caller: None,
    "reset": Caller.reset,
    "cut short": cut_short,
}
# which requests get no answer, by the status that is due and whether it is the first of all; and what fails for that
SILENT: dict[str, tuple[Callable[[Caller, int, bool], bool], str]] = {
    "lists": (lambda caller, status, first: is_list(caller) and not first, "LIST-2"),
    "all but lists": (lambda caller, status, first: not is_list(caller), "ORDERS-1"),
    "filters": (lambda caller, status, first: "status=" in caller.query, "LIST-6"),
    "orders": (lambda caller, status, first: caller.path.endswith("orders"), "ORDERS-1"),
    "400s": (lambda caller, status, first: status == 400 and caller.method == "POST", "CREATE-6"),
    "401s": (lambda caller, status, first: status == 401, "AUTH-1"),
}
# each with a seed
RUNS = [
    pytest.param(breaks, part, writes, str(seed % 4 + 1), id=f"{breaks}-{part}-{'writing' if writes else 'reading'}")
    for seed, (part, breaks, writes) in enumerate(itertools.product(SILENT, BREAKS, (True, False)))
    if writes or part != "400s"
]


@pytest.mark.slow
@pytest.mark.parametrize(("breaks", "part", "writes", "seed"), RUNS)
def test_silence_stays_within_the_bound(breaks: str, part: str, seed: str, tmp_path: Path, *, writes: bool) -> None:
    silent, due = SILENT[part]
    options = ("--allow-writes",) if writes else ()
    with peer(Store(silent, BREAKS[breaks])) as up:
        ran = petcheck(tmp_path, "--target", up.url, "--seed", seed, *options, as_it_comes=True)
    requests = ran.result.targets[0].requests
    sent = [head for head in up.heads if b" HTTP/1.1\r\n" in head]  # the rest are bodies in chunks
    assert requests.total + requests.lost <= len(sent) <= BOUND[writes]
    assert ran.outcomes[due] == "fail"
    assert "no answer" in ran.reason(due)
