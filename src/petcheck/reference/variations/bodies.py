"""Sections 2, 4 and 7: other ways to write the same answers."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace

from petcheck.reference.behaviour import Behaviour, Change
from petcheck.reference.changes import error_body, header, pets, replies
from petcheck.reference.messages import Call, Reply
from petcheck.reference.seam import variation

_TYPE = "Content-Type"
_TYPES = "charset content-type-upper-case content-type-parameters"
_CASES = "headers-lower-case headers-upper-case"
_SPACES = "pretty-printed json-in-white-space"


def _encoded(encode: Callable[[object], bytes]) -> Change:
    """JSON is written by `encode`; bytes stay as they are."""

    def change(behaviour: Behaviour) -> Behaviour:
        return replace(
            behaviour,
            encode=lambda content: behaviour.encode(content) if isinstance(content, bytes) else encode(content),
        )

    return change


def _names(make: Callable[[str], str]) -> Change:
    return replies(lambda reply, call: replace(reply, headers=tuple((make(name), v) for name, v in reply.headers)))


def _media_type(value: str) -> Change:
    def make(reply: Reply, call: Call) -> Reply:
        is_json = reply.header(_TYPE) == "application/json"
        return header(_TYPE, value)(_AS_IT_IS).finish(reply, call) if is_json else reply

    return replies(make)


def _gzipped(reply: Reply, call: Call) -> Reply:
    if "gzip" not in call.headers.get("accept-encoding", "") or not reply.body:
        return reply
    return replace(reply, body=gzip.compress(reply.body), headers=(*reply.headers, ("Content-Encoding", "gzip")))
