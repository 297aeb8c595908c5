"""The published benchmarks: parts can be measured alone, and the rest of the document stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from petcheck.spec.files import suite_root
from tools import benchmark, one_run
from tools.benchmark import DOCUMENT, PARTS, with_sections


def test_the_document_has_parts_that_were_measured() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert with_sections(text, {}) == text
    titles = {line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")}
    assert {PARTS["run"].title, PARTS["tools"].title} <= titles <= {part.title for part in PARTS.values()}


def test_a_part_replaces_its_own_section_alone() -> None:
    run, tools = (PARTS[name].title for name in ("run", "tools"))
    before = with_sections("", {run: ["old", "", "lines"], tools: ["kept"]})
    assert with_sections(before, {run: ["new"]}) == before.replace("old\n\nlines", "new")
    assert with_sections("# Anything\n", {tools: ["alone"]}).endswith(f"\n## {tools}\n\nalone\n")


def test_an_unknown_part_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        benchmark.main(["speed"])
    assert "no part speed; the parts are run, tools" in capsys.readouterr().err


def test_a_commit_that_is_not_there_is_not_compared(tmp_path: Path) -> None:
    assert one_run.unpacked("0" * 40, tmp_path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_run_is_measured_as_its_own_process() -> None:
    with one_run.served(0.01) as url:
        cost = one_run.cost_of(suite_root(), "--target", url, "--examples", "0", "-k", "test_page_is")
    assert 0 < cost.answers < cost.seconds
    assert cost.cpu > 0
    assert cost.peak_mb > 10
