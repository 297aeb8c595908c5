"""What to do after a run that fails."""

from __future__ import annotations

import pytest

from petcheck.judging.frequency import Frequency, When
from petcheck.judging.verdicts import AppliedWaiver
from petcheck.reports.advice import next_step
from petcheck.results import totals
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


def test_a_gap_that_has_ended_is_named_and_one_that_is_accepted_asks_for_nothing() -> None:
    gaps = [AppliedWaiver("No store.", "2026-03-01", gap=True, ended=ended) for ended in (True, False)]
    rows = [
        samples.row(name, "not-run", waiver=each, settled_by="--allow-writes")
        for name, each in zip(("LIST-8", "LIST-3"), gaps, strict=True)
    ]
    value = samples.result(*rows, samples.row("LIST-1", "pass"))
    assert "LIST-8 was not examined: its gap on staging ended on 2026-03-01." in totals.headline(value)
    assert next_step(value, (), repeatable=True).startswith("have what had a gap examined")
    assert [(group.settled_by, group.ids) for group in totals.unexamined(value)] == [
        ("--allow-writes", ("LIST-8",)),
        (None, ("LIST-3",)),
    ]
