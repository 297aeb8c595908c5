"""The badge as an image and as an endpoint."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from petcheck.judging.verdicts import AppliedWaiver, Verdict
from petcheck.reports.badge import endpoint, svg
from petcheck.results.result import Result
from tests.support import samples

SVG = "{http://www.w3.org/2000/svg}"
BOTH = (samples.target(), samples.target("production"))


def rows(*outcomes: str, target: str = "staging") -> tuple[Verdict, ...]:
    return tuple(samples.row(f"LIST-{n}", outcome, target=target) for n, outcome in enumerate(outcomes))


@pytest.mark.parametrize(
    ("value", "message", "color"),
    [
        (samples.result(*rows("pass", "pass")), "all 2 hold", "17683a"),
        (samples.result(*rows("pass", "not-run", "inconclusive")), "1 of 3 examined, none fails", "7b5000"),
        (samples.result(*rows("pass", "fail")), "1 of 2 fail", "b0231b"),
        (samples.result(*rows("pass", "waived")), "1 of 2 waived", "59409b"),
        (samples.result(*rows("pass", "waived", "not-run")), "2 of 3 examined, 1 waived", "59409b"),
        (samples.result(*rows("not-run")), "nothing examined", "7b5000"),
        (samples.result(*rows("pass", "error")), "no verdict", "8f1d63"),
        (samples.result(targets=(samples.target(unreachable="x"),)), "could not be tested", "8f1d63"),
        (samples.result(*rows("pass"), complete=False), "interrupted", "535b64"),
        (samples.result(*rows("pass", "fail"), complete=False), "1 of 2 fail", "b0231b"),
        (samples.result(targets=(), requirements=()), "nothing tested", "535b64"),
        (
            samples.result(samples.row("LIST-1", "pass", waiver=AppliedWaiver("x", "2030-01-01"))),
            "a waiver is stale or expired",
            "b0231b",
        ),
        (
            samples.result(*rows("pass"), *rows("pass", "fail", target="production"), targets=BOTH),
            "production: 1 of 2 fail",
            "b0231b",
        ),
        (samples.result(*rows("pass"), *rows("not-run", target="production"), targets=BOTH), None, "7b5000"),
    ],
)
def test_the_worst_target_is_named_in_both_forms(value: Result, message: str | None, color: str) -> None:
    told = json.loads(endpoint(value))
    assert told == {
        "schemaVersion": 1,
        "label": "pet store conformance",
        "message": message or "production: nothing examined",
        "color": color,
    }
    picture = ElementTree.fromstring(svg(value))
    assert [text.text for text in picture.iter(f"{SVG}text")] == [told["label"], told["message"]]
    assert picture.findtext(f"{SVG}title") == picture.get("aria-label") == f"{told['label']}: {told['message']}"
    assert picture.get("role") == "img"
    fills = [element.get("fill", "") for tag in ("rect", "path") for element in picture.iter(f"{SVG}{tag}")]
    assert fills[1] == f"#{color}"
    assert all(contrast_with_white(fill) >= 4.5 for fill in fills)


def contrast_with_white(colour: str) -> float:
    """The contrast ratio of WCAG 2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 1.05 / (0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] + 0.05)


def test_it_needs_no_resources_and_its_text_fits() -> None:
    value = samples.result(*rows("pass"), targets=(samples.target(samples.HOSTILE[:40]), samples.target()))
    picture = svg(value)
    assert re.search(r"(href|src|url\(|<script|<style|<image|onerror=\")", picture) is None
    whole = ElementTree.fromstring(picture)
    assert {element.tag.removeprefix(SVG) for element in whole.iter()} == {"svg", "title", "rect", "path", "g", "text"}
    spans = [(float(t.get("x", 0)), float(t.get("textLength", 0))) for t in whole.iter(f"{SVG}text")]
    assert all(x + length < after for (x, length), (after, _) in pairwise(spans))
    assert sum(spans[-1]) < float(whole.get("width", 0))
