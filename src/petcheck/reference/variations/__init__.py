"""All variations by name: each uses one freedom that the document leaves, and conforms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from petcheck.reference.seam import Variation, registry
from petcheck.reference.variations import bodies, listing, operations, rates, stores, transport

_NAMED = registry(module.VARIATIONS for module in (bodies, transport, stores, listing, operations, rates))

VARIATIONS: Mapping[str, Variation] = {
    name: replace(each, conflicts=each.conflicts | {other for other in _NAMED if name in _NAMED[other].conflicts})
    for name, each in _NAMED.items()
}
"""Conflicts go both ways here, whichever of the two names the other."""
