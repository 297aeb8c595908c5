"""A line of a stream is the same value when it is read back, whatever it holds."""

from __future__ import annotations

import json
import string
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from petcheck.exchange import NoAnswer, Response, Silence
from petcheck.stream.entries import entry_of, exchange_of
from petcheck.stream.files import as_json, from_json
from petcheck.stream.lines import KINDS, Line
from petcheck.stream.reading import Ambiguous, parsed
from petcheck.stream.typed import plain, timestamp, typed
from tests.support import samples

# resolved types of annotations that hypothesis cannot guess well
st.register_type_strategy(datetime, st.datetimes(timezones=st.just(UTC)))
st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
st.register_type_strategy(str, st.text(max_size=8))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def line(kind: type[Line]) -> st.SearchStrategy[Any]:
    given_ = {"options": st.dictionaries(st.text(max_size=5), JSON)} if kind is KINDS["petcheck"] else {}
    return st.builds(kind, **given_)


@pytest.mark.parametrize("kind", KINDS.values())
@given(data=st.data())
def test_a_line_reads_back_equal(kind: type[Line], data: st.DataObject) -> None:
    value = data.draw(line(kind))
    assert typed(kind, plain(value)) == value
    assert from_json(parsed(json.dumps(as_json(value)).encode())) == value


headers = st.lists(st.tuples(st.text(string.ascii_letters, min_size=1), st.text(max_size=9)), max_size=3).map(tuple)


@given(
    st.one_of(
        st.builds(NoAnswer, st.sampled_from(Silence), st.text(max_size=9)),
        st.builds(
            Response,
            st.integers(100, 599),
            st.text(),
            st.text(),
            headers,
            st.binary(),
            st.booleans(),
            st.none() | st.text(),
        ),
    ),
    st.none() | st.binary(),
    headers,
    st.datetimes(min_value=datetime(1970, 1, 2), timezones=st.just(UTC)),
    st.floats(0, 1e6),
    st.booleans(),
)
def test_an_exchange_reads_back_equal(
    answer: Response | NoAnswer, body: bytes | None, sent: Any, started: datetime, at: float, odd: bool
) -> None:
    first = samples.exchange()
    exchange = replace(
        first,
        request=replace(first.request, body=body, headers=sent),
        answer=answer,
        started=started,
        sent=at,
        finished=at * 1.5,
        resent=odd,
        example=odd,
        cause="again" * odd,
        log="a line" if odd else None,
        simplifies=0 if odd else None,
        burst=3 if odd else None,
        again=0 if odd else None,
        connection=2 if odd else None,
    )
    assert exchange_of(json.loads(json.dumps(entry_of(exchange)))) == exchange
    assert from_json(parsed(json.dumps(as_json(exchange)).encode())) == exchange


@dataclass(frozen=True)
class Inner:
    kind: Literal["a", "b"]
    number: int = 3


@dataclass(frozen=True)
class Outer:
    inner: Inner
    days: tuple[date, ...] = ()
    note: str | None = None
    share: float = 0.0
    any: Any = None


def test_defaults_are_left_out() -> None:
    assert plain(Outer(Inner("a"))) == {"inner": {"kind": "a"}}
    full = Outer(Inner("b", 4), (date(2026, 1, 2),), "x", 0.5, [1])
    document = {"inner": {"kind": "b", "number": 4}, "days": ["2026-01-02"], "note": "x", "share": 0.5, "any": [1]}
    assert plain(full) == document
    assert typed(Outer, document) == full
    assert typed(Outer, {"inner": {"kind": "a"}, "share": 1}) == Outer(Inner("a"), share=1.0)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "outer is not an object"),
        ({}, "outer has no inner"),
        ({"inner": None}, "outer.inner is not an object"),
        ({"inner": {"kind": "c"}}, "outer.inner.kind is not one of the values that it may have"),
        ({"inner": {"kind": "a", "number": True}}, "outer.inner.number is not int"),
        ({"inner": {"kind": "a", "number": 1.0}}, "outer.inner.number is not int"),
        ({"inner": {"kind": "a", "more": 1, "less": 1}}, "outer.inner has a member that petcheck does not write: less"),
        ({"inner": {"kind": "a"}, "days": "2026-01-02"}, "outer.days is not tuple"),
        ({"inner": {"kind": "a"}, "days": ["2026-01-02", 3]}, "outer.days[1] is not date"),
        ({"inner": {"kind": "a"}, "days": ["2026-02-30"]}, "outer.days[0] is not a day"),
        ({"inner": {"kind": "a"}, "note": 1}, "outer.note is not str"),
        ({"inner": {"kind": "a"}, "share": "1"}, "outer.share is not float"),
    ],
)
def test_what_a_type_does_not_allow_is_refused(document: Any, said: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        typed(Outer, document)
    assert str(refused.value) == said


def test_a_moment_has_the_precision_that_it_needs() -> None:
    moment = samples.START
    assert timestamp(moment) == "2026-11-21T10:03:12.123Z"
    assert timestamp(moment.replace(microsecond=123_001)) == "2026-11-21T10:03:12.123001Z"
    assert timestamp(moment.replace(microsecond=0)) == "2026-11-21T10:03:12.000Z"


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', "[NaN]", "Infinity", "[-Infinity]", "1e999", "-1e999"])
def test_json_that_readers_read_differently_is_refused(text: str) -> None:
    with pytest.raises(Ambiguous):
        parsed(text.encode())
    assert parsed(b'[1e308, {"a": {"a": 1}}]') == [1e308, {"a": {"a": 1}}]
