"""Section 9: the version is a part of the base URL."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from petcheck.exchange import Exchange
from petcheck.judging.decision import Decision, Failed, Held, Proof, Record, Rule, Undecided
from petcheck.judging.judgement import Grounds
from petcheck.spec.figures import BASE_SEGMENT

_NOTHING = "No request got an answer."


def _ends_in_v1(record: Record, grounds: Grounds) -> Decision:
    """One exchange decides, since all share the base URL."""
    exchange = next((e for e in record if e.status is not None), None)
    if exchange is None:
        return Undecided(_NOTHING)
    base = _base_url(exchange)
    if urlsplit(base).path.rpartition("/")[2] == BASE_SEGMENT:
        return Held((exchange,))
    said = f"The base URL {base} does not end in /{BASE_SEGMENT} (section 9)."
    return Failed(said, (Proof(exchange),), (exchange,))


def _base_url(exchange: Exchange) -> str:
    """The URL without the operation's path and without a query."""
    parts = urlsplit(exchange.request.url)
    segments = exchange.request.operation.path.count("/")
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rsplit("/", segments)[0], "", ""))


RULES = (Rule("VERSION-1", over=_ends_in_v1),)
