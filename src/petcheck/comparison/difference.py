"""One thing that targets do differently, although the document may allow both."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from petcheck.comparison.pairing import Counterparts
from petcheck.exchange import Exchange
from petcheck.spec.figures import CONTENT_TYPE, GATEWAY_TROUBLE

KINDS = {
    "answer": "Answers to the same request",
    "code": "The code of Errors",
    "message": "The message of Errors",
    "page size": "Animals on a page",
    "fields": "Fields beyond the documented ones",
    "header": "Headers",
    "header value": "Values of headers",
    "content type": CONTENT_TYPE,
    "http version": "HTTP version",
}
"""The kinds of behaviour compared in addition to verdicts and open points, in report order."""

EVERY_ANSWER = "every answer"

Agreement = Literal["contradicted", "one-sided", "agreed"]
"""Whether sides differ, whether only some were examined, or whether all are equal (also if none was examined)."""

NETWORK_HEADERS = frozenset(
    {
        "accept-ranges", "age", "alt-svc", "cf-cache-status", "cf-ray", "connection", "content-encoding",
        "content-length", "date", "keep-alive", "proxy-connection", "server", "transfer-encoding", "vary", "via",
        "x-amz-cf-id", "x-amz-cf-pop", "x-azure-ref", "x-cache", "x-cache-hits", "x-cache-status",
        "x-envoy-upstream-service-time", "x-proxy-cache", "x-served-by", "x-timer", "x-varnish",
    }
)  # fmt: skip
"""Headers in lower case that proxies, caches and load balancers add, drop or change."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A trait that is not the same on all sides.

    `kind` is one of KINDS and `subject` narrows it (the name of a header). `values` are the behaviour of each side,
    None if it showed nothing to compare. `places` are the operations and statuses, or the requests, that show it.
    `shown_by` has one exchange of each side.
    """

    kind: str
    subject: str
    places: tuple[str, ...]
    values: tuple[str | None, ...]
    shown_by: Counterparts

    @property
    def is_of_the_network_path(self) -> bool:
        """Whether proxies, caches or load balancers explain it, so that it does not count."""
        if self.kind in ("header", "header value"):
            return all(name in NETWORK_HEADERS for name in self.subject.split(", "))
        return self.kind == "http version"


def contradict(sides: Iterable[AbstractSet[object]]) -> bool:
    """Whether two sides, given as what each was seen to do, behave differently.

    One that does a part of what another does may not have been asked for the rest, or may not have that animal.
    """
    return any(not (one <= other or other <= one) for one, other in combinations(sides, 2))


def shows_behaviour(entry: Exchange) -> bool:
    """Whether an answer shows the target's behaviour: silence, a gateway's error and a 429 do not."""
    return entry.status is not None and entry.status not in (429, *GATEWAY_TROUBLE)
