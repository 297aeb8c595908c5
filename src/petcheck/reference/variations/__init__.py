"""All variations by name: each uses one freedom that the document leaves, and conforms."""

from __future__ import annotations

from collections.abc import Mapping

from petcheck.reference.seam import Variation, registry
from petcheck.reference.variations import bodies, listing, operations, rates, stores, transport

VARIATIONS: Mapping[str, Variation] = registry(
    module.VARIATIONS for module in (bodies, transport, stores, listing, operations, rates)
)
