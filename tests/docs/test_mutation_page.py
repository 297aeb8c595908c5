"""The table of mutants comes from what mutmut prints, and a mutant that was not noticed fails the command."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tools import mutation_page

PRINTED = """
    petcheck.call.x_page_call__mutmut_1: killed
    petcheck.judging.rules.filters.x__wrongly__mutmut_1: killed
    petcheck.judging.rules.filters.xǁFilterǁholds__mutmut_12: timeout
    petcheck.judging.agree.x_agree__mutmut_2: {last}
"""
PAGE = "# Mutants\n\n<!-- measured -->\n\nold\n\n<!-- end -->\n\nThe rest.\n"


def run(printed: str, monkeypatch: pytest.MonkeyPatch, page: Path) -> int:
    page.write_text(PAGE, "utf-8")
    monkeypatch.setattr(mutation_page, "DOCUMENT", page)
    monkeypatch.setattr("sys.stdin", io.StringIO(printed))
    return mutation_page.main()


def test_a_row_for_each_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    assert run(PRINTED.format(last="killed"), monkeypatch, page) == 0
    assert page.read_text("utf-8") == PAGE.replace(
        "old",
        "| Module | Mutants | Killed | Survived | Timeouts |\n|---|--:|--:|--:|--:|\n"
        "| agree | 1 | 1 | 0 | 0 |\n| call | 1 | 1 | 0 | 0 |\n| rules/filters | 2 | 1 | 0 | 1 |\n"
        "| **all** | 4 | 3 | 0 | 1 |",
    )


@pytest.mark.parametrize("status", ["survived", "no tests", "segfault"])
def test_a_mutant_that_no_test_noticed_fails_and_is_named(
    status: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    assert run(PRINTED.format(last=status), monkeypatch, page) == 1
    assert "| agree | 1 | 0 | 1 | 0 |" in page.read_text("utf-8")
    assert capsys.readouterr().out == (
        f"4 mutants, 1 not noticed\npetcheck.judging.agree.x_agree__mutmut_2: {status}\n"
    )


def test_without_mutants_the_page_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    assert run("", monkeypatch, page) == 4
    assert page.read_text("utf-8") == PAGE
