"""What is marked in exchanges side by side, and what is ignored because it changes from run to run."""

from __future__ import annotations

import pytest

from petcheck.comparison.normalize import header_varies, normalized, request_body, request_path
from petcheck.exchange import Exchange, NoAnswer, Request, Response, Silence
from petcheck.reports.side_by_side import AlignedExchange, Line, side_by_side
from petcheck.results.deciding import by_index
from petcheck.spec.operations import Operation
from tests.support import samples

BASES = ("https://staging.pets.example/v1", "https://production.pets.example/v1")
RUNS = ("0a1b2c3d", "4e5f6a7b")


def evidence(answer: Response | NoAnswer, request: Request | None = None) -> Exchange:
    made: Exchange = samples.exchange(0, request, answer)
    return next(iter(by_index([made]).values()))


def shown(*answers: Response | NoAnswer, request: Request | None = None) -> tuple[AlignedExchange, ...]:
    made = side_by_side([evidence(answer, request) for answer in answers], BASES, RUNS)
    return tuple(one for one in made if one is not None)


def marked(*lines: Line) -> list[str]:
    return [piece.text for line in lines for piece in line if piece.marked]


def marked_bodies(*bodies: object, request: Request | None = None) -> list[list[str]]:
    return [marked(one.response_body) for one in shown(*(samples.response(body) for body in bodies), request=request)]


def test_text_is_complete_whatever_is_marked() -> None:
    one, other = shown(samples.response({"id": 1, "name": "A b"}), samples.response({"id": 2, "name": "A  c"}))
    assert "".join(piece.text for piece in one.response_body) == '{"id": 1, "name": "A b"}'
    assert "".join(piece.text for piece in other.response_body) == '{"id": 2, "name": "A  c"}'
    assert marked(one.response_body) == ['"name": "A b"']


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        (({"id": 1}, {"id": 2}), [[], []]),
        (({"id": 1}, {"id": "2"}), [['"id": 1'], ['"id": "2"']]),
        (({"code": "a", "status": 400}, {"code": "b", "status": 400}), [['"code": "a"'], ['"code": "b"']]),
        (({"code": "a"}, {"code": "a", "at": 5}), [[], [', "at": 5']]),
        (({"name": "petcheck 0a1b2c3d x"}, {"name": "petcheck 4e5f6a7b x"}), [[], []]),
        (({"createdAt": "2026-01-01T00:00:00Z"}, {"createdAt": "2026-02-01T00:00:00Z"}), [[], []]),
        (([{"id": 1, "name": "A"}], [{"id": 7, "name": "B"}]), [[], []]),
        (([{"id": 1, "status": "sold"}], [{"id": 7}]), [[], []]),
        (([{"id": 1, "status": "sold"}], [{"id": 7, "status": "SOLD"}]), [[], ['"status": "SOLD"']]),
        (([{"id": 1}], [{"id": 7}, {"id": 8}]), [[], ['{"id": 8}']]),
        (([{"id": 1}], [{"id": 7, "tags": []}]), [[], ['"tags": []']]),
        ((b"<h1>Not here</h1>", b"<h1>Not there</h1>"), [["here</h1>"], ["there</h1>"]]),
        ((b"", b"x"), [[], ["x"]]),
    ],
)  # fmt: skip
def test_parts_of_a_body_that_the_other_lacks_are_marked(bodies: tuple[object, ...], expected: list[list[str]]) -> None:
    assert marked_bodies(*bodies) == expected


def test_on_a_filtered_page_the_status_counts() -> None:
    request = samples.request("/pets?status=sold")
    bodies = ([{"id": 1, "status": "sold"}], [{"id": 2, "status": "pending"}])
    assert marked_bodies(*bodies, request=request) == [['"status": "sold"'], ['"status": "pending"']]


def test_parts_that_a_cut_body_may_still_hold_are_not_marked() -> None:
    long, longer = ([samples.animal(number) for number in range(count)] for count in (60, 99))
    assert marked_bodies(long, longer) == [[], []]
    assert marked_bodies(long[:2], longer)[0] == []
    assert marked_bodies(long[:2], longer)[1] != []


def test_headers_are_compared_by_name_and_changing_values_are_ignored() -> None:
    ours = samples.response(
        headers=(("Date", "x"), ("Server", "a/1"), ("ETag", "1"), ("X-Request-Id", "1"), ("Own", "1"))
    )
    theirs = samples.response(headers=(("server", "a/2"), ("date", "y"), ("Etag", "2"), ("x-request-id", "2")))
    one, other = shown(ours, theirs)
    assert marked(*one.response_headers) == ["a/1", "Own: ", "1"]
    assert marked(*other.response_headers) == ["a/2"]


def test_each_of_three_sides_shows_its_own_differences() -> None:
    bodies = [{"code": code} for code in ("a", "a", "b")]
    made = side_by_side([evidence(samples.response(body)) for body in bodies], (*BASES, ""), (*RUNS, ""))
    assert [marked(one.response_body) for one in made if one] == [['"code": "a"'], [], ['"code": "b"']]


def test_a_status_and_silence_are_marked_and_no_exchange_stays_none() -> None:
    made = side_by_side(
        [evidence(samples.response(status=200)), None, evidence(samples.response(status=201))], ("",) * 3, ("",) * 3
    )
    assert [one is None for one in made] == [False, True, False]
    assert made[0] is not None
    assert marked(made[0].status_line) == ["200"]
    one, other = shown(samples.response(), NoAnswer(Silence.TIMEOUT, "10 s"))
    assert marked(one.status_line) == ["HTTP/1.1", "200", "OK"]
    assert marked(other.status_line) == ["timeout: 10 s"]


def test_bodies_that_take_too_long_are_marked_in_one_range() -> None:
    body, other = b'"' * 1_900, b'"' * 900 + b"," * 900
    assert marked_bodies(body, body) == [[], []]
    assert [len("".join(texts)) > 500 for texts in marked_bodies(body, other)] == [True, True]


def test_hostile_text_is_visible_before_it_is_compared() -> None:
    value, exchanges = samples.hostile_run()
    entries = tuple(by_index(exchanges).values())
    for one in side_by_side(entries[:2], (value.targets[0].base_url,) * 2, RUNS):
        assert one is not None
        for line in (one.request_line, *one.request_headers, one.request_body, one.status_line, *one.response_headers):
            assert all(piece.text.replace("\n", "").isprintable() for piece in line)
        assert sum(len(piece.text) for piece in one.response_body) < 30_000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("petcheck 0a1b2c3d sold", "petcheck {run} sold"),
        ("at 2026-11-21T10:03:12.123Z", "at {time}"),
        ("Sat, 21 Nov 2026 10:03:12 GMT", "{time}"),
        ("until 1795255440", "until {time}"),
        ("trace 4bf92f3577b34da6a3ce929d0e0e4736", "trace {hex}"),
        ("6f1c2b1e-8c7d-4b2a-9a3e-1234567890ab", "{uuid}"),
        ("400 and 9223372036854775808", "400 and 9223372036854775808"),
        ("accepted", "accepted"),
    ],
)
def test_normalized_text(text: str, expected: str) -> None:
    assert normalized(text, "0a1b2c3d") == expected


def test_requests_of_two_runs_are_equal_without_ids_and_names() -> None:
    first, second = (
        f'{{"name": "petcheck {run} refused x", "categoryId": {number}}}'.encode()
        for run, number in zip(RUNS, (1, 17), strict=True)
    )
    assert request_body(first, RUNS[0]) == request_body(second, RUNS[1])
    assert request_body(b'{"categoryId": 9223372036854775807}', "") == '{"categoryId": 9223372036854775807}'
    assert request_body(b'{"categoryId": true}', "") != request_body(b'{"categoryId": 1}', "")
    assert request_body(b"[" * 900 + b"]" * 900, "") == "[" * 900 + "]" * 900  # deeper than Python goes
    assert request_body(None, "") is None
    assert request_body(b"", "") == ""
    assert request_body(b"[" * 100_000, "") == "[" * 100_000


@pytest.mark.parametrize(
    ("last", "kept"), [("131", "{id}"), ("-5", "{id}"), ("9223372036854775808", None), ("abc", None)]
)
def test_an_int64_id_is_ignored(last: str, kept: str | None) -> None:
    entry = evidence(samples.response(), samples.request(f"/pets/{last}", operation=Operation.GET_PET))
    assert request_path(entry, BASES[0]) == f"/pets/{kept or last}"


@pytest.mark.parametrize("name", ["Date", "X-RateLimit-Reset", "ratelimit-remaining", "X-Request-ID", "CF-Ray", "ETag"])
def test_headers_that_change(name: str) -> None:
    assert header_varies(name)


@pytest.mark.parametrize("name", ["Server", "Content-Type", "Cache-Control", "WWW-Authenticate", "Sunset", "Vary"])
def test_headers_that_stay(name: str) -> None:
    assert not header_varies(name)


def test_a_body_that_looks_cut_is_complete() -> None:
    note = b" \xe2\x80\xa6 [cut at 2,000 of 9,999 characters, whole in exchanges.jsonl]"
    assert marked_bodies(b"x" + note, b"x" + note + b" y") == [[], ["y"]]
