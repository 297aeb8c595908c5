"""Judges sorted-out traffic. What it does not show is inconclusive; what a run would ask again does not fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from petcheck.exchange import Credential, Exchange, Response
from petcheck.judging.judgement import Grounds, Record
from petcheck.judging.record import finding_over, grounds_of
from petcheck.judging.rules import RULE
from petcheck.judging.verdicts import Finding
from petcheck.spec.catalogue import Catalogue, Requirement

_MOST_KEYS = 5
_SECTION = "5"
# judged by our own clock where the answer has none: a recorder's may be wrong by any span
_BY_THE_CLOCK = frozenset({"RATE-3", "RATE-7", "RATE-9"})
# how a count moves can be judged for one key only, and that key must be known
_OF_ONE_KEY = frozenset({"RATE-4", "RATE-6", "RATE-8", "RATE-9"})
_BASE_URL, _UNKNOWN_ID = "VERSION-1", "GET-3"
_NO_KEYS = "The recording has no Authorization header, so it does not show which requests had a key."
_REFUSED = "the recording shows no key that was accepted: every request that showed one was refused"


def findings_of(
    record: Record, catalogue: Catalogue, *, target: str, as_of: date, plan: str | None
) -> tuple[Finding, ...]:
    """What traffic shows of each requirement that is judged."""
    records = [(one, grounds) for one in _by_key(record) for grounds in [_grounds(one, as_of, plan)]]
    keys = any(_authorization(exchange) is not None for exchange in record)
    found = []
    for requirement in catalogue.judged:
        if requirement.id not in RULE:
            continue
        each = [finding_over(requirement, target, one, grounds) for one, grounds in records]
        found.append(_settled(requirement, _gravest(each), record, keys=keys))
    return tuple(found)


def refused_everywhere(record: Record) -> str | None:
    """Why traffic cannot be judged, where no key that it shows was accepted."""
    with_key = [exchange for exchange in record if _authorization(exchange) is not None]
    refused = with_key and all(exchange.status in (401, 403) for exchange in with_key)
    return _REFUSED if refused and not any((exchange.status or 0) < 300 for exchange in record) else None


def _grounds(record: Record, as_of: date, plan: str | None) -> Grounds:
    # the animals may belong to any client and to any day
    return grounds_of(record, as_of=as_of, plan=plan, category_id=None, writes=True, run="", repeats=True)


def _by_key(record: Record) -> list[list[Exchange]]:
    """The record as each of the keys that were used most sees it: the other keys are of unknown validity there."""
    used = Counter(_authorization(exchange) for exchange in record if exchange.request.credential is Credential.VALID)
    keys = [key for key, _ in used.most_common(_MOST_KEYS)] or [None]
    return [[_as_seen_by(key, exchange) for exchange in record] for key in keys]


def _as_seen_by(key: str | None, exchange: Exchange) -> Exchange:
    request = exchange.request
    if request.credential is not Credential.VALID or _authorization(exchange) == key:
        return exchange
    return replace(exchange, request=replace(request, credential=Credential.UNKNOWN))


def _authorization(exchange: Exchange) -> str | None:
    return next((value for name, value in exchange.request.headers if name == "Authorization"), None)


def _gravest(found: Sequence[Finding]) -> Finding:
    order = ("fail", "pass", "inconclusive", "not-run")
    return min(found, key=lambda finding: order.index(finding.outcome))


def _settled(requirement: Requirement, finding: Finding, record: Record, *, keys: bool) -> Finding:
    """A finding without what recorded traffic cannot show."""
    doubt = next(_doubts(requirement, finding, record, keys=keys), None)
    if doubt is None and finding.outcome in ("pass", "fail"):
        return finding
    reason = doubt or finding.reason
    return replace(finding, outcome="inconclusive", reason=reason, settled_by=None, decisive=(), parts=())


def _doubts(requirement: Requirement, finding: Finding, record: Record, *, keys: bool) -> Iterator[str]:
    if requirement.section == _SECTION and not keys:
        yield _NO_KEYS
    if finding.outcome == "pass" and requirement.id in _OF_ONE_KEY and not keys:
        yield _NO_KEYS
    if finding.outcome != "fail":
        return
    if requirement.id == _BASE_URL:
        yield "The base URL of a recording may be that of a proxy, so it does not tell how the service's own ends."
    if requirement.id in _OF_ONE_KEY and not keys:
        yield _NO_KEYS
    if requirement.id == _UNKNOWN_ID and any(record[index].status == 200 for index in finding.decisive):
        yield "Traffic does not tell that no animal has an id which was answered 200."
    if requirement.id in _BY_THE_CLOCK and not all(_has_date(record[index]) for index in finding.decisive):
        yield "An answer without a Date header can be judged by the recorder's clock only, which may be wrong."


def _has_date(exchange: Exchange) -> bool:
    return isinstance(exchange.answer, Response) and exchange.answer.date is not None
