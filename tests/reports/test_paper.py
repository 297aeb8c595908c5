"""On paper: the page to sign takes one A4 page, for a fleet too, and a report at most ten, whether servers conform."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.chromium import Open
from tests.support.command import KEY
from tests.support.forked import petcheck

FAULTY = (
    *("default-limit-50", "filter-pending-refused", "text-html-404", "name-null@getPet", "created-name-trimmed"),
    *("created-status-always-pending", "body-missing-422", "name-not-string-500", "category-text-accepted"),
    *("category-beyond-int64-422", "status-unknown-422", "no-key-needed@listPets", "empty-token@storeOrders"),
    *("any-scheme@createPet", "no-limit-header@getPet", "reset-past", "code-null", "no-message", "html-404"),
)
MORE = (
    *("filter-ignored", "limit-100-gives-101", "created-not-listed", "remaining-percent", "limit-1-gives-2"),
    *("default-limit-50", "category-text@createPet", "id-text@getPet"),
)
SERVERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "conforming": ((),),
    "one fault": (("default-limit-50",),),
    "every error": (("html-errors",),),
    "twenty failures": (FAULTY,),
    "two targets": (FAULTY[:7], FAULTY[:3]),
    "two targets, one with many failures": ((*FAULTY, *MORE), FAULTY[:6]),
    "four targets with few failures": ((), FAULTY[:2], ("limit-100-gives-101",), ()),
    "four targets with many failures": ((*FAULTY, *MORE),) * 4,
    "a fleet": (*((),) * 10, ("default-limit-50",), FAULTY[:7]),
}
NOBODY = "http://127.0.0.1:9/a/very/long/path/that/goes/on/and/on/for/the/tenant/with/the/long/name/v1"
MOST = {"report.html": 10, "statement.html": 1}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A page of a run with writes against reference servers, by `server/file`."""
    folder = tmp_path_factory.mktemp("paper")

    def write(name: str) -> Path:
        kind, _, file = name.partition("/")
        if not (folder / kind).exists():
            with ExitStack() as stack:
                apps = [create_app(ReferenceSettings(keys={KEY: "business"}, faults=each)) for each in SERVERS[kind]]
                urls = [f"{stack.enter_context(running(app))}/v1" for app in apps]
                urls += [NOBODY] * (len(urls) > 4)
                targets = [f"--target=tenant-{number:02}={url}" for number, url in enumerate(urls)]
                options = ("--allow-writes", "--plan=business", "--seed=2", "--label=operator=Jo Doe")
                petcheck(folder / kind, *targets, *options, as_it_comes=True)
        return folder / kind / "reports" / file

    return write


@pytest.mark.parametrize("kind", SERVERS)
@pytest.mark.parametrize("file", MOST)
def test_it_takes_few_pages(opened: Open, kind: str, file: str) -> None:
    page = opened(f"{kind}/{file}")
    page.emulate_media(media="print")
    for paper in ("A4", "Letter"):
        printed = page.pdf(format=paper, prefer_css_page_size=True)
        pages = printed.count(b"/Type /Page\n")
        assert 1 <= pages <= MOST[file], paper


@pytest.mark.parametrize(
    ("kind", "most"), [("two targets, one with many failures", 10), ("four targets with few failures", 8)]
)
def test_a_comparison_shows_on_paper_what_differs_in_one_pair_of_exchanges(opened: Open, kind: str, most: int) -> None:
    page = opened(f"{kind}/comparison.html")
    assert not page.locator(".printed:visible").count()
    assert page.locator(".one .header:visible:not(:has(mark))").count()
    page.emulate_media(media="print")
    for difference in page.locator(".evidence").all():
        assert difference.locator(".sides:visible").count() <= 1
    assert page.locator(".sides:visible").count()
    assert not page.locator(".one .header:visible:not(:has(mark)), .one .again:visible").count()
    assert "what differs in one pair of exchanges" in page.locator(".printed").inner_text()
    for paper in ("A4", "Letter"):
        printed = page.pdf(format=paper, prefer_css_page_size=True)
        assert 1 <= printed.count(b"/Type /Page\n") <= most, paper


@pytest.mark.slow  # like the tests that print their pages
def test_the_servers_fail_as_much_as_they_say(written: Callable[[str], Path]) -> None:
    rows = json.loads(written("twenty failures/result.json").read_text("utf-8"))["requirements"]
    assert sum(row["outcome"] == "fail" for row in rows) >= 20


def test_paper_shows_one_exchange_for_each_cause_and_says_where_the_rest_is(opened: Open) -> None:
    page = opened("one fault/report.html")
    page.emulate_media(media="print")
    assert page.locator(".exchange:visible").count() == page.locator(".causes > li").count() == 1
    assert not page.locator(".headers:visible:not(:has(mark)), .again:visible, .entry:visible").count()
    assert page.locator(".evidence:not(.shown) .line:visible").count() == page.locator(".evidence:not(.shown)").count()
    assert "exchanges are in exchanges.har." in page.locator(".printed").inner_text()


@pytest.mark.parametrize(
    ("kind", "most", "note"),
    [
        ("twenty failures", 99, "the answer behind each cause of a failure, and no whole exchange"),
        ("four targets with many failures", 12, "the answers behind the first 12 causes of each target"),
    ],
)
def test_where_much_fails_paper_shows_the_answer_behind_a_cause(opened: Open, kind: str, most: int, note: str) -> None:
    page = opened(f"{kind}/report.html")
    page.emulate_media(media="print")
    assert not page.locator(".exchange:visible, .reason.above:visible").count()
    for causes in page.locator(".causes").all():
        assert 0 < causes.locator(".answer:visible").count() <= min(most, causes.locator("li").count())
    assert note in page.locator(".printed").inner_text()


def test_a_fleet_takes_one_line_for_each_target(opened: Open) -> None:
    page = opened("a fleet/statement.html")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 680, "height": 900})  # as wide as A4 between its margins
    heights = page.locator("tbody tr").evaluate_all("rows => rows.map(row => row.getBoundingClientRect().height)")
    assert len(heights) == 13
    assert sum(height < 1.5 * heights[0] for height in heights) >= 11
    named = page.locator(".named").inner_text()
    assert "tenant-12: the target does not answer" in named
    assert "LIST-1 to" not in named
