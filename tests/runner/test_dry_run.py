"""No run sends more than `--dry-run` forecasts."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date
from typing import Any

import pytest

from petcheck.config.options import Config
from petcheck.config.targets import App, Embedded, Source, TargetConfig, Url
from petcheck.errors import ConfigError
from petcheck.runner.dry_run import END_GETS, SECTION_GETS, SECTION_POSTS, Forecast
from petcheck.wire.credentials import ApiKey
from tests.support.trial import Trial
from tools.kill_matrix import run_fault, run_variation

SOURCE = Url("https://host/v1", ApiKey("k-123"))
COSTLY = ("created-not-stored",)
COSTLY_TOO = ("limit-refused", "any-key", "filter-drops-first", "get-name-upper-case", "403-for-401")


def forecast(target: TargetConfig, *sections: str, **settings: Any) -> Forecast:
    return Forecast(target, Config(date(2026, 11, 21), 1, (target,), **settings), frozenset(sections) or None)


def expect_within(trial: Trial) -> None:
    target = trial.result.targets[0]
    expected = forecast(TargetConfig(target.name, SOURCE, "pro", writes=target.writes))
    sent = target.requests
    assert sent.total <= expected.requests
    assert sent.post <= expected.posts
    bounds = Counter(SECTION_GETS) + Counter(SECTION_POSTS) + Counter(END_GETS)
    assert {section: count for section, count in sent.by_section.items() if count > bounds[section]} == {}


@pytest.mark.parametrize("name", [*COSTLY, *(pytest.param(name, marks=pytest.mark.slow) for name in COSTLY_TOO)])
def test_a_faulty_server_costs_no_more_than_forecast(name: str) -> None:
    expect_within(run_fault(name))


@pytest.mark.parametrize(
    "names",
    [
        ("strict-categories", "strict-names-ascii"),
        *(pytest.param(names, marks=pytest.mark.slow) for names in ((), ("store-of-19",))),
    ],
)
@pytest.mark.parametrize("writes", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["writing", "reading"])
def test_a_conforming_server_costs_no_more_than_forecast(names: tuple[str, ...], writes: bool) -> None:
    expect_within(run_variation(names, writes=writes))


def test_the_forecast_in_words() -> None:
    target = TargetConfig("staging", SOURCE, "free", writes=True, exhaust=True)
    lines = list(forecast(target).lines())
    assert lines[0] == "staging  https://host/v1: nothing was sent. A run sends at most:"
    assert lines[-1] == "  left behind: about 16 animals, plus one per invalid body that is accepted"
    assert lines[1:4] == [
        "  checks                60 requests, 49 of them POST",
        "  property examples     40 requests, 19 of them POST",
        "  in total             100 requests, 68 of them POST",
    ]


@pytest.mark.parametrize("most", [1, 30, 70, 1200])
@pytest.mark.parametrize("examples", [0, None, 200])
@pytest.mark.parametrize("writes", [True, False], ids=["writing", "reading"])
def test_the_rows_add_up(most: int, examples: int | None, writes: bool) -> None:
    lines = forecast(TargetConfig("staging", SOURCE, writes=writes), max_requests=most, examples=examples).lines()
    rows = [
        tuple(map(int, found.groups())) for line in lines if (found := re.search(r"(\d+) requests?, (\d+) of", line))
    ]
    *parts, total = rows
    assert tuple(map(sum, zip(*parts, strict=True))) == total
    assert total[0] <= most
    assert all(posts <= requests for requests, posts in rows)


def test_the_forecast_of_a_choice_has_its_sections_alone() -> None:
    target = TargetConfig("staging", SOURCE, writes=True)
    plain = forecast(target, "4.2", examples=0, choice=frozenset({"CREATE-5"}))
    assert (plain.requests, plain.posts) == (60, 37)
    examples = forecast(target, "4.1", choice=frozenset({"LIST-1"}))
    assert (examples.requests, examples.posts) == (49, 0)


def test_animals_to_populate_a_target_come_on_top() -> None:
    writing = forecast(TargetConfig("staging", SOURCE, writes=True), populate=120)
    assert writing.requests_in_all == writing.requests + 142
    lines = list(writing.lines())
    assert "  and then 22 GET and 120 POST, until there are 120 animals" in lines
    assert lines[-1].startswith("  left behind: about 136 animals")
    reading = forecast(TargetConfig("production", SOURCE), populate=120)
    assert reading.requests_in_all == reading.most


def test_animals_that_the_budget_has_no_room_for_are_refused() -> None:
    writing = TargetConfig("staging", SOURCE, writes=True)
    room = 1200 - forecast(writing).requests - 22
    forecast(writing, populate=room).expect_room()
    said = (
        f"takes up to {room + 23:,} requests beside the {1200 - room - 22} of the run, and --max-requests allows 1200; "
    )
    with pytest.raises(ConfigError, match=said):
        forecast(writing, populate=room + 1).expect_room()
    forecast(TargetConfig("production", SOURCE), populate=room + 1).expect_room()


def test_the_wait_includes_that_for_animals() -> None:
    writing = TargetConfig("staging", SOURCE, plan="free", writes=True)
    minutes = [forecast(writing, populate=number).wait_s for number in (None, 500)]
    assert minutes == [60, 60 * 10]


def test_forbidden_requests_cost_nothing() -> None:
    reading = forecast(TargetConfig("production", SOURCE))
    assert (reading.requests, reading.posts, reading.requests_to_exhaust, reading.wait_s) == (50, 0, 0, None)
    assert list(reading.lines())[1:5] == [
        "  checks                40 requests, 0 of them POST",
        "  property examples     10 requests, 0 of them POST",
        "  after silence          8 requests, 0 of them POST",
        "  in total              58 requests, 0 of them POST",
    ]


@pytest.mark.parametrize(
    ("most", "lines"),
    [
        (
            10,
            [
                "  checks                10 requests, 10 of them POST",
                "  in total              10 requests, 10 of them POST",
                "  beyond --max-requests 10: 50 of the checks, 40 of the property examples",
            ],
        ),
        (
            70,
            [
                "  checks                60 requests, 49 of them POST",
                "  property examples     10 requests, 10 of them POST",
                "  in total              70 requests, 59 of them POST",
                "  beyond --max-requests 70: 30 of the property examples",
            ],
        ),
    ],
)
def test_what_fits_into_few_requests_are_checks_first(most: int, lines: list[str]) -> None:
    few = forecast(TargetConfig("staging", SOURCE, writes=True), max_requests=most)
    assert list(few.lines())[1 : len(lines) + 1] == lines


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        (SOURCE, "https://host/v1"),
        (App("shop:app", ApiKey("k-123")), "shop:app"),
        (Embedded(), "the embedded reference server"),
    ],
)
def test_the_forecast_names_its_server(source: Source, shown: str) -> None:
    first = next(forecast(TargetConfig("one", source)).lines())
    assert first == f"one  {shown}: nothing was sent. A run sends at most:"
