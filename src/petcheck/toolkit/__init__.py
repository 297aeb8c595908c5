"""Everything that a check imports: `from petcheck.toolkit import …`."""

from __future__ import annotations

from petcheck.errors import NotRun
from petcheck.exchange import Call, Credential, Exchange, page_call
from petcheck.json_values import kind
from petcheck.judging.pages import animals_in
from petcheck.judging.rules.authentication import INVALID
from petcheck.spec.figures import INT64_MAX, LIMIT_MAX, OPEN_LISTS, REMOVAL_DAY
from petcheck.spec.operations import Operation
from petcheck.toolkit.exhaustion import settle_with_quota_used_up
from petcheck.toolkit.feeds import Traffic
from petcheck.toolkit.lookups import creations, list_anew, listed_before, read_others, revealing, unknown_id
from petcheck.toolkit.marks import observes, requirement, sends, stage
from petcheck.toolkit.payloads import DEFECTS, TELLTALE_STATUS, keyless_pet
from petcheck.toolkit.target import Target

__all__ = [
    "DEFECTS",
    "INT64_MAX",
    "INVALID",
    "LIMIT_MAX",
    "OPEN_LISTS",
    "REMOVAL_DAY",
    "TELLTALE_STATUS",
    "Call",
    "Credential",
    "Exchange",
    "NotRun",
    "Operation",
    "Target",
    "Traffic",
    "animals_in",
    "creations",
    "keyless_pet",
    "kind",
    "list_anew",
    "listed_before",
    "observes",
    "page_call",
    "read_others",
    "requirement",
    "revealing",
    "sends",
    "settle_with_quota_used_up",
    "stage",
    "unknown_id",
]
