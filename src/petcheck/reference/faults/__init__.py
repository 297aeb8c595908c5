"""All faults by name: each breaks the document in one way, as real servers do. One module for each of its parts."""

from __future__ import annotations

from collections.abc import Mapping

from petcheck.reference.faults import (
    authentication,
    bodies,
    creation,
    errors,
    getting,
    listing,
    pets,
    rates,
    validation,
)
from petcheck.reference.seam import Fault, registry

FAULTS: Mapping[str, Fault] = registry(
    module.FAULTS for module in (bodies, pets, listing, creation, validation, getting, authentication, errors, rates)
)
