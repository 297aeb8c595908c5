"""The browser that opens the pages, and automatic accessibility checks."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support.programs import missing

if TYPE_CHECKING:
    from playwright.sync_api import Page

CHROMIUM = next(
    (
        path
        for path in (os.environ.get("CHROMIUM", ""), "/usr/bin/chromium", "/usr/bin/chromium-browser")
        if Path(path).is_file()
    ),
    None,
)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Open = Callable[..., "Page"]
View = tuple[int, str]
VIEWS: tuple[View, ...] = ((1440, "light"), (375, "dark"))
OTHER_VIEWS: tuple[View, ...] = ((1440, "dark"), (375, "light"))

# Leaves two of each kind of element. Of one kind are those that the style sheet does not tell apart: alike in tag,
# attributes and what is in them and around them, but for what they say and where they lead.
_TWO_OF_A_KIND = """() => {
    const own = /^(id|href|for|name|value|title|aria-label|aria-labelledby|aria-describedby|data-section)$/
    const looks = one => [
        one.tagName,
        ...[...one.attributes]
            .filter(a => !own.test(a.name) && !(one.tagName === 'SECTION' && a.name === 'data-outcomes'))
            .map(a => `${a.name}=${a.value}`),
        [...one.childNodes].some(node => node.nodeType === Node.TEXT_NODE && node.data.trim()),
    ].join()
    const kind = one => `${looks(one)}(${[...new Set([...one.children].map(kind))].join()})`
    const seen = new Map()
    const thin = (parent, around) => {
        for (const one of [...parent.children]) {
            const here = `${around} > ${kind(one)}`
            seen.set(here, (seen.get(here) ?? 0) + 1)
            if (seen.get(here) > 2 && !one.matches('input, label, td, th')) one.remove()
            else thin(one, `${around} > ${looks(one)}`)
        }
    }
    thin(document.body, '')
}"""


def accessible(page: Page, picture: Path, views: Sequence[View] = VIEWS) -> None:
    """Nothing is wrong with the page by axe, at each width in pixels and in each scheme of colours, and it never needs
    to scroll sideways.

    The contrast of colours, which takes axe far longer than all its other rules, is measured where two elements of each
    kind are left; everything else where all are.
    """
    try:
        from axe_playwright_python.base import AXE_SCRIPT
    except ImportError:
        missing("axe-playwright-python is not installed; pip install '.[test]'")
    page.evaluate(AXE_SCRIPT)
    for width in dict.fromkeys(width for width, _ in views):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert _violations(page, "{rules: {'color-contrast': {enabled: false}, 'target-size': {enabled: true}}}") == []
    page.evaluate(_TWO_OF_A_KIND)
    for width, scheme in views:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        assert _violations(page, "{runOnly: ['color-contrast', 'link-in-text-block']}") == [], (width, scheme)
        assert len(page.screenshot(path=picture.with_stem(f"{picture.stem}-{width}-{scheme}"))) > 5_000


def _violations(page: Page, options: str) -> list[tuple[str, str]]:
    """What axe finds: the rule, and the first element that breaks it."""
    found: list[tuple[str, str]] = page.evaluate(
        f"""axe.run(document, {{resultTypes: ['violations'], ...{options}}})
            .then(result => result.violations.map(found => [found.id, found.nodes[0].html]))"""
    )
    return found
