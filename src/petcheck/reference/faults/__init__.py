"""All faults by name: each breaks the document in one way, as real servers do. One module per part of the document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from petcheck.reference.faults import (
    authentication,
    bodies,
    combinations,
    creation,
    echo,
    errors,
    filtering,
    getting,
    keys,
    listing,
    odd_input,
    persistence,
    pets,
    quotas,
    rarities,
    rate_headers,
    validation,
)
from petcheck.reference.registry import Fault, by_name

# of families that a run by default finds, these take many examples
_RARE = frozenset(
    {
        "limit-20-with-sold-unfiltered",
        "limit-1-with-no-status-refused",
        "limit-20-with-no-status-refused",
        "limit-20-with-sold-refused",
        "limit-20-with-sold-unlimited",
        "extra-number-beyond-range-crashes",
        "duplicate-member-crashes",
        "empty-name-crashes",
        "deep-nesting-crashes",
    }
)
_ALL = by_name(
    module.FAULTS
    for module in (
        bodies,
        pets,
        listing,
        filtering,
        creation,
        echo,
        persistence,
        validation,
        getting,
        authentication,
        errors,
        rate_headers,
        quotas,
        rarities,
        keys,
        combinations,
        odd_input,
    )
)

FAULTS: Mapping[str, Fault] = {
    name: replace(fault, needs=fault.needs | {"examples"}) if name in _RARE else fault for name, fault in _ALL.items()
}

UNPROVED = frozenset({"stored-though-400-oldest-first"})
"""Faults that the published kill matrix does not hold yet: a run finds most of them, four of them none does."""

BY_EXAMPLES = frozenset(
    {
        "newest-not-found",
        "limit-zero-gives-all",
        "negative-limit-cuts-end",
        "negative-limit-gives-all",
        "no-scheme-needed@getPet",
        "no-scheme-needed@storeOrders",
        "basic-accepted@storeOrders",
        "token-accepted@createPet",
        "filter-never-shows-new",
        "crash-on-limit-text",
        "crash-on-negative-limit",
        "crash-on-limit-zero",
        "crash-on-limit-101",
        "crash-on-unknown-filter",
        "crash-on-id-text",
        "crash-on-id-beyond-int64",
        "gzip-falsely-announced@listPets",
        "gzip-falsely-announced@createPet",
        "gzip-falsely-announced@getPet",
        "created-not-listed",
        "created-overwrites-old",
        "get-shows-old-state",
        "get-id-wraps-at-32-bits",
        "rate-headers-constant",
        "limit-equals-remaining",
        "retry-after-unix-time",
        "key-of-same-form",
        "key-of-same-form@listPets",
        "key-of-same-form@createPet",
        "key-of-same-form@getPet",
        "key-of-same-form@storeOrders",
        "key-last-character-ignored",
        "key-last-character-ignored@listPets",
        "key-last-character-ignored@createPet",
        "key-last-character-ignored@getPet",
        "key-last-character-ignored@storeOrders",
        "scheme-cut-off",
        "basic-accepted@createPet",
        "basic-accepted@getPet",
        "token-accepted@listPets",
        "token-accepted@storeOrders",
        "invalid-key-after-body@createPet",
        "invalid-key-after-lookup@getPet",
        "invalid-key-after-limit@listPets",
        "filter-first@listPets",
        "stored-though-401-oldest-first",
        "shared-cache-skips-key",
        "filtered-list-without-key",
        "limit-1-with-available-refused",
        "limit-1-with-pending-refused",
        "limit-20-with-pending-refused",
        "limit-100-with-available-refused",
        "limit-100-with-sold-refused",
        "no-limit-with-available-refused",
        "no-limit-with-pending-refused",
        "no-limit-with-sold-refused",
        "limit-1-with-available-unfiltered",
        "limit-1-with-available-unlimited",
        "limit-1-with-pending-unfiltered",
        "limit-1-with-pending-unlimited",
        "limit-20-with-pending-unfiltered",
        "limit-20-with-pending-unlimited",
        "limit-100-with-available-unfiltered",
        "limit-100-with-available-unlimited",
        "limit-100-with-sold-unfiltered",
        "no-limit-with-available-unfiltered",
        "no-limit-with-available-unlimited",
        "no-limit-with-pending-unfiltered",
        "no-limit-with-pending-unlimited",
        "no-limit-with-sold-unfiltered",
        "no-limit-with-sold-unlimited",
        "no-match-gives-all",
        "no-match-404",
        "no-match-null",
        "list-stale-for-a-minute",
        "status-empty-taken",
        "status-padded-taken",
        "status-capitalised-taken",
        "members-in-any-case-taken",
        "json-in-string-taken",
        "created-name-leading-blanks-lost",
        "category-beyond-range-crashes",
        "lone-surrogate-crashes",
        "nul-crashes",
        "control-character-crashes",
        "extra-member-crashes",
    }
)
"""Faults that a run by default finds, and one without property examples need not: it has fewer requests for them."""
