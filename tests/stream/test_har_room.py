"""Entries of exchanges.har that take too much room are cut, and say so; the others are as they were."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest

from petcheck.errors import NotEvidence
from petcheck.exchange import NoAnswer, Response, Silence
from petcheck.stream.entries import entry_of, exchange_of
from petcheck.stream.har import fitted
from tests.support import samples

SMALL = 2_000


def line(answer: Response | NoAnswer, *, room: int = SMALL, log: str | None = None) -> dict[str, Any]:
    entry = entry_of(samples.exchange(answer=answer))
    if log is not None:
        entry["_petcheck"]["log"] = log
    cut: dict[str, Any] = json.loads(next(fitted([entry], room)))
    return cut


def test_an_entry_that_fits_is_whole() -> None:
    entry = entry_of(samples.exchange(answer=samples.response(b"[]")))
    assert next(fitted([entry])) == json.dumps(entry)


@pytest.mark.parametrize("raw", [b"x" * 90_000, b"\x01" * 90_000, b"\xff" * 90_000, '"\N{SNOWMAN}'.encode() * 20_000])
def test_a_long_body_is_cut_and_named(raw: bytes) -> None:
    cut = line(samples.response(raw))
    content = cut["response"]["content"]
    digest = hashlib.sha256(raw).hexdigest()
    assert content["comment"] == f"cut: the first part of {len(raw):,} bytes, sha256 {digest}"
    assert content["size"] == len(raw)
    text = content["text"]
    kept = base64.b64decode(text) if content.get("encoding") == "base64" else text.encode()
    assert kept
    assert raw.startswith(kept)
    assert len(json.dumps(cut["response"])) < SMALL
    assert cut["response"]["comment"] == "whole in exchanges.jsonl"


def test_what_else_is_long_is_cut_too() -> None:
    headers = tuple((f"X-{number}", "y" * 500) for number in range(90))
    long = "r" * 30_000
    cut = line(Response(200, long, "HTTP/1.1", headers, b"[]", True), log=long)
    assert cut["response"]["comment"] == "cut at 2 of 90 headers, whole in exchanges.jsonl"
    assert cut["response"]["statusText"] == "r" * 200 + "…"
    assert cut["_petcheck"]["log"] == "r" * 200 + "…"
    assert cut["response"]["content"]["text"] == "[]"
    silent = line(NoAnswer(Silence.RESET, long))
    assert len(json.dumps(silent)) < 2 * SMALL


def test_what_petcheck_sent_is_whole() -> None:
    entry = entry_of(samples.exchange(answer=samples.response(b"x" * 90_000)))
    cut = line(samples.response(b"x" * 90_000))
    assert cut["request"] == entry["request"]
    assert cut["_petcheck"] == {**entry["_petcheck"], "cut": True}


def test_the_file_stays_small_and_later_entries_keep_something() -> None:
    entry = entry_of(samples.exchange(answer=samples.response(b'{"a":1}' * 10_000)))
    lines = list(fitted([entry] * 300, 100_000))
    assert sum(map(len, lines)) < 100_000 + 300 * 2_000
    assert '{\\"a\\":1}' in lines[-1]
    assert len(lines[0]) > len(lines[-1])


def test_a_cut_entry_is_no_evidence() -> None:
    cut = line(samples.response(b"x" * 90_000))
    with pytest.raises(NotEvidence, match=r"only a part of a long answer; give the exchanges\.jsonl"):
        exchange_of(cut)
