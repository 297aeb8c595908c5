"""All variations by name: each uses one freedom that the document leaves, so each conforms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from petstore_reference.registry import Variation, by_name
from petstore_reference.variations import bodies, lags, listing, operations, overlap, parsers, rates, stores, transport

_MODULES = (bodies, transport, stores, listing, lags, operations, parsers, rates, overlap)
_NAMED = by_name(module.VARIATIONS for module in _MODULES)

VARIATIONS: Mapping[str, Variation] = {
    name: replace(each, conflicts=each.conflicts | {other for other in _NAMED if name in _NAMED[other].conflicts})
    for name, each in _NAMED.items()
}
"""Conflicts are symmetric here, whichever of the two variations names the other."""
