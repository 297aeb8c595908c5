"""One Chromium for each test process; pages are opened from disk, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.chromium import CHROMIUM, FLAGS, Open
from tests.support.programs import missing

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What opens a page in the browser is slow."""
    for item in items:
        if isinstance(item, pytest.Function) and "browser" in item.fixturenames:
            item.add_marker("slow")


# not for the whole session: playwright keeps an event loop in this thread, which tests of other packages start too
@pytest.fixture(scope="package")
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


@pytest.fixture(scope="package")
def tab(browser: Browser) -> Page:
    """One tab for all pages: a new one for each takes longer than the test."""
    return browser.new_page()


@pytest.fixture
def opened(tab: Page, written: Callable[[str], Path]) -> Iterator[Open]:
    """Open a page that a module has `written`; any other request, message or error of the page fails the test."""
    asked: list[str] = []
    said: list[str] = []
    listeners: dict[str, Callable[..., None]] = {
        "request": lambda request: asked.append(request.url),
        "console": lambda message: said.append(message.text),
        "pageerror": lambda error: said.append(str(error)),
    }

    def open_page(name: str, *, scheme: str = "light", width: int = 1440) -> Page:
        path = written(name)
        asked.clear()
        tab.set_viewport_size({"width": width, "height": 900})
        tab.emulate_media(color_scheme=scheme, media="screen")  # type: ignore[arg-type]
        tab.goto(path.as_uri())
        assert asked == [path.as_uri()]
        assert said == []
        return tab

    for event, listener in listeners.items():
        tab.on(event, listener)  # type: ignore[call-overload]
    yield open_page
    for event, listener in listeners.items():
        tab.remove_listener(event, listener)
    tab.goto("about:blank")  # reset ticked and opened elements
