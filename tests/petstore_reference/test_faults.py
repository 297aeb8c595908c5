"""The faults: each requirement has one, each changes a response, and each names what it breaks."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from pathlib import Path

import pytest
import yaml

from petstore_reference.faults import FAULTS, FAULTY, INTERMITTENT, KINDS, RACES
from petstore_reference.messages import Operation
from petstore_reference.registry import Fault
from petstore_reference.server import create_app
from petstore_reference.store import STATUSES
from petstore_reference.variations import VARIATIONS
from tests.support.ground import BEARER, KEY, Answer, Ask, Clock, served, settings, transcript

ROOT = Path(__file__).parents[2]
CATALOGUE = yaml.load((ROOT / "requirements.yaml").read_bytes(), yaml.CSafeLoader)["requirements"]
STORES = {"empty-store": 0, "small-store": 12, "medium-store": 40, "big-store": 400}
HEAD = KEY[: KEY.rindex("-") + 1]
NEEDS = {
    *("writes", "exhaust", "plan", "reading", "examples", "pairs", "after-removal", "day-before-removal"),
    *STORES,
    *VARIATIONS,
}


def test_names_describe_the_fault() -> None:
    assert [name for name, fault in FAULTY.items() if name != fault.name] == []
    operations = {f"@{operation}" for operation in Operation}
    assert [name for name in FAULTY if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*(@\w+)?", name)] == []
    assert {name[name.index("@") :] for name in FAULTY if "@" in name} == operations


def test_broken_requirements_are_in_the_catalogue() -> None:
    testable = {row["id"] for row in CATALOGUE if row["level"] != "open" and "untestable" not in row}
    broken = {requirement for fault in FAULTS.values() for requirement in fault.breaks}
    assert broken == testable - {"VERSION-1"}
    assert {requirement for fault in FAULTY.values() for requirement in fault.breaks} <= testable
    assert [fault.name for fault in FAULTY.values() if not fault.breaks] == []
    assert [fault.name for fault in FAULTY.values() if len(set(fault.breaks)) != len(fault.breaks)] == []


def test_sections_are_of_the_catalogue() -> None:
    assert {fault.section for fault in FAULTY.values()} <= {row["section"] for row in CATALOGUE}


def test_needs() -> None:
    assert {need for fault in FAULTY.values() for need in fault.needs} <= NEEDS
    writing = [
        fault.name
        for fault in FAULTY.values()
        if "writes" not in fault.needs
        and (fault.operations == (Operation.CREATE,) or fault.name.endswith("@createPet"))
    ]
    assert writing == []


def test_summaries_are_distinct_sentences() -> None:
    summaries = [fault.summary for fault in FAULTY.values()]
    assert [summary for summary in summaries if not summary.endswith(".") or len(summary) > 100] == []
    assert [summary for summary, times in Counter(summaries).items() if times > 1] == []


def test_a_fault_that_a_run_may_miss_is_either_a_race_or_shows_now_and_then() -> None:
    assert [name for kind in KINDS.values() for name in kind] == [*FAULTS, *RACES, *INTERMITTENT] == list(FAULTY)
    assert [name for name, fault in FAULTY.items() if (fault.one_in > 1) != (name in INTERMITTENT)] == []


def test_an_unknown_name_suggests_similar_names() -> None:
    with pytest.raises(ValueError, match=r"no fault is named 'any-keys'; did you mean any-key"):
        create_app(settings(faults=("any-keys",)))
    with pytest.raises(ValueError, match=r"^no fault is named 'qqqq'$"):
        create_app(settings(faults=("qqqq",)))


def test_one_operation_alone() -> None:
    clock = Clock()
    app = create_app(settings(faults=("any-key@getPet",)), clock=clock)
    paths = ("/pets", "/pets/1", "/store/orders")
    answers = transcript(app, [Ask(path, authorization="Bearer x") for path in paths], clock)
    assert [answer.status for answer in answers] == [401, 200, 401]


def test_two_faults_at_once() -> None:
    clock = Clock()
    app = create_app(settings(faults=("403-for-401", "no-code")), clock=clock)
    (answer,) = transcript(app, [Ask("/pets", authorization=None)], clock)
    assert (answer.status, b"code" in answer.body) == (403, False)


# ---- each changes a response

BAD = (
    *(None, "Bearer", "Bearer x", BEARER[:-1], f"{BEARER}x", f"{BEARER},", f"{BEARER} x", f"Basic {KEY}", KEY),
    *(f"Bearer {BEARER}", f"Bearer{KEY}", f"Bearer-{KEY}"),
    *(f"Token {KEY}", f"Digest {KEY}", f"{BEARER[:-1]}x", f"Bearer {HEAD:x<{len(KEY)}}", f"Bearer {'x' * len(KEY)}"),
)
LISTS = (
    "",
    "?limit=1",
    "?limit=100",
    "?limit=0",
    "?limit=-1",
    "?limit=101",
    "?limit=abc",
    "?limit[]=5",
    "?status=x",
    "?limit=100&status=sold",
    "?limit=100&status=sold",
    *(f"?status={s}" for s in STATUSES),
    "?limit=20",
    *(f"?limit={limit}&status={s}" for limit in (1, 20, 100) for s in STATUSES),
    "?limit=37",
    "?status=sold&limit=20",
    "?petcheck=1",
)
LAST = '"categoryId":1'
LONG = "Rex <b> 2345678901234567890123456789012345678901234567890"
BODIES = (
    *(f'{{"name":"{LONG}","categoryId":9223372036854775807,"status":"{status}"}}' for status in STATUSES),
    '{"name":"\u00c5 e\u0301 \ufb01 \U0001d4ab\uffff","categoryId":-9223372036854775808}',
    '{"name":" x ","categoryId":9007199254740993}',
    "",
    "{",
    '[{"name":"x","categoryId":1}]',
    *(
        "{" + fields + "}"
        for fields in (
            '"categoryId":1',
            '"name":"a"',
            f'"name":5,{LAST}',
            f'"name":null,{LAST}',
            '"name":"b","categoryId":"1"',
            '"name":"c","categoryId":1.5',
            '"name":"d","categoryId":null',
            '"name":"e","categoryId":true',
            '"name":"f","categoryId":9223372036854775808',
            f'"name":"g",{LAST},"status":"x"',
            f'"name":"h",{LAST},"status":"SOLD"',
            f'"name":"i",{LAST},"status":null',
            f'"name":"j",{LAST},"status":""',
            f'"name":"k",{LAST},"status":" sold"',
            f'"name":"l",{LAST},"status":"Sold"',
            f'"Name":"m",{LAST}',
            '"name":"n","categoryId":1e400',
            f'"name":"o",{LAST},"x":1e400',
            f'"name":"\\ud800",{LAST}',
            f'"name":"\\u0000",{LAST}',
            f'"name":"=1",{LAST}',
            f'"status":"sold","name":"t",{LAST}',
            '"name":"u","categoryId":3',
            f'"name":"v",{LAST},"status":["sold"]',
            f'"name":"",{LAST}',
            f'"name":"p",{LAST},"x":{"[" * 100}{"]" * 100}',
            f'"name":"q","name":"r",{LAST}',
            f'"name":"0",{LAST}',
            f'"name":"0",{LAST}',
            f'"name":"w",{LAST},"status":"sold\\n"',
            f'"name":"\\ud83d\\ude00",{LAST}',
            f'"name":"A",{LAST},"category_id":2',
            f'"x":{"9" * 4301}',
        )
    ),
    json.dumps('{"name":"s","categoryId":1}'),
    ' {"name":"y","categoryId":1}',
    '{"\\u006eame":"z","categoryId":1}',
)


def asked(operations: set[Operation | None]) -> Iterator[Ask]:
    """Requests that reveal every fault of these operations."""
    paths = {
        Operation.LIST: "/pets",
        Operation.CREATE: "/pets",
        Operation.GET: "/pets/129",
        Operation.ORDERS: "/store/orders",
    }
    for operation, path in paths.items():
        if operation in operations:
            method = "POST" if operation is Operation.CREATE else "GET"
            body = BODIES[0].encode() if operation is Operation.CREATE else b""
            yield from (Ask(path, method, authorization, body) for authorization in BAD)
            yield Ask(path, method, body=body)
    if Operation.CREATE in operations:
        yield Ask("/pets", "POST", "Bearer x", b"{")
        yield from (Ask(f"/pets?limit={limit}") for limit in (5, 100))
        yield from (Ask(f"/pets/{size + 2}") for size in (130, *STORES.values()))
        yield from (Ask("/pets", "POST", body=body.encode()) for body in BODIES)
        yield Ask("/pets?name=x&categoryId=1", "POST", body=b"{}")
        yield Ask("/pets", "POST", body=b"{}", headers=(("Content-Type", "text/plain"),))
        yield Ask("/pets?limit=100")
        yield from (Ask(f"/pets/{size + 2}") for size in (130, *STORES.values()))
    if Operation.GET in operations or Operation.CREATE in operations:
        yield from (
            Ask(f"/pets/{pet_id}")
            for pet_id in (129, 130, 131, 132, 0, -1, 2**32 + 1, (2**63 - 129) ^ 256, 2**63, "abc")
        )
        yield from (Ask("/pets/0", authorization=bad) for bad in (None, f"Bearer {HEAD:x<{len(KEY)}}"))
        yield from (Ask("/pets/129") for _ in range(6))
        yield from (Ask(path, authorization=None) for path in ("/pets/129", "/pets/-1"))
    if Operation.LIST in operations:
        yield from (Ask(f"/pets?{bad}=x", authorization=None) for bad in ("limit", "status"))
        yield from (Ask("/pets?limit=x", authorization=bad) for bad in (f"Bearer {HEAD:x<{len(KEY)}}",))
        yield from (Ask("/pets?status=sold&limit=1", authorization=bad) for bad in (None, "Bearer x"))
        yield from (Ask(f"/pets{query}") for query in LISTS)


def asks_of(fault: Fault) -> list[Ask | float]:
    if "exhaust" in fault.needs:
        return [*[Ask("/pets/1")] * 24, 1.0, Ask("/pets/1"), 1.0, Ask("/pets/1"), 1.0, Ask("/pets/1")]
    writes = {Operation.CREATE} if "writes" in fault.needs else set()
    return [*asked({*fault.operations, *writes})]


def transcript_of(faults: tuple[str, ...], of: Fault, as_far_as: Sequence[Answer] = ()) -> list[Answer]:
    clock = Clock()
    app = create_app(
        settings(
            faults=faults,
            variations=tuple(of.needs & VARIATIONS.keys()),
            keys={KEY: "enterprise"},
            custom_limit=10 if "exhaust" in of.needs else 5000,
            window_seconds=2.0 if "exhaust" in of.needs else 60.0,
            anonymous_limit=5000,
            animals=next((size for need, size in STORES.items() if need in of.needs), 130),
            as_of={True: date(2030, 12, 5)}.get("after-removal" in of.needs, date(2030, 12, 4)),
        ),
        clock=clock,
    )
    return transcript(app, asks_of(of), clock, as_far_as=as_far_as)


@cache
def right(needs: frozenset[str], operations: tuple[Operation | None, ...]) -> list[Answer]:
    """The responses of a server without faults to the requests that reveal faults of these needs and operations."""
    return transcript_of((), Fault("", "", "", (), lambda behaviour: behaviour, needs, operations))


BELOW_HTTP = {"keyless-body-unread"}


def test_a_body_that_is_left_unread_spoils_the_next_request_on_its_connection() -> None:
    with served(faults=(*BELOW_HTTP,)) as (http, _):
        body, empty = b'{"name": "Rex"}', {"Authorization": ""}
        assert http.post("/pets", content=body).status_code == 400
        assert http.get("/pets/1").status_code == 200
        del http.headers["Authorization"]
        assert http.post("/pets", headers=empty, content=body).status_code == 401
        assert http.get("/pets/1").status_code == 401
        assert http.post("/pets", content=body).status_code == 401
        bad = http.get("/pets/1")
        assert (bad.status_code, bad.headers.get("X-RateLimit-Limit")) == (400, None)
        assert http.get("/pets/1").status_code == 401


# the kill matrix covers faults that only a few values show
@pytest.mark.parametrize("section", sorted({fault.section for fault in FAULTS.values()}))
def test_each_changes_an_answer(section: str) -> None:
    """The faults of a section in one test: a test of its own would take as long as the fault."""
    tried = {
        name: fault
        for name, fault in FAULTS.items()
        if fault.section == section and "examples" not in fault.needs and name not in BELOW_HTTP
    }
    assert tried
    assert [name for name, fault in tried.items() if changes_nothing(name, fault)] == []


def changes_nothing(name: str, fault: Fault) -> bool:
    """Whether the server answers with that fault as without."""
    plain = right(fault.needs, fault.operations)
    return transcript_of((name,), fault, as_far_as=plain) == plain
