"""What a stream says of its targets is the same after it was written and read."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from petcheck.errors import NotEvidence
from petcheck.runner.head import head_of
from petcheck.stream.lines import Opened
from petcheck.stream.stream import Stream, checked
from tests.config.configured import STAGING, configured
from tests.support import streams


def test_no_wait_is_a_number_with_a_fraction() -> None:
    head = head_of(configured(target=[STAGING]), datetime(2026, 11, 22, tzinfo=UTC))
    assert [repr(part.waited_s) for part in Stream((head,)).parts] == ["0.0"]


@pytest.mark.parametrize(("base", "sought"), [(streams.BASE, 1), ("shop:app", -1)])
def test_a_target_that_was_sought_is_an_application(base: str, sought: int) -> None:
    with pytest.raises(NotEvidence, match="the target was sought where the head says that it is"):
        checked([streams.head(targets=(replace(streams.head().targets[0], base_url=base),)), opened(sought)])
    assert checked([streams.head(), opened(0)]).parts[0].sought == 0


def opened(sought: int) -> Opened:
    return Opened("staging", streams.BASE, streams.KEY, sought)


def test_a_set_of_requirements_that_this_version_lacks_is_refused() -> None:
    settings = replace(streams.SETTINGS, requirements_as_of="99.0.0")
    with pytest.raises(
        NotEvidence, match=r"^is judged by the requirements of 99\.0\.0, which this version does not have"
    ):
        checked(streams.lines(settings=settings))
