"""report.html in a real Chromium: opened from disk, checked for accessibility, and inspected."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from petcheck.reports.templating import slug
from tests.support import samples
from tests.support.chromium import OTHER_VIEWS, VIEWS, Open, View, accessible
from tests.support.elements import Elements

from .test_report_html import page_of

RUNS: dict[str, samples.Run] = {
    "one": lambda: samples.whole_run(targets=1),
    "two": lambda: samples.whole_run(number=14),
    "hostile": samples.hostile_run,
    "burst": samples.burst_run,
    "nothing": lambda: (samples.result(targets=(), requirements=(), checks=(), exit_code=2, complete=False), ()),
    "huge": samples.huge_run,
}
SMALL_ENOUGH = [name for name in RUNS if name != "huge"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of a run, written on first use."""
    folder = tmp_path_factory.mktemp("runs")

    def write(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            path.write_text(page_of(RUNS[name]()), "utf-8")
        return path

    return write


@pytest.mark.parametrize("name", SMALL_ENOUGH)
def test_it_shows_every_row_of_the_result(opened: Open, name: str) -> None:
    value, exchanges = RUNS[name]()
    page = opened(name)
    assert page.locator("[data-outcome]").count() == len(value.requirements)
    assert page.locator(".point td .value").count() == len(value.observations)
    assert page.locator(".untestable dt").count() == len(value.untestable)
    assert page.locator("details.entry").count() == len(exchanges)
    levels = page.locator("h1, h2, h3, h4, h5, h6").evaluate_all("all => all.map(one => Number(one.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    standings = [row.standing for row in value.requirements]
    for standing in set(standings):
        shown = page.locator(f".verdict .badge.{slug(standing)}").all_inner_texts()
        assert shown == [standing] * standings.count(standing)


@pytest.mark.parametrize(
    ("name", "views"), [("two", VIEWS), ("hostile", OTHER_VIEWS), ("nothing", VIEWS), ("burst", OTHER_VIEWS)]
)
def test_axe_finds_nothing(opened: Open, name: str, views: Sequence[View], tmp_path: Path) -> None:
    page = opened(name)
    page.evaluate(
        "[...document.querySelectorAll('details:not([open])')].slice(0, 12).forEach(one => { one.open = true })"
    )
    accessible(page, tmp_path / "page.png", views)


def test_a_hostile_target_ran_nothing(opened: Open) -> None:
    page = opened("hostile")
    page.wait_for_timeout(200)
    assert page.title().startswith(
        "staging does not conform: 1 of 5 requirements fails; not everything could be judged: "
        "<script>document.title='ran'</script>"
    )
    assert page.locator("script, img, iframe, form, link").count() == 0
    assert page.locator("a:not([href^='#'])").count() == 0


def test_a_failure_leads_to_its_evidence(opened: Open) -> None:
    page = opened("one")
    page.get_by_role("link", name="LIST-3").first.click()
    requirement = page.locator("#LIST-3")
    assert requirement.locator(".evidence").get_attribute("open") is not None
    assert "GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5." in requirement.inner_text()
    assert (
        "decides #5 GET /pets?limit=5, a valid key → 200 · 6 animals · 7.5 ms · by item 6 of its body"
        in requirement.inner_text()
    )
    assert requirement.locator("mark").all_inner_texts() == [json.dumps(samples.animal(6), ensure_ascii=True)]
    assert page.locator("#CREATE-8 mark").all_inner_texts() == ["HTTP/1.1 201 Created"] * 2
    requirement.get_by_text("2 exchanges, 1 check").click()
    link = requirement.get_by_role("link", name="#11 GET /pets?limit=5, a valid key → 200 · 6 animals · 12 ms")
    assert link.get_attribute("href") == "#x0-11"
    link.click()
    page.wait_for_function("document.querySelector('#x0-11').closest('details').open")
    assert (
        page.locator("#x0-11 .again code")
        .inner_text()
        .startswith("curl -isS 'https://staging.pets.example/v1/pets?limit=5'")
    )
    assert page.locator("#x0-11").is_visible()


def test_pictures_of_time_lead_to_the_exchanges(opened: Open) -> None:
    page = opened("burst")
    bars = page.locator(".time .lanes a")
    assert bars.count() == len(samples.burst_run()[1])
    assert page.locator(".time .lanes a .bar-fail").count() == 3
    bars.nth(7).click()
    page.wait_for_function("document.querySelector('#x0-7').closest('details').open")
    page.locator("#LIST-3").get_by_role("link", name="burst 1").click()
    burst = page.locator("#b0-1")
    assert burst.get_attribute("open") is not None
    widths = burst.locator(".members path").evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")
    assert len(widths) == 8
    assert all(width >= 2 for width in widths)
    burst.get_by_text("Send these at the same time again").click()
    assert burst.locator("pre").inner_text().count("--next") == 7


def test_filters_work_without_script(opened: Open) -> None:
    page = opened("two")
    everything = page.locator(".requirement:visible").count()
    page.get_by_label("fail 3").check(force=True)
    assert page.locator(".requirement:visible").evaluate_all("all => all.map(one => one.id)") == ["LIST-3", "CREATE-8"]
    page.get_by_label("4.2", exact=True).check(force=True)
    assert page.locator(".requirement:visible").evaluate_all("all => all.map(one => one.id)") == ["CREATE-8"]
    assert page.get_by_text("No requirement of this section has that verdict.").is_hidden()
    page.get_by_label("5", exact=True).check(force=True)
    assert page.locator(".requirement:visible").count() == 0
    assert page.get_by_text("No requirement of this section has that verdict.").is_visible()
    for group in ("Verdict", "Section"):
        page.get_by_role("group", name=group).get_by_label("all", exact=True).check(force=True)
    assert page.locator(".requirement:visible").count() == everything


def test_the_keyboard_reaches_everything(opened: Open) -> None:
    page = opened("one")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the requirements"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "v-all"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "v-pass"
    assert page.locator("label[for=v-pass]").evaluate("label => getComputedStyle(label).outlineStyle") == "solid"


def test_without_style_sheets_everything_still_shows(opened: Open) -> None:
    page = opened("one")
    page.evaluate("document.querySelector('style').remove()")
    assert page.locator(".filters").is_hidden()
    assert page.locator(".requirement:visible").count() == page.locator(".requirement").count()


def test_in_print_the_evidence_of_failures_shows_and_the_controls_do_not(opened: Open) -> None:
    page = opened("one", scheme="dark")
    page.emulate_media(media="print")
    assert page.locator(".filters").is_hidden()
    assert page.locator("#LIST-3 .exchange").is_visible()
    assert page.locator("#CREATE-8 .exchange").nth(1).is_hidden()  # the first of two that decide is enough
    kept = page.locator(".entry .exchange")
    assert kept.count() > 10
    assert all(one.is_hidden() for one in (kept.first, kept.last))
    assert page.locator(".printed").is_visible()
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(28, 30, 33)"


def test_five_thousand_exchanges_are_a_page_that_opens_at_once(opened: Open, written: Callable[[str], Path]) -> None:
    source = written("huge").read_text("utf-8")
    assert len(source.encode()) < 5_000_000
    elements = Elements(source)
    kept = [attributes for _, attributes in elements.all if attributes.get("class") == "entry"]
    assert 500 < len(kept) < 5_000
    assert f"{len(kept):,} of 5,000 exchanges, those that decide a verdict kept first" in source
    assert {attributes["href"] or "" for tag, attributes in elements.all if tag == "a"} <= {
        f"#{i}" for i in elements.ids
    }
    page = opened("huge")
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("document.querySelectorAll('*').length") < 60_000
