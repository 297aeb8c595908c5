"""Everything that a check imports: `from petcheck.toolkit import …`."""

from __future__ import annotations

from petcheck.call import Call, Credential, page_call
from petcheck.errors import NotRun
from petcheck.exchange import Exchange
from petcheck.json_values import kind
from petcheck.judging.rules.authentication import INVALID
from petcheck.plan.bodies import DEFECTS
from petcheck.plan.ending import ASKED_AGAIN, CREATED_ASKED_AGAIN
from petcheck.plan.keys import KeyCell
from petcheck.spec.figures import LIMIT_DEFAULT, LIMIT_MAX, OPEN_IDS, OPEN_LISTS, REMOVAL_DAY
from petcheck.spec.operations import Operation
from petcheck.toolkit.creating import ask_creations_ahead, creations, list_anew
from petcheck.toolkit.exhaustion import settle_with_quota_used_up
from petcheck.toolkit.feeds import RequestKind
from petcheck.toolkit.keyless import keyless_calls
from petcheck.toolkit.lookups import full_filters, listed_before, read_others, revealing, unknown_id
from petcheck.toolkit.marks import observes, requirement, sends, stage
from petcheck.toolkit.populate import populate
from petcheck.toolkit.target import Target
from petcheck.toolkit.together import (
    ask_again_at_the_end,
    ask_ahead,
    ask_refusals_ahead,
    asked_later,
)

__all__ = [
    "ASKED_AGAIN",
    "CREATED_ASKED_AGAIN",
    "DEFECTS",
    "INVALID",
    "LIMIT_DEFAULT",
    "LIMIT_MAX",
    "OPEN_IDS",
    "OPEN_LISTS",
    "REMOVAL_DAY",
    "Call",
    "Credential",
    "Exchange",
    "KeyCell",
    "NotRun",
    "Operation",
    "RequestKind",
    "Target",
    "ask_again_at_the_end",
    "ask_ahead",
    "ask_creations_ahead",
    "ask_refusals_ahead",
    "asked_later",
    "creations",
    "full_filters",
    "keyless_calls",
    "kind",
    "list_anew",
    "listed_before",
    "observes",
    "page_call",
    "populate",
    "read_others",
    "requirement",
    "revealing",
    "sends",
    "settle_with_quota_used_up",
    "stage",
    "unknown_id",
]
