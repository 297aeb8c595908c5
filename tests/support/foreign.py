"""Traffic as other programs record it: a HAR that knows nothing of petcheck."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from petcheck.call import Credential
from petcheck.exchange import Exchange
from petcheck.results.judge import judge
from petcheck.results.result import Result
from petcheck.runner.written import Otherwise
from petcheck.stream.entries import entry_of
from petcheck.stream.stream import Stream
from petcheck.traffic.sorting import sorted_out, stream_of
from petcheck.wire.credentials import ApiKey, authorization
from tests.support.trial import KEY


def entries(exchanges: Iterable[Exchange], *, keys: bool = True) -> list[dict[str, Any]]:
    """Exchanges of a run as a browser would have recorded them, with the keys that were sent or without any."""
    return [_entry(exchange, keys) for exchange in exchanges]


def _entry(exchange: Exchange, keys: bool) -> dict[str, Any]:
    entry = {name: value for name, value in entry_of(exchange).items() if name != "_petcheck"}
    headers = [row for row in entry["request"]["headers"] if row["name"].lower() != "authorization"]
    sent = authorization(exchange.request.credential, ApiKey(KEY), "another-random-key")
    if keys and sent is not None:
        headers.append({"name": "authorization", "value": sent})
    if exchange.request.method == "POST":
        headers.append({"name": "content-length", "value": str(len(exchange.request.body or b""))})
    entry["request"]["headers"] = [{"name": ":method", "value": exchange.request.method}, *headers]
    if exchange.request.credential is Credential.MISSING and keys:
        entry["request"]["headers"] = [{"name": ":authority", "value": "pets.example"}, *headers]
    return entry


def har_of(rows: Iterable[Any], **log: Any) -> dict[str, Any]:
    return {"log": {"version": "1.2", "creator": {"name": "a browser", "version": "1"}, **log, "entries": list(rows)}}


def stream_in(document: Any, folder: Path, **options: Any) -> Stream:
    """The stream that the traffic in a HAR comes to."""
    path = folder / "traffic.har"
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
    traffic = sorted_out(path, options.get("base_url"), options.get("own_key"))
    options = {name: value for name, value in options.items() if name not in ("base_url", "own_key")}
    return Otherwise(**options).applied(stream_of(traffic))


def judged(document: Any, folder: Path, **options: Any) -> Result:
    """What the traffic in a HAR comes to."""
    return judge(stream_in(document, folder, **options))


def outcomes(result: Result) -> dict[str, str]:
    return {row.id: row.outcome for row in result.requirements}
