"""What to do after a run that fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.judging.frequency import Frequency, When
from petcheck.judging.verdicts import AppliedWaiver
from petcheck.reports.advice import next_step
from petcheck.results import totals
from petcheck.results.causes import causes
from tests.support import samples
from tests.support.streams import SETTINGS

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
    assert next_step(value, causes(value, samples.two_exchanges())) == said
    of_others = replace(value, run=replace(value.run, settings=replace(SETTINGS, traffic=True)))
    assert next_step(of_others, causes(of_others, samples.two_exchanges())) == EXPLAIN


def test_a_gap_that_has_ended_is_named_and_one_that_is_accepted_asks_for_nothing() -> None:
    gaps = [AppliedWaiver("No store.", "2026-03-01", gap=True, ended=ended) for ended in (True, False)]
    rows = [
        samples.row(name, "not-run", waiver=each, settled_by="--allow-writes")
        for name, each in zip(("LIST-8", "LIST-3"), gaps, strict=True)
    ]
    value = samples.result(*rows, samples.row("LIST-1", "pass"))
    assert "LIST-8 was not examined: its gap on staging ended on 2026-03-01." in totals.headline(value)
    assert next_step(value, ()).startswith("have what had a gap examined")
    assert [(group.settled_by, group.ids) for group in totals.unexamined(value)] == [
        ("--allow-writes", ("LIST-8",)),
        (None, ("LIST-3",)),
    ]


def test_an_expired_waiver_of_what_was_not_examined_has_to_be_removed_by_hand() -> None:
    waiver = AppliedWaiver("agreed", "2026-03-01", ended=True)
    value = samples.result(samples.row("LIST-8", "not-run", waiver=waiver), samples.row("LIST-1", "pass"))
    assert totals.headline(value).endswith(
        "The run still fails: The waiver of LIST-8 on staging expired after 2026-03-01."
    )
    assert next_step(value, ()) == (
        "remove the waivers that have expired from `petcheck.toml`, or give them a later day"
    )
    chosen = replace(value, run=replace(value.run, settings=replace(SETTINGS, choice=("LIST-1",))))
    assert totals.waiver_faults(chosen) == ()


@pytest.mark.parametrize(
    ("settled_by", "options", "said"),
    [
        (["--plan"], {}, "add `--plan` to judge 1 more"),
        (
            ["--allow-writes", "--exhaust-rate-limit", "--max-requests", "--plan"],
            {"max-requests": 6},
            "add `--allow-writes`, `--exhaust-rate-limit` and `--plan`, and raise `--max-requests` to judge 4 more",
        ),
        (["--plan", None], {}, "add `--plan` to judge 1 more; a `[[gap]]` accepts what stays open"),
        (
            [None],
            {"config": "gate.toml"},
            "see why above; a `[[gap]]` in `gate.toml` accepts what cannot be examined, with your reason",
        ),
        ([None], {}, "see why above; a `[[gap]]` in `petcheck.toml` accepts what cannot be examined, with your reason"),
    ],
)
def test_what_a_strict_run_lacks_is_asked_for_by_its_options(
    settled_by: list[str | None], options: dict[str, object], said: str
) -> None:
    rows = [samples.row(f"LIST-{n}", "not-run", settled_by=option) for n, option in enumerate(settled_by)]
    run = samples.run(7, options=options, settings=replace(SETTINGS, strict=True))
    assert next_step(samples.result(*rows, run=run), ()) == said


def test_a_strict_run_names_all_that_was_not_examined() -> None:
    rows = [samples.row(f"CREATE-{n}", "not-run") for n in range(1, 15)]
    value = samples.result(*rows, samples.row("LIST-8", "inconclusive"), samples.row("LIST-1", "pass"), exit_code=7)
    assert "were not examined fail the run: CREATE-1 to CREATE-14, LIST-8." in totals.headline(value)
