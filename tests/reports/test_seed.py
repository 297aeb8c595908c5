"""Every file of a run contains the seed, so that the run can be repeated from any of them."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.command import Ran
from tests.support.forked import petcheck
from tests.support.once import made_once, shared_folder
from tests.support.trial import KEY, server

if TYPE_CHECKING:
    from playwright.sync_api import Page

AGAIN = "--seed 3 with the same options repeats this run"


@pytest.fixture
def ran() -> Ran:
    """A run against two targets, one of which has a fault that an example finds."""
    return run_of_two()


@made_once
def run_of_two() -> Ran:
    with server() as plain, server(faults=("limit-over-70-crashes-for-sold",)) as faulty:
        targets = ("--target", f"one={plain}", "--target", f"two={faulty}", "--examples", "50")
        folder = shared_folder("seed")
        (folder / "reports").mkdir()
        return petcheck(folder, "LIST-6", *targets, "--html", "reports/pytest.html", "--seed", "3", key=KEY)


@pytest.mark.parametrize("name", ["report.html", "comparison.html", "pytest.html"])
def test_it_is_in_every_page(ran: Ran, name: str) -> None:
    page = (ran.reports / name).read_text(encoding="utf-8")
    assert AGAIN in re.sub("<[^>]*>", "", page.partition("<body")[2])


def test_the_page_of_pytest_looks_like_the_others_and_fits_on_a_phone(ran: Ran, tab: Page) -> None:
    for width in (1440, 375):
        tab.set_viewport_size({"width": width, "height": 900})
        tab.goto((ran.reports / "pytest.html").as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") == width
    assert tab.title() == tab.locator("h1").inner_text() == "The checks as pytest saw them"
    assert not tab.locator(".filter:disabled:visible").count()
    assert tab.locator("#environment tr:visible").all_inner_texts()[-1].startswith("Packages")
    font = "one => getComputedStyle(one).fontFamily"
    head = tab.locator("h1").evaluate(font)
    tab.goto((ran.reports / "report.html").as_uri())
    assert tab.locator("h1").evaluate(font) == head
    tab.goto("about:blank")


def test_it_is_on_the_screen_and_in_the_summary(ran: Ran) -> None:
    assert ", seed 3 " in " ".join(ran.out.split())
    summary = (ran.reports / "summary.md").read_text(encoding="utf-8")
    assert "`--seed 3` with the same options repeats this run." in summary


def test_it_is_in_every_suite_and_failure_of_junit_xml(ran: Ran) -> None:
    suites = list(ET.parse(ran.reports / "junit.xml").getroot())
    for suite in suites:
        found = {entry.get("name"): entry.get("value") for entry in suite.findall("properties/property")}
        assert found == {"seed": "3", "repeat": AGAIN}
    failures = [failure.text or "" for failure in suites[1].iter("failure")]
    assert failures
    assert [text for text in failures if not text.endswith(f"\n{AGAIN}")] == []


def test_it_is_machine_readable(ran: Ran) -> None:
    log = json.loads((ran.reports / "exchanges.har").read_text(encoding="utf-8"))["log"]
    assert (log["comment"], log["_petcheck"][0]["petcheck"]["seed"], ran.result.run.seed) == (f"petcheck {AGAIN}", 3, 3)


def test_a_quiet_run_has_it_in_its_line(tmp_path: Path) -> None:
    with server() as url:
        quiet = petcheck(tmp_path, "--target", url, "-q", "-k", "test_4_4", "--seed", "3", key=KEY)
    assert quiet.out.count("\n") == 1
    assert re.search(r" requests; seed 3\) ", quiet.out)


def test_the_result_distinguishes_the_simplest_example_from_the_one_found(ran: Ran) -> None:
    [row] = [row for row in ran.result.requirements if (row.id, row.target) == ("LIST-6", "two")]
    entries = json.loads((ran.reports / "exchanges.har").read_text(encoding="utf-8"))["log"]["entries"]
    urls = {entry["_petcheck"]["index"]: entry["request"]["url"] for entry in entries if "two" in str(entry)}
    assert row.example is not None
    simplest, found = (int(re.findall(r"limit=(\d+)", urls[index])[0]) for index in row.decisive_by_weight[:2])
    assert (row.example.simplest, row.example.found) == row.decisive_by_weight[:2]
    assert 70 < simplest < found
    assert f"limit={simplest}&status=sold (each parameter alone is accepted): expected 200" in row.reason
    spelled = f"limit={found}&status=sold", f"status=sold&limit={found}"  # its form may turn the parameters round
    assert any(f"Simplified from GET /pets?{query}" in row.reason for query in spelled)
