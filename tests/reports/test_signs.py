"""The sign of a verdict is the same wherever it is shown: green takes every requirement, and few examined are amber."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from petcheck.reports import badge, fleet_html, report_html, statement_html, terminal
from petcheck.reports.text_lines import GREEN, RED, YELLOW
from petcheck.results.result import Result
from petcheck.stream.environment import Environment
from tests.support import samples

COLOURS = {"pass": GREEN, "fail": RED, "inconclusive": YELLOW, "waived": YELLOW, "error": RED}
# what each target shows, and the sign of the whole
CASES = [
    (["pass"] * 56, "all 56 requirements hold", "pass"),
    (
        ["pass"] * 14 + ["not-run"] * 40 + ["inconclusive"] * 2,
        "14 of 56 requirements examined, none fails",
        "inconclusive",
    ),
    (["pass"] * 55 + ["not-run"], "55 of 56 requirements examined, none fails", "inconclusive"),
    (["pass"] * 55 + ["waived"], "56 of 56 requirements examined, 1 failure waived", "waived"),
    (["pass"] * 14 + ["not-run"] * 41 + ["fail"], "1 of 56 requirements fails", "fail"),
    (["not-run"] * 56, "nothing was examined", "inconclusive"),
]


def run_of(outcomes: list[str], targets: int) -> Result:
    names = [f"t{number}" for number in range(targets)]
    rows = [
        samples.row(f"LIST-{number}", outcome, target=name, decisive=(), exchanges=())
        for name in names
        for number, outcome in enumerate(outcomes)
    ]
    return samples.result(
        *rows, targets=tuple(map(samples.target, names)), exit_code=int("fail" in outcomes), checks=()
    )


def icons(page: str) -> list[str]:
    """The signs of the heading, or of the first cell of the table."""
    heading = re.findall(r'<h1.*?</h1>|<th scope="row">.*?</th>', page, re.DOTALL)
    return re.findall(r'<use href="#([a-z-]+)"/>', "".join(heading))


@pytest.mark.parametrize(("outcomes", "words", "sign"), CASES)
def test_a_run_of_one_target_has_one_sign_everywhere(outcomes: list[str], words: str, sign: str) -> None:
    value = run_of(outcomes, 1)
    shown = terminal.render(value, (), width=200, colour=True, folder=None)
    (line,) = [line for line in shown.splitlines() if words in line]
    assert line.startswith(f"\x1b[1;{COLOURS[sign]}m")
    page = report_html.render(value, ())
    assert words in page
    assert icons(page)[:1] == [sign]
    statement = statement_html.render(value, Environment(None, "CPython", "Linux", {}), ())
    assert icons(statement) == [sign]
    colours = {key: colour.removeprefix("#") for key, colour in badge._COLOURS.items()}
    assert json.loads(badge.endpoint(value))["color"] == colours[sign]  # type: ignore[index]
    assert badge._COLOURS[sign] in badge.svg(value)  # type: ignore[index]


@pytest.mark.parametrize(("outcomes", "words", "sign"), CASES)
def test_a_fleet_has_the_sign_of_its_targets(outcomes: list[str], words: str, sign: str) -> None:
    value = run_of(outcomes, 5)
    assert icons(fleet_html.render(value))[:1] == [sign]
    shown = terminal.render(value, (), width=200, colour=True, folder=None)
    (line,) = [line for line in shown.splitlines() if "5 targets" in line and line.startswith("\x1b[1;")][-1:]
    assert line.startswith(f"\x1b[1;{COLOURS[sign]}m")


def test_one_target_of_a_fleet_that_examined_little_makes_it_amber() -> None:
    value = run_of(["pass"] * 56, 5)
    few = tuple(
        replace(row, outcome="not-run") if row.target == "t4" and row.id > "LIST-2" else row
        for row in value.requirements
    )
    page = fleet_html.render(replace(value, requirements=few))
    assert icons(page)[:1] == ["inconclusive"]
    assert re.findall(r'<h3><span class="number">\d</span> <span class="([a-z-]+)">', page) == ["pass", "inconclusive"]
