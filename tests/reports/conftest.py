"""One Chromium for each process that tests; pages are opened from disk, each with nothing of the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.register_assert_rewrite("tests.reports.chromium", "tests.reports.elements")

from .chromium import CHROMIUM, FLAGS, Open, missing  # noqa: E402 - their assertions explain themselves

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        missing("there is no chromium; on Debian: apt-get install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright is not installed; pip install '.[test]'")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def opened(browser: Browser, written: Callable[[str], Path]) -> Iterator[Open]:
    """Open a page that a module has `written`; any request but that for the page itself is an error, and so is any
    complaint.
    """
    contexts = []

    def open_page(name: str, *, scheme: str = "light", width: int = 1440) -> Page:
        path = written(name)
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        asked: list[str] = []
        said: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(path.as_uri())
        assert asked == [path.as_uri()]
        assert said == []
        return page

    yield open_page
    for context in contexts:
        context.close()
