"""Checks called directly have the same outcomes as under pytest, so the kill matrix may call them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.trial import Trial, judge, judge_in_place, server
from tools.kill_matrix import Judge, run_fault, run_variation

pytestmark = pytest.mark.slow

FAULTS = ("422-from-framework", "limit-30s-crash", "404-for-empty-list", "retry-after-missing", "removed-with-500")
ONE_BY_ONE = ("--connections", "1")  # which of several animals comes first at the same time is the server's choice


def comparable_output(trial: Trial) -> dict[str, object]:
    """The output of a run that does not depend on its clock and port."""
    port = trial.result.targets[0].base_url
    return {
        "verdicts": {
            row.id: (row.outcome, row.reason.replace(port, ""), row.checks, row.exchanges, row.decisive)
            for row in trial.result.requirements
        },
        "checks": [(row.id, row.requirements, row.dropped, row.exchanges) for row in trial.result.checks],
        "observed": [(seen.id, seen.value) for seen in trial.result.observations],
        "sent": [
            (one.request.method, one.request.url.removeprefix(port), one.request.body, one.status, one.section)
            for one in trial.exchanges
        ],
        "exit": trial.exit,
    }


def pair(run: Callable[[Judge], Trial]) -> tuple[dict[str, object], dict[str, object]]:
    return comparable_output(run(judge)), comparable_output(run(judge_in_place))


@pytest.mark.parametrize("name", FAULTS)
def test_with_a_fault(name: str) -> None:
    under_pytest, in_place = pair(lambda by: run_fault(name, *ONE_BY_ONE, by=by))
    assert in_place == under_pytest


@pytest.mark.parametrize("writes", [True, False])
@pytest.mark.parametrize("name", ["empty-store", "429-html"])
def test_with_a_variation(name: str, writes: bool) -> None:
    under_pytest, in_place = pair(lambda by: run_variation((name,), *ONE_BY_ONE, writes=writes, by=by))
    assert in_place == under_pytest


@pytest.mark.parametrize("by", [judge, judge_in_place])
def test_a_target_that_refuses_the_key(by: Judge) -> None:
    with server() as url:
        trial = by(url, key="not-the-key-0123456789abcdef")
    assert trial.exit == 6
    assert set(trial.reasons.values()) == {row.reason for row in trial.result.requirements}
    assert not trial.ids("pass")
