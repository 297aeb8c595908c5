"""One function from a stream to a result: pure, and whatever the stream lacks."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

import pytest

from petcheck.exchange import Exchange, NoAnswer, Request, Silence
from petcheck.judging.observations import points
from petcheck.judging.verdicts import Dropped, Verdict
from petcheck.results.findings import CheckRow, LeftAnimal, RequestCount
from petcheck.results.judge import failing, judge, suite
from petcheck.results.result import Result, text_of
from petcheck.spec.catalogue import catalogue
from petcheck.spec.operations import Operation
from petcheck.spec.outcomes import Waiver
from petcheck.stream.lines import (
    End,
    Ended,
    Gone,
    Opened,
    Planned,
    PlannedCheck,
    Revised,
    RunSettings,
    Waited,
)
from petcheck.stream.stream import Entry, Stream, checked
from tests.support import samples, streams
from tests.support.streams import EXAMPLES, LISTS, PAGES
from tests.support.trial import Hurried, Trial, judge_in_place, server


@cache
def run(*faults: str) -> Trial:
    """A whole run that only reads."""
    clock = Hurried(50)
    with server(faults=faults, clock=clock) as url:
        return judge_in_place(url, "--max-wait", "200", clock=clock, seed=7)


def rows(*entries: Entry, **of_head: Any) -> dict[str, Verdict]:
    return {row.id: row for row in judge(checked([streams.head(**of_head), *entries])).requirements}


def settings(**changes: Any) -> RunSettings:
    return replace(streams.SETTINGS, **changes)


OPENED = Opened("staging", streams.BASE, streams.KEY)
PLANNED = Planned("staging", (LISTS, PAGES, EXAMPLES))
END = End(streams.FINISHED)
LIST, TOO_LONG = samples.two_exchanges()  # the second breaks LIST-3


# ---- pure and total


def test_a_run_that_was_killed_has_a_result_wherever_it_ends() -> None:
    trial = run()
    seen: set[str] = set()
    for length in (*range(1, len(trial.stream.entries), 5), len(trial.stream.entries)):
        result = judge(Stream(trial.stream.entries[:length]))
        text_of(result)
        whole = length == len(trial.stream.entries)
        assert (result.complete, result.run.exit) == (whole, 0 if whole else 2)
        assert len(result.requirements) == len(catalogue().judged)
        assert {row.outcome for row in result.requirements} <= {"pass", "not-run", "inconclusive"}
        passed = {row.id for row in result.requirements if row.outcome == "pass"}
        assert seen - passed <= {"RATE-4", "RATE-6"}, "more answers take no pass away"
        seen = passed
    assert result == trial.result
    assert result == judge(trial.stream)


EVERY = [entry.id for entry in catalogue().judged]


def test_a_failure_is_found_as_soon_as_its_answer_is_there() -> None:
    trial = run("default-limit-50")
    [row] = [row for row in trial.result.requirements if row.outcome == "fail"]
    assert row.id == "LIST-4"
    lines, whole = list(enumerate(trial.stream.entries, 1)), len(trial.stream.entries)
    first = next(line for line, one in lines if isinstance(one, Exchange) and one.index in row.decisive)
    for length in (first - 1, first, first + 1, (first + whole) // 2, whole):
        stream = Stream(trial.stream.entries[:length])
        assert failing(stream, "target", EVERY) == ({"LIST-4"} if length >= first else set())
        assert {one.id for one in judge(stream).requirements if one.outcome == "fail"} == failing(
            stream, "target", EVERY
        )


def test_what_the_end_says_of_the_run() -> None:
    def ended(end: End | None) -> tuple[bool, int, str]:
        entries = streams.lines()[:-1] + ([end] if end else [])
        result = judge(checked(entries))
        text_of(result)
        return result.complete, result.run.exit, result.run.finished

    at = "2026-11-21T10:03:21.123Z"
    assert ended(END) == (True, 1, at)
    assert ended(replace(END, interrupted=True)) == (False, 2, at)
    assert ended(replace(END, cut_short=True)) == (False, 1, at)
    assert ended(replace(END, broken="no memory")) == (False, 3, at)
    assert ended(replace(END, nothing_selected=True)) == (True, 5, at)
    assert ended(None) == (False, 2, "2026-11-21T10:03:12.155Z")
    assert judge(checked([streams.head()])).run.finished == "2026-11-21T10:03:12.123Z"


def test_the_head_is_in_the_result() -> None:
    result = judge(checked(streams.lines(shard=None, options={"strict": True})))
    head = streams.head(options={"strict": True})
    about = result.run
    assert (about.id, about.seed, about.as_of, about.options) == (head.run, 7, "2026-11-21", {"strict": True})
    assert (about.started, about.settings, about.shard) == ("2026-11-21T10:03:12.123Z", head.settings, None)
    assert (result.suite, result.format) == (suite(), 1)
    [target] = result.targets
    assert (target.name, target.base_url, target.key, target.writes) == ("staging", streams.BASE, streams.KEY, True)
    assert {point.id for point in result.untestable} == {
        entry.id for entry in catalogue().entries if entry.open and entry.untestable
    }


# ---- what was not asked


NOT_RUN = Dropped("not-run", "Writes are not permitted.", "--allow-writes")
UNHEARD = Dropped("inconclusive", "No answer came.", "--max-wait")
BROKE = Dropped("error", "The check itself broke.")
NEW = PlannedCheck("checks/test_4_2_create.py::test_created[staging]", ("CREATE-1", "PETS-1"))


@pytest.mark.parametrize(
    ("dropped", "outcome", "reason", "settled_by"),
    [
        (NOT_RUN, "not-run", "Writes are not permitted. Run with --allow-writes.", "--allow-writes"),
        (UNHEARD, "inconclusive", "No answer came. Allow a longer wait with --max-wait.", "--max-wait"),
        (BROKE, "error", "The check itself broke.", None),
    ],
)
def test_what_a_check_left_out_is_told_where_nothing_decides(
    dropped: Dropped, outcome: str, reason: str, settled_by: str | None
) -> None:
    row = rows(OPENED, Planned("staging", (NEW,)), Ended("staging", NEW.id, 0.1, dropped), END)["CREATE-1"]
    assert (row.outcome, row.reason, row.settled_by, row.checks) == (outcome, reason, settled_by, (NEW.id,))


@pytest.mark.parametrize(
    ("dropped", "outcome"), [(None, "pass"), (NOT_RUN, "pass"), (UNHEARD, "inconclusive"), (BROKE, "error")]
)
def test_what_the_record_shows_passes_if_nothing_that_is_needed_was_left_out(
    dropped: Dropped | None, outcome: str
) -> None:
    ended = Ended("staging", LISTS.id, 0.1), Ended("staging", NEW.id, 0.1, dropped)
    row = rows(OPENED, Planned("staging", (LISTS, NEW)), LIST, *ended, END)["PETS-1"]
    assert (row.outcome, row.exchanges, row.checks) == (outcome, (0,), (LISTS.id, NEW.id))


def test_no_check_that_left_something_out_takes_a_failure_away() -> None:
    for dropped in (NOT_RUN, UNHEARD, BROKE):
        row = rows(OPENED, PLANNED, LIST, TOO_LONG, Ended("staging", PAGES.id, 0.1, dropped), END)["LIST-3"]
        assert (row.outcome, row.decisive, row.checks) == ("fail", (1,), (PAGES.id,))


def test_what_was_examined_counts_though_its_check_has_not_ended() -> None:
    found = rows(OPENED, PLANNED, LIST, TOO_LONG)
    assert (found["PETS-1"].outcome, found["LIST-3"].outcome) == ("pass", "fail")
    assert found["PETS-1"].checks == ()


def test_a_requirement_without_a_check_says_why() -> None:
    def reason(name: str, *entries: Entry, **of_head: Any) -> tuple[str, str]:
        row = rows(*entries, **of_head)[name]
        return row.outcome, row.reason

    plan = OPENED, PLANNED
    stopped = "The run stopped before this requirement was checked."
    assert reason("CREATE-1", *plan, END) == ("not-run", "Deselected: no check of this requirement ran.")
    assert reason("PETS-1", *plan, END) == ("not-run", stopped)
    assert reason("PETS-1", *plan) == ("not-run", stopped)
    assert reason("PETS-1", OPENED, Planned("staging", ()), END)[1].startswith("Deselected: ")
    assert reason("PETS-1", OPENED) == ("not-run", stopped)
    assert reason("PETS-1") == ("not-run", stopped)
    broke = replace(END, broken="MemoryError")
    assert reason("PETS-1", *plan, broke) == ("not-run", "No check of this requirement ran: MemoryError.")
    assert reason("CREATE-1", *plan, broke) == ("not-run", "No check of this requirement ran: MemoryError.")
    chosen = settings(choice=("PETS-1",))
    assert reason("LIST-3", *plan, LIST, TOO_LONG, END, settings=chosen) == ("not-run", "Not chosen.")
    assert reason("PETS-1", *plan, LIST, TOO_LONG, END, settings=chosen)[0] == "pass"
    later = reason("GET-4", *plan, LIST, END)
    assert later == ("not-run", "Not in force on 2026-11-21: it starts on 2030-12-05.")
    assert reason("RATE-10", *plan, LIST, END)[1].startswith("Not testable. ")
    assert reason("GET-1", *plan, END, as_of=date(2030, 12, 5))[1].startswith("Not in force on 2030-12-05: it ended")


def test_a_requirement_that_only_the_end_asks_for_was_not_stopped() -> None:
    at_the_end = PlannedCheck("checks/test_8_limits.py::test_reset_header[staging]", ("RATE-3",), on_top=True)
    plan, ended = Planned("staging", (at_the_end,)), Ended("staging", at_the_end.id, 0.1)
    assert rows(OPENED, plan, END)["RATE-3"].reason == "The run stopped before this requirement was checked."
    assert rows(OPENED, plan, ended, END)["RATE-3"].reason.startswith("No response ")


def test_a_choice_decides_what_the_run_counts() -> None:
    whole = streams.lines()
    failing_choice = judge(checked(streams.lines(settings=settings(choice=("PETS-1",)))))
    assert (judge(checked(whole)).run.exit, failing_choice.run.exit) == (1, 0)
    strict = settings(choice=("PETS-1",), strict=True)
    assert judge(checked(streams.lines(settings=strict))).run.exit == 0
    assert judge(checked(streams.lines(settings=settings(choice=("CREATE-1",))))).run.exit == 5


def test_an_example_can_break_a_requirement_and_keeps_none_from_passing() -> None:
    plan = Planned("staging", (LISTS, EXAMPLES))
    ended = Ended("staging", LISTS.id, 0.1), Ended("staging", EXAMPLES.id, 0.1, UNHEARD)
    silent = replace(samples.exchange(1, answer=NoAnswer(Silence.TIMEOUT, "nothing")), example=True)
    assert rows(OPENED, plan, LIST, silent, *ended, END)["PETS-1"].outcome == "pass"
    example = replace(TOO_LONG, example=True)
    assert rows(OPENED, plan, LIST, example, *ended, END)["LIST-3"].outcome == "fail"


# ---- a target that is gone


def test_a_target_that_could_not_be_tested_is_an_error_everywhere() -> None:
    entries: list[Entry] = [
        streams.head(),
        OPENED,
        PLANNED,
        Gone("staging", "it refused the key"),
        Gone("staging", "later"),
    ]
    result = judge(checked([*entries, Ended("staging", LISTS.id, 0.0, BROKE), END]))
    judged = [row for row in result.requirements if row.in_force]
    assert {(row.outcome, row.reason) for row in judged} == {("error", "it refused the key.")}
    assert {row.outcome for row in result.requirements if not row.in_force} == {"not-run"}
    assert (result.targets[0].unreachable, result.run.exit, result.complete) == ("it refused the key", 6, True)


def test_a_target_that_went_away_keeps_what_it_has_shown() -> None:
    ended = Ended("staging", LISTS.id, 0.1), Ended("staging", PAGES.id, 0.1, BROKE)
    entries: list[Entry] = [OPENED, PLANNED, LIST, ended[0], Gone("staging", "it is down"), ended[1], END]
    found = rows(*entries)
    assert (found["PETS-1"].outcome, found["LIST-3"].outcome) == ("pass", "error")
    assert judge(checked([streams.head(), *entries])).run.exit == 6


def test_one_target_that_is_gone_says_nothing_of_another() -> None:
    whole = streams.around(samples.whole_run()[1], "staging", "production")
    gone = Gone("production", "it is down")
    here, there = whole.only("staging"), judge(Stream((*whole.entries[:-2], gone, END)))
    assert there.rows_of("staging") == judge(here).rows_of("staging")
    assert {row.outcome for row in there.rows_of("production")} == {"error", "not-run"}


# ---- waivers


def waiver(expires: str = "2026-12-31", requirement: str = "LIST-3", target: str = "staging") -> Waiver:
    return Waiver(requirement, target, "ticket 7", date.fromisoformat(expires))


def test_waivers_are_those_of_the_head_or_those_that_the_run_wrote() -> None:
    def found(given: Iterable[Waiver], *revised: Revised) -> tuple[str, str, int]:
        entries = streams.lines(settings=settings(waivers=tuple(given)))
        result = judge(checked([*entries[:-1], *revised, entries[-1]]))
        text_of(result)
        [row] = [row for row in result.requirements if row.id == "LIST-3"]
        return row.outcome, str(row.waiver.expires) if row.waiver else "", result.run.exit

    assert found([]) == ("fail", "", 1)
    assert found([waiver()]) == ("waived", "2026-12-31", 0)
    assert found([waiver(target="production"), waiver(requirement="LIST-4")]) == ("fail", "", 1)
    assert found([waiver("2026-11-20")]) == ("fail", "2026-11-20", 1)
    assert found([waiver("2026-11-21")]) == ("waived", "2026-11-21", 0)
    assert found([waiver("2026-11-20")], Revised((waiver("2027-01-01"),))) == ("waived", "2027-01-01", 0)
    assert found([], Revised((waiver(),))) == ("waived", "2026-12-31", 0)
    assert found([waiver()], Revised(())) == ("fail", "", 1)
    assert found([waiver()], Revised(()), Revised((waiver("2027-01-01"),))) == ("waived", "2027-01-01", 0)


def test_a_waiver_is_as_old_as_the_run_not_as_the_day_to_judge_by() -> None:
    result = judge(checked(streams.lines(settings=settings(waivers=(waiver(),)), as_of=date(2027, 6, 1))))
    assert [row.outcome for row in result.requirements if row.id == "LIST-3"] == ["waived"]


# ---- what the run did


def sent(*of: tuple[Request, Any, dict[str, Any]]) -> Result:
    """The result of exchanges: request, status or silence or an answer, and what else is known of each."""
    exchanges = []
    for index, (request, answer, more) in enumerate(of):
        heard = samples.response([], answer) if isinstance(answer, int) else answer
        exchanges.append(replace(samples.exchange(index, request, heard), **more))
    return judge(streams.around(exchanges, "staging"))


def post(body: bytes = b'{"name": "Rex", "categoryId": 1}') -> Request:
    return samples.request("/pets", method="POST", body=body, operation=Operation.CREATE_PET)


def test_what_was_sent_is_counted() -> None:
    get = samples.request()
    result = sent(
        (get, 200, {"section": "4.1"}),
        (get, 200, {"section": "10"}),
        (get, 200, {"section": "4.1", "cause": "a count that moved"}),
        (get, 200, {"section": "of nothing"}),
        (get, 200, {"example": True}),
        (get, 200, {"example": True, "cause": "another"}),
        (post(), 201, {"section": "4.2", "cause": "another"}),
        (get, 429, {"resent": True}),
    )
    assert result.targets[0].requests == RequestCount(
        total=8,
        get=7,
        post=1,
        by_section={"4.1": 2, "4.2": 1},
        examples=1,
        repeats={"a count that moved": 1, "another": 2},
        lost=1,
    )
    assert result.targets[0].rate_limited == 1


def test_requests_that_found_where_an_application_has_the_operations_are_counted() -> None:
    target = replace(streams.head().targets[0], base_url="shop:app")
    stream = checked([streams.head(targets=(target,)), replace(OPENED, sought=2), PLANNED, END])
    (info,) = judge(stream).targets
    repeats = {"to find where the application has the operations": 2}
    assert info.requests == RequestCount(total=2, get=2, post=0, by_section={}, repeats=repeats)


AGAIN = {"cause": "trouble on the way"}


def test_a_target_has_the_settings_of_the_run() -> None:
    target = replace(streams.head().targets[0], plan="pro", exhaust=True, category_id=42)
    (info,) = judge(checked([streams.head(targets=(target,)), OPENED, PLANNED, END])).targets
    assert (info.plan, info.writes, info.exhaust, info.category_id) == ("pro", True, True, 42)


@pytest.mark.parametrize(
    ("statuses", "forgiven"),
    [
        ([(503, {}), (200, AGAIN)], {"503": 1}),
        ([(502, {}), (404, AGAIN), (504, {}), (200, AGAIN), (504, {}), (200, AGAIN)], {"502": 1, "504": 2}),
        ([(503, {}), (429, AGAIN), (200, AGAIN)], {"503": 1}),
        ([(503, {}), (503, AGAIN)], {}),
        ([(503, {}), (503, AGAIN), (200, AGAIN)], {}),
        ([(503, {}), (200, {})], {}),
        ([(500, {}), (200, AGAIN)], {}),
        ([(503, {}), (NoAnswer(Silence.TIMEOUT, ""), AGAIN)], {}),
        ([(200, {}), (200, AGAIN)], {}),
    ],
)
def test_trouble_that_was_gone_on_the_second_try_is_counted(
    statuses: list[tuple[Any, dict[str, Any]]], forgiven: dict[str, int]
) -> None:
    result = sent(*((samples.request(), status, more) for status, more in statuses))
    assert result.targets[0].requests.forgiven == forgiven
    other = samples.request("/pets?limit=7")
    assert not sent((other, 503, {}), (samples.request(), 200, AGAIN)).targets[0].requests.forgiven


@pytest.mark.parametrize(
    ("body", "answer", "created"),
    [
        (post().body, samples.response({"id": 9, "name": "Rex"}, 201), [LeftAnimal(9, "Rex")]),
        (post().body, samples.response(b"<p>", 201), [LeftAnimal(None, "Rex")]),
        (post().body, samples.response({"id": "9"}, 200), [LeftAnimal(None, "Rex")]),
        (post().body, NoAnswer(Silence.TIMEOUT, "nothing"), [LeftAnimal(None, "Rex")]),
        (post().body, NoAnswer(Silence.INTERRUPTED, "stopped"), [LeftAnimal(None, "Rex")]),
        (b"{", samples.response({"id": 9}, 201), [LeftAnimal(9, "")]),
        (b"[]", samples.response([], 201), [LeftAnimal(None, "")]),
        (b'{"name": 5}', samples.response({"id": 9}, 201), [LeftAnimal(9, "")]),
        (post().body, samples.response({"id": 9}, 300), []),
        (post().body, samples.response({}, 400), []),
    ],
)
def test_what_the_run_left_behind_is_named(body: bytes, answer: Any, created: list[LeftAnimal]) -> None:
    result = sent((post(body), answer, {}), (samples.request(), 200, {}))
    assert result.targets[0].created == tuple(created)


def test_what_pages_show_although_it_was_refused_was_left_behind_too() -> None:
    name = f"petcheck {streams.head().run} refused token"
    body = json.dumps({"name": name, "categoryId": 1}).encode()
    odd = [{"id": 8, "name": "Rex", "categoryId": 1}, {"id": 9, "name": [name], "categoryId": 1}]
    page = samples.response([{"id": 7, "name": name, "categoryId": 1}, *odd])
    refused: list[tuple[Request, Any, dict[str, Any]]] = [
        (post(body), samples.response({}, 401), {}),
        (post(), samples.response({}, 400), {}),
    ]
    result = sent(*refused, (samples.request(), page, {}))
    assert result.targets[0].created == (LeftAnimal(7, name),)
    result = sent((post(body), samples.response({"id": 7}, 201), {}), *refused, (samples.request(), page, {}))
    assert result.targets[0].created == (LeftAnimal(7, name),)
    # a run with the same seed, and so with the same names, has left it
    assert sent((samples.request(), page, {}), *refused, (samples.request(), page, {})).targets[0].created == ()


def test_pauses_are_added_up_for_each_target() -> None:
    whole = streams.around((), "staging", "production")
    pauses = [Waited("staging", 1.0004, "x"), Waited("production", 7.0, "x"), Waited("staging", 2.0, "x")]
    result = judge(checked([*whole.entries[:-1], *pauses, END]))
    assert [target.waited_s for target in result.targets] == [3.0, 7.0]


def test_each_check_has_what_was_sent_since_the_one_before() -> None:
    result = judge(checked(streams.lines()))
    assert result.checks == (
        CheckRow(LISTS.id, LISTS.requirements, "staging", 0.25, (0,)),
        CheckRow(PAGES.id, PAGES.requirements, "staging", 0.5, (1,), "Writes are not permitted."),
        CheckRow(EXAMPLES.id, EXAMPLES.requirements, "staging", 0.125, ()),
    )


def test_every_open_point_that_can_be_observed_has_a_row_for_each_target() -> None:
    result = judge(streams.around(samples.whole_run()[1], "staging", "production"))
    assert [(row.target, row.id) for row in result.observations] == [
        (target, point.id) for target in ("staging", "production") for point in catalogue().observed
    ]
    assert {row.id for row in result.observations} == set(points())
    assert any(row.seen and row.exchanges for row in result.observations)


# ---- traffic of another program


def traffic(*exchanges: Exchange, plan: str | None = None) -> Result:
    head = streams.head(settings=settings(traffic=True))
    head = replace(head, targets=tuple(replace(one, plan=plan) for one in head.targets))
    return judge(checked([head, OPENED, *exchanges, END]))


def test_traffic_is_judged_without_checks() -> None:
    result = traffic(LIST, TOO_LONG)
    found = {row.id: row for row in result.requirements}
    assert (found["PETS-1"].outcome, found["LIST-3"].outcome, found["LIST-3"].decisive) == ("pass", "fail", (1,))
    assert (found["CREATE-1"].outcome, found["CREATE-1"].settled_by) == ("inconclusive", None)
    assert (result.complete, result.run.exit, result.checks) == (True, 1, ())
    assert {(row.value, row.seen) for row in result.observations} == {("not observed in this run", False)}
    text_of(result)


def test_traffic_in_which_every_key_is_refused_cannot_be_judged() -> None:
    refused = samples.exchange(0, answer=samples.response({}, 401))
    result = traffic(refused)
    assert (result.run.exit, {row.outcome for row in result.requirements}) == (6, {"error", "not-run"})
    assert result.targets[0].unreachable is not None
    assert traffic().run.exit == 5
