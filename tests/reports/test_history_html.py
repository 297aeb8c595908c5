"""history.html as text, and in a real Chromium: opened from disk and checked for accessibility."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from petcheck.comparison.history import History
from petcheck.reports.history_html import pictures, render
from petcheck.results.result import Result
from tests.support import samples
from tests.support.chromium import OTHER_VIEWS, VIEWS, Open, accessible
from tests.support.elements import whole_and_self_contained
from tests.support.past import SETTINGS, course, nightly, over_time

NIGHTS = {
    "LIST-4": "pppfff",
    "AUTH-2": "pffipp",
    "RATE-4": "ppfpfp",
    "ERROR-3": "ffffww",
    "LIST-5": "pppppp",
    "CREATE-1": "nnnnnn",
    "BODY-1": "ppppep",
}


def nights(*targets: str) -> list[Result]:
    """Six nights; the suite changes before the fourth, an option before the sixth."""
    return [
        nightly(
            day,
            {name: letters[day] for name, letters in NIGHTS.items()},
            *targets,
            suite=replace(samples.SUITE, version="0.2.0" if day >= 3 else "0.1.0"),
            settings=replace(SETTINGS, examples=50 if day >= 5 else None),
        )
        for day in range(6)
    ]


def hostile() -> History:
    first, _ = samples.hostile_run()
    rows = tuple(replace(one, outcome="pass", waiver=None) for one in first.requirements)
    later = replace(
        first,
        run=replace(first.run, id="later", started="2026-11-22T02:00:00Z"),
        suite=replace(first.suite, version=samples.HOSTILE),
        targets=(replace(first.targets[0], unreachable=None, plan=samples.HOSTILE * 9),),
    )
    return over_time(replace(first, requirements=rows), later)


def many() -> History:
    """A fleet of 30 targets over 200 runs."""
    letters = {"LIST-4": "p" * 150 + "f" * 50, "LIST-5": "pf" * 100}
    names = [f"tenant-{number:02d}" for number in range(30)]
    return over_time(
        *(
            nightly(
                day,
                {name: one[day] for name, one in letters.items()},
                *names,
                id=f"{day:08x}",
                started=f"2026-{day // 28 + 1:02d}-{day % 28 + 1:02d}T02:00:00.000Z",
            )
            for day in range(200)
        )
    )


HISTORIES: dict[str, Callable[[], History]] = {
    "one target": lambda: over_time(*nights()),
    "three targets": lambda: over_time(*nights("staging", "production", "preview")),
    "one run": lambda: over_time(nights()[0]),
    "nothing fails": lambda: course(LIST_4="ppp"),
    "no target": lambda: over_time(replace(nights()[0], targets=(), requirements=())),
    "six targets": lambda: over_time(*nights("a", "b", "c", "d", "e", "f")),
    "hostile": hostile,
    "many": many,
}


@cache
def made(name: str) -> History:
    return HISTORIES[name]()


@pytest.mark.parametrize("name", HISTORIES)
def test_the_page_is_whole_and_self_contained(name: str) -> None:
    whole_and_self_contained(render(made(name), {}))


def test_the_picture_comes_first_and_what_fails_now_next() -> None:
    page = render(made("one target"), {})
    ids = ("picture", "now", "flips", "candidates", "steps", "runs", "rest", "how")
    order = [page.index(f'<h2 id="{name}"') for name in ids]
    assert order == sorted(order)


def test_the_picture_has_a_row_for_each_requirement_that_failed() -> None:
    [picture] = pictures(made("one target"))
    assert [(one.label, one.note) for one in picture.strips[1:-1]] == [
        ("LIST-4", "fails since 2026-11-04"),
        ("ERROR-3", "waived, fails since 2026-11-01"),
        ("AUTH-2", "holds since 2026-11-05"),
        ("RATE-4", "holds since 2026-11-06"),
    ]
    assert (picture.strips[0].note, picture.more) == ("1 + 1 waived now, 3 at most", "")
    assert picture.strips[0].spoken == (
        "staging: requirements that fail, run by run: 1, 2, 3, 2, 2 + 1 waived, 1 + 1 waived"
    )
    assert picture.strips[-1].spoken == "Something changed before run 4: suite; before run 6: --examples"
    assert picture.strips[3].spoken == "AUTH-2: pass, fail × 2, inconclusive, pass × 2"


def test_a_strip_has_a_column_for_each_run() -> None:
    [picture] = pictures(made("one target"))
    paths = dict(picture.strips[3].paths)
    columns = {name: [int(x) // 10 for x in re.findall(r"M(\d+) ", path)] for name, path in paths.items()}
    assert columns == {"pass": [0, 4, 5], "fail": [1, 2], "inconclusive": [3]}


def test_a_bar_is_as_high_as_its_failures() -> None:
    [picture] = pictures(course(LIST_4="pff", LIST_5="ppf"))
    assert dict(picture.strips[0].paths) == {"fail": "M10 10h9v10h-9zM20 0h9v20h-9z", "pass": "M0 19h9v1h-9z"}


def test_targets_that_fail_come_first_in_the_picture() -> None:
    quiet, failing = nightly(0, {"LIST-4": "p"}, "quiet"), nightly(1, {"LIST-4": "f"}, "failing")
    assert [one.title for one in pictures(over_time(failing, quiet))] == ["failing", "quiet"]


def test_a_fleet_has_an_overview_and_pictures_of_some() -> None:
    overview, *others = pictures(made("many"))
    assert {one.kind for one in overview.strips} == {"strip"}
    assert [one.label for one in overview.strips] == [f"tenant-{number:02d}" for number in range(30)]
    assert [one.title for one in others] == [f"tenant-{number:02d}" for number in range(12)]
    page = render(made("many"), {})
    assert len(page) < 1_500_000
    assert "And 5,800 more; <code>petcheck history --json</code> lists them all." in page


def test_bars_of_an_overview_have_one_scale() -> None:
    days = [nightly(day, {"LIST-4": "p"}, f"quiet-{day}") for day in range(4)]
    overview, *others = pictures(
        over_time(nightly(4, {"LIST-4": "f", "LIST-5": "f"}, "two"), nightly(5, {"LIST-4": "f"}, "one"), *days)
    )
    heights = {one.label: dict(one.paths).get("fail", "") for one in overview.strips}
    assert (heights["two"], heights["one"]) == ("M40 0h9v20h-9z", "M50 10h9v10h-9z")
    assert [one.title for one in others] == ["two", "one"]


def test_what_has_no_room_is_counted() -> None:
    [picture] = pictures(course(**{f"LIST_{number}": "f" for number in range(1, 43)}))
    assert (len(picture.strips), picture.more) == (41, "2 other requirements failed at some time.")
    overview = pictures(over_time(nightly(0, {"LIST-4": "p"}, *(f"t-{number}" for number in range(201)))))[0]
    assert (len(overview.strips), overview.more) == (200, "1 target with no more failures is not shown.")


def test_the_page_says_what_changed_and_what_did_not() -> None:
    page = render(made("one target"), {})
    assert "<title>staging: 1 requirement fails now, and 1 failure is waived; 4 began to fail and 3 were" in page
    assert "Nothing recorded changed." in page
    assert "pass × 2, fail, pass, fail, pass" in page
    assert "2 flips without a change of the run." in page


def test_hostile_text_is_visible_text() -> None:
    page = render(made("hostile"), {})
    assert not any(character in page for character in "\x00\x1b\x07\u202e\u2066\u200b")
    assert "&lt;script&gt;document.title=&#39;ran&#39;&lt;/script&gt;" in page
    assert "\\u{0}\\u{1b}[31m\\u{7}\\u{202e}evil" in page
    assert re.search(r" … \[cut at 1,500 of [0-9,]+ characters, whole in result\.json\]", page)
    assert len(page) < 200_000


# ---- in a browser


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    """The page of a history."""

    def write(name: str) -> Path:
        path = tmp_path / "history.html"
        path.write_text(render(made(name), {}), "utf-8")
        return path

    return write


@pytest.mark.parametrize(
    "name", ["one target", "three targets", "six targets", "one run", "nothing fails", "no target", "hostile"]
)
def test_axe_finds_nothing(opened: Open, name: str, tmp_path: Path) -> None:
    page = opened(name)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    accessible(page, tmp_path / "page.png", (*VIEWS, *OTHER_VIEWS) if name == "three targets" else VIEWS)


def test_a_hostile_target_ran_nothing(opened: Open) -> None:
    page = opened("hostile")
    page.wait_for_timeout(200)
    assert "fail" in page.title()
    assert page.locator("script, img, iframe, form, link").count() == 0
    assert page.locator("a:not([href^='#'])").count() == 0


def test_the_picture_is_seen_before_anything_else(opened: Open) -> None:
    for width in (1440, 375):
        page = opened("one target", width=width)
        boxes = [one.bounding_box() for one in page.locator("figure .strip svg").all()]
        assert len(boxes) == 6
        assert all(box is not None and box["width"] > width * 0.4 and box["height"] > 10 for box in boxes)
        assert boxes[0] is not None
        assert boxes[0]["y"] < 500


def test_a_failure_is_higher_than_a_pass_not_only_of_another_colour(opened: Open) -> None:
    page = opened("one target")
    strip = page.locator("figure .strip:not(.chart) svg").first
    fail, passed = (strip.locator(f".bar-{name}").bounding_box() for name in ("fail", "pass"))
    assert fail is not None
    assert passed is not None
    assert fail["height"] > 3 * passed["height"]


def test_a_run_is_found_from_a_change(opened: Open) -> None:
    page = opened("one target")
    link = page.locator(".when a").first
    target = page.locator(link.get_attribute("href") or "nothing")
    assert "2026-11-05 02:00" in target.inner_text()
