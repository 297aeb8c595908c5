"""Asks a time stamp authority over HTTP (RFC 3161, section 3.4). The request carries no API key."""

from __future__ import annotations

from petcheck.errors import ConnectionLost, NotDated
from petcheck.exchange import NoAnswer
from petcheck.spec.figures import CONTENT_TYPE
from petcheck.spec.version import VERSION
from petcheck.wire.client import HttpClient, Outgoing

_CAP = 64 * 1024  # a response has a few KB: a signature and some certificates


def ask(url: str, query: bytes, *, deadline: float, ca_bundle: str | None) -> bytes:
    """The response of the authority at `url` to a query; `deadline` in seconds, both as in `HttpClient`.

    Raises NotDated.
    """
    headers = [(CONTENT_TYPE, "application/timestamp-query"), ("User-Agent", f"petcheck/{VERSION}")]
    with HttpClient(deadline=deadline, ca_bundle=ca_bundle) as client:
        try:
            answer = client.send(Outgoing("POST", url, headers, query), new_connection=True, body_cap=_CAP)
        except ConnectionLost as lost:
            raise NotDated(f"{url} did not answer: {lost}") from None
    if isinstance(answer, NoAnswer):
        raise NotDated(f"{url} did not answer: {answer.detail}")
    if answer.status != 200:
        raise NotDated(f"{url} answered with status {answer.status}")
    if not answer.body_complete:
        raise NotDated(f"{url} answered with more than {_CAP // 1024} KB")
    return answer.body
