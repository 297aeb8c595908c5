"""Results and exchanges to render: a small one to compare literally, a whole run, a hostile one and a huge one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from petcheck.call import Call, Credential
from petcheck.exchange import Exchange, NoAnswer, Request, Response, Silence
from petcheck.judging.verdicts import AppliedWaiver, Example, Verdict
from petcheck.results.findings import (
    CheckRow,
    LeftAnimal,
    Observation,
    RequestCount,
    RunInfo,
    TargetInfo,
    UntestablePoint,
)
from petcheck.results.result import Result
from petcheck.spec.files import read_yaml
from petcheck.spec.operations import Operation
from petcheck.stream.lines import SuiteInfo
from petcheck.wire.sender import usual

ROOT = Path(__file__).parents[2]
Run = Callable[[], tuple[Result, tuple[Exchange, ...]]]

START = datetime(2026, 11, 21, 10, 3, 12, 123000, tzinfo=UTC)

HOSTILE = (
    "<script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">'\"&]]>"
    "\x00\x1b[31m\x07\u202eevil\u2066\u200b\udfff\ud800\ufffe`*_[x](javascript:alert)|@octocat\r\n\n# h\n- http://evil.example"
)

SUITE = SuiteInfo("petcheck", "0.1.0", "1.0.0", "a" * 64, "b" * 64)


def run(exit_code: int = 1, **changes: Any) -> RunInfo:
    values: dict[str, Any] = {
        "id": "20261121-100312-4f2a",
        "started": "2026-11-21T10:03:12.123Z",
        "finished": "2026-11-21T10:03:13.400Z",
        "as_of": "2026-11-21",
        "seed": 1,
        "exit": exit_code,
        "options": {"strict": False, "timeout": 10.0, "targets": ["staging"]},
    }
    return RunInfo(**(values | changes))


def target(name: str = "staging", **changes: Any) -> TargetInfo:
    values: dict[str, Any] = {
        "name": name,
        "base_url": f"https://{name}.pets.example/v1",
        "plan": None,
        "writes": False,
        "key": "sha256:0123abcd",
        "requests": RequestCount(2, 2, 0, {"4.1": 2}),
        "waited_s": 0.0,
        "rate_limited": 0,
        "created": (),
    }
    return TargetInfo(**(values | changes))


def row(requirement: str = "LIST-3", outcome: str = "fail", **changes: Any) -> Verdict:
    values: dict[str, Any] = {
        "id": requirement,
        "section": "4.1",
        "level": "stated",
        "statement": "A page never holds more animals than `limit` asks for.",
        "target": "staging",
        "outcome": outcome,
        "reason": "GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.",
        "checks": ("checks/test_4_1_list.py::test_limit[5]",),
        "exchanges": (0, 1),
        "decisive": (1,),
    }
    return Verdict(**(values | changes))


def result(*rows: Verdict, exit_code: int = 1, **changes: Any) -> Result:
    """One target, and by default one failing requirement with its check."""
    values: dict[str, Any] = {
        "complete": True,
        "suite": SUITE,
        "run": run(exit_code),
        "targets": (target(),),
        "requirements": rows or (row(),),
        "checks": (CheckRow("checks/test_4_1_list.py::test_limit[5]", ("LIST-3",), "staging", 0.0121, (0, 1)),),
        "observations": (),
        "untestable": (),
    }
    return Result(**(values | changes))


def deep_run() -> tuple[Result, tuple[Exchange, ...]]:
    """A long run with property examples; one of them fails and was simplified."""
    calls = ("/pets", "/pets?limit=83&status=sold", "/pets?limit=77&status=sold", "/pets?limit=71&status=sold")
    exchanges = tuple(exchange(index, request(path), response({}, 500)) for index, path in enumerate(calls))
    value = result(
        row("LIST-6", exchanges=(0, 1, 2, 3), decisive=(0, 1, 2, 3), parts=("status",) * 4, example=Example(3, 1)),
        run=run(1, seed=41),
        targets=(target(requests=RequestCount(1_859, 1_673, 186, {"4.1": 60}, examples=1_799)),),
    )
    return value, exchanges


def one_cause() -> tuple[Result, tuple[Exchange, ...]]:
    """Four requirements that fail alike: a POST is answered 422 where 400 is required."""
    post = request("/pets", method="POST", body=b"{", operation=Operation.CREATE_PET)
    exchanges = tuple(exchange(n, post, response({"detail": "no"}, 422, "Unprocessable")) for n in range(4))

    def failure(index: int, name: str, sent: str = "") -> Verdict:
        reason = f"POST /pets{sent}: expected 400, got 422."
        return row(
            *(name, "fail"), section="4.2", statement=f"{name} is 400.", reason=reason, expected="400",
            exchanges=(index,), decisive=(index,), parts=("status",),
        )  # fmt: skip

    rows = [failure(number - 5, f"CREATE-{number}") for number in (5, 6, 7)]
    return result(*rows, failure(3, "CREATE-10", " with null")), exchanges


def request(
    path: str = "/pets?limit=5",
    *,
    method: str = "GET",
    body: bytes | None = None,
    headers: tuple[tuple[str, str], ...] | None = None,
    base: str = "https://staging.pets.example/v1",
    operation: Operation = Operation.LIST_PETS,
    credential: Credential = Credential.VALID,
) -> Request:
    call = Call(operation, credential, body=body)
    key = (("Authorization", "Bearer $PETSTORE_API_KEY"),) * (credential is Credential.VALID)
    sent = (*usual(call), *key) if headers is None else headers
    return Request(operation, method, base + path, sent, body, credential)


def response(body: object = (), status: int = 200, reason: str = "OK", **changes: Any) -> Response:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    headers = (
        ("Date", "Sat, 21 Nov 2026 10:03:12 GMT"),
        ("Content-Type", "application/json; charset=utf-8"),
        ("X-RateLimit-Limit", "60"),
        ("X-RateLimit-Remaining", "41"),
        ("X-RateLimit-Reset", "1795255440"),
    )
    values: dict[str, Any] = {"status": status, "reason": reason, "http_version": "HTTP/1.1", "headers": headers}
    return Response(**(values | {"body": raw} | changes))


def exchange(
    index: int = 0,
    request_: Request | None = None,
    answer: Response | NoAnswer | None = None,
    name: str = "staging",
    took: float = 0.012,
) -> Exchange:
    return Exchange(
        index,
        name,
        request_ or request(),
        answer or response([animal(number) for number in range(1, 7)]),
        START + timedelta(milliseconds=20 * index),
        100 + 0.02 * index,
        100 + 0.02 * index + took,
    )


def animal(number: int) -> dict[str, object]:
    names = ("Bella", "Žofie", "Rex", "Minka", "Søren", "Kiki")
    return {"id": number, "name": names[number % 6], "categoryId": number % 4 + 1, "status": "available"}


def two_exchanges() -> tuple[Exchange, ...]:
    return exchange(0, request("/pets?limit=1"), response([animal(1)])), exchange(1)


@cache
def whole_run(*, targets: int = 2, number: int = 58, failing: bool = True) -> tuple[Result, tuple[Exchange, ...]]:
    """A realistic run of the whole catalogue: staging with writes, the other targets without."""
    catalogue = read_yaml((ROOT / "requirements.yaml").read_bytes())["requirements"]
    names = ("staging", "production", "eu-west", "us-east")[:targets]
    exchanges = tuple(
        entry for name in names for entry in _exchanges(name, number if name == "staging" else number // 2)
    )
    rows = tuple(_verdicts(catalogue, names, exchanges, failing))
    infos = tuple(_info(name, exchanges) for name in names)
    observations = tuple(_observations(catalogue, names))
    untestable = tuple(
        UntestablePoint(entry["id"], entry["section"], entry["statement"], entry["untestable"])
        for entry in catalogue
        if entry["level"] == "open" and "untestable" in entry
    )
    checks = tuple(CheckRow(r.checks[0], (r.id,), r.target, 0.01, r.exchanges) for r in rows if r.checks)
    whole = Result(True, SUITE, run(1 if failing else 0), infos, rows, checks, observations, untestable)
    return whole, exchanges


@cache
def burst_run() -> tuple[Result, tuple[Exchange, ...]]:
    """A run whose exchanges 4 to 11, two of which decide a failure, are a burst, and 12 to 19 the same, alone."""
    value, exchanges = whole_run(targets=1)
    return value, tuple(_in_bursts(exchanges))


def _in_bursts(exchanges: tuple[Exchange, ...]) -> Iterator[Exchange]:
    for one in exchanges:
        if 4 <= one.index < 12:
            sent = 100.08 + 0.001 * (one.index - 4)
            yield replace(one, sent=sent, finished=sent + one.elapsed, burst=1)
        elif 12 <= one.index < 20:
            same = exchanges[one.index - 8]
            yield replace(one, request=same.request, answer=same.answer, again=same.index)
        else:
            yield one


@cache
def hostile_run() -> tuple[Result, tuple[Exchange, ...]]:
    """All text that a target can write is hostile, and some of it is megabytes long."""
    long = HOSTILE * 7_000
    nasty = response(
        long.encode("utf-8", "surrogatepass"),
        reason=HOSTILE,
        headers=(
            ("X-" + HOSTILE, HOSTILE),
            ("Content-Type", HOSTILE),
            ("Location", "javascript:alert(1)"),
            ("Long", long),
        ),
        http_version=HOSTILE,
    )
    body = HOSTILE.encode("utf-8", "surrogatepass")
    sent = request("/pets?limit=5", body=body, method="POST", operation=Operation.CREATE_PET)
    exchanges = (
        exchange(0, sent, nasty),
        exchange(1, None, NoAnswer(Silence.NOT_HTTP, HOSTILE)),
        exchange(2, None, response(bytes(range(256)))),
    )
    value = result(
        row(
            reason=long,
            exchanges=(0, 1, 2),
            decisive=(0, 1, 2),
            parts=("header:X-" + HOSTILE, "status", "body:/" + HOSTILE),
            settled_by=HOSTILE,
        ),
        row("LIST-4", "inconclusive", reason=HOSTILE, settled_by=HOSTILE),
        row("LIST-5", "waived", reason=HOSTILE, waiver=AppliedWaiver(HOSTILE, "2026-12-31")),
        row("LIST-6", "error", reason=HOSTILE),
        row("LIST-7", "pass", reason=HOSTILE, waiver=AppliedWaiver(HOSTILE, "2026-12-31")),
        row("RATE-10", "not-run", section="8", reason=HOSTILE, in_force=False),
        targets=(target(unreachable=HOSTILE, created=(LeftAnimal(1, long), LeftAnimal(None, HOSTILE)), plan=HOSTILE),),
        observations=(Observation("limit-zero", "4.1", "staging", HOSTILE, "What does `limit=0` get?", (1,)),),
        untestable=(UntestablePoint("events", "6", HOSTILE, HOSTILE),),
        checks=(CheckRow(HOSTILE, ("LIST-3",), "staging", 0.1, (0,), long),),
    )
    return value, exchanges


@cache
def huge_run(number: int = 5_000) -> tuple[Result, tuple[Exchange, ...]]:
    """A run with property examples and a target that breaks the same requirements in every one of its answers."""
    value, _ = whole_run(targets=1)
    exchanges = tuple(_exchanges("staging", number))
    every = tuple(range(number))
    rows = tuple(
        replace(r, exchanges=every, decisive=every, parts=r.parts[:1] * number)
        if r.outcome == "fail"
        else replace(r, exchanges=every)
        if r.section in ("7", "8")
        else r
        for r in value.requirements
    )
    return replace(value, requirements=rows), exchanges


def _exchanges(name: str, number: int) -> Iterator[Exchange]:
    base = f"https://{name}.pets.example/v1"
    page = [animal(number) for number in range(1, 21)]
    error = {"code": "unauthorized", "message": "A valid key is needed.", "status": 401}
    for index in range(number):
        kind = index % 6
        if kind == 0:
            sent, answer = request(f"/pets?limit={index % 100 + 1}", base=base), response(page[: index % 20 + 1])
        elif kind == 1:
            sent = request("/pets", base=base, credential=Credential.MISSING)
            answer = response(error, 401, "Unauthorized")
        elif kind == 2:
            body = json.dumps({"name": f"petcheck 4f2a {index}", "categoryId": 2**63 - 1}).encode()
            sent = request("/pets", base=base, method="POST", body=body, operation=Operation.CREATE_PET)
            answer = response({"id": 100 + index, **json.loads(body)}, 201, "Created")
        elif kind == 3:
            sent = request(f"/pets/{index}", base=base, operation=Operation.GET_PET)
            answer = response(animal(index))
        elif kind == 4:
            body = '{"name": "Žofie 🐈", "categoryId": "one"}'.encode()
            sent = request("/pets", base=base, method="POST", body=body, operation=Operation.CREATE_PET)
            answer = response({"id": 100 + index, "name": "Žofie 🐈", "categoryId": 1}, 201, "Created")
        else:
            sent = request("/pets?limit=5", base=base)
            answer = response(page[:6])
        if index == 41:
            yield exchange(index, sent, NoAnswer(Silence.TIMEOUT, "no byte in 10.0 s, twice"), name, 10.0)
        else:
            # no two targets share all moments
            yield exchange(index, sent, answer, name, 0.004 + 0.0007 * (index % 31) + len(name) / 1e6)


def _info(name: str, exchanges: tuple[Exchange, ...]) -> TargetInfo:
    mine = [entry for entry in exchanges if entry.target == name]
    posts = sum(entry.request.method == "POST" for entry in mine)
    writes = name == "staging"
    created = (*(LeftAnimal(131 + n, f"petcheck 4f2a {n}") for n in range(9)), LeftAnimal(None, "petcheck 4f2a 9"))
    return target(
        name,
        writes=writes,
        plan="free" if writes else None,
        requests=RequestCount(len(mine), len(mine) - posts, posts, {"4.1": len(mine)}),
        waited_s=0.0 if writes else 12.4,
        created=created if writes else (),
    )


def _verdicts(
    catalogue: list[dict[str, Any]], names: tuple[str, ...], exchanges: tuple[Exchange, ...], failing: bool
) -> Iterator[Verdict]:
    for position, entry in enumerate(item for item in catalogue if item["level"] != "open"):
        for name in names:
            mine = [e.index for e in exchanges if e.target == name]
            writes = name == "staging"
            seen = tuple(mine) if entry["section"] in ("7", "8") else tuple(mine[position % 5 :: 7])
            file, check = entry["section"].replace(".", "_"), entry["id"].lower().replace("-", "_")
            common: dict[str, Any] = {
                "id": entry["id"],
                "section": entry["section"],
                "level": entry["level"],
                "statement": entry["statement"],
                "target": name,
                "also": tuple(dict.fromkeys(place.split(":")[0] for place in entry["at"][1:])),
                "checks": (f"checks/test_{file}.py::test_{check}",),
            }
            yield _verdict(common, seen, writes=writes, failing=failing)


def _verdict(common: dict[str, Any], seen: tuple[int, ...], *, writes: bool, failing: bool) -> Verdict:
    requirement = common["id"]
    verdicts: dict[str, dict[str, Any]] = {
        "LIST-3": {
            "outcome": "fail",
            "reason": "GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.",
            "exchanges": (5, 11),
            "decisive": (5,),
            "parts": ("body:/5",),
        },
        "CREATE-8": {
            "outcome": "fail",
            "reason": 'POST /pets with "categoryId": "one": expected 400 (section 4.2), got 201 and animal 104.',
            "exchanges": (4, 10),
            "decisive": (4, 10),
            "parts": ("status", "status"),
        },
        "GET-2": {
            "outcome": "waived",
            "reason": "GET /pets/3 leaves out `status`, which the list shows; section 4.3 asks for the same Pet.",
            "exchanges": (3,),
            "decisive": (3,),
            "parts": ("header:Retry-After",),
            "waiver": AppliedWaiver("Known since 2.4; fixed in 2.6, see the release plan.", "2026-12-31"),
        },
    }
    if requirement in ("RATE-10", "VERSION-2", "GET-4"):
        reason = {
            "RATE-10": "A day's quota is never used up on purpose; it would lock out everyone who shares the key.",
            "VERSION-2": "No operation serves the description.",
            "GET-4": "It is in force from 2030-12-05 on.",
        }[requirement]
        return Verdict(**common | {"checks": ()}, outcome="not-run", reason=reason, exchanges=(), in_force=False)
    if failing and requirement in verdicts and (writes or common["section"] != "4.2"):
        return Verdict(**common, **verdicts[requirement])
    if requirement in ("RATE-6", "RATE-7", "RATE-8", "RATE-9"):
        reason = "Using up the quota was not permitted."
        return Verdict(**common, outcome="not-run", reason=reason, exchanges=(), settled_by="--exhaust-rate-limit")
    if common["section"] == "4.2" and not writes:
        return Verdict(
            **common, outcome="not-run", reason="Writes were not permitted.", exchanges=(), settled_by="--allow-writes"
        )
    if requirement == "RATE-5":
        reason = "Without a plan any figure is right; X-RateLimit-Limit was 60."
        return Verdict(**common, outcome="inconclusive", reason=reason, exchanges=seen, settled_by="--plan")
    if requirement == "LIST-8":
        reason = "The store does not fit on a page of 100 animals, so nothing can be known to be missing."
        return Verdict(**common, outcome="inconclusive", reason=reason, exchanges=seen)
    return Verdict(**common, outcome="pass", reason=f"Held in all {len(seen)} exchanges.", exchanges=seen)


def _observations(catalogue: list[dict[str, Any]], names: tuple[str, ...]) -> Iterator[Observation]:
    for position, entry in enumerate(catalogue):
        if entry["level"] == "open" and "untestable" not in entry:
            for name in names:
                value = "400 Error" if position % 2 and name != "production" else "200 with 20 animals"
                yield Observation(entry["id"], entry["section"], name, value, entry["statement"], (position % 20,))
