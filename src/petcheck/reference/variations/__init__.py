"""All variations by name: each uses one freedom that the document leaves, and conforms."""

from __future__ import annotations

from collections.abc import Mapping

from petcheck.reference.seam import Variation, registry

VARIATIONS: Mapping[str, Variation] = registry([])
