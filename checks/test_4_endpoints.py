"""Section 4: what holds for every endpoint."""

from petcheck.judging.interface import body_due
from petcheck.judging.matchers import problem_of_media_type
from petcheck.judging.overall import hold_everywhere
from petcheck.marks import requirement, stage


@requirement("BODY-1")
@stage("record")
def test_bodies_are_application_json(target):
    """Every documented response body is `application/json`."""
    hold_everywhere(
        target.api,
        ((e, problem_of_media_type(e.answer)) for e in target.record if body_due(e, target.as_of)),
        section="4",
        nothing="No response with a documented body came.",
    )
