"""JSON is read exactly, and anything else is refused with a reason."""

from __future__ import annotations

import json
import sys
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck.exchange import Response
from petcheck.json_values import LARGE, HugeNumber, Json, Parsed, integer, is_utf_8, kind, parse
from tests.support.exchanges import short


def value_of(body: bytes) -> Json:
    parsed = parse(body)
    assert (parsed.wrong, parsed.unread) == ("", False)
    return parsed.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9007199254740993", 2**53 + 1),
        ("1.5", Decimal("1.5")),
        ("1.0", Decimal("1.0")),
        ("0.1e-5", Decimal("0.000001")),
        ("1E400", Decimal("1E400")),
        ("null", None),
        ("true", True),
        ('"Zo\u00eb \\u00eb \\ud83d\\udc08"', "Zo\u00eb \u00eb \U0001f408"),
        ('"\\ud800"', "\ud800"),
        (' \n[1 , {"a" : []}]\t', [1, {"a": []}]),
        ('{"id":1,"id":2}', {"id": 2}),
        ("\ufeff[]", []),
        ("1" * 4000, int("1" * 4000)),
        ("1" * 5000, HugeNumber(5000, whole=True)),
        ("-" + "1" * 5000, HugeNumber(5001, whole=True)),
        ("0." + "1" * 3998, Decimal("0." + "1" * 3998)),
        ("0." + "1" * 5000, HugeNumber(5002, whole=False)),
        ("1e99999999999999999999", HugeNumber(22, whole=False)),
    ],
    ids=short,
)
def test_what_is_json(text: str, value: Json) -> None:
    got = value_of(text.encode("utf-8", "surrogatepass"))
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "the body is empty"),
        (b" \r\n\t", "the body is empty"),
        (b"\xef\xbb\xbf", "the body is empty"),
        (b"NaN", "the body is not JSON: NaN is not a JSON value"),
        (b"[Infinity]", "the body is not JSON: Infinity is not a JSON value"),
        (b'{"a":-Infinity}', "the body is not JSON: -Infinity is not a JSON value"),
        (b'["\xff"]', "byte 3 of the body is not valid UTF-8"),
        (b'["\xed\xa0\x80"]', "byte 3 of the body is not valid UTF-8"),
        (b"\xff\xfe[\x00]\x00", "byte 1 of the body is not valid UTF-8"),
        (b'{"a":1,}', "the body is not JSON: Illegal trailing comma before end of object at line 1, column 7"),
        (b"{'a':1}", "the body is not JSON: a name in double quotes is missing at line 1, column 2"),
        (b"[1] [2]", "the body is not JSON: text after the value at line 1, column 5"),
        (b"[1", "the body is not JSON: a comma is missing at line 1, column 3"),
        (b'"a\nb"', "the body is not JSON: a control character at line 1, column 3"),
        (b'"a\x00b"', "the body is not JSON: a control character at line 1, column 3"),
        (b"01", 'the body is not JSON: it begins with "01"'),
        (b"401: Unauthorized", 'the body is not JSON: it begins with "401: Unauthorized"'),
        (b'"a" "b"', "the body is not JSON: text after the value at line 1, column 5"),
        (b"{} {}", "the body is not JSON: text after the value at line 1, column 4"),
        (b"1,", 'the body is not JSON: it begins with "1,"'),
        (b"+1", 'the body is not JSON: it begins with "+1"'),
        (b"<html>", 'the body is not JSON: it begins with "<html>"'),
        (b"\n<!DOCTYPE html><title>", 'the body is not JSON: it begins with "<!DOCTYPE html><titl"'),
        (b'{"a" 1}', "the body is not JSON: a colon is missing at line 1, column 6"),
        (b'{"a":}', "the body is not JSON: a value is missing at line 1, column 6"),
        (b'["a', "the body is not JSON: a string without an end at line 1, column 2"),
        (b"[" * 90_000 + b"]" * 90_000, "the body is nested deeper than petcheck reads"),
        (b'{"a":' * 90_000 + b"1" + b"}" * 90_000, "the body is nested deeper than petcheck reads"),
        (b"[" * 90_000, "the body is nested deeper than petcheck reads"),
        (b"[" * 200_000 + b"]" * 200_000, "the body has more values than petcheck reads (100,000)"),
        (b"[" + b"1," * 100_000 + b"1]", "the body has more values than petcheck reads (100,000)"),
        # read in a moment, although each quote may begin a string
        (
            b'["' + b'\\"' * 500_000 + b"," * 100_001,
            "the body is not JSON: a string without an end at line 1, column 2",
        ),
        (b"{" * 100_001, "the body has more values than petcheck reads (100,000)"),
        (b"[" + b"{}," * 100_000 + b"{}]", "the body has more values than petcheck reads (100,000)"),
    ],
    ids=short,
)
def test_what_is_not_json(body: bytes, why: str) -> None:
    said = parse(body).wrong
    # how Python's reader calls a trailing comma differs between its versions
    assert said == why or (b",}" in body and said.startswith("the body is not JSON: "))


def test_what_a_newer_reader_says_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def newer(text: str, **_how: object) -> Json:
        raise json.JSONDecodeError("Illegal trailing comma before end of array", text, 2)

    monkeypatch.setattr(json, "loads", newer)
    assert parse(b"[1,]").wrong == (
        "the body is not JSON: Illegal trailing comma before end of array at line 1, column 3"
    )


def test_the_values_of_large_bodies_are_remembered_and_those_of_others_are_not() -> None:
    for size, remembered in ((LARGE - 1, False), (LARGE, False), (LARGE + 1, True)):
        body = b"[]".ljust(size)
        assert (parse(body) is parse(body)) is remembered


def test_invalid_json_and_unread_json_are_distinguished() -> None:
    unread = [b"[" * 90_000 + b"]" * 90_000, b"[" + b"1," * 100_000 + b"1]"]
    for body in (*unread, b"{", b"", b"\xff", b"NaN"):
        parsed = parse(body)
        assert parsed.wrong
        assert parsed.unread == (body in unread)
        assert parsed.value is None


def test_a_hundred_thousand_values_are_read() -> None:
    assert value_of(b"[" + b"1," * 99_999 + b"1]") == [1] * 100_000


def test_a_hundred_thousand_values_beside_apparent_values_are_read() -> None:
    assert value_of(b'[",",' + b"1," * 99_998 + b"1]") == [",", *[1] * 99_999]


def test_apparent_values_in_strings_are_read() -> None:
    text = "[" * 60_000 + '\\"' + "," * 60_000
    assert value_of(b'["' + text.encode() + b'", 1]') == [text.replace("\\", ""), 1]
    assert parse(b'["' + text.encode() + b'"' + b",1" * 100_001 + b"]").unread


def test_json_nested_three_thousand_deep_is_read() -> None:
    limit = sys.getrecursionlimit()
    value = value_of(b'{"a":' * 3_000 + b"[7]" + b"}" * 3_000)
    for _ in range(3_000):
        assert isinstance(value, dict)
        value = value["a"]
    assert value == [7]
    assert sys.getrecursionlimit() == limit


def test_the_latest_eight_large_bodies_are_remembered() -> None:
    large = [b"[" + b" " * spaces + b"]" for spaces in range(99_999, 100_008)]
    values = [parse(body) for body in large]
    assert values[-8:] == [Parsed([])] * 8
    assert all(parse(body) is value for body, value in zip(large[1:], values[1:], strict=True))
    assert parse(large[0]) is not values[0]


def test_a_response_remembers_its_value_unless_it_is_large() -> None:
    for spaces, remembered in ((99_998, True), (99_999, False)):
        body = b"[" + b" " * spaces + b"]"
        parse(body)
        answer = Response(200, "", "HTTP/1.1", (), body)
        value = answer.parsed
        for more in range(100_100, 100_108):
            parse(b"[" + b" " * more + b"]")
        assert answer.parsed == Parsed([])
        assert (answer.parsed is value) == remembered


def test_a_compressed_body_that_no_header_announces() -> None:
    wrong = "the body is compressed with gzip, but Content-Encoding does not say so"
    assert Response(200, "OK", "HTTP/1.1", (), b"\x1f\x8b\x08\x00").parsed == Parsed(wrong=wrong)


def test_a_body_over_the_cap_is_not_parsed() -> None:
    wrong = "only a part of the body is known (2 bytes)"
    answer = Response(200, "", "HTTP/1.1", (), b"[]", body_complete=False)
    assert answer.parsed == Parsed(wrong=wrong, unread=True)


def test_a_body_that_is_not_what_its_encoding_claims_is_not_json() -> None:
    broken = Response(200, "", "HTTP/1.1", (), b"[]", encoding_broken="it is not gzip")
    assert broken.parsed == Parsed(wrong="it is not gzip")


@given(st.binary() | st.text().map(str.encode))
def test_anything_is_read_or_refused(body: bytes) -> None:
    parsed = parse(body)
    assert parsed.value is None or not parsed.wrong


VALUES: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)


@given(VALUES)
def test_written_values_are_read_back(value: object) -> None:
    assert value_of(json.dumps(value).encode()) == value


@given(st.integers(-(2**63), 2**63 - 1))
def test_every_int64_is_exact(number: int) -> None:
    assert integer(value_of(str(number).encode())) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("7.0", 7),
        ("7e0", 7),
        ("-0.0", 0),
        ("0e50", 0),
        ("0e-999999999", 0),
        ("0." + "0" * 50, 0),
        ("1e-50", None),
        ("9223372036854775807.0", 2**63 - 1),
        ("1e18", 10**18),
        ("1e39", 10**39),
        ("1e40", None),
        ("7.5", None),
        ("1e400", None),
        ("true", None),
        ('"7"', None),
        ("null", None),
        ("[7]", None),
        ("1" * 5000, None),
    ],
    ids=short,
)
def test_integers(text: str, number: int | None) -> None:
    assert integer(value_of(text.encode())) == number


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("null", "null"),
        ("true", "a boolean"),
        ("1", "an integer"),
        ("1.5", "a number with a fraction"),
        ("9" * 4500, "a number of 4,500 digits"),
        ('""', "a string"),
        ("[]", "an array"),
        ("{}", "an object"),
    ],
    ids=short,
)
def test_kinds(text: str, name: str) -> None:
    assert kind(value_of(text.encode())) == name


@pytest.mark.parametrize(
    ("data", "whole", "cut"),
    [("Zoë".encode(), True, True), (b"Zo\xc3", False, True), (b"Zo\xff", False, False), (b"", True, True)],
)
def test_a_character_may_be_cut_where_bytes_are_not_the_whole_text(data: bytes, whole: bool, cut: bool) -> None:
    assert (is_utf_8(data), is_utf_8(data, whole=True), is_utf_8(data, whole=False)) == (whole, whole, cut)
