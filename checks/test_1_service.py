"""Section 1: what the service does."""

from petcheck.judging.interface import documented_bodies
from petcheck.judging.matchers import problem_of_json
from petcheck.judging.overall import hold_everywhere
from petcheck.marks import requirement, stage
from petcheck.target import Target


@requirement("SERVICE-1")
@stage("record")
def test_bodies_are_json(target: Target) -> None:
    """Every documented body that came is one whole JSON text."""
    hold_everywhere(
        target.api,
        ((e, problem_of_json(response)) for e, response in documented_bodies(target.record, target.as_of)),
        section="1",
        nothing="No response with a documented body came.",
    )
