"""All faults by name: each breaks the document in one way, as real servers do. One module for each of its parts."""

from __future__ import annotations

from collections.abc import Mapping

from petcheck.reference.faults import (
    authentication,
    bodies,
    creation,
    echo,
    errors,
    filtering,
    getting,
    listing,
    persistence,
    pets,
    quotas,
    rarities,
    rate_headers,
    validation,
)
from petcheck.reference.seam import Fault, registry

FAULTS: Mapping[str, Fault] = registry(
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
    )
)
