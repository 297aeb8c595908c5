"""Section 4: what applies to every endpoint."""

from petcheck.toolkit import Target, requirement, stage


@requirement("BODY-1")
@stage("record")
def test_bodies_are_application_json(target: Target) -> None:
    """Every documented response body is `application/json`."""
    target.settle("BODY-1")
