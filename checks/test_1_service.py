"""Section 1: what the service does."""

from petcheck.judging.interface import body_due
from petcheck.judging.matchers import problem_of_json
from petcheck.judging.overall import hold_everywhere
from petcheck.marks import requirement, stage


@requirement("SERVICE-1")
@stage("record")
def test_bodies_are_json(target):
    """Every documented body that came is one whole JSON text."""
    hold_everywhere(
        target.api,
        ((e, problem_of_json(e.answer)) for e in target.record if body_due(e, target.as_of)),
        section="1",
        nothing="No response with a documented body came.",
    )
