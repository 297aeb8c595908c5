"""All faults by name: each breaks the document in one way, as real servers do. One module per part of the document.

A run of the right kind finds each of `FAULTS`. Those of `RACES` show only in requests that overlap, and those of
`INTERMITTENT` now and then, so that a run may miss one; `FAULTY` has them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from petstore_reference.faults import (
    authentication,
    bodies,
    combinations,
    creation,
    echo,
    errors,
    filtering,
    forms,
    getting,
    intermittent,
    keys,
    listing,
    odd_input,
    overlap,
    persistence,
    pets,
    quotas,
    rarities,
    rate_headers,
    threads,
    validation,
    workers,
)
from petstore_reference.registry import Fault, Variation, by_name

# a default run finds the other faults of these families; these need many examples
_RARE = frozenset(
    {
        "limit-1-with-available-refused",
        "limit-1-with-available-unfiltered",
        "limit-1-with-available-unlimited",
        "limit-1-with-pending-refused",
        "limit-1-with-pending-unfiltered",
        "limit-1-with-pending-unlimited",
        "limit-20-with-pending-refused",
        "limit-20-with-pending-unfiltered",
        "limit-20-with-pending-unlimited",
        "limit-20-with-sold-unfiltered",
        "limit-1-with-no-status-refused",
        "limit-20-with-no-status-refused",
        "limit-20-with-sold-refused",
        "limit-20-with-sold-unlimited",
        "category-1e400-crashes",
        "extra-field-1e400-crashes",
        "duplicate-field-crashes",
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
        forms,
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
RACES: Mapping[str, Fault] = by_name(module.FAULTS for module in (overlap, threads, workers))
INTERMITTENT: Mapping[str, Fault] = by_name([intermittent.FAULTS])
FAULTY: Mapping[str, Fault] = by_name(kind.values() for kind in (FAULTS, RACES, INTERMITTENT))
KINDS: Mapping[str, Mapping[str, Fault | Variation]] = {
    "faults": FAULTS,
    "races": RACES,
    "now and then": INTERMITTENT,
}
"""The faults by how they show. A list of them goes on with the variations."""
