"""The clock of a run stands still between exchanges, so that a recording decides as the run did."""

from __future__ import annotations

from datetime import timedelta

from petcheck.wire.clock import RunClock
from tests.support.fakes import NOON, FakeClock


def test_it_stands_until_somebody_sleeps_and_sleeps_no_longer_than_is_left() -> None:
    real = FakeClock()
    clock = RunClock(real)
    real.passed = 3.0
    assert (clock.monotonic(), clock.now()) == (0.0, NOON)
    clock.sleep(5.0)
    assert (clock.monotonic(), clock.now(), real.slept) == (5.0, NOON + timedelta(seconds=5), [2.0])
    clock.stand_at(7.0, NOON)
    assert (clock.monotonic(), clock.now()) == (7.0, NOON)


def test_time_that_has_passed_is_not_slept() -> None:
    real = FakeClock()
    clock = RunClock(real)
    real.passed = 9.0
    clock.sleep(5.0)
    assert (clock.monotonic(), real.slept) == (5.0, [])
