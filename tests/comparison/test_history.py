"""When a requirement began to fail, when it was fixed, and what may explain it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from petcheck.comparison.history import Change, Flip, Track
from petcheck.errors import NotComparable
from petcheck.results.result import Result
from tests.support import samples
from tests.support.past import SETTINGS, course, nightly, over_time, row, with_example


def track(letters: str) -> Track:
    [target] = course(LIST_4=letters).targets
    [found] = target.tracks
    return found


def flips(*results: Result) -> list[Flip]:
    return [flip for target in over_time(*results).targets for one in target.tracks for flip in one.flips]


@pytest.mark.parametrize(
    ("letters", "state", "since", "found"),
    [
        ("ppp", "passing", 0, []),
        ("fff", "failing", 0, []),
        ("ppf", "failing", 2, [(False, 1, 2)]),
        ("pff", "failing", 1, [(False, 0, 1)]),
        ("ffp", "passing", 2, [(True, 1, 2)]),
        ("pfpf", "failing", 3, [(False, 0, 1), (True, 1, 2), (False, 2, 3)]),
        # what was not examined neither begins nor ends a failure
        ("pif", "failing", 2, [(False, 0, 2)]),
        ("fnef", "failing", 0, []),
        ("iin", "unexamined", None, []),
        ("ipp", "passing", 1, []),
        ("fi", "failing", 0, []),
        # an agreement does not fix a server
        ("pfw", "failing", 1, [(False, 0, 1)]),
        ("wwp", "passing", 2, [(True, 1, 2)]),
    ],
)
def test_the_course_of_a_requirement(
    letters: str, state: str, since: int | None, found: list[tuple[bool, int, int]]
) -> None:
    made = track(letters)
    assert (made.state, made.since) == (state, since)
    assert [(flip.fixed, flip.before, flip.after) for flip in made.flips] == found


def test_the_reason_is_that_of_the_failure() -> None:
    made = track("pfp")
    assert made.reason == "LIST-4 fail."
    assert [flip.reason for flip in made.flips] == ["LIST-4 fail.", "LIST-4 fail."]
    assert track("pp").reason == ""


def test_runs_are_put_in_order_of_time() -> None:
    late, early = nightly(5, {"LIST-4": "f"}), nightly(1, {"LIST-4": "p"})
    made = over_time(late, early)
    assert [run.file for run in made.runs] == ["run-2/result.json", "run-1/result.json"]
    assert made.targets[0].tracks[0].outcomes == ("pass", "fail")


def test_a_flip_without_a_change_is_a_candidate() -> None:
    [target] = course(LIST_4="pfpf", LIST_5="pppp", LIST_6="ppff").targets
    assert {one.entry.id: one.unexplained for one in target.tracks} == {"LIST-4": 3, "LIST-5": 0, "LIST-6": 1}
    assert all(step.changes == () for step in target.steps)


OTHER_SUITE = replace(samples.SUITE, version="0.2.0")
CHANGES: dict[str, tuple[dict[str, Any], Change]] = {
    "suite": ({"suite": OTHER_SUITE}, Change("suite", "petcheck 0.1.0", "petcheck 0.2.0")),
    "catalogue": (
        {"suite": replace(samples.SUITE, requirements_sha256="c" * 64)},
        Change("catalogue", f"sha256 {'b' * 12}", f"sha256 {'c' * 12}"),
    ),
    "description": (
        {"suite": replace(samples.SUITE, openapi_sha256="c" * 64)},
        Change("description", f"sha256 {'a' * 12}", f"sha256 {'c' * 12}"),
    ),
    "examples": ({"settings": replace(SETTINGS, examples=50)}, Change("--examples", "not given", "50")),
    "requests": ({"settings": replace(SETTINGS, max_requests=30)}, Change("--max-requests", "1200", "30")),
    "writes": ({"target": {"writes": True}}, Change("writes", "not allowed", "allowed")),
    "plan": ({"target": {"plan": "pro"}}, Change("plan", "not given", "pro")),
    "key": ({"target": {"key": "sha256:89abcdef"}}, Change("key", "sha256:0123abcd", "sha256:89abcdef")),
    "address": (
        {"target": {"base_url": "https://new.pets.example/v1"}},
        Change("base URL", "https://staging.pets.example/v1", "https://new.pets.example/v1"),
    ),
    "day": (
        {"options": {"target": ["staging=x"], "as-of": "2030-12-05"}, "as_of": "2030-12-05"},
        Change("--as-of", "not given", "2030-12-05"),
    ),
    "traffic": ({"settings": replace(SETTINGS, traffic=True)}, Change("recorded", "a run", "traffic")),
    "end": ({"complete": False}, Change("end", "whole", "cut short")),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_may_explain_a_flip(name: str) -> None:
    changes, expected = CHANGES[name]
    made = over_time(nightly(0, {"LIST-4": "p"}), nightly(1, {"LIST-4": "f"}, **changes))
    [target] = made.targets
    [flip] = target.tracks[0].flips
    assert flip.changes == (expected,)
    assert target.steps[0].changes == (expected,)
    assert target.tracks[0].unexplained == 0


def test_the_day_of_the_run_is_a_change_where_it_puts_a_requirement_in_force() -> None:
    rows = (row("LIST-4", "p"), row("GET-4", "n", in_force=False))
    before = replace(nightly(0, {}), requirements=rows)
    after = replace(nightly(1, {}), requirements=(row("LIST-4", "f"), row("GET-4", "p")))
    assert [flip.changes for flip in flips(before, after)] == [(Change("judged as on", "2026-11-01", "2026-11-02"),)]


def test_a_seed_explains_only_what_an_example_found() -> None:
    plain, found = nightly(0, {"LIST-4": "p"}), nightly(1, {"LIST-4": "f"})
    assert [flip.changes for flip in flips(plain, found)] == [()]
    by_example = with_example(found, "LIST-4")
    assert [flip.changes for flip in flips(plain, by_example)] == [(Change("seed", "1", "2"),)]
    fixed = nightly(2, {"LIST-4": "p"})
    assert [flip.changes for flip in flips(by_example, fixed)] == [(Change("seed", "2", "3"),)]
    same = replace(by_example, run=replace(by_example.run, seed=1))
    assert [flip.changes for flip in flips(plain, same)] == [()]


def test_other_checks_explain_a_flip() -> None:
    before = nightly(0, {"LIST-4": "p"})
    after = replace(nightly(1, {}), requirements=(row("LIST-4", "f", checks=("a", "b")),))
    assert [flip.changes for flip in flips(before, after)] == [(Change("checks", "1", "2"),)]


def test_a_server_that_a_run_starts_has_another_port_and_key_each_time() -> None:
    def embedded(day: int, letter: str, port: int) -> Result:
        where = {"base_url": f"http://127.0.0.1:{port}/v1", "key": f"sha256:0000{port}"}
        return nightly(day, {"LIST-4": letter}, options={}, target=where)

    assert [flip.changes for flip in flips(embedded(0, "p", 4001), embedded(1, "f", 4002))] == [()]


def test_a_pass_of_a_run_that_was_cut_short_does_not_count() -> None:
    made = over_time(
        nightly(0, {"LIST-4": "f"}), nightly(1, {"LIST-4": "p"}, complete=False), nightly(2, {"LIST-4": "f"})
    )
    [one] = made.targets[0].tracks
    assert (one.outcomes, one.flips, one.since) == (("fail", "pass", "fail"), (), 0)
    cut_short = over_time(nightly(0, {"LIST-4": "p"}), nightly(1, {"LIST-4": "f"}, complete=False))
    assert [flip.changes for flip in cut_short.targets[0].tracks[0].flips] == [(Change("end", "whole", "cut short"),)]


def test_targets_come_and_go() -> None:
    made = over_time(
        nightly(0, {"LIST-4": "p"}, "staging", "old"),
        nightly(1, {"LIST-4": "f"}, "old"),
        nightly(2, {"LIST-4": "f"}, "staging", "new"),
    )
    assert [target.name for target in made.targets] == ["staging", "new", "old"]
    staging, new, old = made.targets
    assert [(tally.run, tally.fail) for tally in staging.tallies] == [(0, 0), (2, 1)]
    assert staging.tracks[0].outcomes == ("pass", None, "fail")
    assert [(step.before, step.after) for step in staging.steps] == [(0, 2)]
    assert [(tally.run, tally.fail) for tally in new.tallies] == [(2, 1)]
    assert old.tracks[0].outcomes == ("pass", "fail", None)


def test_a_target_that_could_not_be_tested() -> None:
    made = over_time(nightly(0, {"LIST-4": "p"}), nightly(1, {"LIST-4": "e"}, target={"unreachable": "gone"}))
    [target] = made.targets
    assert [tally.tested for tally in target.tallies] == [True, False]
    assert target.tracks[0].state == "passing"


def test_requirements_come_and_go_with_the_catalogue() -> None:
    made = over_time(
        nightly(0, {"LIST-9": "p", "LIST-4": "p"}), nightly(1, {"LIST-4": "f", "AUTH-1": "p"}, suite=OTHER_SUITE)
    )
    found = {one.entry.id: (one.outcomes, one.state) for one in made.targets[0].tracks}
    assert found == {
        "LIST-4": (("pass", "fail"), "failing"),
        "AUTH-1": ((None, "pass"), "passing"),
        "LIST-9": (("pass", None), "passing"),
    }


def test_one_run_is_a_history() -> None:
    assert track("f").flips == ()
    assert course(LIST_4="f").targets[0].steps == ()


def test_a_run_that_is_there_twice_is_refused() -> None:
    once = nightly(0, {"LIST-4": "p"})
    with pytest.raises(NotComparable, match=r"^run-1/result\.json and run-3/result\.json are of the same run; give"):
        over_time(once, nightly(1, {"LIST-4": "p"}), once)


def test_two_targets_of_one_name_are_refused() -> None:
    with pytest.raises(NotComparable, match=r"^run-1/result\.json: two targets have the same name"):
        over_time(nightly(0, {"LIST-4": "p"}, "a", "a"))
