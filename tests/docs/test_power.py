"""What runs with faults come to: a curve, the classes that alone find faults, a page and a picture."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from petcheck.stream.stream import Stream
from petstore_reference.faults import FAULTS
from tests.support.trial import Hurried, judge_in_place, server, small_run
from tools.power import CRASHES, RARE, WITHIN, found_after, sample
from tools.power_page import (
    Measurement,
    Place,
    Run,
    Share,
    alone,
    curve,
    document,
    first_share,
    found_by,
    picture,
    rates,
    share,
)

KEY, FORM = "a valid key", "the plain form"
LISTED = Place("GET /pets", KEY, "200", FORM, "4.1", "a check")
CRASHED = Place("GET /pets", KEY, "500", FORM, "none", "a property example")
CREATED = Place("POST /pets", KEY, "201", FORM, "4.2", "a check")


def run(fault: str, seed: int, found: int | None, *places: Place) -> Run:
    return Run(fault, seed, found, 4, found is not None and found < 4, 3, places)


RUNS = (
    run("a", 1, 1, LISTED),
    run("a", 2, 1, LISTED, CREATED),
    run("b", 1, None),
    run("b", 2, 4, CRASHED),
)
MEASUREMENT = Measurement((*RUNS, run("c", 1, 4, CRASHED), run("c", 2, None)), 4, 2, 8, ("a", "b"), ("c",), ("b", "c"))


def test_the_curve_counts_what_the_first_requests_find() -> None:
    assert curve(RUNS) == [Share(0, 0), *[Share(0.5, 0.5)] * 3, Share(0.75, 1)]
    assert found_by(RUNS, 1) == share(RUNS, lambda one: one.by_checks) == Share(0.5, 0.5)


def test_a_class_finds_a_fault_alone_if_all_exchanges_that_decide_lie_in_it_in_every_run() -> None:
    assert alone(RUNS) == {
        ("operation and key", "GET /pets with a valid key"): {"b"},
        ("operation and status", "GET /pets, 500"): {"b"},
        ("operation and form", "GET /pets, the plain form"): {"b"},
        ("section of the check", "none"): {"b"},
        ("sent by", "a check"): {"a"},
        ("sent by", "a property example"): {"b"},
        ("all but the form", "GET /pets with a valid key, 500, section none, a property example"): {"b"},
    }


def test_a_fault_that_no_run_found_is_in_no_class() -> None:
    assert alone([run("b", 1, None)]) == {}


def test_rates_count_runs() -> None:
    assert rates(RUNS) == {"a": (2, 0), "b": (1, 1)}


def test_the_page_says_its_sample_the_aims_and_what_is_found_only_sometimes() -> None:
    page = document(MEASUREMENT)
    assert "- Sample: every fourth fault that a run may find with no other option, 2 of 8; 2 seeds each." in page
    assert "finds 97.0 % of the faults, on average over seeds. | 75.0 % | **not met** |" in page
    assert "| Any of the seeds finds each fault. | 100.0 % | met |" in page
    assert "half of the 2 crashing inputs, on average over seeds. | 50.0 %; 100.0 % by any seed | met |" in page
    assert "| `b` | 1 of 2 seeds |" in page
    assert "| `a` |" not in page


@pytest.mark.parametrize(("first", "said"), [(0.5, "met"), (0.51, "**not met**")])
def test_a_run_of_sixty_requests_is_to_find_what_a_run_of_a_hundred_found(first: float, said: str) -> None:
    [aim] = [line for line in document(MEASUREMENT, first).splitlines() if line.startswith("| 60 requests find")]
    assert aim.endswith(f" | 50.0 % in a run of so many; 75.0 % at the start of a longer one | {said} |")


def test_the_page_keeps_the_first_measurement() -> None:
    assert first_share(document(MEASUREMENT)) == pytest.approx(0.75)
    assert first_share(document(MEASUREMENT, first=0.8)) == pytest.approx(0.8)
    assert first_share("# Another page") is None


def test_the_picture_has_both_curves_from_none_to_all() -> None:
    root = ET.fromstring(picture(curve(RUNS)))
    lines = [element.attrib["points"].split() for element in root.iter() if element.tag.endswith("polyline")]
    assert [len(points) for points in lines] == [5, 5]
    starts, ends = {points[0] for points in lines}, [float(points[-1].split(",")[1]) for points in lines]
    assert len(starts) == 1
    assert ends[0] < ends[1]


def test_a_sample_has_every_crashing_input() -> None:
    assert set(CRASHES) <= set(sample(50)) < set(sample(1)) == {*WITHIN, *RARE}


def test_a_fault_is_found_after_as_many_requests_as_its_failure_needs() -> None:
    name = "default-limit-10"
    clock = Hurried(200)
    with server(faults=(name,), clock=clock) as url:
        trial = judge_in_place(url, "--choose", "LIST-4", "--examples", "0", clock=clock, seed=3)
    found = found_after(trial.stream, FAULTS[name].breaks)
    assert found is not None
    before = trial.stream.entries.index(trial.exchanges[found - 1])
    assert found_after(Stream(trial.stream.entries[: before + 1]), FAULTS[name].breaks) == found
    assert found_after(Stream(trial.stream.entries[:before]), FAULTS[name].breaks) is None


def test_a_fault_that_the_run_does_not_show_is_not_found() -> None:
    stream = small_run().stream
    assert found_after(stream, ["LIST-4"]) is None
    assert found_after(Stream(stream.entries[:1]), ["LIST-4"]) is None
