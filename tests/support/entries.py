"""Hand-made entries of a HAR: one exchange with a service that obeys, unless said otherwise."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

START = datetime(2026, 11, 23, 12, tzinfo=UTC)
TOKEN = "rec-key-77f1c0d2a9b34e58"
REX: dict[str, Any] = {"id": 41, "name": "Rex", "categoryId": 3, "status": "available"}
BELLA: dict[str, Any] = {"id": 42, "name": "Bella", "categoryId": 3, "status": "sold"}
ERROR: dict[str, Any] = {"code": "unknown_key", "message": "No such key.", "status": 401}


def entry(
    at: float,
    path: str = "/pets",
    *,
    status: int = 200,
    answer: Any = None,
    sent: Any = None,
    key: str | None = TOKEN,
    base: str = "https://pets.example/v1",
    left: int | None = None,
    took: float = 12.5,
) -> dict[str, Any]:
    """An exchange `at` seconds after the start: a POST if something is `sent`; `answer` is JSON, or text as it is."""
    started = START + timedelta(seconds=at)
    body = answer if isinstance(answer, str) else json.dumps([REX, BELLA] if answer is None else answer)
    headers = {
        "Date": format_datetime(started, usegmt=True),
        "Content-Type": "application/json",
        "Content-Length": str(len(body.encode())),
        "X-RateLimit-Limit": "300",
        "X-RateLimit-Remaining": str(300 - round(at * 10) % 300 if left is None else left),
        "X-RateLimit-Reset": str(int(START.timestamp()) + 60),
    }
    posted = None if sent is None else sent if isinstance(sent, str) else json.dumps(sent)
    asked = {"Accept": "*/*", **({"Authorization": f"Bearer {key}"} if key is not None else {})}
    request: dict[str, Any] = {
        "method": "GET" if sent is None else "POST",
        "url": base + path,
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": rows(asked | ({} if posted is None else {"Content-Type": "application/json"})),
        "queryString": [],
        "headersSize": -1,
        "bodySize": len((posted or "").encode()),
    }
    if posted is not None:
        request["postData"] = {"mimeType": "application/json", "text": posted}
    return {
        "startedDateTime": started.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "time": took,
        "request": request,
        "response": {
            "status": status,
            "statusText": "",
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": rows(headers),
            "content": {"size": len(body.encode()), "mimeType": "application/json", "text": body},
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": len(body.encode()),
        },
        "cache": {},
        "timings": {"send": 0, "wait": took, "receive": 0},
    }


def rows(headers: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in headers.items()]


def story() -> list[dict[str, Any]]:
    """A few exchanges with a service that obeys: each operation, a creation, and what is refused."""
    made = {"id": 43, "name": "Mia 7f2c", "categoryId": 3, "status": "pending"}
    new = {name: value for name, value in made.items() if name != "id"}
    bad = ERROR | {"code": "invalid", "status": 400}
    calls = [
        entry(0),
        entry(1, "/pets?limit=1", answer=[REX]),
        entry(2, "/pets?status=sold", answer=[BELLA]),
        entry(3, "/pets/41", answer=REX),
        entry(4, "/pets/999", status=404, answer=ERROR | {"code": "no_such_pet", "status": 404}),
        entry(5, status=401, answer=ERROR, key=None),
        entry(6, "/pets/41", status=401, answer=ERROR, key=None),
        entry(7, sent=new, status=201, answer=made),
        entry(8, sent=new | {"name": 5}, status=400, answer=bad),
        entry(9, "/store/orders", answer={"orders": []}),
        entry(20, answer=[REX, BELLA, made]),
        entry(21, "/pets/43", answer=made),
    ]
    for place, one in enumerate(calls):
        for row in one["response"]["headers"]:
            row["value"] = str(299 - place) if row["name"] == "X-RateLimit-Remaining" else row["value"]
    return calls
