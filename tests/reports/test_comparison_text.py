"""A comparison on the terminal: the whole text, width, and colour."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petcheck.comparison.compare import Comparison, compare
from petcheck.reports.comparison_text import render
from petcheck.results.deciding import by_index
from petcheck.results.findings import Observation
from petcheck.results.load import RecordedRun
from tests.support import samples


def comparison() -> Comparison:
    """Staging fails one requirement and did not examine the other; production differs at an open point."""
    evidence = tuple(by_index(samples.two_exchanges()).values())

    def side(name: str, outcome: str, other: str, value: str) -> RecordedRun:
        rows = (
            samples.row("LIST-3", outcome, target=name),
            samples.row("CREATE-1", other, target=name, section="4.2", settled_by="--allow-writes", decisive=()),
        )
        points = (
            Observation("limit-zero", "4.1", name, value, "What does `limit=0` get?", (0,)),
            Observation("status-unknown", "4.1", name, "ignored", "What?", (), seen=other == "pass"),
        )
        run = replace(samples.run(), id=f"id-of-{name}", seed=len(name))
        value_ = samples.result(*rows, targets=(samples.target(name),), checks=(), observations=points, run=run)
        return RecordedRun(f"{name}/result.json", value_, tuple(replace(entry, target=name) for entry in evidence))

    return compare(
        [side("staging", "fail", "not-run", "400 Error"), side("production", "pass", "pass", "200 OK, 20 animals")]
    )


def test_the_whole_text() -> None:
    assert render(comparison(), width=100, colour=False, page="comparison.html") == (
        "staging and production differ in 1 verdict and 1 open point; 1 requirement was not examined\n"
        "  everywhere.\n"
        "  seed: staging: 7; production: 10\n"
        "\n"
        "verdicts that differ\n"
        "  LIST-3 · section 4.1  staging: fail; production: pass\n"
        "    staging: GET /pets?limit=5 returned 6 animals; section 4.1 allows at most 5.\n"
        "\n"
        "not examined everywhere, so not known to be equal\n"
        "  staging: not examined there (not-run); production: pass: CREATE-1\n"
        "  Run each with --allow-writes, if that is permitted, and compare again.\n"
        "\n"
        "open points that differ (the document allows it)\n"
        "  limit-zero  staging: 400 Error; production: 200 OK, 20 animals\n"
        "\n"
        "open points not observed everywhere (not counted): status-unknown\n"
        "equal: 0 requirements, 0 open points\n"
        "page: comparison.html"
    )


@pytest.mark.parametrize("width", [40, 60, 200])
def test_lines_fit_the_terminal(width: int) -> None:
    assert max(map(len, render(comparison(), width=width, colour=False, page="x").splitlines())) <= width


def test_colour_supports_the_words() -> None:
    painted = render(comparison(), width=100, colour=True, page="comparison.html")
    assert painted.startswith("\x1b[1;31mstaging and production differ")
    plain = painted.replace("\x1b[1;31m", "").replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert plain == render(comparison(), width=100, colour=False, page="comparison.html")


def test_text_of_a_target_is_no_ci_command() -> None:
    made = comparison()
    point = replace(made.differing_points[0], values=("##vso[task.complete]", "200"))
    text = render(replace(made, differing_points=(point,)), width=100, colour=False, page="comparison.html")
    assert "##vso[" not in text
    assert "\\u{23}#vso[task.complete]" in text
