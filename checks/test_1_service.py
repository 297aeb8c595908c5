"""Section 1: what the service does."""

from petcheck.marks import requirement, stage
from petcheck.target import Target


@requirement("SERVICE-1")
@stage("record")
def test_bodies_are_json(target: Target) -> None:
    """Every documented body that came is one whole JSON text."""
    target.hold("SERVICE-1")
