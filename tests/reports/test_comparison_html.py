"""comparison.html as text, and in a real Chromium: opened from disk and checked for accessibility."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from petcheck.comparison.compare import Comparison, compare
from petcheck.exchange import Exchange, Response
from petcheck.reports.comparison_html import render
from petcheck.reports.json_text import of_comparison
from petcheck.results.deciding import by_index
from petcheck.results.load import RecordedRun
from petcheck.results.result import Result
from tests.support import samples
from tests.support.chromium import OTHER_VIEWS, VIEWS, Open, accessible
from tests.support.elements import whole_and_self_contained

Run = tuple[Result, tuple[Exchange, ...]]


def recorded(name: str, run: Run) -> RecordedRun:
    value, exchanges = run
    return RecordedRun(f"{name}/result.json", value, tuple(by_index(exchanges).values()))


def otherwise(run: Run) -> Run:
    """The same run, but every answer has one more header and a different body, and every second one another status."""
    value, exchanges = run
    return value, tuple(
        replace(
            entry,
            answer=replace(
                entry.answer,
                status=entry.answer.status + entry.index % 2,
                headers=(*entry.answer.headers, ("X-Own", samples.HOSTILE)),
                body=b'{"code": "other", "own": 1}',
            ),
        )
        if isinstance(entry.answer, Response)
        else entry
        for entry in exchanges
    )


def hostile() -> Run:
    value, exchanges = samples.hostile_run()
    return replace(value, targets=(replace(value.targets[0], unreachable=None),)), exchanges


def hostile_passing() -> Run:
    value, exchanges = hostile()
    first, *rest = value.requirements
    seen = tuple(replace(one, value=f"{one.value} too") for one in value.observations)
    return replace(value, requirements=(replace(first, outcome="pass"), *rest), observations=seen), exchanges


def huge() -> Run:
    return samples.huge_run(1_000)


COMPARISONS: dict[str, Callable[[], Comparison]] = {
    "one run": lambda: compare([recorded("both", samples.whole_run())]),
    "equal": lambda: compare(
        [recorded("a", samples.whole_run(targets=1)), recorded("b", samples.whole_run(targets=1))]
    ),
    "fixed": lambda: compare(
        [recorded("a", samples.whole_run(targets=1)), recorded("b", samples.whole_run(targets=1, failing=False))]
    ),
    "four": lambda: compare([recorded("run", samples.whole_run(targets=4))]),
    "otherwise": lambda: compare(
        [recorded("a", samples.whole_run(targets=1)), recorded("b", otherwise(samples.whole_run(targets=1)))]
    ),
    "hostile": lambda: compare([recorded(samples.HOSTILE, hostile()), recorded("b", otherwise(hostile_passing()))]),
    "huge": lambda: compare([recorded("a", huge()), recorded("b", otherwise(huge()))]),
}


@cache
def made(name: str) -> Comparison:
    return COMPARISONS[name]()


@pytest.mark.parametrize("name", COMPARISONS)
def test_the_page_is_whole_and_self_contained(name: str) -> None:
    whole_and_self_contained(render(made(name)))


def test_verdicts_come_before_behaviour_and_both_before_equal_parts() -> None:
    page = render(made("otherwise"))
    order = [page.index(f'<h2 id="{name}"') for name in ("sides", "divergences", "equal", "how")]
    assert order == sorted(order)
    page = render(made("one run"))
    order = [page.index(f'<h2 id="{name}"') for name in ("sides", "one-sided", "diverging", "equal")]
    assert order == sorted(order)


def test_the_page_says_what_counts() -> None:
    page = render(made("one run"))
    assert "may differ or be equal, so it counts as a difference" in page
    assert "not examined there (not-run)" in page
    assert "Run each with --allow-writes, if that is permitted, and compare again." in page
    assert "The runs had different settings" in page


def test_the_page_has_the_date_and_links_to_the_reports() -> None:
    sides = made("otherwise").sides
    pages = {side.file: f"{number}/report.html" for number, side in enumerate(sides)}
    page = render(made("otherwise"), pages)
    assert re.findall('href="([^"#]+)"', page) == list(pages.values())
    assert re.findall('datetime="([^"]+)"', page) == [sides[-1].run.started]
    sides = made("one run").sides
    page = render(made("one run"), {sides[0].file: "report.html"})
    assert page.count('<a href="report.html">Report</a>') == 1 + len(sides)


def test_a_pair_of_exchanges_is_shown_once_and_then_linked() -> None:
    page = render(made("otherwise"))
    pairs = re.findall(r'id="pair-(\d+)"', page)
    assert len(pairs) == len(set(pairs)) > 0
    assert page.count("Shown above") > 0


def test_hostile_text_is_visible_text() -> None:
    page = render(made("hostile"))
    assert not any(character in page for character in "\x00\x1b\x07\u202e\u2066\u200b")
    assert "&lt;script&gt;document.title=&#39;ran&#39;&lt;/script&gt;" in page
    assert "\\u{0}\\u{1b}[31m\\u{7}\\u{202e}evil\\u{2066}\\u{200b}\\u{dfff}\\u{d800}\\u{fffe}" in page
    assert re.search(r" … \[cut at 2,000 of [0-9,]+ characters, whole in exchanges\.jsonl\]", page)
    assert re.search(r" … \[cut at 300 of [0-9,]+ characters, whole in exchanges\.jsonl\]", page)
    assert len(page) < 300_000


# ---- in a browser


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    """The page of a comparison."""

    def write(name: str) -> Path:
        path = tmp_path / "comparison.html"
        path.write_text(render(made(name)), "utf-8")
        return path

    return write


@pytest.mark.parametrize("name", ["one run", "equal", "fixed", "otherwise", "hostile"])
def test_it_shows_every_row_of_the_comparison(opened: Open, name: str) -> None:
    value: dict[str, Any] = json.loads(of_comparison(made(name)))
    different, equal = value["different"], value["equal_parts"]
    page = opened(name)
    sides = len(value["sides"])
    requirements = len(different["verdicts"]) + len(different["not_examined_everywhere"])
    assert page.locator(".target").count() == sides
    assert page.locator("[data-outcome]").count() == sides * requirements
    assert page.locator(".difference.point").count() == len(different["open_points"])
    assert page.locator(".divergence").count() == len(different["behaviour"])
    assert page.locator(".agreed").count() == len(equal["verdicts"])
    assert page.locator(".agreed-point").count() == len(equal["open_points"])
    assert page.locator(".alike").count() == len(equal["behaviour"])
    assert page.locator(".one-sided-point").count() == len(value["open_points_not_observed_everywhere"])
    assert page.locator(".agreed:visible").count() == 0


@pytest.mark.parametrize("name", ["one run", "equal", "fixed", "four", "otherwise", "hostile"])
def test_axe_finds_nothing(opened: Open, name: str, tmp_path: Path) -> None:
    page = opened(name)
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    accessible(page, tmp_path / "page.png", (*VIEWS, *OTHER_VIEWS) if name in ("fixed", "otherwise") else VIEWS)


def test_a_hostile_target_ran_nothing(opened: Open) -> None:
    page = opened("hostile")
    page.wait_for_timeout(200)
    assert "differ" in page.title()
    assert page.locator("script, img, iframe, form, link").count() == 0
    assert page.locator("a:not([href^='#'])").count() == 0


def test_exchanges_are_side_by_side_and_on_a_phone_below_each_other(opened: Open) -> None:
    left, right = (box.bounding_box() for box in opened("fixed").locator(".one").all()[:2])
    assert left is not None
    assert right is not None
    assert left["y"] == right["y"]
    assert left["x"] < right["x"]
    first, second = (box.bounding_box() for box in opened("fixed", width=375).locator(".one").all()[:2])
    assert first is not None
    assert second is not None
    assert first["x"] == second["x"]
    assert first["y"] < second["y"]


def test_differences_have_a_sign_and_a_line_not_only_a_colour(opened: Open) -> None:
    page = opened("otherwise")
    mark = page.locator("pre mark").first
    assert "underline" in mark.evaluate("one => getComputedStyle(one).textDecorationLine")
    assert "≠ HTTP/1.1" in page.locator(".one pre").all_inner_texts()[1]


def test_in_print_collapsed_parts_show(opened: Open) -> None:
    page = opened("fixed", scheme="dark")
    page.emulate_media(media="print")
    assert page.locator(".agreed").first.is_visible()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(28, 30, 33)"


def test_headings_descend_one_level_at_a_time(opened: Open) -> None:
    levels = opened("one run").locator("h1, h2, h3, h4").evaluate_all("all => all.map(one => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
