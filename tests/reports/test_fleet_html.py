"""report.html of a fleet, in a real Chromium: it leads to each target, stays small, and is accessible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from petcheck.reports import fleet_html
from petcheck.results import fleet as totals
from petcheck.results.causes import causes
from petcheck.results.judge import judge
from petcheck.results.result import Result
from tests.support import samples, streams
from tests.support.chromium import OTHER_VIEWS, VIEWS, Open, View, accessible
from tests.support.fleets import fleet
from tests.support.samples import HOSTILE

FLEETS: dict[str, Callable[[], Result]] = {
    "thirty": fleet,
    "alike": lambda: fleet(5, failing=False),
    "thousand": lambda: fleet(1000, kinds=40),
    "all different": lambda: fleet(1000, kinds=1000),
    "all fail": lambda: fleet(1000, kinds=12, conforming=0.0),
    "hostile": lambda: fleet(6, reason=HOSTILE),
}
LARGE = ("thousand", "all different", "all fail")


def drawn() -> str:
    """A page with a hundred pictures, one of each stream's targets after the other."""
    exchanges = samples.whole_run(targets=4, number=400)[1]
    stream = streams.around(exchanges, "staging", "production", "eu-west", "us-east")
    return fleet_html.render(fleet(1000, kinds=40), [(judge(stream), stream)] * 25)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The page of a fleet, written on first use."""
    folder = tmp_path_factory.mktemp("fleets")

    def write(name: str) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            path.write_text(drawn() if name == "drawn" else fleet_html.render(FLEETS[name]()), "utf-8")
        return path

    return write


@pytest.mark.parametrize("name", FLEETS)
def test_every_target_is_in_one_group_and_leads_to_its_own_report(opened: Open, name: str) -> None:
    page = opened(name)
    links = page.locator(".groups .names a, ul.others a").evaluate_all(
        "all => all.map(one => one.getAttribute('href'))"
    )
    assert sorted(links) == [f"targets/{target.name}/report.html" for target in FLEETS[name]().targets]
    assert page.locator("script").count() == 0


@pytest.mark.parametrize(
    "name",
    ["all different", "drawn", *(pytest.param(name, marks=pytest.mark.slow) for name in ("thousand", "all fail"))],
)
def test_a_thousand_targets_are_less_than_a_megabyte(written: Callable[[str], Path], name: str) -> None:
    assert written(name).stat().st_size < 1_000_000


def test_it_opens_with_the_verdict_and_then_what_fails(opened: Open) -> None:
    members = totals.members(fleet())
    page = opened("thirty")
    assert page.locator("h1").inner_text() == totals.verdict(members, named=False)
    assert page.title() == totals.verdict(members)
    shown = page.locator(".failures > li")
    failures = causes(fleet(), ())
    assert shown.locator(".id").all_inner_texts() == [one.rows[0].id for one in failures]
    for place, failure in enumerate(failures):
        assert f"{len(failure.targets)} of 30 targets" in shown.nth(place).inner_text()
        assert shown.nth(place).locator("a").all_inner_texts() == list(failure.targets)


def test_the_table_shows_where_groups_differ(opened: Open) -> None:
    groups = [group for group in totals.groups(totals.members(fleet())) if not group[0].target.unreachable]
    page = opened("thirty")
    rows = page.locator(".matrix tbody tr")
    assert rows.locator("th").all_inner_texts() == list(totals.differing(groups))
    for place, requirement in enumerate(totals.differing(groups)):
        verdicts = rows.nth(place).locator("td").evaluate_all("all => all.map(one => one.textContent.trim())")
        assert verdicts == [group[0].verdicts[requirement] for group in groups]


def test_a_fleet_without_differences_has_no_table(opened: Open) -> None:
    assert opened("alike").locator(".matrix").count() == 0


def test_text_of_a_target_stays_text(opened: Open) -> None:
    page = opened("hostile")
    assert page.title() == totals.verdict(totals.members(FLEETS["hostile"]()))
    assert page.locator("img").count() == 0


@pytest.mark.parametrize(
    ("name", "views"), [("thirty", VIEWS), ("thirty", OTHER_VIEWS), ("all different", VIEWS), ("drawn", VIEWS)]
)
def test_axe_finds_nothing(opened: Open, name: str, views: Sequence[View], tmp_path: Path) -> None:
    accessible(opened(name), tmp_path / "fleet.png", views)
