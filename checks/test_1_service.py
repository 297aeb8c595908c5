"""Section 1: what the service does."""

from petcheck.toolkit import Target, requirement, stage


@requirement("SERVICE-1")
@stage("record")
def test_bodies_are_json(target: Target) -> None:
    """Every documented body is exactly one JSON text."""
    target.settle("SERVICE-1")
