"""statement.html: what was tested and found, what is open, and by which evidence, for one target and for a fleet."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from petcheck.judging.verdicts import AppliedWaiver
from petcheck.reports import statement_html
from petcheck.results.result import Result
from petcheck.results.totals import spent
from petcheck.spec.catalogue import catalogue
from petcheck.stream.environment import Environment
from petcheck.stream.lines import Label, Subject
from tests.support import samples, streams
from tests.support.chromium import VIEWS, Open, View, accessible
from tests.support.elements import whole_and_self_contained
from tests.support.fleets import fleet

ENVIRONMENT = Environment("c" * 40, "CPython 3.11.7", "Linux", {})
SETTINGS = replace(
    streams.SETTINGS, labels=(Label("operator", "Jo <Doe>"), Label("build", "7")), subjects=(Subject("shop", "e" * 64),)
)


def page(value: Result) -> str:
    return statement_html.render(value, ENVIRONMENT, [("exchanges.jsonl", "1" * 64), ("result.json", "2" * 64)])


def plain(html: str) -> str:
    return " ".join(re.sub(r"<[^>]*>", " ", html.split("<body>")[1]).split())


RUNS: dict[str, Callable[[], Result]] = {
    "one": lambda: replace(samples.whole_run(targets=1)[0], run=samples.run(settings=SETTINGS)),
    "four": lambda: samples.whole_run(targets=4)[0],
    "hostile": lambda: samples.hostile_run()[0],
    "nothing": lambda: samples.result(targets=(), requirements=(), checks=(), exit_code=2, complete=False),
    "fleet": fleet,
}


@pytest.mark.parametrize("name", RUNS)
def test_it_is_whole_and_runs_nothing(name: str) -> None:
    value = RUNS[name]()
    parts = [f"targets/{target.name}/statement.html" for target in value.targets] if name == "fleet" else []
    whole_and_self_contained(page(value), beside=["report.html", *parts])


def test_it_says_what_was_tested_by_what_when_and_by_whom() -> None:
    text = plain(page(RUNS["one"]()))
    in_force = [row for row in RUNS["one"]().requirements if row.in_force]
    for said in (
        f"staging does not conform: 2 of {len(in_force)} requirements fail.",
        f"petcheck sent {spent(RUNS['one']())}. The answers were",
        f"judged as on 2026-11-21, by the {len(catalogue().judged)} requirements of the catalogue.",
        "staging https://staging.pets.example/v1",
        "Conditions with writes, plan free, key sha256:0123abcd",
        "label build 7",
        f"artifact shop@sha256:{'e' * 64}",
        "When 2026-11-21 10:03:12 to 10:03:13 UTC",
        "By whom Jo &lt;Doe&gt;",
        "By what petcheck 0.1.0, commit cccccccccccc, CPython 3.11.7",
        f"exchanges.jsonl {'1' * 64}",
        "petcheck verify",
        "Name Place and date manifest.json sha256 begins with Signature",
    ):
        assert said in text
    assert "label operator" not in text
    assert "By whom not given ( --label operator=NAME )" in plain(page(samples.result()))


def test_what_is_waived_not_examined_or_open_is_named() -> None:
    rows = (
        samples.row("LIST-3", "waived", waiver=AppliedWaiver("Known.", "2026-12-31")),
        samples.row("LIST-4", "inconclusive", waiver=AppliedWaiver("No store.", "2026-12-01", gap=True)),
        samples.row("LIST-5", "not-run", settled_by="--plan"),
        samples.row("LIST-6", "error"),
        samples.row("RATE-10", "not-run", section="8", in_force=False),
    )
    text = plain(page(samples.result(*rows)))
    for said in (
        "LIST-3: Waived until 2026-12-31, 40 days left: Known.",
        "LIST-4: Accepted gap until 2026-12-01: No store.",
        "Could not be judged LIST-6",
        "LIST-5: add --plan",
        "in force on that day RATE-10",
    ):
        assert said in text
    for point in catalogue().entries:
        assert (point.id in text) >= point.open


def test_a_fleet_has_a_line_for_each_target() -> None:
    value = fleet()
    html = page(value)
    lines = re.findall(r"<tr><th scope=\"row\">.*?</tr>", html, re.DOTALL)
    assert len(lines) == len(value.targets) == 30
    for target, line in zip(value.targets, lines, strict=True):
        assert f'href="targets/{target.name}/statement.html"' in line
        failing = [row.id for row in value.rows_of(target.name) if row.outcome == "fail"]
        assert all(name in line or " to " in line for name in failing)
        assert ("none fails" in line) == (not failing and target.unreachable is None)
    assert "of 30 targets show no failure" in html
    assert re.search(r"<dt>Could not be tested</dt><dd><p>[^<]*: [^<]*does not answer", html)


# ---- in a browser


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("statements")

    def write(name: str) -> Path:
        path = folder / f"{name}.html"
        path.write_text(page(RUNS[name]()), "utf-8")
        return path

    return write


@pytest.mark.parametrize(("name", "views"), [("one", VIEWS), ("hostile", VIEWS), ("fleet", VIEWS)])
def test_axe_finds_nothing(opened: Open, name: str, views: Sequence[View], tmp_path: Path) -> None:
    accessible(opened(name), tmp_path / "statement.png", views)
