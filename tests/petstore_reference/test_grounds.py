"""The variations that make a server hard to judge: each does what its description says."""

from __future__ import annotations

import json
from email.utils import parsedate_to_datetime
from itertools import pairwise
from typing import Any

import pytest

from petstore_reference.serve import running
from petstore_reference.server import create_app
from tests.petstore_reference.test_serve import REQUEST, raw
from tests.support.ground import KEY, NOON, Answer, Ask, Clock, client, settings, transcript

REX = Ask("/pets", "POST", body=b'{"name":"Rex","categoryId":1,"status":"sold"}')
LIST, ONE, SOLD = Ask("/pets?limit=1"), Ask("/pets/131"), Ask("/pets?limit=1&status=sold")


def answers(variation: str, *asks: Ask | float, **fields: Any) -> list[Answer]:
    clock = Clock()
    return transcript(create_app(settings(variations=(variation,), **fields), clock=clock), [*asks], clock)


def new(text: str | bytes) -> Ask:
    return Ask("/pets", "POST", body=text if isinstance(text, bytes) else text.encode())


def ids(answer: Answer) -> list[int]:
    return [pet["id"] for pet in json.loads(answer.body)]


# ---- lags


def test_a_cache_answers_each_url_for_8_seconds() -> None:
    before, _, cached, other, after = answers("cache-per-url", LIST, REX, 7.9, LIST, SOLD, 0.2, LIST)
    assert (ids(before), before.header("Age")) == ([130], None)
    assert (ids(cached), cached.header("Age")) == ([130], "7")
    assert (ids(other), other.header("Age")) == ([131], None)
    assert (ids(after), after.header("Age")) == ([131], None)


def test_a_cache_checks_keys_and_counts() -> None:
    first, cached, refused = answers("cache-per-url", LIST, LIST, Ask("/pets?limit=1", authorization="Bearer x"))
    assert [each.header("X-RateLimit-Remaining") for each in (first, cached)] == ["59", "58"]
    assert refused.status == 401


def test_a_replica_lags_8_seconds() -> None:
    found = answers("replica-lags", REX, LIST, LIST, ONE, ONE, 8.0, LIST, LIST, ONE)
    assert [ids(found[place]) for place in (1, 2, 5, 6)] == [[130], [131], [131], [131]]
    assert [found[place].status for place in (3, 4, 7)] == [404, 200, 200]


def test_a_filter_index_lags_8_seconds() -> None:
    _, listed, filtered, later = answers("filter-index-lags", REX, LIST, SOLD, 8.0, SOLD)
    assert (ids(listed), ids(later)) == ([131], [131])
    assert ids(filtered) != [131]


def test_each_url_lags_by_itself() -> None:
    def shown(answer: Answer) -> bool:
        return 131 in ids(answer)

    urls = [Ask(f"/pets?limit={limit}") for limit in range(1, 30)]
    _, *found = answers("lag-per-url", REX, *urls, 4.0, *urls, 4.0, *urls, keys={KEY: "pro"})
    counts = [sum(map(shown, found[start : start + 29])) for start in (0, 29, 58)]
    assert 0 < counts[0] < counts[1] < counts[2] == 29


def test_a_default_status_shows_late() -> None:
    created, before, after, listed = answers(
        "late-default-status", new('{"name":"Rex","categoryId":1}'), 2.0, ONE, 1.0, ONE, LIST
    )
    rex = {"id": 131, "name": "Rex", "categoryId": 1}
    assert json.loads(created.body) == json.loads(before.body) == rex
    assert json.loads(after.body) == {**rex, "status": "available"} == json.loads(listed.body)[0]


def test_a_status_shows_late() -> None:
    created, before, filtered, after, later = answers("status-lags", REX, ONE, SOLD, 8.0, ONE, SOLD)
    rex = json.loads(created.body)
    assert rex["status"] == "sold"
    assert json.loads(before.body) == {name: value for name, value in rex.items() if name != "status"}
    assert json.loads(after.body) == rex
    assert (131 in ids(filtered), 131 in ids(later)) == (False, True)


def test_a_filter_finds_a_changed_animal_late() -> None:
    """The third request changes the animal that the second shows."""
    pending = Ask("/pets?status=pending")
    _, before, one, filtered, late = answers(
        "changes-lag", LIST, Ask("/pets/129"), Ask("/pets/129"), pending, 8.0, pending
    )
    assert [json.loads(answer.body)["status"] for answer in (before, one)] == ["sold", "pending"]
    assert (129 in ids(filtered), 129 in ids(late)) == (False, True)


def test_a_filter_still_finds_an_animal_that_gets_its_status_again() -> None:
    """Before the 6th and the 15th request another client gives animal 1 the same status."""
    sold = Ask("/pets?status=sold")
    found = answers("changes-lag", *[sold] * 6, 8.0, *[sold] * 10, animals=3)
    assert [1 in ids(answer) for answer in found] == [False] * 6 + [True] * 10


# ---- caps and long bodies


@pytest.mark.parametrize("most", [20, 37, 64, 99])
def test_caps(most: int) -> None:
    found = answers(f"pages-of-{most}", Ask("/pets"), Ask("/pets?limit=20"), Ask("/pets?limit=100"))
    assert [len(ids(answer)) for answer in found] == [20, 20, most]


def test_a_cap_by_bytes() -> None:
    short, long, plain = answers("pages-of-4000-bytes", Ask("/pets?limit=50"), Ask("/pets?limit=100"), Ask("/pets"))
    assert [len(ids(answer)) for answer in (short, plain)] == [50, 20]
    assert 50 < len(ids(long)) < 80 < 3_400 < len(long.body) < 4_200
    cut = ("pages-of-4000-bytes", "long-names")
    (twenty,) = transcript(create_app(settings(variations=cut)), [Ask("/pets?limit=100")], Clock())
    assert len(ids(twenty)) == 20


def test_long_bodies() -> None:
    assert len(answers("pets-of-30-kb", Ask("/pets?limit=100"))[0].body) > 3_000_000
    assert answers("deep-pets", Ask("/pets/1"))[0].body.count(b"[" * 3_000) == 1
    brackets = answers("brackets-in-strings", Ask("/pets"))[0]
    assert brackets.body.count(b"[{") >= 50_000
    assert len(ids(brackets)) == 20


def test_the_order_changes_from_request_to_request() -> None:
    found = answers("random-order", *[Ask("/pets?limit=100")] * 3, animals=50)
    assert len({tuple(ids(answer)) for answer in found}) == 3
    assert [answer.body for answer in answers("random-order", *[Ask("/pets?limit=100")] * 3, animals=50)] == [
        answer.body for answer in found
    ]


# ---- ids and other clients


def test_random_ids_of_both_signs() -> None:
    found = ids(answers("ids-random-signed", Ask("/pets"), animals=20)[0])
    assert min(found) < -(2**60) < 2**60 < max(found)
    assert found not in (sorted(found), sorted(found, reverse=True))


def test_an_id_is_given_again_once() -> None:
    asks = [*[LIST] * 9, Ask("/pets/130"), REX, Ask("/pets/130"), REX]
    *_, gone, created, read, next_one = answers("id-reused-once", *asks)
    assert [gone.status, json.loads(created.body)["id"], read.body == created.body] == [404, 130, True]
    assert json.loads(next_one.body)["id"] == 131


def test_ids_are_given_again_later() -> None:
    found = answers("ids-reused-later", *[LIST] * 10, REX, 20.0, REX, *[LIST] * 8, 20.0, REX)
    created = [json.loads(found[place].body)["id"] for place in (10, 11, 20)]
    assert created == [131, 130, 129]


def test_another_client_uses_up_the_quota_once() -> None:
    found = answers("others-use-up-quota", *[LIST] * 12, 60.0, *[LIST] * 20)
    assert [answer.status for answer in found] == [200] * 11 + [429] + [200] * 20
    assert found[11].header("Retry-After") == "60"


# ---- quotas and clocks


def remaining(answer: Answer) -> int:
    return int(answer.header("X-RateLimit-Remaining") or "")


def test_refused_requests_are_free() -> None:
    bad = Ask("/pets", authorization="Bearer x")
    found = answers("refused-free", LIST, Ask("/pets/0"), Ask("/pets/0"), LIST, bad, bad, new("{"), LIST)
    assert [remaining(answer) for answer in found] == [59, 59, 59, 58, 60, 60, 58, 57]


def test_a_post_costs_five_requests() -> None:
    found = answers("posts-cost-five", LIST, REX, LIST, REX, REX, keys={KEY: "enterprise"}, custom_limit=9)
    assert [(answer.status, remaining(answer)) for answer in found] == [
        *((200, 8), (201, 3), (200, 2)),
        *((201, 0), (429, 0)),
    ]


@pytest.mark.parametrize(("variation", "hours"), [("date-behind", -5), ("date-ahead", 5)])
def test_date_alone_is_wrong(variation: str, hours: int) -> None:
    (answer,) = answers(variation, LIST)
    assert answer.header("X-RateLimit-Reset") == str(int(NOON) + 60)
    assert parsedate_to_datetime(answer.header("Date") or "").timestamp() == NOON + 3600 * hours


# ---- parsers

EXTENSIONS: dict[str, str | bytes] = {
    "json-trailing-comma": '{"name":",}","categoryId":1,}',
    "json-comments": '/* a */{"name":"/* // */","categoryId":1}// b',
    "json-nan": '{"name":"NaN","categoryId":1,"age":NaN,"size":-Infinity}',
    "json-with-text-after": '{"name":"Rex","categoryId":1} and more',
    "json-invalid-utf-8": b'{"name":"R\xffx","categoryId":1}',
}
NOT_JSON = (
    "",
    "{",
    '{"name":"Rex"',
    "name=Rex",
    "{'name':'Rex','categoryId':1}",
    "NaN",
    "[1,]",
    "{,}",
    "// x",
    "[" * 9**5,
)


@pytest.mark.parametrize("variation", EXTENSIONS)
def test_parsers_accept_one_extension(variation: str) -> None:
    for name, body in EXTENSIONS.items():
        accepted, listed = answers(variation, new(body), LIST)
        assert (accepted.status, ids(listed)) == ((201, [131]) if name == variation else (400, [130])), name
    for text in NOT_JSON:
        assert answers(variation, new(text))[0].status == 400, text[:30]
    assert answers(variation, new('{"name":"Rex","categoryId":NaN}'))[0].status == 400


@pytest.mark.parametrize(
    ("variation", "name"),
    [
        ("json-trailing-comma", ",}"),
        ("json-comments", "/* // */"),
        ("json-nan", "NaN"),
        ("json-with-text-after", "Rex"),
        ("json-invalid-utf-8", "R\ufffdx"),
    ],
)
def test_accepted_bodies_have_the_values_of_the_text(variation: str, name: str) -> None:
    created = json.loads(answers(variation, new(EXTENSIONS[variation]))[0].body)
    assert created == {"id": 131, "name": name, "categoryId": 1}


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_encodings(encoding: str) -> None:
    body = '{"name":"Rex","categoryId":1}'.encode(encoding)
    plain = transcript(create_app(settings()), [new(body)], Clock())
    assert [plain[0].status, answers("json-utf-8-only", new(body))[0].status] == [201, 400]


# ---- connections


def test_every_second_request_gets_502() -> None:
    found = answers("one-backend-down", LIST, LIST, REX, REX, LIST)
    assert [answer.status for answer in found] == [200, 502, 201, 502, 200]
    assert (found[1].header("Content-Type"), found[1].header("X-RateLimit-Limit")) == ("text/html", None)
    assert ids(found[4]) == [131]


def test_closed_after_seven_responses() -> None:
    with running(create_app(settings(variations=("close-after-7-responses",)))) as url:
        received = raw(url, REQUEST * 9)
    assert received.count(b"HTTP/1.1 200 OK") == 7
    assert b"connection" not in received.lower()


def test_closed_when_idle() -> None:
    with running(create_app(settings(variations=("close-when-idle",)))) as url:
        received = raw(url)  # until the server closes
        with client(f"{url}/v1") as http:
            assert http.get("/pets/1").status_code == 200
    assert received.count(b"HTTP/1.1 200 OK") == 1
    assert received.endswith(b"}")


def test_lags_contradict_each_other() -> None:
    lags = (
        "cache-per-url",
        "replica-lags",
        "filter-index-lags",
        "lag-per-url",
        "late-default-status",
        "status-lags",
        "changes-lag",
    )
    for pair in pairwise(lags):
        with pytest.raises(ValueError, match="contradicts"):
            create_app(settings(variations=pair))
