"""Whatever a server sends, a folder of reports stays small beside the stream, and says what it leaves out."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from petcheck.results.load import read_run
from petcheck.stream.files import read_stream
from petcheck.stream.har import FILE
from tests.support.forked import petcheck
from tests.support.peers import JSON, Behaviour, peer

AT_MOST_MB = 10
MARKUP = b"<&'>" * 5_000
NESTED = b'{"a":' * 900 + b"1" + b"}" * 900
DIGITS = b"9" * 200_000
HEADERS = b"".join(b"X-%d: %s\r\n" % (number, b"<" * 100) for number in range(90))
LONG_LINE = "200 " + "<" * 30_000


def body(data: bytes, *, status: str = "200 OK", headers: bytes = b"") -> Behaviour:
    return lambda caller: caller.answer(data, status=status, headers=JSON + headers)


SERVERS: dict[str, Sequence[Behaviour]] = {
    "deep JSON and long numbers": (
        body(b"[" + b",".join([NESTED] * 20) + b"]"),
        body(b'[{"id":' + DIGITS + b',"name":"x","categoryId":-' + DIGITS + b"}]"),
    ),
    "long heads and strange characters": (
        body(b"[]", headers=HEADERS),
        body(b'{"code":"' + MARKUP + b'","message":"' + MARKUP + b'","status":400}', status="400 " + "'" * 20_000),
        body(b"[]", status=LONG_LINE, headers=b"Location: /" + MARKUP + b"\r\n"),
        body(json.dumps([{"id": "\x01" * 500, "name": "\x00" * 3_000, "<&" * 500: "\u202e" * 5_000}]).encode()),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVERS)
def test_a_folder_of_reports_stays_small(name: str, tmp_path: Path) -> None:
    behaviours = itertools.cycle(SERVERS[name])
    with peer(lambda caller: next(behaviours)(caller)) as up:
        options = ("--target", up.url, "--allow-writes", "--examples", "200", "--max-wait", "1", "--seed", "1")
        ran = petcheck(tmp_path, *options, as_it_comes=True)
    assert ran.code == 1, ran.out + ran.err
    ran.assert_reports()
    weights = {path.name: path.stat().st_size for path in ran.reports.iterdir()}
    assert weights.pop("exchanges.jsonl") > 2 * AT_MOST_MB * 10**6
    assert sum(weights.values()) < AT_MOST_MB * 10**6, weights
    assert " … [cut at " in (ran.reports / "report.html").read_text("utf-8")
    entries = json.loads((ran.reports / FILE).read_text("utf-8"))["log"]["entries"]
    assert len(entries) == len(up.heads)
    assert any("whole in exchanges.jsonl" in entry["response"].get("comment", "") for entry in entries)
    shown, received = read_run(ran.reports).evidence, read_stream(ran.reports / "exchanges.jsonl").exchanges
    assert shown == tuple(received), "a comparison sees what was received"
    proven = petcheck(tmp_path, "verify", str(ran.reports))
    assert proven.code == 0, proven.out
