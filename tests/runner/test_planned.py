"""The plan without pytest is the one that pytest collects."""

from __future__ import annotations

from dataclasses import replace

from petcheck.runner.schedule import checks_of, planned_for
from tests.support import streams
from tests.support.trial import collected


def test_the_checks_are_those_that_pytest_collects() -> None:
    assert {one.id: one for one in checks_of("target")} == {one.check.id: one.check for one in collected()}


def test_the_plan_follows_the_settings() -> None:
    settings = replace(streams.SETTINGS, choice=("LIST-3",), examples=0)
    planned = planned_for(streams.head("staging", settings=settings), "staging")
    assert {name for one in planned.values() for name in one.requirements} == {"LIST-3"}
    assert not any(one.on_top for one in planned.values())
    whole = planned_for(streams.head("staging"), "staging")
    assert set(planned) < set(whole)
    assert any(one.on_top for one in whole.values())
