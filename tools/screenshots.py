"""Takes the screenshots of a report for the README: `python -m tools.screenshots`.

The report is from a real run against the reference server with a few faults.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from petcheck.spec.files import suite_file
from petstore_reference.serve import running
from petstore_reference.server import ReferenceSettings, create_app
from tests.support.chromium import CHROMIUM, FLAGS
from tests.support.command import KEY, petcheck

FAULTS = ("default-limit-50", "category-text-accepted", "message-list")
SCHEMES: dict[str, Any] = {"": {"color_scheme": "light"}, "-dark": {"color_scheme": "dark"}}
PICTURES: dict[str, tuple[dict[str, Any], str]] = {
    "report": ({"viewport": {"width": 1440, "height": 860}}, "body"),
    "report-phone": ({"viewport": {"width": 375, "height": 860}}, "#ERROR-3"),
}


def main() -> None:
    """Run petcheck and write the pictures of docs/, each for the light and the dark colour scheme."""
    with tempfile.TemporaryDirectory() as folder:
        app = create_app(ReferenceSettings(keys={KEY: "pro"}, faults=FAULTS))
        with running(app) as url:
            target = f"staging={url}/v1"
            ran = petcheck(Path(folder), "--target", target, "--allow-writes", "--plan", "pro", "--seed", "1")
        assert ran.code == 1, ran.out + ran.err
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            for name, (view, place) in PICTURES.items():
                for ending, scheme in SCHEMES.items():
                    page = browser.new_context(**view, **scheme).new_page()
                    page.goto((ran.reports / "report.html").as_uri())
                    page.evaluate("place => document.querySelector(place).scrollIntoView()", place)
                    page.screenshot(path=suite_file("docs") / f"{name}{ending}.png")
            browser.close()


if __name__ == "__main__":
    main()
