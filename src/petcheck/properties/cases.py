"""Where the cases of the property examples come from: the pool that comes with the suite, or schemathesis itself."""

from __future__ import annotations

from petcheck.properties.pool import Cases, shipped_pool, values_digest
from petcheck.spec.files import suite_file
from petcheck.toolkit.shares import EXAMPLES


def cases_of(examples: int) -> Cases:
    """The cases of a run that tries so many `examples`.

    Up to the default number they come from the pool, which takes a hundredth of the time. They are generated for more
    examples, and if the pool was made for other values.
    """
    current = shipped_pool().values_sha256 == values_digest(suite_file("openapi.yaml").read_bytes())
    if examples <= EXAMPLES and current:
        return shipped_pool()
    from petcheck.properties.generate import Generated  # imported here because schemathesis is slow

    return Generated()
