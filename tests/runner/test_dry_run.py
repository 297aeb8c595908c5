"""No run sends more than `--dry-run` forecasts."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from petcheck.config.targets import App, Embedded, Source, TargetConfig, Url
from petcheck.runner.dry_run import END_GETS, SECTION_GETS, SECTION_POSTS, Forecast
from petcheck.toolkit.feeds import Choice
from petcheck.wire.credentials import ApiKey
from tests.support.trial import Trial
from tools.kill_matrix import run_fault, run_variation

SOURCE = Url("https://host/v1", ApiKey("k-123"))
COSTLY = ("limit-refused", "filter-drops-first", "created-not-stored", "get-name-upper-case", "any-key", "403-for-401")


def expect_within(trial: Trial) -> None:
    target = trial.result.targets[0]
    forecast = Forecast(TargetConfig(target.name, SOURCE, "pro", writes=target.writes), 1200)
    sent = target.requests
    assert sent.total <= forecast.requests
    assert sent.post <= forecast.posts
    bounds = Counter(SECTION_GETS) + Counter(SECTION_POSTS) + Counter(END_GETS)
    assert {section: count for section, count in sent.by_section.items() if count > bounds[section]} == {}


@pytest.mark.parametrize("name", COSTLY)
def test_a_faulty_server_costs_no_more_than_forecast(name: str) -> None:
    expect_within(run_fault(name))


@pytest.mark.parametrize("names", [(), ("strict-categories", "strict-names-ascii"), ("store-of-19",)])
@pytest.mark.parametrize("writes", [True, False], ids=["writing", "reading"])
def test_a_conforming_server_costs_no_more_than_forecast(names: tuple[str, ...], writes: bool) -> None:
    expect_within(run_variation(names, writes=writes))


def test_the_forecast_in_words() -> None:
    target = TargetConfig("staging", SOURCE, "free", writes=True, exhaust=True)
    lines = list(Forecast(target, 1200).lines())
    assert lines[0] == "staging  https://host/v1: nothing was sent. A run sends at most:"
    assert lines[-1] == "  left behind: about 12 animals, plus one per invalid body that is accepted"
    assert lines[1:4] == [
        "  checks                60 requests, 34 of them POST",
        "  property examples     40 requests, 16 of them POST",
        "  in total             100 requests, 50 of them POST",
    ]


@pytest.mark.parametrize("most", [1, 30, 70, 1200])
@pytest.mark.parametrize("examples", [0, None, 200])
@pytest.mark.parametrize("writes", [True, False], ids=["writing", "reading"])
def test_the_rows_add_up(most: int, examples: int | None, writes: bool) -> None:
    lines = Forecast(TargetConfig("staging", SOURCE, writes=writes), most, examples).lines()
    rows = [
        tuple(map(int, found.groups())) for line in lines if (found := re.search(r"(\d+) requests?, (\d+) of", line))
    ]
    *parts, total = rows
    assert tuple(map(sum, zip(*parts, strict=True))) == total
    assert total[0] <= most


def test_the_forecast_of_a_choice_has_its_sections_alone() -> None:
    target = TargetConfig("staging", SOURCE, writes=True)
    forecast = Forecast(target, 1200, 0, Choice(frozenset({"CREATE-5"})), frozenset({"4.2"}))
    assert (forecast.requests, forecast.posts) == (46, 22)
    examples = Forecast(target, 1200, None, Choice(frozenset({"LIST-1"})), frozenset({"4.1"}))
    assert (examples.requests, examples.posts) == (37, 0)


def test_animals_to_populate_a_target_come_on_top() -> None:
    forecast = Forecast(TargetConfig("staging", SOURCE, writes=True), 1200, populate=120)
    assert forecast.requests_in_all == forecast.requests + 135
    lines = list(forecast.lines())
    assert "  and before that 15 GET and 120 POST, until there are 120 animals" in lines
    assert lines[-1].startswith("  left behind: about 132 animals")
    reading = Forecast(TargetConfig("production", SOURCE), 1200, populate=120)
    assert reading.requests_in_all == reading.requests


def test_forbidden_requests_cost_nothing() -> None:
    forecast = Forecast(TargetConfig("production", SOURCE), 1200)
    assert (forecast.requests, forecast.posts, forecast.requests_to_exhaust, forecast.wait_s) == (58, 0, 0, None)


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (SOURCE, "https://host/v1"),
        (App("shop:app", ApiKey("k-123")), "shop:app"),
        (Embedded(), "the embedded reference server"),
    ],
)
def test_the_forecast_names_its_server(source: Source, shown: str) -> None:
    first = next(Forecast(TargetConfig("one", source), 1200).lines())
    assert first == f"one  {shown}: nothing was sent. A run sends at most:"
