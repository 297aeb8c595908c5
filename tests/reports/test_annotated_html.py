"""annotated.html: each sentence with its verdicts, links to evidence that exists, and no text that a browser runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from petcheck.reports.annotated_html import JudgedTarget, SourceDocument, listed, render
from petcheck.results.findings import Observation
from petcheck.spec.document import blocks_of
from tests.support import samples
from tests.support.chromium import VIEWS, Open, View, accessible
from tests.support.documents import SHOP, place_of, shop_catalogue
from tests.support.elements import Elements, whole_and_self_contained
from tests.support.samples import HOSTILE

ANCHORS = frozenset({"x0-1", "LIST-3", "x0-0", "point-list-order"})


def read(text: str = SHOP) -> SourceDocument:
    return SourceDocument(blocks_of(text), "d" * 64, shop_catalogue())


def side(
    reason: str = "GET /pets?limit=5 returned 6.", anchors: frozenset[str] = ANCHORS, run: str = "one"
) -> JudgedTarget:
    value = samples.result(
        samples.row("LIST-3", reason=reason),
        samples.row("LIST-5", "pass", exchanges=(0,), decisive=()),
        observations=(Observation("list-order", "4.1", "staging", "by id", "Which order?", (1,)),),
        run=samples.run(id=run),
    )
    return JudgedTarget(f"staging ({run})", value, value.targets[0], "reports/report.html", anchors)


def page(text: str = SHOP, *sides: JudgedTarget) -> str:
    return render(read(text), "shop.md", sides or (side(),))


def plain(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html).split())


def row_of(html: str, words: str) -> str:
    """What is beside a sentence or a row."""
    found = re.search(rf'(?:<div class="line"|<tr>)(?:(?!<div class="line"|<tr>).)*?{re.escape(words)}.*?(?=<div class="line"|<tr>|</table>|</main>)', html, re.DOTALL)  # fmt: skip # noqa: E501
    assert found, words
    return found[0]


def test_each_sentence_and_row_has_its_verdict_with_the_evidence() -> None:
    html = page()
    whole_and_self_contained(
        html, beside=[f"reports/report.html#{anchor}" for anchor in ANCHORS] + ["reports/report.html"]
    )
    first = row_of(html, "A page holds at most")
    assert 'class="margin by-fail"' in first
    assert '<a href="reports/report.html#LIST-3">LIST-3</a>' in first
    assert '<a href="reports/report.html#x0-1">#1</a>' in first
    assert "LIST-3 fail #1 GET /pets?limit=5 returned 6." in plain(first)
    assert plain(row_of(html, "no</strong> more")).endswith("LIST-5 pass #0")
    second = row_of(html, "integer, 1 to 100")
    assert "LIST-3 fail #1" in plain(second)
    assert "returned 6" not in second  # the reason is told once


def test_what_is_open_says_what_the_server_does() -> None:
    html = page()
    order = row_of(html, "Order: not shown.")
    assert 'class="margin by-open"' in order
    assert "list-order open: by id #1" in plain(order)
    assert '<a href="reports/report.html#point-list-order">' in order
    assert "events open: not tested No one sends any." in plain(row_of(html, "Events: not shown."))
    assert "SERVICE-1 not judged" in plain(row_of(html, "Every response is JSON."))


def test_what_no_requirement_covers_says_why() -> None:
    assert "no requirement: Tells people what it is." in row_of(page(), "for people")
    lines = list(listed(read()))
    assert [line.partition(" ")[2] for line in lines] == [
        '"All about the shop." Tells people what it is.',
        '"note | for people" Tells people what it is.',
    ]
    assert not read().edited


def test_an_edited_document_is_told_by_name() -> None:
    text = SHOP.replace("at most `limit` things", "at most `limit` animals").replace("All about the shop.\n", "")
    edited = read(text)
    assert edited.edited
    assert edited.lost == (
        "LIST-3: its sentence in section 1 is no longer found",
        "1 sentence without a requirement is no longer found",
    )
    assert [one.words for one in edited.unknown] == ["A page holds at most limit animals."]
    html = page(text)
    assert "LIST-3: its sentence in section 1 is no longer found" in html
    place = place_of(text, "A page holds at most limit animals.")
    assert f"new: the catalogue does not know it {place}" in plain(row_of(html, "A page holds at most"))
    assert "LIST-3 fail #1" in plain(row_of(html, "integer, 1 to 100"))
    told = [line for line in listed(edited) if line.endswith("new: the catalogue does not know it")]
    assert told == ['1 "A page holds at most limit animals." new: the catalogue does not know it']


def test_an_exchange_that_the_report_does_not_show_is_not_linked() -> None:
    html = page(SHOP, side(anchors=frozenset()))
    assert "LIST-3 fail #1" in plain(html)
    assert {attributes["href"] for _, attributes in Elements(html).all if "href" in attributes} == {
        "#document", "#fail", "#pass", "#not-run", "reports/report.html"
    }  # fmt: skip


def test_two_runs_have_a_margin_each() -> None:
    other = side(run="two")
    passing = replace(other, result=replace(other.result, requirements=(samples.row("LIST-3", "pass", decisive=()),)))
    html = page(SHOP, side(), passing)
    first = row_of(html, "A page holds at most")
    assert first.index("by-fail") < first.index("by-pass")
    assert "staging (one) LIST-3 fail #1" in plain(first)
    assert "staging (two) LIST-3 pass #0" in plain(first)


def hostile() -> str:
    marked = HOSTILE.replace("\r\n", " ").replace("\n", " ").encode("utf-8", "replace").decode()
    return (
        SHOP.replace("for people", marked.replace("|", ""))
        + f"\n{marked}\n\n# {marked}\n\n```\n{marked}\n```\n\n<b onclick=x>\n"
    )


def test_a_hostile_document_is_text() -> None:
    html = page(hostile(), side(HOSTILE))
    whole_and_self_contained(
        html, beside=[f"reports/report.html#{anchor}" for anchor in ANCHORS] + ["reports/report.html"]
    )
    assert not {"\u202e", "\u2066", "\x1b"} & set(html)
    assert "&lt;b onclick=x&gt;" in html


# ---- in a browser

PAGES: dict[str, Callable[[], str]] = {
    "one": page,
    "two": lambda: page(SHOP, side(), side(run="two")),
    "hostile": lambda: page(hostile(), side(HOSTILE)),
}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("annotated")

    def write(name: str) -> Path:
        path = folder / f"{name}.html"
        path.write_text(PAGES[name](), "utf-8")
        return path

    return write


@pytest.mark.parametrize(("name", "views"), [("one", VIEWS), ("two", VIEWS), ("hostile", VIEWS)])
def test_axe_finds_nothing(opened: Open, name: str, views: Sequence[View], tmp_path: Path) -> None:
    accessible(opened(name), tmp_path / "annotated.png", views)


def test_a_margin_is_beside_its_sentence_and_below_it_on_a_phone(opened: Open) -> None:
    for width, beside in ((1440, True), (375, False)):
        tab = opened("two", width=width)
        words, *margins = (
            tab.locator(".line:not(.heads)")
            .nth(1)
            .locator("> *")
            .evaluate_all("all => all.map(one => one.getBoundingClientRect().toJSON())")
        )
        assert len(margins) == 2
        assert (margins[0]["left"] >= words["right"]) is beside
        assert (margins[0]["top"] >= words["bottom"]) is not beside
