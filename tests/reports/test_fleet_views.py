"""Every view tells of a fleet in one line, and then of what fails."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from petcheck.judging.verdicts import AppliedWaiver
from petcheck.reports import badge, junit, summary, terminal
from petcheck.reports.annotations import lines
from petcheck.results.result import Result
from petcheck.spec.outcomes import Exit
from tests.results.test_fleet import MIXED, of

FLEET = of(**MIXED | {"f": "fail fail"})
CONFORMING = replace(of(**dict.fromkeys("abcde", "pass pass")), run=replace(FLEET.run, exit=0))


def printed(result: Result, **options: object) -> list[str]:
    text = terminal.render(result, (), width=80, colour=False, folder="reports", **options)  # type: ignore[arg-type]
    assert max(map(len, text.splitlines())) <= 80
    return text.splitlines()


def test_the_end_of_a_run() -> None:
    assert printed(FLEET) == [
        "LIST-3 on 3 of 6 targets (b, e, f) · section 4.1",
        "  rule   A page never holds more animals than `limit` asks for.",
        "  found  on b: GET /pets?limit=5 returned 6 animals; section 4.1 allows at most",
        "         5.",
        "",
        "AUTH-1 on 1 of 6 targets (f) · section 4.1",
        "  rule   A page never holds more animals than `limit` asks for.",
        "  found  GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.",
        "",
        "1 target could not be tested",
        "  it does not answer",
        "    on d",
        "",
        "sent: 12 requests to 6 targets, 0 of them POST; 0 animals left behind",
        "petcheck 0.1.0, interface 1.0.0, judged as on 2026-11-21, seed 1",
        "",
        "2 of 6 targets show no failure; 3 fail (b, e, f), 1 could not be tested (d).",
        "  LIST-3 on 3 of 6 targets (b, e, f): GET /pets?limit=5 returned 6 animals;",
        "    section 4.1 allows at most 5.",
        "  AUTH-1 on 1 of 6 targets (f): GET /pets?limit=5 returned 6 animals; section",
        "    4.1 allows at most 5.",
        "reports: reports/report.html, result.json, junit.xml, summary.md; those of each",
        "target in reports/targets/",
        "next: petcheck explain LIST-3; add --failed to run only what failed",
    ]


def test_files_that_are_not_written_are_not_named() -> None:
    text = " ".join(printed(CONFORMING, unwritten=["junit.xml", "summary.md"]))
    assert text.endswith("reports: reports/report.html, result.json; those of each target in reports/targets/")


def test_quietly() -> None:
    assert terminal.one_line(FLEET, "reports") == (
        "2 of 6 targets show no failure; 3 fail (b, e, f), 1 could not be tested (d). (12 requests; seed 1) "
        "reports/report.html"
    )


def waived(expires: str) -> Result:
    """A fleet in which one target has a waiver until that day, for what passes."""
    first, *others = CONFORMING.requirements
    row = replace(first, waiver=AppliedWaiver("agreed", expires))
    also = replace(others[0], outcome="waived", waiver=AppliedWaiver("agreed", expires))
    return replace(CONFORMING, requirements=(row, also, *others[1:]))


def test_what_was_not_examined() -> None:
    unseen = of(a="inconclusive pass", b="not-run not-run", **dict.fromkeys("cde", "pass pass"))
    rows = [
        replace(row, settled_by="--allow-writes" if row.outcome == "not-run" else None) for row in unseen.requirements
    ]
    result = replace(unseen, requirements=tuple(rows))
    lines = printed(result)
    assert lines[lines.index("not examined") :][1:3] == [
        "  add --allow-writes to judge 2 on 1 of 5 targets (b): LIST-3, AUTH-1",
        "  on 1 of 5 targets (a), see the report of each: LIST-3",
    ]
    text = summary.render(result, ())
    assert "- Add `--allow-writes` to judge 2 requirements on 1 of 5 targets (`b`): `LIST-3`, `AUTH-1`\n" in text
    assert "- Not examined, see `report.html`: 1 requirement on 1 of 5 targets (`a`): `LIST-3`\n" in text


def test_waivers() -> None:
    text = "\n".join(printed(waived("2027-01-01")))
    assert (
        "AUTH-1 on a: Waived until 2027-01-01, 41 days left. agreed\n"
        "  found  GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.\n"
        "The waiver of LIST-3 on a is stale: the requirement passes now.\n" in text
    )


def test_the_summary_shows_what_waivers_cover_now() -> None:
    text = summary.render(waived("2027-01-01"), ())
    assert (
        "- **`AUTH-1`** on 1 of 5 targets (`a`): Waived until 2027\\-01\\-01\\, 41 days left\\. agreed<br>"
        "`GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.`\n" in text
    )


def test_the_summary() -> None:
    assert summary.render(FLEET, ()).splitlines() == [
        "## 2 of 6 targets show no failure; 3 fail (`b`, `e`, `f`), 1 could not be tested (`d`).",
        "",
        "petcheck `0.1.0`, interface `1.0.0`, judged as on `2026-11-21`, finished `2026-11-21T10:03:13.400Z`. "
        "`--seed 1` with the same options repeats this run.",
        "",
        "### Failures",
        "",
        "- **`LIST-3`** (section 4\\.1 List all animals, on 3 of 6 targets (`b`, `e`, `f`)): "
        "A page never holds more animals than `limit` asks for\\.<br>"
        "`GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.`",
        "- **`AUTH-1`** (section 4\\.1 List all animals, on 1 of 6 targets (`f`)): "
        "A page never holds more animals than `limit` asks for\\.<br>"
        "`GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.`",
        "",
        "### Also",
        "",
        "- `d`: `it does not answer`",
        "- Sent: 12 requests to 6 targets, 0 of them POST; 0 animals left behind",
        "",
        "The evidence is in `report.html` and `targets/`.",
    ]


def test_junit_has_a_case_for_each_target() -> None:
    (suite,) = ET.fromstring(junit.junit(FLEET))
    assert {name: suite.get(name) for name in ("name", "tests", "failures", "errors", "skipped")} == {
        "name": "fleet",
        "tests": "6",
        "failures": "3",
        "errors": "1",
        "skipped": "0",
    }
    assert [(case.get("name"), [(each.tag, each.get("message")) for each in case]) for case in suite] == [
        ("a", []),
        ("b", [("failure", "1 requirement fails: LIST-3")]),
        ("c", []),
        ("d", [("error", "it does not answer")]),
        ("e", [("failure", "1 requirement fails: LIST-3")]),
        ("f", [("failure", "2 requirements fail: LIST-3, AUTH-1")]),
    ]
    details = next(suite.iter("failure")).text
    assert details is not None
    assert details.endswith("\nthe report: targets/b/report.html")
    skipped = ET.fromstring(junit.junit(of(**dict.fromkeys("abcd", "pass pass"), e="not-run not-run")))
    assert [each.get("message") for each in skipped.iter("skipped")] == ["nothing was examined"]


@pytest.mark.parametrize(
    ("result", "message", "colour"),
    [
        (FLEET, "3 of 6 targets fail", "b0231b"),
        (CONFORMING, "all 5 targets hold", "17683a"),
        (of(**dict.fromkeys("abcd", "pass pass"), e="down"), "4 of 5 targets hold", "8f1d63"),
        (of(**dict.fromkeys("abcd", "pass waived"), e="pass pass"), "all 5 targets hold", "59409b"),
        (replace(CONFORMING, complete=False), "incomplete", "535b64"),
        (waived("2020-01-01"), "a waiver is stale or expired", "b0231b"),
    ],
)
def test_the_badge(result: Result, message: str, colour: str) -> None:
    shown = json.loads(badge.endpoint(result))
    assert (shown["message"], shown["color"]) == (message, colour)
    assert message in badge.svg(result)


def test_annotations_name_each_requirement_once() -> None:
    assert lines(FLEET, (), {"GITHUB_ACTIONS": "true"}) == [
        "::error title=d could not be tested::it does not answer",
        "::error title=LIST-3 fails on 3 of 6 targets (b%2C e%2C f)::GET /pets?limit=5 returned 6 animals; "
        "section 4.1 allows at most 5.",
        "::error title=AUTH-1 fails on 1 of 6 targets (f)::GET /pets?limit=5 returned 6 animals; "
        "section 4.1 allows at most 5.",
    ]
    assert lines(replace(CONFORMING, run=replace(CONFORMING.run, exit=int(Exit.HOLDS))), (), {"TF_BUILD": "true"}) == []
