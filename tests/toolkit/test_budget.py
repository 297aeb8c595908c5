"""A target's budget counts each request once: for the checks or for the property examples."""

from petcheck.toolkit.budget import WRITING_BUDGET, Budget
from petcheck.wire.tally import RequestTally


def test_nested_blocks_count_a_request_of_the_examples_once() -> None:
    tally = RequestTally()
    budget = Budget(tally, writes=True, examples_share=40, has_end=False)
    tally.sent = 5
    with budget.of_examples():
        tally.sent += 2
        with budget.of_examples():
            tally.sent += 3
    assert budget.examples_sent == 5
    assert budget.spare() == WRITING_BUDGET - 5
    assert budget.examples_left() == 35
