"""An exchange is read once; what was read is kept with it, and is no part of it."""

from __future__ import annotations

import pickle
import time
from copy import copy
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from petcheck.call import Call, Credential, Members, new_pet_call, page_call, read_call
from petcheck.exchange import MASK, Exchange, NoAnswer, Response, Silence, http_date, mask_of
from petcheck.spec.operations import Operation
from tests.support.exchanges import exchange


def test_a_kind_of_key_has_the_name_that_an_older_recording_gives_it() -> None:
    assert Credential("the word constructor") is Credential.EVERY_OBJECT
    with pytest.raises(ValueError, match="the word"):
        Credential("the word")


def read(one: Exchange) -> tuple[object, ...]:
    assert isinstance(one.answer, Response)
    return (one.page, one.json, one.answer.header("content-type"), one.request.query, one.request.parsed)


def test_what_was_read_is_kept() -> None:
    one = exchange(path="/pets?limit=5", body=[{"id": 1}], asked={"name": "Rex"})
    assert all(before is after for before, after in zip(read(one), read(one), strict=True))


def test_what_was_read_is_no_part_of_the_value() -> None:
    one, other = (exchange(path="/pets?limit=5", body=[{"id": 1}]) for _ in range(2))
    before = pickle.dumps(one)
    read(one)
    assert (one, hash(one), repr(one)) == (other, hash(other), repr(other))
    assert (one.request, one.answer) == (other.request, other.answer)
    assert pickle.dumps(one) == before
    assert pickle.loads(before) == one
    assert copy(one).__dict__.keys() == other.__dict__.keys()
    assert replace(one, index=1).page is not one.page


def test_what_was_read_is_forgotten_and_read_again() -> None:
    one, other = (exchange(path="/pets?limit=5", body=[{"id": 1}]) for _ in range(2))
    before = read(one)
    one.forget()
    assert one.__dict__.keys() == other.__dict__.keys()
    assert one == other
    assert read(one) == before


def test_headers_are_found_in_any_case_and_repeats_are_joined() -> None:
    answer = Response(200, "", "HTTP/1.1", (("X-A", "1"), ("x-b", "2"), ("x-a", "3")), b"")
    assert [answer.header(name) for name in ("x-A", "X-B", "X-C")] == ["1, 3", "2", None]


def test_calls() -> None:
    assert read_call(-7) == Call(Operation.GET_PET, pet_id="-7")
    assert page_call() == Call(Operation.LIST_PETS)
    both = page_call(5, "sold", Credential.EMPTY)
    assert both == Call(Operation.LIST_PETS, Credential.EMPTY, query=(("limit", "5"), ("status", "sold")))
    assert page_call(0, "").query == (("limit", "0"), ("status", ""))


@pytest.mark.parametrize(
    ("body", "sent"),
    [({"name": "Zoë"}, '{"name": "Zoë"}'.encode()), ([1], b"[1]"), (b"{", b"{"), (b"", b""), (None, None)],
    ids=str,
)
def test_the_call_of_a_post(body: Members, sent: bytes | None) -> None:
    assert new_pet_call(body) == Call(Operation.CREATE_PET, body=sent)
    assert new_pet_call(body, Credential.EMPTY) == Call(Operation.CREATE_PET, Credential.EMPTY, body=sent)


def test_an_object_is_nothing_else() -> None:
    assert exchange(body={"id": 1}).object == {"id": 1}
    assert exchange(body=[]).object is None
    assert exchange(body=b"{").object is None


def test_a_request_in_words_stays_on_one_line_of_a_hundred_characters() -> None:
    def in_words(body: bytes) -> str:
        return exchange(Operation.CREATE_PET, asked=body).request.summary

    assert in_words("é\\\t\x7f\u2028".encode()) == "POST /pets with the body é\\" + r"\t\x7f\u2028"
    assert in_words(b"xy" * 50) == f"POST /pets with the body {'xy' * 50}"
    assert in_words(b'{"x": ' + b"[" * 300) == 'POST /pets with the body {"x": [[[…(300 times)'
    assert in_words(b"xy" * 51) == f"POST /pets with the body {('xy' * 51)[:99]}…"


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("http://pets.test/vX", "/pets?limit=5"),
        ("http://pets.test/vX/", "/pets?limit=5"),
        ("http://pets.test", "/vX/pets?limit=5"),
        ("http://pets.test/v", "http://pets.test/vX/pets?limit=5"),
        ("http://other.test", "http://pets.test/vX/pets?limit=5"),
        ("", "http://pets.test/vX/pets?limit=5"),
    ],
)
def test_the_path_below_a_base_url(base: str, path: str) -> None:
    request = replace(exchange().request, url="http://pets.test/vX/pets?limit=5")
    assert request.path_below(base) == path


@pytest.mark.parametrize(
    ("secret", "mask"),
    [
        (b"key", MASK),
        (b"12a", MASK),
        (b"7", b"9"),
        (b"1" * 18, b"9" * 18),
        (b"2" * 19, b"1" * 19),
        (b"9" * 20, b"1" * 20),
    ],
)
def test_the_mask_of_a_secret_of_digits_is_an_int64_where_the_secret_may_be_one(secret: bytes, mask: bytes) -> None:
    assert mask_of(secret) == mask


def test_a_silence_in_words() -> None:
    assert str(NoAnswer(Silence.RESET, "")) == "reset"
    assert str(NoAnswer(Silence.RESET, "nothing was received")) == "reset: nothing was received"


@pytest.mark.parametrize("zone", ["GMT", "-0000", "+0000"])
def test_a_date_is_in_utc_wherever_petcheck_runs(zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        date = http_date(f"Sun, 06 Nov 1994 08:49:37 {zone}")
    time.tzset()
    assert (date, date and date.tzinfo) == (datetime(1994, 11, 6, 8, 49, 37, tzinfo=UTC), UTC)


@pytest.mark.parametrize("path", ["/pets?status=%FF", "/pets?limit=5&status=%C3%A9%FF"])
def test_a_query_that_is_not_utf_8_is_sent_again_as_it_was(path: str) -> None:
    request = exchange(path=path).request
    assert (request.call.path, request.same.path) == (path, path)
    assert "\ufffd" in dict(request.query)["status"]
