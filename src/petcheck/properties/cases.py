"""Where the cases of the property examples come from: the pool that comes with the suite, or schemathesis itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from petcheck.call import Call
from petcheck.properties.pool import Pool, shipped_pool, values_digest
from petcheck.spec.files import suite_file
from petcheck.spec.operations import Operation
from petcheck.toolkit.budget import examples_for

if TYPE_CHECKING:
    from petcheck.properties.generate import Generated

Mode = Literal["positive", "negative"]


Cases: TypeAlias = "Pool | Generated"
"""Calls that keep to openapi.yaml (`positive`), and calls that do not (`negative`)."""


def segment_call(segment: str) -> Call | None:
    """GET /pets/{segment}, which may hold bytes as surrogates; None if a server could read it as another path."""
    if not segment.strip(" ./\\") or any(sign in segment for sign in "/\\\0") or len(segment) > 2000:
        return None
    segment.encode(errors="surrogateescape")
    return Call(Operation.GET_PET, pet_id=segment)


def cases_of(examples: int, *, writes: bool) -> Cases:
    """The cases of a run that tries so many `examples`.

    Up to the default number they come from the pool, which takes a hundredth of the time. They are generated for more
    examples, and if the pool was made for other values.
    """
    current = shipped_pool().values_sha256 == values_digest(suite_file("openapi.yaml").read_bytes())
    if examples <= examples_for(None, writes=writes) and current:
        return shipped_pool()
    from petcheck.properties.generate import Generated  # imported here because schemathesis is slow

    return Generated()
