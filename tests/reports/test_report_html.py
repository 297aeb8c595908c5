"""report.html as text: everything that needs no browser."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace

import pytest

from petcheck.exchange import Exchange
from petcheck.reports.report_html import render
from petcheck.reports.templating import slug
from petcheck.results.deciding import by_index
from petcheck.results.result import Result
from petcheck.stream.lines import ShardInfo
from tests.support import samples
from tests.support.elements import Elements, whole_and_self_contained


def page_of(run: tuple[Result, tuple[Exchange, ...]]) -> str:
    value, exchanges = run
    return render(value, evidence_of(exchanges))


def evidence_of(exchanges: tuple[Exchange, ...]) -> tuple[Exchange, ...]:
    return tuple(by_index(exchanges).values())


RUNS: dict[str, samples.Run] = {
    "small": lambda: (samples.result(), samples.two_exchanges()),
    "whole": samples.whole_run,
    "four targets": lambda: samples.whole_run(targets=4),
    "hostile": samples.hostile_run,
    "burst": samples.burst_run,
    "nothing": lambda: (samples.result(targets=(), requirements=(), checks=(), exit_code=2, complete=False), ()),
    "no evidence": lambda: (samples.whole_run()[0], ()),
}


@pytest.mark.parametrize("name", RUNS)
def test_the_page_is_whole_and_self_contained(name: str) -> None:
    several = name in ("whole", "four targets", "no evidence")
    whole_and_self_contained(page_of(RUNS[name]()), beside=["comparison.html"] if several else [])


@pytest.mark.parametrize("name", RUNS)
def test_the_policy_allows_the_style_sheet_and_nothing_else(name: str) -> None:
    page = page_of(RUNS[name]())
    match = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert match is not None
    digest = base64.b64encode(hashlib.sha256(match[1].encode()).digest()).decode()
    assert f"content=\"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'\"" in page


@pytest.mark.parametrize("targets", [1, 2, 4])
def test_every_row_of_the_result_has_its_cell(targets: int) -> None:
    value, exchanges = samples.whole_run(targets=targets)
    elements = Elements(render(value, evidence_of(exchanges)))
    outcomes = [
        attributes["data-outcome"] for tag, attributes in elements.all if tag == "td" and "data-outcome" in attributes
    ]
    assert sorted(map(str, outcomes)) == sorted(slug(row.standing) for row in value.requirements)
    classes = [attributes.get("class") for _, attributes in elements.all]
    assert classes.count("requirement") == len({row.id for row in value.requirements})
    assert classes.count("point") == len({row.id for row in value.observations})
    assert classes.count("entry") == len(exchanges)


def test_a_run_in_parts_leads_to_the_report_of_each_target() -> None:
    value, exchanges = samples.whole_run()
    parted = replace(value, run=replace(value.run, shard=ShardInfo(1, 2, 4, "0")))
    own = [f"targets/{target.name}/report.html" for target in value.targets]
    whole_and_self_contained(render(parted, evidence_of(exchanges)), beside=["comparison.html", *own])


def test_targets_of_which_the_same_is_to_be_told_are_told_of_together() -> None:
    rows = [samples.row("CREATE-1", "not-run", reason="No POST.", target=name) for name in ("staging", "production")]
    rows = [replace(row, exchanges=(), decisive=(), checks=(f"check[{row.target}]",)) for row in rows]
    value = replace(samples.whole_run()[0], requirements=tuple(rows))
    page = render(value, ())
    assert page.count("No POST.") == 1
    assert '<p class="of">staging, production</p>' in page
    other = replace(value, requirements=(rows[0], replace(rows[1], reason="Another.")))
    assert '<p class="of">production</p>' in render(other, ())
    assert ">1 check</summary>" in page


def test_an_exchange_is_shown_once_and_again_only_where_it_decides_a_failure() -> None:
    value, exchanges = samples.whole_run(targets=1)
    page = render(value, evidence_of(exchanges))
    in_place = sum(len(row.decisive) for row in value.requirements if row.outcome != "pass")
    assert page.count('<div class="exchange">') == len(exchanges) + in_place


def test_the_simplest_example_comes_first_and_each_is_labelled() -> None:
    page = page_of(samples.deep_run())
    assert re.findall(r'<p class="line"><strong class="decides">([a-z ]+)</strong> (#\d+) ', page) == [
        ("simplest example", "#3"),
        ("as found", "#1"),
        ("decides", "#0"),
    ]
    assert "The first 3 of 4 exchanges that decide" in page


def test_a_long_run_says_what_the_evidence_holds() -> None:
    page = page_of(samples.deep_run())
    assert "<strong>1,859 requests (1,673 GET, 186 POST), 1,799 of them property examples</strong>" in page
    assert "All 4 exchanges, in the order sent." in page
    assert "All 2 exchanges, in the order sent." in page_of(RUNS["small"]())


def test_an_option_is_not_wrapped() -> None:
    reason = "GET /pets, answered 500. --seed 41 --examples 20 tries the same again. <i>--<b>"
    page = page_of((samples.result(samples.row(reason=reason)), ()))
    assert '<span class="option">--seed 41</span> <span class="option">--examples 20</span> tries' in page
    assert "&lt;i&gt;--&lt;b&gt;" in page


def test_sections_come_in_the_documents_order() -> None:
    page = page_of(samples.whole_run())
    found = re.findall(r'<section class="group" id="section-([0-9-]+)"', page)
    assert found == ["1", "2", "4", "4-1", "4-2", "4-3", "4-4", "5", "7", "8", "9"]


def test_limits_are_stated_where_text_is_cut() -> None:
    page = page_of(samples.hostile_run())
    assert re.search(r" … \[cut at 2,000 of [0-9,]+ characters, whole in exchanges\.jsonl\]\n?</pre>", page)
    assert re.search(r" … \[cut at 300 of [0-9,]+ characters, whole in exchanges\.jsonl\]\n", page)
    assert re.search(r" … \[cut at 1,500 of [0-9,]+ characters, whole in result\.json\]</p>", page)
    assert len(page) < 200_000


def test_hostile_text_is_visible_text() -> None:
    page = page_of(samples.hostile_run())
    assert not any(character in page for character in "\x00\x1b\x07\u202e\u2066\u200b")
    assert "&lt;script&gt;document.title=&#39;ran&#39;&lt;/script&gt;" in page
    assert "\\u{0}\\u{1b}[31m\\u{7}\\u{202e}evil\\u{2066}\\u{200b}\\u{dfff}\\u{d800}\\u{fffe}" in page


def test_enormous_answers_stay_below_five_megabytes() -> None:
    value, _ = samples.huge_run(60)
    answer = samples.response(("<\u202e&" * 4_000).encode(), headers=tuple((f"X-{n}", "<" * 999) for n in range(99)))
    exchanges = tuple(samples.exchange(n, None, answer) for n in range(60))
    assert len(render(value, evidence_of(exchanges)).encode()) < 5_000_000
