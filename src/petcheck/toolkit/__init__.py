"""Everything that a check imports: `from petcheck.toolkit import …`."""

from __future__ import annotations

from petcheck.errors import NotRun
from petcheck.exchange import Credential, Exchange
from petcheck.json_values import kind
from petcheck.judging.rules.authentication import INVALID
from petcheck.plan.bodies import DEFECTS
from petcheck.plan.keys import KeyCell, key_body, key_call
from petcheck.spec.figures import INT64_MAX, LIMIT_MAX, OPEN_LISTS, REMOVAL_DAY
from petcheck.spec.operations import Operation
from petcheck.toolkit.exhaustion import settle_with_quota_used_up
from petcheck.toolkit.feeds import Traffic
from petcheck.toolkit.lookups import creations, list_anew, listed_before, read_others, revealing, unknown_id
from petcheck.toolkit.marks import observes, requirement, sends, stage
from petcheck.toolkit.target import Target

__all__ = [
    "DEFECTS",
    "INT64_MAX",
    "INVALID",
    "LIMIT_MAX",
    "OPEN_LISTS",
    "REMOVAL_DAY",
    "Credential",
    "Exchange",
    "KeyCell",
    "NotRun",
    "Operation",
    "Target",
    "Traffic",
    "creations",
    "key_body",
    "key_call",
    "kind",
    "list_anew",
    "listed_before",
    "observes",
    "read_others",
    "requirement",
    "revealing",
    "sends",
    "settle_with_quota_used_up",
    "stage",
    "unknown_id",
]
