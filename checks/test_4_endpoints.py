"""Section 4: what holds for every endpoint."""

from petcheck.judging.interface import documented_bodies
from petcheck.judging.matchers import problem_of_media_type
from petcheck.judging.overall import hold_everywhere
from petcheck.marks import requirement, stage
from petcheck.target import Target


@requirement("BODY-1")
@stage("record")
def test_bodies_are_application_json(target: Target) -> None:
    """Every documented response body is `application/json`."""
    hold_everywhere(
        target.api,
        ((e, problem_of_media_type(response)) for e, response in documented_bodies(target.record, target.as_of)),
        section="4",
        nothing="No response with a documented body came.",
    )
