"""Pictures of time: what is drawn where, what is marked, and that many requests stay a small picture."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from petcheck.call import Credential
from petcheck.exchange import Exchange, NoAnswer, Silence
from petcheck.reports import report_html
from petcheck.reports.timeline import Bar, bursts, fails_of, pauses, timeline, times
from petcheck.results import totals
from petcheck.spec.operations import Operation
from petcheck.stream.lines import Waited
from petcheck.stream.stream import checked
from tests.support import samples, streams

from .test_report_html import page_of

FAILS = {
    2: [samples.row("LIST-3")],
    3: [samples.row("LIST-4", "waived"), samples.row()],
    4: [samples.row("X", "waived")],
}


def at(*spans: tuple[float, float], **changes: object) -> list[Exchange]:
    """Exchanges that are sent and finished at those seconds."""
    return [
        replace(samples.exchange(index), sent=100 + sent, finished=100 + finished, **changes)  # type: ignore[arg-type]
        for index, (sent, finished) in enumerate(spans)
    ]


def places(bars: object) -> list[tuple[int, int, int]]:
    return [(bar.lane, bar.left, bar.right) for bar in bars if isinstance(bar, Bar)]  # type: ignore[attr-defined]


def test_requests_that_overlap_have_lanes_of_their_own() -> None:
    picture = timeline(at((0, 4), (1, 3), (2, 5), (3, 6), (5, 10)), {})
    assert places(picture.bars) == [(0, 0, 399), (1, 100, 299), (2, 200, 499), (1, 300, 599), (0, 500, 999)]
    assert (picture.height, picture.seconds, picture.shortened, picture.waits) == (30, 10, False, [])


def test_the_shortest_request_can_be_seen_even_at_the_end() -> None:
    assert places(timeline(at((0, 0), (1, 1), (2, 2)), {}).bars) == [(0, 0, 2), (0, 111, 113), (0, 998, 1000)]
    assert places(timeline(at((0, 0)), {}).bars) == [(0, 0, 2)]


def test_more_than_twelve_at_the_same_time_share_lanes() -> None:
    picture = timeline(at(*((n, 100) for n in range(40))), {})
    assert picture.height == 120
    assert {bar.lane for bar in picture.bars} == set(range(12))


def test_a_long_wait_leaves_room_for_the_requests() -> None:
    picture = timeline(at((0, 1), (61, 64)), {}, [(1, 60.0)])
    assert picture.shortened
    # four seconds of requests and an eighth of that for the wait
    assert places(picture.bars) == [(0, 0, 221), (0, 333, 999)]
    assert picture.waits == [("wait", "M222 0h111v10h-111z")]


def test_a_short_wait_has_its_own_length_and_other_gaps_are_blank() -> None:
    picture = timeline(at((0, 4), (5, 9), (10, 20)), {}, [(2, 1.0)])
    assert (picture.waits, picture.shortened) == ([("wait", "M450 0h50v10h-50z")], False)


def test_a_wait_that_is_recorded_before_what_was_under_way_stands_before_what_followed() -> None:
    assert timeline(at((0, 4), (1, 5), (2, 9), (10, 20)), {}, [(1, 1.0)]).waits == [("wait", "M450 0h50v30h-50z")]
    assert timeline(at((0, 4), (5, 20)), {}, [(2, 1.0)]).waits == []  # nothing was sent after it


def test_waits_are_taken_from_the_stream() -> None:
    assert list(pauses(checked(streams.lines()), "staging")) == [(1, 1.5)]
    other = [streams.head("staging", "other"), Waited("other", 2.0, "x"), *streams.lines()[1:]]
    assert list(pauses(checked(other), "other")) == [(0, 2.0)]


def test_failures_are_marked_and_not_only_by_colour() -> None:
    picture = timeline(at(*((n, n + 1) for n in range(5))), FAILS)
    assert [bar.kind for bar in picture.bars] == ["plain", "plain", "fail", "fail", "waived"]
    assert picture.marks == [("fail", "M400 0h7v10h-7zM600 0h7v10h-7z"), ("waived", "M800 0h7v10h-7z")]
    assert picture.bars[1].path == "M200 0h199v8h-199z"
    at_the_end = timeline(at((0, 1000), (999, 1000)), {1: FAILS[2]})
    assert at_the_end.marks == [("fail", "M993 0h7v10h-7z")]


def test_what_decides_a_failure_is_taken_from_the_result() -> None:
    value = samples.result(
        samples.row(decisive=(1, 3)),
        samples.row("A", "waived", decisive=(3,)),
        samples.row("B", "pass", decisive=(4,)),
        samples.row("C", target="other", decisive=(5,)),
        targets=(samples.target(), samples.target("other")),
    )
    found = fails_of(value, "staging")
    assert {index: [row.id for row in rows] for index, rows in found.items()} == {1: ["LIST-3"], 3: ["LIST-3", "A"]}


def remaining(*values: str, credential: Credential = Credential.VALID) -> list[Exchange]:
    return [
        replace(
            one,
            request=samples.request(credential=credential),
            answer=samples.response(headers=(("X-RateLimit-Remaining", value),)),
        )
        for one, value in zip(at(*((n, n + 1) for n in range(len(values)))), values, strict=True)
    ]


def test_remaining_is_a_line_with_steps() -> None:
    picture = timeline(remaining("50", "soon", "40", "0"), {})
    assert (picture.remaining, picture.line) == ((50, 40, 0), "M250 0H750V200H1000V1000")
    assert timeline(remaining("9", "8", credential=Credential.RANDOM), {}).line == ""
    assert timeline(remaining("0", "0"), {}).line == "M500 1000H1000V1000"


def test_remaining_goes_by_the_time_of_the_answers() -> None:
    first, second = remaining("7", "8")
    late = replace(first, finished=110.0)
    assert timeline([late, second], {}).remaining == (8, 7)


@pytest.mark.parametrize("number", [600, 601, 5_000])
def test_many_requests_are_a_small_picture(number: int) -> None:
    picture = timeline(at(*((n, n + 1.9) for n in range(number))), FAILS)
    assert len(picture.single) == (number if number == 600 else 3)
    assert len(picture.bars) == number
    assert [kind for kind, _ in picture.together] == ([] if number == 600 else ["plain"])
    assert len(str(picture.together)) < 10_000


def test_failures_without_number_are_a_small_picture_too() -> None:
    fails = {index: [samples.row()] for index in range(5_000)}
    picture = timeline(at(*((n, n + 0.4) for n in range(5_000))), fails)
    assert len(picture.single) == 600
    assert [kind for kind, _ in picture.together] == ["fail"]
    assert len(str(picture.together) + str(picture.marks)) < 10_000


def test_how_long_answers_took() -> None:
    lists = at(*((n, n + 0.001 * (n + 1)) for n in range(20)))
    read = replace(lists[0], index=20, request=samples.request("/pets/1", operation=Operation.GET_PET), finished=100.5)
    silent = replace(lists[0], index=21, answer=NoAnswer(Silence.TIMEOUT, ""), finished=110)
    found = times([*lists, read, silent])
    assert [(one.name, one.number, one.median.index, one.most.index, one.slowest.index) for one in found] == [
        ("GET /pets", 20, 9, 18, 19),
        ("GET /pets/{petId}", 1, 20, 20, 20),
        ("all", 21, 10, 19, 20),
    ]
    assert [one.name for one in times(lists)] == ["GET /pets"]
    assert times([silent]) == []


def test_a_burst_knows_the_same_requests_alone_and_the_burst_that_it_repeats() -> None:
    first = [replace(one, burst=1) for one in at((0, 2), (0, 3))]
    again = [replace(one, index=index, burst=2, again=index - 2) for index, one in enumerate(at((4, 5), (4, 6)), 2)]
    alone = replace(samples.exchange(4), sent=107.0, finished=107.5, again=1)
    one, two = bursts([*first, *again, alone], FAILS)
    assert (one.number, one.repeats, one.alone) == (1, None, {1: alone})
    assert (two.number, two.repeats, two.alone) == (2, 1, {3: alone})
    assert places(one.picture.bars) == [(0, 0, 666), (1, 0, 999)]
    assert two.command.count("--next") == 1
    assert bursts([alone], {}) == []


def test_a_page_has_room_for_forty_bursts_and_keeps_those_that_decide() -> None:
    sent = [replace(one, burst=one.index // 2 + 1) for one in at(*((n, n + 1.5) for n in range(100)))]
    kept = [one.number for one in bursts(sent, {98: [samples.row()]})]
    assert kept == [*range(1, 40), 50]


def test_a_command_that_is_too_long_for_a_page_is_left_out() -> None:
    long = samples.request(method="POST", body=b"xy" * 10_000)
    [one] = bursts([replace(samples.exchange(n, long), burst=1) for n in range(2)], {})
    assert one.command == ""


# ---- on the page


def test_a_page_without_requests_has_no_picture() -> None:
    page = page_of((samples.result(), ()))
    assert 'id="when"' not in page
    assert 'id="bursts"' not in page


def test_the_picture_says_in_words_what_it_shows() -> None:
    page = page_of(samples.burst_run())
    assert "58 requests in 10.8 s; those that decide a failure are marked below." in page
    assert "<code>X-RateLimit-Remaining</code> was 41 at first, and never lower." in page
    assert "no verdict depends on these figures" in page
    assert re.search(
        r'scope="row">GET /pets/\{petId\}</th><td role="cell">\d+</td><td role="cell">'
        r'<span class="option">[\d.]+ ms</span></td>',
        page,
    )


HATCHED = "Nothing was under way where it is hatched"
SHORTER = f"{HATCHED}, and the longest of these spans are drawn shorter."


@pytest.mark.parametrize(
    ("second", "waited", "said"),
    [
        (1.01, [], None),
        (4.0, [(1, 3.0)], f"{SHORTER}"),
        (1.15, [(1, 0.14)], f"{HATCHED}."),
    ],
)
def test_the_picture_says_where_nothing_was_under_way(
    second: float, waited: list[tuple[int, float]], said: str | None
) -> None:
    value = samples.result(samples.row("LIST-1", "pass", decisive=()))
    page = report_html.render(value, tuple(at((0, 1), (second, second + 1))), waited={"staging": waited})
    caption = re.findall("<figcaption>(.*?)</figcaption>", page)[0]
    assert caption.startswith("2 requests in ")
    assert (said in caption) if said else HATCHED not in caption


@pytest.mark.parametrize(
    ("waited_s", "rate_limited", "said"),
    [
        (0.04, 0, ""),
        (12.36, 0, "waited 12.4 s"),
        (0.0, 1, "1 response was 429"),
        (60.0, 2, "waited 60.0 s, 2 responses were 429"),
    ],
)
def test_how_long_a_run_waited_in_words(waited_s: float, rate_limited: int, said: str) -> None:
    assert totals.waits(samples.target(waited_s=waited_s, rate_limited=rate_limited)) == said


@pytest.mark.parametrize(
    ("number", "rows", "strips"),
    [
        (0, [], []),
        (1, ["GET /pets"], ["Requests"]),
        (2_000, ["GET /pets", "POST /pets", "GET /pets/{petId}", "all"], ["Requests", "Remaining, 0 to 41"]),
    ],
)
def test_a_page_has_what_there_is_to_draw(number: int, rows: list[str], strips: list[str]) -> None:
    page = page_of(samples.whole_run(targets=1, number=number, failing=False))
    assert re.findall(r'scope="row">(\w[^<]*)</th><td role="cell">[\d,]+', page) == rows
    assert re.findall(r'<p class="label">([^<]*)</p>', page) == strips
    assert len(page) < 5_000_000


def test_a_burst_is_shown_where_it_decides() -> None:
    page = page_of(samples.burst_run())
    burst = page[page.index('<details class="burst" id="b0-1" open>') :]
    burst = burst[: burst.index('<section class="appendix"')]
    assert re.search(r"<summary>Burst 1: 8 requests at the same time, in \d+ ms · <span", burst)
    assert '<span class="fail">3 decide a failure</span></summary>' in burst
    wrong = re.findall(r'<a href="#x0-(\d+)">[^\n]*? <strong class="decides fail"><a href="#([A-Z0-9-]+)">', burst)
    assert wrong == [("4", "CREATE-8"), ("5", "LIST-3"), ("10", "CREATE-8")]
    assert burst.count("alone: ") == 8
    took = sum(one.elapsed for one in samples.burst_run()[1] if one.again is not None)
    assert f"The same requests, sent one after the other, took {took * 1000:.0f} ms." in burst
    assert burst.count("PETSTORE_API_KEY") == 7  # one has none
    evidence = page[page.index('id="LIST-3"') : page.index('id="LIST-4"')]
    assert '· <a href="#b0-1">burst 1</a></p>' in evidence


def test_each_target_has_its_picture() -> None:
    value, exchanges = samples.whole_run()
    page = report_html.render(value, tuple(reversed(exchanges)), waited={"production": [(3, 0.001)]})
    assert page.count('<figure class="time">') == 2
    assert page == report_html.render(value, exchanges, waited={"production": [(3, 0.001)]})
