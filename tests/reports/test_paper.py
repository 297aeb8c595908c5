"""On paper: the page to sign takes one A4 page, and a report at most ten, whether a server conforms or not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.chromium import Open
from tests.support.command import KEY
from tests.support.forked import petcheck

SERVERS: dict[str, tuple[str, ...]] = {
    "conforming": (),
    "one fault": ("default-limit-50",),
    "every error": ("html-errors",),
}
MOST = {"report.html": 10, "statement.html": 1}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A page of a run with writes against the reference server, by `server/file`."""
    folder = tmp_path_factory.mktemp("paper")

    def write(name: str) -> Path:
        kind, _, file = name.partition("/")
        if not (folder / kind).exists():
            app = create_app(ReferenceSettings(keys={KEY: "business"}, faults=SERVERS[kind]))
            with running(app) as url:
                arguments = (
                    "--target",
                    f"{url}/v1",
                    "--insecure-http",
                    "--allow-writes",
                    "--plan",
                    "business",
                    "--seed",
                    "3",
                )
                petcheck(folder / kind, *arguments, "--label", "operator=Jo Doe", as_it_comes=True)
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


def test_paper_shows_what_decides_and_says_where_the_rest_is(opened: Open) -> None:
    page = opened("one fault/report.html")
    page.emulate_media(media="print")
    assert page.locator("#LIST-4 .exchange").first.is_visible()
    assert page.locator("#LIST-4 .exchange").nth(1).is_hidden()
    assert page.locator(".entry").first.is_hidden()
    assert "exchanges are in exchanges.har." in page.locator(".printed").inner_text()
