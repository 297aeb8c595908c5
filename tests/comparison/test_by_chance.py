"""A failure that comes now and then is not fixed by a run that passes, in a comparison and in a history."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from petcheck.comparison.compare import Comparison, compare
from petcheck.comparison.history import History
from petcheck.judging.frequency import BY_CHANCE, Frequency, When
from petcheck.reports import comparison_html, comparison_text, history_html, history_text, json_text
from petcheck.results.load import RecordedRun
from petcheck.results.result import Result
from tests.support import samples
from tests.support.past import nightly, over_time


def failing(when: When) -> Frequency:
    return Frequency(2, 31, "responses to the valid key", when=when)


def with_chance(value: Result, when: When = "now and then") -> Result:
    """The same result, whose failures come that often."""
    rows = (replace(one, frequency=failing(when) if one.outcome == "fail" else None) for one in value.requirements)
    return replace(value, requirements=tuple(rows))


def compared(first: str, second: str, when: When = "now and then") -> Comparison:
    """Two sides with these outcomes; what fails does so that often."""

    def side(name: str, outcome: str) -> RecordedRun:
        row = samples.row("LIST-3", outcome, target=name)
        value = samples.result(row, targets=(samples.target(name),), checks=(), run=samples.run())
        return RecordedRun(f"{name}/result.json", with_chance(value, when), samples.two_exchanges())

    return compare([side("monday", first), side("tuesday", second)])


@pytest.mark.parametrize(
    ("when", "said"),
    [("now and then", "fail, now and then"), ("at the same time", "fail, only at the same time as others")],
)
def test_a_comparison_says_what_a_pass_is_worth(when: When, said: str) -> None:
    made = compared("fail", "pass", when)
    text = comparison_text.render(made, width=200, colour=False, page=None)
    assert f"LIST-3 · section 4.1  monday: {said}; tuesday: pass\n" in text
    assert BY_CHANCE in text
    assert BY_CHANCE in comparison_html.render(made)
    [entry] = json.loads(json_text.of_comparison(made))["different"]["verdicts"]
    assert entry["when"] == [when, None]


def test_a_failure_that_always_comes_is_compared_as_ever() -> None:
    made = compared("fail", "pass", "always")
    text = comparison_text.render(made, width=200, colour=False, page=None)
    assert "LIST-3 · section 4.1  monday: fail; tuesday: pass\n" in text
    assert BY_CHANCE not in text
    assert BY_CHANCE not in comparison_html.render(made)


def test_two_failures_are_equal_however_often_they_come() -> None:
    made = compared("fail", "fail")
    assert not made.contradicted
    assert made.agreed[0].by_chance
    assert comparison_text.chance_note(made.agreed[0]) == ""


def nights(letters: str, when: When = "now and then") -> History:
    return over_time(*(with_chance(nightly(day, {"RATE-3": letter}), when) for day, letter in enumerate(letters)))


def test_a_history_does_not_call_it_fixed() -> None:
    made = nights("pfp")
    assert [flip.by_chance for flip in made.targets[0].tracks[0].flips] == [True, True]
    assert history_text.headline(made) == (
        "staging: nothing fails now; 1 began to fail and 1 failed now and then, and passed."
    )
    text = history_text.render(made, width=200, colour=False, page=None)
    assert "RATE-3 failed now and then, and passed between run 2" in text
    assert "RATE-3 began to fail now and then between run 1" in text
    assert text.count(BY_CHANCE) == 1
    assert "2 flips without a change of the run; the server does not always do the same: it failed now and then" in text
    page = history_html.render(made, {})
    assert page.count(BY_CHANCE) == 1
    flips = json.loads(json_text.of_history(made))["targets"][0]["requirements"][0]["flips"]
    assert [(flip["to"], flip["by_chance"]) for flip in flips] == [("fail", True), ("pass", True)]


def test_what_fails_now_says_that_it_comes_now_and_then() -> None:
    text = history_text.render(nights("pff"), width=200, colour=False, page=None)
    assert "RATE-3 · section 4.1  since 2026-11-02 02:00, now and then\n" in text


def test_a_failure_that_always_came_was_fixed() -> None:
    made = nights("pfp", "always")
    assert history_text.headline(made) == "staging: nothing fails now; 1 began to fail and 1 was fixed."
    assert BY_CHANCE not in history_text.render(made, width=200, colour=False, page=None)
