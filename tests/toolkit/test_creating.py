"""What a run asks together once it has created its animals."""

from __future__ import annotations

from petcheck.call import page_call
from petcheck.plan.pages import another_page
from petcheck.spec.operations import Operation
from tests.support.trial import judge_in_place, server


def test_pages_that_share_a_limit_or_a_status_are_asked_for_at_the_same_time() -> None:
    with server() as url:
        trial = judge_in_place(url, "--allow-writes", seed=3)
    assert trial.exit == 0
    created = max(one.finished for one in trial.exchanges if one.status == 201 and not one.on_top)
    bursts = [one for one in trial.exchanges if one.sent > created and one.burst is not None]
    [*together] = (one.request for one in bursts if one.burst == bursts[0].burst)
    pages = {tuple(sorted(one.query)) for one in together if one.operation is Operation.LIST_PETS}
    assert pages == {
        (("limit", "100"),),
        (("limit", "100"), ("status", "pending")),
        page_call(*another_page(3)).query,
    }
    assert [one.operation for one in together].count(Operation.GET_PET) == 1
    assert not any(body in (one.request.body for one in trial.exchanges if one.status != 400) for body in (b"{}",))
