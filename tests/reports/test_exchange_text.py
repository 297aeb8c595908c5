"""The part that decides, found in the text of an exchange."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petcheck.exchange import Exchange, NoAnswer, Silence
from petcheck.reports import exchange_text
from petcheck.reports.json_pointer import span
from petcheck.results.deciding import by_index
from tests.support import samples


@pytest.mark.parametrize(
    ("text", "pointer", "found"),
    [
        ('{"a": 1, "b" : [ {"c":"x"} , 22 ]}', "/b/1", "22"),
        ('{"a": 1, "b" : [ {"c":"x"} , 22 ]}', "/b/0/c", '"c":"x"'),
        ('{"a": 1, "b" : [ {"c":"x"} , 22 ]}', "/b", '"b" : [ {"c":"x"} , 22 ]'),
        (' [1, {"a":null}] ', "", '[1, {"a":null}]'),
        ('{"a":1,"a":2}', "/a", '"a":2'),
        ('{"\\u0061":1}', "/a", '"\\u0061":1'),
        ('{"a/b~c":1}', "/a~1b~0c", '"a/b~c":1'),
        ("[" + "9" * 9_000 + "]", "/0", "9" * 9_000),
        ('{"a":1}', "/b", None),
        ("[1]", "/1", None),
        ("[1]", "/x", None),
        ("[]", "/0", None),
        ("7", "/a", None),
        ("", "", None),
        ('{"a"', "/a", None),
        ('{"a":1 "b":2}', "/b", '"b":2'),
        ("[" * 100_000, "/0", None),
        ("<html>", "/0/id", None),
    ],
)
def test_a_value_is_found_where_it_was_written(text: str, pointer: str, found: str | None) -> None:
    place = span(text, pointer)
    assert (text[slice(*place)] if place else None) == found


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=9) | st.none(), max_size=4), max_size=4
    )
)
def test_every_member_of_a_list_is_found(items: list[dict[str, object]]) -> None:
    text = json.dumps(items, indent=1, ensure_ascii=False)
    for at, item in enumerate(items):
        for name, value in item.items():
            place = span(text, f"/{at}/{name.replace('~', '~0').replace('/', '~1')}")
            assert place is not None
            assert json.loads("{" + text[slice(*place)] + "}") == {name: value}


def pieces(body: bytes, part: str) -> tuple[str, list[str]]:
    """All text that is shown, and the marked part of it."""
    found = list(exchange_text.body_pieces(body, part))
    return "".join(piece.text for piece in found), [piece.text for piece in found if piece.marked]


def test_a_part_far_into_a_body_is_shown_with_its_context() -> None:
    body = json.dumps([samples.animal(number) for number in range(100)]).encode()
    text, shown = pieces(body, "body:/90/status")
    assert shown == ['"status": "available"']
    assert text.startswith('[{"id": 0, ')
    assert '"id": 90, "name": "Bella", "categoryId": 3, "status": "available"}' in text
    assert " characters left out, whole in exchanges.jsonl] … " in text
    assert text.endswith(f" of {len(body):,} characters, whole in exchanges.jsonl]")
    assert len(text) < 900


def test_a_part_near_the_start_or_missing() -> None:
    body = b'{"code": "x", "message": []}'
    assert pieces(body, "body:/message") == (body.decode(), ['"message": []'])
    assert pieces(body, "body") == (body.decode(), [body.decode()])
    assert pieces(body, "status") == (body.decode(), [])
    # the body has no value at that pointer, so the whole body decides
    assert pieces(b"<html>\xff", "body:/message") == ("<html>\\xff", ["<html>\\xff"])
    assert pieces(b'{"\xe2\x80\xae": "\x1b"}', "body:/x")[0] == '{"\\u{202e}": "\\u{1b}"}'


def test_a_header_is_marked_anywhere() -> None:
    listed = [(f"X-{number}", "1") for number in range(60)]
    found = list(exchange_text.header_pieces(listed, "header:x-55"))
    assert [piece.text for piece in found if piece.marked] == ["X-55: 1"]
    assert "".join(piece.text for piece in found).endswith("\n[cut at 41 of 60 headers, whole in exchanges.jsonl]")
    assert not any(piece.marked for piece in exchange_text.header_pieces(listed, "header:Retry-After"))


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("status", "by its status"),
        ("header:date", "by its header `date`"),
        ("header:Retry-After", "by having no header `Retry-After`"),
        ("body", "by its body"),
        ("body:/3/status", "by `status` in its body"),
        ("body:/20", "by item 21 of its body"),
        ("", ""),
    ],
)
def test_the_deciding_part_in_words(part: str, said: str) -> None:
    assert exchange_text.decided_by(evidence(), part) == said


def evidence(*, silent: bool = False, body: bytes = b"[]") -> Exchange:
    answer = NoAnswer(Silence.RESET, "x") if silent else samples.response(body)
    return next(iter(by_index([samples.exchange(0, None, answer)]).values()))


def test_silence_and_emptiness_in_words() -> None:
    assert exchange_text.decided_by(evidence(silent=True), "status") == ""
    assert exchange_text.decided_by(evidence(body=b""), "body:/id") == "by its body, which is empty"


@pytest.mark.parametrize(
    ("body", "part", "pieces"),
    [
        (b'{"a": NaN}', "body", [("200", False), (" ", False), ('{"a": ', False), ("NaN", True), ("}", False)]),
        (b"[1" + b",1" * 200, "body", [("200", False), (" ", False), ("… ", False), (",1" * 30, False)]),
        (b"<p>no</p>", "body", [("200", False), (" ", False), ("<p>no</p>", False)]),
        (b'{"a": 1, "b": "x  y"}', "body:/b", [
            ("200", False), (" ", False), ('{"a": 1, ', False), ('"b": "x  y"', True), ("}", False),
        ]),
        (b'{"a": 1}', "status", [("200", True), (" ", False), ('{"a": 1}', False)]),
    ],
    ids=["a number that JSON lacks", "JSON that was cut", "no JSON", "a member, and spaces in it", "the status"],
)  # fmt: skip
def test_the_answer_in_one_line_marks_what_decides(body: bytes, part: str, pieces: list[tuple[str, bool]]) -> None:
    [entry] = by_index([samples.exchange(0, None, samples.response(body))]).values()
    assert [(piece.text, piece.marked) for piece in exchange_text.answer_pieces(entry, part)] == pieces


def test_a_header_that_is_missing_is_shown_by_those_that_are_there() -> None:
    [entry] = by_index([samples.exchange(0, None, samples.response())]).values()
    assert exchange_text.answer_line(entry, "header:Retry-After") == (
        "200 without Retry-After; it has Date, Content-Type, X-RateLimit-Limit, X-RateLimit-Remaining, "
        "X-RateLimit-Reset"
    )
