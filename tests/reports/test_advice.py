"""What to do after a run that fails."""

from __future__ import annotations

import pytest

from petcheck.judging.frequency import Frequency, When
from petcheck.reports.advice import next_step
from petcheck.results.causes import causes
from tests.support import samples

EXPLAIN = "`petcheck explain LIST-3`"


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("always", f"{EXPLAIN}; add `--failed` to run only what failed"),
        ("now and then", f"{EXPLAIN}; it may pass by chance, so run with `--failed` several times"),
        ("at the same time", f"{EXPLAIN}; it may pass by chance, so run with `--failed` several times"),
    ],
)
def test_a_failure_that_comes_now_and_then_needs_several_runs(when: When, said: str) -> None:
    value = samples.result(samples.row(frequency=Frequency(2, 31, "responses", when=when)))
    found = causes(value, samples.two_exchanges())
    assert next_step(value, found, repeatable=True) == said
    assert next_step(value, found, repeatable=False) == EXPLAIN
