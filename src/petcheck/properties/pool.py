"""The pool: cases that schemathesis has generated from openapi.yaml, kept in a file of the package.

`make pool` writes it, and a test compares it with what schemathesis generates now.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol

from petcheck.call import Call
from petcheck.spec.files import read_yaml
from petcheck.spec.operations import Operation

FILE = Path(__file__).with_name("pool.json.gz")
Mode = Literal["positive", "negative"]
"""Whether calls keep to openapi.yaml."""
_MADE_FROM = ("values_sha256", "schemathesis", "unicode")


class Cases(Protocol):
    """Calls that keep to openapi.yaml (`positive`), and calls that do not (`negative`)."""

    def coverage(self, operation: Operation, mode: Mode) -> Iterator[Call]:
        """The coverage cases of an operation, each about one thing; always the same ones."""
        ...

    def random(self, operation: Operation, mode: Mode, seed: int) -> Iterator[Call]:
        """Other cases, in an order that the seed decides."""
        ...


@dataclass(frozen=True, slots=True)
class Pool:
    """Cases by operation and mode, and what they were made from: openapi.yaml, schemathesis, the version of Unicode."""

    values_sha256: str
    schemathesis: str
    unicode: str
    covering: Mapping[tuple[Operation, str], tuple[Call, ...]]
    drawn: Mapping[tuple[Operation, str], tuple[Call, ...]]

    def coverage(self, operation: Operation, mode: Mode) -> Iterator[Call]:
        """The coverage cases of an operation, each about one thing; always the same ones."""
        return iter(self.covering[operation, mode])

    def random(self, operation: Operation, mode: Mode, seed: int) -> Iterator[Call]:
        """The other cases of an operation, in an order that the seed decides."""
        calls = self.drawn[operation, mode]
        drawn = random.Random(f"{seed}/{operation.value}/{mode}")  # noqa: S311 - repeatable, not secret
        return iter(drawn.sample(calls, len(calls)))


def segment_call(segment: str) -> Call | None:
    """GET /pets/{segment}, which may hold bytes as surrogates; None if a server could read it as another path."""
    if not segment.strip(" ./\\") or any(sign in segment for sign in "/\\\0") or len(segment) > 2000:
        return None
    segment.encode(errors="surrogateescape")
    return Call(Operation.GET_PET, pet_id=segment)


@cache
def values_digest(source: bytes) -> str:
    """The sha256 of what decides which values an openapi.yaml allows, in hex: all but words, and our extensions."""
    whole = json.dumps(read_yaml(source), default=str)
    return hashlib.sha256(json.dumps(json.loads(whole, object_hook=_about_values)).encode()).hexdigest()


def _about_values(node: dict[str, Any]) -> dict[str, Any]:
    words = {name for name in ("description", "summary") if isinstance(node.get(name), str)}
    return {name: value for name, value in node.items() if not (name in words or name.startswith("x-"))}


@cache
def shipped_pool() -> Pool:
    """The pool that comes with the suite."""
    return unpacked(FILE.read_bytes())


def packed(pool: Pool) -> bytes:
    """The content of the pool's file: JSON, compressed; equal pools have equal bytes."""
    made_from = {name: getattr(pool, name) for name in _MADE_FROM}
    document = made_from | {"coverage": _documents(pool.covering), "drawn": _documents(pool.drawn)}
    return gzip.compress(json.dumps(document).encode(), mtime=0)


def unpacked(content: bytes) -> Pool:
    """The pool in the content of its file."""
    document = json.loads(gzip.decompress(content))
    made_from = {name: document[name] for name in _MADE_FROM}
    return Pool(**made_from, covering=_calls(document["coverage"]), drawn=_calls(document["drawn"]))


def _documents(calls: Mapping[tuple[Operation, str], tuple[Call, ...]]) -> list[dict[str, Any]]:
    return [
        {"operation": operation.value, "mode": mode, "cases": [_document(call) for call in cases]}
        for (operation, mode), cases in calls.items()
    ]


def _document(call: Call) -> dict[str, Any]:
    # each byte of a body is one character, since a body may not be UTF-8
    body = call.body.decode("latin-1") if call.body is not None else None
    given = {"pet_id": call.pet_id, "query": list(call.query), "body": body}
    return {name: value for name, value in given.items() if value not in (None, [])}


def _calls(documents: list[dict[str, Any]]) -> dict[tuple[Operation, str], tuple[Call, ...]]:
    return {
        (operation, group["mode"]): tuple(_call(operation, case) for case in group["cases"])
        for group in documents
        for operation in [Operation(group["operation"])]
    }


def _call(operation: Operation, case: Mapping[str, Any]) -> Call:
    body = case.get("body")
    return Call(
        operation,
        pet_id=case.get("pet_id"),
        query=tuple((name, value) for name, value in case.get("query", ())),
        body=body.encode("latin-1") if body is not None else None,
    )
